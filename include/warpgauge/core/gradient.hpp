// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_CORE_GRADIENT_HPP
#define WARPGAUGE_CORE_GRADIENT_HPP

#include <array>
#include <cstddef>

#include <warpgauge/core/scalar.hpp>

/// \file A number with its derivatives in several directions at once.

namespace warpgauge {

/// A `scalar` whose every operation carries `Directions` derivatives along. Comparisons look at the value
/// alone, so that a derivative follows the case that was taken.
template <std::size_t Directions>
struct gradient {
    double value{};
    std::array<double, Directions> slope{};

    constexpr gradient() = default;
    constexpr gradient(double x) : value(x) {}

    friend constexpr gradient operator+(const gradient& a, const gradient& b) {
        return combined(a.value + b.value, a, 1, b, 1);
    }
    friend constexpr gradient operator-(const gradient& a, const gradient& b) {
        return combined(a.value - b.value, a, 1, b, -1);
    }
    friend constexpr gradient operator*(const gradient& a, const gradient& b) {
        return combined(a.value * b.value, a, b.value, b, a.value);
    }
    friend constexpr gradient operator/(const gradient& a, const gradient& b) {
        const double quotient = a.value / b.value;
        return combined(quotient, a, 1 / b.value, b, -quotient / b.value);
    }
    constexpr gradient& operator+=(const gradient& b) { return *this = *this + b; }
    constexpr gradient& operator-=(const gradient& b) { return *this = *this - b; }
    constexpr gradient& operator*=(const gradient& b) { return *this = *this * b; }
    constexpr gradient& operator/=(const gradient& b) { return *this = *this / b; }

    friend constexpr bool operator<(const gradient& a, const gradient& b) {
        return a.value < b.value;
    }
    friend constexpr bool operator<=(const gradient& a, const gradient& b) {
        return a.value <= b.value;
    }
    friend constexpr bool operator>(const gradient& a, const gradient& b) {
        return a.value > b.value;
    }
    friend constexpr bool operator>=(const gradient& a, const gradient& b) {
        return a.value >= b.value;
    }
    friend constexpr bool operator==(const gradient& a, const gradient& b) {
        return a.value == b.value;
    }

    /// Flat between its steps.
    friend constexpr gradient floor(const gradient& x) { return core::floor(x.value); }
    friend constexpr gradient sqrt(const gradient& x) {
        const double root = core::sqrt(x.value);
        return combined(root, x, 0.5 / root, x, 0);
    }

private:
    static constexpr gradient combined(double value, const gradient& a, double by_a,
                                       const gradient& b, double by_b) {
        gradient r(value);
        for (std::size_t n = 0; n < Directions; ++n) {
            r.slope[n] = by_a * a.slope[n] + by_b * b.slope[n];
        }
        return r;
    }
};

}  // namespace warpgauge

#endif
