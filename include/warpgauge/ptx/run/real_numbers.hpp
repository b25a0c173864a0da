// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_RUN_REAL_NUMBERS_HPP
#define WARPGAUGE_PTX_RUN_REAL_NUMBERS_HPP

#include <bit>
#include <cstdint>
#include <utility>

#include <warpgauge/ptx/link/program.hpp>

/// \file Arithmetic of finite floats, rounded as an instruction says.
///
/// Source: IEEE 754-2019, secs. 3.4, 4.3 and 5.4. In integers, so that no option of a compiler and no rounding mode of
/// the processor changes a bit.

namespace WARPGAUGE_NAMESPACE::ptx::detail::run {

using ptx::link::rounding;

__extension__ typedef unsigned __int128 wide_integer;  // NOLINT(modernize-use-using)

/// A finite number: `magnitude` times a power of two, below 2^126.
struct real_number {
    bool negative{};
    wide_integer magnitude{};
    int exponent{};
};

/// The format of 32 or 64 bits.
struct real_format {
    unsigned bits{};
    unsigned fraction_bits = bits == 32 ? 23 : 52;
    std::uint64_t top_exponent = bits == 32 ? 0xff : 0x7ff;  ///< of infinity and NaN
    int lowest = bits == 32 ? -149 : -1074;                  ///< exponent of the last place of all

    [[nodiscard]] constexpr std::uint64_t sign() const { return std::uint64_t{1} << (bits - 1); }
    [[nodiscard]] constexpr std::uint64_t hidden() const {
        return std::uint64_t{1} << fraction_bits;
    }
};

/// Bits from the first one that is set on.
constexpr int width_of(wide_integer m) {
    const auto high = static_cast<std::uint64_t>(m >> 64);
    if (high != 0) return 128 - std::countl_zero(high);
    return 64 - std::countl_zero(static_cast<std::uint64_t>(m));
}

// --- In and out

/// False of an infinity or no number.
constexpr bool read_real(const real_format& format, std::uint64_t v, real_number& to) {
    const std::uint64_t exponent = v >> format.fraction_bits & format.top_exponent;
    if (exponent == format.top_exponent) return false;
    const std::uint64_t fraction = v & (format.hidden() - 1);
    to.negative = (v & format.sign()) != 0;
    to.magnitude = exponent == 0 ? fraction : fraction | format.hidden();
    to.exponent = format.lowest + static_cast<int>(exponent == 0 ? 0 : exponent - 1);
    return true;
}

/// Of an integer: its 64 bits, sign-extended if it has a sign.
constexpr real_number real_of(std::uint64_t v, bool is_signed) {
    const bool negative = is_signed && static_cast<std::int64_t>(v) < 0;
    return {.negative = negative, .magnitude = negative ? 0 - v : v};
}

/// The magnitude without its last `places` bits.
constexpr wide_integer rounded(wide_integer magnitude, int places, rounding way, bool negative) {
    if (places <= 0) return magnitude << -places;
    if (places > 126) {  // less than half of the last place
        magnitude = magnitude != 0 ? 1 : 0;
        places = 2;
    }
    const wide_integer kept = magnitude >> places;
    const wide_integer rest = magnitude - (kept << places);
    const wide_integer half = wide_integer{1} << (places - 1);
    const bool up = way == rounding::nearest ? rest > half || (rest == half && (kept & 1U) != 0)
                    : way == rounding::zero  ? false
                                             : rest != 0 && negative == (way == rounding::down);
    return kept + (up ? 1 : 0);
}

/// False if it is too large.
constexpr bool write_real(const real_format& format, const real_number& r, rounding way,
                          std::uint64_t& to) {
    to = r.negative ? format.sign() : 0;
    if (r.magnitude == 0) return true;
    const int wanted =
        r.exponent + width_of(r.magnitude) - static_cast<int>(format.fraction_bits) - 1;
    int last = wanted < format.lowest ? format.lowest : wanted;
    auto m = static_cast<std::uint64_t>(rounded(r.magnitude, last - r.exponent, way, r.negative));
    if (m >> format.fraction_bits > 1) {
        m >>= 1;
        ++last;
    }
    const std::uint64_t exponent =
        m < format.hidden() ? 0 : static_cast<std::uint64_t>(last - format.lowest) + 1;
    if (exponent >= format.top_exponent) return false;
    to |= exponent << format.fraction_bits | (m & (format.hidden() - 1));
    return true;
}

/// The nearest integer of its kind, in 64 bits: the largest or least one of a number beyond it (PTX ISA 9.0, sec. 9.7.9.21).
constexpr std::uint64_t integer_of(const real_number& r, rounding way, unsigned bits,
                                   bool is_signed) {
    const std::uint64_t top = ~std::uint64_t{0} >> (64 - bits);
    const std::uint64_t most = is_signed    ? r.negative ? top / 2 + 1 : top / 2
                               : r.negative ? 0
                                            : top;
    const bool wide = r.magnitude != 0 && width_of(r.magnitude) + r.exponent > 64;
    const wide_integer m = wide ? most : rounded(r.magnitude, -r.exponent, way, r.negative);
    const std::uint64_t v = m > most ? most : static_cast<std::uint64_t>(m);
    return r.negative ? 0 - v : v;
}

/// Without what is behind the point.
constexpr real_number whole_of(const real_number& r, rounding way) {
    if (r.exponent >= 0) return r;
    return {.negative = r.negative,
            .magnitude = rounded(r.magnitude, -r.exponent, way, r.negative)};
}

// --- Arithmetic

/// The same number with its first bit at place 124, or at 123 if the exponent is wanted even; not of zero.
constexpr real_number normal(const real_number& r, bool even = false) {
    int by = 125 - width_of(r.magnitude);
    if (even && ((r.exponent - by) & 1) != 0) --by;
    return {.negative = r.negative, .magnitude = r.magnitude << by, .exponent = r.exponent - by};
}

/// Shifted, with its last bit set if any was lost: more than what is rounded needs is kept.
constexpr wide_integer jammed(wide_integer m, int by) {
    if (by > 126) return m != 0 ? 1 : 0;
    const wide_integer kept = m >> by;
    return kept << by == m ? kept : kept | 1U;
}

constexpr real_number sum(real_number a, real_number b, rounding way) {
    if (a.magnitude == 0 && b.magnitude == 0) {
        return {.negative = a.negative == b.negative ? a.negative : way == rounding::down};
    }
    if (a.magnitude == 0) return b;
    if (b.magnitude == 0) return a;
    a = normal(a);
    b = normal(b);
    if (b.exponent > a.exponent) std::swap(a, b);
    b.magnitude = jammed(b.magnitude, a.exponent - b.exponent);
    if (a.negative == b.negative) {
        a.magnitude += b.magnitude;
        return a;
    }
    if (a.magnitude == b.magnitude) return {.negative = way == rounding::down};
    const bool below = a.magnitude < b.magnitude;
    return {.negative = below ? b.negative : a.negative,
            .magnitude = below ? b.magnitude - a.magnitude : a.magnitude - b.magnitude,
            .exponent = a.exponent};
}

/// Exact, of two that were read.
constexpr real_number product(const real_number& a, const real_number& b) {
    return {.negative = a.negative != b.negative,
            .magnitude = a.magnitude * b.magnitude,
            .exponent = a.exponent + b.exponent};
}

/// Of two that were read; not by zero.
constexpr real_number quotient(const real_number& a, const real_number& b) {
    if (a.magnitude == 0) return {.negative = a.negative != b.negative};
    const real_number n = normal(a);
    const wide_integer q = n.magnitude / b.magnitude;
    return {.negative = a.negative != b.negative,
            .magnitude = q * b.magnitude == n.magnitude ? q : q | 1U,
            .exponent = n.exponent - b.exponent};
}

/// Not of a number below zero.
constexpr real_number square_root(const real_number& a) {
    if (a.magnitude == 0) return a;
    const real_number n = normal(a, true);
    wide_integer root = 0;
    for (int bit = 62; bit >= 0; --bit) {
        const wide_integer tried = root | wide_integer{1} << bit;
        if (tried * tried <= n.magnitude) root = tried;
    }
    return {.magnitude = root * root == n.magnitude ? root : root | 1U, .exponent = n.exponent / 2};
}

/// Integers that compare as the numbers do, with -0 below 0 if zeros are told apart.
constexpr std::int64_t order_of(const real_format& format, std::uint64_t v, bool zeros_differ) {
    const auto magnitude = static_cast<std::int64_t>(v & (format.sign() - 1));
    if ((v & format.sign()) == 0) return magnitude;
    return -magnitude - (zeros_differ ? 1 : 0);
}

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::run

#endif
