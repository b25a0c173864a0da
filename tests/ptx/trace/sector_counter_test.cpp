// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <warpgauge/ptx/trace/sector_counter.hpp>

#include "ptx/linked.hpp"

namespace sector_counter_test {

using namespace warpgauge;
using ptx::detail::trace::sector_counter;

namespace {

warp_access row(std::uint64_t first) {
    warp_access a;
    for (std::size_t l = 0; l < warp_lanes; ++l) a.addresses[l] = first + 4 * l;
    return a;
}
warp_access word(std::uint64_t at) {
    warp_access a;
    a.addresses.fill(at);
    return a;
}

// All lanes take part; the address of those that do not in `a` is not known.
void count(sector_counter<>& to, std::uint32_t step, const warp_access& a, double weight) {
    to.count({.step = step, .active = 0xffff'ffff, .access = &a}, sectors_of(a), weight);
}

constexpr std::uint32_t load = instructions_before_body;
constexpr std::uint32_t store = load + 1;

}  // namespace

TEST_CASE("sectors and lines are means of a warp, by weight") {
    const linked_text k(kernel_of("ld.global.f32 %f1, [%d1];\nst.global.f32 [%d1], %f1;\nret;"));
    sector_counter<> counter(k.program, 100);
    counter.begin_warp();
    count(counter, load, row(4096), 3);
    count(counter, store, row(4100), 3);  // five sectors, two of them in part
    counter.begin_warp();
    warp_access partly = row(0);
    partly.active = 0xffff'fff0;  // still four sectors
    count(counter, load, partly, 1);
    const auto m = counter.means(4);
    CHECK(m.load_sectors == (3 * 4 + 8) / 4.0);
    CHECK(m.full_store_sectors == 3 * 3 / 4.0);
    CHECK(m.partial_store_sectors == 3 * 2 / 4.0);
    CHECK(m.lines == (3 * 1 + 3 * 2 + 5) / 4.0);
    CHECK(m.broadcast_loads == 0);
    CHECK(counter.lines_by_step()[load] == 3 * 1 + 5);
    CHECK(counter.lines_by_step()[store] == 3 * 2);
}

TEST_CASE("how often all warps touch the same sector, by a load or an atomic") {
    const linked_text k(
        kernel_of("ld.global.f32 %f1, [%d1];\nred.global.add.f32 [%d1], %f1;\nret;"));
    sector_counter<> counter(k.program, 100);
    for (const std::uint64_t second : {64U, 96U}) {
        counter.begin_warp();
        count(counter, load, word(32), 1);
        count(counter, load, word(second), 3);
        count(counter, load + 1, word(32), 2);
    }
    CHECK(counter.same_sector_fraction(load) == 1 / 4.0);
    CHECK(counter.same_sector_fraction(load + 1) == 1);
    CHECK(counter.means(2).broadcast_loads == 1);  // an atomic without a result is no load
}

TEST_CASE("bytes at unknown addresses, of which an atomic loads and stores all") {
    const linked_text k(
        kernel_of("ld.global.f32 %f1, [%d1];\nst.global.f32 [%d1], %f1;\n"
                  "atom.global.add.f32 %f2, [%d1], 0f3F800000;\nst.global.f32 [%d1], %f2;\nret;"));
    sector_counter<> counter(k.program, 100);
    counter.begin_warp();
    warp_access none;
    none.active = 0;
    for (const std::uint32_t step : {load, store, store + 1}) {
        counter.count({.step = step, .active = 0xffff'ffff, .access = &none, .unknown_sectors = 2},
                      sectors_of(none), 3);
    }
    const auto& unknown = counter.at_unknown();
    REQUIRE(unknown.all > 0);
    CHECK(unknown.loaded == unknown.all * 2 / 3);
    CHECK(unknown.stored == unknown.all * 2 / 3);
}

TEST_CASE("lines of an access: of known lanes, of lanes of one base, one of each other lane") {
    using ptx::detail::trace::lines_of;
    warp_access known = row(4096);
    known.active = 0xffff;
    warp_access based = row(8192 - 32);
    based.active = 0xff00'0000;  // in one line
    const ptx::run::executed alone{.active = 0xffff, .access = &known};
    CHECK(lines_of(alone, sectors_of(known), false) == 1);
    const ptx::run::executed together{.active = 0xff3f'ffff, .access = &known, .based = &based};
    CHECK(lines_of(together, sectors_of(known), false) == 1 + 1 + 6);
    known.active = 0;
    const ptx::run::executed blocks{.active = 0xffff'ffff, .access = &known, .unknown_sectors = 16};
    CHECK(lines_of(blocks, sectors_of(known), true) == 4);
}

TEST_CASE("loads by which all warps read one sector, execution by execution") {
    const linked_text k(kernel_of("ld.global.f32 %f1, [%d1];\nret;"));
    for (const std::size_t compared : {std::size_t{100}, std::size_t{2}}) {
        sector_counter<> counter(k.program, compared);
        for (std::uint64_t warp = 0; warp < 3; ++warp) {
            counter.begin_warp();
            for (std::uint64_t n = 0; n < 8; ++n) {  // one of two is the warp's own
                count(counter, load, word(n % 2 == 0 ? 32 * n : 4096 * (warp + 1)), 1);
            }
        }
        CHECK(counter.means(3).broadcast_loads == doctest::Approx(4));
        CHECK(counter.broadcasts_error() == doctest::Approx(compared < 8 ? 12 : 0));
    }
    sector_counter<> one(k.program, 100);
    one.begin_warp();
    count(one, load, word(0), 1);
    CHECK(one.means(1).broadcast_loads == 0);  // no other warp to share it with
}

TEST_CASE(
    "a load in other numbers of rounds, of which one stands for others, may be off altogether") {
    const linked_text k(kernel_of("ld.global.f32 %f1, [%d1];\nret;"));
    for (const bool leaves_out : {false, true}) {
        for (const std::uint64_t last :
             {1U, 2U, 3U}) {  // executions of the last warp, for 2 of others
            sector_counter<> counter(k.program, 100);
            for (const std::uint64_t executions : {std::uint64_t{2}, std::uint64_t{2}, last}) {
                counter.begin_warp();
                for (std::uint64_t n = 0; n < executions; ++n) {
                    const warp_access at = word(4096 * n);
                    counter.count({.step = load,
                                   .active = at.active,
                                   .access = &at,
                                   .rounds = leaves_out && n == 0 ? 10U : 1U},
                                  sectors_of(at), 1);
                }
            }
            const double all = 2 + 2 + static_cast<double>(last);
            CHECK(counter.means(1).broadcast_loads == all);
            CHECK(counter.broadcasts_error() == (leaves_out && last != 2 ? all : 0));
        }
    }
}

}  // namespace sector_counter_test
