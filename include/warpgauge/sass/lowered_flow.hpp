// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SASS_LOWERED_FLOW_HPP
#define WARPGAUGE_SASS_LOWERED_FLOW_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <warpgauge/core/when_used.hpp>
#include <warpgauge/ptx/link/program.hpp>
#include <warpgauge/ptx/text/opcode_table.hpp>
#include <warpgauge/ptx/trace/traced_kernel.hpp>
#include <warpgauge/sass/lowered_steps.hpp>
#include <warpgauge/sass/row_facts.hpp>

/// \file The issues of the machine instructions of each step.

namespace WARPGAUGE_NAMESPACE::sass::detail {

/// The maximum of machine instructions in a block that becomes predicated instead of being skipped by a jump.
inline constexpr std::uint32_t max_predicated_insts = 7;

/// The rounds of a loop that become one.
inline constexpr double unrolled_rounds = 4;

/// The maximum of machine instructions in a loop that is unrolled.
inline constexpr std::uint32_t max_unrolled_insts = 50;

/// The maximum of PTX steps in such a loop.
inline constexpr std::uint32_t max_unrolled_steps = 500;

/// Executions of a routine's steps, from those of a trace.
template <class Used = core::when_used>
class lowered_flow {
    using step = ptx::link::step;
    using action = ptx::text::action;

public:
    /// All but the executions must outlive it; those are of the program's steps.
    lowered_flow(const ptx::link::program& p, const ptx::link::routine& r,
                 const lowered_steps<Used>& steps, const ptx::traced_kernel& trace,
                 std::span<const double> executions)
        : program_(p),
          routine_(r),
          steps_(steps),
          loops_(trace.loops.begin(), trace.loops.end()),
          remainder_(r.rows),
          times_(executions.begin() + r.first, executions.begin() + r.first + r.count) {
        std::sort(loops_.begin(), loops_.end(),
                  [](const ptx::executed_loop& a, const ptx::executed_loop& b) {
                      return a.last_line < b.last_line;
                  });
        find_remainders();
        const auto& graph = steps.graph();
        const core::late<Used, std::vector<double>> traced(times_);
        const bool is_kernel = r.first == 0;
        for (std::uint32_t b = 0; is_kernel && b < graph.exit(); ++b) leave(b, traced);
        for (std::uint32_t b = 0; b + 2 <= graph.exit(); ++b) predicate(b);
        for (std::uint32_t b = 0; b < graph.exit(); ++b) unroll(b, traced);
    }

    /// The executions by a warp of the machine instructions of a step of the routine.
    [[nodiscard]] double executions(std::uint32_t index) const { return times_[index]; }

private:
    // nvcc unrolls by four itself, and counts what is left by a number that begins as `and x, 3`.
    void find_remainders() {
        const auto& facts = steps_.facts();
        const auto& folding = steps_.folding();
        for (std::uint32_t i = 0; i < routine_.count; ++i) {
            const step& to = steps_.graph().at(i);
            const std::uint32_t row = facts.result(to);
            if (!is_register(row)) continue;
            const bool copies = to.what == action::move && to.sources == 1;
            const step* const s =
                copies ? facts.definition_of_row(folding.value(facts.source(to, 0))) : &to;
            if (s == nullptr || s->what != action::bit_and) continue;
            const std::uint32_t mask = folding.value(facts.source(*s, 1));
            if (!facts.is_constant(mask) || facts.value_of(mask) > 3) continue;
            remainder_[index_of(row)] = 1;
        }
    }

    // A jump to the end is an EXIT with a predicate: only who falls through comes to the last one.
    void leave(std::uint32_t block, std::span<const double> traced) {
        const auto& graph = steps_.graph();
        const std::uint32_t i = graph.start(block);
        const step& s = graph.at(i);
        if (i == 0 || (s.what != action::return_ && s.what != action::exit)) return;
        const step& before = graph.at(i - 1);
        const bool falls = before.what != action::branch || before.predicate != ptx::link::nowhere;
        const double fallen = falls ? traced[i - 1] : 0;
        if (fallen < times_[i]) times_[i] = fallen;
    }

    // A short block that a branch goes around: all warps issue it.
    void predicate(std::uint32_t block) {
        const auto& graph = steps_.graph();
        const std::uint32_t branch = graph.start(block + 1) - 1;
        const std::uint32_t end = graph.start(block + 2);
        const step& s = graph.at(branch);
        if (s.what != action::branch || s.predicate == ptx::link::nowhere) return;
        if (s.target != routine_.first + end || graph.only_returns(block + 2)) return;
        std::uint32_t insts = 0;
        for (std::uint32_t i = branch + 1; i < end; ++i) {
            if (leaves(graph.at(i))) return;
            insts += steps_.total(i);
        }
        if (insts > max_predicated_insts) return;
        for (std::uint32_t i = branch + 1; i < end; ++i) times_[i] = times_[branch];
        times_[branch] = 0;
    }
    static bool leaves(const step& s) {
        return s.what == action::branch || s.what == action::branch_table ||
               s.what == action::call || s.what == action::return_ || s.what == action::exit ||
               s.what == action::barrier;
    }

    // A loop of one block that counts by a literal: four rounds need one branch, and each step of a counter once.
    void unroll(std::uint32_t block, std::span<const double> traced) {
        const auto& graph = steps_.graph();
        const std::uint32_t first = graph.start(block);
        const std::uint32_t last = graph.start(block + 1) - 1;
        const step& branch = graph.at(last);
        if (branch.what != action::branch || branch.predicate == ptx::link::nowhere) return;
        if (branch.target != routine_.first + first || traced[last] <= 0) return;
        std::uint32_t insts = 0;
        for (std::uint32_t i = first; i <= last; ++i) insts += steps_.total(i);
        if (last - first > max_unrolled_steps || insts > max_unrolled_insts || !counts(first, last))
            return;
        const double kept = 1 - in_fours(first, last) * (1 - 1 / unrolled_rounds);
        for (std::uint32_t i = first; i <= last; ++i) {
            if (is_once_per_copy(i, first, last)) times_[i] *= kept;
        }
    }

    // The branch's predicate compares a counter of the loop, which does not begin as a remainder of four.
    [[nodiscard]] bool counts(std::uint32_t first, std::uint32_t last) const {
        const auto& facts = steps_.facts();
        const step& branch = steps_.graph().at(last);
        const std::uint32_t n = facts.uses().definition(branch.predicate);
        if (n == ptx::link::nowhere || n < routine_.first + first || n > routine_.first + last)
            return false;
        const step& compare = program_.steps[n];
        if (compare.what != action::compare || compare.sources != 2) return false;
        for (std::uint32_t k = 0; k < 2; ++k) {
            const std::uint32_t row = facts.source(compare, k);
            const std::uint32_t other = facts.source(compare, 1 - k);
            if (is_counter(row, first, last) && is_invariant(other, first, last)) {
                return remainder_[index_of(row)] == 0;
            }
        }
        return false;
    }
    [[nodiscard]] bool is_invariant(std::uint32_t row, std::uint32_t first,
                                    std::uint32_t last) const {
        if (!is_register(row)) return true;
        for (std::uint32_t i = first; i <= last; ++i) {
            if (writes(i, row)) return false;
        }
        return true;
    }
    [[nodiscard]] bool writes(std::uint32_t index, std::uint32_t row) const {
        const step& s = steps_.graph().at(index);
        for (std::uint32_t k = 0; k < s.results; ++k) {
            if (program_.rows[s.first + k] == row) return true;
        }
        return false;
    }
    // Written once in the loop, by adding a literal to itself, and before it.
    [[nodiscard]] bool is_counter(std::uint32_t row, std::uint32_t first,
                                  std::uint32_t last) const {
        const auto& facts = steps_.facts();
        const auto& folding = steps_.folding();
        if (!is_register(row) || facts.uses().definitions(row) < 2) return false;
        bool counts = false;
        for (std::uint32_t i = first; i <= last; ++i) {
            if (!writes(i, row)) continue;
            const step& s = steps_.graph().at(i);
            const bool adds = (s.what == action::add || s.what == action::subtract) &&
                              facts.source(s, 0) == row &&
                              facts.is_constant(folding.value(facts.source(s, 1)));
            if (counts || !adds) return false;
            counts = true;
        }
        return counts;
    }
    // The branch, its comparison, counters, and sums of a counter and what does not change.
    [[nodiscard]] bool is_once_per_copy(std::uint32_t index, std::uint32_t first,
                                        std::uint32_t last) const {
        const auto& facts = steps_.facts();
        const auto& folding = steps_.folding();
        const step& s = steps_.graph().at(index);
        if (index == last) return true;
        const std::uint32_t row = facts.result(s);
        if (row == ptx::link::nowhere) return false;
        if (s.what == action::compare) return row == steps_.graph().at(last).predicate;
        if (s.what == action::move) return facts.uses().definitions(row) > 1;
        if (s.what != action::add && s.what != action::subtract) return false;
        if (is_counter(row, first, last)) return true;
        bool counter = false;
        for (std::uint32_t k = 0; k < s.sources; ++k) {
            const std::uint32_t from = folding.value(facts.source(s, k));
            const bool counted = is_counter(from, first, last);
            if (!counted && !is_invariant(from, first, last)) return false;
            counter = counter || counted;
        }
        return counter;
    }

    // The fraction of a loop's rounds that fill fours.
    [[nodiscard]] double in_fours(std::uint32_t first, std::uint32_t last) const {
        const auto line_of = [&](std::uint32_t i) {
            return program_.source->instructions[program_.steps[routine_.first + i].statement]
                .at.line;
        };
        double rounds = 0;
        double filled = 0;
        auto l = std::lower_bound(loops_.begin(), loops_.end(), line_of(last),
                                  [](const ptx::executed_loop& loop, std::uint32_t line) {
                                      return loop.last_line < line;
                                  });
        for (; l != loops_.end() && l->last_line == line_of(last); ++l) {
            if (l->first_line != line_of(first)) continue;
            rounds += l->ways * l->rounds;
            double fours = l->rounds / unrolled_rounds;
            fours = fours < 1e15 ? static_cast<double>(static_cast<std::uint64_t>(fours)) : fours;
            filled += l->ways * fours * unrolled_rounds;
        }
        return rounds > 0 ? filled / rounds : 0;
    }

    const ptx::link::program& program_;
    const ptx::link::routine& routine_;
    const lowered_steps<Used>& steps_;
    core::late<Used, std::vector<ptx::executed_loop>> loops_;  // by their last line
    core::late<Used, std::vector<std::uint8_t>> remainder_;    // of each row
    core::late<Used, std::vector<double>> times_;  // by the step's number in the routine
};

}  // namespace WARPGAUGE_NAMESPACE::sass::detail

#endif
