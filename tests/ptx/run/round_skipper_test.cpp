// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <warpgauge/ptx/run/round_skipper.hpp>
#include <warpgauge/ptx/text/parse.hpp>
#include <warpgauge/ptx/trace/trace.hpp>

#include "ptx/linked.hpp"
#include "ptx/same_counts.hpp"

namespace round_skipper_test {

using namespace warpgauge;

namespace {

ptx::traced_kernel follow(const std::string& text, std::int64_t n, bool every_round,
                          const std::vector<ptx::hint>& hints = {}, compute_capability cc = {7, 5},
                          ptx::sampling blocks = ptx::sampling::representative) {
    const auto m = ptx::parse(text);
    REQUIRE(m);
    const auto t = ptx::trace(
        *ptx::find_kernel(*m, "k"), {{1}, {64}}, {n},
        {.capability = cc, .blocks = blocks, .hints = hints, .every_round = every_round});
    CAPTURE((t ? std::string_view() : std::string_view(message(t.error()).view())));
    REQUIRE(t);
    return *t;
}

void check_same(const ptx::traced_kernel& few, const ptx::traced_kernel& all) {
    CHECK(same_counts::differences(few, all).empty());
}

// In a middle block alone, a round stands for others in which accesses cost differently.
void check_rounds(const std::string& text, std::int64_t n, const std::vector<ptx::hint>& hints = {},
                  compute_capability cc = {7, 5}) {
    const auto all = follow(text, n, true, hints, cc);
    check_same(follow(text, n, false, hints, cc), all);
    check_same(follow(text, n, false, hints, cc, ptx::sampling::middle_block), all);
}

// A loop of %r3 from 0 to n by 1; %d3 is data + 4 * tid.
std::string loop(std::string_view body, std::string_view before = {}) {
    return kernel_of("mul.wide.u32 %d2, %r2, 4;\nadd.s64 %d3, %d1, %d2;\nmov.u32 %r3, 0;\n" +
                     std::string(before) + "L: " + std::string(body) +
                     "add.u32 %r3, %r3, 1;\nsetp.lt.u32 %p1, %r3, %r1;\n@%p1 bra L;\n"
                     "st.global.u32 [%d3], %r4;\nret;");
}

}  // namespace

TEST_CASE("rounds that are multiplied count as those that are followed, whatever the loop does") {
    const std::vector<std::string> loops{
        loop("ld.global.f32 %f1, [%d3];\nadd.s64 %d3, %d3, 4;\n"),
        loop("ld.global.f32 %f1, [%d3];\nadd.s64 %d3, %d3, 128;\n"),
        // An index that is computed anew each round, signed, and one that counts down.
        loop("mad.lo.s32 %r5, %r3, 12, %r2;\nmul.wide.s32 %d4, %r5, 4;\nadd.s64 %d5, %d1, %d4;\n"
             "ld.global.f32 %f1, [%d5];\nst.global.f32 [%d5+64], %f1;\n"),
        loop("sub.s32 %r6, %r6, 3;\nmul.wide.s32 %d4, %r6, 8;\nadd.s64 %d5, %d1, %d4;\n"
             "ld.global.f32 %f1, [%d5];\n",
             "mov.u32 %r6, 500;\n"),
        // What a round does changes at its time: a guard, an equality, a sign.
        loop("setp.gt.u32 %p2, %r3, 137;\n@%p2 bra N;\nld.global.f32 %f1, [%d3];\n"
             "N: add.s64 %d3, %d3, 32;\n"),
        loop("setp.eq.s32 %p2, %r3, 211;\n@%p2 st.global.f32 [%d3], %f1;\n"),
        loop("setp.lt.s32 %p2, %r6, 0;\nadd.s32 %r6, %r6, 1;\n@%p2 ld.global.f32 %f1, [%d3];\n",
             "mov.u32 %r6, -77;\n"),
        // Ways that no sum describes: by bits of the counter, by a remainder, by a product.
        loop("and.b32 %r5, %r3, 3;\nsetp.eq.u32 %p2, %r5, 0;\n@%p2 ld.global.f32 %f1, [%d3];\n"),
        loop("rem.u32 %r5, %r3, 7;\nmul.wide.u32 %d4, %r5, 32;\nadd.s64 %d5, %d3, %d4;\n"
             "ld.global.f32 %f1, [%d5];\n"),
        loop("mul.lo.u32 %r5, %r5, 1664525;\nadd.u32 %r5, %r5, 1013904223;\n"
             "and.b32 %r6, %r5, 0x10000;\nsetp.ne.u32 %p2, %r6, 0;\n@%p2 bra N;\nadd.u32 %r7, %r7, "
             "1;\n"
             "N: ",
             "mov.u32 %r5, 1;\n"),
        loop("mul.lo.u32 %r5, %r3, %r3;\nmul.wide.u32 %d4, %r5, 4;\nadd.s64 %d5, %d3, %d4;\n"
             "ld.global.f32 %f1, [%d5];\n"),
        // An address of 32 bits that begins anew, and one whose lanes move apart.
        loop("shl.b32 %r5, %r3, 26;\ncvt.u64.u32 %d4, %r5;\nadd.s64 %d5, %d1, %d4;\n"
             "ld.global.f32 %f1, [%d5];\n"),
        loop("mad.lo.u32 %r5, %r3, %r2, %r2;\nmul.wide.u32 %d4, %r5, 4;\nadd.s64 %d5, %d1, %d4;\n"
             "ld.global.f32 %f1, [%d5];\n"),
        // Shared memory, whose banks take turns, and half of the lanes.
        loop("shl.b32 %r5, %r3, 2;\nand.b32 %r5, %r5, 1020;\nmov.u32 %r6, tile;\nadd.u32 %r7, %r6, "
             "%r5;\n"
             "ld.shared.f32 %f1, [%r7];\nst.shared.f32 [%r7+8], %f1;\n"),
        loop("setp.lt.u32 %p2, %r2, 13;\n@!%p2 bra N;\nld.global.f32 %f1, [%d3];\nadd.u32 %r8, "
             "%r8, 2;\n"
             "N: add.s64 %d3, %d3, 8;\n",
             "mov.u32 %r8, 0;\n"),
        // A value that a round leaves to the next one but one.
        loop("mul.wide.u32 %d4, %r5, 32;\nadd.s64 %d5, %d3, %d4;\nld.global.f32 %f1, [%d5];\n"
             "mov.u32 %r5, %r6;\nmov.u32 %r6, %r3;\n",
             "mov.u32 %r5, 0;\nmov.u32 %r6, 0;\n"),
        // One value now, another then.
        loop("xor.b32 %r5, %r5, 96;\ncvt.u64.u32 %d4, %r5;\nadd.s64 %d5, %d3, %d4;\n"
             "ld.global.f32 %f1, [%d5];\n",
             "mov.u32 %r5, 0;\n"),
        // A loop within, of few rounds and of as many as the one around it has made.
        loop("mov.u32 %r9, 0;\nM: ld.global.f32 %f1, [%d3];\nadd.u32 %r9, %r9, 1;\n"
             "setp.lt.u32 %p2, %r9, 5;\n@%p2 bra M;\nadd.s64 %d3, %d3, 16;\n"),
        loop("mov.u32 %r9, 0;\nM: ld.global.f32 %f1, [%d3];\nadd.u32 %r9, %r9, 1;\n"
             "setp.le.u32 %p2, %r9, %r3;\n@%p2 bra M;\nadd.s64 %d3, %d3, 16;\n"),
        // Loops within loops, three deep, whose inner ones are short, or whose inner one can be multiplied itself.
        loop("mov.u32 %r9, 0;\nM: mov.u32 %r10, 0;\nN: ld.global.f32 %f1, [%d3];\n"
             "add.s64 %d3, %d3, 4;\nadd.u32 %r10, %r10, 1;\nsetp.lt.u32 %p2, %r10, 3;\n"
             "@%p2 bra N;\nadd.u32 %r9, %r9, 1;\nsetp.lt.u32 %p3, %r9, 2;\n@%p3 bra M;\n"),
        loop("mov.u32 %r9, 0;\nM: ld.global.f32 %f1, [%d3];\nadd.u32 %r9, %r9, 1;\n"
             "add.s64 %d3, %d3, 128;\nsetp.lt.u32 %p2, %r9, 40;\n@%p2 bra M;\n"
             "st.global.f32 [%d1], %f1;\n"),
        // One within ends when the outer counter says so, with another number of rounds now and then.
        loop("and.b32 %r10, %r3, 7;\nmov.u32 %r9, 0;\nM: ld.global.f32 %f1, [%d3];\n"
             "add.u32 %r9, %r9, 1;\nsetp.lt.u32 %p2, %r9, %r10;\n@%p2 bra M;\n"
             "add.s64 %d3, %d3, 128;\n"),
        loop("shr.u32 %r10, %r3, 6;\nmov.u32 %r9, 0;\nM: ld.global.f32 %f1, [%d3];\n"
             "add.u32 %r9, %r9, 1;\nsetp.le.u32 %p2, %r9, %r10;\n@%p2 bra M;\n"
             "add.s64 %d3, %d3, 128;\n"),
        // Two jumps back to one place, and a loop that begins as the one around it does.
        loop("ld.global.u32 %r10, [%d3];\nsetp.eq.u32 %p2, %r10, 0;\n@%p2 bra L;\n"
             "add.s64 %d3, %d3, 128;\n"),
        loop("add.s64 %d3, %d3, 64;\nld.global.f32 %f1, [%d3];\nadd.u32 %r3, %r3, 1;\n"
             "and.b32 %r5, %r3, 3;\nsetp.ne.u32 %p2, %r5, 0;\n@%p2 bra L;\n"),
        // Minimum and maximum: one source wins at first, then the other; lanes differ; signs do.
        loop("min.s32 %r5, %r3, 100;\nmad.lo.s32 %r5, %r5, 32, %r2;\nmul.wide.s32 %d4, %r5, 4;\n"
             "add.s64 %d5, %d1, %d4;\nld.global.f32 %f1, [%d5];\n"),
        loop("add.u32 %r5, %r3, %r2;\nmax.u32 %r6, %r5, 77;\nmul.wide.u32 %d4, %r6, 32;\n"
             "add.s64 %d5, %d1, %d4;\nld.global.f32 %f1, [%d5];\n"),
        loop("sub.s32 %r5, 150, %r3;\nmax.s32 %r6, %r5, -3;\nmin.s32 %r7, %r6, %r3;\n"
             "mul.wide.s32 %d4, %r7, 32;\nadd.s64 %d5, %d1, %d4;\nld.global.f32 %f1, [%d5];\n"),
        // Both sources move alike; one is not known; lanes take turns; no bound of 64 bits holds for one.
        loop("add.s32 %r5, %r3, 9;\nmin.s32 %r6, %r5, %r3;\nmul.wide.s32 %d4, %r6, 4;\n"
             "add.s64 %d5, %d1, %d4;\nld.global.f32 %f1, [%d5];\n"),
        loop("max.u32 %r5, %r3, %r10;\nmul.wide.u32 %d4, %r5, 4;\nadd.s64 %d5, %d1, %d4;\n"
             "ld.global.f32 %f1, [%d5];\n",
             "ld.global.u32 %r10, [%d1];\n"),
        loop("mul.lo.s32 %r5, %r2, 9;\nmin.s32 %r6, %r5, %r3;\nmul.wide.s32 %d4, %r6, 4;\n"
             "add.s64 %d5, %d1, %d4;\nld.global.f32 %f1, [%d5];\n"),
        loop("max.u64 %d5, %d3, %d1;\nadd.s64 %d3, %d3, 0x4000000000000000;\n"
             "ld.global.f32 %f1, [%d5];\n"),
        // Data decides as in the round before: in all lanes, within other lanes, and in two rounds alike only.
        loop("ld.global.u32 %r10, [%d3];\nsetp.eq.u32 %p2, %r10, 0;\n@%p2 bra N;\n"
             "ld.global.f32 %f1, [%d3+64];\nN: add.s64 %d3, %d3, 128;\n"),
        loop("ld.global.u32 %r10, [%d3];\nsetp.eq.u32 %p2, %r10, 0;\n@%p2 bra N;\n"
             "ld.global.u32 %r11, [%d3+64];\nsetp.eq.u32 %p3, %r11, 0;\n"
             "@%p3 st.global.u32 [%d3], %r11;\nN: add.s64 %d3, %d3, 128;\n"),
        loop("ld.global.u32 %r10, [%d1];\nsetp.gt.u32 %p2, %r10, 7;\n@%p2 bra N;\n"
             "ld.global.f32 %f1, [%d3+64];\nN: add.s64 %d3, %d3, 128;\n"),
        // A loop that data ends within one that does not.
        loop("mov.u32 %r11, 0;\nM: ld.global.u32 %r10, [%d3];\nsetp.eq.u32 %p2, %r10, 0;\n@%p2 bra "
             "M;\n"
             "add.s64 %d3, %d3, 128;\n"),
        // What moves has a base that nobody knows: an index, a pointer, a bound of the same base, and bits that bound it.
        loop("add.u32 %r5, %r10, %r3;\nmul.wide.u32 %d4, %r5, 4;\nadd.s64 %d5, %d1, %d4;\n"
             "ld.global.f32 %f1, [%d5];\n",
             "ld.global.u32 %r10, [%d1];\n"),
        loop("ld.global.f32 %f1, [%d6];\nadd.s64 %d6, %d6, 12;\n", "ld.global.u64 %d6, [%d1];\n"),
        loop("add.s32 %r12, %r12, 1;\nsetp.lt.s32 %p2, %r12, %r11;\n"
             "@%p2 ld.global.f32 %f1, [%d3];\n",
             "ld.global.s32 %r10, [%d1];\nadd.s32 %r11, %r10, 150;\nmov.u32 %r12, %r10;\n"),
        loop("setp.gt.u32 %p2, %r3, %r11;\n@%p2 ld.global.f32 %f1, [%d3];\n",
             "ld.global.u32 %r10, [%d1];\nand.b32 %r11, %r10, 63;\n"),
        // What a round computes anew moves against such a base: its address, and what it is compared with.
        loop("mul.wide.u32 %d4, %r3, 4;\nadd.s64 %d5, %d6, %d4;\nadd.s64 %d5, %d5, %d2;\n"
             "st.global.f32 [%d5], %f1;\n",
             "ld.global.u64 %d6, [%d1];\n"),
        loop("add.s32 %r12, %r10, %r3;\nsetp.lt.s32 %p2, %r12, %r11;\n"
             "@%p2 ld.global.f32 %f1, [%d3];\n",
             "ld.global.s32 %r10, [%d1];\nadd.s32 %r11, %r10, 150;\n"),
        // A sum that begins to move in a late round, so that the measured round and the next one differ.
        loop("setp.gt.u32 %p2, %r3, 140;\n@!%p2 bra N;\nadd.s64 %d3, %d3, -4;\nN: "),
        loop("setp.gt.u32 %p2, %r3, 140;\n@!%p2 bra N;\nadd.s64 %d3, %d3, 12;\nN: "),
        loop("setp.gt.u32 %p2, %r3, 140;\n@%p2 add.s64 %d3, %d3, 20;\n"),
        loop("setp.gt.u32 %p2, %r3, 159;\n@!%p2 add.s64 %d3, %d3, 20;\n"),
        // A sum that moves in the second round, and in no other.
        loop("setp.eq.u32 %p2, %r3, 1;\n@%p2 add.u32 %r5, %r5, 3;\nmul.wide.u32 %d4, %r5, 4;\n"
             "add.s64 %d5, %d3, %d4;\nld.global.f32 %f1, [%d5];\n",
             "mov.u32 %r5, 0;\n"),
        // A loop that is left at its top, and waits that go from round to round.
        kernel_of("mov.u32 %r3, 0;\nL: setp.ge.s32 %p1, %r3, %r1;\n@%p1 bra OUT;\n"
                  "mul.wide.s32 %d2, %r3, 4;\nadd.s64 %d3, %d1, %d2;\nld.global.f32 %f1, [%d3];\n"
                  "add.f32 %f2, %f2, %f1;\nadd.s32 %r3, %r3, 2;\nbra L;\nOUT: st.global.f32 [%d1], "
                  "%f2;\nret;"),
        // Lanes that end after different rounds.
        kernel_of("mov.u32 %r3, %r2;\nL: ld.global.f32 %f1, [%d1];\nadd.u32 %r3, %r3, 5;\n"
                  "setp.lt.u32 %p1, %r3, %r1;\n@%p1 bra L;\nret;")};
    for (std::size_t which = 0; which < loops.size(); ++which) {
        for (const std::int64_t n : {1, 7, 19, 301}) {
            CAPTURE(which);
            CAPTURE(n);
            check_rounds(loops[which], n);
        }
        check_rounds(loops[which], 200, {}, {3, 5});
    }
}

TEST_CASE(
    "a few rounds whose accesses begin at other places of a line count as if all were followed") {
    const std::string gather =
        "mul.wide.u32 %d6, %r2, 96;\nadd.s64 %d3, %d1, %d6;\nmov.b64 %d7, 0;\n";
    const std::string rows =
        "and.b32 %r5, %r2, 15;\nshr.u32 %r6, %r2, 4;\nmul.lo.u32 %r6, %r6, 1028;\n"
        "add.u32 %r5, %r5, %r6;\nmul.wide.u32 %d6, %r5, 4;\nadd.s64 %d3, %d1, %d6;\n";
    const std::string read = "ld.global.f32 %f1, [%d3];\nadd.f32 %f2, %f2, %f1;\n";
    const std::vector<std::string> loops{
        loop(read + "ld.global.f32 %f3, [%d3+4];\nadd.s64 %d3, %d3, 8;\n"),
        loop(read + "add.s64 %d3, %d3, -12;\n", rows),
        loop(read + "add.s64 %d3, %d3, 16440;\n", rows),
        loop(read + "add.s64 %d3, %d3, 20;\n", gather),
        loop(read + "st.global.f32 [%d3+4096], %f2;\nadd.s64 %d3, %d3, 4;\n"),
        loop("ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%d3];\nadd.s64 %d3, %d3, 48;\n", gather),
        loop("atom.global.add.u32 %r5, [%d3], 1;\nadd.s64 %d3, %d3, 4;\n"),
        // Constants and banks, and one that is read twice a round.
        loop(read + "ld.const.f32 %f3, [%d7];\nadd.s64 %d7, %d7, 60;\nadd.s64 %d3, %d3, 8;\n",
             gather),
        loop(read + "shl.b32 %r5, %r3, 2;\nld.shared.f32 %f3, [%r5];\nadd.s64 %d3, %d3, 8;\n"),
        loop("mov.u32 %r9, 0;\nM: " + read +
             "add.s64 %d3, %d3, 8;\nadd.u32 %r9, %r9, 1;\nsetp.lt.u32 %p2, %r9, 2;\n@%p2 bra M;\n"),
        // Beside them one by data, of texels, of another base, of a generic address.
        loop("ld.global.u32 %r10, [%d3];\nmul.wide.u32 %d4, %r10, 4;\nadd.s64 %d5, %d1, %d4;\n"
             "ld.global.f32 %f1, [%d5];\nadd.s64 %d3, %d3, 8;\n"),
        loop(read +
             "tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [tile, {%r3}];\nadd.s64 %d3, %d3, 8;\n"),
        loop(read + "ld.global.f32 %f3, [%d6];\nadd.s64 %d3, %d3, 8;\n",
             "ld.global.u64 %d6, [%d1];\n"),
        loop(read + "ld.f32 %f3, [%d3+4096];\nadd.s64 %d3, %d3, 8;\n"),
        // The same step by an address that stays, and by one that moves.
        loop("mov.u32 %r9, 0;\nmov.b64 %d5, %d7;\nM: ld.global.f32 %f1, [%d5];\nmov.b64 %d5, %d3;\n"
             "add.u32 %r9, %r9, 1;\nsetp.lt.u32 %p2, %r9, 2;\n@%p2 bra M;\nadd.s64 %d3, %d3, 8;\n",
             "mov.b64 %d7, %d3;\n"),
        // Some lanes, a predicate, an unknown base.
        loop("setp.lt.u32 %p2, %r2, 13;\n@%p2 ld.global.f32 %f1, [%d3];\nadd.s64 %d3, %d3, 4;\n"),
        loop("ld.global.f32 %f1, [%d6];\nadd.s64 %d6, %d6, 12;\n", "ld.global.u64 %d6, [%d1];\n")};
    for (std::size_t which = 0; which < loops.size(); ++which) {
        for (const std::int64_t n : {6, 8, 11, 15, 33}) {
            CAPTURE(which);
            CAPTURE(n);
            for (const compute_capability cc : {compute_capability{7, 5}, {3, 5}, {2, 0}}) {
                check_rounds(loops[which], n, {}, cc);
            }
            const auto all = follow(loops[which], n, true, {}, {7, 5}, ptx::sampling::middle_block);
            const auto few =
                follow(loops[which], n, false, {}, {7, 5}, ptx::sampling::middle_block);
            if (n < 33) CHECK(few.waits.reused_fraction == all.waits.reused_fraction);
            CHECK(few.touched.broadcast_loads == all.touched.broadcast_loads);
        }
    }
}

TEST_CASE("a long loop in the rounds of another one is multiplied as in the round before") {
    const auto within = [](const std::string& begin, const std::string& body,
                           const std::string& after = {}) {
        return loop("ld.global.f32 %f1, [%d3];\nst.shared.f32 [%r2], %f1;\n" + begin + "M: " +
                    body + "add.u32 %r9, %r9, 1;\nsetp.lt.u32 %p2, %r9, 60;\n@%p2 bra M;\n" +
                    after + "add.s64 %d3, %d3, 256;\n");
    };
    const std::string zero = "mov.u32 %r9, 0;\n";
    const std::string read = "shl.b32 %r5, %r9, 2;\nld.shared.f32 %f3, [%r5];\n";
    const std::vector<std::string> loops{
        within(zero, read),
        within(zero + "mov.u32 %r10, 0;\n", "ld.shared.f32 %f3, [%r10];\nadd.u32 %r10, %r10, 4;\n"),
        // It reads what the outer loop moves: as an address, as a bound, in some rounds alone.
        within(zero, "add.u32 %r5, %r9, %r3;\nshl.b32 %r5, %r5, 2;\nld.shared.f32 %f3, [%r5];\n"),
        within("mov.u32 %r9, %r3;\n", read), within("shr.u32 %r9, %r3, 2;\n", read),
        within("and.b32 %r9, %r3, 1;\n", read),
        // It goes on where it ended in the round before, reads global memory, or data.
        within(zero,
               "add.u32 %r10, %r10, 4;\nand.b32 %r11, %r10, 255;\nld.shared.f32 %f3, [%r11];\n"),
        within(zero, "ld.global.f32 %f3, [%d1];\nadd.f32 %f2, %f2, %f3;\n"),
        within(zero,
               "ld.shared.u32 %r5, [%r9];\nsetp.eq.u32 %p3, %r5, 0;\n@%p3 add.u32 %r6, %r6, 1;\n"),
        // Twice in a round, and one more behind it.
        within(
            zero, read,
            zero + "N: " + read + "add.u32 %r9, %r9, 1;\nsetp.lt.u32 %p2, %r9, 60;\n@%p2 bra N;\n"),
        within(zero, read,
               "setp.lt.u32 %p3, %r3, 11;\n@%p3 bra P;\nld.global.f32 %f4, [%d1];\nP: ")};
    for (std::size_t which = 0; which < loops.size(); ++which) {
        for (const std::int64_t n : {5, 12, 40}) {
            CAPTURE(which);
            CAPTURE(n);
            check_rounds(loops[which], n);
            const auto all = follow(loops[which], n, true, {}, {7, 5}, ptx::sampling::middle_block);
            const auto few =
                follow(loops[which], n, false, {}, {7, 5}, ptx::sampling::middle_block);
            CHECK(same_counts::lines_in_order(few) == same_counts::lines_in_order(all));
            if (which < 2 && n == 40) CHECK(few.steps * 20 < all.steps);
            if (which < 2 && n == 40) {
                CHECK(follow(loops[which], n, false).steps * 10 <
                      follow(loops[which], n, true).steps);
            }
        }
    }
}

TEST_CASE("a loop that data decides is multiplied too, and one that odds decide is not") {
    const std::string text = kernel_of(
        "mov.u32 %r3, 0;\nL: ld.global.u32 %r4, [%d1];\nsetp.ne.u32 %p1, %r4, 0;\n@%p1 bra "
        "L;\nret;");
    for (const double rounds : {1.0, 33.0, 1000.0, 777.25}) {
        CAPTURE(rounds);
        const std::vector<ptx::hint> hints{{.label = "L", .rounds = rounds}};
        check_rounds(text, 1, hints);
    }
    const auto billion = follow(text, 1, false, {{.label = "L", .rounds = 1e9}});
    CHECK(billion.warp_insts == 3.0 + 1 + 3e9 + 1);
    const std::string odds = loop(
        "ld.global.u32 %r4, [%d3];\nsetp.ne.u32 %p2, %r4, 0;\n"
        "@%p2 st.global.u32 [%d3], %r4;\n");
    check_rounds(odds, 700);
}

// A loop of %r9 from 0 to a bound of data, which `up_to` puts in %r10.
std::string loop_within(const std::string& up_to, const std::string& compare,
                        const std::string& body = {}) {
    return "ld.global.u32 %r11, [%d3];\n" + up_to + "mov.u32 %r9, 0;\nM: " + body +
           "add.u32 %r9, %r9, 1;\n" + compare + "\n@%p2 bra M;\n";
}

TEST_CASE("data decides in no later round than the last in which it may") {
    const std::string mask = "and.b32 %r10, %r11, 7;\n";
    const std::string part = "rem.u32 %r10, %r11, 6;\n";
    const std::string wide = "shr.u32 %r10, %r11, 28;\n";
    const std::string text = "ld.global.u32 %r4, [%d3];\nsetp.ne.u32 %p3, %r4, 0;\n@%p3 bra L;\n";
    std::vector<std::string> loops;
    for (const std::string& bound : {mask, part, wide}) {
        for (const char* const compare :
             {"setp.lt.u32 %p2, %r9, %r10;", "setp.le.s32 %p2, %r9, %r10;",
              "setp.gt.s32 %p2, %r10, %r9;"}) {
            loops.push_back(loop(loop_within(bound, compare)));
            loops.push_back(loop(loop_within(bound, compare, "add.s64 %d3, %d3, 32;\n")));
            // Data decides how often the loop around it runs, too.
            loops.push_back(kernel_of("add.s64 %d3, %d1, 64;\nL: " + loop_within(bound, compare) +
                                      text + "ret;"));
        }
    }
    // A counter that falls to what an unknown number may be at least.
    loops.push_back(
        loop("ld.global.u32 %r11, [%d3];\nmov.u32 %r9, 20;\nM: sub.u32 %r9, %r9, 1;\n"
             "setp.lt.u32 %p2, %r11, %r9;\n@%p2 bra M;\n"));
    for (const std::string& each : loops) {
        CAPTURE(each);
        for (const std::int64_t n : {1, 9, 40}) check_rounds(each, n);
        check_rounds(each, 9, {{.label = "M", .rounds = 25}});
    }
}

TEST_CASE("what data decides together with a number is not known in each round") {
    // A product, a mask and a minimum of data are known where the other number is 0: in every second round, or in the last ones.
    const std::string turn = "and.b32 %r5, %r3, 1;\n";
    const std::string down = "sub.s32 %r5, 300, %r3;\nmax.s32 %r5, %r5, 0;\n";
    for (const std::string& other : {turn, down}) {
        for (const char* const what :
             {"mul.lo.u32 %r6, %r4, %r5;\n", "and.b32 %r6, %r4, %r5;\n", "min.u32 %r6, %r4, %r5;\n",
              "mad.lo.u32 %r6, %r4, %r5, 3;\n"}) {
            const std::string text =
                loop("ld.global.u32 %r4, [%d3];\n" + other + what +
                     "setp.gt.u32 %p2, %r6, 8;\n@%p2 ld.global.f32 %f1, [%d3+64];\n");
            CAPTURE(text);
            for (const std::int64_t n : {9, 40, 305}) check_rounds(text, n);
        }
    }
}

TEST_CASE("loads that come to a variable with initial values, or leave it, are known there") {
    const std::string read =
        "ld.global.u32 %r7, [%d6];\nsetp.gt.u32 %p2, %r7, 9;\n@%p2 ld.global.f32 %f1, [%d3+64];\n";
    for (const int by : {4, -4}) {
        std::string text = loop(read + "add.s64 %d6, %d6, " + std::to_string(by) + ";\n",
                                "mov.u64 %d6, table;\nadd.s64 %d6, %d6, %d2;\nadd.s64 %d6, %d6, " +
                                    std::to_string(-80 * by) + ";\n");
        text.insert(text.find(".visible"), ".global .align 4 .u32 table[4] = {1, 2, 3, 4};\n");
        for (const std::int64_t n : {10, 21, 70, 300}) check_rounds(text, n);
    }
}

TEST_CASE("a billion rounds take as many steps as a thousand, and give exact counts") {
    const std::string text =
        loop("ld.global.f32 %f1, [%d3];\nadd.f32 %f2, %f2, %f1;\nadd.s64 %d3, %d3, 4;\n");
    const auto thousand = follow(text, 1'000, false);
    for (const std::int64_t n : {1'000'000, 1'000'000'000}) {
        const auto t = follow(text, n, false);
        CHECK(t.steps == thousand.steps);
        CHECK(t.warp_insts == 3.0 + 3 + 6.0 * static_cast<double>(n) + 2);
        CHECK(t.waits.steps == static_cast<double>(n));
        CHECK(t.stream.size() == thousand.stream.size());
    }
}

TEST_CASE("what counts down by not and neg moves evenly") {
    for (const char* down : {"not.b32 %r5, %r3;\n", "neg.s32 %r5, %r3;\n"}) {
        const std::string text =
            loop(std::string(down) +
                 "add.s32 %r5, %r5, %r1;\nmad.lo.s32 %r5, %r5, 64, %r2;\n"
                 "mul.wide.s32 %d4, %r5, 4;\nadd.s64 %d5, %d1, %d4;\nld.global.f32 %f1, [%d5];\n");
        check_rounds(text, 5000);
        CHECK(follow(text, 10'000'000, false).steps < 2000);
    }
    // A predicate has no sign.
    check_rounds(
        loop("not.pred %p3, %p3;\n@%p3 ld.global.f32 %f1, [%d3];\n", "setp.eq.u32 %p3, %r3, 0;\n"),
        1000);
}

TEST_CASE("instructions that the proof follows, or gives up at, count alike either way") {
    const std::string some = "setp.lt.u32 %p3, %r2, 9;\n";
    const std::string scratch = ".local .align 4 .b8 own[64];\n";
    const std::vector<std::string> loops{
        // Carries.
        loop("addc.u32 %r5, %r3, 0;\n"), loop("add.cc.u32 %r5, %r3, 1;\naddc.u32 %r6, %r5, 0;\n"),
        loop("sub.cc.u32 %r5, %r3, 1;\nsubc.u32 %r6, %r5, 0;\n"),
        loop("mad.lo.cc.u32 %r5, %r3, 7, 1;\n"),
        // Other lanes.
        loop("shfl.sync.down.b32 %r5, %r3, 1, 31, -1;\n"),
        loop("@%p3 shfl.sync.down.b32 %r5, %r1, 1, 31, -1;\n", some),
        loop("@%p3 vote.sync.ballot.b32 %r5, 1, 0x1ff;\n", some),
        loop("@%p3 match.any.sync.b32 %r5, %r1, 0x1ff;\n", some),
        loop("@%p3 redux.sync.add.u32 %r5, %r1, 0x1ff;\n", some),
        // Addresses, products and shifts.
        loop("cvta.to.global.u64 %d4, %d3;\nld.global.f32 %f1, [%d4];\nadd.s64 %d3, %d3, 4;\n"),
        loop("mul.hi.u32 %r5, %r3, %r1;\n"),
        loop("mul.lo.u32 %r5, %r1, %r3;\nmul.wide.u32 %d4, %r5, 4;\nadd.s64 %d5, %d1, %d4;\n"
             "ld.global.f32 %f1, [%d5];\n"),
        loop("mul.lo.u32 %r5, %r3, %r2;\n"),
        loop("mul.lo.u32 %r5, %r3, %r3;\nmul.lo.u32 %r6, %r5, 3;\n"),
        loop("mul.lo.u32 %r5, %r3, %r3;\nmul.lo.u32 %r6, 3, %r5;\n"),
        loop("shl.b32 %r5, %r3, %r2;\n"), loop("shl.b32 %r5, %r3, 64;\n"),
        loop("and.b32 %r5, %r3, %r2;\n"),
        loop("shl.b32 %r5, %r3, 4;\nand.b32 %r6, %r5, 15;\nmul.wide.u32 %d4, %r6, 4;\n"
             "add.s64 %d5, %d1, %d4;\nld.global.f32 %f1, [%d5];\n"),
        // Comparisons and choices.
        loop("setp.lt.and.u32 %p2, %r3, 100, %p3;\n@%p2 ld.global.f32 %f1, [%d3];\n", some),
        loop("setp.lt.u64 %p2, %d4, 100;\nadd.s64 %d4, %d4, 0x40000000;\n@%p2 ld.global.f32 %f1, "
             "[%d3];\n",
             "mov.u64 %d4, 0;\n"),
        loop("selp.b32 %r5, %r3, %r3, %p3;\nmul.wide.u32 %d4, %r5, 4;\nadd.s64 %d5, %d1, %d4;\n"
             "ld.global.f32 %f1, [%d5];\n",
             some),
        loop("selp.b32 %r5, %r3, %r1, %p3;\nmul.wide.u32 %d4, %r5, 4;\nadd.s64 %d5, %d1, %d4;\n"
             "ld.global.f32 %f1, [%d5];\n",
             some),
        // A number of 16 bits that begins anew.
        loop("add.u16 %h1, %h1, 1000;\nmul.wide.u16 %r5, %h1, 4;\ncvt.u64.u32 %d4, %r5;\n"
             "add.s64 %d5, %d1, %d4;\nld.global.f32 %f1, [%d5];\n",
             "mov.u16 %h1, 0;\n"),
        // Ends, tables, memory of a thread, texels and atomics.
        loop("setp.eq.u32 %p2, %r3, 211;\n@%p2 exit;\n"),
        loop("and.b32 %r5, %r3, 1;\nbrx.idx %r5, T;\nT: .branchtargets A, B;\n"
             "A: ld.global.f32 %f1, [%d3];\nB: add.s64 %d3, %d3, 4;\n"),
        loop("st.local.u32 [own], %r3;\nld.local.u32 %r5, [own];\n", scratch),
        loop("tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [tile, {%r3}];\n"),
        loop("atom.shared.add.u32 %r5, [tile], %r3;\n"),
        loop("mov.b64 %d4, {%r3, %r1};\nmov.b64 {%r5, _}, %d4;\n")};
    for (const std::string& text : loops) {
        CAPTURE(text);
        check_rounds(text, 300);
    }
}

// Reads where a register of 32 bits says.
std::string read_at(const std::string& row) {
    return "mul.wide.u32 %d4, " + row + ", 4;\nadd.s64 %d5, %d1, %d4;\nld.global.f32 %f1, [%d5];\n";
}

TEST_CASE("what decides an address is followed by the proof, or it gives up") {
    const std::string some = "setp.lt.u32 %p3, %r2, 9;\n";
    const std::string scratch = ".local .align 4 .b8 own[64];\n";
    std::string five_thousand;
    for (int n = 0; n < 5000; ++n) five_thousand += "add.u32 %r7, %r7, 1;\n";
    const std::vector<std::string> loops{
        loop(five_thousand + "ld.global.f32 %f1, [%d3];\n"),
        // Parts of a row, to a row, and of more of them than a computation has.
        loop("mov.b64 %d6, {%r3, %r1};\nmov.b64 {%r5, _}, %d6;\n" + read_at("%r5")),
        loop("frob.u32 %r5, %r3, %r1, %r1, %r1, %r1;\n" + read_at("%r5")),
        loop("frob.u32 %r5, %r2, %r1, %r1, %r1, %r1;\n" + read_at("%r5")),
        // Shifts and bits by other than one number.
        loop("and.b32 %r6, %r2, 3;\nshl.b32 %r5, %r3, %r6;\n" + read_at("%r5")),
        loop("shl.b32 %r5, %r3, 64;\n" + read_at("%r5")),
        loop("and.b32 %r5, %r3, %r2;\n" + read_at("%r5")),
        // Only what is added moves.
        loop("mad.lo.u32 %r5, %r2, %r1, %r3;\n" + read_at("%r5")),
        // Other lanes, of all and of some.
        loop("shfl.sync.down.b32 %r5, %r3, 1, 31, -1;\n" + read_at("%r5")),
        loop("shfl.sync.down.b32 %r5, %r2, 1, 31, -1;\n" + read_at("%r5")),
        loop("@%p3 shfl.sync.down.b32 %r5, %r2, 1, 31, 0x1ff;\n" + read_at("%r5"),
             some + "mov.u32 %r5, 0;\n"),
        // Narrower than what moves, and below zero.
        loop("cvt.u32.u8 %r5, %r3;\n" + read_at("%r5")),
        loop(
            "cvt.s32.s8 %r5, %r6;\nadd.u32 %r6, %r6, 1;\nadd.u32 %r5, %r5, 128;\n" + read_at("%r5"),
            "mov.u32 %r6, 200;\n"),
        loop("add.u16 %h1, %h1, 65000;\ncvt.u32.u16 %r5, %h1;\n" + read_at("%r5"),
             "mov.u16 %h1, 40000;\n"),
        // A memory of the thread that an address comes from.
        loop("st.local.u32 [own], %r3;\nld.local.u32 %r5, [own];\n" + read_at("%r5"), scratch),
        loop("ld.local.u32 %r5, [own];\nadd.u32 %r5, %r5, %r3;\n" + read_at("%r5"),
             scratch + "st.local.u32 [own], %r1;\n"),
        loop(
            "st.param.v2.u32 [q], {%r3, %r1};\nld.param.v2.u32 {%r5, %r6}, [q];\n" + read_at("%r5"),
            ".param .align 8 .b8 q[8];\n"),
        loop("mul.hi.u32 %r5, %r3, 0x40000000;\n" + read_at("%r5")),
        // What has no value.
        loop("frob.u32 %r5, %r1, _;\n" + read_at("%r5")), loop("ld.global.f32 %f1, _;\n"),
        // Some lanes of each round go over steps before the loop.
        kernel_of("mov.u32 %r3, 0;\nsetp.lt.u32 %p3, %r2, 9;\nbra L;\n"
                  "B: add.u32 %r7, %r7, 1;\nbra N;\n"
                  "L: mul.wide.u32 %d4, %r3, 4;\nadd.s64 %d5, %d1, %d4;\n"
                  "ld.global.f32 %f1, [%d5];\n@%p3 bra B;\nadd.u32 %r8, %r8, 1;\n"
                  "N: add.u32 %r3, %r3, 1;\nsetp.lt.u32 %p1, %r3, %r1;\n@%p1 bra L;\nret;")};
    for (std::size_t which = 0; which < loops.size(); ++which) {
        CAPTURE(which);
        const std::int64_t n = which == 0 ? 6 : 300;
        check_rounds(loops[which], n);
    }
}

TEST_CASE("two branches of a round that data decides count as if all were followed") {
    const std::string text = loop(
        "ld.global.u32 %r4, [%d3];\nsetp.ne.u32 %p2, %r4, 0;\nsetp.ne.u32 %p3, %r4, 7;\n"
        "@%p2 bra N;\n@%p3 bra N;\nadd.u32 %r5, %r5, 1;\nN: ");
    check_rounds(text, 700);
}

TEST_CASE("copies that are under way while rounds are multiplied arrive as if all were followed") {
    const std::string bulk =
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [tile], [%d1], 64, ";
    const std::string text =
        loop("ld.global.u32 %r4, [%d3];\nadd.u32 %r5, %r5, %r4;\nadd.s64 %d3, %d3, 128;\n",
             "cp.async.ca.shared.global [tile], [%d1], 16;\ncp.async.commit_group;\n" + bulk +
                 "[tile+512];\n" + bulk + "[tile+520];\n");
    const std::string waits =
        "W: mbarrier.try_wait.shared.b64 %p2, [tile+512], 0;\n@!%p2 bra W;\n"
        "cp.async.wait_group 0;\nst.global.u32";
    const std::string all = text.substr(0, text.rfind("st.global.u32")) + waits +
                            text.substr(text.rfind("st.global.u32") + 13);
    check_rounds(all, 300, {}, {9, 0});
}

TEST_CASE("waits that alternate from round to round are those of all rounds") {
    const std::string copy =
        "cp.async.ca.shared.global [tile], [%d3], 16;\ncp.async.commit_group;\n";
    for (const int under_way : {0, 1, 2, 3}) {
        const std::string wait =
            "cp.async.wait_group " + std::to_string(under_way) + ";\nadd.s64 %d3, %d3, 128;\n";
        std::string ahead;
        for (int n = 0; n < under_way; ++n) ahead += copy;
        for (const std::int64_t n : {6, 56, 57, 58, 300}) {
            CAPTURE(under_way);
            CAPTURE(n);
            check_rounds(loop(copy + wait), n, {}, {8, 0});
            check_rounds(loop(copy + wait, ahead), n, {}, {8, 0});
            // Of a loop within that has such rounds itself, and of the one around it.
            check_rounds(loop("mov.u32 %r9, 0;\nM: " + copy + wait +
                              "add.u32 %r9, %r9, 1;\nsetp.lt.u32 %p2, %r9, 7;\n@%p2 bra M;\n"),
                         n, {}, {8, 0});
        }
    }
    // One wait for every two rounds, as docs/ptx.md counts groups of copies.
    const auto two =
        follow(loop(copy + "cp.async.wait_group 1;\n", copy), 1'000'000, false, {}, {8, 0});
    CHECK(two.waits.steps == 500'000);
}

TEST_CASE("passes in which copies write shared memory are those of all rounds") {
    const std::string copy = "cp.async.ca.shared.global [%r5], [%d1], 4;\n";
    const std::string to = "mov.u32 %r6, tile;\nmad.lo.u32 %r5, %r2, 8, %r6;\n";
    for (const std::string& text :
         {loop(copy + "add.u32 %r5, %r5, 4;\n", to), loop(copy + "add.u32 %r5, %r5, 128;\n", to),
          loop("mad.lo.u32 %r5, %r2, %r3, %r6;\nand.b32 %r5, %r5, 508;\n" + copy, to),
          loop("and.b32 %r7, %r3, 1;\nmad.lo.u32 %r5, %r7, 2048, %r6;\n" + copy, to),
          loop("ld.global.u32 %r7, [%d3];\nadd.u32 %r5, %r6, %r7;\n" + copy, to)}) {
        CAPTURE(text);
        for (const std::int64_t n : {6, 300}) check_rounds(text, n, {}, {8, 0});
    }
    const std::string twice = loop(copy + "add.u32 %r5, %r5, 4;\n", to);
    const auto t = follow(twice, 1'000'000, false, {}, {8, 0});
    CHECK(t.shared_store_passes == 2'000'000);
    CHECK(t.steps < 10'000);
}

TEST_CASE("a copy whose size or barrier changes is followed round by round") {
    for (const char* const size : {"%r5", "%r1"}) {
        const std::string text = loop(
            "shl.b32 %r5, %r3, 4;\ncp.async.bulk.shared::cluster.global.mbarrier::"
            "complete_tx::bytes [tile], [%d3], " +
            std::string(size) + ", [tile+512];\n");
        check_rounds(text, 300, {}, {9, 0});
    }
}

}  // namespace round_skipper_test
