// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <warpgauge/ptx/trace/data_ends.hpp>
#include <warpgauge/ptx/trace/traced_kernel.hpp>

#include "ptx/linked.hpp"
#include "ptx/touched_row.hpp"
#include "ptx/traced_twice.hpp"

namespace data_ends_test {

using namespace warpgauge;
using namespace warpgauge::ptx::detail::trace;

namespace {

using blocks = std::vector<block_index>;

// A load and a store, steps 3 and 4.
const std::string two_accesses = kernel_of("ld.global.u32 %r3, [%d1];\nst.global.u32 [%d1], %r2;");

}  // namespace

TEST_CASE("each access has its own blocks") {
    const linked_text t(two_accesses);
    const std::uint32_t load = instructions_before_body;
    data_ends<> ends(t.program);
    ends.begin_block();
    ends.see(load + 1, touched_row(0), 0, false);
    CHECK(ends.touches());
    ends.end_block({{0, 0, 0}, {9, 7, 0}});
    ends.begin_block();
    CHECK_FALSE(ends.touches());
    ends.see(load, touched_row(0), 0, false);
    ends.end_block({{2, 3, 0}, {4, 5, 0}});
    const std::uint32_t first_and_last = 1U << 0 | 1U << 7;
    CHECK(ends.blocks_at(first_and_last) == blocks{{2, 3, 0}, {4, 5, 0}, {0, 0, 0}, {9, 7, 0}});
    CHECK(ends.blocks_at(1U << 1) == blocks{{4, 3, 0}, {9, 0, 0}});
    CHECK(ends.blocks_at(0).empty());
}

TEST_CASE("warps at the ends of what the typical block touches") {
    const linked_text t(two_accesses);
    const std::uint32_t load = instructions_before_body;
    data_ends<> ends(t.program);
    for (std::uint32_t warp = 0; warp < 8; ++warp) {
        ends.see(load, touched_row(128 * ((warp + 3) % 8)), warp, true);
        ends.see(load + 1, touched_row(0), warp, true);
        ends.see(load, touched_row(1'000'000), 6, false);  // of another block
    }
    // The load begins with warp 5 and ends with 4; warps 0 and 7 are the first and the last that store.
    for (std::uint32_t warp = 0; warp < 8; ++warp) {
        CAPTURE(warp);
        CHECK(ends.is_end(warp) == (warp == 0 || warp == 4 || warp == 5 || warp == 7));
    }
}

TEST_CASE("more accesses than are told apart count as one") {
    std::string body;
    for (int n = 0; n < 70; ++n) body += "ld.global.u32 %r3, [%d1];\n";
    const linked_text t(kernel_of(body));
    data_ends<> ends(t.program);
    for (std::uint32_t n = 65; n < 70; ++n) {
        ends.begin_block();
        ends.see(instructions_before_body + n, touched_row(0), 0, false);
        ends.end_block({{n, 0, 0}, {n, 0, 0}});
    }
    CHECK(ends.blocks_at(1U << 0) == blocks{{65, 0, 0}});
    CHECK(ends.blocks_at(1U << 7) == blocks{{69, 0, 0}});
}

namespace {

// A kernel that copies element `%r3` of `data` 4 MiB behind.
sample_and_all copied(const std::string& index, const ptx::launch& l) {
    return traced_twice(
        kernel_of(index +
                  "mul.wide.u32 %d2, %r3, 4;\nadd.u64 %d3, %d1, %d2;\n"
                  "ld.global.f32 %f1, [%d3];\nst.global.f32 [%d3+4194304], %f1;\nOUT: ret;"),
        l, 1000);
}

void check_exact(const sample_and_all& b) {
    CHECK(b.sample.warps_traced < b.all.warps_traced);
    CHECK(b.sample.footprint_bytes == b.all.footprint_bytes);
    CHECK(b.sample.loaded_bytes == b.all.loaded_bytes);
    CHECK(b.sample.stored_bytes == b.all.stored_bytes);
}

const std::string block_start =
    "mov.u32 %r4, %ctaid.x;\nmov.u32 %r5, %ntid.x;\nmul.lo.u32 %r6, %r4, %r5;\n";

}  // namespace

TEST_CASE("a warp in the middle of a block may have the ends of the data") {
    // Threads turned by 96, and warps in another order.
    check_exact(copied(block_start + "add.u32 %r7, %r2, 96;\nrem.u32 %r7, %r7, %r5;\n"
                                     "add.u32 %r3, %r6, %r7;\n",
                       {{400}, {256}}));
    check_exact(
        copied(block_start + "xor.b32 %r7, %r2, 96;\nadd.u32 %r3, %r6, %r7;\n", {{400}, {256}}));
}

TEST_CASE("so may the first or the last warp of its way") {
    const std::string index = block_start + "add.u32 %r3, %r6, %r2;\n";
    for (const int limit : {6 * 1024 + 352, 6 * 1024 + 416, 6 * 1024 + 480}) {
        CAPTURE(limit);
        const std::string at = std::to_string(limit);
        const std::string out = "@%p1 bra OUT;\n";
        const auto below =
            copied(index + "setp.ge.u32 %p1, %r3, " + at + ";\n" + out, {{8}, {1024}});
        check_exact(below);
        CHECK(below.all.loaded_bytes == 4 * limit);
        check_exact(copied(index + "setp.lt.u32 %p1, %r3, " + at + ";\n" + out, {{8}, {1024}}));
    }
}

TEST_CASE("rows from the last to the first begin in another corner of the grid") {
    const std::string row =
        "mov.u32 %r4, %ctaid.x;\nshl.b32 %r4, %r4, 5;\nadd.u32 %r4, %r4, %r2;\n"
        "mov.u32 %r5, %ctaid.y;\nshl.b32 %r5, %r5, 3;\nmov.u32 %r6, %tid.y;\n"
        "add.u32 %r5, %r5, %r6;\nsub.u32 %r5, 79, %r5;\nmad.lo.u32 %r3, %r5, 1280, %r4;\n";
    check_exact(copied(row, {{40, 10}, {32, 8}}));
}

TEST_CASE("a border that is only stored does not hide where loads begin") {
    // Rows of 1000 elements, of which the first and the last 20 of 600 are not loaded.
    const std::string text = kernel_of(
        "mov.u32 %r4, %ctaid.x;\nshl.b32 %r4, %r4, 5;\nadd.u32 %r4, %r4, %r2;\n"
        "mov.u32 %r5, %ctaid.y;\nshl.b32 %r5, %r5, 3;\nmov.u32 %r6, %tid.y;\n"
        "add.u32 %r5, %r5, %r6;\nsetp.ge.u32 %p1, %r4, %r1;\n@%p1 bra OUT;\n"
        "mad.lo.u32 %r3, %r5, %r1, %r4;\nmul.wide.u32 %d2, %r3, 4;\nadd.u64 %d3, %d1, %d2;\n"
        "mov.f32 %f1, 0f00000000;\nsub.u32 %r7, %r5, 20;\nsetp.ge.u32 %p2, %r7, 560;\n"
        "@%p2 bra STORE;\nld.global.f32 %f1, [%d3];\nSTORE: st.global.f32 [%d3+4194304], %f1;\n"
        "OUT: ret;");
    const sample_and_all both = traced_twice(text, {{32, 75}, {32, 8}}, 1000);
    check_exact(both);
    CHECK(both.all.loaded_bytes == 4.0 * 560 * 1000);
    CHECK(both.sample.blocks_traced < 40);
}

}  // namespace data_ends_test
