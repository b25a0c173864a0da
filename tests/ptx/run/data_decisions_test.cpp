// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include <warpgauge/ptx/run/data_decisions.hpp>

namespace data_decisions_test {

using namespace warpgauge;
using ptx::detail::run::data_decisions, ptx::run::decision;

namespace {

// Of lanes that share nothing.
struct lone_decisions : data_decisions<> {
    using data_decisions::data_decisions;

    std::uint32_t decide(std::uint32_t step, std::uint32_t lanes) {
        std::uint32_t together = 0;
        return data_decisions::decide(step, lanes, {.base = ptx::detail::run::opaque_base}, false,
                                      together);
    }
};

}  // namespace

TEST_CASE("over many lanes, the odds are met") {
    const std::array<decision, 2> how{decision{.probability = 0.25}, decision{.probability = 1}};
    lone_decisions d(how);
    d.begin(ptx::detail::run::start_of(0));
    int holding = 0;
    for (int n = 0; n < 10; ++n) holding += std::popcount(d.decide(0, 0xffff'ffff));
    CHECK(holding == 80);
    CHECK(d.decide(1, 0xf0) == 0xf0);
    CHECK(d.decide(0, 0) == 0);
}

TEST_CASE("warps begin at different fractions, each the same every time") {
    const std::array<decision, 1> how{decision{.probability = 0.125}};
    lone_decisions d(how);
    d.begin(ptx::detail::run::start_of(3));
    const std::uint32_t third = d.decide(0, 0xff);
    d.begin(ptx::detail::run::start_of(0));
    const std::uint32_t first = d.decide(0, 0xff);
    CHECK(first == 0x08);  // 0.5, then an eighth a lane
    d.begin(ptx::detail::run::start_of(3));
    CHECK(d.decide(0, 0xff) == third);
    int holding = 0;
    for (std::uint32_t warp = 0; warp < 1000; ++warp) {
        d.begin(ptx::detail::run::start_of(warp));
        holding += std::popcount(d.decide(0, 1));
    }
    CHECK(holding == doctest::Approx(125).epsilon(0.02));
}

TEST_CASE("a loop runs its rounds in every lane") {
    const std::array<decision, 2> how{decision{.rounds = 3},
                                      decision{.rounds = 2.5, .leaves = true}};
    lone_decisions d(how);
    d.begin(ptx::detail::run::start_of(0));
    CHECK(d.decide(0, 3) == 3);
    CHECK(d.decide(0, 3) == 3);
    CHECK(d.decide(0, 3) == 0);  // left after the third
    CHECK(d.decide(0, 3) == 3);  // and entered again
    // 0.5 + 2.5 rounds in the first lane, 2.5 in the second, and the rest is kept.
    CHECK(d.decide(1, 3) == 0);
    CHECK(d.decide(1, 3) == 2);
    CHECK(d.decide(1, 1) == 1);
}

TEST_CASE("how far ahead decisions are certain, and skipping them") {
    const std::array<decision, 5> how{decision{.probability = 0}, decision{.probability = 1},
                                      decision{.probability = 0.5}, decision{.rounds = 9},
                                      decision{.rounds = 0.3}};
    lone_decisions d(how);
    d.begin(ptx::detail::run::start_of(0));
    CHECK(d.rounds_ahead(0, 1) == ~std::uint64_t{0});
    CHECK(d.rounds_ahead(1, 1) == ~std::uint64_t{0});
    CHECK(d.rounds_ahead(2, 1) == 0);
    CHECK(d.rounds_ahead(3, 1) == 0);  // nothing has been decided
    d.skip_rounds(2, 1, 5);
    d.skip_rounds(3, 1, 5);
    CHECK(d.decide(3, 3) == 3);
    CHECK(d.rounds_ahead(3, 2) == 7);
    d.skip_rounds(3, 2, 5);
    CHECK(d.rounds_ahead(3, 2) == 2);
    CHECK(d.rounds_ahead(3, 1) == 7);
    CHECK(d.rounds_ahead(3, 3) == 2);
    CHECK(d.decide(4, 1) == 0);  // one round is the least
    // A warp whose lanes share what decides goes as one.
    std::uint32_t together = 0;
    CHECK(d.data_decisions<>::decide(1, 0xffff'ffff, {.base = {.breaks = 0}}, false, together) ==
          0xffff'ffff);
    CHECK(together == 0xffff'ffff);
}

TEST_CASE("within its room, a warp that begins elsewhere decides the same") {
    const std::array<decision, 3> how{decision{.probability = 0.25}, decision{.rounds = 3.7},
                                      decision{.rounds = 4}};
    const auto decisions_of = [&](lone_decisions& d, std::uint32_t ordinal) {
        d.begin(ptx::detail::run::start_of(ordinal));
        std::vector<std::uint32_t> all;
        for (int n = 0; n < 6; ++n)
            all.push_back(d.decide(static_cast<std::uint32_t>(n) % 3, 0xff));
        return all;
    };
    lone_decisions d(how);
    int same = 0;
    for (std::uint32_t from = 0; from < 20; ++from) {
        const auto first = decisions_of(d, from);
        const auto room = d.room();
        for (std::uint32_t to = 0; to < 200; ++to) {
            const double more = ptx::detail::run::start_of(to) - ptx::detail::run::start_of(from);
            if (!room.holds(more)) continue;
            ++same;
            CHECK(decisions_of(d, to) == first);
        }
    }
    CHECK(same > 200);
}

TEST_CASE("of the warps that go one way, the odds of what is asked next are met too") {
    const std::array<decision, 3> how{decision{.probability = 0.5}, decision{.probability = 0.25},
                                      decision{.probability = 0.5}};
    data_decisions<> d(how);
    // The lanes of a warp share what decides, or one lane is left.
    for (const bool alone : {false, true}) {
        CAPTURE(alone);
        const ptx::detail::run::row_values asked{
            .base =
                alone ? ptx::detail::run::opaque_base : ptx::detail::run::unknown_base{.bits = 1}};
        const std::uint32_t lanes = alone ? 1 : ~0U;
        const auto answers = [&](double start) {
            std::uint32_t together = 0;
            d.begin(start);
            std::size_t all = 0;
            for (std::uint32_t step = 0; step < how.size(); ++step) {
                all |= d.decide(step, lanes, asked, false, together) != 0 ? 1U << step : 0U;
            }
            return all;
        };
        std::array<double, 8> warps{};
        for (std::uint32_t warp = 0; warp < 1000; ++warp) {
            const double start = ptx::detail::run::start_of(warp);
            const std::size_t found = answers(start);
            const auto room = d.room();
            warps[found] += 1.0 / 1000;
            for (const double more : {-0.4, -0.1, -0.03, 0.01, 0.05, 0.2}) {
                const bool begins = start + more >= 0 && start + more < 1;
                if (begins && room.holds(more)) CHECK(answers(start + more) == found);
            }
        }
        for (std::size_t all = 0; all < warps.size(); ++all) {
            const double odds = 0.5 * ((all & 2) != 0 ? 0.25 : 0.75) * 0.5;
            CHECK(warps[all] == doctest::Approx(odds).epsilon(0.05));
        }
    }
}

TEST_CASE("at a sum of exactly one, lanes together go on and a lane alone jumps") {
    // From 0.5 on, one decision of a half. All lanes share a base, or each has its own.
    const std::array<decision, 1> how{decision{.probability = 0.5}};
    data_decisions<> d(how);
    const auto jumps = [&](double start, bool alone) {
        const ptx::detail::run::row_values shared{.base = {.identity = 1, .bits = 1}};
        const ptx::detail::run::row_values own{.base = ptx::detail::run::opaque_base};
        std::uint32_t together = 0;
        d.begin(start);
        return d.decide(0, alone ? 1 : ~0U, alone ? own : shared, false, together) != 0;
    };
    for (const bool alone : {false, true}) {
        CAPTURE(alone);
        CHECK(jumps(0.5, alone) == alone);
        const auto room = d.room();
        CHECK(room.below == (alone ? 0 : 1));
        CHECK(room.above == (alone ? 1 : 0));
        for (const double start : {0.25, 0.75}) {
            CAPTURE(start);
            CHECK(room.holds(start - 0.5) == (jumps(start, alone) == alone));
        }
    }
}

}  // namespace data_decisions_test
