// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_DEVICES_GEFORCE_RTX_5080_HPP
#define WARPGAUGE_DEVICES_GEFORCE_RTX_5080_HPP

#include <array>
#include <string_view>

#include <warpgauge/devices/architectures.hpp>

namespace WARPGAUGE_NAMESPACE::devices {

/// Blackwell GB203 of 2025, compute capability 12.0.
struct geforce_rtx_5080 : rtx_blackwell_sm {
    static constexpr std::string_view name = "GeForce RTX 5080";
    static constexpr std::array<std::string_view, 3> aliases{"NVIDIA GeForce RTX 5080", "rtx5080",
                                                             "5080"};

    // NVIDIA, RTX Blackwell architecture white paper.
    static constexpr double sm_count = 84;
    static constexpr double clock_hz = 2.617e9;  // boost
    static constexpr double dram_bytes_per_s = 960e9;
    static constexpr double l2_bytes = 67108864;

    // No measurement: the configuration of the RTX 5070 Ti, the same chip, in the simulator of Huerta et al. 2025,
    // "Dissecting and Modeling the Architecture of Modern GPU Cores": L2 301 cycles behind L1 (there 32), DRAM 255
    // behind L2.
    static constexpr double l2_latency_cycles = 32 + 301;
    static constexpr double dram_latency_cycles = 32 + 301 + 255;

    static constexpr double board_power_w = 360;  // NVIDIA, product page
};

}  // namespace WARPGAUGE_NAMESPACE::devices

#endif
