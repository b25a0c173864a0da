// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TRACE_BLOCK_DRAWS_HPP
#define WARPGAUGE_PTX_TRACE_BLOCK_DRAWS_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

#include <warpgauge/core/scalar.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/ptx/trace/block_sample.hpp>

/// \file Draws a few of the blocks of a sample, some of each kind.

namespace WARPGAUGE_NAMESPACE::ptx::detail::trace {

/// A block that is drawn, perhaps several times.
struct drawn_block {
    std::uint32_t times{};  ///< 0: it is not
    double weight{};        ///< blocks that one draw stands for
    std::uint64_t kind{};
};

/// Blocks are added or skipped one after the other, and drawn in the same order: with a probability in proportion to the blocks that
/// each stands for, one in each of as many equal parts of those of a kind. What is skipped takes no memory.
template <class Used = core::when_used>
class block_draws {
public:
    /// A block that is not to be drawn.
    void skip() { ++visited_; }
    /// A block whose warps go the ways of `kind`, and which stands for `weight` blocks.
    void add(std::uint64_t kind, double weight) {
        std::size_t n = 0;
        while (n < kinds_.size() && kinds_[n].number != kind && n + 1 < max_kinds) ++n;
        if (n == kinds_.size()) kinds_.push_back({.number = kind});
        kinds_[n].blocks += weight;
        all_ += weight;
        added_.push_back({visited_++, static_cast<std::uint32_t>(n), weight});
    }
    /// Is there none that may be drawn?
    [[nodiscard]] bool is_empty() const { return added_.empty(); }

    /// The next one of those that were added or skipped.
    drawn_block next() {
        const std::uint64_t place = asked_++;
        if (next_ == added_.size() || added_[next_].place != place) return {};
        const added& a = added_[next_++];
        blocks_of_kind& of = kinds_[a.kind];
        const std::uint32_t draws =
            min_draws + static_cast<std::uint32_t>(more_draws * of.blocks / all_);
        const double part = of.blocks / draws;
        of.passed += a.weight;
        drawn_block found{0, part, of.number};
        while (of.drawn < draws && part * place_in_part(of.drawn) < of.passed) {
            ++of.drawn;
            ++found.times;
        }
        return found;
    }

    /// The variance of a sum over all blocks where each that was added stands for a cell of a lattice, since the number of those of a kind
    /// is estimated. `value(kind)`: of a block. As in `sampling_spread`: half of the mean square of the difference between neighbours.
    template <class Value>
    [[nodiscard]] double variance_between(const Value& value) const {
        core::late<Used, std::vector<double>> values;
        for (const blocks_of_kind& k : kinds_) values.push_back(value(k.number));
        double sum = 0;
        for (std::size_t n = 1; n < added_.size(); ++n) {
            const double off = values[added_[n].kind] - values[added_[n - 1].kind];
            sum += off * off * (cells_of(added_[n]) + cells_of(added_[n - 1])) / 4;
        }
        const auto blocks = static_cast<double>(added_.size());
        return added_.size() < 2 ? 0 : sum * blocks / (blocks - 1);
    }

private:
    static constexpr std::size_t max_kinds = 16;  // further ones count as the last
    static constexpr std::uint32_t min_draws = 4;
    static constexpr double more_draws = 8;  // of all kinds together

    struct blocks_of_kind {
        std::uint64_t number{};
        double blocks{};  // that it stands for
        double passed{};  // of these
        std::uint32_t drawn{};
    };
    struct added {
        std::uint64_t place{};  // among all
        std::uint32_t kind{};
        double weight{};
    };

    // Pairs of blocks of its cell.
    static double cells_of(const added& a) { return a.weight * (a.weight - 1); }

    // A number from `draw` to the next.
    static double place_in_part(std::uint32_t draw) {
        constexpr std::uint32_t fine = 1U << 16;
        return draw + static_cast<double>(scattered(draw, fine)) / fine;
    }

    double all_ = 0;
    std::uint64_t visited_ = 0;
    std::uint64_t asked_ = 0;
    std::size_t next_ = 0;
    core::late<Used, std::vector<blocks_of_kind>> kinds_;
    core::late<Used, std::vector<added>> added_;
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::trace

#endif
