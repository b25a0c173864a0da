// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <string_view>

#include <doctest/doctest.h>

#include <warpgauge/ptx/link/modifiers.hpp>
#include <warpgauge/ptx/link/real_modifiers.hpp>

namespace real_modifiers_test {

using namespace warpgauge::ptx::detail::link;

namespace {

constexpr step read(std::string_view opcode) {
    step s;
    const auto* const rule = warpgauge::ptx::text::rule_of(opcode);
    s.what = rule == nullptr ? action::unknown : rule->what;
    read_modifiers(opcode, s);
    return s;
}

real_operation operation_of_real(std::string_view opcode) {
    const step s = read(opcode);
    CHECK(s.what == action::real);
    return static_cast<real_operation>(s.mode);
}

}  // namespace

TEST_CASE("operations on floats and their rounding") {
    CHECK(operation_of_real("add.f32") == real_operation::add);
    CHECK(operation_of_real("cvt.rn.f32.s32") == real_operation::convert);
    CHECK(operation_of_real("cvt.rzi.s32.f32") == real_operation::convert);
    CHECK(operation_of_real("cvt.rmi.f32.f32") == real_operation::make_whole);
    CHECK(operation_of_real("cvt.f64.f32") == real_operation::convert);
    CHECK(read("cvt.rzi.s32.f32").round == rounding::zero);
    CHECK(read("fma.rp.ftz.f64").round == rounding::up);
    CHECK(read("fma.rp.ftz.f64").flushes);
    CHECK(sources_of_real(read("fma.rm.f32")) == 3);
    CHECK(sources_of_real(read("cvt.rpi.f32.f32")) == 1);
    CHECK(sources_of_real({.mode = 200}) == 0);
}

TEST_CASE("comparisons of floats") {
    const step s = read("setp.gtu.and.f32");
    CHECK(s.what == action::compare_reals);
    CHECK(s.compare == comparison::gt);
    CHECK(s.mode == 1);
}

TEST_CASE("approximations, halves and what saturates are not followed") {
    for (const char* opcode :
         {"div.approx.f32", "div.full.f32", "rcp.approx.ftz.f32", "sqrt.approx.f32", "div.f32",
          "add.sat.f32", "add.f16", "add.rn.f32x2", "cvt.rn.f16.f32", "cvt.rn.bf16.f32",
          "min.NaN.f32", "min.xorsign.abs.f32", "setp.num.f32", "set.lt.u32.f32", "ex2.approx.f32",
          "fma.rn.relu.f32", "fma.rn.f32.u64", "slct.f32.s32", "testp.normal.f32"}) {
        CAPTURE(opcode);
        CHECK(read(opcode).what == action::unknown);
    }
    CHECK(read("mov.f32").what == action::move);  // its bits are
    CHECK(read("selp.f32").what == action::select);
    CHECK(read("ld.global.f32").what == action::load);
}

}  // namespace real_modifiers_test
