// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>

#include <doctest/doctest.h>

#include <warpgauge/ptx/trace/repeated_costs.hpp>

namespace repeated_costs_test {

using namespace warpgauge;
using namespace warpgauge::ptx::detail::trace;

namespace {

// Two accesses that move by so many B from block to block.
auto moving(std::uint32_t by, std::uint32_t by_other = 0) {
    return [=](std::uint32_t n) {
        const auto at = static_cast<std::uint8_t>(n * by % 128);
        const auto other = static_cast<std::uint8_t>(n * by_other % 128);
        return result<block_place>(block_place{std::uint64_t{at} << 8 | other, {at, other}});
    };
}

template <class Cost>
auto costing(Cost cost) {
    return [=](std::uint32_t n) { return result<block_place>(block_place{cost(n), {}}); };
}

}  // namespace

TEST_CASE("addresses that move evenly are aligned again after a line") {
    const auto blocks_by = [](std::uint32_t by, std::uint32_t other) {
        const auto costs = repeated_costs({0, 1000}, 32, moving(by, other));
        REQUIRE(costs);
        CHECK(costs->moves_evenly == (costs->period > 1));
        return costs->period;
    };
    CHECK(blocks_by(128, 256) == 1);
    CHECK(blocks_by(64, 0) == 2);
    CHECK(blocks_by(96, 64) == 4);
    CHECK(blocks_by(64, 8) == 16);
    CHECK(blocks_by(100, 100) == 32);
    CHECK(blocks_by(1, 0) == 128);
}

TEST_CASE("other costs repeat after as many blocks as it takes to see one again") {
    const auto fifth = repeated_costs(
        {0, 1000}, 16, costing([](std::uint32_t n) { return n % 5 == 2 ? 7U : n % 5; }));
    REQUIRE(fifth);
    CHECK_FALSE(fifth->moves_evenly);
    CHECK(fifth->period == 5);
    CHECK(fifth->blocks == 5);
    CHECK_FALSE(fifth->is_irregular());
    const auto never = repeated_costs({0, 1000}, 16, costing([](std::uint32_t n) { return n; }));
    REQUIRE(never);
    CHECK(never->period == 0);
    CHECK(never->is_irregular());
    CHECK(never->block_like(3) == 3);
    // A run of few blocks is known as a whole.
    const auto few = repeated_costs({40, 58}, 16, costing([](std::uint32_t n) { return n; }));
    REQUIRE(few);
    CHECK(few->blocks == 18);
    CHECK(few->from == 40);
    CHECK_FALSE(few->is_irregular());
}

TEST_CASE("addresses that move once as they would evenly are looked at further") {
    const auto third = [](std::uint32_t n) {
        const auto at = static_cast<std::uint8_t>(n % 3 * 32);
        return result<block_place>(block_place{at, {at}});
    };
    const auto costs = repeated_costs({0, 1000}, 16, third);
    REQUIRE(costs);
    CHECK_FALSE(costs->moves_evenly);
    CHECK(costs->period == 3);
}

TEST_CASE("a line that is too short to be aligned again is looked at further on") {
    CHECK(repeated_costs({0, 12}, 32, moving(4))->moves_evenly);
    CHECK(repeated_costs({0, 12}, 32, moving(4, 12))->moves_evenly);
    CHECK(repeated_costs({0, 3}, 32, moving(4))->moves_evenly);
    // Each block moves by twice as much as the one before.
    const auto doubling = [](std::uint32_t n) {
        const auto at = static_cast<std::uint8_t>((4U << n) % 128);
        return result<block_place>(block_place{at, {at}});
    };
    const auto costs = repeated_costs({0, 6}, 32, doubling);
    REQUIRE(costs);
    CHECK_FALSE(costs->moves_evenly);
    CHECK(costs->blocks == 6);
    // One that makes other accesses does not move at all.
    const auto other = [](std::uint32_t n) {
        block_place p{n, {static_cast<std::uint8_t>(4 * n)}};
        if (n == 8) p.alignments.push_back(0);
        return result<block_place>(p);
    };
    CHECK_FALSE(repeated_costs({0, 10}, 32, other)->moves_evenly);
    CHECK(blocks_until_aligned({1, {0}}, {1, {4}}) == 32);
    CHECK(blocks_until_aligned({1, {0}}, {1, {4, 0}}) == 0);
}

TEST_CASE("a block that costs the same is as many periods away, and in the run") {
    for (const std::uint32_t by : {8U, 32U, 96U}) {
        CAPTURE(by);
        const auto costs = repeated_costs({10, 300}, 32, moving(by));
        REQUIRE(costs);
        double all = 0;
        for (std::uint32_t n = 0; n < costs->blocks; ++n)
            all += costs->count_like({10, 300}, costs->from + n);
        CHECK(all == 290);
        for (std::uint32_t n = 10; n < 300; ++n) {
            const std::uint32_t like = costs->block_like(n);
            CHECK(like >= 10);
            CHECK(like < 300);
            CHECK((like * by) % 128 == (n * by) % 128);
        }
    }
    // One before the first that was looked at, where a period behind it is beyond the run.
    constexpr cost_repetition late{.run = {0, 20}, .from = 10, .blocks = 16, .period = 16};
    CHECK(late.block_like(5) == 5);
    CHECK(late.block_like(3) == 19);
    CHECK(late.block_like(2) == 18);
    CHECK(late.block_like(16) == 16);
    // A run of no whole period has no other such block.
    const auto costs = repeated_costs({0, 20}, 32, moving(1));
    REQUIRE(costs);
    CHECK(costs->period == 128);
    for (std::uint32_t n = 0; n < 20; ++n) CHECK(costs->block_like(n) == n);
    const auto longer = repeated_costs({0, 40}, 32, moving(1));
    REQUIRE(longer);
    CHECK(longer->blocks == 40);
    for (std::uint32_t n = 0; n < 40; ++n) CHECK(longer->block_like(n) == n);
}

TEST_CASE("the ends that are clamped are found to the block") {
    const auto place = costing([](std::uint32_t n) { return n < 107 ? 5U : n > 990 ? 6U : n % 4; });
    const auto equal = [&](std::uint32_t a, std::uint32_t b) {
        return result<bool>(place(a)->cost == place(b)->cost);
    };
    const auto costs = repeated_costs({100, 1000}, 16, place);
    REQUIRE(costs);
    CHECK(costs->period == 4);
    CHECK(*end_of_alike(*costs, 100, equal) == 107);
    CHECK(*end_of_alike(*costs, 999, equal) == 990);
    CHECK(*end_of_alike(*costs, 500, equal) == 500);
}

TEST_CASE("an error of a block is that of the search, wherever it comes") {
    const model_error bad{errc::limit_reached, "max_steps"};
    for (const std::uint32_t at : {492U, 493U, 494U, 496U, 500U}) {
        CAPTURE(at);
        const auto place = [&](std::uint32_t n) {
            return n == at ? result<block_place>(bad) : result<block_place>(block_place{n, {}});
        };
        CHECK(repeated_costs({0, 1000}, 16, place).error() == bad);
    }
    const auto evenly = moving(32);
    const auto again = [&](std::uint32_t n) {
        return n == 496 ? result<block_place>(bad) : evenly(n);
    };
    CHECK(repeated_costs({0, 1000}, 16, again).error() == bad);
    const auto costs = repeated_costs({0, 1000}, 16, moving(8));
    REQUIRE(costs);
    CHECK(end_of_alike(*costs, 0, [&](auto, auto) { return result<bool>(bad); }).error() == bad);
}

}  // namespace repeated_costs_test
