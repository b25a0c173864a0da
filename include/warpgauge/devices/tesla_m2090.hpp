// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_DEVICES_TESLA_M2090_HPP
#define WARPGAUGE_DEVICES_TESLA_M2090_HPP

#include <array>
#include <string_view>

#include <warpgauge/device/ppt_parameters.hpp>
#include <warpgauge/device/sm_limits.hpp>

namespace WARPGAUGE_NAMESPACE::devices {

namespace detail {
struct tesla_m2090_description {
    // The authors' program (PPT of Chapuis et al. 2016, `M2090`).
    static constexpr ppt_parameters ppt{.sm_count = 16,
                                        .clock_hz = 650e6,
                                        .clock_is_whole = true,
                                        .max_blocks_per_sm = 8,
                                        .max_threads_per_sm = 1536,
                                        .registers_per_sm = 65536,
                                        .single_precision_units = 32,
                                        .double_precision_units = 32,
                                        .special_function_units = 4,
                                        .load_store_units = 16,
                                        .warp_schedulers = 2,
                                        .issues_per_warp = 1,
                                        .integer_latency_cycles = 18,
                                        .float_latency_cycles = 18,
                                        .special_latency_cycles = 36,
                                        .l1_latency_cycles = 25,
                                        .l2_latency_cycles = 175,
                                        .idle_dram_latency_cycles = 140,
                                        .loaded_dram_latency_cycles = 800,
                                        .queue_free = 4,
                                        .queue_capacity = 12,
                                        .launch_overhead_s = 3.5e-6};
};
}  // namespace detail

/// Fermi of 2011, compute capability 2.0.
struct tesla_m2090 : sm_limits_of<2, 0>, described_by_ppt<detail::tesla_m2090_description> {
    // Latencies: of the authors' program, measured as in Wong et al. 2010 (sec. 4.2).
    static constexpr std::string_view name = "Tesla M2090";
    static constexpr std::array<std::string_view, 1> aliases{"m2090"};

    static constexpr double sm_count = 16;  // Chapuis et al. 2016, tbl. 1
    static constexpr double clock_hz =
        650e6;  // tbl. 1; NVIDIA's board specification (BD-05766) has
                // the cores at twice that, 1.3 GHz
    static constexpr double dram_bytes_per_s = 177e9;     // tbl. 1; NVIDIA: 177.6
    static constexpr double cuda_cores = 32;              // tbl. 1
    static constexpr double double_precision_units = 16;  // tbl. 1; the authors' program has 32
    static constexpr double special_function_units = 4;   // tbl. 1
    static constexpr double load_store_units = 16;        // Berezovskyi et al. 2012, sec. 3
    static constexpr double warp_schedulers = 2;          // tbl. 1
    static constexpr double issues_per_scheduler = 1;     // tbl. 1: no dual issue
    // NVIDIA, CUDA C Programming Guide, tbl. "Throughput of Native Arithmetic Instructions", 2.0 (copy in PCSX2,
    // nvidia_throughput.txt).
    static constexpr double integer_products_per_cycle = 16;
    static constexpr double shifts_per_cycle = 16;
    static constexpr double bit_counts_per_cycle = 16;
    static constexpr double conversions_per_cycle = 16;
    static constexpr double wide_conversions_per_cycle = 16;
    static constexpr double dram_transaction_bytes = 128;  // NVIDIA, CUDA C Programming Guide 4.2,
                                                           // sec. F.4.2: a line of L1
};

}  // namespace WARPGAUGE_NAMESPACE::devices

#endif
