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

TEST_CASE("a sum of 16 bits is part of no sum of 32") {
    const lowered_text k(
        "add.u16 %h1, %h2, 5;\nadd.u32 %r3, %h1, %r2;\nadd.s32 %r4, %r2, %r1;\n"
        "add.s32 %r5, %r4, %r3;\nst.global.u32 [%d1], %r5;\nret;");
    CHECK(k.fold_of(1) == fold::none);
    CHECK(k.fold_of(2) != k.fold_of(3));
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

TEST_CASE("of products, one of 16 bits by 4 or 8 is such a factor") {
    const auto products = [](const std::string& product, const std::string& place) {
        const lowered_text k(product + "\nst.shared.u32 [" + place + "], %r1;\nret;");
        return k.total(0);
    };
    CHECK(products("mul.wide.u16 %r3, %h1, 8;", "%r3") == 0);
    CHECK(products("mul.wide.u16 %r3, %h1, 12;", "%r3") > 0);
    CHECK(products("mul.wide.u32 %d3, %r2, 8;", "%d3") > 0);
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

TEST_CASE("what is folded, and what is nearly so") {
    struct {
        const char* text;
        std::uint32_t step;
        fold becomes;
    } const all[]{
        // Signs are part of arithmetic alone.
        {"neg.f32 %f2, %f1;\nadd.f32 %f3, %f2, %f1;\nst.global.f32 [%d1], %f3;", 0, fold::nothing},
        {"neg.f64 %d2, %d3;\nadd.f64 %d4, %d2, %d3;\nst.global.f64 [%d1], %d4;", 0, fold::nothing},
        {"neg.f16 %h2, %h1;\nadd.f16 %h3, %h2, %h1;\nst.global.b16 [%d1], %h3;", 0, fold::nothing},
        {"neg.s32 %r3, %r2;\nmul.lo.u32 %r4, %r3, %r2;\nst.global.u32 [%d1], %r4;", 0, fold::none},
        {"neg.f32 %f2, %f1;\nst.global.f32 [%d1], %f2;", 0, fold::none},
        {"neg.f32 %f2, %f1;\nmov.f32 %f3, %f2;\nst.global.f32 [%d1], %f3;", 0, fold::none},
        {"neg.f32 %f2, %f1;\nselp.f32 %f3, %f2, %f1, %p1;\nst.global.f32 [%d1], %f3;", 0,
         fold::none},
        // A constant at an address that only the launch knows.
        {"ld.const.f32 %f1, [%d2];\nst.global.f32 [%d1], %f1;", 0, fold::none},
        // An address is no literal less a register.
        {"sub.s64 %d2, 8, %d1;\nst.global.u32 [%d2], %r1;", 0, fold::none},
        // Logic, fields and products of 64 bits.
        {"and.b64 %d2, %d3, %d4;\nst.global.u64 [%d1], %d2;", 0, fold::none},
        {"bfe.u64 %d2, %d3, 8, 4;\nst.global.u64 [%d1], %d2;", 0, fold::none},
        {"bfe.u32 %r3, %r2, 8, 4;\nst.global.u32 [%d1], %r3;", 0, fold::in_pieces},
        {"bfi.b32 %r3, %r2, %r4, 8, 4;\nst.global.u32 [%d1], %r3;", 0, fold::in_pieces},
        {"mul.hi.u64 %d2, %d3, 24;\nst.global.u64 [%d1], %d2;", 0, fold::none},
        // Shifts and products in sums.
        {"shl.b32 %r3, %r2, 5;\nsub.u32 %r4, %r3, %r1;\nst.global.u32 [%d1], %r4;", 1, fold::none},
        {"shl.b32 %r3, %r2, 5;\nsub.u32 %r4, %r1, %r3;\nst.global.u32 [%d1], %r4;", 1,
         fold::shifted},
        {"shl.b32 %r3, %r2, %r1;\nadd.u32 %r4, %r3, %r1;\nst.global.u32 [%d1], %r4;", 1,
         fold::none},
        {"shl.b64 %d2, %d3, 5;\ncvt.u32.u64 %r3, %d2;\nadd.u32 %r4, %r3, %r1;\n"
         "st.global.u32 [%d1], %r4;",
         2, fold::none},
        {"mul.hi.u32 %r3, %r2, %r1;\nadd.u32 %r4, %r3, %r1;\nst.global.u32 [%d1], %r4;", 1,
         fold::none},
        {"mul.lo.u64 %d2, %d3, %d4;\ncvt.u32.u64 %r3, %d2;\nadd.u32 %r4, %r3, %r1;\n"
         "st.global.u32 [%d1], %r4;",
         2, fold::none},
        {"mul.wide.s16 %r3, %h1, %h2;\nadd.u32 %r4, %r3, %r1;\nst.global.u32 [%d1], %r4;", 1,
         fold::product},
        {"mul.lo.u64 %d2, %d3, %d4;\nadd.u64 %d5, %d2, %d3;\nst.global.u64 [%d1], %d5;", 1,
         fold::none},
        {"mul.wide.u32 %d2, %r2, %r1;\nsub.u64 %d5, %d3, %d2;\nst.global.u64 [%d1], %d5;", 1,
         fold::none},
        {"shl.b64 %d2, %d3, %r1;\nadd.u64 %d5, %d2, %d3;\nst.global.u64 [%d1], %d5;", 1,
         fold::none},
        {"shl.b64 %d2, %d3, 3;\nadd.u64 %d5, %d2, %d3;\nst.global.u64 [%d1], %d5;", 1,
         fold::shifted},
        // One of two shifts; no address has both.
        {"shl.b32 %r3, %r2, 5;\nshl.b32 %r4, %r1, 3;\nadd.u32 %r5, %r3, %r4;\n"
         "st.global.u32 [%d1], %r5;",
         0, fold::nothing},
        {"shl.b32 %r3, %r2, 5;\nshl.b32 %r4, %r1, 3;\nadd.u32 %r5, %r3, %r4;\n"
         "st.global.u32 [%d1], %r5;",
         1, fold::none},
        {"shl.b32 %r3, %r2, 5;\nmul.lo.u32 %r4, %r2, %r1;\nadd.u32 %r5, %r3, %r4;\n"
         "st.shared.u32 [%r5], %r1;",
         1, fold::none},
        // Three sources of logic.
        {"xor.b32 %r3, %r2, %r4;\nand.b32 %r5, %r3, %r6;\nst.global.u32 [%d1], %r5;", 0,
         fold::nothing},
        {"not.b32 %r3, %r2;\nand.b32 %r5, %r3, %r6;\nst.global.u32 [%d1], %r5;", 0, fold::nothing},
        // Predicates of comparisons that nothing else reads.
        {"setp.lt.f32 %p1, %f1, %f2;\nsetp.lt.s32 %p2, %r1, %r2;\nand.pred %p3, %p1, %p2;\n"
         "@%p3 st.global.u32 [%d1], %r1;",
         2, fold::nothing},
        {"setp.lt.f16 %p1, %h1, %h2;\nand.pred %p3, %p1, %p2;\n@%p3 st.global.u32 [%d1], %r1;", 1,
         fold::nothing},
        {"not.pred %p1, %p4;\nand.pred %p3, %p1, %p2;\n@%p3 st.global.u32 [%d1], %r1;", 1,
         fold::none},
        // LOP3 compares with 0.
        {"or.b32 %r3, %r2, %r4;\nsetp.eq.s32 %p1, %r3, 0;\n@%p1 st.global.u32 [%d1], %r1;", 1,
         fold::nothing},
        {"xor.b32 %r3, %r2, %r4;\nsetp.ne.s32 %p1, %r3, 0;\n@%p1 st.global.u32 [%d1], %r1;", 1,
         fold::nothing},
        {"add.u32 %r3, %r2, %r4;\nsetp.eq.s32 %p1, %r3, 0;\n@%p1 st.global.u32 [%d1], %r1;", 1,
         fold::none},
        {"and.b64 %d2, %d3, %d4;\nsetp.eq.s64 %p1, %d2, 0;\n@%p1 st.global.u32 [%d1], %r1;", 1,
         fold::none},
        {"or.b32 %r3, %r2, %r4;\nsetp.eq.and.s32 %p1, %r3, 0, %p2;\n@%p1 st.global.u32 [%d1], %r1;",
         1, fold::none},
        {"or.b32 %r3, %r2, %r4;\nset.eq.u32.u32 %r5, %r3, 0;\nst.global.u32 [%d1], %r5;", 1,
         fold::none},
        // Shared memory is addressed by a register times 4, 8 or 16.
        {"shl.b32 %r3, %r2, 1;\nst.shared.u32 [%r3], %r1;", 0, fold::none},
        {"shl.b32 %r3, %r2, 2;\nst.shared.u32 [%r3], %r1;", 0, fold::nothing},
        {"shl.b32 %r3, %r2, 4;\nst.shared.u32 [%r3], %r1;", 0, fold::nothing},
        {"shl.b32 %r3, %r2, 5;\nst.shared.u32 [%r3], %r1;", 0, fold::none},
        {"mul.wide.u16 %r3, %h1, 4;\nst.shared.u32 [%r3], %r1;", 0, fold::nothing},
        {"mul.wide.u16 %r3, %h1, 8;\nst.shared.u32 [%r3], %r1;", 0, fold::nothing},
        {"mul.wide.u16 %r3, %h1, 6;\nst.shared.u32 [%r3], %r1;", 0, fold::none},
        {"mul.wide.u16 %r3, %h1, %h2;\nst.shared.u32 [%r3], %r1;", 0, fold::none},
        {"mul.lo.u32 %r3, %r2, 4;\nst.shared.u32 [%r3], %r1;", 0, fold::none}};
    for (const auto& e : all) {
        CAPTURE(e.text);
        const lowered_text k(std::string(e.text) + "\nret;");
        CHECK(k.fold_of(e.step) == e.becomes);
    }
}

}  // namespace step_folding_test
