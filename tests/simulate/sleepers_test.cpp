// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include <doctest/doctest.h>

#include <warpgauge/simulate/sleepers.hpp>

#include "move_words.hpp"

namespace sleepers_test {

using warpgauge::detail::simulate::sleepers;

namespace {

std::vector<std::size_t> woken_at(sleepers<>& all, std::uint64_t now) {
    std::vector<std::size_t> woken;
    all.wake(now, [&](std::size_t word, std::uint64_t bits) {
        for (; bits != 0; bits &= bits - 1) {
            woken.push_back(warpgauge::detail::simulate::first_warp(word, bits));
        }
    });
    return woken;
}

}  // namespace

TEST_CASE("warps wake in their cycle and in no other, in order of index") {
    sleepers<> all;
    all.reset(130);
    CHECK(all.next(0) == sleepers<>::never);
    all.sleep(129, 0, 10);
    all.sleep(3, 0, 10);
    all.sleep(64, 0, 12);
    CHECK(all.next(0) == 10);
    CHECK(all.next(0, 5) == 5);
    CHECK(all.next(0, 10) == 10);
    CHECK(all.next(0, 70) == 10);
    CHECK(woken_at(all, 9).empty());
    CHECK(woken_at(all, 10) == std::vector<std::size_t>{3, 129});
    CHECK(all.next(10) == 12);
    CHECK(woken_at(all, 10).empty());
    CHECK(woken_at(all, 12) == std::vector<std::size_t>{64});
    CHECK(all.next(12) == sleepers<>::never);
}

TEST_CASE("a wait longer than the wheel passes others in its bucket") {
    sleepers<> all;
    all.reset(4);
    all.sleep(0, 0, 5);
    all.sleep(1, 0, 5 + 1024);
    all.sleep(2, 0, 5 + 3 * 1024);
    CHECK(woken_at(all, 5) == std::vector<std::size_t>{0});
    CHECK(all.next(5) == 1029);
    CHECK(all.next(5, 1028) == 1028);
    CHECK(all.next(5, 1030) == 1029);
    CHECK(woken_at(all, 1029) == std::vector<std::size_t>{1});
    CHECK(woken_at(all, 1029 + 1024).empty());
    CHECK(woken_at(all, 5 + 3 * 1024) == std::vector<std::size_t>{2});
}

TEST_CASE("where all sleep for longer than the wheel, the first of them is next") {
    sleepers<> all;
    all.reset(3);
    CHECK(woken_at(all, 5).empty());
    all.sleep(0, 5, 5000);
    all.sleep(1, 5, 4000);
    CHECK(all.next(5) == 4000);
    CHECK(all.next(5, 2000) == 2000);
    CHECK(all.next(5, 4500) == 4000);
    std::vector<std::uint64_t> words;
    auto add = [&](std::uint64_t word) { words.push_back(word); };
    all.for_each_word(1000, add);
    CHECK(words == std::vector<std::uint64_t>{4 * 4000, 4 * 3000, sleepers<>::never});
}

TEST_CASE("the next cycle is the least of all, whoever else is in its bucket") {
    std::mt19937_64 random(7);
    sleepers<> all;
    all.reset(100);
    std::vector<std::uint64_t> until(100, sleepers<>::never);
    std::uint64_t now = 0;
    for (int i = 0; i < 3000; ++i) {
        const std::size_t warp = random() % 100;
        if (until[warp] == sleepers<>::never) {
            until[warp] = now + 1 + random() % (i % 10 == 0 ? 5000 : 300);
            all.sleep(warp, now, until[warp]);
        }
        const std::uint64_t first = *std::min_element(until.begin(), until.end());
        CHECK(all.next(now) == first);
        if (i % 3 != 0) continue;
        now = first;
        for (const std::size_t woken : woken_at(all, now)) {
            CHECK(until[woken] == now);
            until[woken] = sleepers<>::never;
        }
        CHECK(std::count(until.begin(), until.end(), now) == 0);
    }
}

TEST_CASE("warps sleep for a reason until they wake, also for longer than the wheel") {
    sleepers<> all;
    all.reset(70);
    all.sleep(1, 0, 9);
    all.sleep(2, 0, 9, 1);
    all.sleep(66, 0, 9, 2);
    all.sleep(67, 0, 9 + 1024 * 2, 1);
    CHECK(all.count(1) == 2);
    CHECK(all.count(2) == 1);
    CHECK(all.reason_of(1) == 0);
    CHECK(all.reason_of(2) == 1);
    CHECK(all.reason_of(66) == 2);
    CHECK(all.reason_of(3) == sleepers<>::reasons);
    sleepers<> late;
    late.reset(70);
    move_words(all, 5, late, 105);
    CHECK(late.reason_of(66) == 2);
    CHECK(woken_at(late, 109) == std::vector<std::size_t>{1, 2, 66});
    CHECK(woken_at(all, 9) == std::vector<std::size_t>{1, 2, 66});
    CHECK(all.count(1) == 1);
    CHECK(all.count(2) == 0);
    CHECK(woken_at(all, 9 + 1024).empty());
    CHECK(woken_at(all, 9 + 2048) == std::vector<std::size_t>{67});
    CHECK(all.count(1) == 0);
    CHECK_FALSE(all.is_asleep(67));
}

TEST_CASE("nobody sleeps after a reset") {
    sleepers<> all;
    all.reset(2);
    all.sleep(1, 0, 7);
    all.reset(70);
    CHECK(all.next(0) == sleepers<>::never);
    CHECK(woken_at(all, 7).empty());
}

TEST_CASE("all sleep for longer together") {
    sleepers<> all;
    all.reset(70);
    all.sleep(3, 0, 10);
    all.sleep(69, 0, 5000);
    CHECK(woken_at(all, 9).empty());
    CHECK(all.is_asleep(69));
    CHECK_FALSE(all.is_asleep(68));
    sleepers<> late;
    late.reset(70);
    late.sleep(4, 0, 20);
    move_words(all, 9, late, 2'000'009);
    CHECK(late.next(2'000'009) == 2'000'010);
    CHECK(woken_at(late, 2'000'010) == std::vector<std::size_t>{3});
    CHECK(late.next(2'000'010) == 2'005'000);
    CHECK(woken_at(late, 2'005'000) == std::vector<std::size_t>{69});
    CHECK(late.next(2'005'000) == sleepers<>::never);
}

}  // namespace sleepers_test
