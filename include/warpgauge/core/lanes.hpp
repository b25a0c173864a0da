// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_CORE_LANES_HPP
#define WARPGAUGE_CORE_LANES_HPP

#include <cstddef>
#include <cstdint>

#include <warpgauge/core/scalar.hpp>

/// \file Packs of numbers, one number in each lane of the processor's vectors.

namespace WARPGAUGE_NAMESPACE {

namespace core::detail {

/// A vector of elements, by an extension of GCC and Clang.
template <class Element, std::size_t Width>
struct vector_of {
    using type __attribute__((vector_size(Width * sizeof(Element)))) = Element;
};

}  // namespace core::detail

/// A condition for each lane.
template <std::size_t Width>
struct lane_mask {
    /// The processor's vector of `Width` whole numbers.
    using vector = typename core::detail::vector_of<std::int64_t, Width>::type;

    vector set{};  ///< 0: no, -1: yes

    /// No lane is set.
    lane_mask() = default;
    /// The same condition in every lane.
    lane_mask(bool same) noexcept : set(vector{} - std::int64_t{same}) {}
    /// The conditions of a vector, each 0 or -1.
    lane_mask(const vector& answers) noexcept : set(answers) {}

    friend lane_mask operator&&(const lane_mask& a, const lane_mask& b) noexcept {
        return a.set & b.set;
    }
    friend lane_mask operator||(const lane_mask& a, const lane_mask& b) noexcept {
        return a.set | b.set;
    }
    friend lane_mask operator!(const lane_mask& a) noexcept { return ~a.set; }
};

/// A `scalar` of `Width` numbers, a power of two. The result in a lane has the same bits whatever is in the others.
/// Parts of a program that are compiled for different processors cannot share packs (core/abi.hpp).
template <std::size_t Width>
struct lanes {
    static_assert(Width >= 2 && (Width & (Width - 1)) == 0);
    static constexpr std::size_t width = Width;  ///< numbers in a pack
    /// The processor's vector of `Width` doubles.
    using vector = typename core::detail::vector_of<double, Width>::type;
    /// The type that comparisons of packs return.
    using mask = lane_mask<Width>;

    vector values{};  ///< the number of each lane

    /// Zero in every lane.
    lanes() = default;
    /// The same number in every lane.
    lanes(double same) noexcept : values(same - vector{}) {}  // a sum with 0 would be computed
    /// The numbers of a vector.
    lanes(const vector& numbers) noexcept : values(numbers) {}

    friend lanes operator+(const lanes& a, const lanes& b) noexcept { return a.values + b.values; }
    friend lanes operator-(const lanes& a, const lanes& b) noexcept { return a.values - b.values; }
    friend lanes operator*(const lanes& a, const lanes& b) noexcept { return a.values * b.values; }
    friend lanes operator/(const lanes& a, const lanes& b) noexcept { return a.values / b.values; }
    friend mask operator<(const lanes& a, const lanes& b) noexcept { return a.values < b.values; }
    friend mask operator<=(const lanes& a, const lanes& b) noexcept { return a.values <= b.values; }
    friend mask operator>(const lanes& a, const lanes& b) noexcept { return a.values > b.values; }
    friend mask operator>=(const lanes& a, const lanes& b) noexcept { return a.values >= b.values; }
    friend mask operator==(const lanes& a, const lanes& b) noexcept { return a.values == b.values; }
};

/// The number of lanes of one register of the processor that the program is compiled for.
#if defined(__AVX512F__)
inline constexpr std::size_t native_lanes = 8;
#elif defined(__AVX__)
inline constexpr std::size_t native_lanes = 4;
#else
inline constexpr std::size_t native_lanes = 2;
#endif

namespace core::detail {

template <std::size_t Width>
lanes<Width> select(const lane_mask<Width>& condition, const lanes<Width>& yes,
                    const lanes<Width>& no) noexcept {
    return condition.set ? yes.values : no.values;
}

/// Selection and rounding.
template <std::size_t Width>
struct lane_functions {
    using real = lanes<Width>;
    using mask = lane_mask<Width>;

    static bool all(const mask& condition) noexcept {
        std::int64_t every = -1;
        for (std::size_t n = 0; n < Width; ++n) every &= condition.set[n];
        return every != 0;
    }
    static real floor(const real& x) noexcept {
        const signed_value v = split(x);
        const real near = join(nearest(v.magnitude), v.sign);
        return core::detail::select<Width>(v.magnitude < whole_from, near - one_where(x < near), x);
    }
    static real ceil(const real& x) noexcept {
        const signed_value v = split(x);
        const real near = join(nearest(v.magnitude), v.sign);
        return core::detail::select<Width>(v.magnitude < whole_from, near + one_where(near < x), x);
    }
    static real floor_small(const real& x) noexcept {
        const real near = nearest(x);
        return near - one_where(x < near);
    }
    static real ceil_small(const real& x) noexcept {
        const real near = nearest(x);
        return near + one_where(near < x);
    }
    static real sqrt(const real& x) noexcept {
        real r;
        for (std::size_t n = 0; n < Width; ++n) r.values[n] = core::sqrt(x.values[n]);
        return r;
    }

private:
    using bits = typename mask::vector;
    struct signed_value {
        real magnitude;
        bits sign;
    };
    static constexpr double whole_from = 4503599627370496.0;  // 2^52
    static constexpr std::int64_t all_but_sign = 0x7fff'ffff'ffff'ffff;

    static signed_value split(const real& x) noexcept {
        const bits b = reinterpret_cast<bits>(x.values);
        return {real(reinterpret_cast<typename real::vector>(b & all_but_sign)), b & ~all_but_sign};
    }
    static real join(const real& magnitude, const bits& sign) noexcept {
        return real(reinterpret_cast<typename real::vector>(
            reinterpret_cast<bits>(magnitude.values) | sign));
    }
    static real one_where(const mask& condition) noexcept {
        return core::detail::select(condition, real(1.0), real(0.0));
    }
    /// The nearest whole number, for 0 <= x < 2^52: from there on numbers have no fraction. The barrier keeps a
    /// compiler that may reorder sums (-fassociative-math) from removing the two additions.
    static real nearest(const real& x) noexcept {
        const real shifted = x + whole_from;
#if __has_builtin(__arithmetic_fence)
        return real(__arithmetic_fence(shifted.values)) - whole_from;
#elif __has_builtin(__builtin_assoc_barrier)
        return real(__builtin_assoc_barrier(shifted.values)) - whole_from;
#else
        const bits positive = reinterpret_cast<bits>(shifted.values) & all_but_sign;
        return real(reinterpret_cast<typename real::vector>(positive)) - whole_from;
#endif
    }
};

#if defined(__AVX__)
/// These take one instruction each, which compilers do not find by themselves.
template <>
struct lane_functions<4> {
    using real = lanes<4>;
    using mask = lane_mask<4>;

    static bool all(const mask& condition) noexcept {
        return __builtin_ia32_movmskpd256(reinterpret_cast<real::vector>(condition.set)) == 0b1111;
    }
    static real floor(const real& x) noexcept {
        return real(__builtin_ia32_roundpd256(x.values, 9));
    }
    static real ceil(const real& x) noexcept {
        return real(__builtin_ia32_roundpd256(x.values, 10));
    }
    static real floor_small(const real& x) noexcept { return floor(x); }
    static real ceil_small(const real& x) noexcept { return ceil(x); }
    static real sqrt(const real& x) noexcept {
#if __has_builtin(__builtin_ia32_sqrtpd256)
        return real(__builtin_ia32_sqrtpd256(x.values));
#else
        return real(real::vector{core::sqrt(x.values[0]), core::sqrt(x.values[1]),
                                 core::sqrt(x.values[2]), core::sqrt(x.values[3])});
#endif
    }
};
#endif

}  // namespace core::detail

/// How models compute with `lanes`: each lane takes its own case.
template <std::size_t Width>
struct scalar_traits<lanes<Width>> : core::detail::lane_functions<Width> {
    /// The pack itself.
    using real = lanes<Width>;

    /// In each lane `yes` where `condition` holds, `no` elsewhere.
    static real select(const lane_mask<Width>& condition, const real& yes,
                       const real& no) noexcept {
        return core::detail::select(condition, yes, no);
    }
};

}  // namespace WARPGAUGE_NAMESPACE

#endif
