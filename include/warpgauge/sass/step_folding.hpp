// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SASS_STEP_FOLDING_HPP
#define WARPGAUGE_SASS_STEP_FOLDING_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <warpgauge/core/when_used.hpp>
#include <warpgauge/ptx/link/flow_graph.hpp>
#include <warpgauge/ptx/link/program.hpp>
#include <warpgauge/ptx/link/row_uses.hpp>
#include <warpgauge/sass/lowering_table.hpp>

/// \file Which steps become part of another's machine instruction, or of none.
///
/// What machine instructions take is NVIDIA's "CUDA Binary Utilities", instruction set reference: IADD3 and LOP3 have three
/// sources, LEA adds a shifted one, IMAD and IMAD.WIDE add a product, ISETP combines a predicate, operands of floats are negated and made
/// absolute for nothing, addresses have an offset and, up to 8.9, those of shared memory a factor. That a product without a rounding
/// modifier is fused with the addition behind it: NVIDIA, Parallel Thread Execution ISA 9.0, sec. 9.7.3, `mul`.

namespace WARPGAUGE_NAMESPACE::sass::detail {

/// What a step becomes.
enum class fold : std::uint8_t {
    none,           ///< instructions of its own
    nothing,        ///< it is dead, a copy, or part of another
    wide_product,   ///< an addition of a wide product: IMAD.WIDE
    product,        ///< an addition of a product: IMAD
    shifted,        ///< an addition of a shifted number: LEA
    three_sources,  ///< an addition or a logic operation that has another in it
    in_pieces,      ///< as the table says, with fewer instructions where operands are literals
};

/// Finds the folded steps of a routine, in a few passes over it.
template <class Used = core::when_used>
class step_folding {
    using step = ptx::link::step;
    using action = ptx::text::action;

public:
    /// All must outlive it.
    step_folding(const ptx::link::program& p, const ptx::link::routine& r,
                 const ptx::link::flow_graph<Used>& graph, std::uint16_t capability)
        : program_(p),
          routine_(r),
          graph_(graph),
          uses_(p, r),
          capability_(capability),
          folds_(r.count),
          block_of_(r.count),
          dead_uses_(r.rows),
          address_(r.rows),
          varying_(r.rows),
          from_parameter_(r.rows),
          reads_(r.rows),
          folded_reads_(r.rows),
          partners_(r.count, nobody) {
        for (const auto& given : r.presets) {
            if (given.parameter != ptx::link::nowhere) from_parameter_[index_of(given.row)] = 1;
        }
        for (std::uint32_t b = 0; b < graph.exit(); ++b) {
            for (std::uint32_t i = graph.start(b); i < graph.start(b + 1); ++i) block_of_[i] = b;
        }
        find_dead();
        find_addresses();
        find_varying();
        for (std::uint32_t i = 0; i < r.count; ++i) find_copy(i);
        for (std::uint32_t i = 0; i < r.count; ++i) fold_into(i);
        for (std::uint32_t i = 0; i < r.count; ++i) count_reads(i);
        for (std::uint32_t i = 0; i < r.count; ++i) drop_absorbed(i);
    }

    /// No machine instruction comes of it.
    [[nodiscard]] bool vanishes(std::uint32_t index) const {
        return folds_[index] == fold::nothing;
    }
    [[nodiscard]] fold fold_of(std::uint32_t index) const { return folds_[index]; }
    [[nodiscard]] std::string_view opcode_of(const step& s) const {
        return program_.source->instructions[s.statement].opcode;
    }
    /// A branch that lanes may take apart and that meets again before the end: BSSY and BSYNC.
    [[nodiscard]] bool parts_lanes(std::uint32_t index) const {
        const step& s = graph_.at(index);
        if (s.predicate == ptx::link::nowhere || !varies_row(s.predicate)) return false;
        if (s.target <= routine_.first + index) return false;
        return !graph_.only_returns(block_at(s.target - routine_.first));
    }
    /// Its sources may differ from lane to lane.
    [[nodiscard]] bool varies(const step& s) const {
        for (std::uint32_t k = 0; k < s.sources; ++k) {
            if (varies_row(source(s, k))) return true;
        }
        return false;
    }
    /// A move from a special register that is no constant of the launch: S2R.
    [[nodiscard]] bool reads_special(const step& s) const {
        if (s.what != action::move || s.sources != 1 || s.results == 0) return false;
        const std::uint32_t row = source(s, 0);
        return row < ptx::link::special_rows && !is_launch_constant(row) && row != ptx::link::carry;
    }
    /// The address of a variable in shared memory, which is computed from 9.0 on.
    [[nodiscard]] bool is_shared_symbol(std::uint32_t index) const {
        const step& s = graph_.at(index);
        if (capability_ < 90 || s.what != action::move || s.sources != 1 ||
            !is_constant(source(s, 0)))
            return false;
        const ptx::instruction& i = program_.source->instructions[s.statement];
        return i.operands.count == 2 &&
               program_.source->operands[i.operands.first + 1].kind == ptx::operand_kind::name &&
               s.type.bits == 32;
    }
    /// A copy to a register that other steps write too, of a value that is needed beside it.
    [[nodiscard]] bool joins_paths(std::uint32_t index) const {
        const step& s = graph_.at(index);
        if (s.what != action::move || s.results != 1 || s.sources != 1) return false;
        if (uses_.definitions(result(s)) < 2) return false;
        return uses_.definition(source(s, 0)) == ptx::link::nowhere || uses_.uses(source(s, 0)) > 1;
    }
    [[nodiscard]] bool is_parameter(std::uint32_t row) const {
        if ((row & ptx::link::of_call) != 0) return from_parameter_[index_of(row)] != 0;
        return is_launch_constant(row);
    }
    /// A literal other than 0, which is a register.
    [[nodiscard]] bool is_literal(std::uint32_t row) const {
        return is_constant(row) && value_of(row) != 0;
    }
    [[nodiscard]] std::uint32_t bits_of(std::uint32_t row) const {
        if ((row & ptx::link::of_call) != 0) return routine_.weights[index_of(row)] > 1 ? 64 : 32;
        return 32;
    }
    /// Calls `visit(row)` with what a step reads, copies looked through, and with what is folded into it.
    template <class Visitor>
    void for_each_value(std::uint32_t index, Visitor visit) const {
        const step& s = graph_.at(index);
        for (std::uint32_t k = 0; k < s.sources; ++k) visit(value(source(s, k)));
        if (partners_[index] == nobody) return;
        const step& part = graph_.at(partners_[index]);
        for (std::uint32_t k = 0; k < part.sources; ++k) visit(value(source(part, k)));
    }
    /// What the table says of a step whose operands are partly literals.
    [[nodiscard]] machine_cost cost_by_literals(std::uint32_t index, machine_cost cost) const {
        const step& s = graph_.at(index);
        if (s.what == action::extract) return {.alu = 1};
        if (s.what == action::insert) return {.alu = 2};
        cost.integer_fma = static_cast<std::uint8_t>(cost.integer_fma - 1);
        return cost;
    }
    /// The row that a copy stands for.
    [[nodiscard]] std::uint32_t value(std::uint32_t row) const {
        for (int hops = 0; hops < 64; ++hops) {
            const std::uint32_t n = uses_.definition(row);
            if (n == ptx::link::nowhere || folds_[n - routine_.first] != fold::nothing) return row;
            const std::uint32_t from = copied_from(n - routine_.first);
            if (from == ptx::link::nowhere) return row;
            row = from;
        }
        return row;
    }
    [[nodiscard]] const ptx::link::row_uses<Used>& uses() const { return uses_; }
    [[nodiscard]] std::uint32_t block_of(std::uint32_t index) const { return block_of_[index]; }
    [[nodiscard]] std::uint32_t source(const step& s, std::uint32_t k) const {
        return program_.rows[s.first + s.results + k];
    }
    [[nodiscard]] std::uint32_t result(const step& s) const {
        return s.results == 1 ? program_.rows[s.first] : ptx::link::nowhere;
    }
    [[nodiscard]] bool is_constant(std::uint32_t row) const {
        return (row & ptx::link::of_call) == 0 && row >= ptx::link::special_rows;
    }
    [[nodiscard]] std::uint64_t value_of(std::uint32_t row) const {
        return program_.constants[row - ptx::link::special_rows];
    }

private:
    static constexpr std::uint32_t nobody = 0xffff'ffff;

    static std::uint32_t index_of(std::uint32_t row) { return row & ~ptx::link::of_call; }
    static bool is_launch_constant(std::uint32_t row) {
        return (row >= ptx::link::ntid_x && row <= ptx::link::ntid_z) ||
               (row >= ptx::link::nctaid_x && row <= ptx::link::nctaid_z);
    }
    static bool has_effect(const step& s) {
        return s.results == 0 || s.stores || s.is_atomic || s.what == action::call ||
               s.what == action::unknown || s.what == action::barrier ||
               s.what == action::shuffle || s.what == action::vote;
    }
    [[nodiscard]] std::uint32_t block_at(std::uint32_t index) const {
        return index < routine_.count ? block_of_[index] : graph_.exit();
    }
    [[nodiscard]] bool varies_row(std::uint32_t row) const {
        if (row == ptx::link::nowhere || is_constant(row)) return false;
        if ((row & ptx::link::of_call) != 0) return varying_[index_of(row)] != 0;
        return row <= ptx::link::tid_z ||
               (row >= ptx::link::laneid && row != ptx::link::warpid &&
                row <= ptx::link::lanemask_gt && row != ptx::link::nwarpid);
    }

    // Steps whose results nobody reads, and then those that only such read.
    void find_dead() {
        core::late<Used, std::vector<std::uint32_t>> work;
        for (std::uint32_t i = 0; i < routine_.count; ++i) {
            if (is_unread(graph_.at(i))) work.push_back(i);
        }
        while (!work.empty()) {
            const std::uint32_t i = work.back();
            work.pop_back();
            if (folds_[i] == fold::nothing) continue;
            folds_[i] = fold::nothing;
            const step& s = graph_.at(i);
            const auto read = [&](std::uint32_t row) {
                if (row == ptx::link::nowhere || (row & ptx::link::of_call) == 0) return;
                dead_uses_[index_of(row)] += 1;
                const std::uint32_t n = uses_.definition(row);
                if (n != ptx::link::nowhere && is_unread(graph_.at(n - routine_.first)))
                    work.push_back(n - routine_.first);
            };
            read(s.predicate);
            for (std::uint32_t k = 0; k < s.sources; ++k) read(source(s, k));
        }
    }
    [[nodiscard]] bool is_unread(const step& s) const {
        if (has_effect(s)) return false;
        for (std::uint32_t k = 0; k < s.results; ++k) {
            const std::uint32_t row = program_.rows[s.first + k];
            if (row == ptx::link::nowhere) continue;
            if ((row & ptx::link::of_call) == 0 || uses_.uses(row) > dead_uses_[index_of(row)])
                return false;
        }
        return true;
    }

    // Rows that end up in addresses alone, so that a literal added to them is an offset.
    void find_addresses() {
        for (std::uint32_t i = routine_.count; i-- > 0;) {
            const step& s = graph_.at(i);
            const std::uint32_t row = result(s);
            if (row == ptx::link::nowhere || uses_.definition(row) == ptx::link::nowhere) continue;
            if (uses_.uses(row) == 0) continue;
            address_[index_of(row)] = uses_.all_users(row, [&](std::uint32_t n) {
                const step& user = graph_.at(n - routine_.first);
                if (user.accesses) return user.sources > 0 && source(user, 0) == row;
                const bool adds = user.what == action::add || user.what == action::subtract ||
                                  is_plain_copy(user);
                const std::uint32_t to = result(user);
                return adds && to != ptx::link::nowhere && (to & ptx::link::of_call) != 0 &&
                       address_[index_of(to)] != 0;
            });
        }
    }

    // Lanes differ by their index and by what they load; what is computed of that differs too.
    void find_varying() {
        constexpr int max_rounds = 8;
        bool changed = true;
        for (int round = 0; changed && round < max_rounds; ++round) {
            changed = false;
            for (std::uint32_t i = 0; i < routine_.count; ++i) {
                const step& s = graph_.at(i);
                const bool loads = s.accesses || s.what == action::call ||
                                   s.what == action::shuffle || s.what == action::unknown;
                if (!(loads || varies(s))) continue;
                for (std::uint32_t k = 0; k < s.results; ++k) {
                    const std::uint32_t row = program_.rows[s.first + k];
                    if (row == ptx::link::nowhere || (row & ptx::link::of_call) == 0) continue;
                    if (s.what == action::unknown && !varies(s)) continue;
                    changed = changed || varying_[index_of(row)] == 0;
                    varying_[index_of(row)] = 1;
                }
            }
        }
    }

    [[nodiscard]] bool is_plain_copy(const step& s) const {
        if (s.results != 1 || s.sources != 1) return false;
        if (s.what == action::move || s.what == action::convert_address) return true;
        return s.what == action::convert && keeps_bits(s);
    }
    // A conversion of integers that only names other bits of a register.
    [[nodiscard]] bool keeps_bits(const step& s) const {
        const std::string_view opcode = opcode_of(s);
        if (ptx::text::has_part(opcode, "sat") || s.type.is_real || s.from.is_real) return false;
        if (!s.type.followed || !s.from.followed) return false;
        if (s.type.bits <= s.from.bits) return true;
        if (s.from.bits == 8) {
            const std::uint32_t n = uses_.definition(source(s, 0));
            return n != ptx::link::nowhere && graph_.at(n - routine_.first).accesses;
        }
        return !s.from.is_signed;
    }
    // What a vanished copy stands for; `nowhere` if it is no copy of one row.
    [[nodiscard]] std::uint32_t copied_from(std::uint32_t index) const {
        const step& s = graph_.at(index);
        if (is_plain_copy(s)) return source(s, 0);
        if ((s.what == action::add || s.what == action::subtract) && s.sources == 2) {
            return is_constant(value(source(s, 1))) ? source(s, 0) : source(s, 1);
        }
        return ptx::link::nowhere;
    }

    [[nodiscard]] bool is_real_type(const step& s) const {
        const operand_type t = type_of(opcode_of(s));
        return t == operand_type::fp32 || t == operand_type::fp64 || t == operand_type::half;
    }

    void find_copy(std::uint32_t index) {
        if (folds_[index] == fold::nothing) return;
        const step& s = graph_.at(index);
        const std::uint32_t row = result(s);
        const bool single =
            row != ptx::link::nowhere && uses_.definition(row) != ptx::link::nowhere;
        if (is_plain_copy(s)) {
            if (!single || reads_special(s) || is_shared_symbol(index)) return;
            if (is_parameter(source(s, 0))) from_parameter_[index_of(row)] = 1;
            folds_[index] = fold::nothing;
            return;
        }
        const std::string_view opcode = opcode_of(s);
        const bool sign = opcode.substr(0, 3) == "neg" || opcode.substr(0, 3) == "abs";
        if (sign && is_real_type(s) && single && read_by_arithmetic(row))
            folds_[index] = fold::nothing;
        if (opcode == "not.pred" && single) folds_[index] = fold::nothing;
        const bool literal_load =
            opcode.substr(0, 8) == "ld.const" && s.sources > 0 && is_constant(value(source(s, 0)));
        if (literal_load && single) {
            from_parameter_[index_of(row)] = 1;
            folds_[index] = fold::nothing;
        }
        const bool adds = (s.what == action::add || s.what == action::subtract) && s.sources == 2 &&
                          !is_real_type(s);
        if (adds && single && address_[index_of(row)] != 0 &&
            (is_constant(value(source(s, 1))) ||
             (s.what == action::add && is_constant(value(source(s, 0)))))) {
            folds_[index] = fold::nothing;
        }
    }
    [[nodiscard]] bool read_by_arithmetic(std::uint32_t row) const {
        return uses_.all_users(row, [&](std::uint32_t n) {
            const step& user = graph_.at(n - routine_.first);
            return !user.accesses && user.what != action::move && user.what != action::select;
        });
    }

    [[nodiscard]] std::uint32_t definition_of(std::uint32_t row) const {
        const std::uint32_t n = uses_.definition(row);
        return n == ptx::link::nowhere ? nobody : n - routine_.first;
    }
    [[nodiscard]] bool single_use_in(std::uint32_t index, std::uint32_t block) const {
        return uses_.uses(result(graph_.at(index))) == 1 && block_of_[index] == block;
    }

    void fold_into(std::uint32_t index) {
        if (folds_[index] == fold::nothing) return;
        const step& s = graph_.at(index);
        const operand_type type = type_of(opcode_of(s));
        switch (s.what) {
            case action::add:
            case action::subtract:
            case action::real:
                if (is_real_type(s)) return contract(index, s);
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
                if (type == operand_type::int32 && is_constant(value(source(s, s.sources - 1U))))
                    folds_[index] = fold::in_pieces;
                return;
            }
            case action::multiply: {
                if (type == operand_type::int64 && s.part == ptx::link::halves::low &&
                    s.sources == 2 && is_constant(value(source(s, 1)))) {
                    folds_[index] = fold::in_pieces;
                }
                return;
            }
            default: break;
        }
        if (s.accesses && s.sources > 0) scale_address(s);
    }

    // fma(a, b, c) of a product that nothing else reads.
    void contract(std::uint32_t index, const step& s) {
        if (s.sources != 2 || !allows_contraction(opcode_of(s), "add", "sub")) return;
        for (std::uint32_t k = 0; k < 2; ++k) {
            const std::uint32_t d = definition_of(value(source(s, k)));
            if (d == nobody || folds_[d] != fold::none || !single_use_in(d, block_of_[index]))
                continue;
            if (!allows_contraction(opcode_of(graph_.at(d)), "mul", "mul")) continue;
            if (type_of(opcode_of(graph_.at(d))) != type_of(opcode_of(s))) continue;
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
        if (s.sources != 2) return;
        const bool scales = capability_ < 90 && address_row(s);
        for (std::uint32_t k = 0; k < 2; ++k) {
            const std::uint32_t row = value(source(s, k));
            const std::uint32_t d = definition_of(row);
            if (d == nobody) continue;
            const step& part = graph_.at(d);
            const bool shifts = is_shift(part) && (s.what == action::add || k == 1);
            const bool multiplies = s.what == action::add && part.what == action::multiply &&
                                    part.part != ptx::link::halves::high &&
                                    type_of(opcode_of(part)) == operand_type::int32 &&
                                    part.type.bits == 32;
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
                       type_of(opcode_of(part)) == operand_type::int32;
            });
    }
    [[nodiscard]] bool address_row(const step& s) const {
        const std::uint32_t row = result(s);
        return row != ptx::link::nowhere && (row & ptx::link::of_call) != 0 &&
               address_[index_of(row)] != 0;
    }
    [[nodiscard]] bool is_shift(const step& part) const {
        return part.what == action::shift_left && part.sources == 2 &&
               type_of(opcode_of(part)) == operand_type::int32 &&
               is_constant(value(source(part, 1)));
    }

    // Three sources: one operation of the same kind that nothing else reads.
    template <class Kind>
    void join(std::uint32_t index, const step& s, Kind is_kind) {
        for (std::uint32_t k = 0; k < s.sources; ++k) {
            const std::uint32_t d = definition_of(source(s, k));
            if (d == nobody || folds_[d] != fold::none || !single_use_in(d, block_of_[index]))
                continue;
            if (!is_kind(graph_.at(d))) continue;
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
            return logic && type_of(opcode_of(part)) == operand_type::int32;
        });
    }

    void combine_predicates(std::uint32_t index, const step& s) {
        for (std::uint32_t k = 0; k < s.sources; ++k) {
            const std::uint32_t d = definition_of(value(source(s, k)));
            if (d == nobody || block_of_[d] != block_of_[index]) continue;
            const step& part = graph_.at(d);
            if (part.what != action::compare && part.what != action::compare_reals &&
                opcode_of(part).substr(0, 4) != "setp")
                continue;
            if (partners_[d] == index || uses_.uses(result(part)) != 1) continue;
            folds_[index] = fold::nothing;
            return;
        }
    }

    // LOP3 also compares its result with 0.
    void compare_logic(std::uint32_t index, const step& s) {
        if (s.sources != 2 || s.all_ones ||
            (s.compare != ptx::link::comparison::eq && s.compare != ptx::link::comparison::ne))
            return;
        const std::uint32_t zero = value(source(s, 1));
        if (!is_constant(zero) || value_of(zero) != 0) return;
        const std::uint32_t d = definition_of(source(s, 0));
        if (d == nobody || block_of_[d] != block_of_[index] || folds_[d] == fold::nothing) return;
        const step& part = graph_.at(d);
        const bool logic = part.what == action::bit_and || part.what == action::bit_or ||
                           part.what == action::bit_xor;
        if (logic && type_of(opcode_of(part)) == operand_type::int32) folds_[index] = fold::nothing;
    }

    void add_wide(std::uint32_t index, const step& s) {
        if (s.sources != 2) return;
        for (std::uint32_t k = 0; k < 2; ++k) {
            const std::uint32_t row = value(source(s, k));
            const std::uint32_t d = definition_of(row);
            if (d == nobody) continue;
            const step& part = graph_.at(d);
            const bool wide = part.what == action::multiply &&
                              part.part == ptx::link::halves::wide && s.what == action::add;
            if (wide) {
                folds_[index] = fold::wide_product;
                partners_[index] = d;
                folded_reads_[index_of(row)] += 1;
                return;
            }
            const bool shifts = part.what == action::shift_left && part.sources == 2 &&
                                is_constant(value(source(part, 1)));
            const bool extends = part.what == action::convert;
            if ((shifts || extends) && uses_.uses(row) == 1) {
                folds_[index] = fold::shifted;
                folded_reads_[index_of(row)] += 1;
                return;
            }
        }
    }

    // Up to 8.9 shared memory is addressed by a register times 4, 8 or 16.
    void scale_address(const step& s) {
        if (capability_ >= 90 || s.unit != unit_kind::shared_memory) return;
        const std::uint32_t row = value(source(s, 0));
        const std::uint32_t d = definition_of(row);
        if (d == nobody) return;
        const step& part = graph_.at(d);
        const bool shifts = is_shift(part) && value_of(value(source(part, 1))) >= 2 &&
                            value_of(value(source(part, 1))) <= 4;
        const bool multiplies =
            part.what == action::multiply && part.part == ptx::link::halves::wide &&
            type_of(opcode_of(part)) == operand_type::int16 && part.sources == 2 &&
            is_constant(value(source(part, 1))) &&
            (value_of(value(source(part, 1))) == 4 || value_of(value(source(part, 1))) == 8);
        if (shifts || multiplies) folded_reads_[index_of(row)] += 1;
    }

    // What is read by steps that stay, copies looked through.
    void count_reads(std::uint32_t index) {
        if (folds_[index] == fold::nothing && !is_inside_another(index)) return;
        const step& s = graph_.at(index);
        for (std::uint32_t k = 0; k < s.sources; ++k) {
            const std::uint32_t row = value(source(s, k));
            if (row != ptx::link::nowhere && (row & ptx::link::of_call) != 0)
                reads_[index_of(row)] += 1;
        }
    }
    [[nodiscard]] bool is_inside_another(std::uint32_t index) const {
        const step& s = graph_.at(index);
        const std::uint32_t row = result(s);
        if (copied_from(index) != ptx::link::nowhere) return false;
        return row != ptx::link::nowhere && uses_.uses(row) > 0;
    }

    // Products, shifts and extensions whose readers all have them inside.
    void drop_absorbed(std::uint32_t index) {
        const std::uint32_t row = result(graph_.at(index));
        if (row == ptx::link::nowhere || (row & ptx::link::of_call) == 0) return;
        const std::uint32_t folded = folded_reads_[index_of(row)];
        if (folded > 0 && folded >= reads_[index_of(row)]) folds_[index] = fold::nothing;
    }

    const ptx::link::program& program_;
    const ptx::link::routine& routine_;
    const ptx::link::flow_graph<Used>& graph_;
    ptx::link::row_uses<Used> uses_;
    std::uint16_t capability_;
    core::late<Used, std::vector<fold>> folds_;
    core::late<Used, std::vector<std::uint32_t>> block_of_;
    core::late<Used, std::vector<std::uint32_t>> dead_uses_;  // of each row
    core::late<Used, std::vector<std::uint8_t>>
        address_;  // of each row: it ends up in addresses alone
    core::late<Used, std::vector<std::uint8_t>> varying_;  // of each row: lanes differ
    core::late<Used, std::vector<std::uint8_t>> from_parameter_;
    core::late<Used, std::vector<std::uint32_t>> reads_;  // of each row, by steps that stay
    core::late<Used, std::vector<std::uint32_t>>
        folded_reads_;  // of those, inside the reader's instruction
    core::late<Used, std::vector<std::uint32_t>>
        partners_;  // of each step: the one that is inside it
};

}  // namespace WARPGAUGE_NAMESPACE::sass::detail

#endif
