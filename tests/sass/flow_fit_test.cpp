// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include <warpgauge/sass/flow_fit.hpp>

#include "random_numbers.hpp"

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

TEST_CASE("only ways from inside of a loop are its jumps back") {
    // 0 -> 1 (a loop) -> 2, which goes back too, from outside
    auto g = graph_of(4, {{0, 1}, {1, 1}, {1, 2}, {2, 1}, {2, 3}});
    g.blocks[2].decides = true;
    g.loops = {{1, 1}};
    const auto x = sass::fit_flow(g, {{{1, 4}, {9, 4}, {9, 4}, {1, 4}}, {0}});
    REQUIRE(x);
    CHECK((*x)[1] == doctest::Approx(9));
    CHECK((*x)[2] == doctest::Approx(9));
}

TEST_CASE("flow without a way stays where it is") {
    sass::detail::flow_network<> network(3);
    const std::size_t arc = network.add_arc(0, 1, 5, 1);
    network.add_excess(0, 1);
    network.add_excess(2, -1);
    CHECK(network.settle(100));
    CHECK(network.flow_of(arc) == 0);
}

struct random_flow {
    sass::block_graph graph;
    sass::flow_estimates estimates;
};

random_flow any_flow(random_numbers& random, double max_weight) {
    random_flow f{graph_of(static_cast<std::size_t>(random.whole(2, 8)), {}), {}};
    const auto count = static_cast<std::uint32_t>(f.graph.blocks.size());
    for (std::uint32_t b = 0; b < count; ++b) {
        f.graph.blocks[b].decides = random.whole(0, 1) == 0;
        for (int ways = random.whole(0, 2); ways >= 0; --ways) {
            const int to = random.whole(0, static_cast<int>(count) - 1);
            f.graph.edges.push_back({b, static_cast<std::uint32_t>(to)});
        }
        const double executions = random.real(1e-3, 9);
        f.estimates.blocks.push_back({executions, random.real(1e-3, max_weight)});
    }
    return f;
}

TEST_CASE("no graph has no counts, and no counts are below zero") {
    const auto nothing = sass::fit_flow({}, {});
    REQUIRE(nothing);
    CHECK(nothing->empty());
    random_numbers random{2031};
    for (int n = 0; n < 1000; ++n) {
        const random_flow f = any_flow(random, 4);
        const auto x = sass::fit_flow(f.graph, f.estimates);
        REQUIRE(x);
        for (const double executions : *x) {
            CHECK(executions >= 0);
            CHECK(executions < 1e4);
        }
    }
}

// Where sums of costs are rounded a circle of arcs can seem to cost less than nothing, and a way would have no end.
TEST_CASE("weights too far apart for exact sums are refused") {
    random_numbers random{2032};
    int refused = 0;
    for (int n = 0; n < 1000; ++n) {
        const random_flow f = any_flow(random, 1e9);
        const auto x = sass::fit_flow(f.graph, f.estimates);
        if (x) continue;
        ++refused;
        CHECK(x.error() == warpgauge::model_error{warpgauge::errc::limit_reached, "blocks"});
    }
    CHECK(refused > 10);
}

TEST_CASE(
    "unreachable blocks have no executions; lists of other lengths and too much work are errors") {
    auto g = graph_of(3, {{0, 2}});
    g.blocks[1].reachable = false;
    const auto x = sass::fit_flow(g, {{{1, 1}, {5, 1}, {1, 1}}, {}});
    REQUIRE(x);
    CHECK((*x)[1] == 0);
    CHECK(sass::fit_flow(g, {}).error().field == "estimates");
    CHECK(sass::fit_flow(g, {{{}, {}, {}}, {1}}).error().field == "estimates");
    const auto limited = sass::fit_flow(g, {{{1, 1}, {5, 1}, {1, 1}}, {}}, 1);
    CHECK(limited.error() == warpgauge::model_error{warpgauge::errc::limit_reached, "blocks"});
}

}  // namespace

}  // namespace flow_fit_test
