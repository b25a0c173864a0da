// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>
#include <limits>
#include <random>
#include <string_view>

#include <warpgauge/core/gradient.hpp>
#include <warpgauge/devices/all.hpp>
#include <warpgauge/kernel/parameters.hpp>
#include <warpgauge/models/mwp_cwp.hpp>
#include <warpgauge/models/roofline.hpp>

#include "approx.hpp"
#include "core/pack.hpp"

namespace roofline_test {

using namespace warpgauge;

namespace {

// 8 instructions of 64 threads in 10 blocks; 2 of them move 128 B each in 20 warps.
constexpr kernel_profile<> hand{
    .blocks = 10, .threads_per_block = 64, .comp_insts = 6, .coalesced_mem_insts = 2};

}  // namespace

TEST_CASE("the roofs of a GTX 280, by hand") {
    // 30 SMs at 1.3 GHz, 32 threads in 4 cycles; 141.7 GB/s.
    constexpr auto roofs = roofline_of(devices::geforce_gtx_280{});
    static_assert(roofs && roofs->instructions_per_s == 312e9);
    static_assert(roofs->dram_bytes_per_s == 141.7e9);
    static_assert(roofs->ridge() == 312 / 141.7);
    CHECK(roofs->at(1) == 141.7e9);
    CHECK(roofs->at(roofs->ridge()) == Approx(312e9).epsilon(1e-15));
    CHECK(roofs->at(100) == 312e9);
}

TEST_CASE("the issue of a V100 is that of its schedulers") {
    const auto roofs = roofline_of(devices::tesla_v100{});
    REQUIRE(roofs);
    CHECK(roofs->instructions_per_s == Approx(80 * 1.53e9 * 4 * 32).epsilon(1e-15));
}

TEST_CASE("a point, by hand") {
    constexpr auto p = roofline_point_of(hand, 1e-6, devices::geforce_gtx_280{});
    static_assert(p && p->instructions == 8 * 640 && p->bytes == 2 * 128 * 20);
    CHECK(p->instructions_per_byte == 1);
    CHECK(p->instructions_per_s == Approx(5120e6).epsilon(1e-15));
    CHECK(p->fraction_of_roof == Approx(5.12 / 141.7).epsilon(1e-15));

    // A warp of which one thread is there moves as much as a full one.
    kernel_profile<> k = hand;
    k.threads_per_block = 33;
    const auto partial = roofline_point_of(k, 1e-6, devices::geforce_gtx_280{});
    REQUIRE(partial);
    CHECK(partial->instructions == 8 * 330);
    CHECK(partial->bytes == p->bytes);

    // Where the size of a transaction is known, an uncoalesced instruction moves all of its: 8 x 32 B.
    k = hand;
    k.uncoalesced_mem_insts = 1;
    k.coalesced_mem_insts = 1;
    k.transactions_per_uncoalesced = 8;
    const auto scattered = roofline_point_of(k, 1e-6, devices::geforce_rtx_2070_super{});
    REQUIRE(scattered);
    CHECK(scattered->bytes == (128 + 256) * 20);
}

TEST_CASE(
    "bytes are those of MWP/CWP; what it holds to be bound by bandwidth stays below that roof") {
    std::mt19937 random(1);
    const auto among = [&](double most) {
        return 1 + std::floor(most * static_cast<double>(random() % 1000) / 1000);
    };
    int bound = 0;
    for (int i = 0; i < 20000; ++i) {
        const kernel_profile<> k{.blocks = among(5000),
                                 .threads_per_block = among(1024),
                                 .comp_insts = among(i % 2 == 0 ? 20 : 500),
                                 .coalesced_mem_insts = among(20),
                                 .uncoalesced_mem_insts = among(4) - 1,
                                 .transactions_per_uncoalesced = among(32),
                                 .bytes_per_access = std::exp2(among(4) - 1)};
        const devices::geforce_rtx_2070_super gpu;
        const auto e = mwp_cwp_model{gpu}.predict(k);
        REQUIRE(e);
        const auto p = roofline_point_of(k, e->seconds, gpu);
        REQUIRE(p);
        const double warps = std::ceil(k.threads_per_block / 32) * k.blocks;
        const double mem_insts = k.coalesced_mem_insts + k.uncoalesced_mem_insts;
        CHECK(p->bytes == Approx(e->load_bytes_per_warp * mem_insts * warps).epsilon(1e-14));
        if (e->which != mwp_cwp_case::memory_bound || e->mwp != e->mwp_peak_bw) continue;
        ++bound;
        CHECK(p->bytes / e->seconds <= gpu.dram_bytes_per_s * (1 + 1e-12));  // (6), (23)
    }
    CHECK(bound > 1000);
}

TEST_CASE("points in other types of number") {
    gradient<1> seconds(2e-6);
    seconds.set_slope(0, 1);
    kernel_profile<gradient<1>> k;
    k.blocks = 10.0;
    k.threads_per_block = 64.0;
    k.comp_insts = 6.0;
    k.coalesced_mem_insts = 2.0;
    const auto p = roofline_point_of(k, seconds, devices::geforce_gtx_280{});
    REQUIRE(p);
    // The derivative of instructions / t is -instructions / t^2.
    CHECK(p->instructions_per_s.slope(0) == Approx(-5120 / 4e-12).epsilon(1e-14));

    kernel_profile<pack> lanes;
    lanes.blocks = 10;
    lanes.threads_per_block = 64;
    lanes.comp_insts = pack([](int n) { return 6.0 * n; });
    lanes.coalesced_mem_insts = 2;
    const auto batch = roofline_point_of(lanes, pack(1e-6), devices::geforce_gtx_280{});
    REQUIRE(batch);
    CHECK(batch->instructions_per_byte[0] == 0.25);
    CHECK(batch->instructions_per_byte[1] == 1);
}

TEST_CASE("a narrow number is not enough for everything") {
    auto gpu = edit(devices::geforce_gtx_280{});
    gpu.sm_count = 1e19;
    gpu.clock_hz = 1e20;
    CHECK(roofline_of<double>(gpu));
    CHECK(roofline_of<float>(gpu).error() == model_error{errc::overflow, "clock_hz"});
}

TEST_CASE("what has no point") {
    const devices::geforce_rtx_2070_super gpu;
    const double bad = std::numeric_limits<double>::quiet_NaN();
    const auto error_of = [&](auto change) {
        kernel_profile<> k = hand;
        double seconds = 1e-6;
        auto d = edit(gpu);
        change(k, seconds, d);
        const auto p = roofline_point_of(k, seconds, d);
        REQUIRE_FALSE(p);
        return p.error();
    };
    CHECK(error_of([](auto&, auto& seconds, auto&) { seconds = 0; }) ==
          model_error{errc::not_positive, "seconds"});
    CHECK(error_of([&](auto&, auto& seconds, auto&) { seconds = bad; }) ==
          model_error{errc::not_positive, "seconds"});
    CHECK(error_of([](auto& k, auto&, auto&) { k.blocks = -1; }) ==
          model_error{errc::not_positive, "blocks"});
    CHECK(error_of([](auto& k, auto&, auto&) { k.comp_insts = -1; }) ==
          model_error{errc::negative, "comp_insts"});
    CHECK(error_of([](auto& k, auto&, auto&) { k.coalesced_mem_insts = 0; }) ==
          model_error{errc::outside_domain, "coalesced_mem_insts"});
    CHECK(error_of([](auto& k, auto&, auto&) { k.coalesced_mem_insts = 1e-300; }) ==
          model_error{errc::overflow, "coalesced_mem_insts"});
    CHECK(error_of([](auto&, auto&, auto& d) { d.issue_cycles = 0; }) ==
          model_error{errc::not_positive, "issue_cycles"});
    CHECK(error_of([](auto&, auto&, auto& d) { d.dram_bytes_per_s = 1e30; }) ==
          model_error{errc::overflow, "dram_bytes_per_s"});
    CHECK(error_of([&](auto&, auto&, auto& d) { d.dram_transaction_bytes = bad; }) ==
          model_error{errc::not_positive, "dram_transaction_bytes"});
    auto v100 = edit(devices::tesla_v100{});
    v100.warp_schedulers = 0;
    CHECK(roofline_of(v100).error() == model_error{errc::not_positive, "warp_schedulers"});
}

namespace {

// 10 SMs at 1 GHz: L1 and shared memory 1280 GB/s, L2 320 GB/s, DRAM 100 GB/s, 1280 G instructions/s.
struct with_levels {
    static constexpr double sm_count = 10, clock_hz = 1e9, dram_bytes_per_s = 100e9;
    static constexpr double warp_size = 32, warp_schedulers = 4, issues_per_scheduler = 1;
    static constexpr double l1_bytes_per_cycle = 128, l2_bytes_per_cycle = 32;
    static constexpr double shared_bytes_per_cycle = 128;
};

// 1000 warps of 10 instructions, 2 of them loads of 128 B.
constexpr kernel_profile<> levels_by_hand() {
    kernel_profile<> k{
        .blocks = 1000, .threads_per_block = 32, .comp_insts = 8, .coalesced_mem_insts = 2};
    return k;
}

}  // namespace

TEST_CASE("roofs of the levels: where the profile gives no traffic, they bound nothing") {
    constexpr auto roofs = roofline_of(with_levels{});
    static_assert(roofs && roofs->l1_bytes_per_s == 1280e9 && roofs->l2_bytes_per_s == 320e9);
    static_assert(roofs->shared_bytes_per_s == 1280e9);
    constexpr auto e = roofline_model{with_levels{}}.predict(levels_by_hand());
    static_assert(e && e->which == roof::dram && e->bytes == 256000);
    static_assert(e->seconds == 256000 / 100e9);
    static_assert(e->l1_seconds == 0 && e->l2_seconds == 0 && e->shared_seconds == 0);
    CHECK(e->assumed.contains(assumption::bytes_from_dram));
    constexpr auto p = roofline_point_of(levels_by_hand(), 1e-5, with_levels{});
    static_assert(p);
    CHECK(p->fraction_of_roof == Approx(0.256).epsilon(1e-14));
    CHECK(p->l1_bytes == 0);
    // Nor where the device has no figures.
    kernel_profile<> k = levels_by_hand();
    k.accesses.lines = 1e6;
    k.traffic.l2_bytes_per_warp = 1e6;
    k.shared_passes = 1e6;
    const auto old = roofline_model{devices::geforce_gtx_280{}}.predict(k);
    CHECK(old->seconds ==
          roofline_model{devices::geforce_gtx_280{}}.predict(levels_by_hand())->seconds);
    CHECK(roofline_of(devices::geforce_gtx_280{})->l1_bytes_per_s == 0);
    roofline_point<> moved = *p;
    moved.l1_bytes = moved.l2_bytes = moved.shared_bytes = 1e12;
    CHECK(roofline_of(devices::geforce_gtx_280{})->at(moved) == 141.7e9 * 10 * 32 / 256);
    // Two issues a scheduler are twice the instructions.
    auto twice = edit(with_levels{});
    twice.issues_per_scheduler = 2;
    CHECK(roofline_of(twice)->instructions_per_s == 2560e9);
}

TEST_CASE("each level leads where its bytes do, by hand") {
    const roofline_model model{with_levels{}};
    kernel_profile<> k = levels_by_hand();
    k.traffic.dram_read_bytes = 20'000;
    k.traffic.dram_write_bytes = 5'600;
    auto e = model.predict(k);
    REQUIRE(e);
    CHECK(e->dram_seconds == Approx(25'600 / 100e9).epsilon(1e-15));
    CHECK_FALSE(e->assumed.contains(assumption::bytes_from_dram));
    // 1000 warps x 10 instructions on 40 schedulers: 250 cycles; 256 cycles of DRAM.
    CHECK(e->which == roof::dram);

    // Of times that are equal the first in the order of issue, DRAM, arithmetic, L1, L2 and shared memory.
    k.traffic.dram_read_bytes = 25'000 - 5'600;
    CHECK(model.predict(k)->dram_seconds == model.predict(k)->issue_seconds);
    CHECK(model.predict(k)->which == roof::issue);
    k.traffic.l2_bytes_per_warp = 80;
    CHECK(model.predict(k)->l2_seconds == model.predict(k)->issue_seconds);
    CHECK(model.predict(k)->which == roof::issue);

    k.traffic.dram_read_bytes = 20'000;
    k.traffic.l2_bytes_per_warp = 256;  // 256,000 B at 320 GB/s: 800 cycles
    e = model.predict(k);
    CHECK(e->which == roof::l2);
    CHECK(e->l2_seconds == Approx(800e-9).epsilon(1e-14));
    CHECK(e->seconds == e->l2_seconds);
    k.traffic.l2_bytes_per_warp = 0;
    k.accesses.load_sectors = 6;
    k.accesses.full_store_sectors = 1;
    k.accesses.partial_store_sectors = 1;  // sectors instead
    CHECK(model.predict(k)->l2_seconds == Approx(800e-9).epsilon(1e-14));

    k.accesses.lines = 10;  // 1,280,000 B at 1280 GB/s: 1000 cycles
    e = model.predict(k);
    CHECK(e->which == roof::l1);
    CHECK(e->l1_seconds == Approx(1000e-9).epsilon(1e-14));
    k.shared_passes = 20;  // a cycle of an SM each: 2000
    e = model.predict(k);
    CHECK(e->which == roof::shared);
    CHECK(e->seconds == Approx(2000e-9).epsilon(1e-14));
    CHECK(e->cycles == Approx(2000).epsilon(1e-14));
    k.comp_insts = 98;
    CHECK(model.predict(k)->which == roof::issue);

    // A time of twice the least reaches half of its roof, whichever that is.
    for (const double passes : {0.0, 20.0, 200.0}) {
        k.shared_passes = passes;
        const double least = model.predict(k)->seconds;
        CHECK(roofline_point_of(k, 2 * least, with_levels{})->fraction_of_roof ==
              Approx(0.5).epsilon(1e-14));
    }
}

TEST_CASE("the peak of arithmetic is a roof, by hand") {
    // An A100: 108 SMs at 1.41 GHz with 64 lanes of single and 32 of double precision, 1024 tensor multiply-adds a cycle. NVIDIA
    // A100 white paper 2020, tbl. 1: 19.5, 9.7 and 312 TFLOPS.
    const roofline_model model{devices::a100_sxm4_40gb{}};
    kernel_profile<> k{.blocks = 1080, .threads_per_block = 1024, .comp_insts = 1000};
    k.ops.fp32_ops = 32 * 1000;
    const double flops = 2.0 * 1080 * 1024 * 1000;
    CHECK(flops / model.predict(k)->seconds == Approx(19.5e12).epsilon(1e-3));
    CHECK(model.predict(k)->which == roof::arithmetic);
    k.ops.fp64_ops = 32 * 1000;
    CHECK(flops / model.predict(k)->arithmetic_seconds == Approx(9.75e12).epsilon(1e-3));
    k.ops = {.tensor_fmas = 1000 * 1000};
    CHECK(2.0 * 1080 * 32 * 1e6 / model.predict(k)->seconds == Approx(312e12).epsilon(1e-3));
    // What a profile does not say limits nothing, nor does what the device does not have.
    k.ops = {};
    CHECK(model.predict(k)->arithmetic_seconds == 0);
    CHECK(model.predict(k)->which == roof::issue);
    k.ops.fp32_ops = 32 * 1000;
    const auto old = roofline_model{with_levels{}}.predict(k);
    CHECK(old->arithmetic_seconds == 0);
    k.uncoalesced_mem_insts = 1;
    const double least = model.predict(k)->seconds;
    CHECK(roofline_point_of(k, 2 * least, model.device)->fraction_of_roof ==
          Approx(0.5).epsilon(1e-14));
    k.ops.fp32_ops = -1;
    CHECK(model.predict(k).error() == model_error{errc::negative, "fp32_ops"});
}

TEST_CASE("bytes of DRAM: given, of the footprint, or of all instructions") {
    const roofline_model model{with_levels{}};
    kernel_profile<> k = levels_by_hand();
    k.traffic.footprint_bytes = 1000;
    CHECK(model.predict(k)->bytes == 1000);
    CHECK_FALSE(model.predict(k)->assumed.contains(assumption::bytes_from_dram));
    k.traffic.in_l2_fraction = 0.75;
    CHECK(model.predict(k)->bytes == 250);
    k.traffic.in_l2_fraction = 1;
    CHECK(model.predict(k)->bytes == 0);
    CHECK(model.predict(k)->which == roof::issue);
    CHECK(roofline_point_of(k, 1e-6, with_levels{}).error() ==
          model_error{errc::outside_domain, "in_l2_fraction"});
    k.traffic.in_l2_fraction = 1.1;
    CHECK(model.predict(k).error() == model_error{errc::outside_domain, "in_l2_fraction"});
    k.traffic.in_l2_fraction = 0;
    k.accesses.lines = -1;
    CHECK(model.predict(k).error() == model_error{errc::negative, "lines"});
    auto bad = edit(with_levels{});
    bad.l2_bytes_per_cycle = 0;
    CHECK(roofline_of(bad).error() == model_error{errc::not_positive, "l2_bytes_per_cycle"});
}

TEST_CASE("no roof makes a launch faster, and each lane has its own") {
    kernel_profile<pack> k = profile_in<pack>(levels_by_hand());
    k.shared_passes = pack([](int n) { return n == 1 ? 20.0 : 0.0; });
    k.traffic.l2_bytes_per_warp = pack([](int n) { return n == 2 ? 2560.0 : 0.0; });
    k.accesses.lines = pack([](int n) { return n == 3 ? 100.0 : 0.0; });
    const auto e = roofline_model{with_levels{}}.predict(k);
    REQUIRE(e);
    for (std::size_t n = 0; n < 4; ++n) {
        constexpr roof expected[]{roof::dram, roof::dram, roof::l2, roof::l1};
        CHECK(e->which[n] == static_cast<double>(expected[n]));
        CHECK(e->seconds[n] >= 256000 / 100e9);
    }
    constexpr std::string_view words[] = {"memory bandwidth", "issue",         "L1 bandwidth",
                                          "L2 bandwidth",     "shared memory", "arithmetic",
                                          "unknown"};
    for (unsigned i = 0; i < 7; ++i) CHECK(name(static_cast<roof>(i)) == words[i]);
}

TEST_CASE("a roofline takes for granted that no cache saves a byte, of a kernel that moves some") {
    kernel_profile<> k{.blocks = 100, .threads_per_block = 256, .comp_insts = 10};
    const roofline_model m{devices::geforce_gtx_280{}};
    const kernel_profile<> nothing{.blocks = 100, .threads_per_block = 256};
    CHECK(m.predict(nothing).error() == model_error{errc::missing, "comp_insts"});
    CHECK_FALSE(m.predict(k)->assumed.contains(assumption::bytes_from_dram));
    CHECK(m.predict(k)->bytes == 0);
    CHECK(m.predict(k)->dram_seconds == 0);
    CHECK(roofline_model{devices::geforce_rtx_2070_super{}}.predict(k)->bytes == 0);
    k.coalesced_mem_insts = 1;
    CHECK(m.predict(k)->assumed.contains(assumption::bytes_from_dram));
}

}  // namespace roofline_test
