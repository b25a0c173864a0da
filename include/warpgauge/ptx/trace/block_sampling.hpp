// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TRACE_BLOCK_SAMPLING_HPP
#define WARPGAUGE_PTX_TRACE_BLOCK_SAMPLING_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/when_used.hpp>

/// \file Which blocks of a grid stand for all of them.
///
/// Along each dimension, blocks come in runs that go the same ways; one block stands for a run, or as many
/// as it takes until their accesses cost the same again. Where the way depends on several coordinates
/// together, blocks evenly spread over the grid take their place.

namespace warpgauge::ptx::detail::trace {

/// Blocks along each dimension of a grid, or the position of one.
using block_index = std::array<std::uint32_t, 3>;

/// One coordinate of blocks that are followed.
struct sampled_index {
    std::uint32_t index{};
    double weight{};      ///< blocks that it stands for
    std::uint32_t run{};  ///< the first block of the run that it stands for
};

/// What is followed: every combination of coordinates, with the product of their weights.
struct block_sample {
    std::array<std::vector<sampled_index>, 3> along{};
};

/// Numbers for what a block's warps do: equal ones for what is the same.
struct block_way {
    std::uint64_t path{};   ///< which instructions, with which lanes
    std::uint64_t place{};  ///< and what its accesses cost
};

/// The middle block, which stands for all.
template <class Used = core::when_used>
block_sample middle_block(const block_index& grid);

template <class Used = core::when_used>
block_sample all_blocks(const block_index& grid);

/// Blocks evenly spread over the grid, about `max_lattice_blocks` of them. Along a grid of one dimension they stand at
/// uneven distances, since its blocks may be rows of tiles one after the other.
template <class Used = core::when_used>
block_sample block_lattice(const block_index& grid);

/// Blocks of every kind; `way_of(block)` gives the `result<block_way>` of a block.
template <class WayOf>
result<block_sample> representative_blocks(const block_index& grid, WayOf way_of);

/// The most frequent coordinate of each dimension; of equally frequent ones, one before the middle.
template <class Used = core::when_used>
block_index typical_block(const block_sample& sample, const block_index& grid);

inline constexpr std::uint64_t max_lattice_blocks = 1024;
inline constexpr int max_bisections = 64;            ///< of one line of blocks
inline constexpr std::uint32_t max_alignments = 16;  ///< blocks that stand for one run
inline constexpr std::uint32_t probe_count = 16;     ///< blocks that a sample is tried on
inline constexpr std::uint32_t line_probe_count =
    4;  ///< the same along one dimension, besides ends of rows
inline constexpr std::uint32_t max_row_length =
    16;  ///< tiles; the ends of longer rows are fewer than 1 in 16 blocks

/// Dimensions along which a grid has more than one block.
constexpr int dimensions_of(const block_index& grid) {
    return (grid[0] > 1) + (grid[1] > 1) + (grid[2] > 1);
}

constexpr double fraction_of(double value) {
    return value - static_cast<double>(static_cast<std::uint64_t>(value));
}

// --- Samples that look at no block

template <class Used>
block_sample middle_block(const block_index& grid) {
    core::late<Used, block_sample> sample;
    for (std::size_t d = 0; d < 3; ++d) {
        sample.along[d] = {{grid[d] / 2, static_cast<double>(grid[d])}};
    }
    return sample;
}

template <class Used>
block_sample all_blocks(const block_index& grid) {
    core::late<Used, block_sample> sample;
    for (std::size_t d = 0; d < 3; ++d) {
        sample.along[d].resize(grid[d]);
        for (std::uint32_t n = 0; n < grid[d]; ++n) sample.along[d][n] = {n, 1};
    }
    return sample;
}

template <class Used>
block_sample block_lattice(const block_index& grid) {
    block_index sides = grid;
    while (std::uint64_t{sides[0]} * sides[1] * sides[2] > max_lattice_blocks) {
        std::size_t longest = 0;
        if (sides[1] > sides[longest]) longest = 1;
        if (sides[2] > sides[longest]) longest = 2;
        sides[longest] = (sides[longest] + 1) / 2;
    }
    const bool is_line = dimensions_of(grid) < 2;
    core::late<Used, block_sample> sample;
    for (std::size_t d = 0; d < 3; ++d) {
        for (std::uint32_t n = 0; n < sides[d]; ++n) {
            const std::uint64_t begin = std::uint64_t{grid[d]} * n / sides[d];
            const std::uint64_t end = std::uint64_t{grid[d]} * (n + 1) / sides[d];
            const double part = is_line ? fraction_of(n * 0.6180339887498949) : 0.5;
            const auto within = static_cast<std::uint64_t>(part * static_cast<double>(end - begin));
            sample.along[d].push_back(
                {static_cast<std::uint32_t>(begin + within), static_cast<double>(end - begin)});
        }
    }
    return sample;
}

template <class Used>
block_index typical_block(const block_sample& sample, const block_index& grid) {
    block_index typical{};
    for (std::size_t d = 0; d < 3; ++d) {
        double most = 0;
        for (const sampled_index& s : sample.along[d]) {
            if (s.weight < most || (s.weight == most && s.index > grid[d] / 2)) continue;
            most = s.weight;
            typical[d] = s.index;
        }
    }
    return typical;
}

// --- Kinds of blocks

/// Finds blocks of every kind, and asks for the way of each block once.
template <class WayOf>
class block_kinds {
public:
    block_kinds(const block_index& grid, WayOf& way_of) : grid_(grid), compute_way_(way_of) {}

    result<block_sample> find() {
        block_sample sample;
        for (std::size_t d = 0; d < 3; ++d) {
            auto found = kinds_along(d);
            if (!found) return found.error();
            sample.along[d] = std::move(*found);
        }
        return sample;
    }

    /// Do blocks spread over the grid go the ways of those that stand for them? Not where the way depends
    /// on several coordinates together, as in a triangle, or on the place in a row of tiles.
    result<bool> holds(const block_sample& sample) {
        const int dimensions = dimensions_of(grid_);
        if (dimensions == 0) return true;
        if (dimensions == 1) {
            const auto rows = holds_at_row_ends(sample);
            if (!rows || !*rows) return rows;
        }
        for (std::uint32_t n = 1; n <= (dimensions == 1 ? line_probe_count : probe_count); ++n) {
            const auto same = holds_at(probe(n), sample);
            if (!same || !*same) return same;
        }
        return true;
    }

private:
    using sampled_indices = std::vector<sampled_index>;

    result<bool> holds_at(const block_index& any, const block_sample& sample) {
        block_index standing{};
        for (std::size_t d = 0; d < 3; ++d) {
            for (const sampled_index& s : sample.along[d]) {
                if (s.run <= any[d]) standing[d] = s.index;
            }
        }
        const auto real = way_of(any);
        const auto taken = way_of(standing);
        if (!real) return real.error();
        if (!taken) return taken.error();
        return real->path == taken->path;
    }

    // Blocks of a line may be tiles, row by row, and the last of a row goes its own way. One that ends rows of many
    // lengths is tried for all of them.
    result<bool> holds_at_row_ends(const block_sample& sample) {
        std::uint32_t tried = 0;  // a bit for each length
        for (const std::uint32_t row_end :
             {2519U, 1286U, 839U, 89U, 59U, 47U, 13U, 12U, 11U, 10U, 8U, 7U, 6U, 4U, 3U, 2U, 1U}) {
            block_index at{};
            std::uint32_t lengths = 0;
            for (std::size_t d = 0; d < 3; ++d) at[d] = grid_[d] > 1 ? row_end : 0;
            if (at[0] >= grid_[0] || at[1] >= grid_[1] || at[2] >= grid_[2]) continue;
            for (std::uint32_t length = 2; length <= max_row_length; ++length) {
                if ((row_end + 1) % length == 0) lengths |= 1U << length;
            }
            if ((lengths & ~tried) == 0) continue;
            tried |= lengths;
            const auto same = holds_at(at, sample);
            if (!same || !*same) return same;
        }
        return true;
    }

    /// Blocks along one dimension, the others fixed.
    struct line {
        std::size_t dimension{};
        block_index fixed{};
    };

    result<block_way> way_of(const block_index& block) {
        for (const auto& [other, way] : known_ways_) {
            if (other == block) return way;
        }
        const result<block_way> way = compute_way_(block);
        if (way) known_ways_.push_back({block, *way});
        return way;
    }

    result<block_way> way_of(const line& along, std::uint32_t index) {
        block_index block = along.fixed;
        block[along.dimension] = index;
        return way_of(block);
    }

    // Multiples of powers of the plastic number's inverse: evenly spread in three dimensions.
    [[nodiscard]] block_index probe(std::uint32_t n) const {
        constexpr double steps[]{0.8191725133961645, 0.6710436067037893, 0.5497004779019703};
        block_index block;
        for (std::size_t d = 0; d < 3; ++d) {
            block[d] = static_cast<std::uint32_t>(fraction_of(n * steps[d]) *
                                                  static_cast<double>(grid_[d]));
        }
        return block;
    }

    // Runs of blocks along one dimension whose warps go the same ways, whether the others are at their
    // first, middle or last block.
    result<sampled_indices> kinds_along(std::size_t dimension) {
        const std::uint32_t count = grid_[dimension];
        if (count == 1) return sampled_indices{{0, 1}};
        std::vector<std::uint32_t> ends{count};  // of runs, in order
        for (const line& along : lines(dimension)) {
            if (auto bad = find_runs(along, count, ends)) return bad;
        }
        sampled_indices found;
        std::uint32_t begin = 0;
        for (const std::uint32_t end : ends) {
            if (auto bad = add_run(dimension, begin, end, found)) return bad;
            begin = end;
        }
        return found;
    }

    [[nodiscard]] std::vector<line> lines(std::size_t dimension) const {
        std::vector<line> all;
        for (const std::uint32_t part : {1U, 0U, 2U}) {  // the middle, the first, the last
            line l{.dimension = dimension};
            for (std::size_t d = 0; d < 3; ++d) {
                if (d == dimension) continue;
                l.fixed[d] = part == 0 ? 0 : part == 1 ? grid_[d] / 2 : grid_[d] - 1;
            }
            bool again = false;
            for (const line& other : all) again = again || other.fixed == l.fixed;
            if (!again) all.push_back(l);
        }
        return all;
    }

    // By bisection between the first, the middle and the last block. Ends that agree are taken to have
    // the same between them.
    model_error find_runs(const line& along, std::uint32_t count,
                          std::vector<std::uint32_t>& ends) {
        struct interval {
            std::uint32_t first, last;
            std::uint64_t path_first, path_last;
        };
        const auto first = way_of(along, 0);
        const auto middle = way_of(along, count / 2);
        const auto last = way_of(along, count - 1);
        for (const auto* end : {&first, &middle, &last}) {
            if (!*end) return end->error();
        }
        std::vector<interval> open{{count / 2, count - 1, middle->path, last->path},
                                   {0, count / 2, first->path, middle->path}};
        for (int bisections = 0; !open.empty();) {
            const interval at = open.back();
            open.pop_back();
            if (at.path_first == at.path_last) continue;
            if (at.last - at.first <= 1 || bisections == max_bisections) {
                add_in_order(at.last, ends);
                continue;
            }
            const std::uint32_t half = at.first + (at.last - at.first) / 2;
            const auto there = way_of(along, half);
            if (!there) return there.error();
            ++bisections;
            open.push_back({half, at.last, there->path, at.path_last});
            open.push_back({at.first, half, at.path_first, there->path});
        }
        return {};
    }

    static void add_in_order(std::uint32_t end, std::vector<std::uint32_t>& ends) {
        for (const std::uint32_t other : ends) {
            if (other == end) return;
        }
        ends.push_back(end);
        for (std::size_t n = ends.size() - 1; n > 0 && ends[n - 1] > ends[n]; --n) {
            std::swap(ends[n - 1], ends[n]);
        }
    }

    // One block stands for a run; where its neighbours' accesses cost something else, as many as it
    // takes until that repeats.
    model_error add_run(std::size_t dimension, std::uint32_t begin, std::uint32_t end,
                        sampled_indices& found) {
        const std::uint32_t most = end - begin < max_alignments ? end - begin : max_alignments;
        const std::uint32_t from = begin + (end - begin - most + 1) / 2;
        std::uint32_t period = 1;
        for (const line& along : lines(dimension)) {
            if (most == 1) break;
            const auto first = way_of(along, from);
            if (!first) return first.error();
            std::uint32_t repeats = 1;
            for (; repeats < most; ++repeats) {
                const auto next = way_of(along, from + repeats);
                if (!next) return next.error();
                if (next->place == first->place) break;
            }
            period = repeats > period ? repeats : period;
        }
        for (std::uint32_t n = 0; n < period; ++n) {
            found.push_back({from + n, static_cast<double>(end - begin) / period, begin});
        }
        return {};
    }

    block_index grid_;
    WayOf& compute_way_;
    std::vector<std::pair<block_index, block_way>> known_ways_;
};

template <class WayOf>
result<block_sample> representative_blocks(const block_index& grid, WayOf way_of) {
    block_kinds<WayOf> kinds(grid, way_of);
    auto sample = kinds.find();
    if (!sample) return sample;
    const auto holds = kinds.holds(*sample);
    if (!holds) return holds.error();
    if (!*holds) return block_lattice(grid);
    return sample;
}

}  // namespace warpgauge::ptx::detail::trace

#endif
