// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>

#include <doctest/doctest.h>

#include <warpgauge/ptx/trace/branch_decisions.hpp>

#include "ptx/linked.hpp"

namespace branch_decisions_test {

using namespace warpgauge;
using ptx::detail::trace::decide_branches, ptx::link::nowhere;

namespace {

const char* const two_loops =
    "HEAD: @%p1 bra OUT;\nL: add.u32 %r3, %r3, 1;\n@%p2 bra L;\nbra HEAD;\nOUT: @%p3 bra END;\n"
    "bar.sync 0;\nEND: ret;";

}  // namespace

TEST_CASE("loops: a branch that jumps back, and one that leaves") {
    const linked_text k(kernel_of(two_loops));
    const auto decisions = decide_branches(k.program, {.default_probability = 0.25});
    REQUIRE(decisions);
    const auto& leaves = decisions->at(3);
    CHECK(leaves.loop == 6);  // the step that jumps back
    CHECK(leaves.leaves);
    CHECK(leaves.rounds == 10);
    const auto& inner = decisions->at(5);
    CHECK(inner.loop == 5);
    CHECK_FALSE(inner.leaves);
    const auto& forward = decisions->at(7);
    CHECK(forward.loop == nowhere);
    CHECK(forward.rounds == 0);
    CHECK(forward.probability == 0.25);
    CHECK(ptx::detail::trace::label_of(k.program, k.program.steps[7]) == "END");
}

TEST_CASE("hints by label: odds of where a branch goes, rounds of a loop's head") {
    const linked_text k(kernel_of(two_loops));
    const ptx::hint hints[]{{.label = "HEAD", .rounds = 4},
                            {.label = "L", .probability = 0.75},
                            {.label = "END", .probability = 1}};
    const auto decisions = decide_branches(k.program, {.hints = hints});
    REQUIRE(decisions);
    CHECK(decisions->at(3).rounds == 4);
    CHECK(decisions->at(5).rounds == 0);
    CHECK(decisions->at(5).probability == 0.75);
    CHECK(decisions->at(7).probability == 1);
    const ptx::hint twice[]{hints[1], {.label = "L", .probability = 0.5}};
    CHECK(decide_branches(k.program, {.hints = twice})->at(5).probability == 0.5);  // the last
    const ptx::hint useless[]{hints[0], {.label = "END", .rounds = 3}};
    CHECK(decide_branches(k.program, {.hints = useless}).error() ==
          model_error{errc::missing, "hints", 2});
}

TEST_CASE("no lane goes on to an error unless a hint says so") {
    const linked_text bad(kernel_of("@%p1 bra BAD;\n@%p2 trap;\nBAD: trap;"));
    const auto of_bad = decide_branches(bad.program, {});
    REQUIRE(of_bad);
    CHECK(of_bad->at(3).probability == 0.5);  // all ends in an error
    const linked_text fine(
        kernel_of("L: @%p1 bra BAD;\n@%p2 bra OUT;\nbra L;\nOUT: @!%p3 bra OK;\ntrap;\n"
                  "OK: @%p4 trap;\n@%p6 bra END;\nM: @%p5 bra M;\nBAD: trap;\nEND: ret;"));
    const auto of_fine = decide_branches(fine.program, {});
    REQUIRE(of_fine);
    CHECK(of_fine->at(3).probability == 0);  // out of a loop
    CHECK(of_fine->at(4).rounds == 10);      // the other way out
    CHECK(of_fine->at(6).probability == 1);  // around an error
    CHECK(of_fine->at(8).probability == 0);  // a trap
    CHECK(of_fine->at(9).probability == 1);
    CHECK(of_fine->at(10).rounds == 10);  // jumps back
    const ptx::hint hints[]{{.label = "BAD", .probability = 0.25}};
    const auto hinted = decide_branches(fine.program, {.hints = hints});
    REQUIRE(hinted);
    CHECK(hinted->at(3).probability == 0.25);
}

TEST_CASE("hints by line of the source") {
    const linked_text k(kernel_of(
        ".file 1 \"k.cu\"\n.loc 1 20 1\nL: add.u32 %r3, %r3, 1;\n.loc 1 21 1\n@%p2 bra L;\n"
        ".loc 1 30 1\n@%p3 bra END;\nbar.sync 0;\nEND: ret;"));
    const ptx::hint hints[]{{.rounds = 4, .source_line = 21},
                            {.probability = 0.125, .source_line = 30}};
    const auto decisions = decide_branches(k.program, {.hints = hints});
    REQUIRE(decisions);
    CHECK(decisions->at(4).rounds == 4);
    CHECK(decisions->at(5).probability == 0.125);
    const ptx::hint nowhere_there[]{{.probability = 1, .source_line = 99}};
    CHECK(decide_branches(k.program, {.hints = nowhere_there}).error() ==
          model_error{errc::missing, "hints", 1});
    CHECK(ptx::detail::trace::check_options({.hints = std::array{ptx::hint{"L", 1, 0, 3}}}) ==
          model_error{errc::outside_domain, "hints", 1});
}

TEST_CASE("a branch around one that leaves its loop decides the loop") {
    const linked_text k(
        kernel_of("HEAD: @%p1 bra STAY;\nbra OUT;\nSTAY: add.u32 %r3, %r3, 1;\n"
                  "bra HEAD;\nOUT: ret;"));
    const auto decisions = decide_branches(k.program, {});
    REQUIRE(decisions);
    CHECK(decisions->at(3).loop == 6);
    CHECK_FALSE(decisions->at(3).leaves);
    CHECK(decisions->at(3).rounds == 10);
}

TEST_CASE("a loop that is left through a block of its own, as unoptimised code does") {
    const linked_text k(
        kernel_of("HEAD: @%p1 bra ON;\nbra LEAVE;\nLEAVE: bra OUT;\nON: @%p2 bra SKIP;\n"
                  "add.u32 %r3, %r3, 1;\nSKIP: bra HEAD;\nOUT: ret;"));
    const ptx::hint hints[]{{.label = "HEAD", .rounds = 4}};
    const auto decisions = decide_branches(k.program, {.hints = hints});
    REQUIRE(decisions);
    CHECK(decisions->at(3).loop == 8);
    CHECK_FALSE(decisions->at(3).leaves);
    CHECK(decisions->at(3).rounds == 4);
    CHECK(decisions->at(6).loop == nowhere);
    CHECK(decisions->at(6).probability == 0.5);
}

TEST_CASE("a block of a loop behind it, and a round that ends early, do not leave the loop") {
    const linked_text behind(
        kernel_of("HEAD: @%p1 bra OUT;\n@%p2 bra RARE;\nON: bra HEAD;\nOUT: ret;\n"
                  "RARE: @%p3 bra OUT;\nbra ON;"));
    const auto of_behind = decide_branches(behind.program, {});
    REQUIRE(of_behind);
    CHECK(of_behind->at(3).loop == 5);
    CHECK(of_behind->at(4).loop == nowhere);
    CHECK(of_behind->at(7).loop == 5);
    CHECK(of_behind->at(7).leaves);  // it jumps to a line before it, and no loop is there
    const linked_text early(
        kernel_of("HEAD: @%p1 bra OUT;\n@%p2 bra ON;\nbra HEAD;\nON: bar.sync 0;\nbra HEAD;\n"
                  "OUT: ret;"));
    const auto of_early = decide_branches(early.program, {});
    REQUIRE(of_early);
    CHECK(of_early->at(3).leaves);
    CHECK(of_early->at(4).loop == nowhere);
}

TEST_CASE("rounds by the line of the source of the branch that leaves") {
    const linked_text k(
        kernel_of(".file 1 \"k.cu\"\n.loc 1 42 0\nHEAD: @%p1 bra OUT;\n"
                  ".loc 1 50 0\nadd.u32 %r3, %r3, 1;\nbra HEAD;\nOUT: ret;"));
    for (const std::uint32_t line : {42U, 50U, 60U}) {
        const ptx::hint hints[]{{.rounds = 4, .source_line = line}};
        const auto decisions = decide_branches(k.program, {.hints = hints});
        CHECK(decisions.has_value() == (line != 60));
        if (decisions) CHECK(decisions->at(3).rounds == 4);
    }
}

}  // namespace branch_decisions_test
