// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <array>

#include <warpgauge/core/gradient.hpp>
#include <warpgauge/device/device.hpp>
#include <warpgauge/devices/all.hpp>
#include <warpgauge/kernel/parameters.hpp>
#include <warpgauge/models/saturation.hpp>
#include <warpgauge/sm/neutral_groups.hpp>

#include "round_hierarchy.hpp"

namespace neutral_groups_test {

using namespace warpgauge;

namespace {

using slopes = gradient<2>;

template <class Real, template <class> class... Groups>
partial_device<Real, Groups...> partial_of(group_list<Groups...>);

/// A device of any groups that the saturation model reads.
template <class Real = double>
using partial_gpu = decltype(partial_of<Real>(detail::models::saturation_groups{} +
                                              group_list<parameters::residency>{}));

/// Round numbers, with all that the model reads.
struct whole_gpu : sm_limits_of<8, 0>, round_hierarchy {
    static constexpr double sm_count = 10, clock_hz = 1e9, dram_bytes_per_s = 100e9;
    static constexpr double dram_latency_cycles = 400, dram_transaction_bytes = 64;
    static constexpr double warp_schedulers = 4, issues_per_scheduler = 1, issue_cycles = 0.75;
    static constexpr double board_power_w = 0.2;  // so little that it leads
};

/// From counts alone to all that a profile may say; of each, one kernel that is bound by it.
constexpr std::array<kernel_profile<>, 11> kernels{{
    {.blocks = 4096, .threads_per_block = 256, .comp_insts = 20, .uncoalesced_mem_insts = 2},
    {.blocks = 77,
     .threads_per_block = 128,
     .comp_insts = 500,
     .ops = {.fp32_ops = 30'000, .integer_ops = 40'000}},
    {.blocks = 4096, .threads_per_block = 128, .comp_insts = 500, .ops = {.fp64_ops = 1e5}},
    {.blocks = 4096, .threads_per_block = 128, .comp_insts = 500, .ops = {.special_ops = 1e5}},
    {.blocks = 4096, .threads_per_block = 128, .comp_insts = 9, .ops = {.tensor_fmas = 1e6}},
    {.blocks = 8192,
     .threads_per_block = 128,
     .comp_insts = 10,
     .coalesced_mem_insts = 2,
     .accesses = {.load_sectors = 4, .partial_store_sectors = 3, .lines = 4},
     .waits = {.counted = true, .dram_waits = 1, .l2_waits = 2, .l1_waits = 3, .store_waits = 1},
     .traffic = {.dram_read_bytes = 8e8}},
    {.blocks = 50,
     .threads_per_block = 128,
     .comp_insts = 10,
     .coalesced_mem_insts = 2,
     .accesses = {.lines = 400},
     .waits = {.steps = 20, .longest_steps = 30, .reused_fraction = 0.25},
     .traffic = {.footprint_bytes = 5e6, .in_l2_fraction = 1}},
    {.blocks = 500,
     .threads_per_block = 128,
     .comp_insts = 10,
     .coalesced_mem_insts = 2,
     .traffic = {.dram_write_bytes = 8e8}},
    {.blocks = 500,
     .threads_per_block = 128,
     .comp_insts = 10,
     .coalesced_mem_insts = 2,
     .traffic = {.dram_read_bytes = 4e8, .dram_write_bytes = 4e8}},
    {.blocks = 5000,
     .threads_per_block = 128,
     .comp_insts = 400,
     .coalesced_mem_insts = 2,
     .sync_insts = 2,
     .shared_passes = 300,
     .shared_insts = 250,
     .branches = 20},
    {.blocks = 500,
     .threads_per_block = 128,
     .active_blocks_per_sm = 4,
     .comp_insts = 400,
     .coalesced_mem_insts = 2,
     .traffic = {.dram_read_bytes = 1e6, .local_bytes = 800, .local_footprint_bytes = 300}},
}};

template <class Real>
bool same(const Real& a, const Real& b) {
    if constexpr (std::is_same_v<Real, slopes>) {
        return a.value == b.value && a.slope(0) == b.slope(0) && a.slope(1) == b.slope(1);
    } else {
        return a == b;
    }
}

/// Both models say the same of every kernel, to the bit.
template <class Real, class D>
void check_same(const D& typed, const partial_gpu<Real>& partial) {
    for (const kernel_profile<>& kernel : kernels) {
        auto k = profile_in<Real>(kernel);
        if constexpr (std::is_same_v<Real, slopes>) k.comp_insts.set_slope(1, 1);
        const auto a = saturation_model{typed}.predict(k);
        const auto b = saturation_model{partial}.predict(k);
        REQUIRE((a && b));
        CHECK(same(a->seconds, b->seconds));
        CHECK(same(a->wait_cycles, b->wait_cycles));
        CHECK(same(a->lane_cycles, b->lane_cycles));
        CHECK(same(a->busy_cycles, b->busy_cycles));
        CHECK(same(a->floor_seconds, b->floor_seconds));
        CHECK(same(a->energy_seconds, b->energy_seconds));
        CHECK(same(a->l2_miss_fraction, b->l2_miss_fraction));
        CHECK(a->which == b->which);
    }
}

template <template <class> class Group, template <class> class... Without>
constexpr bool is_one_of(group_list<Without...>) {
    return (std::is_same_v<Group<double>, Without<double>> || ...);
}

template <template <class> class... Groups>
constexpr auto gpu_of(group_list<Groups...>) {
    return runtime_device<double, Groups...>(whole_gpu{});
}

template <class Without, template <class> class... Groups>
constexpr auto gpu_without(group_list<Groups...>) {
    return gpu_of(
        (group_list<>{} + ... +
         typename detail::device::group_if<!is_one_of<Groups>(Without{}), Groups>::type{}));
}

/// `whole_gpu` without some groups: by type, and by its word.
template <template <class> class... Without>
void check_without() {
    const auto typed = gpu_without<group_list<Without...>>(groups_of<whole_gpu>{});
    check_same<double>(typed, partial_gpu<>(typed));
}

/// The same of slopes.
template <template <class> class... Without>
void check_slopes_without() {
    auto typed = edit<slopes>(gpu_without<group_list<Without...>>(groups_of<whole_gpu>{}));
    typed.dram_latency_cycles.set_slope(0, 1);
    check_same<slopes>(typed, partial_gpu<slopes>(typed));
}

}  // namespace

TEST_CASE("what a device does not know changes no bit") {
    using namespace parameters;
    check_without<>();
    check_without<transaction_size>();
    check_without<cores>();
    check_without<integers>();
    check_without<double_precision, special_functions>();
    check_without<tensor>();
    check_without<schedulers>();
    check_without<l1_latency>();
    check_without<l1_latency, l2_latency>();
    check_without<pipes>();
    check_without<l1_cache>();
    check_without<l2_cache>();
    check_without<l1_cache, l2_cache>();
    check_without<l1_bandwidth>();
    check_without<l2_bandwidth>();
    check_without<dram_read>();
    check_without<dram_write>();
    check_without<dram_mixed>();
    check_without<dram_read, dram_mixed>();
    check_without<dram_read, dram_write, dram_mixed>();
    check_without<sustained_clock>();
    check_without<board_power>();
    check_without<operation_energy>();
    check_without<launch_overhead>();
    check_slopes_without<>();
    check_slopes_without<schedulers>();
    check_slopes_without<l1_latency, l2_latency>();
    check_slopes_without<dram_read, dram_mixed>();
    check_slopes_without<sustained_clock>();
}

TEST_CASE("a group counts, where it is known") {
    // Each of these groups changes the time of one of the kernels, so that the comparison above can fail.
    using namespace parameters;
    const partial_gpu<> whole(whole_gpu{});
    const auto seconds = [](const partial_gpu<>& d) {
        std::array<double, kernels.size()> all{};
        for (std::size_t n = 0; n < all.size(); ++n) {
            all[n] = saturation_model{d}.predict(kernels[n])->seconds;
        }
        return all;
    };
    for (const device_group g : {device_group::transaction_size,  device_group::cores,
                                 device_group::integers,          device_group::double_precision,
                                 device_group::special_functions, device_group::tensor,
                                 device_group::schedulers,        device_group::l1_latency,
                                 device_group::l2_latency,        device_group::pipes,
                                 device_group::l1_cache,          device_group::l2_cache,
                                 device_group::l1_bandwidth,      device_group::l2_bandwidth,
                                 device_group::dram_read,         device_group::dram_write,
                                 device_group::dram_mixed,        device_group::sustained_clock,
                                 device_group::board_power,       device_group::operation_energy,
                                 device_group::launch_overhead}) {
        CAPTURE(name(g));
        auto without = whole;
        without.known.remove(g);
        CHECK(seconds(without) != seconds(whole));
    }
}

TEST_CASE("what the model cannot do without is an error") {
    partial_gpu<> d(whole_gpu{});
    const auto without = [&](device_group g) {
        auto less = d;
        less.known.remove(g);
        return saturation_model{less}.predict(kernels[0]).error();
    };
    CHECK(without(device_group::chip) == model_error{errc::missing, "sm_count"});
    CHECK(without(device_group::warp) == model_error{errc::missing, "warp_size"});
    CHECK(without(device_group::dram_latency) == model_error{errc::missing, "dram_latency_cycles"});
    CHECK(without(device_group::residency) == model_error{errc::missing, "active_blocks_per_sm"});
    d.known.remove(device_group::schedulers);
    CHECK(without(device_group::issue) == model_error{errc::missing, "warp_schedulers"});
    CHECK(saturation_model{partial_gpu<>(whole_gpu{})}.predict(kernel_profile<>{}).error().code ==
          errc::not_positive);
}

TEST_CASE("a known parameter out of range is an error, an unknown one is not read") {
    partial_gpu<> d(whole_gpu{});
    d.l2_bytes_per_cycle = 0;
    CHECK(saturation_model{d}.predict(kernels[0]).error() ==
          model_error{errc::not_positive, "l2_bytes_per_cycle"});
    d.known.remove(device_group::l2_bandwidth);
    CHECK(saturation_model{d}.predict(kernels[0]));
}

TEST_CASE("every GPU of the library, as one type") {
    devices::for_each([]<class D>(const D& d) {
        CAPTURE(d.name);
        if constexpr (saturation_device<D> && has_residency<D>) {
            check_same<double>(d, partial_gpu<>(d));
        } else {
            CHECK_FALSE(saturation_model{partial_gpu<>(d)}.predict(kernels[0]));
        }
    });
}

}  // namespace neutral_groups_test
