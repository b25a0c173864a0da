// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_DEVICE_PPT_PARAMETERS_HPP
#define WARPGAUGE_DEVICE_PPT_PARAMETERS_HPP

#include <warpgauge/core/abi.hpp>

/// \file A GPU as the program of Chapuis et al. 2016 describes it.
///
/// The values are those of the GPU module of the Performance Prediction Toolkit (PPT), which the paper
/// presents; they do not always agree with the paper.

namespace WARPGAUGE_NAMESPACE {

/// A GPU as the authors' program describes it.
struct ppt_parameters {
    double sm_count{};      ///< streaming multiprocessors
    double clock_hz{};      ///< cycle/s
    bool clock_is_whole{};  ///< written without a point, so that divisions by it drop the fraction

    // What an SM holds.
    double max_blocks_per_sm{};   ///< blocks
    double max_threads_per_sm{};  ///< threads
    double registers_per_sm{};    ///< 32-bit registers

    // What an SM issues: lanes of arithmetic units, of which every 32 take one warp instruction a
    // cycle; of load/store units every single one does.
    double single_precision_units{};  ///< lanes of an SM
    double double_precision_units{};  ///< lanes of an SM
    double special_function_units{};  ///< lanes of an SM
    double load_store_units{};        ///< lanes of an SM
    double warp_schedulers{};         ///< schedulers of an SM
    double issues_per_warp{};         ///< instructions per cycle of the same warp; 2: dual issue

    // Cycles until a result is there.
    double integer_latency_cycles{};      ///< of integer arithmetic
    double float_latency_cycles{};        ///< of single and of double precision
    double special_latency_cycles{};      ///< of special functions
    double l1_latency_cycles{};           ///< of L1, shared memory and parameters
    double l2_latency_cycles{};           ///< of L2
    double idle_dram_latency_cycles{};    ///< while the queue is short
    double loaded_dram_latency_cycles{};  ///< when it is full

    // The memory queue of an SM, in requests of a warp.
    double queue_free{};      ///< below this length, latency is the idle one
    double queue_capacity{};  ///< at this length, requests are refused

    double launch_overhead_s{};  ///< s, from the call until the kernel starts

    friend constexpr bool operator==(const ppt_parameters&, const ppt_parameters&) = default;
};

/// A base of device traits: the program's description and, from it, the latencies. `Description` has the
/// member `ppt`; its L1 is shared memory too, as in the program.
template <class Description>
struct described_by_ppt : Description {
    static constexpr double integer_latency_cycles =
        Description::ppt.integer_latency_cycles;  ///< cycles, as described
    /// cycles; the program has one latency for all floats
    static constexpr double single_precision_latency_cycles = Description::ppt.float_latency_cycles;
    static constexpr double double_precision_latency_cycles =
        Description::ppt.float_latency_cycles;  ///< cycles; as of single precision
    /// Cycles, as described.
    static constexpr double special_function_latency_cycles =
        Description::ppt.special_latency_cycles;
    static constexpr double shared_latency_cycles =
        Description::ppt.l1_latency_cycles;  ///< cycles; those of L1
    static constexpr double l1_latency_cycles =
        Description::ppt.l1_latency_cycles;  ///< cycles, as described
    static constexpr double l2_latency_cycles =
        Description::ppt.l2_latency_cycles;  ///< cycles, as described
    static constexpr double dram_latency_cycles =
        Description::ppt.idle_dram_latency_cycles;  ///< cycles, while the queue is short
};

}  // namespace WARPGAUGE_NAMESPACE

#endif
