// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <warpgauge/sm/cache_misses.hpp>

namespace cache_misses_test {

using namespace warpgauge;

TEST_CASE("what overflows a cache begins to miss at the knee") {
    static_assert(cache_miss_fraction(1e6, 4e6) == 0);
    CHECK(cache_miss_fraction(0.8 * 4e6, 4e6) == doctest::Approx(0).epsilon(1e-15));
    CHECK(cache_miss_fraction(1.55 * 4e6, 4e6) == doctest::Approx(0.5).epsilon(1e-15));
    CHECK(cache_miss_fraction(2.3 * 4e6, 4e6) == doctest::Approx(1).epsilon(1e-15));
    static_assert(cache_miss_fraction(1e9, 4e6) == 1);
    CHECK(cache_miss_fraction(4e6, 4e6, {.knee = 0, .width = 2}) == 0.5);
}

TEST_CASE("blocks side by side share rows and columns of tiles") {
    // Four tiles across: 4 blocks need one tile row and four tile columns; 8 two rows; 3 and 5 in between.
    static_assert(shared_tile_bytes<double>(4, 4, 100, 10) == 100 + 40);
    static_assert(shared_tile_bytes<double>(8, 4, 100, 10) == 200 + 40);
    static_assert(shared_tile_bytes<double>(3, 4, 100, 10) == 100 + 30);
    static_assert(shared_tile_bytes<double>(5, 4, 100, 10) == 200 + 40);
    static_assert(shared_tile_bytes<double>(1, 4, 100, 10) == 110);
}

}  // namespace cache_misses_test
