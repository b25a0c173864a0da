// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_DEVICES_A100_PCIE_40GB_HPP
#define WARPGAUGE_DEVICES_A100_PCIE_40GB_HPP

#include <array>
#include <string_view>

#include <warpgauge/devices/architectures.hpp>

namespace WARPGAUGE_NAMESPACE::devices {

/// Ampere GA100 of 2020, as PCIe board with 40 GB, compute capability 8.0.
struct a100_pcie_40gb : a100_chip {
    static constexpr std::string_view name = "A100 PCIe 40GB";
    static constexpr std::array<std::string_view, 3> aliases{"NVIDIA A100-PCIE-40GB",
                                                             "A100-PCIE-40GB", "a100-pcie"};

    // MT4G, sample_results, A100-PCIE-40GB: 1215 MHz, 5120 bit.
    static constexpr double dram_bytes_per_s = 1555.2e9;

    // Luo et al. 2024, "Benchmarking and Dissecting the Nvidia Hopper GPU Architecture via Microbenchmarking",
    // tbl. IV, on this board; DRAM: 1407.2 GB/s.
    static constexpr double l1_latency_cycles = 37.9;
    static constexpr double l2_latency_cycles = 261.5;
    static constexpr double dram_latency_cycles = 466.3;
    static constexpr double dram_read_fraction = 1407.2e9 / 1555e9;
    // Fitted to the largest element-wise additions and to the products of NeuSight (Lee et al. 2025).
    static constexpr double dram_mixed_fraction = 0.89;
    static constexpr double sustained_clock_hz = 1.23e9;  // at the limit of 250 W

    static constexpr double board_power_w = 250;  // NVIDIA, A100 data sheet
};

}  // namespace WARPGAUGE_NAMESPACE::devices

#endif
