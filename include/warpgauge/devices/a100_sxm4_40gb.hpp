// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_DEVICES_A100_SXM4_40GB_HPP
#define WARPGAUGE_DEVICES_A100_SXM4_40GB_HPP

#include <string_view>

#include <warpgauge/device/sm_limits.hpp>

namespace warpgauge::devices {

/// Ampere GA100 of 2020, as SXM4 board with 40 GB, compute capability 8.0.
struct a100_sxm4_40gb : sm_limits_of<8, 0> {
    static constexpr std::string_view name = "A100 SXM4 40GB";

    // NVIDIA, A100 architecture white paper.
    static constexpr double sm_count = 108;
    static constexpr double clock_hz = 1.41e9;  // boost
    static constexpr double dram_bytes_per_s = 1555e9;

    // One SM: CUDA C++ Programming Guide, architecture of compute capability 8.x.
    static constexpr double cuda_cores = 64;
    static constexpr double integer_units = 64;
    static constexpr double double_precision_units = 32;
    static constexpr double special_function_units = 16;
    static constexpr double load_store_units = 32;  // white paper, figure of the SM
    static constexpr double warp_schedulers = 4;
    static constexpr double issues_per_scheduler = 1;
    static constexpr double dram_transaction_bytes = 32;  // a sector

    // Arithmetic: Khairy et al. 2020, Accel-Sim, its configuration of the A100.
    static constexpr double integer_latency_cycles = 4;
    static constexpr double single_precision_latency_cycles = 4;  // so Abdelkhalik et al. 2022
    static constexpr double double_precision_latency_cycles = 6;
    static constexpr double special_function_latency_cycles = 23;
    // Memory: Luo et al. 2024, "Benchmarking and Dissecting the Nvidia Hopper GPU Architecture via
    // Microbenchmarking". Abdelkhalik et al. 2022 have 23, 33, 200 and 290.
    static constexpr double shared_latency_cycles = 29.0;
    static constexpr double l1_latency_cycles = 37.9;
    static constexpr double l2_latency_cycles = 261.5;
    static constexpr double dram_latency_cycles = 466.3;
};

}  // namespace warpgauge::devices

#endif
