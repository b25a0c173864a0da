// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <warpgauge/devices/all.hpp>
#include <warpgauge/simulate/sm_of_device.hpp>

namespace sm_of_device_test {

using namespace warpgauge;

static_assert(simulated_device<devices::h100_sxm5> && simulated_device<devices::tesla_m2090>);
static_assert(!simulated_device<devices::geforce_gtx_280>);

TEST_CASE("an SM has the device's lanes and latencies, and its part of the bandwidth") {
    constexpr sm_parameters p = sm_parameters_of(devices::h100_sxm5{});
    CHECK(p.lanes[0] == 64);
    CHECK(p.lanes[1] == 128);
    CHECK(p.lanes[2] == 64);
    CHECK(p.lanes[3] == 16);
    CHECK(p.lanes[4] == 32);
    CHECK(p.warp_schedulers == 4);
    CHECK(p.l2_latency_cycles == 263);
    // Where loads and stores together were not measured, loads are taken.
    CHECK(p.dram_bytes_per_cycle == doctest::Approx(2561 * 0x1p30 / 1.98e9 / 132));
    CHECK(published_sm_parameters_of(devices::h100_sxm5{}).dram_bytes_per_cycle ==
          doctest::Approx(3352e9 / 1.98e9 / 132));
    CHECK(p.dram_transaction_bytes == 32);
    // Where integers have no lanes, the CUDA cores execute them; where no source says it, a transaction has no size.
    CHECK(sm_parameters_of(devices::tesla_k40{}).lanes[0] == 0);
    CHECK(sm_parameters_of(devices::pascal_projection{}).dram_transaction_bytes == 0);
}

TEST_CASE("classes of instructions have the device's rates, but not as published") {
    const instruction_rates kepler = sm_parameters_of(devices::tesla_k40{}).rates;
    CHECK(kepler.integer_adds == 160);
    CHECK(kepler.integer_logic == 160);
    CHECK(kepler.integer_products == 32);
    CHECK(kepler.shifts == 64);
    CHECK(kepler.bit_counts == 32);
    CHECK(kepler.comparisons == 160);
    CHECK(kepler.conversions == 32);
    CHECK(kepler.wide_conversions == 32);
    const instruction_rates unknown = sm_parameters_of(devices::pascal_projection{}).rates;
    CHECK(unknown.integer_adds == 0);
    CHECK(unknown.wide_conversions == 0);
    const instruction_rates published = published_sm_parameters_of(devices::tesla_k40{}).rates;
    CHECK(published.integer_products == 0);
    CHECK(published.conversions == 0);
}

TEST_CASE("asynchronous copies are there from 8.0 on, in bulk from 9.0 on") {
    const auto check = [](const auto& device, bool async, bool in_bulk) {
        CAPTURE(device.name);
        for (const sm_parameters& p :
             {sm_parameters_of(device), published_sm_parameters_of(device)}) {
            CHECK(p.async_copies == async);
            CHECK(p.bulk_copies == in_bulk);
        }
    };
    check(devices::tesla_k40{}, false, false);
    check(devices::tesla_t4{}, false, false);
    check(devices::a100_pcie_40gb{}, true, false);
    check(devices::geforce_rtx_4090{}, true, false);
    check(devices::h100_sxm5{}, true, true);
    check(edit(devices::a100_pcie_40gb{}), true, false);
}

TEST_CASE("its memories move the device's bytes a cycle, as far as these are known") {
    constexpr devices::h100_pcie h100;
    constexpr sm_parameters p = sm_parameters_of(h100);
    CHECK(p.shared_bytes_per_cycle == 128);
    CHECK(p.l1_bytes_per_cycle == h100.l1_bytes_per_cycle);
    CHECK(p.l2_bytes_per_cycle == h100.l2_bytes_per_cycle);
    const sm_parameters kepler = sm_parameters_of(devices::tesla_k40{});
    CHECK(kepler.shared_bytes_per_cycle == 0);
    CHECK(kepler.l1_bytes_per_cycle == 0);
    CHECK(kepler.l2_bytes_per_cycle == 0);
    // One memory, of which only the rate as shared memory is known.
    const auto joint = with<parameters::l1_cache>(
        with<parameters::shared_bandwidth>(devices::tesla_k40{}, {.shared_bytes_per_cycle = 256}),
        {.l1_bytes_per_sm = 65'536});
    CHECK(sm_parameters_of(joint).l1_bytes_per_cycle == 256);
}

TEST_CASE(
    "under load an SM has the cycles of its sustained clock, and what is beyond it keeps its "
    "time") {
    constexpr devices::tesla_t4 t4;
    constexpr double pace = t4.clock_hz / t4.sustained_clock_hz;
    constexpr sm_parameters p = sm_parameters_of(t4);
    constexpr sm_parameters published = published_sm_parameters_of(t4);
    CHECK(p.single_precision_latency_cycles == published.single_precision_latency_cycles);
    CHECK(p.shared_bytes_per_cycle == t4.shared_bytes_per_cycle);
    CHECK(p.lanes == published.lanes);
    CHECK(p.l2_latency_cycles == t4.l2_latency_cycles / pace);
    CHECK(p.dram_latency_cycles == t4.dram_latency_cycles / pace);
    CHECK(p.turnaround_cycles == core::ceil(400 / pace));
    CHECK(p.dram_bytes_per_cycle == doctest::Approx(0.76 * 320.06e9 / 0.83e9 / 40));
    CHECK(published.dram_bytes_per_cycle == 320.06e9 / 1.59e9 / 40);
    CHECK(parameter_cycles(t4, pace) == 155);  // of 296
    CHECK(parameter_cycles(t4, 1) == 296);
    // A latency of a cycle stays one, and one that is not known stays so.
    auto near = edit(t4);
    near.dram_latency_cycles = 1;
    CHECK(sm_parameters_of(near).dram_latency_cycles == 1);
    CHECK(parameter_cycles(near, pace) == 1);
    CHECK(detail::simulate::cycles_at_pace(0, pace) == 0);
    // A clock that a device type has room for and does not know is the device's.
    const auto h100 = detail::simulate::known_of(devices::h100_pcie{});
    CHECK(h100.sustained_clock_hz == 0);
    CHECK(sm_parameters_of(h100).l2_latency_cycles == devices::h100_pcie{}.l2_latency_cycles);
}

}  // namespace sm_of_device_test
