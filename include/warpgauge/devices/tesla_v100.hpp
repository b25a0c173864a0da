// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_DEVICES_TESLA_V100_HPP
#define WARPGAUGE_DEVICES_TESLA_V100_HPP

#include <string_view>

#include <warpgauge/device/sm_limits.hpp>

namespace warpgauge::devices {

/// Volta GV100 of 2017, as SXM2 board, compute capability 7.0.
struct tesla_v100 : sm_limits_of<7, 0> {
    static constexpr std::string_view name = "Tesla V100";

    // NVIDIA, Tesla V100 architecture white paper.
    static constexpr double sm_count = 80;
    static constexpr double clock_hz = 1.53e9;  // boost
    static constexpr double dram_bytes_per_s = 900e9;

    // One SM: CUDA C++ Programming Guide, architecture of compute capability 7.x.
    static constexpr double cuda_cores = 64;
    static constexpr double integer_units = 64;
    static constexpr double double_precision_units = 32;
    static constexpr double special_function_units = 16;
    static constexpr double load_store_units = 32;  // white paper, figure of the SM
    static constexpr double warp_schedulers = 4;
    static constexpr double issues_per_scheduler = 1;
    static constexpr double dram_transaction_bytes = 32;  // a sector

    // Jia et al. 2018, "Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking".
    static constexpr double integer_latency_cycles = 4;
    static constexpr double single_precision_latency_cycles = 4;
    static constexpr double double_precision_latency_cycles = 8;
    static constexpr double special_function_latency_cycles =
        23;  // Arafa et al. 2019, rcp.approx.f32 on a GV100: more than the bare instruction
    static constexpr double shared_latency_cycles = 19;
    static constexpr double l1_latency_cycles = 28;
    static constexpr double l2_latency_cycles = 193;
    static constexpr double dram_latency_cycles = 375;  // hit in the TLB; 1029 with a miss
};

}  // namespace warpgauge::devices

#endif
