// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <warpgauge/ptx/trace/call_rows.hpp>

#include "ptx/linked.hpp"

namespace call_rows_test {

using namespace warpgauge;
using ptx::detail::trace::call_rows;
using ptx::link::nowhere, ptx::link::of_call;

TEST_CASE(
    "a value for each register, of its own call; nothing of constants and of what nobody wrote") {
    const linked_text k(kernel_of("ret;"));
    call_rows<int> rows(k.program, -1);
    CHECK(rows.of(of_call | 3, 0) == -1);
    rows.set(of_call | 3, 0, 7);
    rows.set(of_call | 3, 10, 8);
    CHECK(rows.of(of_call | 3, 0) == 7);
    CHECK(rows.of(of_call | 3, 10) == 8);
    rows.set(3, 0, 9);        // a constant
    rows.set(nowhere, 0, 9);  // no register
    CHECK(rows.of(3, 0) == -1);
    CHECK(rows.of(nowhere, 0) == -1);
    rows.clear();
    CHECK(rows.of(of_call | 3, 0) == -1);
}

TEST_CASE("calls and returns hand on what is known") {
    const linked_text k(
        kernel_of("call (%r3), f, (%r1);\nret;",
                  ".func (.reg .b32 %out) f(.reg .b32 %in)\n{\nmov.u32 %out, %in;\nret;\n}\n"));
    const auto& call = k.body(0);
    REQUIRE(call.targets == 1);
    REQUIRE(call.returned == 1);
    const auto& in = k.program.moves[call.first];
    const auto& out = k.program.moves[call.first + 1];
    call_rows<int> rows(k.program, -1);
    rows.set(in.from, 0, 5);
    constexpr std::uint32_t callee = 100;
    rows.enter({.step = instructions_before_body, .base = 0, .callee_base = callee});
    CHECK(rows.of(in.to, callee) == 5);
    rows.set(out.from, callee, 6);
    rows.leave(1);  // it is still under way
    CHECK(rows.of(out.to, 0) == -1);
    rows.leave(0);
    CHECK(rows.of(out.to, 0) == 6);
    // What the call has written is changed, in caller and callee, and nothing else.
    rows.change_written(instructions_before_body, 0, callee, [](int value) { return 10 * value; });
    CHECK(rows.of(out.to, 0) == 60);
    CHECK(rows.of(in.to, callee) == 50);
    CHECK(rows.of(in.from, 0) == 5);
    const auto tid = k.result(k.program.steps[instructions_before_body - 1]);
    rows.set(tid, 0, 4);
    rows.set(tid, callee, 3);
    rows.change_written(instructions_before_body - 1, 0, 0, [](int) { return 9; });
    CHECK(rows.of(tid, 0) == 9);
    CHECK(rows.of(tid, callee) == 3);
}

}  // namespace call_rows_test
