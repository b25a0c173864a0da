// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <string_view>

#include <warpgauge/ptx/text/opcode_table.hpp>
#include <warpgauge/sass/lowering_table.hpp>

// The rows themselves are held by `lowered_against_cubins`, which compiles each opcode alone.

namespace lowering_table_test {

using warpgauge::sass::find_lowering;
using warpgauge::sass::operand_type;
using warpgauge::sass::type_of;

static_assert(type_of("add.s64") == operand_type::int64);
static_assert(type_of("cvt.rn.f32.s64") == operand_type::int64);
static_assert(type_of("cvt.rzi.s64.f32") == operand_type::fp32);
static_assert(type_of("fma.rn.bf16x2") == operand_type::half);
static_assert(type_of("and.pred") == operand_type::predicate);
static_assert(type_of("ld.global.v2.b128") == operand_type::int64);
static_assert(type_of("min.s16x2") == operand_type::int32);
static_assert(type_of("mul.f64") == operand_type::fp64);
static_assert(type_of("bar.sync") == operand_type::int32);
static_assert(type_of("") == operand_type::int32);

static_assert(find_lowering("add.f32")->cost.fp32 == 1);
static_assert(find_lowering("add.rn.f32x2")->cost.fp32 == 2);
static_assert(find_lowering("add.s64")->cost.alu == 2);
static_assert(find_lowering("add.u32")->cost.alu == 1);
static_assert(find_lowering("div.rn.f32")->cost.total() == 8);
static_assert(find_lowering("div.full.ftz.f32")->cost.total() == 5);
static_assert(find_lowering("div.full.f32")->cost.total() == 8);
static_assert(find_lowering("div.s32")->cost.special == 3);
static_assert(find_lowering("ex2.approx.ftz.f32")->cost.total() == 1);
static_assert(find_lowering("ex2.approx.f32")->cost.total() == 4);
static_assert(find_lowering("mul.hi.s64")->cost.total() == 17);
static_assert(find_lowering("mul.wide.s32")->cost.integer_fma == 1);
static_assert(find_lowering("ld.global.f32") == nullptr);
static_assert(find_lowering("wibble") == nullptr);
static_assert(find_lowering("") == nullptr);

TEST_CASE("rows are in order of roots, each is of an opcode of the language, and each is reached") {
    using warpgauge::sass::detail::lowering::rows;
    std::string_view before;
    for (const auto& row : rows) {
        CAPTURE(row.root);
        CHECK(before <= row.root);
        before = row.root;
        CHECK(warpgauge::ptx::text::rule_of(row.root) != nullptr);
        CHECK(row.cost.total() > 0);
    }
}

TEST_CASE("types of opcodes") {
    using warpgauge::sass::operand_type;
    const auto type = [](const char* opcode) { return warpgauge::sass::type_of(opcode); };
    for (const char* opcode : {"add.f16", "add.f16x2", "fma.rn.bf16", "fma.rn.bf16x2"}) {
        CHECK(type(opcode) == operand_type::half);
    }
    CHECK(type("cvt.rna.tf32") == operand_type::fp32);
    CHECK(type("add.f32x2") == operand_type::fp32);
    CHECK(type("add.f64") == operand_type::fp64);
    CHECK(type("and.pred") == operand_type::predicate);
    CHECK(type("add.u16x2") == operand_type::int32);
    CHECK(type("mov.b128") == operand_type::int64);
    CHECK(type("cvt.s8") == operand_type::int16);
    CHECK(type("frob.x.s9") == operand_type::int32);  // none
    CHECK(warpgauge::sass::find_lowering("zzz.u32") == nullptr);
}

}  // namespace lowering_table_test
