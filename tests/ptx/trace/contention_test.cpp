// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <string>

#include <doctest/doctest.h>

#include <warpgauge/ptx/text/parse.hpp>
#include <warpgauge/ptx/trace/contention.hpp>
#include <warpgauge/ptx/trace/find_kernel.hpp>
#include <warpgauge/ptx/trace/trace.hpp>

namespace contention_test {

using namespace warpgauge;

// Each thread sums into what its lines choose at %d2; %d1 is the argument, %r2 the thread and %r3 the block.
std::string summing(const std::string& address, const std::string& atomic) {
    return ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n"
           ".reg .b32 %r<9>;\n.reg .b64 %d<9>;\n.reg .f32 %f<9>;\n.reg .pred %p<3>;\nld.param.u64 "
           "%d1, [out];\n"
           "mov.u32 %r2, %tid.x;\nmov.u32 %r3, %ctaid.x;\n" +
           address + "\n" + atomic + "\nret;\n}\n";
}

ptx::contended_atomic of(const std::string& text, ptx::launch l = {{100}, {256}}) {
    const auto m = ptx::parse(text);
    REQUIRE(m);
    const auto t = ptx::trace(*ptx::find_kernel(*m, "k"), l, {{}});
    REQUIRE(t);
    return ptx::most_contended(*t);
}

TEST_CASE("a sum into one variable has an operation for each thread") {
    const std::string one = "mov.u64 %d2, %d1;";
    const auto floats = of(summing(one, "red.global.add.f32 [%d2], %f1;"));
    CHECK(floats.operations == 25'600);
    CHECK(floats.at.line == 14);
    // ptxas adds up 32-bit integers of a warp first.
    CHECK(of(summing(one, "red.global.add.u32 [%d2], %r2;")).operations == 800);
    CHECK(of(summing(one, "atom.global.max.s32 %r4, [%d2], %r2;")).operations == 800);
    CHECK(of(summing(one, "red.global.add.u64 [%d2], %d1;")).operations == 25'600);
    CHECK(of(summing(one, "atom.global.exch.b32 %r4, [%d2], %r2;")).operations == 25'600);
    CHECK(of(summing(one, "atom.global.inc.u32 %r4, [%d2], %r2;")).operations == 25'600);
}

TEST_CASE("the busiest of several atomics counts, and only one that all warps share") {
    const std::string one = "mov.u64 %d2, %d1;";
    CHECK(of(summing(one,
                     "red.global.add.f32 [%d2], %f1;\nsetp.lt.u32 %p1, %r2, 32;\n"
                     "@%p1 red.global.add.f32 [%d2+4096], %f1;"))
              .operations == 25'600);
    // A variable for each block, for each thread, and none.
    CHECK(of(summing("mul.wide.u32 %d2, %r3, 128;\nadd.u64 %d2, %d1, %d2;",
                     "red.global.add.f32 [%d2], %f1;"))
              .operations == 0);
    CHECK(of(summing("mul.wide.u32 %d2, %r2, 4;\nadd.u64 %d2, %d1, %d2;",
                     "red.global.add.f32 [%d2], %f1;"))
              .operations == 0);
    CHECK(of(summing(one, "st.global.f32 [%d2], %f1;")).operations == 0);
    // The lanes of one warp.
    CHECK(of(summing(one, "red.global.add.f32 [%d2], %f1;"), {{1}, {32}}).operations == 32);
}

TEST_CASE("lanes that share an address of a sector take turns, the rest of the warp beside them") {
    // Four lanes for each of eight variables of one sector.
    const std::string quarter =
        "and.b32 %r4, %r2, 7;\nmul.wide.u32 %d2, %r4, 4;\nadd.u64 %d2, %d1, %d2;";
    CHECK(of(summing(quarter, "red.global.add.f32 [%d2], %f1;")).operations == 3200);
}

}  // namespace contention_test
