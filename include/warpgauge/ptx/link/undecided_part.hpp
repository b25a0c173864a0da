// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_LINK_UNDECIDED_PART_HPP
#define WARPGAUGE_PTX_LINK_UNDECIDED_PART_HPP

#include <cstdint>
#include <vector>

#include <warpgauge/core/when_used.hpp>
#include <warpgauge/ptx/link/program.hpp>
#include <warpgauge/ptx/text/opcode_table.hpp>

/// \file What in a kernel hangs on conditions that nobody knows: the steps that only some lanes or warps may execute, and
/// the registers that have another value on another way.
///
/// A trace takes one way where data decides. What it sees there is a guess, and so is what follows from that; all else
/// is certain. Whatever cannot be told apart counts as undecided.

namespace WARPGAUGE_NAMESPACE::ptx::link {

/// Of a program of one routine, with its points of reconvergence.
template <class Used = core::when_used>
class undecided_part {
public:
    /// The program must outlive it.
    explicit undecided_part(const program& p)
        : program_(p),
          decided_by_data_(p.steps.size()),
          in_part_(p.steps.size()),
          spread_(p.steps.size()),
          rows_(p.routines.empty() ? 0 : p.routines[0].rows) {}

    /// Notes a step whose predicate or index was not known. False if it was noted before.
    bool add(std::uint32_t step) {
        if (decided_by_data_[step]) return false;
        decided_by_data_[step] = true;
        any_ = true;
        taint(program_.steps[step].predicate);  // what a trace decides once, it keeps
        return true;
    }

    /// Notes a step whose results may be others than in a trace.
    void add_results(std::uint32_t step) {
        const ptx::link::step& s = program_.steps[step];
        for (std::uint32_t k = 0; k < s.results; ++k) {
            any_ = taint(program_.rows[s.first + k]) || any_;
        }
    }

    /// Finds all that hangs on the steps added so far.
    void close() {
        if (!any_) return;
        std::uint64_t work = 0;
        for (bool changed = true; changed;) {
            changed = false;
            for (std::uint32_t s = 0; s < program_.steps.size() && work <= max_work; ++s) {
                changed = see(s, work) || changed;
            }
            work += program_.steps.size();
            if (work > max_work) return give_up();
        }
    }

    /// May a lane or a warp execute the step that does not in a trace, or the other way round?
    [[nodiscard]] bool has(std::uint32_t step) const { return in_part_[step]; }
    /// May another than in a trace decide whether it is executed, or where it jumps to?
    [[nodiscard]] bool directs(std::uint32_t step) const { return decided_by_data_[step]; }
    /// May a row have another value than in a trace?
    [[nodiscard]] bool taints(std::uint32_t row) const {
        if (row == nowhere) return false;
        if ((row & of_call) == 0) return any_ && row == carry;
        row &= ~of_call;
        return row < rows_.size() && rows_[row];
    }

private:
    using action = text::action;
    static constexpr std::uint64_t max_work = 10'000'000;  // steps looked at

    void give_up() {
        in_part_.assign(in_part_.size(), true);
        rows_.assign(rows_.size(), true);
    }

    // True if that has changed something.
    bool see(std::uint32_t index, std::uint64_t& work) {
        const step& s = program_.steps[index];
        bool changed = false;
        const bool by_index = s.what == action::branch_table && tainted_source(s);
        if (taints(s.predicate) || by_index) changed = add(index);
        if (decided_by_data_[index] && !spread_[index]) {
            spread_[index] = true;
            spread(index, work);
            changed = true;
        }
        const bool reads_local = s.what == action::load && any_local_ && may_be_local(s);
        if (!in_part_[index] && !tainted_source(s) && !reads_local) return changed;
        if (s.what == action::store && may_be_local(s) && !any_local_) {
            any_local_ = true;
            changed = true;
        }
        for (std::uint32_t k = 0; k < s.results; ++k)
            changed = taint(program_.rows[s.first + k]) || changed;
        return changed;
    }

    static bool may_be_local(const step& s) {
        return s.space == address_space::local || s.space == address_space::generic;
    }

    bool tainted_source(const step& s) const {
        if (s.what == action::call) return true;
        for (std::uint32_t k = 0; k < s.sources; ++k) {
            if (taints(program_.rows[s.first + s.results + k])) return true;
        }
        return s.what == action::add_carry || s.what == action::subtract_borrow;
    }

    bool taint(std::uint32_t row) {
        if (!belongs_to_call(row)) return false;
        row &= ~of_call;
        if (row >= rows_.size() || rows_[row]) return false;
        rows_[row] = true;
        return true;
    }

    // All steps from an undecided one to where its ways meet; behind an undecided end, to the end of all.
    void spread(std::uint32_t index, std::uint64_t& work) {
        const step& from = program_.steps[index];
        in_part_[index] = true;
        const bool jumps = from.what == action::branch || from.what == action::branch_table;
        const bool ends = from.what == action::return_ || from.what == action::exit;
        if (!jumps && !ends) return;
        core::late<Used, std::vector<bool>> seen(program_.steps.size());
        work += seen.size() / 64;
        core::late<Used, std::vector<std::uint32_t>> open(1, index);
        const auto go = [&](std::uint32_t to) {
            if (to >= seen.size() || seen[to] || (jumps && to == from.reconverge)) return;
            seen[to] = true;
            open.push_back(to);
        };
        while (!open.empty()) {
            const std::uint32_t at = open.back();
            open.pop_back();
            const step& s = program_.steps[at];
            ++work;
            if (at != index) in_part_[at] = true;
            if (s.what == action::branch) go(s.target);
            for (std::uint32_t t = 0; s.what == action::branch_table && t < s.targets; ++t) {
                go(program_.rows[s.target + t]);
            }
            const bool goes_on = s.what != action::branch && s.what != action::branch_table &&
                                 s.what != action::return_ && s.what != action::exit;
            if (goes_on || s.predicate != nowhere) go(at + 1);
        }
    }

    const program& program_;
    core::late<Used, std::vector<bool>> decided_by_data_;  // by step
    core::late<Used, std::vector<bool>> in_part_;          // by step
    core::late<Used, std::vector<bool>> spread_;           // by step: its ways are marked
    core::late<Used, std::vector<bool>> rows_;
    bool any_ = false;
    bool any_local_ = false;  // local memory may have other values
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::link

#endif
