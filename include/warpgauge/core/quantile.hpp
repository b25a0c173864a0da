// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_CORE_QUANTILE_HPP
#define WARPGAUGE_CORE_QUANTILE_HPP

#include <cstddef>
#include <span>

#include <warpgauge/core/scalar.hpp>

/// \file Quantiles of numbers.

namespace WARPGAUGE_NAMESPACE::core {

/// The `q`-quantile, 0 to 1, of a non-empty sorted range: linearly interpolated between the two
/// numbers beside it (type 7 of R. J. Hyndman, Y. Fan, "Sample Quantiles in Statistical Packages", The American
/// Statistician 50, 1996).
[[nodiscard]] constexpr double quantile(std::span<const double> sorted, double q) noexcept {
    const double place = q * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = below + 1 < sorted.size() ? below + 1 : sorted.size() - 1;
    const double fraction = place - static_cast<double>(below);
    const double between = (1 - fraction) * sorted[below] + fraction * sorted[above];
    return min(max(between, sorted[below]), sorted[above]);
}

}  // namespace WARPGAUGE_NAMESPACE::core

#endif
