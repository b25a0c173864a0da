// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <vector>

#include <warpgauge/devices/a100_pcie_40gb.hpp>
#include <warpgauge/devices/h100_pcie.hpp>
#include <warpgauge/eigen/calibrate.hpp>
#include <warpgauge/models/saturation.hpp>

namespace saturation_calibrated_test {

using namespace warpgauge;
using doctest::Approx;

// Calibration of the saturation model: measurements that it has itself predicted, on a device with other parameters.

namespace {

/// Streams, chains of loads and arithmetic: each is bound by something else.
std::vector<kernel_profile<>> kernels() {
    std::vector<kernel_profile<>> all;
    for (double blocks = 1000; blocks <= 64'000; blocks *= 2) {
        for (const double threads : {64.0, 128.0, 256.0}) {
            const double bytes = 32 * blocks * threads;
            all.push_back({.name = "stream",
                           .blocks = blocks,
                           .threads_per_block = threads,
                           .registers_per_thread = 16,
                           .comp_insts = 20,
                           .coalesced_mem_insts = 4,
                           .accesses = {.load_sectors = 32, .lines = 8},
                           .waits = {.counted = true, .dram_waits = 1},
                           .traffic = {.dram_read_bytes = bytes, .dram_write_bytes = bytes / 2}});
            all.push_back({.name = "chain",
                           .blocks = std::ceil(blocks / 100),
                           .threads_per_block = threads,
                           .registers_per_thread = 16,
                           .comp_insts = 100,
                           .coalesced_mem_insts = 30,
                           .accesses = {.load_sectors = 120, .lines = 30},
                           .waits = {.counted = true, .dram_waits = 20, .l2_waits = 10},
                           .traffic = {.footprint_bytes = 1e6, .in_l2_fraction = 1}});
            all.push_back({.name = "L2",
                           .blocks = blocks,
                           .threads_per_block = threads,
                           .registers_per_thread = 16,
                           .comp_insts = 100,
                           .coalesced_mem_insts = 100,
                           .accesses = {.load_sectors = 1600, .lines = 400},
                           .waits = {.counted = true, .l2_waits = 10},
                           .traffic = {.footprint_bytes = 1e6, .in_l2_fraction = 1}});
        }
    }
    return all;
}

}  // namespace

TEST_CASE("calibrate recovers the parameters that made the times") {
    const auto check = [](const auto& truth) {
        CAPTURE(truth.name);
        std::vector<measurement> measured;
        for (const kernel_profile<>& k : kernels()) {
            const auto e = saturation_model{truth}.predict(k);
            REQUIRE(e);
            measured.push_back({k, e->seconds, k.name});
        }
        auto wrong = edit(truth);
        wrong.dram_bytes_per_s *= 1.4;
        wrong.dram_latency_cycles *= 0.7;
        wrong.l2_bytes_per_cycle *= 0.8;
        const std::array wanted{fit_parameter{"dram_bytes_per_s", 1e11, 1e13},
                                fit_parameter{"dram_latency_cycles", 100, 2000},
                                fit_parameter{"l2_bytes_per_cycle", 4, 200}};
        const auto fit = calibrate(saturation_model{wrong}, measured, wanted,
                                   {.fit_scale = false, .hold_out = false, .starts = 2});
        REQUIRE(fit);
        CHECK(fit->device.dram_bytes_per_s == Approx(truth.dram_bytes_per_s).epsilon(1e-4));
        CHECK(fit->device.dram_latency_cycles == Approx(truth.dram_latency_cycles).epsilon(1e-4));
        CHECK(fit->device.l2_bytes_per_cycle == Approx(truth.l2_bytes_per_cycle).epsilon(1e-4));
        for (const fitted_parameter& p : fit->parameters) CHECK(p.state == fit_state::fitted);
    };
    check(devices::a100_pcie_40gb{});
    check(devices::h100_pcie{});
}

TEST_CASE("what no launch reacts to is said so") {
    const devices::a100_pcie_40gb gpu;
    std::vector<measurement> measured;
    for (const kernel_profile<>& k : kernels()) {
        measured.push_back({k, saturation_model{gpu}.predict(k)->seconds, k.name});
    }
    const std::array wanted{fit_parameter{"dram_bytes_per_s", 1e11, 1e13},
                            fit_parameter{"tensor_fma_per_cycle", 1, 1e5}};
    const auto fit = calibrate(saturation_model{gpu}, measured, wanted,
                               {.fit_scale = false, .hold_out = false, .starts = 1});
    REQUIRE(fit);
    CHECK(fit->parameters[0].state == fit_state::fitted);
    CHECK(fit->parameters[1].state == fit_state::no_effect);
}

}  // namespace saturation_calibrated_test
