// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <vector>

#include <warpgauge/sass/ways_around.hpp>

namespace ways_around_test {

using warpgauge::sass::block_graph;
using warpgauge::sass::detail::reached_without_calls;

// 0 goes around the call in 1, which calls 4 and goes on with 2; 3 ends.
block_graph graph_of_a_call() {
    block_graph g;
    g.blocks.resize(6);
    g.blocks[1].calls = true;
    g.edges = {{4, 5}, {0, 1}, {0, 2}, {1, 4}, {5, 2}, {2, 3}, {3, 0}};
    return g;
}

TEST_CASE("a function that only added calls reach") {
    const block_graph g = graph_of_a_call();
    CHECK(reached_without_calls(g, [](std::uint32_t b) { return b == 1; }) ==
          std::vector<bool>{true, true, true, true, false, false});
    CHECK(reached_without_calls(g, [](std::uint32_t) { return false; }) ==
          std::vector<bool>(6, true));
}

TEST_CASE("graphs without blocks, and a call at the end") {
    CHECK(reached_without_calls(block_graph{}, [](std::uint32_t) { return true; }).empty());
    block_graph g;
    g.blocks.resize(1);
    CHECK(reached_without_calls(g, [](std::uint32_t) { return true; }) == std::vector<bool>{true});
}

}  // namespace ways_around_test
