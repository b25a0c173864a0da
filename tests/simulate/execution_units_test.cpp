// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstddef>
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include <warpgauge/simulate/execution_units.hpp>

#include "move_words.hpp"

namespace execution_units_test {

using namespace warpgauge;
using namespace warpgauge::detail::simulate;

namespace {

constexpr std::uint64_t warp = 32 * detail::simulate::parts_of_thread;

// The first cycle, but none before `completes`, at which a unit has finished what it starts in cycle `now`.
template <std::size_t SubCores>
std::uint64_t occupy(execution_units<SubCores>& units, std::size_t unit, std::uint64_t work,
                     std::uint64_t now, std::uint64_t completes, std::size_t sub_core = 0) {
    const std::uint64_t from = now * units.ticks_of_cycle(unit);
    const std::uint64_t ticks = work * units.ticks_of_part(unit);
    const std::uint64_t left = units.start(unit, ticks, from, sub_core) - from;
    CHECK(units.busy_cycles(unit, left) ==
          (units.ready(unit, sub_core) > now ? units.ready(unit, sub_core) - now : 0));
    return now + units.at_least(completes > now ? completes - now : 0, unit, left);
}

}  // namespace

TEST_CASE("a unit of half a warp's lanes takes two cycles") {
    execution_units<> units({0, 16, 32, 64, 0});
    CHECK(occupy(units, 1, warp, 5, 6) == 7);
    CHECK(units.ready(1) == 7);
    CHECK(occupy(units, 1, warp, 7, 8) == 9);
    CHECK(units.ready(1) == 9);
    CHECK(units.ready(2) == 0);
    // A latency that is longer hides it.
    CHECK(occupy(units, 1, warp, 9, 15) == 15);
}

TEST_CASE("a unit of two warps' lanes starts two in a cycle") {
    execution_units<> units({0, 16, 32, 64, 0});
    CHECK(occupy(units, 3, warp, 4, 5) == 5);  // after 4.5 cycles
    CHECK(units.ready(3) <= 4);                // another one can start
    CHECK(occupy(units, 3, warp, 4, 5) == 5);
    CHECK(units.ready(3) == 5);
}

TEST_CASE("what a cycle leaves over, the next one works off") {
    execution_units<> units({0, 48, 0, 0, 0});  // three warps in two cycles
    CHECK(occupy(units, 1, warp, 0, 0) == 1);
    CHECK(units.ready(1) == 0);
    CHECK(occupy(units, 1, warp, 0, 0) == 2);
    CHECK(units.ready(1) == 1);
    CHECK(occupy(units, 1, warp, 1, 0) == 2);
    CHECK(units.ready(1) == 2);
    CHECK(units.cycles_of(1, 3.0 * warp) == 2);
    CHECK(units.cycles_of(2, 3.0 * warp) == 0);  // there is none
}

TEST_CASE("a part of a thread more takes a cycle more") {
    execution_units<> units({0, 32, 0, 0, 0});
    CHECK(occupy(units, 1, warp, 4, 0) == 5);
    CHECK(occupy(units, 1, warp + 1, 5, 0) == 7);
    CHECK(units.ready(1) == 6);
}

TEST_CASE("an access of several parts occupies the unit as often") {
    execution_units<> units({0, 0, 0, 0, 32});
    CHECK(occupy(units, 4, 8 * warp, 100, 0) == 108);
    CHECK(units.ready(4) == 108);
}

TEST_CASE("sub-cores divide what they can") {
    execution_units<4> units({0, 64, 2, 16, 32, 1024});
    CHECK(units.is_divided(1));
    CHECK_FALSE(units.is_divided(0));  // there is none
    CHECK_FALSE(units.is_divided(2));  // two lanes for four
    CHECK_FALSE(units.is_divided(4));  // load/store units are the SM's
    CHECK(units.is_divided(5));
    CHECK(occupy(units, 1, warp, 10, 0, 0) == 12);  // 16 lanes
    CHECK(units.ready(1, 0) == 12);
    CHECK(units.ready(1, 3) == 0);
    CHECK(occupy(units, 1, warp, 10, 0, 3) == 12);
    CHECK(occupy(units, 4, warp, 10, 0, 0) == 11);
    CHECK(occupy(units, 4, warp, 10, 0, 3) == 12);
    CHECK(units.cycles_of(1, 2.0 * warp) == 1);  // of 64 lanes
    CHECK(units.cycles_of(4, 2.0 * warp) == 2);
}

TEST_CASE("two sub-cores have a half each") {
    execution_units<2> units({0, 32, 0, 0, 0});
    CHECK(occupy(units, 1, warp, 10, 0, 1) == 12);
    CHECK(units.ready(1, 1) == 12);
    CHECK(units.ready(1, 0) == 0);
}

TEST_CASE("only the work that is left is its state") {
    const auto state = [](const execution_units<>& units, std::uint64_t now) {
        std::vector<std::uint64_t> words;
        auto add = [&](std::uint64_t word) { words.push_back(word); };
        units.for_each_word(now, add);
        return words;
    };
    execution_units early({0, 48, 16, 0, 0});
    execution_units late({0, 48, 16, 0, 0});
    occupy(early, 1, 2 * warp, 3, 0);
    occupy(late, 1, 2 * warp, 1'000'003, 0);
    CHECK(state(early, 4) == state(late, 1'000'004));
    CHECK(state(early, 4) != state(late, 1'000'003));
    CHECK(state(early, 5) == state(execution_units<>({0, 48, 16, 0, 0}), 0));
}

TEST_CASE("work that is left comes later") {
    execution_units units({0, 48, 16, 0, 0});
    occupy(units, 1, 3 * warp, 10, 0);  // two cycles
    occupy(units, 2, warp, 10, 0);
    execution_units late({0, 48, 16, 0, 0});
    move_words(units, 11, late, 511);
    CHECK(occupy(late, 2, warp, 511, 0) == 514);  // after the cycle that is left
    CHECK(late.ready(2) == 514);
    move_words(units, 2000, late, 2100);  // nothing is left
    CHECK(occupy(late, 1, warp, 2100, 0) == 2101);
}

TEST_CASE("ticks are common to all units, where there are not too many") {
    const unit_ticks k40 = ticks_of({160, 192, 64, 32, 32, 0}, 1);
    CHECK(k40.are_common);
    for (const std::size_t u : {0U, 1U, 2U, 3U, 4U}) CHECK(k40.of_cycle[u] == 960 * 64);
    CHECK(k40.of_cycle[5] == 0);
    CHECK(k40.of_part[1] == 5);
    const unit_ticks odd = ticks_of({4093, 4091, 0, 0, 32, 0}, 1);
    CHECK_FALSE(odd.are_common);
    CHECK(odd.of_cycle[0] == 4093 * 64);
    CHECK(odd.of_part[0] == 1);
}

TEST_CASE("what fills its cycle does as any other") {
    execution_units<> units({0, 32, 0, 0, 0});
    execution_units<> same({0, 32, 0, 0, 0});
    for (const std::uint64_t now : {5U, 6U, 9U}) {
        occupy(units, 1, warp, now, 0);
        same.fill_cycle(1, (now + 1) * same.ticks_of_cycle(1), 0);
        CHECK(units.until(1, 0) == same.until(1, 0));
        CHECK_FALSE(same.is_ready(1, 0, now));
        CHECK(same.is_ready(1, 0, now + 1));
    }
}

}  // namespace execution_units_test
