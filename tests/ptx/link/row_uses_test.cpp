// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include <warpgauge/ptx/link/row_uses.hpp>

#include "ptx/linked.hpp"

namespace row_uses_test {

using namespace warpgauge;
using ptx::link::nowhere;

TEST_CASE("definitions and uses of registers") {
    const linked_text k(
        kernel_of("add.u32 %r3, %r2, %r2;\nmov.u32 %r4, 0;\n@%p1 mov.u32 %r4, 1;\n"
                  "add.u32 %r5, %r3, %r4;\nst.global.u32 [%d1], %r5;\nret;"));
    const ptx::link::row_uses<> uses(k.program, k.program.routines[0]);
    const std::uint32_t sum = k.result(k.body(0));
    CHECK(uses.definition(sum) == instructions_before_body);
    CHECK(uses.definitions(sum) == 1);
    CHECK(uses.uses(sum) == 1);
    CHECK(uses.uses(k.source(k.body(0))) == 2);  // once for each operand
    const std::uint32_t twice = k.result(k.body(1));
    CHECK(uses.definition(twice) == nowhere);
    CHECK(uses.definitions(twice) == 2);
    CHECK(uses.uses(k.body(2).predicate) == 1);

    std::vector<std::uint32_t> users;
    CHECK(uses.all_users(sum, [&](std::uint32_t n) {
        users.push_back(n);
        return true;
    }));
    CHECK(users == std::vector<std::uint32_t>{instructions_before_body + 3});
    CHECK_FALSE(uses.all_users(sum, [](std::uint32_t) { return false; }));
}

TEST_CASE("fixed rows have neither") {
    const linked_text k(
        kernel_of("mov.u32 %r3, 7;\nadd.u32 %r4, %r3, 5;\nst.global.u32 [%d1], %r4;\nret;"));
    const ptx::link::row_uses<> uses(k.program, k.program.routines[0]);
    for (const std::uint32_t row :
         {k.source(k.body(0)), std::uint32_t{ptx::link::tid_x}, nowhere}) {
        CHECK(uses.definition(row) == nowhere);
        CHECK(uses.definitions(row) == 0);
        CHECK(uses.uses(row) == 0);
        CHECK(uses.all_users(row, [](std::uint32_t) { return false; }));
    }
}

TEST_CASE("calls read what they pass and define what comes back") {
    const linked_text k(
        ".version 7.0\n.target sm_75\n.address_size 64\n"
        ".func (.reg .u32 %back) f(.reg .u32 %given) { mov.u32 %back, %given; ret; }\n"
        ".visible .entry k(.param .u64 data) { .reg .b32 %r<9>; .reg .b64 %d<3>;\n"
        "mov.u32 %r1, %tid.x;\ncall (%r2), f, (%r1);\nld.param.u64 %d1, [data];\n"
        "st.global.u32 [%d1], %r2;\nret; }\n");
    const auto& kernel = k.program.routines[0];
    const ptx::link::row_uses<> uses(k.program, kernel);
    const std::uint32_t passed = k.result(k.program.steps[kernel.first]);
    CHECK(uses.uses(passed) == 1);
    const auto& store = k.program.steps[kernel.first + 3];
    CHECK(uses.definition(k.source(store, 1)) == kernel.first + 1);
}

}  // namespace row_uses_test
