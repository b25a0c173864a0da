// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstddef>

#include <doctest/doctest.h>

#include <warpgauge/ptx/text/opcode_table.hpp>

namespace opcode_table_test {

using namespace warpgauge::ptx::text;

TEST_CASE("roots are in order, and each is found") {
    for (std::size_t i = 0; i < root_rule_count; ++i) {
        if (i > 0) CHECK(root_rules[i - 1].root < root_rules[i].root);
        CHECK(rule_of(root_rules[i].root) == &root_rules[i]);
    }
    for (const char* unknown : {"", "a", "ad.s32", "adds", "zzz", ".add", "{add"}) {
        CHECK(rule_of(unknown) == nullptr);
    }
}

TEST_CASE("what roots compute") {
    CHECK(rule_of("add.s32")->what == action::add);
    CHECK(rule_of("mad.lo.s32")->what == action::multiply_add);
    CHECK(rule_of("ret.uni")->what == action::return_);
    CHECK(rule_of("sin.approx.f32")->what == action::unknown);
    CHECK(rule_of("wmma.load.a.sync")->unit_rule == executed_by::tensor);
}

TEST_CASE("parts of an opcode") {
    CHECK(has_part("ld.global.f32", "global"));
    CHECK(has_part("ld.global.f32", "f32"));
    CHECK_FALSE(has_part("ld.global.f32", "ld"));
    CHECK_FALSE(has_part("ld.global.f32", "glob"));
    CHECK_FALSE(has_part("ld.shared::cta.f32", "shared"));
    CHECK(has_part("ld.f321.f32", "f32"));
    CHECK(is_of_parameter("ld.param::entry.u32"));
    CHECK_FALSE(is_of_parameter("ld.global.u32"));
}

}  // namespace opcode_table_test
