// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <warpgauge/ptx/link/program.hpp>

#include "ptx/linked.hpp"

namespace program_test {

using namespace warpgauge;

TEST_CASE("names become rows: fixed ones, constants, and those of the call") {
    const linked_text k(kernel_of("add.u32 %r3, %r2, 7;\nret;"));
    const ptx::link::program& p = k.program;
    CHECK(p.source == &k.module);
    REQUIRE(p.routines.size() == 1);
    CHECK(p.routines[0].count == 5);
    CHECK(p.routines[0].rows == p.routines[0].weights.size());
    const auto& tid = p.steps[2];
    CHECK(k.source(tid) == ptx::link::tid_x);
    CHECK((k.result(tid) & ptx::link::of_call) != 0);
    const auto& add = k.body(0);
    CHECK(add.what == ptx::text::action::add);
    CHECK(add.op == operation::add);
    CHECK(add.has_constant);
    CHECK(add.results == 1);
    CHECK(add.sources == 2);
    CHECK(k.source(add, 0) == k.result(tid));
    CHECK(k.constant(k.source(add, 1)) == 7);
    CHECK(add.predicate == ptx::link::nowhere);
    CHECK(add.statement == 3);
}

}  // namespace program_test
