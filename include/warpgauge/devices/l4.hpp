// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_DEVICES_L4_HPP
#define WARPGAUGE_DEVICES_L4_HPP

#include <array>
#include <string_view>

#include <warpgauge/devices/architectures.hpp>

namespace WARPGAUGE_NAMESPACE::devices {

/// Ada AD104 of 2023, a board of 72 W, compute capability 8.9.
struct l4 : ada_sm {
    static constexpr std::string_view name = "L4";
    static constexpr std::array<std::string_view, 1> aliases{"NVIDIA L4"};

    // DeviceQuery output; 60, in some tables, is the whole chip.
    static constexpr double sm_count = 58;
    static constexpr double clock_hz = 2.04e9;            // deviceQuery output
    static constexpr double dram_bytes_per_s = 300.05e9;  // deviceQuery output: 6251 MHz, 192 bit
    static constexpr double l2_bytes = 50331648;          // deviceQuery output
    // NVIDIA, L4 data sheet: 121 TFLOP/s, dense.
    static constexpr double tensor_fma_per_cycle = 512;

    static constexpr double board_power_w = 72;  // NVIDIA, L4 data sheet
};

}  // namespace WARPGAUGE_NAMESPACE::devices

#endif
