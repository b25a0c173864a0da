// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <string>

#include <doctest/doctest.h>

#include <warpgauge/ptx/text/parse.hpp>
#include <warpgauge/ptx/trace/trace.hpp>

#include "ptx/linked.hpp"

namespace stopped_loop_test {

using namespace warpgauge;

namespace {

ptx::stopped_loop stopped(const std::string& body, std::int64_t n) {
    const std::string text = kernel_of(body);
    const auto m = ptx::parse(text);
    REQUIRE(m);
    ptx::stopped_loop s;
    const auto t = ptx::trace(*ptx::find_kernel(*m, "k"), {{1}, {32}}, {n},
                              {.max_steps = 10'000, .stopped = &s});
    REQUIRE_FALSE(t);
    CHECK(t.error() == model_error{errc::limit_reached, "max_steps", s.at.line, s.at.column});
    const auto words = message(s);
    CHECK(words.view().find("max_steps") == 0);
    CHECK(words.view().find("sampling::middle_block") != std::string_view::npos);
    // The names are views of the text, which ends here.
    CHECK(s.label == "OUTER");
    s.label = s.compared[0].name = s.compared[1].name = {};
    return s;
}

// Rounds that differ: no closed form.
const std::string body =
    "mul.lo.u32 %r5, %r5, 1664525;\nadd.u32 %r5, %r5, 1013904223;\nand.b32 %r6, %r5, 0x10000;\n"
    "setp.ne.u32 %p2, %r6, 0;\n@%p2 bra N;\nadd.u32 %r7, %r7, 1;\nN: ";

}  // namespace

TEST_CASE("a trace that takes too many steps says which loop, on which line, and what drives it") {
    const auto s = stopped(
        ".file 1 \"k.cu\"\nmov.u32 %r3, 7;\nmov.u32 %r5, 1;\nOUTER: " + body +
            "add.u32 %r3, %r3, 1;\n.loc 1 42 5\nsetp.lt.u32 %p1, %r3, %r1;\n@%p1 bra OUTER;\nret;",
        5'000'000);
    CHECK(s.source_line == 42);
    CHECK(s.rounds > 700);
    CHECK(s.rounds < 1'500);
    CHECK(s.compared[0].known);
    CHECK(s.compared[0].value >= s.rounds + 7);
    CHECK(s.compared[0].value <= s.rounds + 8);
    CHECK(s.compared[1].value == 5'000'000);
}

TEST_CASE("the loop around a short one is named") {
    const auto nested = stopped(
        "mov.u32 %r3, 0;\nOUTER: mov.u32 %r9, 0;\nM: add.u32 %r9, %r9, 1;\n"
        "setp.lt.u32 %p2, %r9, 3;\n@%p2 bra M;\n" +
            body +
            "add.u32 %r3, %r3, 1;\nsetp.ge.u32 %p1, %r3, %r1;\n@%p1 bra OUT;\nbra OUTER;\nOUT: "
            "ret;",
        1'000'000);
    CHECK(nested.compared[1].value == 1'000'000);
}

TEST_CASE("a loop that is left to a place before it is named as any other") {
    const auto s =
        stopped("mov.u32 %r3, 0;\nmov.u32 %r5, 1;\nbra OUTER;\nOUT: ret;\nOUTER: " + body +
                    "add.u32 %r3, %r3, 1;\nsetp.ge.u32 %p1, %r3, %r1;\n@%p1 bra OUT;\nbra OUTER;",
                1'000'000);
    CHECK(s.compared[1].value == 1'000'000);
}

TEST_CASE("a loop that is left by the opposite of a comparison and through a block of its own") {
    const auto s = stopped("mov.u32 %r3, 0;\nmov.u32 %r5, 1;\nOUTER: " + body +
                               "add.u32 %r3, %r3, 1;\nsetp.ge.u32 %p1, %r3, %r1;\nnot.pred %p3, "
                               "%p1;\n@%p3 bra ON;\nbra LEAVE;\nLEAVE: bra OUT;\nON: bra OUTER;\n"
                               "OUT: ret;",
                           1'000'000);
    CHECK(s.compared[1].value == 1'000'000);
}

TEST_CASE("a loop without an end is refused at once") {
    const std::string text = kernel_of("OUTER: bra OUTER;\nret;");
    const auto m = ptx::parse(text);
    REQUIRE(m);
    ptx::stopped_loop s;
    const auto t = ptx::trace(*ptx::find_kernel(*m, "k"), {{1}, {32}}, {1}, {.stopped = &s});
    CHECK(t.error().field == "max_steps");
    CHECK(s.label == "OUTER");
    CHECK(message(ptx::stopped_loop{}).view() ==
          "max_steps reached; raise it or use sampling::middle_block");
}

TEST_CASE("steps of no loop name none") {
    const std::string text = kernel_of("add.u32 %r3, %r2, 1;\nadd.u32 %r3, %r3, 1;\nret;");
    const auto m = ptx::parse(text);
    REQUIRE(m);
    ptx::stopped_loop s;
    const auto error_of = [&](std::uint64_t max_steps) {
        const auto t =
            ptx::trace(*ptx::find_kernel(*m, "k"), {{100}, {1024}}, {1},
                       {.blocks = ptx::sampling::all, .max_steps = max_steps, .stopped = &s});
        return t ? model_error{} : t.error();
    };
    // Six steps of each of 3200 warps; those of one again, for its stream.
    CHECK(error_of(3200 * 6 - 1).field == "max_steps");
    CHECK(s.label.empty());
    CHECK(s.rounds == 0);
    CHECK(s.compared[0].name.empty());
    CHECK(error_of(3201 * 6 - 1).field == "max_steps");
    CHECK_FALSE(error_of(40'000));
}

TEST_CASE("what a message says of a loop depends on what is known of it") {
    using side = ptx::stopped_loop::side;
    ptx::stopped_loop s;
    CHECK(message(s).view() == "max_steps reached; raise it or use sampling::middle_block");
    s.label = "L";
    s.rounds = 120;
    CHECK(message(s).view() ==
          "max_steps reached in loop L, after 120 rounds; raise it or use sampling::middle_block");
    s.source_line = 7;
    s.compared = {side{.name = "%r1", .value = 35, .known = true},
                  side{.name = "64", .value = 64, .known = true}};
    CHECK(message(s).view() ==
          "max_steps reached in loop L, source line 7, after 120 rounds, by %r1 = 35, 64; raise it "
          "or "
          "use sampling::middle_block");
    s.compared = {side{}, side{.name = "%r2"}};
    CHECK(message(s).view() ==
          "max_steps reached in loop L, source line 7, after 120 rounds, by %r2 from data; raise "
          "it or "
          "use sampling::middle_block");
}

TEST_CASE("the step that decides a loop, where there is one") {
    const auto decider = [](const std::string& loop, std::uint32_t from) {
        const linked_text t(kernel_of(loop));
        return ptx::detail::trace::decider_of(
            t.program, {.from = instructions_before_body + from, .to = instructions_before_body});
    };
    // A branch within the loop, one that is always taken, and one out of it.
    CHECK(
        decider(
            "L: setp.lt.s32 %p1, %r3, 5;\n@%p1 bra M;\nM: bra N;\nN: setp.gt.s32 %p2|%p3, %r3, 9;\n"
            "@%p3 bra OUT;\nbra L;\nOUT: ret;",
            5) == instructions_before_body + 3);
    CHECK(decider("L: add.u32 %r3, %r3, 1;\nbra L;\nret;", 1) == ptx::link::nowhere);
    CHECK(decider("L: vote.sync.any.pred %p1, %p2, -1;\n@%p1 bra L;\nret;", 1) ==
          ptx::link::nowhere);
    CHECK(decider("L: setp.lt.s32 %p1, %r3, 5;\n@%p2 bra L;\nret;", 1) == ptx::link::nowhere);
    // The first of two branches out of it, and a jump back that closes no loop.
    CHECK(decider("L: setp.lt.s32 %p1, %r3, 5;\n@%p1 bra OUT;\nsetp.gt.s32 %p2, %r4, 9;\n"
                  "@%p2 bra OUT;\nbra L;\nOUT: ret;",
                  4) == instructions_before_body);
    CHECK(decider("bra X;\nOUT: ret;\nX: bra OUT;", 2) == ptx::link::nowhere);
    // By a copy of the comparison; what is no copy.
    CHECK(decider("L: setp.lt.s32 %p1, %r3, 5;\nmov.pred %p2, %p1;\n@%p2 bra L;\nret;", 2) ==
          instructions_before_body);
    CHECK(decider("L: setp.lt.s32 %p1, %r3, 5;\nmov.pred %p2, %p1, %p3;\n@%p2 bra L;\nret;", 2) ==
          ptx::link::nowhere);
}

TEST_CASE("the step that decides a loop of a function") {
    const linked_text t(
        kernel_of("call f;\nret;",
                  ".func f() {\n.reg .pred %p<2>;\n.reg .b32 %r<3>;\n"
                  "L: setp.lt.s32 %p1, %r1, 5;\n@%p1 bra OUT;\nbra L;\nOUT: ret;\n}\n"));
    const std::uint32_t first = t.program.routines[1].first;
    CHECK(ptx::detail::trace::decider_of(t.program, {.from = first + 2, .to = first}) == first);
}

}  // namespace stopped_loop_test
