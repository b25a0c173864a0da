// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_DEVICES_PASCAL_PROJECTION_HPP
#define WARPGAUGE_DEVICES_PASCAL_PROJECTION_HPP

#include <array>
#include <string_view>

#include <warpgauge/device/ppt_parameters.hpp>
#include <warpgauge/device/sm_limits.hpp>

namespace WARPGAUGE_NAMESPACE::devices {

namespace detail {
struct pascal_projection_description {
    // The authors' program (PPT of Chapuis et al. 2016, `Pascal`).
    static constexpr ppt_parameters ppt{.sm_count = 16,
                                        .clock_hz = 900e6,
                                        .clock_is_whole = true,
                                        .max_blocks_per_sm = 32,
                                        .max_threads_per_sm = 2048,
                                        .registers_per_sm = 65536,
                                        .single_precision_units = 256,
                                        .double_precision_units = 128,
                                        .special_function_units = 64,
                                        .load_store_units = 64,
                                        .warp_schedulers = 4,
                                        .issues_per_warp = 2,
                                        .integer_latency_cycles = 9,
                                        .float_latency_cycles = 9,
                                        .special_latency_cycles = 18,
                                        .l1_latency_cycles = 30,
                                        .l2_latency_cycles = 175,
                                        .idle_dram_latency_cycles = 230,
                                        .loaded_dram_latency_cycles = 1000,
                                        .queue_free = 30,
                                        .queue_capacity = 120,
                                        .launch_overhead_s = 3.5e-6};
};
}  // namespace detail

/// What the authors of Chapuis et al. 2016 expected of Pascal before it came. No such GPU exists.
/// The limits of its SM are those of the Pascal that came, compute capability 6.0; the authors'
/// program has the same blocks, threads and registers.
struct pascal_projection : sm_limits_of<6, 0>,
                           described_by_ppt<detail::pascal_projection_description> {
    // Latencies: of the authors' program, measured as in Wong et al. 2010 (sec. 4.2).
    static constexpr std::string_view name = "Pascal, as projected";
    static constexpr std::array<std::string_view, 0> aliases{};

    static constexpr double sm_count = 16;     // Chapuis et al. 2016, sec. 5.1: "around 16"
    static constexpr double clock_hz = 900e6;  // sec. 5.1: "around 900 MHz"
    static constexpr double dram_bytes_per_s = 1000e9;     // sec. 5.1: "up to almost 1000 GB/s"
    static constexpr double cuda_cores = 256;              // sec. 5.1
    static constexpr double double_precision_units = 128;  // sec. 5.1: "up to 128"
    static constexpr double special_function_units = 64;  // the authors' program; so the next three
    static constexpr double load_store_units = 64;
    static constexpr double warp_schedulers = 4;
    static constexpr double issues_per_scheduler = 2;
};

}  // namespace WARPGAUGE_NAMESPACE::devices

#endif
