// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TRACE_BLOCK_SAMPLING_HPP
#define WARPGAUGE_PTX_TRACE_BLOCK_SAMPLING_HPP

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/ptx/run/block_rows.hpp>
#include <warpgauge/ptx/trace/block_sample.hpp>
#include <warpgauge/ptx/trace/known_blocks.hpp>
#include <warpgauge/ptx/trace/repeated_costs.hpp>
#include <warpgauge/ptx/trace/run_ends.hpp>

/// \file Which blocks of a grid represent all blocks.
///
/// Along each dimension, blocks come in runs that go the same ways; one block stands for a run, or as many
/// as it takes until their accesses cost the same again. Where the way depends on several coordinates
/// together, blocks spread over the grid take their place, one of each cell of a lattice.

namespace WARPGAUGE_NAMESPACE::ptx::detail::trace {

using ptx::detail::run::block_row;

/// Blocks of every kind; `ways.path(block)` gives the `result` of a number for the way of a block, equal ones for
/// the same; `ways.expect(block)` says that the next block mostly goes as this one; `ways.is_sure_in(box)`, that
/// all blocks of a box go one way; `ways.place(block)` that of its `block_place`; `ways.edge(block)` that of a number for
/// what accesses at its edges cost; `ways.whole(block)` that of a number for all that it does; `ways.rows()` the rows of blocks
/// that are known.
template <class Ways>
result<block_sample> representative_blocks(const block_index& grid, Ways& ways);

inline constexpr std::uint32_t max_alignments = 16;  ///< blocks whose accesses are compared
inline constexpr std::uint32_t max_shifted =
    4;  ///< blocks that stand for a run of ever other alignments; twice as many along one dimension alone
inline constexpr std::uint32_t max_alignments_of_line =
    32;  ///< the same of a grid of one dimension
inline constexpr std::uint32_t max_shifted_of_line = 16;
inline constexpr std::uint32_t probe_count = 16;  ///< blocks that a sample is tried on
inline constexpr std::uint32_t line_probe_count =
    4;  ///< the same along one dimension, besides ends of rows
inline constexpr std::size_t max_corners =
    64;  ///< of groups of runs that a sample is tried on, and as many as blocks are followed
inline constexpr std::size_t max_split =
    16;  ///< coordinates of a dimension up to which ends of runs that cost otherwise are looked for
inline constexpr std::uint32_t max_row_length =
    16;  ///< tiles; the ends of longer rows are fewer than 1 in 16 blocks
inline constexpr std::uint32_t scattered_count =
    8;  ///< blocks along rows that end within blocks, besides those at ends

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

/// Finds blocks of every kind.
template <class Ways>
class block_kinds {
public:
    block_kinds(const block_index& grid, known_blocks<Ways>& known)
        : grid_(grid), known_(known), ends_(grid, known) {}

    result<block_sample> find() {
        if (auto bad = ends_.find()) return bad;
        if (dimensions_of(grid_) == 1) return find_with(max_shifted_of_line);
        auto sample = find_with(2 * max_shifted);
        return sample && takes_some_ > 1 ? find_with(max_shifted) : sample;
    }

    /// There are blocks in a run of which it is not known what their accesses cost, or which way they go.
    [[nodiscard]] bool is_irregular() const { return is_irregular_ || ends_.is_in_doubt(); }

private:
    using sampled_indices = core::late<Ways, std::vector<sampled_index>>;

    // Of blocks whose addresses move evenly, `most` are followed.
    result<block_sample> find_with(std::uint32_t most) {
        block_sample sample;
        most_shifted_ = most;
        takes_some_ = 0;
        for (std::size_t d = 0; d < 3; ++d) {
            auto found = kinds_along(d);
            if (!found) return found.error();
            takes_some_ += takes_some_of(*found) ? 1 : 0;
            sample.along[d] = std::move(*found);
        }
        sample.takes_all_warps = within_words_;
        for (std::size_t d = 0; d < 3; ++d) {
            if (within_words_ && takes_some_ == 1 && !takes_some_of(sample.along[d])) {
                sample.aligned_alike *= static_cast<double>(sample.along[d].size());
            }
        }
        return sample;
    }

    // Are there some of the blocks that are aligned differently, not all?
    static bool takes_some_of(const sampled_indices& along) {
        for (const sampled_index& s : along) {
            if (s.alike >= max_shifted && s.alike != s.period) return true;
        }
        return false;
    }

    // Runs of blocks along one dimension whose warps go the same ways.
    result<sampled_indices> kinds_along(std::size_t dimension) {
        if (grid_[dimension] == 1) return sampled_indices{{0, 1}};
        sampled_indices found;
        std::uint32_t begin = 0;
        for (const std::uint32_t end : ends_.along(dimension)) {
            if (auto bad = add_run(dimension, begin, end, found)) return bad;
            begin = end;
        }
        return found;
    }

    // One block stands for a run; where its neighbours' accesses cost something else, as many as it
    // takes until that repeats. What costs otherwise at an end of the run, as where indices are clamped, is a run of its own.
    model_error add_run(std::size_t dimension, std::uint32_t begin, std::uint32_t end,
                        sampled_indices& found) {
        const bool is_line = dimensions_of(grid_) == 1;
        const block_line along = ends_.line_through({begin, end}, dimension);
        const auto place = [&](std::uint32_t index) { return known_.place_of(along.at(index)); };
        const auto costs =
            repeated_costs({begin, end}, is_line ? max_alignments_of_line : max_alignments, place);
        if (!costs) return costs.error();
        is_irregular_ = is_irregular_ || costs->is_irregular();
        // An end of the grid that the run has no block to compare with stands for itself: it may be clamped.
        const auto is_end = [&](std::uint32_t index) {
            return takes_some(*costs) && end - begin > 1 && costs->block_like(index) == index;
        };
        if (begin == 0 && is_end(0)) {
            const auto bad = add_run(dimension, 0, 1, found);
            return bad ? bad : add_run(dimension, 1, end, found);
        }
        if (end == grid_[dimension] && is_end(end - 1)) {
            const auto bad = add_run(dimension, begin, end - 1, found);
            return bad ? bad : add_run(dimension, end - 1, end, found);
        }
        block_run alike{begin, end};
        if (found.size() < max_split && !costs->is_irregular()) {
            const auto equal = [&](std::uint32_t a, std::uint32_t b) {
                return known_.cost_the_same(along.at(a), along.at(b));
            };
            const auto first = end_of_alike(*costs, begin, equal);
            if (!first) return first.error();
            const auto last = end_of_alike(*costs, end - 1, equal);
            if (!last) return last.error();
            alike = {*first, *last + 1};
        }
        if (alike.begin > begin) {
            if (auto bad = add_run(dimension, begin, alike.begin, found)) return bad;
        }
        add_alike(*costs, alike, found);
        return alike.end < end ? add_run(dimension, alike.end, end, found) : model_error{};
    }

    // Along one of several dimensions, as many blocks as there are places in a sector for words; along the only one such, for bytes.
    [[nodiscard]] std::uint32_t most_of(const cost_repetition& costs) const {
        if (dimensions_of(grid_) == 1) return most_shifted_;
        if (costs.within_words && most_shifted_ > max_shifted) return max_alignments_of_line;
        return core::min(most_shifted_, core::max(max_shifted, costs.period / 4));
    }
    [[nodiscard]] bool takes_some(const cost_repetition& costs) const {
        return costs.moves_evenly && costs.blocks > most_of(costs);
    }

    // The distance of as many blocks that are followed of a period: spread evenly over it and over a quarter of it, since a line has four
    // sectors. It shares no factor with the period, nor with that of another access, a power of two.
    static std::uint32_t step_through(std::uint32_t blocks, std::uint32_t followed) {
        std::uint32_t step = core::max(3U, 5 * blocks / (4 * followed)) | 1U;
        while (greatest_common_factor(step, blocks) != 1) step += 2;
        return step;
    }
    static std::uint32_t greatest_common_factor(std::uint32_t a, std::uint32_t b) {
        while (b != 0) a = std::exchange(b, a % b);
        return a;
    }

    void add_alike(const cost_repetition& costs, const block_run& run, sampled_indices& found) {
        const bool some = takes_some(costs);
        const std::uint32_t followed = some ? most_of(costs) : costs.blocks;
        within_words_ = within_words_ || (costs.within_words && (some || followed > max_shifted));
        const std::uint32_t step = some ? step_through(costs.blocks, followed) : 1;
        for (std::uint32_t n = 0; n < followed; ++n) {
            found.push_back({.index = costs.from + step * n % costs.blocks,
                             .weight = some ? static_cast<double>(run.end - run.begin) / followed
                                            : costs.count_like(run, costs.from + n),
                             .run = run.begin,
                             .alike = followed,
                             .number = n,
                             .period = costs.period});
        }
    }

    block_index grid_;
    known_blocks<Ways>& known_;
    run_ends<Ways> ends_;
    std::uint32_t most_shifted_{};
    int takes_some_{};           // dimensions along which as many or more are aligned differently
    bool is_irregular_ = false;  // costs of some run
    bool within_words_ = false;  // some accesses of blocks that are aligned differently begin there
};

/// Tries a sample on other blocks.
template <class Ways>
class sample_trial {
public:
    sample_trial(const block_index& grid, known_blocks<Ways>& known, const block_sample& sample)
        : grid_(grid), known_(known), sample_(sample) {}

    /// Do blocks spread over the grid go the ways of those that stand for them? Not where the way depends
    /// on several coordinates together, as in a triangle, or on the place in a row of tiles.
    result<bool> holds() {
        const int dimensions = dimensions_of(grid_);
        if (dimensions == 0) return true;
        if (dimensions == 1) {
            const auto rows = holds_at_row_ends();
            if (!rows || !*rows) return rows;
        }
        for (const block_row& row : known_.rows()) {
            const bool is_within = row.blocks < grid_[row.dimension] && grid_[row.dimension] > 1;
            const auto same = is_within ? holds_in_rows(row) : true;
            if (!same || !*same) return same;
        }
        for (std::uint32_t n = 1; n <= (dimensions == 1 ? line_probe_count : probe_count); ++n) {
            const auto same = holds_at(probe(n));
            if (!same || !*same) return same;
        }
        return holds_at_corners();
    }

private:
    [[nodiscard]] block_index standing_for(const block_index& any) const {
        block_index standing{};
        for (std::size_t d = 0; d < 3; ++d) {
            for (const sampled_index& s : sample_.along[d]) {
                if (s.run <= any[d]) standing[d] = s.index;
            }
        }
        return standing;
    }

    result<bool> holds_at(const block_index& any) {
        const block_index standing = standing_for(any);
        const auto taken = known_.path_of(standing);
        if (!taken) return taken.error();
        known_.expect(standing);
        const auto real = known_.path_of(any);
        if (!real) return real.error();
        if (*real != *taken) return false;
        return costs_hold_at(any);
    }

    // Along dimensions of which some of the blocks that are aligned differently are followed, nothing is compared.
    result<bool> costs_hold_at(const block_index& any) {
        block_index block = any;
        block_index standing{};
        for (std::size_t d = 0; d < 3; ++d) {
            const sampled_index* run = nullptr;
            for (const sampled_index& s : sample_.along[d]) {
                if (s.run <= any[d] && s.number == 0) run = &s;
            }
            standing[d] = run->index;
            if (run->period == run->alike) {
                standing[d] += behind_period(any[d], run->index, run->period);
            } else {
                block[d] = standing[d];
            }
        }
        return known_.middles_cost_the_same(block, standing);
    }

    // What cuts off a part of blocks that one stands for cuts off a corner of them.
    result<bool> holds_at_corners() {
        const auto& along = sample_.along;
        std::size_t left = max_corners + count_of(sample_);
        for (const sampled_index& z : along[2]) {
            for (const sampled_index& y : along[1]) {
                for (const sampled_index& x : along[0]) {
                    const sampled_index* const at[]{&x, &y, &z};
                    if (!is_wide(at)) continue;
                    for (std::uint32_t corner = 0; corner < 8; ++corner) {
                        block_index block;
                        bool is_new = true;
                        for (std::size_t d = 0; d < 3; ++d) {
                            const auto size =
                                static_cast<std::uint32_t>(run_size<Ways>(along[d], *at[d]));
                            const bool is_last = (corner >> d & 1) != 0;
                            if (is_last && size == 1) is_new = false;
                            block[d] = at[d]->run + (is_last ? size - 1 : 0);
                        }
                        if (!is_new) continue;
                        if (left-- == 0) return true;
                        const auto same = holds_at(block);
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
            wide = wide || s->weight > 1 || s->alike > 1;
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
    result<bool> holds_at_row_ends() {
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
            const auto same = holds_at(on_line(row_end));
            if (!same || !*same) return same;
        }
        return true;
    }

    // Any warp of a block may have the end of a row. Of blocks whose alignments differ, costs do too.
    result<bool> holds_in_rows(const block_row& row) {
        const block_line along = lines_along<Ways>(row.dimension, grid_).front();
        const std::uint32_t count = grid_[row.dimension];
        const bool costs = !row.ends_with_block() || !has_alignments<Ways>(sample_);
        for (const double number : places_in_rows<Ways>(row, count)) {
            if (!(number >= 0 && number < count)) continue;
            const auto index = static_cast<std::uint32_t>(number);
            const block_index standing = standing_for(along.at(index));
            block_index block = standing;
            block[row.dimension] = index;
            const auto real = costs ? known_.whole_of(block) : known_.path_of(block);
            if (!real) return real.error();
            const auto taken = costs ? known_.whole_of(standing) : known_.path_of(standing);
            if (!taken) return taken.error();
            if (*real != *taken) return false;
        }
        return true;
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

    block_index grid_;
    known_blocks<Ways>& known_;
    const block_sample& sample_;
};

template <class Ways>
result<block_sample> representative_blocks(const block_index& grid, Ways& ways) {
    known_blocks<Ways> known(ways);
    block_kinds<Ways> kinds(grid, known);
    auto sample = kinds.find();
    if (!sample) return sample;
    if (kinds.is_irregular()) return block_lattice(grid);
    const auto holds = sample_trial<Ways>(grid, known, *sample).holds();
    if (!holds) return holds.error();
    if (!*holds) return block_lattice(grid);
    return sample;
}

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::trace

#endif
