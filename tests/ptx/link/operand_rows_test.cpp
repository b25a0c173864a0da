// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <warpgauge/ptx/link/operand_rows.hpp>

#include "ptx/linked.hpp"

namespace operand_rows_test {

using namespace warpgauge;
using ptx::link::nowhere, ptx::link::unknown_row;

TEST_CASE("values of every kind of operand") {
    const linked_text k(kernel_of(
        "mov.u32 %r3, 5;\nmov.u32 %r4, WARP_SZ;\nmov.f32 %f1, 0f3F800000;\nmov.f32 %f2, 1.0;\n"
        "mov.u32 %r5, %laneid;\nmov.u32 %r6, %smid;\nmov.b64 %d2, data;\nmov.u64 %d3, f;\n"
        "mov.u32 %r7, L;\nL: mov.b64 {%r8, _}, %d2;\nadd.u16 %h1, %h2, -1;\nret;",
        ".extern .func f();\n"));
    const auto row = [&](std::size_t step) { return k.source(k.body(step)); };
    CHECK(k.constant(row(0)) == 5);
    CHECK(k.constant(row(1)) == 32);
    CHECK(k.constant(row(2)) == 0x3F80'0000);
    CHECK(row(3) == unknown_row);
    CHECK(row(4) == ptx::link::laneid);
    CHECK(row(5) == unknown_row);
    CHECK(k.constant(row(6)) == ptx::link::address_windows(64).parameter(1));
    CHECK(row(7) == unknown_row);
    CHECK(row(8) == unknown_row);
    CHECK(k.body(9).what == ptx::text::action::unpack);
    CHECK(k.result(k.body(9), 1) == nowhere);
    CHECK(k.constant(k.source(k.body(10), 1)) == 0xffff);  // as wide as its type
    CHECK(link_error_of(kernel_of("add.u32 %r3, %nothing, 1;\nret;")) ==
          model_error{errc::missing, "declaration", 15, 1});
}

TEST_CASE("a source `_` is a value that nobody knows, a result none that anybody reads") {
    const linked_text k(
        kernel_of("add.u32 %r3, %r1, _;\nld.global.v2.u32 {_, %r4}, [%d1];\nst.global.v2.u32 "
                  "[%d1], {_, %r4};\n"
                  "mov.b64 %d2, {%r4, _};\nret;"));
    CHECK(k.source(k.body(0), 1) == unknown_row);
    CHECK(k.result(k.body(1), 0) == nowhere);
    CHECK(k.source(k.body(2), 1) == unknown_row);
    CHECK(k.source(k.body(3), 1) == unknown_row);
}

TEST_CASE("bases of addresses") {
    const linked_text k(
        kernel_of("ld.global.u32 %r3, [%d1+8];\nld.global.u32 %r3, [4096];\nld.shared.u32 %r3, "
                  "[tile+4];\nret;"));
    CHECK(k.body(0).offset == 8);
    CHECK(k.source(k.body(0)) == k.result(k.program.steps[1]));
    CHECK(k.body(1).offset == 4096);
    CHECK(k.constant(k.source(k.body(1))) == 0);
    CHECK(k.body(2).offset == 4);
    CHECK(k.constant(k.source(k.body(2))) == 0);  // the tile is the first shared variable
}

TEST_CASE("a register that holds a parameter's address") {
    const linked_text k(kernel_of("mov.b64 %d2, n;\nld.param.u16 %h1, [%d2+2];\nret;"));
    CHECK(k.body(1).what == ptx::text::action::move);
    CHECK_FALSE(k.body(1).accesses);
    const auto& given = k.program.routines[0].presets.back();
    CHECK(given.parameter == 0);
    CHECK(given.offset == 2);
    CHECK(given.bytes == 2);
}

TEST_CASE("bits of floats, lists within each other, and an address without a base") {
    std::string many = "frob.u32 %r3, {%r1";
    for (int n = 0; n < 70'000; ++n) many += n == 35'000 ? "}, {%r1" : ",%r1";
    const linked_text k(
        kernel_of("mov.f32 %f1, 0F3F800000;\nmov.f64 %d2, 0d3FF0000000000000;\n"
                  "mov.f64 %d2, 0D3FF0000000000000;\nmov.f32 %f1, 1.;\n"
                  "frob.u32 %r3, (%r1, %r2);\nfrob.u32 %r3, {%r1, {%r2, %r4}};\n"
                  "ld.global.u32 %r3, [_];\nret;"));
    CHECK(k.constant(k.source(k.body(0))) == 0x3F80'0000);
    CHECK(k.constant(k.source(k.body(1))) == 0x3FF0'0000'0000'0000);
    CHECK(k.constant(k.source(k.body(2))) == 0x3FF0'0000'0000'0000);
    CHECK(k.source(k.body(3)) == unknown_row);
    CHECK(k.body(4).sources == 2);
    CHECK(k.body(5).sources == 3);
    CHECK(k.source(k.body(6)) == unknown_row);
    CHECK(link_error_of(kernel_of(many + "};\nret;")).code == errc::limit_reached);
}

}  // namespace operand_rows_test
