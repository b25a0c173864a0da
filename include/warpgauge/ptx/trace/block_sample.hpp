// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TRACE_BLOCK_SAMPLE_HPP
#define WARPGAUGE_PTX_TRACE_BLOCK_SAMPLE_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/core/when_used.hpp>

/// \file Blocks of a grid that are followed, and how many each stands for.
///
/// A coordinate along each dimension stands for a run of blocks, or several of them in turns. Of a lattice, one block stands for each
/// cell.

namespace WARPGAUGE_NAMESPACE::ptx::detail::trace {

/// Blocks along each dimension of a grid, or the position of one.
using block_index = std::array<std::uint32_t, 3>;

/// Are two blocks one? Without a call, since lists of blocks are searched.
constexpr bool is_same(const block_index& a, const block_index& b) {
    return ((a[0] ^ b[0]) | (a[1] ^ b[1]) | (a[2] ^ b[2])) == 0;
}

/// One coordinate of blocks that are followed.
struct sampled_index {
    std::uint32_t index{};
    double weight{};           ///< blocks that it stands for
    std::uint32_t run{};       ///< the first block of the run that it stands for
    std::uint32_t alike = 1;   ///< coordinates that stand for that run
    std::uint32_t number = 0;  ///< of this one among them
    std::uint32_t period =
        0;  ///< coordinates of that run after which accesses cost the same again; 0: not known
};

/// Places in the lists of a `block_sample`.
using sampled_places = std::array<std::size_t, 3>;

/// What is followed: every combination of coordinates, with the product of their weights.
struct block_sample {
    std::array<std::vector<sampled_index>, 3> along{};
    /// One block of each cell of a lattice, so that the number of blocks of a kind is estimated. Else it is known.
    bool is_spread{};
    /// Bytes or halves are aligned in more ways than a few warps of a block show: all of them are followed.
    bool takes_all_warps{};
    double aligned_alike = 1;  ///< then: followed blocks that are aligned as each other
};

/// The block at these places. Along several dimensions, the blocks of a lattice lie anywhere in their cells, as if by
/// chance: the middles of cells would meet a diagonal in each of its cells or in none.
template <class Used = core::when_used>
block_index block_of(const block_sample& sample, const sampled_places& at);

/// Combinations of coordinates, visited or not.
inline std::size_t count_of(const block_sample& sample) {
    return sample.along[0].size() * sample.along[1].size() * sample.along[2].size();
}

/// Do blocks that stand for one run access memory at different costs?
template <class Used = core::when_used>
bool has_alignments(const block_sample& sample);

/// The fraction of a dimension that a cell of a lattice takes, of the dimension that has fewest of them; of blocks that are all
/// in the lattice, a block of the longest dimension.
template <class Used = core::when_used>
double longest_cell(const block_sample& sample, const block_index& grid);

/// The middle block, which stands for all.
template <class Used = core::when_used>
block_sample middle_block(const block_index& grid);

template <class Used = core::when_used>
block_sample all_blocks(const block_index& grid);

/// Blocks spread over the grid, about `max_lattice_blocks` of them. Along a grid of one dimension they stand at
/// uneven distances, since its blocks may be rows of tiles one after the other; the first and the last stand for themselves.
template <class Used = core::when_used>
block_sample block_lattice(const block_index& grid);

/// A coordinate of the largest run of each dimension; of several, and of a lattice, one before the middle. `for_each_block`
/// visits this block.
template <class Used = core::when_used>
block_index typical_block(const block_sample& sample, const block_index& grid);

/// Calls `visit(block, weight)` for the blocks of a sample, until it gives an error. Where several coordinates
/// stand for a run, all of them are visited in the larger runs of the other dimensions; in those of less than an eighth of the
/// largest one they take turns.
template <class Visit>
model_error for_each_block(const block_sample& sample, const Visit& visit);

/// From the first to the last block of some runs, along each dimension.
struct block_box {
    block_index first{~std::uint32_t{0}, ~std::uint32_t{0}, ~std::uint32_t{0}};
    block_index last{};

    /// Adds those of another one.
    constexpr void add(const block_box& other);
    [[nodiscard]] constexpr bool is_empty() const { return first[0] > last[0]; }
    /// Blocks along a dimension.
    [[nodiscard]] constexpr std::uint32_t length(std::size_t dimension) const {
        return last[dimension] - first[dimension] + 1;
    }
    [[nodiscard]] constexpr std::uint64_t count() const {
        return std::uint64_t{length(0)} * length(1) * length(2);
    }
    /// One of these, from 0 on.
    [[nodiscard]] constexpr block_index at(std::uint64_t number) const;
    /// Bit `d` of `number` says whether it is the last block along dimension `d`.
    [[nodiscard]] constexpr block_index corner(std::uint32_t number) const;
};

/// The runs for which a block of the sample stands.
inline block_box runs_of(const block_sample& sample, const block_index& block,
                         const block_index& grid);

/// Is a warp among the `max_alike` of its way? `paths`: a number for the way of each warp of a block. These are drawn as if by chance, one
/// of each part: any at equal distances would be the same of each tile of a row, and their accesses aligned as each other's. One that
/// is drawn stands for its part: `weight` gets as many times as much.
inline bool is_drawn(std::span<const std::uint64_t> paths, std::uint32_t warp, std::uint64_t seed,
                     double& weight);

inline constexpr std::uint64_t max_lattice_blocks = 1024;
inline constexpr std::uint32_t max_alike = 2;

/// Dimensions along which a grid has more than one block.
constexpr int dimensions_of(const block_index& grid) {
    return (grid[0] > 1) + (grid[1] > 1) + (grid[2] > 1);
}

/// One of `count` numbers from 0, as if by chance, but for a `seed` always the same (the function of SplitMix64: G. Steele, D. Lea,
/// C. Flood, Fast Splittable Pseudorandom Number Generators, 2014).
constexpr std::uint32_t scattered(std::uint64_t seed, std::uint32_t count) {
    std::uint64_t z = (seed + 1) * 0x9e37'79b9'7f4a'7c15U;
    z = (z ^ z >> 30) * 0xbf58'476d'1ce4'e5b9U;
    z = (z ^ z >> 27) * 0x94d0'49bb'1331'11ebU;
    z ^= z >> 31;
    return static_cast<std::uint32_t>((z >> 32) * count >> 32);
}

constexpr double fraction_of(double value) {
    return value - static_cast<double>(static_cast<std::uint64_t>(value));
}

inline bool is_drawn(std::span<const std::uint64_t> paths, std::uint32_t warp, std::uint64_t seed,
                     double& weight) {
    const std::uint64_t path = paths[warp];
    std::uint32_t before = 0;
    for (std::uint32_t n = 0; n < warp; ++n) before += paths[n] == path ? 1U : 0U;
    std::uint32_t alike = before;
    for (std::size_t n = warp; n < paths.size(); ++n) alike += paths[n] == path ? 1U : 0U;
    const std::uint32_t parts = alike < max_alike ? alike : max_alike;
    std::uint32_t part = 0;
    while ((part + 1) * alike / parts <= before) ++part;
    const std::uint32_t first = part * alike / parts;
    const std::uint32_t size = (part + 1) * alike / parts - first;
    weight *= size;
    return before == first + scattered(max_alike * seed + part, size);
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
    core::late<Used, block_sample> sample{.is_spread = true};
    for (std::size_t d = 0; d < 3; ++d) {
        // Of a line, the inner blocks are divided evenly.
        const std::uint32_t own = is_line && sides[d] > 2 ? 1 : 0;
        const std::uint64_t inner = grid[d] - 2 * own;
        const std::uint64_t cells = sides[d] - 2 * own;
        const auto edge = [&](std::uint32_t n) {
            if (n == 0 || n == sides[d]) return std::uint64_t{n == 0 ? 0 : grid[d]};
            return own + inner * (n - own) / cells;
        };
        for (std::uint32_t n = 0; n < sides[d]; ++n) {
            const std::uint64_t begin = edge(n);
            const std::uint64_t end = edge(n + 1);
            const double part = is_line ? fraction_of(n * 0.6180339887498949) : 0.5;
            const auto within = static_cast<std::uint64_t>(part * static_cast<double>(end - begin));
            sample.along[d].push_back({static_cast<std::uint32_t>(begin + within),
                                       static_cast<double>(end - begin),
                                       static_cast<std::uint32_t>(begin)});
        }
    }
    return sample;
}

// --- The blocks of a sample

/// Blocks in the run of a coordinate.
template <class Used>
double run_size(const std::vector<sampled_index>& along, const sampled_index& of) {
    double size = 0;
    for (const sampled_index& s : along) size += s.run == of.run ? s.weight : 0;
    return size;
}

template <class Used>
block_index block_of(const block_sample& sample, const sampled_places& at) {
    const auto& along = sample.along;
    const auto is_wide = [&](std::size_t d) { return along[d].size() > 1 ? 1 : 0; };
    const bool is_scattered = sample.is_spread && is_wide(0) + is_wide(1) + is_wide(2) > 1;
    const std::uint64_t cell = (at[2] * along[1].size() + at[1]) * along[0].size() + at[0];
    block_index block{};
    std::uint32_t behind = 0;  // of the dimensions behind
    for (std::size_t d = 3; d-- > 0;) {
        const sampled_index& s = along[d][at[d]];
        block[d] = is_scattered
                       ? s.run + scattered(3 * cell + d, static_cast<std::uint32_t>(s.weight))
                       : s.index;
        if (s.alike > 1 && s.period != s.alike && s.period != 0) {
            const auto size = static_cast<std::uint32_t>(run_size<Used>(along[d], s));
            block[d] = s.run + (s.index - s.run + 3 * behind) % size;
        }
        behind += s.number;
    }
    return block;
}

template <class Used>
bool has_alignments(const block_sample& sample) {
    for (const auto& along : sample.along) {
        for (const sampled_index& s : along) {
            if (s.alike > 1) return true;
        }
    }
    return false;
}

template <class Used>
double longest_cell(const block_sample& sample, const block_index& grid) {
    std::size_t fewest = 0;
    std::size_t most = 0;
    for (std::size_t d = 0; d < 3; ++d) {
        const std::size_t cells = sample.along[d].size();
        if (cells > most) most = cells;
        if (cells < grid[d] && (fewest == 0 || cells < fewest)) fewest = cells;
    }
    return 1 / static_cast<double>(fewest == 0 ? most : fewest);
}

template <class Used>
block_index typical_block(const block_sample& sample, const block_index& grid) {
    sampled_places typical{};
    for (std::size_t d = 0; d < 3; ++d) {
        double most = 0;
        for (std::size_t n = 0; n < sample.along[d].size(); ++n) {
            const sampled_index& s = sample.along[d][n];
            const double size = sample.is_spread ? 1 : run_size<Used>(sample.along[d], s);
            if (size < most || (size == most && s.index > grid[d] / 2)) continue;
            most = size;
            typical[d] = n;
        }
    }
    return block_of<Used>(sample, typical);
}

// Which coordinates of a sample are visited together.
template <class Used>
class block_visits {
public:
    explicit block_visits(const block_sample& sample) : sample_(sample) {
        for (std::size_t d = 0; d < 3; ++d) {
            for (const sampled_index& s : sample.along[d]) {
                sizes_[d].push_back(run_size<Used>(sample.along[d], s));
                largest_[d] = core::max(largest_[d], sizes_[d].back());
            }
        }
    }

    // The blocks that the one at these places in the lists stands for; 0: it is not visited.
    [[nodiscard]] double weight(const sampled_places& at) const {
        double weight = 1;
        for (std::size_t d = 0; d < 3; ++d) {
            const sampled_index& s = sample_.along[d][at[d]];
            const bool in_turn = takes_turns(at, d);
            if (in_turn && s.number != turn(at, d) % s.alike) return 0;
            weight *= in_turn ? sizes_[d][at[d]] : s.weight;
        }
        return weight;
    }

private:
    // Not where costs do not repeat.
    [[nodiscard]] bool takes_turns(const sampled_places& at, std::size_t dimension) const {
        if (sample_.along[dimension][at[dimension]].period == 0) return false;
        for (std::size_t d = 0; d < 3; ++d) {
            if (d != dimension && sizes_[d][at[d]] * small_part < largest_[d]) return true;
        }
        return false;
    }

    // The turn of a dimension depends on the others alone, so that one of its coordinates that stand for a run has it.
    // Another one that takes turns too counts as its run.
    [[nodiscard]] std::size_t turn(const sampled_places& at, std::size_t dimension) const {
        std::size_t turn = 0;
        for (std::size_t d = 3; d-- > 0;) {
            if (d == dimension) continue;
            const std::size_t run = at[d] - sample_.along[d][at[d]].number;
            turn = turn * sample_.along[d].size() + (takes_turns(at, d) ? run : at[d]);
        }
        return turn;
    }

    static constexpr double small_part = 8;  // of the largest run

    const block_sample& sample_;
    core::late<Used, std::vector<double>> sizes_[3];  // of runs, by coordinate
    double largest_[3]{};
};

template <class Visit>
model_error for_each_block(const block_sample& sample, const Visit& visit) {
    const block_visits<Visit> visits(sample);
    const auto& along = sample.along;
    for (std::size_t z = 0; z < along[2].size(); ++z) {
        for (std::size_t y = 0; y < along[1].size(); ++y) {
            for (std::size_t x = 0; x < along[0].size(); ++x) {
                const double weight = visits.weight({x, y, z});
                if (weight == 0) continue;
                if (auto bad = visit(block_of(sample, {x, y, z}), weight)) return bad;
            }
        }
    }
    return {};
}

constexpr void block_box::add(const block_box& other) {
    for (std::size_t d = 0; d < 3; ++d) {
        if (other.first[d] < first[d]) first[d] = other.first[d];
        if (other.last[d] > last[d]) last[d] = other.last[d];
    }
}

constexpr block_index block_box::corner(std::uint32_t number) const {
    block_index block = first;
    for (std::size_t d = 0; d < 3; ++d) {
        if ((number >> d & 1U) != 0) block[d] = last[d];
    }
    return block;
}

constexpr block_index block_box::at(std::uint64_t number) const {
    block_index block = first;
    for (std::size_t d = 0; d < 3; ++d) {
        block[d] += static_cast<std::uint32_t>(number % length(d));
        number /= length(d);
    }
    return block;
}

inline block_box runs_of(const block_sample& sample, const block_index& block,
                         const block_index& grid) {
    block_box runs;
    for (std::size_t d = 0; d < 3; ++d) {
        std::uint32_t begin = 0;
        for (const sampled_index& s : sample.along[d]) {
            if (s.run <= block[d] && s.run > begin) begin = s.run;
        }
        std::uint32_t end = grid[d];
        for (const sampled_index& s : sample.along[d]) {
            if (s.run > begin && s.run < end) end = s.run;
        }
        runs.first[d] = begin;
        runs.last[d] = end - 1;
    }
    return runs;
}

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::trace

#endif
