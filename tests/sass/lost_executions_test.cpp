// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <vector>

#include <warpgauge/ptx/text/parse.hpp>
#include <warpgauge/sass/lost_executions.hpp>

#include "sass/made_code.hpp"

namespace lost_executions_test {

namespace {

namespace ptx = warpgauge::ptx;
namespace sass = warpgauge::sass;

// Integers on lines 6 to 8, a wait on line 9.
double lost(const std::vector<ptx::executed_line>& lines, const made_code& code,
            const std::vector<double>& executions) {
    const auto m = ptx::parse(R"(.version 8.0
.target sm_75
.address_size 64
.visible .entry k() {
.reg .b32 %r<3>; .reg .pred %p;
add.u32 %r1, %r1, 1;
add.u32 %r1, %r1, 2;
add.u32 %r1, %r1, 3;
mbarrier.try_wait.shared::cta.b64 %p, [%r1], %r2;
ret;
}
)");
    REQUIRE(m);
    ptx::traced_kernel t;
    t.lines = lines;
    const sass::detail::traced_lines<> read(*m, t);
    return sass::detail::lost_executions(read, code.code(), sass::find_blocks(code.code()),
                                         executions);
}

TEST_CASE("lines of a block without an execution are lost where the trace executes most of them") {
    const auto code = made_code().jump(3, true).plain(6).plain(7).exit(false, 10);
    CHECK(lost({{6, 5}, {7, 4}, {10, 1}}, code, {1, 0, 1}) == 9);
    CHECK(lost({{6, 5}, {7, 4}, {10, 1}}, code, {1, 2, 1}) == 0);
    CHECK(lost({{6, 5}, {10, 1}}, code, {1, 0, 1}) == 0);  // the other may have been moved there
}

TEST_CASE("what another block executes is not lost, nor what nothing reaches or has no line") {
    const auto copies = made_code().plain(6).jump(3, true).plain(6).exit(false, 10);
    CHECK(lost({{6, 5}, {10, 1}}, copies, {1, 0, 1}) == 0);
    const auto behind = made_code().exit(false, 10).plain(6).exit(false, 10);
    CHECK(lost({{6, 5}, {10, 1}}, behind, {1, 0}) == 0);
    const auto wait = made_code().jump(2, true).plain(9).exit(false, 10);
    CHECK(lost({{9, 5}, {10, 1}}, wait, {1, 0, 1}) == 0);
    const auto without = made_code().jump(2, true).plain().exit(false, 10);
    CHECK(lost({{6, 5}, {10, 1}}, without, {1, 0, 1}) == 0);
}

}  // namespace

}  // namespace lost_executions_test
