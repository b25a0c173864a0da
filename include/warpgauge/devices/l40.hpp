// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_DEVICES_L40_HPP
#define WARPGAUGE_DEVICES_L40_HPP

#include <array>
#include <string_view>

#include <warpgauge/devices/architectures.hpp>

namespace WARPGAUGE_NAMESPACE::devices {

/// Ada AD102 of 2022, compute capability 8.9. The data sheet's rate of its tensor cores is half of the L40S' for
/// the same SM, so the rate is left out.
struct l40 : ada_sm {
    static constexpr std::string_view name = "L40";
    static constexpr std::array<std::string_view, 1> aliases{"NVIDIA L40"};

    static constexpr double sm_count = 142;            // NVIDIA, L40 data sheet: 18176 cores / 128
    static constexpr double clock_hz = 2.49e9;         // gpu-benches 1c36d50, latency.csv
    static constexpr double dram_bytes_per_s = 864e9;  // NVIDIA, L40 data sheet
    static constexpr double l2_bytes = 100663296;      // NVIDIA, Ada architecture white paper

    // gpu-benches 1c36d50: latency.csv rows 317, 377, 502, l1_bandwidth.csv row 248, l2_bandwidth.csv row 294,
    // stream.csv rows 908 (init), 909 (read), 814 (scale with 256 threads; with 768 it has 770 GB/s);
    // gpu-small-kernels, first row, 64 KiB at 40 GB/s.
    static constexpr double l1_latency_cycles = 36.2;
    static constexpr double l2_latency_cycles = 276.5;
    static constexpr double dram_latency_cycles = 631.9;  // with misses of the TLB
    static constexpr double l1_bytes_per_cycle = 22620.7e9 / (sm_count * clock_hz);
    static constexpr double l2_bytes_per_cycle = 5239.6e9 / (sm_count * clock_hz);
    static constexpr double dram_write_fraction = 846e9 / dram_bytes_per_s;
    static constexpr double dram_read_fraction = 844e9 / dram_bytes_per_s;
    static constexpr double dram_mixed_fraction = 792e9 / dram_bytes_per_s;
    // Of kernels back to back, with what the kernel itself takes.
    static constexpr double launch_overhead_s = 65536 / 40e9;

    static constexpr double board_power_w = 300;  // NVIDIA, L40 data sheet
};

}  // namespace WARPGAUGE_NAMESPACE::devices

#endif
