// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers in brackets are those that Hong & Kim 2009 prints.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>

#include <warpgauge/warpgauge.hpp>

#include "core/pack.hpp"

namespace mwp_cwp_test {

using namespace warpgauge;
using doctest::Approx;

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double infinite = std::numeric_limits<double>::infinity();

struct example_gpu : devices::quadro_fx5600 {  // sec. 3.6: "80GB/s", "1GHz", "16 SM"
    static constexpr double clock_hz = 1e9, dram_bytes_per_s = 80e9;
};

constexpr kernel_profile<> tiled{.blocks = 80,
                                 .threads_per_block = 128,
                                 .active_blocks_per_sm = 5,
                                 .comp_insts = 27,
                                 .uncoalesced_mem_insts = 6,
                                 .sync_insts = 6};

constexpr auto predict(const kernel_profile<>& k) {
    return mwp_cwp_model<example_gpu>{}.predict(k);
}
constexpr auto predict_printed(const kernel_profile<>& k) {
    return mwp_cwp_model<example_gpu>{.options = {.form = equation_form::as_published}}.predict(k);
}

}  // namespace

TEST_CASE("table 2, row by row, unrounded") {
    for (const equation_form equations : {equation_form::corrected, equation_form::as_published}) {
        const auto e = mwp_cwp_model<example_gpu>{.options = {.form = equations}}.predict(tiled);
        REQUIRE(e);
        CHECK(e->active_sms == 16);                // [16]
        CHECK(e->active_blocks_per_sm == 5);       // [5]
        CHECK(e->active_warps_per_sm == 20);       // [20]
        CHECK(e->load_bytes_per_warp == 128);      // [128B]
        CHECK(e->departure_delay_cycles == 320);   // [320]
        CHECK(e->mem_latency_cycles == 730);       // [730]
        CHECK(e->mwp_without_bw_full == 2.28125);  // [2.28]
        CHECK(e->mwp_without_bw == 2.28125);
        CHECK(e->bytes_per_s_per_warp == Approx(128e9 / 730).epsilon(1e-15));  // [0.175GB/s]
        CHECK(e->mwp_peak_bw == Approx(28.515625).epsilon(1e-15));             // [28.57]
        CHECK(e->mwp == 2.28125);                                              // [2.28]
        CHECK(e->comp_cycles == 132);                                          // [132]
        CHECK(e->mem_cycles == 4380);                                          // [4380]
        CHECK(e->cwp_full == 4512.0 / 132);                                    // [34.18]
        CHECK(e->cwp == 20);                                                   // [20]
        CHECK(e->rounds == 1);                                                 // [1]
        CHECK(e->which == mwp_cwp_case::memory_bound);
        CHECK(e->cycles_without_barriers == Approx(38428.1875).epsilon(1e-15));  // [38450]
        CHECK(e->barrier_cycles == 12300);                                       // [12288]
        CHECK(e->cycles == Approx(50728.1875).epsilon(1e-15));                   // [50738]
        CHECK(e->seconds == e->cycles / 1e9);
        CHECK(e->cpi == Approx(38428.1875 / (33 * 4 * 5)).epsilon(1e-15));  // (25)
    }
}

// H3: the paper rounds MWP to 2.28 and the bandwidth of a warp to 0.175 GB/s before using them.
TEST_CASE("table 2, as printed, follows from rounding the way the paper does") {
    const auto e = predict(tiled);
    CHECK(std::fabs(e->mwp_without_bw_full - 2.28) < 0.005);
    CHECK(std::fabs(e->bytes_per_s_per_warp / 1e9 - 0.175) < 0.0005);
    CHECK(std::fabs(e->cwp_full - 34.18) < 0.005);
    CHECK(std::fabs(80 / (0.175 * 16) - 28.57) < 0.005);
    const double cycles = e->mem_cycles * 20 / 2.28 + e->comp_cycles / 6 * (2.28 - 1);
    const double sync = e->departure_delay_cycles * (2.28 - 1) * 6 * 5;
    CHECK(std::fabs(cycles - 38450) < 1);
    CHECK(std::fabs(sync - 12288) < 0.5);
    CHECK(std::fabs(cycles + sync - 50738) < 1);
}

TEST_CASE("mwp and cwp give the part of predict that leads to them") {
    constexpr mwp_cwp_model<example_gpu> m;
    static_assert(m.mwp(tiled)->mwp == 2.28125);
    static_assert(m.cwp(tiled)->cwp == 20 && m.cwp(tiled)->mwp == 2.28125);
    const auto all = m.predict(tiled);
    CHECK(m.mwp(tiled)->mwp_peak_bw == all->mwp_peak_bw);
    CHECK(m.cwp(tiled)->cwp_full == all->cwp_full);
}

TEST_CASE("coalesced and uncoalesced instructions are weighted by their number") {
    kernel_profile<> k = tiled;
    k.uncoalesced_mem_insts = 2;
    k.coalesced_mem_insts = 6;
    const auto e = predict(k);
    CHECK(e->weight_uncoalesced == 0.25);                       // (13)
    CHECK(e->weight_coalesced == 0.75);                         // (14)
    CHECK(e->mem_latency_cycles == 0.25 * 730 + 0.75 * 420);    // (12)
    CHECK(e->departure_delay_cycles == 0.25 * 320 + 0.75 * 4);  // (15)
    CHECK(e->mem_cycles == 730 * 2 + 420 * 6);                  // (18)
    CHECK(e->comp_cycles == 4 * (27 + 8));                      // (19)
}

TEST_CASE("each case, and what selects it") {
    kernel_profile<> k{.blocks = 16,
                       .threads_per_block = 32,
                       .active_blocks_per_sm = 1,
                       .comp_insts = 100,
                       .coalesced_mem_insts = 10};
    auto e = predict(k);  // one warp: all in series
    CHECK(e->which == mwp_cwp_case::too_few_warps);
    CHECK(e->cycles_without_barriers == 420 * 10 + 4 * 110);  // (22) with MWP = 1

    k.threads_per_block = 64;  // two warps; CWP is still two
    e = predict(k);
    CHECK(e->which == mwp_cwp_case::too_few_warps);
    CHECK(e->cycles_without_barriers == 4200 + 440 + 440.0 / 10);  // (22)

    k.threads_per_block = 512;  // 16 warps; CWP = 4640 / 440 = 10.5 < MWP
    e = predict(k);
    CHECK(e->cwp == Approx(4640.0 / 440));
    CHECK(e->mwp > e->cwp);
    CHECK(e->which == mwp_cwp_case::compute_bound);
    CHECK(e->cycles_without_barriers == Approx(420 + 440 * 16));  // (24)
    CHECK_FALSE(e->assumed.contains(assumption::issue_floor));    // the paper's choice is (24) too

    k.comp_insts = 10;  // CWP = 4280 / 80 = 53, capped at 16; MWP = 420 / 4 is too
    e = predict(k);
    CHECK(e->which == mwp_cwp_case::too_few_warps);

    k.coalesced_mem_insts = 0;
    k.uncoalesced_mem_insts = 10;  // MWP = 730 / 320
    e = predict(k);
    CHECK(e->which == mwp_cwp_case::memory_bound);
    CHECK(e->cycles_without_barriers == Approx(7300 * 16 / 2.28125 + 80.0 / 10 * 1.28125));  // (23)
}

TEST_CASE(
    "as published, CWP equal to MWP, below N, is the memory-bound case: (23) says CWP >= MWP") {
    // MWP = 730 / 320; CWP = 1 + mem / comp is equal to it for mem / comp = 1.28125.
    kernel_profile<> k{.blocks = 16,
                       .threads_per_block = 512,
                       .active_blocks_per_sm = 1,
                       .uncoalesced_mem_insts = 10};
    k.comp_insts = 7300 / 1.28125 / 4 - 10;
    auto e = predict_printed(k);
    REQUIRE(e->cwp == Approx(e->mwp).epsilon(1e-15));
    k.comp_insts *= 1 - 1e-9;
    const auto before = predict_printed(k);
    CHECK(before->which == mwp_cwp_case::memory_bound);
    k.comp_insts *= 1 + 1e-8;
    const auto after = predict_printed(k);
    CHECK(after->which == mwp_cwp_case::compute_bound);
    // The step between the two: (24) is 420 + 310 + 16 Comp, (23) is 16 Comp 1.28125 / 2.28125 + 730.
    CHECK(after->cycles / before->cycles ==
          Approx((730 + 16 * e->comp_cycles) / (16 * e->comp_cycles * 1.28125 / 2.28125 + 730)));
    CHECK(predict(k)->cycles == Approx(730 + 16 * e->comp_cycles));  // H9: no step
    k.comp_insts *= 1 - 1e-8;
    CHECK(predict(k)->cycles == Approx(730 + 16 * e->comp_cycles));
}

TEST_CASE("H9: the largest of (22)-(24), so that no kernel is faster than its instructions issue") {
    // Computation as long as memory and MWP near 2: (23) takes half of what 27 warps need to issue.
    const kernel_profile<> k{.blocks = 75600,
                             .threads_per_block = 288,
                             .active_blocks_per_sm = 3,
                             .comp_insts = 10715,
                             .coalesced_mem_insts = 12,
                             .uncoalesced_mem_insts = 42,
                             .transactions_per_uncoalesced = 13};
    const auto e = mwp_cwp_model<devices::geforce_gtx_280>{}.predict(k);
    REQUIRE(e);
    REQUIRE((e->mem_cycles > e->comp_cycles && e->cwp > e->mwp));  // the paper's choice is (23)
    const double issue = 27 * 4 * (10715 + 54) * e->rounds;
    const double by_23 =
        (e->mem_cycles * 27 / e->mwp + e->comp_period_cycles * (e->mwp - 1)) * e->rounds;
    CHECK(by_23 / issue == Approx(0.509).epsilon(1e-3));
    // (24) with the longest access: 450 + 12 x 40.
    CHECK(e->cycles_without_barriers == Approx(issue + 930 * e->rounds));
    CHECK(e->which == mwp_cwp_case::compute_bound);
    CHECK(e->cpi >= 4);
    CHECK(e->assumed.contains(assumption::issue_floor));
    CHECK_FALSE(e->assumed.contains(assumption::dram_floor));
    CHECK_FALSE(e->assumed.contains(assumption::block_floor));
}

TEST_CASE("H9: (22) joins (23) and (24), and an access more is never faster") {
    // Too few warps, with Comp for a period: 2 warps, of one access each.
    kernel_profile<> k{.blocks = 16,
                       .threads_per_block = 64,
                       .active_blocks_per_sm = 1,
                       .comp_insts = 99,
                       .coalesced_mem_insts = 1};
    auto d = edit(example_gpu{});
    const double before = mwp_cwp_model{d}.predict(k)->cycles;
    CHECK(before == 420 + 400 + 400);
    const double feeds_two_warps = 2 * 16 * 128 * 1e9 / 420;
    d.dram_bytes_per_s = 0.999 * feeds_two_warps;  // MWP is below N: (23) alone gives 820
    const auto fed = mwp_cwp_model{d}.predict(k);
    CHECK(fed->mwp < 2);
    CHECK(fed->cycles == before);
    const auto printed = mwp_cwp_model{d, {.form = equation_form::as_published}}.predict(k);
    CHECK(printed->cycles == Approx(840 / 1.998 + 400 * 0.998));
    CHECK(printed->assumed.contains(assumption::block_floor));

    // 16 warps: one access of 32 transactions, then one more that is coalesced. The mean latency falls
    // from 730 to 575.
    k = {.blocks = 16,
         .threads_per_block = 512,
         .active_blocks_per_sm = 1,
         .comp_insts = 999,
         .uncoalesced_mem_insts = 1};
    const double one = predict(k)->cycles;
    CHECK(one == 730 + 16 * 4000);
    k.coalesced_mem_insts = 1;
    CHECK(predict(k)->cycles == 730 + 16 * 4004);
    CHECK(predict_printed(k)->which == mwp_cwp_case::memory_bound);
    k.coalesced_mem_insts = 0.5;
    k.uncoalesced_mem_insts = 0.25;  // less than one: as long as they all are
    CHECK(predict(k)->cycles == Approx(420 * 0.5 + 730 * 0.25 + 16 * 4 * 999.75));
}

TEST_CASE("H10: a round is as long as its fullest SM: 41 blocks are not faster than 40 on 40 SMs") {
    using gpu = devices::geforce_rtx_2070_super;
    kernel_profile<> k{.blocks = 40,
                       .threads_per_block = 64,
                       .registers_per_thread = 32,
                       .comp_insts = 20,
                       .coalesced_mem_insts = 20};
    const auto full = mwp_cwp_model<gpu>{}.predict(k);
    REQUIRE(full);
    k.blocks = 41;
    const auto more = mwp_cwp_model<gpu>{}.predict(k);
    CHECK(more->rounds == 41.0 / 80);
    CHECK(more->cycles >= full->cycles);
    CHECK(more->assumed.contains(assumption::block_floor));
    CHECK_FALSE(full->assumed.contains(assumption::block_floor));
    const auto printed =
        mwp_cwp_model<gpu>{.options = {.form = equation_form::as_published}}.predict(k);
    CHECK(printed->assumed.contains(assumption::block_floor));
    CHECK(printed->cycles < 0.5 * full->cycles);
    double before = 0;
    for (k.blocks = 1; k.blocks < 2000; ++k.blocks) {
        const double now = mwp_cwp_model<gpu>{}.predict(k)->cycles;
        CHECK(now >= before);
        before = now;
    }
}

TEST_CASE("H11: a barrier waits for departures, and no longer where the bandwidth is higher") {
    auto d = edit(example_gpu{});
    for (const double bandwidth : {1e9, 5e9, 20e9, 80e9, 1e12}) {
        d.dram_bytes_per_s = bandwidth;
        CHECK(mwp_cwp_model{d}.predict(tiled)->barrier_cycles == 12300);
    }
    kernel_profile<> k = tiled;
    k.coalesced_mem_insts = 6;  // the longest access counts, not the mean
    CHECK(predict(k)->barrier_cycles == 12300);
    k.uncoalesced_mem_insts = 0;
    CHECK(predict(k)->barrier_cycles == 19 * 4 * 30);  // N - 1 departures
}

TEST_CASE("as published, what beats DRAM says so") {  // H8: 12 transactions move more than 128 B
    const kernel_profile<> k{.blocks = 20000,
                             .threads_per_block = 256,
                             .active_blocks_per_sm = 4,
                             .comp_insts = 50,
                             .uncoalesced_mem_insts = 10,
                             .transactions_per_uncoalesced = 12};
    using gpu = devices::geforce_rtx_2070_super;
    const auto e = mwp_cwp_model<gpu>{.options = {.form = equation_form::as_published}}.predict(k);
    REQUIRE(e);
    CHECK(e->seconds < 20000 * 8 * 10 * 12 * 32 / 448e9);
    CHECK(e->assumed.contains(assumption::dram_floor));
    CHECK_FALSE(e->assumed.contains(assumption::issue_floor));
    const auto mended = mwp_cwp_model<gpu>{}.predict(k);
    CHECK(mended->seconds >= 20000 * 8 * 10 * 12 * 32 / 448e9);
    CHECK_FALSE(mended->assumed.contains(assumption::dram_floor));
}

namespace {

// Random launches and devices, without anything of the library.
class dice {
public:
    double between(double low, double high) {
        state_ = state_ * 6364136223846793005u + 1442695040888963407u;
        return low * std::pow(high / low, static_cast<double>(state_ >> 11) * 0x1p-53);
    }
    double whole(double low, double high) { return std::floor(between(low, high + 1)); }
    bool one_in(int n) { return whole(1, n) == 1; }

private:
    std::uint64_t state_ = 1;
};

kernel_profile<> any_launch(dice& d) {
    kernel_profile<> k{.blocks = d.whole(1, 1e5),
                       .threads_per_block = d.whole(1, 1024),
                       .registers_per_thread = d.whole(16, 64),
                       .comp_insts = d.whole(1, 20000),
                       .coalesced_mem_insts = d.whole(1, 500) - 1,
                       .uncoalesced_mem_insts = d.whole(1, 500) - 1,
                       .sync_insts = d.whole(1, 100) - 1,
                       .transactions_per_uncoalesced = d.whole(1, 32),
                       .bytes_per_access = d.whole(1, 16)};
    if (d.one_in(4)) k.coalesced_mem_insts = d.between(0.01, 3);
    if (d.one_in(4)) k.uncoalesced_mem_insts = d.between(0.01, 3);
    if (d.one_in(2)) k.active_blocks_per_sm = d.whole(1, 16);
    return k;
}

}  // namespace

// What DRAM, issue and one warp take is a floor, and nothing that is better for a kernel or a device takes longer; for each
// rule of overlap and rounds. Departure delays are left out where there are barriers: (26) counts Mem_L /
// Departure_delay of them, which a longer delay makes fewer. The worst seen in 10^6 launches is a factor of 2.
TEST_CASE("no launch beats the hardware, and nothing better is slower") {
    dice any;
    for (int n = 0; n < 10'000; ++n) {
        auto d = edit(devices::geforce_rtx_2070_super{});
        if (n % 2 == 0) {
            d.sm_count = any.whole(1, 200);
            d.clock_hz = any.between(5e8, 3e9);
            d.dram_bytes_per_s = any.between(1e10, 8e12);
            d.issue_cycles = any.between(0.2, 8);
            d.dram_latency_cycles = any.between(50, 1500);
            d.coalesced_departure_cycles = any.between(0.5, 40);
            d.uncoalesced_departure_cycles = any.between(0.5, 60);
        }
        const kernel_profile<> k = any_launch(any);
        const mwp_cwp_options options{
            .rounds = any.one_in(2) ? waves::quotient : waves::whole,
            .overlap = any.one_in(2) ? overlap_rule::hidden : overlap_rule::summed};
        const auto e = mwp_cwp_model{d, options}.predict(k);
        if (!e) continue;  // does not fit
        CAPTURE(n);
        const double most = e->seconds * (1 + 1e-12);
        const double warps = std::ceil(k.threads_per_block / 32) * k.blocks;
        const double insts = k.comp_insts + k.coalesced_mem_insts + k.uncoalesced_mem_insts;
        CHECK(warps / std::min(k.blocks, d.sm_count) * insts * d.issue_cycles / d.clock_hz <= most);
        CHECK(warps * 32 *
                  (k.uncoalesced_mem_insts * k.transactions_per_uncoalesced +
                   k.coalesced_mem_insts * k.bytes_per_access) /
                  d.dram_bytes_per_s <=
              most);
        CHECK((e->mem_cycles + e->comp_cycles) / d.clock_hz <= most);

        const double by = any.between(1.001, 20);
        const auto better = [&](const char* what, auto change) {
            auto device = d;
            kernel_profile<> kernel = k;
            change(device, kernel);
            const auto now = mwp_cwp_model{device, options}.predict(kernel);
            if (!now) return;
            CAPTURE(what);
            CHECK(now->seconds <= most);
        };
        better("bandwidth", [&](auto& g, auto&) { g.dram_bytes_per_s *= by; });
        better("clock", [&](auto& g, auto&) { g.clock_hz *= by; });
        better("latency", [&](auto& g, auto&) { g.dram_latency_cycles /= by; });
        better("issue", [&](auto& g, auto&) { g.issue_cycles /= by; });
        better("computation", [&](auto&, auto& p) { p.comp_insts /= by; });
        better("coalesced", [&](auto&, auto& p) { p.coalesced_mem_insts /= by; });
        better("no coalesced", [&](auto&, auto& p) { p.coalesced_mem_insts = 0; });
        better("uncoalesced", [&](auto&, auto& p) { p.uncoalesced_mem_insts /= by; });
        better("no uncoalesced", [&](auto&, auto& p) { p.uncoalesced_mem_insts = 0; });
        better("barriers", [&](auto&, auto& p) { p.sync_insts /= by; });
        better("bytes", [&](auto&, auto& p) { p.bytes_per_access /= by; });
        better("transactions", [&](auto&, auto& p) {
            p.transactions_per_uncoalesced = std::max(1.0, p.transactions_per_uncoalesced / by);
        });
        better("blocks",
               [&](auto&, auto& p) { p.blocks = std::max(1.0, std::floor(p.blocks / by)); });
        better("one block", [&](auto&, auto& p) { p.blocks = std::max(1.0, p.blocks - 1); });
        if (k.sync_insts == 0 || options.overlap == overlap_rule::summed) {
            better("departures", [&](auto& g, auto&) {
                g.coalesced_departure_cycles /= by;
                g.uncoalesced_departure_cycles /= by;
            });
        }
    }
}

TEST_CASE("H1: longer computation than memory takes (24), not (23)") {
    // MWP is low and CWP is near 1.9: computation is longer than memory, and CWP >= MWP.
    kernel_profile<> k{.blocks = 16,
                       .threads_per_block = 512,
                       .active_blocks_per_sm = 1,
                       .comp_insts = 2000,
                       .uncoalesced_mem_insts = 10};
    const auto corrected = predict(k);
    const auto printed = predict_printed(k);
    REQUIRE(corrected->comp_cycles > corrected->mem_cycles);
    CHECK(corrected->which == mwp_cwp_case::compute_bound);
    CHECK(corrected->cycles_without_barriers == Approx(730 + 8040.0 * 16));
    CHECK(printed->which == mwp_cwp_case::memory_bound);
    // Issuing the instructions of 16 warps takes longer than the printed form predicts.
    CHECK(printed->cycles_without_barriers < 16 * printed->comp_cycles);
    CHECK(corrected->cycles_without_barriers >= 16 * corrected->comp_cycles);
}

TEST_CASE("H2: the number of overlapped computation periods is MWP - 1, as in the summary") {
    const auto e = predict_printed(tiled);
    const double by_eq_1 = e->mem_cycles * 20 / e->mwp + e->comp_cycles / 6 * e->mwp;
    CHECK(by_eq_1 - e->cycles_without_barriers == Approx(e->comp_cycles / 6));
}

TEST_CASE("H4: without memory instructions, the issue time of all warps") {
    kernel_profile<> k = tiled;  // such as micro-benchmark Mb1, tbl. 4: 23 computation, 0 memory
    k.comp_insts = 23;
    k.uncoalesced_mem_insts = 0;
    k.sync_insts = 0;
    const auto e = predict(k);
    REQUIRE(e);
    CHECK(e->cycles_without_barriers == 4 * 23 * 20);
    CHECK(e->mem_cycles == 0);
    CHECK(e->comp_period_cycles == 4 * 23);  // one period
    CHECK(e->which == mwp_cwp_case::compute_bound);
    CHECK(e->cpi == 4);
    k.active_blocks_per_sm = 1;
    k.threads_per_block = 32;
    CHECK(predict(k)->cycles_without_barriers == 4 * 23 * 5);  // one warp at a time, five rounds
    CHECK(predict_printed(k).error() == model_error{errc::outside_domain, "coalesced_mem_insts"});
}

TEST_CASE("H4: barriers wait for no memory where there is none") {
    kernel_profile<> k = tiled;
    k.uncoalesced_mem_insts = 0;
    CHECK(predict(k)->barrier_cycles == 0);
}

TEST_CASE("H5: MWP below 1 is kept, and takes no computation away") {
    auto d = edit(example_gpu{});
    d.dram_bytes_per_s = 1e9;
    const auto e = mwp_cwp_model{d}.predict(tiled);
    REQUIRE(e);
    CHECK(e->mwp == Approx(28.515625 / 80));
    CHECK(e->cycles_without_barriers == Approx(4380 * 20 / e->mwp));
    const auto printed = mwp_cwp_model{d, {.form = equation_form::as_published}}.predict(tiled);
    CHECK(printed->cycles_without_barriers == Approx(4380 * 20 / e->mwp + 22 * (e->mwp - 1)));
    CHECK(printed->barrier_cycles < 0);
    // The bandwidth is met exactly: bytes of all warps over the time they take.
    const double bytes = 80 * 4 * 6 * 128;
    CHECK(bytes / (e->cycles_without_barriers / 1e9) == Approx(1e9));
}

TEST_CASE("H6: #Rep is a quotient, or rounded up to whole waves") {
    kernel_profile<> k = tiled;
    k.blocks = 100;
    CHECK(predict(k)->rounds == 1.25);
    const auto whole = mwp_cwp_model<example_gpu>{.options = {.rounds = waves::whole}}.predict(k);
    CHECK(whole->rounds == 2);
    CHECK(whole->cycles_without_barriers == Approx(predict(k)->cycles_without_barriers * 2 / 1.25));
}

TEST_CASE("summed: a round's latency once, and every warp's turn at memory and at issue") {
    const mwp_cwp_model<example_gpu> summed{.options = {.overlap = overlap_rule::summed}};
    // The worked example: Mem 4380, MWP 2.28125 by the departure delay, Comp 132; 20 warps pass an SM in one
    // round: 4380 + 20 (4380 / 2.28125 + 132) = 4380 + 20 (1920 + 132).
    const auto one = summed.predict(tiled);
    REQUIRE(one);
    CHECK(one->cycles_without_barriers == 45420);
    CHECK(one->which == mwp_cwp_case::memory_bound);
    CHECK(one->mwp == 2.28125);  // all else is as it was

    kernel_profile<> k = tiled;  // 2.5 rounds of 80 blocks: 10920 + 50 (1920 + 132)
    k.blocks = 200;
    CHECK(summed.predict(k)->cycles_without_barriers ==
          doctest::Approx(2.5 * 4380 + 50 * 2052).epsilon(1e-14));

    k.blocks =
        10;  // less than one block on each SM is one round, and each of ten SMs has four warps
    k.active_blocks_per_sm = 5;
    const auto few = summed.predict(k);
    CHECK(few->cycles_without_barriers == doctest::Approx(4380 + 4 * 2052.0).epsilon(1e-14));
    CHECK(few->which == mwp_cwp_case::memory_bound);

    k = {.blocks = 32, .threads_per_block = 64, .active_blocks_per_sm = 1, .comp_insts = 10};
    CHECK(summed.predict(k)->cycles_without_barriers ==
          4 * 10 * 4);  // no memory: only issue, as (24) with H4
    CHECK(summed.predict(k)->which == mwp_cwp_case::compute_bound);
    k.coalesced_mem_insts = 1;
    CHECK(summed.predict(k)->which ==
          mwp_cwp_case::too_few_warps);  // 2 x 420 waiting, 4 x 44 issuing
    k = tiled;
    k.comp_insts =
        474;  // Comp 1920, as long as the queue: counts as computation, as it does in (24)
    CHECK(summed.predict(k)->which == mwp_cwp_case::compute_bound);
    k.comp_insts = 473;
    CHECK(summed.predict(k)->which == mwp_cwp_case::memory_bound);
}

TEST_CASE("H7: only SMs that get a block are active, and hold no more than the grid gives") {
    kernel_profile<> k = tiled;
    k.blocks = 8;
    auto e = predict(k);
    CHECK(e->active_sms == 8);
    CHECK(e->resident_blocks_per_sm == 5);
    CHECK(e->active_blocks_per_sm == 1);
    CHECK(e->rounds == 1);
    k.blocks = 17;
    e = predict(k);
    CHECK(e->active_sms == 16);
    CHECK(e->active_blocks_per_sm == 2);
    CHECK(e->rounds == 17.0 / 32);
    CHECK(predict_printed(k)->active_blocks_per_sm == 5);
    CHECK(predict_printed(k)->rounds == 17.0 / 80);
}

TEST_CASE("H8: bytes of an uncoalesced access are transactions times their size, where known") {
    using gpu = devices::geforce_gtx_1080_ti;
    const kernel_profile<> k{.blocks = 1000,
                             .threads_per_block = 256,
                             .comp_insts = 50,
                             .uncoalesced_mem_insts = 10,
                             .transactions_per_uncoalesced = 12};
    CHECK(mwp_cwp_model<gpu>{}.predict(k)->load_bytes_per_warp == 12 * 32);
    CHECK(mwp_cwp_model<gpu>{.options = {.form = equation_form::as_published}}
              .predict(k)
              ->load_bytes_per_warp == 128);
    kernel_profile<> mixed = k;
    mixed.coalesced_mem_insts = 30;
    mixed.bytes_per_access = 8;
    CHECK(mwp_cwp_model<gpu>{}.predict(mixed)->load_bytes_per_warp == 0.25 * 384 + 0.75 * 256);
}

TEST_CASE("threads beyond a multiple of 32 take a warp of their own; the print divides") {
    kernel_profile<> k = tiled;
    k.threads_per_block = 100;
    CHECK(predict(k)->warps_per_block == 4);
    CHECK(predict_printed(k)->warps_per_block == 3.125);
}

TEST_CASE("resident blocks come from occupancy unless the profile gives them") {
    kernel_profile<> k = tiled;
    k.active_blocks_per_sm = 0;
    k.registers_per_thread = 20;  // 4 warps x 20 x 32 = 2560 of 8192
    CHECK(predict(k)->active_blocks_per_sm == 3);
    k.registers_per_thread = 125;
    CHECK(predict(k).error() == model_error{errc::exceeds_device, "registers_per_thread"});
}

TEST_CASE("cycles do not change when clock and bandwidth are rescaled together") {
    auto d = edit(example_gpu{});
    const double cycles = mwp_cwp_model{d}.predict(tiled)->cycles;
    d.clock_hz *= 3;
    d.dram_bytes_per_s *= 3;
    CHECK(mwp_cwp_model{d}.predict(tiled)->cycles == Approx(cycles).epsilon(1e-14));
}

TEST_CASE("float and a pack of lanes follow double") {
    const kernel_profile<float> f{.blocks = 80,
                                  .threads_per_block = 128,
                                  .active_blocks_per_sm = 5,
                                  .comp_insts = 27,
                                  .uncoalesced_mem_insts = 6,
                                  .sync_insts = 6};
    static_assert(
        std::same_as<decltype(mwp_cwp_model<example_gpu>{}.predict(f)->cycles_without_barriers),
                     float>);
    CHECK(static_cast<double>(mwp_cwp_model<example_gpu>{}.predict(f)->cycles) ==
          Approx(50728.1875).epsilon(1e-6));

    // Four lanes, each with a case of its own: too few warps, memory, computation, no memory.
    const double blocks_per_sm[] = {0.25, 5, 5, 5}, comp[] = {27, 27, 60000, 27},
                 mem[] = {6, 6, 6, 0};
    kernel_profile<pack> k;
    k.blocks = 80.0;
    k.threads_per_block = 128.0;
    k.active_blocks_per_sm = pack([&](auto i) { return blocks_per_sm[i]; });
    k.comp_insts = pack([&](auto i) { return comp[i]; });
    k.uncoalesced_mem_insts = pack([&](auto i) { return mem[i]; });
    k.sync_insts = 6.0;
    const auto all = mwp_cwp_model<example_gpu>{}.predict(k);
    REQUIRE(all);
    for (std::size_t i = 0; i < 4; ++i) {
        kernel_profile<> lane = tiled;
        lane.active_blocks_per_sm = blocks_per_sm[i];
        lane.comp_insts = comp[i];
        lane.uncoalesced_mem_insts = mem[i];
        const auto one = predict(lane);
        CHECK(all->cycles[i] == one->cycles);
        CHECK(all->which[i] == static_cast<double>(one->which));
    }
}

TEST_CASE("bad input is named") {
    const auto error = [](auto change) {
        kernel_profile<> k = tiled;
        change(k);
        const auto e = predict(k);
        REQUIRE_FALSE(e);
        return e.error();
    };
    struct member {
        const char* name;
        double kernel_profile<>::*field;
        bool may_be_zero;
    };
    using k = kernel_profile<>;
    for (const member m :
         {member{"blocks", &k::blocks, false},
          {"threads_per_block", &k::threads_per_block, false},
          {"active_blocks_per_sm", &k::active_blocks_per_sm, true},
          {"comp_insts", &k::comp_insts, true},
          {"coalesced_mem_insts", &k::coalesced_mem_insts, true},
          {"uncoalesced_mem_insts", &k::uncoalesced_mem_insts, true},
          {"sync_insts", &k::sync_insts, true},
          {"transactions_per_uncoalesced", &k::transactions_per_uncoalesced, false},
          {"bytes_per_access", &k::bytes_per_access, false}}) {
        CAPTURE(m.name);
        for (const double value : {not_a_number, infinite, -infinite, -1.0}) {
            const model_error e = error([&](k& p) { p.*m.field = value; });
            CHECK(e.field == m.name);
            CHECK(e.code == (m.may_be_zero ? errc::negative : errc::not_positive));
        }
        if (!m.may_be_zero) {
            CHECK(error([&](k& p) { p.*m.field = 0; }) == model_error{errc::not_positive, m.name});
            CHECK(error([&](k& p) { p.*m.field = 1e-11; }) == model_error{errc::overflow, m.name});
        }
        CHECK(error([&](k& p) { p.*m.field = 1e21; }) == model_error{errc::overflow, m.name});
    }
    CHECK(error([](k& p) { p.comp_insts = p.uncoalesced_mem_insts = 0; }) ==
          model_error{errc::missing, "comp_insts"});
    CHECK(error([](k& p) { p.blocks = 1e300; }) == model_error{errc::overflow, "blocks"});
    CHECK(error([](k& p) { p.blocks = 1e-300; }) == model_error{errc::overflow, "blocks"});
    CHECK(error([](k& p) { p.uncoalesced_mem_insts = 1e-300; }) ==
          model_error{errc::overflow, "cycles"});
    CHECK(error([](k& p) { p.comp_insts = p.coalesced_mem_insts = 1e308; }) ==
          model_error{errc::overflow, "comp_insts"});
}

TEST_CASE("bad figures of a device are named") {
    const auto good = edit(devices::geforce_gtx_1080_ti{});
    const auto error = [&](auto change) {
        auto d = good;
        change(d);
        const auto e = mwp_cwp_model{d}.predict(tiled);
        REQUIRE_FALSE(e);
        return e.error();
    };
    const auto not_positive = [](const char* f) { return model_error{errc::not_positive, f}; };
    CHECK(error([](auto& d) { d.sm_count = 0; }) == not_positive("sm_count"));
    CHECK(error([](auto& d) { d.clock_hz = -1; }) == not_positive("clock_hz"));
    CHECK(error([](auto& d) { d.dram_bytes_per_s = not_a_number; }) ==
          not_positive("dram_bytes_per_s"));
    CHECK(error([](auto& d) { d.warp_size = 0; }) == not_positive("warp_size"));
    CHECK(error([](auto& d) { d.issue_cycles = 0; }) == not_positive("issue_cycles"));
    CHECK(error([](auto& d) { d.dram_latency_cycles = infinite; }) ==
          not_positive("dram_latency_cycles"));
    CHECK(error([](auto& d) { d.coalesced_departure_cycles = 0; }) ==
          not_positive("coalesced_departure_cycles"));
    CHECK(error([](auto& d) { d.uncoalesced_departure_cycles = 0; }) ==
          not_positive("uncoalesced_departure_cycles"));
    CHECK(error([](auto& d) { d.dram_transaction_bytes = 0; }) ==
          not_positive("dram_transaction_bytes"));
    for (const std::string_view name :
         {"sm_count", "clock_hz", "dram_bytes_per_s", "warp_size", "issue_cycles",
          "dram_latency_cycles", "coalesced_departure_cycles", "uncoalesced_departure_cycles",
          "dram_transaction_bytes"}) {
        CAPTURE(name);
        for (const double value : {1e21, 1e-11}) {
            CHECK(error([&](auto& d) { *find_parameter(d, name) = value; }) ==
                  model_error{errc::overflow, name});
        }
    }
}

TEST_CASE("bad input is an answer in constant expressions too") {
    constexpr auto fails = [](auto change) {
        kernel_profile<> k = tiled;
        change(k);
        return !predict(k).has_value();
    };
    static_assert(fails([](auto& k) { k.blocks = not_a_number; }));
    static_assert(fails([](auto& k) {
        k.blocks = -infinite;
        k.comp_insts = infinite;
    }));
    static_assert(fails([](auto& k) { k.comp_insts = k.coalesced_mem_insts = 1e308; }));
    static_assert(fails([](auto& k) { k.transactions_per_uncoalesced = 1e308; }));
    static_assert(!fails([](auto& k) { k.blocks = 1e19; }));
    struct long_departures : example_gpu {
        double uncoalesced_departure_cycles = 1000;
    };
    constexpr auto latency = [](double transactions) {  // 420 + (transactions - 1) 1000
        kernel_profile<> k = tiled;
        k.transactions_per_uncoalesced = transactions;
        return mwp_cwp_model<long_departures>{}.predict(k).has_value();
    };
    static_assert(latency(0.9) && !latency(0.5));
    static_assert(!fails([](auto& k) {  // memory instructions alone, as many of each kind
        k.comp_insts = 0;
        k.coalesced_mem_insts = k.uncoalesced_mem_insts;
    }));
}

TEST_CASE("at the ends of what is taken, every figure is finite") {
    for (const double blocks : {1e-10, 1.0, 1e20}) {
        for (const double insts : {1e-10, 1.0, 1e20}) {
            for (const double clock : {1e-10, 1e20}) {
                kernel_profile<> k = tiled;
                k.blocks = blocks;
                k.uncoalesced_mem_insts = insts;
                auto d = edit(example_gpu{});
                d.clock_hz = clock;
                const auto e = mwp_cwp_model{d}.predict(k);
                if (!e) continue;
                for (const double x : {e->mwp, e->mwp_peak_bw, e->bytes_per_s_per_warp, e->cwp_full,
                                       e->comp_period_cycles, e->cpi, e->seconds}) {
                    CHECK(core::positive(x));
                }
            }
        }
    }
}

TEST_CASE("fewer than one transaction must leave a latency") {
    auto d = edit(devices::geforce_gtx_280{});
    d.uncoalesced_departure_cycles = 1000;
    kernel_profile<> k = tiled;
    k.transactions_per_uncoalesced = 0.5;
    const model_error expected{errc::outside_domain, "transactions_per_uncoalesced"};
    CHECK(mwp_cwp_model{d}.mwp(k).error() == expected);
    CHECK(mwp_cwp_model{d}.predict(k).error() == expected);
}

TEST_CASE("a device that lacks a group of parameters is none of this model") {
    struct chip {
        double sm_count = 16, clock_hz = 1e9, dram_bytes_per_s = 80e9;
    };
    struct with_warps : chip {
        double warp_size = 32;
    };
    struct with_issue : with_warps {
        double issue_cycles = 4;
    };
    struct with_latency : with_issue {
        double dram_latency_cycles = 420;
    };
    struct whole : with_latency {
        double coalesced_departure_cycles = 4, uncoalesced_departure_cycles = 10;
    };
    static_assert(!mwp_cwp_device<chip> && !mwp_cwp_device<with_warps>);
    static_assert(!mwp_cwp_device<with_issue> && !mwp_cwp_device<with_latency>);
    static_assert(mwp_cwp_device<whole>);
}

TEST_CASE("a device without limits needs the profile to give the resident blocks") {
    struct bare {
        double sm_count = 16, clock_hz = 1e9, dram_bytes_per_s = 80e9, warp_size = 32;
        double issue_cycles = 4, dram_latency_cycles = 420;
        double coalesced_departure_cycles = 4, uncoalesced_departure_cycles = 10;
    };
    CHECK(mwp_cwp_model{bare{}}.predict(tiled)->cycles_without_barriers ==
          predict(tiled)->cycles_without_barriers);
    kernel_profile<> open = tiled;
    open.active_blocks_per_sm = 0;
    CHECK(mwp_cwp_model{bare{}}.predict(open).error() ==
          model_error{errc::missing, "active_blocks_per_sm"});
}

TEST_CASE("each case of MWP/CWP has a name") {
    constexpr std::string_view words[] = {"too few warps", "memory bound", "compute bound"};
    unsigned number = 0;
    for (const std::string_view expected : words) {
        CHECK(name(static_cast<mwp_cwp_case>(number)) == expected);
        ++number;
    }
    CHECK(name(static_cast<mwp_cwp_case>(number)) == "unknown");
}

TEST_CASE("memory instructions are taken to wait for DRAM, whatever caches there are") {
    kernel_profile<> k{.blocks = 100, .threads_per_block = 256, .comp_insts = 10};
    k.active_blocks_per_sm = 2;
    const mwp_cwp_model m{devices::geforce_gtx_280{}};
    CHECK_FALSE(m.predict(k)->assumed.contains(assumption::waits_for_dram));
    k.uncoalesced_mem_insts = 1;
    CHECK(m.predict(k)->assumed.contains(assumption::waits_for_dram));
    CHECK(m.predict(k)->assumed.contains(assumption::bytes_from_dram));
}

}  // namespace mwp_cwp_test
