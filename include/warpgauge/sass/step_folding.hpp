// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SASS_STEP_FOLDING_HPP
#define WARPGAUGE_SASS_STEP_FOLDING_HPP

#include <cstdint>
#include <string_view>
#include <vector>

#include <warpgauge/core/when_used.hpp>
#include <warpgauge/kernel/instruction.hpp>
#include <warpgauge/ptx/link/program.hpp>
#include <warpgauge/ptx/text/opcode_table.hpp>
#include <warpgauge/sass/lowering_table.hpp>
#include <warpgauge/sass/row_facts.hpp>

/// \file The steps that become part of another step's machine instruction, or of none.
///
/// The operands of machine instructions are those of NVIDIA's "CUDA Binary Utilities", instruction set reference:
/// IADD3 and LOP3 have three sources, LEA adds a shifted one, IMAD and IMAD.WIDE add a product, ISETP combines a
/// predicate, operands of floats are negated and made absolute for nothing, addresses have an offset and, up to 8.9,
/// those of shared memory a factor. That a product without a rounding modifier is fused with the addition behind it:
/// NVIDIA, Parallel Thread Execution ISA 9.0, sec. 9.7.3, `mul`.

namespace WARPGAUGE_NAMESPACE::sass::detail {

/// The form that a step takes.
enum class fold : std::uint8_t {
    none,           ///< instructions of its own
    nothing,        ///< it is dead, a copy, or part of another
    wide_product,   ///< an addition of a wide product: IMAD.WIDE
    product,        ///< an addition of a product: IMAD
    shifted,        ///< an addition of a shifted number: LEA
    three_sources,  ///< an addition or a logic operation that has another in it
    in_pieces,      ///< as in the table, with fewer instructions if operands are literals
};

/// Finds the folded steps of a routine, in a few passes over it.
template <class Used = core::when_used>
class step_folding {
    using step = ptx::link::step;
    using action = ptx::text::action;

public:
    /// Both must outlive it.
    step_folding(const ptx::link::routine& r, const row_facts<Used>& facts)
        : facts_(facts),
          folds_(r.count),
          copies_(r.count, ptx::link::nowhere),
          partners_(r.count, ptx::link::nowhere),
          from_parameter_(r.rows),
          reads_(r.rows),
          folded_reads_(r.rows) {
        for (const auto& given : r.presets) {
            if (given.parameter != ptx::link::nowhere) from_parameter_[index_of(given.row)] = 1;
        }
        for (std::uint32_t i = 0; i < r.count; ++i) find_copy(i);
        for (std::uint32_t i = 0; i < r.count; ++i) fold_into(i);
        for (std::uint32_t i = 0; i < r.count; ++i) count_reads(i);
        for (std::uint32_t i = 0; i < r.count; ++i) drop_absorbed(i);
    }

    /// It becomes no machine instruction.
    [[nodiscard]] bool vanishes(std::uint32_t index) const {
        return folds_[index] == fold::nothing;
    }
    /// What a step becomes.
    [[nodiscard]] fold fold_of(std::uint32_t index) const { return folds_[index]; }
    /// It is in the constant bank: a parameter, a size of the launch, a constant at a known address.
    [[nodiscard]] bool is_parameter(std::uint32_t row) const {
        if (is_register(row)) return from_parameter_[index_of(row)] != 0;
        return is_launch_constant(row);
    }
    /// Calls `visit(row)` with the rows that a step reads, through copies, and with those of the steps folded into it.
    template <class Visitor>
    void for_each_value(std::uint32_t index, Visitor visit) const {
        const step& s = facts_.at(index);
        for (std::uint32_t k = 0; k < s.sources; ++k) visit(value(facts_.source(s, k)));
        if (partners_[index] == ptx::link::nowhere) return;
        const step& part = facts_.at(partners_[index]);
        for (std::uint32_t k = 0; k < part.sources; ++k) visit(value(facts_.source(part, k)));
    }
    /// The table's cost of a step whose operands are partly literals.
    [[nodiscard]] machine_cost cost_by_literals(std::uint32_t index, machine_cost cost) const {
        const step& s = facts_.at(index);
        if (s.what == action::extract) return {.alu = 1};
        if (s.what == action::insert) return {.alu = 2};
        if (cost.integer_fma > 0)
            cost.integer_fma = static_cast<std::uint8_t>(cost.integer_fma - 1);
        return cost;
    }
    /// The row that a copy represents.
    [[nodiscard]] std::uint32_t value(std::uint32_t row) const {
        for (int hops = 0; hops < max_hops; ++hops) {
            const std::uint32_t n = facts_.definition_of(row);
            if (n == ptx::link::nowhere || copies_[n] == ptx::link::nowhere) return row;
            row = copies_[n];
        }
        return row;
    }

private:
    static constexpr int max_hops = 64;  // of copies of copies

    // Copies, signs, what the constant bank holds, and literals that are added to an address.
    void find_copy(std::uint32_t index) {
        if (facts_.is_dead(index)) {
            folds_[index] = fold::nothing;
            return;
        }
        const step& s = facts_.at(index);
        const std::uint32_t row = facts_.result(s);
        if (facts_.definition_of(row) == ptx::link::nowhere) return;
        if (facts_.is_plain_copy(s)) {
            if (facts_.reads_special(s) || facts_.is_shared_symbol(index)) return;
            if (is_parameter(facts_.source(s, 0))) from_parameter_[index_of(row)] = 1;
            return copy(index, facts_.source(s, 0));
        }
        const std::string_view opcode = facts_.opcode_of(s);
        const bool sign = opcode.substr(0, 3) == "neg" || opcode.substr(0, 3) == "abs";
        const bool modifies = sign && facts_.is_real_type(s) && read_by_arithmetic(row);
        const bool from_bank = opcode.substr(0, 8) == "ld.const" && s.sources > 0 &&
                               facts_.is_constant(value(facts_.source(s, 0)));
        if (from_bank) from_parameter_[index_of(row)] = 1;
        if (modifies || from_bank || opcode == "not.pred") folds_[index] = fold::nothing;
        const bool adds = s.what == action::add || s.what == action::subtract;
        if (adds && facts_.makes_address(s)) find_offset(index, s);
    }
    void find_offset(std::uint32_t index, const step& s) {
        if (facts_.is_constant(value(facts_.source(s, 1)))) {
            copy(index, facts_.source(s, 0));
        } else if (s.what == action::add && facts_.is_constant(value(facts_.source(s, 0)))) {
            copy(index, facts_.source(s, 1));
        }
    }
    void copy(std::uint32_t index, std::uint32_t from) {
        folds_[index] = fold::nothing;
        copies_[index] = from;
    }
    [[nodiscard]] bool read_by_arithmetic(std::uint32_t row) const {
        return facts_.uses().all_users(row, [&](std::uint32_t n) {
            const step& user = facts_.at(facts_.index_of_step(n));
            return !user.accesses && user.what != action::move && user.what != action::select;
        });
    }

    [[nodiscard]] bool single_use_in(std::uint32_t index, std::uint32_t block) const {
        return facts_.uses().uses(facts_.result(facts_.at(index))) == 1 &&
               facts_.block_of(index) == block;
    }

    void fold_into(std::uint32_t index) {
        if (folds_[index] == fold::nothing) return;
        const step& s = facts_.at(index);
        const operand_type type = type_of(facts_.opcode_of(s));
        switch (s.what) {
            case action::add:
            case action::subtract:
            case action::real:
                if (facts_.is_real_type(s)) return contract(index, s);
                if (type == operand_type::int64) return add_wide(index, s);
                if (type == operand_type::int32 && s.what != action::real)
                    return add_narrow(index, s);
                return;
            case action::bit_and:
            case action::bit_or:
            case action::bit_xor:
                if (type == operand_type::predicate) return combine_predicates(index, s);
                if (type == operand_type::int32) return join_logic(index, s);
                return;
            case action::compare: return compare_logic(index, s);
            case action::extract:
            case action::insert: {
                if (type == operand_type::int32 &&
                    facts_.is_constant(value(facts_.source(s, s.sources - 1U))))
                    folds_[index] = fold::in_pieces;
                return;
            }
            case action::multiply: {
                if (type == operand_type::int64 && s.part == ptx::link::halves::low &&
                    facts_.is_constant(value(facts_.source(s, 1)))) {
                    folds_[index] = fold::in_pieces;
                }
                return;
            }
            default: break;
        }
        if (s.accesses) scale_address(s);
    }

    // fma(a, b, c) of a product that nothing else reads.
    void contract(std::uint32_t index, const step& s) {
        if (s.sources != 2 || !allows_contraction(facts_.opcode_of(s), "add", "sub")) return;
        for (std::uint32_t k = 0; k < 2; ++k) {
            const std::uint32_t d = facts_.definition_of(value(facts_.source(s, k)));
            if (d == ptx::link::nowhere || folds_[d] != fold::none ||
                !single_use_in(d, facts_.block_of(index)))
                continue;
            if (!allows_contraction(facts_.opcode_of(facts_.at(d)), "mul", "mul")) continue;
            if (type_of(facts_.opcode_of(facts_.at(d))) != type_of(facts_.opcode_of(s))) continue;
            folds_[d] = fold::nothing;
            partners_[index] = d;
            return;
        }
    }
    static bool allows_contraction(std::string_view opcode, std::string_view a,
                                   std::string_view b) {
        const std::string_view root = opcode.substr(0, 3);
        if (root != a && root != b) return false;
        for (const std::string_view rounded : {"rn", "rz", "rm", "rp", "sat"}) {
            if (ptx::text::has_part(opcode, rounded)) return false;
        }
        return true;
    }

    void add_narrow(std::uint32_t index, const step& s) {
        const bool scales = facts_.capability() < 90 && facts_.makes_address(s);
        for (std::uint32_t k = 0; k < 2; ++k) {
            const std::uint32_t row = value(facts_.source(s, k));
            const std::uint32_t d = facts_.definition_of(row);
            if (d == ptx::link::nowhere) continue;
            const step& part = facts_.at(d);
            const bool shifts = is_shift(part) && (s.what == action::add || k == 1);
            const bool multiplies = s.what == action::add && part.what == action::multiply &&
                                    part.part != ptx::link::halves::high && makes_32_bits(part);
            if (!shifts && !multiplies) continue;
            if (folds_[index] == fold::none) {
                folds_[index] = shifts ? fold::shifted : fold::product;
                partners_[index] = d;
                folded_reads_[index_of(row)] += 1;
            } else if (scales && shifts) {
                folded_reads_[index_of(row)] += 1;
            }
        }
        if (folds_[index] == fold::none)
            join(index, s, [&](const step& part) {
                return (part.what == action::add || part.what == action::subtract) &&
                       type_of(facts_.opcode_of(part)) == operand_type::int32;
            });
    }
    // `mul.lo.s32`, `mul.wide.s16`
    [[nodiscard]] bool makes_32_bits(const step& part) const {
        const operand_type of =
            part.part == ptx::link::halves::wide ? operand_type::int16 : operand_type::int32;
        return type_of(facts_.opcode_of(part)) == of;
    }
    [[nodiscard]] bool is_shift(const step& part) const {
        return part.what == action::shift_left &&
               type_of(facts_.opcode_of(part)) == operand_type::int32 &&
               facts_.is_constant(value(facts_.source(part, 1)));
    }

    // Three sources: one operation of the same kind that nothing else reads.
    template <class Kind>
    void join(std::uint32_t index, const step& s, Kind is_kind) {
        for (std::uint32_t k = 0; k < s.sources; ++k) {
            const std::uint32_t d = facts_.definition_of(facts_.source(s, k));
            if (d == ptx::link::nowhere || folds_[d] != fold::none ||
                !single_use_in(d, facts_.block_of(index)))
                continue;
            if (!is_kind(facts_.at(d))) continue;
            folds_[d] = fold::nothing;
            folds_[index] = fold::three_sources;
            partners_[index] = d;
            return;
        }
    }
    void join_logic(std::uint32_t index, const step& s) {
        join(index, s, [&](const step& part) {
            const bool logic = part.what == action::bit_and || part.what == action::bit_or ||
                               part.what == action::bit_xor || part.what == action::bit_not;
            return logic && type_of(facts_.opcode_of(part)) == operand_type::int32;
        });
    }

    void combine_predicates(std::uint32_t index, const step& s) {
        for (std::uint32_t k = 0; k < s.sources; ++k) {
            const std::uint32_t d = facts_.definition_of(value(facts_.source(s, k)));
            if (d == ptx::link::nowhere || facts_.block_of(d) != facts_.block_of(index)) continue;
            const step& part = facts_.at(d);
            if (part.what != action::compare && part.what != action::compare_reals &&
                facts_.opcode_of(part).substr(0, 4) != "setp")
                continue;
            if (partners_[d] == index || facts_.uses().uses(facts_.result(part)) != 1) continue;
            folds_[index] = fold::nothing;
            return;
        }
    }

    // LOP3 also compares its result with 0.
    void compare_logic(std::uint32_t index, const step& s) {
        if (s.sources != 2 || s.all_ones ||
            (s.compare != ptx::link::comparison::eq && s.compare != ptx::link::comparison::ne))
            return;
        const std::uint32_t zero = value(facts_.source(s, 1));
        if (!facts_.is_constant(zero) || facts_.value_of(zero) != 0) return;
        const std::uint32_t d = facts_.definition_of(facts_.source(s, 0));
        if (d == ptx::link::nowhere || facts_.block_of(d) != facts_.block_of(index) ||
            folds_[d] == fold::nothing)
            return;
        const step& part = facts_.at(d);
        const bool logic = part.what == action::bit_and || part.what == action::bit_or ||
                           part.what == action::bit_xor;
        if (logic && type_of(facts_.opcode_of(part)) == operand_type::int32)
            folds_[index] = fold::nothing;
    }

    void add_wide(std::uint32_t index, const step& s) {
        if (s.sources != 2) return;
        for (std::uint32_t k = 0; k < 2; ++k) {
            const std::uint32_t row = value(facts_.source(s, k));
            const std::uint32_t d = facts_.definition_of(row);
            if (d == ptx::link::nowhere) continue;
            const step& part = facts_.at(d);
            const bool wide = part.what == action::multiply &&
                              part.part == ptx::link::halves::wide && s.what == action::add;
            if (wide) {
                folds_[index] = fold::wide_product;
                partners_[index] = d;
                folded_reads_[index_of(row)] += 1;
                return;
            }
            const bool shifts = part.what == action::shift_left &&
                                facts_.is_constant(value(facts_.source(part, 1)));
            const bool extends = part.what == action::convert;
            if ((shifts || extends) && facts_.uses().uses(row) == 1) {
                folds_[index] = fold::shifted;
                folded_reads_[index_of(row)] += 1;
                return;
            }
        }
    }

    // Up to 8.9 shared memory is addressed by a register times 4, 8 or 16.
    void scale_address(const step& s) {
        if (facts_.capability() >= 90 || s.unit != unit_kind::shared_memory) return;
        const std::uint32_t row = value(facts_.source(s, 0));
        const std::uint32_t d = facts_.definition_of(row);
        if (d == ptx::link::nowhere) return;
        const step& part = facts_.at(d);
        const bool shifts = is_shift(part) && facts_.value_of(value(facts_.source(part, 1))) >= 2 &&
                            facts_.value_of(value(facts_.source(part, 1))) <= 4;
        const bool multiplies = part.what == action::multiply &&
                                part.part == ptx::link::halves::wide &&
                                type_of(facts_.opcode_of(part)) == operand_type::int16 &&
                                facts_.is_constant(value(facts_.source(part, 1))) &&
                                (facts_.value_of(value(facts_.source(part, 1))) == 4 ||
                                 facts_.value_of(value(facts_.source(part, 1))) == 8);
        if (shifts || multiplies) folded_reads_[index_of(row)] += 1;
    }

    // What is read by steps that stay, copies looked through.
    void count_reads(std::uint32_t index) {
        if (folds_[index] == fold::nothing && !is_inside_another(index)) return;
        const step& s = facts_.at(index);
        for (std::uint32_t k = 0; k < s.sources; ++k) {
            const std::uint32_t row = value(facts_.source(s, k));
            if (is_register(row)) reads_[index_of(row)] += 1;
        }
    }
    [[nodiscard]] bool is_inside_another(std::uint32_t index) const {
        return copies_[index] == ptx::link::nowhere && !facts_.is_dead(index);
    }

    // Products, shifts and extensions whose readers all have them inside.
    void drop_absorbed(std::uint32_t index) {
        const std::uint32_t row = facts_.result(facts_.at(index));
        if (!is_register(row)) return;
        const std::uint32_t folded = folded_reads_[index_of(row)];
        if (folded > 0 && folded >= reads_[index_of(row)]) folds_[index] = fold::nothing;
    }

    const row_facts<Used>& facts_;
    core::late<Used, std::vector<fold>> folds_;              // of each step
    core::late<Used, std::vector<std::uint32_t>> copies_;    // of each step: the row that it copies
    core::late<Used, std::vector<std::uint32_t>> partners_;  // of each step: the one inside it
    core::late<Used, std::vector<std::uint8_t>> from_parameter_;  // of each row
    core::late<Used, std::vector<std::uint32_t>> reads_;          // of each row, by steps that stay
    core::late<Used, std::vector<std::uint32_t>> folded_reads_;   // of those, inside the reader
};

}  // namespace WARPGAUGE_NAMESPACE::sass::detail

#endif
