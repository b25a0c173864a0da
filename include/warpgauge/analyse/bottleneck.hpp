// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_ANALYSE_BOTTLENECK_HPP
#define WARPGAUGE_ANALYSE_BOTTLENECK_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <warpgauge/core/abi.hpp>

/// \file What may limit a kernel, and factors by which to ease each limit: `bottleneck`, `easing`, `ease`.

namespace WARPGAUGE_NAMESPACE {

/// What may limit a kernel, and what its removal means. In brackets: what the device or the kernel must have for the
/// bottleneck to exist.
enum class bottleneck : std::uint8_t {
    memory_bandwidth,  ///< DRAM moves any number of bytes in no time
    l2_bandwidth,      ///< L2 moves any number of bytes in no time [its bandwidth]
    l1_bandwidth,  ///< L1 and shared memory move any number of bytes in no time [bandwidth of L1, passes]
    memory_departures,   ///< transactions leave an SM without delay [departure delays]
    uncoalesced_access,  ///< all accesses to global memory are coalesced [an uncoalesced access]
    memory_latency,      ///< DRAM and L2 answer at once [their latencies]
    issue,               ///< instructions issue and execute in no time [issue times or units]
    dependences,         ///< units, L1 and shared memory have results after a cycle [latencies]
    synchronisation,     ///< no barriers; for a stencil no restarts [barriers or a stencil]
    too_few_warps,       ///< registers, shared memory and block slots cost nothing, so that SMs are
                         ///< full of warps [limits of an SM, an SM that is not full]
    tail_wave,  ///< each block takes the time that it has in whole rounds: no SM idles or is half empty in the last round
                ///< [resident blocks, a partial round after a whole one]
};
inline constexpr std::size_t bottlenecks = 11;  ///< The number of enumerators of `bottleneck`.

/// The bottleneck in words: "memory bandwidth".
[[nodiscard]] constexpr std::string_view name(bottleneck what) noexcept {
    switch (what) {
        case bottleneck::memory_bandwidth: return "memory bandwidth";
        case bottleneck::l2_bandwidth: return "L2 bandwidth";
        case bottleneck::l1_bandwidth: return "L1 and shared memory";
        case bottleneck::memory_departures: return "memory departures";
        case bottleneck::uncoalesced_access: return "uncoalesced access";
        case bottleneck::memory_latency: return "memory latency";
        case bottleneck::issue: return "issue";
        case bottleneck::dependences: return "dependences";
        case bottleneck::synchronisation: return "synchronisation";
        case bottleneck::too_few_warps: return "too few warps";
        case bottleneck::tail_wave: return "tail wave";
    }
    return "unknown";
}

/// What happens in a kernel that the bottleneck limits, as the rest of a sentence: "DRAM moves bytes as fast as it can".
[[nodiscard]] constexpr std::string_view meaning(bottleneck what) noexcept {
    switch (what) {
        case bottleneck::memory_bandwidth: return "DRAM moves bytes as fast as it can";
        case bottleneck::l2_bandwidth: return "the L2 cache moves bytes as fast as it can";
        case bottleneck::l1_bandwidth:
            return "the memory inside each SM moves data as fast as it can";
        case bottleneck::memory_departures:
            return "requests to memory leave each SM one after the other";
        case bottleneck::uncoalesced_access:
            return "lanes of a warp access addresses that are far apart";
        case bottleneck::memory_latency: return "warps wait for data, with too little other work";
        case bottleneck::issue: return "SMs execute instructions as fast as they can";
        case bottleneck::dependences: return "instructions wait for results of the ones before";
        case bottleneck::synchronisation: return "warps wait for each other at barriers";
        case bottleneck::too_few_warps:
            return "too few warps fit on an SM to work while others wait";
        case bottleneck::tail_wave: return "the last blocks leave other SMs without work";
    }
    return "unknown";
}

/// The factor by which each bottleneck is eased, indexed by `bottleneck`, 1 or above. Bandwidth and units grow by it;
/// latencies, delays, and the numbers of barriers and of uncoalesced accesses shrink by it.
using easing = std::array<double, bottlenecks>;

/// Nothing is eased.
inline constexpr easing as_it_is{1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};

/// A factor that removes a bottleneck.
inline constexpr double removal_factor = 1 << 20;

/// `others`, with `b` also eased by `factor`.
[[nodiscard]] constexpr easing ease(bottleneck b, double factor = removal_factor,
                                    easing others = as_it_is) {
    others[static_cast<std::size_t>(b)] = factor;
    return others;
}

}  // namespace WARPGAUGE_NAMESPACE

#endif
