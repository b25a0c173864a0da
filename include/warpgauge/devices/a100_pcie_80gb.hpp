// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_DEVICES_A100_PCIE_80GB_HPP
#define WARPGAUGE_DEVICES_A100_PCIE_80GB_HPP

#include <array>
#include <string_view>

#include <warpgauge/devices/architectures.hpp>

namespace WARPGAUGE_NAMESPACE::devices {

/// Ampere GA100 of 2021, as PCIe board with 80 GB, compute capability 8.0.
struct a100_pcie_80gb : a100_chip {
    static constexpr std::string_view name = "A100 PCIe 80GB";
    static constexpr std::array<std::string_view, 2> aliases{"NVIDIA A100 80GB PCIe",
                                                             "a100-80gb-pcie"};

    static constexpr double dram_bytes_per_s = 1935e9;  // NVIDIA, A100 data sheet

    // gpu-benches 1c36d50, "A100 80GB", without the form of the board: latency.csv rows 121, 150, 198, stream.csv rows
    // 572 (init), 573 (read), 574 (scale; triad has 1759 GB/s); gpu-small-kernels, first row, 64 KiB at 24 to 25 GB/s.
    static constexpr double l1_latency_cycles = 36.2;
    static constexpr double l2_latency_cycles = 210.9;    // the near half; 424.3 the far one
    static constexpr double dram_latency_cycles = 571.8;  // with misses of the TLB
    static constexpr double dram_write_fraction = 1880e9 / dram_bytes_per_s;
    static constexpr double dram_read_fraction = 1769e9 / dram_bytes_per_s;
    static constexpr double dram_mixed_fraction = 1732e9 / dram_bytes_per_s;
    // Of kernels back to back, with what the kernel itself takes.
    static constexpr double launch_overhead_s = 65536 / 24.5e9;

    static constexpr double board_power_w = 300;  // NVIDIA, A100 data sheet
};

}  // namespace WARPGAUGE_NAMESPACE::devices

#endif
