// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TEXT_OPCODE_TABLE_HPP
#define WARPGAUGE_PTX_TEXT_OPCODE_TABLE_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <warpgauge/core/abi.hpp>

/// \file The opcodes of PTX: what each computes, and what decides the unit that executes it.
///
/// Source: NVIDIA, Parallel Thread Execution ISA 9.0, ch. 9. An opcode is a root and modifiers with dots
/// between them; the root decides.

namespace WARPGAUGE_NAMESPACE::ptx::text {

/// What an instruction computes, as far as it can be followed with integers, predicates and addresses.
enum class action : std::uint8_t {
    unknown,  ///< its results are not known
    no_result,
    move,
    pack,
    unpack,
    convert,
    convert_address,
    add,
    add_carry,
    subtract,
    subtract_borrow,
    multiply,
    multiply_24,
    multiply_add,
    multiply_add_24,
    divide,
    remainder,
    absolute,
    negate,
    minimum,
    maximum,
    sum_of_difference,
    bit_and,
    bit_or,
    bit_xor,
    bit_not,
    is_zero,
    logic_3,
    shift_left,
    shift_right,
    funnel_shift,
    extract,
    insert,
    find_bit,
    find_nth_bit,
    make_mask,
    extend_bits,
    leading_zeros,
    count_ones,
    reverse_bits,
    permute,
    dot_2,
    dot_4,
    compare,
    select,
    select_by_sign,
    real,  ///< arithmetic on floats
    compare_reals,
    active_mask,
    vote,
    shuffle,
    elect,
    match,
    reduce,       ///< `redux`: of all lanes
    map_address,  ///< of another block's shared memory: as the same place of its own
    come_true,    ///< what it asks for has happened
    load,
    store,
    atomic,
    barrier,
    branch,
    branch_table,
    call,
    return_,
    exit,
};

/// What decides which unit executes the opcodes of a root.
enum class executed_by : std::uint8_t {
    type,     ///< the type: integer, single or double precision
    special,  ///< the special-function unit
    memory,   ///< the memory that is accessed
    integer,  ///< the integer units
    branch,   ///< branches
    barrier,  ///< barriers
    tensor,   ///< tensor cores
};

/// What the root of an opcode says.
struct root_rule {
    std::string_view root;          ///< the opcode up to its first dot
    executed_by unit_rule;          ///< what decides about the unit
    action what = action::unknown;  ///< what a followed warp does
};

/// Does the opcode have this part, between dots? `has_part("ld.global.f32", "global")`.
constexpr bool has_part(std::string_view opcode, std::string_view part) noexcept {
    for (std::size_t at = opcode.find(part); at != std::string_view::npos;
         at = opcode.find(part, at + 1)) {
        const std::size_t end = at + part.size();
        if (at > 0 && opcode[at - 1] == '.' && (end == opcode.size() || opcode[end] == '.')) {
            return true;
        }
    }
    return false;
}

/// `ld.param`, and `ld.param::entry` of later versions.
constexpr bool is_of_parameter(std::string_view opcode) noexcept {
    return opcode.find(".param") != std::string_view::npos;
}

/// The roots of all opcodes, in order of names, so that those of one letter are side by side.
inline constexpr root_rule root_rules[] = {
    {"abs", executed_by::type, action::absolute},
    {"activemask", executed_by::integer, action::active_mask},
    {"add", executed_by::type, action::add},
    {"addc", executed_by::integer, action::add_carry},
    {"alloca", executed_by::integer},
    {"and", executed_by::integer, action::bit_and},
    {"applypriority", executed_by::integer, action::no_result},
    {"atom", executed_by::memory, action::atomic},
    {"bar", executed_by::barrier, action::barrier},
    {"barrier", executed_by::barrier, action::barrier},
    {"bfe", executed_by::integer, action::extract},
    {"bfi", executed_by::integer, action::insert},
    {"bfind", executed_by::integer, action::find_bit},
    {"bmsk", executed_by::integer, action::make_mask},
    {"bra", executed_by::branch, action::branch},
    {"brev", executed_by::integer, action::reverse_bits},
    {"brkpt", executed_by::branch, action::no_result},
    {"brx", executed_by::branch, action::branch_table},
    {"call", executed_by::branch, action::call},
    {"clusterlaunchcontrol", executed_by::integer},
    {"clz", executed_by::integer, action::leading_zeros},
    {"cnot", executed_by::integer, action::is_zero},
    {"copysign", executed_by::type},
    {"cos", executed_by::special},
    {"cp", executed_by::memory, action::load},
    {"createpolicy", executed_by::integer},
    {"cvt", executed_by::type, action::convert},
    {"cvta", executed_by::integer, action::convert_address},
    {"discard", executed_by::integer, action::no_result},
    {"div", executed_by::special, action::divide},
    {"dp2a", executed_by::integer, action::dot_2},
    {"dp4a", executed_by::integer, action::dot_4},
    {"elect", executed_by::integer, action::elect},
    {"ex2", executed_by::special},
    {"exit", executed_by::branch, action::exit},
    {"fence", executed_by::integer, action::no_result},
    {"fma", executed_by::type, action::multiply_add},
    {"fns", executed_by::integer, action::find_nth_bit},
    {"getctarank", executed_by::integer},
    {"griddepcontrol", executed_by::integer, action::no_result},
    {"isspacep", executed_by::integer},
    {"istypep", executed_by::integer},
    {"ld", executed_by::memory, action::load},
    {"ldmatrix", executed_by::memory, action::load},
    {"ldu", executed_by::memory, action::load},
    {"lg2", executed_by::special},
    {"lop3", executed_by::integer, action::logic_3},
    {"mad", executed_by::type, action::multiply_add},
    {"mad24", executed_by::integer, action::multiply_add_24},
    {"madc", executed_by::integer},
    {"mapa", executed_by::integer, action::map_address},
    {"match", executed_by::integer, action::match},
    {"max", executed_by::type, action::maximum},
    {"mbarrier", executed_by::memory, action::unknown},
    {"membar", executed_by::integer, action::no_result},
    {"min", executed_by::type, action::minimum},
    {"mma", executed_by::tensor},
    {"mov", executed_by::integer, action::move},
    {"movmatrix", executed_by::integer},
    {"mul", executed_by::type, action::multiply},
    {"mul24", executed_by::integer, action::multiply_24},
    {"multimem", executed_by::memory},
    {"nanosleep", executed_by::integer, action::no_result},
    {"neg", executed_by::type, action::negate},
    {"not", executed_by::integer, action::bit_not},
    {"or", executed_by::integer, action::bit_or},
    {"pmevent", executed_by::integer, action::no_result},
    {"popc", executed_by::integer, action::count_ones},
    {"prefetch", executed_by::memory, action::no_result},
    {"prefetchu", executed_by::memory, action::no_result},
    {"prmt", executed_by::integer, action::permute},
    {"rcp", executed_by::special},
    {"red", executed_by::memory, action::no_result},
    {"redux", executed_by::integer, action::reduce},
    {"rem", executed_by::special, action::remainder},
    {"ret", executed_by::branch, action::return_},
    {"rsqrt", executed_by::special},
    {"sad", executed_by::integer, action::sum_of_difference},
    {"selp", executed_by::integer, action::select},
    {"set", executed_by::type, action::compare},
    {"setmaxnreg", executed_by::integer, action::no_result},
    {"setp", executed_by::type, action::compare},
    {"shf", executed_by::integer, action::funnel_shift},
    {"shfl", executed_by::integer, action::shuffle},
    {"shl", executed_by::integer, action::shift_left},
    {"shr", executed_by::integer, action::shift_right},
    {"sin", executed_by::special},
    {"slct", executed_by::integer, action::select_by_sign},
    {"sqrt", executed_by::special},
    {"st", executed_by::memory, action::store},
    {"stackrestore", executed_by::integer, action::no_result},
    {"stacksave", executed_by::integer},
    {"stmatrix", executed_by::memory, action::store},
    {"sub", executed_by::type, action::subtract},
    {"subc", executed_by::integer, action::subtract_borrow},
    {"suld", executed_by::memory},
    {"suq", executed_by::integer},
    {"sured", executed_by::memory, action::no_result},
    {"sust", executed_by::memory, action::no_result},
    {"szext", executed_by::integer, action::extend_bits},
    {"tanh", executed_by::special},
    {"tcgen05", executed_by::tensor},
    {"tensormap", executed_by::integer},
    {"testp", executed_by::type},
    {"tex", executed_by::memory},
    {"tld4", executed_by::memory},
    {"trap", executed_by::branch, action::exit},
    {"txq", executed_by::integer},
    {"vabsdiff", executed_by::integer},
    {"vabsdiff2", executed_by::integer},
    {"vabsdiff4", executed_by::integer},
    {"vadd", executed_by::integer},
    {"vadd2", executed_by::integer},
    {"vadd4", executed_by::integer},
    {"vavrg2", executed_by::integer},
    {"vavrg4", executed_by::integer},
    {"vmad", executed_by::integer},
    {"vmax", executed_by::integer},
    {"vmax2", executed_by::integer},
    {"vmax4", executed_by::integer},
    {"vmin", executed_by::integer},
    {"vmin2", executed_by::integer},
    {"vmin4", executed_by::integer},
    {"vote", executed_by::integer, action::vote},
    {"vset", executed_by::integer},
    {"vset2", executed_by::integer},
    {"vset4", executed_by::integer},
    {"vshl", executed_by::integer},
    {"vshr", executed_by::integer},
    {"vsub", executed_by::integer},
    {"vsub2", executed_by::integer},
    {"vsub4", executed_by::integer},
    {"wgmma", executed_by::tensor},
    {"wmma", executed_by::tensor},
    {"xor", executed_by::integer, action::bit_xor},
};

inline constexpr std::size_t root_rule_count =
    sizeof root_rules / sizeof root_rules[0];  ///< The number of rules.

/// The first rule whose root begins with each letter, or with a later one; and the end.
inline constexpr auto first_rule_of_letter = [] {
    std::array<std::uint8_t, 27> first{};
    for (std::size_t letter = 0, n = 0; letter < first.size(); ++letter) {
        while (n < root_rule_count &&
               static_cast<std::size_t>(root_rules[n].root[0] - 'a') < letter) {
            ++n;
        }
        first[letter] = static_cast<std::uint8_t>(n);
    }
    return first;
}();

/// The rule of an opcode's root; null if the root is not known.
constexpr const root_rule* rule_of(std::string_view opcode) noexcept {
    if (opcode.empty() || opcode[0] < 'a' || opcode[0] > 'z') return nullptr;
    const std::string_view root = opcode.substr(0, opcode.find('.'));
    const auto letter = static_cast<std::size_t>(opcode[0] - 'a');
    for (std::size_t n = first_rule_of_letter[letter]; n < first_rule_of_letter[letter + 1]; ++n) {
        if (root_rules[n].root == root) return &root_rules[n];
    }
    return nullptr;
}

}  // namespace WARPGAUGE_NAMESPACE::ptx::text

#endif
