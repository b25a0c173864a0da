// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <string>

#include <doctest/doctest.h>

#include <warpgauge/ptx/link/call_sites.hpp>

#include "ptx/linked.hpp"

namespace call_sites_test {

using namespace warpgauge;
using ptx::link::nowhere;

TEST_CASE("arguments go in and results come back, each in a move") {
    const linked_text k(kernel_of(
        "{ .param .b32 p0; st.param.b32 [p0+0], %r1; .param .b32 r0;\n"
        "call (r0), twice, (p0);\nld.param.b32 %r3, [r0+0]; }\n"
        "call (%r4), plus, (%r3, 7);\ncall none, (%r3);\nret;",
        ".func (.param .b32 out) twice(.param .b32 in)\n{ .reg .b32 %r<3>;\n"
        "ld.param.u32 %r1, [in+0]; st.param.b32 [out+0], %r1; ret; }\n"
        ".func (.reg .u32 sum) plus(.reg .u32 a, .reg .u32 b) { add.u32 sum, a, b; ret; }\n"
        ".extern .func none(.param .b32 in);\n"));
    const auto& p = k.program;
    REQUIRE(p.routines.size() == 3);
    const auto& twice = k.body(1);
    CHECK(twice.target == 1);
    CHECK(twice.targets == 1);
    CHECK(twice.returned == 1);
    CHECK(p.moves[twice.first].from == k.result(k.body(0)));  // the part of p0
    CHECK(p.moves[twice.first + 1].to == k.source(k.body(2)));
    const auto& plus = k.body(3);
    CHECK(plus.target == 2);
    CHECK(plus.targets == 2);
    CHECK(p.moves[plus.first].from == k.result(k.body(2)));
    CHECK(k.constant(p.moves[plus.first + 1].from) == 7);
    CHECK(plus.returned == 1);
    const auto& none = k.body(4);
    CHECK(none.target == nowhere);
    CHECK(none.targets == 0);
    CHECK(none.returned == 0);
}

TEST_CASE("a function is decoded once, however often it is called") {
    const linked_text k(kernel_of("call f;\ncall f;\ncall g;\nret;",
                                  ".func g() { ret; }\n.func f() { call g; call f; ret; }\n"));
    CHECK(k.program.routines.size() == 3);
    CHECK(k.body(0).target == k.body(1).target);
    CHECK(k.body(2).target == 2);
}

TEST_CASE("calls through pointers: functions of a list, or those whose address is taken") {
    const linked_text k(kernel_of(
        "mov.u64 %d2, b;\nP: .callprototype (.param .b32 _) _ (.param .b32 _);\n"
        "call (%r3), %d2, (%r1), P;\nT: .calltargets c, d, none;\n"
        "call (%r3), %d2, (%r1), T;\ncall %d2;\ncall %d2, (%r1);\nret;",
        ".func none();\n.func a() { ret; }\n"
        ".func (.reg .u32 y) b(.reg .u32 x) { add.u32 y, x, 1; ret; }\n"
        ".func (.reg .u32 y) c(.reg .u32 x) { add.u32 y, x, 2; ret; }\n.func d() { ret; }\n"
        ".const .u64 other[2] = {none, a};\n"));
    const auto& p = k.program;
    const auto called = [&](std::size_t step) {
        std::string names;
        const auto& s = k.body(step);
        CHECK(s.target == nowhere);
        CHECK(s.through == k.result(k.body(0)));
        for (std::uint32_t n = 0; n < s.callee_count; ++n) {
            const auto& callee = p.callees.at(s.callees + n);
            names += k.module.functions[p.routines.at(callee.routine).function].name;
            CHECK(p.passed(callee).size() == (names == "b" || names == "c" ? 1 : 0));
        }
        return names;
    };
    CHECK(called(1) == "b");
    CHECK(called(2) == "cd");
    CHECK(called(3) == "a");   // in initial values
    CHECK(called(4).empty());  // none takes one value and returns nothing
    CHECK(p.routines.size() == 5);
    CHECK(p.returned(p.passing_of(k.body(1))).size() == 1);
    CHECK(p.passing_of(k.body(1)).routine == nowhere);
    CHECK(p.passing_of(k.body(2), k.body(2).callees).routine != nowhere);
}

TEST_CASE("a call that no function fits whose address is taken: functions in initial values") {
    // As nvcc writes virtual functions: tables that the kernel has the address of come first, whatever writes to them.
    const std::string functions =
        ".func (.reg .u32 y) f(.reg .u32 x) { add.u32 y, x, 1; ret; }\n"
        ".func (.reg .u32 y) g(.reg .u32 x) { call h, (x); add.u32 y, x, 2; ret; }\n"
        ".func h(.reg .u32 x) { .reg .u64 p; call p; ret; }\n.func last() { ret; }\n"
        ".global .align 8 .u64 of_v[3] = {0, 0, f};\n"
        ".global .align 8 .u64 of_w[4] = {0, 0, generic(g), of_v};\n"
        ".global .u64 of_u = last;\n";
    const auto names = [](const linked_text& k, std::size_t step) {
        std::string all;
        const auto& s = k.body(step);
        for (std::uint32_t n = 0; n < s.callee_count; ++n) {
            const auto& callee = k.program.callees.at(s.callees + n);
            all += k.module.functions[k.program.routines.at(callee.routine).function].name;
        }
        return all;
    };
    const linked_text unknown(kernel_of("call (%r3), %d2, (%r1);\nret;", functions));
    CHECK(names(unknown, 0) == "f");
    CHECK(unknown.program.routines.size() == 2);
    const linked_text stored(kernel_of(
        "mov.u64 %d3, of_w;\nst.global.u64 [%d4], %d3;\ncall (%r3), %d2, (%r1);\nret;", functions));
    CHECK(names(stored, 2) == "g");
    // What `g` calls is called through a pointer too.
    REQUIRE(stored.program.routines.size() == 4);
    const auto& through = stored.program.steps.at(stored.program.routines[2].first);
    REQUIRE(through.callee_count == 1);
    CHECK(stored.program.routines[stored.program.callees[through.callees].routine].function ==
          stored.module.functions.size() - 2);
    const linked_text taken(kernel_of("mov.u64 %d3, g;\ncall (%r3), %d2, (%r1);\nret;", functions));
    CHECK(names(taken, 1) == "g");
    // Without a call through a pointer, no table is looked at.
    CHECK(linked_text(kernel_of("ret;", functions)).program.routines.size() == 1);
}

TEST_CASE("lists that a call has twice, functions that are not there, and values of other kinds") {
    const linked_text twice(
        kernel_of("call (%r3), f, (%r1), (%r2);\ncall (%r3), (%r4), f, (%r1);\nret;",
                  ".func (.reg .u32 y) f(.reg .u32 x) { mov.u32 y, x; ret; }\n"));
    CHECK(twice.program.moves[twice.body(0).first].from == twice.result(twice.program.steps[0]));
    CHECK(twice.body(0).targets == 1);
    CHECK(twice.body(1).returned == 1);
    const linked_text listed(
        kernel_of("T: .calltargets nothing, f;\nmov.u64 %d2, f;\ncall (%r3), %d2, (%r1), T;\nret;",
                  ".func (.reg .u32 y) f(.reg .u32 x) { mov.u32 y, x; ret; }\n"));
    CHECK(listed.program.callees.size() == 1);
    // A real number is no register; `g` has no result, and is not called for one.
    const linked_text others(
        kernel_of("mov.u64 %d2, f;\nmov.u64 %d3, g;\ncall (%r3), %d2, (0f3F800000);\nret;",
                  ".func (.reg .f32 y) f(.reg .f32 x) { mov.f32 y, x; ret; }\n.func g(.reg .f32 x) "
                  "{ ret; }\n"));
    REQUIRE(others.program.callees.size() == 1);
    CHECK(others.program.passed(others.program.callees[0]).empty());
    CHECK(others.program.returned(others.program.callees[0]).size() == 1);
}

}  // namespace call_sites_test
