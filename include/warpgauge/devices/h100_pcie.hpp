// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_DEVICES_H100_PCIE_HPP
#define WARPGAUGE_DEVICES_H100_PCIE_HPP

#include <array>
#include <string_view>

#include <warpgauge/devices/architectures.hpp>

namespace WARPGAUGE_NAMESPACE::devices {

/// Hopper GH100 of 2022, as PCIe board with 80 GB, compute capability 9.0.
struct h100_pcie : hopper_sm {
    static constexpr std::string_view name = "H100 PCIe";
    static constexpr std::array<std::string_view, 1> aliases{"NVIDIA H100 PCIe"};

    static constexpr double sm_count = 114;  // deviceQuery output; OpenXLA target_config, h100_pcie
    static constexpr double clock_hz = 1.755e9;  // deviceQuery output
    // DeviceQuery output: 1593 MHz, 5120 bit; NVIDIA's product brief rounds to 2000.
    static constexpr double dram_bytes_per_s = 2039e9;
    static constexpr double l2_bytes = 52428800;  // OpenXLA target_config, h100_pcie

    // gpu-benches 1c36d50: latency.csv rows 218, 247, 298, l2_bandwidth.csv row 105, stream.csv rows 764 (init),
    // 765 (read), 766 (scale; triad has 1832 GB/s).
    static constexpr double l1_latency_cycles = 34.2;
    static constexpr double l2_latency_cycles = 265.6;    // the near half; 475.4 the far one
    static constexpr double dram_latency_cycles = 658.4;  // with misses of the TLB
    static constexpr double l2_bytes_per_cycle = 6998.9e9 / (sm_count * clock_hz);
    static constexpr double dram_write_fraction = 2016e9 / dram_bytes_per_s;
    static constexpr double dram_read_fraction = 1942e9 / dram_bytes_per_s;
    static constexpr double dram_mixed_fraction = 1704e9 / dram_bytes_per_s;

    static constexpr double board_power_w = 350;  // NVIDIA, H100 PCIe product brief
};

}  // namespace WARPGAUGE_NAMESPACE::devices

#endif
