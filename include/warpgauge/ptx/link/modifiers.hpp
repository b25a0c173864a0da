// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_LINK_MODIFIERS_HPP
#define WARPGAUGE_PTX_LINK_MODIFIERS_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <warpgauge/kernel/instruction.hpp>
#include <warpgauge/ptx/link/program.hpp>
#include <warpgauge/ptx/link/real_modifiers.hpp>
#include <warpgauge/ptx/text/opcode_table.hpp>
#include <warpgauge/ptx/text/value_type.hpp>

/// \file What the modifiers of an opcode say: `.wide` and `.s32` of `mul.wide.s32`.

namespace WARPGAUGE_NAMESPACE::ptx::detail::link {

using ptx::link::address_space, ptx::link::comparison, ptx::link::halves, ptx::link::step;
using ptx::text::action, ptx::text::value_type;

/// Reads an opcode into a step whose `what` is already set by the root. Of a form that is not followed,
/// the action becomes `unknown`.
constexpr void read_modifiers(std::string_view opcode, step& s);

/// Takes the text before the next dot off.
constexpr std::string_view take_part(std::string_view& rest) {
    const std::size_t dot = rest.find('.');
    const std::string_view part = rest.substr(0, dot);
    rest.remove_prefix(dot == std::string_view::npos ? rest.size() : dot + 1);
    return part;
}

constexpr bool rounds_to_whole(std::string_view opcode) {
    return ptx::text::has_part(opcode, "rni") || ptx::text::has_part(opcode, "rzi") ||
           ptx::text::has_part(opcode, "rmi") || ptx::text::has_part(opcode, "rpi");
}

/// The operation of `cvt`. A conversion between integers is a move or logic, one from a half, or within single precision, is
/// arithmetic: what ptxas 13.0 writes (`sass/lowered_steps.hpp`).
constexpr operation conversion_of(std::string_view opcode, const step& s) {
    const bool from_half = !s.from.followed && s.from.bits == 16;
    if (s.type.followed && s.from.followed) return operation::other;
    if (s.type.bits == 64 || s.from.bits == 64) return operation::convert_wide;
    if (s.type.followed || s.from.followed) return operation::convert;
    const bool within_single = s.type.bits == 32 && s.from.bits == 32;
    if (within_single && !rounds_to_whole(opcode)) return operation::other;
    return from_half ? operation::other : operation::convert;
}

/// The operation of a stream's instruction.
constexpr operation operation_of(action what) {
    switch (what) {
        case action::add:
        case action::add_carry: return operation::add;
        case action::subtract:
        case action::subtract_borrow: return operation::sub;
        case action::multiply:
        case action::multiply_24:
        case action::multiply_add:
        case action::multiply_add_24: return operation::mul;
        case action::divide: return operation::div;
        case action::negate: return operation::neg;
        case action::minimum: return operation::min;
        case action::maximum: return operation::max;
        case action::bit_and: return operation::bit_and;
        case action::bit_or: return operation::bit_or;
        case action::bit_xor: return operation::bit_xor;
        case action::bit_not: return operation::bit_not;
        case action::logic_3: return operation::logic;
        case action::shift_left:
        case action::shift_right:
        case action::funnel_shift:
        case action::extract:
        case action::insert: return operation::shift;
        case action::compare: return operation::compare;
        case action::find_bit:
        case action::leading_zeros:
        case action::count_ones:
        case action::reverse_bits: return operation::count_bits;
        default: return operation::other;
    }
}

constexpr bool is_computed(action a) {
    return a > action::unpack && a <= action::select_by_sign && a != action::convert_address &&
           a != action::select;
}

constexpr void read_comparison(std::string_view part, step& s) {
    struct named {
        std::string_view name;
        comparison compare;
    };
    constexpr named all[] = {{"eq", comparison::eq}, {"ne", comparison::ne}, {"lt", comparison::lt},
                             {"le", comparison::le}, {"gt", comparison::gt}, {"ge", comparison::ge},
                             {"ls", comparison::le}, {"hs", comparison::ge}};
    for (const named& n : all) {
        if (n.name != part) continue;
        s.compare = n.compare;
        s.unsigned_compare = part == "ls" || part == "hs";
    }
    if (part == "and") s.mode = 1;
    if (part == "or") s.mode = 2;
    if (part == "xor") s.mode = 3;
}

constexpr void read_mode(std::string_view part, step& s) {
    if (s.what == action::compare) {
        read_comparison(part, s);
    } else if (s.what == action::vote) {
        s.mode = part == "all" ? 1 : part == "any" ? 2 : part == "ballot" ? 3 : s.mode;
        if (part == "uni") s.mode = 4;
    } else if (s.what == action::shuffle) {
        s.mode = part == "up" ? 1 : part == "down" ? 2 : part == "bfly" ? 3 : s.mode;
    } else if (s.what == action::match) {
        if (part == "all") s.mode = 1;
    } else if (s.what == action::reduce) {
        constexpr std::string_view all[]{"add", "min", "max", "and", "or", "xor"};
        for (std::uint8_t n = 0; n < 6; ++n) {
            if (part == all[n]) s.mode = static_cast<std::uint8_t>(n + 1);
        }
    } else if (s.what == action::funnel_shift) {
        if (part == "r") s.mode |= 1U;
        if (part == "wrap") s.mode |= 2U;
    } else if (s.what == action::make_mask || s.what == action::extend_bits) {
        if (part == "clamp") s.mode = 1;
    } else if (s.what == action::convert_address && part == "to") {
        s.mode |= 1U;
    } else if (s.what == action::find_bit && part == "shiftamt") {
        s.mode = 1;
    }
}

constexpr void read_space(std::string_view part, address_space& space) {
    if (part == "global") space = address_space::global;
    if (part == "local") space = address_space::local;
    if (part == "const") space = address_space::constant;
    if (part.substr(0, 6) == "shared" && space != address_space::global) {
        space = address_space::shared;
    }
}

/// `lo` and `hi`: half of a product, or an unsigned comparison.
constexpr void read_half(halves part, step& s) {
    s.part = part;
    if (s.what != action::compare) return;
    s.compare = part == halves::low ? comparison::lt : comparison::gt;
    s.unsigned_compare = true;
}

constexpr bool changes_values(std::string_view part) {
    return part == "sat" || part == "relu" || part == "f4e" || part == "b4e" || part == "rc8" ||
           part == "ecl" || part == "ecr" || part == "rc16";
}

constexpr void read_modifiers(std::string_view opcode, step& s) {
    const std::string_view all = opcode;
    const std::string_view root = take_part(opcode);
    s.all_ones = root == "set";
    bool first_type = true;
    bool exact = true;
    bool carries = root == "madc";
    unsigned vector = 1;
    while (!opcode.empty()) {
        const std::string_view part = take_part(opcode);
        value_type type;
        if (part == "b128") vector = vector <= 32 ? 2 * vector : vector;
        exact = exact && part != "b128";
        if (read_type(part, type)) {
            if (first_type) s.type = type;
            s.from = type;
            first_type = false;
        } else if (part == "lo") {
            read_half(halves::low, s);
        } else if (part == "hi") {
            read_half(halves::high, s);
        } else if (part == "wide") {
            s.part = halves::wide;
        } else if (part == "cc") {
            carries = true;
            s.mode = 1;
        } else if (part == "v2" || part == "v4" || part == "v8") {
            if (vector <= 32) vector *= static_cast<unsigned>(part[1] - '0');
        } else if (changes_values(part)) {
            exact = false;
        } else {
            read_mode(part, s);
            read_space(part, s.space);
        }
    }
    const bool whole = s.type.followed && s.from.followed && exact;
    s.op = s.what == action::convert ? conversion_of(all, s) : operation_of(s.what);
    const unsigned lane = vector * (s.type.bits < 8 ? 8U : s.type.bits) / 8;
    s.lane_bytes = static_cast<std::uint8_t>(lane > 32 ? 32 : lane);
    const bool computes = is_computed(s.what) || s.what == action::unknown;
    if (computes && (s.type.is_real || s.from.is_real)) {
        read_real_modifiers(all, s);
    } else if (!whole && is_computed(s.what)) {
        s.what = action::unknown;
    }
    if (!exact && s.what == action::move) s.what = action::unknown;
    s.loses_carry = carries && s.what != action::add && s.what != action::subtract &&
                    s.what != action::add_carry && s.what != action::subtract_borrow;
    if (s.loses_carry) s.what = action::unknown;
    if (s.what == action::vote && s.mode == 4) s.what = action::unknown;
    if (s.what == action::reduce && (!whole || s.mode == 0)) s.what = action::unknown;
}

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::link

#endif
