// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels whose blocks do what two coordinates together say, so that blocks spread over the grid represent them.
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <warpgauge/ptx/text/parse.hpp>
#include <warpgauge/ptx/trace/trace.hpp>

#include "ptx/kernels.hpp"
#include "ptx/linked.hpp"
#include "ptx/traced_twice.hpp"
#include "ptx/within_errors.hpp"

namespace spread_sample_test {

using namespace warpgauge;

namespace {

// `if (guard && x < n && y < n) { before; data[y * n + x] = data[x * n + y]; }`, where the guard sets `%p1` of x, `%r5`, and y,
// `%r6`.
std::string guarded(const std::string& guard, const std::string& before = {}) {
    return kernel_of(
        "mov.u32 %r3, %ctaid.x;\nmov.u32 %r4, %ntid.x;\nmad.lo.s32 %r5, %r3, %r4, %r2;\n"
        "mov.u32 %r3, %ctaid.y;\nmov.u32 %r4, %ntid.y;\nmov.u32 %r7, %tid.y;\n"
        "mad.lo.s32 %r6, %r3, %r4, %r7;\n" +
        guard +
        "setp.lt.s32 %p2, %r5, %r1;\nsetp.lt.s32 %p3, %r6, %r1;\n"
        "and.pred %p1, %p1, %p2;\nand.pred %p1, %p1, %p3;\n@!%p1 bra OUT;\n" +
        before +
        "mad.lo.s32 %r8, %r5, %r1, %r6;\nmul.wide.s32 %d2, %r8, 4;\nadd.s64 %d2, %d1, %d2;\n"
        "ld.global.f32 %f1, [%d2];\n"
        "mad.lo.s32 %r8, %r6, %r1, %r5;\nmul.wide.s32 %d2, %r8, 4;\nadd.s64 %d2, %d1, %d2;\n"
        "st.global.f32 [%d2], %f1;\nOUT: ret;");
}

const std::string triangle = "setp.le.s32 %p1, %r5, %r6;\n";
const std::string circle =
    "shr.u32 %r9, %r1, 1;\nsub.s32 %r10, %r5, %r9;\nsub.s32 %r11, %r6, %r9;\n"
    "mul.lo.s32 %r10, %r10, %r10;\nmad.lo.s32 %r10, %r11, %r11, %r10;\n"
    "mul.lo.s32 %r9, %r9, %r9;\nsetp.lt.s32 %p1, %r10, %r9;\n";

// `a x + b y < c`
std::string half_plane(int a, int b, int c) {
    return "mul.lo.s32 %r9, %r5, " + std::to_string(a) + ";\nmad.lo.s32 %r9, %r6, " +
           std::to_string(b) + ", %r9;\nsetp.lt.s32 %p1, %r9, " + std::to_string(c) + ";\n";
}

}  // namespace

TEST_CASE("what a diagonal cuts off is within the errors") {
    for (const int n : {640, 1000, 1597}) {
        CAPTURE(n);
        const auto side = static_cast<unsigned>(n + 15) / 16;
        const auto [sample, all] = traced_twice(guarded(triangle), {{side, side}, {16, 16}}, n);
        CHECK(within_errors::outside(sample, all) == "");
        CHECK(sample.blocks_traced <= 1024);
        CHECK(within_errors::of_instructions(sample) > 0);
        CHECK(within_errors::of_instructions(sample) < 0.05);
        CHECK(sample.divergent_insts < 2 * all.divergent_insts);
    }
}

TEST_CASE("so is a triangle that takes a corner of the grid") {
    for (const int n : {200, 600}) {
        CAPTURE(n);
        const auto [sample, all] = traced_twice(guarded(triangle), {{64, 64}, {16, 16}}, n);
        CHECK(within_errors::outside(sample, all) == "");
        CHECK(sample.blocks_traced <= 1024);
    }
}

TEST_CASE("so are loops of a triangle, whose longest warp is in no block of the lattice") {
    // From the column to the row, a load each.
    const std::string loop =
        "LOOP:\nmul.wide.u32 %d2, %r9, 4;\nadd.u64 %d3, %d1, %d2;\nld.global.f32 %f1, [%d3];\n"
        "add.f32 %f2, %f2, %f1;\n"
        "add.u32 %r9, %r9, 4;\nsetp.lt.s32 %p2, %r9, %r10;\n@%p2 bra LOOP;\n";
    for (const int n : {350, 600}) {
        CAPTURE(n);
        const auto [sample, all] =
            traced_twice(guarded(triangle, "mov.u32 %r9, %r5;\nmov.u32 %r10, %r6;\n" + loop),
                         {{64, 64}, {16, 16}}, n);
        CHECK(sample.waits.longest_steps < all.waits.longest_steps);
        CHECK(sample.waits.longest_steps + sample.errors.longest_steps >= all.waits.longest_steps);
        CHECK(std::abs(sample.warp_insts - all.warp_insts) <= sample.errors.warp_insts);
    }
}

TEST_CASE("so is what a circle does") {
    const auto [sample, all] = traced_twice(guarded(circle), {{64, 64}, {16, 16}}, 1024);
    CHECK(within_errors::outside(sample, all) == "");
    CHECK(within_errors::of_instructions(sample) < 0.05);
}

TEST_CASE("so is what one of random lines cuts off, but for one in fifty") {
    std::uint32_t seed = 1;
    const auto next = [&](int below) {
        seed = seed * 1'664'525 + 1'013'904'223;
        return static_cast<int>((seed >> 8) % static_cast<std::uint32_t>(below));
    };
    int spread = 0;
    int outside = 0;
    for (int round = 0; round < 50; ++round) {
        const int n = 500 + next(600);
        const auto side = static_cast<std::uint32_t>((n + 15) / 16);
        const int offset =
            n * (next(9) - 4) / 2;  // one after the other, the same with every compiler
        const int down = next(9) - 4;
        const int across = next(9) - 4;
        const std::string guard = half_plane(across, down, offset);
        const auto [sample, all] = traced_twice(guarded(guard), {{side, side}, {16, 16}}, n);
        // Of a kind that one line of blocks has, two warps that are aligned as each other may represent others that are not.
        const bool is_spread = sample.blocks_traced > 64;
        spread += is_spread ? 1 : 0;
        const std::string off = within_errors::outside(sample, all, is_spread);
        if (!off.empty()) ++outside;
    }
    CHECK(spread > 20);
    CHECK(outside <= 1);
}

TEST_CASE("a region inside of a grid, or one block of it, is counted exactly") {
    struct region {
        int x0, x1, y0, y1;
    };
    // Of 16 by 16 elements a block; nothing of them is in the middle of the grid, or on its edges.
    for (const region& r : {region{200, 300, 300, 420}, region{100, 132, 900, 916},
                            region{16, 32, 992, 1008}, region{700, 701, 304, 320}}) {
        CAPTURE(r.x0);
        const auto within = [](const char* coordinate, int from, int to) {
            const std::string x = coordinate;
            return "setp.ge.s32 %p2, " + x + ", " + std::to_string(from) +
                   ";\nand.pred %p1, %p1, %p2;\nsetp.lt.s32 %p2, " + x + ", " + std::to_string(to) +
                   ";\nand.pred %p1, %p1, %p2;\n";
        };
        const std::string guard =
            "setp.eq.s32 %p1, %r1, %r1;\n" + within("%r5", r.x0, r.x1) + within("%r6", r.y0, r.y1);
        const auto [sample, all] = traced_twice(guarded(guard), {{64, 64}, {16, 16}}, 1024);
        REQUIRE(all.loaded_bytes > 0);
        CHECK(within_errors::outside(sample, all) == "");
        CHECK(within_errors::of_instructions(sample) == 0);
        CHECK(sample.blocks_traced < 64);
    }
    // By the number of a block in the grid.
    const auto [sample, all] = traced_twice(
        kernel_of("mov.u32 %r3, %ctaid.x;\nmov.u32 %r4, %ctaid.y;\nmov.u32 %r5, %nctaid.x;\n"
                  "mad.lo.u32 %r3, %r4, %r5, %r3;\nsetp.ne.u32 %p1, %r3, 51718;\n@%p1 bra OUT;\n"
                  "mul.wide.u32 %d2, %r2, 4;\nadd.u64 %d3, %d1, %d2;\n"
                  "ld.global.u32 %r6, [%d3];\nOUT: ret;"),
        {{300, 300}, {32}}, 1);
    CHECK(within_errors::outside(sample, all) == "");
    CHECK(sample.insts_of(unit_kind::global_memory) == doctest::Approx(1 / 90'000.0));
}

TEST_CASE("rows of two pitches, in bytes and in words, are aligned in all ways that they are") {
    struct copy {
        int element, width, rows, from_pitch, to_pitch;
    };
    for (const copy& c :
         {copy{1, 128, 160, 135, 136}, copy{1, 525, 175, 528, 526}, copy{1, 74, 362, 83, 96},
          copy{4, 93, 746, 93, 96}, copy{4, 198, 499, 203, 203}}) {
        CAPTURE(c.element);
        CAPTURE(c.width);
        const auto number = [](int n) { return std::to_string(n); };
        const std::string type = c.element == 1 ? "u8" : "u32";
        const auto at = [&](int pitch) {
            return "mad.lo.u32 %r7, %r6, " + number(pitch) + ", %r5;\nmul.wide.u32 %d2, %r7, " +
                   number(c.element) + ";\nadd.u64 %d3, %d1, %d2;\n";
        };
        const auto [sample, all] = traced_twice(
            kernel_of("mov.u32 %r3, %ctaid.x;\nmov.u32 %r4, %ntid.x;\n"
                      "mad.lo.u32 %r5, %r3, %r4, %r2;\nmov.u32 %r6, %ctaid.y;\n"
                      "setp.ge.u32 %p1, %r5, " +
                      number(c.width) + ";\n@%p1 bra OUT;\n" + at(c.from_pitch) + "ld.global." +
                      type + " %r8, [%d3];\n" + at(c.to_pitch) + "st.global." + type +
                      " [%d3+4194304], %r8;\nOUT: ret;"),
            {{static_cast<std::uint32_t>(c.width + 31) / 32, static_cast<std::uint32_t>(c.rows)},
             {32}},
            1);
        CHECK(within_errors::outside(sample, all) == "");
        CHECK(sample.blocks_traced < 200);
    }
}

// The kernels of examples/kernels, with rows that are aligned differently and guards along two dimensions.
TEST_CASE("each block is counted once, whatever rows and guards are") {
    const std::vector<kernel_launch> launches{
        {"transpose", "transpose_naive", {{16, 16}, {32, 32}}, {500}},
        {"poisson", "poisson", {{17, 20}, {16, 16}}, {263}},
        {"jacobi", "jacobi_naive", {{1, 62, 62}, {64}}, {61}},
        {"hotspot", "hotspot", {{19, 19}, {16, 16}}, {250}},
        {"life", "life", {{6, 6, 6}, {8, 8, 8}}, {29}},
        {"matmul", "matmul_naive", {{9, 9}, {16, 16}}, {130}},
        {"matmul", "matmul_tiled", {{9, 9}, {16, 16}}, {130}}};
    for (const kernel_launch& l : launches) {
        CAPTURE(l.kernel);
        const std::string text = kernel_text(l.file);
        const auto m = ptx::parse(text);
        REQUIRE(m);
        const auto k = ptx::find_kernel(*m, l.kernel);
        const auto sample = ptx::trace(*k, l.launch, l.arguments);
        const auto all = ptx::trace(*k, l.launch, l.arguments, {.blocks = ptx::sampling::all});
        REQUIRE(sample);
        REQUIRE(all);
        CHECK(within_errors::outside(*sample, *all) == "");
        CHECK(within_errors::of_instructions(*sample) < 1e-4);
    }
}

TEST_CASE("warps with different tasks are no sample of each other where all blocks are equal") {
    // Warp 0 sums 50 words, warp 1 none, the others end.
    const std::string text = kernel_of(
        "setp.gt.u32 %p1, %r2, 63;\n@%p1 bra OUT;\nsetp.gt.u32 %p1, %r2, 31;\n@%p1 bra STORE;\n"
        "mov.u32 %r3, 0;\nLOOP: ld.global.u32 %r4, [%d1];\nadd.s32 %r3, %r3, 1;\n"
        "setp.lt.u32 %p1, %r3, 50;\n@%p1 bra LOOP;\nSTORE: st.global.u32 [%d1], %r2;\nOUT: ret;");
    const ptx::traced_kernel t = traced_by(ptx::sampling::representative, text, {{1000}, {96}}, 1);
    CHECK(t.warps_traced == 3);
    within_errors::for_each_count_of_ways(t, [](std::string_view name, double, double error) {
        CAPTURE(name);
        CHECK(error == 0);
    });
    within_errors::for_each_count_of_accesses(t, [](std::string_view name, double, double error) {
        CAPTURE(name);
        CHECK(error == 0);
    });
}

// Tiles of a row in turn, with rows of tiles: all blocks are followed, and two warps of each.
TEST_CASE("warps of tiles are drawn so that their alignments are met in proportion") {
    const std::string text = kernel_of(
        "mov.u32 %r3, %ctaid.x;\nrem.u32 %r4, %r3, 8;\ndiv.u32 %r3, %r3, 8;\n"
        "mov.u32 %r5, %tid.y;\nmad.lo.s32 %r6, %r3, 8, %r5;\nmad.lo.s32 %r5, %r4, 32, %r2;\n"
        "setp.ge.s32 %p1, %r5, %r1;\n@%p1 bra OUT;\nmad.lo.s32 %r8, %r6, %r1, %r5;\n"
        "mul.wide.s32 %d2, %r8, 4;\nadd.s64 %d2, %d1, %d2;\nst.global.u32 [%d2], %r5;\nOUT: ret;");
    const auto [sample, all] = traced_twice(text, {{1024}, {32, 8}}, 250);
    CHECK(sample.blocks_traced == 1024);
    CHECK(sample.warps_traced < 2100);
    CHECK(within_errors::outside(sample, all) == "");
    CHECK(within_errors::of_instructions(sample) < 1e-12);
}

// Of rows of more tiles than a search would find, which the kernel divides the number of a block by.
TEST_CASE("rows of many tiles that end with a part of one are within the errors") {
    struct {
        const char* column;
        const char* row;
        int tiles;
    } const divisions[]{
        {"rem.u32 %r4, %r3, 128;\n", "div.u32 %r3, %r3, 128;\n", 128},
        {"and.b32 %r4, %r3, 31;\n", "shr.u32 %r3, %r3, 5;\n", 32},
        {"mul.lo.u32 %r4, %r3, 1;\nmul.wide.u32 %d3, %r3, 1041204193;\nshr.u64 %d3, %d3, 35;\n"
         "cvt.u32.u64 %r3, %d3;\nmul.lo.u32 %r7, %r3, 33;\nsub.u32 %r4, %r4, %r7;\n",
         "", 33}};
    for (const auto& d : divisions) {
        CAPTURE(d.tiles);
        const std::string text = kernel_of(
            "mov.u32 %r3, %ctaid.x;\n" + std::string(d.column) + d.row +
            "mov.u32 %r5, %tid.y;\nmad.lo.s32 %r6, %r3, 8, %r5;\nmad.lo.s32 %r5, %r4, 32, %r2;\n"
            "setp.ge.s32 %p1, %r5, %r1;\n@%p1 bra OUT;\nmad.lo.s32 %r8, %r6, %r1, %r5;\n"
            "mul.wide.s32 %d2, %r8, 4;\nadd.s64 %d2, %d1, %d2;\nst.global.u32 [%d2], %r5;\n"
            "OUT: ret;");
        const auto blocks = static_cast<std::uint32_t>(d.tiles) * 40;
        const auto [sample, all] = traced_twice(text, {{blocks}, {32, 8}}, 32 * d.tiles - 13);
        CHECK(within_errors::outside(sample, all) == "");
        CHECK(all.divergent_insts > 0);
        CHECK(within_errors::of_instructions(sample) < 0.01);
    }
}

namespace {

// Element `%r3` of a matrix in rows of `width`, of which `%r7` is the row and `%r8` the column.
std::string flat(const std::string& width, const std::string& body) {
    return kernel_of(
        "mov.u32 %r4, %ctaid.x;\nmov.u32 %r5, %ntid.x;\nmad.lo.s32 %r3, %r4, %r5, %r2;\n"
        "setp.ge.u32 %p1, %r3, %r1;\n@%p1 bra OUT;\n" +
        width + body + "OUT: ret;");
}
std::string divided_by(int width) {
    const std::string w = std::to_string(width);
    return "div.u32 %r7, %r3, " + w + ";\nmul.lo.u32 %r9, %r7, " + w +
           ";\nsub.u32 %r8, %r3, %r9;\n";
}
// As compilers divide by 5000, unsigned and signed.
const std::string by_5000 =
    "mul.hi.u32 %r7, %r3, 3518437209;\nshr.u32 %r7, %r7, 12;\n"
    "mul.lo.u32 %r9, %r7, 5000;\nsub.u32 %r8, %r3, %r9;\n";
const std::string by_5000_signed =
    "mul.hi.s32 %r7, %r3, 1759218605;\nshr.u32 %r9, %r7, 31;\nshr.s32 %r7, %r7, 11;\n"
    "add.s32 %r7, %r7, %r9;\nmul.lo.s32 %r9, %r7, 5000;\nsub.s32 %r8, %r3, %r9;\n";

const std::string at_begin =
    "mul.wide.u32 %d2, %r3, 4;\nadd.u64 %d3, %d1, %d2;\nsetp.eq.u32 %p2, %r8, 0;\n"
    "@%p2 ld.global.f32 %f2, [%d3+4096];\nld.global.f32 %f1, [%d3];\nadd.f32 %f1, %f1, %f2;\n"
    "st.global.f32 [%d3], %f1;\n";
// Rows of 5003 elements are aligned in another way each.
const std::string to_pitch =
    "mad.lo.u32 %r9, %r7, 5003, %r8;\nmul.wide.u32 %d2, %r9, 4;\nadd.u64 %d3, %d1, %d2;\n"
    "ld.global.f32 %f1, [%d3];\nst.global.f32 [%d3+4194304], %f1;\n";

}  // namespace

TEST_CASE("rows of a flat matrix begin within blocks, in any of their warps") {
    for (const int width : {37, 1001, 4000, 100'000}) {
        CAPTURE(width);
        const auto [sample, all] =
            traced_twice(flat(divided_by(width), at_begin), {{1100}, {256}}, 281'500);
        CHECK(within_errors::outside(sample, all) == "");
        CHECK(sample.blocks_traced < 600);
        CHECK(sample.insts_of(unit_kind::global_memory) ==
              doctest::Approx(all.insts_of(unit_kind::global_memory)).epsilon(0.01));
    }
    for (const std::string& width : {by_5000, by_5000_signed}) {
        for (const std::string& body : {at_begin, to_pitch}) {
            CAPTURE(body);
            const auto [sample, all] = traced_twice(flat(width, body), {{1100}, {256}}, 281'500);
            // Of 8800 warps 14 have the begin of a row to a pitch that makes them uncoalesced: a sample may have none.
            CHECK(within_errors::outside(sample, all, body != to_pitch) == "");
            CHECK(std::abs(sample.touched.load_sectors - all.touched.load_sectors) <=
                  sample.errors.load_sectors);
            CHECK(sample.blocks_traced < 600);
        }
    }
}

TEST_CASE("rows that end where blocks end, or within each in the same place, take few blocks") {
    for (const int width : {128, 1'000'000}) {
        CAPTURE(width);
        const auto [sample, all] =
            traced_twice(flat(divided_by(width), at_begin), {{1100}, {256}}, 281'600);
        CHECK(within_errors::outside(sample, all) == "");
        CHECK(sample.blocks_traced < 10);
    }
}

TEST_CASE("what cuts off other warps from block to block makes blocks of their own") {
    // Of block b the first n - 32 b threads, or n / 2^b.
    for (const char* limit :
         {"mul.lo.s32 %r4, %r3, 32;\nsub.s32 %r4, %r1, %r4;\n", "shr.s32 %r4, %r1, %r3;\n"}) {
        CAPTURE(limit);
        const auto [sample, all] =
            traced_twice(kernel_of("mov.u32 %r3, %ctaid.x;\n" + std::string(limit) +
                                   "setp.ge.s32 %p1, %r2, %r4;\n@%p1 bra OUT;\n"
                                   "mul.wide.u32 %d2, %r2, 4;\nadd.u64 %d3, %d1, %d2;\n"
                                   "st.global.u32 [%d3], %r4;\nOUT: ret;"),
                         {{12}, {256}}, 256);
        CHECK(sample.warp_insts == all.warp_insts);
        CHECK(sample.bytes_moved == all.bytes_moved);
    }
}

TEST_CASE("what accesses cost may differ in rows of blocks where all go one way") {
    // Each fourth block has its lanes side by side, the others 128 B apart.
    const auto [sample, all] = traced_twice(
        kernel_of(
            "mov.u32 %r3, %ctaid.x;\nand.b32 %r4, %r3, 3;\nsetp.eq.u32 %p1, %r4, 3;\n"
            "selp.b32 %r5, 4, 128, %p1;\nmul.wide.u32 %d2, %r2, %r5;\nadd.u64 %d3, %d1, %d2;\n"
            "st.global.u32 [%d3], %r4;\nret;"),
        {{64}, {64}}, 1);
    CHECK(all.coalesced_mem_insts == 0.25);
    CHECK(within_errors::outside(sample, all) == "");
}

TEST_CASE("rows of odd lengths meet every alignment along a line") {
    // Rows of 1001 halves, one a block, of which each thread loads those that are 96 apart.
    const auto [sample, all] = traced_twice(
        kernel_of("mov.u32 %r3, %ctaid.x;\nmul.lo.u32 %r4, %r3, %r1;\n"
                  "L: setp.ge.u32 %p1, %r2, %r1;\n@%p1 bra OUT;\nadd.u32 %r5, %r4, %r2;\n"
                  "mul.wide.u32 %d2, %r5, 2;\nadd.u64 %d3, %d1, %d2;\nld.global.u16 %h1, [%d3];\n"
                  "st.global.u16 [%d3+4194304], %h1;\nadd.u32 %r2, %r2, 96;\nbra L;\nOUT: ret;"),
        {{9}, {96}}, 1001);
    CHECK(sample.blocks_traced == 9);
    CHECK(within_errors::outside(sample, all) == "");
}

TEST_CASE("strides that a table, a shift or a clamp makes are those of every block") {
    const std::string own =
        "mov.u32 %r4, %ctaid.x;\nmov.u32 %r5, %ntid.x;\nmov.u32 %r6, %ctaid.y;\n"
        "mad.lo.u32 %r3, %r4, %r5, %r2;\n";
    const std::string load =
        "mul.wide.u32 %d2, %r7, 4;\nadd.u64 %d3, %d1, %d2;\nld.global.f32 %f1, [%d3];\nret;";
    // By 1, 2, 5, 10, 17, 26, 37 and 50 elements.
    const std::string table =
        own + "and.b32 %r8, %r4, 7;\nmad.lo.u32 %r8, %r8, %r8, 1;\nmul.lo.u32 %r7, %r2, %r8;\n" +
        load;
    const std::string shift = own + "shl.b32 %r7, %r3, %r6;\nand.b32 %r7, %r7, 1023;\n" + load;
    // Rows above the first one are the first one.
    const std::string clamp =
        own +
        "mad.lo.u32 %r7, %r6, 4, %r9;\nsub.u32 %r7, %r7, 3;\nmax.s32 %r7, %r7, 0;\n"
        "mad.lo.u32 %r7, %r7, 480, %r3;\n" +
        load;
    const auto check = [](const std::string& body, const ptx::launch& l) {
        CAPTURE(body);
        const auto [sample, all] = traced_twice(kernel_of(body), l, 0);
        CHECK(within_errors::outside(sample, all) == "");
    };
    for (const unsigned blocks : {69U, 125U, 328U}) {
        for (const unsigned threads : {32U, 137U, 224U}) check(table, {{blocks}, {threads}});
    }
    check(shift, {{18, 16}, {224}});
    check(shift, {{9, 18}, {32}});
    check("mov.u32 %r9, %tid.y;\n" + clamp, {{15, 40}, {32, 8}});
    check("mov.u32 %r9, %tid.y;\n" + clamp, {{15, 200}, {32, 4}});
}

TEST_CASE("strides that double from row to row, with rows that are aligned in any way") {
    // data[(i << y) & 1023] to out[1024 y + i]
    const std::string doubling = kernel_of(
        "mov.u32 %r4, %ctaid.x;\nmov.u32 %r5, %ntid.x;\nmov.u32 %r6, %ctaid.y;\n"
        "mad.lo.u32 %r3, %r4, %r5, %r2;\nshl.b32 %r7, %r3, %r6;\nand.b32 %r7, %r7, 1023;\n"
        "mul.wide.u32 %d2, %r7, 4;\nadd.u64 %d3, %d1, %d2;\nld.global.f32 %f1, [%d3];\n"
        "mad.lo.u32 %r7, %r6, 1024, %r3;\nmul.wide.u32 %d2, %r7, 4;\nadd.u64 %d3, %d1, %d2;\n"
        "st.global.f32 [%d3+65536], %f1;\nret;");
    for (const auto& l : {ptx::launch{{13, 15}, {179}},
                          {{10, 13}, {179}},
                          {{7, 15}, {185}},
                          {{21, 15}, {11}},
                          {{6, 16}, {214}},
                          {{22, 8}, {179}}}) {
        CAPTURE(l.grid.x);
        CAPTURE(l.block.x);
        const auto [sample, all] = traced_twice(doubling, l, 0);
        // But for sectors that no followed block touches.
        const auto outside = within_errors::outside(sample, all);
        CHECK((outside.empty() || outside.find("loaded_bytes") == 0));
    }
}

TEST_CASE(
    "a block in the middle that does more than others, and blocks that a bit of their threads "
    "divides") {
    const std::string own =
        "mov.u32 %r4, %ctaid.x;\nmov.u32 %r5, %ntid.x;\nmad.lo.u32 %r3, %r4, %r5, %r2;\n";
    const std::string store =
        "mul.wide.u32 %d2, %r3, 4;\nadd.u64 %d3, %d1, %d2;\nst.global.u32 [%d3], %r3;\n";
    const std::string one = kernel_of(
        own + store +
        "setp.ne.u32 %p1, %r4, 1234;\n@%p1 bra OUT;\nmov.u32 %r6, 0;\n"
        "L: st.global.u32 [%d3+65536], %r6;\nadd.u32 %r6, %r6, 1;\nsetp.lt.u32 %p1, %r6, 5000;\n"
        "@%p1 bra L;\nOUT: ret;");
    const auto [sample, all] = traced_twice(one, {{3000}, {64}}, 0);
    CHECK(sample.blocks_traced < 10);
    CHECK(all.warp_insts > 10);
    CHECK(within_errors::outside(sample, all, false) == "");
    // A step of a bitonic sort, of which most blocks have nothing: x = i ^ 256; if (x > i && x < n)
    const std::string sort =
        kernel_of(own +
                  "xor.b32 %r6, %r3, 256;\nsetp.le.u32 %p1, %r6, %r3;\n"
                  "setp.ge.u32 %p2, %r6, %r1;\nor.pred %p1, %p1, %p2;\n@%p1 bra OUT;\n" +
                  store + "OUT: ret;");
    for (const auto& l : {ptx::launch{{112}, {96}}, {{81}, {224}}, {{62}, {256}}}) {
        CAPTURE(l.grid.x);
        const auto [some, every] = traced_twice(sort, l, 2940);
        CHECK(within_errors::outside(some, every) == "");
    }
}

TEST_CASE("rows of bytes of odd lengths, of which one in 32 begins with a sector") {
    // if (x < n && y < 63) out[n y + x] = data[2176 y + 3 x], bytes
    const std::string rows = kernel_of(
        "mov.u32 %r4, %ctaid.x;\nmad.lo.u32 %r5, %r4, 32, %r2;\nmov.u32 %r4, %ctaid.y;\n"
        "mov.u32 %r6, %tid.y;\nmad.lo.u32 %r6, %r4, 4, %r6;\nsetp.ge.u32 %p1, %r5, %r1;\n"
        "setp.ge.u32 %p2, %r6, 63;\nor.pred %p1, %p1, %p2;\n@%p1 bra OUT;\n"
        "mul.lo.u32 %r7, %r6, 2176;\nmad.lo.u32 %r7, %r5, 3, %r7;\ncvt.u64.u32 %d2, %r7;\n"
        "add.u64 %d3, %d1, %d2;\nld.global.u8 %r8, [%d3];\nmad.lo.u32 %r7, %r6, %r1, %r5;\n"
        "cvt.u64.u32 %d2, %r7;\nadd.u64 %d3, %d1, %d2;\nst.global.u8 [%d3+4194304], %r8;\n"
        "OUT: ret;");
    for (const int width : {303, 437, 457, 617, 353}) {
        for (const unsigned down : {12U, 15U, 19U}) {
            CAPTURE(width);
            CAPTURE(down);
            const auto [sample, all] = traced_twice(rows, {{15, down}, {32, 4}}, width);
            CHECK(sample.warps_traced < all.warps);
            CHECK(within_errors::outside(sample, all) == "");
        }
    }
}

TEST_CASE("where data decides, as many warps as show the odds are followed of small blocks") {
    const std::string flag = kernel_of(
        "ld.global.u32 %r3, [%d1];\nsetp.eq.s32 %p1, %r3, 0;\n@%p1 bra OUT;\n"
        "mul.wide.u32 %d2, %r2, 4;\nadd.u64 %d3, %d1, %d2;\nst.global.u32 [%d3], %r3;\nOUT: ret;");
    for (const unsigned threads : {32U, 64U, 96U, 256U}) {
        CAPTURE(threads);
        const auto [sample, all] = traced_twice(flag, {{1000}, {threads}}, 0);
        CHECK(within_errors::outside(sample, all, false) == "");
        CHECK(std::abs(sample.bytes_moved - all.bytes_moved) <= sample.errors.bytes_moved);
        CHECK(sample.warp_insts == doctest::Approx(all.warp_insts).epsilon(0.05));
    }
    // A launch of few warps is not followed more often than it has them.
    const auto [sample, all] = traced_twice(flag, {{3}, {32}}, 0);
    CHECK(sample.warps_traced <= 3);
}

TEST_CASE("few blocks whose accesses are aligned differently are all followed") {
    // Rows of 77 elements, two of them a block, along two dimensions.
    const std::string rows = kernel_of(
        "mov.u32 %r4, %ctaid.x;\nmov.u32 %r5, %ctaid.y;\nmov.u32 %r6, %tid.y;\nmad.lo.u32 %r5, "
        "%r5, 2, %r6;\n"
        "mad.lo.u32 %r3, %r4, 30, %r2;\nmad.lo.u32 %r3, %r5, 77, %r3;\nmul.wide.u32 %d2, %r3, 4;\n"
        "add.u64 %d3, %d1, %d2;\nld.global.f32 %f1, [%d3];\nret;");
    const auto [sample, all] = traced_twice(rows, {{3, 20}, {32, 2}}, 0);
    CHECK(sample.warps_traced == 120);
    CHECK(within_errors::outside(sample, all) == "");
    CHECK(sample.errors.load_sectors == 0);
    CHECK(traced_twice(rows, {{30, 20}, {32, 2}}, 0).sample.warps_traced < 120);
}

}  // namespace spread_sample_test
