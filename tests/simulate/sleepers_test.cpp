// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstddef>
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include <warpgauge/simulate/sleepers.hpp>

using warpgauge::detail::simulate::sleepers;

namespace {

std::vector<std::size_t> woken_at(sleepers<>& all, std::uint64_t now) {
    std::vector<std::size_t> woken;
    all.wake(now, [&](std::size_t warp) { woken.push_back(warp); });
    return woken;
}

}  // namespace

TEST_CASE("warps wake in their cycle and in no other, in order of index") {
    sleepers<> all;
    all.reset(130);
    CHECK(all.next() == sleepers<>::never);
    all.sleep(129, 10);
    all.sleep(3, 10);
    all.sleep(64, 12);
    CHECK(all.next() == 10);
    CHECK(woken_at(all, 9).empty());
    CHECK(woken_at(all, 10) == std::vector<std::size_t>{3, 129});
    CHECK(all.next() == 12);
    CHECK(woken_at(all, 10).empty());
    CHECK(woken_at(all, 12) == std::vector<std::size_t>{64});
    CHECK(all.next() == sleepers<>::never);
}

TEST_CASE("a wait longer than the wheel passes others in its bucket") {
    sleepers<> all;
    all.reset(4);
    all.sleep(0, 5);
    all.sleep(1, 5 + 256);
    all.sleep(2, 5 + 3 * 256);
    CHECK(woken_at(all, 5) == std::vector<std::size_t>{0});
    CHECK(all.next() == 261);
    CHECK(woken_at(all, 261) == std::vector<std::size_t>{1});
    CHECK(woken_at(all, 261 + 256).empty());
    CHECK(woken_at(all, 5 + 3 * 256) == std::vector<std::size_t>{2});
}

TEST_CASE("nobody sleeps after a reset") {
    sleepers<> all;
    all.reset(2);
    all.sleep(1, 7);
    all.reset(70);
    CHECK(all.next() == sleepers<>::never);
    CHECK(woken_at(all, 7).empty());
}
