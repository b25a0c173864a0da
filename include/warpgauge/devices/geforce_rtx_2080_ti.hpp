// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_DEVICES_GEFORCE_RTX_2080_TI_HPP
#define WARPGAUGE_DEVICES_GEFORCE_RTX_2080_TI_HPP

#include <array>
#include <string_view>

#include <warpgauge/devices/architectures.hpp>

namespace WARPGAUGE_NAMESPACE::devices {

/// Turing TU102 of 2018, compute capability 7.5.
struct geforce_rtx_2080_ti : turing_sm {
    static constexpr std::string_view name = "GeForce RTX 2080 Ti";
    static constexpr std::array<std::string_view, 3> aliases{"NVIDIA GeForce RTX 2080 Ti",
                                                             "rtx2080ti", "2080ti"};

    // MT4G (TU Munich, caps-tum/mt4g), sample_results, RTX 2080 Ti. Its latencies of L1 (66; 34 as read-only memory)
    // and shared memory (58) are about twice those of the T4 and the RTX 2070, which have the same SM; theirs are taken.
    static constexpr double sm_count = 68;
    static constexpr double clock_hz = 1.545e9;          // the Founders Edition has 1.635
    static constexpr double dram_bytes_per_s = 616.0e9;  // 7000 MHz, 352 bit
    static constexpr double l2_bytes = 5767168;
    static constexpr double l2_latency_cycles = 175.6;
    static constexpr double dram_latency_cycles = 496.2;
    static constexpr double l2_bytes_per_cycle = 1252 * 0x1p30 / (sm_count * clock_hz);
    static constexpr double dram_read_fraction = 543.7 * 0x1p30 / dram_bytes_per_s;
    // OpenCL-Benchmark (M. Lehmann); 538.19 on another board. MT4G has 439.9, less than a copy in BabelStream, which
    // moves 547.8 and stores half of that.
    static constexpr double dram_write_fraction = 550.67e9 / dram_bytes_per_s;

    static constexpr double board_power_w = 250;  // NVIDIA, product page; 260 the Founders Edition
};

}  // namespace WARPGAUGE_NAMESPACE::devices

#endif
