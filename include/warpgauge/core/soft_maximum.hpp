// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_CORE_SOFT_MAXIMUM_HPP
#define WARPGAUGE_CORE_SOFT_MAXIMUM_HPP

#include <concepts>

#include <warpgauge/core/min_and_sum.hpp>
#include <warpgauge/core/scalar.hpp>

/// \file A smooth maximum, for two demands that delay each other.

namespace WARPGAUGE_NAMESPACE::core {

/// The slopes of a function of two numbers.
template <class Real>
struct two_slopes {
    Real by_a{};  ///< the derivative by the first
    Real by_b{};  ///< the derivative by the second
};

/// The slopes of `soft_maximum(a, b, k)` with that `root`; those of the mean where both parts are 0.
template <class Real>
[[nodiscard, gnu::always_inline]] constexpr two_slopes<Real> soft_maximum_slopes(const Real& a,
                                                                                 const Real& b,
                                                                                 const Real& k,
                                                                                 const Real& root) {
    const Real by = root > 0 ? Real(0.5) / root : Real(0);
    return {Real(0.5) + by * ((a - b) + 2 * k * b), Real(0.5) - by * ((a - b) - 2 * k * a)};
}

/// The greater root T of (T - a)(T - b) = k a b: a queue whose wait grows as load / (1 - load).
///
/// With k = 0 it is the larger of `a` and `b`, with k = 1 their sum, and for other k it is between these. It is never
/// below the larger one, does not fall as `a`, `b` or `k` grows, is symmetric, and scales with `a` and `b`. If
/// both are equal, it is 1 + sqrt(k) times one of them.
/// \pre a, b >= 0; 0 <= k <= 1
template <scalar Real>
[[nodiscard, gnu::always_inline]] constexpr Real soft_maximum(const Real& a, const Real& b,
                                                              const plain<Real>& k) {
    const auto& x = without_slopes(a);
    const auto& y = without_slopes(b);
    const plain<Real> difference = x - y;
    const plain<Real> root =
        sqrt(plain<Real>(difference * difference + plain<Real>(4.0) * k * plain<Real>(x * y)));
    const plain<Real> sum = (x + y + root) * plain<Real>(0.5);
    if constexpr (std::same_as<plain<Real>, Real>) {
        return sum;
    } else {
        const auto by = soft_maximum_slopes(x, y, k, root);  // at once
        return with_slopes(sum, by.by_a, a, by.by_b, b);
    }
}

/// The same, but without computing the root if `b` is 0 in all lanes of a pack.
template <scalar Real>
[[nodiscard, gnu::always_inline]] constexpr Real soft_maximum_if(const Real& a, const Real& b,
                                                                 const plain<Real>& k) {
    if (!scalar_traits<Real>::all(b <= Real(0.0))) return soft_maximum(a, b, k);
    if constexpr (std::same_as<plain<Real>, Real>) {
        return a;
    } else {
        return with_slopes(a.value, 1, a, k, b);
    }
}

}  // namespace WARPGAUGE_NAMESPACE::core

#endif
