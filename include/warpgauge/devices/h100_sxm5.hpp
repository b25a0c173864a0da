// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_DEVICES_H100_SXM5_HPP
#define WARPGAUGE_DEVICES_H100_SXM5_HPP

#include <string_view>

#include <warpgauge/device/sm_limits.hpp>

namespace warpgauge::devices {

/// Hopper GH100 of 2022, as SXM5 board with 80 GB, compute capability 9.0.
struct h100_sxm5 : sm_limits_of<9, 0> {
    static constexpr std::string_view name = "H100 SXM5";

    // NVIDIA, H100 architecture white paper.
    static constexpr double sm_count = 132;
    static constexpr double clock_hz = 1.98e9;  // boost, as the device reports it
    static constexpr double dram_bytes_per_s = 3352e9;

    // One SM: CUDA C++ Programming Guide, architecture of compute capability 9.0.
    static constexpr double cuda_cores = 128;
    static constexpr double integer_units = 64;
    static constexpr double double_precision_units = 64;
    static constexpr double special_function_units = 16;
    static constexpr double load_store_units = 32;  // white paper, figure of the SM
    static constexpr double warp_schedulers = 4;
    static constexpr double issues_per_scheduler = 1;
    static constexpr double dram_transaction_bytes = 32;  // a sector

    // Arithmetic: Khairy et al. 2020, Accel-Sim, its later configuration of the H100; not measured
    // in any paper known to us.
    static constexpr double integer_latency_cycles = 4;
    static constexpr double single_precision_latency_cycles = 4;
    static constexpr double double_precision_latency_cycles = 8;
    static constexpr double special_function_latency_cycles = 23;
    // Memory: Luo et al. 2024, "Benchmarking and Dissecting the Nvidia Hopper GPU Architecture via
    // Microbenchmarking", on the PCIe board. The MT4G tool of TU Munich gives 29.9, 38, 219.3 and, with a
    // footprint that may miss the TLB, 834.5 on the SXM5 board.
    static constexpr double shared_latency_cycles = 29.0;
    static constexpr double l1_latency_cycles = 40.7;
    static constexpr double l2_latency_cycles = 263.0;
    static constexpr double dram_latency_cycles = 478.8;
};

}  // namespace warpgauge::devices

#endif
