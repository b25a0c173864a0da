// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <cstdint>
#include <string>

#include <warpgauge/sass/lowered_steps.hpp>

#include "sass/lowered.hpp"

// Counts by hand, of what ptxas 13.0 writes of the same text.

namespace lowered_steps_test {

using warpgauge::sass::pipe;

TEST_CASE("parameters are operands, and from 9.0 on loads of constants") {
    const std::string text =
        "add.u32 %r3, %r2, %r1;\nxor.b32 %r4, %r2, %r1;\n"
        "mul.lo.u32 %r5, %r3, %r4;\nst.global.u32 [%d1], %r5;\nret;";
    const lowered_text turing(text);
    CHECK(turing.steps.total(0) == 1);  // of `ld.param`: the stack pointer, which every kernel has
    CHECK(turing.steps.total(1) == 0);
    CHECK(turing.steps.total(2) == 1);  // S2R
    CHECK(turing.total(0) == 1);
    CHECK(turing.count(3, pipe::alu) == 2);  // the pointer, in two registers
    const lowered_text hopper(text, 9, 0);
    CHECK(hopper.steps.counts(0)[static_cast<std::size_t>(pipe::constant_load)] == 2);
    CHECK(hopper.count(0, pipe::constant_load) == 1);
    CHECK(hopper.count(1, pipe::constant_load) == 0);  // it is there already
    CHECK(hopper.count(3, pipe::constant_load) == 1);
}

TEST_CASE("of two operands that are no registers one is moved, once in a block") {
    const lowered_text k(
        "setp.lt.u32 %p1, %r1, 5;\nadd.u32 %r3, %r1, 7;\nselp.b32 %r4, %r3, %r2, %p1;\n"
        "st.global.u32 [%d1], %r4;\nbra A;\nA: setp.lt.u32 %p2, %r1, 5;\n"
        "selp.b32 %r5, %r2, 0, %p2;\nst.global.u32 [%d1], %r5;\nret;");
    CHECK(k.count(0, pipe::alu) == 2);
    CHECK(k.count(1, pipe::alu) == 1);
    CHECK(k.count(2, pipe::alu) == 1);
}

TEST_CASE("branches, and lanes that part") {
    const lowered_text k(
        "setp.lt.u32 %p1, %r2, %r1;\n@%p1 bra A;\nst.global.u32 [%d1], %r2;\n"
        "bar.sync 0;\nA: bar.sync 0;\nld.global.u32 %r3, [%d1];\n"
        "shfl.sync.down.b32 %r4, %r3, 1, 31, -1;\nst.global.u32 [%d1], %r4;\nret;");
    CHECK(k.count(1, pipe::branch) == 3);  // BSSY, BRA, BSYNC
    CHECK(k.count(3, pipe::barrier) == 1);
    CHECK(k.count(6, pipe::exchange) == 1);
    CHECK(k.count(8, pipe::branch) == 1);
}

TEST_CASE("conversions by their types and the GPU") {
    const std::string text =
        "cvt.rn.f32.u32 %f1, %r2;\ncvt.rzi.s32.f32 %r3, %f1;\n"
        "cvt.rn.f32.s16 %f2, %h1;\ncvt.s64.s32 %d2, %r3;\n"
        "cvt.rn.f32.s64 %f3, %d2;\ncvt.rzi.f32.f32 %f4, %f3;\n"
        "fma.rn.f32 %f5, %f2, %f4, %f3;\nst.global.f32 [%d1], %f5;\nret;";
    const lowered_text turing(text);
    CHECK(turing.count(0, pipe::special) == 1);
    CHECK(turing.count(1, pipe::special) == 1);
    CHECK(turing.count(3, pipe::alu) == 1);
    CHECK(turing.count(4, pipe::fp64) == 1);
    CHECK(turing.count(5, pipe::special) == 1);
    const lowered_text ampere(text, 8, 6);
    CHECK(ampere.count(0, pipe::alu) == 1);
    CHECK(ampere.count(2, pipe::special) == 1);
    CHECK(lowered_text(text, 8, 0).count(4, pipe::special) == 1);
}

TEST_CASE("literals shorten bit fields and long products") {
    const lowered_text k(
        "bfe.u32 %r3, %r2, 8, 4;\nbfe.u32 %r4, %r2, %r3, %r3;\n"
        "cvt.u64.u32 %d2, %r4;\nmul.lo.u64 %d3, %d2, 24;\nmul.lo.u64 %d4, %d3, %d2;\n"
        "st.global.u64 [%d1], %d4;\nret;");
    CHECK(k.total(0) == 1);
    CHECK(k.total(1) == 4);
    CHECK(k.total(3) == 3);
    CHECK(k.total(4) == 4);
}

TEST_CASE("what the table lacks is said to be missing") {
    const lowered_text k(
        "vadd.u32.u32.u32 %r3, %r2, %r2;\nst.global.u32 [%d1], %r3;\n"
        "membar.gl;\nret;");
    CHECK(k.steps.unlisted(instructions_before_body));
    CHECK(k.total(0) == 1);
    CHECK_FALSE(k.steps.unlisted(instructions_before_body + 1));
    CHECK(k.count(2, pipe::other) == 1);
}

TEST_CASE("a slow path has a branch, and lanes part at it where they differ") {
    const lowered_text k(
        "cvt.rn.f32.u32 %f1, %r2;\ncvt.rn.f32.u32 %f2, %r1;\ndiv.rn.f32 %f3, %f1, %f2;\n"
        "div.rn.f32 %f4, %f2, %f2;\nadd.f32 %f5, %f3, %f4;\nst.global.f32 [%d1], %f5;\n"
        "ret;");
    CHECK(k.count(2, pipe::fp32) == 5);
    CHECK(k.count(2, pipe::special) == 2);
    CHECK(k.count(2, pipe::branch) == 3);
    CHECK(k.count(3, pipe::branch) == 1);
}

}  // namespace lowered_steps_test
