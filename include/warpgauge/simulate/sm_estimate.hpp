// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SIMULATE_SM_ESTIMATE_HPP
#define WARPGAUGE_SIMULATE_SM_ESTIMATE_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <warpgauge/kernel/instruction.hpp>
#include <warpgauge/simulate/sm_parameters.hpp>

/// \file The result of the simulation of one SM: its work, its stalls, and what limits it.

namespace WARPGAUGE_NAMESPACE {

/// Cycles in which no instruction was issued, by the reason that holds back most of the warps; of equals, the
/// first in this order.
struct sm_stalls {
    std::uint64_t memory_queue{};       ///< L2 or DRAM accepts no more requests
    std::uint64_t unit_busy{};          ///< the unit still works on earlier instructions
    std::uint64_t memory_dependence{};  ///< waits for a result of DRAM or L2
    std::uint64_t dependence{};         ///< waits for any other result
    std::uint64_t barrier{};            ///< waits for other warps of the block
    /// No warp has begun yet, or the next block is about to begin.
    std::uint64_t nothing_resident{};

    /// Cycles in which no instruction was issued.
    [[nodiscard]] constexpr std::uint64_t total() const noexcept {
        return memory_queue + unit_busy + memory_dependence + dependence + barrier +
               nothing_resident;
    }
    friend constexpr bool operator==(const sm_stalls&, const sm_stalls&) = default;
};

/// The work of one SM. `issue_cycles + stalls.total() == cycles`.
struct sm_estimate {
    std::uint64_t cycles{};             ///< until the last result arrives
    std::uint64_t warp_instructions{};  ///< issued
    std::uint64_t issue_slots{};        ///< scheduler slots used; a dual issue counts once
    std::uint64_t issue_cycles{};       ///< cycles with at least one issue
    sm_stalls stalls{};                 ///< cycles without an issue
    double issue_utilisation{};         ///< of the schedulers' slots, 0 to 1
    std::array<double, sm_unit_count> unit_utilisation{};  ///< by `sm_unit`, 0 to 1
    double dram_bytes{};                                   ///< B moved
    double dram_utilisation{};       ///< of this SM's part of the bandwidth, 0 to 1
    double l2_bytes{};               ///< B between the SM and L2; 0 if its part of L2 is not known
    double l2_utilisation{};         ///< of this SM's part of L2, 0 to 1
    double mean_block_end_cycles{};  ///< cycles; of the last block in each place
    std::uint64_t blocks{};          ///< executed
    /// Blocks counted and not simulated, since the SM's whole state repeated.
    std::uint64_t repeated_blocks{};
    /// Blocks not simulated, assumed to continue at the rate measured before.
    std::uint64_t extrapolated_blocks{};
    /// As a fraction of `cycles`: the rate's change while it was measured.
    double extrapolation_error{};
};

/// What limits an SM: the busiest resource, or the main reason for stalls, whichever fraction of the
/// cycles is larger; of equals, the first in this order.
enum class sm_limiter : std::uint8_t {
    issue_slots,             ///< the schedulers' slots
    integer_units,           ///< integer lanes
    single_precision_units,  ///< single-precision lanes
    double_precision_units,  ///< double-precision lanes
    special_function_units,  ///< special-function lanes
    load_store_units,        ///< load/store lanes, or the bytes of shared memory and L1
    tensor_units,            ///< multiply-adds of the tensor cores
    memory_bandwidth,        ///< the SM's part of the bandwidth of DRAM
    l2_bandwidth,            ///< the SM's part of the bandwidth of L2
    memory_latency,          ///< too few requests under way to reach the bandwidth
    dependences,             ///< too few independent instructions and warps
    barriers,                ///< waits for other warps of the block
    start,                   ///< the time until the first instruction, and between blocks
    l2_slice,                ///< the slice of L2 with a sector that all warps read
    not_known,               ///< nothing was simulated, or the model does not count it
};

/// The limiter in words: "memory bandwidth".
[[nodiscard]] constexpr std::string_view name(sm_limiter limiter) noexcept {
    switch (limiter) {
        case sm_limiter::issue_slots: return "issue slots";
        case sm_limiter::integer_units: return "integer units";
        case sm_limiter::single_precision_units: return "single-precision units";
        case sm_limiter::double_precision_units: return "double-precision units";
        case sm_limiter::special_function_units: return "special-function units";
        case sm_limiter::load_store_units: return "load/store units";
        case sm_limiter::tensor_units: return "tensor cores";
        case sm_limiter::memory_bandwidth: return "memory bandwidth";
        case sm_limiter::l2_bandwidth: return "L2 bandwidth";
        case sm_limiter::memory_latency: return "memory latency";
        case sm_limiter::dependences: return "dependences";
        case sm_limiter::barriers: return "barriers";
        case sm_limiter::start: return "start";
        case sm_limiter::l2_slice: return "one slice of L2";
        case sm_limiter::not_known: return "not known";
    }
    return "unknown";
}

/// The limiter of an SM's work; `not_known` if it took no cycle.
[[nodiscard]] constexpr sm_limiter limiter_of(const sm_estimate& e) noexcept {
    if (e.cycles == 0) return sm_limiter::not_known;
    const double cycles = static_cast<double>(e.cycles);
    constexpr std::size_t count = 13;
    const double fractions[count]{e.issue_utilisation,
                                  e.unit_utilisation[0],
                                  e.unit_utilisation[1],
                                  e.unit_utilisation[2],
                                  e.unit_utilisation[3],
                                  e.unit_utilisation[4],
                                  e.unit_utilisation[5],
                                  e.dram_utilisation,
                                  e.l2_utilisation,
                                  static_cast<double>(e.stalls.memory_dependence) / cycles,
                                  static_cast<double>(e.stalls.dependence) / cycles,
                                  static_cast<double>(e.stalls.barrier) / cycles,
                                  static_cast<double>(e.stalls.nothing_resident) / cycles};
    std::size_t largest = 0;
    for (std::size_t i = 1; i < count; ++i) {
        if (fractions[largest] < fractions[i]) largest = i;
    }
    return static_cast<sm_limiter>(largest);
}

/// One issue, as an observer sees it.
struct sm_event {
    std::uint64_t cycle{};      ///< in which it is issued, from 0
    std::uint64_t completes{};  ///< cycle in which its result arrives
    std::uint32_t warp{};       ///< on the SM, from 0; those of a block are neighbours
    std::uint32_t entry{};      ///< in the stream, from 0
    unit_kind unit{};           ///< what executes it
};

/// An observer that ignores every issue.
struct no_observer {
    /// Does nothing.
    constexpr void operator()(const sm_event&) const noexcept {}
};

namespace detail::simulate {

/// The number of warps that wait for each reason.
struct waiting_warps {
    std::uint64_t memory_queue{};
    std::uint64_t unit_busy{};
    std::uint64_t memory_dependence{};
    std::uint64_t dependence{};
    std::uint64_t barrier{};
    std::uint64_t nothing_resident{};
};

/// Counts `cycles` for the reason that holds back most warps.
constexpr void count_stall(sm_stalls& stalls, const waiting_warps& waiting, std::uint64_t cycles) {
    std::uint64_t most = waiting.memory_queue;
    std::uint64_t* reason = &stalls.memory_queue;
    const auto compare = [&](std::uint64_t warps, std::uint64_t& stall) {
        if (warps > most) {
            most = warps;
            reason = &stall;
        }
    };
    compare(waiting.unit_busy, stalls.unit_busy);
    compare(waiting.memory_dependence, stalls.memory_dependence);
    compare(waiting.dependence, stalls.dependence);
    compare(waiting.barrier, stalls.barrier);
    compare(waiting.nothing_resident, stalls.nothing_resident);
    *reason += cycles;
}

}  // namespace detail::simulate

}  // namespace WARPGAUGE_NAMESPACE

#endif
