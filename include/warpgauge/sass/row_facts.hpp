// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SASS_ROW_FACTS_HPP
#define WARPGAUGE_SASS_ROW_FACTS_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <warpgauge/core/when_used.hpp>
#include <warpgauge/ptx/link/flow_graph.hpp>
#include <warpgauge/ptx/link/program.hpp>
#include <warpgauge/ptx/link/row_uses.hpp>
#include <warpgauge/ptx/text/module.hpp>
#include <warpgauge/ptx/text/opcode_table.hpp>
#include <warpgauge/sass/lowering_table.hpp>

/// \file Facts that a compiler knows about the rows of a routine: unused rows, addresses, rows in which lanes differ.

namespace WARPGAUGE_NAMESPACE::sass::detail {

/// The number of a row among those of its routine.
[[nodiscard]] constexpr std::uint32_t index_of(std::uint32_t row) noexcept {
    return row & ~ptx::link::of_call;
}
/// A register of the routine, not a constant, a special register or no row.
[[nodiscard]] constexpr bool is_register(std::uint32_t row) noexcept {
    return row != ptx::link::nowhere && (row & ptx::link::of_call) != 0;
}
/// Sizes of block and grid, which are in the constant bank.
[[nodiscard]] constexpr bool is_launch_constant(std::uint32_t row) noexcept {
    return (row >= ptx::link::ntid_x && row <= ptx::link::ntid_z) ||
           (row >= ptx::link::nctaid_x && row <= ptx::link::nctaid_z);
}

/// Facts of a routine. Steps are numbers in the routine; work is in proportion to its operands.
template <class Used = core::when_used>
class row_facts {
    using step = ptx::link::step;
    using action = ptx::text::action;

public:
    /// All must outlive it.
    row_facts(const ptx::link::program& p, const ptx::link::routine& r,
              const ptx::link::flow_graph<Used>& graph, std::uint16_t capability)
        : program_(p),
          routine_(r),
          graph_(graph),
          uses_(p, r),
          capability_(capability),
          block_of_(r.count),
          dead_(r.count),
          dead_uses_(r.rows),
          address_(r.rows),
          varying_(r.rows) {
        for (std::uint32_t b = 0; b < graph.exit(); ++b) {
            for (std::uint32_t i = graph.start(b); i < graph.start(b + 1); ++i) block_of_[i] = b;
        }
        const bool is_kernel = r.first == 0;
        if (is_kernel) find_dead();  // of a function, callers read what it gives back
        find_addresses();
        find_varying();
    }

    /// A step.
    [[nodiscard]] const step& at(std::uint32_t index) const { return graph_.at(index); }
    /// Number of steps.
    [[nodiscard]] std::uint32_t step_count() const { return routine_.count; }
    /// 86 for 8.6.
    [[nodiscard]] std::uint16_t capability() const { return capability_; }
    /// Definitions and uses, by steps of the program.
    [[nodiscard]] const ptx::link::row_uses<Used>& uses() const { return uses_; }
    /// The block of a step.
    [[nodiscard]] std::uint32_t block_of(std::uint32_t index) const { return block_of_[index]; }
    /// The row of a source.
    [[nodiscard]] std::uint32_t source(const step& s, std::uint32_t k) const {
        return program_.rows[s.first + s.results + k];
    }
    /// The row of the only result; `nowhere` of several or none.
    [[nodiscard]] std::uint32_t result(const step& s) const {
        return s.results == 1 ? program_.rows[s.first] : ptx::link::nowhere;
    }
    /// A literal, or an address that linking has fixed.
    [[nodiscard]] bool is_constant(std::uint32_t row) const {
        return (row & ptx::link::of_call) == 0 && row >= ptx::link::special_rows;
    }
    /// Its value.
    [[nodiscard]] std::uint64_t value_of(std::uint32_t row) const {
        return program_.constants[row - ptx::link::special_rows];
    }

    /// With its modifiers.
    [[nodiscard]] std::string_view opcode_of(const step& s) const {
        return program_.source->instructions[s.statement].opcode;
    }
    /// It computes with floats.
    [[nodiscard]] bool is_real_type(const step& s) const {
        const operand_type t = type_of(opcode_of(s));
        return t == operand_type::fp32 || t == operand_type::fp64 || t == operand_type::half;
    }
    /// A literal other than 0, which is a register.
    [[nodiscard]] bool is_literal(std::uint32_t row) const {
        return is_constant(row) && value_of(row) != 0;
    }
    /// The only step that gives a row its value; null if there is none.
    [[nodiscard]] const step* definition_of_row(std::uint32_t row) const {
        const std::uint32_t n = uses_.definition(row);
        return n == ptx::link::nowhere ? nullptr : &program_.steps[n];
    }
    /// The row that moves copy, in whatever they are folded.
    [[nodiscard]] std::uint32_t source_of_move(std::uint32_t row) const {
        for (int hops = 0; hops < max_hops; ++hops) {
            const step* const s = definition_of_row(row);
            if (s == nullptr || !is_plain_copy(*s)) return row;
            row = source(*s, 0);
        }
        return row;
    }
    /// The number of the only step that gives a row its value; `nowhere` if there is none.
    [[nodiscard]] std::uint32_t definition_of(std::uint32_t row) const {
        const std::uint32_t n = uses_.definition(row);
        return n == ptx::link::nowhere ? n : index_of_step(n);
    }
    /// The number in the routine of a step of the program.
    [[nodiscard]] std::uint32_t index_of_step(std::uint32_t n) const { return n - routine_.first; }
    /// No step reads its result.
    [[nodiscard]] bool is_dead(std::uint32_t index) const { return dead_[index] != 0; }
    /// Its result is only used in addresses, so that a literal added to it is an offset.
    [[nodiscard]] bool makes_address(const step& s) const {
        return is_register(result(s)) && address_[index_of(result(s))] != 0;
    }
    /// A branch at which lanes may diverge, and that meets again before the end: BSSY and BSYNC.
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
    /// A copy of a register, or a conversion that only names other bits of it.
    [[nodiscard]] bool is_plain_copy(const step& s) const {
        if (s.results != 1 || s.sources != 1) return false;
        if (s.what == action::move || s.what == action::convert_address) return true;
        return s.what == action::convert && keeps_bits(s);
    }

private:
    static constexpr int max_hops = 64;  // of copies of copies

    // A conversion of integers that only names other bits of a register.
    [[nodiscard]] bool keeps_bits(const step& s) const {
        if (s.type.bits <= s.from.bits) return true;
        if (s.from.bits == 8) {
            const std::uint32_t n = uses_.definition(source(s, 0));
            return n != ptx::link::nowhere && graph_.at(index_of_step(n)).accesses;
        }
        return !s.from.is_signed;
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
        if (is_register(row)) return varying_[index_of(row)] != 0;
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
            if (dead_[i] != 0) continue;
            dead_[i] = 1;
            const step& s = graph_.at(i);
            const auto read = [&](std::uint32_t row) {
                if (!is_register(row)) return;
                dead_uses_[index_of(row)] += 1;
                const std::uint32_t n = uses_.definition(row);
                if (n != ptx::link::nowhere && is_unread(graph_.at(index_of_step(n))))
                    work.push_back(index_of_step(n));
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
                const step& user = graph_.at(index_of_step(n));
                if (user.accesses) return source(user, 0) == row;
                const bool adds = user.what == action::add || user.what == action::subtract ||
                                  is_plain_copy(user);
                const std::uint32_t to = result(user);
                return adds && is_register(to) && address_[index_of(to)] != 0;
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
                    if (!is_register(row)) continue;
                    if (s.what == action::unknown && !varies(s)) continue;
                    changed = changed || varying_[index_of(row)] == 0;
                    varying_[index_of(row)] = 1;
                }
            }
        }
    }

    const ptx::link::program& program_;
    const ptx::link::routine& routine_;
    const ptx::link::flow_graph<Used>& graph_;
    ptx::link::row_uses<Used> uses_;
    std::uint16_t capability_;
    core::late<Used, std::vector<std::uint32_t>> block_of_;
    core::late<Used, std::vector<std::uint8_t>> dead_;        // of each step
    core::late<Used, std::vector<std::uint32_t>> dead_uses_;  // of each row
    core::late<Used, std::vector<std::uint8_t>> address_;     // of each row
    core::late<Used, std::vector<std::uint8_t>> varying_;     // of each row
};

}  // namespace WARPGAUGE_NAMESPACE::sass::detail

#endif
