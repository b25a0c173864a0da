// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_DEVICES_INSTINCT_MI300X_HPP
#define WARPGAUGE_DEVICES_INSTINCT_MI300X_HPP

#include <array>
#include <string_view>

#include <warpgauge/devices/architectures.hpp>

namespace WARPGAUGE_NAMESPACE::devices {

/// CDNA 3 of 2023 (gfx942). Each of its eight dies has an L2 of its own (4 MiB), so that the size of the L2 is left
/// out; behind them is a cache of 256 MiB.
struct instinct_mi300x : cdna_cu<amd_processor::gfx942> {
    static constexpr std::string_view name = "Instinct MI300X";
    static constexpr std::array<std::string_view, 2> aliases{"AMD Instinct MI300X", "mi300x"};

    // AMD ROCm documentation, accelerator specifications; MT4G.
    static constexpr double sm_count = 304;
    static constexpr double clock_hz = 2.1e9;           // AMD, MI300X data sheet; MT4G
    static constexpr double dram_bytes_per_s = 5300e9;  // AMD, MI300X data sheet
    // AMD, CDNA 3 white paper: two operations in each of 64 lanes.
    static constexpr double cuda_cores = 128;
    static constexpr double double_precision_units = 64;  // AMD, CDNA 3 white paper

    // MT4G (TU Munich, caps-tum/mt4g), sample_results, MI300X (a virtual function).
    static constexpr double shared_latency_cycles = 51.3;  // LDS
    static constexpr double l1_latency_cycles = 116;
    static constexpr double l2_latency_cycles = 287.5;
    static constexpr double dram_latency_cycles = 899.7;
    static constexpr double l2_bytes_per_cycle = 14365 * 0x1p30 / (sm_count * clock_hz);
    static constexpr double dram_read_fraction = 3690 * 0x1p30 / dram_bytes_per_s;
    static constexpr double dram_write_fraction = 4117 * 0x1p30 / dram_bytes_per_s;

    static constexpr double board_power_w = 750;  // AMD, MI300X data sheet
};

}  // namespace WARPGAUGE_NAMESPACE::devices

#endif
