// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TRACE_BLOCK_SAMPLING_HPP
#define WARPGAUGE_PTX_TRACE_BLOCK_SAMPLING_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/ptx/run/block_rows.hpp>

/// \file Which blocks of a grid represent all blocks.
///
/// Along each dimension, blocks come in runs that go the same ways; one block stands for a run, or as many
/// as it takes until their accesses cost the same again. Where the way depends on several coordinates
/// together, blocks spread over the grid take their place, one of each cell of a lattice.

namespace WARPGAUGE_NAMESPACE::ptx::detail::trace {

using ptx::detail::run::block_row;

/// Blocks along each dimension of a grid, or the position of one.
using block_index = std::array<std::uint32_t, 3>;

/// One coordinate of blocks that are followed.
struct sampled_index {
    std::uint32_t index{};
    double weight{};           ///< blocks that it stands for
    std::uint32_t run{};       ///< the first block of the run that it stands for
    std::uint32_t alike = 1;   ///< coordinates that stand for that run
    std::uint32_t number = 0;  ///< of this one among them
};

/// Places in the lists of a `block_sample`.
using sampled_places = std::array<std::size_t, 3>;

/// What is followed: every combination of coordinates, with the product of their weights.
struct block_sample {
    std::array<std::vector<sampled_index>, 3> along{};
    /// One block of each cell of a lattice, so that the number of blocks of a kind is estimated. Else it is known.
    bool is_spread{};
};

/// The block at these places. Along several dimensions, the blocks of a lattice lie anywhere in their cells, as if by
/// chance: the middles of cells would meet a diagonal in each of its cells or in none.
template <class Used = core::when_used>
block_index block_of(const block_sample& sample, const sampled_places& at);

/// Do blocks that stand for one run access memory at different costs?
template <class Used = core::when_used>
bool has_alignments(const block_sample& sample);

/// The fraction of a dimension that a cell of a lattice takes, of the dimension that has fewest of them; of blocks that are all
/// in the lattice, a block of the longest dimension.
template <class Used = core::when_used>
double longest_cell(const block_sample& sample, const block_index& grid);

/// What a block's accesses cost.
struct block_place {
    std::uint64_t cost{};                    ///< equal numbers for the same
    std::vector<std::uint8_t> alignments{};  ///< of each access, B past a boundary of 128
};

/// The middle block, which stands for all.
template <class Used = core::when_used>
block_sample middle_block(const block_index& grid);

template <class Used = core::when_used>
block_sample all_blocks(const block_index& grid);

/// Blocks spread over the grid, about `max_lattice_blocks` of them. Along a grid of one dimension they stand at
/// uneven distances, since its blocks may be rows of tiles one after the other; the first and the last stand for themselves.
template <class Used = core::when_used>
block_sample block_lattice(const block_index& grid);

/// Blocks of every kind; `ways.path(block)` gives the `result` of a number for the way of a block, equal ones for
/// the same; `ways.place(block)` that of its `block_place`; `ways.whole(block)` that of a number for all that it does;
/// `ways.rows()` the rows of blocks that are known.
template <class Ways>
result<block_sample> representative_blocks(const block_index& grid, Ways& ways);

/// A coordinate of the largest run of each dimension; of several, and of a lattice, one before the middle. `for_each_block`
/// visits this block.
template <class Used = core::when_used>
block_index typical_block(const block_sample& sample, const block_index& grid);

/// Calls `visit(block, weight)` for the blocks of a sample, until it gives an error. Where several coordinates
/// stand for a run, all of them are visited in the largest runs of the other dimensions; elsewhere they take turns.
template <class Visit>
model_error for_each_block(const block_sample& sample, const Visit& visit);

/// From the first to the last block of some runs, along each dimension.
struct block_box {
    block_index first{~std::uint32_t{0}, ~std::uint32_t{0}, ~std::uint32_t{0}};
    block_index last{};

    /// Adds those of another one.
    constexpr void add(const block_box& other);
    [[nodiscard]] constexpr bool is_empty() const { return first[0] > last[0]; }
    /// Bit `d` of `number` says whether it is the last block along dimension `d`.
    [[nodiscard]] constexpr block_index corner(std::uint32_t number) const;
};

/// The runs for which a block of the sample stands.
inline block_box runs_of(const block_sample& sample, const block_index& block,
                         const block_index& grid);

inline constexpr std::uint64_t max_lattice_blocks = 1024;
inline constexpr int max_bisections = 64;            ///< of one line of blocks
inline constexpr std::uint32_t max_alignments = 16;  ///< blocks whose accesses are compared
inline constexpr std::uint32_t max_shifted =
    4;  ///< blocks that stand for a run of ever other alignments
inline constexpr std::uint32_t max_alignments_of_line =
    32;  ///< the same of a grid of one dimension
inline constexpr std::uint32_t max_shifted_of_line = 16;
inline constexpr std::uint32_t probe_count = 16;  ///< blocks that a sample is tried on
inline constexpr std::uint32_t line_probe_count =
    4;                                  ///< the same along one dimension, besides ends of rows
inline constexpr int max_corners = 64;  ///< of groups of runs that a sample is tried on
inline constexpr std::uint32_t max_row_length =
    16;  ///< tiles; the ends of longer rows are fewer than 1 in 16 blocks
inline constexpr std::uint32_t scattered_count =
    8;  ///< blocks along rows that end within blocks, besides those at ends

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

template <class Used>
block_index block_of(const block_sample& sample, const sampled_places& at) {
    const auto& along = sample.along;
    const auto is_wide = [&](std::size_t d) { return along[d].size() > 1 ? 1 : 0; };
    const bool is_scattered = sample.is_spread && is_wide(0) + is_wide(1) + is_wide(2) > 1;
    const std::uint64_t cell = (at[2] * along[1].size() + at[1]) * along[0].size() + at[0];
    block_index block{};
    for (std::size_t d = 0; d < 3; ++d) {
        const sampled_index& s = along[d][at[d]];
        block[d] = is_scattered
                       ? s.run + scattered(3 * cell + d, static_cast<std::uint32_t>(s.weight))
                       : s.index;
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

/// Blocks in the run of a coordinate.
constexpr double run_size(const sampled_index& s) {
    return s.weight * s.alike;
}

template <class Used>
block_index typical_block(const block_sample& sample, const block_index& grid) {
    sampled_places typical{};
    for (std::size_t d = 0; d < 3; ++d) {
        double most = 0;
        for (std::size_t n = 0; n < sample.along[d].size(); ++n) {
            const sampled_index& s = sample.along[d][n];
            const double size = sample.is_spread ? 1 : run_size(s);
            if (size < most || (size == most && s.index > grid[d] / 2)) continue;
            most = size;
            typical[d] = n;
        }
    }
    return block_of<Used>(sample, typical);
}

// Which coordinates of a sample are visited together.
class block_visits {
public:
    explicit block_visits(const block_sample& sample) : sample_(sample) {
        for (std::size_t d = 0; d < 3; ++d) {
            for (const sampled_index& s : sample.along[d]) {
                if (run_size(s) > largest_[d]) largest_[d] = run_size(s);
            }
        }
    }

    // The blocks that the one at these places in the lists stands for; 0: it is not visited.
    [[nodiscard]] double weight(const sampled_places& at) const {
        double weight = 1;
        for (std::size_t d = 0; d < 3; ++d) {
            const sampled_index& s = sample_.along[d][at[d]];
            const bool in_largest = has_others_in_largest(at, d);
            if (!in_largest && s.number != turn(at, d) % s.alike) return 0;
            weight *= in_largest ? s.weight : run_size(s);
        }
        return weight;
    }

private:
    [[nodiscard]] bool has_others_in_largest(const sampled_places& at,
                                             std::size_t dimension) const {
        for (std::size_t d = 0; d < 3; ++d) {
            if (d != dimension && run_size(sample_.along[d][at[d]]) < largest_[d]) return false;
        }
        return true;
    }

    // The turn of a dimension depends on the others alone, so that one of its coordinates that stand for a run has it.
    // Another one that takes turns too counts as its run.
    [[nodiscard]] std::size_t turn(const sampled_places& at, std::size_t dimension) const {
        std::size_t turn = 0;
        for (std::size_t d = 3; d-- > 0;) {
            if (d == dimension) continue;
            const std::size_t run = at[d] - sample_.along[d][at[d]].number;
            turn = turn * sample_.along[d].size() + (has_others_in_largest(at, d) ? at[d] : run);
        }
        return turn;
    }

    const block_sample& sample_;
    double largest_[3]{};
};

template <class Visit>
model_error for_each_block(const block_sample& sample, const Visit& visit) {
    const block_visits visits(sample);
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

// --- Kinds of blocks

/// Blocks that have ends of rows, or may have some: the ends of the first, a middle and the last row and the begins behind them,
/// if the first begins with the grid; where rows end within blocks, also all of a short row in the middle and some as if by
/// chance. Some may be outside of the grid.
template <class Used>
core::late<Used, std::vector<double>> places_in_rows(const block_row& row, std::uint32_t count) {
    core::late<Used, std::vector<double>> all;
    const double last = count - 1.0;
    const double rows = core::floor(last / row.blocks);
    for (const double number : {1.0, core::floor(rows / 2), rows}) {
        const double begin = core::floor(number * row.blocks);
        all.push_back(begin);
        all.push_back(begin - 1);
    }
    if (row.ends_with_block()) return all;
    if (row.blocks <= max_row_length) {
        const double middle = core::floor(last / 2);
        for (double n = 0; n <= row.blocks + 1; ++n) all.push_back(middle + n);
    }
    for (std::uint32_t n = 0; n < scattered_count; ++n) all.push_back(scattered(n, count));
    return all;
}

/// Finds blocks of every kind, and asks for the way of each block once.
template <class Ways>
class block_kinds {
public:
    block_kinds(const block_index& grid, Ways& ways) : grid_(grid), ways_(ways) {}

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
        for (const block_row& row : ways_.rows()) {
            const bool is_within = row.blocks < grid_[row.dimension] && grid_[row.dimension] > 1;
            const auto same = is_within ? holds_in_rows(row, sample) : true;
            if (!same || !*same) return same;
        }
        for (std::uint32_t n = 1; n <= (dimensions == 1 ? line_probe_count : probe_count); ++n) {
            const auto same = holds_at(probe(n), sample);
            if (!same || !*same) return same;
        }
        return holds_at_corners(sample);
    }

private:
    using sampled_indices = std::vector<sampled_index>;
    template <class T>
    using list = core::late<Ways, std::vector<T>>;

    static block_index standing_for(const block_index& any, const block_sample& sample) {
        block_index standing{};
        for (std::size_t d = 0; d < 3; ++d) {
            for (const sampled_index& s : sample.along[d]) {
                if (s.run <= any[d]) standing[d] = s.index;
            }
        }
        return standing;
    }

    result<bool> holds_at(const block_index& any, const block_sample& sample) {
        const auto real = path_of(any);
        const auto taken = path_of(standing_for(any, sample));
        if (!real) return real.error();
        if (!taken) return taken.error();
        return *real == *taken;
    }

    // What cuts off a part of blocks that one stands for cuts off a corner of them.
    result<bool> holds_at_corners(const block_sample& sample) {
        int left = max_corners;
        const auto& along = sample.along;
        for (const sampled_index& z : along[2]) {
            for (const sampled_index& y : along[1]) {
                for (const sampled_index& x : along[0]) {
                    const sampled_index* const at[]{&x, &y, &z};
                    if (!is_wide(at) || left <= 0) continue;
                    for (std::uint32_t corner = 0; corner < 8; ++corner) {
                        block_index block;
                        bool is_new = true;
                        for (std::size_t d = 0; d < 3; ++d) {
                            const auto size = static_cast<std::uint32_t>(run_size(*at[d]));
                            const bool is_last = (corner >> d & 1) != 0;
                            if (is_last && size == 1) is_new = false;
                            block[d] = at[d]->run + (is_last ? size - 1 : 0);
                        }
                        if (!is_new) continue;
                        --left;
                        const auto same = holds_at(block, sample);
                        if (!same || !*same) return same;
                    }
                }
            }
        }
        return true;
    }

    // Several blocks, of which this one is the first that stands for them.
    static bool is_wide(const sampled_index* const (&at)[3]) {
        bool wide = false;
        for (const sampled_index* s : at) {
            if (s->number != 0) return false;
            wide = wide || run_size(*s) > 1;
        }
        return wide;
    }

    // Of a grid of one dimension, the number of blocks, and one of them by its number.
    [[nodiscard]] std::uint32_t line_length() const { return grid_[0] * grid_[1] * grid_[2]; }
    [[nodiscard]] block_index on_line(std::uint32_t number) const {
        block_index at{};
        for (std::size_t d = 0; d < 3; ++d) at[d] = grid_[d] > 1 ? number : 0;
        return at;
    }

    // Blocks of a line may be tiles, row by row, and the last of a row goes its own way. One that ends rows of many
    // lengths is tried for all of them.
    result<bool> holds_at_row_ends(const block_sample& sample) {
        std::uint32_t tried = 0;  // a bit for each length
        for (const std::uint32_t row_end :
             {2519U, 1286U, 839U, 89U, 59U, 47U, 13U, 12U, 11U, 10U, 8U, 7U, 6U, 4U, 3U, 2U, 1U}) {
            if (row_end >= line_length()) continue;
            std::uint32_t lengths = 0;
            for (std::uint32_t length = 2; length <= max_row_length; ++length) {
                if ((row_end + 1) % length == 0) lengths |= 1U << length;
            }
            if ((lengths & ~tried) == 0) continue;
            tried |= lengths;
            const auto same = holds_at(on_line(row_end), sample);
            if (!same || !*same) return same;
        }
        return true;
    }

    // Any warp of a block may have the end of a row. Of blocks whose alignments differ, costs do too.
    result<bool> holds_in_rows(const block_row& row, const block_sample& sample) {
        const line along = middle_line(row.dimension);
        const std::uint32_t count = grid_[row.dimension];
        const bool costs = !row.ends_with_block() || !has_alignments<Ways>(sample);
        for (const double number : places_in_rows<Ways>(row, count)) {
            if (!(number >= 0 && number < count)) continue;
            const auto index = static_cast<std::uint32_t>(number);
            const block_index standing = standing_for(block_at(along, index), sample);
            block_index block = standing;
            block[row.dimension] = index;
            const auto real = costs ? whole_of(block) : path_of(block);
            if (!real) return real.error();
            const auto taken = costs ? whole_of(standing) : path_of(standing);
            if (!taken) return taken.error();
            if (*real != *taken) return false;
        }
        return true;
    }

    struct known_path {
        block_index block{};
        std::uint64_t path{};
    };

    /// Blocks along one dimension, the others fixed.
    struct line {
        std::size_t dimension{};
        block_index fixed{};
    };

    template <class Ask>
    static result<std::uint64_t> once(list<known_path>& known, const block_index& block,
                                      const Ask& ask) {
        for (const known_path& k : known) {
            if (k.block == block) return k.path;
        }
        const result<std::uint64_t> path = ask();
        if (path) known.push_back({block, *path});
        return path;
    }
    result<std::uint64_t> path_of(const block_index& block) {
        return once(known_paths_, block, [&] { return ways_.path(block); });
    }
    result<std::uint64_t> whole_of(const block_index& block) {
        return once(known_wholes_, block, [&] { return ways_.whole(block); });
    }

    static block_index block_at(const line& along, std::uint32_t index) {
        block_index block = along.fixed;
        block[along.dimension] = index;
        return block;
    }
    result<std::uint64_t> path_of(const line& along, std::uint32_t index) {
        return path_of(block_at(along, index));
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
        list<std::uint32_t> ends{count};  // of runs, in order
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

    [[nodiscard]] line middle_line(std::size_t dimension) const { return lines(dimension).front(); }

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
    model_error find_runs(const line& along, std::uint32_t count, list<std::uint32_t>& ends) {
        struct interval {
            std::uint32_t first, last;
            std::uint64_t path_first, path_last;
        };
        const auto first = path_of(along, 0);
        const auto middle = path_of(along, count / 2);
        const auto last = path_of(along, count - 1);
        for (const auto* end : {&first, &middle, &last}) {
            if (!*end) return end->error();
        }
        std::vector<interval> open{{count / 2, count - 1, *middle, *last},
                                   {0, count / 2, *first, *middle}};
        for (int bisections = 0; !open.empty();) {
            const interval at = open.back();
            open.pop_back();
            if (at.path_first == at.path_last) continue;
            if (at.last - at.first <= 1 || bisections == max_bisections) {
                add_in_order(at.last, ends);
                continue;
            }
            const std::uint32_t half = at.first + (at.last - at.first) / 2;
            const auto there = path_of(along, half);
            if (!there) return there.error();
            ++bisections;
            open.push_back({half, at.last, *there, at.path_last});
            open.push_back({at.first, half, at.path_first, *there});
        }
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

    // One block stands for a run; where its neighbours' accesses cost something else, as many as it
    // takes until that repeats.
    model_error add_run(std::size_t dimension, std::uint32_t begin, std::uint32_t end,
                        sampled_indices& found) {
        const bool is_line = dimensions_of(grid_) == 1;
        const std::uint32_t most =
            core::min(end - begin, is_line ? max_alignments_of_line : max_alignments);
        const std::uint32_t shifted = is_line ? max_shifted_of_line : max_shifted;
        const std::uint32_t from = begin + (end - begin - most + 1) / 2;
        const auto repeats = period(lines(dimension).front(), from, most);
        if (!repeats) return repeats.error();
        // Of addresses that move evenly, every third: so all their places in a sector are met.
        const bool some = repeats->is_even && repeats->blocks > shifted;
        const std::uint32_t followed = some ? shifted : repeats->blocks;
        for (std::uint32_t n = 0; n < followed; ++n) {
            found.push_back({from + (some ? 3 * n % repeats->blocks : n),
                             static_cast<double>(end - begin) / followed, begin, followed, n});
        }
        return {};
    }

    struct repetition {
        std::uint32_t blocks = 1;
        bool is_even{};  ///< addresses move by the same from block to block
    };

    // After how many blocks, `most` at most, accesses cost the same again.
    result<repetition> period(const line& along, std::uint32_t from, std::uint32_t most) {
        if (most == 1) return repetition{};
        const auto first = ways_.place(block_at(along, from));
        const auto second = ways_.place(block_at(along, from + 1));
        if (!first) return first.error();
        if (!second) return second.error();
        if (first->cost == second->cost) return repetition{};
        const std::uint32_t shifted = blocks_until_aligned(*first, *second);
        if (shifted > 1) {
            const repetition even{shifted < most ? shifted : most, true};
            if (shifted >= most) return even;
            const auto again = ways_.place(block_at(along, from + shifted));
            if (!again) return again.error();
            if (again->cost == first->cost) return even;
        }
        std::uint32_t blocks = 2;
        for (; blocks < most; ++blocks) {
            const auto next = ways_.place(block_at(along, from + blocks));
            if (!next) return next.error();
            if (next->cost == first->cost) break;
        }
        return repetition{blocks, false};
    }

    // Where each access moves from block to block as between these two; 0: they are not the same accesses.
    static std::uint32_t blocks_until_aligned(const block_place& a, const block_place& b) {
        if (a.alignments.size() != b.alignments.size()) return 0;
        std::uint32_t moved = 128;
        for (std::size_t n = 0; n < a.alignments.size(); ++n) {
            moved |= static_cast<std::uint32_t>(b.alignments[n] - a.alignments[n]) % 128;
        }
        return 128 / (moved & (~moved + 1));
    }

    block_index grid_;
    Ways& ways_;
    list<known_path> known_paths_, known_wholes_;
};

template <class Ways>
result<block_sample> representative_blocks(const block_index& grid, Ways& ways) {
    block_kinds<Ways> kinds(grid, ways);
    auto sample = kinds.find();
    if (!sample) return sample;
    const auto holds = kinds.holds(*sample);
    if (!holds) return holds.error();
    if (!*holds) return block_lattice(grid);
    return sample;
}

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::trace

#endif
