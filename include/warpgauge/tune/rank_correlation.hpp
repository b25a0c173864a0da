// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_TUNE_RANK_CORRELATION_HPP
#define WARPGAUGE_TUNE_RANK_CORRELATION_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/core/when_used.hpp>

/// \file Rank correlations of predicted and measured times: `spearman`, `kendall_tau_b`.
///
/// Both take one predicted and one measured time for each launch, in the same order. The result does not depend on
/// that order. Each call allocates working memory in proportion to the number of launches.
/// \errors for both
///         malformed      `measured`: not as many as `predicted`
///         missing        `predicted`: fewer than two
///         not_positive   `predicted`, `measured`: a time that is not a finite number above zero
///         outside_domain `predicted`, `measured`: all the same, so that no correlation exists

namespace WARPGAUGE_NAMESPACE {

/// Spearman's rank correlation, -1 to 1: the correlation of mid-ranks.
template <class = core::when_used>
[[nodiscard]] result<double> spearman(std::span<const double> predicted,
                                      std::span<const double> measured);

/// Kendall's tau-b, -1 to 1, in O(n log n) (W. R. Knight, "A Computer Method for Calculating
/// Kendall's Tau with Ungrouped Data", JASA 61, 1966).
template <class = core::when_used>
[[nodiscard]] result<double> kendall_tau_b(std::span<const double> predicted,
                                           std::span<const double> measured);

// --- How

namespace detail::tune {

constexpr model_error check_times(std::span<const double> predicted,
                                  std::span<const double> measured, std::size_t min_count) {
    if (measured.size() != predicted.size()) return {errc::malformed, "measured"};
    if (predicted.size() < min_count) return {errc::missing, "predicted"};
    for (const double t : predicted) {
        if (!core::positive(t)) return {errc::not_positive, "predicted"};
    }
    for (const double t : measured) {
        if (!core::positive(t)) return {errc::not_positive, "measured"};
    }
    return {};
}

/// The positions 0 to `count` - 1, sorted by `less`.
template <class Less>
std::vector<std::size_t> sorted_positions(std::size_t count, Less less) {
    std::vector<std::size_t> order(count);
    for (std::size_t n = 0; n < count; ++n) order[n] = n;
    std::sort(order.begin(), order.end(), less);
    return order;
}

/// Ranks from 1; equal values share the mean of their ranks.
template <class = core::when_used>
std::vector<double> mid_ranks(std::span<const double> values) {
    const auto order = sorted_positions(
        values.size(), [&](std::size_t i, std::size_t j) { return values[i] < values[j]; });
    std::vector<double> ranks(values.size());
    for (std::size_t first = 0; first < order.size();) {
        std::size_t last = first;
        while (last < order.size() && values[order[last]] == values[order[first]]) ++last;
        const double rank = 0.5 * (static_cast<double>(first + 1) + static_cast<double>(last));
        for (; first < last; ++first) ranks[order[first]] = rank;
    }
    return ranks;
}

/// Sorts `values` and returns the number of exchanges of neighbours that this took.
template <class = core::when_used>
double sort_counting_exchanges(std::vector<double>& values) {
    double exchanges = 0;
    std::vector<double> merged(values.size());
    for (std::size_t width = 1; width < values.size(); width *= 2) {
        for (std::size_t low = 0; low < values.size(); low += 2 * width) {
            const std::size_t middle = core::min(low + width, values.size());
            const std::size_t high = core::min(low + 2 * width, values.size());
            std::size_t left = low;
            std::size_t right = middle;
            for (std::size_t to = low; to < high; ++to) {
                if (left < middle && (right == high || values[left] <= values[right])) {
                    merged[to] = values[left++];
                } else {
                    merged[to] = values[right++];
                    exchanges += static_cast<double>(middle - left);
                }
            }
        }
        values.swap(merged);
    }
    return exchanges;
}

/// The number of pairs within runs of equal elements.
template <class Same>
double tied_pairs(std::size_t count, Same same_as_previous) {
    double pairs = 0;
    double run = 0;
    for (std::size_t i = 1; i < count; ++i) {
        run = same_as_previous(i) ? run + 1 : 0;
        pairs += run;
    }
    return pairs;
}

}  // namespace detail::tune

template <class>
result<double> spearman(std::span<const double> predicted, std::span<const double> measured) {
    if (const auto bad = detail::tune::check_times(predicted, measured, 2)) return bad;
    const auto a = detail::tune::mid_ranks(predicted);
    const auto b = detail::tune::mid_ranks(measured);
    const double mean = 0.5 * (static_cast<double>(a.size()) + 1);
    double ab = 0;
    double aa = 0;
    double bb = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        ab += (a[i] - mean) * (b[i] - mean);
        aa += (a[i] - mean) * (a[i] - mean);
        bb += (b[i] - mean) * (b[i] - mean);
    }
    if (aa == 0) return model_error{errc::outside_domain, "predicted"};
    if (bb == 0) return model_error{errc::outside_domain, "measured"};
    return ab / std::sqrt(aa * bb);
}

template <class>
result<double> kendall_tau_b(std::span<const double> predicted, std::span<const double> measured) {
    if (const auto bad = detail::tune::check_times(predicted, measured, 2)) return bad;
    const std::size_t n = predicted.size();
    const auto order = detail::tune::sorted_positions(n, [&](std::size_t i, std::size_t j) {
        return predicted[i] != predicted[j] ? predicted[i] < predicted[j]
                                            : measured[i] < measured[j];
    });
    const auto same_predicted = [&](std::size_t i) {
        return predicted[order[i]] == predicted[order[i - 1]];
    };
    const double tied_a = detail::tune::tied_pairs(n, same_predicted);
    const double tied_both = detail::tune::tied_pairs(n, [&](std::size_t i) {
        return same_predicted(i) && measured[order[i]] == measured[order[i - 1]];
    });
    std::vector<double> b(n);
    for (std::size_t i = 0; i < n; ++i) b[i] = measured[order[i]];
    const double discordant = detail::tune::sort_counting_exchanges(b);
    const double tied_b =
        detail::tune::tied_pairs(n, [&](std::size_t i) { return b[i] == b[i - 1]; });

    const double pairs = 0.5 * static_cast<double>(n) * (static_cast<double>(n) - 1);
    if (tied_a == pairs) return model_error{errc::outside_domain, "predicted"};
    if (tied_b == pairs) return model_error{errc::outside_domain, "measured"};
    const double concordant_less_discordant = pairs - tied_a - tied_b + tied_both - 2 * discordant;
    return concordant_less_discordant / std::sqrt((pairs - tied_a) * (pairs - tied_b));
}

}  // namespace WARPGAUGE_NAMESPACE

#endif
