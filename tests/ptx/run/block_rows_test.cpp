// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cmath>
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include <warpgauge/ptx/run/block_rows.hpp>
#include <warpgauge/ptx/text/opcode_table.hpp>

namespace block_rows_test {

using warpgauge::ptx::detail::run::block_rows, warpgauge::ptx::detail::run::divisor_of;
using warpgauge::ptx::text::action;

namespace {

std::vector<double> lengths(const block_rows& r) {
    std::vector<double> all;
    for (const auto& row : r.all()) all.push_back(row.blocks);
    return all;
}

using blocks = std::vector<double>;

}  // namespace

TEST_CASE("a divisor of the number of a block is a length of rows") {
    block_rows rows;
    CHECK(lengths(rows).empty());
    rows.add({1, 0, 0}, 33);
    rows.add({1, 0, 0}, 33);
    rows.add({0, -256, 0}, 10'240);
    CHECK(lengths(rows) == blocks{33, 40});
    CHECK(rows.all()[1].dimension == 1);
    // The multiplier of a compiler for a division by 7, which is followed by a shift.
    rows.add({0, 0, 4'908'534'053}, 0x1p35);
    CHECK(lengths(rows) == blocks{33, 40, 7});
    for (const double divisor : {0.0, 0x1p40, 0x1p-40}) rows.add({1, 0, 0}, divisor);
    rows.add({HUGE_VAL, NAN, -HUGE_VAL}, 8);
    for (const double divisor : {1.0, 32.0, 256.0}) rows.add({256, 0, 0}, divisor);  // whole rows
    rows.add({0, 0, 0}, 8);                                                          // of threads
    CHECK(rows.all().size() == 3);
    for (int n = 100; n < 120; ++n) rows.add({1, 0, 0}, n);
    CHECK(rows.all().size() == 8);
}

TEST_CASE("rows may end within blocks") {
    block_rows rows;
    rows.add({256, 0, 0}, 4000);
    rows.add({256, 0, 0}, 100);
    rows.add({256, 0, 0}, 512);
    CHECK(lengths(rows) == blocks{15.625, 0.390625, 2});
    CHECK_FALSE(rows.all()[0].ends_with_block());
    CHECK(rows.all()[2].ends_with_block());
}

TEST_CASE("a shift divides by a power of two, and a mask of the lowest bits does") {
    CHECK(divisor_of(action::divide, 12) == 12);
    CHECK(divisor_of(action::remainder, 12) == 12);
    CHECK(divisor_of(action::shift_right, 5) == 32);
    CHECK(divisor_of(action::shift_right, 64) == 0);
    CHECK(divisor_of(action::bit_and, 31) == 32);
    CHECK(divisor_of(action::bit_and, 30) == 0);
    CHECK(divisor_of(action::add, 12) == 0);
}

}  // namespace block_rows_test
