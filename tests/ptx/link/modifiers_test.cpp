// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <warpgauge/ptx/link/modifiers.hpp>

namespace modifiers_test {

using namespace warpgauge::ptx::detail::link;
using warpgauge::operation;

namespace {

constexpr step read(std::string_view opcode) {
    step s;
    const auto* const rule = warpgauge::ptx::text::rule_of(opcode);
    s.what = rule == nullptr ? action::unknown : rule->what;
    read_modifiers(opcode, s);
    return s;
}

}  // namespace

TEST_CASE("parts of a product") {
    CHECK(read("mul.wide.s32").part == halves::wide);
}

TEST_CASE("types: of the result, then of the sources") {
    const step s = read("cvt.s64.u16");
    CHECK(s.what == action::convert);
    CHECK(s.type.bits == 64);
    CHECK(s.type.is_signed);
    CHECK(s.from.bits == 16);
    CHECK_FALSE(s.from.is_signed);
    CHECK(read("add.s32").from.is_signed);
}

TEST_CASE("what is not followed") {
    for (const char* opcode :
         {"add.sat.f32", "add.sat.s32", "cvt.rn.f16.f32", "mov.b128", "vote.uni.pred",
          "madc.lo.u32", "mad.lo.cc.u32", "prmt.b32.f4e", "prmt.b32.b4e", "prmt.b32.rc8",
          "prmt.b32.ecl", "prmt.b32.ecr", "prmt.b32.rc16", "redux.sync.add.f16", "redux.sync.s32",
          "cvt.rn.f32.f16", "cvt.rnx.f32.f64", "setp.ltx.f32", "frobnicate.u32"}) {
        CAPTURE(opcode);
        CHECK(read(opcode).what == action::unknown);
    }
    CHECK(read("mad.lo.cc.u32").loses_carry);
    CHECK_FALSE(read("add.cc.u32").loses_carry);
    CHECK(read("add.cc.u32").mode == 1);
    CHECK(read("mov.f32").what == action::move);  // its bits are
}

TEST_CASE("conversions: to or from a float, of 64 bits, and those that are none") {
    const auto check = [](operation op, const std::vector<const char*>& opcodes) {
        for (const char* opcode : opcodes) {
            CAPTURE(opcode);
            CHECK(read(opcode).op == op);
        }
    };
    check(operation::convert, {"cvt.rn.f32.s32", "cvt.rzi.s32.f32", "cvt.rn.f32.u8",
                               "cvt.rn.f16.f32", "cvt.rn.bf16.f32", "cvt.rn.f16x2.f32",
                               "cvt.rni.f32.f32", "cvt.rzi.s32.f16", "cvt.rn.f16.s32"});
    check(operation::convert_wide, {"cvt.f64.f32", "cvt.rn.f32.f64", "cvt.rn.f64.s32",
                                    "cvt.rn.f32.s64", "cvt.rzi.u64.f32", "cvt.rmi.f64.f64"});
    check(operation::other,
          {"cvt.u64.u32", "cvt.s64.s32", "cvt.u16.u32", "cvt.s32.s8", "cvt.f32.f16", "cvt.f32.bf16",
           "cvt.sat.f32.f32", "cvt.rna.tf32.f32", "cvta.to.global.u64"});
}

TEST_CASE("comparisons") {
    CHECK(read("setp.ge.s32").compare == comparison::ge);
    CHECK(read("setp.lo.u32").compare == comparison::lt);
    CHECK(read("setp.hs.u32").compare == comparison::ge);
    CHECK(read("setp.hs.u32").unsigned_compare);
    CHECK_FALSE(read("setp.ge.u32").unsigned_compare);
    CHECK(read("setp.lt.or.s32").mode == 2);
    CHECK(read("set.lt.u32.s32").all_ones);
    CHECK(read("setp.ls.u32").compare == comparison::le);
    CHECK(read("setp.ls.u32").unsigned_compare);
    CHECK(read("setp.hi.u32").compare == comparison::gt);
    CHECK(read("setp.eq.xor.s32").mode == 3);
    CHECK(read("setp.ltu.f32").compare == comparison::lt);
    for (const char* opcode : {"setp.lt.and.f32", "setp.lt.or.f32", "setp.lt.xor.f32"}) {
        CHECK(read(opcode).what == action::compare_reals);
    }
}

TEST_CASE("modes") {
    CHECK(read("vote.sync.ballot.b32").mode == 3);
    CHECK(read("shfl.sync.bfly.b32").mode == 3);
    CHECK(read("shfl.sync.idx.b32").mode == 0);
    CHECK(read("shf.r.wrap.b32").mode == 3);
    CHECK(read("bfind.shiftamt.u32").mode == 1);
    CHECK(read("bfind.other.u32").mode == 0);
    CHECK(read("mad24.lo.s32").op == operation::mul);
    CHECK(read("ld.v8.v8.b128.u32").lane_bytes == 32);
    CHECK(read("ld.v8.v8.v8.u32").lane_bytes == 32);
    CHECK_FALSE(read("subc.cc.u32").loses_carry);
    CHECK(read("cvta.to.global.u64").mode == 1);
}

TEST_CASE("spaces and widths of accesses") {
    CHECK(read("ld.global.v4.f32").lane_bytes == 16);
    CHECK(read("ld.global.v8.b64").lane_bytes == 32);  // more than an access is counted with
    CHECK(read("ld.global.b128").lane_bytes == 16);
    CHECK(read("ld.u8").lane_bytes == 1);
    CHECK(read("ld.u8").space == address_space::none);
    CHECK(read("st.shared::cta.u32").space == address_space::shared);
    CHECK(read("cp.async.ca.shared.global").space == address_space::global);
    CHECK(read("ld.const.f32").space == address_space::constant);
}

TEST_CASE("operations of a stream") {
    CHECK(read("div.s32").op == operation::div);
    CHECK(read("div.rn.f32").op == operation::div);
    CHECK(read("fma.rn.f32").op == operation::mul);
    CHECK(read("xor.b32").op == operation::bit_xor);
    CHECK(read("sin.approx.f32").op == operation::other);
    for (const char* opcode : {"shl.b32", "shr.s64", "shf.l.wrap.b32", "bfe.u32", "bfi.b32"}) {
        CAPTURE(opcode);
        CHECK(read(opcode).op == operation::shift);
    }
    for (const char* opcode : {"setp.lt.s32", "setp.gtu.and.f32", "set.eq.u32.f32"}) {
        CAPTURE(opcode);
        CHECK(read(opcode).op == operation::compare);
    }
    for (const char* opcode : {"popc.b32", "clz.b64", "brev.b32", "bfind.shiftamt.u32"}) {
        CAPTURE(opcode);
        CHECK(read(opcode).op == operation::count_bits);
    }
    CHECK(read("lop3.b32").op == operation::logic);
    CHECK(read("mad.lo.s32").op == operation::mul);
    CHECK(read("min.f32").op == operation::min);
}

}  // namespace modifiers_test
