// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <warpgauge/ptx/link/routine_rows.hpp>

#include <doctest/doctest.h>

namespace routine_rows_test {

using namespace warpgauge;
using ptx::link::of_call;

TEST_CASE("registers of routines have numbers one after the other") {
    ptx::link::program p;
    p.routines.resize(3);
    p.routines[0].rows = 4;
    p.routines[1].rows = 0;
    p.routines[2].rows = 3;
    const ptx::link::routine_rows<> rows(p);
    CHECK(rows.size() == 7);
    CHECK(rows.number(0, of_call | 0) == 0);
    CHECK(rows.number(0, of_call | 3) == 3);
    CHECK(rows.number(2, of_call | 0) == 4);
    CHECK(rows.number(2, of_call | 2) == 6);
}

TEST_CASE("rows that belong to a call") {
    using ptx::link::belongs_to_call;
    CHECK(belongs_to_call(of_call));
    CHECK(belongs_to_call(of_call | 5));
    CHECK_FALSE(belongs_to_call(5));
    CHECK_FALSE(belongs_to_call(ptx::link::nowhere));
}

}  // namespace routine_rows_test
