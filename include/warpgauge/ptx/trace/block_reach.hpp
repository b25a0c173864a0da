// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TRACE_BLOCK_REACH_HPP
#define WARPGAUGE_PTX_TRACE_BLOCK_REACH_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

#include <warpgauge/core/scalar.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/ptx/run/way_bounds.hpp>
#include <warpgauge/ptx/trace/block_sample.hpp>

/// \file Whether all warps of a block do what those of another one do.
///
/// From block to block all warps move by the same. So one question answers for all of them.

namespace WARPGAUGE_NAMESPACE::ptx::detail::trace {

using ptx::detail::run::warp_distance;

/// Blocks of which each warp did as one that was followed, and how far others may be that do the same.
template <class Used = core::when_used>
class reached_blocks {
public:
    static constexpr std::size_t max_blocks = 64;

    [[nodiscard]] bool is_full() const { return blocks_.size() == max_blocks; }
    /// One more block. Its bounds, its turns and its warps are added next.
    void add(const block_index& block) {
        blocks_.push_back({block, end_of(bounds_), end_of(bounds_), end_of(turns_), end_of(turns_),
                           end_of(warps_)});
    }
    /// Of a block elsewhere, the sum of products of `by` and the distance must be from -`below` to `above`.
    void add_bound(const warp_distance& by, std::uint64_t below, std::uint64_t above) {
        if (moves_no_block(by)) return;
        reached_block& now = blocks_.back();
        for (std::uint32_t n = now.bounds_begin; n < now.bounds_end; ++n) {
            block_bound& b = bounds_[n];
            if (b.by[0] != by[0] || b.by[1] != by[1] || b.by[2] != by[2]) continue;
            b.below = core::min(b.below, below);
            b.above = core::min(b.above, above);
            return;
        }
        bounds_.push_back({by, below, above});
        now.bounds_end = end_of(bounds_);
    }
    /// That sum must be a multiple of `turn`, a power of two.
    void add_turn(const warp_distance& by, std::uint64_t turn) {
        if (moves_no_block(by)) return;
        turns_.push_back({by, turn});
        blocks_.back().turns_end = end_of(turns_);
    }
    /// What its next warp did as.
    void add_warp(std::uint32_t number) { warps_.push_back(number); }

    /// What the warps of a block do as, the numbers one behind the other; null if it is not known.
    [[nodiscard]] const std::uint32_t* find(const block_index& block) {
        for (std::size_t n = 0; n < blocks_.size(); ++n) {
            if (!reaches(blocks_[n], block)) continue;
            const reached_block found = blocks_[n];
            for (std::size_t k = n; k > 0; --k) blocks_[k] = blocks_[k - 1];
            blocks_[0] = found;
            return &warps_[found.warps_begin];
        }
        return nullptr;
    }

private:
    struct block_bound {
        warp_distance by{};
        std::uint64_t below{}, above{};
    };
    struct reached_block {
        block_index block{};
        std::uint32_t bounds_begin{}, bounds_end{}, turns_begin{}, turns_end{};
        std::uint32_t warps_begin{};
    };

    static bool moves_no_block(const warp_distance& by) {
        return by[0] == 0 && by[1] == 0 && by[2] == 0;
    }
    template <class List>
    static std::uint32_t end_of(const List& list) {
        return static_cast<std::uint32_t>(list.size());
    }

    [[nodiscard]] bool reaches(const reached_block& from, const block_index& to) const {
        warp_distance away{};
        for (std::size_t d = 0; d < 3; ++d) {
            away[d] = static_cast<std::int64_t>(to[d]) - static_cast<std::int64_t>(from.block[d]);
        }
        for (std::uint32_t n = from.bounds_begin; n < from.bounds_end; ++n) {
            const block_bound& b = bounds_[n];
            const auto moved =
                static_cast<std::uint64_t>(ptx::detail::run::distance_along(b.by, away));
            if (moved + b.below > b.below + b.above) return false;
        }
        for (std::uint32_t n = from.turns_begin; n < from.turns_end; ++n) {
            if (!turns_[n].holds(away)) return false;
        }
        return true;
    }

    core::late<Used, std::vector<reached_block>> blocks_;  // what was found last first
    core::late<Used, std::vector<block_bound>> bounds_;    // of all of them, as the others
    core::late<Used, std::vector<ptx::detail::run::way_turn>> turns_;
    core::late<Used, std::vector<std::uint32_t>> warps_;
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::trace

#endif
