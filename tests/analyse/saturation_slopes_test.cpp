// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <string_view>

#include <warpgauge/analyse/saturation_slopes.hpp>
#include <warpgauge/core/gradient.hpp>
#include <warpgauge/device/device.hpp>
#include <warpgauge/devices/all.hpp>
#include <warpgauge/kernel/parameters.hpp>
#include <warpgauge/models/saturation.hpp>

#include "any_gpu.hpp"
#include "approx.hpp"
#include "random_numbers.hpp"
#include "round_hierarchy.hpp"

namespace saturation_slopes_test {

using namespace warpgauge;

namespace {

/// No resource waits for another, and blocks follow each other at once.
constexpr saturation_options plain_maxima{
    {.queueing_in_sm = 0, .queueing_at_floor = 0, .turnaround_cycles = 0}};

/// Loads and stores of 2^20 threads: 4 bytes each.
constexpr kernel_profile<> stream{
    .blocks = 8192,
    .threads_per_block = 128,
    .active_blocks_per_sm = 8,
    .comp_insts = 10,
    .coalesced_mem_insts = 2,
    .accesses = {.load_sectors = 4, .full_store_sectors = 4},
    .traffic = {.dram_read_bytes = 4 << 20, .dram_write_bytes = 4 << 20}};

/// A profile in which every optional number is there or not; its grid is small or large, its last round full or not.
kernel_profile<> any_profile(random_numbers& random) {
    const auto maybe = [&](double low, double high) {
        const bool there = random.whole(0, 1) == 1;
        const double x = random.real(low, high);
        return there ? x : 0.0;
    };
    kernel_profile<> k;
    k.blocks = core::ceil(random.real(1, 1e5));
    k.threads_per_block = random.whole(1, 512);
    k.shared_bytes_per_block = maybe(1, 16384);
    k.active_blocks_per_sm = random.whole(0, 8);
    k.comp_insts = random.real(1, 5000);
    k.coalesced_mem_insts = maybe(1, 50);
    k.uncoalesced_mem_insts = maybe(1, 50);
    k.sync_insts = maybe(1, 9);
    if (random.whole(0, 3) == 0) return k;
    k.ops.fp32_ops = maybe(10, 1e5);
    k.ops.fp64_ops = maybe(1, 1e3);
    k.ops.integer_ops = maybe(10, 1e5);
    k.ops.special_ops = maybe(1, 1e4);
    k.ops.tensor_fmas = maybe(100, 1e6);
    k.shared_passes = maybe(1, 1000);
    k.shared_insts = maybe(1, 1000);
    k.branches = maybe(1, 100);
    k.accesses.load_sectors = maybe(1, 1000);
    k.accesses.full_store_sectors = maybe(1, 100);
    k.accesses.partial_store_sectors = maybe(1, 100);
    k.accesses.lines = maybe(1, 1000);
    k.accesses.broadcast_loads = maybe(1, 50);
    k.waits.counted = random.whole(0, 1) == 1;
    k.waits.dram_waits = maybe(1, 20);
    k.waits.l2_waits = maybe(1, 20);
    k.waits.l1_waits = maybe(1, 20);
    k.waits.store_waits = maybe(1, 20);
    k.waits.arithmetic_wait_cycles = maybe(10, 1000);
    k.waits.steps = maybe(1, 100);
    k.waits.longest_steps = maybe(1, 1000);
    if (random.whole(0, 3) == 0) k.waits.steps *= 0.01;  // most warps return at once
    k.waits.reused_fraction = maybe(0.1, 1);
    k.traffic.l2_bytes_per_warp = maybe(10, 1e4);
    k.traffic.dram_read_bytes = maybe(1e4, 1e9);
    k.traffic.dram_write_bytes = maybe(1e4, 1e9);
    k.traffic.footprint_bytes = maybe(1e5, 1e9);
    k.traffic.in_l2_fraction = maybe(0.1, 1);
    k.traffic.local_bytes = maybe(4, 1000);
    k.traffic.local_footprint_bytes = maybe(4, 1000);
    if (random.whole(0, 1) == 0) k.traffic.dram_read_bytes = k.traffic.dram_write_bytes = 0;
    return k;
}

/// Changes some of the parameters that are not whole numbers.
template <class D>
void change(D& d, random_numbers& random) {
    for_each_parameter(d, [&](device_parameter p, double& x) {
        const double factor = random.real(0.5, 2);
        if (info(p).range == parameter_range::positive && random.whole(0, 1) == 1) x *= factor;
        if (info(p).range == parameter_range::fraction) x = core::min(x * factor, 1.0);
    });
}

/// Calls `check(name, wanted, found)` with what one direction of a gradient and all slopes give for each parameter of
/// device and profile.
template <class D, class Check>
void compare(const saturation_model<D>& m, const kernel_profile<>& k, saturation_slopes<D> found,
             const Check& check) {
    using real = gradient<1>;
    auto d = edit<real>(m.device);
    auto p = profile_in<real>(k);
    const auto along = [&](std::string_view name, real& x, double slope) {
        x.set_slope(0, 1);
        const auto wanted = m.on(d).predict(p);
        x.set_slope(0, 0);
        REQUIRE(wanted);
        check(name, x.value, wanted->seconds.slope(0), slope);
    };
    for_each_parameter(d, [&](device_parameter n, real& x) {
        const double* slope = find_parameter(found.by_device, info(n).name);
        along(info(n).name, x, slope == nullptr ? 0 : *slope);
    });
    std::array<double, 64> slopes{};
    std::size_t n = 0;
    for_each_possible_parameter(found.by_profile,
                                [&](std::string_view, double& x) { slopes[n++] = x; });
    n = 0;
    for_each_possible_parameter(
        p, [&](std::string_view name, real& x) { along(name, x, slopes[n++]); });
}

/// What of a slope is no rounding: it, or the time by the parameter, since it may be a small difference of large terms.
double scale_of(double slope, double seconds, double value) {
    const double alone = core::max(slope, -slope);
    return value == 0 ? alone : core::max(alone, seconds / core::max(value, -value));
}

template <class D>
void check_slopes(const D& device, unsigned seed) {
    random_numbers random(seed);
    for (int n = 0; n < 8; ++n) {
        auto d = device;
        if (n > 2) change(d, random);
        saturation_model m{d};
        if (n == 7) m.options.constants.queueing_in_sm = random.real(0.01, 1);
        const kernel_profile<> k = any_profile(random);
        const auto all = predict_with_slopes(m, k);
        const auto alone = m.predict(k);
        CAPTURE(d.name);
        CAPTURE(seed);
        CAPTURE(n);
        REQUIRE(all.has_value() == alone.has_value());
        if (!all) {
            CHECK(all.error() == alone.error());
            continue;
        }
        CHECK(all->seconds == Approx(alone->seconds).epsilon(1e-14));
        compare(m, k, *all, [&](std::string_view name, double value, double wanted, double found) {
            CAPTURE(name);
            const double error = core::max(found - wanted, wanted - found);
            CHECK(error <= 1e-10 * scale_of(wanted, alone->seconds, value));
        });
    }
}

/// The GPU with round numbers for what no source gives: of one type, like all others.
auto completed(const any_gpu& gpu) {
    auto d = edit(whole_gpu{});
    d.name = gpu.name;
    for_each_parameter(gpu, [&](device_parameter p, const double& x) {
        if (double* known = find_parameter(d, info(p).name)) *known = x;
    });
    return d;
}

}  // namespace

TEST_CASE("every slope is that of a gradient in its direction, on every device") {
    unsigned seed = 0;
    for (const any_gpu& gpu : all_gpus()) check_slopes(completed(gpu), ++seed);
    CHECK(seed > 40);
}

TEST_CASE("every slope is that of a gradient in its direction, on devices that lack groups") {
    // Each group that the model can do without is unknown of one and known of another.
    unsigned seed = 100;
    const auto check = [&](const auto& d) { check_slopes(edit(d), ++seed); };
    check(devices::geforce_8800_gtx{});
    check(devices::tesla_k40{});
    check(devices::tesla_v100_pcie{});
    check(devices::geforce_rtx_2080_ti{});
    check(devices::geforce_rtx_3090{});
    check(devices::a40{});
    check(devices::instinct_mi210{});
    check(devices::instinct_mi300x{});
    check_slopes(edit(whole_gpu{}), 1001);
    check_slopes(edit(round_gpu{}), 1002);
    struct plain_issue {
        double sm_count = 10, clock_hz = 1e9, dram_bytes_per_s = 100e9;
        double warp_size = 32, dram_latency_cycles = 400, issue_cycles = 2, cuda_cores = 64;
        double dram_read_fraction = 0.8, dram_transaction_bytes = 64, l1_latency_cycles = 30;
    };
    check_slopes(edit(plain_issue{}), 1003);
}

TEST_CASE("a stream, by hand: its time is its bytes over the bandwidth") {
    constexpr saturation_model model{round_gpu{}, plain_maxima};
    auto k = stream;
    k.traffic.dram_read_bytes = 4e9;
    const auto t = predict_with_slopes(model, k);
    REQUIRE(t);
    const double bytes = 4e9 + (4 << 20);
    CHECK(t->seconds == Approx(bytes / 100e9));
    CHECK(t->by_profile.traffic.dram_read_bytes == Approx(1 / 100e9));
    CHECK(t->by_profile.traffic.dram_write_bytes == Approx(1 / 100e9));
    CHECK(t->by_device.dram_bytes_per_s == Approx(-bytes / 1e22));
    CHECK(t->by_device.clock_hz == 0);
    CHECK(t->by_profile.comp_insts == 0);
    CHECK(t->by_profile.transactions_per_uncoalesced == 0);
    CHECK(t->by_profile.stencil.element_bytes == 0);
}

TEST_CASE("waits, by hand: 103 rounds, each an instruction longer for an instruction more") {
    constexpr saturation_model model{round_gpu{}, plain_maxima};
    auto k = stream;
    k.accesses = {};
    k.traffic = {.dram_read_bytes = 1};
    k.coalesced_mem_insts = 1;
    const auto t = predict_with_slopes(model, k);
    REQUIRE(t);
    CHECK(t->seconds == Approx(103 * 411e-9));
    CHECK(t->by_profile.comp_insts == Approx(103e-9));
    CHECK(t->by_profile.coalesced_mem_insts == Approx(103 * 401e-9));  // and a wait for DRAM
    CHECK(t->by_device.dram_latency_cycles == Approx(103e-9));
    CHECK(t->by_device.clock_hz == Approx(-t->seconds / 1e9));
    CHECK(t->by_profile.blocks == 0);  // until another round begins
    CHECK(t->by_profile.active_blocks_per_sm == 0);
}

TEST_CASE("a maximum gives its slope to the first of equal terms") {
    constexpr saturation_model model{round_gpu{}, plain_maxima};
    // 100 B in a nanosecond: the time of the SMs is that of the bytes.
    auto k = stream;
    k.accesses = {};
    k.coalesced_mem_insts = 1;
    k.traffic = {.dram_read_bytes = 103 * 41100};
    const auto t = predict_with_slopes(model, k);
    REQUIRE(t);
    compare(saturation_model{edit(round_gpu{}), plain_maxima}, k,
            *predict_with_slopes(saturation_model{edit(round_gpu{}), plain_maxima}, k),
            [&](std::string_view name, double, double wanted, double found) {
                CAPTURE(name);
                CHECK(found == Approx(wanted).epsilon(1e-12));
            });
}

TEST_CASE("errors are those of the model; floats, constants") {
    const saturation_model model{whole_gpu{}};
    CHECK(predict_with_slopes(model, kernel_profile<>{}).error() ==
          model.predict(kernel_profile<>{}).error());
    auto broken = edit(whole_gpu{});
    broken.clock_hz = -1;
    CHECK(predict_with_slopes(saturation_model{broken}, stream).error() ==
          model_error{errc::not_positive, "clock_hz"});
    constexpr auto t = predict_with_slopes(saturation_model{whole_gpu{}}, stream);
    static_assert(t && t->by_device.dram_bytes_per_s < 0 && t->by_device.launch_overhead_s == 1);
    const auto narrow = predict_with_slopes(model, profile_in<float>(stream));
    REQUIRE(narrow);
    CHECK(narrow->by_device.dram_bytes_per_s ==
          Approx(t->by_device.dram_bytes_per_s).epsilon(1e-4));
    CHECK(narrow->by_profile.comp_insts == Approx(t->by_profile.comp_insts).epsilon(1e-3));
    static_assert(!has_cores<saturation_slopes<round_gpu>::device_slopes>);
}

TEST_CASE("no slope is NaN at the ends of the ranges") {
    const auto seed = 77U;
    random_numbers random(seed);
    int predicted = 0;
    for (int n = 0; n < 3000; ++n) {
        auto d = edit(whole_gpu{});
        for_each_parameter(d, [&](device_parameter p, double& x) {
            const double y = random.real(1e-10, 1e18);
            if (random.whole(0, 3) == 0) x = info(p).range == parameter_range::fraction ? 1 : y;
        });
        auto k = any_profile(random);
        k.active_blocks_per_sm = 1;
        for_each_parameter(k, [&](std::string_view name, double& x) {
            const double y = random.real(1e-10, 1e18);
            if (random.whole(0, 3) == 0 && !name.ends_with("fraction")) x = y;
        });
        auto t = predict_with_slopes(saturation_model{d}, k);
        if (!t) continue;
        ++predicted;
        CAPTURE(seed);
        CAPTURE(n);
        const auto is_finite = [&](std::string_view name, double x) {
            CAPTURE(name);
            CHECK(core::finite(x));
        };
        for_each_possible_parameter(t->by_profile, is_finite);
        for_each_parameter(t->by_device,
                           [&](device_parameter p, double x) { is_finite(info(p).name, x); });
    }
    CHECK(predicted > 2000);
}

}  // namespace saturation_slopes_test
