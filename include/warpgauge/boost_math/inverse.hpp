// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_BOOST_MATH_INVERSE_HPP
#define WARPGAUGE_BOOST_MATH_INVERSE_HPP

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <boost/math/tools/roots.hpp>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/models/model.hpp>

/// \file Questions asked backwards: what must a parameter be for a given time, and where do two
/// alternatives take equally long? Opt-in: needs Boost.Math.
///
/// The caller says what the parameter is: `seconds(x)` gives a `result<double>`, the predicted time with
/// the parameter at `x`, whatever of device or kernel that changes:
///
///     const auto need = least_value_for(
///         [&](double bandwidth) {
///             gpu.dram_bytes_per_s = bandwidth;
///             return seconds_of(mwp_cwp_model{gpu}.predict(kernel));
///         }, 1e11, 1e13, 1e-3);
///
/// Times need not be monotone or continuous in the parameter: the range is looked through on a grid,
/// spaced evenly in the logarithm, and every change found there is then located. A change and its
/// opposite between two points of the grid are not seen.

namespace warpgauge {

enum class answer : std::uint8_t {
    at,      ///< from, or up to, `value`
    never,   ///< nowhere in the range
    always,  ///< in the whole range
};

/// Where in a range a condition begins or ceases to hold.
struct threshold {
    answer which{};
    double
        value{};  ///< the least (or the most) that meets the target; of `always` an end of the range
    double seconds{};  ///< s, the time there
    bool jump{};  ///< the time steps over the target: just beyond `value` it is missed by a step
};

/// Where two alternatives change places.
struct crossover {
    double value{};
    double first_seconds{};     ///< s, of the first alternative there
    double second_seconds{};    ///< s, of the second
    bool first_faster_below{};  ///< the first is faster below `value`, else above
    bool jump{};                ///< one of them steps over the other: they are equal nowhere near
};

struct inverse_options {
    std::size_t points = 256;  ///< of the grid, >= 2
};

namespace detail::boost_math {

/// What has to hold of a range; `field` of the error names what does not.
inline model_error check_range(double low, double high, const inverse_options& options) {
    if (!core::positive(low)) return {errc::not_positive, "low"};
    if (!core::positive(high)) return {errc::not_positive, "high"};
    if (!(low < high)) return {errc::outside_domain, "high"};
    if (options.points < 2) return {errc::outside_domain, "points"};
    if (options.points > (std::size_t{1} << 24)) return {errc::limit_reached, "points"};
    return {};
}

inline double grid_point(double low, double high, std::size_t n, std::size_t points) {
    if (n == 0) return low;
    if (n + 1 == points) return high;
    const double share = static_cast<double>(n) / static_cast<double>(points - 1);
    const double x = std::exp(std::log(low) + share * (std::log(high) - std::log(low)));
    return core::min(core::max(x, low), high);
}

/// ln(a / b) of two times; below 0 where a < b and above where a > b, also where the logarithms are equal.
inline double log_ratio(double a, double b) {
    const double ratio = std::log(a) - std::log(b);
    return a < b ? core::min(ratio, -1e-300) : b < a ? core::max(ratio, 1e-300) : 0;
}

/// Between two points of which one holds and the other does not: the last that holds, to the last bit.
/// `margin(x)` is at most 0 where it holds, and infinite or no number where there is no time.
template <class Margin>
double locate(const Margin& margin, double holds, double fails) {
    const auto met = [&](double x) { return margin(x) <= 0; };
    const auto finite_margin = [&](double x) {
        const double m = margin(x);
        return std::isfinite(m) ? m : 1.0;
    };
    if (margin(holds) < 0 && std::isfinite(margin(fails))) {
        std::uintmax_t steps = 100;
        const auto near = boost::math::tools::toms748_solve(
            finite_margin, holds < fails ? holds : fails, holds < fails ? fails : holds,
            boost::math::tools::eps_tolerance<double>(52), steps);
        for (const double end : {near.first, near.second}) (met(end) ? holds : fails) = end;
    }
    while (true) {  // what is left is short, or a step
        const double middle = holds + (fails - holds) / 2;
        if (middle == holds || middle == fails) return holds;
        (met(middle) ? holds : fails) = middle;
    }
}

enum class seek : std::uint8_t { least, most };

template <class Seconds>
result<threshold> find_threshold(const Seconds& seconds, double low, double high, double target,
                                 seek wanted, const inverse_options& options) {
    if (auto bad = check_range(low, high, options)) return bad;
    if (!core::positive(target)) return model_error{errc::not_positive, "target"};
    // The logarithm of the time less that of the target: at most 0 where it is met. Of an error, infinite.
    model_error first_error;
    bool any = false;
    const auto margin = [&](double x) {
        const result<double> t = seconds(x);
        if (t && core::positive(*t)) {
            any = true;
            return log_ratio(*t, target);
        }
        if (!first_error) {
            first_error = t ? model_error{errc::not_positive, "seconds"} : t.error();
        }
        return std::numeric_limits<double>::infinity();
    };
    const std::size_t points = options.points;
    double before = 0;
    for (std::size_t n = 0; n < points; ++n) {
        const std::size_t place = wanted == seek::least ? n : points - 1 - n;
        const double x = grid_point(low, high, place, points);
        if (margin(x) > 0) {
            before = x;
            continue;
        }
        threshold t;
        if (n == 0) {
            t = {.which = answer::at, .value = x};
            bool everywhere = true;
            for (std::size_t rest = 0; rest < points && everywhere; ++rest) {
                everywhere = margin(grid_point(low, high, rest, points)) <= 0;
            }
            if (everywhere) t.which = answer::always;
        } else {
            t = {.which = answer::at, .value = locate(margin, x, before)};
            t.jump = std::fabs(margin(t.value)) > 1e-9;
        }
        t.seconds = *seconds(t.value);
        return t;
    }
    if (!any) return first_error;
    return threshold{.which = answer::never};
}

}  // namespace detail::boost_math

/// The least value from `low` to `high` at which `seconds(value)` is at most `target`. A value at which the
/// model has an error does not meet it.
/// \errors not_positive    `low`, `high`, `target`, or `seconds` is not a finite number above zero
///         outside_domain  `high`: not above `low`; `points`: below 2
///         the model's own, where it has one at every point of the grid
template <class Seconds>
[[nodiscard]] result<threshold> least_value_for(const Seconds& seconds, double low, double high,
                                                double target,
                                                const inverse_options& options = {}) {
    return detail::boost_math::find_threshold(seconds, low, high, target,
                                              detail::boost_math::seek::least, options);
}

/// The same for the most.
template <class Seconds>
[[nodiscard]] result<threshold> most_value_for(const Seconds& seconds, double low, double high,
                                               double target, const inverse_options& options = {}) {
    return detail::boost_math::find_threshold(seconds, low, high, target,
                                              detail::boost_math::seek::most, options);
}

/// Every value from `low` to `high` at which the faster of two alternatives becomes the slower one, in
/// order. None: one of them is never slower. Where either has an error, neither is faster.
/// \errors as `least_value_for`; the model's own, where the two are nowhere to be compared
template <class First, class Second>
[[nodiscard]] result<std::vector<crossover>> crossovers(const First& first, const Second& second,
                                                        double low, double high,
                                                        const inverse_options& options = {}) {
    if (auto bad = detail::boost_math::check_range(low, high, options)) return bad;
    model_error first_error;
    bool any = false;
    const auto lead = [&](double x) {  // below 0: the first is faster
        const result<double> a = first(x);
        const result<double> b = second(x);
        if (a && b && core::positive(*a) && core::positive(*b)) {
            any = true;
            return detail::boost_math::log_ratio(*a, *b);
        }
        if (!first_error) {
            first_error = !a   ? a.error()
                          : !b ? b.error()
                               : model_error{errc::not_positive, "seconds"};
        }
        return std::numeric_limits<double>::quiet_NaN();
    };
    std::vector<crossover> found;
    double before = 0;  // the last point at which one was faster
    double lead_before = 0;
    for (std::size_t n = 0; n < options.points; ++n) {
        const double x = detail::boost_math::grid_point(low, high, n, options.points);
        const double now = lead(x);
        if (std::isnan(now)) {
            lead_before = 0;
            continue;
        }
        if (now == 0) continue;
        if (lead_before != 0 && (now < 0) != (lead_before < 0)) {
            const double sign = lead_before < 0 ? 1 : -1;
            const double last =
                detail::boost_math::locate([&](double at) { return sign * lead(at); }, before, x);
            crossover c{.value = last, .first_faster_below = lead_before < 0};
            c.first_seconds = *first(last);
            c.second_seconds = *second(last);
            c.jump = std::fabs(lead(last)) > 1e-9;
            found.push_back(c);
        }
        before = x;
        lead_before = now;
    }
    if (!any) return first_error;
    return found;
}

}  // namespace warpgauge

#endif
