// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <string_view>
#include <thread>

#include <warpgauge/kernel/task_list.hpp>
#include <warpgauge/ptx.hpp>
#include <warpgauge/ptx/trace/record_requests.hpp>
#include <warpgauge/warpgauge.hpp>

#include "ptx/all_of_trace.hpp"
#include "ptx/kernels.hpp"

namespace trace_test {

using namespace warpgauge;

namespace {

using ptx::argument;

ptx::traced_kernel traced(const ptx::module& m, const ptx::launch& l,
                          std::initializer_list<argument> arguments,
                          const ptx::trace_options& options = {}) {
    const auto k = ptx::find_kernel(m, "");
    REQUIRE(k);
    auto t = ptx::trace(*k, l, arguments, options);
    CAPTURE(t ? std::string_view() : std::string_view(message(t.error()).view()));
    REQUIRE(t);
    return *t;
}

model_error error_of(std::string_view text, const ptx::launch& l,
                     std::initializer_list<argument> arguments,
                     const ptx::trace_options& options = {}) {
    const auto m = ptx::parse(text);
    REQUIRE(m);
    const auto k = ptx::find_kernel(*m, "");
    REQUIRE(k);
    const auto t = ptx::trace(*k, l, arguments, options);
    REQUIRE_FALSE(t);
    return t.error();
}

// A kernel of one parameter `n` and a pointer, with registers of every kind.
std::string kernel(std::string_view body, std::string_view functions = {}) {
    return std::string(".version 7.0\n.target sm_75\n.address_size 64\n") + std::string(functions) +
           ".visible .entry k(.param .u32 n, .param .u64 data)\n{\n"
           ".reg .pred %p<9>;\n.reg .b16 %h<9>;\n.reg .b32 %r<40>;\n.reg .b64 %d<20>;\n"
           ".reg .f32 %f<9>;\n.shared .align 4 .b8 tile[4096];\n"
           "ld.param.u32 %r1, [n];\nld.param.u64 %d1, [data];\nmov.u32 %r2, %tid.x;\n" +
           std::string(body) + "\n}\n";
}
constexpr double head = 3;  // instructions before the body

const ptx::memory_access& access(const ptx::traced_kernel& t, std::string_view opcode,
                                 std::size_t which = 0) {
    for (const ptx::memory_access& a : t.accesses) {
        if (a.opcode == opcode && which-- == 0) return a;
    }
    FAIL("no such access");
    return t.accesses[0];
}

}  // namespace

TEST_CASE("saxpy: coalesced, and every instruction counted") {
    const std::string text = kernel_text("saxpy");
    const auto m = ptx::parse(text);
    REQUIRE(m);
    // 2^20 threads for 10^6 elements: 31,250 warps of 32,768 go on past the guard.
    const auto t = traced(*m, {{4096}, {256}}, {1'000'000});
    for (const char* opcode : {"ld.global.f32", "st.global.f32"}) {
        const auto& a = access(t, opcode);
        CHECK(a.transactions == 4);
        CHECK(a.min_transactions == 4);
        CHECK(a.bytes_moved == 128);
        CHECK(a.lines == 1);
        CHECK(a.source_line == 5);
        CHECK(a.executions == doctest::Approx(31'250.0 / 32'768).epsilon(1e-12));
    }
    // By hand, from the text: 10 up to the branch, 10 after it, of which 3 access memory; the others
    // go to the return.
    const double on = 31'250, off = 32'768 - on;
    CHECK(t.warp_insts * 32'768 == doctest::Approx(20 * on + 11 * off).epsilon(1e-12));
    CHECK(t.profile().coalesced_mem_insts * 32'768 == doctest::Approx(3 * on).epsilon(1e-12));
    CHECK(t.profile().uncoalesced_mem_insts == 0);
    CHECK(t.profile().bytes_per_access == 4);
    CHECK(t.assumptions.empty());
    CHECK(t.warps == 32'768);
    CHECK(t.blocks_traced == 3);  // a block before the end, the one with the end, one after
}

TEST_CASE("transpose: 32 transactions on one side, and banks with and without padding") {
    const std::string text = kernel_text("transpose");
    const auto m = ptx::parse(text);
    REQUIRE(m);
    const auto of = [&](std::string_view name) {
        const auto t = ptx::trace(*ptx::find_kernel(*m, name), {{32, 32}, {32, 32}}, {1024});
        REQUIRE(t);
        return *t;
    };
    const auto naive = of("transpose_naive");
    CHECK(access(naive, "ld.global.f32").transactions == 4);
    CHECK(access(naive, "st.global.f32").transactions == 32);
    CHECK(naive.profile().uncoalesced_mem_insts == 1);
    CHECK(naive.profile().transactions_per_uncoalesced == 32);
    const auto shared = of("transpose_shared");
    CHECK(access(shared, "st.global.f32").transactions == 4);
    CHECK(access(shared, "st.shared.f32").transactions == 1);
    CHECK(access(shared, "ld.shared.f32").transactions == 32);
    CHECK(shared.static_shared_bytes == 32 * 32 * 4);
    const auto padded = of("transpose_padded");
    CHECK(access(padded, "ld.shared.f32").transactions == 1);
    CHECK(padded.static_shared_bytes == 32 * 33 * 4);
    CHECK(padded.profile().sync_insts == 1);
}

TEST_CASE("strides of 1 to 32 words, on every generation") {
    const std::string text = kernel(
        "mul.lo.s32 %r3, %r2, %r1;\nmul.wide.s32 %d2, %r3, 4;\nadd.s64 %d3, %d1, %d2;\n"
        "ld.global.f32 %f1, [%d3];\nret;");
    const auto m = ptx::parse(text);
    REQUIRE(m);
    for (std::uint32_t stride = 1; stride <= 32; ++stride) {
        CAPTURE(stride);
        const auto transactions = [&](compute_capability cc) {
            return traced(*m, {{1}, {32}}, {stride}, {.capability = cc})
                .accesses.at(0)
                .transactions;
        };
        // Sectors of 8 words and lines of 32 that 32 words a stride apart touch.
        CHECK(transactions({7, 5}) == (stride >= 8 ? 32 : 31 * stride / 8 + 1));
        CHECK(transactions({2, 0}) == 31 * stride / 32 + 1);
        // Each lane on its own unless in order; and segments of 128 B of 16 lanes each.
        CHECK(transactions({1, 0}) == (stride == 1 ? 2 : 32));
        const std::uint32_t first = 15 * stride / 32 + 1;
        const std::uint32_t second = 31 * stride / 32 - 16 * stride / 32 + 1;
        CHECK(transactions({1, 3}) == first + second);
    }
}

// Fig. 13 of Hong & Kim 2009, with the index calculation that the paper leaves out in its plainest form;
// launched as in the example: 80 blocks of 128 threads, three rounds, the inner loop once.
constexpr std::string_view figure_13 = R"(
.version 1.4
.target sm_10
.entry tiled(.param .u32 M, .param .u32 N, .param .u32 P, .param .u32 last)
{
.reg .u32 %r<30>; .reg .f32 %f<8>; .reg .pred %p<4>;
.shared .align 4 .b8 Msub[512];
.shared .align 4 .b8 Nsub[512];
ld.param.u32 %r23, [M]; ld.param.u32 %r19, [N]; ld.param.u32 %r27, [P]; ld.param.u32 %r25, [last];
mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; mov.u32 %r14, Msub; mov.u32 %r15, Nsub;
add.u32 %r23, %r23, %r2; add.u32 %r19, %r19, %r2; add.u32 %r27, %r27, %r2;
add.u32 %r14, %r14, %r2; add.u32 %r15, %r15, %r2;
mov.f32 %f1, 0f00000000; mov.u32 %r21, %r25; sub.u32 %r24, %r25, 1;
$OUTERLOOP:
ld.global.f32 %f2, [%r23+0];
st.shared.f32 [%r14+0], %f2;
ld.global.f32 %f3, [%r19+0];
st.shared.f32 [%r15+0], %f3;
bar.sync 0;
ld.shared.f32 %f4, [%r14+0];
ld.shared.f32 %f5, [%r15+0];
mad.f32 %f1, %f4, %f5, %f1;
bar.sync 0;
setp.le.s32 %p2, %r24, %r21;
sub.u32 %r21, %r21, 1;
@%p2 bra $OUTERLOOP;
st.global.f32 [%r27+0], %f1;
exit;
}
)";

TEST_CASE("the worked example of Hong & Kim 2009, from the text of fig. 13") {
    const auto m = ptx::parse(figure_13);
    REQUIRE(m);
    const auto t = traced(*m, {{80}, {128}}, {{}, {}, {}, 3});
    const kernel_profile<> k = t.profile();
    CHECK(t.assumptions.empty());
    // 12 instructions a round where the figure has 11: it leaves out the counter's. So 3 rounds of 7
    // computations, 2 barriers and the counter; 2 loads. The paper's 27 has the barriers in it and
    // not what stands before and after the loop; its 6 has not the store.
    const double before = 16, after = 1;  // `exit`
    const double counter = 3;
    CHECK(k.comp_insts - before - after - counter == 21);
    CHECK(k.sync_insts == 6);
    CHECK(k.comp_insts - before - after - counter + k.sync_insts == 27);
    // The figure's accesses are in order here; the paper takes them as not, of data of any width.
    CHECK(k.coalesced_mem_insts - 1 == 6);
    CHECK(k.uncoalesced_mem_insts == 0);
    CHECK(k.threads_per_block == 128);
    CHECK(k.blocks == 80);
    // Rolled up again: the loop is one entry, three times 12.
    std::size_t loops = 0;
    for (const instruction& i : t.stream) {
        if (i.unit != unit_kind::loop) continue;
        ++loops;
        CHECK(i.loop_count == 3);
        CHECK(i.loop_length == 12);
    }
    CHECK(loops == 1);
    // A misaligned first column makes them uncoalesced on that GPU: 32 transactions, as the paper has.
    const auto off = traced(*m, {{80}, {128}}, {0x1000'0004, 0x2000'0004, {}, 3});
    CHECK(off.profile().uncoalesced_mem_insts == 6);
    CHECK(off.profile().transactions_per_uncoalesced == 32);
}

TEST_CASE("tiled matrix multiplication of our own: three rounds of the outer loop") {
    const std::string text = kernel_text("matmul");
    const auto m = ptx::parse(text);
    REQUIRE(m);
    const auto t = ptx::trace(*ptx::find_kernel(*m, "matmul_tiled"), {{3, 3}, {16, 16}}, {48});
    REQUIRE(t);
    const kernel_profile<> k = t->profile();
    // By hand, from the text: 32 before the loop; 63 a round, of which 2 loads and 2 barriers, 34
    // accesses of shared memory and 16 multiplications; 7 after it, of which a store.
    CHECK(k.sync_insts == 6);
    CHECK(k.coalesced_mem_insts == 6 + 1);
    CHECK(k.comp_insts == 32 + 3 * (63 - 4) + 6);
    CHECK(t->insts_of(unit_kind::shared_memory) == 3 * 34);
    CHECK(t->insts_of(unit_kind::single_precision) == 3 * 16);
    const auto mix = mix_of(t->stream);
    REQUIRE(mix);
    CHECK(mix->executed() == t->warp_insts);
    CHECK(t->stream.size() == 32 + 1 + 63 + 7);
}

TEST_CASE("loops run as often as they are counted, with a lane of its own each") {
    const std::string text = kernel(
        "mov.u32 %r3, 0;\n"
        "L: add.u32 %r3, %r3, 1;\nsetp.lt.u32 %p1, %r3, %r1;\n@%p1 bra L;\nret;");
    const auto m = ptx::parse(text);
    REQUIRE(m);
    for (const std::uint32_t n : {1U, 2U, 7U, 1000U}) {
        const auto t = traced(*m, {{2}, {64}}, {n});
        CHECK(t.warp_insts == head + 1 + 3 * n + 1);
        CHECK(t.stream.size() == static_cast<std::size_t>(head) + 1 + (n > 1 ? 1 : 0) + 3 + 1);
    }
    // Lane l runs l % 32 + 1 rounds: the warp runs 32, with ever fewer lanes.
    const std::string own = kernel(
        "mov.u32 %r3, 0;\nmov.u32 %r4, %laneid;\n"
        "L: setp.ge.u32 %p1, %r3, %r4;\nadd.u32 %r3, %r3, 1;\n@!%p1 bra L;\nbar.sync 0;\nret;");
    const auto mine = ptx::parse(own);
    REQUIRE(mine);
    const auto t = traced(*mine, {{1}, {32}}, {0});
    CHECK(t.warp_insts == head + 2 + 3 * 32 + 2);
    const double lanes = 32 * (head + 2) + 3 * (32.0 * 33 / 2) + 2 * 32;
    CHECK(t.active_lanes == doctest::Approx(lanes / t.warp_insts));
    CHECK(t.profile().sync_insts == 1);  // they meet again before it
}

TEST_CASE("divergence: both sides one after the other, then together") {
    const std::string text = kernel(
        "setp.lt.u32 %p1, %r2, %r1;\n@%p1 bra THEN;\n"
        "add.u32 %r3, %r2, 1;\nadd.u32 %r3, %r3, 1;\nbra JOIN;\n"
        "THEN: sub.u32 %r3, %r2, 1;\n"
        "JOIN: bar.sync 0;\nret;");
    const auto m = ptx::parse(text);
    REQUIRE(m);
    CHECK(traced(*m, {{1}, {32}}, {0}).warp_insts == head + 2 + 3 + 2);
    CHECK(traced(*m, {{1}, {32}}, {32}).warp_insts == head + 2 + 1 + 2);
    const auto both = traced(*m, {{1}, {32}}, {10});
    CHECK(both.warp_insts == head + 2 + 3 + 1 + 2);
    CHECK(both.divergent_insts == 4);
    CHECK(both.active_lanes ==
          doctest::Approx((32 * (head + 2) + 22 * 3 + 10 + 64) / both.warp_insts));
}

// Every snippet leaves its answer in %r10; a wrong one goes to a barrier.
TEST_CASE("integer instructions compute what the language says") {
    struct row {
        const char* code;
        std::uint32_t answer;
    };
    const row rows[] = {
        {"mad.lo.s32 %r10, 7, -3, 5;", 0xffff'fff0},
        {"mul.hi.s32 %r10, 0x40000000, -8;", 0xffff'fffe},
        {"mul.hi.u32 %r10, 0x80000000, 6;", 3},
        {"mul.wide.s32 %d2, -2, 3; cvt.u32.u64 %r10, %d2;", 0xffff'fffa},
        {"mul.wide.s32 %d2, -2, 3; shr.u64 %d2, %d2, 32; cvt.u32.u64 %r10, %d2;", 0xffff'ffff},
        {"mul.wide.u16 %r10, 0xffff, 0xffff;", 0xfffe'0001},
        {"mul24.lo.s32 %r10, 0x1000003, 5;", 15},
        {"mul24.hi.u32 %r10, 0xffffff, 0xffffff;", 0xffff'fe00},
        {"mad.hi.u64 %d2, 0x8000000000000000, 4, 1; cvt.u32.u64 %r10, %d2;", 3},
        {"mul.hi.s64 %d2, -1, 1; cvt.u32.u64 %r10, %d2;", 0xffff'ffff},
        {"div.s32 %r10, -7, 2;", 0xffff'fffd},
        {"div.u32 %r10, -7, 2;", 0x7fff'fffc},
        {"div.s32 %r10, 0x80000000, -1;", 0x8000'0000},
        {"rem.s32 %r10, -7, 2;", 0xffff'ffff},
        {"abs.s32 %r10, -9;", 9},
        {"neg.s32 %r10, 9;", 0xffff'fff7},
        {"min.s32 %r10, -1, 1;", 0xffff'ffff},
        {"min.u32 %r10, -1, 1;", 1},
        {"max.s16 %h1, -4, 3; cvt.u32.u16 %r10, %h1;", 3},
        {"sad.s32 %r10, -3, 4, 100;", 107},
        {"and.b32 %r10, 12, 10;", 8},
        {"or.b32 %r10, 12, 10;", 14},
        {"xor.b32 %r10, 12, 10;", 6},
        {"not.b32 %r10, 0xf;", 0xffff'fff0},
        {"cnot.b32 %r10, 0;", 1},
        {"lop3.b32 %r10, 0xf0, 0xcc, 0xaa, 0x96;", (0xf0 ^ 0xcc ^ 0xaa)},
        {"shl.b32 %r10, 1, 31;", 0x8000'0000},
        {"shl.b32 %r10, 1, 32;", 0},
        {"shr.s32 %r10, -16, 2;", 0xffff'fffc},
        {"shr.s32 %r10, -16, 99;", 0xffff'ffff},
        {"shr.u32 %r10, -16, 28;", 0xf},
        {"shf.l.wrap.b32 %r10, 0x80000001, 0x12345678, 36;", 0x2345'6788},
        {"shf.r.clamp.b32 %r10, 0x80000001, 0x12345678, 40;", 0x1234'5678},
        {"bfe.u32 %r10, 0xabcd1234, 8, 12;", 0xd12},
        {"bfe.s32 %r10, 0xabcd1234, 8, 12;", 0xffff'fd12},
        {"bfe.s32 %r10, 0x80000000, 28, 12;", 0xffff'fff8},
        {"bfi.b32 %r10, 0xff, 0, 4, 8;", 0xff0},
        {"bfind.u32 %r10, 0x8000;", 15},
        {"bfind.s32 %r10, -1;", 0xffff'ffff},
        {"bfind.shiftamt.u32 %r10, 0x8000;", 16},
        {"bmsk.clamp.b32 %r10, 1, 4;", 0x1e},
        {"bmsk.clamp.b32 %r10, 28, 9;", 0xf000'0000},
        {"bmsk.clamp.b32 %r10, 3, 32;", 0xffff'fff8},
        {"bmsk.clamp.b32 %r10, 32, 4;", 0},
        {"bmsk.clamp.b32 %r10, 7, 0;", 0},
        {"bmsk.wrap.b32 %r10, 33, 34;", 6},
        {"bmsk.wrap.b32 %r10, 3, 32;", 0},
        {"szext.wrap.s32 %r10, 0x1ff, 8;", 0xffff'ffff},
        {"szext.wrap.u32 %r10, 0x1ff, 8;", 0xff},
        {"szext.wrap.s32 %r10, 0x17f, 40;", 0x7f},
        {"szext.clamp.s32 %r10, 0x80000001, 32;", 0x8000'0001},
        {"szext.clamp.s32 %r10, -1, 0;", 0},
        {"fns.b32 %r10, 0xaaaaaaaa, 3, 1;", 3},
        {"fns.b32 %r10, 0xaaaaaaaa, 2, -1;", 1},
        {"fns.b32 %r10, 0xaaaaaaaa, 2, 3;", 7},
        {"fns.b32 %r10, 0xaaaaaaaa, 2, 0;", 0xffff'ffff},
        {"fns.b32 %r10, 1, 31, 1;", 0xffff'ffff},
        {"clz.b32 %r10, 0x8000;", 16},
        {"clz.b64 %r10, 1;", 63},
        {"popc.b32 %r10, 0xf0f;", 8},
        {"brev.b32 %r10, 1;", 0x8000'0000},
        {"prmt.b32 %r10, 0x33221100, 0x77665544, 0x7531;", 0x7755'3311},
        {"prmt.b32 %r10, 0x80, 0, 0x888f;", 0xffff'ff00},
        {"dp4a.s32.u32 %r10, 0xff02fe01, 0x04030201, 100;", 100 + 1 - 4 + 6 - 4},
        {"dp2a.lo.s32.u32 %r10, 0x0003fffe, 0x04030201, 100;", 100 - 2 + 6},
        {"dp2a.hi.u32.s32 %r10, 0x0003fffe, 0xff030201, 0;", 3 * 0xfffe - 3},
        {"cvt.s32.s8 %r10, 0x1ff;", 0xffff'ffff},
        {"cvt.u32.u8 %r10, 0x1ff;", 0xff},
        {"mov.u32 %r3, -1; cvt.s64.s32 %d2, %r3; shr.u64 %d2, %d2, 40; cvt.u32.u64 %r10, %d2;",
         0xff'ffff},
        {"mov.b64 %d2, {0x11, 0x22}; mov.b64 {%r3, %r10}, %d2;", 0x22},
        {"add.cc.u32 %r3, -1, 1; addc.u32 %r10, 3, 4;", 8},
        {"sub.cc.u32 %r3, 0, 1; subc.u32 %r10, 3, 1;", 1},
        {"set.lt.u32.s32 %r10, -1, 1;", 0xffff'ffff},
        {"setp.lo.u32 %p1, -1, 1; selp.u32 %r10, 1, 2, %p1;", 2},
        {"setp.lt.s32 %p1|%p2, 1, 2; selp.u32 %r10, 1, 2, %p2;", 2},
        {"setp.ne.u32 %p3, 1, 1; setp.eq.and.u32 %p1, 1, 1, !%p3; selp.u32 %r10, 5, 2, %p1;", 5},
        {"mov.pred %p1, 1; not.pred %p2, %p1; or.pred %p3, %p1, %p2; selp.b32 %r10, 3, 4, %p3;", 3},
        {"slct.u32.s32 %r10, 1, 2, -5;", 2},
        {"activemask.b32 %r10;", 0xffff'ffff},
        {"setp.lt.u32 %p1, %r2, 4; vote.sync.ballot.b32 %r10, %p1, -1;", 0xf},
        {"setp.lt.u32 %p1, %r2, 4; vote.sync.any.pred %p2, %p1, -1; selp.u32 %r10, 1, 2, %p2;", 1},
        {"setp.lt.u32 %p1, %r2, 4; vote.sync.all.pred %p2, %p1, -1; selp.u32 %r10, 1, 2, %p2;", 2},
        {"shfl.sync.idx.b32 %r10, %r2, 7, 31, -1;", 7},
        {"shfl.sync.bfly.b32 %r3, %r2, 1, 31, -1; xor.b32 %r10, %r3, %r2;", 1},
        {"shfl.sync.down.b32 %r3|%p1, %r2, 4, 31, -1; sub.u32 %r3, %r3, %r2;"
         " selp.u32 %r10, %r3, 4, %p1;",
         4},
        {"shfl.sync.up.b32 %r3|%p1, %r2, 4, 0, -1; sub.u32 %r3, %r2, %r3;"
         " selp.u32 %r10, %r3, 4, %p1;",
         4},
        {"mov.u32 %r3, WARP_SZ; mov.u32 %r4, %ntid.x; add.u32 %r10, %r3, %r4;", 64},
        {"mov.u32 %r3, %lanemask_lt; popc.b32 %r3, %r3; sub.u32 %r10, %r3, %r2;", 0},
        {"cvt.u16.u32 %h1, %r1; cvt.u32.u16 %r10, %h1;", 9},
    };
    for (const row& r : rows) {
        CAPTURE(r.code);
        const std::string text =
            kernel(std::string(r.code) + "\nsetp.ne.u32 %p4, %r10, " + std::to_string(r.answer) +
                   ";\n@%p4 bra BAD;\nret;\nBAD: bar.sync 0;\nret;");
        const auto m = ptx::parse(text);
        REQUIRE(m);
        CHECK(m->unknown_opcodes == 0);
        const auto t = traced(*m, {{1}, {32}}, {9});
        CHECK(t.assumptions.empty());
        CHECK(t.profile().sync_insts == 0);
    }
}

TEST_CASE("what is not known stays so: approximations, loaded data, a division by zero") {
    for (const char* code :
         {"ld.global.u32 %r10, [%d1];", "div.u32 %r10, 5, 0;",
          "ex2.approx.f32 %f1, 0f3f800000; mov.b32 %r10, %f1;", "ld.shared.u32 %r10, [tile];",
          "mov.u32 %r10, %clock;", "mov.u32 %r10, %r39;", "atom.global.add.u32 %r10, [%d1], 1;",
          "mov.u32 %r10, %smid;"}) {
        CAPTURE(code);
        const std::string text = kernel(
            std::string(code) + "\nsetp.ne.u32 %p4, %r10, 1;\n@%p4 bra BAD;\nret;\nBAD: ret;");
        const auto m = ptx::parse(text);
        REQUIRE(m);
        const auto t = traced(*m, {{1}, {32}}, {9});
        REQUIRE(t.assumptions.size() == 1);
        CHECK(t.assumptions[0].what == ptx::assumed::branch);
        CHECK(t.assumptions[0].label == "BAD");
    }
}

TEST_CASE("functions: arguments go in, results come back, and instructions are counted") {
    const std::string functions = R"(
.func (.param .b32 out) twice(.param .b32 in)
{
  .reg .b32 %r<4>;
  ld.param.u32 %r1, [in+0]; add.u32 %r2, %r1, %r1; st.param.b32 [out+0], %r2; ret;
}
.func (.reg .u32 sum) plus(.reg .u32 a, .reg .u32 b) { add.u32 sum, a, b; ret; }
.extern .func (.param .b32 out) elsewhere(.param .b32 in);
)";
    const auto call = [](std::string_view f) {
        return "{ .param .b32 p0; st.param.b32 [p0+0], %r3; .param .b32 r0;\ncall.uni (r0), " +
               std::string(f) + ", (p0);\nld.param.b32 %r3, [r0+0]; }\n";
    };
    const std::string text =
        kernel("mov.u32 %r3, 5;\n" + call("twice") + call("twice") +
                   "call (%r4), plus, (%r3, %r1);\n"
                   "setp.ne.u32 %p4, %r4, 29;\n@%p4 bra BAD;\nret;\nBAD: bar.sync 0;\nret;",
               functions);
    const auto m = ptx::parse(text);
    REQUIRE(m);
    const auto t = traced(*m, {{1}, {32}}, {9});
    CHECK(t.assumptions.empty());
    CHECK(t.profile().sync_insts == 0);
    CHECK(t.warp_insts == head + 1 + 2 * (3 + 4) + (1 + 2) + 3);
    const auto mix = mix_of(t.stream);
    REQUIRE(mix);
    CHECK(mix->executed() == t.warp_insts);

    const std::string outside = kernel("mov.u32 %r3, 5;\n" + call("elsewhere") +
                                           "setp.ne.u32 %p4, %r3, 20;\n@%p4 bra BAD;\nBAD: ret;",
                                       functions);
    const auto o = ptx::parse(outside);
    REQUIRE(o);
    const auto unknown = traced(*o, {{1}, {32}}, {9});
    REQUIRE(unknown.assumptions.size() == 2);
    CHECK(unknown.assumptions[0].what == ptx::assumed::callee);
    CHECK(unknown.assumptions[1].what == ptx::assumed::branch);
}

TEST_CASE("recursion is followed, to a limit") {
    const std::string functions = R"(
.func (.param .b32 out) sum(.param .b32 in)
{
  .reg .b32 %r<6>; .reg .pred %p<2>;
  ld.param.u32 %r1, [in+0];
  mov.u32 %r3, 0;
  setp.eq.u32 %p1, %r1, 0;
  @%p1 bra DONE;
  sub.u32 %r2, %r1, 1;
  { .param .b32 p0; st.param.b32 [p0+0], %r2; .param .b32 r0; call (r0), sum, (p0);
    ld.param.b32 %r3, [r0+0]; }
  add.u32 %r3, %r3, %r1;
DONE: st.param.b32 [out+0], %r3;
  ret;
}
)";
    const std::string text = kernel(
        "{ .param .b32 p0; st.param.b32 [p0+0], %r1; .param .b32 r0; call (r0), sum, (p0);\n"
        "ld.param.b32 %r3, [r0+0]; }\nsetp.ne.u32 %p4, %r3, 55;\n@%p4 bra BAD;\nret;\n"
        "BAD: bar.sync 0;\nret;",
        functions);
    const auto m = ptx::parse(text);
    REQUIRE(m);
    const auto t = traced(*m, {{1}, {32}}, {10});
    CHECK(t.assumptions.empty());
    CHECK(t.profile().sync_insts == 0);
    const auto e = error_of(text, {{1}, {32}}, {1000});
    CHECK(e.code == errc::limit_reached);
    CHECK(e.field == "calls");
    CHECK(e.line > 0);
}

TEST_CASE("local memory is followed, byte by byte") {
    const std::string text = kernel(
        ".local .align 4 .b8 table[64];\n.reg .b64 %SP; .reg .b64 %SPL;\n"
        "mov.u64 %SPL, table;\ncvta.local.u64 %SP, %SPL;\n"
        "and.b32 %r3, %r2, 3;\nmul.wide.u32 %d2, %r3, 4;\nadd.s64 %d3, %SPL, %d2;\n"
        "st.local.u32 [%d3], %r2;\n"
        "add.s64 %d4, %SP, %d2;\nld.u32 %r4, [%d4];\n"  // by its generic address
        "ld.local.u8 %r5, [%d3];\n"
        "setp.ne.u32 %p1, %r4, %r2;\nsetp.ne.or.u32 %p4, %r5, %r2, %p1;\n"
        "@%p4 bra BAD;\nret;\nBAD: bar.sync 0;\nret;");
    const auto m = ptx::parse(text);
    REQUIRE(m);
    const auto t = traced(*m, {{1}, {32}}, {9});
    CHECK(t.assumptions.empty());
    CHECK(t.profile().sync_insts == 0);
    CHECK(t.insts_of(unit_kind::global_memory) == 0);
    CHECK(t.insts_of(unit_kind::l1_cache) == 2 + 3);  // parameters, and these
}

TEST_CASE("generic addresses of shared memory are seen through") {
    const std::string text = kernel(
        "mul.wide.u32 %d2, %r2, 4;\nmov.u64 %d3, tile;\ncvta.shared.u64 %d4, %d3;\n"
        "add.s64 %d5, %d4, %d2;\nld.f32 %f1, [%d5];\nret;");
    const auto m = ptx::parse(text);
    REQUIRE(m);
    const auto t = traced(*m, {{1}, {32}}, {9});
    CHECK(access(t, "ld.f32").unit == unit_kind::shared_memory);
    CHECK(t.insts_of(unit_kind::shared_memory) == 1);
}

TEST_CASE("generic addresses of shared memory are seen through where data give the place") {
    // As nvcc -G writes h[x[tid]], h[x[tid] - 16], a pointer that is passed on, and one that is spilled.
    const std::string text = kernel(
        ".local .align 8 .b8 depot[8];\n.reg .b64 %SP; .reg .b64 %SPL;\n"
        "mov.u64 %SPL, depot;\ncvta.local.u64 %SP, %SPL;\n"
        "mad.wide.u32 %d2, %r2, 4, %d1;\nld.u32 %r3, [%d2];\n"
        "mov.u64 %d3, tile;\ncvta.shared.u64 %d4, %d3;\nmul.wide.s32 %d5, %r3, 4;\n"
        "add.s64 %d6, %d4, %d5;\nld.s32 %r4, [%d6];\nadd.s64 %d7, %d6, -64;\nst.u32 [%d7], %r4;\n"
        "{ .param .b64 a;\nst.param.b64 [a], %d6;\ncall f, (a); }\n"
        "st.u64 [%SP], %d6;\nld.u64 %d8, [%SP];\nst.f32 [%d8+4], %f1;\nret;",
        ".func f(.param .b64 p) {\n.reg .b64 %d<2>;\nld.param.b64 %d1, [p];\nst.s32 [%d1], 1;\n"
        "ret;\n}\n");
    const auto m = ptx::parse(text);
    REQUIRE(m);
    const auto t = traced(*m, {{1}, {32}}, {9});
    CHECK(access(t, "ld.u32").unit == unit_kind::global_memory);
    for (const char* const opcode : {"ld.s32", "st.u32", "st.s32", "st.f32"}) {
        CAPTURE(opcode);
        CHECK(access(t, opcode).unit == unit_kind::shared_memory);
        CHECK(access(t, opcode).unknown_address);
    }
    CHECK(t.shared_load_passes == 1);
    CHECK(t.shared_store_passes == 3);
    CHECK(t.bytes_moved == 128);
    // A register that had such an address before has none of data that it gets then.
    const std::string again = kernel(
        "mov.u64 %d3, tile;\ncvta.shared.u64 %d4, %d3;\nst.u32 [%d4], 1;\n"
        "mad.wide.u32 %d2, %r2, 8, %d1;\nld.global.u64 %d4, [%d2];\nst.s32 [%d4], 1;\nret;");
    const auto n = ptx::parse(again);
    REQUIRE(n);
    CHECK(access(traced(*n, {{1}, {32}}, {9}), "st.s32").unit == unit_kind::global_memory);
}

TEST_CASE("lanes of a generic access that go to several memories count in each") {
    // Odd lanes to shared memory, two lanes apart; lane 0 to local memory, all others to global memory.
    const std::string text = kernel(
        ".local .align 8 .b8 depot[8];\n.reg .b64 %SP; .reg .b64 %SPL;\n"
        "mov.u64 %SPL, depot;\ncvta.local.u64 %SP, %SPL;\n"
        "mad.wide.u32 %d2, %r2, 4, %d1;\nmov.u64 %d3, tile;\ncvta.shared.u64 %d4, %d3;\n"
        "mad.wide.u32 %d5, %r2, 128, %d4;\nand.b32 %r3, %r2, 1;\nsetp.eq.u32 %p1, %r3, 1;\n"
        "selp.b64 %d6, %d5, %d2, %p1;\nsetp.eq.u32 %p2, %r2, 0;\nselp.b64 %d7, %SP, %d6, %p2;\n"
        "st.u32 [%d7], %r2;\nld.u32 %r4, [%d6];\nret;");
    const auto m = ptx::parse(text);
    REQUIRE(m);
    const auto t = traced(*m, {{1}, {32}}, {9});
    const auto& global = access(t, "st.u32", 0);
    CHECK(global.unit == unit_kind::global_memory);
    CHECK(global.active_lanes == 15);
    CHECK(global.transactions == 4);
    CHECK(global.bytes_moved == 128);
    const auto& shared = access(t, "st.u32", 1);
    CHECK(shared.unit == unit_kind::shared_memory);
    CHECK(shared.active_lanes == 16);
    CHECK(shared.transactions == 16);
    CHECK(shared.bytes_moved == 0);
    CHECK(shared.lines == 0);
    const auto& local = access(t, "st.u32", 2);
    CHECK(local.unit == unit_kind::l1_cache);
    CHECK(local.active_lanes == 1);
    CHECK(t.accesses.size() == 5);
    CHECK(t.shared_store_passes == 16);
    CHECK(t.shared_load_passes == 16);
    CHECK(t.bytes_moved == 256);
    CHECK(t.insts_of(unit_kind::global_memory) == 2);  // each is one instruction
    CHECK(t.insts_of(unit_kind::shared_memory) == 0);
    CHECK(t.touched.load_sectors == 4);
    CHECK(t.stream.size() == t.warp_insts);
    const auto sampled = traced(*m, {{40}, {128}}, {9});
    const auto all = traced(*m, {{40}, {128}}, {9}, {.blocks = ptx::sampling::all});
    CHECK(sampled.shared_store_passes == all.shared_store_passes);
    CHECK(sampled.bytes_moved == all.bytes_moved);
    CHECK(sampled.accesses.size() == all.accesses.size());
    const auto requests =
        ptx::record_requests(*ptx::find_kernel(*m, "k"), {{1}, {32}}, {9}, {.blocks = 1});
    REQUIRE(requests);
    CHECK(requests->unknown_lanes == 0);
}

TEST_CASE("an instruction that goes to one memory after the other has an entry for each") {
    const std::string text = kernel(
        "mad.wide.u32 %d2, %r2, 4, %d1;\nmov.u64 %d3, tile;\ncvta.shared.u64 %d4, %d3;\n"
        "{ .param .b64 a;\nst.param.b64 [a], %d2;\ncall f, (a); }\n"
        "{ .param .b64 a;\nst.param.b64 [a], %d4;\ncall f, (a); }\nret;",
        ".func f(.param .b64 p) {\n.reg .b64 %d<2>;\nld.param.b64 %d1, [p];\nst.s32 [%d1], 1;\n"
        "ret;\n}\n");
    const auto m = ptx::parse(text);
    REQUIRE(m);
    const auto t = traced(*m, {{1}, {32}}, {9});
    REQUIRE(t.accesses.size() == 2);
    for (const std::size_t n : {0U, 1U}) {
        CHECK(t.accesses[n].executions == 1);
        CHECK(t.accesses[n].active_lanes == 32);
        CHECK(t.accesses[n].transactions == (n == 0 ? 4 : 1));
    }
    CHECK(t.accesses[0].bytes_moved == 128);
    CHECK(t.accesses[1].unit == unit_kind::shared_memory);
}

TEST_CASE("a table of branches") {
    const std::string text = kernel(
        "and.b32 %r3, %r2, 3;\nT: .branchtargets A, B, A, C;\nbrx.idx %r3, T;\n"
        "A: add.u32 %r4, %r2, 1;\nbra D;\n"
        "B: add.u32 %r4, %r2, 1;\nadd.u32 %r4, %r2, 1;\nbra D;\n"
        "C: bar.sync 0;\n"
        "D: ret;");
    const auto m = ptx::parse(text);
    REQUIRE(m);
    const auto t = traced(*m, {{1}, {32}}, {9});
    CHECK(t.warp_insts == head + 2 + 2 + 3 + 1 + 1);
    CHECK(t.assumptions.empty());
    const std::string beyond = kernel("T: .branchtargets A;\nbrx.idx %r2, T;\nA: ret;");
    CHECK(error_of(beyond, {{1}, {32}}, {9}).field == "index");
}

TEST_CASE("hints and defaults decide where data would have to, and are listed") {
    const std::string text = kernel(
        "mad.wide.u32 %d2, %r2, 4, %d1;\nld.global.u32 %r3, [%d2];\nsetp.lt.u32 %p1, %r3, 5;\n@%p1 "
        "bra OUT;\n"
        "add.u32 %r4, %r2, 1;\n"
        "LOOP: add.u32 %r3, %r3, 1;\nsetp.lt.u32 %p2, %r3, 100;\n@%p2 bra LOOP;\n"
        "setp.lt.u32 %p3, %r3, 50;\n@%p3 st.global.u32 [%d1], %r3;\n"
        "@!%p3 st.global.u32 [%d1], %r2;\n"
        "OUT: ret;");
    const auto m = ptx::parse(text);
    REQUIRE(m);
    const auto plain = traced(*m, {{1}, {32}}, {9});
    REQUIRE(plain.assumptions.size() == 3);
    CHECK(plain.assumptions[0].what == ptx::assumed::branch);
    CHECK(plain.assumptions[0].label == "OUT");
    CHECK(plain.assumptions[0].value == 0.5);
    CHECK(plain.assumptions[1].what == ptx::assumed::loop);
    CHECK(plain.assumptions[1].value == 10);
    CHECK(plain.assumptions[1].executions == 10);
    CHECK(plain.assumptions[2].what == ptx::assumed::predicate);
    CHECK(plain.assumptions[2].at.line > plain.assumptions[1].at.line);
    // A predicate and its contrary hold for different lanes: together, all that came this far.
    CHECK(access(plain, "st.global.u32", 0).active_lanes +
              access(plain, "st.global.u32", 1).active_lanes ==
          16);
    // Lanes that go straight to the return do so at once, and the others when they come to it.
    CHECK(plain.warp_insts == head + 4 + 1 + 3 * 10 + 3 + 1 + 1);

    const ptx::hint hints[]{{.label = "OUT", .probability = 0}, {.label = "LOOP", .rounds = 4}};
    const auto hinted = traced(*m, {{1}, {32}}, {9}, {.hints = hints});
    CHECK(hinted.warp_insts == head + 4 + 1 + 3 * 4 + 3 + 1);
    CHECK(hinted.assumptions[1].value == 4);
    const ptx::hint away[]{{.label = "OUT", .probability = 1}};
    CHECK(traced(*m, {{1}, {32}}, {9}, {.hints = away}).warp_insts == head + 4 + 1);

    // A share of lanes: over many warps, just that share.
    const ptx::hint rare[]{{.label = "OUT", .probability = 0.9}, {.label = "LOOP", .rounds = 1}};
    const auto few = traced(*m, {{64}, {32}}, {9}, {.blocks = ptx::sampling::all, .hints = rare});
    const double lanes = few.active_lanes * few.warp_insts;
    CHECK(lanes == doctest::Approx(32 * (head + 4 + 1) + 3.2 * 5 - 3.2 / 2).epsilon(0.02));

    // The mean number of rounds need not be a whole one.
    const ptx::hint mean[]{{.label = "OUT", .probability = 0}, {.label = "LOOP", .rounds = 2.5}};
    const auto half = traced(*m, {{1}, {32}}, {9}, {.hints = mean});
    CHECK(half.warp_insts == head + 4 + 1 + 3 * 3 + 3 + 1);

    for (const ptx::hint& bad : {ptx::hint{"OUT"}, ptx::hint{"OUT", 1.5}, ptx::hint{"OUT", -1, 0.5},
                                 ptx::hint{"OUT", 0.5, 2}, ptx::hint{"OUT", std::nan("")}}) {
        const ptx::hint list[]{hints[0], bad};
        const auto e = error_of(text, {{1}, {32}}, {9}, {.hints = list});
        CHECK(e.code == errc::outside_domain);
        CHECK(e.field == "hints");
        CHECK(e.line == 2);
    }
    const ptx::hint nowhere[]{{.label = "NOT_THERE", .rounds = 4}};
    CHECK(error_of(text, {{1}, {32}}, {9}, {.hints = nowhere}).code == errc::missing);
}

TEST_CASE("checks that fail are assumed to hold, and listed") {
    const std::string value = "ld.global.u32 %r3, [%d1];\nsetp.ne.u32 %p1, %r3, 0;\n";
    const std::string store = "st.global.u32 [%d1], %r2;\nret;";
    struct check {
        std::string code;
        double value;
        const char* functions = "";
    };
    const check checks[] = {
        {value + "@%p1 bra OK;\ntrap;\nOK: " + store, 1},
        {value + "@!%p1 bra BAD;\n" + store + "\nBAD: trap;", 0},
        {value + "@!%p1 trap;\n" + store, 0},
        {value + "@%p1 bra OK;\n{ .param .b64 x; call.uni __assertfail, (x); }\nOK: " + store, 1,
         ".extern .func __assertfail(.param .b64 x);\n"},
        // The same was asked before, and half of the warps answered otherwise.
        {value +
             "@!%p1 bra N;\nadd.u32 %r4, %r4, 1;\nN: setp.eq.u32 %p2, %r3, 0;\n"
             "@%p2 bra BAD;\n" +
             store + "\nBAD: trap;",
         0},
        {"mov.u32 %r3, %envreg1;\nsetp.ne.u32 %p1, %r3, 0;\n@%p1 bra OK;\ntrap;\nOK: " + store, 1},
    };
    for (const check& c : checks) {
        CAPTURE(c.code);
        const std::string text = kernel(c.code, c.functions);
        const auto m = ptx::parse(text);
        REQUIRE(m);
        const auto t = traced(*m, {{64}, {256}}, {9});
        CHECK(access(t, "st.global.u32").executions == 1);
        REQUIRE_FALSE(t.assumptions.empty());
        CHECK(t.assumptions.back().value == c.value);
    }
}

TEST_CASE("unknown addresses: a transaction for each lane, and listed") {
    const std::string text = kernel(
        "mad.wide.u32 %d2, %r2, 4, %d1;\nld.global.u32 %r3, [%d2];\nmul.wide.u32 %d2, %r3, "
        "4;\nadd.s64 %d3, %d1, %d2;\n"
        "ld.global.f32 %f1, [%d3];\nst.shared.f32 [tile+4], %f1;\nret;");
    const auto m = ptx::parse(text);
    REQUIRE(m);
    const auto t = traced(*m, {{1}, {32}}, {9});
    CHECK(access(t, "ld.global.f32").transactions == 32);
    CHECK(access(t, "ld.global.f32").unknown_address);
    CHECK(access(t, "ld.global.u32").transactions == 4);
    REQUIRE(t.assumptions.size() == 1);
    CHECK(t.assumptions[0].what == ptx::assumed::address);
}

TEST_CASE("a line of blocks over tiles row by row: the tiles at the ends of rows count") {
    // 484 columns in tiles of 32: of 16 tiles, the last has 4 lanes.
    const std::string text = kernel(
        "mov.u32 %r3, %ctaid.x;\nrem.u32 %r4, %r3, 16;\ndiv.u32 %r5, %r3, 16;\n"
        "mad.lo.u32 %r6, %r4, 32, %r2;\nsetp.ge.u32 %p1, %r6, %r1;\n@%p1 bra END;\n"
        "mad.lo.u32 %r7, %r5, 512, %r6;\nmul.wide.u32 %d2, %r7, 4;\nadd.s64 %d2, %d1, %d2;\n"
        "ld.global.f32 %f1, [%d2];\nst.global.f32 [%d2], %f1;\nEND: ret;");
    const auto m = ptx::parse(text);
    REQUIRE(m);
    const auto every = traced(*m, {{4000}, {32}}, {484}, {.blocks = ptx::sampling::all});
    const auto sampled = traced(*m, {{4000}, {32}}, {484});
    CHECK(every.touched.load_sectors == (15 * 4 + 1) / 16.0);
    CHECK(sampled.touched.load_sectors ==
          doctest::Approx(every.touched.load_sectors).epsilon(0.01));
    CHECK(sampled.active_lanes == doctest::Approx(every.active_lanes).epsilon(0.01));
    CHECK(sampled.blocks_traced <= 1024);
}

TEST_CASE("packed halves and bytes take the lanes of their units") {
    const std::string text = kernel(
        "fma.rn.f16x2 %r3, %r3, %r3, %r3;\nadd.bf16x2 %r4, %r3, %r3;\n"
        "dp4a.s32.s32 %r5, %r3, %r4, %r5;\n"
        "ex2.approx.f16x2 %r6, %r5;\nfma.rn.f32 %f1, %f1, %f1, %f1;\nret;");
    const auto m = ptx::parse(text);
    REQUIRE(m);
    // fma, bf16, f32; ex2 of two halves; the lane weights of the generation.
    CHECK(traced(*m, {{1}, {64}}, {9}, {.capability = {8, 0}}).ops.fp32_ops == 32 * (0.5 + 1 + 1));
    CHECK(traced(*m, {{1}, {64}}, {9}, {.capability = {8, 6}}).ops.fp32_ops == 32 * (2 + 2 + 1));
    const auto t = traced(*m, {{3}, {64}}, {9}, {.capability = {9, 0}});
    CHECK(t.ops.fp32_ops == 32 * 3);
    CHECK(t.ops.special_ops == 32 * 2);
    CHECK(t.ops.integer_ops == 32 * (1 + 1));  // and where the lane is read
}

TEST_CASE("products of bytes and of 4 bits are of tensor cores, dot products of integer lanes") {
    const auto ops_of = [](std::string_view product, compute_capability cc) {
        const std::string text = kernel(std::string(product) + "\nret;");
        const auto m = ptx::parse(text);
        REQUIRE(m);
        const auto t = traced(*m, {{2}, {64}}, {9}, {.capability = cc});
        CHECK(t.ops.fp32_ops == 0);
        CHECK(t.ops.special_ops == 0);
        CHECK(t.profile().ops.tensor_fmas == t.ops.tensor_fmas);
        return t.ops;
    };
    const auto none = ops_of("", {8, 0}).integer_ops;  // where the lane is read
    for (const char* const dot :
         {"dp4a.s32.s32 %r5, %r3, %r4, %r5;", "dp4a.u32.s32 %r5, %r3, 7, 0;",
          "dp2a.lo.s32.s32 %r5, %r3, %r4, %r5;", "dp2a.hi.u32.u32 %r5, %r3, %r4, %r5;"}) {
        CAPTURE(dot);
        for (const compute_capability cc : {compute_capability{7, 5}, {8, 9}, {12, 0}}) {
            CHECK(ops_of(dot, cc).integer_ops == none + 32);
            CHECK(ops_of(dot, cc).tensor_fmas == 0);
        }
    }
    const std::string bytes =
        "mma.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32 {%r3, %r4, %r5, %r6}, {%r7, %r8, %r9, "
        "%r10}, {%r11, %r12}, {%r3, %r4, %r5, %r6};";
    const std::string halves =
        "mma.sync.aligned.m16n8k64.row.col.s32.s4.u4.s32 {%r3, %r4, %r5, %r6}, {%r7, %r8, %r9, "
        "%r10}, {%r11, %r12}, {%r3, %r4, %r5, %r6};";
    for (const compute_capability cc : {compute_capability{8, 0}, {9, 0}}) {
        CHECK(ops_of(bytes, cc).tensor_fmas == 16 * 8 * 32 / 2);
        CHECK(ops_of(bytes, cc).integer_ops == none);
    }
    CHECK(ops_of(halves, {8, 0}).tensor_fmas == 16 * 8 * 64 / 4);
    CHECK(ops_of(halves, {8, 0}).integer_ops == none);
    // From 9.0 on, as bytes, of which integer lanes make four registers of signed ones, two of unsigned ones, and four of
    // the result.
    CHECK(ops_of(halves, {9, 0}).tensor_fmas == 16 * 8 * 64 / 2);
    CHECK(ops_of(halves, {9, 0}).integer_ops == none + 32 * (4 * 30 + 2 * 3 + 4));
}

TEST_CASE("atomics on one address take turns, as many as lanes of a warp meet") {
    const std::string text = kernel(
        "red.global.add.u32 [%d1], 1;\nshr.u32 %r3, %r2, 2;\nmul.wide.u32 %d2, %r3, 4;\n"
        "add.s64 %d2, %d1, %d2;\natom.global.add.u32 %r4, [%d2], 1;\n"
        "atom.shared.add.u32 %r4, [tile], 1;\nret;");
    const auto m = ptx::parse(text);
    REQUIRE(m);
    const auto t = traced(*m, {{1}, {64}}, {9});
    CHECK(access(t, "red.global.add.u32").turns == 32);
    CHECK(access(t, "atom.global.add.u32").turns == 4);
    CHECK(access(t, "atom.shared.add.u32").transactions == 32);  // its bank serves one lane a pass
    CHECK(t.atomic_turns == 36);
}

TEST_CASE("an atomic whose result nothing reads only stores, as red does") {
    const auto touched = [](std::string_view change) {
        const std::string text = kernel("mul.wide.u32 %d2, %r2, 4;\nadd.s64 %d2, %d1, %d2;\n" +
                                        std::string(change) + "ret;");
        const auto m = ptx::parse(text);
        REQUIRE(m);
        return traced(*m, {{1}, {64}}, {9}).touched;
    };
    const auto atom = touched("atom.global.add.u32 %r4, [%d2], 1;\n");
    const auto red = touched("red.global.add.u32 [%d2], 1;\n");
    CHECK(red.full_store_sectors == 4);
    CHECK(atom.full_store_sectors == 4);
    CHECK(red.load_sectors == 0);
    CHECK(atom.load_sectors == 0);
    const auto read = touched("atom.global.add.u32 %r4, [%d2], 1;\nst.global.u32 [%d2], %r4;\n");
    CHECK(read.load_sectors == 4);
}

TEST_CASE("textures touch what lies side by side, and say so") {
    const std::string text = kernel(
        "tex.2d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%d1, {%r2, %r3}];\n"
        "sust.b.2d.v2.b32.trap [%d1, {%r2, %r3}], {%r4, %r5};\nret;");
    const auto m = ptx::parse(text);
    REQUIRE(m);
    const auto t = traced(*m, {{1}, {64}}, {9});
    CHECK(access(t, "tex.2d.v4.f32.s32").transactions == 4);
    CHECK(access(t, "sust.b.2d.v2.b32.trap").transactions == 8);
    CHECK(t.touched.load_sectors == 4);
    CHECK(t.touched.full_store_sectors == 8);
    REQUIRE(t.assumptions.size() == 2);
    CHECK(t.assumptions[0].what == ptx::assumed::texels);
}

TEST_CASE("the rank in a cluster is as the text requires, or the launch says") {
    std::string text = kernel(
        "mov.u32 %r3, %cluster_ctarank;\nsetp.ne.u32 %p1, %r3, 0;\n@%p1 bra END;\n"
        "st.global.f32 [%d1], %f1;\nEND: ret;");
    const auto alone = ptx::parse(text);
    REQUIRE(alone);
    CHECK(access(traced(*alone, {{8}, {32}}, {9}), "st.global.f32").executions == 1);
    CHECK(access(traced(*alone, {{8}, {32}, 0, {4}}, {9}), "st.global.f32").executions == 0.25);
    text.replace(text.find("{\n"), 1, ".reqnctapercluster 2, 1, 1\n{");
    const auto pairs = ptx::parse(text);
    REQUIRE(pairs);
    CHECK(pairs->functions[0].cluster[0] == 2);
    const auto t = traced(*pairs, {{8}, {32}}, {9});
    CHECK(access(t, "st.global.f32").executions == 0.5);
    CHECK(t.assumptions.empty());
}

TEST_CASE("shared memory of another block costs what the own does") {
    const std::string text = kernel(
        "mov.u32 %r3, tile;\nmad.lo.u32 %r3, %r2, 4, %r3;\nmapa.shared::cluster.u32 %r4, %r3, 1;\n"
        "ld.shared::cluster.u32 %r5, [%r4];\nmov.u64 %d2, tile;\ncvta.shared.u64 %d2, %d2;\n"
        "mapa.u64 %d3, %d2, %r2;\nld.u32 %r6, [%d3];\nret;");
    const auto m = ptx::parse(text);
    REQUIRE(m);
    const auto t = traced(*m, {{1}, {64}}, {9});
    CHECK(t.assumptions.empty());
    CHECK(access(t, "ld.shared::cluster.u32").transactions == 1);
    CHECK(access(t, "ld.u32").unit == unit_kind::shared_memory);
}

TEST_CASE("a constant stays one, whatever an instruction does with it") {
    // `wait_group 0` and the address of `wmma.store` are no results.
    const std::string text = kernel(
        "mov.u32 %r3, 0;\nL: cp.async.wait_group 0;\ncp.async.commit_group;\n"
        "wgmma.wait_group.sync.aligned 0;\nadd.u32 %r3, %r3, 1;\nsetp.lt.u32 %p1, %r3, 3;\n"
        "@%p1 bra L;\nwmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%d1], {%f1, %f2}, %r1;\n"
        "setp.ne.u32 %p2, %r3, 3;\n@%p2 bra BAD;\nst.global.f32 [%d1], %f1;\nret;\n"
        "BAD: bar.sync 0;\nret;");
    const auto m = ptx::parse(text);
    REQUIRE(m);
    const auto t = traced(*m, {{1}, {64}}, {9});
    CHECK(t.profile().sync_insts == 0);
    CHECK(access(t, "st.global.f32").transactions == 1);
    CHECK(t.assumptions.empty());
    // 16 rows of 64 B, 9 elements of 4 B apart: rows 0 to 604 B and the last to its end, aligned to 256 B.
    CHECK(access(t, "wmma.store.d.sync.aligned.row.m16n16k16.global.f32").transactions == 19);
    CHECK(t.insts_of(unit_kind::global_memory) == 2);
}

TEST_CASE("what L2 is told about lines moves no data") {
    const std::string text = kernel(
        "discard.global.L2 [%d1], 128;\napplypriority.global.L2::evict_normal [%d1], 128;\nret;");
    const auto m = ptx::parse(text);
    REQUIRE(m);
    const auto t = traced(*m, {{2}, {32}}, {9});
    CHECK(t.accesses.empty());
    CHECK(t.touched.load_sectors == 0);
    CHECK(t.touched.broadcast_loads == 0);
    CHECK(t.footprint_bytes == 0);
    CHECK(t.insts_of(unit_kind::global_memory) == 0);
    CHECK(t.warp_insts == head + 3);
}

TEST_CASE("a fragment is loaded or stored") {
    const std::string load = "wmma.load.c.sync.aligned.row.m16n16k16.";
    const std::string store = "wmma.store.d.sync.aligned.row.m16n16k16.";
    const std::string text = kernel(load + "global.f32 {%f1, %f2}, [%d1], 256;\n" + store +
                                    "global.f32 [%d1+16384], {%f1, %f2}, 256;\n" + store +
                                    "shared.f32 [tile], {%f1, %f2}, 16;\n" + load +
                                    "shared.f32 {%f1, %f2}, [tile], 16;\nret;");
    const auto m = ptx::parse(text);
    REQUIRE(m);
    const auto t = traced(*m, {{1}, {32}}, {9});
    CHECK(t.touched.load_sectors == 32);  // 16 rows of 64 B
    CHECK(t.touched.full_store_sectors == 32);
    CHECK(t.touched.partial_store_sectors == 0);
    CHECK(t.stored_bytes == 32 * 32);
    CHECK(access(t, store + "global.f32").stores);
    CHECK(t.waits.store_waits == 1);
    CHECK(t.shared_store_passes == 8);  // 1 KiB side by side
    CHECK(t.shared_load_passes == 8);
}

TEST_CASE("what does not fit one width or register") {
    struct row {
        const char* code;
        std::uint32_t answer;
    };
    const row rows[] = {
        {"mov.s32 %r3, -7; st.local.u32 [room], %r3; ld.local.s32 %d2, [room]; shr.s64 %d2, %d2, 8;"
         " cvt.u32.u64 %r10, %d2;",
         0xffff'ffff},
        {"cvt.s8.s32 %r3, 0x1ff; add.s32 %r10, %r3, 1;", 0},
        {"mad.wide.s32 %d2, 2, 3, -7; cvt.u32.u64 %r10, %d2;", 0xffff'ffff},
        {"mov.u16 %h1, 1; shl.b16 %h2, %h1, 65536; cvt.u32.u16 %r10, %h2;", 0},
        {"add.cc.u32 %r3, -1, 1; addc.cc.u32 %r3, 0, 0; addc.u32 %r10, 0, 0;", 0},
    };
    for (const row& r : rows) {
        CAPTURE(r.code);
        const std::string text = kernel(".local .align 8 .b8 room[16];\n" + std::string(r.code) +
                                        "\nsetp.ne.u32 %p4, %r10, " + std::to_string(r.answer) +
                                        ";\n@%p4 bra BAD;\nret;\nBAD: bar.sync 0;\nret;");
        const auto m = ptx::parse(text);
        REQUIRE(m);
        const auto t = traced(*m, {{1}, {32}}, {9});
        CHECK(t.assumptions.empty());
        CHECK(t.profile().sync_insts == 0);
    }
    // And what is not followed is not taken for known: other carries, halves of 128 bits, a
    // reduction at a barrier, decimal floats, memory that a function outside may have written.
    for (const char* code :
         {"mad.lo.cc.u32 %r3, -1, 5, 6; addc.u32 %r10, 0, 0;", "madc.lo.u32 %r10, 1, 2, 3;",
          ".reg .b128 %q1; mov.b128 %q1, {%d1, %d1}; mov.b128 {%d2, %d3}, %q1;"
          " cvt.u32.u64 %r10, %d2;",
          "setp.eq.u32 %p1, 1, 1; bar.red.popc.u32 %r10, 0, %p1;", "mov.b32 %r10, 1.5;",
          "st.local.u32 [room], %r1; { .param .b32 p0; st.param.b32 [p0], 1; call elsewhere, (p0); "
          "}"
          " ld.local.u32 %r10, [room];"}) {
        CAPTURE(code);
        const std::string text =
            kernel(".local .align 8 .b8 room[16];\n" + std::string(code) +
                       "\nsetp.ne.u32 %p4, %r10, 1;\n@%p4 bra BAD;\nret;\nBAD: ret;",
                   ".extern .func elsewhere(.param .b32 in);\n");
        const auto m = ptx::parse(text);
        REQUIRE(m);
        const auto t = traced(*m, {{1}, {32}}, {9, argument::unknown()});
        REQUIRE_FALSE(t.assumptions.empty());
        CHECK(t.assumptions.back().what == ptx::assumed::branch);
    }
}

TEST_CASE("equal labels in braces of their own") {
    const std::string wait =
        "{ .reg .pred %w;\nmov.u32 %r3, 0;\nWAIT: add.u32 %r3, %r3, 1;\n"
        "setp.ge.u32 %w, %r3, 4;\n@%w bra DONE;\nbra WAIT;\nDONE:\n}\n";
    const std::string text = kernel(wait + wait + "bar.sync 0;\nret;");
    const auto m = ptx::parse(text);
    REQUIRE(m);
    const auto t = traced(*m, {{1}, {32}}, {9});
    CHECK(t.warp_insts == head + 2 * (1 + 4 * 4 - 1) + 2);
}

TEST_CASE("a parameter in parts, and by its address") {
    const std::string functions = R"(
.func (.param .b32 out) low(.param .b64 in, .param .align 4 .b8 pair[8])
{
  .reg .b32 %r<6>; .reg .b64 %rd<4>;
  ld.param.u32 %r1, [in];
  ld.param.u64 %rd2, [pair];
  mov.b64 %rd1, pair;
  ld.param.u32 %r2, [%rd1+4];
  cvt.u32.u64 %r3, %rd2;
  add.u32 %r1, %r1, %r2; add.u32 %r1, %r1, %r3;
  st.param.b32 [out+0], %r1; ret;
}
)";
    const std::string text = kernel(
        "mov.u64 %d2, 0x900000005;\n"
        "{ .param .b64 p0; st.param.b64 [p0+0], %d2; .param .align 4 .b8 p1[8];\n"
        "st.param.b32 [p1+0], 20; st.param.b32 [p1+4], 300; .param .b32 r0;\n"
        "call.uni (r0), low, (p0, p1);\nld.param.b32 %r3, [r0+0]; }\n"
        "mov.b64 %d4, n;\nmul.wide.u32 %d5, %r2, 0;\nadd.s64 %d4, %d4, %d5;\n"
        "ld.param.u32 %r4, [%d4];\nadd.u32 %r3, %r3, %r4;\n"
        "setp.ne.u32 %p4, %r3, 334;\n@%p4 bra BAD;\nret;\nBAD: bar.sync 0;\nret;",
        functions);
    const auto m = ptx::parse(text);
    REQUIRE(m);
    const auto t = traced(*m, {{1}, {32}}, {9});
    CHECK(t.assumptions.empty());
    CHECK(t.profile().sync_insts == 0);
    CHECK(t.insts_of(unit_kind::global_memory) == 0);
}

TEST_CASE("a loop that data ends at its top runs as often as one at its bottom") {
    const std::string text = kernel(
        "HEAD: ld.global.u32 %r3, [%d1];\nsetp.eq.u32 %p1, %r3, 0;\n@%p1 bra OUT;\n"
        "bar.sync 0;\nbra.uni HEAD;\nOUT: mov.u32 %r4, 0;\nret;");
    const auto m = ptx::parse(text);
    REQUIRE(m);
    const auto plain = traced(*m, {{1}, {32}}, {9});
    CHECK(plain.profile().sync_insts == 9);  // left in the tenth round
    REQUIRE(plain.assumptions.size() == 1);
    CHECK(plain.assumptions[0].what == ptx::assumed::loop);
    CHECK(plain.assumptions[0].label == "HEAD");
    const ptx::hint hints[]{{.label = "HEAD", .rounds = 4}};
    CHECK(traced(*m, {{1}, {32}}, {9}, {.hints = hints}).profile().sync_insts == 3);
}

TEST_CASE("an early return does not keep the others apart") {
    // if (lane < 16) { if (lane < 8) return; bar; } bar;
    const std::string text = kernel(
        "setp.ge.u32 %p1, %r2, 16;\n@%p1 bra JOIN;\nsetp.lt.u32 %p2, %r2, 8;\n@%p2 bra RET;\n"
        "add.u32 %r3, %r2, 1;\nJOIN: bar.sync 0;\nRET: ret;");
    const auto m = ptx::parse(text);
    REQUIRE(m);
    const auto t = traced(*m, {{1}, {32}}, {9});
    CHECK(t.profile().sync_insts == 1);
}

TEST_CASE("kinds of blocks: guards along two dimensions, strides by block, triangles") {
    const auto both = [](const std::string& body, const ptx::launch& l, std::uint32_t n) {
        const std::string text = kernel(body);
        const auto m = ptx::parse(text);
        REQUIRE(m);
        return std::pair(traced(*m, l, {n}), traced(*m, l, {n}, {.blocks = ptx::sampling::all}));
    };
    const std::string store = "st.global.u32 [%d3], %r2;\nOUT: ret;";
    const std::string address =
        "mov.u32 %r3, %ctaid.x;\nmov.u32 %r4, %ctaid.y;\nmul.wide.u32 %d2, %r2, 4;\n"
        "add.s64 %d3, %d1, %d2;\n";
    // Few blocks of either dimension are inside, the middle one not.
    const auto guard = both(address +
                                "setp.ge.u32 %p1, %r3, %r1;\n@%p1 bra OUT;\n"
                                "setp.gt.u32 %p1, %r4, %r1;\n@%p1 bra OUT;\n" +
                                store,
                            {{64, 40}, {32}}, 7);
    CHECK(guard.first.warp_insts == doctest::Approx(guard.second.warp_insts).epsilon(1e-12));
    CHECK(guard.first.bytes_moved == doctest::Approx(7 * 8 * 128 / 2560.0).epsilon(1e-12));
    CHECK(guard.first.blocks_traced < 20);
    // Every fourth block strides by 128 B.
    const auto stride = both(
        "mov.u32 %r3, %ctaid.x;\nand.b32 %r4, %r3, 3;\nsetp.eq.u32 %p1, %r4, 0;\n"
        "selp.u32 %r5, 128, 4, %p1;\nmul.wide.u32 %d2, %r2, %r5;\nadd.s64 %d3, %d1, %d2;\n" +
            store,
        {{256}, {32}}, 7);
    CHECK(stride.first.bytes_moved == stride.second.bytes_moved);
    CHECK(stride.second.bytes_moved == (1024 + 3 * 128) / 4.0);
    // Block x works where it is not above block y.
    const auto triangle =
        both(address + "setp.gt.u32 %p1, %r3, %r4;\n@%p1 bra OUT;\n" + store, {{64, 64}, {32}}, 7);
    CHECK(triangle.first.bytes_moved == doctest::Approx(triangle.second.bytes_moved).epsilon(0.03));
    CHECK(triangle.first.blocks_traced <= 1024);
}

TEST_CASE("a sample of the blocks stands for all of them") {
    for (const kernel_launch& l : kernel_launches()) {
        CAPTURE(l.kernel);
        const std::string text = kernel_text(l.file);
        const auto m = ptx::parse(text);
        REQUIRE(m);
        const auto k = ptx::find_kernel(*m, l.kernel);
        REQUIRE(k);
        const auto some = ptx::trace(*k, l.launch, l.arguments);
        ptx::trace_options every;
        every.blocks = ptx::sampling::all;
        const auto all = ptx::trace(*k, l.launch, l.arguments, every);
        REQUIRE(some);
        REQUIRE(all);
        CHECK(some->warps == all->warps);
        CHECK(all->warps_traced == all->warps);
        // Where data decides, warps differ at random.
        const bool exact = all->assumptions.empty() || l.kernel == std::string_view("histogram");
        const double tolerance = exact ? 1e-12 : 0.03;
        CHECK(some->warp_insts == doctest::Approx(all->warp_insts).epsilon(tolerance));
        CHECK(some->active_lanes == doctest::Approx(all->active_lanes).epsilon(tolerance));
        CHECK(some->bytes_moved == doctest::Approx(all->bytes_moved).epsilon(0.02));
        CHECK(some->profile().sync_insts == doctest::Approx(all->profile().sync_insts));
        for (const ptx::assumption& a : all->assumptions) CHECK(a.at.line > 0);

        // Counts are as near to those of all warps as the errors of the sample say.
        const auto within = [](double sampled, double of_all, double error) {
            CHECK(std::fabs(sampled - of_all) <= error + 1e-9 * of_all);
        };
        const auto near = [&](double sampled, double of_all, double error) {
            within(sampled, of_all, error);
            CHECK(error <= 0.5 * of_all);
        };
        const ptx::sampling_errors& e = some->errors;
        near(some->warp_insts, all->warp_insts, e.warp_insts);
        near(some->active_lanes * some->warp_insts, all->active_lanes * all->warp_insts,
             e.lane_insts);
        within(some->divergent_insts, all->divergent_insts, e.divergent_insts);
        for (std::size_t n = 0; n < e.unit_insts.size(); ++n) {
            within(some->unit_insts[n], all->unit_insts[n], e.unit_insts[n]);
        }
        near(some->bytes_moved, all->bytes_moved, e.bytes_moved);
        within(some->coalesced_bytes_moved, all->coalesced_bytes_moved, e.coalesced_bytes_moved);
        within(some->coalesced_mem_insts, all->coalesced_mem_insts, e.coalesced_mem_insts);
        within(some->uncoalesced_mem_insts, all->uncoalesced_mem_insts, e.uncoalesced_mem_insts);
        near(some->transactions, all->transactions, e.transactions);
        near(some->shared_load_passes + some->shared_store_passes,
             all->shared_load_passes + all->shared_store_passes, e.shared_passes);
        near(some->shared_load_passes, all->shared_load_passes, e.shared_load_passes);
        near(some->shared_store_passes, all->shared_store_passes, e.shared_store_passes);
        near(some->atomic_turns, all->atomic_turns, e.atomic_turns);
        near(some->touched.load_sectors, all->touched.load_sectors, e.load_sectors);
        near(some->touched.full_store_sectors, all->touched.full_store_sectors,
             e.full_store_sectors);
        near(some->touched.partial_store_sectors, all->touched.partial_store_sectors,
             e.partial_store_sectors);
        near(some->touched.full_store_sectors + some->touched.partial_store_sectors,
             all->touched.full_store_sectors + all->touched.partial_store_sectors, e.store_sectors);
        near(some->touched.lines, all->touched.lines, e.lines);
        near(some->waits.steps, all->waits.steps, e.wait_steps);
        within(some->waits.longest_steps, all->waits.longest_steps, e.longest_steps);
        near(some->waits.l1_waits, all->waits.l1_waits, e.l1_waits);
        near(some->waits.store_waits, all->waits.store_waits, e.store_waits);
        near(some->waits.reused_fraction, all->waits.reused_fraction, e.reused_fraction);
        near(some->footprint_bytes, all->footprint_bytes, e.footprint_bytes);
        near(some->loaded_bytes, all->loaded_bytes, e.loaded_bytes);
        near(some->stored_bytes, all->stored_bytes, e.stored_bytes);
        CHECK(all->errors.bytes_moved == 0);
        CHECK(all->errors.footprint_bytes == 0);
        CHECK(all->errors.reused_fraction == 0);
        CHECK(some->steps < all->steps);
    }
}

TEST_CASE("every kernel gives a profile that the models take, and a stream that agrees with it") {
    for (const kernel_launch& l : kernel_launches()) {
        for (const char* target : {"sm_75", "sm_90"}) {
            CAPTURE(l.kernel);
            CAPTURE(target);
            const std::string text = kernel_text(l.file, target);
            const auto m = ptx::parse(text);
            REQUIRE(m);
            const auto t = ptx::trace(*ptx::find_kernel(*m, l.kernel), l.launch, l.arguments);
            REQUIRE(t);
            const kernel_profile<> k = t->profile();
            const auto mix = mix_of(t->stream);
            REQUIRE(mix);
            // The stream is one warp, the counts a mean over the grid; idle warps make it less.
            CHECK(mix->executed() >= 0.9 * t->warp_insts);
            CHECK(mix->executed() <= 1.6 * t->warp_insts);
            CHECK(k.comp_insts + k.sync_insts + k.coalesced_mem_insts + k.uncoalesced_mem_insts ==
                  doctest::Approx(t->warp_insts).epsilon(1e-9));
            CHECK(mwp_cwp_model<devices::geforce_rtx_2070_super>{}.predict(k));
            // Tbl. 1 of Cheng & Suda lists arithmetic alone; the rest as an addition.
            auto gtx_260 = edit(devices::geforce_gtx_260{});
            gtx_260.costs.other_cycles = gtx_260.costs.arithmetic[0].int_register;
            CHECK(mpd_cpd_model{gtx_260}.predict(k).has_value() == (k.threads_per_block <= 512));
            CHECK(hybrid_model<devices::h100_sxm5>{}.predict(k));
            CHECK(makespan_model<devices::tesla_m2090>{}.predict(k));
            CHECK(kernel_instruction_string(t->stream));
            CHECK(task_list(t->stream));
        }
    }
}

namespace {

// All that a trace of the launch says; empty of an error.
std::string all_of(const kernel_launch& l, ptx::sampling blocks) {
    const std::string text = kernel_text(l.file);
    const auto m = ptx::parse(text);
    if (!m) return {};
    const auto k = ptx::find_kernel(*m, l.kernel);
    if (!k) return {};
    const auto t = ptx::trace(*k, l.launch, l.arguments, {.blocks = blocks});
    return t ? all_of_trace(*t).bytes() : std::string();
}

}  // namespace

TEST_CASE("the same input gives the same answer, to the bit") {
    for (const kernel_launch& l : kernel_launches()) {
        CAPTURE(l.kernel);
        for (const auto blocks : {ptx::sampling::middle_block, ptx::sampling::representative}) {
            const std::string first = all_of(l, blocks);
            CHECK(first.size() > 1000);
            CHECK((all_of(l, blocks) == first));
        }
    }
}

TEST_CASE("traces on several threads at the same time are the same, to the bit") {
    const std::vector<kernel_launch>& launches = kernel_launches();
    std::vector<std::vector<std::string>> found(3);
    const auto trace_all = [&](std::vector<std::string>& into) {
        for (const kernel_launch& l : launches) {
            into.push_back(all_of(l, ptx::sampling::representative));
        }
    };
    trace_all(found[0]);
    std::thread second([&] { trace_all(found[1]); });
    std::thread third([&] { trace_all(found[2]); });
    second.join();
    third.join();
    for (std::size_t l = 0; l < launches.size(); ++l) {
        CAPTURE(launches[l].kernel);
        CHECK_FALSE(found[0][l].empty());
        CHECK((found[1][l] == found[0][l]));
        CHECK((found[2][l] == found[0][l]));
    }
}

TEST_CASE("limits, each with its error") {
    const std::string forever = kernel("L: bra L;\nret;");
    const auto e = error_of(forever, {{1}, {32}}, {9}, {.max_steps = 1000});
    CHECK(e == model_error{errc::limit_reached, "max_steps", e.line, e.column});
    CHECK(e.line > 0);

    // Paths that never repeat: as many entries as rounds.
    const std::string paths = kernel(
        "mov.u32 %r3, 0;\nmov.u32 %r5, 1;\n"
        "L: mul.lo.u32 %r5, %r5, 1664525;\nadd.u32 %r5, %r5, 1013904223;\n"
        "and.b32 %r6, %r5, 0x10000;\nsetp.ne.u32 %p1, %r6, 0;\n@%p1 bra N;\nadd.u32 %r7, %r7, 1;\n"
        "N: add.u32 %r3, %r3, 1;\nsetp.lt.u32 %p2, %r3, %r1;\n@%p2 bra L;\nret;");
    const auto m = ptx::parse(paths);
    REQUIRE(m);
    const auto t = traced(*m, {{1}, {32}}, {10'000}, {.max_stream_entries = 1000});
    CHECK(t.stream.empty());
    CHECK(t.warp_insts > 80'000);
    CHECK(hybrid_model<devices::h100_sxm5>{}.predict(t.profile()).error().field == "instructions");

    // The largest grid takes no longer than a small one.
    const std::string trivial = kernel("ret;");
    const auto small = ptx::parse(trivial);
    REQUIRE(small);
    CHECK(traced(*small, {{0x7fff'ffff, 65'535, 65'535}, {32}}, {9}).warp_insts == head + 1);
    CHECK(error_of(trivial, {{0x7fff'ffff}, {32}}, {9}, {.blocks = ptx::sampling::all}).field ==
          "max_steps");
    CHECK(error_of(trivial, {{50'000'000}, {32}}, {9}, {.blocks = ptx::sampling::all}).field ==
          "memory");

    const std::string deep = kernel(".local .align 4 .b8 big[65536];\nmov.u64 %d2, big;\nret;");
    CHECK(error_of(deep, {{1}, {32}}, {9}, {.max_memory_bytes = 1 << 20}).field == "memory");
}

TEST_CASE("what is wrong with a launch, its arguments or the text is an error") {
    const std::string text = kernel("ret;");
    CHECK(error_of(text, {{0}, {32}}, {9}) == model_error{errc::not_positive, "grid"});
    CHECK(error_of(text, {{1}, {32, 0}}, {9}) == model_error{errc::not_positive, "block"});
    CHECK(error_of(text, {{1}, {1025}}, {9}) == model_error{errc::exceeds_device, "block"});
    CHECK(error_of(text, {{1, 65'536}, {32}}, {9}) == model_error{errc::exceeds_device, "grid"});
    CHECK(error_of(text, {{1}, {32}}, {}) == model_error{errc::missing, "n", 1});
    CHECK(error_of(text, {{1}, {32}}, {1, 2, 3}) ==
          model_error{errc::outside_domain, "arguments", 3});
    CHECK(error_of(text, {{1}, {32}}, {1}, {.default_probability = 2}).field ==
          "default_probability");
    CHECK(error_of(text, {{1}, {32}}, {1}, {.default_rounds = 0}).field == "default_rounds");
    const std::string undeclared = kernel("add.u32 %r3, %nothing, 1;\nret;");
    const auto e = error_of(undeclared, {{1}, {32}}, {9});
    CHECK(e.code == errc::missing);
    CHECK(e.field == "declaration");
    CHECK(e.line == 15);
    CHECK(e.column == 1);
    CHECK(error_of(kernel("bra NOWHERE;\nret;"), {{1}, {32}}, {9}).field == "label");
    const std::string fixed =
        ".version 7.0\n.target sm_75\n.address_size 64\n.entry k() .reqntid 64 { ret; }";
    CHECK(error_of(fixed, {{1}, {32}}, {}) == model_error{errc::broken_constraint, ".reqntid"});
    const auto m = ptx::parse(text);
    REQUIRE(m);
    CHECK(ptx::find_kernel(*m, "other").error() == model_error{errc::unknown_name, "other"});
    CHECK(ptx::trace({}, {}, {}).error() == model_error{errc::missing, "kernel"});
}

TEST_CASE("registers: an estimate from the text, the compiler's own where it is given") {
    // Three 32-bit and one 64-bit value are needed at a time: 1 + 2, then the sums.
    const std::string text = kernel(
        "add.u32 %r3, %r2, 1;\nadd.u32 %r4, %r2, 2;\nadd.u32 %r5, %r3, %r4;\n"
        "st.global.u32 [%d1], %r5;\nret;");
    const auto m = ptx::parse(text);
    REQUIRE(m);
    const auto t = traced(*m, {{1}, {32}}, {9});
    CHECK(t.live_registers == 4);
    CHECK(*ptx::live_registers(*ptx::find_kernel(*m, "k")) == 4);
    CHECK(ptx::live_registers({}).error().field == "kernel");
    CHECK(t.profile().registers_per_thread == 4);
    CHECK(t.profile({.registers_per_thread = 12, .shared_bytes_per_block = 64})
              .registers_per_thread == 12);
}

}  // namespace trace_test
