// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <warpgauge/ptx/link/lane_by_lane.hpp>

namespace lane_by_lane_test {

using warpgauge::ptx::detail::link::is_lane_by_lane, warpgauge::ptx::text::rule_of;

TEST_CASE("arithmetic works lane by lane, what lanes do together does not") {
    for (const char* opcode :
         {"fma.rn.f32", "add.s32", "sin.approx.f32", "ld.global.f32", "mov.u32"}) {
        CAPTURE(opcode);
        CHECK(is_lane_by_lane(rule_of(opcode)));
    }
    for (const char* opcode :
         {"atom.global.add.u32", "redux.sync.add.s32", "vote.sync.any.pred",
          "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", "tex.2d.v4.f32.f32",
          "ldmatrix.sync.aligned.m8n8.x4.shared.b16", "elect.sync", "no_such_opcode"}) {
        CAPTURE(opcode);
        CHECK_FALSE(is_lane_by_lane(rule_of(opcode)));
    }
}

}  // namespace lane_by_lane_test
