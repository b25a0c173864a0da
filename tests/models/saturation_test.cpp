// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string_view>
#include <vector>

#include <warpgauge/core/gradient.hpp>
#include <warpgauge/core/lanes.hpp>
#include <warpgauge/device/device.hpp>
#include <warpgauge/devices/l40.hpp>
#include <warpgauge/kernel/parameters.hpp>
#include <warpgauge/models/saturation.hpp>
#include <warpgauge/tune/sweep.hpp>

#include "approx.hpp"
#include "round_hierarchy.hpp"

namespace saturation_test {

using namespace warpgauge;

namespace {

/// One load and one store of 8 B in each of 2^20 threads.
constexpr kernel_profile<> stream{
    .blocks = 8192,
    .threads_per_block = 128,
    .active_blocks_per_sm = 8,
    .comp_insts = 10,
    .coalesced_mem_insts = 2,
    .bytes_per_access = 8,
    .accesses = {.lines = 4},
    .waits = {.counted = true, .dram_waits = 1, .store_waits = 1},
    .traffic = {.l2_bytes_per_warp = 512, .dram_read_bytes = 8388608, .dram_write_bytes = 8388608}};

/// Without queues and constants: plain maxima.
constexpr saturation_options plain_maxima{.constants = {.queueing_in_sm = 0,
                                                        .queueing_at_floor = 0,
                                                        .turnaround_cycles = 0,
                                                        .store_cycles = 0,
                                                        .sector_cycles = 0,
                                                        .block_launch_cycles = 0}};

struct gpu_of_two_ways_to_issue : round_gpu {
    static constexpr double issue_cycles = 1;
};

template <class D>
double seconds(const D& d, const kernel_profile<>& k) {
    const auto e = saturation_model{d}.predict(k);
    return e ? e->seconds : 0;
}

kernel_profile<> any_profile(std::mt19937& random) {
    const auto between = [&](double a, double b) {
        return std::floor(std::uniform_real_distribution<>(a, b)(random));
    };
    const auto maybe = [&](double x) { return random() % 2 == 0 ? x : 0.0; };
    kernel_profile<> k{.blocks = between(1, 5000),
                       .threads_per_block = 32 * between(1, 33),
                       .active_blocks_per_sm = between(1, 17),
                       .comp_insts = between(1, 5000),
                       .coalesced_mem_insts = maybe(between(1, 50)),
                       .uncoalesced_mem_insts = maybe(between(1, 50))};
    if (random() % 4 == 0) return k;
    k.ops = {maybe(between(1, 1e5)), maybe(between(1, 1e4)), maybe(between(1, 1e4)), 0, 0};
    k.shared_passes = maybe(between(1, 1000));
    k.shared_insts = maybe(between(1, 500));
    k.branches = maybe(between(1, 100));
    k.sync_insts = maybe(2);
    k.traffic.local_bytes = maybe(between(4, 4000));
    k.traffic.local_footprint_bytes = maybe(between(4, 1000));
    k.accesses = {between(1, 1000), maybe(between(1, 100)), maybe(between(1, 100)),
                  maybe(between(1, 1000)), maybe(between(1, 50))};
    k.waits.steps = maybe(between(1, 100));
    k.waits.longest_steps = maybe(between(1, 200));
    k.waits.l2_waits = maybe(between(1, 40));
    k.waits.reused_fraction = maybe(0.5);
    k.traffic.footprint_bytes = maybe(between(1e4, 1e8));
    return k;
}

}  // namespace

TEST_CASE("a stream with plain maxima, by hand") {
    constexpr auto e = saturation_model{round_gpu{}, plain_maxima}.predict(stream);
    static_assert(e);
    static_assert(e->warps_per_block == 4);
    static_assert(e->blocks_per_sm == 819.2);
    static_assert(e->active_blocks_per_sm == 8);
    static_assert(e->full_rounds == 102);
    static_assert(e->warp_issue_cycles == 12);
    static_assert(e->wait_cycles == 400);
    static_assert(e->alone_cycles == 412);
    static_assert(e->issue_cycles == 12);  // 4 warps of 12 instructions, 4 a cycle
    static_assert(e->busy_cycles == 12);
    static_assert(e->round_cycles == 412);  // 8 blocks keep the SM busy for 96 of them
    static_assert(e->sm_cycles == 103 * 412);
    static_assert(e->dram_seconds > 16777216 / 100.1e9 && e->dram_seconds < 16777216 / 99.9e9);
    static_assert(e->which == saturation_term::dram && e->seconds == e->dram_seconds);
    static_assert(!e->assumed.contains(assumption::waits_for_dram) &&
                  !e->assumed.contains(assumption::bytes_from_dram) &&
                  !e->assumed.contains(assumption::bytes_from_l2));
}

TEST_CASE("the same with the model's constants, by hand") {
    const auto e = saturation_model{whole_gpu{}}.predict(stream);
    REQUIRE(e);
    CHECK(e->warp_issue_cycles == Approx(15));         // 12 at 0.8 of the clock
    CHECK(e->wait_cycles == Approx(400 + 200));        // the load; the store behind it
    CHECK(e->alone_cycles == Approx(400 + 600 + 15));  // (6)
    CHECK(e->exposed_cycles == Approx(50));            // a turnaround, 8 blocks
    CHECK(e->issue_cycles == Approx(15));
    CHECK(e->l1_cycles == Approx(4 * 1.25 * 4 * 2));    // 4 lines of 2 cycles
    CHECK(e->l2_cycles == Approx(4 * 512 / 32.0));      // the slowest of the SM
    CHECK(e->dram_seconds == Approx(16777216 / 75e9));  // it loads and stores
    CHECK(e->busy_cycles ==
          Approx((15 + 64 + std::sqrt(49.0 * 49 + 4 * 0.12 * 15 * 64)) / 2));  // (8)
    const double busy = 8 * e->busy_cycles;
    CHECK(
        e->round_cycles ==
        Approx(50 + (965 + busy + std::sqrt((965 - busy) * (965 - busy) + 0.48 * 965 * busy)) / 2));
    const double a = e->sm_cycles / 1e9;
    const double b = e->dram_seconds;
    CHECK(e->seconds == Approx(2e-6 + (a + b + std::sqrt((a - b) * (a - b) + 0.12 * a * b)) / 2));
    CHECK(e->cycles == Approx(e->seconds * 1e9));
}

TEST_CASE("directions of traffic have their own sustained fraction") {
    auto k = stream;
    k.traffic.dram_write_bytes = 0;
    CHECK(saturation_model{whole_gpu{}}.predict(k)->dram_seconds == Approx(8388608 / 90e9));
    k.traffic = {.dram_write_bytes = 8388608};
    CHECK(saturation_model{whole_gpu{}}.predict(k)->dram_seconds == Approx(8388608 / 80e9));
    k.traffic = {.footprint_bytes = 3e9, .in_l2_fraction = 1};  // none of it stays
    CHECK(saturation_model{whole_gpu{}}.predict(k)->dram_seconds == Approx(3e9 / 75e9));
    k.traffic.footprint_bytes = 1e6;
    CHECK(saturation_model{whole_gpu{}}.predict(k)->dram_seconds == 0);
    k.traffic.in_l2_fraction = 0.25;
    CHECK(saturation_model{whole_gpu{}}.predict(k)->dram_seconds == Approx(0.75e6 / 75e9));
}

TEST_CASE("each resource can lead") {
    const auto leads = [](auto change) {
        kernel_profile<> k{.blocks = 1000,
                           .threads_per_block = 256,
                           .active_blocks_per_sm = 8,
                           .comp_insts = 10,
                           .waits = {.counted = true},
                           .traffic = {.l2_bytes_per_warp = 1, .dram_read_bytes = 1}};
        change(k);
        return saturation_model{whole_gpu{}}.predict(k)->which;
    };
    using term = saturation_term;
    CHECK(leads([](auto& k) { k.waits.l2_waits = 1000; }) == term::waits);
    CHECK(leads([](auto& k) { k.comp_insts = 1e5; }) == term::issue);
    CHECK(leads([](auto& k) { k.ops.fp64_ops = 1e6; }) == term::lanes);
    CHECK(leads([](auto& k) { k.shared_passes = 1e5; }) == term::l1);
    CHECK(leads([](auto& k) { k.traffic.l2_bytes_per_warp = 1e7; }) == term::l2);
    CHECK(leads([](auto& k) { k.traffic.dram_read_bytes = 1e12; }) == term::dram);
    CHECK(leads([](auto& k) { k.accesses.broadcast_loads = 1e5; }) == term::broadcast);
    CHECK(leads([](auto& k) { k.blocks = 1; }) == term::overhead);
    CHECK(leads([](auto& k) {
              k.blocks = 80;
              k.waits.steps = 10;
              k.waits.longest_steps = 1e5;
          }) == term::longest_warp);
    CHECK(leads([](auto& k) {
              k.ops.fp32_ops = 1e5;
              k.ops.fp32_ops = 1;
              k.traffic.l2_bytes_per_warp = 10;
              k.blocks = 1e8;
              k.threads_per_block = 1;
              k.comp_insts = 0.1;
              k.active_blocks_per_sm = 1000;
          }) == term::block_launch);
    auto hungry = edit(whole_gpu{});
    hungry.fp32_op_pj = 1e6;
    auto k = stream;
    k.ops.fp32_ops = 1e5;
    CHECK(saturation_model{hungry}.predict(k)->which == term::energy);
    // 32768 warps of 1e5 operations of 1 uJ at 0.8 of 200 W, beside 512 B of 90 pJ.
    CHECK(saturation_model{hungry}.predict(k)->energy_seconds ==
          Approx(32768 * (0.1 + 512 * 90e-12) / 160));
    for (int t = 0; t <= static_cast<int>(term::overhead); ++t) {
        CHECK(name(static_cast<term>(t)) != "unknown");
    }
}

TEST_CASE("where L2 limits a launch, more of it helps, also if some SMs have a block less") {
    constexpr std::uint32_t seed = 11;
    CAPTURE(seed);
    std::mt19937 random(seed);
    const auto spread = [&](double low, double high) {
        return std::exp(std::uniform_real_distribution<>(std::log(low), std::log(high))(random));
    };
    const devices::l40 gpu;
    auto faster = edit(gpu);
    faster.l2_bytes_per_cycle *= 1000;
    int by_l2 = 0;
    int in_vain = 0;
    for (int n = 0; n < 4000; ++n) {
        kernel_profile<> k{.blocks = std::floor(spread(1, 1e5)),
                           .threads_per_block = 32 * std::floor(spread(1, 32)),
                           .registers_per_thread = 32,
                           .comp_insts = std::floor(spread(1, 3000)),
                           .coalesced_mem_insts = std::floor(spread(1, 300))};
        k.accesses.load_sectors = 4 * k.coalesced_mem_insts * spread(1, 8);
        k.accesses.lines = k.accesses.load_sectors / spread(1, 4);
        k.waits = {.counted = true, .dram_waits = spread(1, 50), .l2_waits = spread(1, 50)};
        k.traffic.dram_read_bytes = spread(1e4, 1e7);
        const auto e = saturation_model{gpu}.predict(k);
        REQUIRE(e);
        if (e->which != saturation_term::l2) continue;
        ++by_l2;
        in_vain += seconds(faster, k) > 0.99 * e->seconds ? 1 : 0;
    }
    CHECK(by_l2 > 1000);
    CHECK(in_vain * 100 <= by_l2);  // the last round may be limited by something else
}

TEST_CASE("integer work goes to CUDA cores where an SM has no integer units") {
    auto k = stream;
    k.ops = {.fp32_ops = 640, .integer_ops = 320};
    CHECK(saturation_model{with<parameters::cores>(round_gpu{}, {.cuda_cores = 64})}
              .predict(k)
              ->lane_cycles == Approx(4 * 15));
    CHECK(saturation_model{whole_gpu{}}.predict(k)->lane_cycles == Approx(4 * 10 * 1.25));
}

TEST_CASE("counts of Hong & Kim alone give a time, and the estimate says what was taken") {
    const kernel_profile<> bare{.blocks = 100,
                                .threads_per_block = 64,
                                .active_blocks_per_sm = 4,
                                .comp_insts = 20,
                                .coalesced_mem_insts = 3,
                                .uncoalesced_mem_insts = 1,
                                .transactions_per_uncoalesced = 8};
    const auto e = saturation_model{round_gpu{}}.predict(bare);
    REQUIRE(e);
    CHECK(e->assumed.contains(assumption::waits_for_dram));
    CHECK(e->dram_waits == 4);
    CHECK(e->assumed.contains(assumption::bytes_from_dram));
    CHECK(e->assumed.contains(assumption::bytes_from_l2));
    CHECK(e->dram_bytes == 200 * (3 * 128 + 8 * 32));
    CHECK(e->l2_miss_fraction == 1);
}

TEST_CASE("MWP/CWP is a special case, to its leading terms") {
    // One issue rate, no L2, no lanes; a port that hands out a transaction every departure delay.
    struct old_gpu {
        double sm_count, clock_hz, dram_bytes_per_s, warp_size, issue_cycles, dram_latency_cycles,
            l1_bytes_per_cycle;
    };
    std::mt19937 random(1);
    const auto between = [&](double a, double b) {
        return std::exp(std::uniform_real_distribution<>(std::log(a), std::log(b))(random));
    };
    for (int n = 0; n < 2000; ++n) {
        const double latency = 400;
        const double departure = between(1, 100);
        const old_gpu d{16, 1e9, between(1e10, 1e12), 32, 4, latency, 128 / departure};
        const double N = std::floor(between(1, 33));
        const double rounds = std::floor(between(1, 20));
        const double comp_insts = between(1, 1e4);
        const double mem_insts = std::floor(between(1, 100));
        kernel_profile<> k{.blocks = 16 * N * rounds,
                           .threads_per_block = 32,
                           .active_blocks_per_sm = N,
                           .comp_insts = comp_insts,
                           .coalesced_mem_insts = mem_insts};
        k.accesses.lines = mem_insts;
        const double mem = latency * mem_insts;                               // (18)
        const double comp = 4 * (comp_insts + mem_insts);                     // (19)
        const double peak = d.dram_bytes_per_s * latency / (1e9 * 128 * 16);  // (6), (7)
        const double mwp = std::min({latency / departure, peak, N});          // (5)
        const double cycles =
            rounds * std::max({mem + comp, N * mem / mwp, N * comp});  // (22) to (24)
        const auto e = saturation_model{d, plain_maxima}.predict(k);
        REQUIRE(e);
        CHECK(e->cycles == Approx(cycles).epsilon(1e-9));
    }
}

TEST_CASE("better parameters and less work never take longer") {
    std::mt19937 random(2);
    const auto d = edit(whole_gpu{});
    for (int n = 0; n < 500; ++n) {
        const kernel_profile<> k = any_profile(random);
        const double before = seconds(d, k) * (1 + 1e-12);
        REQUIRE(before > 0);
        for_each_parameter(d, [&](device_parameter p, const double& value) {
            const std::string_view named = info(p).name;
            if (named == "warp_size" || named == "issues_per_scheduler") return;
            // More SMs at work have more local memory in L2.
            if (named == "sm_count" && k.traffic.local_bytes > 0) return;
            auto better = d;
            const bool less =
                info(p).unit == "cycle" || info(p).unit == "s" || info(p).unit == "pJ";
            double& x = *find_parameter(better, named);
            x = less ? value / 2 : named == "sm_count" ? value + 3 : value * 1.1;
            if (named == "clock_hz") better.sustained_clock_hz *= 1.1;
            CHECK_MESSAGE(seconds(better, k) <= before, named);
        });
        for (const std::string_view named :
             {"comp_insts", "coalesced_mem_insts", "uncoalesced_mem_insts",
              "transactions_per_uncoalesced", "fp32_ops", "fp64_ops", "integer_ops",
              "shared_passes", "shared_insts", "branches", "sync_insts", "local_bytes",
              "local_footprint_bytes", "load_sectors", "partial_store_sectors", "lines",
              "broadcast_loads", "l2_waits", "footprint_bytes"}) {
            auto less = k;
            *find_parameter(less, named) /= 1.5;
            CHECK_MESSAGE(seconds(d, less) <= before, named);
        }
        auto less = k;
        less.blocks = std::max(1.0, std::floor(k.blocks / 1.5));
        CHECK(seconds(d, less) <= before);
    }
}

TEST_CASE("batches have the bits of single predictions") {
    std::mt19937 random(3);
    const saturation_model<whole_gpu> model;
    for (int n = 0; n < 500; ++n) {
        std::array<kernel_profile<>, 4> singles;
        for (auto& k : singles) k = any_profile(random);
        kernel_profile<lanes<4>> together;
        const auto gather = [&](std::string_view name, lanes<4>& to) {
            for (std::size_t i = 0; i < 4; ++i) {
                if (double* const from = find_parameter(singles[i], name)) to.values[i] = *from;
            }
        };
        detail::kernel::visit_all(together, gather);
        const auto e = model.predict(together);
        REQUIRE(e);
        for (std::size_t i = 0; i < 4; ++i) {
            const auto one = model.predict(singles[i]);
            REQUIRE(one);
#if !defined(__FMA__)
            CHECK(e->seconds.values[i] == one->seconds);
#endif
            CHECK(e->seconds.values[i] == Approx(one->seconds).epsilon(1e-13));
            CHECK(e->which.values[i] == static_cast<double>(one->which));
        }
    }
}

TEST_CASE("a prepared model has the bits of the model, and its errors") {
    std::mt19937 random(5);
    const saturation_model model{edit(whole_gpu{})};
    const auto ready = model.prepared();
    for (int n = 0; n < 500; ++n) {
        const kernel_profile<> k = any_profile(random);
        CHECK(ready.predict(k)->seconds == model.predict(k)->seconds);
    }
    CHECK(ready.predict({}).error() == model.predict(kernel_profile<>{}).error());
    auto broken = edit(whole_gpu{});
    broken.clock_hz = 0;
    const saturation_model wrong{broken};
    CHECK(wrong.prepared().predict(stream).error() == model_error{errc::not_positive, "clock_hz"});
    constexpr auto known = saturation_model{whole_gpu{}}.prepared();
    static_assert(known.predict(stream)->seconds ==
                  saturation_model{whole_gpu{}}.predict(stream)->seconds);
}

TEST_CASE("gradients have the values of predictions, and slopes like difference quotients") {
    using real = gradient<8>;
    std::mt19937 random(4);
    for (int n = 0; n < 300; ++n) {
        const kernel_profile<> k = any_profile(random);
        auto d = edit<real>(whole_gpu{});
        auto g = profile_in<real>(k);
        g.comp_insts.set_slope(0, 1);
        d.clock_hz.set_slope(1, 1);
        d.sustained_clock_hz.set_slope(1, 0.8);
        const auto e = saturation_model{d}.predict(g);
        const auto plain = edit(whole_gpu{});
        REQUIRE(e);
        CHECK(e->seconds.value == Approx(seconds(plain, k)).epsilon(1e-13));
        auto up = k;
        up.comp_insts *= 1 + 1e-6;
        auto down = k;
        down.comp_insts *= 1 - 1e-6;
        const double step = 2e-6 * k.comp_insts;
        CHECK(e->seconds.slope(0) ==
              Approx((seconds(plain, up) - seconds(plain, down)) / step).epsilon(1e-3).scale(1e-9));
        CHECK(e->seconds.slope(1) <= 0);
    }
}

TEST_CASE("what is out of range is named") {
    const auto error = [](auto change) {
        auto k = stream;
        change(k);
        return saturation_model{whole_gpu{}}.predict(k).error();
    };
    using e = model_error;
    CHECK(error([](auto& k) { k.blocks = 0; }) == e{errc::not_positive, "blocks"});
    CHECK(error([](auto& k) { k.comp_insts = -1; }) == e{errc::negative, "comp_insts"});
    CHECK(error([](auto& k) { k.waits.steps = -1; }) == e{errc::negative, "steps"});
    CHECK(error([](auto& k) { k.traffic.in_l2_fraction = 2; }) ==
          e{errc::outside_domain, "in_l2_fraction"});
    CHECK(error([](auto& k) { k.comp_insts = k.coalesced_mem_insts = 0; }) ==
          e{errc::missing, "comp_insts"});
    CHECK(error([](auto& k) { k.accesses.lines = 1e21; }) == e{errc::overflow, "lines"});
    CHECK(error([](auto& k) { k.active_blocks_per_sm = 0; }) ==
          e{errc::missing, "active_blocks_per_sm"});
    constexpr auto at_compile_time = saturation_model{round_gpu{}}.predict(kernel_profile<>{});
    static_assert(at_compile_time.error().field == "blocks");

    auto d = edit(whole_gpu{});
    d.l2_bytes_per_cycle = 0;
    CHECK(saturation_model{d}.predict(stream).error() ==
          e{errc::not_positive, "l2_bytes_per_cycle"});
    d = edit(whole_gpu{});
    d.dram_mixed_fraction = 1.5;
    CHECK(saturation_model{d}.predict(stream).error() ==
          e{errc::outside_domain, "dram_mixed_fraction"});
    const saturation_model odd{whole_gpu{}, {.constants = {.queueing_in_sm = 1.5}}};
    CHECK(odd.predict(stream).error() == e{errc::overflow, "queueing_in_sm"});
    const saturation_model negative{whole_gpu{}, {.constants = {.turnaround_cycles = -1}}};
    CHECK(negative.predict(stream).error() == e{errc::negative, "turnaround_cycles"});
}

TEST_CASE("each constant has its range, the ends with it") {
    struct row {
        double saturation_constants::*constant;
        std::string_view field;
        double most;  // 0: none
        bool may_be_zero;
    };
    using c = saturation_constants;
    const row rows[]{{&c::queueing_in_sm, "queueing_in_sm", 1, true},
                     {&c::queueing_at_floor, "queueing_at_floor", 1, true},
                     {&c::turnaround_cycles, "turnaround_cycles", 1e20, true},
                     {&c::store_cycles, "store_cycles", 1e20, true},
                     {&c::sector_cycles, "sector_cycles", 1e20, true},
                     {&c::extra_sectors_per_partial, "extra_sectors_per_partial", 1e20, true},
                     {&c::broadcast_cycles, "broadcast_cycles", 1e20, true},
                     {&c::block_launch_cycles, "block_launch_cycles", 1e20, true},
                     {&c::sustained_power_fraction, "sustained_power_fraction", 1, false}};
    for (const row& r : rows) {
        CAPTURE(r.field);
        const auto error = [&](double value) {
            saturation_model m{whole_gpu{}};
            m.options.constants.*r.constant = value;
            const auto predicted = m.predict(stream);
            return predicted ? model_error{} : predicted.error();
        };
        CHECK_FALSE(error(r.most));
        CHECK(error(r.most * 1.000001).field == r.field);
        CHECK(error(-1e-9).field == r.field);
        CHECK(error(0).field == (r.may_be_zero ? "" : r.field));
        CHECK(error(std::numeric_limits<double>::quiet_NaN()).field == r.field);
    }
    // Fractions of a cycle are as good as whole ones: what is named is out of range.
    const saturation_options fractions{.constants = {.queueing_in_sm = 0.25,
                                                     .queueing_at_floor = 0.25,
                                                     .turnaround_cycles = 0.25,
                                                     .store_cycles = 0.25,
                                                     .sector_cycles = 0.25,
                                                     .extra_sectors_per_partial = 0.25,
                                                     .broadcast_cycles = 0.25,
                                                     .block_launch_cycles = 0.25,
                                                     .l2_filling = {0.25, 0.25},
                                                     .sustained_power_fraction = 2}};
    CHECK(saturation_model{whole_gpu{}, fractions}.predict(stream).error().field ==
          "sustained_power_fraction");
    const auto filling = [](double knee, double width) {
        saturation_model m{whole_gpu{}};
        m.options.constants.l2_filling = {knee, width};
        const auto predicted = m.predict(stream);
        return predicted ? std::string_view() : predicted.error().field;
    };
    CHECK(filling(0, 1).empty());
    CHECK(filling(-1, 1) == "knee");
    CHECK(filling(1, 0) == "width");
    CHECK(filling(1, 1e21) == "width");
    CHECK(filling(1e20, 1e20).empty());
    CHECK(filling(1.1e20, 1) == "knee");
    CHECK(filling(1, 1e-10).empty());
    CHECK(filling(1, 0.9e-10) == "width");
}

TEST_CASE("one kind of instruction is enough, and fractions end at 1") {
    const auto predicts = [](double comp, double coalesced, double uncoalesced) {
        kernel_profile<> k = stream;
        k.comp_insts = comp;
        k.coalesced_mem_insts = coalesced;
        k.uncoalesced_mem_insts = uncoalesced;
        k.transactions_per_uncoalesced = 1;
        return static_cast<bool>(saturation_model{whole_gpu{}}.predict(k));
    };
    CHECK(predicts(1, 0, 0));
    CHECK(predicts(0, 1, 0));
    CHECK(predicts(0, 0, 1));
    CHECK(predicts(1, 2, 0));
    CHECK(predicts(1, 0, 2));
    CHECK_FALSE(predicts(0, 0, 0));
    // They are not what is wrong where something else is.
    for (const double coalesced : {0.0, 3.0}) {
        kernel_profile<> k = stream;
        k.comp_insts = 2;
        k.coalesced_mem_insts = coalesced;
        k.uncoalesced_mem_insts = 3 - coalesced;
        k.transactions_per_uncoalesced = 1;
        saturation_model m{whole_gpu{}};
        m.options.constants.queueing_at_floor = 1.5;
        CHECK(m.predict(k).error() == model_error{errc::overflow, "queueing_at_floor"});
    }
    auto d = edit(whole_gpu{});
    d.dram_mixed_fraction = d.dram_read_fraction = d.dram_write_fraction = 1;
    CHECK(saturation_model{d}.predict(stream));
    kernel_profile<> k = stream;
    k.traffic.in_l2_fraction = k.waits.reused_fraction = 1;
    CHECK(saturation_model{whole_gpu{}}.predict(k));
}

TEST_CASE(
    "of a partly known device, one way to issue is enough, and the profile may say what fits") {
    using some =
        partial_device<double, parameters::chip, parameters::warp, parameters::dram_latency,
                       parameters::schedulers, parameters::issue>;
    const some all{gpu_of_two_ways_to_issue{}};
    const auto predict = [](some d, device_group without, double resident) {
        d.known.remove(without);
        kernel_profile<> k = stream;
        k.active_blocks_per_sm = resident;
        return saturation_model{d}.predict(k);
    };
    CHECK(predict(all, device_group::issue, 8));
    CHECK(predict(all, device_group::schedulers, 8));
    some neither = all;
    neither.known.remove(device_group::issue);
    CHECK(predict(neither, device_group::schedulers, 8).error() ==
          model_error{errc::missing, "warp_schedulers"});
    CHECK(predict(all, device_group::issue, 0).error() ==
          model_error{errc::missing, "active_blocks_per_sm"});
}

TEST_CASE("another device keeps the options; numbers of other types") {
    const saturation_model model{whole_gpu{}, plain_maxima};
    CHECK(model.on(round_gpu{}).options.constants.turnaround_cycles == 0);
    CHECK(model.on(round_gpu{}).predict(stream)->sm_cycles == 103 * 412);
    const auto narrow = saturation_model{whole_gpu{}}.predict(profile_in<float>(stream));
    REQUIRE(narrow);
    CHECK(narrow->seconds == Approx(seconds(whole_gpu{}, stream)).epsilon(1e-5));
    static_assert(placeable_model<saturation_model<whole_gpu>>);
    static_assert(placeable_model_in<saturation_model<whole_gpu>, gradient<8>>);
}

}  // namespace saturation_test
