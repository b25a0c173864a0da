// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_TUNE_SCORE_HPP
#define WARPGAUGE_TUNE_SCORE_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>

/// \file How well predicted times rank measured ones.
///
/// All functions take one predicted and one measured time for each launch, in the same order, and
/// do not depend on that order. They allocate working memory, once per call, in proportion to the
/// number of launches.
/// \errors for all of them
///         malformed      `measured`: not as many as `predicted`
///         missing        `predicted`: none (for a correlation: fewer than two)
///         not_positive   `predicted`, `measured`: a time that is not a finite number above zero
///         outside_domain `predicted`, `measured`: all the same, so that no correlation exists

namespace warpgauge {

namespace detail::tune {

constexpr model_error check_times(std::span<const double> predicted,
                                  std::span<const double> measured, std::size_t least) {
    if (measured.size() != predicted.size()) return {errc::malformed, "measured"};
    if (predicted.size() < least) return {errc::missing, "predicted"};
    for (const double t : predicted) {
        if (!core::positive(t)) return {errc::not_positive, "predicted"};
    }
    for (const double t : measured) {
        if (!core::positive(t)) return {errc::not_positive, "measured"};
    }
    return {};
}

/// Positions of `values`, those of smaller values first.
template <class Less>
std::vector<std::size_t> sorted_positions(std::size_t count, Less less) {
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), less);
    return order;
}

/// Ranks from 1; equal values share the mean of their ranks.
inline std::vector<double> mid_ranks(std::span<const double> values) {
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

/// Sorts `values` and returns how many exchanges of neighbours that took.
inline double sort_counting_exchanges(std::vector<double>& values) {
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

/// Spearman's rank correlation, -1 to 1: the correlation of mid-ranks.
[[nodiscard]] inline result<double> spearman(std::span<const double> predicted,
                                             std::span<const double> measured) {
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

/// Kendall's tau-b, -1 to 1, in O(n log n) (W. R. Knight, "A Computer Method for Calculating
/// Kendall's Tau with Ungrouped Data", JASA 61, 1966).
[[nodiscard]] inline result<double> kendall_tau_b(std::span<const double> predicted,
                                                  std::span<const double> measured) {
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

/// What measuring only the `count` launches predicted fastest costs: the best measured time of all
/// over the best among them, 0 to 1. Where launches that share a prediction would be cut apart, the
/// geometric mean over all ways to cut.
/// \errors besides, not_positive `count`
[[nodiscard]] inline result<double> best_of_first(std::span<const double> predicted,
                                                  std::span<const double> measured,
                                                  std::size_t count) {
    if (const auto bad = detail::tune::check_times(predicted, measured, 1)) return bad;
    if (count == 0) return model_error{errc::not_positive, "count"};
    const std::size_t n = predicted.size();
    const auto order = detail::tune::sorted_positions(n, [&](std::size_t i, std::size_t j) {
        return predicted[i] != predicted[j] ? predicted[i] < predicted[j]
                                            : measured[i] < measured[j];
    });
    count = core::min(count, n);
    const double edge = predicted[order[count - 1]];  // the first and last that share it:
    std::size_t first = count - 1;
    std::size_t last = count;
    while (first > 0 && predicted[order[first - 1]] == edge) --first;
    while (last < n && predicted[order[last]] == edge) ++last;

    const double best = *std::min_element(measured.begin(), measured.end());
    double sure = std::numeric_limits<double>::infinity();  // the best that no cut leaves out
    for (std::size_t i = 0; i < first; ++i) sure = core::min(sure, measured[order[i]]);
    // Choosing `chosen` of the tied at random, the fastest taken is the i-th of them with
    // probability (none before it taken) * (it is taken).
    const auto chosen = static_cast<double>(count - first);
    double none_before = 1;
    double mean_log = 0;
    for (std::size_t i = first; i < last && none_before > 0; ++i) {
        const double taken = chosen / static_cast<double>(last - i);
        mean_log +=
            none_before * taken * (std::log(best) - std::log(core::min(sure, measured[order[i]])));
        none_before *= 1 - taken;
    }
    return std::exp(mean_log);
}

/// What following the prediction costs: the best measured time over that of the launch predicted
/// fastest, 0 to 1. Where several launches share the prediction, the geometric mean over them.
[[nodiscard]] inline result<double> top_pick(std::span<const double> predicted,
                                             std::span<const double> measured) {
    return best_of_first(predicted, measured, 1);
}

/// As `best_of_first`, for a fraction of the launches (above 0, to 1), rounded up to a whole one.
/// \errors besides, outside_domain `fraction`
[[nodiscard]] inline result<double> top_fraction(std::span<const double> predicted,
                                                 std::span<const double> measured,
                                                 double fraction) {
    if (!(fraction > 0 && fraction <= 1)) return model_error{errc::outside_domain, "fraction"};
    const double launches = fraction * static_cast<double>(predicted.size());
    // 7% of 100 are 7, whatever 0.07 * 100 rounds to.
    return best_of_first(predicted, measured,
                         static_cast<std::size_t>(std::ceil(launches * (1 - 1e-12))));
}

/// What following the prediction costs on average, as a share of the best measured time, 0 or more: the mean
/// measured time of the launches predicted fastest over the best, less 1.
/// \errors besides, overflow `measured`: no double holds it
[[nodiscard]] inline result<double> regret(std::span<const double> predicted,
                                           std::span<const double> measured) {
    if (const auto bad = detail::tune::check_times(predicted, measured, 1)) return bad;
    const double fastest = *std::min_element(predicted.begin(), predicted.end());
    double over_best = 0;  // in times of the best, so that no sum of times overflows
    double picks = 0;
    const double best = *std::min_element(measured.begin(), measured.end());
    for (std::size_t i = 0; i < predicted.size(); ++i) {
        if (predicted[i] != fastest) continue;
        over_best += measured[i] / best - 1;
        picks += 1;
    }
    if (!core::finite(over_best)) return model_error{errc::overflow, "measured"};
    return over_best / picks;
}

namespace detail::tune {

/// Where the least of some values end. Those equal to the last share the places that are left for them.
struct last_place {
    double value{};
    double share{};  ///< places that are left over values equal to `value`

    /// That `v` is among the least, where equal ones are chosen evenly.
    [[nodiscard]] constexpr double probability(double v) const noexcept {
        return v < value ? 1 : v == value ? share : 0;
    }
};

/// The last of the `count` least of `values`, 1 to all of them. Leaves them in another order.
inline last_place last_of_least(std::span<double> values, std::size_t count) {
    const auto edge = values.begin() + static_cast<std::ptrdiff_t>(count - 1);
    std::nth_element(values.begin(), edge, values.end());
    const double last = *edge;
    const auto before =
        std::count_if(values.begin(), values.end(), [&](double v) { return v < last; });
    const auto tied = std::count(values.begin(), values.end(), last);
    return {last,
            (static_cast<double>(count) - static_cast<double>(before)) / static_cast<double>(tied)};
}

}  // namespace detail::tune

/// The share of the `count` launches measured fastest that are among the `count` predicted fastest, 0 to 1.
/// Where equal times are cut apart, the mean over all ways to cut.
/// \errors besides, not_positive `count`; outside_domain `count`: more than launches
[[nodiscard]] inline result<double> top_k_recall(std::span<const double> predicted,
                                                 std::span<const double> measured,
                                                 std::size_t count) {
    if (const auto bad = detail::tune::check_times(predicted, measured, 1)) return bad;
    if (count == 0) return model_error{errc::not_positive, "count"};
    if (count > predicted.size()) return model_error{errc::outside_domain, "count"};
    std::vector<double> p(predicted.begin(), predicted.end());
    std::vector<double> m(measured.begin(), measured.end());
    const detail::tune::last_place foretold = detail::tune::last_of_least(p, count);
    const detail::tune::last_place found = detail::tune::last_of_least(m, count);
    double both = 0;
    for (std::size_t i = 0; i < predicted.size(); ++i) {
        both += foretold.probability(predicted[i]) * found.probability(measured[i]);
    }
    return both / static_cast<double>(count);
}

namespace detail::tune {

/// exp of the mean of `value(ln(measured / predicted))`.
template <class Value>
result<double> exp_mean(std::span<const double> predicted, std::span<const double> measured,
                        Value value) {
    double sum = 0;
    for (std::size_t i = 0; i < predicted.size(); ++i) {
        sum += value(std::log(measured[i]) - std::log(predicted[i]));
    }
    const double factor = std::exp(sum / static_cast<double>(predicted.size()));
    if (core::positive(factor)) return factor;
    return model_error{errc::overflow, "measured"};
}

}  // namespace detail::tune

/// By what factor predicted times are off: the geometric mean of the larger over the smaller of each pair, 1
/// or more.
/// \errors besides, overflow `measured`: no double holds it
[[nodiscard]] inline result<double> mean_error_factor(std::span<const double> predicted,
                                                      std::span<const double> measured) {
    if (const auto bad = detail::tune::check_times(predicted, measured, 1)) return bad;
    return detail::tune::exp_mean(predicted, measured, [](double log) { return std::abs(log); });
}

/// The factor that measured times have to predicted ones: the geometric mean of measured over predicted.
/// \errors besides, overflow `measured`: no double holds it
[[nodiscard]] inline result<double> mean_scale(std::span<const double> predicted,
                                               std::span<const double> measured) {
    if (const auto bad = detail::tune::check_times(predicted, measured, 1)) return bad;
    return detail::tune::exp_mean(predicted, measured, [](double log) { return log; });
}

}  // namespace warpgauge

#endif
