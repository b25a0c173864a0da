// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_DEVICES_TESLA_K40_HPP
#define WARPGAUGE_DEVICES_TESLA_K40_HPP

#include <array>
#include <string_view>

#include <warpgauge/device/ppt_parameters.hpp>
#include <warpgauge/device/sm_limits.hpp>

namespace WARPGAUGE_NAMESPACE::devices {

namespace detail {
struct tesla_k40_description {
    // The authors' program (PPT of Chapuis et al. 2016, `K40`).
    static constexpr ppt_parameters ppt{.sm_count = 15,
                                        .clock_hz = 745e6,
                                        .clock_is_whole = true,
                                        .max_blocks_per_sm = 16,
                                        .max_threads_per_sm = 2048,
                                        .registers_per_sm = 65536,
                                        .single_precision_units = 192,
                                        .double_precision_units = 64,
                                        .special_function_units = 32,
                                        .load_store_units = 32,
                                        .warp_schedulers = 4,
                                        .issues_per_warp = 2,
                                        .integer_latency_cycles = 9,
                                        .float_latency_cycles = 9,
                                        .special_latency_cycles = 18,
                                        .l1_latency_cycles = 30,
                                        .l2_latency_cycles = 175,
                                        .idle_dram_latency_cycles = 230,
                                        .loaded_dram_latency_cycles = 1000,
                                        .queue_free = 10,
                                        .queue_capacity = 40,
                                        .launch_overhead_s = 3.5e-6};
};
}  // namespace detail

/// Kepler GK110B of 2013, compute capability 3.5.
struct tesla_k40 : sm_limits_of<3, 5>, described_by_ppt<detail::tesla_k40_description> {
    // Latencies: of the authors' program, measured as in Wong et al. 2010 (sec. 4.2).
    static constexpr std::string_view name = "Tesla K40";
    static constexpr std::array<std::string_view, 3> aliases{"Tesla K40c", "Tesla K40m", "k40"};

    static constexpr double sm_count = 15;                // Chapuis et al. 2016, tbl. 1
    static constexpr double clock_hz = 745e6;             // tbl. 1
    static constexpr double dram_bytes_per_s = 288e9;     // tbl. 1
    static constexpr double cuda_cores = 192;             // tbl. 1
    static constexpr double double_precision_units = 64;  // tbl. 1
    static constexpr double special_function_units = 32;  // tbl. 1
    static constexpr double warp_schedulers = 4;          // tbl. 1
    static constexpr double issues_per_scheduler = 2;     // tbl. 1: dual issue
    static constexpr double load_store_units = 32;        // NVIDIA, Kepler GK110 white paper
    // NVIDIA, CUDA C++ Programming Guide 10.2, tbl. "Throughput of Native Arithmetic Instructions", 3.5.
    static constexpr double integer_adds_per_cycle = 160;
    static constexpr double integer_logic_per_cycle = 160;
    static constexpr double integer_products_per_cycle = 32;
    static constexpr double shifts_per_cycle = 64;  // fields of bits: 32
    static constexpr double bit_counts_per_cycle = 32;
    static constexpr double comparisons_per_cycle = 160;
    static constexpr double conversions_per_cycle = 32;  // from integers of 8 and 16 bits: 128
    static constexpr double wide_conversions_per_cycle = 32;
    static constexpr double dram_transaction_bytes =
        32;  // NVIDIA, CUDA C Programming Guide, global
             // memory of 3.x: cached in L2 alone
};

}  // namespace WARPGAUGE_NAMESPACE::devices

#endif
