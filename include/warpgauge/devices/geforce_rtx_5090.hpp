// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_DEVICES_GEFORCE_RTX_5090_HPP
#define WARPGAUGE_DEVICES_GEFORCE_RTX_5090_HPP

#include <array>
#include <string_view>

#include <warpgauge/devices/architectures.hpp>

namespace WARPGAUGE_NAMESPACE::devices {

/// Blackwell GB202 of 2025, compute capability 12.0.
struct geforce_rtx_5090 : rtx_blackwell_sm {
    static constexpr std::string_view name = "GeForce RTX 5090";
    static constexpr std::array<std::string_view, 3> aliases{"NVIDIA GeForce RTX 5090", "rtx5090",
                                                             "5090"};

    static constexpr double sm_count = 170;               // deviceQuery output
    static constexpr double clock_hz = 2.407e9;           // deviceQuery output
    static constexpr double dram_bytes_per_s = 1792.1e9;  // deviceQuery output: 14001 MHz, 512 bit
    static constexpr double l2_bytes = 100663296;         // deviceQuery output

    // AI_kernels (markdewing), latency: pointer chase, clocks not locked.
    static constexpr double l2_latency_cycles = 360;
    static constexpr double dram_latency_cycles = 936;

    static constexpr double board_power_w = 575;  // NVIDIA, product page
};

}  // namespace WARPGAUGE_NAMESPACE::devices

#endif
