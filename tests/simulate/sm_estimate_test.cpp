// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstddef>
#include <string_view>

#include <doctest/doctest.h>

#include <warpgauge/simulate/sm_estimate.hpp>

namespace sm_estimate_test {

using namespace warpgauge;
using detail::simulate::count_stall;

TEST_CASE("a stall counts for what holds up most warps; of equals, the first") {
    sm_stalls stalls;
    count_stall(stalls, {.memory_queue = 2, .unit_busy = 3, .barrier = 1}, 10);
    CHECK(stalls == sm_stalls{.unit_busy = 10});
    count_stall(stalls, {.memory_queue = 3, .unit_busy = 3, .memory_dependence = 3}, 5);
    CHECK(stalls == sm_stalls{.memory_queue = 5, .unit_busy = 10});
    count_stall(stalls, {.memory_dependence = 1, .dependence = 4, .barrier = 4}, 1);
    count_stall(stalls, {.barrier = 1}, 2);
    count_stall(stalls, {.memory_dependence = 1}, 7);
    CHECK(stalls == sm_stalls{.memory_queue = 5,
                              .unit_busy = 10,
                              .memory_dependence = 7,
                              .dependence = 1,
                              .barrier = 2});
    CHECK(stalls.total() == 25);
}

TEST_CASE("what takes the largest fraction of the cycles limits; of equals, the first") {
    CHECK(limiter_of({}) == sm_limiter::not_known);
    sm_estimate e{.cycles = 100};
    e.issue_utilisation = 0.2;
    CHECK(limiter_of(e) == sm_limiter::issue_slots);
    e.unit_utilisation[3] = 0.3;
    CHECK(limiter_of(e) == sm_limiter::special_function_units);
    e.dram_utilisation = 0.4;
    CHECK(limiter_of(e) == sm_limiter::memory_bandwidth);
    e.stalls.memory_dependence = 40;
    CHECK(limiter_of(e) == sm_limiter::memory_bandwidth);
    e.stalls.memory_dependence = 41;
    CHECK(limiter_of(e) == sm_limiter::memory_latency);
    e.stalls.dependence = 50;
    CHECK(limiter_of(e) == sm_limiter::dependences);
    e.stalls.barrier = 60;
    CHECK(limiter_of(e) == sm_limiter::barriers);
    e.stalls.nothing_resident = 70;
    CHECK(limiter_of(e) == sm_limiter::start);
    e.stalls.unit_busy = 90;  // the unit's utilisation says which
    CHECK(limiter_of(e) == sm_limiter::start);
}

TEST_CASE("every limiter has a name of its own") {
    for (int i = 0; i <= static_cast<int>(sm_limiter::not_known); ++i) {
        CHECK(name(static_cast<sm_limiter>(i)) != "unknown");
        for (int j = 0; j < i; ++j) {
            CHECK(name(static_cast<sm_limiter>(i)) != name(static_cast<sm_limiter>(j)));
        }
    }
    CHECK(name(sm_limiter::load_store_units) == "load/store units");
    CHECK(name(static_cast<sm_limiter>(99)) == "unknown");
}

TEST_CASE("stalls differ in each kind") {
    using warpgauge::sm_stalls;
    CHECK(sm_stalls{.memory_queue = 1} == sm_stalls{.memory_queue = 1});
    CHECK_FALSE(sm_stalls{.memory_queue = 1} == sm_stalls{.memory_queue = 2});
    CHECK_FALSE(sm_stalls{.barrier = 1} == sm_stalls{});
}

}  // namespace sm_estimate_test
