// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TRACE_BRANCH_DECISIONS_HPP
#define WARPGAUGE_PTX_TRACE_BRANCH_DECISIONS_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/ptx/link/error_paths.hpp>
#include <warpgauge/ptx/link/loop_body.hpp>
#include <warpgauge/ptx/link/program.hpp>
#include <warpgauge/ptx/run/warp_input.hpp>
#include <warpgauge/ptx/text/module.hpp>
#include <warpgauge/ptx/text/opcode_table.hpp>
#include <warpgauge/ptx/trace/trace_options.hpp>

/// \file What each step does where unknown data decides: as a hint says, or a default.

namespace WARPGAUGE_NAMESPACE::ptx::detail::trace {

using ptx::link::nowhere, ptx::link::program, ptx::link::step;
using ptx::run::decision;
using ptx::text::action;

/// The label that a branch goes to.
inline std::string_view label_of(const program& p, const step& branch) {
    const range operands = p.source->instructions[branch.statement].operands;
    return operands.count == 0 ? std::string_view() : p.source->operands[operands.first].text;
}

/// Does a step jump to one before it, or to itself?
constexpr bool jumps_back(const step& s, std::uint32_t index) {
    return s.what == action::branch && s.target <= index;
}

/// Does a routine have such a step?
inline bool may_loop(const program& p, const ptx::link::routine& r) {
    for (std::uint32_t s = r.first; s < r.first + r.count; ++s) {
        if (jumps_back(p.steps[s], s)) return true;
    }
    return false;
}

/// Notes the branches of a loop, closed by a jump that asks for nothing, of which one way leaves it.
template <class Used>
void note_exits(const ptx::link::loop_body<Used>& body, std::uint32_t jump,
                std::span<decision> decisions) {
    body.for_each_end([&](std::uint32_t s) {
        const ptx::link::way_out way = body.way_of(s);
        decision& d = decisions[s];
        // One of a loop within, which ends first, has its loop.
        if (d.loop != nowhere || way == ptx::link::way_out::none) return;
        d.loop = jump;
        d.leaves = way == ptx::link::way_out::jumps;
    });
}

/// Notes the loop of each branch of a routine that decides whether the loop goes on: those that jump back; and where what jumps back
/// asks for nothing, those in the loop of which one way leaves it.
/// \errors limit_reached  `max_steps`: more than `max_work`, which goes down by what was looked at, where many jump back
template <class Used = core::when_used>
model_error find_loops(const program& p, const ptx::link::routine& r, std::span<decision> decisions,
                       std::uint64_t& max_work) {
    if (!may_loop(p, r)) return {};
    ptx::link::loop_body<Used> body(p, r);
    for (const bool asks : {true, false}) {
        for (std::uint32_t s = r.first; s < r.first + r.count; ++s) {
            const step& back = p.steps[s];
            if (!jumps_back(back, s) || (back.predicate != nowhere) != asks) continue;
            const bool is_loop = body.find(s);
            if (body.work() > max_work) {
                const position at = p.source->instructions[back.statement].at;
                return {errc::limit_reached, "max_steps", at.line, at.column};
            }
            if (!is_loop) continue;
            if (asks) {
                decisions[s].loop = s;
                continue;
            }
            note_exits(body, s, decisions);
        }
    }
    max_work -= body.work();
    return {};
}

/// Does a hint name a branch, by its label or its line of the source?
inline bool names(const program& p, const hint& given, const step& branch) {
    if (given.source_line == 0) return given.label == label_of(p, branch);
    return given.source_line == p.source->instructions[branch.statement].source_line;
}

/// Does a hint speak of this branch? Then it becomes the branch's decision.
inline bool apply_hint(const program& p, const hint& given, const step& branch, decision& d) {
    if (given.probability >= 0 && names(p, given, branch)) {
        d.probability = given.probability;
        d.hinted = true;
        d.rounds = 0;
        return true;
    }
    const bool of_loop = d.loop != nowhere && (names(p, given, p.steps[d.loop]) ||
                                               (given.source_line != 0 && names(p, given, branch)));
    if (given.rounds > 0 && of_loop) {
        d.rounds = given.rounds;
        return true;
    }
    return false;
}

/// Where no hint applies, nothing goes on to an error if it can go elsewhere, whatever was decided before of the same value.
/// A branch that jumps back keeps its rounds, so that its loop ends.
template <class Used>
void avoid_errors(const program& p, const ptx::link::error_paths<Used>& errors, std::uint32_t index,
                  decision& d) {
    const step& s = p.steps[index];
    if (s.predicate == nowhere) return;
    if (s.what != action::branch) {
        if (errors.is_error(s)) d = {.probability = 0, .hinted = true};
        return;
    }
    const bool jumps = errors.has(s.target);
    const bool falls = errors.has(index + 1);
    if (jumps == falls || (falls && s.target <= index)) return;
    d = {.probability = jumps ? 0.0 : 1.0, .hinted = true};
}

/// A decision for each step.
/// \errors missing        `hints`: no branch goes to the label; `line` is the entry
///         limit_reached  as `find_loops`
template <class Used = core::when_used>
result<std::vector<decision>> decide_branches(const program& p, const trace_options& options) {
    core::late<Used, std::vector<decision>> decisions(p.steps.size(),
                                                      {.probability = options.default_probability});
    std::uint64_t max_work = options.max_steps;
    for (const ptx::link::routine& r : p.routines) {
        if (auto bad = find_loops<Used>(p, r, decisions, max_work)) return bad;
    }
    core::late<Used, std::vector<bool>> used(options.hints.size());
    const ptx::link::error_paths<Used> errors(p);
    for (std::uint32_t s = 0; s < p.steps.size(); ++s) {
        const step& branch = p.steps[s];
        avoid_errors(p, errors, s, decisions[s]);
        if (branch.what != action::branch) continue;
        decision& d = decisions[s];
        if (d.loop != nowhere) d.rounds = options.default_rounds;
        for (std::size_t h = 0; h < options.hints.size(); ++h) {
            if (apply_hint(p, options.hints[h], branch, d)) used[h] = true;
        }
    }
    for (std::size_t h = 0; h < used.size(); ++h) {
        if (!used[h]) {
            return model_error{errc::missing, "hints", static_cast<std::uint32_t>(h + 1)};
        }
    }
    return decisions;
}

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::trace

#endif
