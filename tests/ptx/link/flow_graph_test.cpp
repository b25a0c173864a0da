// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <vector>

#include <doctest/doctest.h>

#include <warpgauge/ptx/link/flow_graph.hpp>

#include "ptx/linked.hpp"

namespace flow_graph_test {

using namespace warpgauge;
using ptx::link::flow_graph;

namespace {

std::vector<std::uint32_t> successors(const flow_graph<>& g, std::uint32_t block) {
    std::vector<std::uint32_t> all;
    g.edges().for_each_successor(block, [&](std::uint32_t to) { all.push_back(to); });
    return all;
}

using blocks = std::vector<std::uint32_t>;

}  // namespace

TEST_CASE("blocks end where paths part or meet") {
    const linked_text k(
        kernel_of("@%p1 bra THEN;\nadd.u32 %r3, %r2, 1;\nbra JOIN;\nTHEN: sub.u32 %r3, %r2, 1;\n"
                  "JOIN: @%p2 ret;\nbar.sync 0;\nret;"));
    const flow_graph<> g(k.program, k.program.routines[0]);
    REQUIRE(g.exit() == 5);
    CHECK(g.start(0) == 0);
    CHECK(g.start(1) == 4);
    CHECK(g.start(2) == 6);
    CHECK(g.start(3) == 7);
    CHECK(g.start(4) == 8);
    CHECK(g.start(5) == 10);
    CHECK(g.size(4) == 2);
    CHECK(successors(g, 0) == blocks{2, 1});
    CHECK(successors(g, 1) == blocks{3});
    CHECK(successors(g, 2) == blocks{3});
    CHECK(successors(g, 3) == blocks{5, 4});
    CHECK(successors(g, 4) == blocks{5});
    CHECK(successors(g, 5).empty());
    CHECK_FALSE(g.only_returns(3));  // others go on
    CHECK_FALSE(g.only_returns(4));
    CHECK(g.only_returns(5));
}

TEST_CASE("edges from the other side") {
    const linked_text k(kernel_of("@%p1 bra A;\n@%p2 bra B;\nA: bar.sync 0;\nB: ret;"));
    const flow_graph<> g(k.program, k.program.routines[0]);
    const ptx::link::flow_edges before = ptx::link::reversed(g.edges());
    const auto of = [&](std::uint32_t block) {
        blocks all;
        before.for_each_successor(block, [&](std::uint32_t b) { all.push_back(b); });
        return all;
    };
    REQUIRE(g.exit() == 4);
    CHECK(of(0).empty());
    CHECK(of(2) == blocks{0, 1});
    CHECK(of(3) == blocks{1, 2});
    CHECK(of(4) == blocks{3});
    CHECK(g.block_of(3) == 0);
    CHECK(g.block_of(4) == 1);
    CHECK(g.block_of(7) == g.exit());
}

TEST_CASE("a table of branches goes to each of its targets") {
    const linked_text k(kernel_of("T: .branchtargets A, B, A;\nbrx.idx %r2, T;\nA: ret;\nB: ret;"));
    const flow_graph<> g(k.program, k.program.routines[0]);
    CHECK(successors(g, 0) == blocks{1, 2, 1});
    CHECK(g.only_returns(1));
}

}  // namespace flow_graph_test
