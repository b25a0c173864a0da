// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>
#include <string>

#include <doctest/doctest.h>

#include <warpgauge/ptx/link/control_slice.hpp>
#include <warpgauge/ptx/trace/slice_ways.hpp>

#include "ptx/prepared.hpp"

namespace slice_ways_test {

using namespace warpgauge;
using namespace warpgauge::ptx::detail::trace;

namespace {

// The ways of warps of a launch.
struct followed_warps : prepared_text {
    followed_warps(const std::string& body, const ptx::launch& l)
        : prepared_text(body, l, 100'000),
          slice(prepared.linked),
          begins(started.block),
          ways(prepared.linked, started, machine, slice, begins) {}

    std::uint64_t path(std::uint32_t block, std::uint32_t warp, bool alone = true) {
        const auto found = ways.path(place_in({block, 0, 0}, warp, warp), alone);
        REQUIRE(found);
        return *found;
    }

    ptx::link::control_slice<> slice;
    warp_begins<> begins;
    slice_ways<> ways;
};

// Threads past n leave; the others add something and store it.
const char* const guarded =
    "mov.u32 %r3, %ctaid.x;\nmad.lo.u32 %r4, %r3, 64, %r2;\nsetp.ge.u32 %p1, %r4, %r1;\n"
    "@%p1 bra OUT;\nadd.u32 %r5, %r4, 7;\nst.global.u32 [%d1], %r5;\nOUT: ret;";

}  // namespace

TEST_CASE("equal numbers are the same steps by the same lanes") {
    followed_warps w(guarded, {{9}, {64}});
    const std::uint64_t inside = w.path(0, 0);
    CHECK(w.path(0, 1) == inside);
    CHECK(w.path(1, 0) == inside);              // threads 64 to 95
    const std::uint64_t across = w.path(1, 1);  // 96 to 127
    CHECK(across != inside);
    const std::uint64_t outside = w.path(2, 0);
    CHECK(outside != inside);
    CHECK(outside != across);
    CHECK_FALSE(w.ways.is_decided_by_data());
}

TEST_CASE(
    "what does not direct a warp is not followed, nor a warp that goes the way of one that was") {
    followed_warps w(guarded, {{9}, {64}});
    const std::uint64_t before = w.machine.steps();
    const std::uint64_t inside = w.path(0, 0);
    // n, two moves, a product, a comparison, the branch and the return; entering a kernel counts as two.
    CHECK(w.machine.steps() - before == 7 + 2);
    CHECK(w.path(1, 0) == inside);
    CHECK(w.machine.steps() - before == 7 + 2);
    CHECK(w.ways.reach({{0, 0, 0}, {0, 0, 0}}, 1));
    CHECK_FALSE(w.ways.reach({{0, 0, 0}, {8, 0, 0}}, 1));
}

TEST_CASE("a warp that others direct tells nothing of others") {
    followed_warps w(guarded, {{9}, {64}});
    const std::uint64_t inside = w.path(0, 0, false);
    const std::uint64_t before = w.machine.steps();
    CHECK(w.path(1, 0, false) == inside);
    CHECK(w.machine.steps() > before);
    CHECK_FALSE(w.ways.reach({{0, 0, 0}, {1, 0, 0}}, 0));
}

TEST_CASE("data that decide are seen, and an endless loop is an error") {
    followed_warps w(
        "mul.wide.u32 %d2, %r2, 4;\nadd.s64 %d3, %d1, %d2;\nld.global.u32 %r3, [%d3];\n"
        "setp.eq.u32 %p1, %r3, 0;\n@%p1 bra OUT;\nst.global.u32 [%d1], %r3;\nOUT: ret;",
        {{9}, {64}});
    w.path(0, 0);
    CHECK(w.ways.is_decided_by_data());
    followed_warps endless("L: bra L;\nret;", {{1}, {32}});
    CHECK(endless.ways.path(place_in({}, 0, 0), true).error().field == "max_steps");
}

TEST_CASE("what blocks are divided by is kept") {
    followed_warps w(
        "mov.u32 %r3, %ctaid.x;\nrem.u32 %r4, %r3, 6;\nsetp.eq.u32 %p1, %r4, 5;\n@%p1 bra OUT;\n"
        "st.global.u32 [%d1], %r3;\nOUT: ret;",
        {{60}, {32}});
    CHECK(w.path(5, 0) != w.path(4, 0));
    CHECK(w.ways.rows_of_blocks().all().size() > 0);
}

}  // namespace slice_ways_test
