// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_LINK_ERROR_PATHS_HPP
#define WARPGAUGE_PTX_LINK_ERROR_PATHS_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <warpgauge/core/when_used.hpp>
#include <warpgauge/ptx/link/flow_graph.hpp>
#include <warpgauge/ptx/link/program.hpp>
#include <warpgauge/ptx/text/module.hpp>
#include <warpgauge/ptx/text/opcode_table.hpp>

/// \file The steps of a program from which every way ends in an error: in `trap` or in a call of `__assertfail`.
///
/// A kernel that meets an error ends the launch, so no time is asked of it. An `assert` and the checks of cooperative groups
/// have such steps.

namespace WARPGAUGE_NAMESPACE::ptx::link {

/// Finds these steps. Memory is in proportion to the program, and so is work but for a few sweeps.
template <class Used = core::when_used>
class error_paths {
public:
    /// The program must outlive it.
    explicit error_paths(const program& p) : program_(p), ends_in_error_(p.steps.size()) {
        // Functions mostly come after those that call them.
        for (std::size_t r = p.routines.size(); r-- > 0;) find(p.routines[r]);
    }

    /// Does every way from a step on end in an error, and one of them for certain? Not so of a loop without an end.
    [[nodiscard]] bool has(std::uint32_t step) const {
        return step < ends_in_error_.size() && ends_in_error_[step];
    }

    /// Is a step an error itself, wherever it is executed?
    [[nodiscard]] bool is_error(const step& s) const {
        const instruction& i = program_.source->instructions[s.statement];
        if (s.what == text::action::exit) return i.opcode == "trap";
        if (s.what != text::action::call || s.through != nowhere) return false;
        if (s.target != nowhere) return has(program_.routines[s.target].first);
        return callee_of(i) == "__assertfail";
    }

private:
    using flags = core::late<Used, std::vector<bool>>;

    // The first operand that is no list of values.
    [[nodiscard]] std::string_view callee_of(const instruction& i) const {
        const std::span<const operand> all = program_.source->operands_of(i);
        std::size_t o = 0;
        while (o < all.size() && all[o].kind == operand_kind::list) o += all[o].parts + 1U;
        return o < all.size() ? std::string_view(all[o].text) : std::string_view();
    }

    void find(const routine& r) {
        bool any = false;
        for (std::uint32_t n = r.first; n < r.first + r.count; ++n) {
            any = any || is_error(program_.steps[n]);
        }
        if (!any) return;
        const flow_graph<Used> graph(program_, r);
        flags returns(graph.exit() + 1);
        flags fails(graph.exit() + 1);
        returns[graph.exit()] = true;
        for (int sweeps = 0; sweep(graph, returns, fails); ++sweeps) {
            if (sweeps == max_sweeps) return;
        }
        for (std::uint32_t b = 0; b < graph.exit(); ++b) {
            if (returns[b] || !fails[b]) continue;
            for (std::uint32_t n = 0; n < graph.size(b); ++n) {
                ends_in_error_[r.first + graph.start(b) + n] = true;
            }
        }
    }

    // From the last block to the first, which ones may return without an error, and which may meet one. True if that
    // has changed something, as it does once more for each jump back on a way.
    bool sweep(const flow_graph<Used>& graph, flags& returns, flags& fails) const {
        bool changed = false;
        for (std::uint32_t b = graph.exit(); b-- > 0;) {
            bool error = false;
            bool ends = false;
            bool traps = false;  // perhaps, at its end
            for (std::uint32_t n = graph.start(b); n < graph.start(b + 1); ++n) {
                const step& s = graph.at(n);
                traps = is_error(s) && s.what == text::action::exit;
                error = error || is_error(s);
                ends = ends || (is_error(s) && s.predicate == nowhere);
            }
            bool goes = false;
            graph.edges().for_each_successor(b, [&](std::uint32_t to) {
                goes = goes || (returns[to] && !ends && !(traps && to == graph.exit()));
                error = error || fails[to];
            });
            changed = changed || goes != returns[b] || error != fails[b];
            returns[b] = goes;
            fails[b] = error;
        }
        return changed;
    }

    static constexpr int max_sweeps = 64;  // more are no kernel's: nothing is found
    const program& program_;
    flags ends_in_error_;  // by step
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::link

#endif
