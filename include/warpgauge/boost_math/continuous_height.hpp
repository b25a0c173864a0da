// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_BOOST_MATH_CONTINUOUS_HEIGHT_HPP
#define WARPGAUGE_BOOST_MATH_CONTINUOUS_HEIGHT_HPP

#include <cmath>
#include <cstdint>
#include <utility>

#include <boost/math/differentiation/autodiff.hpp>
#include <boost/math/tools/minima.hpp>
#include <boost/math/tools/roots.hpp>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/kernel/parameters.hpp>
#include <warpgauge/kernel/profile.hpp>
#include <warpgauge/models/trapezoid.hpp>

/// \file The trapezoid height that a gradient method finds (Meng & Skadron 2009, sec. 5.4.2), and
/// the curvature at the minimum. It is opt-in, since it needs Boost.Math.

namespace WARPGAUGE_NAMESPACE {

/// The minimum of cycles per loop over real heights, and the curve around it.
struct continuous_height_estimate {
    double height{};           ///< loops, above 0
    double cycles_per_loop{};  ///< cycles at that height
    double curvature{};        ///< cycles per loop and height squared: the second derivative
    double flat_from{};        ///< smallest height that costs at most 1% more
    double flat_to{};          ///< greatest height that costs at most 1% more
};

/// Searches between 0 and the height at which the tile vanishes; the curve is convex there.
/// \errors as `trapezoid_model::cycles_per_loop`
///         limit_reached  `height`: a search has not converged
template <trapezoid_device D>
[[nodiscard]] result<continuous_height_estimate> continuous_height(const trapezoid_model<D>& m,
                                                                   const kernel_profile<>& k) {
    using dual = boost::math::differentiation::autodiff_fvar<double, 2>;
    constexpr std::uintmax_t max_steps = 200;
    const auto vanishing = vanishing_height(k);
    if (!vanishing) return vanishing.error();
    const double low = *vanishing * 1e-6;
    const double high = *vanishing * (1 - 1e-9);
    if (const auto e = m.cycles_per_loop(k, low); !e) return e.error();

    const auto cycles = [&](double h) { return m.cycles_per_loop(k, h)->cycles_per_loop; };
    std::uintmax_t steps = max_steps;
    const auto [near, minimum] =
        boost::math::tools::brent_find_minima(cycles, low, high, 26, steps);
    if (steps >= max_steps) return model_error{errc::limit_reached, "height"};

    // Brent's method ends where the curve is flat to the last bit, half the digits away from its
    // minimum. The derivative still has a root there.
    const auto dual_k = profile_in<dual>(k);
    const auto derivatives = [&](double h) {
        const dual x = boost::math::differentiation::make_fvar<double, 2>(h);
        const dual y = m.cycles_per_loop(dual_k, x)->cycles_per_loop;
        return std::pair(y.derivative(1), y.derivative(2));
    };
    steps = max_steps;
    const double height = boost::math::tools::newton_raphson_iterate(
        derivatives, near, core::max(near * 0.99, low), core::min(near * 1.01, high), 50, steps);
    if (steps >= max_steps) return model_error{errc::limit_reached, "height"};

    const double limit = cycles(height) * 1.01;
    const auto above = [&](double h) { return cycles(h) - limit; };
    const boost::math::tools::eps_tolerance<double> digits(40);
    const auto where = [&](double from, double to) {
        std::uintmax_t left = max_steps;
        return boost::math::tools::toms748_solve(above, from, to, digits, left).first;
    };
    return continuous_height_estimate{.height = height,
                                      .cycles_per_loop = cycles(height),
                                      .curvature = derivatives(height).second,
                                      .flat_from = above(low) > 0 ? where(low, height) : low,
                                      .flat_to = above(high) > 0 ? where(height, high) : high};
}

}  // namespace WARPGAUGE_NAMESPACE

#endif
