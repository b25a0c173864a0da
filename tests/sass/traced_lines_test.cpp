// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <warpgauge/ptx/text/parse.hpp>
#include <warpgauge/sass/traced_lines.hpp>

namespace traced_lines_test {

namespace {

namespace ptx = warpgauge::ptx;
namespace sass = warpgauge::sass;
using sass::detail::no_line;

TEST_CASE(
    "lines have their executions, their innermost loop, and the test that may go around them") {
    const auto m = ptx::parse(R"(.version 8.0
.target sm_75
.address_size 64
.visible .entry k() {
.reg .b32 %r<3>; .reg .b64 %a; .reg .pred %p;
$O:
@%p bra $E;
$I:
ld.global.u32 %r2, [%a]; mov.u32 %r1, 0;
@!%p bra $I;
@%p bra $O;
$E:
@%p mov.u32 %r1, 1;
ret;
}
)");
    REQUIRE(m);
    ptx::traced_kernel t;
    t.lines = {{7, 3}, {9, 10}, {10, 10}, {11, 2}, {13, 1}, {14, 1}, {99, 5}};
    t.loops = {{7, 11, 3, 1}, {9, 10, 4, 1}, {9, 10, 6, 1}};
    const sass::detail::traced_lines<> read(*m, t);
    REQUIRE(read.lines.size() == 6);  // two instructions share line 9
    CHECK(read.find(8) == no_line);
    CHECK(read.find(99) == no_line);
    const auto& load = read.lines[read.find(9)];
    CHECK(load.becomes.pipe == sass::pipe::global_load);
    CHECK(load.executions == 10);
    CHECK(load.test == 7);
    REQUIRE(read.loops.size() == 2);
    CHECK(load.loop == 1);
    CHECK(read.loops[1].rounds == 10);
    CHECK(read.loops[1].all.size() == 2);
    CHECK(read.lines[read.find(11)].loop == 0);
    CHECK(read.lines[read.find(11)].test == 10);
    CHECK(read.lines[read.find(13)].loop == no_line);
    CHECK(read.lines[read.find(7)].test == 0);
    CHECK(read.lines[read.find(14)].test == 11);  // what is guarded behind it is no test
}

TEST_CASE("integers of 32 bits and comparisons become one instruction, others may become several") {
    using sass::detail::is_one_integer;
    for (const char* one :
         {"add.s32", "mad.lo.s32", "xor.b32", "setp.lt.u32", "selp.b32", "shf.l.wrap.b32"}) {
        CHECK(is_one_integer(one));
    }
    for (const char* other : {"add.s64", "mov.u32", "div.s32", "cvt.s64.s32", "add.f32",
                              "ld.global.u32", "add", ".s32"}) {
        CHECK_FALSE(is_one_integer(other));
    }
}

}  // namespace

}  // namespace traced_lines_test
