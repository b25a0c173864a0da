// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>
#include <string>

#include <doctest/doctest.h>

#include <warpgauge/ptx/text/parse.hpp>
#include <warpgauge/ptx/trace/line_counter.hpp>
#include <warpgauge/ptx/trace/trace.hpp>

#include "ptx/linked.hpp"

namespace line_counter_test {

using namespace warpgauge;
using ptx::detail::trace::line_counter;
using ptx::detail::trace::path_recorder;

namespace {

// Lines 12 to 15 are a loop, of as many rounds as `n` says.
std::string loop_text() {
    return kernel_of(
        "mov.u32 %r3, 0;\nL:\nadd.s32 %r3, %r3, 1;\nadd.s32 %r4, %r3, 5;\n"
        "setp.lt.s32 %p1, %r3, %r1;\n@%p1 bra L;\nret;");
}

ptx::traced_kernel traced(const ptx::module& m, const ptx::launch& l, std::int64_t n) {
    auto t = ptx::trace(*ptx::find_kernel(m, "k"), l, {n, {}});
    REQUIRE(t);
    return *t;
}

double executions_of(const ptx::traced_kernel& t, std::uint32_t line) {
    for (const ptx::executed_line& l : t.lines) {
        if (l.line == line) return l.executions;
    }
    return 0;
}

}  // namespace

TEST_CASE("each line is counted, and the lines together are all instructions") {
    const parsed_text k(loop_text());
    const ptx::instruction& add = k.module.instructions[4];
    REQUIRE(add.opcode == "add.s32");
    const std::uint32_t first = add.at.line;
    const ptx::traced_kernel t = traced(k.module, {{3}, {64}}, 7);
    CHECK(executions_of(t, first - 2) == 1);
    for (std::uint32_t line = first; line < first + 4; ++line) CHECK(executions_of(t, line) == 7);
    double all = 0;
    for (const ptx::executed_line& l : t.lines) all += l.executions;
    CHECK(all == t.warp_insts);
    REQUIRE(t.loops.size() == 1);
    CHECK(t.loops[0].first_line == first);
    CHECK(t.loops[0].last_line == first + 3);
    CHECK(t.loops[0].rounds == 7);
    CHECK(t.loops[0].ways == 1);
    CHECK(t.loops[0].leave_after == 1U << 7);  // all lanes
}

TEST_CASE("where lanes leave a loop is known up to a multiple of eight rounds") {
    const auto loops_of = [](const std::string& body, std::uint32_t threads) {
        const parsed_text k(kernel_of(body));
        return traced(k.module, {{1}, {threads}}, 7).loops;
    };
    const std::string begin = "mov.u32 %r3, 0;\nL:\nadd.s32 %r3, %r3, 1;\n";
    // Lanes 0 to 9 make one round more each, and those behind as many as lane 9.
    const std::string own =
        begin + "min.u32 %r4, %r2, 9;\nsetp.le.u32 %p1, %r3, %r4;\n@%p1 bra L;\nret;";
    const auto all = loops_of(own, 32);
    REQUIRE(all.size() == 1);
    CHECK(all[0].rounds == 10);
    CHECK(all[0].leave_after == 0xff);
    CHECK(loops_of(own, 3)[0].leave_after == (1U << 1 | 1U << 2 | 1U << 3));
    // Half of the lanes leave in the middle of the third round, the others after a hundred.
    const std::string in_the_middle =
        begin +
        "setp.lt.u32 %p2, %r2, 16;\nsetp.eq.and.u32 %p2, %r3, 3, %p2;\n@%p2 bra OUT;\n"
        "setp.lt.u32 %p1, %r3, 100;\n@%p1 bra L;\nOUT: ret;";
    const auto parted = loops_of(in_the_middle, 32);
    REQUIRE(parted.size() == 1);
    CHECK(parted[0].rounds == 100);
    CHECK(parted[0].leave_after == (1U << 3 | 1U << 4));
    // With two jumps back nothing is known.
    const auto twice = loops_of(
        begin +
            "setp.lt.u32 %p1, %r3, 5;\n@%p1 bra L;\nsetp.lt.u32 %p1, %r3, 9;\n@%p1 bra L;\nret;",
        32);
    REQUIRE(twice.size() == 1);
    CHECK(twice[0].leave_after == 0);
}

TEST_CASE("the path has the runs of lines in their order") {
    const parsed_text k(loop_text());
    const std::uint32_t first = k.module.instructions[4].at.line;
    const ptx::traced_kernel t = traced(k.module, {{1}, {32}}, 7);
    REQUIRE(t.path.size() == 3);
    CHECK(t.path[0].last_line == first + 3);  // into the loop's first round
    CHECK(t.path[1].first_line == first);
    CHECK(t.path[1].last_line == first + 3);
    CHECK(t.path[1].times == 6);
    CHECK(t.path[2].first_line == first + 4);
    CHECK(t.path[2].times == 1);
}

TEST_CASE("ways through a loop are told apart by their rounds") {
    const linked_text k(loop_text());
    line_counter<> counter(k.program);
    ptx::traced_kernel t;
    const auto rounds = [&](int n, double weight) {
        counter.begin_warp();
        for (; n > 0; --n) {
            for (std::uint32_t step = 4; step < 8; ++step) counter.count({.step = step}, weight);
        }
        counter.count({.step = 8}, weight);
        counter.end_warp(weight);
    };
    rounds(3, 1);
    rounds(3, 2);
    rounds(5, 1);
    t.warps = 4;
    counter.finish(t);
    REQUIRE(t.loops.size() == 2);
    CHECK(t.loops[0].rounds == 3);
    CHECK(t.loops[0].ways == 0.75);
    CHECK(t.loops[1].rounds == 5);
    CHECK(t.loops[1].ways == 0.25);
}

TEST_CASE("a path with more runs than allowed is empty") {
    const linked_text k(loop_text());
    path_recorder<> recorder(k.program, 1);
    recorder({.step = 0});
    recorder({.step = 5});
    recorder({.step = 2});
    CHECK(recorder.finish().empty());
}

}  // namespace line_counter_test
