// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <warpgauge/ptx/run/lane_computer.hpp>

#include "one_step.hpp"

namespace lane_computer_test {

using namespace warpgauge;
using namespace warpgauge::ptx::detail::run;

namespace {

struct computed_step : one_step<lane_computer<>> {
    explicit computed_step(const char* instruction) : one_step(instruction, 64U) {}
};

}  // namespace

TEST_CASE("a result is known where its sources are") {
    const row_values sum = computed_step("add.u32 %r6, %r3, %r4;").result();
    CHECK(sum.known == 0xff);
    CHECK(sum.lanes[7] == 107);
    CHECK(computed_step("add.u32 %r6, %r3, 1;").result(0xf0).known == 0xf0);
    CHECK(computed_step("div.u32 %r6, 9, %r3;").result().known == ~1U);  // not by zero
}

TEST_CASE("wide products, conversions, carries") {
    CHECK(computed_step("mul.wide.s32 %d2, %r3, -1;").result().lanes[2] == ~std::uint64_t{1});
    CHECK(computed_step("cvt.s32.s8 %r6, 0x80;").result().lanes[0] == 0xffff'ffff'ffff'ff80);
    computed_step carried("add.cc.u32 %r6, %r3, 0xfffffffe;");
    CHECK(carried.result().lanes[1] == 0xffff'ffff);
    CHECK(carried.file.at(ptx::link::carry).lanes[1] == 0);
    CHECK(carried.file.at(ptx::link::carry).lanes[2] == 1);
}

TEST_CASE("parts of a register") {
    CHECK(computed_step("mov.b64 %d2, {%r3, 5};").result().lanes[9] ==
          ((std::uint64_t{5} << 32) | 9));
    computed_step parts("mov.b64 {%r6, %r7}, 0x700000003;");
    CHECK(parts.result(all_lanes, 0).lanes[0] == 3);
    CHECK(parts.result(all_lanes, 1).lanes[0] == 7);
}

TEST_CASE("predicates") {
    computed_step both("setp.lt.and.u32 %p1|%p2, %r3, 4, 1;");
    CHECK(lanes_that_hold(both.result(all_lanes, 0)) == 0xf);
    CHECK(lanes_that_hold(both.result(all_lanes, 1)) == 0xffff'fff0);
    CHECK(computed_step("set.lt.u32.u32 %r6, %r3, 4;").result().lanes[0] == 0xffff'ffff);
    CHECK(computed_step("selp.u32 %r6, %r4, %r3, 0;").result().known == all_lanes);
    CHECK(combined(1, 12, 10) == 8);
    CHECK(combined(2, 12, 10) == 14);
    CHECK(combined(3, 12, 10) == 6);
}

TEST_CASE("across lanes") {
    CHECK(computed_step("activemask.b32 %r6;").result(0xf0).lanes[4] == 0xf0);
    CHECK(computed_step("vote.sync.any.pred %p1, 1, -1;").result().lanes[0] == 1);
    const row_values up = computed_step("shfl.sync.up.b32 %r6, %r3, 1, 0, -1;").result();
    CHECK(up.lanes[0] == 0);
    CHECK(up.lanes[9] == 8);
    const row_values other = computed_step("shfl.sync.bfly.b32 %r6, %r4, 8, 31, -1;").result();
    CHECK(other.known == 0xff00);
    std::uint32_t lane = 30;
    CHECK_FALSE(shuffle_source(2, 4, 31, lane));
    CHECK(lane == 30);
    CHECK(shuffle_source(0, 7, 31, lane));
    CHECK(lane == 7);
    lane = 9;
    CHECK(shuffle_source(0, 1, 0x181f, lane));  // segments of eight lanes
    CHECK(lane == 9);
}

TEST_CASE("addresses to and from their window") {
    const ptx::link::address_windows windows(64);
    CHECK(computed_step("cvta.shared.u64 %d2, 16;").result().lanes[0] == windows.shared() + 16);
    CHECK(computed_step("cvta.to.local.u64 %d2, 0x6000000000000010;").result().lanes[0] == 16);
    CHECK(computed_step("cvta.global.u64 %d2, 16;").result().lanes[0] == 16);
}

}  // namespace lane_computer_test
