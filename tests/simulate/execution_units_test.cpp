// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstddef>
#include <cstdint>

#include <doctest/doctest.h>

#include <warpgauge/simulate/execution_units.hpp>

using namespace warpgauge;
using detail::simulate::execution_units;

TEST_CASE("a unit of half a warp's lanes takes two cycles") {
    execution_units units({0, 16, 32, 64, 0}, 32);
    CHECK(units.occupy(1, 1, 5) == 7);
    CHECK(units.ready(1) == 7);
    CHECK(units.occupy(1, 1, 7) == 9);
    CHECK(units.ready(1) == 9);
    CHECK(units.ready(2) == 0);
}

TEST_CASE("a unit of two warps' lanes starts two in a cycle") {
    execution_units units({0, 16, 32, 64, 0}, 32);
    CHECK(units.occupy(3, 1, 4) == 4.5);
    CHECK(units.ready(3) <= 4);  // another one can start
    CHECK(units.occupy(3, 1, 4) == 5);
    CHECK(units.ready(3) == 5);
}

TEST_CASE("what a cycle leaves over, the next one works off") {
    execution_units units({0, 48, 0, 0, 0}, 32);  // three warps in two cycles
    CHECK(units.occupy(1, 1, 0) == 32 / 48.0);
    CHECK(units.ready(1) == 0);
    CHECK(units.occupy(1, 1, 0) == 64 / 48.0);
    CHECK(units.ready(1) == 1);
    CHECK(units.occupy(1, 1, 1) == 2);
    CHECK(units.ready(1) == 2);
    CHECK(units.utilisation(1, 2) == 1);
    CHECK(units.utilisation(1, 8) == 0.25);
    CHECK(units.utilisation(2, 8) == 0);  // there is none
}

TEST_CASE("an access of several parts occupies the unit as often") {
    execution_units units({0, 0, 0, 0, 32}, 32);
    CHECK(units.occupy(4, 8, 100) == 108);
    CHECK(units.ready(4) == 108);
    CHECK(units.utilisation(4, 16) == 0.5);
}
