// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_LINK_OPERAND_SHAPES_HPP
#define WARPGAUGE_PTX_LINK_OPERAND_SHAPES_HPP

#include <cstdint>

#include <warpgauge/ptx/link/program.hpp>
#include <warpgauge/ptx/link/real_modifiers.hpp>
#include <warpgauge/ptx/text/opcode_table.hpp>

/// \file How many results and sources each action has. A step of another shape cannot be followed.

namespace WARPGAUGE_NAMESPACE::ptx::detail::link {

using ptx::link::step;
using ptx::text::action;

/// The sources of an action, at least and at most.
struct operand_shape {
    action what;
    unsigned min_sources, max_sources;
};

inline constexpr operand_shape operand_shapes[] = {{action::move, 1, 1},
                                                   {action::pack, 2, 8},
                                                   {action::unpack, 1, 1},
                                                   {action::convert, 1, 1},
                                                   {action::convert_address, 1, 1},
                                                   {action::add, 2, 2},
                                                   {action::add_carry, 2, 2},
                                                   {action::subtract, 2, 2},
                                                   {action::subtract_borrow, 2, 2},
                                                   {action::multiply, 2, 2},
                                                   {action::multiply_24, 2, 2},
                                                   {action::multiply_add, 3, 3},
                                                   {action::multiply_add_24, 3, 3},
                                                   {action::divide, 2, 2},
                                                   {action::remainder, 2, 2},
                                                   {action::absolute, 1, 1},
                                                   {action::negate, 1, 1},
                                                   {action::minimum, 2, 2},
                                                   {action::maximum, 2, 2},
                                                   {action::sum_of_difference, 3, 3},
                                                   {action::bit_and, 2, 2},
                                                   {action::bit_or, 2, 2},
                                                   {action::bit_xor, 2, 2},
                                                   {action::bit_not, 1, 1},
                                                   {action::is_zero, 1, 1},
                                                   {action::logic_3, 4, 4},
                                                   {action::shift_left, 2, 2},
                                                   {action::shift_right, 2, 2},
                                                   {action::funnel_shift, 3, 3},
                                                   {action::extract, 3, 3},
                                                   {action::insert, 4, 4},
                                                   {action::find_bit, 1, 1},
                                                   {action::find_nth_bit, 3, 3},
                                                   {action::make_mask, 2, 2},
                                                   {action::extend_bits, 2, 2},
                                                   {action::leading_zeros, 1, 1},
                                                   {action::count_ones, 1, 1},
                                                   {action::reverse_bits, 1, 1},
                                                   {action::permute, 3, 3},
                                                   {action::dot_2, 3, 3},
                                                   {action::dot_4, 3, 3},
                                                   {action::compare, 2, 3},
                                                   {action::compare_reals, 2, 3},
                                                   {action::select, 3, 3},
                                                   {action::select_by_sign, 3, 3},
                                                   {action::real, 1, 3},
                                                   {action::active_mask, 0, 0},
                                                   {action::vote, 1, 2},
                                                   {action::shuffle, 3, 4},
                                                   {action::elect, 1, 1},
                                                   {action::match, 2, 2},
                                                   {action::reduce, 2, 2}};

/// Is all there that the execution of a step reads? `sources` are the rows of the step's sources.
constexpr bool can_be_followed(const step& s, const std::uint32_t* sources) {
    for (const operand_shape& shape : operand_shapes) {
        if (shape.what != s.what) continue;
        if (s.sources < shape.min_sources || s.sources > shape.max_sources || s.results < 1) {
            return false;
        }
    }
    if (s.what == action::real && s.sources != sources_of_real(s)) return false;
    const bool one_result = s.what != action::unpack && s.what != action::compare &&
                            s.what != action::compare_reals && s.what != action::shuffle &&
                            s.what != action::unknown && s.what != action::elect &&
                            s.what != action::match;
    if (one_result && s.results > 1) return false;
    if (s.what == action::unpack && s.results > 8) return false;
    for (std::uint32_t n = 0; n < s.sources; ++n) {
        if (sources[n] == ptx::link::nowhere) return false;
    }
    return true;
}

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::link

#endif
