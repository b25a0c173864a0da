// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <string>

#include <warpgauge/sass/row_facts.hpp>

#include "sass/lowered.hpp"

namespace row_facts_test {

using warpgauge::ptx::link::nowhere;

constexpr std::uint32_t body = instructions_before_body;

TEST_CASE("what nobody reads is dead, and so is what only it reads") {
    const lowered_text k(
        "add.u32 %r3, %r2, 1;\nadd.u32 %r4, %r3, 1;\nmul.lo.u32 %r5, %r2, 3;\n"
        "st.global.u32 [%d1], %r5;\natom.global.add.u32 %r6, [%d1], %r2;\nret;");
    const auto& facts = k.steps.facts();
    CHECK(facts.is_dead(body + 0));
    CHECK(facts.is_dead(body + 1));
    CHECK_FALSE(facts.is_dead(body + 2));
    CHECK_FALSE(facts.is_dead(body + 3));
    CHECK_FALSE(facts.is_dead(body + 4));  // it writes
}

TEST_CASE("addresses, and what is stored") {
    const lowered_text k(
        "add.u64 %d2, %d1, 8;\nadd.u64 %d3, %d2, 8;\nld.global.u32 %r3, [%d3];\n"
        "add.u64 %d4, %d1, 16;\nst.global.u64 [%d1], %d4;\n"
        "st.global.u32 [%d1], %r3;\nret;");
    const auto& facts = k.steps.facts();
    CHECK(facts.makes_address(k.body(0)));
    CHECK(facts.makes_address(k.body(1)));
    CHECK_FALSE(facts.makes_address(k.body(3)));
}

TEST_CASE("a sum that nobody gets makes no address of its parts") {
    const lowered_text k(
        "add.u64 %d2, %d1, 8;\nadd.u64 _, %d2, 8;\nadd.u64 %d3, %d1, 16;\nadd.u64 %d4, %d3, 8;\n"
        "ld.global.u32 %r3, [%d4];\nst.global.u32 [%d4], %r3;\nret;");
    const auto& facts = k.steps.facts();
    CHECK_FALSE(facts.makes_address(k.body(0)));
    CHECK(facts.makes_address(k.body(2)));
}

TEST_CASE("what differs from lane to lane") {
    const lowered_text k(
        "add.u32 %r3, %r1, 1;\nadd.u32 %r4, %r2, %r3;\nld.global.u32 %r5, [%d1];\n"
        "add.u32 %r6, %r5, 1;\nsetp.lt.u32 %p1, %r4, 5;\nsetp.lt.u32 %p2, %r3, 5;\n"
        "@%p1 bra A;\nst.global.u32 [%d1], %r6;\nA: @%p2 bra B;\n"
        "st.global.u32 [%d1], %r3;\nB: st.global.u32 [%d1], %r1;\n"
        "setp.lt.u32 %p3, %r2, 5;\n@%p3 bra C;\nst.global.u32 [%d1], %r1;\nC: ret;");
    const auto& facts = k.steps.facts();
    CHECK_FALSE(facts.varies(k.body(0)));
    CHECK(facts.varies(k.body(1)));
    CHECK(facts.varies(k.body(3)));
    CHECK(facts.parts_lanes(body + 6));
    CHECK_FALSE(facts.parts_lanes(body + 8));   // all lanes go the same way
    CHECK_FALSE(facts.parts_lanes(body + 12));  // to the end
}

TEST_CASE("copies, special registers and literals") {
    const lowered_text k(
        "mov.u32 %r3, %ctaid.x;\nmov.u32 %r4, %ntid.x;\ncvta.to.global.u64 %d2, %d1;\n"
        "cvt.u64.u32 %d3, %r3;\ncvt.s64.s32 %d4, %r4;\nadd.u64 %d5, %d3, %d4;\n"
        "add.u64 %d6, %d5, %d2;\nmov.u32 %r5, 7;\nst.global.u32 [%d6], %r5;\nret;");
    const auto& facts = k.steps.facts();
    CHECK(facts.reads_special(k.body(0)));
    CHECK_FALSE(facts.reads_special(k.body(1)));  // in the constant bank
    CHECK(facts.is_plain_copy(k.body(2)));
    CHECK(facts.is_plain_copy(k.body(3)));
    CHECK_FALSE(facts.is_plain_copy(k.body(4)));  // it spreads the sign
    CHECK(facts.is_literal(k.source(k.body(7))));
    CHECK(facts.source_of_move(k.result(k.body(7))) == k.source(k.body(7)));
    CHECK(facts.definition_of(k.result(k.body(5))) == body + 5);
    CHECK(facts.definition_of(nowhere) == nowhere);
    CHECK(facts.step_count() == k.program.steps.size());
    CHECK(facts.capability() == 75);
}

TEST_CASE("the address of a variable in shared memory is computed from 9.0 on") {
    const std::string text =
        "mov.u32 %r3, tile;\nadd.u32 %r4, %r3, %r2;\nst.shared.u32 [%r4], %r2;\nret;";
    CHECK_FALSE(lowered_text(text, 8, 9).steps.facts().is_shared_symbol(body));
    CHECK(lowered_text(text, 9, 0).steps.facts().is_shared_symbol(body));
    CHECK_FALSE(lowered_text("mov.u32 %r3, 4;\nst.shared.u32 [%r3], %r2;\nret;", 9, 0)
                    .steps.facts()
                    .is_shared_symbol(body));
}

TEST_CASE("copies that join paths") {
    const lowered_text k(
        "mov.u32 %r3, 0;\nadd.u32 %r4, %r2, 1;\n@%p1 bra A;\nmov.u32 %r3, %r4;\n"
        "A: mov.u32 %r5, %r2;\nst.global.u32 [%d1], %r3;\n"
        "st.global.u32 [%d1], %r5;\nret;");
    const auto& facts = k.steps.facts();
    CHECK(facts.joins_paths(body + 0));
    CHECK_FALSE(facts.joins_paths(body + 3));  // nothing else needs what is copied
    CHECK_FALSE(facts.joins_paths(body + 4));
}

TEST_CASE("conversions that name other bits of a register, and copies of copies") {
    std::string text =
        "cvt.u16.u32 %h1, %r2;\nld.global.u8 %r3, [%d1];\ncvt.u32.u8 %r4, %r3;\n"
        "add.u32 %r5, %r2, 1;\ncvt.u32.u8 %r6, %r5;\ncvt.u32.u8 %r7, %r8;\n"
        "st.global.u32 [%d1], %r4;\nmov.u32 %r10, %r2;\n";
    for (int n = 0; n < 70; ++n) {
        text += "mov.u32 %q" + std::to_string(n + 1) + ", %q" + std::to_string(n) + ";\n";
    }
    const lowered_text k(".reg .u32 %q<80>;\nadd.u32 %q0, %r2, 1;\n" + text +
                         "st.global.u32 [%d1], %q70;\nret;");
    const auto& facts = k.steps.facts();
    CHECK(facts.is_plain_copy(k.body(1)));
    CHECK(facts.is_plain_copy(k.body(3)));  // what is loaded has zeros above
    CHECK_FALSE(facts.is_plain_copy(k.body(5)));
    CHECK_FALSE(facts.is_plain_copy(k.body(6)));  // nothing defines it
    CHECK_FALSE(facts.makes_address(k.body(7)));  // a store has no result
    CHECK(facts.source_of_move(k.result(k.body(18))) == k.result(k.body(0)));
    CHECK(facts.source_of_move(k.result(k.body(78))) == k.result(k.body(14)));  // 64 copies back
}

TEST_CASE("special registers that differ from lane to lane") {
    const lowered_text k(
        "mov.u32 %r3, %laneid;\nmov.u32 %r4, %warpid;\nmov.u32 %r5, %lanemask_gt;\n"
        "mov.u32 %r6, %nwarpid;\nmov.u32 %r7, %ctaid.x;\nvote.sync.ballot.b32 %r8, %p1, -1;\n"
        "mov.b64 {%r9, _}, %d1;\nmov.u64 %d2, tile;\nld.param.v2.u32 {%r10, %r11}, [n];\n"
        "st.global.u64 [%d1], %d2;\nst.global.u32 [%d1], %r10;\nret;",
        9, 0);
    const auto& facts = k.steps.facts();
    CHECK(facts.varies(k.body(0)));
    CHECK_FALSE(facts.varies(k.body(1)));
    CHECK(facts.varies(k.body(2)));
    CHECK_FALSE(facts.varies(k.body(3)));
    CHECK_FALSE(facts.varies(k.body(4)));
    CHECK_FALSE(facts.is_dead(body + 5));  // other lanes take part
    CHECK(facts.is_dead(body + 6));
    CHECK_FALSE(facts.is_shared_symbol(body + 7));  // of 64 bits
    CHECK_FALSE(facts.is_shared_symbol(body + 8));
    CHECK_FALSE(facts.reads_special(k.body(8)));
    CHECK_FALSE(facts.joins_paths(body + 8));
}

}  // namespace row_facts_test
