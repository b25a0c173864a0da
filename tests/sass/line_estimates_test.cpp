// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include <warpgauge/ptx/text/parse.hpp>
#include <warpgauge/sass/line_estimates.hpp>

#include "sass/made_code.hpp"

namespace line_estimates_test {

namespace {

namespace ptx = warpgauge::ptx;
namespace sass = warpgauge::sass;

// A loop on lines 7 to 10 that loads on line 8, and a store behind it, on line 11.
constexpr std::string_view text = R"(.version 8.0
.target sm_75
.address_size 64
.visible .entry k() {
.reg .b32 %r<3>; .reg .b64 %a; .reg .pred %p;
mov.u32 %r1, 0;
$L:
ld.global.u32 %r2, [%a];
setp.lt.u32 %p, %r1, 11;
@%p bra $L;
st.global.u32 [%a], %r2;
ret;
}
)";

ptx::traced_kernel traced(double rounds) {
    ptx::traced_kernel t;
    for (const std::uint32_t line : {8U, 9U, 10U}) t.lines.push_back({line, rounds});
    for (const std::uint32_t line : {6U, 11U, 12U}) t.lines.push_back({line, 1});
    t.loops.push_back({8, 10, rounds, 1});
    return t;
}

sass::flow_estimates estimated(std::string_view of, const ptx::traced_kernel& t,
                               const made_code::instructions& code) {
    const auto m = ptx::parse(of);
    REQUIRE(m);
    return sass::estimate_blocks(*m, t, code, sass::find_blocks(code));
}
sass::flow_estimates estimated(std::string_view of, const ptx::traced_kernel& t,
                               const made_code& code) {
    return estimated(of, t, code.code());
}

TEST_CASE("a loop that is unrolled by four leaves its rest to the copy by one") {
    // 0: before; 1: four rounds at once; 2: one; 3: behind
    const auto code = made_code()
                          .plain(6)
                          .load(8)
                          .load(8)
                          .load(8)
                          .load(8)
                          .jump(1, true, 10)
                          .load(8)
                          .jump(6, true, 10)
                          .store(11)
                          .exit(false, 12);
    const auto e = estimated(text, traced(11), code);
    REQUIRE(e.blocks.size() == 4);
    CHECK(e.blocks[1].executions == doctest::Approx(2));
    CHECK(e.blocks[2].executions == doctest::Approx(3));
    CHECK(e.blocks[3].executions == doctest::Approx(1));
    CHECK(e.repeats == std::vector<double>{1, 2});
}

TEST_CASE("a loop that the compiler wrote out has all its rounds there") {
    const auto code = made_code().load(8).load(8).load(8).store(11).exit(false, 12);
    const auto e = estimated(text, traced(3), code);
    CHECK(e.blocks[0].executions == doctest::Approx(1));
}

TEST_CASE("a load that was moved out of its loop does not count there") {
    const auto m = ptx::parse(text);
    REQUIRE(m);
    const auto code = made_code().load(8).plain(9).jump(1, true, 10).store(11).exit(false, 12);
    const sass::block_graph g = sass::find_blocks(code.code());
    const auto e = sass::estimate_blocks(*m, traced(100), code.code(), g);
    const auto x = sass::fit_flow(g, e);
    REQUIRE(x);
    CHECK((*x)[0] == doctest::Approx(1));
    CHECK((*x)[2] == doctest::Approx(1));
}

TEST_CASE("lines that are never executed are estimates too, and calls that PTX does not have") {
    ptx::traced_kernel t = traced(1);
    t.lines.clear();
    t.lines.push_back({12, 1});
    const auto code = made_code().exit(true, 12).store(11).exit(false, 12).call(4, 12).back();
    const auto e = estimated(text, t, code);
    CHECK(e.blocks[1].executions == 0);
    CHECK(e.blocks[1].weight == doctest::Approx(4));
    CHECK(e.blocks[2].executions == 0);
}

// ptxas unrolls a loop that the launch does not enter: its copies take no rounds from the loop around it.
TEST_CASE("lines that are not executed stand for no loop") {
    ptx::traced_kernel t = traced(5);
    t.lines.clear();
    for (const std::uint32_t line : {9U, 10U, 11U}) t.lines.push_back({line, 5});
    for (const std::uint32_t line : {6U, 12U}) t.lines.push_back({line, 1});
    t.loops = {{8, 11, 5, 1}};  // the store is in the loop, and the load is passed over
    const auto code = made_code()
                          .plain(6)
                          .load(8)
                          .load(8)
                          .jump(1, true, 10)
                          .store(11)
                          .jump(1, true, 11)
                          .exit(false, 12);
    const auto e = estimated(text, t, code);
    CHECK(e.blocks[1].executions == 0);
    CHECK(e.blocks[1].weight == doctest::Approx(4));
    CHECK(e.blocks[2].executions == doctest::Approx(5));
}

TEST_CASE(
    "where all that stands for a line is guarded by predicates, it is issued in every round") {
    ptx::traced_kernel t = traced(6);
    t.lines[0].executions = 2;  // the load, which a branch goes around four times
    auto code = made_code().plain(6).load(8).jump(1, true, 10).store(11).exit(false, 12).code();
    code[1].conditional = true;
    const auto e = estimated(text, t, code);
    CHECK(e.blocks[1].executions == doctest::Approx(6));
    CHECK(e.repeats == std::vector<double>{5});
}

// A loop on lines 8 to 14 that loads on line 8 and stores on line 13, around one on lines 10 to 12 that loads twice.
constexpr std::string_view nested = R"(.version 8.0
.target sm_75
.address_size 64
.visible .entry k() {
.reg .b32 %r<5>; .reg .b64 %a; .reg .pred %p;
mov.u32 %r1, 0;
$O:
ld.global.u32 %r2, [%a];
$I:
ld.shared.u32 %r3, [%r1];
ld.shared.u32 %r4, [%r2];
@%p bra $I;
st.global.u32 [%a], %r2;
@%p bra $O;
ret;
}
)";

// The inner loop is entered five times: three times for `rounds`, twice for one more.
ptx::traced_kernel traced_nest(double rounds) {
    ptx::traced_kernel t;
    const double all = 3 * rounds + 2 * (rounds + 1);
    t.loops = {{10, 12, rounds, 3}, {8, 14, 5, 1}, {10, 12, rounds + 1, 2}};
    for (const std::uint32_t line : {10U, 11U, 12U}) t.lines.push_back({line, all});
    for (const std::uint32_t line : {8U, 13U, 14U}) t.lines.push_back({line, 5});
    for (const std::uint32_t line : {6U, 15U}) t.lines.push_back({line, 1});
    return t;
}

TEST_CASE("an inner loop that is unrolled by two leaves its last round to a block in the outer") {
    // 1: the outer; 2: two rounds; 3: one; 4: the outer again
    const auto e = estimated(nested, traced_nest(5),
                             made_code()
                                 .plain(6)
                                 .load(8)
                                 .jump(9, true)
                                 .shared_load(10)
                                 .shared_load(11)
                                 .shared_load(10)
                                 .shared_load(11)
                                 .jump(3, true, 12)
                                 .jump(11, true)
                                 .shared_load(10)
                                 .shared_load(11)
                                 .store(13)
                                 .jump(1, true, 14)
                                 .exit(false, 15));
    REQUIRE(e.blocks.size() == 7);
    CHECK(e.blocks[1].executions == 5);
    CHECK(e.blocks[2].executions == 12);  // 2 of 5 rounds three times, 3 of 6 twice
    CHECK(e.blocks[4].executions == 3);
    CHECK(e.blocks[5].executions == 5);
    CHECK(e.repeats == std::vector<double>{12 - 5, 4});
}

TEST_CASE(
    "of parts that execute as many rounds at once, a block comes before loops, and these in "
    "order") {
    // 2: the first round; 3: a loop; 4: another, for which nothing is left
    const auto e = estimated(nested, traced_nest(4),
                             made_code()
                                 .plain(6)
                                 .load(8)
                                 .jump(5, true)
                                 .shared_load(10)
                                 .shared_load(11)
                                 .shared_load(10)
                                 .shared_load(11)
                                 .jump(5, true, 12)
                                 .shared_load(10)
                                 .shared_load(11)
                                 .jump(8, true, 12)
                                 .store(13)
                                 .jump(1, true, 14)
                                 .exit(false, 15));
    REQUIRE(e.blocks.size() == 7);
    CHECK(e.blocks[2].executions == 5);
    CHECK(e.blocks[3].executions == 3 * 3 + 4 * 2);
    CHECK(e.blocks[4].executions == 0);
    CHECK(e.repeats == std::vector<double>{17 - 5, 0, 4});
}

TEST_CASE("rounds behind a loop go to the blocks there with more of them at once, then in order") {
    const auto e = estimated(text, traced(7),
                             made_code()
                                 .plain(6)
                                 .load(8)
                                 .load(8)
                                 .load(8)
                                 .load(8)
                                 .jump(1, true, 10)
                                 .load(8)
                                 .jump(8, true)
                                 .load(8)
                                 .jump(10, true)
                                 .load(8)
                                 .load(8)
                                 .jump(13, true)
                                 .store(11)
                                 .exit(false, 12));
    REQUIRE(e.blocks.size() == 6);
    CHECK(e.blocks[1].executions == 1);
    CHECK(e.blocks[2].executions == 1);
    CHECK(e.blocks[3].executions == 0);
    CHECK(e.blocks[4].executions == 1);
    CHECK(e.repeats == std::vector<double>{0});
}

TEST_CASE("a load moved out of a loop whose rest stays is no estimate of where it went") {
    const auto e = estimated(nested, traced_nest(5),
                             made_code()
                                 .plain(6)
                                 .load(8)
                                 .shared_load(10)
                                 .jump(4, true)
                                 .shared_load(11)
                                 .jump(4, true, 12)
                                 .store(13)
                                 .jump(1, true, 14)
                                 .exit(false, 15));
    REQUIRE(e.blocks.size() == 5);
    CHECK(e.blocks[1].executions == 5);
    CHECK(e.blocks[1].weight == 2);  // of the load on line 8 alone
    CHECK(e.blocks[2].executions == 27);
}

TEST_CASE("a line that stands in two blocks says less of each") {
    const auto e = estimated(
        text, traced(3),
        made_code().plain(6).jump(4, true).store(11).exit(false, 12).store(11).exit(false, 12));
    REQUIRE(e.blocks.size() == 3);
    CHECK(e.blocks[1].executions == 0.5);
    CHECK(e.blocks[1].weight == doctest::Approx(4 * 0.05));
    CHECK(e.blocks[2].executions == 0.5);
}

TEST_CASE("what a predicate guards counts neither beside what none guards nor outside of loops") {
    auto code =
        made_code().plain(6).load(8).jump(1, true, 10).load(8).store(11).exit(false, 12).code();
    code[3].conditional = true;
    code[4].conditional = true;
    const auto e = estimated(text, traced(6), code);
    CHECK(e.blocks[1].executions == 6);
    CHECK(e.blocks[2].executions == 1);
    CHECK(e.blocks[2].weight == doctest::Approx(3 * 0.05 / 3 - 0.05 / 3));  // lines 11 and 12
}

TEST_CASE(
    "a guarded line that is never executed, and a line that the trace has twice or the text "
    "lacks") {
    ptx::traced_kernel t = traced(6);
    t.lines[4].executions = 0;  // the store
    t.lines.push_back({8, 2});
    t.lines.push_back({99, 1000});
    auto code = made_code().plain(6).load(8).jump(1, true, 10).store(11).exit(false, 12).code();
    code[3].conditional = true;
    const auto e = estimated(text, t, code);
    CHECK(e.blocks[1].executions == 6);
    CHECK(e.blocks[2].executions == 0);  // of the weaker votes of its two lines
    CHECK(e.blocks[2].weight == doctest::Approx(0.05));
}

TEST_CASE("a loop of which the trace has no round says nothing of its block") {
    ptx::traced_kernel t = traced(3);
    t.loops[0].rounds = 0;
    const auto e =
        estimated(text, t, made_code().plain(6).load(8).jump(1, true, 10).exit(false, 12));
    CHECK(e.blocks[1].weight == 0);
    CHECK(e.repeats == std::vector<double>{0});
}

TEST_CASE("two loops that begin on one line are two, in any order") {
    for (const bool outer_first : {false, true}) {
        ptx::traced_kernel t = traced(6);
        t.loops = {{8, 10, 3, 2}, {8, 11, 2, 1}};  // the store is in the outer one
        if (outer_first) std::swap(t.loops[0], t.loops[1]);
        t.lines[4].executions = 2;
        const auto e = estimated(text, t,
                                 made_code()
                                     .plain(6)
                                     .plain()
                                     .load(8)
                                     .jump(2, true, 10)
                                     .store(11)
                                     .jump(1, true, 11)
                                     .exit(false, 12));
        CHECK(e.blocks[2].executions == 6);
        CHECK(e.blocks[3].executions == 2);
        CHECK(e.repeats == std::vector<double>{4, 1});
    }
}

TEST_CASE("a loop that PTX does not have says nothing of a line that is in none") {
    const auto e =
        estimated(text, traced(3), made_code().plain(6).plain(6).jump(1, true).exit(false, 12));
    CHECK(e.blocks[1].weight == 0);
    CHECK(e.repeats == std::vector<double>{-1});
}

TEST_CASE("a line of a loop that is gone counts where another of the loop stands") {
    const auto e = estimated(text, traced(3), made_code().plain(9).store(11).exit(false, 12));
    CHECK(e.blocks[0].executions == 1);
    const auto none = estimated(text, traced(3), made_code().plain(9).exit(false, 12));
    CHECK(none.blocks[0].executions == 1);  // of line 12: nothing stands for line 8
}

TEST_CASE("a call that shares its line with another instruction is one of PTX") {
    constexpr std::string_view calls = R"(.version 8.0
.target sm_75
.address_size 64
.func f() { ret; }
.visible .entry k() {
.reg .b32 %r<3>;
mov.u32 %r1, 0; call f; call f; mov.u32 %r2, 0;
mov.u32 %r2, 1; ret;
}
)";
    ptx::traced_kernel t;
    t.lines = {{7, 1}, {8, 1}};
    const auto e = estimated(calls, t, made_code().call(2, 7).exit(false, 8).back());
    CHECK(e.blocks[0].executions == 1);
    CHECK(e.blocks[0].weight == doctest::Approx(0.05));
    for (const std::uint32_t line : {0U, 8U}) {  // without a line, and on that of another
        const auto invented = estimated(calls, t, made_code().call(2, line).exit(false, 8).back());
        CHECK(invented.blocks[0].executions == 0);
        CHECK(invented.blocks[0].weight == doctest::Approx(0.5));
    }
}

// The inner loop on line 10 has five rounds: four at once, and one of the four that are left behind it.
TEST_CASE("rounds that are left of an unrolled inner loop do not make the outer loop theirs") {
    constexpr std::string_view nested_unrolled = R"(.version 8.0
.target sm_75
.address_size 64
.visible .entry k() {
.reg .b32 %r<3>; .reg .b64 %a; .reg .pred %p;
mov.u32 %r1, 0;
$O:
st.global.u32 [%a], %r2;
$I:
ld.global.u32 %r2, [%a];
@%p bra $I;
@%p bra $O;
ret;
}
)";
    ptx::traced_kernel t;
    t.lines = {{6, 1}, {8, 3}, {10, 15}, {11, 15}, {12, 3}, {13, 1}};
    t.loops = {{10, 11, 5, 3}, {8, 12, 3, 1}};
    const auto code = made_code()
                          .plain(6)
                          .store(8)
                          .load(10)
                          .load(10)
                          .load(10)
                          .load(10)
                          .jump(2, true, 11)
                          .jump(11, true)
                          .load(10)
                          .load(10)
                          .load(10)
                          .load(10)
                          .jump(1, true, 12)
                          .exit(false, 13);
    const auto e = estimated(nested_unrolled, t, code);
    REQUIRE(e.blocks.size() == 7);
    CHECK(e.blocks[1].executions == doctest::Approx(3));
    CHECK(e.blocks[2].executions == doctest::Approx(3));
    CHECK(e.blocks[4].executions == 0);
    CHECK(e.blocks[5].executions == doctest::Approx(3));
    CHECK(e.repeats == std::vector<double>{0, 2});  // the inner loop is the first that ends
}

// PTX enters the loop at the store: five times, while it loads four times.
TEST_CASE("what a loop that is entered below its top executes first is no round of it") {
    ptx::traced_kernel t;
    t.lines = {{6, 1}, {8, 4}, {9, 4}, {10, 5}, {11, 5}, {12, 1}};
    t.loops = {{8, 11, 4, 1}};
    const auto code =
        made_code().store(11).load(8).store(11).jump(1, true, 10).exit(false, 12).code();
    const auto e = estimated(text, t, code);
    CHECK(e.blocks[0].executions == doctest::Approx(1));
    CHECK(e.blocks[1].executions == doctest::Approx(4));
    CHECK(e.repeats == std::vector<double>{3});
}

TEST_CASE("a guarded load is issued as often as the test before it, where a branch skips both") {
    constexpr std::string_view skips = R"(.version 8.0
.target sm_75
.address_size 64
.visible .entry k() {
.reg .b32 %r<3>; .reg .b64 %a; .reg .pred %p;
mov.u32 %r1, 0;
$L:
@%p bra $E;
setp.lt.u32 %p, %r1, 11;
@%p bra $E;
ld.global.u32 %r2, [%a];
$E:
@%p bra $L;
ret;
}
)";
    ptx::traced_kernel t;
    t.lines = {{6, 1}, {8, 6}, {9, 4}, {10, 4}, {11, 1}, {13, 6}, {14, 1}};
    t.loops = {{8, 13, 6, 1}};
    for (const std::uint32_t line : {9U, 0U}) {  // the test beside the load, or known by its branch
        auto code = made_code()
                        .plain(6)
                        .jump(4, true, 8)
                        .plain(line)
                        .load(11)
                        .jump(1, true, 13)
                        .exit(false, 14)
                        .code();
        code[3].conditional = true;
        const auto e = estimated(skips, t, code);
        CHECK(e.blocks[2].executions == doctest::Approx(4));
    }
}

TEST_CASE("a loop of integers, of which nothing stands for one of PTX, has the rounds of PTX") {
    const auto code = made_code()
                          .plain(6)
                          .plain(9)
                          .plain(9)
                          .plain()
                          .jump(1, true, 10)
                          .plain(9)
                          .jump(5, true, 10)
                          .store(11)
                          .exit(false, 12);
    const auto e = estimated(text, traced(11), code);
    REQUIRE(e.blocks.size() == 4);
    CHECK(e.blocks[1].executions == 5);
    CHECK(e.blocks[2].executions == 1);
    CHECK(e.blocks[2].weight < 1);  // not as sure as a load
    CHECK(e.blocks[1].weight < 1);
    CHECK(e.blocks[1].weight > 0.5);  // it repeats, so it is entered
    CHECK(e.repeats == std::vector<double>{4, 0});
}

// Lanes part on line 6: some execute lines 7 and 8, the others lines 10 and 11.
TEST_CASE("integers of both sides are executed where lanes part, if their lines agree") {
    constexpr std::string_view parts = R"(.version 8.0
.target sm_75
.address_size 64
.visible .entry k() {
.reg .b32 %r<3>; .reg .b64 %a; .reg .pred %p;
@%p bra $E;
add.u32 %r1, %r1, 3;
add.u32 %r1, %r1, 5; bra $F;
$E:
add.u32 %r1, %r1, 3;
add.u32 %r1, %r1, 7;
$F:
st.global.u32 [%a], %r1;
ret;
}
)";
    ptx::traced_kernel t;
    t.lines = {{6, 1}, {7, 1}, {8, 1}, {10, 1}, {11, 1}, {13, 1}, {14, 1}};
    const auto code = [](std::uint32_t line) {
        return made_code()
            .jump(4, true, 6)
            .plain(7)
            .plain(8)
            .jump(6, false, 8)
            .plain(10)
            .plain(line)
            .meet(11)
            .store(13)
            .exit(false, 14);
    };
    const auto executed = [&](const made_code& c) {
        const auto e = estimated(parts, t, c);
        return *sass::fit_flow(sass::find_blocks(c.code()), e);
    };
    const auto both = executed(code(11));
    CHECK(both[1] == doctest::Approx(1));
    CHECK(both[2] == doctest::Approx(1));
    CHECK(both.back() == doctest::Approx(1));
    const auto e = estimated(parts, t, code(11));
    CHECK(e.blocks[2].weight == doctest::Approx(0.7));
    // One line, or one that another block has too, does not say so much.
    CHECK(estimated(parts, t, code(10)).blocks[2].weight == doctest::Approx(0.05));
    CHECK(estimated(parts, t, code(8)).blocks[2].weight == doctest::Approx(0.05));
    t.lines[4].executions = 3;  // nor lines that do not agree
    CHECK(estimated(parts, t, code(11)).blocks[2].weight == doctest::Approx(0.05));
}

TEST_CASE("instructions of PTX that stand for one of the machine's are known by their opcode") {
    CHECK(sass::detail::counterpart_of("ld.global.nc.f32").pipe == sass::pipe::global_load);
    CHECK(sass::detail::counterpart_of("cp.async.cg.shared.global").pipe ==
          sass::pipe::global_load);
    CHECK(sass::detail::counterpart_of("cp.async.commit_group").pipe == sass::pipe::unknown);
    CHECK(sass::detail::counterpart_of("fma.rn.f32").pipe == sass::pipe::fp32);
    CHECK(sass::detail::counterpart_of("mbarrier.arrive.expect_tx.shared::cta.b64").pipe ==
          sass::pipe::shared_atomic);
    CHECK(sass::detail::counterpart_of("mbarrier.try_wait.shared::cta.b64").pipe ==
          sass::pipe::unknown);
    CHECK(sass::detail::counterpart_of("div.rn.f32").pipe == sass::pipe::unknown);
    CHECK(sass::detail::counterpart_of("ld.param.u64").pipe == sass::pipe::unknown);
}

}  // namespace

}  // namespace line_estimates_test
