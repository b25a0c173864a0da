// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_DEVICES_JETSON_AGX_ORIN_64GB_HPP
#define WARPGAUGE_DEVICES_JETSON_AGX_ORIN_64GB_HPP

#include <array>
#include <string_view>

#include <warpgauge/devices/architectures.hpp>

namespace WARPGAUGE_NAMESPACE::devices {

/// Ampere GA10B of 2022, the module with 64 GB, compute capability 8.7. Other modules of the family report the same
/// name to CUDA: what tells them apart is how many SMs they have.
struct jetson_agx_orin_64gb : ga10b_sm {
    static constexpr std::string_view name = "Jetson AGX Orin 64GB";
    static constexpr std::array<std::string_view, 2> aliases{"Orin", "agx-orin"};

    static constexpr double sm_count = 16;     // deviceQuery output
    static constexpr double clock_hz = 1.3e9;  // deviceQuery output
    // NVIDIA, Jetson AGX Orin data sheet: 256 bit, shared with the CPU.
    static constexpr double dram_bytes_per_s = 204.8e9;
    static constexpr double l2_bytes = 4194304;  // NVIDIA, Jetson AGX Orin data sheet

    // Accel-Sim's micro-benchmarks (sun-lingyu/accel-sim-framework 071533a, stats.txt), at this clock, with 32 GB.
    static constexpr double l2_latency_cycles = 186.0;
    static constexpr double dram_latency_cycles = 785.7;
    static constexpr double l2_bytes_per_cycle = 504.064 / sm_count;

    // NVIDIA, Jetson AGX Orin data sheet: of the module, 15 to 60.
    static constexpr double board_power_w = 60;
};

}  // namespace WARPGAUGE_NAMESPACE::devices

#endif
