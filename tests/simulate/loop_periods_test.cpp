// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include <doctest/doctest.h>

#include <warpgauge/simulate/loop_periods.hpp>

namespace loop_periods_test {

using namespace warpgauge;
using namespace warpgauge::detail::simulate;

namespace {

// An SM as `look` sees it; rounds by warp, of its loops from the outermost on.
struct state {
    std::uint64_t common{};
    std::uint64_t of_warps{};
    std::vector<std::vector<std::uint32_t>> rounds;

    template <class Visitor>
    void for_each_common_word(Visitor& visit) const {
        visit(common);
    }
    template <class Visitor>
    void for_each_warp_word(Visitor& visit) const {
        visit(of_warps);
    }
    template <class Visitor>
    void for_each_round(const Visitor& visit) const {
        for (const auto& warp : rounds) {
            for (std::size_t i = 0; i < warp.size(); ++i) visit(warp[i], i == 0);
        }
    }
};

sm_totals after(std::uint64_t instructions) {
    return {
        .progress = {.cycle = 10 * instructions, .blocks = 3, .warp_instructions = instructions},
        .last_result = 20 * instructions};
}

constexpr double never = std::numeric_limits<double>::infinity();

// How often what is between two states, 100 and 200 instructions in, happens again.
std::uint64_t repetitions(const state& before, const state& now, std::size_t depth = 1) {
    loop_periods<> periods;
    periods.reset();
    CHECK(periods.look(1, after(100), before).times == 0);
    return periods.look(depth, after(200), now).times;
}

}  // namespace

TEST_CASE("rounds repeat while every warp has some left") {
    CHECK(repetitions({1, 2, {{100}}}, {1, 2, {{90}}}) ==
          8);  // 90 to 10: the last round is its own
    CHECK(repetitions({1, 2, {{100}}}, {1, 2, {{91}}}) == 10);
    CHECK(repetitions({1, 2, {{100}, {50}}}, {1, 2, {{99}, {48}}}) == 23);
    CHECK(repetitions({1, 2, {{100}, {50}}}, {1, 2, {{99}, {50}}}) == 98);  // one that waits
    CHECK(repetitions({1, 2, {{2}}}, {1, 2, {{1}}}) == 0);
    // Of a loop in another, either; of both, the inner one began anew.
    CHECK(repetitions({1, 2, {{7, 30}}}, {1, 2, {{7, 20}}}) == 1);
    CHECK(repetitions({1, 2, {{7, 30}}}, {1, 2, {{6, 30}}}) == 5);
    CHECK(repetitions({1, 2, {{7, 30}}}, {1, 2, {{6, 29}}}) == 0);
    CHECK(repetitions({1, 2, {{7, 30}, {9, 4}}}, {1, 2, {{6, 30}, {9, 3}}}) == 2);
    CHECK(repetitions({1, 2, {{7}}}, {1, 2, {{8}}}) == 0);
    CHECK(repetitions({1, 2, {{7}}}, {1, 2, {{7}}}) == 0);
}

TEST_CASE("states that differ, or of loops at another depth, are not the same") {
    const state before{1, 2, {{100}}};
    CHECK(repetitions(before, {9, 2, {{90}}}) == 0);
    CHECK(repetitions(before, {1, 9, {{90}}}) == 0);
    CHECK(repetitions(before, {1, 2, {{90}}}, 2) == 0);
    loop_periods<> periods;
    periods.reset();
    sm_totals now = after(100);
    CHECK(periods.look(1, now, before).times == 0);
    now = after(200);
    now.last_rate = true;
    CHECK(periods.look(1, now, state{1, 2, {{90}}}).times == 0);
    now = after(300);
    now.last_result = after(200).last_result;  // older than what happened since
    CHECK(periods.look(1, now, state{1, 2, {{80}}}).times == 0);
    now = after(400);
    now.progress.blocks = 4;  // another block has begun: its rounds are not those before
    CHECK(periods.look(1, now, state{1, 2, {{70}}}).times == 0);
    now = after(500);
    now.progress.blocks = 4;
    CHECK(periods.look(1, now, state{1, 2, {{60}}}).times == 5);
}

TEST_CASE("any period is found, and looks take a small part of the time") {
    for (const std::uint32_t period : {1U, 2U, 7U, 25U}) {
        CAPTURE(period);
        loop_periods<> periods;
        periods.reset();
        std::uint64_t looks = 0;
        for (std::uint32_t round = 1;; ++round) {
            REQUIRE(round < 10'000);
            if (!periods.is_due(std::uint64_t{100} * round)) continue;
            const auto s =
                periods.look(1, after(std::uint64_t{100} * round),
                             state{round % period, round < 40 ? round : 0, {{1'000'000 - round}}});
            ++looks;
            if (s.times == 0) continue;
            const std::uint64_t since = round - s.from.progress.warp_instructions / 100;
            CHECK(since % period == 0);
            CHECK(s.times == (1'000'000 - round - 1) / since);
            CHECK(*periods.rounds_before(1) == 1'000'000 - round + since);
            break;
        }
        CHECK(looks < 200);
    }
    loop_periods<> periods;
    periods.reset();
    CHECK(periods.is_due(0));
    CHECK(periods.look(0, after(100), state{1, 2, {{100}}}).times == 0);
    CHECK_FALSE(periods.is_due(101));
    CHECK(periods.is_due(200));
}

TEST_CASE("repetitions end with the cycles, before another rate holds, and where sums round") {
    sm_totals from = after(100);
    sm_totals to = after(200);
    CHECK(max_repetitions(from, to, true, never) == (max_simulated_cycles - 2000) / 1000);
    CHECK(max_repetitions(from, from, true, never) == 0);
    to.dram_bytes = 128;
    CHECK(max_repetitions(from, to, true, 1000) == 6);
    CHECK(max_repetitions(from, to, true, 100) == 0);
    CHECK(max_repetitions(from, to, false, never) == 0);
    from.last_rate = to.last_rate = true;
    CHECK(max_repetitions(from, to, true, 1000) == (max_simulated_cycles - 2000) / 1000);
    to.dram_bytes = 0;
    to.l2_bytes = 0x1p51;
    CHECK(max_repetitions(from, to, true, never) == 1);
    to.progress.cycle = max_simulated_cycles;
    CHECK(max_repetitions(from, to, true, never) == 0);
}

TEST_CASE("what is counted again adds up") {
    sm_estimate e;
    const sm_progress from{.cycle = 10,
                           .warp_instructions = 5,
                           .issue_slots = 4,
                           .issue_cycles = 3,
                           .stalls = {.unit_busy = 1}};
    const sm_progress to{.cycle = 30,
                         .warp_instructions = 11,
                         .issue_slots = 9,
                         .issue_cycles = 7,
                         .stalls = {.unit_busy = 11, .barrier = 6}};
    count_again(e, from, to, 3);
    CHECK(e.warp_instructions == 18);
    CHECK(e.issue_slots == 15);
    CHECK(e.issue_cycles == 12);
    CHECK(e.stalls.unit_busy == 30);
    CHECK(e.stalls.barrier == 18);
    CHECK(e.issue_cycles + e.stalls.total() == 3 * 20);
}

TEST_CASE(
    "sums of bytes that round repeat nothing, and rounds without bytes as often as cycles allow") {
    sm_totals from = after(100);
    sm_totals to = after(200);
    CHECK(max_repetitions(from, to, false, never) > 1000);
    CHECK(max_repetitions(from, to, false, never) == max_repetitions(from, to, true, never));
    to.l2_bytes = 0.5;
    CHECK(max_repetitions(from, to, false, never) == 0);
    CHECK(max_repetitions(from, to, true, never) > 1000);
}

}  // namespace loop_periods_test
