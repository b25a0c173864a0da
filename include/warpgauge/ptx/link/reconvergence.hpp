// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_LINK_RECONVERGENCE_HPP
#define WARPGAUGE_PTX_LINK_RECONVERGENCE_HPP

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/ptx/link/flow_graph.hpp>
#include <warpgauge/ptx/link/program.hpp>
#include <warpgauge/ptx/text/opcode_table.hpp>

/// \file Where the paths of a branch meet again.
///
/// Source: K. Cooper, T. Harvey, K. Kennedy, "A Simple, Fast Dominance Algorithm", 2001, for the immediate
/// post-dominators.

namespace WARPGAUGE_NAMESPACE::ptx::link {

/// Gives every branch of a routine the step where its paths meet: its immediate post-dominator. Paths that
/// only return, as after `if (i >= n)`, are left out where others go on: their lanes end at once, and no
/// other waits for them. A branch whose paths end before they meet keeps `nowhere`.
/// \errors limit_reached  `max_steps`: more than `max_work`, at the first instruction
template <class = core::when_used>
model_error find_reconvergence(program& p, const routine& r, std::uint64_t max_work);

}  // namespace WARPGAUGE_NAMESPACE::ptx::link

namespace WARPGAUGE_NAMESPACE::ptx::detail::link {

using ptx::link::flow_edges, ptx::link::nowhere;

/// The immediate post-dominators of a graph's blocks.
template <class Used = core::when_used>
class post_dominators {
public:
    /// `work` goes on from what was done before.
    post_dominators(const flow_edges& edges, std::uint32_t exit, std::uint64_t& work)
        : edges_(edges), exit_(exit), work_(work), after_(exit + 1, nowhere) {
        order_from_exit();
    }

    /// Of each block, the one that all its paths come through; `nowhere` where no path ends. Nothing if
    /// that takes more than `max_work`.
    std::vector<std::uint32_t> find(std::uint64_t max_work) {
        after_[exit_] = exit_;
        for (bool changed = true; changed;) {
            changed = false;
            for (std::size_t n = order_.size() - 1; n-- > 0;) {  // without the exit, which is last
                const std::uint32_t block = order_[n];
                const std::uint32_t common = common_of_successors(block);
                if (work_ > max_work) return {};
                if (common != after_[block]) {
                    after_[block] = common;
                    changed = true;
                }
            }
        }
        return std::move(after_);
    }

private:
    using numbers = core::late<Used, std::vector<std::uint32_t>>;

    // Blocks that reach the exit, each after those that come before it, backwards; the exit last.
    void order_from_exit() {
        const flow_edges before = ptx::link::reversed<Used>(edges_);
        number_.assign(exit_ + 1, nowhere);
        core::late<Used, std::vector<bool>> seen(exit_ + 1);
        core::late<Used, std::vector<std::pair<std::uint32_t, std::uint32_t>>> path{
            {exit_, before.first[exit_]}};
        seen[exit_] = true;
        while (!path.empty()) {
            auto& [block, edge] = path.back();
            if (edge == before.first[block + 1]) {
                number_[block] = static_cast<std::uint32_t>(order_.size());
                order_.push_back(block);
                path.pop_back();
            } else if (const std::uint32_t to = before.to[edge++]; !seen[to]) {
                seen[to] = true;
                path.push_back({to, before.first[to]});
            }
        }
    }

    std::uint32_t common_of_successors(std::uint32_t block) {
        std::uint32_t common = nowhere;
        edges_.for_each_successor(block, [&](std::uint32_t to) {
            if (after_[to] == nowhere) return;
            common = common == nowhere ? to : meet(common, to);
        });
        return common;
    }

    std::uint32_t meet(std::uint32_t a, std::uint32_t b) {
        while (a != b) {
            ++work_;
            if (number_[a] < number_[b]) {
                a = after_[a];
            } else {
                b = after_[b];
            }
        }
        return a;
    }

    const flow_edges& edges_;
    std::uint32_t exit_;
    std::uint64_t& work_;
    numbers order_, number_;  // towards the exit
    numbers after_;
};

/// The edges without those to blocks that only return, from blocks that can also go on.
template <class Used>
flow_edges without_early_returns(const ptx::link::flow_graph<Used>& graph) {
    core::late<Used, flow_edges> kept;
    for (std::uint32_t b = 0; b < graph.exit(); ++b) {
        kept.first.push_back(static_cast<std::uint32_t>(kept.to.size()));
        bool goes_on = false;
        graph.edges().for_each_successor(
            b, [&](std::uint32_t to) { goes_on = goes_on || !graph.only_returns(to); });
        graph.edges().for_each_successor(b, [&](std::uint32_t to) {
            if (!goes_on || !graph.only_returns(to)) kept.to.push_back(to);
        });
    }
    kept.first.push_back(static_cast<std::uint32_t>(kept.to.size()));
    kept.first.push_back(static_cast<std::uint32_t>(kept.to.size()));  // the exit has none
    return kept;
}

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::link

namespace WARPGAUGE_NAMESPACE::ptx::link {

template <class Used>
model_error find_reconvergence(program& p, const routine& r, std::uint64_t max_work) {
    const flow_graph<Used> graph(p, r);
    const std::uint32_t exit = graph.exit();
    std::uint64_t work = 0;
    const position at =
        r.count == 0 ? position{} : p.source->instructions[p.steps[r.first].statement].at;
    const model_error too_much{errc::limit_reached, "max_steps", at.line, at.column};
    const auto of_all =
        detail::link::post_dominators<Used>(graph.edges(), exit, work).find(max_work);
    if (of_all.empty()) return too_much;
    const flow_edges edges = detail::link::without_early_returns(graph);
    const auto after = detail::link::post_dominators<Used>(edges, exit, work).find(max_work);
    if (after.empty()) return too_much;
    for (std::uint32_t b = 0; b < exit; ++b) {
        step& last = p.steps[r.first + graph.start(b + 1) - 1];
        if (last.what != text::action::branch && last.what != text::action::branch_table) continue;
        const std::uint32_t meets = after[b] < exit ? after[b] : of_all[b];
        last.reconverge = meets >= exit ? nowhere : r.first + graph.start(meets);
    }
    return {};
}

}  // namespace WARPGAUGE_NAMESPACE::ptx::link

#endif
