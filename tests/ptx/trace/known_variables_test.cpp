// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that read variables with initial values: loops and branches go as these say.
#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include <warpgauge/ptx/text/parse.hpp>
#include <warpgauge/ptx/trace/trace.hpp>

#include "ptx/linked.hpp"

namespace known_variables_test {

using namespace warpgauge;

namespace {

ptx::traced_kernel traced(const std::string& functions, const std::string& body,
                          std::uint32_t blocks = 1) {
    const parsed_text text(kernel_of(body, functions));
    const auto k = ptx::find_kernel(text.module, "k");
    REQUIRE(k);
    const auto t = ptx::trace(*k, {{blocks}, {32}}, {9}, {.blocks = ptx::sampling::all});
    CAPTURE(t ? std::string_view() : std::string_view(message(t.error()).view()));
    REQUIRE(t);
    return *t;
}

// Waits at as many barriers as %r4 says.
const std::string loop =
    "\nmov.u32 %r3, 0;\nLOOP: bar.sync 0; add.u32 %r3, %r3, 1;\n"
    "setp.lt.u32 %p1, %r3, %r4;\n@%p1 bra LOOP;\nret;";

double barriers(const std::string& functions, const std::string& load, std::uint32_t blocks = 1) {
    const auto t = traced(functions, load + loop, blocks);
    CHECK(t.assumptions.empty());
    return t.profile().sync_insts;
}

}  // namespace

TEST_CASE("trip counts from constants") {
    const std::string table = ".const .align 4 .u32 rounds[4] = {7, 5};\n";
    CHECK(barriers(table, "ld.const.u32 %r4, [rounds];") == 7);
    CHECK(barriers(table, "ld.const.v2.u32 {%r5, %r4}, [rounds];") == 5);
    // Block by block: 7, 5, and 1 of a zero.
    CHECK(barriers(table,
                   "mov.u32 %r3, %ctaid.x; mov.u64 %d2, rounds; mad.wide.u32 %d3, %r3, 4, %d2;\n"
                   "ld.const.u32 %r4, [%d3];",
                   3) == doctest::Approx(13.0 / 3));
    CHECK(barriers(".const .f32 scale = 2.5;\n",
                   "ld.const.f32 %f1, [scale]; mul.f32 %f1, %f1, 0f40800000; cvt.rzi.u32.f32 %r4, "
                   "%f1;") == 10);
}

TEST_CASE("trip counts from global memory that nobody writes to, by generic addresses too") {
    const std::string table = ".global .align 4 .b8 rounds[8] = {0, 0, 0, 0, 6};\n";
    CHECK(barriers(table, "mov.u64 %d2, rounds; cvta.global.u64 %d3, %d2; ld.u32 %r4, [%d3+4];") ==
          6);
    const auto written =
        traced(table, "st.global.u32 [rounds], 1; ld.global.u32 %r4, [rounds+4];" + loop);
    CHECK(written.assumptions.size() == 1);
    // What has no values in the text is the host's to write.
    CHECK(traced(".const .u32 n[1];\n", "ld.const.u32 %r4, [n];" + loop).assumptions.size() == 1);
}

TEST_CASE("a table that a loop reads, round by round") {
    const std::string table = ".const .u32 next[8] = {3, 0, 5, 6, 0, 1, 2, 0};\n";
    // 0 -> 3 -> 6 -> 2 -> 5 -> 1 -> 0
    const auto t =
        traced(table,
               "mov.u32 %r3, 0; mov.u64 %d2, next;\n"
               "LOOP: bar.sync 0; mad.wide.u32 %d3, %r3, 4, %d2;\n"
               "ld.const.u32 %r3, [%d3]; setp.ne.u32 %p1, %r3, 0;\n@%p1 bra LOOP;\nret;");
    CHECK(t.profile().sync_insts == 6);
    CHECK(t.assumptions.empty());
    // Values that decide nothing leave the loop to its closed form.
    const auto long_loop =
        traced(table,
               "mov.u32 %r3, 0; mov.u32 %r6, 0; mov.u64 %d2, next;\nLOOP: ld.const.u32 %r5, [%d2]; "
               "bar.sync 0;\n"
               "add.u32 %r6, %r6, %r5; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 1000000;\n"
               "@%p1 bra LOOP;\nret;");
    CHECK(long_loop.profile().sync_insts == 1'000'000);
    CHECK(long_loop.steps < 1000);
}

}  // namespace known_variables_test
