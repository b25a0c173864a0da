// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>
#include <initializer_list>
#include <random>

#include <doctest/doctest.h>

#include <warpgauge/simulate/ppt_clock.hpp>

namespace ppt_clock_test {

using warpgauge::detail::simulate::ppt_clock;

namespace {

double one_by_one(double t, std::uint64_t cycles) {
    for (std::uint64_t i = 0; i < cycles; ++i) t += 1;
    return t;
}

}  // namespace

TEST_CASE("many cycles at once round as one after the other") {
    for (const double start : {0.0, 0.1, 126.3, 1023.999999999, 1.0 / 3, 4095.7}) {
        const ppt_clock clock(start);
        for (const std::uint64_t cycles : {1U, 2U, 7U, 100U, 1000U, 5000U, 70'000U}) {
            CAPTURE(start);
            CAPTURE(cycles);
            CHECK(clock.later(cycles) == one_by_one(start, cycles));
        }
    }
}

TEST_CASE("any number of cycles from any time rounds as one after the other") {
    std::mt19937 random(11);
    for (int i = 0; i < 1000; ++i) {
        const double start = std::uniform_real_distribution<>(0, i % 2 == 0 ? 1 : 100)(random);
        const std::uint64_t cycles = random() % 5000;
        CAPTURE(start);
        CAPTURE(cycles);
        CHECK(ppt_clock(start).later(cycles) == one_by_one(start, cycles));
    }
}

TEST_CASE("the clock counts its cycles") {
    ppt_clock clock(126.3);
    clock.pass(1);
    clock.pass(5000);
    CHECK(clock.cycle() == 5001);
    CHECK(clock.now() == one_by_one(126.3, 5001));
    CHECK(clock.later(10) == one_by_one(126.3, 5011));
}

TEST_CASE("cycles until a time is reached, and until it is past") {
    const ppt_clock clock(10);
    CHECK(clock.cycles_to_reach(15) == 5);
    CHECK(clock.cycles_to_pass(15) == 6);
    CHECK(clock.cycles_to_reach(14.5) == 5);
    CHECK(clock.cycles_to_pass(14.5) == 5);
    CHECK(clock.cycles_to_reach(3) == 1);  // time goes on
    CHECK(clock.cycles_to_pass(3) == 1);
    const ppt_clock odd(0.1);
    const double later = one_by_one(0.1, 300);
    CHECK(odd.cycles_to_reach(later) == 300);
    CHECK(odd.cycles_to_pass(later) == 301);
}

}  // namespace ppt_clock_test
