// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SIMULATE_PPT_VALUES_HPP
#define WARPGAUGE_SIMULATE_PPT_VALUES_HPP

#include <array>
#include <cstdint>
#include <vector>

#include <warpgauge/core/abi.hpp>

/// \file A call of the authors' program: its input, its result, and the state for the next call.

namespace WARPGAUGE_NAMESPACE {

/// One kernel call.
struct ppt_launch {
    std::uint64_t blocks{};             ///< of the grid
    std::uint64_t threads_per_block{};  ///< of a block
    double registers_per_thread{};      ///< 32-bit registers
    double start_s{};                   ///< when the host calls
};

/// The program's report on a call.
struct ppt_estimate {
    std::uint64_t resident_blocks_per_sm{};  ///< blocks that fit on an SM, by the program's rules
    std::uint64_t blocks_per_sm{};           ///< the same, but no more than the grid gives an SM
    std::uint64_t workloads{};               ///< ceil(blocks / blocks_per_sm)
    double cycles{};                         ///< cycle at which one SM was seen finished
    std::uint64_t issue_slots_used{};        ///< scheduler slots; a dual issue counts once
    std::uint64_t warp_instructions{};       ///< issued
    double mean_block_s{};                   ///< s, mean end of a block
    double overlap_fraction{};               ///< of a workload, that the next one overlaps
    double later_round_s{};                  ///< s, of a workload that overlaps with the one before
    double seconds{};                        ///< from `start_s`, launch overhead included
    std::vector<double> block_ends;          ///< cycle at which each block was seen finished
    std::vector<double> block_last_ends;     ///< completion of the last task of its slowest warp
};

/// The state that one call leaves to the next on the same device, as in the program: that of the units, the memory
/// queue and the SMs, although the count of cycles begins again.
struct ppt_state {
    std::array<std::vector<double>, 4> units_busy_until;  ///< each slot of each class
    std::vector<double> memory_queue;                     ///< completions, in order
    std::vector<double> sm_free_s;                        ///< when each SM is free, in order
};

}  // namespace WARPGAUGE_NAMESPACE

#endif
