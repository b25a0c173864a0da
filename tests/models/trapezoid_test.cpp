// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers of Meng & Skadron 2009, tbl. 2 and sec. 5.4.2, by the printed equations.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include <warpgauge/warpgauge.hpp>

#include "../examples/stencils.hpp"
#include "core/pack.hpp"
#include "random_numbers.hpp"

namespace trapezoid_test {

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
static_assert(on_gtx_280.cycles_per_loop(ghost_zone_stencils[3], 1));  // of three dimensions
static_assert(trapezoid_options{}.loops == 1);
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

TEST_CASE("M6: whole warps cost narrow blocks most; the threads of a block are numbered through") {
    const trapezoid_model<gtx_280> whole{.options = {.whole_warps = true}};
    const auto more = [&](const kernel_profile<>& k, auto part) {
        const auto with = whole.cycles_per_loop(k, 1.0);
        const auto without = on_gtx_280.cycles_per_loop(k, 1.0);
        return (*with).*part / (*without).*part;
    };
    constexpr auto misc = &trapezoid_estimate<>::misc_computation_cycles;
    constexpr auto iter = &trapezoid_estimate<>::iter_computation_cycles;
    CHECK(more(path_finder, misc) == 1);                     // 256 threads
    CHECK(more(hot_spot, misc) == Approx(13 * 32 / 400.0));  // 20 x 20
    CHECK(more(cell, misc) == 1);                            // 8 x 8 x 8: 16 warps
    // Warps with an active thread: counted one by one.
    struct block {
        const kernel_profile<>& kernel;
        int x, y, z;
    };
    for (const block& b : {block{path_finder, 256, 1, 1}, {hot_spot, 20, 20, 1}, {cell, 8, 8, 8}}) {
        CAPTURE(b.kernel.name);
        std::vector<bool> warps(static_cast<std::size_t>(b.x * b.y * b.z / 32 + 1));
        double active = 0;
        const auto inside = [](int at, int length) {
            return length == 1 || (at >= 1 && at <= length - 2);
        };
        for (int z = 0; z < b.z; ++z) {
            for (int y = 0; y < b.y; ++y) {
                for (int x = 0; x < b.x; ++x) {
                    if (!inside(x, b.x) || !inside(y, b.y) || !inside(z, b.z)) continue;
                    warps[static_cast<std::size_t>((z * b.y + y) * b.x + x) / 32] = true;
                    ++active;
                }
            }
        }
        const auto held = static_cast<double>(std::count(warps.begin(), warps.end(), true));
        CHECK(more(b.kernel, iter) == Approx(held * 32 / active));
    }
}

TEST_CASE("elements of 8 B move twice the bytes, and tiles need not be square") {
    kernel_profile<> doubles = hot_spot;
    doubles.stencil.element_bytes = 8;
    auto half = edit(gtx_280{});
    half.dram_bytes_per_s /= 2;
    const auto e = on_gtx_280.cycles_per_loop(doubles, 2);
    CHECK(e->cycles_per_loop ==
          trapezoid_model{half}.cycles_per_loop(hot_spot, 2)->cycles_per_loop);
    CHECK(e->request_cycles == 2 * on_gtx_280.cycles_per_loop(hot_spot, 2)->request_cycles);
    // 22 x 22 elements of 8 B, of two arrays and the result, are 11616 B; 27 x 27 would not fit either.
    doubles.registers_per_thread = 0;
    CHECK(on_gtx_280.optimal_tile(doubles)->block_length == 22);
    doubles.stencil.stencil_arrays = 4;  // 20 x 20 x 5 x 8 B are 16000; 21 x 21 x 5 x 8 are 17640
    CHECK(on_gtx_280.optimal_tile(doubles)->block_length == 20);

    kernel_profile<> wide = hot_spot;
    wide.stencil.tile_length = {20, 20, 0};
    CHECK(cpl(wide, 2) == cpl(hot_spot, 2));
    wide.stencil.tile_length = {32, 12, 0};
    const auto w = on_gtx_280.cycles_per_loop(wide, 2);
    CHECK(w->trapezoids == Approx(2000.0 * 2000 / (28 * 8)));
    CHECK(w->cost_effectiveness == Approx(28.0 * 8 / (30 * 10)));
    CHECK(*vanishing_height(wide) == 6);
    CHECK(on_gtx_280.cycles_per_loop(wide, 6).error() ==
          model_error{errc::outside_domain, "height"});
    wide.stencil.block_length = 0;  // nobody reads it
    CHECK(cpl(wide, 2) == w->cycles_per_loop);
    wide.stencil.tile_length = {32, 0, 0};
    CHECK(on_gtx_280.cycles_per_loop(wide, 2).error() ==
          model_error{errc::not_positive, "block_length"});
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
        CHECK(with([](auto& d) {
                  d.average_cpi /= 2;
                  d.issue_cycles /= 2;  // or it would be the floor
              }) > gain(app));
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

TEST_CASE("section 4.5 by hand: half of the tiles stay, half of what can be is hidden") {
    auto d = edit(gtx_280{});
    d.uncontended_latency_cycles = 0;
    const auto all = trapezoid_model{d}.cycles_per_loop(hot_spot, 1.0);
    d.tiles_stay_local = d.traffic_overlap = 0.5;
    const auto half = trapezoid_model{d}.cycles_per_loop(hot_spot, 1.0);
    // A tile of 20 x 20, of which 18 x 18 are left: of half of the tiles only the ghost zone, 400 - 324, travels.
    CHECK(half->load_stencil_cycles / all->load_stencil_cycles == Approx((400 - 162) / 400.0));
    CHECK(half->commit_cycles / all->commit_cycles == Approx((162 + 38) / 324.0));
    const double memory =
        half->load_stencil_cycles + half->commit_cycles + half->iter_memory_cycles;
    const double computation = half->misc_computation_cycles + half->iter_computation_cycles;
    CHECK(half->hidden_cycles == Approx(0.5 * std::fmin(memory, computation)));
    CHECK(half->cycles_per_loop ==
          Approx(half->global_sync_cycles + memory + computation - half->hidden_cycles));
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

TEST_CASE("M9: a grid of less than a trapezoid is a whole stage, and the work of one SM") {
    kernel_profile<> small = hot_spot;
    small.stencil.data_length = {10, 10};
    const auto e = on_gtx_280.cycles_per_loop(small, 2);
    REQUIRE(e);
    CHECK(e->trapezoids == Approx(100.0 / (16 * 16)));
    CHECK(e->memory_stages == 1);
    CHECK(e->assumed.contains(assumption::block_floor));
    const trapezoid_model<gtx_280> printed{.options = {.form = equation_form::as_published}};
    const auto p = printed.cycles_per_loop(small, 2);
    CHECK(p->memory_stages == Approx(e->trapezoids / 240));
    CHECK(e->misc_computation_cycles / p->misc_computation_cycles == Approx(30 / e->trapezoids));
    CHECK(e->iter_computation_cycles / p->iter_computation_cycles == Approx(30 / e->trapezoids));
}

TEST_CASE("where a synchronisation costs more than all else, the best height is the last") {
    auto d = edit(gtx_280{});
    d.global_sync_cycles = 1e15;
    CHECK(*vanishing_height(hot_spot) == 10);
    CHECK(trapezoid_model{d}.optimal_height(hot_spot)->height == 9);
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

TEST_CASE("the best tile is the best of all lengths, which need not be the longest") {
    auto d = edit(gtx_280{});
    d.max_threads_per_block = 33;  // two warps; 32 threads are one
    const trapezoid_model whole{d, {.whole_warps = true}};
    int shorter = 0;
    for (const kernel_profile<>& k : ghost_zone_stencils) {
        kernel_profile<> tried = k;
        tried.stencil.tile_length = {};
        tried.registers_per_thread = 0;
        const auto best = whole.optimal_tile(tried);
        REQUIRE(best);
        double least = infinite;
        double at = 0;
        double longest = 0;
        for (double length = 2; std::pow(length, k.stencil.dimensions) <= 33; ++length) {
            tried.stencil.block_length = length;
            const auto e = whole.optimal_height(tried);
            if (!e) continue;
            longest = length;
            if (!(e->cycles_per_loop < least)) continue;
            least = e->cycles_per_loop;
            at = length;
        }
        CHECK(best->block_length == at);
        CHECK(best->cycles_per_loop == least);
        shorter += at < longest;
    }
    CHECK(shorter > 0);
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

TEST_CASE(
    "predict totals the loops; as published, of the best height whether they reach it or not") {
    const trapezoid_options printed{.loops = 30, .form = equation_form::as_published};
    const auto e = trapezoid_model<gtx_280>{.options = printed}.predict(path_finder);
    REQUIRE(e);
    CHECK(e->height == 12);
    CHECK(e->cycles == Approx(30 * cpl(path_finder, 12)));
    CHECK(e->seconds == e->cycles / 1.3e9);
    const trapezoid_model<gtx_280> low{.options = {.loops = 30, .height = 3}};
    CHECK(low.predict(path_finder)->cycles == Approx(30 * cpl(path_finder, 3)));
}

TEST_CASE("M7: a height is no more than the loops, and a last stage takes what is left") {
    const auto total = [](double loops, double height = 0) {
        return *trapezoid_model<gtx_280>{.options = {.loops = loops, .height = height}}.predict(
            path_finder);
    };
    CHECK(std::round(total(1).cycles) == 200618);  // at height 12 it would have been 106978
    CHECK(total(1).height == 1);
    CHECK(total(5).cycles == Approx(5 * cpl(path_finder, 5)));
    CHECK(total(5, 12).cycles == total(5).cycles);
    // 30 loops: 12, 12 and 6, or better three times 10.
    CHECK(total(30, 12).last_height == 6);
    CHECK(total(30, 12).cycles == Approx(24 * cpl(path_finder, 12) + 6 * cpl(path_finder, 6)));
    CHECK(total(30).height == 10);
    CHECK(total(30).last_height == 10);
    CHECK(total(30).cycles < total(30, 12).cycles);
    CHECK(total(0.5).cycles == Approx(0.5 * cpl(path_finder, 0.5)));
    CHECK(total(1e9).cycles == Approx(1e9 * cpl(path_finder, 12)));
    // The best of all whole heights.
    for (const kernel_profile<>& k : ghost_zone_stencils) {
        for (double loops = 1; loops < 90; ++loops) {
            const auto at = [&](double h) {
                return trapezoid_model<gtx_280>{.options = {.loops = loops, .height = h}}.predict(
                    k);
            };
            const auto best = at(0);
            REQUIRE(best);
            for (double h = 1; at(h); ++h) {
                CHECK(best->cycles <= at(h)->cycles * (1 + 1e-12));
                if (h > loops) break;
            }
        }
    }
}

// --- What holds for every input

namespace {

auto random_gpu(random_numbers& r) {
    auto d = edit(gtx_280{});
    d.sm_count = r.whole(1, 150);
    d.clock_hz = r.real(5e8, 3e9);
    d.dram_bytes_per_s = r.real(1e9, 1e13);
    d.issue_cycles = r.real(0.25, 8);
    d.average_cpi = r.real(0.1, 8);
    d.uncontended_latency_cycles = r.real(1, 2000);
    d.global_sync_cycles = r.real(1, 100'000);
    d.dram_pipeline_depth = r.whole(1, 16);
    if (r.whole(0, 3) == 0) d.traffic_overlap = r.whole(0, 100) / 100.0;
    return d;
}

// Square or not, of 4 or 8 B, from less than a tile to many.
kernel_profile<> random_tile(random_numbers& r) {
    kernel_profile<> k;
    auto& s = k.stencil;
    s.dimensions = r.whole(1, 3);
    for (std::size_t i = 0; i < 3; ++i) {
        s.data_length[i] = std::round(r.real(1, 3000));
        s.halo_width[i] = r.whole(1, 4);
        if (r.whole(0, 1) == 1) s.tile_length[i] = r.whole(5, 64);
    }
    s.block_length = r.whole(5, 64);
    s.stencil_arrays = r.whole(1, 3);
    s.elements_per_op = r.whole(0, 2);
    s.profiled_elements = std::round(r.real(1000, 1e6));
    s.misc_insts_per_sm = std::round(r.real(1, 1e5));
    s.iter_insts_per_sm = std::round(r.real(1, 1e5));
    s.element_bytes = r.whole(0, 1) == 0 ? 4 : 8;
    return k;
}

constexpr double rounding = 1 + 1e-9;

}  // namespace

TEST_CASE("no stencil beats issue, DRAM or one of its blocks") {
    random_numbers r(1);
    int raised[3]{};
    for (int n = 0; n < 20'000; ++n) {
        CAPTURE(n);
        const auto d = random_gpu(r);
        const auto k = random_tile(r);
        const auto& s = k.stencil;
        const double loops = r.whole(1, 40);
        const trapezoid_options options{.loops = loops,
                                        .height = static_cast<double>(r.whole(0, 3)),
                                        .whole_warps = r.whole(0, 1) == 1};
        const auto e = trapezoid_model{d, options}.predict(k);
        if (!e) {
            CHECK(e.error() == model_error{errc::outside_domain, "height"});
            continue;
        }
        double data = 1;
        for (int i = 0; i < s.dimensions; ++i) data *= s.data_length[static_cast<std::size_t>(i)];
        const double stages = std::ceil(loops / e->height);
        // What no choice of tiles avoids: every element is computed once a loop, loaded and stored once a stage.
        const double insts = data / s.profiled_elements *
                             (loops * s.iter_insts_per_sm + stages * s.misc_insts_per_sm);
        CHECK(e->cycles * rounding >= insts * d.issue_cycles);
        const double elements =
            data * (stages * (s.stencil_arrays + 1) + loops * s.elements_per_op);
        CHECK(e->seconds * rounding >= elements * s.element_bytes / d.dram_bytes_per_s);
        // One block: a stage begins and ends, loads, computes, stores.
        const double accesses = stages * (s.stencil_arrays + 1) + loops * s.elements_per_op;
        CHECK(e->cycles * rounding >=
              stages * d.global_sync_cycles + accesses * d.uncontended_latency_cycles);
        constexpr assumption floors[]{assumption::issue_floor, assumption::dram_floor,
                                      assumption::block_floor};
        for (int i = 0; i < 3; ++i) raised[i] += e->assumed.contains(floors[i]) ? 1 : 0;
    }
    for (const int count : raised) CHECK(count > 100);
}

TEST_CASE("what is better is never slower, at any number of loops") {
    random_numbers r(2);
    int faster[9]{};
    for (int n = 0; n < 20'000; ++n) {
        CAPTURE(n);
        auto d = random_gpu(r);
        auto k = random_tile(r);
        trapezoid_options options{.loops = static_cast<double>(r.whole(1, 60)),
                                  .height = static_cast<double>(r.whole(0, 2)),
                                  .whole_warps = r.whole(0, 1) == 1};
        const auto before = trapezoid_model{d, options}.predict(k);
        if (!before) continue;
        const double by = r.real(1, 20);
        const int what = r.whole(0, 8);
        switch (what) {
            case 0: d.dram_bytes_per_s *= by; break;
            case 1: d.clock_hz *= by; break;
            case 2: d.uncontended_latency_cycles /= by; break;
            case 3:
                d.issue_cycles /= by;
                d.average_cpi /= by;
                break;
            case 4: d.global_sync_cycles /= by; break;
            case 5:
                k.stencil.misc_insts_per_sm /= by;
                k.stencil.iter_insts_per_sm /= by;
                break;
            case 6: k.stencil.data_length[0] /= by; break;
            case 7: k.stencil.element_bytes /= by; break;
            default: options.loops = std::fmax(1, std::floor(options.loops / by));
        }
        const auto after = trapezoid_model{d, options}.predict(k);
        REQUIRE(after);
        CAPTURE(what);
        CHECK(after->seconds <= before->seconds * rounding);
        if (after->seconds < before->seconds) ++faster[what];
    }
    for (const int count : faster) CHECK(count > 100);
}

TEST_CASE("M8, M9: as published a stencil can beat each floor, and the estimate says so") {
    random_numbers r(3);
    double worst_issue = 1;
    double worst_dram = 1;
    double worst_block = 1;
    for (int n = 0; n < 20'000; ++n) {
        const auto d = random_gpu(r);
        const auto k = random_tile(r);
        const auto e =
            trapezoid_model{d, {.form = equation_form::as_published}}.cycles_per_loop(k, 1);
        const auto better = trapezoid_model{d}.cycles_per_loop(k, 1);
        if (!e) continue;
        const double cycles = e->cycles_per_loop;
        CHECK(e->assumed.contains(assumption::issue_floor) == (cycles < e->issue_floor_cycles));
        CHECK(e->assumed.contains(assumption::dram_floor) == (cycles < e->dram_floor_cycles));
        CHECK(better->cycles_per_loop * rounding >= cycles);
        worst_issue = std::fmax(worst_issue, e->issue_floor_cycles / cycles);
        worst_dram = std::fmax(worst_dram, e->dram_floor_cycles / cycles);
        const bool above = better->assumed.contains(assumption::block_floor);
        CHECK(e->assumed.contains(assumption::block_floor) == above);
        if (above) worst_block = std::fmax(worst_block, better->cycles_per_loop / cycles);
    }
    CHECK(worst_issue > 50);  // an average CPI far below what the device issues
    CHECK(worst_dram > 10);   // (7) divides by the pipeline depth, here up to 16
    CHECK(worst_block > 50);  // a grid smaller than a tile
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
        CHECK(error([&](auto& s) { s.halo_width[1] = bad; }) == not_positive("halo_width[1]"));
        CHECK(error([&](auto& s) { s.data_length[0] = bad; }) == not_positive("data_length[0]"));
        CHECK(error([&](auto& s) { s.block_length = bad; }) == not_positive("block_length"));
        CHECK(error([&](auto& s) { s.stencil_arrays = bad; }) == not_positive("stencil_arrays"));
        CHECK(error([&](auto& s) { s.profiled_elements = bad; }) ==
              not_positive("profiled_elements"));
        CHECK(error([&](auto& s) { s.iter_insts_per_sm = bad; }) ==
              not_positive("iter_insts_per_sm"));
    }
    for (const double bad : {-1.0, not_a_number}) {
        CHECK(error([&](auto& s) { s.tile_length[1] = bad; }) ==
              model_error{errc::negative, "tile_length[1]"});
    }
    CHECK(error([](auto& s) { s.element_bytes = 0; }) == not_positive("element_bytes"));
    CHECK(error([](auto& s) { s.elements_per_op = -1; }) ==
          model_error{errc::negative, "elements_per_op"});
    CHECK(error([](auto& s) { s.misc_insts_per_sm = -1; }) ==
          model_error{errc::negative, "misc_insts_per_sm"});
    CHECK(on_gtx_280.cycles_per_loop(hot_spot, 0).error() == not_positive("height"));
    CHECK(on_gtx_280.cycles_per_loop(hot_spot, not_a_number).error() == not_positive("height"));
    const auto wrong_model = [](trapezoid_model<gtx_280> m) { return m.predict(hot_spot).error(); };
    CHECK(wrong_model({.options = {.form = static_cast<equation_form>(2)}}) ==
          model_error{errc::not_an_enumerator, "form"});
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

TEST_CASE("every input has both its ends") {
    using shape = basic_stencil_shape<double>;
    const auto too_large = [](double& (*of)(shape&)) {
        kernel_profile<> k = hot_spot;
        of(k.stencil) = 1e21;
        return on_gtx_280.cycles_per_loop(k, 1.0).error();
    };
    const auto overflow = [](std::string_view field) { return model_error{errc::overflow, field}; };
    CHECK(too_large([](shape& s) -> double& { return s.data_length[1]; }) ==
          overflow("data_length[1]"));
    CHECK(too_large([](shape& s) -> double& { return s.halo_width[0]; }) ==
          overflow("halo_width[0]"));
    CHECK(too_large([](shape& s) -> double& { return s.tile_length[1]; }) ==
          overflow("tile_length[1]"));
    CHECK(too_large([](shape& s) -> double& { return s.block_length; }) ==
          overflow("block_length"));
    CHECK(too_large([](shape& s) -> double& { return s.element_bytes; }) ==
          overflow("element_bytes"));
    CHECK(too_large([](shape& s) -> double& { return s.stencil_arrays; }) ==
          overflow("stencil_arrays"));
    CHECK(too_large([](shape& s) -> double& { return s.elements_per_op; }) ==
          overflow("elements_per_op"));
    CHECK(too_large([](shape& s) -> double& { return s.profiled_elements; }) ==
          overflow("profiled_elements"));
    CHECK(too_large([](shape& s) -> double& { return s.misc_insts_per_sm; }) ==
          overflow("misc_insts_per_sm"));
    CHECK(too_large([](shape& s) -> double& { return s.iter_insts_per_sm; }) ==
          overflow("iter_insts_per_sm"));
    CHECK(on_gtx_280.cycles_per_loop(hot_spot, 1e21).error() == overflow("height"));

    const auto with = [](std::string_view name, double value) {
        auto d = edit(gtx_280{});
        *find_parameter(d, name) = value;
        return trapezoid_model{d}.cycles_per_loop(hot_spot, 1.0).error();
    };
    for (const std::string_view name :
         {"sm_count", "clock_hz", "dram_bytes_per_s", "warp_size", "max_blocks_per_sm",
          "coalesce_width", "dram_pipeline_depth", "average_cpi", "issue_cycles"}) {
        CAPTURE(name);
        CHECK(with(name, 0) == model_error{errc::not_positive, name});
        CHECK(with(name, 1e-11) == overflow(name));
        CHECK(with(name, 1e21) == overflow(name));
    }
    for (const std::string_view name : {"uncontended_latency_cycles", "global_sync_cycles"}) {
        CHECK(with(name, -1) == model_error{errc::negative, name});
        CHECK(with(name, 1e21) == overflow(name));
    }
    CHECK(with("tiles_stay_local", -1) == model_error{errc::negative, "tiles_stay_local"});
    CHECK(with("tiles_stay_local", 1.5) == model_error{errc::outside_domain, "tiles_stay_local"});
}

TEST_CASE("as published a height that is given is taken, for all loops alike") {
    const trapezoid_model<gtx_280> printed{
        .options = {.loops = 30, .height = 3, .form = equation_form::as_published}};
    const auto e = printed.predict(hot_spot);
    REQUIRE(e);
    CHECK(e->cycles == Approx(30 * printed.cycles_per_loop(hot_spot, 3)->cycles_per_loop));
}

}  // namespace trapezoid_test
