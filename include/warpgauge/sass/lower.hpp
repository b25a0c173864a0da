// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SASS_LOWER_HPP
#define WARPGAUGE_SASS_LOWER_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/kernel/profile.hpp>
#include <warpgauge/ptx/link/link_kernel.hpp>
#include <warpgauge/ptx/trace/find_kernel.hpp>
#include <warpgauge/ptx/trace/trace_options.hpp>
#include <warpgauge/ptx/trace/traced_kernel.hpp>
#include <warpgauge/sass/lowered_flow.hpp>
#include <warpgauge/sass/lowered_steps.hpp>
#include <warpgauge/sass/opcode_table.hpp>
#include <warpgauge/sass/profile_pipes.hpp>

/// \file What a warp executes of machine code, estimated from PTX alone.

namespace WARPGAUGE_NAMESPACE::sass {

/// Machine instructions of a warp, estimated. All counts are means of one warp over the grid, as in the trace.
struct lowered_code {
    std::array<double, pipe_count> pipe_insts{};  ///< issued, by `pipe`
    double warp_insts{};                          ///< all of them
    /// Of those, of opcodes that no row of the table has: counted as one instruction each.
    double unlisted_insts{};
    double conditional_branches{};  ///< branches that a predicate decides
    double local_bytes{};           ///< B of arrays in local memory that a thread loads and stores

    /// Instructions of a warp that `p` executes.
    [[nodiscard]] double insts_of(pipe p) const noexcept {
        return pipe_insts[static_cast<std::size_t>(p)];
    }

    /// A profile of the trace with these instructions and operations instead of those of PTX.
    [[nodiscard]] kernel_profile<> profile(const ptx::traced_kernel& trace) const {
        kernel_profile<> k = trace.profile();
        detail::profile_pipes(pipe_insts, warp_insts, conditional_branches, k);
        k.traffic.local_bytes = local_bytes;
        if (!(local_bytes > 0)) k.traffic.local_footprint_bytes = 0;
        return k;
    }
};

/// Estimates what a warp executes of machine code from the PTX that was traced.
/// \errors unknown_name   `kernel`: the trace is of another kernel; `lines`: of another text
///         missing, limit_reached  as `ptx::live_registers`
template <class = core::when_used>
[[nodiscard]] result<lowered_code> lower(const ptx::kernel& k, const ptx::traced_kernel& trace);

namespace detail {

/// Executions of each step of a program, which has made the trace's lines in order.
template <class Used = core::when_used>
result<core::late<Used, std::vector<double>>> step_executions(const ptx::link::program& p,
                                                              const ptx::traced_kernel& trace) {
    core::late<Used, std::vector<double>> executions(p.steps.size());
    std::size_t entry = 0;
    for (std::size_t n = 0; n < p.steps.size() && entry < trace.lines.size(); ++n) {
        const std::uint32_t line = p.source->instructions[p.steps[n].statement].at.line;
        if (trace.lines[entry].line == line) executions[n] = trace.lines[entry++].executions;
    }
    if (entry < trace.lines.size()) return model_error{errc::unknown_name, "lines"};
    return executions;
}

/// Accesses of local memory among the instructions of a step, by pipe.
template <class Counts>
double local_insts(const Counts& of) {
    return of[static_cast<std::size_t>(pipe::local_load)] +
           of[static_cast<std::size_t>(pipe::local_store)];
}

/// A branch, a return or an end that a predicate decides.
inline bool is_conditional_branch(const ptx::link::step& s) {
    using ptx::text::action;
    return s.predicate != ptx::link::nowhere &&
           (s.what == action::branch || s.what == action::return_ || s.what == action::exit);
}

}  // namespace detail

template <class Used>
result<lowered_code> lower(const ptx::kernel& k, const ptx::traced_kernel& trace) {
    if (!ptx::detail::trace::has_body(k)) return model_error{errc::missing, "kernel"};
    if (trace.name != k.text->functions[k.function].name)
        return model_error{errc::unknown_name, "kernel"};
    const auto p = ptx::link::link_kernel<Used>(*k.text, k.function, ptx::trace_options{}.max_steps,
                                                0xffff'ffff, k.index);
    if (!p) return p.error();
    auto executions = detail::step_executions<Used>(*p, trace);
    if (!executions) return executions.error();
    core::late<Used, lowered_code> made;
    for (const ptx::link::routine& r : p->routines) {
        const detail::lowered_steps<Used> steps(*p, r, trace.capability);
        const detail::lowered_flow<Used> flow(*p, r, steps, trace, *executions);
        for (std::uint32_t i = 0; i < r.count; ++i) {
            const double times = flow.executions(i);
            for (std::size_t pipe = 0; pipe < pipe_count; ++pipe) {
                made.pipe_insts[pipe] += times * steps.counts(i)[pipe];
            }
            made.warp_insts += times * steps.total(i);
            made.local_bytes +=
                times * detail::local_insts(steps.counts(i)) * steps.graph().at(i).lane_bytes;
            if (steps.unlisted(i)) made.unlisted_insts += times;
            if (detail::is_conditional_branch(steps.graph().at(i)))
                made.conditional_branches += times;
        }
    }
    return made;
}

}  // namespace WARPGAUGE_NAMESPACE::sass

#endif
