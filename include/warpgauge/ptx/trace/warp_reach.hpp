// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TRACE_WARP_REACH_HPP
#define WARPGAUGE_PTX_TRACE_WARP_REACH_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <warpgauge/core/scalar.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/ptx/run/data_decisions.hpp>
#include <warpgauge/ptx/run/way_bounds.hpp>
#include <warpgauge/ptx/trace/block_sampling.hpp>
#include <warpgauge/ptx/trace/traced_kernel.hpp>
#include <warpgauge/sm/coalescing.hpp>

/// \file Whether a warp of a launch does the same as another one that was followed.

namespace WARPGAUGE_NAMESPACE::ptx::detail::trace {

using ptx::detail::run::warp_distance;

/// A warp of a launch.
struct warp_of_block {
    block_index block{};
    std::uint32_t warp{};  ///< its number in the block
    double start{};        ///< the fraction that it begins to decide unknown data with
};

/// The `ordinal` spreads decisions on unknown data over warps.
constexpr warp_of_block place_in(const block_index& block, std::uint32_t warp,
                                 std::uint32_t ordinal) {
    return {block, warp, ptx::detail::run::start_of(ordinal)};
}

/// How far away others do the same as a warp that was followed.
template <class Used = core::when_used>
struct warp_reach {
    ptx::detail::run::way_reach<Used> way{};
    ptx::detail::run::start_room start{};
};

/// Calls `follow(start)` with fractions that other warps begin with and that decide otherwise than the machine's last warp, which
/// began with `start`, until it gives an error.
template <class Machine, class Follow>
model_error for_other_starts(const Machine& m, double start, const Follow& follow) {
    constexpr double next = 1e-3;
    constexpr int max_starts = 4;
    const ptx::detail::run::start_room room = m.start_room();
    int left = max_starts;
    for (double s = start + room.above + next; s < 1 && left-- > 0;) {
        if (auto bad = follow(s)) return bad;
        s += m.start_room().above + next;
    }
    for (double s = start - room.below - next; s >= 0 && left-- > 0;) {
        if (auto bad = follow(s)) return bad;
        s -= m.start_room().below + next;
    }
    return {};
}

/// Where the threads of each warp begin in a block.
template <class Used = core::when_used>
class warp_begins {
public:
    explicit warp_begins(const extent& block) {
        for (std::uint64_t first = 0; first < block.count(); first += warp_lanes) {
            const auto lanes = core::min(block.count() - first, std::uint64_t{warp_lanes});
            begins_.push_back(begin_of(block, static_cast<std::uint32_t>(first),
                                       static_cast<std::uint32_t>(lanes)));
        }
    }

    /// Does a warp do the same as another, which was followed and reaches so far? `away` gets its distance.
    bool is_reached(const warp_of_block& from, warp_reach<Used>& reach, const warp_of_block& to,
                    warp_distance& away) const {
        if (!reach.start.holds(to.start - from.start)) return false;
        const warp_begin& a = begins_[from.warp];
        const warp_begin& b = begins_[to.warp];
        if (from.warp != to.warp && !(reach.way.of_launch && are_alike(a, b))) return false;
        for (std::size_t d = 0; d < 3; ++d) {
            away[d] = std::int64_t{to.block[d]} - std::int64_t{from.block[d]};
            away[3 + d] = std::int64_t{b.thread[d]} - std::int64_t{a.thread[d]};
        }
        return ptx::detail::run::is_same(away, {}) || reach.way.holds(away);
    }

private:
    // The first thread, and whether the others pass the end of a row or of a plane.
    struct warp_begin {
        std::array<std::uint32_t, 3> thread{};
        std::uint32_t lanes{};
        bool passes_row{}, passes_plane{};
    };

    static warp_begin begin_of(const extent& block, std::uint32_t first, std::uint32_t lanes) {
        const std::uint32_t x = first % block.x;
        const std::uint32_t y = first / block.x % block.y;
        const std::uint32_t rows = (x + lanes - 1) / block.x;
        return {{x, y, first / block.x / block.y}, lanes, rows != 0, y + rows >= block.y};
    }

    // Are all threads as far apart as the first ones?
    static bool are_alike(const warp_begin& a, const warp_begin& b) {
        const bool rows = a.thread[0] == b.thread[0] || (!a.passes_row && !b.passes_row);
        const bool planes = a.thread[1] == b.thread[1] || (!a.passes_plane && !b.passes_plane);
        return a.lanes == b.lanes && rows && planes;
    }

    core::late<Used, std::vector<warp_begin>> begins_;
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::trace

#endif
