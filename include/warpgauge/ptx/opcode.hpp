// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_OPCODE_HPP
#define WARPGAUGE_PTX_OPCODE_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <warpgauge/instruction.hpp>

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

/// How to classify the opcodes of a root.
enum class by : std::uint8_t { type, special, memory, integer, branch, barrier, tensor };

struct root_rule {
    std::string_view root;
    by rule;
};

// In order of names, for a search by halves.
inline constexpr root_rule roots[] = {
    {"abs", by::type},
    {"activemask", by::integer},
    {"add", by::type},
    {"addc", by::integer},
    {"alloca", by::integer},
    {"and", by::integer},
    {"applypriority", by::memory},
    {"atom", by::memory},
    {"bar", by::barrier},
    {"barrier", by::barrier},
    {"bfe", by::integer},
    {"bfi", by::integer},
    {"bfind", by::integer},
    {"bmsk", by::integer},
    {"bra", by::branch},
    {"brev", by::integer},
    {"brkpt", by::branch},
    {"brx", by::branch},
    {"call", by::branch},
    {"clusterlaunchcontrol", by::integer},
    {"clz", by::integer},
    {"cnot", by::integer},
    {"copysign", by::type},
    {"cos", by::special},
    {"cp", by::memory},
    {"createpolicy", by::integer},
    {"cvt", by::type},
    {"cvta", by::integer},
    {"discard", by::memory},
    {"div", by::special},
    {"dp2a", by::integer},
    {"dp4a", by::integer},
    {"elect", by::integer},
    {"ex2", by::special},
    {"exit", by::branch},
    {"fence", by::integer},
    {"fma", by::type},
    {"fns", by::integer},
    {"getctarank", by::integer},
    {"griddepcontrol", by::integer},
    {"isspacep", by::integer},
    {"istypep", by::integer},
    {"ld", by::memory},
    {"ldmatrix", by::memory},
    {"ldu", by::memory},
    {"lg2", by::special},
    {"lop3", by::integer},
    {"mad", by::type},
    {"mad24", by::integer},
    {"madc", by::integer},
    {"mapa", by::integer},
    {"match", by::integer},
    {"max", by::type},
    {"mbarrier", by::memory},
    {"membar", by::integer},
    {"min", by::type},
    {"mma", by::tensor},
    {"mov", by::integer},
    {"movmatrix", by::integer},
    {"mul", by::type},
    {"mul24", by::integer},
    {"multimem", by::memory},
    {"nanosleep", by::integer},
    {"neg", by::type},
    {"not", by::integer},
    {"or", by::integer},
    {"pmevent", by::integer},
    {"popc", by::integer},
    {"prefetch", by::memory},
    {"prefetchu", by::memory},
    {"prmt", by::integer},
    {"rcp", by::special},
    {"red", by::memory},
    {"redux", by::integer},
    {"rem", by::special},
    {"ret", by::branch},
    {"rsqrt", by::special},
    {"sad", by::integer},
    {"selp", by::integer},
    {"set", by::type},
    {"setmaxnreg", by::integer},
    {"setp", by::type},
    {"shf", by::integer},
    {"shfl", by::integer},
    {"shl", by::integer},
    {"shr", by::integer},
    {"sin", by::special},
    {"slct", by::integer},
    {"sqrt", by::special},
    {"st", by::memory},
    {"stackrestore", by::integer},
    {"stacksave", by::integer},
    {"stmatrix", by::memory},
    {"sub", by::type},
    {"subc", by::integer},
    {"suld", by::memory},
    {"suq", by::integer},
    {"sured", by::memory},
    {"sust", by::memory},
    {"szext", by::integer},
    {"tanh", by::special},
    {"tcgen05", by::tensor},
    {"tensormap", by::integer},
    {"testp", by::type},
    {"tex", by::memory},
    {"tld4", by::memory},
    {"trap", by::branch},
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
    {"vote", by::integer},
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
    {"xor", by::integer},
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

/// A memory instruction without a space is a generic one, which nearly always means global memory.
constexpr unit_kind unit_by_space(std::string_view opcode) noexcept {
    if (has_part(opcode, "param") || has_part(opcode, "const")) return unit_kind::l1_cache;
    if (has_part(opcode, "local")) return unit_kind::l1_cache;
    if (opcode.find(".shared") != std::string_view::npos && !has_part(opcode, "global")) {
        return unit_kind::shared_memory;
    }
    for (const std::string_view root : {"ldmatrix", "stmatrix", "mbarrier"}) {
        if (opcode.substr(0, root.size()) == root) return unit_kind::shared_memory;
    }
    return unit_kind::global_memory;
}

}  // namespace detail

/// Classifies an opcode with its modifiers.
[[nodiscard]] constexpr opcode_class classify(std::string_view opcode) noexcept {
    const std::string_view root = opcode.substr(0, opcode.find('.'));
    std::size_t first = 0;
    std::size_t last = sizeof detail::roots / sizeof detail::roots[0];
    while (first < last) {
        const std::size_t middle = first + (last - first) / 2;
        if (detail::roots[middle].root < root) {
            first = middle + 1;
        } else {
            last = middle;
        }
    }
    if (first == sizeof detail::roots / sizeof detail::roots[0] ||
        detail::roots[first].root != root) {
        return {.known = false, .unit = unit_kind::integer};
    }
    switch (detail::roots[first].rule) {
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
        case detail::by::tensor: return {true, unit_kind::single_precision};
    }
    return {};
}

}  // namespace warpgauge::ptx

#endif
