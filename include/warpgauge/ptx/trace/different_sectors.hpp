// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TRACE_DIFFERENT_SECTORS_HPP
#define WARPGAUGE_PTX_TRACE_DIFFERENT_SECTORS_HPP

#include <cstdint>

#include <warpgauge/core/when_used.hpp>
#include <warpgauge/ptx/link/program.hpp>
#include <warpgauge/ptx/run/executed.hpp>
#include <warpgauge/ptx/trace/used_sectors.hpp>

/// \file How many sectors the warps of a launch use, what a warp uses again counted once: no more are different.
///
/// An access of sectors side by side counts in full, at no cost: most data have no gaps, so that their ends limit them.

namespace WARPGAUGE_NAMESPACE::ptx::detail::trace {

constexpr sector_use use_of(const ptx::link::step& s) {
    if (s.is_atomic) return uses_sector;
    return s.stores ? stores_sector : loads_sector;
}

constexpr sector_rounds rounds_of(const ptx::run::executed& e, bool in_bulk) {
    if (e.rounds == 1) return {};
    const auto by = static_cast<std::int64_t>(e.round_by);
    return {e.rounds, static_cast<std::uint64_t>(by / 32), by % 32 == 0 && !in_bulk};
}

/// Sees the accesses of warps, one warp after the other.
template <class Used = core::when_used>
class different_sectors {
public:
    void begin_warp() { used_.clear(); }

    /// Adds an access in each of some rounds, of a warp that stands for `weight` warps.
    template <class Touched>
    void add(const ptx::link::step& s, const Touched& touched, const sector_rounds& rounds,
             double weight) {
        if (touched.count == 0) return;
        const sector_use uses = use_of(s);
        const bool has_gaps = touched.last() - touched.first() >= touched.count;
        if (has_gaps && rounds.moves_by_sectors) {
            return add(used_.add(touched, uses, rounds), weight);
        }
        add(used_by(uses, static_cast<double>(rounds.times) * touched.count), weight);
    }

    /// Over all warps by their weight.
    [[nodiscard]] const sectors_by_use<double>& sums() const { return sums_; }

private:
    template <class Number>
    void add(const sectors_by_use<Number>& n, double weight) {
        sums_.all += weight * static_cast<double>(n.all);
        sums_.loaded += weight * static_cast<double>(n.loaded);
        sums_.stored += weight * static_cast<double>(n.stored);
    }

    used_sectors<Used> used_;
    sectors_by_use<double> sums_;
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::trace

#endif
