// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SATURATION_ESTIMATE_HPP
#define WARPGAUGE_SATURATION_ESTIMATE_HPP

#include <cstdint>
#include <string_view>

#include <warpgauge/core/scalar.hpp>
#include <warpgauge/kernel/assumptions.hpp>
#include <warpgauge/sm/cache_misses.hpp>

/// \file The constants of the saturation model, and its estimate with every intermediate value.

namespace WARPGAUGE_NAMESPACE {

/// The constants of the model, the same for all GPUs and kernels. They were fitted together to streams, element-wise
/// operations, row reductions and products on eight GPUs, and to loop nests on an RTX 2070 SUPER. docs/saturation.md
/// says how much each may vary. Each comment names the kernels that determine the constant, and a range that fits as
/// well.
struct saturation_constants {
    /// How resources and waits of an SM delay each other: 0 not at all, 1 one after the other. Matrix
    /// products, loop nests; 0.08 to 0.15.
    double queueing_in_sm = 0.12;
    /// The same for the SMs and a floor of the GPU. Streams, softmax; 0.01 to 0.04.
    double queueing_at_floor = 0.03;
    /// Cycles until the next block works in the place of an ended one. Streams of stores in small blocks; 350 to 450.
    double turnaround_cycles = 400;
    /// Cycles of a store after a load. Streams; 100 to 300.
    double store_cycles = 200;
    /// Cycles that a warp waits longer for each sector; the departure delay of (10) of Hong & Kim. Loop nests; 1.2
    /// fits as well, 0.3 orders launches worse.
    double sector_cycles = 1.6;
    /// Further sectors of L2 bandwidth that a partly written one costs. Loop nests; 0 to 2.
    double extra_sectors_per_partial = 2;
    /// Cycles in which one slice of L2 serves a request for a sector that the whole grid reads. Loop nests; 0.8 to 1.5.
    double broadcast_cycles = 0.92;
    /// Cycles in which the GPU launches a block. Loop nests; 1 to 2.
    double block_launch_cycles = 1.5;
    /// How a footprint begins to overflow L2.
    cache_filling l2_filling{};
    /// The fraction of the board's power that a long kernel can draw. V100 and T4 under products.
    double sustained_power_fraction = 0.8;
};

/// The options of the model.
struct saturation_options {
    saturation_constants constants{};  ///< the fitted constants, or a user's own
};

/// The largest part of `seconds`.
enum class saturation_term : std::uint8_t {
    waits,         ///< the waits of a warp, with too few others to fill them
    issue,         ///< the schedulers of an SM
    lanes,         ///< its lanes of one unit
    l1,            ///< shared memory and L1
    l2,            ///< bytes between the SM and L2
    longest_warp,  ///< the waits of the warp with the maximum of steps
    dram,          ///< bytes of DRAM
    block_launch,  ///< the launch of blocks
    broadcast,     ///< one slice of L2 that all warps read
    energy,        ///< the board's power
    overhead,      ///< the launch of the kernel
};

/// The term in words: "L2 bandwidth".
[[nodiscard]] constexpr std::string_view name(saturation_term which) noexcept {
    switch (which) {
        case saturation_term::waits: return "waits";
        case saturation_term::issue: return "issue";
        case saturation_term::lanes: return "lanes";
        case saturation_term::l1: return "L1 and shared memory";
        case saturation_term::l2: return "L2 bandwidth";
        case saturation_term::longest_warp: return "longest warp";
        case saturation_term::dram: return "DRAM bandwidth";
        case saturation_term::block_launch: return "launch of blocks";
        case saturation_term::broadcast: return "one slice of L2";
        case saturation_term::energy: return "power";
        case saturation_term::overhead: return "launch overhead";
    }
    return "unknown";
}

/// The distribution of a launch's blocks over an SM and its rounds. (1)
template <scalar Real = double>
struct saturation_launch {
    Real warps_per_block{};  ///< warps                                                       w
    /// Blocks that fit on an SM; from occupancy or the profile: n.
    Real resident_blocks_per_sm{};
    Real blocks_per_sm{};         ///< blocks that an SM gets, mean                                y
    Real active_blocks_per_sm{};  ///< concurrent blocks, no more than an SM gets                m
    Real full_rounds{};           ///< rounds of these, whole                                      R
    Real last_round_blocks{};     ///< blocks of an SM in a last, smaller round, mean              q
};

/// The waits of one warp.
template <scalar Real = double>
struct saturation_waits {
    /// The fraction of the data of steps that is not in L2; 1 if not known (2).
    Real l2_miss_fraction{};
    Real dram_waits{};  ///< waits of a warp for DRAM                                      D, (3)
    Real l2_waits{};    ///< waits of a warp for L2                                        E, (3)
    /// Cycles in which a warp alone issues its instructions: I, (4).
    Real warp_issue_cycles{};
    Real wait_cycles{};  ///< cycles that a warp waits                                         (5)
    /// Cycles of a block that is alone on its SM: s, (6), (8).
    Real alone_cycles{};
    /// The part of these, from a change of blocks, that no other block fills (9).
    Real exposed_cycles{};
};

/// The time for which one block keeps each resource of its SM busy.
template <scalar Real = double>
struct saturation_demands {
    /// Cycles of the schedulers (7).
    Real issue_cycles{};
    Real lane_cycles{};  ///< cycles of the busiest unit                               (7)
    /// Cycles of shared memory and L1 (7).
    Real l1_cycles{};
    /// Cycles of the SM's part of L2 bandwidth (7).
    Real l2_cycles{};
    /// B of local memory that one warp moves between L1 and L2 (7).
    Real local_l2_bytes{};
    Real busy_cycles{};  ///< cycles of all of them, with mutual delays                   u, (8)
};

/// The time of an SM.
template <scalar Real = double>
struct saturation_rounds {
    Real round_cycles{};  ///< cycles of a full round; 0 if none is                           (10)
    /// Cycles of the smaller last round; 0 if there is none (11).
    Real last_round_cycles{};
    /// Cycles that the longest warp takes; 0 if all are alike (12).
    Real longest_warp_cycles{};
    Real sm_cycles{};  ///< cycles of an SM                                                (13)
};

/// The minimum times of the whole GPU. (14)
template <scalar Real = double>
struct saturation_floors {
    Real dram_bytes{};            ///< B
    Real dram_seconds{};          ///< s of DRAM at its sustained bandwidth
    Real block_launch_seconds{};  ///< s in which all blocks are launched
    Real broadcast_seconds{};     ///< s of one slice of L2
    Real energy_seconds{};        ///< s at the board's power; 0 if energies are not known
    Real floor_seconds{};         ///< s, the longest of these
};

/// The time, and its largest term.
template <scalar Real = double>
struct saturation_time {
    choice_of<Real, saturation_term> which{};  ///< the largest term
    Real cycles{};                             ///< cycles of an SM's clock, `seconds` x clock
    Real seconds{};  ///< s                                                (15)
};

/// Every intermediate value, in the order computed.
template <scalar Real = double>
struct saturation_estimate : saturation_launch<Real>,
                             saturation_waits<Real>,
                             saturation_demands<Real>,
                             saturation_rounds<Real>,
                             saturation_floors<Real>,
                             assumed_values<Real>,
                             saturation_time<Real> {};

}  // namespace WARPGAUGE_NAMESPACE

#endif
