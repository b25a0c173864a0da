// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_DEVICES_GEFORCE_RTX_3090_HPP
#define WARPGAUGE_DEVICES_GEFORCE_RTX_3090_HPP

#include <array>
#include <string_view>

#include <warpgauge/devices/architectures.hpp>

namespace WARPGAUGE_NAMESPACE::devices {

/// Ampere GA102 of 2020, compute capability 8.6.
struct geforce_rtx_3090 : ga10x_sm {
    static constexpr std::string_view name = "GeForce RTX 3090";
    static constexpr std::array<std::string_view, 3> aliases{"NVIDIA GeForce RTX 3090", "rtx3090",
                                                             "3090"};

    static constexpr double sm_count = 82;  // deviceQuery output
    // DeviceQuery output; boards that are overclocked report up to 1.74.
    static constexpr double clock_hz = 1.695e9;
    static constexpr double dram_bytes_per_s = 936.1e9;  // deviceQuery output: 9751 MHz, 384 bit
    static constexpr double l2_bytes = 6291456;          // deviceQuery output

    // gpu-micro-bench (arabel1a) 2f18022, results/memtest/NVIDIA_GeForce_RTX_3090.json: loads that need each other on
    // all SMs, of 2 KiB, 4 MiB and 128 MiB, in ns at the clock above; 128 MiB read in order.
    static constexpr double l1_latency_cycles = 20.17e-9 * clock_hz;
    static constexpr double l2_latency_cycles = 131.33e-9 * clock_hz;
    static constexpr double dram_latency_cycles = 274.59e-9 * clock_hz;
    static constexpr double dram_read_fraction = 818.24e9 / dram_bytes_per_s;

    static constexpr double board_power_w = 350;  // NVIDIA, product page
};

}  // namespace WARPGAUGE_NAMESPACE::devices

#endif
