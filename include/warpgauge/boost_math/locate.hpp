// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_BOOST_MATH_LOCATE_HPP
#define WARPGAUGE_BOOST_MATH_LOCATE_HPP

#include <cmath>
#include <cstddef>
#include <cstdint>

#include <boost/math/tools/roots.hpp>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>

/// \file A range of a parameter, its grid, and the value where a condition ends. An internal part of `inverse.hpp`.

namespace WARPGAUGE_NAMESPACE::detail::boost_math {

/// The error of a range, if it has one.
inline model_error check_range(double low, double high, std::size_t points) {
    if (!core::positive(low)) return {errc::not_positive, "low"};
    if (!core::positive(high)) return {errc::not_positive, "high"};
    if (!(low < high)) return {errc::outside_domain, "high"};
    if (points < 2) return {errc::outside_domain, "points"};
    if (points > (std::size_t{1} << 24)) return {errc::limit_reached, "points"};
    return {};
}

inline double grid_point(double low, double high, std::size_t n, std::size_t points) {
    if (n == 0) return low;
    if (n + 1 == points) return high;
    const double fraction = static_cast<double>(n) / static_cast<double>(points - 1);
    const double x = std::exp(std::log(low) + fraction * (std::log(high) - std::log(low)));
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

}  // namespace WARPGAUGE_NAMESPACE::detail::boost_math

#endif
