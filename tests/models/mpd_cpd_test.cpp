// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers of Cheng & Suda 2011: tbl. 1 to 3 and sec. 3.4.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string_view>
#include <vector>

#include <warpgauge/warpgauge.hpp>

using namespace warpgauge;
using doctest::Approx;

namespace {

using gtx_260 = devices::geforce_gtx_260;
using stream = std::vector<instruction>;

constexpr instruction add{.unit = unit_kind::integer, .op = operation::add};  // 65 cycles
constexpr instruction mem{.unit = unit_kind::global_memory};                  // 200 cycles

// A launch of `warps` warps per SM, on all 24, in one round.
kernel_profile<> launch(double warps, const stream& s) {
    return {.blocks = 24,
            .threads_per_block = 32 * warps,
            .active_blocks_per_sm = 1,
            .instructions = s};
}

// A stream of which computation has the share `percent` / 10000 of the cycles.
struct share_gpu : gtx_260 {
    static constexpr instruction_costs costs{.load_store_cycles = 1, .other_cycles = 1};
};
stream with_share(std::uint32_t percent) {
    return {loop(1, percent), {.unit = unit_kind::integer}, loop(1, 10000 - percent), mem};
}

// All instructions cost 1, and the bandwidth never limits, or always.
struct fast_gpu : share_gpu {
    static constexpr double dram_bytes_per_s = 1e15;
};
struct slow_gpu : share_gpu {
    static constexpr double dram_bytes_per_s = 1e9;
};

constexpr instruction static_stream[]{add, mem};

}  // namespace

static_assert(mpd_cpd_device<gtx_260> && !mpd_cpd_device<devices::geforce_gtx_280>);
static_assert(model<mpd_cpd_model<gtx_260>>);
static_assert(mpd_cpd_model<gtx_260>{}
                  .predict(kernel_profile<>{.blocks = 24,
                                            .threads_per_block = 256,
                                            .active_blocks_per_sm = 1,
                                            .instructions = static_stream})
                  ->cycles > 0);

TEST_CASE("C1: CPD1 and CPD2 of table 3 at 32 warps") {
    struct row {
        const char* name;
        std::uint32_t percent;
        double cpd1, cpd2;
    };
    for (const row r : {row{"svm", 2623, 7.99, 7.52},
                        {"sepia", 5297, 2.38, 3.07},
                        {"blackscholes-7", 7662, -2.59, 8.67},
                        {"blackscholes", 8697, -4.76, 13.93}}) {
        CAPTURE(r.name);
        const stream s = with_share(r.percent);
        kernel_profile<> k = launch(16, s);
        k.active_blocks_per_sm = 2;
        k.blocks = 48;
        const auto e = mpd_cpd_model<share_gpu>{}.cpd(k);
        REQUIRE(e);
        CHECK(e->active_warps_per_sm == 32);
        CHECK(e->computation_fraction == Approx(r.percent / 10000.0));
        CHECK(std::fabs(e->cpd1 - r.cpd1) < 0.005);
        CHECK(std::fabs(e->cpd2 - r.cpd2) < 0.005);
        CHECK(e->cpd == (r.percent <= 5000 ? std::fmin(e->cpd1, e->cpd2) : e->cpd2));
        CHECK_FALSE(e->cpd_raised);
        const mpd_cpd_model<share_gpu> printed{.options = {.form = equation_form::as_published}};
        CHECK(printed.cpd(k)->cpd == std::fmin(e->cpd1, e->cpd2));
        if (r.cpd1 < 0) {
            CHECK(printed.predict(k).error() == model_error{errc::outside_domain, "cpd"});
        }
    }
}

TEST_CASE("the other two benchmarks of table 3, by (3)-(5)") {
    for (const std::uint32_t percent : {2820U, 4584U}) {  // matrix, linear
        const stream s = with_share(percent);
        kernel_profile<> k = launch(16, s);
        k.active_blocks_per_sm = 2;
        k.blocks = 48;
        const auto e = mpd_cpd_model<share_gpu>{}.cpd(k);
        const double P = percent / 10000.0;
        CHECK(e->cpd1 == Approx((0.5 - P) * (32 - 11) + 3));
        CHECK(e->cpd2 == Approx(80 * (P - 0.5) * (P - 0.5) + 3));  // N_act = m: the root is m - 1
        CHECK(e->cpd == Approx(std::fmin(e->cpd1, e->cpd2)));
    }
}

TEST_CASE("C1: CPD below 1 is raised, and says so") {
    const stream s = with_share(2623);
    const auto e = mpd_cpd_model<share_gpu>{}.cpd(launch(1, s));
    CHECK(e->cpd1 == Approx((0.5 - 0.2623) * (1 - 11) + 3));
    CHECK(e->cpd1 < 1);
    CHECK(e->cpd == 1);
    CHECK(e->cpd_raised);
}

TEST_CASE("(1), (2) and C5: bytes per cycle on both sides") {
    const stream s{add, mem};
    const auto e = mpd_cpd_model<gtx_260>{}.mpd(launch(2, s));
    REQUIRE(e);
    CHECK(e->warp_bytes_per_cycle == Approx(32 * 4 / 200.0));
    CHECK(e->device_bytes_per_cycle == Approx(111.9e9 / 1.242e9));
    CHECK(e->mpd == 2);  // floor(90.1 / (2 x 24 x 0.64)) = 2
    CHECK_FALSE(e->mpd_raised);
    // More transactions per access: each takes its share of the warp's bandwidth, as printed.
    const stream scattered{add, {.unit = unit_kind::global_memory, .transactions = 4}};
    CHECK(mpd_cpd_model<gtx_260>{}.mpd(launch(2, scattered))->warp_bytes_per_cycle ==
          Approx(32 * 4 / 4 / 200.0));
}

TEST_CASE("C2: MPD is at least 1, recorded; the print divides by zero") {
    const stream s{add, mem, add, mem};
    const auto e = mpd_cpd_model<gtx_260>{}.mpd(launch(16, s));
    CHECK(e->mpd == 1);
    CHECK(e->mpd_raised);
    const mpd_cpd_model<gtx_260> printed{.options = {.form = equation_form::as_published}};
    CHECK(printed.mpd(launch(16, s))->mpd == 0);
    CHECK(printed.predict(launch(16, s)).error() == model_error{errc::outside_domain, "mpd"});
}

TEST_CASE("the four types of periods, (6)-(13), by hand") {
    // Costs of 1: computation tasks of 30, 5, 40 and 5, memory tasks of 10, 20, 10 and 20 cycles.
    const instruction one{.unit = unit_kind::integer};
    const stream s{loop(1, 30), one, loop(1, 10), mem, loop(1, 5),  one,
                   loop(1, 20), mem, loop(1, 40), one, loop(1, 10), mem};
    std::vector<period_time<double>> times;
    const auto see = [&](const calculate_period&, const period_time<double>& t, double n) {
        CHECK(n == 1);
        times.push_back(t);
    };
    const auto e = mpd_cpd_model<fast_gpu>{}.predict(launch(2, s), see);
    REQUIRE(e);
    REQUIRE(times.size() == 3);
    const double cpd = e->cpd;
    CHECK(times[0].type == period_type::computation);         // 30 >= 10
    CHECK(times[0].cycles == std::ceil(2 * 30 / cpd));        // (6)
    CHECK(times[1].type == period_type::waits_for_itself);    // 5 < 20 after 30 >= 10
    CHECK(times[1].current_cycles == 20 - 5);                 // (8), C3: one other warp
    CHECK(times[1].cycles == std::ceil(2 * 5 / cpd) + 15);    // (7)
    CHECK(times[2].type == period_type::waits_for_previous);  // 40 >= 10 after 5 < 20
    CHECK(times[2].previous_cycles == 0);                     // (10): MPD = N, so no rounds
    CHECK(times[2].cycles == std::ceil(2 * 40 / cpd));        // (9)
    CHECK(e->periods == 3);
    CHECK(e->cycles_per_residency == times[0].cycles + times[1].cycles + times[2].cycles);
    CHECK(e->comp_cycles == 75);
    CHECK(e->mem_cycles == 40);

    // One warp at a time in memory: the task before is waited for N / MPD - 1 times.
    const stream both{loop(1, 5), one, loop(1, 20), mem, loop(1, 5), one, loop(1, 90), mem};
    times.clear();
    REQUIRE(mpd_cpd_model<slow_gpu>{}.predict(launch(4, both), see));
    REQUIRE(times.size() == 2);
    CHECK(times[1].type == period_type::waits_for_both);
    CHECK(times[1].mpd == 1);
    CHECK(times[1].previous_cycles == 20 * 3 - 3 * 5);    // (12)
    CHECK(times[1].current_cycles == 90 - (3 * 5 + 45));  // (13)
    // C4: the second argument of the maximum in (13) is 0.
    const stream hidden{loop(1, 5), one, loop(1, 20), mem, loop(1, 5), one, loop(1, 40), mem};
    times.clear();
    REQUIRE(mpd_cpd_model<slow_gpu>{}.predict(launch(4, hidden), see));
    CHECK(times[1].current_cycles == 0);
}

TEST_CASE("C7: the sum of one residency times the number of residencies") {
    const stream s{loop(2, 100), add, mem};
    kernel_profile<> k = launch(4, s);
    const auto one = mpd_cpd_model<gtx_260>{}.predict(k);
    k.blocks = 60;  // 2.5 rounds
    k.active_blocks_per_sm = 1;
    const auto more = mpd_cpd_model<gtx_260>{}.predict(k);
    CHECK(more->rounds == 2.5);
    CHECK(more->cycles == Approx(2.5 * one->cycles));
    CHECK(mpd_cpd_model<gtx_260>{.options = {.rounds = waves::whole}}.predict(k)->cycles ==
          Approx(3 * one->cycles));
    CHECK(more->seconds == more->cycles / 1.242e9);
}

TEST_CASE("table 1") {
    constexpr instruction_costs t = gtx_260::costs;
    const auto cycles = [&](unit_kind u, operation o, operand second) {
        return t.cycles({.unit = u, .op = o, .second = second});
    };
    using enum operation;
    constexpr auto in_reg = operand::in_register;
    constexpr auto constant = operand::constant;
    const double int_const[] = {22, 22, 44, 728, 22, 62, 62, 64, 62, 62, 22};
    const double int_reg[] = {65, 65, 136, 753, 22, 62, 62, 64, 62, 62, 22};
    const double float_const[] = {22, 22, 22, 748, 17, 62, 62, 64, 62, 62, 22};
    const double float_reg[] = {65, 65, 65, 783, 17, 62, 62, 64, 62, 62, 22};
    for (const operation o :
         {add, sub, mul, div, neg, min, max, bit_and, bit_or, bit_xor, bit_not}) {
        const auto i = static_cast<std::size_t>(o);
        CHECK(cycles(unit_kind::integer, o, constant) == int_const[i]);
        CHECK(cycles(unit_kind::integer, o, in_reg) == int_reg[i]);
        CHECK(cycles(unit_kind::single_precision, o, constant) == float_const[i]);
        CHECK(cycles(unit_kind::single_precision, o, in_reg) == float_reg[i]);
    }
    CHECK(t.cycles({.unit = unit_kind::global_memory}) == 200);
    CHECK(t.cycles({.unit = unit_kind::special_function}) == 0);  // not in the table
}

TEST_CASE("(14): accuracy") {
    CHECK(*accuracy(2.0, 1.0) == 0.5);
    CHECK(*accuracy(1.0, 2.0) == 0.5);
    CHECK(accuracy(0.0, 1.0).error() == model_error{errc::not_positive, "measured"});
    CHECK(accuracy(1.0, -1.0).error() == model_error{errc::not_positive, "predicted"});
}

TEST_CASE("bad input is named") {
    const stream s{add, mem};
    const mpd_cpd_model<gtx_260> m;
    const auto error = [&](auto change) {
        kernel_profile<> k = launch(4, s);
        change(k);
        const auto e = m.predict(k);
        REQUIRE_FALSE(e);
        CHECK(m.mpd(k).error() == e.error());
        CHECK(m.cpd(k).error() == e.error());
        return e.error();
    };
    CHECK(error([](auto& k) { k.instructions = {}; }) ==
          model_error{errc::missing, "instructions"});
    CHECK(error([](auto& k) { k.blocks = 0; }) == model_error{errc::not_positive, "blocks"});
    CHECK(error([](auto& k) { k.threads_per_block = -1; }) ==
          model_error{errc::not_positive, "threads_per_block"});
    CHECK(error([](auto& k) { k.active_blocks_per_sm = -1; }) ==
          model_error{errc::negative, "active_blocks_per_sm"});
    CHECK(error([](auto& k) {  // 36 warps, and m is 32
              k.active_blocks_per_sm = 9;
              k.blocks = 1000;
          }) == model_error{errc::exceeds_device, "active_blocks_per_sm"});
    const stream unknown{{.unit = unit_kind::special_function}, mem};
    CHECK(error([&](auto& k) { k.instructions = unknown; }) ==
          model_error{errc::missing, "costs", 1});
    auto d = edit(gtx_260{});
    d.cpd_d = 0;
    CHECK(mpd_cpd_model{d}.predict(launch(4, s)).error() ==
          model_error{errc::not_positive, "cpd_d"});
    d = edit(gtx_260{});
    d.costs.load_store_cycles = std::numeric_limits<double>::quiet_NaN();
    CHECK(mpd_cpd_model{d}.predict(launch(4, s)).error() ==
          model_error{errc::not_positive, "load_store_cycles"});
}

TEST_CASE("each type of period has a name, with its number") {
    constexpr std::string_view words[] = {"1 computation", "2 waits for itself",
                                          "3 waits for the one before", "4 waits for both"};
    unsigned number = 1;
    for (const std::string_view expected : words) {
        CHECK(name(static_cast<period_type>(number)) == expected);
        ++number;
    }
    CHECK(name(static_cast<period_type>(number)) == "unknown");
}
