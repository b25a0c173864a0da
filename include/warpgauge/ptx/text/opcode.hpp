// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TEXT_OPCODE_HPP
#define WARPGAUGE_PTX_TEXT_OPCODE_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <warpgauge/kernel/instruction.hpp>

/// \file Which unit executes a PTX instruction.
///
/// Source: NVIDIA, Parallel Thread Execution ISA 9.0, ch. 9, for the opcodes. Which unit is ours to say:
/// an instruction that becomes several goes to the one that does most of it.

namespace warpgauge::ptx {

/// What is known of an opcode.
struct opcode_class {
    bool known{};
    unit_kind unit{};
};

namespace detail {

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
    leading_zeros,
    count_ones,
    reverse_bits,
    permute,
    dot_2,
    dot_4,
    compare,
    select,
    select_by_sign,
    active_mask,
    vote,
    shuffle,
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

/// How to classify the opcodes of a root.
enum class by : std::uint8_t { type, special, memory, integer, branch, barrier, tensor };

struct root_rule {
    std::string_view root;
    by rule;
    action what = action::unknown;
};

// In order of names, for a search by halves.
inline constexpr root_rule roots[] = {
    {"abs", by::type, action::absolute},
    {"activemask", by::integer, action::active_mask},
    {"add", by::type, action::add},
    {"addc", by::integer, action::add_carry},
    {"alloca", by::integer},
    {"and", by::integer, action::bit_and},
    {"applypriority", by::memory, action::no_result},
    {"atom", by::memory, action::atomic},
    {"bar", by::barrier, action::barrier},
    {"barrier", by::barrier, action::barrier},
    {"bfe", by::integer, action::extract},
    {"bfi", by::integer, action::insert},
    {"bfind", by::integer, action::find_bit},
    {"bmsk", by::integer},
    {"bra", by::branch, action::branch},
    {"brev", by::integer, action::reverse_bits},
    {"brkpt", by::branch, action::no_result},
    {"brx", by::branch, action::branch_table},
    {"call", by::branch, action::call},
    {"clusterlaunchcontrol", by::integer},
    {"clz", by::integer, action::leading_zeros},
    {"cnot", by::integer, action::is_zero},
    {"copysign", by::type},
    {"cos", by::special},
    {"cp", by::memory, action::load},
    {"createpolicy", by::integer},
    {"cvt", by::type, action::convert},
    {"cvta", by::integer, action::convert_address},
    {"discard", by::memory, action::no_result},
    {"div", by::special, action::divide},
    {"dp2a", by::integer, action::dot_2},
    {"dp4a", by::integer, action::dot_4},
    {"elect", by::integer},
    {"ex2", by::special},
    {"exit", by::branch, action::exit},
    {"fence", by::integer, action::no_result},
    {"fma", by::type, action::multiply_add},
    {"fns", by::integer},
    {"getctarank", by::integer},
    {"griddepcontrol", by::integer, action::no_result},
    {"isspacep", by::integer},
    {"istypep", by::integer},
    {"ld", by::memory, action::load},
    {"ldmatrix", by::memory, action::load},
    {"ldu", by::memory, action::load},
    {"lg2", by::special},
    {"lop3", by::integer, action::logic_3},
    {"mad", by::type, action::multiply_add},
    {"mad24", by::integer, action::multiply_add_24},
    {"madc", by::integer},
    {"mapa", by::integer},
    {"match", by::integer},
    {"max", by::type, action::maximum},
    {"mbarrier", by::memory, action::unknown},
    {"membar", by::integer, action::no_result},
    {"min", by::type, action::minimum},
    {"mma", by::tensor},
    {"mov", by::integer, action::move},
    {"movmatrix", by::integer},
    {"mul", by::type, action::multiply},
    {"mul24", by::integer, action::multiply_24},
    {"multimem", by::memory},
    {"nanosleep", by::integer, action::no_result},
    {"neg", by::type, action::negate},
    {"not", by::integer, action::bit_not},
    {"or", by::integer, action::bit_or},
    {"pmevent", by::integer, action::no_result},
    {"popc", by::integer, action::count_ones},
    {"prefetch", by::memory, action::no_result},
    {"prefetchu", by::memory, action::no_result},
    {"prmt", by::integer, action::permute},
    {"rcp", by::special},
    {"red", by::memory, action::no_result},
    {"redux", by::integer},
    {"rem", by::special, action::remainder},
    {"ret", by::branch, action::return_},
    {"rsqrt", by::special},
    {"sad", by::integer, action::sum_of_difference},
    {"selp", by::integer, action::select},
    {"set", by::type, action::compare},
    {"setmaxnreg", by::integer, action::no_result},
    {"setp", by::type, action::compare},
    {"shf", by::integer, action::funnel_shift},
    {"shfl", by::integer, action::shuffle},
    {"shl", by::integer, action::shift_left},
    {"shr", by::integer, action::shift_right},
    {"sin", by::special},
    {"slct", by::integer, action::select_by_sign},
    {"sqrt", by::special},
    {"st", by::memory, action::store},
    {"stackrestore", by::integer, action::no_result},
    {"stacksave", by::integer},
    {"stmatrix", by::memory, action::store},
    {"sub", by::type, action::subtract},
    {"subc", by::integer, action::subtract_borrow},
    {"suld", by::memory},
    {"suq", by::integer},
    {"sured", by::memory, action::no_result},
    {"sust", by::memory, action::no_result},
    {"szext", by::integer},
    {"tanh", by::special},
    {"tcgen05", by::tensor},
    {"tensormap", by::integer},
    {"testp", by::type},
    {"tex", by::memory},
    {"tld4", by::memory},
    {"trap", by::branch, action::exit},
    {"txq", by::integer},
    {"vabsdiff", by::integer},
    {"vabsdiff2", by::integer},
    {"vabsdiff4", by::integer},
    {"vadd", by::integer},
    {"vadd2", by::integer},
    {"vadd4", by::integer},
    {"vavrg2", by::integer},
    {"vavrg4", by::integer},
    {"vmad", by::integer},
    {"vmax", by::integer},
    {"vmax2", by::integer},
    {"vmax4", by::integer},
    {"vmin", by::integer},
    {"vmin2", by::integer},
    {"vmin4", by::integer},
    {"vote", by::integer, action::vote},
    {"vset", by::integer},
    {"vset2", by::integer},
    {"vset4", by::integer},
    {"vshl", by::integer},
    {"vshr", by::integer},
    {"vsub", by::integer},
    {"vsub2", by::integer},
    {"vsub4", by::integer},
    {"wgmma", by::tensor},
    {"wmma", by::tensor},
    {"xor", by::integer, action::bit_xor},
};

// In one pass over the parts: types begin with a letter and a digit, `f32`, or are of another float.
constexpr unit_kind unit_by_type(std::string_view opcode) noexcept {
    unit_kind unit = unit_kind::integer;
    for (std::size_t at = opcode.find('.'); at != std::string_view::npos;) {
        const std::size_t end = opcode.find('.', at + 1);
        const std::string_view part = opcode.substr(at + 1, end - at - 1);
        if (part == "f64") return unit_kind::double_precision;
        if ((part.size() > 2 && part[0] == 'f' && part[1] >= '0' && part[1] <= '9') ||
            part == "bf16" || part == "bf16x2" || part == "tf32") {
            unit = unit_kind::single_precision;
        }
        at = end;
    }
    return unit;
}

/// `ld.param`, and `ld.param::entry` of later versions.
constexpr bool is_param(std::string_view opcode) noexcept {
    return opcode.find(".param") != std::string_view::npos;
}

/// A memory instruction without a space is a generic one, which nearly always means global memory.
constexpr unit_kind unit_by_space(std::string_view opcode) noexcept {
    // What only waits for copies under way, or closes a group of them.
    for (const std::string_view part : {"commit_group", "wait_group", "wait_all"}) {
        if (has_part(opcode, part)) return unit_kind::integer;
    }
    if (is_param(opcode) || has_part(opcode, "const")) return unit_kind::l1_cache;
    if (has_part(opcode, "local")) return unit_kind::l1_cache;
    if (opcode.find(".shared") != std::string_view::npos && !has_part(opcode, "global")) {
        return unit_kind::shared_memory;
    }
    for (const std::string_view root : {"ldmatrix", "stmatrix", "mbarrier"}) {
        if (opcode.substr(0, root.size()) == root) return unit_kind::shared_memory;
    }
    return unit_kind::global_memory;
}

/// The rule of an opcode's root; null if it is not known.
constexpr const root_rule* rule_of(std::string_view opcode) noexcept {
    const std::string_view root = opcode.substr(0, opcode.find('.'));
    std::size_t first = 0;
    std::size_t last = sizeof roots / sizeof roots[0];
    while (first < last) {
        const std::size_t middle = first + (last - first) / 2;
        if (roots[middle].root < root) {
            first = middle + 1;
        } else {
            last = middle;
        }
    }
    const bool known = first != sizeof roots / sizeof roots[0] && roots[first].root == root;
    return known ? &roots[first] : nullptr;
}

}  // namespace detail

/// Classifies an opcode with its modifiers.
[[nodiscard]] constexpr opcode_class classify(std::string_view opcode) noexcept {
    const detail::root_rule* const root = detail::rule_of(opcode);
    if (root == nullptr) return {.known = false, .unit = unit_kind::integer};
    switch (root->rule) {
        case detail::by::type: return {true, detail::unit_by_type(opcode)};
        case detail::by::special:
            return {true, detail::unit_by_type(opcode) == unit_kind::double_precision
                              ? unit_kind::double_precision
                              : unit_kind::special_function};
        case detail::by::memory: return {true, detail::unit_by_space(opcode)};
        case detail::by::integer: return {true, unit_kind::integer};
        case detail::by::branch: return {true, unit_kind::branch};
        case detail::by::barrier:  // of a warp alone: no barrier of the block
            return {true,
                    detail::has_part(opcode, "warp") ? unit_kind::integer : unit_kind::barrier};
        case detail::by::tensor:
            return {true, detail::has_part(opcode, "load") || detail::has_part(opcode, "store")
                              ? detail::unit_by_space(opcode)
                              : unit_kind::single_precision};
    }
    return {};
}

}  // namespace warpgauge::ptx

#endif
