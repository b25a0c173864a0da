// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cmath>
#include <cstddef>
#include <iterator>

#include <doctest/doctest.h>

#include <warpgauge/ptx/trace/sampling_spread.hpp>

namespace sampling_spread_test {

using namespace warpgauge;
using ptx::detail::trace::sampling_spread;

namespace count = ptx::detail::trace::count;

ptx::detail::trace::warp_counts only(count::place place, double number) {
    ptx::detail::trace::warp_counts counts{};
    counts[place] = number;
    return counts;
}

TEST_CASE("three standard errors of a stratified mean") {
    sampling_spread<> s;
    // 20 warps of one way, of which two were followed: 4 and 8 instructions.
    s.add(7, 10, only(count::warp_insts, 4));
    s.add(7, 10, only(count::warp_insts, 8));
    // 2 of another, both followed: no error of theirs.
    s.add(9, 1, only(count::warp_insts, 100));
    s.add(9, 1, only(count::warp_insts, 300));
    const ptx::sampling_errors e = s.errors(22, {});
    // N^2 (1 - n/N) s^2 / n = 400 * 0.9 * 8 / 2
    CHECK(e.warp_insts == doctest::Approx(3 * std::sqrt(1440.0) / 22));
    CHECK(e.bytes_moved == 0);
}

TEST_CASE(
    "warps that no other resembles stand for the same warps of equal blocks, or are one stratum") {
    sampling_spread<> s;
    auto counts = only(count::lane_insts, 10);
    counts[count::lines] = 20;
    s.add(1, 50, counts);
    counts[count::lane_insts] = 12;
    counts[count::lines] = 24;
    s.add(2, 50, counts);
    const double error = 3 * std::sqrt(1e4 * 0.98 * 2 / 2) / 100;
    CHECK(s.errors(100, {}).lane_insts == 0);
    CHECK(s.errors(100, {}).lines == 0);
    CHECK(s.errors(100, {.accesses = true}).lane_insts == 0);
    CHECK(s.errors(100, {.accesses = true}).lines == doctest::Approx(2 * error));
    CHECK(s.errors(100, {.ways = true}).lane_insts == doctest::Approx(error));
    CHECK(s.errors(100, {.ways = true}).lines == doctest::Approx(2 * error));
    CHECK(sampling_spread<>().errors(1, {}).warp_insts == 0);
}

TEST_CASE(
    "blocks of a lattice vary too: by half of the mean square of the difference between "
    "neighbours") {
    sampling_spread<> s;
    // Cells of four blocks with a warp each; a way of its own in the second one, and a warp that waits five times.
    for (const double insts : {4.0, 8.0, 4.0}) {
        auto counts = only(count::warp_insts, insts);
        counts[count::wait_steps] = insts == 8 ? 5 : 0;
        s.add(insts == 8 ? 2 : 1, 4, counts);
        s.end_block(4);
    }
    const ptx::sampling_errors e = s.errors(12, {});
    // N (N - n) / n^2 of each cell = 4 * 3; two differences of 4 between three blocks
    CHECK(e.warp_insts == doctest::Approx(3 * std::sqrt(3.0 / 2 * 2 * 16 * 12 / 2) / 12));
    CHECK(e.lane_insts == 0);
    // From 0 to 5 to 0, so there may be 10 more; three standard deviations above the mean are 5/3 + 3 (25/3)^1/2.
    CHECK(e.longest_steps == 10);
}

TEST_CASE(
    "where warps take turns, the part that goes a way is off by one of those of a typical block") {
    sampling_spread<> s;
    for (const double insts : {4.0, 4.0, 8.0, 4.0}) {
        s.add(insts == 8 ? 2 : 1, 25, only(count::warp_insts, insts), true);
    }
    s.add(3, 1, only(count::warp_insts, 100));
    CHECK(s.errors(101, {.turns = true}).warp_insts == 1);
    CHECK(s.errors(101, {}).warp_insts == 0);
}

TEST_CASE("of blocks that are all followed, warps alone are a sample") {
    sampling_spread<> s;
    for (const double insts : {4.0, 8.0}) {
        s.add(1, 5, only(count::warp_insts, insts));
        s.end_block(1);
    }
    CHECK(s.errors(10, {}).warp_insts == doctest::Approx(3 * std::sqrt(100 * 0.8 * 8 / 2) / 10));
    CHECK(s.errors(10, {}).longest_steps == 0);
}

TEST_CASE("the longest warp may be one that was not followed") {
    sampling_spread<> s;
    s.add(1, 10, only(count::wait_steps, 4));  // 6 on average, 8 of variance
    s.add(1, 10, only(count::wait_steps, 8));
    CHECK(s.errors(20, {}).longest_steps == doctest::Approx(6 + 3 * std::sqrt(8.0) - 8));
    s.add(2, 1, only(count::wait_steps, 9));  // both of another way
    s.add(2, 1, only(count::wait_steps, 90));
    CHECK(s.errors(22, {}).longest_steps == 0);
}

TEST_CASE("each count has its own error") {
    ptx::traced_kernel t{.warp_insts = 1,
                         .active_lanes = 2,
                         .divergent_insts = 14,
                         .coalesced_mem_insts = 15,
                         .uncoalesced_mem_insts = 16,
                         .transactions = 4,
                         .bytes_moved = 3,
                         .coalesced_bytes_moved = 17,
                         .atomic_turns = 7,
                         .shared_load_passes = 5,
                         .shared_store_passes = 6};
    double insts = 20;
    for (double& of_unit : t.unit_insts) of_unit = insts++;
    const memory_accesses<> touched{
        .load_sectors = 8, .full_store_sectors = 9, .partial_store_sectors = 10, .lines = 11};
    const dependent_waits<> waits{.l1_waits = 12, .store_waits = 1, .steps = 13};
    // Two of many, one with nothing: the errors are as the counts.
    sampling_spread<> s;
    s.add(1, 1e9, ptx::detail::trace::counts_of(t, touched, {21, 22, 23}, waits));
    s.add(1, 1e9, {});
    const ptx::sampling_errors e = s.errors(2e9, {});
    const double one = e.warp_insts;
    CHECK(one == doctest::Approx(3 * std::sqrt(0.5 / 2)));
    const double errors[]{e.lane_insts,          e.divergent_insts,
                          e.bytes_moved,         e.coalesced_bytes_moved,
                          e.coalesced_mem_insts, e.uncoalesced_mem_insts,
                          e.transactions,        e.shared_load_passes,
                          e.shared_store_passes, e.shared_passes,
                          e.atomic_turns,        e.load_sectors,
                          e.full_store_sectors,  e.partial_store_sectors,
                          e.store_sectors,       e.lines,
                          e.wait_steps,          e.l1_waits,
                          e.store_waits,         e.footprint_bytes / 64e9,
                          e.loaded_bytes / 64e9, e.stored_bytes / 64e9};
    const double counts[]{2, 14, 3,  17, 15, 16, 4,  5, 6,  11, 7,
                          8, 9,  10, 19, 11, 13, 12, 1, 21, 22, 23};
    for (std::size_t n = 0; n < std::size(errors); ++n) {
        CAPTURE(n);
        CHECK(errors[n] == doctest::Approx(counts[n] * one));
    }
    for (std::size_t n = 0; n < t.unit_insts.size(); ++n) {
        CHECK(e.unit_insts[n] == doctest::Approx(t.unit_insts[n] * one));
    }
}

}  // namespace sampling_spread_test
