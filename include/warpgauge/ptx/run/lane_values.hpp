// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_RUN_LANE_VALUES_HPP
#define WARPGAUGE_PTX_RUN_LANE_VALUES_HPP

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include <warpgauge/ptx/link/program.hpp>
#include <warpgauge/ptx/run/unknown_base.hpp>
#include <warpgauge/ptx/text/opcode_table.hpp>
#include <warpgauge/ptx/text/value_type.hpp>
#include <warpgauge/sm/coalescing.hpp>

/// \file What the integer instructions of PTX compute, on the 32 lanes of a warp.
///
/// Source: NVIDIA, Parallel Thread Execution ISA 9.0, sec. 9.7.1 to 9.7.10.

namespace WARPGAUGE_NAMESPACE::ptx::detail::run {

using ptx::link::comparison, ptx::link::halves, ptx::link::step;
using ptx::text::action, ptx::text::value_type;

/// The values of one register in all lanes, and which of them are known. Of the others, `lanes` has the offset from
/// their base; of a predicate, whether it is the opposite of its base.
struct row_values {
    lane_values lanes{};
    std::uint32_t known{};
    unknown_base base{};
};

constexpr bool has_lane(std::uint32_t lanes, std::size_t lane) {
    return (lanes >> lane & 1U) != 0;
}

/// For each of the 16 sets of four lanes, all bits of those in it.
struct masks_of_four {
    std::uint64_t of[16][4]{};

    consteval masks_of_four() {
        for (std::uint32_t set = 0; set < 16; ++set) {
            for (std::size_t l = 0; l < 4; ++l)
                of[set][l] = has_lane(set, l) ? ~std::uint64_t{0} : 0;
        }
    }
};

inline constexpr masks_of_four masks;

/// Puts values in some lanes, and 0 in the others.
constexpr void put_alone(lane_values& to, const lane_values& values, std::uint32_t lanes) {
    for (std::size_t first = 0; first < warp_lanes; first += 4) {
        const auto& mask = masks.of[lanes >> first & 15U];
        for (std::size_t n = 0; n < 4; ++n) to[first + n] = values[first + n] & mask[n];
    }
}

/// Puts values in some lanes; the others keep what they have.
constexpr void put(lane_values& to, const lane_values& values, std::uint32_t lanes) {
    for (std::size_t first = 0; first < warp_lanes; first += 4) {
        const auto& mask = masks.of[lanes >> first & 15U];
        for (std::size_t n = 0; n < 4; ++n) {
            std::uint64_t& lane = to[first + n];
            lane = (lane & ~mask[n]) | (values[first + n] & mask[n]);
        }
    }
}

/// A value in some lanes, and 0 in the others.
constexpr void put_in(std::uint32_t lanes, std::uint64_t value, lane_values& to) {
    for (std::size_t first = 0; first < warp_lanes; first += 4) {
        const auto& mask = masks.of[lanes >> first & 15U];
        for (std::size_t n = 0; n < 4; ++n) to[first + n] = value & mask[n];
    }
}

constexpr std::uint64_t ones(unsigned bits) {
    return bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
}

/// Of more than 64 bits, as a malformed `mul.wide.s64` would have, `v` itself.
constexpr std::uint64_t sign_extended(std::uint64_t v, unsigned bits) {
    const unsigned unused = bits < 64 ? 64 - bits : 0;
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(v << unused) >> unused);
}

/// As the type has it: sign-extended, or with zeros.
constexpr std::uint64_t as(const value_type& type, std::uint64_t v) {
    return type.is_signed ? sign_extended(v, type.bits) : v & ones(type.bits);
}

constexpr bool less(const value_type& type, std::uint64_t a, std::uint64_t b) {
    return type.is_signed ? static_cast<std::int64_t>(a) < static_cast<std::int64_t>(b) : a < b;
}

/// The upper half of a product of 64 by 64 bits.
constexpr std::uint64_t high_product(std::uint64_t a, std::uint64_t b, bool is_signed) {
    const std::uint64_t a0 = a & 0xffff'ffff, a1 = a >> 32, b0 = b & 0xffff'ffff, b1 = b >> 32;
    const std::uint64_t middle = a1 * b0 + (a0 * b0 >> 32);
    const std::uint64_t other = a0 * b1 + (middle & 0xffff'ffff);
    std::uint64_t high = a1 * b1 + (middle >> 32) + (other >> 32);
    if (is_signed) {
        if (static_cast<std::int64_t>(a) < 0) high -= b;
        if (static_cast<std::int64_t>(b) < 0) high -= a;
    }
    return high;
}

/// The product of two values `as` their type, of which `part` is wanted.
constexpr std::uint64_t product(const step& s, std::uint64_t a, std::uint64_t b) {
    if (s.part != halves::high) return a * b;
    if (s.type.bits == 64) return high_product(a, b, s.type.is_signed);
    return a * b >> s.type.bits;  // only the bits of the type are kept
}

constexpr std::uint64_t product_24(const step& s, std::uint64_t a, std::uint64_t b) {
    const value_type type{.bits = 24, .is_signed = s.type.is_signed};
    const std::uint64_t p = as(type, a) * as(type, b);
    return s.part == halves::high ? p >> 16 : p;
}

constexpr std::uint64_t quotient(const step& s, std::uint64_t a, std::uint64_t b) {
    if (b == 0) return 0;
    if (!s.type.is_signed) return s.what == action::divide ? a / b : a % b;
    const auto n = static_cast<std::int64_t>(a);
    const auto d = static_cast<std::int64_t>(b);
    if (d == -1) return s.what == action::divide ? 0 - a : 0;
    return static_cast<std::uint64_t>(s.what == action::divide ? n / d : n % d);
}

constexpr std::uint64_t shifted_left(unsigned bits, std::uint64_t a, std::uint64_t by) {
    by &= 0xffff'ffff;
    return by >= bits ? 0 : a << by;
}

constexpr std::uint64_t shifted_right(const value_type& type, std::uint64_t a, std::uint64_t by) {
    by &= 0xffff'ffff;
    if (!type.is_signed) return by >= type.bits ? 0 : a >> by;
    if (by >= type.bits) by = type.bits - 1U;
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(a) >> by);
}

constexpr std::uint64_t funnel_shifted(unsigned mode, std::uint64_t low, std::uint64_t high,
                                       std::uint64_t by) {
    by &= 0xffff'ffff;
    by = (mode & 2U) != 0 ? by & 31 : by > 32 ? 32 : by;
    const std::uint64_t both = high << 32 | low;
    return (mode & 1U) != 0 ? both >> by : both << by >> 32;
}

constexpr std::uint64_t extracted(const value_type& type, std::uint64_t a, std::uint64_t from,
                                  std::uint64_t length) {
    from &= 0xff;
    length &= 0xff;
    if (length == 0) return 0;
    const std::uint64_t bits = a & ones(type.bits);
    const std::uint64_t last = from + length - 1 < type.bits ? from + length - 1 : type.bits - 1U;
    const std::uint64_t there = from < type.bits ? last - from + 1 : 0;
    const std::uint64_t value =
        from < type.bits ? bits >> from & ones(static_cast<unsigned>(there)) : 0;
    const bool fill = type.is_signed && (bits >> last & 1U) != 0;
    return fill ? value | ~ones(static_cast<unsigned>(there)) : value;
}

constexpr std::uint64_t inserted(unsigned bits, std::uint64_t part, std::uint64_t into,
                                 std::uint64_t at, std::uint64_t length) {
    at &= 0xff;
    length &= 0xff;
    if (at >= bits) return into;
    const std::uint64_t field = ones(static_cast<unsigned>(length)) << at & ones(bits);
    return (into & ~field) | (part << at & field);
}

constexpr std::uint64_t found_bit(const step& s, std::uint64_t a) {
    std::uint64_t bits = a & ones(s.type.bits);
    if (s.type.is_signed && (bits >> (s.type.bits - 1U) & 1U) != 0) bits ^= ones(s.type.bits);
    if (bits == 0) return 0xffff'ffff;
    const auto at = static_cast<std::uint64_t>(63 - std::countl_zero(bits));
    return s.mode != 0 ? s.type.bits - 1U - at : at;
}

/// `fns`: where the bit is that is the `n`-th from `base` on, or downwards if that is below zero.
constexpr std::uint64_t found_nth_bit(std::uint64_t mask, std::uint64_t base, std::uint64_t n) {
    const auto offset = static_cast<std::int32_t>(static_cast<std::uint32_t>(n));
    const bool down = offset < 0;
    std::int64_t left = offset == 0 ? 1 : down ? -std::int64_t{offset} : offset;
    const std::int64_t first = static_cast<std::int64_t>(base & 0xffff'ffff);
    for (std::int64_t at = first; at >= 0 && at < 32; at += down ? -1 : 1) {
        if ((mask >> at & 1U) != 0 && --left == 0) return static_cast<std::uint64_t>(at);
        if (offset == 0) break;
    }
    return 0xffff'ffff;
}

/// `bmsk`: `width` ones from the bit `from` on.
constexpr std::uint64_t mask_of(bool clamps, std::uint64_t from, std::uint64_t width) {
    from &= 0xffff'ffff;
    width &= 0xffff'ffff;
    if (clamps && from >= 32) return 0;
    const std::uint64_t end = clamps && width >= 32 ? 32 : (from & 31U) + (width & 31U);
    return (end >= 32 ? ones(32) : ones(static_cast<unsigned>(end))) &
           ~ones(static_cast<unsigned>(from & 31U));
}

/// `szext`: the lowest bits of a number of 32, extended by zeros or their sign.
constexpr std::uint64_t extended_bits(const step& s, std::uint64_t a, std::uint64_t count) {
    count &= 0xffff'ffff;
    if (s.mode != 0 && count >= 32) return a;
    const value_type part{.bits = static_cast<std::uint8_t>(count & 31U),
                          .is_signed = s.type.is_signed};
    return part.bits == 0 ? 0 : as(part, a & ones(part.bits));
}

constexpr std::uint64_t reversed(unsigned bits, std::uint64_t a) {
    std::uint64_t r = 0;
    for (unsigned n = 0; n < bits; ++n) r |= (a >> n & 1U) << (bits - 1 - n);
    return r;
}

constexpr std::uint64_t permuted(std::uint64_t a, std::uint64_t b, std::uint64_t selectors) {
    const std::uint64_t both = b << 32 | (a & 0xffff'ffff);
    std::uint64_t r = 0;
    for (unsigned n = 0; n < 4; ++n) {
        const std::uint64_t selector = selectors >> 4 * n & 0xf;
        std::uint64_t byte = both >> 8 * (selector & 7) & 0xff;
        if (selector >= 8) byte = (byte & 0x80) != 0 ? 0xff : 0;
        r |= byte << 8 * n;
    }
    return r;
}

constexpr std::uint64_t logic_3(std::uint64_t a, std::uint64_t b, std::uint64_t c,
                                std::uint64_t table) {
    std::uint64_t r = 0;
    for (unsigned n = 0; n < 8; ++n) {
        if ((table >> n & 1U) == 0) continue;
        r |= ((n & 4U) != 0 ? a : ~a) & ((n & 2U) != 0 ? b : ~b) & ((n & 1U) != 0 ? c : ~c);
    }
    return r;
}

/// A sum of products of the parts of `a`, bytes or halves, and of bytes of `b`, from byte `first` on.
constexpr std::uint64_t dot_product(const step& s, std::uint64_t a, std::uint64_t b,
                                    std::uint64_t c) {
    const unsigned bits = s.what == action::dot_4 ? 8 : 16;
    const unsigned first = s.what == action::dot_2 && s.part == halves::high ? 2 : 0;
    const value_type of_a{.bits = static_cast<std::uint8_t>(bits), .is_signed = s.type.is_signed};
    const value_type of_b{.bits = 8, .is_signed = s.from.is_signed};
    for (unsigned n = 0; n < 32 / bits; ++n) {
        c += as(of_a, a >> bits * n) * as(of_b, b >> 8 * (first + n));
    }
    return c;
}

constexpr bool compared(const step& s, std::uint64_t a, std::uint64_t b) {
    value_type type = s.from;
    if (s.unsigned_compare) type.is_signed = false;
    switch (s.compare) {
        case comparison::eq: return a == b;
        case comparison::ne: return a != b;
        case comparison::lt: return less(type, a, b);
        case comparison::le: return !less(type, b, a);
        case comparison::gt: return less(type, b, a);
        case comparison::ge: return !less(type, a, b);
    }
    return false;
}

/// One result of one lane from its sources, each `as` the type that the instruction reads it in.
constexpr std::uint64_t computed(const step& s, std::uint64_t a, std::uint64_t b, std::uint64_t c,
                                 std::uint64_t d) {
    const value_type& type = s.type;
    switch (s.what) {
        case action::convert:
        case action::move: return a;
        case action::add: return a + b;
        case action::subtract: return a - b;
        case action::multiply: return product(s, a, b);
        case action::multiply_24: return product_24(s, a, b);
        case action::multiply_add: return product(s, a, b) + c;
        case action::multiply_add_24: return product_24(s, a, b) + c;
        case action::divide:
        case action::remainder: return quotient(s, a, b);
        case action::absolute: return static_cast<std::int64_t>(a) < 0 ? 0 - a : a;
        case action::negate: return 0 - a;
        case action::minimum: return less(type, b, a) ? b : a;
        case action::maximum: return less(type, a, b) ? b : a;
        case action::sum_of_difference: return (less(type, a, b) ? b - a : a - b) + c;
        case action::bit_and: return a & b;
        case action::bit_or: return a | b;
        case action::bit_xor: return a ^ b;
        case action::bit_not: return ~a;
        case action::is_zero: return a == 0 ? 1 : 0;
        case action::logic_3: return logic_3(a, b, c, d);
        case action::shift_left: return shifted_left(type.bits, a, b);
        case action::shift_right: return shifted_right(type, a, b);
        case action::funnel_shift: return funnel_shifted(s.mode, a, b, c);
        case action::extract: return extracted(type, a, b, c);
        case action::insert: return inserted(type.bits, a, b, c, d);
        case action::find_bit: return found_bit(s, a);
        case action::find_nth_bit: return found_nth_bit(a, b, c);
        case action::make_mask: return mask_of(s.mode != 0, a, b);
        case action::extend_bits: return extended_bits(s, a, b);
        case action::leading_zeros:
            return static_cast<std::uint64_t>(std::countl_zero(a & ones(type.bits))) -
                   (64U - type.bits);
        case action::count_ones:
            return static_cast<std::uint64_t>(std::popcount(a & ones(type.bits)));
        case action::reverse_bits: return reversed(type.bits, a);
        case action::permute: return permuted(a, b, c);
        case action::dot_2:
        case action::dot_4: return dot_product(s, a, b, c);
        case action::select_by_sign: return static_cast<std::int64_t>(c) >= 0 ? a : b;
        default: return 0;
    }
}

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::run

#endif
