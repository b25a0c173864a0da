// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_DEVICES_INSTINCT_MI250X_HPP
#define WARPGAUGE_DEVICES_INSTINCT_MI250X_HPP

#include <array>
#include <string_view>

#include <warpgauge/devices/architectures.hpp>

namespace WARPGAUGE_NAMESPACE::devices {

/// CDNA 2 of 2021 (gfx90a): one of the two dies of the board, which is what a program sees as one device.
struct instinct_mi250x : cdna_cu<amd_processor::gfx90a> {
    static constexpr std::string_view name = "Instinct MI250X, one die";
    static constexpr std::array<std::string_view, 2> aliases{"AMD Instinct MI250X", "mi250x"};

    // AMD ROCm documentation, accelerator specifications: 220 on two dies.
    static constexpr double sm_count = 110;
    // AMD, MI250X data sheet; OpenXLA target_config, mi200.
    static constexpr double clock_hz = 1.7e9;
    // OpenXLA target_config, mi200: half of the board's 3276.8e9.
    static constexpr double dram_bytes_per_s = 1638.4e9;
    // AMD ROCm documentation, accelerator specifications; OpenXLA target_config, mi200.
    static constexpr double l2_bytes = 8388608;
    static constexpr double double_precision_units = 64;  // AMD, CDNA 2 white paper
};

}  // namespace WARPGAUGE_NAMESPACE::devices

#endif
