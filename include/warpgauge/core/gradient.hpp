// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_CORE_GRADIENT_HPP
#define WARPGAUGE_CORE_GRADIENT_HPP

#include <cstddef>
#include <cstdint>

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
    using mask = typename lane_mask<width>::vector;

public:
    double value{};

    gradient() = default;
    gradient(double x) noexcept : value(x) {}

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

    pack slopes_[packs]{};
};

template <std::size_t Directions, std::size_t Width>
struct scalar_traits<gradient<Directions, Width>> {
    using real = gradient<Directions, Width>;

    /// Without a jump: what is selected is seldom foreseeable, and more than one number.
    [[gnu::always_inline]] static real select(bool condition, const real& yes,
                                              const real& no) noexcept {
        real r(condition ? yes.value : no.value);
        const typename real::mask take = typename real::mask{} - std::int64_t{condition};
        for (std::size_t n = 0; n < real::packs; ++n) {
            r.slopes_[n] = take ? yes.slopes_[n] : no.slopes_[n];
        }
        return r;
    }
    static bool all(bool condition) noexcept { return condition; }
    /// Flat between its steps.
    static real floor(const real& x) noexcept { return core::floor(x.value); }
    static real sqrt(const real& x) noexcept {
        real r(core::sqrt(x.value));
        for (std::size_t n = 0; n < real::packs; ++n) r.slopes_[n] = 0.5 / r.value * x.slopes_[n];
        return r;
    }
};

}  // namespace warpgauge

#endif
