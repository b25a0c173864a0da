// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_DEVICES_RTX_A4000_HPP
#define WARPGAUGE_DEVICES_RTX_A4000_HPP

#include <array>
#include <string_view>

#include <warpgauge/devices/architectures.hpp>

namespace warpgauge::devices {

/// Ampere GA104 of 2021, compute capability 8.6.
struct rtx_a4000 : ga10x_sm {
    static constexpr std::string_view name = "RTX A4000";
    static constexpr std::array<std::string_view, 2> aliases{"NVIDIA RTX A4000", "a4000"};

    static constexpr double sm_count = 48;                // deviceQuery output
    static constexpr double clock_hz = 1.56e9;            // deviceQuery output
    static constexpr double dram_bytes_per_s = 448.06e9;  // deviceQuery output: 7001 MHz, 256 bit
    static constexpr double l2_bytes = 4194304;           // deviceQuery output

    static constexpr double board_power_w = 140;  // NVIDIA, RTX A4000 data sheet
};

}  // namespace warpgauge::devices

#endif
