// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_CORE_GRADIENT_HPP
#define WARPGAUGE_CORE_GRADIENT_HPP

#include <cstddef>
#include <utility>

#include <warpgauge/core/lanes.hpp>
#include <warpgauge/core/scalar.hpp>

/// \file A number with its derivatives in several directions at once.

namespace WARPGAUGE_NAMESPACE {

/// A `scalar` whose every operation carries `Directions` derivatives along, in as few vectors as hold them.
/// Comparisons look at the value alone, so that a derivative follows the case that was taken. The width of the
/// vectors is part of the type, as its layout depends on it.
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
    /// Piece by piece: a copy as one block would wait until the pieces just computed have reached memory.
    [[gnu::always_inline]] gradient(const gradient& other) noexcept : value(other.value) {
        set([&](std::size_t n, pack& to) { to = other.slopes_[n]; });
    }
    /// Piece by piece, as the copy.
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

    /// A function of `a` and `b` with this value, which changes `by_a` times as much as `a` and `by_b` times as much
    /// as `b`.
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

    /// Slope for slope, without a loop: GCC keeps what a loop has touched in memory.
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

/// How models compute with a `gradient`: values decide, derivatives follow.
template <std::size_t Directions, std::size_t Width>
struct scalar_traits<gradient<Directions, Width>> {
    using real = gradient<Directions, Width>;  ///< The number itself.

    /// `yes` with its derivatives, or `no` with its own.
    [[gnu::always_inline]] static real select(bool condition, const real& yes,
                                              const real& no) noexcept {
        return {condition ? yes.value : no.value,
                [&](std::size_t n, auto& to) { to = condition ? yes.slopes_[n] : no.slopes_[n]; }};
    }
    /// The condition: one value decides for all directions.
    static bool all(bool condition) noexcept { return condition; }
    /// Flat between its steps.
    static real floor(const real& x) noexcept { return core::floor(x.value); }
    /// It is infinitely steep at 0, save in directions in which x does not change.
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
