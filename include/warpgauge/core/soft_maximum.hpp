// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_CORE_SOFT_MAXIMUM_HPP
#define WARPGAUGE_CORE_SOFT_MAXIMUM_HPP

#include <warpgauge/core/scalar.hpp>

/// \file A maximum without an edge, for two demands that wait for each other.

namespace warpgauge::core {

/// The greater root T of (T - a)(T - b) = k a b: a queue whose wait grows as load / (1 - load).
///
/// With k = 0 it is the larger of `a` and `b`, with k = 1 their sum, and in between it lies in between. It is never
/// below the larger one, does not fall as `a`, `b` or `k` grows, is symmetric, and scales with `a` and `b`. Where
/// both are equal it is 1 + sqrt(k) of either.
/// \pre a, b >= 0; 0 <= k <= 1
template <scalar Real>
[[nodiscard, gnu::always_inline]] constexpr Real soft_maximum(const Real& a, const Real& b,
                                                              const Real& k) {
    const Real difference = a - b;
    return (a + b + sqrt(difference * difference + Real(4.0) * k * (a * b))) * Real(0.5);
}

/// The same; without the root where `b` is 0, in all lanes of a pack.
template <scalar Real>
[[nodiscard, gnu::always_inline]] constexpr Real soft_maximum_if(const Real& a, const Real& b,
                                                                 const Real& k) {
    if (scalar_traits<Real>::all(b == Real(0.0))) return a;
    return soft_maximum(a, b, k);
}

}  // namespace warpgauge::core

#endif
