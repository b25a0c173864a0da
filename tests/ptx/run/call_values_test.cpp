// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstddef>
#include <cstdint>

#include <doctest/doctest.h>

#include <warpgauge/ptx/run/call_values.hpp>

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

}  // namespace call_values_test
