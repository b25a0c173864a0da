// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <warpgauge/boost_math/inverse.hpp>
#include <warpgauge/devices/a100_pcie_40gb.hpp>
#include <warpgauge/devices/h100_pcie.hpp>
#include <warpgauge/models/saturation.hpp>

namespace saturation_inverted_test {

using namespace warpgauge;
using doctest::Approx;

namespace {

/// y = a x + y on 2^26 floats.
constexpr kernel_profile<> saxpy{
    .blocks = 1 << 18,
    .threads_per_block = 256,
    .registers_per_thread = 16,
    .comp_insts = 10,
    .coalesced_mem_insts = 3,
    .accesses = {.load_sectors = 8, .full_store_sectors = 4, .lines = 3},
    .waits = {.counted = true, .dram_waits = 1, .store_waits = 1},
    .traffic = {.dram_read_bytes = 2.0 * (1 << 28), .dram_write_bytes = 1 << 28}};

}  // namespace

TEST_CASE("the bandwidth that a saturated stream needs for a given time") {
    const saturation_model model{devices::a100_pcie_40gb{}};
    const double now = model.predict(saxpy)->seconds;
    const auto needed = find_threshold(model, saxpy, "dram_bytes_per_s",
                                       {.low = 1e11, .high = 1e13, .target_seconds = 0.8 * now});
    REQUIRE(needed);
    REQUIRE(needed->which == answer::at);
    CHECK(needed->value > 1.2 * model.device.dram_bytes_per_s);  // some of the time is not DRAM's
    auto faster = edit(model.device);
    faster.dram_bytes_per_s = needed->value;
    CHECK(model.on(faster).predict(saxpy)->seconds == Approx(0.8 * now).epsilon(1e-9));
    // No bandwidth takes it below what the SMs need.
    const auto never = find_threshold(model, saxpy, "dram_bytes_per_s",
                                      {.low = 1e11, .high = 1e15, .target_seconds = 0.1 * now});
    REQUIRE(never);
    CHECK(never->which == answer::never);
}

TEST_CASE("the bandwidth at which an A100 would be an H100, of a stream") {
    const saturation_model a100{devices::a100_pcie_40gb{}};
    const double h100 = saturation_model{devices::h100_pcie{}}.predict(saxpy)->seconds;
    const auto needed = find_threshold(a100, saxpy, "dram_bytes_per_s",
                                       {.low = 1e11, .high = 1e13, .target_seconds = h100});
    REQUIRE(needed);
    REQUIRE(needed->which == answer::at);
    CHECK(needed->value > a100.device.dram_bytes_per_s);
    CHECK(needed->value < 2 * devices::h100_pcie::dram_bytes_per_s);
}

}  // namespace saturation_inverted_test
