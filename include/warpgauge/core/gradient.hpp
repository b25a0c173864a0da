// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_CORE_GRADIENT_HPP
#define WARPGAUGE_CORE_GRADIENT_HPP

#include <cstddef>
#include <utility>

#include <warpgauge/core/lanes.hpp>
#include <warpgauge/core/scalar.hpp>

/// \file A number with its derivatives in several directions at once.

namespace WARPGAUGE_NAMESPACE {

/// A `scalar` with `Directions` derivatives, which every operation computes too, in the minimum number of vectors.
/// Comparisons use only the value, so that a derivative belongs to the case that was taken. The width of the
/// vectors is part of the type, since its layout depends on it.
template <std::size_t Directions, std::size_t Width = native_lanes>
class gradient {
    static constexpr std::size_t width = Width;
    static constexpr std::size_t packs = (Directions + width - 1) / width;
    using pack = typename lanes<width>::vector;

public:
    double value{};  ///< the number itself

    /// Zero, with all derivatives 0.
    gradient() = default;
    /// A constant: all derivatives are 0.
    gradient(double x) noexcept : value(x) {}
    /// Copies piece by piece: a copy as one block would wait until the pieces just computed have reached memory.
    [[gnu::always_inline]] gradient(const gradient& other) noexcept : value(other.value) {
        set([&](std::size_t n, pack& to) { to = other.slopes_[n]; });
    }
    /// Copies piece by piece, as the constructor.
    [[gnu::always_inline]] gradient& operator=(  // NOLINT: a piece put where it is stays
        const gradient& other) noexcept {
        value = other.value;
        set([&](std::size_t n, pack& to) { to = other.slopes_[n]; });
        return *this;
    }

    /// The derivative in a direction, below `Directions`.
    [[nodiscard]] double slope(std::size_t direction) const noexcept {
        return slopes_[direction / width][direction % width];
    }
    /// Sets the derivative in a direction, below `Directions`.
    void set_slope(std::size_t direction, double to) noexcept {
        slopes_[direction / width][direction % width] = to;
    }

    [[gnu::always_inline]] friend gradient operator+(const gradient& a,
                                                     const gradient& b) noexcept {
        return {a.value + b.value,
                [&](std::size_t n, pack& to) { to = a.slopes_[n] + b.slopes_[n]; }};
    }
    [[gnu::always_inline]] friend gradient operator-(const gradient& a,
                                                     const gradient& b) noexcept {
        return {a.value - b.value,
                [&](std::size_t n, pack& to) { to = a.slopes_[n] - b.slopes_[n]; }};
    }
    [[gnu::always_inline]] friend gradient operator*(const gradient& a,
                                                     const gradient& b) noexcept {
        return with_slopes(a.value * b.value, b.value, a, a.value, b);
    }
    [[gnu::always_inline]] friend gradient operator/(const gradient& a,
                                                     const gradient& b) noexcept {
        const double by = 1 / b.value;
        const double quotient = a.value / b.value;
        return {quotient, [&](std::size_t n, pack& to) {
                    to = by * (a.slopes_[n] - quotient * b.slopes_[n]);
                }};
    }

    // With numbers that have no slopes.
    [[gnu::always_inline]] friend gradient operator+(const gradient& a, double b) noexcept {
        return {a.value + b, [&](std::size_t n, pack& to) { to = a.slopes_[n]; }};
    }
    [[gnu::always_inline]] friend gradient operator+(double a, const gradient& b) noexcept {
        return {a + b.value, [&](std::size_t n, pack& to) { to = b.slopes_[n]; }};
    }
    [[gnu::always_inline]] friend gradient operator-(const gradient& a, double b) noexcept {
        return {a.value - b, [&](std::size_t n, pack& to) { to = a.slopes_[n]; }};
    }
    [[gnu::always_inline]] friend gradient operator-(double a, const gradient& b) noexcept {
        return {a - b.value, [&](std::size_t n, pack& to) { to = -b.slopes_[n]; }};
    }
    [[gnu::always_inline]] friend gradient operator*(const gradient& a, double b) noexcept {
        return {a.value * b, [&](std::size_t n, pack& to) { to = b * a.slopes_[n]; }};
    }
    [[gnu::always_inline]] friend gradient operator*(double a, const gradient& b) noexcept {
        return {a * b.value, [&](std::size_t n, pack& to) { to = a * b.slopes_[n]; }};
    }
    [[gnu::always_inline]] friend gradient operator/(const gradient& a, double b) noexcept {
        const double by = 1 / b;
        return {a.value / b, [&](std::size_t n, pack& to) { to = by * a.slopes_[n]; }};
    }
    [[gnu::always_inline]] friend gradient operator/(double a, const gradient& b) noexcept {
        const double quotient = a / b.value;
        const double by = -quotient / b.value;
        return {quotient, [&](std::size_t n, pack& to) { to = by * b.slopes_[n]; }};
    }

    gradient& operator+=(const gradient& b) noexcept { return *this = *this + b; }  ///< `a = a + b`
    gradient& operator-=(const gradient& b) noexcept { return *this = *this - b; }  ///< `a = a - b`
    gradient& operator*=(const gradient& b) noexcept { return *this = *this * b; }  ///< `a = a * b`
    gradient& operator/=(const gradient& b) noexcept { return *this = *this / b; }  ///< `a = a / b`

    /// The number with this value and the derivatives `by_a` times those of `a` plus `by_b` times those of `b`.
    [[gnu::always_inline]] friend gradient with_slopes(double x, double by_a, const gradient& a,
                                                       double by_b, const gradient& b) noexcept {
        return {x,
                [&](std::size_t n, pack& to) { to = by_a * a.slopes_[n] + by_b * b.slopes_[n]; }};
    }

    friend bool operator<(const gradient& a, const gradient& b) noexcept {
        return a.value < b.value;
    }
    friend bool operator<=(const gradient& a, const gradient& b) noexcept {
        return a.value <= b.value;
    }
    friend bool operator>(const gradient& a, const gradient& b) noexcept {
        return a.value > b.value;
    }
    friend bool operator>=(const gradient& a, const gradient& b) noexcept {
        return a.value >= b.value;
    }
    friend bool operator==(const gradient& a, const gradient& b) noexcept {
        return a.value == b.value;
    }

private:
    friend struct scalar_traits<gradient>;

    /// Each slope without a loop, since GCC keeps values in memory that a loop has touched.
    template <class Slopes>
    [[gnu::always_inline]] gradient(double x, const Slopes& slopes) noexcept : value(x) {
        set(slopes);
    }
    template <class Slopes>
    [[gnu::always_inline]] void set(const Slopes& slopes) noexcept {
        [&]<std::size_t... N>(std::index_sequence<N...>) __attribute__((always_inline)) {
            (slopes(N, slopes_[N]), ...);
        }
        (std::make_index_sequence<packs>{});
    }

    pack slopes_[packs]{};
};

/// How models compute with a `gradient`: the value selects the case, and the derivatives are those of that case.
template <std::size_t Directions, std::size_t Width>
struct scalar_traits<gradient<Directions, Width>> {
    using real = gradient<Directions, Width>;  ///< The number itself.

    /// `yes` with its derivatives, or `no` with its own.
    [[gnu::always_inline]] static real select(bool condition, const real& yes,
                                              const real& no) noexcept {
        return {condition ? yes.value : no.value,
                [&](std::size_t n, auto& to) { to = condition ? yes.slopes_[n] : no.slopes_[n]; }};
    }
    /// The condition, which is the same for all directions.
    static bool all(bool condition) noexcept { return condition; }
    /// The greatest whole number not above the value; its derivatives are 0.
    static real floor(const real& x) noexcept { return core::floor(x.value); }
    /// The square root. At 0 its slope is infinite, except in directions in which `x` does not change.
    [[gnu::always_inline]] static real sqrt(const real& x) noexcept {
        const double root = core::sqrt(x.value);
        const double by = 0.5 / root;
        return {root, [&](std::size_t n, auto& to) {
                    to = x.slopes_[n] == 0.0 ? x.slopes_[n] : by * x.slopes_[n];
                }};
    }
};

/// The value without its slopes.
constexpr double value_of(double x) {
    return x;
}
/// The value of a `gradient`.
template <std::size_t Directions, std::size_t Width>
constexpr double value_of(const gradient<Directions, Width>& x) {
    return x.value;
}

}  // namespace WARPGAUGE_NAMESPACE

#endif
