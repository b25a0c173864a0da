// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_RUN_WHOLE_ROWS_HPP
#define WARPGAUGE_PTX_RUN_WHOLE_ROWS_HPP

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

/// `computed`, of all lanes, of the operations that need no decision in a lane. False of all others.
constexpr bool compute_row(const step& s, const lane_values& a, const lane_values& b,
                           const lane_values& c, lane_values& out) {
    const auto each = [&](const auto& value) {
        for (std::size_t l = 0; l < warp_lanes; ++l) out[l] = value(l);
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
        case action::bit_and: return each([&](std::size_t l) { return a[l] & b[l]; });
        case action::bit_or: return each([&](std::size_t l) { return a[l] | b[l]; });
        case action::bit_xor: return each([&](std::size_t l) { return a[l] ^ b[l]; });
        case action::shift_left:
            return each([&](std::size_t l) { return shifted_left(s.type.bits, a[l], b[l]); });
        case action::shift_right:
            return each([&](std::size_t l) { return shifted_right(s.type, a[l], b[l]); });
        default: return false;
    }
}

/// The lanes in which a comparison of sources, each `as` its type, holds.
constexpr std::uint32_t compare_row(const step& s, const value_type& type, const lane_values& a,
                                    const lane_values& b) {
    std::uint32_t holding = 0;
    const auto each = [&](const auto& holds) {
        for (std::size_t l = 0; l < warp_lanes; ++l) {
            holding |= static_cast<std::uint32_t>(holds(l)) << l;
        }
    };
    // Signed numbers are in the order of unsigned ones once the sign is turned over.
    const std::uint64_t turn = type.is_signed ? std::uint64_t{1} << 63 : 0;
    bool negated = false;
    switch (s.compare) {
        case comparison::ne: negated = true; [[fallthrough]];
        case comparison::eq: each([&](std::size_t l) { return a[l] == b[l]; }); break;
        case comparison::ge: negated = true; [[fallthrough]];
        case comparison::lt:
            each([&](std::size_t l) { return (a[l] ^ turn) < (b[l] ^ turn); });
            break;
        case comparison::le: negated = true; [[fallthrough]];
        case comparison::gt:
            each([&](std::size_t l) { return (a[l] ^ turn) > (b[l] ^ turn); });
            break;
    }
    return negated ? ~holding : holding;
}

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::run

#endif
