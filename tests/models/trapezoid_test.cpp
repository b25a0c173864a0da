// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers of Meng & Skadron 2009, tbl. 2 and sec. 5.4.2, by the printed equations.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include <warpgauge/warpgauge.hpp>

#include "../examples/stencils.hpp"
#include "core/pack.hpp"

using namespace warpgauge;
using doctest::Approx;

namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double infinite = std::numeric_limits<double>::infinity();
using gtx_280 = devices::geforce_gtx_280;
constexpr trapezoid_model<gtx_280> on_gtx_280;
constexpr const kernel_profile<>& path_finder = ghost_zone_stencils[0];
constexpr const kernel_profile<>& hot_spot = ghost_zone_stencils[1];
constexpr const kernel_profile<>& poisson = ghost_zone_stencils[2];
constexpr const kernel_profile<>& cell = ghost_zone_stencils[3];

double cpl(const kernel_profile<>& k, double h) {
    return on_gtx_280.cycles_per_loop(k, h)->cycles_per_loop;
}

// How many times faster the best height is than none.
template <class Model>
double gain(const kernel_profile<>& k, const Model& m) {
    return m.cycles_per_loop(k, 1.0)->cycles_per_loop / m.optimal_height(k)->cycles_per_loop;
}
double gain(const kernel_profile<>& k) {
    return gain(k, on_gtx_280);
}

static_assert(on_gtx_280.optimal_height(ghost_zone_stencils[0])->height == 12);
static_assert(model<trapezoid_model<gtx_280>>);

}  // namespace

TEST_CASE("M1: cycles per loop at heights 1, 2 and 3, to the cycle") {
    const double expected[4][3] = {{200618, 145634, 127790},
                                   {2435260, 2204993, 2499154},
                                   {2009889, 1766887, 1970582},
                                   {7334476, 19231548, 139249719}};
    for (std::size_t i = 0; i < 4; ++i) {
        for (int h = 1; h <= 3; ++h) {
            CAPTURE(ghost_zone_stencils[i].name);
            CHECK(std::round(cpl(ghost_zone_stencils[i], h)) == expected[i][h - 1]);
        }
    }
}

TEST_CASE("M1: best whole heights; the paper prints 14, 2, 2, 1") {
    const double expected[] = {12, 2, 2, 1};
    for (std::size_t i = 0; i < 4; ++i) {
        CHECK(on_gtx_280.optimal_height(ghost_zone_stencils[i])->height == expected[i]);
    }
    CHECK(cpl(path_finder, 14) / cpl(path_finder, 12) == Approx(1.0036).epsilon(5e-5));
}

TEST_CASE("the best height is the best of all") {
    for (kernel_profile<> k : ghost_zone_stencils) {
        for (double block = 4; block <= 64; ++block) {
            k.stencil.block_length = block;
            const auto best = on_gtx_280.optimal_height(k);
            REQUIRE(best);
            for (double h = 1; on_gtx_280.cycles_per_loop(k, h); ++h) {
                CHECK(best->cycles_per_loop <= cpl(k, h));
            }
        }
    }
}

TEST_CASE(
    "the six components make the sum, (18)-(24), and rescale with the height as they should") {
    for (const auto& k : ghost_zone_stencils) {
        const auto e = on_gtx_280.cycles_per_loop(k, 1.5);
        CHECK(e->global_sync_cycles == Approx(3350 / 1.5));
        CHECK(e->global_sync_cycles + e->load_stencil_cycles + e->commit_cycles +
                  e->misc_computation_cycles + e->iter_computation_cycles + e->iter_memory_cycles ==
              Approx(e->cycles_per_loop));
        CHECK(e->hidden_cycles == 0);
        CHECK(e->memory_stages == Approx(e->trapezoids / 240));  // (5): 8 blocks on 30 SMs
    }
    CHECK(on_gtx_280.cycles_per_loop(hot_spot, 2)->iter_memory_cycles == 0);
    CHECK(on_gtx_280.cycles_per_loop(path_finder, 2)->iter_memory_cycles > 0);
    // Per trapezoid the work of all loops: (14) over h loops, so per loop it grows with T alone.
    const auto one = on_gtx_280.cycles_per_loop(poisson, 1);
    const auto two = on_gtx_280.cycles_per_loop(poisson, 2);
    CHECK(two->iter_computation_cycles / one->iter_computation_cycles ==
          Approx(two->trapezoids / one->trapezoids));
}

TEST_CASE(
    "M3, (16): cost-effectiveness is the share of the tile that is left, over all dimensions") {
    CHECK(on_gtx_280.cycles_per_loop(path_finder, 12)->cost_effectiveness == Approx(232.0 / 254));
    CHECK(on_gtx_280.cycles_per_loop(hot_spot, 2)->cost_effectiveness ==
          Approx(16.0 * 16 / (18 * 18)));
    CHECK(on_gtx_280.cycles_per_loop(cell, 1)->cost_effectiveness == Approx(1));
}

TEST_CASE("M4, (17): the domain ends where the tile vanishes") {
    CHECK(*vanishing_height(path_finder) == 128);
    CHECK(on_gtx_280.cycles_per_loop(path_finder, 127.9));
    CHECK(on_gtx_280.cycles_per_loop(path_finder, 128).error() ==
          model_error{errc::outside_domain, "height"});
    kernel_profile<> k = hot_spot;
    k.stencil.halo_width = {2, 5};
    CHECK(*vanishing_height(k) == 4);
    CHECK(on_gtx_280.cycles_per_loop(k, 4).error() == model_error{errc::outside_domain, "height"});
    k.stencil.block_length = 5;
    CHECK(on_gtx_280.optimal_height(k).error() ==
          model_error{errc::outside_domain, "block_length"});
}

TEST_CASE("M6: whole warps cost narrow blocks most") {
    const trapezoid_model<gtx_280> whole{.options = {.whole_warps = true}};
    const auto more = [&](const kernel_profile<>& k) {
        return whole.cycles_per_loop(k, 1.0)->iter_computation_cycles /
               on_gtx_280.cycles_per_loop(k, 1.0)->iter_computation_cycles;
    };
    CHECK(more(path_finder) == Approx(256.0 / 254));  // 254 active threads in 8 warps
    CHECK(more(hot_spot) == Approx(32.0 / 18));
    CHECK(more(cell) == Approx(32.0 / 6));
}

TEST_CASE("section 6.2: who gains from ghost zones") {
    // Lower dimension: PathFinder, then HotSpot and Poisson, and Cell not at all.
    CHECK(gain(path_finder) > gain(poisson));
    CHECK(gain(path_finder) > gain(hot_spot));
    CHECK(gain(hot_spot) > gain(cell));
    CHECK(gain(cell) == 1);
    // The same stencil over one, two and three dimensions, with the same tile.
    kernel_profile<> k = poisson;
    double last = infinite;
    for (const int dimensions : {1, 2, 3}) {
        k.stencil.dimensions = dimensions;
        k.stencil.data_length = {200, 200, 200};
        k.stencil.halo_width = {2, 2, 2};
        CHECK(gain(k) <= last);
        last = gain(k);
    }
    for (const auto& app : {path_finder, hot_spot, poisson}) {
        CAPTURE(app.name);
        // Narrower halo: more gain, with a taller trapezoid.
        kernel_profile<> wide = app;
        for (auto& w : wide.stencil.halo_width) w *= 2;
        CHECK(gain(app) > gain(wide));
        CHECK(on_gtx_280.optimal_height(app)->height >= on_gtx_280.optimal_height(wide)->height);
        // A smaller share of computation: more gain.
        kernel_profile<> light = app;
        light.stencil.iter_insts_per_sm /= 2;
        CHECK(gain(light) > gain(app));
        // Larger tiles: more gain, with a taller trapezoid.
        kernel_profile<> large = app;
        large.stencil.block_length *= 2;
        CHECK(gain(large) > gain(app));
        CHECK(on_gtx_280.optimal_height(large)->height >= on_gtx_280.optimal_height(app)->height);
        // The input size hardly matters.
        kernel_profile<> big = app;
        for (auto& l : big.stencil.data_length) l *= 10;
        CHECK(gain(big) == Approx(gain(app)).epsilon(0.02));
    }
}

TEST_CASE("section 6.3: on which systems") {
    for (const auto& app : {path_finder, hot_spot, poisson}) {
        CAPTURE(app.name);
        const auto with = [&](auto change) {
            auto d = edit(gtx_280{});
            change(d);
            return gain(app, trapezoid_model{d});
        };
        CHECK(with([](auto& d) { d.global_sync_cycles *= 10; }) > gain(app));
        CHECK(with([](auto& d) { d.uncontended_latency_cycles *= 10; }) > gain(app));
        CHECK(with([](auto& d) { d.dram_bytes_per_s /= 2; }) > gain(app));
        CHECK(with([](auto& d) { d.average_cpi /= 2; }) > gain(app));
    }
    // Cell gains where its tile can be larger.
    kernel_profile<> k = cell;
    k.stencil.block_length = 48;
    CHECK(gain(k) > 1);
}

TEST_CASE("section 4.5: tiles that stay local move less, and overlap hides") {
    for (const auto& app : ghost_zone_stencils) {
        const auto flushed = on_gtx_280.cycles_per_loop(app, 1.0);
        auto local = edit(gtx_280{});
        local.tiles_stay_local = 1;
        const auto stays = trapezoid_model{local}.cycles_per_loop(app, 1.0);
        CHECK(stays->load_stencil_cycles < flushed->load_stencil_cycles);
        auto hiding = edit(gtx_280{});
        hiding.traffic_overlap = 1;
        const auto e = trapezoid_model{hiding}.cycles_per_loop(app, 1.0);
        const double memory = e->load_stencil_cycles + e->commit_cycles + e->iter_memory_cycles;
        const double computation = e->misc_computation_cycles + e->iter_computation_cycles;
        CHECK(e->cycles_per_loop == Approx(e->global_sync_cycles + std::fmax(memory, computation)));
    }
}

TEST_CASE("M2, (4): a request moves 4 B for each of the threads that share it") {
    CHECK(on_gtx_280.cycles_per_loop(hot_spot, 1)->request_cycles ==
          Approx(4 * 16 / (141.7e9 / 1.3e9)));
    // (7) without latency: alpha n CyclesPerReq / CoalesceDegree, alpha = D / 4.
    auto d = edit(gtx_280{});
    d.uncontended_latency_cycles = 0;
    const auto e = trapezoid_model{d}.cycles_per_loop(hot_spot, 1);
    CHECK(e->commit_cycles == Approx(2.0 / 4 * 2000 * 2000 * e->request_cycles / 16));
}

TEST_CASE("M5: a trapezoid's computation is that of T / M of them per SM, in h loops") {
    const auto e = on_gtx_280.cycles_per_loop(poisson, 2);
    const double per_trapezoid = 12825 * 30 / 250000.0 * 20 * 20 * 4;  // (13)
    CHECK(e->misc_computation_cycles == Approx(per_trapezoid * e->trapezoids / (30 * 2)));
}

TEST_CASE("the best tile fits the device and is the best of those that do") {
    const auto line = on_gtx_280.optimal_tile(path_finder);
    REQUIRE(line);
    CHECK(line->block_length == 512);  // the most threads of a block
    const auto square = on_gtx_280.optimal_tile(hot_spot);
    REQUIRE(square);
    CHECK(square->block_length == 22);  // 22 x 22 = 484; 23 x 23 is too many
    CHECK(square->cycles_per_loop < on_gtx_280.optimal_height(hot_spot)->cycles_per_loop);
    kernel_profile<> heavy = hot_spot;
    heavy.registers_per_thread = 40;  // 16384 registers hold 12 warps: 361 threads
    CHECK(on_gtx_280.optimal_tile(heavy)->block_length == 19);
    kernel_profile<> large = hot_spot;
    large.shared_bytes_per_block = 16384;
    CHECK(on_gtx_280.optimal_tile(large).error() ==
          model_error{errc::exceeds_device, "block_length"});
}

TEST_CASE("the search for the best height ends where whole numbers are no longer exact") {
    auto gpu = edit(gtx_280{});
    gpu.global_sync_cycles = 1e20;  // so that higher is always better
    const kernel_profile<> k{.stencil = {.dimensions = 1,
                                         .data_length = {1e6},
                                         .halo_width = {1e-9},
                                         .block_length = 1e10,
                                         .stencil_arrays = 1,
                                         .profiled_elements = 1e5,
                                         .misc_insts_per_sm = 1e4,
                                         .iter_insts_per_sm = 1e-9}};
    const auto e = trapezoid_model{gpu}.optimal_height(k);
    REQUIRE(e);
    CHECK(e->height > 1e15);
    CHECK(e->height <= 9007199254740992.0);
}

TEST_CASE("the search for the best tile is bounded") {
    auto gpu = edit(gtx_280{});
    gpu.max_threads_per_block = 1e18;
    CHECK(trapezoid_model{gpu}.optimal_tile(path_finder).error() ==
          model_error{errc::limit_reached, "max_threads_per_block"});
}

TEST_CASE("predict totals the loops") {
    const trapezoid_model<gtx_280> thirty{.options = {.loops = 30}};
    const auto e = thirty.predict(path_finder);
    REQUIRE(e);
    CHECK(e->height == 12);
    CHECK(e->cycles == Approx(30 * cpl(path_finder, 12)));
    CHECK(e->seconds == e->cycles / 1.3e9);
    const trapezoid_model<gtx_280> low{.options = {.loops = 30, .height = 3}};
    CHECK(low.predict(path_finder)->cycles == Approx(30 * cpl(path_finder, 3)));
}

TEST_CASE("a pack computes a curve at once") {
    kernel_profile<pack> k;
    k.stencil = {.dimensions = 1,
                 .data_length = {pack(1e6), pack(), pack()},
                 .halo_width = {pack(2), pack(), pack()},
                 .block_length = 256,
                 .stencil_arrays = 1,
                 .elements_per_op = 1,
                 .profiled_elements = 1e5,
                 .misc_insts_per_sm = 1998,
                 .iter_insts_per_sm = 1859};
    const auto e = on_gtx_280.cycles_per_loop(k, pack([](auto i) { return i + 1.0; }));
    REQUIRE(e);
    for (std::size_t i = 0; i < 4; ++i) {
        CHECK(e->cycles_per_loop[i] == Approx(cpl(path_finder, static_cast<double>(i) + 1)));
    }
}

TEST_CASE("bad input is named") {
    const auto error = [](auto change) {
        kernel_profile<> k = hot_spot;
        change(k.stencil);
        const auto e = on_gtx_280.optimal_height(k);
        REQUIRE_FALSE(e);
        CHECK(on_gtx_280.cycles_per_loop(k, 1.0).error() == e.error());
        return e.error();
    };
    const auto not_positive = [](const char* f) { return model_error{errc::not_positive, f}; };
    CHECK(error([](auto& s) { s.dimensions = 0; }) == model_error{errc::missing, "stencil"});
    CHECK(error([](auto& s) { s.dimensions = 4; }) ==
          model_error{errc::outside_domain, "dimensions"});
    CHECK(error([](auto& s) { s.dimensions = -1; }) ==
          model_error{errc::outside_domain, "dimensions"});
    for (const double bad : {0.0, -1.0, not_a_number, infinite}) {
        CHECK(error([&](auto& s) { s.halo_width[1] = bad; }) == not_positive("halo_width"));
        CHECK(error([&](auto& s) { s.data_length[0] = bad; }) == not_positive("data_length"));
        CHECK(error([&](auto& s) { s.block_length = bad; }) == not_positive("block_length"));
        CHECK(error([&](auto& s) { s.stencil_arrays = bad; }) == not_positive("stencil_arrays"));
        CHECK(error([&](auto& s) { s.profiled_elements = bad; }) ==
              not_positive("profiled_elements"));
        CHECK(error([&](auto& s) { s.iter_insts_per_sm = bad; }) ==
              not_positive("iter_insts_per_sm"));
    }
    CHECK(error([](auto& s) { s.elements_per_op = -1; }) ==
          model_error{errc::negative, "elements_per_op"});
    CHECK(error([](auto& s) { s.misc_insts_per_sm = -1; }) ==
          model_error{errc::negative, "misc_insts_per_sm"});
    CHECK(on_gtx_280.cycles_per_loop(hot_spot, 0).error() == not_positive("height"));
    CHECK(on_gtx_280.cycles_per_loop(hot_spot, not_a_number).error() == not_positive("height"));
    const auto wrong_model = [](trapezoid_model<gtx_280> m) { return m.predict(hot_spot).error(); };
    CHECK(wrong_model({.options = {.loops = 0}}) == not_positive("loops"));
    CHECK(wrong_model({.options = {.height = -1}}) == model_error{errc::negative, "height"});
    auto d = edit(gtx_280{});
    d.coalesce_width = 0;
    CHECK(trapezoid_model{d}.optimal_height(hot_spot).error() == not_positive("coalesce_width"));
    d = edit(gtx_280{});
    d.traffic_overlap = 2;
    CHECK(trapezoid_model{d}.optimal_height(hot_spot).error() ==
          model_error{errc::outside_domain, "traffic_overlap"});
    d.traffic_overlap = -1;
    CHECK(trapezoid_model{d}.optimal_height(hot_spot).error() ==
          model_error{errc::negative, "traffic_overlap"});
}
