// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <warpgauge/ptx/trace/warp_reach.hpp>

namespace warp_reach_test {

using namespace warpgauge;
using namespace warpgauge::ptx::detail::trace;

namespace {

// Reaches all warps.
warp_reach<> everywhere() {
    return {.way = {.of_block = true, .of_launch = true}};
}

}  // namespace

TEST_CASE("warps are as far apart as their blocks and first threads") {
    const warp_begins<> begins({8, 8, 8});
    warp_distance away{};
    CHECK(begins.is_reached({{1, 2, 3}, 1, 0}, everywhere(), {{4, 2, 1}, 6, 0}, away));
    CHECK(away == warp_distance{3, 0, -2, 0, -4, 3});
}

TEST_CASE("warps of which each lane is elsewhere are not reached") {
    warp_distance away{};
    const warp_begins<> rows_of_20({20, 16, 1});  // they begin at columns 0, 12, 4, 16, 8, 0
    CHECK_FALSE(rows_of_20.is_reached({{}, 0, 0}, everywhere(), {{}, 1, 0}, away));
    CHECK(rows_of_20.is_reached({{}, 0, 0}, everywhere(), {{}, 5, 0}, away));
    CHECK(away == warp_distance{0, 0, 0, 0, 8, 0});
    const warp_begins<> planes({16, 3, 4});  // two of the first three pass none
    CHECK_FALSE(planes.is_reached({{}, 0, 0}, everywhere(), {{}, 1, 0}, away));
    const warp_begins<> last_short({48, 1, 1});
    CHECK_FALSE(last_short.is_reached({{}, 0, 0}, everywhere(), {{}, 1, 0}, away));
    CHECK(last_short.is_reached({{}, 1, 0}, everywhere(), {{7, 0, 0}, 1, 0}, away));
}

TEST_CASE("a reach within the block, or none") {
    const warp_begins<> begins({64, 1, 1});
    warp_distance away{};
    warp_reach<> reach;
    CHECK(begins.is_reached({{}, 0, 0}, reach, {{}, 0, 0}, away));  // the warp itself
    CHECK_FALSE(begins.is_reached({{}, 0, 0}, reach, {{1, 0, 0}, 0, 0}, away));
    reach.way.of_block = true;
    CHECK(begins.is_reached({{}, 0, 0}, reach, {{1, 0, 0}, 0, 0}, away));
    CHECK_FALSE(begins.is_reached({{}, 0, 0}, reach, {{}, 1, 0}, away));
}

TEST_CASE("warps that decide unknown data in another way are not reached") {
    const warp_begins<> begins({64, 1, 1});
    warp_distance away{};
    warp_reach<> reach = everywhere();
    reach.start.bound(0.05);   // one that begins with 0.05 less decides otherwise
    reach.start.bound(-0.25);  // or with 0.25 more
    // 0.5, 0.118, 0.736, 0.354, 0.972, 0.590, 0.208, 0.826, 0.444: multiples of the golden ratio
    CHECK(begins.is_reached({{}, 0, 0}, reach, {{}, 1, 0}, away));
    CHECK(begins.is_reached({{}, 0, 0}, reach, {{}, 1, 2}, away));
    CHECK(begins.is_reached({{}, 0, 0}, reach, {{}, 1, 5}, away));
    CHECK_FALSE(begins.is_reached({{}, 0, 0}, reach, {{}, 1, 7}, away));
    CHECK_FALSE(begins.is_reached({{}, 0, 0}, reach, {{}, 1, 8}, away));
}

}  // namespace warp_reach_test
