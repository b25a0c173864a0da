// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TRACE_SAMPLING_SPREAD_HPP
#define WARPGAUGE_PTX_TRACE_SAMPLING_SPREAD_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include <warpgauge/core/scalar.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/kernel/profile.hpp>
#include <warpgauge/ptx/trace/traced_kernel.hpp>

/// \file How far the counts of a sample may be off: stratified sampling, a stratum for each way that warps take.
///
/// Source: W. Cochran, Sampling Techniques, 3rd ed. 1977, eq. (5.6): the variance of a stratified mean.

namespace WARPGAUGE_NAMESPACE::ptx::detail::trace {

/// Counts of one warp that have errors.
using warp_counts = std::array<double, 14>;
/// From this one on, only accesses of global memory add to them.
inline constexpr std::size_t first_global_count = 8;

/// What a trace has of them, what its accesses touch and what its warps wait for, summed over warps.
inline warp_counts counts_of(const traced_kernel& t, const memory_accesses<>& touched,
                             const dependent_waits<>& waits) {
    return {t.warp_insts,
            t.active_lanes,
            t.shared_load_passes + t.shared_store_passes,
            t.shared_load_passes,
            t.shared_store_passes,
            waits.steps,
            waits.l1_waits,
            waits.store_waits,
            t.bytes_moved,
            t.transactions,
            t.atomic_turns,
            touched.load_sectors,
            touched.full_store_sectors + touched.partial_store_sectors,
            touched.lines};
}

template <class Used = core::when_used>
class sampling_spread {
public:
    /// A warp that goes `path` and stands for `weight` warps.
    void add(std::uint64_t path, double weight, const warp_counts& of_warp) {
        followed_.push_back({path, weight, of_warp});
    }

    /// Three standard errors of the mean of `warps` warps.
    sampling_errors errors(double warps) {
        if (followed_.empty()) return {};
        std::qsort(followed_.data(), followed_.size(), sizeof(followed), compare);
        core::late<Used, std::vector<followed>> alone;  // warps whose way no other was followed on
        warp_counts variance{};
        for (std::size_t n = 0; n < followed_.size();) {
            std::size_t end = n + 1;
            while (end < followed_.size() && followed_[end].path == followed_[n].path) ++end;
            if (end == n + 1) alone.push_back(followed_[n]);
            if (end > n + 1) add_stratum(&followed_[n], end - n, variance);
            n = end;
        }
        if (alone.size() > 1) add_stratum(alone.data(), alone.size(), variance);
        warp_counts error{};
        for (std::size_t k = 0; k < error.size(); ++k) {
            error[k] = 3 * core::sqrt(variance[k]) / warps;
        }
        return {.warp_insts = error[0],
                .lane_insts = error[1],
                .bytes_moved = error[8],
                .transactions = error[9],
                .shared_passes = error[2],
                .shared_load_passes = error[3],
                .shared_store_passes = error[4],
                .atomic_turns = error[10],
                .load_sectors = error[11],
                .store_sectors = error[12],
                .lines = error[13],
                .wait_steps = error[5],
                .l1_waits = error[6],
                .store_waits = error[7]};
    }

private:
    struct followed {
        std::uint64_t path{};
        double weight{};
        warp_counts counts{};
    };

    static int compare(const void* left, const void* right) {
        const auto& a = *static_cast<const followed*>(left);
        const auto& b = *static_cast<const followed*>(right);
        return a.path < b.path ? -1 : a.path > b.path ? 1 : 0;
    }

    // Adds the variance of the sum over a stratum: N^2 s^2 / n, less what the sample itself is of it.
    static void add_stratum(const followed* first, std::size_t count, warp_counts& variance) {
        double all = 0;
        for (std::size_t n = 0; n < count; ++n) all += first[n].weight;
        const auto sample = static_cast<double>(count);
        const double left = core::max(0.0, 1 - sample / all);
        for (std::size_t k = 0; k < variance.size(); ++k) {
            double mean = 0;
            for (std::size_t n = 0; n < count; ++n) mean += first[n].counts[k] / sample;
            double squares = 0;
            for (std::size_t n = 0; n < count; ++n) {
                const double off = first[n].counts[k] - mean;
                squares += off * off;
            }
            variance[k] += all * all * left * squares / (sample * (sample - 1));
        }
    }

    core::late<Used, std::vector<followed>> followed_;
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::trace

#endif
