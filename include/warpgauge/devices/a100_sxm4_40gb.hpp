// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_DEVICES_A100_SXM4_40GB_HPP
#define WARPGAUGE_DEVICES_A100_SXM4_40GB_HPP

#include <array>
#include <string_view>

#include <warpgauge/devices/architectures.hpp>

namespace WARPGAUGE_NAMESPACE::devices {

/// Ampere GA100 of 2020, as SXM4 board with 40 GB, compute capability 8.0.
struct a100_sxm4_40gb : a100_chip {
    static constexpr std::string_view name = "A100 SXM4 40GB";
    static constexpr std::array<std::string_view, 4> aliases{"NVIDIA A100-SXM4-40GB",
                                                             "A100-SXM4-40GB", "a100", "a100-40gb"};

    static constexpr double dram_bytes_per_s = 1555e9;  // NVIDIA, A100 architecture white paper

    // Luo et al. 2024, "Benchmarking and Dissecting the Nvidia Hopper GPU Architecture via Microbenchmarking", on the
    // PCIe board. Abdelkhalik et al. 2022 have 33, 200 and 290; gpu-benches 1c36d50, latency.csv rows 21, 49, 87, 101,
    // has 36.2 of L1, 212.9 of L2 (its far half: 426.7) and, with misses of the TLB, 574.6 of DRAM on this board.
    static constexpr double l1_latency_cycles = 37.9;
    static constexpr double l2_latency_cycles = 261.5;
    static constexpr double dram_latency_cycles = 466.3;

    // gpu-benches 1c36d50, "A100 40GB" (309 W, hence the SXM4 board), stream.csv rows 380 (init), 381 (read),
    // 382 (scale; triad has 1360 GB/s).
    static constexpr double dram_write_fraction = 1503e9 / dram_bytes_per_s;
    static constexpr double dram_read_fraction = 1490e9 / dram_bytes_per_s;
    static constexpr double dram_mixed_fraction = 1381e9 / dram_bytes_per_s;

    static constexpr double board_power_w = 400;  // NVIDIA, A100 data sheet
};

}  // namespace WARPGAUGE_NAMESPACE::devices

#endif
