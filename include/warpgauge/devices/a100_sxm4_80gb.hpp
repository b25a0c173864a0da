// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_DEVICES_A100_SXM4_80GB_HPP
#define WARPGAUGE_DEVICES_A100_SXM4_80GB_HPP

#include <array>
#include <string_view>

#include <warpgauge/devices/architectures.hpp>

namespace WARPGAUGE_NAMESPACE::devices {

/// Ampere GA100 of 2020, as SXM4 board with 80 GB, compute capability 8.0.
struct a100_sxm4_80gb : a100_chip {
    static constexpr std::string_view name = "A100 SXM4 80GB";
    static constexpr std::array<std::string_view, 3> aliases{"NVIDIA A100-SXM4-80GB",
                                                             "A100-SXM4-80GB", "a100-80gb"};

    // DeviceQuery output: 1593 MHz, 5120 bit; OpenXLA target_config, a100_sxm_80.
    static constexpr double dram_bytes_per_s = 2039e9;

    // gpu-benches 1c36d50, "A100 80GB", without the form of the board: latency.csv rows 121, 150, 198.
    static constexpr double l1_latency_cycles = 36.2;
    static constexpr double l2_latency_cycles = 210.9;    // the near half; 424.3 the far one
    static constexpr double dram_latency_cycles = 571.8;  // with misses of the TLB

    static constexpr double board_power_w = 400;  // NVIDIA, A100 data sheet
};

}  // namespace WARPGAUGE_NAMESPACE::devices

#endif
