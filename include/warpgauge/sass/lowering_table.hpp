// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SASS_LOWERING_TABLE_HPP
#define WARPGAUGE_SASS_LOWERING_TABLE_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <warpgauge/core/abi.hpp>
#include <warpgauge/ptx/text/opcode_table.hpp>

/// \file The machine instructions that a single instruction of PTX becomes.
///
/// Source of all rows: the code that ptxas 13.0 writes for 7.5, 8.0, 8.6, 8.9 and 9.0 for a kernel of this one
/// instruction, whose operands are loaded and whose result is stored; the test `sass_against_cubins` compiles them
/// again. If architectures differ, by a move or by which of two pipes adds, a row has the instructions of 7.5. A slow
/// path (a division whose operands are subnormal or huge) is not taken. The meaning of the instructions: NVIDIA,
/// Parallel Thread Execution ISA 9.0, ch. 9, which also allows that a range is scaled where a `.ftz` is absent.

namespace WARPGAUGE_NAMESPACE::sass {

/// The class of an opcode's last type.
enum class operand_type : std::uint8_t {
    any,        ///< of a row: all types
    predicate,  ///< `.pred`
    int16,      ///< integers and bits of 8 or 16
    int32,      ///< of 32, and where no type is given
    int64,      ///< of 64 and 128
    half,       ///< `f16`, `bf16`, packed or not
    fp32,       ///< `f32`, `tf32`
    fp64,       ///< `f64`
};

/// Machine instructions, by the pipe that executes them.
struct machine_cost {
    std::uint8_t fp32{};         ///< `pipe::fp32`
    std::uint8_t fp64{};         ///< `pipe::fp64`
    std::uint8_t half{};         ///< `pipe::half`
    std::uint8_t integer_fma{};  ///< `pipe::integer_fma`
    std::uint8_t alu{};          ///< `pipe::alu`
    std::uint8_t special{};      ///< `pipe::special`
    std::uint8_t special_64{};   ///< conversions of 64 bits: `pipe::fp64` or `pipe::special`
    std::uint8_t branch{};       ///< `pipe::branch`

    /// All of them.
    [[nodiscard]] constexpr std::uint32_t total() const noexcept {
        return 0U + fp32 + fp64 + half + integer_fma + alu + special + special_64 + branch;
    }
};

/// A row of the table: the first that matches an opcode has its machine instructions.
struct lowering_row {
    std::string_view root;           ///< up to its first dot
    std::string_view part{};         ///< of its modifiers; empty: any
    operand_type type{};             ///< its last one
    machine_cost cost{};             ///< in machine code
    std::string_view second_part{};  ///< of its modifiers; empty: any
};

/// The last type of an opcode: `int64` for `cvt.rn.f32.s64`.
[[nodiscard]] constexpr operand_type type_of(std::string_view opcode) noexcept;

/// The row of an opcode; null if the table has none, as for memory, branches and opcodes that only name a value.
[[nodiscard]] constexpr const lowering_row* find_lowering(std::string_view opcode) noexcept;

namespace detail::lowering {

using enum operand_type;

/// Sorted by root; of one root, the special before the general.
inline constexpr lowering_row rows[]{
    {"abs", "", int16, {.alu = 3}},
    {"abs", "", int32, {.alu = 1}},
    {"abs", "", int64, {.integer_fma = 1, .alu = 4}},
    {"abs", "", half, {.half = 1}},
    {"abs", "", fp32, {.fp32 = 1}},
    {"abs", "", fp64, {.fp64 = 1}},
    {"add", "", int64, {.alu = 2}},
    {"add", "", half, {.half = 1}},
    {"add", "", fp32, {.fp32 = 2}, "f32x2"},
    {"add", "", fp32, {.fp32 = 1}},
    {"add", "", fp64, {.fp64 = 1}},
    {"add", "", any, {.alu = 1}},
    {"addc", "", any, {.alu = 1}},
    {"and", "", int64, {.alu = 2}},
    {"and", "", any, {.alu = 1}},
    {"bfe", "", int64, {.integer_fma = 1, .alu = 8}},
    {"bfe", "", int32, {.alu = 4}},
    {"bfi", "", int64, {.integer_fma = 1, .alu = 12}},
    {"bfi", "", int32, {.alu = 6}},
    {"bfind", "", int64, {.alu = 2, .special = 1, .branch = 1}},
    {"bfind", "", int32, {.special = 1}},
    {"bmsk", "", any, {.alu = 1}},
    {"brev", "", int64, {.special = 2}},
    {"brev", "", any, {.special = 1}},
    {"clz", "", int64, {.integer_fma = 1, .alu = 4, .special = 1}},
    {"clz", "", any, {.alu = 1, .special = 1}},
    {"cnot", "", int64, {.alu = 4}},
    {"cnot", "", any, {.alu = 2}},
    {"copysign", "", any, {.alu = 1}},
    {"cos", "", any, {.fp32 = 1, .special = 1}},
    {"div", "rn", fp32, {.fp32 = 5, .special = 2, .branch = 1}},
    {"div", "full", fp32, {.fp32 = 3, .alu = 1, .special = 1}, "ftz"},
    {"div", "full", fp32, {.fp32 = 5, .alu = 2, .special = 1}},
    {"div", "approx", fp32, {.fp32 = 1, .special = 1}, "ftz"},
    {"div", "approx", fp32, {.fp32 = 3, .alu = 1, .special = 1}},
    {"div", "", fp32, {.fp32 = 5, .special = 2, .branch = 1}},
    {"div",
     "",
     fp64,
     {.fp32 = 1, .fp64 = 8, .integer_fma = 1, .alu = 2, .special = 1, .branch = 1}},
    {"div", "s16", any, {.fp32 = 3, .integer_fma = 7, .alu = 13, .special = 4, .branch = 2}},
    {"div", "u16", any, {.fp32 = 3, .integer_fma = 5, .alu = 7, .special = 4, .branch = 2}},
    {"div", "s32", any, {.integer_fma = 9, .alu = 12, .special = 3}},
    {"div", "u32", any, {.integer_fma = 7, .alu = 8, .special = 3}},
    {"div", "s64", any, {.integer_fma = 40, .alu = 43, .special = 1, .special_64 = 2, .branch = 2}},
    {"div", "u64", any, {.integer_fma = 33, .alu = 34, .special = 1, .special_64 = 2, .branch = 2}},
    {"dp2a", "", any, {.integer_fma = 1}},
    {"dp4a", "", any, {.integer_fma = 1}},
    {"ex2", "", half, {.special = 1}},
    {"ex2", "ftz", any, {.special = 1}},
    {"ex2", "", any, {.fp32 = 2, .alu = 1, .special = 1}},
    {"fma", "", half, {.half = 1}},
    {"fma", "", fp32, {.fp32 = 2}, "f32x2"},
    {"fma", "", fp32, {.fp32 = 1}},
    {"fma", "", fp64, {.fp64 = 1}},
    {"lg2", "ftz", any, {.special = 1}},
    {"lg2", "", any, {.fp32 = 2, .alu = 1, .special = 1}},
    {"lop3", "", any, {.alu = 1}},
    {"mad", "", fp32, {.fp32 = 1}},
    {"mad", "", fp64, {.fp64 = 1}},
    {"mad", "", int64, {.integer_fma = 3, .alu = 1}},
    {"mad", "", any, {.integer_fma = 1}},
    {"mad24", "", any, {.integer_fma = 1, .alu = 2}},
    {"madc", "", any, {.integer_fma = 1}},
    {"max", "", fp64, {.fp64 = 1, .integer_fma = 3, .alu = 3}},
    {"max", "", int64, {.alu = 4}},
    {"max", "", half, {.half = 1}},
    {"max", "", any, {.alu = 1}},
    {"min", "", fp64, {.fp64 = 1, .integer_fma = 3, .alu = 3}},
    {"min", "", int64, {.alu = 4}},
    {"min", "", half, {.half = 1}},
    {"min", "", any, {.alu = 1}},
    {"mul", "", half, {.half = 1}},
    {"mul", "", fp32, {.fp32 = 2}, "f32x2"},
    {"mul", "", fp32, {.fp32 = 1}},
    {"mul", "", fp64, {.fp64 = 1}},
    {"mul", "lo", int64, {.integer_fma = 3, .alu = 1}},
    {"mul", "hi", any, {.integer_fma = 8, .alu = 9}, "s64"},
    {"mul", "hi", int64, {.integer_fma = 4, .alu = 3}},
    {"mul", "hi", int16, {.integer_fma = 1, .alu = 3}},
    {"mul", "", any, {.integer_fma = 1}},
    {"mul24", "", any, {.integer_fma = 1, .alu = 2}},
    {"neg", "", int64, {.alu = 2}},
    {"neg", "", half, {.half = 1}},
    {"neg", "", fp32, {.fp32 = 1}},
    {"neg", "", fp64, {.fp64 = 1}},
    {"neg", "", any, {.alu = 1}},
    {"not", "", int64, {.alu = 2}},
    {"not", "", any, {.alu = 1}},
    {"or", "", int64, {.alu = 2}},
    {"or", "", any, {.alu = 1}},
    {"popc", "", int64, {.alu = 1, .special = 2}},
    {"popc", "", any, {.special = 1}},
    {"prmt", "", any, {.alu = 1}},
    {"rcp", "approx", fp64, {.alu = 1, .special = 1}},
    {"rcp", "", fp64, {.fp64 = 5, .alu = 2, .special = 1, .branch = 1}},
    {"rcp", "approx", any, {.special = 1}, "ftz"},
    {"rcp", "approx", any, {.fp32 = 2, .integer_fma = 1, .alu = 4, .special = 1}},
    {"rcp", "", any, {.fp32 = 3, .alu = 3, .special = 1, .branch = 1}},
    {"rem", "s16", any, {.fp32 = 3, .integer_fma = 8, .alu = 14, .special = 4, .branch = 2}},
    {"rem", "u16", any, {.fp32 = 3, .integer_fma = 5, .alu = 9, .special = 4, .branch = 2}},
    {"rem", "s32", any, {.integer_fma = 8, .alu = 11, .special = 3}},
    {"rem", "u32", any, {.integer_fma = 7, .alu = 7, .special = 3}},
    {"rem", "s64", any, {.integer_fma = 38, .alu = 39, .special = 1, .special_64 = 2, .branch = 2}},
    {"rem", "u64", any, {.integer_fma = 32, .alu = 31, .special = 1, .special_64 = 2, .branch = 2}},
    {"rsqrt", "", fp64, {.fp64 = 5, .integer_fma = 3, .alu = 2, .special = 1, .branch = 1}},
    {"rsqrt", "ftz", any, {.special = 1}},
    {"rsqrt", "", any, {.fp32 = 2, .alu = 1, .special = 1}},
    {"sad", "", any, {.alu = 1}},
    {"selp", "", int64, {.alu = 2}},
    {"selp", "", fp64, {.alu = 2}},
    {"selp", "", any, {.alu = 1}},
    {"set", "", int64, {.alu = 3}},
    {"set", "", fp64, {.fp64 = 1, .alu = 1}},
    {"set", "", any, {.alu = 2}},
    {"setp", "", int16, {.alu = 1}},
    {"setp", "", int64, {.alu = 2}},
    {"setp", "", half, {.half = 1}},
    {"setp", "", fp64, {.fp64 = 1}},
    {"setp", "", any, {.alu = 1}},
    {"shf", "", any, {.alu = 1}},
    {"shl", "", int64, {.alu = 2}},
    {"shl", "", int16, {.alu = 4}},
    {"shl", "", any, {.alu = 1}},
    {"shr", "", int64, {.alu = 2}},
    {"shr", "", int16, {.alu = 4}},
    {"shr", "", any, {.alu = 1}},
    {"sin", "", any, {.fp32 = 1, .special = 1}},
    {"slct", "", any, {.alu = 2}},
    {"sqrt", "", fp64, {.fp64 = 8, .integer_fma = 3, .alu = 3, .special = 1, .branch = 1}},
    {"sqrt", "approx", any, {.special = 1}, "ftz"},
    {"sqrt", "approx", any, {.fp32 = 2, .alu = 1, .special = 1}},
    {"sqrt", "", any, {.fp32 = 4, .alu = 2, .special = 1, .branch = 1}},
    {"sub", "", int64, {.alu = 2}},
    {"sub", "", half, {.half = 1}},
    {"sub", "", fp32, {.fp32 = 2}, "f32x2"},
    {"sub", "", fp32, {.fp32 = 1}},
    {"sub", "", fp64, {.fp64 = 1}},
    {"sub", "", any, {.alu = 1}},
    {"subc", "", any, {.alu = 1}},
    {"tanh", "", any, {.special = 1}},
    {"testp", "", any, {.alu = 2}},
    {"xor", "", int64, {.alu = 2}},
    {"xor", "", any, {.alu = 1}},
};

constexpr operand_type type_of_part(std::string_view part) noexcept {
    const bool half_type = part == "f16" || part == "f16x2" || part == "bf16" || part == "bf16x2";
    if (half_type) return half;
    if (part == "f32" || part == "tf32" || part == "f32x2") return fp32;
    if (part == "f64") return fp64;
    if (part == "pred") return predicate;
    if (part.size() < 2 || (part[0] != 'b' && part[0] != 's' && part[0] != 'u')) return any;
    const std::string_view bits = part.substr(1);
    if (bits == "8" || bits == "16") return int16;
    if (bits == "32" || bits == "16x2") return int32;
    return bits == "64" || bits == "128" ? int64 : any;
}

/// In the table's order of roots, with the rows of one root side by side.
constexpr std::size_t first_row(std::string_view root) noexcept {
    std::size_t low = 0;
    std::size_t high = sizeof(rows) / sizeof(lowering_row);
    while (low < high) {
        const std::size_t middle = low + (high - low) / 2;
        if (rows[middle].root < root) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

}  // namespace detail::lowering

constexpr operand_type type_of(std::string_view opcode) noexcept {
    operand_type last = operand_type::any;
    for (std::size_t at = opcode.find('.'); at != std::string_view::npos;) {
        const std::size_t end = opcode.find('.', at + 1);
        const operand_type t = detail::lowering::type_of_part(opcode.substr(at + 1, end - at - 1));
        if (t != operand_type::any) last = t;
        at = end;
    }
    return last == operand_type::any ? operand_type::int32 : last;
}

constexpr const lowering_row* find_lowering(std::string_view opcode) noexcept {
    using ptx::text::has_part;
    const std::string_view root = opcode.substr(0, opcode.find('.'));
    const operand_type type = type_of(opcode);
    constexpr std::size_t count = sizeof(detail::lowering::rows) / sizeof(lowering_row);
    for (std::size_t n = detail::lowering::first_row(root); n < count; ++n) {
        const lowering_row& row = detail::lowering::rows[n];
        if (row.root != root) break;
        if (row.type != operand_type::any && row.type != type) continue;
        if (!row.part.empty() && !has_part(opcode, row.part)) continue;
        if (!row.second_part.empty() && !has_part(opcode, row.second_part)) continue;
        return &row;
    }
    return nullptr;
}

}  // namespace WARPGAUGE_NAMESPACE::sass

#endif
