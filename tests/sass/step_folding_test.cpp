// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <string>

#include <warpgauge/sass/step_folding.hpp>

#include "sass/lowered.hpp"

// What each text becomes was read off the code that ptxas 13.0 writes for 7.5 to 9.0.

namespace step_folding_test {

using warpgauge::sass::detail::fold;

TEST_CASE("a wide product is part of each addition that reads it") {
    const lowered_text k(
        "mul.wide.s32 %d2, %r2, 4;\nadd.s64 %d3, %d1, %d2;\nadd.s64 %d4, %d3, %d2;\n"
        "ld.global.u32 %r3, [%d3];\nst.global.u32 [%d4], %r3;\nret;");
    CHECK(k.fold_of(0) == fold::nothing);
    CHECK(k.fold_of(1) == fold::wide_product);
    CHECK(k.fold_of(2) == fold::wide_product);
    const lowered_text kept(
        "mul.wide.s32 %d2, %r2, 4;\nadd.s64 %d3, %d1, %d2;\n"
        "st.global.u64 [%d3], %d2;\nret;");
    CHECK(kept.fold_of(0) == fold::none);  // the store reads it too
}

TEST_CASE("literals added to an address are its offset") {
    const lowered_text k(
        "mov.u32 %r3, tile;\nadd.u32 %r4, %r3, %r2;\nadd.u32 %r5, %r4, 64;\n"
        "ld.shared.u32 %r6, [%r5];\nadd.u32 %r7, %r6, 64;\n"
        "st.shared.u32 [%r4], %r7;\nret;");
    CHECK(k.fold_of(1) == fold::nothing);
    CHECK(k.fold_of(2) == fold::nothing);
    CHECK(k.fold_of(4) == fold::none);
}

TEST_CASE("shifts and products are part of an addition") {
    const lowered_text k(
        "shl.b32 %r3, %r2, 5;\nadd.u32 %r4, %r3, %r1;\nmul.lo.u32 %r5, %r2, %r1;\n"
        "add.u32 %r6, %r4, %r5;\nst.global.u32 [%d1], %r6;\nret;");
    CHECK(k.fold_of(0) == fold::nothing);
    CHECK(k.fold_of(1) == fold::shifted);
    CHECK(k.fold_of(2) == fold::nothing);
    CHECK(k.fold_of(3) == fold::product);
}

TEST_CASE("up to 8.9 addresses of shared memory have a factor") {
    const std::string text =
        "shl.b32 %r3, %r2, 2;\nmov.u32 %r4, tile;\nadd.u32 %r5, %r4, %r3;\n"
        "st.shared.u32 [%r5], %r1;\nret;";
    const lowered_text turing(text);
    CHECK(turing.fold_of(0) == fold::nothing);
    CHECK(turing.fold_of(2) == fold::nothing);
    const lowered_text hopper(text, 9, 0);
    CHECK(hopper.fold_of(0) == fold::nothing);
    CHECK(hopper.fold_of(2) == fold::shifted);
}

TEST_CASE("two additions or two logic operations are one") {
    const lowered_text k(
        "ld.global.u32 %r3, [%d1];\nadd.u32 %r4, %r3, %r2;\nadd.u32 %r5, %r4, %r1;\n"
        "add.u32 %r6, %r5, %r2;\nand.b32 %r7, %r6, %r3;\nxor.b32 %r8, %r7, %r2;\n"
        "st.global.u32 [%d1], %r8;\nret;");
    CHECK(k.fold_of(1) == fold::nothing);
    CHECK(k.fold_of(2) == fold::three_sources);
    CHECK(k.fold_of(3) == fold::none);  // three sources are all there are
    CHECK(k.fold_of(4) == fold::nothing);
    CHECK(k.fold_of(5) == fold::three_sources);
}

TEST_CASE("comparisons combine predicates, and LOP3 compares with zero") {
    const lowered_text k(
        "setp.lt.u32 %p1, %r2, 5;\nsetp.lt.u32 %p2, %r1, 5;\nand.pred %p3, %p1, %p2;\n"
        "and.b32 %r3, %r2, 3;\nsetp.eq.s32 %p4, %r3, 0;\nor.pred %p5, %p3, %p4;\n"
        "not.pred %p6, %p5;\n@%p6 bra A;\nst.global.u32 [%d1], %r1;\nA: ret;");
    CHECK(k.fold_of(0) == fold::none);
    CHECK(k.fold_of(1) == fold::none);
    CHECK(k.fold_of(2) == fold::nothing);
    CHECK(k.fold_of(4) == fold::nothing);
    CHECK(k.fold_of(5) == fold::nothing);
    CHECK(k.fold_of(6) == fold::nothing);
}

TEST_CASE("a product is fused with the addition behind it, unless either is rounded") {
    const lowered_text k(
        "ld.global.f32 %f1, [%d1];\nmul.f32 %f2, %f1, %f1;\nadd.f32 %f3, %f2, %f1;\n"
        "mul.rn.f32 %f4, %f3, %f1;\nadd.f32 %f5, %f4, %f1;\nmul.f32 %f6, %f5, %f1;\n"
        "sub.f32 %f7, %f6, %f6;\nneg.f32 %f8, %f7;\nfma.rn.f32 %f1, %f8, %f7, %f7;\n"
        "st.global.f32 [%d1], %f1;\nret;");
    CHECK(k.fold_of(1) == fold::nothing);
    CHECK(k.fold_of(2) == fold::none);
    CHECK(k.fold_of(3) == fold::none);
    CHECK(k.fold_of(4) == fold::none);
    CHECK(k.fold_of(5) == fold::none);  // it is read twice
    CHECK(k.fold_of(7) == fold::nothing);
}

TEST_CASE("what is in the constant bank") {
    const lowered_text k(
        "mov.u32 %r3, %ntid.x;\nmad.lo.u32 %r4, %r3, %r1, %r2;\n"
        "cvta.to.global.u64 %d2, %d1;\nst.global.u32 [%d2], %r4;\nret;");
    const auto& folding = k.steps.folding();
    CHECK(folding.is_parameter(k.result(k.body(0))));
    CHECK(folding.is_parameter(k.source(k.body(1), 1)));
    CHECK_FALSE(folding.is_parameter(k.source(k.body(1), 2)));
    CHECK(folding.value(k.result(k.body(2))) == folding.value(k.source(k.body(2))));
    CHECK(folding.vanishes(instructions_before_body));
}

TEST_CASE("copies of copies, and rows that define each other, end") {
    std::string text = "mov.u32 %r3, %r2;\n";
    for (int n = 0; n < 200; ++n) text += "add.u32 %r3, %r3, 4;\n";
    const lowered_text k(text +
                         "mov.u32 %r5, %r6;\nmov.u32 %r6, %r5;\nadd.u32 %r7, %r8, 4;\n"
                         "add.u32 %r8, %r7, 4;\nst.shared.u32 [%r5], %r3;\n"
                         "st.shared.u32 [%r8], %r3;\nret;");
    CHECK(k.steps.folding().value(k.result(k.body(201))) != warpgauge::ptx::link::nowhere);
}

}  // namespace step_folding_test
