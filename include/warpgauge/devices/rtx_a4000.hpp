// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_DEVICES_RTX_A4000_HPP
#define WARPGAUGE_DEVICES_RTX_A4000_HPP

#include <array>
#include <string_view>

#include <warpgauge/devices/architectures.hpp>

namespace WARPGAUGE_NAMESPACE::devices {

/// Ampere GA104 of 2021, compute capability 8.6.
struct rtx_a4000 : ga10x_sm {
    static constexpr std::string_view name = "RTX A4000";
    static constexpr std::array<std::string_view, 2> aliases{"NVIDIA RTX A4000", "a4000"};

    static constexpr double sm_count = 48;                // deviceQuery output
    static constexpr double clock_hz = 1.56e9;            // deviceQuery output
    static constexpr double dram_bytes_per_s = 448.06e9;  // deviceQuery output: 7001 MHz, 256 bit
    static constexpr double l2_bytes = 4194304;           // deviceQuery output

    // No measurement: the configuration of the RTX 3070, the same chip at 1.132 GHz, in Accel-Sim (Khairy et al. 2020),
    // found by its micro-benchmarks: L2 187 cycles behind L1, DRAM 254 behind L2.
    static constexpr double l1_latency_cycles = 39;
    static constexpr double l2_latency_cycles = 39 + 187;
    static constexpr double dram_latency_cycles = 39 + 187 + 254;

    static constexpr double board_power_w = 140;  // NVIDIA, RTX A4000 data sheet
};

}  // namespace WARPGAUGE_NAMESPACE::devices

#endif
