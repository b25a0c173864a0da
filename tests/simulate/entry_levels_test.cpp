// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>

#include <doctest/doctest.h>

#include <warpgauge/simulate/entry_levels.hpp>

namespace entry_levels_test {

using namespace warpgauge;

TEST_CASE("fractions moved to another mean stay fractions, and have that mean") {
    constexpr std::array all{0.0, 0.1, 0.5, 0.6, 1.0};
    constexpr double mean = 2.2 / 5;
    for (const double to : {0.0, 0.2, mean, 0.7, 1.0}) {
        CAPTURE(to);
        const moved_fractions m = moved(mean, to);
        double sum = 0;
        for (const double f : all) {
            CHECK(m(f) >= 0);
            CHECK(m(f) <= 1);
            sum += m(f);
        }
        CHECK(sum / 5 == doctest::Approx(to));
    }
    CHECK(moved(mean, 0.2)(0) == 0);
    CHECK(moved(mean, 0.7)(1) == 1);
    // All alike, at the ends.
    CHECK(moved(0, 0)(0) == 0);
    CHECK(moved(0, 0.3)(0) == doctest::Approx(0.3));
    CHECK(moved(1, 1)(1) == 1);
    CHECK(moved(1, 0.3)(1) == 0.3);
}

TEST_CASE("an entry's latency is the mean over its levels, with the waits for DRAM") {
    constexpr std::array<access_level, 3> given{{{0.5, 0.25}, {0, 0}, {1, 0}}};
    stream_levels levels{.of_entries = given, .mean_misses = 0.5, .dram_latency_cycles = 400};
    CHECK(levels.at(0, 20, 100).beyond_l1 == 0.5);
    CHECK(levels.at(0, 20, 100).from_dram == 0.25);
    CHECK(levels.at(0, 20, 100).latency_cycles == 0.25 * 400 + 0.25 * 100 + 0.5 * 20);
    CHECK(levels.at(1, 20, 100).latency_cycles == 20);
    CHECK(levels.at(2, 20, 100).latency_cycles == 100);
    // Half of what hit L1 no longer does; what nobody knows of it is as all else.
    levels.beyond_l1 = moved(0.5, 0.75);
    CHECK(levels.at(1, 20, 100).beyond_l1 == 0.5);
    CHECK(levels.at(1, 20, 100).from_dram == 0.25);
    levels.beyond_l1 = {};
    // Waits without bytes.
    levels.waits = moved(0.5, 0.75);
    CHECK(levels.at(0, 20, 100).from_dram == 0.25);
    CHECK(levels.at(0, 20, 100).latency_cycles == 0.375 * 400 + 0.125 * 100 + 0.5 * 20);
    CHECK(levels.at(2, 20, 100).from_dram == 0);
    CHECK(levels.at(2, 20, 100).latency_cycles == 250);
    levels.dram_latency_cycles = 0;
    CHECK(levels.at(0, 20, 100).latency_cycles == 0);
    CHECK(levels.at(1, 20, 100).latency_cycles == 20);
}

}  // namespace entry_levels_test
