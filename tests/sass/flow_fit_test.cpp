// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include <warpgauge/sass/flow_fit.hpp>

namespace flow_fit_test {

namespace {

namespace sass = warpgauge::sass;

sass::block_graph graph_of(std::size_t blocks, std::vector<sass::block_edge> edges) {
    sass::block_graph g;
    g.blocks.resize(blocks);
    for (sass::basic_block& b : g.blocks) b.reachable = true;
    g.blocks.back().ends = true;
    g.edges = std::move(edges);
    return g;
}

TEST_CASE("counts that agree with control flow stay") {
    // 0 -> 1 (a loop of ten rounds) -> 2
    const auto g = graph_of(3, {{0, 1}, {1, 1}, {1, 2}});
    const sass::flow_estimates e{{{1, 1}, {10, 1}, {1, 1}}, {}};
    const auto x = sass::fit_flow(g, e);
    REQUIRE(x);
    CHECK((*x)[0] == doctest::Approx(1));
    CHECK((*x)[1] == doctest::Approx(10));
    CHECK((*x)[2] == doctest::Approx(1));
}

TEST_CASE("what is not known follows from what is") {
    // 0 -> 1 or 2 -> 3, of which 1 is known to be taken by a quarter
    auto g = graph_of(4, {{0, 1}, {0, 2}, {1, 3}, {2, 3}});
    g.blocks[0].decides = true;
    const sass::flow_estimates e{{{1, 1}, {0.25, 4}, {}, {1, 1}}, {}};
    const auto x = sass::fit_flow(g, e);
    REQUIRE(x);
    CHECK((*x)[1] == doctest::Approx(0.25));
    CHECK((*x)[2] == doctest::Approx(0.75));
}

TEST_CASE("of estimates that contradict each other the heavier one counts") {
    const auto g = graph_of(3, {{0, 1}, {1, 2}});
    const sass::flow_estimates e{{{1, 1}, {7, 0.5}, {1, 4}}, {}};
    const auto x = sass::fit_flow(g, e);
    REQUIRE(x);
    CHECK((*x)[1] == doctest::Approx(1));
}

TEST_CASE("lanes that part execute both ways") {
    auto g = graph_of(4, {{0, 1}, {0, 2}, {1, 3}, {2, 3}});
    g.blocks[0].decides = true;
    g.blocks[3].meets = true;
    const sass::flow_estimates e{{{1, 1}, {1, 4}, {1, 4}, {1, 4}}, {}};
    const auto x = sass::fit_flow(g, e);
    REQUIRE(x);
    for (const double executions : *x) CHECK(executions == doctest::Approx(1));
}

TEST_CASE("a loop with a number of repeats is entered") {
    // 0 -> 1 -> 2 (a loop) -> 3, with a way 0 -> 3 around
    auto g = graph_of(4, {{0, 1}, {0, 3}, {1, 2}, {2, 2}, {2, 3}});
    g.blocks[0].decides = true;
    g.loops = {{2, 2}};
    sass::flow_estimates e{{{1, 1}, {}, {8, 20}, {1, 4}}, {-1}};
    const auto free = sass::fit_flow(g, e);
    REQUIRE(free);
    CHECK((*free)[1] == doctest::Approx(0));  // it would turn without being entered
    e.repeats = {7};
    const auto x = sass::fit_flow(g, e);
    REQUIRE(x);
    CHECK((*x)[1] == doctest::Approx(1));
    CHECK((*x)[2] == doctest::Approx(8));
}

TEST_CASE(
    "unreachable blocks have no executions; lists of other lengths and too much work are errors") {
    auto g = graph_of(3, {{0, 2}});
    g.blocks[1].reachable = false;
    const auto x = sass::fit_flow(g, {{{1, 1}, {5, 1}, {1, 1}}, {}});
    REQUIRE(x);
    CHECK((*x)[1] == 0);
    CHECK(sass::fit_flow(g, {}).error().field == "estimates");
    const auto limited = sass::fit_flow(g, {{{1, 1}, {5, 1}, {1, 1}}, {}}, 1);
    CHECK(limited.error() == warpgauge::model_error{warpgauge::errc::limit_reached, "blocks"});
}

}  // namespace

}  // namespace flow_fit_test
