// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_DEVICES_TESLA_V100_PCIE_HPP
#define WARPGAUGE_DEVICES_TESLA_V100_PCIE_HPP

#include <array>
#include <string_view>

#include <warpgauge/devices/architectures.hpp>

namespace WARPGAUGE_NAMESPACE::devices {

/// Volta GV100 of 2017, as PCIe board with 16 or 32 GB, compute capability 7.0.
struct tesla_v100_pcie : v100_chip {
    static constexpr std::string_view name = "Tesla V100 PCIe";
    static constexpr std::array<std::string_view, 3> aliases{"Tesla V100-PCIE-16GB",
                                                             "Tesla V100-PCIE-32GB", "v100-pcie"};

    static constexpr double clock_hz = 1.38e9;  // deviceQuery output; Jia et al. 2019, tbl. 3.1
    // DeviceQuery output: 877 MHz, 4096 bit; the data sheet rounds to 900.
    static constexpr double dram_bytes_per_s = 898.05e9;

    // Jia et al. 2019, "Dissecting the NVidia Turing T4 GPU via Microbenchmarking", tbl. 3.1. It has 28 and 193 for
    // L1 and L2.
    static constexpr double shared_latency_cycles = 19;
    // gpu-benches 1c36d50: latency.csv rows 722, 751, 802, l1_bandwidth.csv row 603, stream.csv rows 1292 (init),
    // 1293 (read), 1295 (triad; scale has 802 GB/s).
    static constexpr double l1_latency_cycles = 30.1;
    static constexpr double l2_latency_cycles = 215.1;
    static constexpr double dram_latency_cycles = 437.0;  // with misses of the TLB
    static constexpr double l2_bytes_per_cycle = 2450.5e9 / (sm_count * clock_hz);
    static constexpr double dram_write_fraction = 895e9 / dram_bytes_per_s;
    static constexpr double dram_read_fraction = 866e9 / dram_bytes_per_s;
    static constexpr double dram_mixed_fraction = 814e9 / dram_bytes_per_s;

    // gpu-benches 1c36d50, gpu-roofline: held at 240 W; fitted to the products of NeuSight (Lee et al. 2025), the same.
    static constexpr double sustained_clock_hz = 1.38e9;
    static constexpr double board_power_w = 250;  // NVIDIA, Tesla V100 data sheet
};

}  // namespace WARPGAUGE_NAMESPACE::devices

#endif
