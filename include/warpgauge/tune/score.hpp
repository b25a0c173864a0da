// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_TUNE_SCORE_HPP
#define WARPGAUGE_TUNE_SCORE_HPP

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/tune/last_place.hpp>
#include <warpgauge/tune/rank_correlation.hpp>

/// \file Scores of predicted times against measured ones. `top_pick`, `best_of_first`, `top_fraction`,
/// `fraction_to_measure`, `top_k_recall` and `regret` score the order; `mean_error_factor` and `mean_scale` the times.
/// It includes the rank correlations `spearman` and `kendall_tau_b` of `rank_correlation.hpp`.
///
/// All functions take one predicted and one measured time for each launch, in the same order. The result does not
/// depend on that order. Each call allocates working memory in proportion to the number of launches.
/// \errors for all of them
///         malformed      `measured`: not as many as `predicted`
///         missing        `predicted`: none
///         not_positive   `predicted`, `measured`: a time that is not a finite number above zero

namespace WARPGAUGE_NAMESPACE {

/// The fraction of the best performance that remains if only the `count` launches predicted fastest are measured: the
/// best measured time of all over the best of those, 0 to 1. If the cut falls between launches with the same
/// prediction, the geometric mean over all ways to cut.
/// \errors also not_positive `count`
template <class = core::when_used>
[[nodiscard]] result<double> best_of_first(std::span<const double> predicted,
                                           std::span<const double> measured, std::size_t count);

/// The fraction of the best performance of the launch predicted fastest: the best measured time over its measured
/// time, 0 to 1. If several launches have the same prediction, the geometric mean over them.
template <class = core::when_used>
[[nodiscard]] result<double> top_pick(std::span<const double> predicted,
                                      std::span<const double> measured) {
    return best_of_first(predicted, measured, 1);
}

/// How a fraction of the launches is rounded to a number.
enum class whole_part : std::uint8_t {
    up,       ///< the next whole number: 5% of 41 are 3
    nearest,  ///< the nearest whole number, a half up, at least 1: 5% of 41 are 2
};

/// As `best_of_first`, for a fraction of the launches (above 0, to 1).
/// \errors also outside_domain `fraction`; not_an_enumerator `part`
template <class = core::when_used>
[[nodiscard]] result<double> top_fraction(std::span<const double> predicted,
                                          std::span<const double> measured, double fraction,
                                          whole_part part = whole_part::up);

/// The fraction of the launches to measure, in the order of their predictions, until one takes at most `factor` (1 or
/// more) times the best measured time; above 0, to 1. If launches have the same prediction, the mean over their orders.
/// \errors also outside_domain `factor`
template <class = core::when_used>
[[nodiscard]] result<double> fraction_to_measure(std::span<const double> predicted,
                                                 std::span<const double> measured, double factor);

/// The fraction of the `count` launches measured fastest that are among the `count` predicted fastest, 0 to 1.
/// If the cut falls between equal times, the result is the mean over all ways to cut.
/// \errors also not_positive `count`; outside_domain `count`: more than launches
template <class = core::when_used>
[[nodiscard]] result<double> top_k_recall(std::span<const double> predicted,
                                          std::span<const double> measured, std::size_t count);

/// The fraction by which the launches predicted fastest are slower than the best, 0 or more: their mean measured
/// time over the best measured time, less 1.
/// \errors also overflow `measured`: no double holds it
template <class = core::when_used>
[[nodiscard]] result<double> regret(std::span<const double> predicted,
                                    std::span<const double> measured);

/// The mean error factor of predicted times: the geometric mean of the larger over the smaller of each pair, 1 or more.
/// \errors also overflow `measured`: no double holds it
template <class = core::when_used>
[[nodiscard]] result<double> mean_error_factor(std::span<const double> predicted,
                                               std::span<const double> measured);

/// The mean ratio of measured to predicted times: the geometric mean of measured over predicted.
/// \errors also overflow `measured`: no double holds it
template <class = core::when_used>
[[nodiscard]] result<double> mean_scale(std::span<const double> predicted,
                                        std::span<const double> measured);

// --- How

namespace detail::tune {

/// The smallest of `values`, which are not empty.
constexpr double smallest(std::span<const double> values) {
    double min = values[0];
    for (const double v : values) min = core::min(min, v);
    return min;
}

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

template <class>
result<double> best_of_first(std::span<const double> predicted, std::span<const double> measured,
                             std::size_t count) {
    if (const auto bad = detail::tune::check_times(predicted, measured, 1)) return bad;
    if (count == 0) return model_error{errc::not_positive, "count"};
    const std::size_t n = predicted.size();
    const auto order = detail::tune::sorted_positions(n, [&](std::size_t i, std::size_t j) {
        return predicted[i] != predicted[j] ? predicted[i] < predicted[j]
                                            : measured[i] < measured[j];
    });
    count = core::min(count, n);
    const double edge = predicted[order[count - 1]];  // launches `first` to `last` - 1 share it
    std::size_t first = count - 1;
    std::size_t last = count;
    while (first > 0 && predicted[order[first - 1]] == edge) --first;
    while (last < n && predicted[order[last]] == edge) ++last;

    const double best = detail::tune::smallest(measured);
    double sure = core::infinity<double>();  // the best that no cut leaves out
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

template <class>
result<double> top_fraction(std::span<const double> predicted, std::span<const double> measured,
                            double fraction, whole_part part) {
    if (!(fraction > 0 && fraction <= 1)) return model_error{errc::outside_domain, "fraction"};
    if (const auto bad = core::check_enumerator(part, whole_part::nearest, "part")) return bad;
    // 7% of 100 are 7, whatever 0.07 * 100 rounds to.
    const double launches = fraction * static_cast<double>(predicted.size());
    const double whole = part == whole_part::up
                             ? std::ceil(launches * (1 - 1e-12))
                             : core::max(std::floor(launches * (1 + 1e-12) + 0.5), 1.0);
    return best_of_first(predicted, measured, static_cast<std::size_t>(whole));
}

template <class>
result<double> fraction_to_measure(std::span<const double> predicted,
                                   std::span<const double> measured, double factor) {
    if (const auto bad = detail::tune::check_times(predicted, measured, 1)) return bad;
    if (!(factor >= 1) || !core::finite(factor)) return model_error{errc::outside_domain, "factor"};
    const double best = detail::tune::smallest(measured);
    const auto serves = [&](std::size_t i) { return measured[i] / best <= factor; };
    double first = core::infinity<double>();  // the first prediction with a launch that serves
    for (std::size_t i = 0; i < predicted.size(); ++i) {
        if (serves(i)) first = core::min(first, predicted[i]);
    }
    double before = 0;
    double tied = 0;
    double serving = 0;  // of the tied
    for (std::size_t i = 0; i < predicted.size(); ++i) {
        if (predicted[i] < first) ++before;
        if (predicted[i] != first) continue;
        ++tied;
        if (serves(i)) ++serving;
    }
    // In a random order of the tied, the first that serves has the others evenly around it.
    const double to_measure = before + (tied + 1) / (serving + 1);
    return to_measure / static_cast<double>(predicted.size());
}

template <class>
result<double> top_k_recall(std::span<const double> predicted, std::span<const double> measured,
                            std::size_t count) {
    if (const auto bad = detail::tune::check_times(predicted, measured, 1)) return bad;
    if (count == 0) return model_error{errc::not_positive, "count"};
    if (count > predicted.size()) return model_error{errc::outside_domain, "count"};
    std::vector<double> p(predicted.begin(), predicted.end());
    std::vector<double> m(measured.begin(), measured.end());
    const last_place of_predicted = last_of_smallest(p, count);
    const last_place of_measured = last_of_smallest(m, count);
    double both = 0;
    for (std::size_t i = 0; i < predicted.size(); ++i) {
        both += of_predicted.probability(predicted[i]) * of_measured.probability(measured[i]);
    }
    return both / static_cast<double>(count);
}

template <class>
result<double> regret(std::span<const double> predicted, std::span<const double> measured) {
    if (const auto bad = detail::tune::check_times(predicted, measured, 1)) return bad;
    const double fastest = detail::tune::smallest(predicted);
    double over_best = 0;  // in times of the best, so that no sum of times overflows
    double picks = 0;
    const double best = detail::tune::smallest(measured);
    for (std::size_t i = 0; i < predicted.size(); ++i) {
        if (predicted[i] != fastest) continue;
        over_best += measured[i] / best - 1;
        picks += 1;
    }
    if (!core::finite(over_best)) return model_error{errc::overflow, "measured"};
    return over_best / picks;
}

template <class>
result<double> mean_error_factor(std::span<const double> predicted,
                                 std::span<const double> measured) {
    if (const auto bad = detail::tune::check_times(predicted, measured, 1)) return bad;
    return detail::tune::exp_mean(predicted, measured, [](double log) { return std::abs(log); });
}

template <class>
result<double> mean_scale(std::span<const double> predicted, std::span<const double> measured) {
    if (const auto bad = detail::tune::check_times(predicted, measured, 1)) return bad;
    return detail::tune::exp_mean(predicted, measured, [](double log) { return log; });
}

}  // namespace WARPGAUGE_NAMESPACE

#endif
