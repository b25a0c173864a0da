// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <cstdint>
#include <string_view>

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

TEST_CASE("a loop that is unrolled by four leaves its rest to the copy by one") {
    const auto m = ptx::parse(text);
    REQUIRE(m);
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
    const sass::block_graph g = sass::find_blocks(code.code());
    REQUIRE(g.blocks.size() == 4);
    const auto e = sass::estimate_blocks(*m, traced(11), code.code(), g);
    CHECK(e.blocks[1].executions == doctest::Approx(2));
    CHECK(e.blocks[2].executions == doctest::Approx(3));
    CHECK(e.blocks[3].executions == doctest::Approx(1));
    CHECK(e.repeats == std::vector<double>{1, 2});
}

TEST_CASE("a loop that the compiler wrote out has all its rounds there") {
    const auto m = ptx::parse(text);
    REQUIRE(m);
    const auto code = made_code().load(8).load(8).load(8).store(11).exit(false, 12);
    const sass::block_graph g = sass::find_blocks(code.code());
    const auto e = sass::estimate_blocks(*m, traced(3), code.code(), g);
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
    const auto m = ptx::parse(text);
    REQUIRE(m);
    ptx::traced_kernel t = traced(1);
    t.lines.clear();
    t.lines.push_back({12, 1});
    const auto code = made_code().exit(true, 12).store(11).exit(false, 12).call(4, 12).back();
    const sass::block_graph g = sass::find_blocks(code.code());
    const auto e = sass::estimate_blocks(*m, t, code.code(), g);
    CHECK(e.blocks[1].executions == 0);
    CHECK(e.blocks[1].weight == doctest::Approx(4));
    CHECK(e.blocks[2].executions == 0);
}

// ptxas unrolls a loop that the launch does not enter: its copies take no rounds from the loop around it.
TEST_CASE("lines that are not executed stand for no loop") {
    const auto m = ptx::parse(text);
    REQUIRE(m);
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
    const sass::block_graph g = sass::find_blocks(code.code());
    const auto e = sass::estimate_blocks(*m, t, code.code(), g);
    CHECK(e.blocks[1].executions == 0);
    CHECK(e.blocks[1].weight == doctest::Approx(4));
    CHECK(e.blocks[2].executions == doctest::Approx(5));
}

TEST_CASE(
    "where all that stands for a line is guarded by predicates, it is issued in every round") {
    const auto m = ptx::parse(text);
    REQUIRE(m);
    ptx::traced_kernel t = traced(6);
    t.lines[0].executions = 2;  // the load, which a branch goes around four times
    auto code = made_code().plain(6).load(8).jump(1, true, 10).store(11).exit(false, 12).code();
    code[1].conditional = true;
    const sass::block_graph g = sass::find_blocks(code);
    const auto e = sass::estimate_blocks(*m, t, code, g);
    CHECK(e.blocks[1].executions == doctest::Approx(6));
    CHECK(e.repeats == std::vector<double>{5});
}

TEST_CASE("instructions of PTX that stand for one of the machine's are known by their opcode") {
    CHECK(sass::detail::counterpart_of("ld.global.nc.f32").pipe == sass::pipe::global_load);
    CHECK(sass::detail::counterpart_of("fma.rn.f32").pipe == sass::pipe::fp32);
    CHECK(sass::detail::counterpart_of("div.rn.f32").pipe == sass::pipe::unknown);
    CHECK(sass::detail::counterpart_of("ld.param.u64").pipe == sass::pipe::unknown);
}

}  // namespace

}  // namespace line_estimates_test
