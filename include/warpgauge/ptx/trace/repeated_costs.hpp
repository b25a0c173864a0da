// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TRACE_REPEATED_COSTS_HPP
#define WARPGAUGE_PTX_TRACE_REPEATED_COSTS_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/core/when_used.hpp>

/// \file After how many blocks along a line accesses of memory cost the same again.
///
/// Addresses that move evenly from block to block are aligned as before after as many blocks as make a line of 128 B. Others may
/// repeat too. Where indices are clamped, at the ends of a run, they do not.

namespace WARPGAUGE_NAMESPACE::ptx::detail::trace {

/// What a block's accesses cost.
struct block_place {
    std::uint64_t cost{};                    ///< equal numbers for the same
    std::vector<std::uint8_t> alignments{};  ///< of each access, B past a boundary of 128
};

/// Blocks of a line, from the first to before the end.
struct block_run {
    std::uint32_t begin{}, end{};
};

/// As many neighbours that cost the same are taken for all blocks of a run: a table may have as many entries.
inline constexpr std::uint32_t max_alike_neighbours = 8;

/// How far a block is behind `from`, less whole periods.
constexpr std::uint32_t behind_period(std::uint32_t index, std::uint32_t from,
                                      std::uint32_t period) {
    return index >= from ? (index - from) % period : (period - (from - index) % period) % period;
}

/// How costs repeat in a run.
struct cost_repetition {
    block_run run{};
    std::uint32_t from{};      ///< the first of the blocks that were looked at
    std::uint32_t blocks = 1;  ///< that have all costs, or as many as the run has or were looked at
    std::uint32_t period = 1;  ///< after which they repeat; 0: it is not known that they do
    bool moves_evenly = false;  ///< addresses do, from the first block to the next one
    bool within_words = false;  ///< some begin elsewhere than at a multiple of 4 B

    /// Blocks of a part of the run that the one of that index stands for, if all that were looked at do.
    [[nodiscard]] constexpr double count_like(const block_run& part, std::uint32_t index) const {
        if (period != blocks) return static_cast<double>(part.end - part.begin) / blocks;
        const std::uint32_t others =
            (part.end - 1 - index) / period + (index - part.begin) / period;
        return 1.0 + others;
    }
    /// Most of its blocks are not known to cost what those that were looked at do.
    [[nodiscard]] constexpr bool is_irregular() const {
        return period == 0 && blocks < run.end - run.begin;
    }
    /// The block near `from` that costs what that one does, if costs repeat; itself if the run has no such block.
    [[nodiscard]] constexpr std::uint32_t block_like(std::uint32_t index) const {
        if (period == 0) return index;
        const std::uint32_t behind = behind_period(index, from, period);
        return behind < run.end - from ? from + behind : from + behind - period;
    }
};

/// Where each access moves from block to block as between these two; 0: they are not the same accesses.
inline std::uint32_t blocks_until_aligned(const block_place& a, const block_place& b) {
    if (a.alignments.size() != b.alignments.size()) return 0;
    std::uint32_t moved = 128;
    for (std::size_t n = 0; n < a.alignments.size(); ++n) {
        moved |= static_cast<std::uint32_t>(b.alignments[n] - a.alignments[n]) % 128;
    }
    return 128 / (moved & (~moved + 1));
}

/// Does an access begin within a word of 4 B?
inline bool begins_within_word(const block_place& p) {
    for (const std::uint8_t at : p.alignments) {
        if (at % 4 != 0) return true;
    }
    return false;
}

/// Is each access that many blocks behind `a` where it is by what it moves from there to the next block, `b`?
inline bool moves_evenly(const block_place& a, const block_place& b, const block_place& behind,
                         std::uint32_t blocks) {
    if (behind.alignments.size() != a.alignments.size()) return false;
    for (std::size_t n = 0; n < a.alignments.size(); ++n) {
        const auto off = static_cast<std::uint32_t>(a.alignments[n] - behind.alignments[n]) +
                         blocks * static_cast<std::uint32_t>(b.alignments[n] - a.alignments[n]);
        if (off % 128 != 0) return false;
    }
    return true;
}

/// After how many blocks from `from` on costs repeat, as far as `most` blocks show, two of them twice; 0: they do not.
template <class Place>
result<std::uint32_t> period_of_costs(std::uint32_t from, std::uint32_t most, const Place& place) {
    core::late<Place, std::vector<std::uint64_t>> costs;
    bool same = true;
    for (std::uint32_t n = 0; n < most; ++n) {
        const auto next = place(from + n);
        if (!next) return next.error();
        costs.push_back(next->cost);
        same = same && costs[n] == costs[0];
        if (same && n + 1 == core::min(most, max_alike_neighbours)) return 1;
    }
    for (std::uint32_t period = 2; period + 2 <= most; ++period) {
        std::uint32_t n = period;
        while (n < most && costs[n] == costs[n - period]) ++n;
        if (n == most) return period;
    }
    return 0;
}

/// How the costs of a run repeat, as far as `most` blocks of its middle show; `place(index)` gives the `result` of the
/// `block_place` of a block.
template <class Place>
result<cost_repetition> repeated_costs(const block_run& run, std::uint32_t most,
                                       const Place& place) {
    const std::uint32_t all = run.end - run.begin;
    most = core::min(all > 3 ? all - 2 : all, most);  // the ends may be clamped
    cost_repetition costs{.run = run, .from = run.begin + (all - most + 1) / 2};
    if (most == 1) return costs;
    const auto first = place(costs.from);
    if (!first) return first.error();
    const auto second = place(costs.from + 1);
    if (!second) return second.error();
    costs.within_words = begins_within_word(*first) || begins_within_word(*second);
    const std::uint32_t aligned = blocks_until_aligned(*first, *second);
    if (aligned > 1) {
        const std::uint32_t further = core::min(aligned, most - 1);
        const auto behind = place(costs.from + further);
        if (!behind) return behind.error();
        costs.moves_evenly = further == aligned ? behind->cost == first->cost
                                                : moves_evenly(*first, *second, *behind, further);
        costs.period = aligned;
        costs.blocks = core::min(aligned, all);
        if (aligned >= most) costs.from = run.begin + (all - costs.blocks + 1) / 2;
        if (costs.moves_evenly) return costs;
    }
    const auto period = period_of_costs(costs.from, most, place);
    if (!period) return period.error();
    costs.period = *period;
    costs.blocks = *period != 0 ? *period : most;
    if (*period == 0 && all <= most + 2) {
        costs.from = run.begin;
        costs.blocks = all;
    }
    return costs;
}

/// The block nearest to an end of the run, `far`, from which on costs repeat; if they do not at the end, by bisection.
/// `equal(a, b)` gives the `result` of whether two blocks cost the same.
template <class Equal>
result<std::uint32_t> end_of_alike(const cost_repetition& costs, std::uint32_t far,
                                   const Equal& equal) {
    const auto is_alike = [&](std::uint32_t index) -> result<bool> {
        const std::uint32_t like = costs.block_like(index);
        return like == index ? result<bool>(true) : equal(index, like);
    };
    const auto all = is_alike(far);
    if (!all) return all.error();
    if (*all) return far;
    std::uint32_t near = costs.from;
    while (near + 1 != far && far + 1 != near) {
        const std::uint32_t half = near < far ? near + (far - near) / 2 : far + (near - far) / 2;
        const auto same = is_alike(half);
        if (!same) return same.error();
        (*same ? near : far) = half;
    }
    return near;
}

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::trace

#endif
