// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SASS_WAYS_AROUND_HPP
#define WARPGAUGE_SASS_WAYS_AROUND_HPP

#include <algorithm>
#include <cstdint>
#include <vector>

#include <warpgauge/core/when_used.hpp>
#include <warpgauge/sass/blocks.hpp>

/// \file The blocks that are reached without the calls that a compiler adds.
///
/// A division's slow path is a function that ptxas adds after the kernel. Its instructions have the line of the
/// kernel's end, which does not say how often they are executed.

namespace WARPGAUGE_NAMESPACE::sass::detail {

/// For each block, whether it is reached from the first if blocks with `is_added(block)` do not call, but continue.
template <class Used = core::when_used, class Predicate>
std::vector<bool> reached_without_calls(const block_graph& graph, Predicate is_added) {
    core::late<Used, std::vector<block_edge>> edges(graph.edges.begin(), graph.edges.end());
    std::sort(edges.begin(), edges.end(),
              [](const block_edge& a, const block_edge& b) { return a.from < b.from; });
    core::late<Used, std::vector<bool>> reached(graph.blocks.size());
    core::late<Used, std::vector<std::uint32_t>> open;
    const auto visit = [&](std::uint32_t b) {
        if (b >= reached.size() || reached[b]) return;
        reached[b] = true;
        open.push_back(b);
    };
    visit(0);
    while (!open.empty()) {
        const std::uint32_t b = open.back();
        open.pop_back();
        if (is_added(b)) {
            visit(b + 1);
            continue;
        }
        auto e = std::lower_bound(
            edges.begin(), edges.end(), b,
            [](const block_edge& edge, std::uint32_t from) { return edge.from < from; });
        for (; e != edges.end() && e->from == b; ++e) visit(e->to);
    }
    return reached;
}

}  // namespace WARPGAUGE_NAMESPACE::sass::detail

#endif
