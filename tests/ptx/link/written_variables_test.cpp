// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <string>

#include <doctest/doctest.h>

#include <warpgauge/ptx/link/module_index.hpp>
#include <warpgauge/ptx/link/written_variables.hpp>

#include "ptx/linked.hpp"

namespace written_variables_test {

using namespace warpgauge;

namespace {

// Is `t`, or `u`, taken to be written to?
bool is_written(const std::string& body, const std::string& module = {}, const char* name = "t") {
    const parsed_text text(kernel_of(body + "\nret;",
                                     ".global .u32 t[4] = {1};\n"
                                     ".global .u32 u[4] = {2};\n" +
                                         module));
    const ptx::module_index index(text.module);
    return index.may_be_written(index.variable(name));
}

}  // namespace

TEST_CASE("loads, arithmetic and comparisons do not write") {
    CHECK_FALSE(is_written(""));
    CHECK_FALSE(is_written("ld.global.u32 %r3, [t+4];"));
    CHECK_FALSE(
        is_written("mov.u64 %d2, t; cvta.global.u64 %d3, %d2; mad.wide.u32 %d4, %r2, 4, %d3;\n"
                   "ld.u32 %r3, [%d4]; setp.eq.u64 %p1, %d4, %d1; st.global.u32 [%d1], %r3;"));
}

TEST_CASE("stores, atomics, calls and pointers in memory may") {
    for (const char* body :
         {"st.global.u32 [t], %r1;", "mov.u64 %d2, t; add.s64 %d3, %d2, 8; st.u32 [%d3], %r1;",
          "red.global.add.u32 [t], 1;", "mov.u64 %d2, t; atom.global.add.u32 %r3, [%d2], 1;",
          "mov.u64 %d2, t; st.global.u64 [%d1], %d2;", "call f, (t);",
          "LOOP: st.global.u32 [%d3], %r1; mov.u64 %d3, %d2; mov.u64 %d2, t; bra LOOP;",
          "selp.b64 %d2, t, u, %p1; ld.global.u32 %r3, [%d2];"}) {
        CAPTURE(body);
        const bool several = std::string(body).find("selp") == 0;
        CHECK(is_written(body, ".func f(.param .u64 p) { ret; }\n") == true);
        CHECK(is_written(body, {}, "u") == several);
    }
    CHECK(is_written("", ".global .u64 pointer = generic(t)+4;\n"));
    CHECK(is_written("", ".func f { .reg .b64 a; mov.u64 a, t; st.u32 [a], 1; ret; }\n"));
    CHECK_FALSE(is_written("", ".global .u64 pointer = tt;\n"));
    CHECK_FALSE(is_written("ldu.global.u32 %r3, [t];", ".func g() { }\n"));
    CHECK(is_written("frob.u32 t;"));
    CHECK(is_written("mov.b64 {%r3, %r4}, t; st.u32 [%r3], 1;"));
    for (const std::string compute :
         {"addc.u64 %d3, %d2, 8; ", "sub.s64 %d3, %d2, 8; ", "subc.u64 %d3, %d2, 8; ",
          "min.u64 %d3, %d2, 8; ", "max.u64 %d3, %d2, 8; ", "and.b64 %d3, %d2, 8; ",
          "or.b64 %d3, %d2, 8; ", "xor.b64 %d3, %d2, 8; ", "not.b64 %d3, %d2; ",
          "shr.u64 %d3, %d2, 8; "}) {
        CAPTURE(compute);
        CHECK_FALSE(is_written("mov.u64 %d2, t; " + compute));
        CHECK(is_written("mov.u64 %d2, t; " + compute + "st.u32 [%d3], %r1;"));
    }
}

TEST_CASE("a way of the address that is too long to follow counts as a store") {
    std::string forth;
    std::string back;
    for (int n = 4; n < 40; ++n) {
        const std::string move = "mov.u32 %r" + std::to_string(n) + ", %r" + std::to_string(n - 1);
        forth += move + ";\n";
        back.insert(0, move + ";\n");
    }
    CHECK_FALSE(is_written("mov.u32 %r3, t;\n" + forth));
    CHECK(is_written("mov.u32 %r3, t;\n" + back));
}

}  // namespace written_variables_test
