// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TEXT_MODULE_HPP
#define WARPGAUGE_PTX_TEXT_MODULE_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <warpgauge/core/when_used.hpp>
#include <warpgauge/kernel/instruction.hpp>
#include <warpgauge/ptx/text/piece.hpp>

/// \file The contents of a PTX text, as `ptx::parse` reads it.
///
/// Names and literals are views into the text, which must outlive the module. Lists of functions are
/// ranges of the module's lists, so that a module is a handful of arrays however large it is.
/// Source of the language: NVIDIA, Parallel Thread Execution ISA, versions 1.4 to 9.0.

namespace WARPGAUGE_NAMESPACE::ptx {

/// Entries of a list of the module: from `first`, `count` of them.
struct range {
    std::uint32_t first{};  ///< place of the first entry, from 0
    std::uint32_t count{};  ///< number of entries
};

/// A position in the text, from 1.
struct position {
    std::uint32_t line{};    ///< of the text, from 1
    std::uint32_t column{};  ///< of the line, from 1
};

/// The kind of an operand.
enum class operand_kind : std::uint8_t {
    name,     ///< register, special register, label, symbol, function, or `_`
    integer,  ///< literal; `value`
    real,     ///< literal; `value` has the bits of `0f...` and `0d...`, and is 0 for a decimal one
    address,  ///< `[text + value]`, without `text` for a literal address; `parts` may follow
    vector,   ///< `{a, b}`: its `parts`
    list,     ///< `(a, b)` of a call: its `parts`
};

/// The maximum number of operands within one.
inline constexpr std::size_t max_parts = 0xffff;

/// One operand. Parts of an operand follow it in the module's list.
struct operand {
    operand_kind kind{};        ///< what it is
    bool negated : 1 {};        ///< `!` before it
    bool second_result : 1 {};  ///< after `|`, as of `setp` and `shfl`
    /// `text[value]` of an array: `value` counts elements; its kind is `address`.
    bool indexed : 1 {};
    std::uint16_t parts{};  ///< operands after this one that are within it, at any depth
    piece text{};           ///< the name, the base of an address, or the literal as written
    std::int64_t value{};   ///< of a literal, or the offset of an address or a name
};

/// The memories that a declaration can be in.
enum class state_space : std::uint8_t { reg, local, shared, param, constant, global };

/// A register, a variable or a parameter; for registers `%r<8>`, all eight.
struct declaration {
    state_space space{};      ///< the memory that it is in
    bool is_pointer{};        ///< a parameter with `.ptr`
    std::string_view name{};  ///< without the number of `name<n>`
    std::string_view type{};  ///< without its dot: `b32`
    std::string_view
        initial{};  ///< `[2] = {1, 2}`: from behind the name to the end of its initial values; empty
                    ///< without such. `text::read_initial_values` reads them
    std::uint32_t alignment{};  ///< B; 0: not given
    std::uint32_t vector{1};    ///< elements of each, of `.v2` and `.v4`
    std::uint64_t elements{1};  ///< of an array; 0: not given
    std::uint32_t registers{};  ///< of `name<n>`: n; 0: one, of this name
    range scope{};              ///< instructions in its scope; none for a variable of the module
    std::uint32_t braces{};     ///< of the module, around it; of a parameter, none
    position at{};              ///< where it is declared
};

/// The maximum number of a source file.
inline constexpr std::uint32_t max_source_file = (std::uint32_t{1} << 24) - 1;

/// One instruction of a function.
struct instruction {
    name_piece predicate{};             ///< register, of `@p`; empty: always executed
    piece opcode{};                     ///< with its modifiers: `ld.global.f32`
    bool predicate_negated : 1 {};      ///< of `@!p`
    bool known : 1 {};                  ///< the opcode is one of the language as we know it
    unit_kind unit : 6 {};              ///< that executes it; `integer` if it is not known
    std::uint32_t source_file : 24 {};  ///< of the last `.loc`; 0: none
    std::uint32_t source_line{};        ///< line of that file
    range operands{};                   ///< of the module
    position at{};                      ///< where it begins
    std::uint32_t braces{};             ///< of the module, around it
};

/// A label is before an instruction, or at the end of its function.
struct label {
    std::string_view name{};  ///< without its colon
    std::uint32_t before{};   ///< instruction of the module
    std::uint32_t braces{};   ///< of the module, around it
    range targets{};          ///< operands that `.branchtargets` or `.calltargets` after it lists
};

/// A kernel or a device function; without a body it is only declared.
struct function {
    std::string_view name{};                          ///< as other instructions call it
    bool is_kernel{};                                 ///< `.entry`, not `.func`
    bool has_body{};                                  ///< it is defined, not only declared
    range returns{};                                  ///< declarations of the module
    range parameters{};                               ///< declarations of the module
    range declarations{};                             ///< of its body
    range instructions{};                             ///< of the module, in order
    range labels{};                                   ///< of the module, in order
    std::uint32_t braces{};                           ///< of the module: its outermost ones
    std::array<std::uint32_t, 3> max_threads{};       ///< `.maxntid`; 0: not given
    std::array<std::uint32_t, 3> required_threads{};  ///< `.reqntid`
    std::array<std::uint32_t, 3> cluster{};           ///< blocks, `.reqnctapercluster`
    std::uint32_t max_registers{};                    ///< `.maxnreg`
    std::uint32_t min_blocks_per_sm{};                ///< `.minnctapersm`
    position at{};                                    ///< where it is declared
};

/// A source file that `.loc` refers to.
struct source_file {
    std::uint32_t number{};   ///< as `.loc` has it
    std::string_view name{};  ///< as `.file` has it
};

/// `.alias name, function;`: another name of a function that is defined in the text.
struct alias {
    std::string_view name{};      ///< the other name
    std::string_view function{};  ///< the function that it means
};

/// A whole text.
struct module {
    std::uint32_t version_major{};            ///< of the language, 7 of 7.8
    std::uint32_t version_minor{};            ///< of the language, 8 of 7.8
    std::string_view target{};                ///< `sm_90`, perhaps with options after commas
    std::uint32_t address_bits{};             ///< 32 or 64; 0: not given
    std::uint64_t unknown_opcodes{};          ///< instructions that are not `known`
    std::vector<function> functions{};        ///< in the order of the text
    std::vector<declaration> declarations{};  ///< of functions and of the module
    std::vector<instruction> instructions{};  ///< of all functions
    std::vector<operand> operands{};          ///< of all instructions, parts behind their whole
    std::vector<label> labels{};              ///< of all functions
    std::vector<std::uint32_t> braces{};      ///< of each pair, the pair around it, or itself
    std::vector<source_file> files{};         ///< of `.file`
    std::vector<alias> aliases{};             ///< of `.alias`

    /// The function of that name; null if there is none. One with a body before one without.
    [[nodiscard]] const function* find(std::string_view name) const noexcept {
        const function* found = nullptr;
        for (const function& f : functions) {
            if (f.name == name && (found == nullptr || (f.has_body && !found->has_body)))
                found = &f;
        }
        return found;
    }
    /// The instructions of a function, in order.
    template <class Used = core::when_used>
    [[nodiscard]] core::late<Used, std::span<const instruction>> body(
        const function& f) const noexcept {
        return {instructions.data() + f.instructions.first, f.instructions.count};
    }
    /// The parameters of a function, in order.
    template <class Used = core::when_used>
    [[nodiscard]] core::late<Used, std::span<const declaration>> parameters(
        const function& f) const noexcept {
        return {declarations.data() + f.parameters.first, f.parameters.count};
    }
    /// The operands of an instruction, each followed by its parts.
    template <class Used = core::when_used>
    [[nodiscard]] core::late<Used, std::span<const operand>> operands_of(
        const instruction& i) const noexcept {
        return {operands.data() + i.operands.first, i.operands.count};
    }
};

}  // namespace WARPGAUGE_NAMESPACE::ptx

#endif
