// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <warpgauge/device/device.hpp>
#include <warpgauge/saturation/slopes.hpp>

#include "approx.hpp"
#include "round_hierarchy.hpp"

namespace slopes_test {

using namespace warpgauge;
namespace equations = warpgauge::detail::saturation;
namespace backwards = warpgauge::detail::saturation::backwards;

// tests/analyse/saturation_slopes_test.cpp compares all of them with a gradient. Here: each equation that has a case.

namespace {

using gpu = whole_gpu;
constexpr saturation_constants constants{};
constexpr auto costs = equations::costs_on<double>(gpu{}, constants);

}  // namespace

TEST_CASE("the second of two terms has the slope if it was taken, else the first keeps it") {
    double slope = 3;
    CHECK(backwards::pass_if(false, slope) == 0);
    CHECK(slope == 3);
    CHECK(backwards::pass_if(true, slope) == 3);
    CHECK(slope == 0);
}

TEST_CASE("of two equal units the first has the slope") {
    kernel_profile<> k;
    k.ops = {.fp32_ops = 640, .integer_ops = 320};  // 64 and 32 lanes
    const saturation_estimate<> e;
    const backwards::values<double, gpu> x{k, costs, constants, e, {}, 1};
    backwards::slopes<double, gpu> to;
    backwards::lane_cycles_of_warp(x, 2.0, to);
    CHECK(to.k.ops.fp32_ops == Approx(2 * 1.25 / 64));  // at 0.8 of the clock
    CHECK(to.k.ops.integer_ops == 0);
    CHECK(to.c.fp32_cycles == 1280);
}

TEST_CASE("(1): blocks of a last round, and places that the grid fills or not") {
    kernel_profile<> k{.blocks = 95, .threads_per_block = 32, .active_blocks_per_sm = 4};
    saturation_estimate<> e;
    static_cast<saturation_launch<>&>(e) = equations::spread(k, costs, 4.0);
    backwards::slopes<double, gpu> to;
    to.l.last_round_blocks = 1;
    backwards::spread<double, gpu>({k, costs, constants, e, {}, 1}, to);
    CHECK(to.k.blocks == Approx(0.1));  // 95 / 10 SMs - 2 rounds of 4
    CHECK(to.c.sm_count == Approx(-0.95));
    CHECK(to.k.active_blocks_per_sm == -2);
    k.blocks = 15;  // fewer than there is room for
    static_cast<saturation_launch<>&>(e) = equations::spread(k, costs, 4.0);
    backwards::slopes<double, gpu> few;
    few.l.last_round_blocks = few.l.active_blocks_per_sm = 1;
    backwards::spread<double, gpu>({k, costs, constants, e, {}, 1}, few);
    CHECK(few.k.active_blocks_per_sm == 0);
}

TEST_CASE("slopes in costs are slopes in the parameters that these come from") {
    equations::costs<double, gpu> by;
    by.fp32_cycles = 1;
    by.block_s = 1;
    by.dram_read_s = 1;
    auto to = edit(gpu{});
    for_each_parameter(to, [](device_parameter, double& x) { x = 0; });
    backwards::costs_on(gpu{}, constants, costs, by, to);
    CHECK(to.cuda_cores == Approx(-1.25 / (64 * 64)));  // 1.25 cycles of the clock for one
    CHECK(to.sustained_clock_hz == Approx(-1 / (64 * 0.8 * 0.8e9)));
    CHECK(to.clock_hz == Approx(1 / (64 * 0.8e9) - 1.5e-18));  // block_launch_cycles: 1.5
    CHECK(to.dram_bytes_per_s == Approx(-1 / (0.9 * 1e22)));
    CHECK(to.dram_read_fraction == Approx(-1 / (0.81 * 100e9)));
    CHECK(to.dram_mixed_fraction == 0);
}

TEST_CASE("where a latency is not known the level that it was taken from has its slope") {
    struct bare_gpu {
        double sm_count = 10, clock_hz = 1e9, dram_bytes_per_s = 100e9;
        double warp_size = 32, dram_latency_cycles = 400, issue_cycles = 4;
    };
    equations::costs<double, bare_gpu> by;
    by.dram_latency_cycles = 1;
    by.l2_latency_cycles = 2;
    by.l1_latency_cycles = 4;
    bare_gpu to;
    backwards::latencies(by, to);
    CHECK(to.dram_latency_cycles == 7);
}

}  // namespace slopes_test
