// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TEXT_OPCODE_HPP
#define WARPGAUGE_PTX_TEXT_OPCODE_HPP

#include <cstddef>
#include <string_view>

#include <warpgauge/kernel/instruction.hpp>
#include <warpgauge/ptx/text/opcode_table.hpp>

/// \file The unit that executes a PTX instruction.
///
/// Source: NVIDIA, Parallel Thread Execution ISA 9.0, ch. 9, for the opcodes. The choice of the unit is this library's:
/// an instruction that becomes several belongs to the unit that does most of its work.

namespace WARPGAUGE_NAMESPACE::ptx {

/// The class of an opcode.
struct opcode_class {
    bool known{};      ///< the language has it
    unit_kind unit{};  ///< what executes it; `integer` if it is not known
};

/// Classifies an opcode with its modifiers.
[[nodiscard]] constexpr opcode_class classify(std::string_view opcode) noexcept;

namespace detail::text {

using ptx::text::executed_by, ptx::text::has_part, ptx::text::is_of_parameter;

/// The unit of arithmetic, by its types, in one pass over the parts: types begin with a letter and a digit, `f32`, or
/// are of another float.
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
    // What only waits for copies under way, or closes a group of them.
    for (const std::string_view part : {"commit_group", "wait_group", "wait_all"}) {
        if (has_part(opcode, part)) return unit_kind::integer;
    }
    if (is_of_parameter(opcode) || has_part(opcode, "const")) return unit_kind::l1_cache;
    if (has_part(opcode, "local")) return unit_kind::l1_cache;
    if (opcode.find(".shared") != std::string_view::npos && !has_part(opcode, "global")) {
        return unit_kind::shared_memory;
    }
    for (const std::string_view root : {"ldmatrix", "stmatrix", "mbarrier"}) {
        if (opcode.substr(0, root.size()) == root) return unit_kind::shared_memory;
    }
    return unit_kind::global_memory;
}

/// Products are the tensor cores' work; fragments come from memory, or from the tensor cores' own; the rest only waits.
constexpr unit_kind unit_of_tensor(std::string_view opcode) noexcept {
    const std::string_view root = opcode.substr(0, opcode.find('.'));
    if (has_part(opcode, "mma") || has_part(opcode, "mma_async") || root == "mma") {
        return unit_kind::tensor;
    }
    if (root == "wmma") return unit_by_space(opcode);
    const bool moves = has_part(opcode, "ld") || has_part(opcode, "st");
    return root == "tcgen05" && moves ? unit_kind::l1_cache : unit_kind::integer;
}

constexpr unit_kind unit_by_rule(executed_by rule, std::string_view opcode) noexcept {
    switch (rule) {
        case executed_by::type: return unit_by_type(opcode);
        case executed_by::special:
            return unit_by_type(opcode) == unit_kind::double_precision
                       ? unit_kind::double_precision
                       : unit_kind::special_function;
        case executed_by::memory: return unit_by_space(opcode);
        case executed_by::integer: return unit_kind::integer;
        case executed_by::branch: return unit_kind::branch;
        case executed_by::
            barrier:  // of a warp alone: no barrier of the block; so an arrival in a cluster
            return has_part(opcode, "warp") ||
                           (has_part(opcode, "cluster") && has_part(opcode, "arrive"))
                       ? unit_kind::integer
                       : unit_kind::barrier;
        case executed_by::tensor: return unit_of_tensor(opcode);
    }
    return unit_kind::integer;
}

}  // namespace detail::text

constexpr opcode_class classify(std::string_view opcode) noexcept {
    const text::root_rule* const root = text::rule_of(opcode);
    if (root == nullptr) return {.known = false, .unit = unit_kind::integer};
    return {.known = true, .unit = detail::text::unit_by_rule(root->unit_rule, opcode)};
}

}  // namespace WARPGAUGE_NAMESPACE::ptx

#endif
