// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_DEVICES_TESLA_V100_SXM2_HPP
#define WARPGAUGE_DEVICES_TESLA_V100_SXM2_HPP

#include <array>
#include <string_view>

#include <warpgauge/devices/architectures.hpp>

namespace WARPGAUGE_NAMESPACE::devices {

/// Volta GV100 of 2017, as SXM2 board with 16 or 32 GB, compute capability 7.0.
struct tesla_v100_sxm2 : v100_chip {
    static constexpr std::string_view name = "Tesla V100 SXM2";
    static constexpr std::array<std::string_view, 5> aliases{
        "Tesla V100-SXM2-16GB", "Tesla V100-SXM2-32GB", "Tesla V100", "v100", "v100-sxm2"};

    // NVIDIA, Tesla V100 architecture white paper.
    static constexpr double clock_hz = 1.53e9;         // boost
    static constexpr double dram_bytes_per_s = 900e9;  // deviceQuery output, not rounded: 898.05e9

    // Jia et al. 2018, "Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking".
    static constexpr double shared_latency_cycles = 19;
    static constexpr double l1_latency_cycles = 28;
    static constexpr double l2_latency_cycles = 193;
    static constexpr double dram_latency_cycles = 375;  // hit in the TLB; 1029 with a miss

    static constexpr double board_power_w = 300;  // NVIDIA, Tesla V100 data sheet
};

/// The V100 on an SXM2 board, by a shorter name.
using tesla_v100 = tesla_v100_sxm2;

}  // namespace WARPGAUGE_NAMESPACE::devices

#endif
