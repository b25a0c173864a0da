// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <warpgauge/ptx/trace/different_sectors.hpp>

#include "ptx/touched_row.hpp"

namespace different_sectors_test {

using namespace warpgauge;
using namespace warpgauge::ptx::detail::trace;

namespace {

touched_sectors column(std::uint64_t first) {
    warp_access a;
    for (std::size_t l = 0; l < warp_lanes; ++l) a.addresses[l] = first + 128 * l;
    return sectors_of(a);
}

}  // namespace

TEST_CASE("sectors side by side count in full, others once a warp") {
    const ptx::link::step load{};
    ptx::link::step store{};
    store.stores = true;
    ptx::link::step atomic{};
    atomic.is_atomic = true;
    different_sectors<> d;
    d.begin_warp();
    d.add(load, touched_row(0), {}, 2);
    d.add(load, touched_row(0), {.times = 5}, 2);
    d.add(load, touched_sectors(), {}, 2);
    CHECK(d.sums().all == 2 * 6 * 4);
    CHECK(d.sums().loaded == 2 * 6 * 4);
    CHECK(d.sums().stored == 0);
    d.add(load, column(0), {}, 2);
    d.add(load, column(4), {}, 2);
    d.add(store, column(8), {}, 2);
    CHECK(d.sums().all == 2 * (6 * 4 + 32));
    CHECK(d.sums().loaded == 2 * (6 * 4 + 32));
    CHECK(d.sums().stored == 2 * 32);
    d.begin_warp();
    d.add(atomic, column(0), {.times = 3, .by = 1 << 10}, 1);
    CHECK(d.sums().all == 2 * (6 * 4 + 32) + 96);
    CHECK(d.sums().loaded == 2 * (6 * 4 + 32) + 96);
    CHECK(d.sums().stored == 2 * 32 + 96);
    d.add(atomic, column(0), {.times = 3, .by = 1 << 10, .moves_by_sectors = false}, 1);
    CHECK(d.sums().stored == 2 * 32 + 2 * 96);
}

TEST_CASE("a store of sectors side by side loads none") {
    ptx::link::step store{};
    store.stores = true;
    different_sectors<> d;
    d.begin_warp();
    d.add(store, touched_row(0), {.times = 3}, 2);
    CHECK(d.sums().all == 2 * 3 * 4);
    CHECK(d.sums().loaded == 0);
    CHECK(d.sums().stored == 2 * 3 * 4);
}

TEST_CASE("how the sectors of an access move from round to round") {
    ptx::run::executed e{.round_by = 64};
    CHECK(rounds_of(e, false).times == 1);
    CHECK(rounds_of(e, false).by == 0);
    e.rounds = 7;
    CHECK(rounds_of(e, false).times == 7);
    CHECK(rounds_of(e, false).by == 2);
    CHECK(rounds_of(e, false).moves_by_sectors);
    CHECK_FALSE(rounds_of(e, true).moves_by_sectors);
    e.round_by = std::uint64_t{0} - 32;
    CHECK(rounds_of(e, false).by == ~std::uint64_t{0});
    e.round_by = 1;
    CHECK_FALSE(rounds_of(e, false).moves_by_sectors);
}

}  // namespace different_sectors_test
