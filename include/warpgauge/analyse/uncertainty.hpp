// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_ANALYSE_UNCERTAINTY_HPP
#define WARPGAUGE_ANALYSE_UNCERTAINTY_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <warpgauge/analyse/sampling.hpp>
#include <warpgauge/analyse/unknowns.hpp>
#include <warpgauge/core/quantile.hpp>
#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/kernel/profile.hpp>
#include <warpgauge/models/model.hpp>
#include <warpgauge/tune/last_place.hpp>
#include <warpgauge/tune/prune.hpp>

/// \file The error of a predicted time when parameters are known only approximately, and how certain it is that one
/// configuration is faster than another: `uncertain_time`, `distribution_of`, `probability_faster`,
/// `top_k_probabilities`.
///
/// `unknowns.hpp` describes uncertain parameters, and `sampling.hpp` samples the times.

namespace WARPGAUGE_NAMESPACE {

/// The distribution of one configuration's time.
struct time_distribution : failures {
    std::vector<double> seconds{};  ///< s, of the samples that have a time, ascending
    double mean_seconds{};          ///< s, of the samples that have a time
    double deviation_seconds{};     ///< s, standard deviation of one sample; 0 for a single sample

    /// The `q`-quantile of the samples, linearly interpolated (R. J. Hyndman, Y. Fan, "Sample Quantiles in
    /// Statistical Packages", The American Statistician 50, 1996, definition 7).
    /// \errors outside_domain  `q`: not from 0 to 1
    ///         missing         `seconds`: there are no samples
    template <class = core::when_used>
    [[nodiscard]] result<double> quantile(double q) const {
        if (const auto bad = check(q, "q")) return bad;
        return core::quantile(seconds, q);
    }

    /// The range of the middle `fraction` of the samples: 0.9 leaves out a twentieth on either side.
    /// \errors outside_domain  `fraction`: not from 0 to 1
    ///         missing         `seconds`: there are no samples
    template <class = core::when_used>
    [[nodiscard]] result<time_bounds> interval(double fraction) const {
        if (const auto bad = check(fraction, "fraction")) return bad;
        return time_bounds{core::quantile(seconds, (1 - fraction) / 2),
                           core::quantile(seconds, (1 + fraction) / 2)};
    }

    /// The standard error of `mean_seconds`.
    template <class = core::when_used>
    [[nodiscard]] double mean_error_seconds() const {
        return seconds.empty() ? 0
                               : deviation_seconds / std::sqrt(static_cast<double>(seconds.size()));
    }

    /// Bounds of the quantile that infinitely many samples would have, with a confidence of about 95%: the samples
    /// 1.96 standard deviations of a binomial count to either side (H. A. David, H. N. Nagaraja, "Order
    /// Statistics", 2003, sec. 7.1). At the first and the last sample the confidence is lower.
    /// \errors as `quantile`
    template <class = core::when_used>
    [[nodiscard]] result<time_bounds> quantile_bounds(double q) const {
        if (const auto bad = check(q, "q")) return bad;
        const auto n = static_cast<double>(seconds.size());
        const double reach = 1.96 * std::sqrt(n * q * (1 - q));
        const auto sample = [&](double rank) {  // from 1
            return seconds[static_cast<std::size_t>(core::min(core::max(rank, 1.0), n)) - 1];
        };
        return time_bounds{sample(std::floor(n * q - reach)), sample(std::ceil(n * q + reach) + 1)};
    }

private:
    template <class = core::when_used>
    [[nodiscard]] model_error check(double fraction, std::string_view field) const {
        if (!(fraction >= 0 && fraction <= 1)) return {errc::outside_domain, field};
        if (seconds.empty()) return {errc::missing, "seconds"};
        return {};
    }
};

/// The distribution of the samples that have a time.
/// \errors that of the first sample, if none has a time
///         missing  `seconds`: there are no samples
template <class = core::when_used>
[[nodiscard]] result<time_distribution> distribution_of(sampled_times times);

/// Samples the time of one configuration and returns `distribution_of` them.
/// \errors as `sample` and `distribution_of`
template <placeable_model Model>
[[nodiscard]] result<time_distribution> uncertain_time(const Model& model,
                                                       const kernel_profile<>& profile,
                                                       std::span<const uncertain> unknowns,
                                                       const sampling_options& options = {}) {
    auto times = sample(model, profile, unknowns, options);
    if (!times) return times.error();
    return distribution_of(*std::move(times));
}

/// The probability that one configuration is faster than another: fractions of the samples in which both have a
/// time. Their sum is 1.
struct faster_probability : failures {
    double first{};   ///< that the first is faster
    double second{};  ///< that the second is faster
    double tie{};     ///< that both take the same time, to the bit
    /// The standard error of `first`, sqrt(p (1 - p) / n). If all n samples agree it is 0, and p is within
    /// 3 / n with a confidence of 95%.
    double standard_error{};
};

/// Compares two configurations sample by sample, so that shared variations cancel out.
/// \errors malformed  `second`: not as many samples as `first`
///         missing    `first`: there are no samples
///         that of the first sample, if no sample has a time for both
template <class = core::when_used>
[[nodiscard]] result<faster_probability> probability_faster(const sampled_times& first,
                                                            const sampled_times& second);

/// The probability that a configuration is among the fastest.
struct top_k_probability : failures {
    double probability{};     ///< 0 to 1
    double standard_error{};  ///< an upper bound, sqrt(p (1 - p) / n)
};

/// The probability of each configuration to be among the `k` fastest. In a sample in which several tie for the last
/// places, each gets the same fraction of those places: all ways to break the tie have the same weight. A
/// configuration without a time has no place in that sample. The sum is `k` if at least `k` have a time in
/// each sample.
/// \errors not_positive  `k`
///         malformed     `times`, with the entry: not as many samples as the first
///         missing       `times`: none, or no samples
///         that of the first sample, if no configuration has a time in any
template <class = core::when_used>
[[nodiscard]] result<std::vector<top_k_probability>> top_k_probabilities(
    std::span<const sampled_times> times, std::size_t k);

// --- How

namespace detail::analyse {

/// The standard error of a fraction `p` of `n` samples: sqrt(p (1 - p) / n).
[[nodiscard]] inline double fraction_error(double p, double n) {
    return std::sqrt(core::max(p * (1 - p), 0.0) / n);
}

[[nodiscard]] inline model_error none_predicted(const failures& f) {
    return f.first_error ? f.first_error : model_error{errc::missing, "seconds"};
}

}  // namespace detail::analyse

template <class>
result<time_distribution> distribution_of(sampled_times times) {
    time_distribution t;
    static_cast<failures&>(t) = times;
    t.seconds = std::move(times.seconds);
    std::erase_if(t.seconds, [](double s) { return !core::positive(s); });
    if (t.seconds.empty()) return detail::analyse::none_predicted(t);
    std::sort(t.seconds.begin(), t.seconds.end());
    // Offsets from the minimum, scaled by the maximum: equal times have no deviation, and no square overflows.
    const double min = t.seconds.front();
    const double max = t.seconds.back();
    const auto n = static_cast<double>(t.seconds.size());
    double above = 0;
    for (const double s : t.seconds) above += (s - min) / max;
    above /= n;
    double squares = 0;
    for (const double s : t.seconds) {
        const double off = (s - min) / max - above;
        squares += off * off;
    }
    t.mean_seconds = core::min(min + above * max, max);
    t.deviation_seconds = n > 1 ? std::sqrt(squares / (n - 1)) * max : 0;
    return t;
}

template <class>
result<faster_probability> probability_faster(const sampled_times& first,
                                              const sampled_times& second) {
    if (second.seconds.size() != first.seconds.size()) {
        return model_error{errc::malformed, "second"};
    }
    if (first.seconds.empty()) return model_error{errc::missing, "first"};
    faster_probability p;
    std::size_t first_faster = 0;
    std::size_t second_faster = 0;
    std::size_t ties = 0;
    for (std::size_t i = 0; i < first.seconds.size(); ++i) {
        const double a = first.seconds[i];
        const double b = second.seconds[i];
        if (!core::positive(a) || !core::positive(b)) {
            p.add(core::positive(a) ? second.first_error : first.first_error);
        } else {
            ++(a < b ? first_faster : b < a ? second_faster : ties);
        }
    }
    const auto n = static_cast<double>(first_faster + second_faster + ties);
    if (n == 0) return detail::analyse::none_predicted(p);
    p.first = static_cast<double>(first_faster) / n;
    p.second = static_cast<double>(second_faster) / n;
    p.tie = static_cast<double>(ties) / n;
    p.standard_error = detail::analyse::fraction_error(p.first, n);
    return p;
}

template <class>
result<std::vector<top_k_probability>> top_k_probabilities(std::span<const sampled_times> times,
                                                           std::size_t k) {
    if (k == 0) return model_error{errc::not_positive, "k"};
    if (times.empty() || times[0].seconds.empty()) return model_error{errc::missing, "times"};
    const std::size_t samples = times[0].seconds.size();
    std::vector<top_k_probability> all(times.size());
    for (std::size_t c = 0; c < times.size(); ++c) {
        if (times[c].seconds.size() != samples) {
            return model_error{errc::malformed, "times", static_cast<std::uint32_t>(c + 1)};
        }
        static_cast<failures&>(all[c]) = times[c];
    }
    std::vector<double> in_sample;
    in_sample.reserve(times.size());
    bool any = false;
    for (std::size_t i = 0; i < samples; ++i) {
        in_sample.clear();
        for (const sampled_times& t : times) {
            if (core::positive(t.seconds[i])) in_sample.push_back(t.seconds[i]);
        }
        if (in_sample.empty()) continue;
        any = true;
        const std::size_t places = core::min(k, in_sample.size());
        const last_place last = last_of_smallest(in_sample, places);
        for (std::size_t c = 0; c < times.size(); ++c) {
            const double s = times[c].seconds[i];
            if (core::positive(s)) all[c].probability += last.probability(s);
        }
    }
    if (!any) return detail::analyse::none_predicted(times[0]);
    const auto n = static_cast<double>(samples);
    for (top_k_probability& p : all) {
        p.probability = core::min(p.probability / n, 1.0);
        p.standard_error = detail::analyse::fraction_error(p.probability, n);
    }
    return all;
}

}  // namespace WARPGAUGE_NAMESPACE

#endif
