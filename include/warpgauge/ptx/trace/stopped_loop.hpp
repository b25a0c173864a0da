// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TRACE_STOPPED_LOOP_HPP
#define WARPGAUGE_PTX_TRACE_STOPPED_LOOP_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/ptx/link/loop_body.hpp>
#include <warpgauge/ptx/link/program.hpp>
#include <warpgauge/ptx/run/loop_rounds.hpp>
#include <warpgauge/ptx/run/warp.hpp>
#include <warpgauge/ptx/text/module.hpp>
#include <warpgauge/ptx/text/opcode_table.hpp>
#include <warpgauge/ptx/trace/branch_decisions.hpp>

/// \file Which loop took a trace past `max_steps`, and the values that keep it going.

namespace WARPGAUGE_NAMESPACE::ptx {

/// A loop that a warp was in when a trace was given up.
struct stopped_loop {
    /// A side of the comparison that decides about another round.
    struct side {
        std::string_view name{};  ///< of a register, or a number, as in the text
        std::uint64_t value{};    ///< of the first lane, if known
        bool known{};             ///< whether `value` is
    };
    std::string_view label{};        ///< where it jumps back to; empty: no loop was under way
    position at{};                   ///< of the jump back, in the text
    std::uint32_t source_file{};     ///< number of a `source_file`; 0: not known
    std::uint32_t source_line{};     ///< in it; 0: not known
    std::uint64_t rounds{};          ///< so far
    std::array<side, 2> compared{};  ///< what the jump back compares
};

/// "max_steps reached in loop $L1, source line 12, after 1000 rounds, by %r3 = 1000, %r1 = 4000000000; raise it,
/// or follow sampling::middle_block".
[[nodiscard]] constexpr error_text message(const stopped_loop& s) noexcept;

// --- How

namespace detail::trace {

/// The branch that decides about another round of a loop; `nowhere` if none does.
template <class Used = core::when_used>
std::uint32_t deciding_branch(const program& p, const ptx::run::loop_under_way& loop) {
    if (p.steps[loop.from].predicate != nowhere) return loop.from;
    // A loop that jumps back always is left by a branch within it.
    std::size_t r = 0;
    while (loop.from - p.routines[r].first >= p.routines[r].count) ++r;
    ptx::link::loop_body<Used> body(p, p.routines[r]);
    std::uint32_t first = nowhere;
    if (!body.find(loop.from)) return nowhere;
    body.for_each_end([&](std::uint32_t s) {
        if (s < first && body.way_of(s) != ptx::link::way_out::none) first = s;
    });
    return first;
}

/// The comparison that gives the predicate of that branch, the last before it in its loop, perhaps by its opposite or a
/// copy; `nowhere` if there is none.
template <class Used = core::when_used>
std::uint32_t decider_of(const program& p, const ptx::run::loop_under_way& loop) {
    const std::uint32_t branch = deciding_branch<Used>(p, loop);
    if (branch == nowhere) return nowhere;
    std::uint32_t row = p.steps[branch].predicate;
    for (std::uint32_t s = branch; s-- > loop.to;) {
        const step& by = p.steps[s];
        for (std::uint32_t k = 0; k < by.results; ++k) {
            if (p.rows[by.first + k] != row) continue;
            if (by.what == action::compare) return s;
            const bool copies = by.what == action::move || by.what == action::bit_not;
            if (!copies) return nowhere;
            row = p.rows[by.first + by.results + k];
            break;
        }
    }
    return nowhere;
}

template <class Used>
stopped_loop describe_stop(const program& p, ptx::run::warp_machine<Used>& machine) {
    core::late<Used, stopped_loop> found;
    const ptx::run::loop_under_way loop = machine.longest_loop();
    if (loop.from == nowhere) return found;
    const ptx::instruction& jump = p.source->instructions[p.steps[loop.from].statement];
    found.label = label_of(p, p.steps[loop.from]);
    found.at = jump.at;
    found.source_file = jump.source_file;
    found.source_line = jump.source_line;
    found.rounds = loop.rounds;
    const std::uint32_t by = decider_of<Used>(p, loop);
    if (by == nowhere) return found;
    const step& s = p.steps[by];
    const auto operands = p.source->operands_of(p.source->instructions[s.statement]);
    for (std::uint32_t k = 0; k < 2; ++k) {
        stopped_loop::side& side = found.compared[k];
        side.name = operands[operands.size() - s.sources + k].text;
        side.known = machine.value_of(p.rows[s.first + s.results + k], side.value);
    }
    return found;
}

/// Appends "max_steps reached in loop $L1, ...", without what to do about it.
constexpr void append_stop(error_text& text, const stopped_loop& s) noexcept {
    text.append("max_steps reached");
    if (s.label.empty()) return;
    text.append(" in loop ");
    text.append(s.label);
    if (s.source_line != 0) {
        text.append(", source line ");
        text.append(s.source_line);
    }
    text.append(", after ");
    text.append(s.rounds);
    text.append(" rounds");
    std::string_view before = ", by ";
    for (const stopped_loop::side& side : s.compared) {
        if (side.name.empty()) continue;
        text.append(before);
        text.append(side.name);
        before = ", ";
        if (side.known && side.name[0] == '%') {
            text.append(" = ");
            text.append(side.value);
        }
        if (!side.known) text.append(" from data");
    }
}

}  // namespace detail::trace

constexpr error_text message(const stopped_loop& s) noexcept {
    error_text text;
    detail::trace::append_stop(text, s);
    text.append("; raise it or use sampling::middle_block");
    return text;
}

}  // namespace WARPGAUGE_NAMESPACE::ptx

#endif
