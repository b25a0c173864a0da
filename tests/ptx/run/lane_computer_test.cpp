// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>
#include <cstdint>
#include <string>

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

TEST_CASE("an address of which a part is not known stays near its window") {
    const ptx::link::address_windows windows(64);
    const auto converted = [](const char* instruction, std::uint64_t offset) {
        computed_step s(instruction);
        row_values& from = s.file.at(s.k.source(s.k.body(1)));
        from.lanes.fill(offset);
        from.known = 0;
        return s.result().lanes[3];
    };
    CHECK(converted("cvta.shared.u64 %d2, %d3;", 0 - std::uint64_t{64}) == windows.shared() - 64);
    CHECK(converted("cvta.to.shared.u64 %d2, %d3;", windows.shared() - 64) ==
          0 - std::uint64_t{64});
    CHECK(converted("cvta.global.u64 %d2, %d3;", 0 - std::uint64_t{64}) == 0 - std::uint64_t{64});
}

TEST_CASE("one of two addresses in a memory is an address there") {
    const ptx::link::address_windows windows(64);
    const auto selected = [](std::uint64_t a, std::uint64_t b) {
        computed_step s("selp.b64 %d2, %d3, %d4, %p1;");
        const step& select = s.k.body(1);
        fill(s.file.at(s.k.source(select, 0)), a);
        fill(s.file.at(s.k.source(select, 1)), b);
        const row_values r = s.result();
        CHECK(r.known == 0);
        return r.lanes[3];
    };
    CHECK(selected(windows.shared() + 8, windows.shared() + 64) == windows.shared());
    CHECK(selected(windows.shared() + 8, std::uint64_t{1} << 40) == 0);
}

TEST_CASE("both signs, and products that are cut") {
    const auto lane_0 = [](const char* instruction) {
        return computed_step(instruction).result().lanes[0];
    };
    CHECK(lane_0("mul.hi.s64 %d2, 0x4000000000000000, 8;") == 2);
    CHECK(lane_0("mul.hi.s64 %d2, -1, 8;") == ~std::uint64_t{0});
    CHECK(lane_0("mul.wide.u64 %d2, 3, 5;") == 15);
    CHECK(lane_0("rem.s32 %r6, 7, -1;") == 0);
    CHECK(lane_0("bfind.s32 %r6, 5;") == 2);
    CHECK(lane_0("bfind.s32 %r6, -5;") == 2);
    CHECK(lane_0("abs.s32 %r6, 5;") == 5);
    CHECK(lane_0("abs.s32 %r6, -5;") == 5);
    CHECK(lane_0("sad.s32 %r6, 7, 5, 1;") == 3);
    CHECK(lane_0("sad.s32 %r6, 5, 7, 1;") == 3);
    CHECK(lane_0("slct.s32.s32 %r6, 7, 5, 0;") == 7);
    CHECK(lane_0("slct.s32.s32 %r6, 7, 5, -1;") == 5);
}

TEST_CASE("carries that come in") {
    const auto carried = [](const char* instruction) {
        computed_step s(instruction);
        row_values& in = s.file.at(ptx::link::carry);
        fill(in, 1);
        in.known = all_lanes;
        const row_values out = s.result();
        CHECK(s.file.at(ptx::link::carry).known == out.known);
        return std::array{out.lanes[5], s.file.at(ptx::link::carry).lanes[5],
                          std::uint64_t{out.known}};
    };
    using values = std::array<std::uint64_t, 3>;
    CHECK(carried("subc.cc.u32 %r6, %r3, 5;") == values{0xffff'ffff, 1, all_lanes});
    CHECK(carried("subc.cc.u32 %r6, %r3, 4;") == values{0, 0, all_lanes});
    CHECK(carried("addc.cc.u32 %r6, %r3, 0xffffffff;") == values{5, 1, all_lanes});
    CHECK(carried("addc.cc.u32 %r6, %r3, 1;") == values{7, 0, all_lanes});
    CHECK(carried("addc.cc.u32 %r6, %r3, %r4;") == values{106, 0, 0xff});
    CHECK(carried("add.cc.u32 %r6, %r3, %r4;") == values{105, 0, 0xff});
}

TEST_CASE("what is known of a result of which some lanes are not") {
    const row_values packed = computed_step("mov.b64 %d2, {%r3, %r4};").result();
    CHECK(packed.known == 0xff);
    CHECK(packed.lanes[5] == (std::uint64_t{100} << 32 | 5));
    CHECK(computed_step("set.lt.u32.u32 %r6, %r4, 5;").result().known == 0xff);
    // A comparison that nobody combines has two sources.
    CHECK(lanes_that_hold(computed_step("setp.lt.u32 %p1, %r3, 4, 0;").result()) == 0xf);
    const row_values either = computed_step("setp.lt.xor.u32 %p1, %r4, 4, 1;").result();
    CHECK(either.known == 0xff);
    CHECK((lanes_that_hold(either) & 0xff) == 0xff);
    CHECK(computed_step("setp.lt.xor.u32 %p1, %r3, 4, %p2;").result().known == 0);
    // Lanes that all take one side are as that side.
    computed_step first("selp.u32 %r6, %r4, %r3, 1;");
    CHECK(first.result().known == 0xff);
    CHECK(first.result().base.breaks ==
          first.file.at(first.k.source(first.k.body(0), 1)).base.breaks);
    computed_step second("selp.u32 %r6, %r3, %r4, 0;");
    CHECK(second.result().known == 0xff);
    CHECK(second.result().lanes[3] == 100);
}

TEST_CASE("more parts than a register has bits, and parts of what nobody knows") {
    std::string parts = "%h1";
    for (int n = 0; n < 32; ++n) parts += ", %h1";
    CHECK(computed_step(("mov.b32 %r6, {" + parts + "};").c_str()).result().lanes[5] == 0);
    CHECK(computed_step(("mov.b32 {" + parts + "}, %r3;").c_str()).result().lanes[5] == 0);
    // The upper half of what nobody knows is what nobody knows.
    computed_step halves("mov.b32 {%h1, %h2}, %r4;");
    CHECK(halves.result().known == 0xff);
    CHECK(halves.result(0xffff'ffff, 1).known == 0xff);
    CHECK(halves.result(0xffff'ffff, 1).lanes[3] == 0);
}

}  // namespace lane_computer_test
