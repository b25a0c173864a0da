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

/// Finds these steps, with work and memory in proportion to the program.
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
    using numbers = core::late<Used, std::vector<std::uint32_t>>;
    using flags = core::late<Used, std::vector<bool>>;

    // The first operand that is no list of values.
    [[nodiscard]] std::string_view callee_of(const instruction& i) const {
        const std::span<const operand> all = program_.source->operands_of(i);
        std::size_t o = 0;
        while (o < all.size() && all[o].kind == operand_kind::list) o += all[o].parts + 1U;
        return o < all.size() ? std::string_view(all[o].text) : std::string_view();
    }

    // Edges backwards, but for those out of errors.
    struct incoming {
        numbers first{}, from{};
    };

    void find(const routine& r) {
        bool any = false;
        for (std::uint32_t n = r.first; n < r.first + r.count; ++n) {
            any = any || is_error(program_.steps[n]);
        }
        if (!any) return;
        const flow_graph<Used> graph(program_, r);
        flags may_fail(graph.exit() + 1);
        flags must_fail(graph.exit() + 1);
        look_at_blocks(graph, may_fail, must_fail);
        const incoming edges = edges_into(graph, must_fail, may_fail);
        flags returns(graph.exit() + 1);
        returns[graph.exit()] = true;
        spread(edges, returns);
        spread(edges, may_fail);
        for (std::uint32_t b = 0; b < graph.exit(); ++b) {
            if (returns[b] || !may_fail[b]) continue;
            for (std::uint32_t n = 0; n < graph.size(b); ++n) {
                ends_in_error_[r.first + graph.start(b) + n] = true;
            }
        }
    }

    void look_at_blocks(const flow_graph<Used>& graph, flags& may_fail, flags& must_fail) const {
        for (std::uint32_t b = 0; b < graph.exit(); ++b) {
            for (std::uint32_t n = graph.start(b); n < graph.start(b + 1); ++n) {
                const step& s = graph.at(n);
                if (!is_error(s)) continue;
                may_fail[b] = true;
                if (s.predicate == nowhere) must_fail[b] = true;
            }
        }
    }

    // A `trap` under a predicate only goes on.
    static bool is_left_out(const flow_graph<Used>& graph, std::uint32_t block, std::uint32_t to,
                            const flags& must_fail, const flags& may_fail) {
        const step& last = graph.at(graph.start(block + 1) - 1);
        const bool traps = may_fail[block] && last.what == text::action::exit;
        return must_fail[block] || (traps && to == graph.exit());
    }

    incoming edges_into(const flow_graph<Used>& graph, const flags& must_fail,
                        const flags& may_fail) const {
        incoming e;
        e.first.resize(graph.exit() + 2);
        const auto each = [&](const auto& visit) {
            for (std::uint32_t b = 0; b < graph.exit(); ++b) {
                graph.edges().for_each_successor(b, [&](std::uint32_t to) {
                    if (!is_left_out(graph, b, to, must_fail, may_fail)) visit(b, to);
                });
            }
        };
        each([&](std::uint32_t, std::uint32_t to) { ++e.first[to + 1]; });
        for (std::uint32_t b = 0; b <= graph.exit(); ++b) e.first[b + 1] += e.first[b];
        e.from.resize(e.first[graph.exit() + 1]);
        numbers next(e.first.begin(), e.first.end() - 1);
        each([&](std::uint32_t b, std::uint32_t to) { e.from[next[to]++] = b; });
        return e;
    }

    // To all blocks that come before those marked.
    static void spread(const incoming& edges, flags& marked) {
        numbers open;
        for (std::uint32_t b = 0; b < marked.size(); ++b) {
            if (marked[b]) open.push_back(b);
        }
        while (!open.empty()) {
            const std::uint32_t to = open.back();
            open.pop_back();
            for (std::uint32_t e = edges.first[to]; e < edges.first[to + 1]; ++e) {
                if (marked[edges.from[e]]) continue;
                marked[edges.from[e]] = true;
                open.push_back(edges.from[e]);
            }
        }
    }

    const program& program_;
    flags ends_in_error_;  // by step
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::link

#endif
