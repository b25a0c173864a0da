// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_DEVICES_INSTINCT_MI210_HPP
#define WARPGAUGE_DEVICES_INSTINCT_MI210_HPP

#include <array>
#include <string_view>

#include <warpgauge/devices/architectures.hpp>

namespace WARPGAUGE_NAMESPACE::devices {

/// CDNA 2 of 2022 (gfx90a), one die.
struct instinct_mi210 : cdna_cu<amd_processor::gfx90a> {
    static constexpr std::string_view name = "Instinct MI210";
    static constexpr std::array<std::string_view, 2> aliases{"AMD Instinct MI210", "mi210"};

    // AMD ROCm documentation, accelerator specifications; MT4G.
    static constexpr double sm_count = 104;
    static constexpr double clock_hz = 1.7e9;             // AMD, MI210 data sheet; MT4G
    static constexpr double dram_bytes_per_s = 1638.4e9;  // MT4G: 1600 MHz, 4096 bit
    // AMD ROCm documentation, accelerator specifications; MT4G.
    static constexpr double l2_bytes = 8388608;
    static constexpr double double_precision_units = 64;  // AMD, CDNA 2 white paper

    // LDS; MT4G (TU Munich, caps-tum/mt4g), sample_results, MI210.
    static constexpr double shared_latency_cycles = 49.9;
    // gpu-benches 1c36d50: latency.csv rows 503, 551, 602 (MT4G has 124, 302, 740.9), l1_bandwidth.csv row 399,
    // l2_bandwidth.csv row 433, stream.csv rows 1100 (init), 1101 (read), 1102 (scale; triad has 1248 GB/s).
    static constexpr double l1_latency_cycles = 125.1;
    static constexpr double l2_latency_cycles = 241.3;
    static constexpr double dram_latency_cycles = 665.0;
    static constexpr double l1_bytes_per_cycle = 10611.8e9 / (sm_count * clock_hz);
    static constexpr double l2_bytes_per_cycle = 5105.8e9 / (sm_count * clock_hz);
    static constexpr double dram_write_fraction = 1526e9 / dram_bytes_per_s;
    static constexpr double dram_read_fraction = 1345e9 / dram_bytes_per_s;
    static constexpr double dram_mixed_fraction = 1358e9 / dram_bytes_per_s;

    static constexpr double board_power_w = 300;  // AMD, MI210 data sheet
};

}  // namespace WARPGAUGE_NAMESPACE::devices

#endif
