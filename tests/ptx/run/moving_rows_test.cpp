// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <warpgauge/ptx/run/moving_rows.hpp>

#include "ptx/linked.hpp"

namespace moving_rows_test {

using namespace warpgauge;
using namespace warpgauge::ptx::detail::run;

namespace {

constexpr warp_motion by_thread{.by = {0, 0, 0, 4}};
constexpr warp_motion by_block{.by = {2, 0, 0, 4}};
constexpr std::uint32_t row = of_call | 3;

// A warp of a kernel under way.
struct warp_under_way : linked_text {
    warp_under_way() : linked_text(kernel_of("ret;")), file(program), rows(program) {
        file.begin(one_warp());
        file.add_rows(8);
        file.enter(0);
        rows.begin(8);
        rows.begin_step(file);
    }
    register_file<> file;
    moving_rows<> rows;
};

}  // namespace

TEST_CASE("numbers of blocks and threads move, constants stay") {
    warp_under_way w;
    CHECK(w.rows.of(ptx::link::ctaid_y).by == warp_distance{0, 1});
    CHECK(w.rows.of(ptx::link::tid_z).by == warp_distance{0, 0, 0, 0, 0, 1});
    CHECK(w.rows.of(ptx::link::warpid).how == warp_motion::kind::uneven);
    CHECK(w.rows.of(ptx::link::laneid).stays());
    CHECK_FALSE(w.rows.moves(ptx::link::special_rows));
    CHECK_FALSE(w.rows.moves(nowhere));
    w.rows.pin();
    CHECK(w.rows.of(ptx::link::tid_z).stays());
    CHECK(w.rows.of(ptx::link::warpid).stays());
    CHECK(w.rows.moves(ptx::link::ctaid_x));
}

TEST_CASE("a row moves as what all of its lanes were given") {
    warp_under_way w;
    REQUIRE(w.rows.set(row, all_lanes, by_block, 5, false));
    CHECK(w.rows.was_set());
    CHECK(w.rows.of(row) == by_block);
    CHECK(w.rows.needs_of(row) == 5);
    CHECK(w.rows.set(row, all_lanes, by_block, 1, true));  // as before
    CHECK(w.rows.needs_of(row) == 1);
    CHECK_FALSE(w.rows.set(row, all_lanes, by_thread, 0, true));
    CHECK_FALSE(w.rows.set(row, all_lanes, uneven_motion, 0, false));
    w.rows.forget_needs(row);
    CHECK(w.rows.needs_of(row) == 0);
    w.rows.pin();
    CHECK(w.rows.of(row).by == warp_distance{2});
    CHECK(w.rows.is_pinned());
}

TEST_CASE("lanes that move in several ways") {
    warp_under_way w;
    CHECK(w.rows.set(row, 0xff, by_block, 1, false));  // nothing was in the others
    w.file.write(row, {}, all_lanes, all_lanes);
    CHECK_FALSE(w.rows.set(row, 0xff, by_thread, 2, false));
    w.rows.pin();
    CHECK(w.rows.set(row, 0xff, {}, 4, false));
    CHECK(w.rows.of(row).how == warp_motion::kind::uneven);
    CHECK(w.rows.needs_of(row) == 7);
    CHECK(w.rows.set(nowhere, 0xff, by_block, 0, false));
    CHECK(w.rows.set(ptx::link::carry, 0xff, {}, 0, false));
    CHECK_FALSE(w.rows.set(ptx::link::carry, 0xff, by_block, 0, false));
}

}  // namespace moving_rows_test
