// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_LINK_REAL_MODIFIERS_HPP
#define WARPGAUGE_PTX_LINK_REAL_MODIFIERS_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <warpgauge/ptx/link/program.hpp>
#include <warpgauge/ptx/text/opcode_table.hpp>
#include <warpgauge/ptx/text/value_type.hpp>

/// \file What the opcode of a step on floats says: `div.rn.f32`.
///
/// Source: NVIDIA, Parallel Thread Execution ISA 9.0, secs. 9.7.3, 9.7.6 and 9.7.9.21.

namespace WARPGAUGE_NAMESPACE::ptx::detail::link {

using ptx::link::comparison, ptx::link::real_operation, ptx::link::rounding, ptx::link::step;
using ptx::text::action;

/// What a root computes of floats.
struct real_root {
    std::string_view root;
    real_operation operation;
    unsigned sources;
    bool says_rounding = false;  ///< without a rounding it is an approximation
};

inline constexpr real_root real_roots[] = {{"abs", real_operation::absolute, 1},
                                           {"add", real_operation::add, 2},
                                           {"cvt", real_operation::convert, 1},
                                           {"div", real_operation::divide, 2, true},
                                           {"fma", real_operation::multiply_add, 3, true},
                                           {"mad", real_operation::multiply_add, 3, true},
                                           {"max", real_operation::maximum, 2},
                                           {"min", real_operation::minimum, 2},
                                           {"mul", real_operation::multiply, 2},
                                           {"neg", real_operation::negate, 1},
                                           {"rcp", real_operation::reciprocal, 1, true},
                                           {"sqrt", real_operation::square_root, 1, true},
                                           {"sub", real_operation::subtract, 2}};

/// Sources of a step on floats.
constexpr unsigned sources_of_real(const step& s) {
    const auto operation = static_cast<real_operation>(s.mode);
    if (operation == real_operation::make_whole) return 1;
    for (const real_root& r : real_roots) {
        if (r.operation == operation) return r.sources;
    }
    return 0;
}

/// `rn` and, to an integer, `rni`.
constexpr bool read_rounding(std::string_view part, step& s) {
    constexpr std::string_view ways[]{"rn", "rz", "rm", "rp"};
    for (std::uint8_t n = 0; n < 4; ++n) {
        if (part.substr(0, 2) != ways[n]) continue;
        s.round = static_cast<rounding>(n);
        return part.size() == 2 || part.substr(2) == "i";
    }
    return false;
}

/// `ltu` is `lt` for all that are numbers.
constexpr bool read_real_comparison(std::string_view part, step& s) {
    constexpr std::string_view ways[]{"eq", "ne", "lt", "le", "gt", "ge"};
    for (std::uint8_t n = 0; n < 6; ++n) {
        if (part.substr(0, 2) != ways[n]) continue;
        s.compare = static_cast<comparison>(n);
        return part.size() == 2 || part.substr(2) == "u";
    }
    return part == "and" || part == "or" || part == "xor";
}

/// Sets the action of a step that computes with a float in its types; `unknown` of a form that is not followed, as one that rounds in
/// a way of its own or takes halves.
constexpr void read_real_modifiers(std::string_view opcode, step& s) {
    const std::string_view root = opcode.substr(0, opcode.find('.'));
    const bool compares = root == "setp";
    const real_root* found = nullptr;
    for (const real_root& r : real_roots) {
        if (r.root == root) found = &r;
    }
    s.what = action::unknown;
    if (!compares && found == nullptr) return;
    const auto is_read = [](const ptx::text::value_type& t) { return t.is_real || t.followed; };
    const bool one_type = s.type.is_real && s.from.is_real && s.type.bits == s.from.bits;
    if (!is_read(s.type) || !is_read(s.from) || (root != "cvt" && !one_type)) return;
    bool rounds = false;
    bool to_whole = false;
    std::size_t at = root.size();
    while (at < opcode.size()) {
        const std::size_t end = opcode.find('.', at + 1);
        const std::string_view part = opcode.substr(at + 1, end - at - 1);
        at = end == std::string_view::npos ? opcode.size() : end;
        ptx::text::value_type type;
        if (ptx::text::read_type(part, type)) continue;
        if (part == "ftz") {
            s.flushes = true;
        } else if (read_rounding(part, s)) {
            rounds = true;
            to_whole = part.size() == 3;
        } else if (!compares || !read_real_comparison(part, s)) {
            return;
        }
    }
    if (compares) {
        s.what = action::compare_reals;
        return;
    }
    if (found->says_rounding && !rounds) return;
    const bool whole = to_whole && s.type.is_real && found->operation == real_operation::convert;
    s.mode = static_cast<std::uint8_t>(whole ? real_operation::make_whole : found->operation);
    s.what = action::real;
}

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::link

#endif
