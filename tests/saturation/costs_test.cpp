// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <concepts>

#include <warpgauge/core/gradient.hpp>
#include <warpgauge/core/lanes.hpp>
#include <warpgauge/saturation/costs.hpp>

#include "approx.hpp"

namespace costs_test {

using namespace warpgauge;

namespace {

struct bare_gpu {
    static constexpr double sm_count = 10, clock_hz = 1e9, dram_bytes_per_s = 100e9;
    static constexpr double warp_size = 32, dram_latency_cycles = 400, issue_cycles = 4;
};

struct rich_gpu : bare_gpu {
    static constexpr double cuda_cores = 64, l2_latency_cycles = 200, l2_bytes = 4e6;
    static constexpr double l1_bytes_per_cycle = 64, l2_bytes_per_cycle = 32;
    static constexpr double dram_mixed_fraction = 0.5, sustained_clock_hz = 0.8e9;
    static constexpr double board_power_w = 200, fp32_op_pj = 20, l2_byte_pj = 90;
    static constexpr double special_function_units = 16, tensor_fma_per_cycle = 512;
};

struct powered_gpu : bare_gpu {
    static constexpr double board_power_w = 200;
};

constexpr saturation_constants chosen{.block_launch_cycles = 2,
                                      .l2_filling = {.knee = 1, .width = 2},
                                      .sustained_power_fraction = 0.5};

}  // namespace

TEST_CASE("what a device lacks costs nothing, an unknown latency is that of the next level") {
    constexpr auto c = detail::saturation::costs_on<double>(bare_gpu{}, chosen);
    static_assert(c.issue_cycles == 4 && c.issue_fraction == 1);
    static_assert(c.l2_latency_cycles == 400 && c.l1_latency_cycles == 400);
    static_assert(c.fp32_cycles == 0 && c.line_cycles == 0 && c.l2_byte_cycles == 0);
    static_assert(c.overhead_s == 0 && c.fp32_energy_s == 0 && c.fill_per_byte == 0);
    static_assert(c.pass_cycles == 1 && c.transaction_bytes == 32);
    static_assert(c.dram_read_s == 1 / 100e9 && c.block_s == 2e-9);
    static_assert(detail::saturation::costs_on<double>(powered_gpu{}, chosen).fp32_energy_s == 0);
}

TEST_CASE("rates turned over, at the clock that the device sustains") {
    constexpr auto c = detail::saturation::costs_on<double>(rich_gpu{}, chosen);
    CHECK(c.issue_cycles == Approx(5));         // 4 at 0.8 of the clock
    CHECK(c.fp32_cycles == Approx(1.25 / 64));  // of the device's clock
    CHECK(c.special_cycles == Approx(1.25 / 16));
    CHECK(c.tensor_cycles == Approx(1.25 / 512));
    CHECK(c.line_cycles == Approx(1.25 * 2));  // a line of 128 B
    CHECK(c.l2_byte_cycles == Approx(1 / 32.0));
    CHECK(c.l1_latency_cycles == 200);
    CHECK(c.fill_per_byte == Approx(1 / 8e6));
    CHECK(c.dram_write_s == Approx(1 / 50e9));
    CHECK(c.fp32_energy_s == Approx(20e-12 / 100));  // at half of 200 W
    CHECK(c.l2_byte_energy_s == Approx(90e-12 / 100));
}

TEST_CASE("pipes at the clock that the device sustains; without them a pass is a cycle") {
    struct piped_gpu : rich_gpu {
        double memory_instruction_cycles = 2, shared_pass_cycles = 1.5, branch_cycles = 16;
        double l1_bytes_per_sm = 65536;
    };
    const auto c = detail::saturation::costs_on<double>(piped_gpu{}, chosen);
    CHECK(c.mem_inst_cycles == Approx(2.5));
    CHECK(c.pass_cycles == Approx(1.875));
    CHECK(c.branch_cycles == Approx(20));
    CHECK(c.l1_bytes == 65536);
    constexpr auto without = detail::saturation::costs_on<double>(rich_gpu{}, chosen);
    static_assert(without.mem_inst_cycles == 0 && without.pass_cycles == 1.25);
    static_assert(without.branch_cycles == 0 && without.l1_bytes == 0);
}

TEST_CASE("costs have slopes where the device has") {
    using detail::saturation::cost_of;
    using slopes = gradient<2>;
    static_assert(std::same_as<cost_of<slopes, rich_gpu>, double>);
    static_assert(std::same_as<cost_of<slopes, edited<rich_gpu, slopes>>, slopes>);
    static_assert(std::same_as<cost_of<lanes<2>, edited<rich_gpu>>, lanes<2>>);
    auto d = edit<slopes>(rich_gpu{});
    d.l2_bytes_per_cycle.set_slope(0, 1);
    const auto c = detail::saturation::costs_on<slopes>(d, chosen);
    CHECK(c.l2_byte_cycles.slope(0) == Approx(-1 / 1024.0));
    CHECK(c.line_cycles.slope(0) == 0);
}

}  // namespace costs_test
