// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_KERNEL_ASSUMPTIONS_HPP
#define WARPGAUGE_KERNEL_ASSUMPTIONS_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <warpgauge/core/scalar.hpp>

/// \file The assumptions of an estimate where neither profile nor device has a value, and the limits of the hardware
/// that its equations alone would have broken.

namespace WARPGAUGE_NAMESPACE {

/// One assumption of an estimate.
enum class assumption : std::uint8_t {
    waits_for_dram,   ///< every memory instruction is a wait for DRAM
    bytes_from_l2,    ///< L2 moves the bytes of all memory instructions
    bytes_from_dram,  ///< DRAM moves the bytes of all accesses, since no cache saves any
    issue_floor,      ///< the equations alone are below the time to issue the instructions
    dram_floor,       ///< the equations alone are below the time in which DRAM moves the bytes
    block_floor,      ///< the equations alone are below the time of one block
    lru_caches,       ///< a cache evicts the least recently used line, whatever its sets
    warps_in_turn,    ///< resident warps take turns, a memory instruction each
    sampled_blocks,   ///< the sampled blocks represent all
    part_of_l2,       ///< the sampled SMs have their part of L2 to themselves
    costs_of_others,  ///< instructions that the cost table does not list take `other_cycles`
    transactions_of_32_bytes,  ///< a transaction moves 32 B, since the device does not have this parameter
    two_unit_types,  ///< load/store units and CUDA cores alone take time, one cycle an instruction
    steady_rate,     ///< blocks that are not simulated take as long as those before
    waits_for_each_load,  ///< each load waits for its data before the next is issued
    unknown_addresses,    ///< an access of unknown address goes to a sector of its own
    parameters_at_once,   ///< a kernel's parameters take no time: the latency of DRAM is not known
};

inline constexpr std::size_t assumption_count = 17;  ///< The number of enumerators of `assumption`.

/// The assumption in words: "every memory instruction waits for DRAM".
[[nodiscard]] constexpr std::string_view name(assumption a) noexcept {
    switch (a) {
        case assumption::waits_for_dram: return "every memory instruction waits for DRAM";
        case assumption::bytes_from_l2: return "L2 moves what the memory instructions do";
        case assumption::bytes_from_dram: return "no cache saves DRAM a byte";
        case assumption::issue_floor:
            return "the equations alone are faster than instructions issue";
        case assumption::dram_floor:
            return "the equations alone are faster than DRAM moves the bytes";
        case assumption::block_floor: return "the equations alone are faster than one block";
        case assumption::costs_of_others:
            return "instructions that the cost table does not list take its one cost of all others";
        case assumption::transactions_of_32_bytes: return "a transaction moves 32 B";
        case assumption::two_unit_types: return "load/store units and CUDA cores alone take time";
        case assumption::steady_rate:
            return "blocks that are not simulated take as long as those before";
        case assumption::lru_caches: return "caches evict what was used longest ago";
        case assumption::warps_in_turn: return "resident warps take turns";
        case assumption::sampled_blocks: return "some blocks stand for all";
        case assumption::part_of_l2: return "some SMs have their part of L2 to themselves";
        case assumption::waits_for_each_load: return "each load waits for its data";
        case assumption::unknown_addresses: return "what has no known address is in no cache";
        case assumption::parameters_at_once: return "the kernel's parameters load in no time";
    }
    return "unknown";
}

/// The set of assumptions of an estimate; for a pack of lanes, a set for each lane.
template <scalar Real = double>
class assumptions {
public:
    /// Adds `a`; in a pack, only for the lanes of `where`.
    constexpr void add(assumption a, const mask_of<Real>& where = mask_of<Real>{true}) {
        held_[index(a)] = held_[index(a)] || where;
    }
    /// Whether the estimate assumed `a`; for a pack, in each lane.
    [[nodiscard]] constexpr mask_of<Real> contains(assumption a) const { return held_[index(a)]; }

private:
    static constexpr std::size_t index(assumption a) { return static_cast<std::size_t>(a); }
    mask_of<Real> held_[assumption_count]{};
};

/// The members that every estimate has.
template <scalar Real = double>
struct assumed_values {
    assumptions<Real> assumed{};  ///< the assumptions of the estimate
};

/// The set of an estimate; empty if the estimate has none, as may be in a user's own model.
template <class Estimate>
[[nodiscard]] constexpr assumptions<> assumptions_of(const Estimate& e) {
    if constexpr (requires { e.assumed; }) return e.assumed;
    return {};
}

/// Calls `visit(assumption)` for each one in the set.
template <class Visitor>
constexpr void for_each_assumption(const assumptions<double>& set, const Visitor& visit) {
    for (std::size_t i = 0; i < assumption_count; ++i) {
        const auto a = static_cast<assumption>(i);
        if (set.contains(a)) visit(a);
    }
}

}  // namespace WARPGAUGE_NAMESPACE

#endif
