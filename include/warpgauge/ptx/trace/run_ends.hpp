// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TRACE_RUN_ENDS_HPP
#define WARPGAUGE_PTX_TRACE_RUN_ENDS_HPP

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/ptx/trace/block_sample.hpp>
#include <warpgauge/ptx/trace/known_blocks.hpp>
#include <warpgauge/ptx/trace/repeated_costs.hpp>

/// \file Where blocks along each dimension of a grid change their way: `run_ends`.
///
/// Lines of blocks are bisected. Where it is not known that all blocks between two go the way of both, or that all of a box go the way
/// of its corners, some of them are looked at, so that a region inside of the grid is found.

namespace WARPGAUGE_NAMESPACE::ptx::detail::trace {

inline constexpr int max_bisections = 64;  ///< of one line of blocks
inline constexpr int max_doubts = 32;  ///< intervals of a line that are alike at their ends alone
inline constexpr int max_doubtful_boxes = 64;  ///< the same of boxes, at their corners
inline constexpr int max_parts = 4;  ///< of a grid, that are cut out along several dimensions
inline constexpr std::size_t max_boxes = 512;  ///< of runs, that are looked at

/// Blocks along one dimension, the others fixed.
struct block_line {
    std::size_t dimension{};
    block_index fixed{};

    [[nodiscard]] block_index at(std::uint32_t index) const {
        block_index block = fixed;
        block[dimension] = index;
        return block;
    }
};

/// Those where the others are at their middle, their first and their last block.
template <class Used>
core::late<Used, std::vector<block_line>> lines_along(std::size_t dimension,
                                                      const block_index& grid) {
    core::late<Used, std::vector<block_line>> all;
    for (const std::uint32_t part : {1U, 0U, 2U}) {
        block_line l{.dimension = dimension};
        for (std::size_t d = 0; d < 3; ++d) {
            if (d == dimension) continue;
            l.fixed[d] = part == 0 ? 0 : part == 1 ? grid[d] / 2 : grid[d] - 1;
        }
        bool again = false;
        for (const block_line& other : all) again = again || other.fixed == l.fixed;
        if (!again) all.push_back(l);
    }
    return all;
}

/// Finds the ends of runs of blocks along each dimension whose warps go the same ways.
template <class Ways>
class run_ends {
public:
    template <class T>
    using list = core::late<Ways, std::vector<T>>;

    /// What is known must outlive it.
    run_ends(const block_index& grid, known_blocks<Ways>& known) : grid_(grid), known_(known) {}

    /// Whether the others are at their first, middle or last block, or in a part that is cut out along several dimensions at once.
    model_error find() {
        for (std::size_t d = 0; d < 3; ++d) {
            ends_[d] = {grid_[d]};
            int doubts = max_doubts;  // along the middle line
            for (const block_line& along : lines_along<Ways>(d, grid_)) {
                if (auto bad = find_runs(along, grid_[d] / 2, doubts)) return bad;
                doubts = 0;
            }
        }
        if (dimensions_of(grid_) == 1) return {};
        for (int n = 0; n < max_parts && !is_in_doubt_; ++n) {
            const auto part = find_part();
            if (!part) return part.error();
            if (!part->is_found) return {};
            parts_.push_back(part->at);
            const std::size_t before = ends_[0].size() + ends_[1].size() + ends_[2].size();
            for (std::size_t d = 0; d < 3; ++d) {
                if (auto bad = find_runs({d, part->at}, part->at[d], max_doubts)) return bad;
            }
            const std::size_t now = ends_[0].size() + ends_[1].size() + ends_[2].size();
            is_in_doubt_ = now == before || n + 1 == max_parts;
        }
        return {};
    }

    /// The blocks behind each run, in order.
    [[nodiscard]] const list<std::uint32_t>& along(std::size_t dimension) const {
        return ends_[dimension];
    }

    /// There are blocks of which it is not known which way they go, or parts that no runs cut out.
    [[nodiscard]] bool is_in_doubt() const { return is_in_doubt_; }

    /// Through a part of the grid that is in the run, else the middle of the grid.
    [[nodiscard]] block_line line_through(const block_run& run, std::size_t dimension) const {
        for (const block_index& part : parts_) {
            if (run.begin <= part[dimension] && part[dimension] < run.end) return {dimension, part};
        }
        return lines_along<Ways>(dimension, grid_).front();
    }

private:
    // A block that goes another way than another one of the same runs.
    struct part_of_grid {
        bool is_found{};
        block_index at{};
    };

    // Boxes of runs are divided until it is known that all blocks of each go one way, or a corner goes another.
    result<part_of_grid> find_part() {
        struct doubtful_box {
            block_box box{};
            std::uint64_t path{};  // of the corners of the one that was divided
        };
        list<doubtful_box> open;
        for (const block_box& box : boxes_of_runs()) {
            if (known_.is_sure_in(box)) continue;
            const auto path = known_.path_of(box.first);
            if (!path) return path.error();
            open.push_back({box, *path});
        }
        int doubts = max_doubtful_boxes;
        for (std::size_t n = 0; n < open.size(); ++n) {
            const auto [box, path] = open[n];
            const auto part = part_at_corner(box, path);
            if (!part || part->is_found) return part;
            if (known_.is_sure_in(box)) continue;
            const std::size_t along = divided_dimension(box);
            if (box.length(along) == 1) continue;
            if (doubts-- == 0) {
                is_in_doubt_ = true;
                return part_of_grid{};
            }
            block_box low = box;
            block_box high = box;
            low.last[along] = box.first[along] + (box.length(along) - 1) / 2;
            high.first[along] = low.last[along] + 1;
            open.push_back({low, path});
            open.push_back({high, path});
        }
        return part_of_grid{};
    }

    // The longest one along which blocks may go other ways from the first or the last corner on, else the longest one.
    [[nodiscard]] std::size_t divided_dimension(const block_box& box) {
        std::size_t longest = 0;
        std::size_t doubtful = 3;
        for (std::size_t d = 0; d < 3; ++d) {
            if (box.length(d) > box.length(longest)) longest = d;
            if (box.length(d) == 1) continue;
            if (doubtful < 3 && box.length(d) <= box.length(doubtful)) continue;
            block_box from_first{box.first, box.first};
            block_box to_last{box.last, box.last};
            from_first.last[d] = box.last[d];
            to_last.first[d] = box.first[d];
            if (!known_.is_sure_in(from_first) || !known_.is_sure_in(to_last)) doubtful = d;
        }
        return doubtful < 3 ? doubtful : longest;
    }

    // A corner that does not go `path`.
    result<part_of_grid> part_at_corner(const block_box& box, std::uint64_t path) {
        for (std::uint32_t corner = 0; corner < 8; ++corner) {
            const block_index at = box.corner(corner);
            const auto other = known_.path_of(at);
            if (!other) return other.error();
            if (*other != path) return part_of_grid{true, at};
        }
        return part_of_grid{};
    }

    // Those of several blocks, along two dimensions at least where no part is known: a line through the middle finds what is cut out
    // along one.
    [[nodiscard]] list<block_box> boxes_of_runs() const {
        const int least = parts_.empty() ? 1 : 0;
        list<block_box> all;
        block_box box;
        box.first = {};
        for (const std::uint32_t z : ends_[2]) {
            box.last[2] = z - 1;
            box.first[1] = 0;
            for (const std::uint32_t y : ends_[1]) {
                box.last[1] = y - 1;
                box.first[0] = 0;
                for (const std::uint32_t x : ends_[0]) {
                    box.last[0] = x - 1;
                    const int wide =
                        (box.length(0) > 1) + (box.length(1) > 1) + (box.length(2) > 1);
                    if (wide > least && all.size() < max_boxes) all.push_back(box);
                    box.first[0] = x;
                }
                box.first[1] = y;
            }
            box.first[2] = z;
        }
        return all;
    }

    // Blocks of a line between two that are known.
    struct interval {
        std::uint32_t first, last;
        std::uint64_t path_first, path_last;
    };
    struct line_search {
        block_line along;
        list<interval> open;
        list<interval> alike{};  // at both ends
        int bisections = 0;
    };

    // By bisection between the first, a middle and the last block. Ends that agree are taken to have the same between them; where
    // that is not known, a few blocks are looked at first.
    model_error find_runs(const block_line& along, std::uint32_t half, int doubts) {
        const std::uint32_t count = grid_[along.dimension];
        list<std::uint32_t>& ends = ends_[along.dimension];
        if (count == 1) return {};
        const auto first = known_.path_of(along.at(0));
        const auto middle = known_.path_of(along.at(half));
        const auto last = known_.path_of(along.at(count - 1));
        for (const auto* end : {&first, &middle, &last}) {
            if (!*end) return end->error();
        }
        line_search s{along, {{half, count - 1, *middle, *last}, {0, half, *first, *middle}}};
        if (auto bad = bisect(s, ends)) return bad;
        for (std::size_t n = 0; n < s.alike.size() && doubts > 0; ++n) {
            const interval at = s.alike[n];
            if (known_.is_sure_in({along.at(at.first), along.at(at.last)})) continue;
            --doubts;
            if (auto bad = halve(at, s)) return bad;
            if (auto bad = bisect(s, ends)) return bad;
        }
        return {};
    }

    model_error bisect(line_search& s, list<std::uint32_t>& ends) {
        while (!s.open.empty()) {
            const interval at = s.open.back();
            s.open.pop_back();
            if (at.path_first == at.path_last) {
                if (at.last - at.first > 1) s.alike.push_back(at);
            } else if (at.last - at.first <= 1 || s.bisections == max_bisections) {
                add_in_order(at.last, ends);
            } else {
                ++s.bisections;
                if (auto bad = halve(at, s)) return bad;
            }
        }
        return {};
    }

    model_error halve(const interval& at, line_search& s) {
        const std::uint32_t half = at.first + (at.last - at.first) / 2;
        const auto there = known_.path_of(s.along.at(half));
        if (!there) return there.error();
        s.open.push_back({half, at.last, *there, at.path_last});
        s.open.push_back({at.first, half, at.path_first, *there});
        return {};
    }

    static void add_in_order(std::uint32_t end, list<std::uint32_t>& ends) {
        for (const std::uint32_t other : ends) {
            if (other == end) return;
        }
        ends.push_back(end);
        for (std::size_t n = ends.size() - 1; n > 0 && ends[n - 1] > ends[n]; --n) {
            std::swap(ends[n - 1], ends[n]);
        }
    }

    block_index grid_;
    known_blocks<Ways>& known_;
    list<std::uint32_t> ends_[3];
    list<block_index> parts_;  // a block of each that is cut out along several dimensions
    bool is_in_doubt_ = false;
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::trace

#endif
