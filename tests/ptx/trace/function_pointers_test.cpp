// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that call through pointers: known ones, those of tables, and unknown ones.
#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include <warpgauge/ptx/text/parse.hpp>
#include <warpgauge/ptx/trace/trace.hpp>

#include "ptx/linked.hpp"

namespace function_pointers_test {

using namespace warpgauge;

namespace {

// `f` waits once, `g` three times and calls `f` through what it is given; `h` takes nothing.
const std::string functions =
    ".func f(.param .b64 p) { bar.sync 0; ret; }\n"
    ".func g(.param .b64 p) { bar.sync 0; bar.sync 0; bar.sync 0; ret; }\n"
    ".func h() { bar.sync 1; ret; }\n"
    ".const .align 8 .u64 table[2] = {f, g};\n";

// Calls what %d2 points to.
const std::string call =
    "\n{ .param .b64 p0;\nst.param.b64 [p0], %d1;\n"
    "P: .callprototype _ (.param .b64 _);\ncall %d2, (p0), P; }\n";

struct shown {
    ptx::traced_kernel trace{};
    double barriers{};
    std::string label{};  // of the first assumption, which is a part of the text
};

shown show(const std::string& body, const std::string& more = {}) {
    const parsed_text text(kernel_of(body + "ret;", functions + more));
    const auto k = ptx::find_kernel(text.module, "k");
    REQUIRE(k);
    const auto t = ptx::trace(*k, {{1}, {32}}, {9});
    CAPTURE(t ? std::string_view() : std::string_view(message(t.error()).view()));
    REQUIRE(t);
    const auto& assumed = t->assumptions;
    return {*t, t->insts_of(unit_kind::barrier),
            assumed.empty() ? std::string() : std::string(assumed[0].label)};
}

}  // namespace

TEST_CASE("a pointer that is known is followed") {
    const shown direct = show("mov.u64 %d2, g;" + call);
    CHECK(direct.trace.assumptions.empty());
    CHECK(direct.barriers == 3);
    const shown from_table = show("ld.const.u64 %d2, [table+8];" + call);
    CHECK(from_table.trace.assumptions.empty());
    CHECK(from_table.barriers == 3);
    const shown spilled = show(
        ".local .align 8 .b8 stack[8];\nmov.u64 %d3, stack; mov.u64 %d4, g;\n"
        "st.local.u64 [%d3], %d4; ld.local.u64 %d2, [%d3];" +
        call);
    CHECK(spilled.trace.assumptions.empty());
    CHECK(spilled.barriers == 3);
}

TEST_CASE("lanes with different functions take turns") {
    const std::string load =
        "and.b32 %r3, %r2, 1; mov.u64 %d3, table; mad.wide.u32 %d4, %r3, 8, %d3;\n"
        "ld.const.u64 %d2, [%d4];";
    const shown s = show(load + call);
    CHECK(s.trace.assumptions.empty());
    CHECK(s.barriers == 4);
    CHECK(s.trace.divergent_insts == 2 + 4 + 2);  // two calls, barriers, returns
    const shown some = show(load + "setp.eq.u32 %p1, %r3, 0;\n@%p1 call %d2, (%d1);\n");
    CHECK(some.barriers == 1);
}

TEST_CASE(
    "a pointer that is not known goes to the first function that it may mean, and the trace says "
    "so") {
    const std::string unknown = "ld.global.u64 %d2, [%d1];";
    const shown taken = show("mov.u64 %d3, h; mov.u64 %d4, g; mov.u64 %d5, f;" + unknown + call);
    REQUIRE(taken.trace.assumptions.size() == 1);
    CHECK(taken.trace.assumptions[0].what == ptx::assumed::target);
    CHECK(taken.label == "g");  // `h` takes nothing
    CHECK(taken.trace.assumptions[0].executions == 1);
    CHECK(taken.barriers == 3);
    const shown listed = show("T: .calltargets f, g;\n" + unknown + "call %d2, (%d1), T;\n");
    REQUIRE(listed.trace.assumptions.size() == 1);
    CHECK(listed.label == "f");
    CHECK(listed.barriers == 1);
    // The kernel takes no address: the first function in the table.
    const shown in_table = show(unknown + call);
    REQUIRE(in_table.trace.assumptions.size() == 1);
    CHECK(in_table.trace.assumptions[0].what == ptx::assumed::target);
    CHECK(in_table.label == "f");
    CHECK(in_table.barriers == 1);
    const shown none = show(unknown + "call %d2, (%d1, %d1);\n");
    REQUIRE(none.trace.assumptions.size() == 1);
    CHECK(none.trace.assumptions[0].what == ptx::assumed::callee);
    CHECK(none.barriers == 0);
}

TEST_CASE("a virtual function is that of a table, as nvcc writes one, that anyone may write to") {
    const std::string call_virtual =
        "ld.global.u64 %d2, [%d1];\nld.u64 %d3, [%d2];\nld.u64 %d4, [%d3];\n"
        "{ .param .b64 p0;\nst.param.b64 [p0], %d2;\n.param .b32 r;\n"
        "P: .callprototype (.param .b32 _) _ (.param .b64 _);\ncall (r), %d4, (p0), P;\n"
        "ld.param.b32 %r4, [r]; }\nst.global.u32 [%d1], %r4;\n";
    const std::string classes =
        ".func (.param .b32 out) of_v(.param .b64 self) { bar.sync 0; ret; }\n"
        ".func (.param .b32 out) of_w(.param .b64 self) { bar.sync 0; bar.sync 0; ret; }\n"
        ".global .align 8 .u64 _ZTV1V[3] = {0, 0, of_v};\n"
        ".global .align 8 .u64 _ZTV1W[3] = {0, 0, of_w};\n";
    const shown any = show(call_virtual, classes);
    REQUIRE(any.trace.assumptions.size() >= 1);
    CHECK(any.trace.assumptions.back().what == ptx::assumed::target);
    CHECK(any.barriers == 1);
    // The kernel makes objects of one class.
    const shown made =
        show("mov.u64 %d5, _ZTV1W;\nst.global.u64 [%d1], %d5;\n" + call_virtual, classes);
    CHECK(made.trace.assumptions.back().what == ptx::assumed::target);
    CHECK(made.barriers == 2);
}

TEST_CASE("values go through a pointer's call and come back") {
    const shown s = show(
        "mov.u64 %d2, twice;\n{ .param .b32 a;\nst.param.b32 [a], 3;\n.param .b32 r;\n"
        "P: .callprototype (.param .b32 _) _ (.param .b32 _);\ncall (r), %d2, (a), P;\n"
        "ld.param.b32 %r4, [r]; }\nmov.u32 %r3, 0;\nLOOP: bar.sync 0; add.u32 %r3, %r3, 1;\n"
        "setp.lt.u32 %p1, %r3, %r4;\n@%p1 bra LOOP;\n",
        ".func (.param .b32 out) twice(.param .b32 in)\n{ .reg .b32 %r<3>;\n"
        "ld.param.u32 %r1, [in]; add.u32 %r2, %r1, %r1; st.param.b32 [out], %r2; ret; }\n");
    CHECK(s.trace.assumptions.empty());
    CHECK(s.barriers == 6);
}

}  // namespace function_pointers_test
