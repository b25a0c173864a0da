// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels whose values are not known, but more of them than nothing.
#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include <warpgauge/ptx/text/parse.hpp>
#include <warpgauge/ptx/trace/trace.hpp>

#include "ptx/linked.hpp"

namespace unknown_values_test {

using namespace warpgauge;

namespace {

using ptx::argument;

struct traced_text {
    explicit traced_text(std::string_view body) : text(kernel_of(body)) {}

    ptx::traced_kernel operator()(const ptx::launch& l, std::initializer_list<argument> arguments,
                                  const ptx::trace_options& options = {}) const {
        const auto k = ptx::find_kernel(text.module, "");
        REQUIRE(k);
        const auto t = ptx::trace(*k, l, arguments, options);
        CAPTURE(t ? std::string_view() : std::string_view(message(t.error()).view()));
        REQUIRE(t);
        return *t;
    }

    parsed_text text;
};

// What a kernel that ends if `%p1` holds, and else waits at a barrier, shows: barriers of a warp.
double barriers(const std::string& code) {
    const traced_text kernel(code + "\n@%p1 bra OUT;\nbar.sync 0;\nOUT: ret;");
    const auto t = kernel({{1}, {32}}, {9});
    CHECK(t.assumptions.empty());
    return t.profile().sync_insts;
}

// `%r3`: another unknown value in each lane. `%r4`: one for all.
const std::string unknowns =
    "mad.wide.u32 %d2, %r2, 4, %d1;\nld.global.u32 %r3, [%d2];\nld.global.u32 %r4, [%d1];\n";

const ptx::memory_access& last_access(const ptx::traced_kernel& t) {
    REQUIRE_FALSE(t.accesses.empty());
    return t.accesses.back();
}

}  // namespace

TEST_CASE("one side decides, whatever the other is") {
    for (const char* code :
         {"setp.eq.u32 %p2, %r3, 7; setp.eq.u32 %p3, %r1, 9; or.pred %p1, %p2, %p3;",
          "setp.eq.u32 %p2, %r3, 7; setp.eq.or.u32 %p1, %r1, 9, %p2;",
          "setp.eq.u32 %p2, %r3, 7; setp.ne.u32 %p3, %r1, 9; and.pred %p2, %p2, %p3;"
          "not.pred %p1, %p2;",
          "and.b32 %r5, %r3, 0; setp.eq.u32 %p1, %r5, 0;",
          "mul.lo.u32 %r5, %r3, 0; setp.eq.u32 %p1, %r5, 0;",
          "mul.wide.s32 %d3, 0, %r3; setp.eq.u64 %p1, %d3, 0;",
          "mad.lo.u32 %r5, %r3, 0, 5; setp.eq.u32 %p1, %r5, 5;",
          "or.b32 %r5, %r3, -1; setp.eq.u32 %p1, %r5, -1;",
          "min.u32 %r5, %r3, 0; setp.eq.u32 %p1, %r5, 0;",
          "max.u32 %r5, %r3, -1; setp.eq.u32 %p1, %r5, -1;",
          "min.s32 %r5, %r3, 0x80000000; setp.eq.s32 %p1, %r5, 0x80000000;",
          "shl.b32 %r5, %r3, 32; setp.eq.u32 %p1, %r5, 0;",
          "rem.u32 %r5, %r3, 1; setp.eq.u32 %p1, %r5, 0;",
          "setp.eq.u32 %p2, %r3, 7; selp.u32 %r5, 4, 4, %p2; setp.eq.u32 %p1, %r5, 4;",
          "setp.eq.u32 %p2, %r3, 7; setp.lt.u32 %p3, %r2, 1; or.pred %p2, %p2, %p3;"
          "vote.sync.any.pred %p1, %p2, -1;"}) {
        const std::string_view shown = code;
        CAPTURE(shown);
        CHECK(barriers(unknowns + code) == 0);
    }
}

TEST_CASE("bits of an unknown value that are known") {
    for (const char* code :
         {"and.b32 %r5, %r3, 31; setp.lt.u32 %p1, %r5, 32;",
          "shl.b32 %r5, %r3, 5; add.u32 %r5, %r5, %r2; and.b32 %r5, %r5, 31; sub.u32 %r5, %r5, %r2;"
          "setp.eq.u32 %p1, %r5, 0;",
          "shl.b32 %r5, %r3, 2; or.b32 %r5, %r5, 1; setp.ne.u32 %p1, %r5, 4;",
          "bfe.u32 %r5, %r3, 3, 4; setp.le.u32 %p1, %r5, 15;",
          "shr.u32 %r5, %r3, 24; setp.lt.u32 %p1, %r5, 256;",
          "rem.u32 %r5, %r3, 10; setp.lt.u32 %p1, %r5, 16;",
          "cvt.u32.u8 %r5, %r3; setp.lt.u32 %p1, %r5, 256;",
          "ld.global.u8 %r5, [%d2]; add.u32 %r5, %r5, 7; setp.ge.u32 %p1, %r5, 7;",
          "setp.ge.u32 %p1, %r3, 0;",
          "and.b32 %r5, %r3, 7; max.u32 %r5, %r5, 9;"
          "setp.eq.u32 %p1, %r5, 9;"}) {
        const std::string_view shown = code;
        CAPTURE(shown);
        CHECK(barriers(unknowns + code) == 0);
    }
}

TEST_CASE("values of one base are compared, and their difference is known") {
    for (const char* code :
         {"add.u32 %r5, %r3, 4; sub.u32 %r5, %r5, %r3; setp.eq.u32 %p1, %r5, 4;",
          "add.u32 %r5, %r3, 4; setp.gt.u32 %p1, %r5, %r3;",
          "mad.lo.u32 %r5, %r3, 3, 2; add.u32 %r6, %r3, %r3; add.u32 %r6, %r6, %r3;"
          "sub.u32 %r5, %r5, %r6; setp.eq.u32 %p1, %r5, 2;",
          "mov.b64 %d3, {%r3, 0}; cvt.u64.u32 %d4, %r3; sub.u64 %d3, %d3, %d4;"
          "setp.eq.u64 %p1, %d3, 0;",
          "shl.b32 %r5, %r3, 3; add.u32 %r5, %r5, 16; shr.u32 %r6, %r5, 3; shl.b32 %r7, %r3, 3;"
          "shr.u32 %r7, %r7, 3; sub.u32 %r6, %r6, %r7; setp.eq.u32 %p1, %r6, 2;"}) {
        const std::string_view shown = code;
        CAPTURE(shown);
        CHECK(barriers(unknowns + code) == 0);
    }
    // for (j = start; j < start + 16; ++j), of one start for each lane
    const traced_text loop(unknowns +
                           "add.u32 %r5, %r3, 16;\nL: bar.sync 0;\nadd.u32 %r3, %r3, 1;\n"
                           "setp.lt.u32 %p1, %r3, %r5;\n@%p1 bra L;\nret;");
    const auto t = loop({{1}, {32}}, {9});
    CHECK(t.profile().sync_insts == 16);
    CHECK(t.assumptions.empty());
}

TEST_CASE("an array from where data says: as many sectors as side by side") {
    // x[start[blockIdx.x] + tid]
    const traced_text kernel(
        "mov.u32 %r5, %ctaid.x;\nmad.wide.u32 %d2, %r5, 4, %d1;\nld.global.u32 %r3, [%d2];\n"
        "add.u32 %r4, %r3, %r2;\nmad.wide.u32 %d3, %r4, 4, %d1;\nld.global.f32 %f1, [%d3];\nret;");
    const auto t = kernel({{64}, {128}}, {9});
    CHECK(last_access(t).transactions == 4);
    CHECK(last_access(t).bytes_moved == 128);
    CHECK(last_access(t).unknown_base);
    CHECK_FALSE(last_access(t).unknown_address);
    CHECK(t.profile().uncoalesced_mem_insts == 0);
    CHECK(t.touched.load_sectors == 5);
    CHECK(t.touched.lines == 2);
    REQUIRE(t.assumptions.size() == 1);
    CHECK(t.assumptions[0].what == ptx::assumed::base);

    // in[c * 65536 + x + (unsigned)by[c]], of bytes; c is the block's
    const traced_text offsets(
        "mov.u32 %r5, %ctaid.x;\nmad.wide.u32 %d2, %r5, 4, %d1;\nld.global.f32 %f2, [%d2];\n"
        "cvt.rzi.u32.f32 %r6, %f2;\nshl.b32 %r7, %r5, 16;\nadd.u32 %r7, %r7, %r2;\n"
        "add.u32 %r7, %r7, %r6;\ncvt.u64.u32 %d3, %r7;\nadd.s64 %d4, %d1, %d3;\n"
        "ld.global.u8 %r8, [%d4];\nret;");
    const auto bytes = offsets({{64}, {128}}, {9});
    CHECK(last_access(bytes).transactions == 1);
    CHECK(last_access(bytes).unknown_base);
}

TEST_CASE("groups of lanes with a base of their own") {
    // x[start[tid / 8] + tid % 8]: four starts in a warp
    const std::string grouped =
        "shr.u32 %r5, %r2, 3;\nmad.wide.u32 %d2, %r5, 4, %d1;\nld.global.u32 %r3, [%d2];\n"
        "and.b32 %r6, %r2, 7;\nadd.u32 %r4, %r3, %r6;\nmad.wide.u32 %d3, %r4, 4, %d1;\n";
    const auto eight = traced_text(grouped + "ld.global.f32 %f1, [%d3];\nret;")({{1}, {32}}, {9});
    CHECK(last_access(eight).transactions == 4);
    // The same as a stride of two words: two sectors a group.
    const auto wide = traced_text(grouped +
                                  "mad.wide.u32 %d3, %r6, 4, %d3;\n"
                                  "ld.global.f32 %f1, [%d3];\nret;")({{1}, {32}}, {9});
    CHECK(last_access(wide).transactions == 8);
    // A shuffle takes the base along.
    const auto from_first = traced_text(
        unknowns +
        "shfl.sync.idx.b32 %r5, %r3, 0, 31, -1;\nadd.u32 %r5, %r5, %r2;\n"
        "mad.wide.u32 %d3, %r5, 4, %d1;\nld.global.f32 %f1, [%d3];\nret;")({{1}, {32}}, {9});
    CHECK(last_access(from_first).transactions == 4);
    // And lanes that share nothing, none.
    const auto apart = traced_text(unknowns +
                                   "add.u32 %r5, %r3, %r2;\nmad.wide.u32 %d3, %r5, 4, "
                                   "%d1;\nld.global.f32 %f1, [%d3];\nret;")({{1}, {32}}, {9});
    CHECK(last_access(apart).transactions == 32);
    CHECK(last_access(apart).unknown_address);
}

TEST_CASE("banks and constants at an unknown base") {
    const auto at = [](const std::string& code) {
        return traced_text(unknowns + code + "ret;")({{1}, {32}}, {9});
    };
    const auto stride =
        at("mad.lo.u32 %r5, %r2, 2, %r4;\nshl.b32 %r5, %r5, 2;\n"
           "mov.u32 %r6, tile;\nadd.u32 %r6, %r6, %r5;\n"
           "ld.shared.f32 %f1, [%r6];\n");
    CHECK(last_access(stride).transactions == 2);  // two-way conflicts, from wherever
    const auto uniform = at("shl.b32 %r5, %r4, 2;\nld.const.u32 %r6, [%r5];\n");
    CHECK(last_access(uniform).transactions == 1);
    CHECK(last_access(uniform).unknown_base);
}

TEST_CASE("a guard whose limit nobody knows keeps warps whole") {
    const traced_text kernel(
        "mov.u32 %r3, %ctaid.x;\nmad.lo.u32 %r4, %r3, 128, %r2;\nsetp.ge.u32 %p1, %r4, %r1;\n"
        "@%p1 bra OUT;\nmad.wide.u32 %d2, %r4, 4, %d1;\nld.global.f32 %f1, [%d2];\n"
        "OUT: ret;");
    const auto t = kernel({{64}, {128}}, {argument::unknown()}, {.blocks = ptx::sampling::all});
    CHECK(t.active_lanes == 32);
    CHECK(t.divergent_insts == 0);
    CHECK(last_access(t).executions == doctest::Approx(0.5).epsilon(0.01));  // half of the warps
    CHECK(last_access(t).active_lanes == 32);
    CHECK(last_access(t).transactions == 4);
    REQUIRE(t.assumptions.size() == 1);
    CHECK(t.assumptions[0].what == ptx::assumed::branch);
    CHECK(t.assumptions[0].by_warp);
    const ptx::hint hints[]{{.label = "OUT", .probability = 0}};
    const auto all = kernel({{64}, {128}}, {argument::unknown()}, {.hints = hints});
    CHECK(last_access(all).executions == 1);

    // for (i = tid; i < n; i += 32): as many rounds in all lanes
    const traced_text loop(
        "L: bar.sync 0;\nadd.u32 %r2, %r2, 32;\nsetp.lt.u32 %p1, %r2, %r1;\n@%p1 bra L;\nret;");
    const auto rounds = loop({{1}, {64}}, {argument::unknown()}, {.default_rounds = 2.5});
    CHECK(rounds.divergent_insts == 0);
    CHECK(rounds.assumptions[0].by_warp);
}

TEST_CASE("of the warps that go one way, some go each way of the next branch") {
    // if (m > 5) { if (n > 5) load else barrier }, with m and n of a block's own
    const std::string asked =
        "mov.u32 %r3, %ctaid.x;\nmul.wide.u32 %d2, %r3, 4;\nadd.u64 %d2, %d1, %d2;\n"
        "ld.global.u32 %r4, [%d2];\nld.global.u32 %r5, [%d2+4096];\n"
        "setp.le.u32 %p1, %r4, 5;\n@%p1 bra OUT;\nsetp.gt.u32 %p2, %r5, 5;\n@%p2 bra BOTH;\n"
        "bar.sync 0;\nbra.uni OUT;\nBOTH: mul.wide.u32 %d3, %r2, 4;\nadd.u64 %d3, %d1, %d3;\n"
        "ld.global.f32 %f1, [%d3];\nOUT: ret;";
    for (const auto blocks : {ptx::sampling::all, ptx::sampling::representative}) {
        const auto t = traced_text(asked)({{400}, {128}}, {9}, {.blocks = blocks});
        CHECK(t.divergent_insts == 0);
        CHECK(last_access(t).executions == doctest::Approx(0.25).epsilon(0.1));
        CHECK(t.profile().sync_insts == doctest::Approx(0.25).epsilon(0.1));
    }
}

TEST_CASE("what is asked twice has one answer") {
    const std::string asked =
        "setp.lt.u32 %p1, %r4, 5;\n@%p1 bra A;\nbar.sync 0;\n"
        "A: setp.ge.u32 %p2, %r4, 5;\n@!%p2 bra OUT;\nbar.sync 0;\nOUT: ret;";
    const auto t = traced_text(unknowns + asked)({{8}, {128}}, {9}, {.blocks = ptx::sampling::all});
    CHECK(t.profile().sync_insts == doctest::Approx(1).epsilon(0.1));  // 2 or none
    CHECK(t.divergent_insts == 0);
    for (const double share : t.unit_insts) CHECK(share >= 0);
    double both = 0;
    for (const auto& a : t.assumptions) both += a.by_warp ? 1 : 0;
    CHECK(both == 2);
    // A hint for the second goes first.
    const ptx::hint hints[]{{.label = "OUT", .probability = 1}};
    const auto hinted = traced_text(unknowns + asked)(
        {{8}, {128}}, {9}, {.blocks = ptx::sampling::all, .hints = hints});
    CHECK(hinted.profile().sync_insts == doctest::Approx(0.5).epsilon(0.1));
}

TEST_CASE("a loop that counts an unknown number down ends") {
    // r = n & 3; while (r != 0) --r
    const traced_text kernel(
        "and.b32 %r3, %r1, 3;\nL: add.u32 %r3, %r3, -1;\nbar.sync 0;\nsetp.ne.u32 %p1, %r3, 0;\n"
        "@%p1 bra L;\nret;");
    const auto t = kernel({{1}, {32}}, {argument::unknown()});
    CHECK(t.profile().sync_insts == 10);
}

}  // namespace unknown_values_test
