// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_CORE_MIN_AND_SUM_HPP
#define WARPGAUGE_CORE_MIN_AND_SUM_HPP

#include <concepts>
#include <type_traits>
#include <utility>

#include <warpgauge/core/scalar.hpp>

/// \file A test if many numbers of any type are in range, in two operations for each.

namespace WARPGAUGE_NAMESPACE::core {

/// The number without its derivatives, if it has any.
template <scalar Real>
[[gnu::always_inline]] constexpr decltype(auto) without_slopes(const Real& x) {
    if constexpr (!std::floating_point<Real> && requires { value_of(x); }) {
        return value_of(x);
    } else {
        return (x);
    }
}

/// The minimum of several numbers, and their sum. If the minimum is not negative and the sum is small enough, each
/// number is small enough, and none is NaN.
template <scalar Real>
struct min_and_sum {
    Real least;  ///< the minimum of the numbers
    Real sum;    ///< their sum

    /// Starts with one number.
    [[gnu::always_inline]] constexpr explicit min_and_sum(const Real& first)
        : least(first), sum(first) {}

    /// Adds more numbers, each without its derivatives.
    template <class First, class... Others>
    [[gnu::always_inline]] constexpr void add(const First& first, const Others&... others) {
        const Real x(without_slopes(first));
        least = min(least, x);
        sum = sum + x;
        if constexpr (sizeof...(others) > 0) add(others...);
    }
};

/// The type of a `Real` without its derivatives.
template <scalar Real>
using plain = std::remove_cvref_t<decltype(without_slopes(std::declval<const Real&>()))>;

}  // namespace WARPGAUGE_NAMESPACE::core

#endif
