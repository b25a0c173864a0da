// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_DEVICES_RTX_A6000_HPP
#define WARPGAUGE_DEVICES_RTX_A6000_HPP

#include <array>
#include <string_view>

#include <warpgauge/devices/architectures.hpp>

namespace WARPGAUGE_NAMESPACE::devices {

/// Ampere GA102 of 2020, compute capability 8.6.
struct rtx_a6000 : ga10x_sm {
    static constexpr std::string_view name = "RTX A6000";
    static constexpr std::array<std::string_view, 2> aliases{"NVIDIA RTX A6000", "a6000"};

    static constexpr double sm_count = 84;     // deviceQuery output; OpenXLA target_config, a6000
    static constexpr double clock_hz = 1.8e9;  // deviceQuery output; OpenXLA target_config, a6000
    // DeviceQuery output: 8001 MHz, 384 bit; OpenXLA target_config, a6000.
    static constexpr double dram_bytes_per_s = 768.1e9;
    static constexpr double l2_bytes = 6291456;  // OpenXLA target_config, a6000

    // No measurement: the configuration of the RTX A6000 in the simulator of Huerta et al. 2025,
    // "Dissecting and Modeling the Architecture of Modern GPU Cores": L2 211 cycles behind L1, DRAM 243 behind L2.
    static constexpr double l2_latency_cycles = l1_latency_cycles + 211;
    static constexpr double dram_latency_cycles = l1_latency_cycles + 211 + 243;

    static constexpr double board_power_w = 300;  // NVIDIA, RTX A6000 data sheet
};

}  // namespace WARPGAUGE_NAMESPACE::devices

#endif
