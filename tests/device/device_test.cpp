// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include <warpgauge/warpgauge.hpp>

namespace device_test {

using namespace warpgauge;

namespace {

// A device known at run time, written by a user: plain data members, of any arithmetic type.
struct my_gpu {
    int sm_count = 10;
    float clock_hz = 1e9F;
    long long dram_bytes_per_s = 100'000'000'000;
    int warp_size = 32;
    unsigned issue_cycles = 4;
    double dram_latency_cycles = 400;
    double coalesced_departure_cycles = 4;
    double uncoalesced_departure_cycles = 10;
};

constexpr kernel_profile<> some_kernel{.blocks = 160,
                                       .threads_per_block = 128,
                                       .active_blocks_per_sm = 4,
                                       .comp_insts = 100,
                                       .coalesced_mem_insts = 10};

}  // namespace

TEST_CASE("the copy of a device has the device's figures") {
    constexpr auto d = edit(devices::geforce_rtx_2070_super{});
    static_assert(d.sm_count == 40 && d.clock_hz == 1.785e9 && d.dram_bytes_per_s == 448e9);
    static_assert(d.warp_size == 32 && d.max_blocks_per_sm == 16 && d.registers_per_sm == 65536);
    static_assert(d.dram_latency_cycles == 501 && d.dram_transaction_bytes == 32);
    static_assert(d.capability == compute_capability{7, 5});
    static_assert(d.name == "GeForce RTX 2070 SUPER");
}

TEST_CASE("figures may be of any Real, and a name is kept only if it is a view") {
    static_assert(std::same_as<decltype(edit<float>(devices::geforce_gtx_280{}).clock_hz), float>);
    static_assert(std::same_as<decltype(edit<devices::geforce_gtx_280>(devices::geforce_gtx_280{})),
                               decltype(edit(devices::geforce_gtx_280{}))>);
    struct named {
        double sm_count = 4, clock_hz = 1e9, dram_bytes_per_s = 1e11;
        std::string name = "a name that is too long to be kept in the string itself";
    };
    CHECK(edit(named{}).name.empty());
}

TEST_CASE("the copy lacks what the device lacks") {
    using copy_280 = decltype(edit(devices::geforce_gtx_280{}));
    using copy_260 = decltype(edit(devices::geforce_gtx_260{}));
    using copy_pascal = decltype(edit(devices::pascal_projection{}));
    static_assert(
        (has_dram_latency<copy_280> && has_departures<copy_280>)&&!has_transaction_size<copy_280>);
    static_assert(mwp_cwp_device<copy_280> && !mwp_cwp_device<copy_260>);
    static_assert((has_arithmetic_latency<copy_pascal> && has_cache_latency<copy_pascal>)&&!(
        has_arithmetic_latency<copy_280> && has_cache_latency<copy_280>));
    static_assert(has_ppt_description<copy_pascal> && !has_integers<copy_pascal>);
    static_assert(has_dram_latency<copy_pascal> &&
                  !(has_dram_latency<copy_pascal> && has_departures<copy_pascal>));
}

TEST_CASE("copies of devices with the same figures known share a type") {
    std::vector devices{edit(devices::geforce_8800_gtx{}), edit(devices::geforce_8800_gt{})};
    devices.push_back(edit(devices.front()));
    CHECK(devices[1].sm_count == 14);
    CHECK(devices[2].name == "GeForce 8800 GTX");
}

TEST_CASE("static and runtime devices give the same bits") {
    devices::for_each([](const auto& device) {
        if constexpr (mwp_cwp_device<std::remove_cvref_t<decltype(device)>>) {
            const auto fixed = mwp_cwp_model{device}.predict(some_kernel);
            const auto edited = mwp_cwp_model{edit(device)}.predict(some_kernel);
            REQUIRE(fixed);
            REQUIRE(edited);
            CHECK(fixed->cycles == edited->cycles);
            CHECK(fixed->mwp == edited->mwp);
        }
    });
}

TEST_CASE("a user's own struct is a device") {
    static_assert(mwp_cwp_device<my_gpu> && !occupancy_device<my_gpu>);
    my_gpu gpu;
    const auto slow = mwp_cwp_model{gpu}.predict(some_kernel);
    gpu.sm_count = 20;
    const auto fast = mwp_cwp_model{gpu}.predict(some_kernel);
    REQUIRE(slow);
    REQUIRE(fast);
    CHECK(fast->cycles < slow->cycles);
    CHECK(mwp_cwp_model{edit(gpu)}.predict(some_kernel)->cycles == fast->cycles);
}

}  // namespace device_test
