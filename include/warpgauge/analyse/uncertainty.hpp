// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_ANALYSE_UNCERTAINTY_HPP
#define WARPGAUGE_ANALYSE_UNCERTAINTY_HPP

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <warpgauge/core/normal.hpp>
#include <warpgauge/core/quantile.hpp>
#include <warpgauge/core/random.hpp>
#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/device/device.hpp>
#include <warpgauge/kernel/parameters.hpp>
#include <warpgauge/kernel/profile.hpp>
#include <warpgauge/models/model.hpp>
#include <warpgauge/tune/rank.hpp>
#include <warpgauge/tune/score.hpp>

/// \file What a prediction is worth where figures of the device or the kernel are known only roughly: how
/// far the time may be off, and how sure it is that one configuration is faster than another.
///
/// Figures are drawn at random, as often as the caller likes, and the model predicts with each draw:
///
///     const uncertain unknowns[]{between("dram_latency_cycles", 450, 550), about("comp_insts", 0.1)};
///     const auto times = sample(
///         mwp_cwp_model{gpu}, launches,
///         unknowns);
///
/// gives samples of all launches, of which `distribution_of`, `probability_faster` and
/// `top_k_probabilities` say what there is to know. A sample is a pure function of the seed, its number and
/// the name of the figure: neither the order of the unknowns nor the number of samples changes it. So
/// samples of the same number, of other profiles or other devices, saw the same draws and can be compared
/// one by one.

namespace warpgauge {

// --- What is not known

enum class probability_law : std::uint8_t {
    exactly,      ///< always `centre`
    uniform,      ///< any value from `low` to `high`, alike
    log_uniform,  ///< the same for its logarithm
    normal,       ///< mean `centre`, standard deviation `spread`, cut off at `low` and `high`
    log_normal,   ///< median `centre`; two of three within a factor of 1 + `spread`
    triangular,   ///< from `low` to `high`, likeliest at `centre`
    one_of,       ///< each of `values` alike
};

/// A figure of the device or the kernel that is known roughly. Made by the functions below. Numbers are
/// finite, >= 0 and at most 1e20. They are drawn as real numbers: for a figure that is whole, list values.
struct uncertain {
    std::string_view
        parameter{};  ///< as in figures.hpp; errors name it, so let it live as long as they
    probability_law which{};
    double low{};
    double high{};
    double centre{};
    double spread{};
    std::span<const double> values{};  ///< not owned
    bool relative{};     ///< the numbers are multiples of what the figure is in device or profile
    bool independent{};  ///< each configuration draws its own; else all share one draw
};

[[nodiscard]] constexpr uncertain exactly(std::string_view parameter, double value) {
    return {.parameter = parameter, .which = probability_law::exactly, .centre = value};
}

/// Any value from `low` to `high`, alike.
[[nodiscard]] constexpr uncertain between(std::string_view parameter, double low, double high) {
    return {.parameter = parameter, .which = probability_law::uniform, .low = low, .high = high};
}

/// Any order of magnitude from that of `low` > 0 to that of `high`, alike.
[[nodiscard]] constexpr uncertain log_between(std::string_view parameter, double low, double high) {
    return {
        .parameter = parameter, .which = probability_law::log_uniform, .low = low, .high = high};
}

/// The normal distribution given that the value is from `low` to `high`; `sigma` > 0 is that before the
/// cut. The limits have to leave a millionth of it.
[[nodiscard]] constexpr uncertain normal(std::string_view parameter, double mean, double sigma,
                                         double low, double high) {
    return {.parameter = parameter,
            .which = probability_law::normal,
            .low = low,
            .high = high,
            .centre = mean,
            .spread = sigma};
}

/// Median `median` > 0; 68% lie between `median` / (1 + `share`) and `median` * (1 + `share`): the standard
/// deviation of the logarithm is ln(1 + `share`).
[[nodiscard]] constexpr uncertain log_normal(std::string_view parameter, double median,
                                             double share) {
    return {.parameter = parameter,
            .which = probability_law::log_normal,
            .centre = median,
            .spread = share};
}

/// From `low` to `high`, likeliest at `mode`.
[[nodiscard]] constexpr uncertain triangular(std::string_view parameter, double low, double mode,
                                             double high) {
    return {.parameter = parameter,
            .which = probability_law::triangular,
            .low = low,
            .high = high,
            .centre = mode};
}

/// One of `values`, each alike; to weigh one, repeat it. The list has to outlive the sampling.
[[nodiscard]] constexpr uncertain one_of(std::string_view parameter,
                                         std::span<const double> values) {
    return {.parameter = parameter, .which = probability_law::one_of, .values = values};
}

/// The same, its numbers being multiples of what the figure is in device or profile. A figure that is 0
/// stays 0.
[[nodiscard]] constexpr uncertain relative(uncertain u) {
    u.relative = true;
    return u;
}

/// The figure's own value, give or take `share` of it: log-normal, so never below 0.
[[nodiscard]] constexpr uncertain about(std::string_view parameter, double share) {
    return relative(log_normal(parameter, 1, share));
}

/// The same, drawn for each configuration anew: the instruction counts of two kernels may be off in
/// different directions. Without it all configurations share the draw, as they do the latency of their GPU.
[[nodiscard]] constexpr uncertain independent(uncertain u) {
    u.independent = true;
    return u;
}

// --- Samples

struct sampling_options {
    std::size_t samples = 10'000;  ///< 1 to `most_samples`
    std::uint64_t seed = 0;        ///< another one gives other samples
};

inline constexpr std::size_t most_samples = std::size_t{1} << 24;
inline constexpr std::size_t most_samples_together = std::size_t{1}
                                                     << 27;  ///< of all configurations

/// What the model had no answer to.
struct failures {
    std::size_t failed{};       ///< samples
    model_error first_error{};  ///< of the first of them; `field` is empty where there is none

    constexpr void add(const model_error& error) {
        if (failed++ == 0) first_error = error;
    }
};

/// The times of one configuration.
struct sampled_times : failures {
    std::vector<double> seconds{};  ///< s, in the order of the samples; 0 where there is an error
};

/// Samples of the times of all `profiles` on `device`. `predict(device, profile)` gives a `result` of an
/// estimate with `seconds`; it is called once for each sample and profile, with copies in which the uncertain
/// figures have the values drawn. Those drawn for each configuration are so by its place in `profiles`.
/// Allocates two lists, one of which has an entry for each profile, and in each entry one of its samples.
/// \errors unknown_parameter  an `uncertain`, by its name and entry: neither `device` nor every profile has it
///         malformed       likewise: it stands in the list a second time
///         negative, not_positive, overflow, outside_domain, missing
///                         likewise: its numbers are not as its distribution wants them
///         not_positive    `samples`
///         limit_reached   `samples`: more than `most_samples`, or `most_samples_together`
template <placeable_model Model>
[[nodiscard]] result<std::vector<sampled_times>> sample(const Model& model,
                                                        std::span<const kernel_profile<>> profiles,
                                                        std::span<const uncertain> unknowns,
                                                        const sampling_options& options = {});

// --- What samples say

/// How long one configuration takes.
struct time_distribution : failures {
    std::vector<double> seconds{};  ///< s, of the samples that could be predicted, ascending
    double mean_seconds{};
    double deviation_seconds{};  ///< s, standard deviation of one sample; 0 if there is but one

    /// The time that the share `q` of samples does not pass, 0 (the least seen) to 1 (the most), linear
    /// between two samples (R. J. Hyndman, Y. Fan, "Sample Quantiles in Statistical Packages", The American
    /// Statistician 50, 1996, definition 7).
    /// \errors outside_domain  `q`
    ///         missing         `seconds`: there are no samples
    [[nodiscard]] result<double> quantile(double q) const;

    /// What the middle `share` of samples spans: 0.9 leaves out a twentieth on either side.
    /// \errors outside_domain  `share`: not from 0 to 1
    ///         missing         `seconds`
    [[nodiscard]] result<time_bounds> interval(double share) const;

    /// The standard error of `mean_seconds`.
    [[nodiscard]] double mean_error_seconds() const {
        return seconds.empty() ? 0
                               : deviation_seconds / std::sqrt(static_cast<double>(seconds.size()));
    }

    /// Where the quantile of endlessly many samples lies, with a confidence of about 95%: between the samples
    /// 1.96 standard deviations of a binomial count to either side (H. A. David, H. N. Nagaraja, "Order
    /// Statistics", 2003, sec. 7.1). At the very first or last sample the confidence is less.
    /// \errors as `quantile`
    [[nodiscard]] result<time_bounds> quantile_bounds(double q) const;
};

/// \errors that of the first sample, if none could be predicted
///         missing  `seconds`: there are no samples
[[nodiscard]] inline result<time_distribution> distribution_of(sampled_times times);

/// How sure it is that one configuration is faster than another: shares of the samples that both could be
/// predicted for; their sum is 1.
struct faster_probability : failures {
    double first{};   ///< that the first is faster
    double second{};  ///< that the second is
    double tie{};     ///< that they take the same time, to the bit
    double
        standard_error{};  ///< of `first`: sqrt(p (1 - p) / n). Where all n samples agree it is 0, and p
                           ///< within 3 / n, with a confidence of 95%
};

/// Compares sample by sample: what both configurations share cancels out.
/// \errors malformed  `second`: not as many samples as `first`
///         missing    `first`: there are no samples
///         that of the first sample, if there is none that both could be predicted for
[[nodiscard]] inline result<faster_probability> probability_faster(const sampled_times& first,
                                                                   const sampled_times& second);

/// How sure it is that a configuration is among the fastest.
struct top_k_probability : failures {
    double probability{};
    double standard_error{};  ///< at most so much: sqrt(p (1 - p) / n)
};

/// Of each configuration, the probability of being among the `k` fastest. In a sample in which several tie for
/// the last places, each has the same share of them: all ways to break the tie count alike. One that
/// could not be predicted has no place in that sample. The sum is `k` where at least `k` always could.
/// \errors not_positive  `k`
///         malformed     `times`, with the entry: not as many samples as the first
///         missing       `times`: none, or no samples
///         that of the first sample, if no configuration could be predicted in any
[[nodiscard]] inline result<std::vector<top_k_probability>> top_k_probabilities(
    std::span<const sampled_times> times, std::size_t k);

// --- For one configuration

/// \errors as the list of one profile
template <placeable_model Model>
[[nodiscard]] result<sampled_times> sample(const Model& model, const kernel_profile<>& profile,
                                           std::span<const uncertain> unknowns,
                                           const sampling_options& options = {}) {
    auto all = sample(model, std::span(&profile, 1), unknowns, options);
    if (!all) return all.error();
    return std::move(all->front());
}

/// How long it takes: `distribution_of` its samples.
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

// --- How

namespace detail::analyse {

/// Why a number is none for a distribution.
[[nodiscard]] constexpr errc number_error(double x) {
    return core::non_negative(x) ? errc::overflow : errc::negative;
}

/// Why the numbers of `u` are not as its distribution wants them; an empty field if they are. `field` and
/// `entry` are what the error says.
inline model_error check_distribution(const uncertain& u, std::string_view field,
                                      std::uint32_t entry) {
    const auto error = [&](errc code) { return model_error{code, field, entry}; };
    const auto good = [](double x) { return core::non_negative(x) && x <= core::max_input; };
    for (const double x : {u.low, u.high, u.centre, u.spread}) {
        if (!good(x)) return error(number_error(x));
    }
    for (const double x : u.values) {
        if (!good(x)) return error(number_error(x));
    }
    if (!(u.low <= u.high)) return error(errc::outside_domain);
    switch (u.which) {
        case probability_law::exactly:
        case probability_law::uniform: return {};
        case probability_law::log_uniform:
            return u.low > 0 ? model_error{} : error(errc::not_positive);
        case probability_law::normal: {
            if (!(u.spread > 0)) return error(errc::not_positive);
            const double left = core::normal_cdf((u.high - u.centre) / u.spread) -
                                core::normal_cdf((u.low - u.centre) / u.spread);
            return left >= 1e-6 ? model_error{} : error(errc::outside_domain);
        }
        case probability_law::log_normal:
            return u.centre > 0 ? model_error{} : error(errc::not_positive);
        case probability_law::triangular:
            return u.low <= u.centre && u.centre <= u.high ? model_error{}
                                                           : error(errc::outside_domain);
        case probability_law::one_of:
            return u.values.empty() ? error(errc::missing) : model_error{};
    }
    return error(errc::malformed);
}

inline double triangular_quantile(const uncertain& u, double p) {
    const double width = u.high - u.low;
    const double below = u.centre - u.low;
    if (p * width < below) return u.low + std::sqrt(p * width * below);
    return u.high - std::sqrt((1 - p) * width * (u.high - u.centre));
}

inline double normal_quantile_within(const uncertain& u, double p) {
    const double from = core::normal_cdf((u.low - u.centre) / u.spread);
    const double to = core::normal_cdf((u.high - u.centre) / u.spread);
    const double inside = core::min(from + p * (to - from), 1 - 0x1p-53);
    return u.centre + u.spread * core::normal_quantile(inside);
}

/// The value below which lies the probability `p`, 0 < p < 1; of checked numbers.
inline double quantile_of(const uncertain& u, double p) {
    // What rounding takes past a limit is put back on it.
    const auto limited = [&](double x) { return std::clamp(x, u.low, u.high); };
    switch (u.which) {
        case probability_law::exactly: return u.centre;
        case probability_law::uniform: return limited(u.low + p * (u.high - u.low));
        case probability_law::log_uniform:
            return limited(u.low * std::exp(p * (std::log(u.high) - std::log(u.low))));
        case probability_law::normal: return limited(normal_quantile_within(u, p));
        case probability_law::log_normal:
            return u.centre * std::exp(core::normal_quantile(p) * std::log1p(u.spread));
        case probability_law::triangular: return limited(triangular_quantile(u, p));
        case probability_law::one_of: {
            const auto place = static_cast<std::size_t>(p * static_cast<double>(u.values.size()));
            return u.values[core::min(place, u.values.size() - 1)];
        }
    }
    return u.centre;
}

/// The stream of a figure: its name's FNV-1a hash (G. Fowler, L. C. Noll, K.-P. Vo, 1991), so that it is the
/// same whichever other figures there are.
constexpr std::uint64_t stream_of(std::string_view parameter, std::size_t configuration) {
    std::uint32_t hash = 2166136261;
    for (const char c : parameter) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619;
    return std::uint64_t{configuration} << 32 | hash;
}

/// More than the figures of any device and profile.
inline constexpr std::size_t most_figures = 128;

/// Where the values of an uncertain figure go, and times what.
struct figure_place {
    std::string_view name{};
    double* figure{};
    double unit{};
};

using figure_places = std::array<figure_place, most_figures>;

/// The places of the uncertain figures in `device` and `profile`, in the order of `unknowns`.
template <class Device>
result<figure_places> find_figures(std::span<const uncertain> unknowns, Device& device,
                                   kernel_profile<>& profile) {
    figure_places places{};
    for (std::size_t j = 0; j < unknowns.size(); ++j) {
        const auto entry = static_cast<std::uint32_t>(j + 1);
        const uncertain& u = unknowns[j];
        figure_place place;
        const auto match = [&](std::string_view name, double& figure) {
            if (name == u.parameter) place = {name, &figure, u.relative ? figure : 1.0};
        };
        for_each_parameter(device, [&](device_parameter p, double& x) { match(info(p).name, x); });
        for_each_parameter(profile, match);
        if (place.figure == nullptr) {
            return model_error{errc::unknown_parameter,
                               u.parameter.empty() ? "parameter" : u.parameter, entry};
        }
        for (std::size_t before = 0; before < j; ++before) {
            if (places[before].figure == place.figure) {
                return model_error{errc::malformed, place.name, entry};
            }
        }
        if (auto bad = check_distribution(u, place.name, entry)) return bad;
        places[j] = place;  // no figure twice, so there is room
    }
    return places;
}

/// Samples are drawn and predicted so many at a time.
inline constexpr std::size_t block_samples = 256;

/// The values of each uncertain figure in one block of samples, those of one figure side by side.
using drawn_values = std::vector<std::array<double, block_samples>>;

/// Draws the values of `count` samples from `first` on that configuration `configuration` sees; what all share,
/// the first one has drawn.
inline void draw(std::span<const uncertain> unknowns, std::uint64_t seed, std::size_t first,
                 std::size_t count, std::size_t configuration, drawn_values& drawn) {
    for (std::size_t j = 0; j < unknowns.size(); ++j) {
        const uncertain& u = unknowns[j];
        if (configuration > 0 && !u.independent) continue;
        const std::uint64_t stream = stream_of(u.parameter, configuration);
        for (std::size_t i = 0; i < count; ++i) {
            drawn[j][i] = quantile_of(u, core::uniform(seed, first + i, stream));
        }
    }
}

/// Predicts the first `count` samples of a block, at the end of `times`.
template <placeable_model Model, class Device>
void predict_block(const Model& model, Device device, kernel_profile<> profile,
                   std::span<const uncertain> unknowns, const drawn_values& drawn,
                   std::size_t count, sampled_times& times) {
    const auto places = *find_figures(unknowns, device, profile);
    for (std::size_t i = 0; i < count; ++i) {
        for (std::size_t j = 0; j < unknowns.size(); ++j) {
            *places[j].figure = drawn[j][i] * places[j].unit;
        }
        const auto t = seconds_of(model.on(device).predict(profile));
        if (!t) times.add(t.error());
        times.seconds.push_back(t ? *t : 0);
    }
}

/// sqrt(p (1 - p) / n).
inline double share_error(double p, double n) {
    return std::sqrt(core::max(p * (1 - p), 0.0) / n);
}

}  // namespace detail::analyse

template <placeable_model Model>
result<std::vector<sampled_times>> sample(const Model& model,
                                          std::span<const kernel_profile<>> profiles,
                                          std::span<const uncertain> unknowns,
                                          const sampling_options& options) {
    if (options.samples == 0) return model_error{errc::not_positive, "samples"};
    if (options.samples > most_samples ||
        profiles.size() > most_samples_together / options.samples) {
        return model_error{errc::limit_reached, "samples"};
    }
    auto d = edit(model.device);
    for (kernel_profile<> k : profiles) {
        const auto found = detail::analyse::find_figures(unknowns, d, k);
        if (!found) return found.error();
    }
    std::vector<sampled_times> all(profiles.size());
    for (sampled_times& times : all) times.seconds.reserve(options.samples);
    detail::analyse::drawn_values drawn(unknowns.size());
    for (std::size_t first = 0; first < options.samples; first += detail::analyse::block_samples) {
        const std::size_t count =
            core::min(detail::analyse::block_samples, options.samples - first);
        for (std::size_t c = 0; c < profiles.size(); ++c) {
            detail::analyse::draw(unknowns, options.seed, first, count, c, drawn);
            detail::analyse::predict_block(model, d, profiles[c], unknowns, drawn, count, all[c]);
        }
    }
    return all;
}

inline result<double> time_distribution::quantile(double q) const {
    if (!(q >= 0 && q <= 1)) return model_error{errc::outside_domain, "q"};
    if (seconds.empty()) return model_error{errc::missing, "seconds"};
    return core::quantile(seconds, q);
}

inline result<time_bounds> time_distribution::interval(double share) const {
    if (!(share >= 0 && share <= 1)) return model_error{errc::outside_domain, "share"};
    const auto low = quantile((1 - share) / 2);
    if (!low) return low.error();
    return time_bounds{*low, *quantile((1 + share) / 2)};
}

inline result<time_bounds> time_distribution::quantile_bounds(double q) const {
    if (!(q >= 0 && q <= 1)) return model_error{errc::outside_domain, "q"};
    if (seconds.empty()) return model_error{errc::missing, "seconds"};
    const auto n = static_cast<double>(seconds.size());
    const double reach = 1.96 * std::sqrt(n * q * (1 - q));
    const auto sample = [&](double rank) {  // from 1
        return seconds[static_cast<std::size_t>(std::clamp(rank, 1.0, n)) - 1];
    };
    return time_bounds{sample(std::floor(n * q - reach)), sample(std::ceil(n * q + reach) + 1)};
}

namespace detail::analyse {

inline model_error none_predicted(const failures& f) {
    return !f.first_error ? model_error{errc::missing, "seconds"} : f.first_error;
}

}  // namespace detail::analyse

inline result<time_distribution> distribution_of(sampled_times times) {
    time_distribution t;
    static_cast<failures&>(t) = times;
    t.seconds = std::move(times.seconds);
    std::erase_if(t.seconds, [](double s) { return !core::positive(s); });
    if (t.seconds.empty()) return detail::analyse::none_predicted(t);
    std::sort(t.seconds.begin(), t.seconds.end());
    // Sums of what is above the least, nothing where all are the same, in parts of the most: no square is too large.
    const double least = t.seconds.front();
    const double most = t.seconds.back();
    const auto n = static_cast<double>(t.seconds.size());
    double above = 0;
    for (const double s : t.seconds) above += (s - least) / most;
    above /= n;
    double squares = 0;
    for (const double s : t.seconds) {
        const double off = (s - least) / most - above;
        squares += off * off;
    }
    t.mean_seconds = core::min(least + above * most, most);
    t.deviation_seconds = n > 1 ? std::sqrt(squares / (n - 1)) * most : 0;
    return t;
}

inline result<faster_probability> probability_faster(const sampled_times& first,
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
    p.standard_error = detail::analyse::share_error(p.first, n);
    return p;
}

inline result<std::vector<top_k_probability>> top_k_probabilities(
    std::span<const sampled_times> times, std::size_t k) {
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
        const detail::tune::last_place last = detail::tune::last_of_least(in_sample, places);
        for (std::size_t c = 0; c < times.size(); ++c) {
            const double s = times[c].seconds[i];
            if (core::positive(s)) all[c].probability += last.probability(s);
        }
    }
    if (!any) return detail::analyse::none_predicted(times[0]);
    const auto n = static_cast<double>(samples);
    for (top_k_probability& p : all) {
        p.probability = core::min(p.probability / n, 1.0);
        p.standard_error = detail::analyse::share_error(p.probability, n);
    }
    return all;
}

}  // namespace warpgauge

#endif
