// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_DEVICES_H100_SXM5_HPP
#define WARPGAUGE_DEVICES_H100_SXM5_HPP

#include <array>
#include <string_view>

#include <warpgauge/devices/architectures.hpp>

namespace WARPGAUGE_NAMESPACE::devices {

/// Hopper GH100 of 2022, as SXM5 board with 80 GB, compute capability 9.0.
struct h100_sxm5 : hopper_sm {
    static constexpr std::string_view name = "H100 SXM5";
    static constexpr std::array<std::string_view, 3> aliases{"NVIDIA H100 80GB HBM3", "h100",
                                                             "h100-sxm"};

    // NVIDIA, H100 architecture white paper.
    static constexpr double sm_count = 132;
    static constexpr double clock_hz = 1.98e9;  // boost, as the device reports it
    static constexpr double dram_bytes_per_s = 3352e9;
    static constexpr double l2_bytes = 52428800;  // and OpenXLA target_config, h100_sxm

    // Luo et al. 2024, "Benchmarking and Dissecting the Nvidia Hopper GPU Architecture via Microbenchmarking", on the
    // PCIe board of the H800. The MT4G tool of TU Munich gives 219.3 and, with a footprint that may miss the TLB,
    // 834.5 on the SXM5 board.
    static constexpr double l2_latency_cycles = 263.0;
    static constexpr double dram_latency_cycles = 478.8;

    // MT4G (TU Munich, caps-tum/mt4g), sample_results, on this board.
    static constexpr double dram_read_fraction = 2561 * 0x1p30 / dram_bytes_per_s;
    static constexpr double dram_write_fraction = 2806 * 0x1p30 / dram_bytes_per_s;

    static constexpr double board_power_w = 700;  // NVIDIA, H100 data sheet
};

}  // namespace WARPGAUGE_NAMESPACE::devices

#endif
