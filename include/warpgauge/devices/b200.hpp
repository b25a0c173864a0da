// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_DEVICES_B200_HPP
#define WARPGAUGE_DEVICES_B200_HPP

#include <array>
#include <string_view>

#include <warpgauge/devices/architectures.hpp>

namespace WARPGAUGE_NAMESPACE::devices {

/// Blackwell GB100 of 2024, two dies in one device, compute capability 10.0.
struct b200 : blackwell_sm {
    static constexpr std::string_view name = "B200";
    static constexpr std::array<std::string_view, 1> aliases{"NVIDIA B200"};

    // OpenXLA target_config, b200. NVIDIA's data sheet has 8 TB/s and 75 TFLOP/s.
    static constexpr double sm_count = 148;
    static constexpr double clock_hz = 1.965e9;
    static constexpr double dram_bytes_per_s = 7672.32e9;  // 3996 MHz
    static constexpr double l2_bytes = 132644864;

    // AI_kernels (markdewing), latency: pointer chase, clocks not locked.
    static constexpr double l1_latency_cycles = 40;
    static constexpr double l2_latency_cycles = 295;
    static constexpr double dram_latency_cycles = 860;

    static constexpr double board_power_w = 1000;  // NVIDIA, DGX B200 data sheet
};

}  // namespace WARPGAUGE_NAMESPACE::devices

#endif
