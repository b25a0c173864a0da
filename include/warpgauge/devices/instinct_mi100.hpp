// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_DEVICES_INSTINCT_MI100_HPP
#define WARPGAUGE_DEVICES_INSTINCT_MI100_HPP

#include <array>
#include <string_view>

#include <warpgauge/devices/architectures.hpp>

namespace WARPGAUGE_NAMESPACE::devices {

/// CDNA of 2020 (gfx908).
struct instinct_mi100 : cdna_cu<amd_processor::gfx908> {
    static constexpr std::string_view name = "Instinct MI100";
    static constexpr std::array<std::string_view, 2> aliases{"AMD Instinct MI100", "mi100"};

    // AMD ROCm documentation, accelerator specifications; MT4G.
    static constexpr double sm_count = 120;
    static constexpr double clock_hz = 1.502e9;           // AMD, MI100 data sheet; MT4G
    static constexpr double dram_bytes_per_s = 1228.8e9;  // MT4G: 1200 MHz, 4096 bit
    // AMD ROCm documentation, accelerator specifications; MT4G.
    static constexpr double l2_bytes = 8388608;
    static constexpr double double_precision_units = 32;  // AMD, CDNA white paper: 11.5 TFLOP/s

    // MT4G (TU Munich, caps-tum/mt4g), sample_results, MI100.
    static constexpr double shared_latency_cycles = 50.0;  // LDS
    static constexpr double l1_latency_cycles = 136;
    static constexpr double l2_latency_cycles = 343.7;
    static constexpr double dram_latency_cycles = 703.2;
    // gpu-benches 1c36d50: l1_bandwidth.csv row 314, l2_bandwidth.csv rows 359 and 397.
    static constexpr double l1_bytes_per_cycle = 9616.4e9 / (sm_count * clock_hz);
    static constexpr double l2_bytes_per_cycle = 2726.1e9 / (sm_count * clock_hz);
    static constexpr double dram_read_fraction = 914.8e9 / dram_bytes_per_s;

    static constexpr double board_power_w = 300;  // AMD, MI100 data sheet
};

}  // namespace WARPGAUGE_NAMESPACE::devices

#endif
