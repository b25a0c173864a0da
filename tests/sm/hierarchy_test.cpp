// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <warpgauge/sm/hierarchy.hpp>

namespace hierarchy_test {

using namespace warpgauge;
using way = traffic_direction;

namespace {

struct bare {
    static constexpr double dram_latency_cycles = 400, issue_cycles = 4, dram_bytes_per_s = 100;
};
struct with_clock : bare {
    static constexpr double clock_hz = 3;
};
struct rich : bare {
    static constexpr double clock_hz = 3, sustained_clock_hz = 2, warp_schedulers = 4,
                            issues_per_scheduler = 2, l2_latency_cycles = 200,
                            l1_latency_cycles = 30, dram_read_fraction = 0.5,
                            dram_mixed_fraction = 0.25, dram_transaction_bytes = 64;
};

struct one_way : bare {
    static constexpr double dram_read_fraction = 0.5;
};
struct other_way : bare {
    static constexpr double dram_write_fraction = 0.75;
};
struct both_ways : one_way, other_way {
    static constexpr double dram_bytes_per_s = 100;
};
struct all_ways : both_ways {
    static constexpr double dram_mixed_fraction = 0.25;
};

/// Of what loads, of what stores, and of what does both.
template <class D>
constexpr bool has_fractions(double read, double write, double mixed) {
    return dram_fraction<way::read, double>(D{}) == read &&
           dram_fraction<way::write, double>(D{}) == write &&
           dram_fraction<way::mixed, double>(D{}) == mixed;
}

}  // namespace

TEST_CASE("a direction without a fraction has that of mixed traffic, of reads, of writes, or 1") {
    static_assert(has_fractions<bare>(1, 1, 1));
    static_assert(has_fractions<one_way>(0.5, 0.5, 0.5));
    static_assert(has_fractions<other_way>(0.75, 0.75, 0.75));
    static_assert(has_fractions<both_ways>(0.5, 0.75, 0.5));
    static_assert(has_fractions<rich>(0.5, 0.25, 0.25));
    static_assert(has_fractions<all_ways>(0.5, 0.75, 0.25));
    CHECK(seconds_per_dram_byte<way::write, double>(all_ways{}) == 1 / 75.0);
}

TEST_CASE("units of memory") {
    static_assert(line_bytes == 4 * sector_bytes && sector_bytes == 8 * word_bytes);
}

TEST_CASE("what a device lacks is that of the next level, or 1") {
    static_assert(sustained_pace<double>(bare{}) == 1);
    static_assert(sustained_pace<double>(rich{}) == 1.5);
    static_assert(sustained_clock_of<double>(rich{}) == 2);
    static_assert(sustained_clock_of<double>(with_clock{}) == 3);
    // Room for a clock that is not known.
    partial_device<double, parameters::chip, parameters::sustained_clock> unknown;
    unknown.clock_hz = 3;
    CHECK(sustained_pace<double>(unknown) == 1);
    static_assert(issue_rate_of<double>(bare{}).cycles_of_warp == 4);
    static_assert(issue_rate_of<double>(bare{}).fraction_of_sm == 1);
    static_assert(issue_rate_of<double>(rich{}).cycles_of_warp == 1);
    static_assert(issue_rate_of<double>(rich{}).fraction_of_sm == 0.25);
    static_assert(l1_latency_of<double>(bare{}) == 400);
    static_assert(l2_latency_of<double>(bare{}) == 400);
    static_assert(l1_latency_of<double>(rich{}) == 30);
    static_assert(l2_latency_of<double>(rich{}) == 200);
    static_assert(transaction_bytes_of<double>(bare{}) == 32);
    static_assert(transaction_bytes_of<double>(rich{}) == 64);
    static_assert(dram_fraction<way::read, double>(bare{}) == 1);
    static_assert(dram_fraction<way::read, double>(rich{}) == 0.5);
    static_assert(dram_fraction<way::write, double>(rich{}) == 0.25);
    static_assert(seconds_per_dram_byte<way::mixed, double>(rich{}) == 0.04);
    CHECK(seconds_per_dram_byte<way::read, double>(bare{}) == 0.01);
}

}  // namespace hierarchy_test
