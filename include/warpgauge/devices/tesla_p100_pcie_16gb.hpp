// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_DEVICES_TESLA_P100_PCIE_16GB_HPP
#define WARPGAUGE_DEVICES_TESLA_P100_PCIE_16GB_HPP

#include <array>
#include <string_view>

#include <warpgauge/devices/architectures.hpp>

namespace WARPGAUGE_NAMESPACE::devices {

/// Pascal GP100 of 2016, as PCIe board with 16 GB, compute capability 6.0.
struct tesla_p100_pcie_16gb : gp100_sm {
    static constexpr std::string_view name = "Tesla P100 PCIe 16GB";
    static constexpr std::array<std::string_view, 3> aliases{"Tesla P100-PCIE-16GB", "p100",
                                                             "p100-pcie"};

    static constexpr double sm_count = 56;  // deviceQuery output; OpenXLA target_config, p100
    // DeviceQuery output; the data sheet's 9.3 TFLOP/s are those of 1.303 GHz.
    static constexpr double clock_hz = 1.3285e9;
    static constexpr double dram_bytes_per_s = 732.2e9;  // deviceQuery output: 715 MHz, 4096 bit
    static constexpr double l2_bytes = 4194304;  // deviceQuery output; OpenXLA target_config, p100

    // Jia et al. 2019, "Dissecting the NVidia Turing T4 GPU via Microbenchmarking", tbl. 3.1.
    static constexpr double shared_latency_cycles = 24;
    static constexpr double l1_latency_cycles = 82;
    static constexpr double l2_latency_cycles = 234;
    static constexpr double dram_read_fraction = 510e9 / 732e9;  // "actual" of "theoretical"
    // Fitted to the largest element-wise additions of NeuSight (Lee et al. 2025).
    static constexpr double dram_mixed_fraction = 0.76;

    static constexpr double board_power_w = 250;  // NVIDIA, Tesla P100 PCIe data sheet
};

}  // namespace WARPGAUGE_NAMESPACE::devices

#endif
