// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include <warpgauge/ptx/text/parse.hpp>
#include <warpgauge/sass/line_copies.hpp>

#include "sass/made_code.hpp"

namespace line_copies_test {

namespace {

namespace ptx = warpgauge::ptx;
namespace sass = warpgauge::sass;

// A loop of integers on lines 8 to 10, and one that loads on lines 12 and 13.
const ptx::module& module() {
    static const auto m = ptx::parse(R"(.version 8.0
.target sm_75
.address_size 64
.visible .entry k() {
.reg .b32 %r<3>; .reg .b64 %a; .reg .pred %p;
mov.u32 %r1, 0;
$L:
xor.b32 %r1, %r1, %r2;
mul.wide.u32 %a, %r1, 4;
@%p bra $L;
$M:
ld.global.u32 %r2, [%a];
@%p bra $M;
ret;
}
)");
    REQUIRE(m);
    return *m;
}

ptx::traced_kernel traced() {
    ptx::traced_kernel t;
    t.lines = {{6, 1}, {8, 9}, {9, 9}, {10, 9}, {12, 3}, {13, 3}, {14, 1}};
    t.loops = {{8, 10, 9, 1}, {12, 13, 3, 1}};
    return t;
}

std::uint32_t line_of(const sass::detail::traced_lines<>& read, const sass::detail::line_copy& c) {
    return read.lines[c.line].line;
}

TEST_CASE(
    "what stands for one of PTX is counted by block; a loop of integers where it is asked for") {
    const sass::detail::traced_lines<> read(module(), traced());
    const auto code = made_code()
                          .plain(6)
                          .plain(8)
                          .plain(9)
                          .plain(9)
                          .jump(1, true, 10)
                          .load(12)
                          .load(12)
                          .jump(5, true, 13)
                          .exit(false, 14);
    const auto graph = sass::find_blocks(code.code());
    sass::detail::line_copies<> copies(code.code(), graph, read);
    REQUIRE(copies.all.size() == 1);
    CHECK(line_of(read, copies.all[0]) == 12);
    CHECK(copies.all[0].block == 2);
    CHECK(copies.all[0].times == 2);
    CHECK(copies.all[0].weight == 2);
    const std::vector<std::uint32_t> first{0};
    copies.add_loops(first);
    REQUIRE(copies.all.size() == 3);  // without the jump
    CHECK(line_of(read, copies.all[1]) == 8);
    CHECK(copies.all[1].weight == doctest::Approx(0.25));
    CHECK(line_of(read, copies.all[2]) == 9);
    CHECK(copies.all[2].times == 2);
    CHECK(copies.all[2].weight == doctest::Approx(0.05));  // of 64 bits
    copies.leave_out(0, 1);
    CHECK(copies.all.size() == 1);
}

TEST_CASE(
    "copies that a predicate guards count where none is open; lines not executed are kept apart") {
    ptx::traced_kernel t = traced();
    const auto guarded = [&](std::size_t n) {
        auto code = made_code().load(12).load(12).exit(false, 14).code();
        for (std::size_t k = 0; k < n; ++k) code[k].conditional = true;
        return code;
    };
    const sass::detail::traced_lines<> read(module(), t);
    for (const std::size_t n : {1U, 2U}) {
        const auto code = guarded(n);
        const auto graph = sass::find_blocks(code);
        const sass::detail::line_copies<> copies(code, graph, read);
        REQUIRE(copies.all.size() == 1);
        CHECK(copies.all[0].guarded == (n == 2));
        CHECK(copies.all[0].times == n);
    }
    t.lines[4].executions = 0;
    const sass::detail::traced_lines<> without(module(), t);
    const auto code = guarded(0);
    const auto graph = sass::find_blocks(code);
    const sass::detail::line_copies<> copies(code, graph, without);
    CHECK(copies.all.empty());
    CHECK(copies.never.size() == 2);
}

TEST_CASE("a copy around a loop that has its line too is the rest of it") {
    const sass::detail::traced_lines<> read(module(), traced());
    const auto code =
        made_code().plain().load(12).jump(1, true, 13).load(12).jump(0, true).exit(false, 14);
    const auto graph = sass::find_blocks(code.code());
    const sass::detail::line_copies<> copies(code.code(), graph, read);
    REQUIRE(copies.all.size() == 2);
    CHECK_FALSE(copies.all[0].is_rest);
    CHECK(copies.all[1].is_rest);
}

}  // namespace

}  // namespace line_copies_test
