// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SIMULATE_ENTRY_LEVELS_HPP
#define WARPGAUGE_SIMULATE_ENTRY_LEVELS_HPP

#include <span>

#include <warpgauge/kernel/access_level.hpp>

/// \file The levels of each access of a stream, moved so that together they have the bytes of the launch.

namespace WARPGAUGE_NAMESPACE {

/// Moves fractions from their mean to another one. What is 0 stays 0 if the mean falls, and what is 1 stays 1 if it
/// rises, so that every result is a fraction, and their mean is the other one exactly.
struct moved_fractions {
    double scale = 1;    ///< of a fraction, or of what is left of it to 1
    bool rises = false;  ///< the mean

    /// A fraction as moved.
    [[nodiscard]] constexpr double operator()(double fraction) const {
        return rises ? 1 - (1 - fraction) * scale : fraction * scale;
    }
};

/// From one mean to another, both from 0 to 1.
[[nodiscard]] constexpr moved_fractions moved(double mean, double to) {
    if (to > mean) return {(1 - to) / (1 - mean), true};
    return {mean > 0 ? to / mean : 1, false};
}

/// What serves an access to global memory.
struct entry_level {
    double beyond_l1{};       ///< fraction of its bytes that miss L1
    double from_dram{};       ///< fraction of its bytes that miss L2 too
    double latency_cycles{};  ///< cycles, mean over the levels; 0: not known
};

/// The levels of the entries of a stream on an SM.
struct stream_levels {
    std::span<const access_level> of_entries{};  ///< empty: all accesses are alike
    double mean_misses{};                        ///< of what misses L1, the fraction that misses L2
    moved_fractions beyond_l1{};                 ///< from the entries' mean to the launch's
    moved_fractions misses{};  ///< the same, of what misses L1, for the fraction that misses L2
    moved_fractions
        waits{};  ///< the same, for the fraction that waits for DRAM, which others may have asked first
    double dram_latency_cycles{};  ///< cycles, of data from DRAM; 0: not known

    /// Of what misses L1 in an entry, the fraction that misses L2, before it is moved.
    [[nodiscard]] constexpr double misses_of(const access_level& l) const {
        return l.beyond_l1 > 0 ? l.from_dram / l.beyond_l1 : mean_misses;
    }

    /// The entry at `at`, where L1 and L2 have these latencies.
    [[nodiscard]] constexpr entry_level at(std::size_t at, double l1_latency_cycles,
                                           double l2_latency_cycles) const {
        const access_level& own = of_entries[at];
        const double missing = beyond_l1(own.beyond_l1);
        const double waiting = missing * waits(misses_of(own));
        entry_level l{.beyond_l1 = missing, .from_dram = missing * misses(misses_of(own))};
        if (waiting > 0 && !(dram_latency_cycles > 0)) return l;
        l.latency_cycles = waiting * dram_latency_cycles + (missing - waiting) * l2_latency_cycles +
                           (1 - missing) * l1_latency_cycles;
        return l;
    }
};

}  // namespace WARPGAUGE_NAMESPACE

#endif
