// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_RUN_WHOLE_ROWS_HPP
#define WARPGAUGE_PTX_RUN_WHOLE_ROWS_HPP

#include <array>
#include <cstddef>
#include <cstdint>

#include <warpgauge/ptx/link/program.hpp>
#include <warpgauge/ptx/run/lane_values.hpp>

/// \file The operations that kernels execute most, on all lanes at once: one decision for a row, so that the
/// compiler makes vector instructions of the lanes.

namespace WARPGAUGE_NAMESPACE::ptx::detail::run {

/// `as`, of all lanes.
constexpr void extend(const value_type& type, const lane_values& from, lane_values& to) {
    if (!type.is_signed) {
        const std::uint64_t kept = ones(type.bits);
        for (std::size_t l = 0; l < warp_lanes; ++l) to[l] = from[l] & kept;
        return;
    }
    if (type.bits == 32) {
        for (std::size_t l = 0; l < warp_lanes; ++l) {
            const auto low = static_cast<std::int32_t>(static_cast<std::uint32_t>(from[l]));
            to[l] = static_cast<std::uint64_t>(std::int64_t{low});
        }
        return;
    }
    for (std::size_t l = 0; l < warp_lanes; ++l) to[l] = sign_extended(from[l], type.bits);
}

/// Do only as many low bits of the sources count as the result has, so that they need no extension?
constexpr bool takes_low_bits(const step& s) {
    switch (s.what) {
        case action::add:
        case action::subtract:
        case action::bit_and:
        case action::bit_or:
        case action::bit_xor:
        case action::bit_not:
        case action::shift_left: return s.from.bits >= s.type.bits;
        case action::multiply:
        case action::multiply_add: return s.part == halves::low && s.from.bits >= s.type.bits;
        default: return false;
    }
}

/// The bits `kept` of `computed`, of all lanes, of the operations that need no decision in a lane. False of all others.
constexpr bool compute_row(const step& s, const lane_values& a, const lane_values& b,
                           const lane_values& c, std::uint64_t kept, lane_values& out) {
    const auto each = [&](const auto& value) {
        for (std::size_t l = 0; l < warp_lanes; ++l) out[l] = value(l) & kept;
        return true;
    };
    const bool plain = s.part != halves::high;
    switch (s.what) {
        case action::convert: return each([&](std::size_t l) { return a[l]; });
        case action::add: return each([&](std::size_t l) { return a[l] + b[l]; });
        case action::subtract: return each([&](std::size_t l) { return a[l] - b[l]; });
        case action::multiply: return plain && each([&](std::size_t l) { return a[l] * b[l]; });
        case action::multiply_add:
            return plain && each([&](std::size_t l) { return a[l] * b[l] + c[l]; });
        case action::minimum:
            return each([&](std::size_t l) { return less(s.type, b[l], a[l]) ? b[l] : a[l]; });
        case action::maximum:
            return each([&](std::size_t l) { return less(s.type, a[l], b[l]) ? b[l] : a[l]; });
        case action::bit_and: return each([&](std::size_t l) { return a[l] & b[l]; });
        case action::bit_or: return each([&](std::size_t l) { return a[l] | b[l]; });
        case action::bit_xor: return each([&](std::size_t l) { return a[l] ^ b[l]; });
        case action::bit_not: return each([&](std::size_t l) { return ~a[l]; });
        case action::shift_left:
            if (s.has_constant) {
                const std::uint64_t by = b[0] & 0xffff'ffff;
                if (by < s.type.bits) return each([&](std::size_t l) { return a[l] << by; });
            }
            return each([&](std::size_t l) { return shifted_left(s.type.bits, a[l], b[l]); });
        case action::shift_right:
            return each([&](std::size_t l) { return shifted_right(s.type, a[l], b[l]); });
        default: return false;
    }
}

/// The lanes in which a comparison of sources as `Number`s holds.
template <class Number>
constexpr std::uint32_t compare_as(comparison how, const lane_values& a, const lane_values& b) {
    std::uint8_t holding[warp_lanes]{};
    const auto each = [&](const auto& holds) {
        for (std::size_t l = 0; l < warp_lanes; ++l) {
            holding[l] = holds(static_cast<Number>(a[l]), static_cast<Number>(b[l])) ? 1 : 0;
        }
        return packed(holding);
    };
    switch (how) {
        case comparison::eq: return each([](Number x, Number y) { return x == y; });
        case comparison::ne: return each([](Number x, Number y) { return x != y; });
        case comparison::lt: return each([](Number x, Number y) { return x < y; });
        case comparison::le: return each([](Number x, Number y) { return x <= y; });
        case comparison::gt: return each([](Number x, Number y) { return x > y; });
        case comparison::ge: return each([](Number x, Number y) { return x >= y; });
    }
    return 0;
}

/// The lanes in which a comparison of sources, read as `type`, holds.
constexpr std::uint32_t compare_row(const step& s, const value_type& type, const lane_values& a,
                                    const lane_values& b) {
    if (type.bits == 32 && type.is_signed) return compare_as<std::int32_t>(s.compare, a, b);
    if (type.bits == 32) return compare_as<std::uint32_t>(s.compare, a, b);
    lane_values x{};
    lane_values y{};
    extend(type, a, x);
    extend(type, b, y);
    return type.is_signed ? compare_as<std::int64_t>(s.compare, x, y)
                          : compare_as<std::uint64_t>(s.compare, x, y);
}

/// The comparison that decides a minimum or a maximum: is the first source below the second?
constexpr step order_of(const step& s) {
    step order = s;
    order.from = s.type;
    order.unsigned_compare = false;
    order.compare = comparison::lt;
    return order;
}

/// The source, 0 or 1, that is the minimum or maximum of all these lanes; 2: of some it is the other.
constexpr unsigned source_of_all(const step& order, const lane_values& a, const lane_values& b,
                                 std::uint32_t lanes) {
    const std::uint32_t below = compare_row(order, order.type, a, b) & lanes;
    if (below != 0 && below != lanes) return 2;
    return (below != 0) == (order.what == action::minimum) ? 0 : 1;
}

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::run

#endif
