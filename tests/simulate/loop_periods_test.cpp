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

struct loop_rounds {
    std::uint32_t begin{};
    std::uint32_t left{};
};
// A warp's, from the outermost loop on.
struct position {
    std::vector<loop_rounds> loops;

    template <class Visitor>
    void for_each_round(Visitor& visit) const {
        for (const loop_rounds& l : loops) visit(l.begin, l.left);
    }
};

// An SM as `look` sees it.
struct state {
    std::uint64_t word{};
    std::vector<position> warps;
    queue_phases at{};
    queue_margins margins{{queue_margin::any(), queue_margin::any()}};

    template <class Visitor>
    void for_each_word(Visitor& visit) const {
        visit(word);
    }
    template <class Visitor>
    void for_each_position(const Visitor& visit) const {
        for (const position& p : warps) visit(p);
    }
    [[nodiscard]] std::uint64_t summary() const { return word; }
    [[nodiscard]] queue_phases phases() const { return at; }
    [[nodiscard]] queue_margins take_margins() const { return margins; }
};

// Of one warp, which has so many rounds left of a loop.
state alone(std::uint64_t word, std::uint32_t left, std::uint64_t phase = 0) {
    return {word, {{{{1, left}}}}, {{0, phase}}};
}

sm_totals after(std::uint64_t instructions) {
    return {
        .progress = {.cycle = 10 * instructions, .blocks = 3, .warp_instructions = instructions},
        .last_result = 20 * instructions + 3};
}

constexpr double never = std::numeric_limits<double>::infinity();
constexpr round_limits unlimited{.whole_bytes = true, .last_from_bytes = never};

// How often what is between two states, 100 and 200 instructions in, happens again.
std::uint64_t repetitions(state before, state now, std::size_t depth = 1,
                          const sm_totals& from = after(100), const sm_totals& to = after(200)) {
    loop_periods<> periods;
    periods.reset();
    CHECK(periods.is_due(1));
    CHECK(periods.look(1, from, before, unlimited).times == 0);
    while (!periods.is_due(depth)) {
    }
    return periods.look(depth, to, now, unlimited).times;
}
std::uint64_t of_warps(const std::vector<position>& before, const std::vector<position>& now) {
    return repetitions(state{1, before}, state{1, now});
}

}  // namespace

TEST_CASE("rounds repeat while every warp has some left") {
    CHECK(repetitions(alone(1, 100), alone(1, 90)) == 8);  // 90 to 10: the last round is its own
    CHECK(repetitions(alone(1, 100), alone(1, 91)) == 10);
    CHECK(of_warps({{{{1, 100}}}, {{{1, 50}}}}, {{{{1, 99}}}, {{{1, 48}}}}) == 23);
    CHECK(of_warps({{{{1, 100}}}, {{{1, 50}}}}, {{{{1, 99}}}, {{{1, 50}}}}) == 98);  // one waits
    CHECK(of_warps({{{{1, 100}}}, {}}, {{{{1, 99}}}, {}}) == 98);  // one is in no loop
    CHECK(repetitions(alone(1, 2), alone(1, 1)) == 0);
    // Of a loop around another, which began anew.
    CHECK(of_warps({{{{1, 7}, {2, 30}}}}, {{{{1, 6}, {2, 30}}}}) == 5);
    CHECK(of_warps({{{{1, 7}, {2, 30}}}}, {{{{1, 6}, {2, 29}}}}) == 0);
    CHECK(repetitions(alone(1, 7), alone(1, 8)) == 0);
}

TEST_CASE("no round repeats in which a warp left a loop, ended, or began anew") {
    const auto of_inner = [](loop_rounds outer, loop_rounds before, loop_rounds now) {
        loop_periods<> periods;
        periods.reset();
        state first{1, {{{{1, 7}, before}}}};
        state second{1, {{{outer, now}}}};
        while (!periods.is_due(2)) {
        }
        CHECK(periods.look(2, after(100), first, unlimited).times == 0);
        while (!periods.is_due(2)) {
        }
        return periods.look(2, after(200), second, unlimited).times;
    };
    CHECK(of_inner({1, 7}, {2, 30}, {2, 20}) == 1);
    CHECK(of_inner({1, 6}, {2, 30}, {2, 20}) == 0);
    CHECK(of_inner({1, 7}, {2, 30}, {5, 20}) == 0);  // the loop after it
    sm_totals to = after(200);
    to.unfinished = 1;
    CHECK(repetitions(alone(1, 100), alone(1, 90), 1, after(100), to) == 0);
    to = after(200);
    to.progress.blocks = 4;
    CHECK(repetitions(alone(1, 100), alone(1, 90), 1, after(100), to) == 0);
    to = after(200);
    to.last_rate = true;
    CHECK(repetitions(alone(1, 100), alone(1, 90), 1, after(100), to) == 0);
    to = after(200);
    to.last_result = after(100).last_result;  // older than what happened since
    CHECK(repetitions(alone(1, 100), alone(1, 90), 1, after(100), to) == 0);
    CHECK(repetitions(alone(1, 100), alone(9, 90)) == 0);
    CHECK(repetitions(alone(1, 100), alone(1, 90), 2) == 0);
}

TEST_CASE("loops in more than three others are not looked at") {
    loop_periods<> periods;
    periods.reset();
    CHECK_FALSE(periods.is_due(0));
    CHECK(periods.is_due(4));
    CHECK_FALSE(periods.is_due(5));
}

TEST_CASE("any period is found, and looks take a small part of the time") {
    for (const std::uint32_t period : {1U, 2U, 7U, 25U}) {
        CAPTURE(period);
        loop_periods<> periods;
        periods.reset();
        std::uint64_t looks = 0;
        for (std::uint32_t round = 1;; ++round) {
            REQUIRE(round < 10'000);
            if (!periods.is_due(1)) continue;
            state now = alone(round < 10 ? 1000 + round : round % period, 1'000'000 - round);
            const auto s = periods.look(1, after(std::uint64_t{100} * round), now, unlimited);
            ++looks;
            if (s.times == 0) continue;
            const std::uint64_t rounds = s.took.progress.warp_instructions / 100;
            CHECK(rounds % period == 0);
            CHECK(s.took.progress.cycle == 1000 * rounds);
            CHECK(s.times == (1'000'000 - round - 1) / rounds);
            CHECK(*s.words == round % period);
            CHECK(s.last_result ==
                  after(std::uint64_t{100} * (round + s.times * rounds)).last_result);
            CHECK(periods.taken() ==
                  std::vector<std::uint32_t>{static_cast<std::uint32_t>(rounds)});
            break;
        }
        CHECK(looks < 200);
    }
}

TEST_CASE("looks at what is always new come seldom") {
    loop_periods<> periods;
    periods.reset();
    std::uint64_t looks = 0;
    for (std::uint32_t round = 1; round < 4000; ++round) {
        if (!periods.is_due(1)) continue;
        ++looks;
        state now = alone(round, 1'000'000 - round);
        CHECK(periods.look(1, after(4 * std::uint64_t{round}), now, unlimited).times == 0);
    }
    CHECK(looks > 100);
    CHECK(looks < 1100);
}

TEST_CASE(
    "behind many new states, one is read if another had its summary, so that a period is found") {
    loop_periods<> periods;
    periods.reset();
    std::uint64_t times = 0;
    for (std::uint32_t round = 1; round < 20'000 && times == 0; ++round) {
        if (!periods.is_due(1)) continue;
        state now = alone(round < 8000 ? 1000 + round : round % 3, 1'000'000 - round);
        times = periods.look(1, after(std::uint64_t{400} * round), now, unlimited).times;
    }
    CHECK(times > 0);
}

TEST_CASE("a step is known for all phases in which its requests are answered as before") {
    loop_periods<> periods;
    periods.reset();
    const auto look = [&](std::uint64_t round, state now) {
        while (!periods.is_due(1)) {
        }
        return periods.look(1, after(100 * round), now, unlimited);
    };
    state one = alone(1, 1000, 50);
    look(1, one);
    state two = alone(2, 999, 80);
    two.margins.of[1] = {10, 5, true};  // 40 to 55 lead to 70 to 85
    look(2, two);
    state back = alone(1, 998, 52);
    back.margins.of[1] = {30, 20, true};  // 50 to 100 lead to 22 to 72
    // From 52 to 82, 54 and 84, and 56, which is not known.
    const auto s = look(3, back);
    CHECK(s.times == 1);
    CHECK(s.took.progress.warp_instructions == 400);
    CHECK(s.took.progress.cycle == 4000);
    CHECK(*s.words == 1);
    CHECK(s.phases.of[1] == 56);
    CHECK(periods.taken() == std::vector<std::uint32_t>{4});
    // The step from there: to nothing that hangs on the phase, with 56 alone.
    state idle = alone(3, 993, 0);
    idle.margins.of[1] = {0, 0, false};
    CHECK(look(8, idle).times == 0);
    state again = alone(1, 992, 56);
    const auto known = look(9, again);
    CHECK(known.times == 495);  // 992 rounds but for the last, two at a time
    CHECK(known.took.progress.warp_instructions == 200);
    CHECK(known.phases.of[1] == 56);
}

TEST_CASE("a result that comes later than those of all rounds that are left out is the last") {
    loop_periods<> periods;
    periods.reset();
    const auto look = [&](std::uint64_t round, std::uint64_t word, std::uint64_t last_result) {
        while (!periods.is_due(1)) {
        }
        sm_totals now = after(100 * round);
        now.last_result = last_result;
        state sm = alone(word, static_cast<std::uint32_t>(1000 - round));
        return periods.look(1, now, sm, unlimited);
    };
    look(1, 3, 2'003);
    look(2, 9, 4'003);  // a step from 3 to 9
    look(3, 1, 4'003);  // none, since no result is new
    const auto known = look(4, 3, 10'803);
    CHECK(known.times == 1);
    CHECK(*known.words == 9);
    CHECK(known.last_result == 10'803);  // that of the step has 10'003
}

TEST_CASE("steps are followed while all warps have rounds left, and before another rate holds") {
    const auto skipped = [](std::uint32_t left, const round_limits& limits) {
        loop_periods<> periods;
        periods.reset();
        skipped_rounds last;
        for (std::uint64_t round = 1; round < 4; ++round) {
            while (!periods.is_due(1)) {
            }
            sm_totals now = after(100 * round);
            now.dram_bytes = 128.0 * static_cast<double>(round);
            // A phase that never comes back.
            state sm = alone(round % 2, left - static_cast<std::uint32_t>(round), 100 + round);
            last = periods.look(1, now, sm, limits);
        }
        return last;
    };
    CHECK(skipped(50, unlimited).took.progress.warp_instructions == 4600);  // 47 to 1
    CHECK(skipped(50, {true, 1024}).took.dram_bytes == 640);                // from 384
    CHECK(skipped(50, {true, 511}).times == 0);
    CHECK(skipped(50, {false, never}).times == 0);
    CHECK(skipped(4, unlimited).times == 0);
}

TEST_CASE("what inner loops leave out is part of the rounds around them") {
    loop_periods<> periods;
    periods.reset();
    std::uint64_t instructions = 0;
    const auto look = [&](std::size_t depth, std::uint32_t outer, std::uint32_t inner) {
        state sm{depth, {{{{1, outer}, {2, inner}}}}, {{0, 500}}};
        if (depth == 1) sm.warps[0].loops.pop_back();
        sm.margins.of[1] = {depth == 1 ? 50U : 400U, 30, true};
        while (!periods.is_due(depth)) {
        }
        const auto s = periods.look(depth, after(instructions += 100), sm, unlimited);
        instructions += s.times * s.took.progress.warp_instructions;
        return s;
    };
    look(1, 100, 0);
    look(2, 100, 10);
    CHECK(look(2, 100, 9).times == 8);
    const auto outer = look(1, 99, 0);
    CHECK(outer.times == 98);
    CHECK(outer.took.progress.warp_instructions == 300 + 800);
}

TEST_CASE("repetitions end with the cycles, before another rate holds, and where sums round") {
    sm_totals took = after(100);
    sm_totals now = after(200);
    CHECK(max_repetitions(took, now, unlimited) == (max_simulated_cycles - 2000) / 1000);
    CHECK(max_repetitions({}, now, unlimited) == 0);
    took.dram_bytes = now.dram_bytes = 128;
    CHECK(max_repetitions(took, now, {true, 1000}) == 6);
    CHECK(max_repetitions(took, now, {true, 100}) == 0);
    CHECK(max_repetitions(took, now, {false, never}) == 0);
    now.last_rate = true;
    CHECK(max_repetitions(took, now, {true, 1000}) == (max_simulated_cycles - 2000) / 1000);
    took.dram_bytes = 0;
    took.l2_bytes = now.l2_bytes = 0x1p51;
    CHECK(max_repetitions(took, now, unlimited) == 1);
    now.progress.cycle = max_simulated_cycles;
    CHECK(max_repetitions(took, now, unlimited) == 0);
}

TEST_CASE("what is counted again adds up") {
    sm_estimate e;
    const sm_progress took{.cycle = 20,
                           .warp_instructions = 6,
                           .issue_slots = 5,
                           .issue_cycles = 4,
                           .stalls = {.unit_busy = 10, .barrier = 6}};
    count_again(e, took, 3);
    CHECK(e.warp_instructions == 18);
    CHECK(e.issue_slots == 15);
    CHECK(e.issue_cycles == 12);
    CHECK(e.stalls.unit_busy == 30);
    CHECK(e.stalls.barrier == 18);
    CHECK(e.issue_cycles + e.stalls.total() == 3 * 20);
    sm_totals sum = after(100);
    sum.progress.stalls = {1, 2, 3, 4, 5, 6};
    sum.l2_bytes = 64;
    const sm_totals once = sum;
    add_totals(sum, once, 2);
    CHECK(sum.progress.warp_instructions == 300);
    CHECK(sum.progress.stalls.total() == 63);
    CHECK(sum.l2_bytes == 192);
    add_totals(sum, once, ~std::uint64_t{0});  // taken away
    CHECK(sum.progress.cycle == 2000);
    CHECK(sum.l2_bytes == 128);
}

TEST_CASE(
    "sums of bytes that round repeat nothing, and rounds without bytes as often as cycles allow") {
    constexpr round_limits fractions{.whole_bytes = false, .last_from_bytes = never};
    sm_totals took = after(100);
    CHECK(max_repetitions(took, after(200), fractions) > 1000);
    CHECK(max_repetitions(took, after(200), fractions) ==
          max_repetitions(took, after(200), unlimited));
    took.l2_bytes = 0.5;
    CHECK(max_repetitions(took, after(200), fractions) == 0);
    CHECK(max_repetitions(took, after(200), unlimited) > 1000);
}

}  // namespace loop_periods_test
