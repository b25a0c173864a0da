// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TRACE_SAMPLING_SPREAD_HPP
#define WARPGAUGE_PTX_TRACE_SAMPLING_SPREAD_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <warpgauge/core/scalar.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/kernel/profile.hpp>
#include <warpgauge/ptx/trace/different_sectors.hpp>
#include <warpgauge/ptx/trace/traced_kernel.hpp>

/// \file How far the counts of a sample may be off: stratified sampling, a stratum for each way that warps take. Where blocks are
/// a sample too, as those of a lattice, their number on each way is estimated, so that the variance between blocks is added.
///
/// Source: W. Cochran, Sampling Techniques, 3rd ed. 1977, eq. (5.6): the variance of a stratified mean; sec. 5A.12: that of strata with one
/// unit each, by the differences of neighbours, which is rather too large; eq. (10.15): that of two stages. B. Welford, Technometrics 4,
/// 1962: mean and squares, one warp after the other.

namespace WARPGAUGE_NAMESPACE::ptx::detail::trace {

/// The places of the counts of one warp that have errors.
namespace count {
inline constexpr std::size_t units = sizeof(traced_kernel::unit_insts) / sizeof(double);
enum place : std::size_t {
    warp_insts,
    lane_insts,
    divergent_insts,
    unit_insts,
    shared_load_passes = unit_insts + units,
    shared_store_passes,
    shared_passes,
    wait_steps,
    l1_waits,
    store_waits,
    // Only accesses of global memory add to the rest.
    first_of_accesses,
    bytes_moved = first_of_accesses,
    coalesced_bytes_moved,
    coalesced_mem_insts,
    uncoalesced_mem_insts,
    transactions,
    atomic_turns,
    load_sectors,
    full_store_sectors,
    partial_store_sectors,
    store_sectors,
    lines,
    different_sectors,
    different_loaded,
    different_stored,
    all
};
}  // namespace count

using warp_counts = std::array<double, count::all>;

/// What a trace has of them, what its accesses touch and what its warps wait for, summed over warps.
inline warp_counts counts_of(const traced_kernel& t, const memory_accesses<>& touched,
                             const sectors_by_use<double>& different,
                             const dependent_waits<>& waits) {
    warp_counts c{};
    c[count::warp_insts] = t.warp_insts;
    c[count::lane_insts] = t.active_lanes;
    c[count::divergent_insts] = t.divergent_insts;
    for (std::size_t n = 0; n < count::units; ++n) c[count::unit_insts + n] = t.unit_insts[n];
    c[count::shared_load_passes] = t.shared_load_passes;
    c[count::shared_store_passes] = t.shared_store_passes;
    c[count::shared_passes] = t.shared_load_passes + t.shared_store_passes;
    c[count::wait_steps] = waits.steps;
    c[count::l1_waits] = waits.l1_waits;
    c[count::store_waits] = waits.store_waits;
    c[count::bytes_moved] = t.bytes_moved;
    c[count::coalesced_bytes_moved] = t.coalesced_bytes_moved;
    c[count::coalesced_mem_insts] = t.coalesced_mem_insts;
    c[count::uncoalesced_mem_insts] = t.uncoalesced_mem_insts;
    c[count::transactions] = t.transactions;
    c[count::atomic_turns] = t.atomic_turns;
    c[count::load_sectors] = touched.load_sectors;
    c[count::full_store_sectors] = touched.full_store_sectors;
    c[count::partial_store_sectors] = touched.partial_store_sectors;
    c[count::store_sectors] = touched.full_store_sectors + touched.partial_store_sectors;
    c[count::lines] = touched.lines;
    c[count::different_sectors] = different.all;
    c[count::different_loaded] = different.loaded;
    c[count::different_stored] = different.stored;
    return c;
}

/// Does unknown data decide what warps of a traced kernel execute?
inline bool data_decides(const traced_kernel& t) {
    for (const assumption& a : t.assumptions) {
        const bool is_loop = a.what == assumed::loop;
        if (is_loop || a.what == assumed::branch || a.what == assumed::predicate) return true;
    }
    return false;
}

/// Does it decide for whole warps, which take turns?
inline bool warps_take_turns(const traced_kernel& t) {
    for (const assumption& a : t.assumptions) {
        if (a.by_warp) return true;
    }
    return false;
}

/// What may differ between warps of which one alone was followed on its way, and those that it stands for: the same warps of
/// other blocks.
struct alone_warps {
    bool accesses{};           ///< the costs of their accesses, by alignment
    bool ways{};               ///< what they execute, since data decides
    bool turns{};              ///< how many go each way, since data decides for whole warps
    double aligned_alike = 1;  ///< followed warps that are aligned alike, and count as one
};

template <class Used = core::when_used>
class sampling_spread {
public:
    /// A warp that goes `path` and stands for `weight` warps; `in_typical_block`: as most do, but for what data decides.
    void add(std::uint64_t path, double weight, const warp_counts& of_warp,
             bool in_typical_block = false) {
        stratum_of(path).add(weight, of_warp);
        longest_followed_ = core::max(longest_followed_, of_warp[count::wait_steps]);
        between_.add(weight, of_warp);
        if (in_typical_block) turns_.add(of_warp);
    }

    /// The warps since the last call are of one block of a lattice, which stands for `weight` blocks.
    void end_block(double weight) { between_.end_block(weight); }

    /// Three standard errors of the mean of `warps` warps, of the footprint as far as the sectors that they touch limit it; for the longest warp, by how much three standard deviations above
    /// the mean of a path exceed the longest one that was followed.
    [[nodiscard]] sampling_errors errors(double warps, const alone_warps& differ) const {
        if (strata_.empty()) return {};
        stratum alone;  // warps whose way no other was followed on
        spread all;
        for (const auto& one : strata_) {
            const stratum& s = one.front();
            if (s.warps == 1) alone.add(s.weight, s.mean);
            if (s.warps > 1) add_stratum(s, 0, all);
        }
        const count::place from = differ.ways       ? count::warp_insts
                                  : differ.accesses ? count::first_of_accesses
                                                    : count::all;
        if (alone.warps > 1) add_stratum(alone, from, all);
        between_.add_to(all);
        const auto error = [&](std::size_t k) {
            const double of_turns = differ.turns ? turns_.error(k) : 0;
            const double alike = k < count::first_of_accesses ? 1 : differ.aligned_alike;
            return 3 * core::sqrt(alike * all.variance[k]) / warps + of_turns;
        };
        sampling_errors e{.warp_insts = error(count::warp_insts),
                          .lane_insts = error(count::lane_insts),
                          .divergent_insts = error(count::divergent_insts),
                          .bytes_moved = error(count::bytes_moved),
                          .coalesced_bytes_moved = error(count::coalesced_bytes_moved),
                          .coalesced_mem_insts = error(count::coalesced_mem_insts),
                          .uncoalesced_mem_insts = error(count::uncoalesced_mem_insts),
                          .transactions = error(count::transactions),
                          .shared_passes = error(count::shared_passes),
                          .shared_load_passes = error(count::shared_load_passes),
                          .shared_store_passes = error(count::shared_store_passes),
                          .atomic_turns = error(count::atomic_turns),
                          .load_sectors = error(count::load_sectors),
                          .full_store_sectors = error(count::full_store_sectors),
                          .partial_store_sectors = error(count::partial_store_sectors),
                          .store_sectors = error(count::store_sectors),
                          .lines = error(count::lines),
                          .wait_steps = error(count::wait_steps),
                          .longest_steps = core::max(0.0, all.longest_steps - longest_followed_),
                          .l1_waits = error(count::l1_waits),
                          .store_waits = error(count::store_waits),
                          .footprint_bytes = 32 * warps * error(count::different_sectors),
                          .loaded_bytes = 32 * warps * error(count::different_loaded),
                          .stored_bytes = 32 * warps * error(count::different_stored)};
        for (std::size_t n = 0; n < count::units; ++n) {
            e.unit_insts[n] = error(count::unit_insts + n);
        }
        return e;
    }

private:
    // Warps that go one way.
    struct stratum {
        double warps{}, weight{};
        warp_counts mean{}, squares{};  // the sum of those of differences from the mean

        void add(double more, const warp_counts& of_warp) {
            warps += 1;
            weight += more;
            for (std::size_t k = 0; k < mean.size(); ++k) {
                const double off = of_warp[k] - mean[k];
                mean[k] += off / warps;
                squares[k] += off * (of_warp[k] - mean[k]);
            }
        }
    };

    stratum& stratum_of(std::uint64_t path) {
        std::size_t n = 0;
        while (n < paths_.size() && paths_[n] != path) ++n;
        if (n == paths_.size()) {
            paths_.push_back(path);
            strata_.emplace_back(1);
        }
        return strata_[n].front();
    }

    struct spread {
        warp_counts variance{};  // of the sums over all warps
        double
            longest_steps{};  // `waits.steps` that the longest one that was not followed may have
    };

    // Where data decides, `n` warps take turns, so that a fraction of them is off by one in `n`.
    class turns_of_warps {
    public:
        void add(const warp_counts& of_warp) {
            for (std::size_t k = 0; k < of_warp.size(); ++k) {
                low_[k] = warps_ > 0 ? core::min(low_[k], of_warp[k]) : of_warp[k];
                high_[k] = warps_ > 0 ? core::max(high_[k], of_warp[k]) : of_warp[k];
            }
            warps_ += 1;
        }
        [[nodiscard]] double error(std::size_t k) const {
            return warps_ > 0 ? (high_[k] - low_[k]) / warps_ : 0;
        }

    private:
        warp_counts low_{}, high_{};
        double warps_{};
    };

    // The variance between the blocks of a lattice: half of the mean square of the difference between neighbours, in each cell
    // less what its block itself is of it.
    class between_blocks {
    public:
        void add(double weight, const warp_counts& of_warp) {
            for (std::size_t k = 0; k < block_.size(); ++k) block_[k] += weight * of_warp[k];
            longest_ = core::max(longest_, of_warp[count::wait_steps]);
        }

        void end_block(double weight) {
            for (double& sum : block_) sum /= weight;
            const double cells = weight * (weight - 1);
            if (blocks_ > 0) {
                for (std::size_t k = 0; k < block_.size(); ++k) {
                    const double off = block_[k] - before_[k];
                    variance_[k] += off * off * (cells + cells_before_) / 4;
                }
            }
            before_ = block_;
            block_ = {};
            cells_before_ = cells;
            blocks_ += 1;
            of_launch_ += weight;
            sum_longest_ += longest_;
            squares_longest_ += longest_ * longest_;
            reach_ = core::max(reach_, beyond(longest_before_, core::min(step_, step())));
            step_ = blocks_ > 1 ? step() : longest_;
            longest_before_ = longest_;
            longest_ = 0;
        }

        // What is within blocks counts for each block of the lattice.
        void add_to(spread& to) const {
            if (blocks_ < 2) return;
            for (std::size_t k = 0; k < variance_.size(); ++k) {
                to.variance[k] *= blocks_ / of_launch_;
                to.variance[k] += variance_[k] * blocks_ / (blocks_ - 1);
            }
            if (blocks_ == of_launch_) return;
            const double mean = sum_longest_ / blocks_;
            const double squares = core::max(0.0, squares_longest_ - blocks_ * mean * mean);
            const double high = mean + 3 * core::sqrt(squares / (blocks_ - 1));
            const double further = core::max(reach_, beyond(longest_before_, step_));
            to.longest_steps = core::max(to.longest_steps, core::max(high, further));
        }

    private:
        // Between the blocks of a lattice, waits may grow as much again as they do to the nearer of its neighbours, along each of two
        // dimensions.
        static double beyond(double longest, double step) { return longest + 2 * step; }
        [[nodiscard]] double step() const {
            return core::max(longest_, longest_before_) - core::min(longest_, longest_before_);
        }

        warp_counts block_{}, before_{};  // sums over a block under way; over the one before
        warp_counts variance_{};          // of the sums over all warps
        double cells_before_{};
        double blocks_{}, of_launch_{};
        double longest_{}, sum_longest_{}, squares_longest_{};  // `waits.steps`
        double longest_before_{}, step_{},
            reach_{};  // of the block before; from the one before that; what a block may have
    };

    // Adds the variance of the sum over a stratum: N^2 s^2 / n, less what the sample itself is of it; of counts from `from` on.
    static void add_stratum(const stratum& s, std::size_t from, spread& to) {
        const double left = core::max(0.0, 1 - s.warps / s.weight);
        if (left == 0) return;
        for (std::size_t k = from; k < to.variance.size(); ++k) {
            const double variance = s.squares[k] / (s.warps - 1);
            to.variance[k] += s.weight * s.weight * left * variance / s.warps;
            if (k != count::wait_steps) continue;
            to.longest_steps = core::max(to.longest_steps, s.mean[k] + 3 * core::sqrt(variance));
        }
    }

    core::late<Used, std::vector<std::uint64_t>> paths_;
    // Of these, each on its own: half a KiB that is not moved when there are more.
    core::late<Used, std::vector<std::vector<stratum>>> strata_;
    double longest_followed_{};  // `waits.steps` of a warp
    turns_of_warps turns_;
    between_blocks between_;
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::trace

#endif
