// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <random>
#include <set>
#include <utility>

#include <warpgauge/sm/line_set.hpp>

namespace line_set_test {

using namespace warpgauge;

TEST_CASE("sectors count once, and once for each block") {
    line_set<> s(1 << 20);
    CHECK(s.add(7, 0b0011, 0));
    CHECK(s.add(7, 0b0110, 0));
    CHECK(s.sectors() == 3);
    CHECK(s.sectors_by_block() == 3);
    CHECK(s.add(7, 0b0011, 1));
    CHECK(s.sectors() == 3);
    CHECK(s.sectors_by_block() == 5);
    CHECK(s.add(8, 0b1000, 1));
    CHECK(s.sectors() == 4);
}

TEST_CASE("as sets count it") {
    std::mt19937 random(1);
    line_set<> s(1 << 24);
    std::set<std::uint64_t> all;
    std::set<std::pair<std::uint32_t, std::uint64_t>> each;
    for (std::uint32_t block = 0; block < 20; ++block) {
        for (int i = 0; i < 500; ++i) {
            const std::uint64_t line = random() % 3000 * 977;
            const std::uint32_t sector = random() % 4;
            REQUIRE(s.add(line, 1U << sector, block));
            all.insert(line * 4 + sector);
            each.insert({block, line * 4 + sector});
        }
    }
    CHECK(s.sectors() == all.size());
    CHECK(s.sectors_by_block() == each.size());
}

TEST_CASE("it does not grow past its limit") {
    line_set<> s(10'000);
    std::uint64_t n = 0;
    while (n < 10'000 && s.add(n, 1, 0)) ++n;
    CHECK(n < 400);
    CHECK(n >= 32);
}

}  // namespace line_set_test
