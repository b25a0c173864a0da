// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_DEVICES_H200_HPP
#define WARPGAUGE_DEVICES_H200_HPP

#include <array>
#include <string_view>

#include <warpgauge/devices/architectures.hpp>

namespace WARPGAUGE_NAMESPACE::devices {

/// Hopper GH100 of 2023 with HBM3e, compute capability 9.0.
struct h200 : hopper_sm {
    static constexpr std::string_view name = "H200";
    static constexpr std::array<std::string_view, 2> aliases{"NVIDIA H200",
                                                             "NVIDIA H200 141GB HBM3e"};

    static constexpr double sm_count = 132;     // OpenXLA target_config, h200
    static constexpr double clock_hz = 1.98e9;  // OpenXLA target_config, h200
    // OpenXLA target_config, h200; NVIDIA, H200 data sheet.
    static constexpr double dram_bytes_per_s = 4800e9;
    static constexpr double l2_bytes = 52428800;  // OpenXLA target_config, h200

    // Luo et al. 2024, as on the H100 SXM5, the same chip. Its DRAM is another.
    static constexpr double l2_latency_cycles = 263.0;

    // gpu-benches 1c36d50: l2_bandwidth.csv rows 197 and 227; gpu-small-kernels, first row, 64 KiB at 26 to 27 GB/s.
    static constexpr double l2_bytes_per_cycle = 9774.3e9 / (sm_count * clock_hz);
    static constexpr double dram_read_fraction = 3888.2e9 / dram_bytes_per_s;
    // Of kernels back to back, with what the kernel itself takes.
    static constexpr double launch_overhead_s = 65536 / 26.5e9;

    static constexpr double board_power_w = 700;  // NVIDIA, H200 data sheet
};

}  // namespace WARPGAUGE_NAMESPACE::devices

#endif
