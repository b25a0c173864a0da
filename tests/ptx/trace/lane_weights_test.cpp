// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <warpgauge/ptx/trace/lane_weights.hpp>

namespace lane_weights_test {

using namespace warpgauge;
using ptx::detail::trace::lane_weight;

TEST_CASE("packed halves take as many lanes of single precision as their rate says") {
    struct {
        compute_capability cc;
        double half, bf16;
    } const all[]{{{6, 0}, 1, 1},   {{6, 1}, 128, 128}, {{7, 5}, 1, 1},
                  {{8, 0}, 0.5, 1}, {{8, 6}, 2, 2},     {{8, 9}, 2, 2},
                  {{9, 0}, 1, 1},   {{10, 0}, 1, 1},    {{12, 0}, 2, 2}};
    for (const auto& a : all) {
        CAPTURE(int(a.cc.major));
        CHECK(lane_weight("fma.rn.f16x2", a.cc) == a.half);
        CHECK(lane_weight("add.f16", a.cc) == a.half);
        CHECK(lane_weight("mul.bf16x2", a.cc) == a.bf16);
        CHECK(lane_weight("fma.rn.f32", a.cc) == 1);
        CHECK(lane_weight("dp4a.s32.s32", a.cc) == 1);
        CHECK(lane_weight("ld.global.f16", a.cc) == 1);
    }
}

TEST_CASE("pairs of single precision, and special functions of packed halves") {
    CHECK(lane_weight("fma.rn.f32x2", {10, 0}) == 2);
    CHECK(lane_weight("add.f32.f16", {10, 0}) == 1);
    CHECK(lane_weight("ex2.approx.ftz.bf16x2", {9, 0}) == 2);
    CHECK(lane_weight("ex2.approx.f32", {9, 0}) == 1);
    CHECK(lane_weight("cvt.rn.f16x2.f32", {9, 0}) == 1);
}

}  // namespace lane_weights_test
