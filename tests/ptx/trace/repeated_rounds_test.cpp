// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include <warpgauge/ptx/trace/repeated_rounds.hpp>

namespace repeated_rounds_test {

using warpgauge::ptx::detail::trace::repeated_rounds;

namespace {

// Adds what each step says, and 10 in every `period`-th one.
struct counter {
    std::uint64_t period = 1;
    std::uint64_t sum = 0, turn = 0, taken = 0;

    void take(std::uint64_t step) {
        ++taken;
        sum += step;
        turn = (turn + 1) % period;
        if (turn == 0) sum += 10;
    }
    void add_state(std::vector<std::uint64_t>& to) const { to.push_back(turn); }
    [[nodiscard]] std::uint64_t count() const { return sum; }
    void pass(std::uint64_t before, std::uint64_t times) { sum += (sum - before) * times; }
    void end_rounds(std::uint64_t, std::uint64_t) {}
};

// A step in a round that stands for so many.
struct seen_step {
    std::uint64_t step{}, times{};
};

counter follow(std::uint64_t period, const std::vector<seen_step>& steps) {
    counter c{.period = period};
    repeated_rounds<std::uint64_t, std::uint64_t> rounds;
    for (const seen_step& s : steps) {
        if (s.times != rounds.times()) rounds.change(s.times, c);
        if (rounds.is_open()) rounds.add(s.step);
        c.take(s.step);
    }
    return c;
}

// The same of all steps.
std::uint64_t sum_of(std::uint64_t period, const std::vector<std::uint64_t>& steps) {
    counter c{.period = period};
    for (const std::uint64_t s : steps) c.take(s);
    return c.sum;
}

}  // namespace

TEST_CASE("rounds that stand for others count as all of them, whatever their period") {
    for (const std::uint64_t period : {1U, 2U, 3U, 5U, 7U, 12U}) {
        for (const std::uint64_t times : {2U, 3U, 11U, 1000U}) {
            std::vector<std::uint64_t> all{1};
            for (std::uint64_t n = 0; n < times; ++n) all.insert(all.end(), {2, 3});
            all.push_back(4);
            const counter c = follow(period, {{1, 1}, {2, times}, {3, times}, {4, 1}});
            CHECK(c.sum == sum_of(period, all));
            CHECK(c.taken <= 2 + 2 * 2 * period);
        }
    }
}

TEST_CASE("rounds follow each other, and are within others") {
    for (const std::uint64_t period : {1U, 2U, 3U, 5U}) {
        std::vector<std::uint64_t> all;
        for (std::uint64_t n = 0; n < 9; ++n) {
            all.push_back(1);
            for (std::uint64_t k = 0; k < 4; ++k) all.push_back(2);
            all.push_back(3);
            for (std::uint64_t k = 0; k < 6; ++k) all.insert(all.end(), {4, 5});
            all.push_back(6);
        }
        for (std::uint64_t n = 0; n < 8; ++n) all.push_back(7);
        all.push_back(8);
        const counter c =
            follow(period, {{1, 9}, {2, 36}, {3, 9}, {4, 54}, {5, 54}, {6, 9}, {7, 8}, {8, 1}});
        CHECK(c.sum == sum_of(period, all));
    }
}

TEST_CASE("where no period is found, the rounds so far are taken for one") {
    const counter c = follow(1000, {{1, 10'000}, {1, 1}});
    CHECK(c.taken < 200);
    CHECK(c.sum >= 10'000);
}

}  // namespace repeated_rounds_test
