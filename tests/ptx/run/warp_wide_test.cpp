// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstddef>

#include <doctest/doctest.h>

#include <warpgauge/ptx/run/warp_wide.hpp>

#include "one_step.hpp"

namespace warp_wide_test {

using namespace warpgauge;
using namespace warpgauge::ptx::detail::run;

namespace {

// %r3 is half of the lane's number.
struct wide_step : one_step<warp_wide<>> {
    explicit wide_step(const char* instruction) : one_step(instruction) {
        for (std::size_t l = 0; l < warp_lanes; ++l) first().lanes[l] = l / 2;
    }
};

}  // namespace

TEST_CASE("one lane is elected of those that take part") {
    wide_step all("elect.sync %r6|%p1, -1;");
    CHECK(all.result().lanes[5] == 0);
    CHECK(lanes_that_hold(all.result(all_lanes, 1)) == 1);
    wide_step some("elect.sync %r6|%p1, 0xf0;");
    CHECK(some.result(0xffff'ffe0).lanes[5] == 5);
    CHECK(lanes_that_hold(some.result(0xffff'ffe0, 1)) == 0x20);
    CHECK(wide_step("elect.sync %r6|%p1, %r9;").result().known == 0);
}

TEST_CASE("lanes with the same value") {
    const row_values same = wide_step("match.any.sync.b32 %r6, %r3, -1;").result();
    CHECK(same.lanes[0] == 3);
    CHECK(same.lanes[7] == 0xc0);
    CHECK(same.known == all_lanes);
    wide_step differ("match.all.sync.b32 %r6|%p1, %r3, -1;");
    CHECK(differ.result().lanes[0] == 0);
    CHECK(differ.result(all_lanes, 1).lanes[0] == 0);
    wide_step alike("match.all.sync.b32 %r6|%p1, %r3, 3;");
    CHECK(alike.result(3).lanes[0] == 3);
    CHECK(alike.result(3, 1).lanes[1] == 1);
    CHECK(wide_step("match.any.sync.b32 %r6, %r4, -1;").result().known == 0);
}

TEST_CASE("one value of all lanes") {
    CHECK(wide_step("redux.sync.add.s32 %r6, %r3, -1;").result().lanes[9] == 2 * 120);
    CHECK(wide_step("redux.sync.add.u32 %r6, %r3, 0xff;").result(0xff).lanes[0] == 12);
    CHECK(wide_step("redux.sync.min.u32 %r6, %r3, -1;").result(0xf00).lanes[8] == 4);
    CHECK(wide_step("redux.sync.max.u32 %r6, %r3, -1;").result().lanes[0] == 15);
    CHECK(wide_step("redux.sync.and.b32 %r6, %r3, -1;").result(0xc0).lanes[6] == 3);
    CHECK(wide_step("redux.sync.or.b32 %r6, %r3, -1;").result().lanes[0] == 15);
    CHECK(wide_step("redux.sync.xor.b32 %r6, %r3, -1;").result(7).lanes[0] == 1);
    CHECK(wide_step("redux.sync.add.u32 %r6, %r4, -1;").result().known == 0);
    CHECK(wide_step("redux.sync.add.u32 %r6, %r4, 0xff;").result(0xff).lanes[0] == 800);
}

TEST_CASE("what is waited for has come") {
    const row_values passed =
        wide_step("mbarrier.try_wait.parity.shared::cta.b64 %p1, [%r3], 0;").result();
    CHECK(lanes_that_hold(passed) == all_lanes);
    CHECK(passed.known == all_lanes);
}

TEST_CASE("lanes or masks that are not there or not known") {
    wide_step least("redux.sync.min.u32 %r6, %r3, -1;");
    least.first().lanes[9] = 1;
    CHECK(least.result(0xf00).lanes[8] == 1);
    CHECK(wide_step("elect.sync %r6, -1;").result().lanes[0] == 0);
    CHECK(wide_step("elect.sync %r6, -1;").result(0).known == 0);
    CHECK(wide_step("match.any.sync.b32 %r6, %r3, %r4;").result().known == 0);
    CHECK(wide_step("match.all.sync.b32 %r6, %r3, 3;").result(3).lanes[0] == 3);
    CHECK(wide_step("redux.sync.add.u32 %r6, %r3, %r4;").result().known == 0);
}

}  // namespace warp_wide_test
