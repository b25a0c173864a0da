// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include <warpgauge/sass/lowered_flow.hpp>

#include "sass/lowered.hpp"

namespace lowered_flow_test {

constexpr std::uint32_t body = instructions_before_body;

// Every step executed once but for those that `set` changes.
template <class Set>
std::vector<double> flow_of(const lowered_text& k, Set set,
                            const std::vector<warpgauge::ptx::executed_loop>& loops = {}) {
    std::vector<double> times(k.program.steps.size(), 1.0);
    set(times);
    warpgauge::ptx::traced_kernel trace;
    trace.loops = loops;
    const warpgauge::sass::detail::lowered_flow<> flow(k.program, k.program.routines[0], k.steps,
                                                       trace, times);
    std::vector<double> made;
    for (std::uint32_t i = 0; i < times.size(); ++i) made.push_back(flow.executions(i));
    return made;
}

std::uint32_t line_of(const lowered_text& k, std::uint32_t index) {
    return k.module.instructions[k.body(index).statement].at.line;
}

TEST_CASE("a short block that a branch goes around is issued by all") {
    const std::string before = "setp.lt.u32 %p1, %r2, %r1;\n@%p1 bra A;\n";
    const std::string store = "st.shared.u32 [%r2], %r1;\n";
    const std::string after = "A: bar.sync 0;\nst.global.u32 [%d1], %r2;\nret;";
    const auto quarter = [](std::vector<double>& t) { t[body + 2] = 0.25; };
    const auto predicated = flow_of(lowered_text(before + store + after), quarter);
    CHECK(predicated[body + 1] == 0);
    CHECK(predicated[body + 2] == 1);
    CHECK(predicated[body + 3] == 1);
    const auto waits = flow_of(lowered_text(before + "bar.sync 0;\n" + after), quarter);
    CHECK(waits[body + 1] == 1);
    CHECK(waits[body + 2] == 0.25);
    std::string many;
    for (int n = 0; n < 8; ++n) many += store;
    const auto is_long = flow_of(lowered_text(before + many + after), quarter);
    CHECK(is_long[body + 1] == 1);
    CHECK(is_long[body + 2] == 0.25);
}

TEST_CASE("a jump to the end is an exit of its own") {
    const lowered_text k(
        "setp.lt.u32 %p1, %r2, %r1;\n@%p1 bra A;\nst.global.u32 [%d1], %r2;\nA: ret;");
    const auto flow = flow_of(k, [](std::vector<double>& t) {
        t[body + 2] = 0.75;
        t[body + 3] = 1.5;  // of both groups of lanes
    });
    CHECK(flow[body + 1] == 1);
    CHECK(flow[body + 2] == 0.75);
    CHECK(flow[body + 3] == 0.75);
}

// A loop of `%r4` rounds that adds what it loads.
std::string loop_of(const std::string& begin, const std::string& more, const std::string& step) {
    return begin +
           "mov.f32 %f1, 0f00000000;\nL: ld.global.f32 %f2, [%d1];\nadd.f32 %f1, %f1, %f2;\n" +
           more + step + "setp.ne.s32 %p1, %r3, 0;\n@%p1 bra L;\nst.global.f32 [%d1], %f1;\nret;";
}

TEST_CASE("four rounds of a loop that counts need one branch") {
    const std::string begin = "mov.u32 %r3, %r1;\n";
    const std::string step = "add.s32 %r3, %r3, -1;\n";
    const lowered_text k(loop_of(begin, "", step));
    const auto rounds = [](std::vector<double>& t) {
        for (std::uint32_t n = 2; n <= 6; ++n) t[body + n] = 10;
    };
    const std::vector<warpgauge::ptx::executed_loop> ten{{line_of(k, 2), line_of(k, 6), 10.0, 1.0}};
    const auto flow = flow_of(k, rounds, ten);
    // Of ten rounds eight are two of four: two and two.
    CHECK(flow[body + 2] == 10);
    CHECK(flow[body + 3] == 10);
    CHECK(flow[body + 4] == doctest::Approx(4));
    CHECK(flow[body + 5] == doctest::Approx(4));
    CHECK(flow[body + 6] == doctest::Approx(4));

    const auto three = flow_of(k, rounds, {{line_of(k, 2), line_of(k, 6), 3.0, 10.0 / 3}});
    CHECK(three[body + 6] == doctest::Approx(10));
    const auto unseen = flow_of(k, rounds);
    CHECK(unseen[body + 6] == 10);

    const lowered_text data(loop_of(begin, "", "sub.s32 %r3, %r3, %r2;\n"));
    CHECK(flow_of(data, rounds, ten)[body + 6] == 10);
    const lowered_text rest(loop_of("and.b32 %r3, %r1, 3;\n", "", step));
    CHECK(flow_of(rest, rounds, ten)[body + 6] == 10);
    std::string much;
    for (int n = 0; n < 50; ++n) much += "st.global.f32 [%d1], %f1;\n";
    const lowered_text large(loop_of(begin, much, step));
    const auto large_flow = flow_of(large, [](std::vector<double>& t) { t[body + 56] = 10; },
                                    {{line_of(large, 2), line_of(large, 56), 10.0, 1.0}});
    CHECK(large_flow[body + 56] == 10);
}

TEST_CASE("a block that may leave is no short block, and an end behind a jump is not fallen into") {
    for (const char* const leaves :
         {"ret;\n", "exit;\n", "brx.idx %r2, T;\nT: .branchtargets A;\n"}) {
        CAPTURE(leaves);
        const lowered_text k(std::string("setp.lt.u32 %p1, %r2, %r1;\n@%p1 bra A;\n") + leaves +
                             "A: bar.sync 0;\nst.global.u32 [%d1], %r2;\nexit;");
        const auto flow = flow_of(k, [](std::vector<double>& t) { t[body + 2] = 0.25; });
        CHECK(flow[body + 1] == 1);
        CHECK(flow[body + 2] <= 0.25);
    }
    const lowered_text k(
        "bra B;\nA: ret;\nB: setp.lt.u32 %p1, %r2, %r1;\n@%p1 bra A;\n"
        "st.global.u32 [%d1], %r2;\nret;");
    CHECK(flow_of(k, [](std::vector<double>&) {})[body + 1] == 0);
}

TEST_CASE("loops that do not count by a literal up to what stays are not unrolled") {
    const auto rounds = [](std::vector<double>& t) {
        for (std::uint32_t n = 2; n < t.size() - body - 2; ++n) t[body + n] = 10;
    };
    const auto last_of = [&](const std::string& text, std::uint32_t last, double times) {
        const lowered_text k(text);
        const std::uint32_t line = line_of(k, last);
        return flow_of(k, rounds,
                       {{line_of(k, 2) + 1, line, times, 1.0},
                        {line_of(k, 2), line, times, 1.0}})[body + last];
    };
    const std::string begin =
        "mov.u32 %r3, %r1;\nmov.f32 %f1, 0f00000000;\nL: ld.global.f32 %f2, [%d1];\n"
        "add.f32 %f1, %f1, %f2;\n";
    const std::string end = "@%p1 bra L;\nst.global.f32 [%d1], %f1;\nret;";
    const std::string step = "add.s32 %r3, %r3, -1;\n";
    CHECK(last_of(begin + step + "setp.ne.s32 %p1, %r3, 0;\n" + end, 6, 10) == doctest::Approx(4));
    CHECK(last_of(begin + "sub.s32 %r3, %r3, 1;\nsetp.ne.s32 %p1, 0, %r3;\n" + end, 6, 10) ==
          doctest::Approx(4));
    CHECK(last_of(begin + step + "setp.ne.s32 %p1, %r3, 0;\n" + end, 6, 1e16) ==
          doctest::Approx(2.5));
    CHECK(last_of(begin + step + "setp.ne.and.s32 %p1, %r3, 0, %p2;\n" + end, 6, 10) == 10);
    CHECK(last_of(begin + step + "setp.ne.f32 %p1, %f1, 0f00000000;\n" + end, 6, 10) == 10);
    CHECK(last_of(begin + step + "setp.ne.s32 %p1, %r3, %r5;\nadd.s32 %r5, %r5, %r3;\n" + end, 7,
                  10) == 10);
    CHECK(last_of(begin + step + step + "setp.ne.s32 %p1, %r3, 0;\n" + end, 7, 10) == 10);
    CHECK(last_of(begin + "add.s32 %r3, %r5, 1;\nsetp.ne.s32 %p1, %r3, 0;\n" + end, 6, 10) == 10);
    CHECK(last_of("setp.ne.s32 %p1, %r1, 0;\n" + begin + step + end, 6, 10) == 10);
    CHECK(last_of(begin + step +
                      "@%p1 bra L;\nsetp.ne.s32 %p1, %r1, 0;\n"
                      "@%p1 st.global.f32 [%d1], %f1;\nret;",
                  5, 10) == 10);
}

}  // namespace lowered_flow_test
