// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cmath>
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include <warpgauge/simulate/block_rounds.hpp>

namespace block_rounds_test {

using namespace warpgauge;
using namespace warpgauge::detail::simulate;

namespace {

// An SM of two blocks at a time, ten instructions each; round r ends at `cycle(r)` in state `state(r)`.
template <class Cycle, class State>
skipped_blocks run(std::uint64_t total, const simulation_caps& caps, Cycle cycle, State state,
                   std::uint64_t& looked) {
    block_rounds<> rounds;
    rounds.reset(2, total, 10, caps);
    rounds.begin({.blocks = 2});
    for (std::uint64_t r = 1; r <= 1000; ++r) {
        const std::uint64_t begun = 2 * (r + 1);
        if (begun > total) break;
        if (begun < rounds.next()) continue;
        ++looked;
        const sm_progress now{.cycle = cycle(r),
                              .blocks = begun,
                              .warp_instructions = 20 * r,
                              .issue_slots = 20 * r,
                              .issue_cycles = cycle(r)};
        const auto s =
            rounds.look(now, [&](auto&& visit) { visit(static_cast<std::uint64_t>(state(r))); });
        if (s.count > 0) return s;
    }
    return {};
}

constexpr simulation_caps never_even{.min_simulated = ~std::uint64_t{0},
                                     .max_simulated = ~std::uint64_t{0}};
constexpr simulation_caps soon{.min_simulated = 0};

}  // namespace

TEST_CASE("a repeated state is found, whatever its period and its start") {
    for (const std::uint64_t start : {1U, 2U, 5U, 30U}) {
        for (const std::uint64_t period : {1U, 2U, 7U, 25U}) {
            CAPTURE(start);
            CAPTURE(period);
            std::uint64_t looked = 0;
            const auto s = run(
                1'000'001, never_even, [](std::uint64_t r) { return 100 * r; },
                [&](std::uint64_t r) { return r < start ? r : start + (r - start) % period; },
                looked);
            CHECK(s.repeats);
            CHECK(s.error_cycles == 0);
            CHECK(looked <= 3 * (start > period ? start : period));
            CHECK((s.to.blocks - s.from.blocks) % (2 * period) == 0);
            CHECK(s.count == static_cast<std::uint64_t>(s.times) * (s.to.blocks - s.from.blocks));
            CHECK(s.to.blocks + s.count <= 1'000'001);
            CHECK(s.to.blocks + s.count + (s.to.blocks - s.from.blocks) > 1'000'001);
        }
    }
}

TEST_CASE("equal hashes of other states are no repetition") {
    // States of other lengths, and none that comes again.
    std::uint64_t looked = 0;
    CHECK(run(
              200, never_even, [](std::uint64_t r) { return 100 * r; },
              [](std::uint64_t r) { return r; }, looked)
              .count == 0);
    CHECK(looked == 98);  // once a round, but not where no block is left to begin
}

TEST_CASE("a rate is extrapolated over whole rounds once its error is small, or after enough") {
    std::uint64_t looked = 0;
    const auto even = run(
        1001, soon, [](std::uint64_t r) { return 100 * r; }, [](std::uint64_t r) { return r; },
        looked);
    CHECK_FALSE(even.repeats);
    CHECK(looked == 128);
    CHECK(even.to.blocks == 258);
    CHECK(even.count == 742);
    CHECK(even.times == 742 / 128.0);  // of 128 blocks in the last 64 rounds
    // 7420 instructions, and 20 for the end, by 5 cycles each: 1.06% of them may be unseen.
    CHECK(even.error_cycles == doctest::Approx(7440 * 5 * 0.15 / std::sqrt(128 * std::sqrt(2.5))));
    CHECK(even.error_cycles <= soon.even_within * 100 * 500);
    // Rounds that become longer and longer: not even, to the end.
    const auto slower = [](std::uint64_t r) { return 100 * r + r * r / 4; };
    looked = 0;
    CHECK(run(
              1001, soon, slower, [](std::uint64_t r) { return r; }, looked)
              .count == 0);
    CHECK(looked == 499);
    // After enough, whatever the rate did, with the error that this makes.
    looked = 0;
    const auto enough = run(
        1001, {.min_simulated = 0, .max_simulated = 40}, slower, [](std::uint64_t r) { return r; },
        looked);
    CHECK(looked == 2);
    CHECK(enough.error_cycles > 0.1 * 100 * 498);
}

TEST_CASE("no rounds are looked at where few blocks are left to begin") {
    block_rounds<> rounds;
    rounds.reset(4, 8, 10, {});
    CHECK(rounds.next() == block_rounds<>::never);
    rounds.reset(4, 9, 10, {});
    CHECK(rounds.next() == 8);
}

TEST_CASE("skipped rounds count as often as they happen, and take no less than they can") {
    skipped_blocks s{.count = 6, .repeats = true, .times = 3};
    s.to.issue_cycles = 5;
    s.to.issue_slots = 7;
    s.to.stalls.barrier = 2;
    sm_estimate e;
    e.issue_cycles = 1;
    CHECK(count_skipped(e, s, 0) == 21);
    CHECK(e.issue_cycles == 1 + 15);
    CHECK(e.issue_slots == 21);
    CHECK(e.stalls.barrier == 6);
    CHECK(e.repeated_blocks == 6);
    e = {};
    s.repeats = false;
    s.times = 2.5;
    CHECK(count_skipped(e, s, 29.5) == 30);
    CHECK(e.issue_cycles == 13);
    CHECK(e.stalls.barrier == 5);
    CHECK(e.stalls.unit_busy == 12);
    CHECK(e.extrapolated_blocks == 6);
}

TEST_CASE("skipped blocks count their work, and take no less than issue, bandwidth and units do") {
    skipped_blocks s{.count = 10, .repeats = false, .times = 2};
    s.to.issue_cycles = 5;
    constexpr std::uint64_t threads = 960 * parts_of_thread;
    const warp_work per_warp{
        .instructions = 30, .l2_bytes = 64, .dram_bytes = 64, .work = {0, threads, 0, 0, 0}};
    sm_parameters p;
    p.warp_schedulers = 2;
    p.issues_per_scheduler = 1;
    p.dram_bytes_per_cycle = 4;
    p.l2_bytes_per_cycle = 8;
    const execution_units units({0, 48, 0, 0, 0});
    sm_estimate e;
    counted_work counted;
    CHECK(count_skipped(e, s, per_warp, 2, units, p, counted));
    CHECK(e.warp_instructions == 600);
    CHECK(counted.warp_instructions == 600);
    CHECK(counted.dram_bytes == 1280);
    CHECK(counted.l2_bytes == 1280);
    CHECK(counted.work[1] == 20.0 * static_cast<double>(threads));
    CHECK(counted.cycles == 400);  // 19200 threads on 48 lanes; 300 for issue, 320 for DRAM
    CHECK(e.issue_cycles + e.stalls.total() == 400);
    p.l2_bytes_per_cycle = 2;
    CHECK(count_skipped(e, s, per_warp, 2, units, p, counted));
    CHECK(counted.cycles == 640);  // for L2
    s.times = 1e19;
    s.to.cycle = 100;
    CHECK_FALSE(count_skipped(e, s, per_warp, 2, units, p, counted));
}

}  // namespace block_rounds_test
