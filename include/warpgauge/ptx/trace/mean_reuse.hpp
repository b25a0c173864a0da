// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TRACE_MEAN_REUSE_HPP
#define WARPGAUGE_PTX_TRACE_MEAN_REUSE_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

#include <warpgauge/core/scalar.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/ptx/trace/round_reuse.hpp>

/// \file What the rounds of a launch read again: a ratio of sums over blocks, of which some are drawn.
///
/// Source: M. Hansen, W. Hurwitz, On the Theory of Sampling from Finite Populations, Ann. Math. Statist. 14, 1943: the variance of a sum
/// from units that are drawn with unequal probabilities; W. Cochran, Sampling Techniques, 3rd ed. 1977, ch. 6: that of a ratio is the
/// one of the differences from it.

namespace WARPGAUGE_NAMESPACE::ptx::detail::trace {

template <class Used = core::when_used>
class mean_reuse {
public:
    /// A block that stands for itself, or for others that read alike: for `weight` of them.
    void add(const block_reads& of, double weight) {
        sum_.sectors += weight * of.sectors;
        sum_.reused += weight * of.reused;
    }
    /// One of several of a kind that were drawn.
    void add_drawn(const block_reads& of, double weight, std::uint64_t kind) {
        add(of, weight);
        drawn_.push_back({of, weight, kind});
    }

    /// Blocks of a kind that were not drawn may read so many sectors again that none which was drawn does; 0: they are alike.
    void set_unseen(double sectors) { unseen_ = sectors; }

    /// Of the sectors that rounds read, the fraction that one of the few rounds before has read too, 0 to 1.
    [[nodiscard]] double fraction() const {
        return sum_.sectors > 0 ? sum_.reused / sum_.sectors : 0;
    }

    /// How many more sectors a block of a kind that was drawn reads again than all blocks do, of as many as it reads.
    [[nodiscard]] double off_of(std::uint64_t kind) const {
        double blocks = 0;
        double sum = 0;
        for (const drawn& d : drawn_) {
            if (d.kind != kind) continue;
            blocks += d.weight;
            sum += d.weight * off(d);
        }
        return blocks > 0 ? sum / blocks : 0;
    }
    /// The variance of their sum over all blocks, since the number of blocks of a kind is estimated.
    void add_variance(double of_sum) { between_ += of_sum; }

    /// Three standard errors of the fraction.
    [[nodiscard]] double error() const {
        double variance = between_;
        for (std::size_t n = 0; n < drawn_.size(); ++n) {
            if (is_first_of_kind(n)) variance += variance_of(drawn_[n].kind);
        }
        if (!(variance > 0)) return 0;
        const double error = 3 * core::sqrt(variance) / sum_.sectors;
        return core::min(error, core::max(fraction(), 1 - fraction()));
    }

private:
    struct drawn {
        block_reads of{};
        double weight{};
        std::uint64_t kind{};
    };

    [[nodiscard]] double off(const drawn& d) const {
        return d.of.reused - fraction() * d.of.sectors;
    }

    [[nodiscard]] bool is_first_of_kind(std::size_t n) const {
        for (std::size_t k = 0; k < n; ++k) {
            if (drawn_[k].kind == drawn_[n].kind) return false;
        }
        return true;
    }

    // Of the sum over the blocks of a kind. Of what no block that was drawn does, as if one of them did it: three in so many may, of
    // 20 times but once (B. Jovanovic, P. Levy, A Look at the Rule of Three, Am. Stat. 51, 1997).
    [[nodiscard]] double variance_of(std::uint64_t kind) const {
        const double mean = off_of(kind);
        double draws = 0;
        double blocks = 0;
        double squares = 0;
        double least = 0;
        double most = 0;
        double sectors = 0;
        for (const drawn& d : drawn_) {
            if (d.kind != kind) continue;
            sectors = core::max(sectors, d.of.sectors);
            least = draws > 0 ? core::min(least, off(d)) : off(d);
            most = draws > 0 ? core::max(most, off(d)) : off(d);
            draws += 1;
            blocks += d.weight;
            squares += d.weight * (off(d) - mean) * d.weight * (off(d) - mean);
        }
        if (draws >= blocks) return 0;
        const double unseen = blocks / draws * core::min(unseen_, sectors);
        const double seen = draws < 2 || least == most ? 0.0 : squares * draws / (draws - 1);
        return (1 - draws / blocks) * core::max(seen, unseen * unseen);
    }

    block_reads sum_;  // over all blocks
    double between_ = 0;
    double unseen_ = 0;
    core::late<Used, std::vector<drawn>> drawn_;
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::trace

#endif
