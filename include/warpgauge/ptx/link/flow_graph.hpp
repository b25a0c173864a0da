// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_LINK_FLOW_GRAPH_HPP
#define WARPGAUGE_PTX_LINK_FLOW_GRAPH_HPP

#include <cstdint>
#include <vector>

#include <warpgauge/core/when_used.hpp>
#include <warpgauge/ptx/link/program.hpp>
#include <warpgauge/ptx/text/opcode_table.hpp>

/// \file The basic blocks of one function, and which of them come after which.

namespace WARPGAUGE_NAMESPACE::ptx::link {

/// Edges from block to block, those of a block side by side.
struct flow_edges {
    std::vector<std::uint32_t> first{};  ///< edge of each block, of the exit, and the end
    std::vector<std::uint32_t> to{};     ///< block

    /// Calls `visit(block)` with every successor of a block.
    template <class Visitor>
    void for_each_successor(std::uint32_t block, Visitor visit) const {
        for (std::uint32_t e = first[block]; e < first[block + 1]; ++e) visit(to[e]);
    }
};

/// The same edges from the other side: to each block, those that it comes after.
template <class Used = core::when_used>
[[nodiscard]] flow_edges reversed(const flow_edges& edges) {
    const auto blocks = static_cast<std::uint32_t>(edges.first.size() - 1);
    core::late<Used, flow_edges> all;
    all.first.resize(blocks + 1);
    for (const std::uint32_t to : edges.to) ++all.first[to + 1];
    for (std::uint32_t b = 0; b < blocks; ++b) all.first[b + 1] += all.first[b];
    all.to.resize(edges.to.size());
    core::late<Used, std::vector<std::uint32_t>> next(all.first.begin(), all.first.end() - 1);
    for (std::uint32_t b = 0; b < blocks; ++b) {
        edges.for_each_successor(b, [&](std::uint32_t to) { all.to[next[to]++] = b; });
    }
    return all;
}

/// The basic blocks of a routine, in order of its steps; the exit, which has no steps, comes after them.
template <class Used = core::when_used>
class flow_graph {
public:
    /// Program and routine must outlive the graph.
    flow_graph(const program& p, const routine& r) : program_(p), routine_(r) {
        find_blocks();
        find_edges();
    }

    /// The number of the exit, which is the number of blocks before it.
    [[nodiscard]] std::uint32_t exit() const {
        return static_cast<std::uint32_t>(starts_.size() - 1);
    }
    /// The first step of a block, counted from the routine's first; of the exit, the number of steps.
    [[nodiscard]] std::uint32_t start(std::uint32_t block) const { return starts_[block]; }
    /// The number of steps of a block.
    [[nodiscard]] std::uint32_t size(std::uint32_t block) const {
        return starts_[block + 1] - starts_[block];
    }
    /// A step of the program, by its number in the routine.
    [[nodiscard]] const step& at(std::uint32_t index) const {
        return program_.steps[routine_.first + index];
    }
    /// The block of a step, by its number in the routine; of the number of steps, the exit.
    [[nodiscard]] std::uint32_t block_of(std::uint32_t index) const { return block_of_[index]; }
    /// The ways between blocks.
    [[nodiscard]] const flow_edges& edges() const { return edges_; }

    /// Ends a call and nothing more: the exit, or a block that only returns.
    [[nodiscard]] bool only_returns(std::uint32_t block) const {
        if (block == exit()) return true;
        const step& s = at(start(block));
        return size(block) == 1 && returns(s) && s.predicate == nowhere;
    }

private:
    static bool returns(const step& s) {
        return s.what == text::action::return_ || s.what == text::action::exit;
    }
    static bool jumps(const step& s) {
        return s.what == text::action::branch || s.what == text::action::branch_table;
    }

    // Calls `visit` with every step that can come after, as an index of the routine; `count` ends it.
    template <class Visitor>
    void for_each_next_step(std::uint32_t index, Visitor visit) const {
        const step& s = at(index);
        if (s.what == text::action::branch) {
            visit(s.target - routine_.first);
        } else if (s.what == text::action::branch_table) {
            for (std::uint32_t t = 0; t < s.targets; ++t) {
                visit(program_.rows[s.target + t] - routine_.first);
            }
        } else if (returns(s)) {
            visit(routine_.count);
        }
        if ((!jumps(s) && !returns(s)) || s.predicate != nowhere) visit(index + 1);
    }

    void find_blocks() {
        const std::uint32_t count = routine_.count;
        core::late<Used, std::vector<bool>> leads(count + 1);
        leads[0] = true;
        leads[count] = true;
        for (std::uint32_t i = 0; i < count; ++i) {
            if (!jumps(at(i)) && !returns(at(i))) continue;
            leads[i + 1] = true;
            for_each_next_step(i, [&](std::uint32_t next) { leads[next] = true; });
        }
        block_of_.assign(count + 1, 0);
        for (std::uint32_t i = 0; i <= count; ++i) {
            if (leads[i]) starts_.push_back(i);
            block_of_[i] = static_cast<std::uint32_t>(starts_.size() - 1);
        }
    }

    void find_edges() {
        for (std::uint32_t b = 0; b < exit(); ++b) {
            edges_.first.push_back(static_cast<std::uint32_t>(edges_.to.size()));
            for_each_next_step(starts_[b + 1] - 1,
                               [&](std::uint32_t next) { edges_.to.push_back(block_of_[next]); });
        }
        edges_.first.push_back(static_cast<std::uint32_t>(edges_.to.size()));
        edges_.first.push_back(static_cast<std::uint32_t>(edges_.to.size()));  // the exit has none
    }

    const program& program_;
    const routine& routine_;
    core::late<Used, std::vector<std::uint32_t>> starts_;  // first step of each block, and the end
    core::late<Used, std::vector<std::uint32_t>> block_of_;  // of each step, and the end
    core::late<Used, flow_edges> edges_;
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::link

#endif
