// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_DEVICES_A40_HPP
#define WARPGAUGE_DEVICES_A40_HPP

#include <array>
#include <string_view>

#include <warpgauge/devices/architectures.hpp>

namespace WARPGAUGE_NAMESPACE::devices {

/// Ampere GA102 of 2020, compute capability 8.6.
struct a40 : ga10x_sm {
    static constexpr std::string_view name = "A40";
    static constexpr std::array<std::string_view, 1> aliases{"NVIDIA A40"};

    static constexpr double sm_count = 84;               // deviceQuery output
    static constexpr double clock_hz = 1.74e9;           // deviceQuery output
    static constexpr double dram_bytes_per_s = 696.1e9;  // deviceQuery output: 7251 MHz, 384 bit
    static constexpr double l2_bytes = 6291456;          // deviceQuery output

    // gpu-benches 1c36d50: l1_bandwidth.csv row 135; gpu-small-kernels, first row, 64 KiB at 31 to 32 GB/s.
    static constexpr double l2_bytes_per_cycle = 2436.9e9 / (sm_count * clock_hz);
    // Of kernels back to back, with what the kernel itself takes.
    static constexpr double launch_overhead_s = 65536 / 31.5e9;

    // No measurement: the configuration of the RTX A6000, the same chip and kind of memory, in the simulator of Huerta et al. 2025,
    // "Dissecting and Modeling the Architecture of Modern GPU Cores": L2 211 cycles behind L1, DRAM 243 behind L2.
    static constexpr double l2_latency_cycles = l1_latency_cycles + 211;
    static constexpr double dram_latency_cycles = l1_latency_cycles + 211 + 243;

    static constexpr double board_power_w = 300;  // NVIDIA, A40 data sheet
};

}  // namespace WARPGAUGE_NAMESPACE::devices

#endif
