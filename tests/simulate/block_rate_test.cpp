// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cmath>
#include <cstdint>

#include <doctest/doctest.h>

#include <warpgauge/simulate/block_rate.hpp>

namespace block_rate_test {

using warpgauge::detail::simulate::block_rate;

namespace {

constexpr double many = 1e12;  // instructions that follow

// The error after rounds of 1000 instructions each, in cycles of one; round r takes `cycles(r)`.
template <class Cycles>
double error_of(std::uint64_t rounds, Cycles cycles, double left = many) {
    block_rate<> rate;
    rate.reset(500);
    std::uint64_t now = 500;
    for (std::uint64_t r = 1; r <= rounds; ++r) {
        now += static_cast<std::uint64_t>(cycles(r));
        rate.add_round(now, 1000 * r);
    }
    return rate.error(left);
}

// What is left of it at a rate that was even, of one cycle.
double unseen(std::uint64_t rounds) {
    const auto n = static_cast<double>(rounds);
    return 0.15 / std::sqrt(n * std::sqrt(n * 1000 / 1024));
}

}  // namespace

TEST_CASE("an even rate can change, by less the longer it was even") {
    for (std::uint64_t rounds = 2; rounds <= 4096; rounds *= 2) {
        CAPTURE(rounds);
        CHECK(error_of(rounds, [](std::uint64_t) { return 1000; }) ==
              doctest::Approx(unseen(rounds)).epsilon(1e-12));
    }
    CHECK(unseen(32) == doctest::Approx(0.0112).epsilon(0.01));
}

TEST_CASE("a rate that changed can change again as much, and twice if it did so of late") {
    for (const std::uint64_t rounds : {2U, 4U, 8U, 32U, 64U, 1024U}) {
        CAPTURE(rounds);
        const double even = unseen(rounds);
        const auto changed = [&](std::uint64_t from) {
            return error_of(rounds, [&](std::uint64_t r) { return r <= from ? 1000 : 1100; });
        };
        CHECK(changed(rounds / 2) >= 2 * 0.1 + 1.1 * even - 1e-12);
        if (rounds < 8) continue;
        CHECK(changed(rounds / 2) == doctest::Approx(0.2 + 1.1 * even));
        CHECK(changed(rounds * 3 / 4) > 0.2 + even);  // within the half
        CHECK(changed(rounds / 4) == doctest::Approx(0.1 + 1.1 * even));
    }
}

TEST_CASE("the mean of rounds that differ has an error, that of few rounds a larger one") {
    // In turn, 900 and 1100: the mean of two is even, and so the error is that of 16 parts of one round.
    const auto by_turns = [](std::uint64_t r) { return r % 2 == 0 ? 900 : 1100; };
    const double mean = 2.95 * 0.1 / std::sqrt(15.0);
    CHECK(error_of(32, by_turns) == doctest::Approx(mean + unseen(32)));
    CHECK(error_of(64, by_turns) == doctest::Approx(unseen(64)));  // parts of two
    CHECK(error_of(32, by_turns, 16'000) == doctest::Approx(std::sqrt(2.0) * mean + unseen(32)));
    CHECK(error_of(8, by_turns) == doctest::Approx(5.84 * 0.1 / std::sqrt(3.0) + unseen(8)));
    // Of four rounds, all; but these changed by more within the half.
    CHECK(error_of(4, by_turns) == doctest::Approx(2 * 0.2 + unseen(4)));
    const auto one_longer = [](std::uint64_t r) { return r == 1 ? 1800 : 1000; };
    CHECK(error_of(4, one_longer) >= 5.84 * 0.2 + unseen(4) - 1e-12);
}

TEST_CASE("it can be used again, from its first round on") {
    block_rate<> rate;
    rate.reset(0);
    for (std::uint64_t r = 1; r <= 200; ++r) rate.add_round(r * r, 1000 * r);
    rate.reset(0);
    rate.add_round(1000, 1000);
    rate.add_round(2000, 2000);
    CHECK(rate.error(many) == doctest::Approx(unseen(2)));
}

}  // namespace block_rate_test
