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

TEST_CASE("instructions by the pipe that takes them") {
    struct {
        const char* text;  // its result is in %r3, and read
        pipe p;
        std::uint32_t count;
    } const all[]{
        {"@%p1 exit;", pipe::branch, 1},
        {"vote.sync.ballot.b32 %r3, %p1, -1;", pipe::exchange, 1},
        {"match.any.sync.b32 %r3, %r2, -1;", pipe::exchange, 1},
        {"redux.sync.add.u32 %r3, %r2, -1;", pipe::exchange, 1},
        {"activemask.b32 %r3;", pipe::exchange, 1},
        {"elect.sync %r3|%p1, -1;", pipe::exchange, 1},
        {"bar.warp.sync -1;", pipe::branch, 1},
        {"mov.b64 {%r3, %r4}, %d1;", pipe::alu, 0},
        {"mov.b64 %r3, {%r2, %r1};", pipe::alu, 0},
        {"mma.sync.aligned.m8n8k4.row.col.f32.f16 {%r3}, {%r4}, {%r5}, {%r6};", pipe::tensor, 1},
        {"cvt.rni.f32.f32 %r3, %f1;", pipe::special, 1},
        {"cvt.rmi.f32.f32 %r3, %f1;", pipe::special, 1},
        {"cvt.rpi.f32.f32 %r3, %f1;", pipe::special, 1},
        {"cvt.sat.f32.f32 %r3, %f1;", pipe::fp32, 1},
        {"cvt.f32.f16 %r3, %h1;", pipe::half, 1},
        {"cvt.rn.f16.f32 %r3, %f1;", pipe::special, 1},
        {"cvt.f64.f32 %r3, %f1;", pipe::fp64, 1},
        {"cvt.rn.f32.f64 %r3, %d2;", pipe::fp64, 1},
        {"cvt.s64.s16 %r3, %h1;", pipe::alu, 2},
        {"cvt %r3, %r2;", pipe::alu, 1},
        {"tex.1d.v4.f32.s32 {%r3, %f2, %f3, %f4}, [tile, {%r2}];", pipe::texture, 1},
        {"ld.local.u32 %r3, [%d1];", pipe::local_load, 1},
        {"st.local.u32 [%d1], %r2;", pipe::local_store, 1},
        {"atom.shared.add.u32 %r3, [tile], %r2;", pipe::shared_atomic, 1},
        {"fence.proxy.async;", pipe::other, 1},
        {"cp.async.wait_all;", pipe::other, 1},
        {"nanosleep.u32 20;", pipe::other, 1},
        {"ld.param.u32 %r3, %r4;", pipe::constant_load, 1},
        {"ld.const.u32 %r3, %r4;", pipe::constant_load, 1},
        {"ld.const.u32 %r3;", pipe::constant_load, 1},
        {"ld.shared.u32 %r3;", pipe::shared_load, 1},
        {"ld.global.u32 %r3;", pipe::global_load, 1},
        {"st.shared.u32 %r3;", pipe::shared_store, 1},
        {"st.global.u32 %r3;", pipe::global_store, 1},
        {"brkpt;", pipe::branch, 1},
        {"vadd.f32 %r3, %r2, %r2;", pipe::alu, 1},
        {"bfi.b32 %r3, %r2, %r4, 8, 4;", pipe::alu, 2},
        {"lop3.b32 %r3, %r2, %r1, 5, 232;", pipe::alu, 1}};
    for (const auto& e : all) {
        CAPTURE(e.text);
        const lowered_text k(std::string(e.text) + "\nst.global.u32 [%d1], %r3;\nret;");
        CHECK(k.count(0, e.p) == e.count);
    }
    const lowered_text table("brx.idx %r2, T;\nT: .branchtargets A, A;\nA: ret;");
    CHECK(table.count(0, pipe::branch) == 2);
    for (const char* from : {"s16", "s8", "u8"}) {  // I2FP takes none of these
        CAPTURE(from);
        const lowered_text k(
            std::string("cvt.rn.f32.") + from + " %f1, %h1;\nst.global.f32 [%d1], %f1;\nret;", 8,
            6);
        CHECK(k.count(0, pipe::special) == 1);
    }
}

}  // namespace lowered_steps_test
