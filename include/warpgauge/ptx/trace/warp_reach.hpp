// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TRACE_WARP_REACH_HPP
#define WARPGAUGE_PTX_TRACE_WARP_REACH_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <warpgauge/core/scalar.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/ptx/run/data_decisions.hpp>
#include <warpgauge/ptx/run/way_bounds.hpp>
#include <warpgauge/ptx/trace/block_reach.hpp>
#include <warpgauge/ptx/trace/block_sample.hpp>
#include <warpgauge/ptx/trace/traced_kernel.hpp>
#include <warpgauge/sm/coalescing.hpp>

/// \file Whether a warp of a launch does the same as another one that was followed.

namespace WARPGAUGE_NAMESPACE::ptx::detail::trace {

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
        for (std::uint32_t warp = 0; warp < begins_.size(); ++warp) {
            std::uint32_t like = 0;
            while (!are_alike(begins_[like], begins_[warp])) ++like;
            first_alike_.push_back(like);
        }
    }

    [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(begins_.size()); }

    /// The first warp of the block whose threads are as far apart.
    [[nodiscard]] std::uint32_t first_alike(std::uint32_t warp) const { return first_alike_[warp]; }

    /// Its block, and its first thread.
    [[nodiscard]] warp_distance place(const warp_of_block& of) const {
        warp_distance at{};
        for (std::size_t d = 0; d < 3; ++d) {
            at[d] = of.block[d];
            at[3 + d] = begins_[of.warp].thread[d];
        }
        return at;
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
    core::late<Used, std::vector<std::uint32_t>> first_alike_;
};

/// Sums of products of a place with distances: each once, however many bounds ask for it.
template <class Used = core::when_used>
class place_sums {
public:
    /// Where warps begin must outlive it.
    explicit place_sums(const warp_begins<Used>& begins) : begins_(begins) {}

    /// The number of the sum along a distance.
    std::uint32_t number_of(const warp_distance& by) {
        for (std::uint32_t n = 0; n < sums_.size() && n < max_compared; ++n) {
            if (ptx::detail::run::is_same(sums_[n].by, by)) return n;
        }
        sums_.push_back({by, 0, 0});
        for (std::uint32_t warp = 0; warp < begins_.size(); ++warp) {
            of_warps_.push_back(sum_along(by, begins_.place({.warp = warp})));
        }
        return static_cast<std::uint32_t>(sums_.size() - 1);
    }

    /// The distance of that number.
    [[nodiscard]] const warp_distance& along(std::uint32_t number) const {
        return sums_[number].by;
    }

    void begin(const warp_of_block& of) {
        warp_ = of.warp;
        if (is_same(of.block, block_)) return;
        block_ = of.block;
        ++blocks_;
    }
    [[nodiscard]] std::uint64_t of_place(std::uint32_t number) {
        place_sum& s = sums_[number];
        if (s.blocks != blocks_) {
            s.of_block = sum_along(s.by, {block_[0], block_[1], block_[2]});
            s.blocks = blocks_;
        }
        return s.of_block + of_warps_[number * begins_.size() + warp_];
    }

private:
    static constexpr std::size_t max_compared = 64;

    struct place_sum {
        warp_distance by{};
        std::uint64_t of_block{}, blocks{};
    };

    static std::uint64_t sum_along(const warp_distance& by, const warp_distance& place) {
        return static_cast<std::uint64_t>(ptx::detail::run::distance_along(by, place));
    }

    const warp_begins<Used>& begins_;
    core::late<Used, std::vector<place_sum>> sums_;
    core::late<Used, std::vector<std::uint64_t>> of_warps_;  // of each sum, by their threads
    block_index block_{};
    std::uint32_t warp_ = 0;
    std::uint64_t blocks_ = 1;  // so far
};

/// Warps that were followed, by number, and how far each reaches.
template <class Used = core::when_used>
class reached_warps {
public:
    /// Where they begin must outlive it.
    explicit reached_warps(const warp_begins<Used>& begins) : begins_(begins), sums_(begins) {}

    [[nodiscard]] std::size_t size() const { return followed_.size(); }

    void add(const warp_of_block& of, const warp_reach<Used>& reach) {
        const auto& way = reach.way;
        followed_warp more{of, reach.start, begins_.place(of), of.warp};
        more.of_launch = way.of_launch;
        if (way.of_launch) more.group = begins_.first_alike(of.warp);
        more.first_bound = bounds_.size();
        more.first_turn = turns_.size();
        sums_.begin(of);
        for (std::size_t d = 0; d < 3 && !way.of_launch && !way.of_block; ++d) add_own_block(d);
        for (const ptx::detail::run::way_bound& b : way.bounds) add(b);
        for (const ptx::detail::run::way_turn& t : way.turns) turns_.push_back(t);
        more.bounds = bounds_.size() - more.first_bound;
        more.turns = turns_.size() - more.first_turn;
        if (more.bounds == 0) add(ptx::detail::run::way_bound{});
        recent_.push_back(
            {static_cast<std::uint32_t>(followed_.size()), bounds_[more.first_bound]});
        followed_.push_back(more);
    }

    /// A warp of that number in its block mostly does what a followed one did; that of the block before, if nobody says so.
    void expect(std::uint32_t warp, std::uint32_t number) {
        if (number != ptx::link::nowhere) expected(warp) = number;
    }

    /// The number of one that does the same as a warp; `nowhere` if none is known. `away` gets the distance of the warp.
    std::uint32_t find(const warp_of_block& to, warp_distance& away) {
        const warp_distance place = begins_.place(to);
        sums_.begin(to);
        std::uint32_t& like = expected(to.warp);
        sum_bound asked{};
        if (like != ptx::link::nowhere && reaches(like, to, place, asked, away)) return like;
        for (std::size_t n = 0; n < recent_.size(); ++n) {
            candidate& now = recent_[n];
            if (!holds(now.first_asked) || !reaches(now.number, to, place, now.first_asked, away)) {
                continue;
            }
            const candidate found = now;
            for (std::size_t k = n; k > 0; --k) recent_[k] = recent_[k - 1];
            recent_[0] = found;
            return like = found.number;
        }
        return ptx::link::nowhere;
    }

    /// Of a warp that is known to do the same unless unknown data decides: does it decide alike? `away` gets its distance.
    [[nodiscard]] bool decides_alike(std::uint32_t number, const warp_of_block& to,
                                     warp_distance& away) const {
        const followed_warp& from = followed_[number];
        away = ptx::detail::run::difference(begins_.place(to), from.place);
        return from.start.holds(to.start - from.of.start);
    }

    /// Says of the last of some blocks, whose warp `at` does as a followed one, how far away others do the same.
    void bound_block(const warp_of_block& at, std::uint32_t number, reached_blocks<Used>& blocks) {
        const followed_warp& from = followed_[number];
        sums_.begin(at);
        for (std::size_t n = 0; n < from.bounds; ++n) {
            const sum_bound& b = bounds_[from.first_bound + n];
            const std::uint64_t below = sums_.of_place(b.sum) - b.first;
            blocks.add_bound(sums_.along(b.sum), below, b.room - below);
        }
        for (std::size_t n = 0; n < from.turns; ++n) {
            blocks.add_turn(turns_[from.first_turn + n].by, turns_[from.first_turn + n].turn);
        }
        blocks.add_warp(number);
    }

    /// Does some warp that was followed reach that warp of the blocks at all corners of a box, and so of all blocks in it?
    bool reach(const block_box& box, std::uint32_t warp) {
        for (const std::uint32_t corner : {0U, 7U}) {
            warp_distance away{};
            const std::uint32_t number = find(place_in(box.corner(corner), warp, warp), away);
            if (number != ptx::link::nowhere && reaches_all(number, box, warp)) return true;
        }
        return false;
    }

private:
    struct followed_warp {
        warp_of_block of{};
        ptx::detail::run::start_room start{};
        warp_distance place{};
        std::uint32_t group{};  // warps of other groups are not reached: of other numbers
        bool of_launch{};       // or that are not alike
        std::size_t first_bound{}, bounds{}, first_turn{}, turns{};
    };
    // From `first` on, the sum of another place may be more by so much.
    struct sum_bound {
        std::uint32_t sum{};
        std::uint64_t first{}, room{};
    };
    struct candidate {
        std::uint32_t number{};
        sum_bound first_asked{};
    };

    std::uint32_t& expected(std::uint32_t warp) {
        if (expected_.size() <= warp) expected_.resize(warp + 1, ptx::link::nowhere);
        return expected_[warp];
    }

    // No other block is reached.
    void add_own_block(std::size_t dimension) {
        ptx::detail::run::way_bound same{};
        same.by[dimension] = 1;
        add(same);
    }
    void add(const ptx::detail::run::way_bound& b) {
        const std::uint32_t sum = sums_.number_of(b.by);
        const auto least = static_cast<std::uint64_t>(b.least);
        bounds_.push_back(
            {sum, sums_.of_place(sum) + least, static_cast<std::uint64_t>(b.most) - least});
    }

    bool reaches_all(std::uint32_t number, const block_box& box, std::uint32_t warp) {
        for (std::size_t d = 0; d < 3; ++d) {
            warp_distance one{};
            one[d] = 1;
            if (box.length(d) > 1 && !turns_hold(followed_[number], one)) return false;
        }
        for (std::uint32_t corner = 0; corner < 8; ++corner) {
            warp_distance away{};
            sum_bound asked{};
            const warp_of_block at = place_in(box.corner(corner), warp, warp);
            sums_.begin(at);
            if (!reaches(number, at, begins_.place(at), asked, away)) return false;
        }
        return true;
    }

    [[nodiscard]] bool holds(const sum_bound& b) {
        return sums_.of_place(b.sum) - b.first <= b.room;
    }
    bool reaches(std::uint32_t number, const warp_of_block& to, const warp_distance& place,
                 sum_bound& first_asked, warp_distance& away) {
        const followed_warp& from = followed_[number];
        const std::uint32_t group = from.of_launch ? begins_.first_alike(to.warp) : to.warp;
        if (from.group != group || !from.start.holds(to.start - from.of.start)) return false;
        if (!bounds_hold(from, first_asked)) return false;
        away = ptx::detail::run::difference(place, from.place);
        return turns_hold(from, away);
    }
    // What does not hold is asked first the next time: it is what mostly tells warps apart.
    bool bounds_hold(const followed_warp& from, sum_bound& first_asked) {
        for (std::size_t n = 0; n < from.bounds; ++n) {
            sum_bound& b = bounds_[from.first_bound + n];
            if (holds(b)) continue;
            first_asked = b;
            std::swap(b, bounds_[from.first_bound]);
            return false;
        }
        return true;
    }
    [[nodiscard]] bool turns_hold(const followed_warp& from, const warp_distance& away) const {
        for (std::size_t n = 0; n < from.turns; ++n) {
            if (!turns_[from.first_turn + n].holds(away)) return false;
        }
        return true;
    }

    const warp_begins<Used>& begins_;
    place_sums<Used> sums_;
    core::late<Used, std::vector<followed_warp>> followed_;
    core::late<Used, std::vector<sum_bound>> bounds_;  // of all of them, one after the other
    core::late<Used, std::vector<ptx::detail::run::way_turn>> turns_;
    core::late<Used, std::vector<candidate>> recent_;        // what was found last first
    core::late<Used, std::vector<std::uint32_t>> expected_;  // by number in the block
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::trace

#endif
