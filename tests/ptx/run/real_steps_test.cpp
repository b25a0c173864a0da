// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <string>

#include <doctest/doctest.h>

#include <warpgauge/ptx/link/modifiers.hpp>
#include <warpgauge/ptx/run/lane_computer.hpp>
#include <warpgauge/ptx/run/real_steps.hpp>
#include <warpgauge/ptx/trace/trace.hpp>

#include "one_step.hpp"

namespace real_steps_test {

using namespace warpgauge;
using namespace warpgauge::ptx::detail::run;

namespace {

struct computed_step : one_step<lane_computer<>> {
    explicit computed_step(const char* instruction) : one_step(instruction, 64U) {}
};

constexpr std::uint64_t bits_of(float v) {
    return std::bit_cast<std::uint32_t>(v);
}

// The result of one lane; all bits if it is not known.
std::uint64_t of(const char* opcode, float a, float b = 0, float c = 0) {
    step s;
    s.what = ptx::text::rule_of(opcode)->what;
    ptx::detail::link::read_modifiers(opcode, s);
    REQUIRE(s.what == action::real);
    std::uint64_t r = 0;
    return computed_real(s, bits_of(a), bits_of(b), bits_of(c), r) ? r : ~std::uint64_t{0};
}

// Rounds of a loop whose counter reaches the value of %r9, and what was assumed.
ptx::traced_kernel traced(const std::string& before, const std::string& in_loop,
                          std::uint32_t n = 100) {
    const parsed_text text(kernel_of(before + "mov.u32 %r8, 0;\nLOOP:\nadd.u32 %r8, %r8, 1;\n" +
                                     in_loop + "@%p1 bra LOOP;\nret;"));
    const auto k = ptx::find_kernel(text.module, "");
    REQUIRE(k);
    const ptx::argument arguments[]{n};
    const auto t = ptx::trace(*k, {{1}, {32}}, arguments);
    REQUIRE(t);
    return *t;
}
double rounds_of(const ptx::traced_kernel& t) {
    REQUIRE(t.loops.size() == 1);
    return t.loops[0].rounds;
}

}  // namespace

TEST_CASE("each operation") {
    CHECK(of("add.f32", 1.5F, 2) == bits_of(3.5F));
    CHECK(of("sub.rn.f32", 1.5F, 2) == bits_of(-0.5F));
    CHECK(of("mul.rz.f32", 3, -2) == bits_of(-6));
    CHECK(of("fma.rn.f32", 3, 2, 1) == bits_of(7));
    CHECK(of("div.rn.f32", 1, 4) == bits_of(0.25F));
    CHECK(of("rcp.rn.f32", 8) == bits_of(0.125F));
    CHECK(of("sqrt.rn.f32", 16) == bits_of(4));
    CHECK(of("min.f32", 0.0F, -0.0F) == bits_of(-0.0F));
    CHECK(of("max.f32", -0.0F, 0.0F) == bits_of(0));
    CHECK(of("max.f32", -3, 2) == bits_of(2));
    CHECK(of("abs.f32", -3) == bits_of(3));
    CHECK(of("neg.f32", 3) == bits_of(-3));
    CHECK(of("cvt.rni.f32.f32", 2.5F) == bits_of(2));
    CHECK(of("cvt.rpi.s32.f32", 2.5F) == 3);
    CHECK(of("cvt.f64.f32", 2.5F) == std::bit_cast<std::uint64_t>(2.5));
}

TEST_CASE("what is no number is not known") {
    const std::uint64_t unknown = ~std::uint64_t{0};
    CHECK(of("div.rn.f32", 1, 0) == unknown);
    CHECK(of("rcp.rn.f32", 0) == unknown);
    CHECK(of("sqrt.rn.f32", -1) == unknown);
    CHECK(of("mul.f32", 3e38F, 10) == unknown);
    CHECK(of("mul.ftz.f32", 1e-30F, 1e-10F) == unknown);  // flushed
    CHECK(of("mul.f32", 1e-30F, 1e-10F) == bits_of(1e-40F));
}

TEST_CASE("floats of lanes, where all are known") {
    CHECK(computed_step("cvt.rn.f32.u32 %f1, %r3;").result().lanes[31] == bits_of(31));
    CHECK(computed_step("cvt.rn.f32.u32 %f1, %r4;").result().known == 0);  // not from lane 8 on
    CHECK(computed_step("cvt.rn.f32.u32 %f1, %r4;").result(0xff).lanes[7] == bits_of(100));
    computed_step less("setp.ltu.f32 %p1|%p2, %r3, 0f00000001;");  // bits of subnormal numbers
    CHECK(lanes_that_hold(less.result(all_lanes, 0)) == 1);
    CHECK(lanes_that_hold(less.result(all_lanes, 1)) == 0xffff'fffe);
}

TEST_CASE("trip counts from floats that are known from integers") {
    // ceil(n * 0.3): as a float 0.3 is above it, but the product is rounded to 300.
    for (const bool up : {false, true}) {
        const auto t =
            traced(std::string("cvt.rn.f32.u32 %f1, %r1;\n") + (up ? "mul.rp.f32" : "mul.f32") +
                       " %f2, %f1, 0f3E99999A;\ncvt.rpi.s32.f32 %r9, %f2;\n",
                   "setp.lt.u32 %p1, %r8, %r9;\n", 1000);
        CHECK(rounds_of(t) == (up ? 301 : 300));
        CHECK(t.assumptions.empty());
    }
    // x = 1; while (x < n) x *= 2
    const auto doubled = traced("cvt.rn.f32.u32 %f1, %r1;\nmov.f32 %f2, 0f3F800000;\n",
                                "add.f32 %f2, %f2, %f2;\nsetp.lt.f32 %p1, %f2, %f1;\n", 1000);
    CHECK(rounds_of(doubled) == 10);
    CHECK(doubled.assumptions.empty());
}

TEST_CASE("a float parameter is known by its bytes") {
    const parsed_text text(
        ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .f32 x)\n{\n"
        ".reg .f32 %f<3>;\n.reg .b32 %r<3>;\n.reg .pred %p;\nld.param.f32 %f1, [x];\n"
        "cvt.rzi.s32.f32 %r1, %f1;\nmov.u32 %r2, 0;\nLOOP: add.s32 %r2, %r2, 1;\n"
        "setp.lt.s32 %p, %r2, %r1;\n@%p bra LOOP;\nret;\n}\n");
    const auto k = ptx::find_kernel(text.module, "");
    REQUIRE(k);
    const std::array<unsigned char, 4> seven_and_a_half{0, 0, 0xf0, 0x40};
    const ptx::argument given[]{ptx::argument(std::span<const unsigned char>(seven_and_a_half))};
    const auto t = ptx::trace(*k, {{1}, {32}}, given);
    REQUIRE(t);
    CHECK(rounds_of(*t) == 7);
}

TEST_CASE("a sum of floats does not keep a long loop from being multiplied") {
    const auto t = traced("mov.f32 %f2, 0f3F800000;\n",
                          "fma.rn.f32 %f2, %f2, %f2, 0f3F800000;\nadd.f32 %f3, %f3, 0f3F800000;\n"
                          "mul.f32 %f4, 0f3F800000, 0f3F800000;\nfma.rn.f32 %f5, %f4, %f4, %f5;\n"
                          "setp.lt.u32 %p1, %r8, %r1;\n",
                          100'000'000);
    CHECK(rounds_of(t) == 100'000'000);
    CHECK(t.assumptions.empty());
    CHECK(t.steps < 100'000);
}

TEST_CASE("infinities, zeros below zero, and the smaller or larger of two") {
    constexpr float infinity = std::bit_cast<float>(0x7f80'0000U);
    constexpr std::uint64_t open = ~std::uint64_t{0};
    CHECK(of("add.rn.f32", 1, infinity) == open);
    CHECK(of("fma.rn.f32", 1, 2, infinity) == open);
    CHECK(of("sqrt.rn.f32", -0.0F) == bits_of(-0.0F));
    CHECK(of("sqrt.rn.f32", -1) == open);
    CHECK(of("max.f32", 1, 2) == bits_of(2));
    CHECK(of("max.f32", 2, 1) == bits_of(2));
    CHECK(of("min.f32", 1, 2) == bits_of(1));
    CHECK(of("min.f32", 2, 1) == bits_of(1));
    step less{.compare = comparison::lt};
    less.from = {.bits = 32, .is_real = true};
    bool is_known = true;
    compared_reals(less, bits_of(1), bits_of(infinity), is_known);
    CHECK_FALSE(is_known);
    CHECK(compared_reals(less, bits_of(1), bits_of(2), is_known));
    CHECK(is_known);
    // Of numbers of 64 bits nothing is flushed.
    CHECK_FALSE(is_flushed({.flushes = true}, {.bits = 64, .is_real = true}, 1));
    CHECK(is_flushed({.flushes = true}, {.bits = 32, .is_real = true}, 1));
    const row_values both =
        computed_step("setp.lt.and.f32 %p1, 0f3F800000, 0f40000000, 1;").result();
    CHECK(both.known == all_lanes);
    CHECK(lanes_that_hold(both) == all_lanes);
}

}  // namespace real_steps_test
