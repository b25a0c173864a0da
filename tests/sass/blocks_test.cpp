// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <warpgauge/sass/blocks.hpp>

#include "sass/made_code.hpp"

namespace blocks_test {

namespace {

namespace sass = warpgauge::sass;
using pairs = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

pairs edges_of(const sass::block_graph& g) {
    pairs edges;
    for (const sass::block_edge& e : g.edges) edges.push_back({e.from, e.to});
    return edges;
}

TEST_CASE("a loop has a block before, one that repeats and one after") {
    const auto code = made_code().plain().plain().jump(1, true).store(1).exit().plain();
    const sass::block_graph g = sass::find_blocks(code.code());
    REQUIRE(g.blocks.size() == 4);
    CHECK(g.blocks[1].first == 1);
    CHECK(g.blocks[1].count == 2);
    CHECK(g.blocks[1].decides);
    CHECK(g.blocks[2].ends);
    CHECK_FALSE(g.blocks[3].reachable);
    CHECK(edges_of(g) == pairs{{0, 1}, {1, 1}, {1, 2}});
    REQUIRE(g.loops.size() == 1);
    CHECK(g.loops[0].head == 1);
    CHECK(g.loops[0].last == 1);
    CHECK(g.blocks[1].loop == 0);
    CHECK(g.blocks[0].loop == sass::no_block);
}

TEST_CASE("blocks know the innermost of their loops") {
    // 0; 1 outer head; 2 inner; 3 outer tail; 4
    const auto code = made_code().plain().plain().plain().jump(2, true).jump(1, true).exit();
    const sass::block_graph g = sass::find_blocks(code.code());
    REQUIRE(g.blocks.size() == 5);
    REQUIRE(g.loops.size() == 2);
    CHECK(g.loops[g.blocks[2].loop].head == 2);
    CHECK(g.loops[g.blocks[1].loop].head == 1);
    CHECK(g.loops[g.blocks[3].loop].head == 1);
}

TEST_CASE("a call comes back to what follows it, from wherever its function returns") {
    const auto code = made_code().call(4).plain().call(4).exit().plain().back();
    const sass::block_graph g = sass::find_blocks(code.code());
    REQUIRE(g.blocks.size() == 4);
    for (const sass::basic_block& b : g.blocks) CHECK(b.reachable);
    CHECK(edges_of(g) == pairs{{0, 3}, {1, 3}, {3, 1}, {3, 2}});
}

TEST_CASE("a call of what never returns is a jump") {
    // The loop ends by a call to the block behind it.
    const auto code = made_code().plain().call(3).jump(0, false).plain().exit();
    auto words = code.code();
    words[1].conditional = true;
    const sass::block_graph g = sass::find_blocks(words);
    REQUIRE(g.blocks.size() == 3);
    for (const sass::basic_block& b : g.blocks) CHECK_FALSE(b.calls);
    CHECK(edges_of(g) == pairs{{0, 2}, {0, 1}, {1, 0}});
    CHECK(g.loops.size() == 1);
    const auto called = made_code().call(2).exit().plain().back();
    CHECK(sass::find_blocks(called.code()).blocks[0].calls);
}

TEST_CASE("an instruction that never executes decides nothing; lanes meet behind a BSYNC") {
    auto code = made_code().jump(3, true).plain().meet().exit().code();
    code[0].predicate = 7;
    code[0].negated = true;
    const sass::block_graph g = sass::find_blocks(code);
    CHECK_FALSE(g.blocks[0].decides);
    CHECK(g.blocks.back().meets);
}

TEST_CASE("a function may call another one, and return to two places") {
    // 0 calls 3; 1 calls 3; 2 exits. 3, 4: a function that calls 6; 5: its other way back; 6: the inner function.
    const auto code = made_code().call(3).call(3).exit().jump(5, true).call(6).back().back();
    const sass::block_graph g = sass::find_blocks(code.code());
    REQUIRE(g.blocks.size() == 7);
    for (const sass::basic_block& b : g.blocks) CHECK(b.reachable);
    CHECK(edges_of(g) == pairs{{0, 3}, {1, 3}, {3, 5}, {3, 4}, {4, 6}, {5, 1}, {5, 2}, {6, 5}});
}

TEST_CASE("a jump by register goes to all that nothing else leads to, but not to padding") {
    // 0: jumps anywhere; 1, 2: what it may reach; 3: a jump to itself, as code ends.
    auto code = made_code().plain().plain().exit().exit().jump(4, false).code();
    code[0].flow = sass::flow::indirect;
    const sass::block_graph g = sass::find_blocks(code);
    REQUIRE(g.blocks.size() == 4);
    CHECK(g.blocks[0].decides);
    CHECK(g.blocks[1].reachable);
    CHECK(g.blocks[2].reachable);
    CHECK_FALSE(g.blocks[3].reachable);
    CHECK(edges_of(g) == pairs{{3, 3}, {0, 1}, {0, 2}});
}

TEST_CASE("jumps back to one place are one loop, up to the last of them") {
    const auto code = made_code().plain().plain().jump(1, true).plain().jump(1, true).exit();
    const sass::block_graph g = sass::find_blocks(code.code());
    REQUIRE(g.loops.size() == 1);
    CHECK(g.loops[0].head == 1);
    CHECK(g.loops[0].last == 2);
}

TEST_CASE(
    "a target between two instructions is none, nor has a call of an unknown place a return") {
    auto code = made_code().jump(1, true).exit().code();
    code[0].target = 8;
    CHECK(edges_of(sass::find_blocks(code)) == pairs{{0, 1}});
    auto calling = made_code().call(1).exit().back().code();
    calling[0].target = -1;
    const sass::block_graph g = sass::find_blocks(calling);
    CHECK(edges_of(g) == pairs{{0, 1}});
    CHECK_FALSE(g.blocks[2].reachable);
}

TEST_CASE("a call that ends the code comes back to nowhere") {
    // 0: to 2; 1: the function; 2: calls it.
    const auto code = made_code().jump(2, false).back().call(1);
    const sass::block_graph g = sass::find_blocks(code.code());
    REQUIRE(g.blocks.size() == 3);
    CHECK(g.blocks[2].calls);
    CHECK(edges_of(g) == pairs{{0, 2}, {2, 1}});
    // So too inside of a function: 2 calls itself, and returns nowhere.
    const auto inner = made_code().call(2).exit().jump(4, true).back().call(2);
    CHECK(sass::find_blocks(inner.code()).blocks[0].calls);
}

TEST_CASE("a jump by register passes over what is reached without it and over NOP") {
    // 0: to 1; 1: jumps anywhere; 2: back to 1; 3: what fills the code up.
    auto code = made_code().jump(1, false).plain().jump(1, false).plain().exit().code();
    code[1].flow = sass::flow::indirect;
    code[3].name = "NOP";
    const sass::block_graph g = sass::find_blocks(code);
    REQUIRE(g.blocks.size() == 4);
    CHECK(edges_of(g) == pairs{{0, 1}, {2, 1}, {1, 2}});
    CHECK_FALSE(g.blocks[3].reachable);
}

TEST_CASE("a jump by register to more than 4096 blocks stops there, and so do 65,536 returns") {
    made_code anywhere;
    for (int n = 0; n < 5000; ++n) anywhere.exit();
    auto code = anywhere.code();
    code[0].flow = sass::flow::indirect;
    const sass::block_graph g = sass::find_blocks(code);
    CHECK(g.edges.size() == 4096);
    CHECK(g.blocks[4096].reachable);
    CHECK_FALSE(g.blocks[4097].reachable);
    // 300 calls of a function with 300 places that may return
    made_code returns;
    for (int n = 0; n < 300; ++n) returns.call(301);
    returns.exit();
    for (int n = 0; n < 300; ++n) returns.back();
    auto many = returns.code();
    for (std::size_t n = 301; n < 600; ++n) many[n].conditional = true;
    CHECK(sass::find_blocks(many).edges.size() == 65'537);
}

TEST_CASE("no code has no blocks, and a target outside is none") {
    CHECK(sass::find_blocks({}).blocks.empty());
    const auto code = made_code().jump(1000, false).exit();
    const sass::block_graph g = sass::find_blocks(code.code());
    CHECK(g.edges.empty());
}

}  // namespace

}  // namespace blocks_test
