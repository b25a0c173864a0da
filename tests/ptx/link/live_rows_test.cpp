// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <warpgauge/ptx/link/live_rows.hpp>

#include "ptx/linked.hpp"

namespace live_rows_test {

using namespace warpgauge;
using ptx::link::max_live_registers;

namespace {

std::uint32_t live(const char* body) {
    const linked_text k(kernel_of(body));
    const auto most = max_live_registers(k.program, k.program.routines[0], 10'000);
    REQUIRE(most);
    return *most;
}

}  // namespace

TEST_CASE("a set of rows weighs what its registers take") {
    using ptx::link::of_call;
    const std::vector<std::uint8_t> weights{1, 2, 0};
    ptx::detail::link::row_set<> set(weights);
    set.set(of_call | 0, true);
    set.set(of_call | 1, true);
    set.set(of_call | 1, true);
    set.set(of_call | 2, true);
    set.set(ptx::link::tid_x, true);
    set.set(ptx::link::nowhere, true);
    CHECK(set.registers() == 3);
    CHECK(set.words()[0] == 7);
    set.set(of_call | 0, false);
    CHECK(set.registers() == 2);
    set.weigh();
    CHECK(set.registers() == 2);
}

TEST_CASE("values that are needed at a time") {
    CHECK(live("ret;") == 0);
    // The pointer, %r2 and %r3; then the pointer and two sums.
    CHECK(live("add.u32 %r3, %r2, 1;\nadd.u32 %r4, %r2, 2;\nadd.u32 %r5, %r3, %r4;\n"
               "st.global.u32 [%d1], %r5;\nret;") == 4);
    // What one path alone needs counts on it.
    CHECK(live("@%p1 bra A;\nst.global.u32 [%d1], %r2;\nA: ret;") == 3);
    // A value that a loop carries is live all the way.
    CHECK(live("mov.u32 %r3, 0;\nmov.u32 %r4, 5;\nL: add.u32 %r3, %r3, %r4;\n@%p1 bra L;\n"
               "st.global.u32 [%d1], %r3;\nret;") == 4);
    // A write under a predicate may leave the old value.
    CHECK(live("mov.u32 %r3, 0;\n@%p1 mov.u32 %r3, 1;\nst.global.u32 [%d1], %r3;\nret;") == 3);
}

TEST_CASE("work is bounded") {
    const linked_text k(kernel_of("st.global.u32 [%d1], %r2;\nret;"));
    CHECK(max_live_registers(k.program, k.program.routines[0], 1).error() ==
          model_error{errc::limit_reached, "max_steps"});
}

}  // namespace live_rows_test
