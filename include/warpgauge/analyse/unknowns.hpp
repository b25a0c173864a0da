// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_ANALYSE_UNKNOWNS_HPP
#define WARPGAUGE_ANALYSE_UNKNOWNS_HPP

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <warpgauge/core/normal.hpp>
#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>

/// \file A parameter that is known approximately: `uncertain`, and the functions that make one: `exactly`, `between`,
/// `log_between`, `normal`, `log_normal`, `triangular`, `one_of`, `about`, `relative`, `independent`.

namespace WARPGAUGE_NAMESPACE {

/// The distribution of an uncertain parameter.
enum class probability_law : std::uint8_t {
    exactly,      ///< always `centre`
    uniform,      ///< each value from `low` to `high` is equally likely
    log_uniform,  ///< the logarithm is uniform
    normal,       ///< mean `centre`, standard deviation `spread`, cut off at `low` and `high`
    log_normal,   ///< median `centre`; two of three values are within a factor of 1 + `spread`
    triangular,   ///< from `low` to `high`, most likely `centre`
    one_of,       ///< each of `values` is equally likely
};

/// A parameter of the device or the kernel that is known approximately. The functions below make one. Its numbers are
/// finite, >= 0 and at most 1e20. Values are drawn as real numbers; for a whole parameter, list the values.
struct uncertain {
    std::string_view
        parameter{};  ///< a member of the device or the profile. Errors refer to this text, so it has
                      ///< to live as long as they do
    probability_law which{};           ///< how its values are distributed
    double low{};                      ///< the smallest value, if the law has one
    double high{};                     ///< the largest value, if the law has one
    double centre{};                   ///< as the law says
    double spread{};                   ///< as the law says
    std::span<const double> values{};  ///< not owned
    bool relative{};  ///< the numbers are multiples of the parameter's value in device or profile
    bool independent{};  ///< each configuration draws its own value; otherwise all share one draw
};

/// The value is `value`.
[[nodiscard]] constexpr uncertain exactly(std::string_view parameter, double value) {
    return {.parameter = parameter, .which = probability_law::exactly, .centre = value};
}

/// Each value from `low` to `high` is equally likely.
[[nodiscard]] constexpr uncertain between(std::string_view parameter, double low, double high) {
    return {.parameter = parameter, .which = probability_law::uniform, .low = low, .high = high};
}

/// Each order of magnitude from that of `low` > 0 to that of `high` is equally likely.
[[nodiscard]] constexpr uncertain log_between(std::string_view parameter, double low, double high) {
    return {
        .parameter = parameter, .which = probability_law::log_uniform, .low = low, .high = high};
}

/// The normal distribution, given that the value is between `low` and `high`. `sigma` > 0 is the standard deviation
/// before the cut. The limits have to keep at least a millionth of the distribution.
[[nodiscard]] constexpr uncertain normal(std::string_view parameter, double mean, double sigma,
                                         double low, double high) {
    return {.parameter = parameter,
            .which = probability_law::normal,
            .low = low,
            .high = high,
            .centre = mean,
            .spread = sigma};
}

/// The median is `median` > 0, and 68% of the values lie between `median` / (1 + `fraction`) and
/// `median` * (1 + `fraction`): the standard deviation of the logarithm is ln(1 + `fraction`).
[[nodiscard]] constexpr uncertain log_normal(std::string_view parameter, double median,
                                             double fraction) {
    return {.parameter = parameter,
            .which = probability_law::log_normal,
            .centre = median,
            .spread = fraction};
}

/// The value is between `low` and `high`, and most likely `mode`.
[[nodiscard]] constexpr uncertain triangular(std::string_view parameter, double low, double mode,
                                             double high) {
    return {.parameter = parameter,
            .which = probability_law::triangular,
            .low = low,
            .high = high,
            .centre = mode};
}

/// Each of `values` is equally likely; repeat a value to weigh it. The list has to outlive the sampling.
[[nodiscard]] constexpr uncertain one_of(std::string_view parameter,
                                         std::span<const double> values) {
    return {.parameter = parameter, .which = probability_law::one_of, .values = values};
}

/// The numbers of `u` become multiples of the parameter's value in device or profile. A parameter that is 0
/// stays 0.
[[nodiscard]] constexpr uncertain relative(uncertain u) {
    u.relative = true;
    return u;
}

/// The parameter's own value within about the fraction `fraction`. The law is log-normal, so no value is below 0.
[[nodiscard]] constexpr uncertain about(std::string_view parameter, double fraction) {
    return relative(log_normal(parameter, 1, fraction));
}

/// Each configuration draws its own value of `u`, for example because the instruction counts of two kernels may have
/// different errors. Without it all configurations share the draw, as they share the latency of their GPU.
[[nodiscard]] constexpr uncertain independent(uncertain u) {
    u.independent = true;
    return u;
}

// --- How

namespace detail::analyse {

/// The error of `x` as a number of a distribution, if it has one.
[[nodiscard]] constexpr errc number_error(double x) {
    return core::non_negative(x) ? errc::overflow : errc::negative;
}

/// The error of the numbers of `u`, with `field` and `entry`, if there is one.
[[nodiscard]] inline model_error check_distribution(const uncertain& u, std::string_view field,
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

[[nodiscard]] inline double triangular_quantile(const uncertain& u, double p) {
    const double width = u.high - u.low;
    const double below = u.centre - u.low;
    if (p * width < below) return u.low + std::sqrt(p * width * below);
    return u.high - std::sqrt((1 - p) * width * (u.high - u.centre));
}

[[nodiscard]] inline double normal_quantile_within(const uncertain& u, double p) {
    const double from = core::normal_cdf((u.low - u.centre) / u.spread);
    const double to = core::normal_cdf((u.high - u.centre) / u.spread);
    const double inside = core::min(from + p * (to - from), 1 - 0x1p-53);
    return u.centre + u.spread * core::normal_quantile(inside);
}

/// The `p`-quantile of a checked `u`, 0 < p < 1.
[[nodiscard]] inline double quantile_of(const uncertain& u, double p) {
    // Rounding may take a value past a limit.
    const auto limited = [&](double x) { return core::min(core::max(x, u.low), u.high); };
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

}  // namespace detail::analyse

}  // namespace WARPGAUGE_NAMESPACE

#endif
