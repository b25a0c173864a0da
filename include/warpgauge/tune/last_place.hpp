// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_TUNE_LAST_PLACE_HPP
#define WARPGAUGE_TUNE_LAST_PLACE_HPP

#include <algorithm>
#include <cstddef>
#include <span>

#include <warpgauge/core/when_used.hpp>

/// \file The last place among the k smallest of some values, which equal values may share.

namespace WARPGAUGE_NAMESPACE {

/// The end of the k smallest of some values. Values equal to the last one share the remaining places.
struct last_place {
    double value{};     ///< the k-th smallest value
    double fraction{};  ///< the remaining places over the number of values equal to `value`

    /// The probability that `v` is among the smallest, if equal values are equally likely to be.
    [[nodiscard]] constexpr double probability(double v) const noexcept {
        return v < value ? 1 : v == value ? fraction : 0;
    }
};

/// The last of the `count` smallest of `values`. It reorders `values`.
/// \pre `count` is from 1 to the number of values
template <class = core::when_used>
[[nodiscard]] last_place last_of_smallest(std::span<double> values, std::size_t count) {
    const auto edge = values.begin() + static_cast<std::ptrdiff_t>(count - 1);
    std::nth_element(values.begin(), edge, values.end());
    const double last = *edge;
    double before = 0;
    double tied = 0;
    for (const double v : values) {
        before += v < last ? 1 : 0;
        tied += v == last ? 1 : 0;
    }
    return {last, (static_cast<double>(count) - before) / tied};
}

}  // namespace WARPGAUGE_NAMESPACE

#endif
