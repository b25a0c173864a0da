// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <warpgauge/ptx/link/reconvergence.hpp>
#include <warpgauge/ptx/run/call_values.hpp>
#include <warpgauge/ptx/run/warp.hpp>

#include "ptx/linked.hpp"

namespace call_values_test {

using namespace warpgauge;
using namespace warpgauge::ptx::detail::run;

namespace {

constexpr const char* functions =
    ".func (.reg .u32 y) a(.reg .u32 x) { add.u32 y, x, 1; ret; }\n"
    ".func (.reg .u32 y) b(.reg .u32 x) { add.u32 y, x, 2; ret; }\n"
    ".func other() { ret; }\n";

struct fixture {
    fixture() {
        file.begin(one_warp());
        file.add_rows(k.program.routines[0].rows);
    }
    row_values& pointer() { return file.at(call.through); }

    linked_text k{kernel_of("T: .calltargets a, b;\ncall (%r3), %d2, (%r2), T;\nret;", functions)};
    const step& call = k.body(0);
    register_file<> file{k.program};
    call_values<> values{k.program, file};
    ptx::link::address_windows windows{64};
};

}  // namespace

TEST_CASE("lanes that call the same function do so together") {
    fixture f;
    row_values& p = f.pointer();
    for (std::size_t l = 0; l < warp_lanes; ++l) p.lanes[l] = f.windows.function(l % 2);
    p.known = 0xffff;
    chosen_callee c = f.values.choose(f.call, 0xffff'fffe);
    CHECK(c.callee == f.call.callees + 1);
    CHECK(c.lanes == 0xaaaa);
    CHECK(c.known);
    c = f.values.choose(f.call, 0xffff'0000);  // not known: the first that may be called
    CHECK(c.callee == f.call.callees);
    CHECK(c.lanes == 0xffff'0000);
    CHECK_FALSE(c.known);
    fill(p, f.windows.function(2));  // none of the list
    CHECK_FALSE(f.values.choose(f.call, 1).known);
    CHECK(f.values.choose(f.call, 0).lanes == 0);
    CHECK(f.values.choose(f.k.body(1), 12).lanes == 12);  // no call
}

TEST_CASE("what goes in, what comes back, and what is forgotten") {
    fixture f;
    const auto& callee = f.k.program.callees[0];
    const std::size_t base = f.file.size();
    f.file.add_rows(f.k.program.routines[callee.routine].rows);
    const auto in = f.k.program.passed(callee);
    const auto out = f.k.program.returned(callee);
    REQUIRE(in.size() == 1);
    REQUIRE(out.size() == 1);
    fill(f.file.at(in[0].from), 5);
    f.values.pass(callee, base);
    CHECK(f.file.at(in[0].to, base).lanes[3] == 5);
    fill(f.file.at(out[0].from, base), 6);
    f.values.give_back(callee, base, 0xff);
    CHECK(f.file.at(out[0].to).known == 0xff);
    CHECK(f.file.at(out[0].to).lanes[7] == 6);
    f.values.forget_returned(f.k.program.passing_of(f.call), 0xf);
    CHECK(f.file.at(out[0].to).known == 0xf0);
}

namespace {

// The lanes of %r5 that are known after a kernel's body, and their value.
row_values computed(const char* body, const char* called) {
    linked_text k(kernel_of(std::string(body) + "mov.u32 %r6, %r5;\nret;", called));
    for (const auto& r : k.program.routines) {
        REQUIRE_FALSE(ptx::link::find_reconvergence(k.program, r, 1000));
    }
    const std::vector<ptx::run::decision> decisions(k.program.steps.size());
    const std::array<argument_bytes, 2> arguments{argument_bytes{.small = {3}, .known = true}};
    ptx::run::warp_machine<> machine(k.program, arguments, decisions, {7, 5}, {1000, 1 << 20, 4});
    row_values found;
    std::uint64_t before = 0;
    CHECK_FALSE(machine.value_of(ptx::link::laneid, before));  // no call is under way
    const auto bad = machine.run(one_warp(), [&](const ptx::run::executed& e) {
        if (e.step + 1 != k.program.routines[0].count) return;
        std::uint64_t value = 0;
        const std::uint32_t row = k.source(k.program.steps[e.step - 1]);
        found.known = machine.value_of(row, value) ? 1 : 0;
        found.lanes[0] = value;
    });
    REQUIRE_FALSE(bad);
    std::uint64_t value = 0;
    CHECK_FALSE(machine.value_of(nowhere, value));
    return found;
}

}  // namespace

TEST_CASE("parts of parameters go into a call and come back") {
    constexpr const char* parts =
        ".func (.param .align 4 .b8 r[8]) f(.param .align 8 .b8 a[8])\n{ .reg .b32 %x<4>; .reg "
        ".b16 "
        "%y<4>;\nld.param.u16 %y1, [a+2]; ld.param.u32 %x1, [a+4];\ncvt.u32.u16 %x2, %y1; add.u32 "
        "%x2, %x2, %x1;\nst.param.b32 [r], %x2; ret; }\n";
    const row_values sum = computed(
        "{ .param .align 8 .b8 q[8]; .param .align 4 .b8 o[8];\nmov.u32 %r3, 0x00050003;\n"
        "mov.u16 %h1, 7;\nmov.u16 %h2, 1;\nst.param.b32 [q], %r3;\nst.param.b16 [q+4], %h1;\n"
        "st.param.b16 [q+6], %h2;\ncall (o), f, (q);\nld.param.b32 %r5, [o]; }\n",
        parts);
    // Of eight bytes that are read, four are written.
    CHECK(
        computed(
            "{ .param .align 8 .b8 q[8]; .param .b32 o;\nmov.u32 %r3, 5;\nst.param.b32 [q], %r3;\n"
            "call (o), g, (q);\nld.param.b32 %r5, [o]; }\n",
            ".func (.param .b32 r) g(.param .align 8 .b8 a[8])\n{ .reg .b64 %x; .reg .b32 %y;\n"
            "ld.param.u64 %x, [a]; cvt.u32.u64 %y, %x; st.param.b32 [r], %y; ret; }\n")
            .known == 0);
    CHECK(sum.known == 1);
    CHECK(sum.lanes[0] == 5 + 0x1'0007);
}

TEST_CASE(
    "nothing is known of a result that a function does not have, nor of an argument without a "
    "value") {
    constexpr const char* functions_of =
        ".func none() { ret; }\n.func (.reg .u32 y) same(.reg .u32 x) { mov.u32 y, x; ret; }\n";
    CHECK(computed("mov.u32 %r5, 4;\ncall (%r5), none;\n", functions_of).known == 0);
    CHECK(computed("mov.u32 %r5, 4;\ncall (%r5), same, (9);\n", functions_of).known == 1);
    CHECK(computed("mov.u32 %r5, 4;\ncall (_), same, (9);\n", functions_of).lanes[0] == 4);
    CHECK(computed("mov.u32 %r5, 4;\ncall (%r5), same, (_);\n", functions_of).known == 0);
}

}  // namespace call_values_test
