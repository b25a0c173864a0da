// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_CORE_GRADIENT_HPP
#define WARPGAUGE_CORE_GRADIENT_HPP

#include <cstddef>

#include <warpgauge/core/lanes.hpp>
#include <warpgauge/core/scalar.hpp>

/// \file A number with its derivatives in several directions at once.

namespace warpgauge {

/// A `scalar` whose every operation carries `Directions` derivatives along, in as few vectors as hold them.
/// Comparisons look at the value alone, so that a derivative follows the case that was taken. The width of the
/// vectors is part of the type, as its layout depends on it.
template <std::size_t Directions, std::size_t Width = native_lanes>
class gradient {
    static constexpr std::size_t width = Width;
    static constexpr std::size_t packs = (Directions + width - 1) / width;
    using pack = typename lanes<width>::vector;

public:
    double value{};

    gradient() = default;
    gradient(double x) noexcept : value(x) {}
    /// Piece by piece: a copy as one block would wait until the pieces just computed have reached memory.
    gradient(const gradient& other) noexcept : value(other.value) { copy(other.slopes_); }
    gradient& operator=(gradient other) noexcept {
        value = other.value;
        copy(other.slopes_);
        return *this;
    }

    /// The derivative in a direction, below `Directions`.
    [[nodiscard]] double slope(std::size_t direction) const noexcept {
        return slopes_[direction / width][direction % width];
    }
    void set_slope(std::size_t direction, double to) noexcept {
        slopes_[direction / width][direction % width] = to;
    }

    [[gnu::always_inline]] friend gradient operator+(const gradient& a,
                                                     const gradient& b) noexcept {
        gradient r(a.value + b.value);
        for (std::size_t n = 0; n < packs; ++n) r.slopes_[n] = a.slopes_[n] + b.slopes_[n];
        return r;
    }
    [[gnu::always_inline]] friend gradient operator-(const gradient& a,
                                                     const gradient& b) noexcept {
        gradient r(a.value - b.value);
        for (std::size_t n = 0; n < packs; ++n) r.slopes_[n] = a.slopes_[n] - b.slopes_[n];
        return r;
    }
    [[gnu::always_inline]] friend gradient operator*(const gradient& a,
                                                     const gradient& b) noexcept {
        gradient r(a.value * b.value);
        for (std::size_t n = 0; n < packs; ++n) {
            r.slopes_[n] = b.value * a.slopes_[n] + a.value * b.slopes_[n];
        }
        return r;
    }
    [[gnu::always_inline]] friend gradient operator/(const gradient& a,
                                                     const gradient& b) noexcept {
        gradient r(a.value / b.value);
        const double by = 1 / b.value;
        for (std::size_t n = 0; n < packs; ++n) {
            r.slopes_[n] = by * (a.slopes_[n] - r.value * b.slopes_[n]);
        }
        return r;
    }
    gradient& operator+=(const gradient& b) noexcept { return *this = *this + b; }
    gradient& operator-=(const gradient& b) noexcept { return *this = *this - b; }
    gradient& operator*=(const gradient& b) noexcept { return *this = *this * b; }
    gradient& operator/=(const gradient& b) noexcept { return *this = *this / b; }

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

    [[gnu::always_inline]] void copy(const pack* from) noexcept {
        for (std::size_t n = 0; n < packs; ++n) slopes_[n] = from[n];
    }

    pack slopes_[packs]{};
};

template <std::size_t Directions, std::size_t Width>
struct scalar_traits<gradient<Directions, Width>> {
    using real = gradient<Directions, Width>;

    [[gnu::always_inline]] static real select(bool condition, const real& yes,
                                              const real& no) noexcept {
        real r(condition ? yes.value : no.value);
        r.copy(condition ? yes.slopes_ : no.slopes_);
        return r;
    }
    static bool all(bool condition) noexcept { return condition; }
    /// Flat between its steps.
    static real floor(const real& x) noexcept { return core::floor(x.value); }
    /// At 0 infinitely steep, save in directions in which x does not change.
    static real sqrt(const real& x) noexcept {
        real r(core::sqrt(x.value));
        for (std::size_t n = 0; n < real::packs; ++n) {
            const auto steep = 0.5 / r.value * x.slopes_[n];
            r.slopes_[n] = x.slopes_[n] == 0.0 ? x.slopes_[n] : steep;
        }
        return r;
    }
};

/// The value without its slopes.
constexpr double value_of(double x) {
    return x;
}
template <std::size_t N>
constexpr double value_of(const gradient<N>& x) {
    return x.value;
}

}  // namespace warpgauge

#endif
