// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include <warpgauge/ptx/link/constant_pool.hpp>

namespace constant_pool_test {

using warpgauge::ptx::detail::link::constant_pool;
using warpgauge::ptx::link::special_rows;

TEST_CASE("equal values share a row, but for those that may change") {
    std::vector<std::uint64_t> values;
    constant_pool<> pool(values);
    CHECK(pool.row_of(7) == special_rows);
    CHECK(pool.row_of(8) == special_rows + 1);
    CHECK(pool.row_of(7) == special_rows);
    const std::uint32_t own = pool.own_row(7);
    CHECK(own == special_rows + 2);
    CHECK(pool.row_of(7) == special_rows);
    pool.value(own) = 9;
    CHECK(values == std::vector<std::uint64_t>{7, 8, 9});
}

}  // namespace constant_pool_test
