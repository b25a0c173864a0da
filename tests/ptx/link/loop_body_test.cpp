// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <warpgauge/ptx/link/loop_body.hpp>

#include "ptx/linked.hpp"

namespace loop_body_test {

using namespace warpgauge;
using ptx::link::loop_body, ptx::link::way_out;

namespace {

using steps = std::vector<std::uint32_t>;

// The steps of the loop that a jump closes, counted from the kernel's body.
steps loop_of(std::string_view text, std::uint32_t jump) {
    const linked_text k(kernel_of(text));
    loop_body<> body(k.program, k.program.routines[0]);
    const bool is_one = body.find(instructions_before_body + jump);
    steps all;
    for (std::uint32_t s = 0; s < k.program.steps.size(); ++s) {
        if (body.has(s)) all.push_back(s - instructions_before_body);
    }
    CHECK(is_one == !all.empty());
    return all;
}

}  // namespace

TEST_CASE("a loop has the steps that come to its jump back, wherever they are") {
    CHECK(loop_of("bar.sync 0;\nL: bar.sync 0;\nbra L;\nret;", 2) == steps{1, 2});
    CHECK(loop_of("L: bra L;\nret;", 0) == steps{0});
    // A block of it leaves, one is behind it.
    CHECK(loop_of("L: @%p1 bra A;\nbra OUT;\nA: @%p2 bra B;\nC: bra L;\nOUT: ret;\nB: bra C;", 3) ==
          steps{0, 2, 3, 5});
    // Two jumps back.
    CHECK(loop_of("L: @%p1 bra OUT;\n@%p2 bra A;\nbra L;\nA: bra L;\nOUT: ret;", 2) ==
          steps{0, 1, 2, 3});
}

TEST_CASE("a loop within one has its own steps") {
    const char* const nest = "L: @%p1 bra OUT;\nM: @%p2 bra N;\nbra M;\nN: bra L;\nOUT: ret;";
    CHECK(loop_of(nest, 2) == steps{1, 2});
    CHECK(loop_of(nest, 3) == steps{0, 1, 2, 3});
}

TEST_CASE("a loop that is entered in the middle has what is between target and jump") {
    CHECK(loop_of("bra M;\nL: bar.sync 0;\nM: @%p1 bra OUT;\nbra L;\nOUT: ret;", 3) ==
          steps{1, 2, 3});
    // What jumps back to the middle of another loop from behind it is none.
    CHECK(loop_of("L: @%p1 bra B;\nC: bra L;\nB: bra C;", 2).empty());
}

TEST_CASE("which way of a branch leaves the loop") {
    const linked_text k(
        kernel_of("L: @%p1 bra OUT;\n@%p2 bra A;\nbra OUT;\nA: @%p3 bra B;\nB: bra L;\nOUT: ret;"));
    loop_body<> body(k.program, k.program.routines[0]);
    REQUIRE(body.find(7));
    CHECK(body.way_of(3) == way_out::jumps);
    const linked_text last(kernel_of("L: bar.sync 0;\n@%p1 bra L;"));  // nothing behind it
    loop_body<> of_last(last.program, last.program.routines[0]);
    REQUIRE(of_last.find(4));
    CHECK(of_last.way_of(4) == way_out::falls);
    CHECK(body.way_of(4) == way_out::falls);
    CHECK(body.way_of(6) == way_out::none);
    CHECK(body.way_of(7) == way_out::none);
    steps ends;
    body.for_each_end([&](std::uint32_t s) { ends.push_back(s); });
    CHECK(ends.size() == 4);
    CHECK(body.work() > 0);
}

}  // namespace loop_body_test
