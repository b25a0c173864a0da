// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>
#include <string>

#include <doctest/doctest.h>

#include <warpgauge/ptx/trace/block_ways.hpp>

#include "ptx/prepared.hpp"

namespace block_ways_test {

using namespace warpgauge;
using namespace warpgauge::ptx::detail::trace;

namespace {

// The ways of a launch.
struct followed_blocks : prepared_text {
    followed_blocks(const std::string& body, const ptx::launch& l, bool are_recorded = true)
        : prepared_text(body, l, 100'000),
          facts(prepared.linked),
          records(prepared.linked, started.block, machine, facts, prepared.capability,
                  are_recorded),
          ways(prepared.linked, started, machine, facts, records) {}

    memory_facts<> facts;
    warp_records<> records;
    block_ways<> ways;
};

// Threads past n leave; the others store, each block 8 B further than side by side.
const char* const guarded =
    "mov.u32 %r3, %ctaid.x;\nmad.lo.u32 %r4, %r3, 64, %r2;\nsetp.ge.u32 %p1, %r4, %r1;\n"
    "@%p1 bra OUT;\nmul.wide.u32 %d2, %r4, 4;\nmul.wide.u32 %d3, %r3, 8;\nadd.s64 %d4, %d1, %d2;\n"
    "add.s64 %d4, %d4, %d3;\nst.global.u32 [%d4], %r4;\nOUT: ret;";

}  // namespace

TEST_CASE("blocks go one way where all their warps do") {
    followed_blocks b(guarded, {{4}, {64}});
    const auto inside = b.ways.path({0, 0, 0});
    const auto across = b.ways.path({1, 0, 0});  // threads 64 to 127 of 100
    const auto outside = b.ways.path({2, 0, 0});
    REQUIRE(inside);
    CHECK(*inside != *across);
    CHECK(*across != *outside);
    CHECK(*outside == *b.ways.path({3, 0, 0}));
    const auto warps = b.ways.warp_paths({1, 0, 0});
    REQUIRE(warps);
    REQUIRE(warps->size() == 2);
    const std::uint64_t first = (*warps)[0];
    CHECK(first != (*warps)[1]);
    CHECK(first == (*b.ways.warp_paths({0, 0, 0}))[0]);
    CHECK(b.ways.warps() == 2);
}

TEST_CASE(
    "a way of a warp that is not recorded is found without following what it does not depend on") {
    followed_blocks b(guarded, {{4}, {64}}, false);
    const std::uint64_t before = b.machine.steps();
    REQUIRE(b.ways.warp_paths({0, 0, 0}));
    // Of 13 instructions of the first of two warps that go the same way, n, two moves, a product, a comparison, the
    // branch and the return; entering a kernel counts as two.
    CHECK(b.machine.steps() - before == 7 + 2);
}

TEST_CASE(
    "a warp whose way is asked for is recorded, and followed once for its way and its accesses") {
    followed_blocks b(guarded, {{4}, {64}});
    followed_blocks slices(guarded, {{4}, {64}}, false);
    const std::uint64_t before = b.machine.steps();
    REQUIRE(b.ways.warp_paths({0, 0, 0}));
    CHECK(b.machine.steps() - before == 13 + 2);
    REQUIRE(b.ways.place({0, 0, 0}));
    CHECK(b.machine.steps() - before == 13 + 2);
    CHECK(b.facts.touched().lines == 0);  // it is not counted
    CHECK(slices.records.begin() == slices.records.end());
    for (std::uint32_t block = 0; block < 4; ++block) {
        for (std::uint32_t warp = 0; warp < 2; ++warp) {
            CAPTURE(block);
            CAPTURE(warp);
            CHECK((*b.ways.warp_paths({block, 0, 0}))[warp] ==
                  (*slices.ways.warp_paths({block, 0, 0}))[warp]);
        }
    }
}

TEST_CASE("a block whose warps all do as those of another one is found as one") {
    const std::string whole_warps =
        "mov.u32 %r3, %ctaid.x;\nmad.lo.u32 %r4, %r3, 64, %r2;\nsetp.ge.u32 %p1, %r4, 96;\n"
        "@%p1 bra OUT;\nmul.wide.u32 %d2, %r4, 4;\nadd.s64 %d3, %d1, %d2;\n"
        "st.global.u32 [%d3], %r4;\nOUT: ret;";
    followed_blocks b(whole_warps, {{9}, {64}});
    REQUIRE(b.ways.warp_paths({0, 0, 0}));
    REQUIRE(b.ways.warp_paths({1, 0, 0}));  // its second warp leaves
    REQUIRE(b.ways.warp_paths({2, 0, 0}));  // all do
    CHECK(b.records.find_block({0, 0, 0}) != nullptr);
    CHECK(b.records.find_block({1, 0, 0}) != nullptr);
    const std::uint32_t* const outside = b.records.find_block({7, 0, 0});
    REQUIRE(outside != nullptr);
    for (std::uint32_t warp = 0; warp < 2; ++warp) {
        CAPTURE(warp);
        warp_distance away{};
        const auto* const record = b.ways.find_record({7, 0, 0}, warp, warp, away);
        CHECK(record == b.records.find({{7, 0, 0}, warp, 0}, away));
        CHECK(record == &b.records.at(outside[warp]));
    }
    CHECK(*b.ways.warp_paths({7, 0, 0})->begin() == (*b.ways.warp_paths({2, 0, 0}))[0]);
    CHECK(b.records.find_block({1, 0, 0}) != b.records.find_block({2, 0, 0}));
}

TEST_CASE("where a warp can not be recorded, or goes back, ways are those of the slice") {
    // Addresses that move unevenly.
    const std::string uneven =
        "mov.u32 %r3, %ctaid.x;\nmul.lo.u32 %r4, %r3, %r3;\nmul.wide.u32 %d2, %r4, 4;\n"
        "add.s64 %d3, %d1, %d2;\nst.global.u32 [%d3], %r4;\nret;";
    followed_blocks b(uneven, {{40}, {64}});
    REQUIRE(b.ways.path({0, 0, 0}));
    CHECK(b.records.begin() == b.records.end());
    CHECK_FALSE(b.records.never_fails());
    const std::uint64_t before = b.machine.steps();
    CHECK(*b.ways.path({0, 0, 0}) == *b.ways.path({9, 0, 0}));
    CHECK(b.machine.steps() == before);  // of the slice it is known that all go one way
    followed_blocks loop(
        "mov.u32 %r3, 0;\nL: add.u32 %r3, %r3, 1;\nsetp.lt.u32 %p1, %r3, 50;\n"
        "@%p1 bra L;\nst.global.u32 [%d1], %r3;\nret;",
        {{40}, {64}});
    REQUIRE(loop.ways.path({0, 0, 0}));
    CHECK(loop.records.begin() == loop.records.end());
    CHECK(loop.records.never_fails());
}

TEST_CASE("what is stored, known in part, is found to direct no warp after a few of them") {
    // The first threads store 0, the others what is loaded; a few load from all.
    const std::string stores =
        "shl.b32 %r3, %r2, 2;\nmov.u32 %r4, 0;\nsetp.lt.u32 %p1, %r2, 40;\n@%p1 bra J;\n"
        "ld.global.u32 %r4, [%d1];\nJ: st.shared.u32 [%r3], %r4;\nbar.sync 0;\n";
    const std::string asks = "setp.eq.u32 %p2, %r5, 1;\n@%p2 bra OUT;\nbar.sync 0;\nOUT: ret;";
    const std::string own = "ld.shared.u32 %r5, [%r3];\n";
    const std::string first = "ld.shared.u32 %r5, [tile];\n";
    followed_blocks open(stores + own + asks, {{4}, {1024}});
    open.ways.begin({0, 0, 0});
    CHECK(open.ways.is_shared_unknown());
    CHECK(open.machine.steps() < 32 * 13);  // and not two passes of 32 warps, of 13 steps or more
    followed_blocks known(stores + first + asks, {{4}, {1024}});
    known.ways.begin({0, 0, 0});
    CHECK_FALSE(known.ways.is_shared_unknown());
}

TEST_CASE(
    "warps that decide otherwise than one that was followed go their ways without being followed") {
    const std::string body =
        "mul.wide.u32 %d2, %r2, 4;\nadd.s64 %d3, %d1, %d2;\nld.global.u32 %r3, [%d3];\n"
        "add.u32 %r4, %r2, 1;\nadd.u32 %r4, %r4, 2;\nsetp.gt.u32 %p3, %r4, %r1;\n"
        "and.pred %p4, %p3, %p3;\nor.pred %p4, %p4, %p4;\nsetp.eq.u32 %p1, %r3, 0;\n"
        "@%p4 bra OUT;\n@%p1 bra OUT;\nOUT: ret;";
    followed_blocks b(body, {{40}, {64}});
    REQUIRE(b.ways.warp_paths({0, 0, 0}));
    const std::uint64_t before = b.machine.steps();
    const auto found = b.ways.warp_paths({9, 0, 0});
    REQUIRE(found);
    CHECK(b.machine.steps() == before);
    followed_blocks alone(body, {{40}, {64}});
    for (std::uint32_t warp = 0; warp < 2; ++warp) {
        CHECK((*alone.ways.warp_paths({9, 0, 0}))[warp] == (*b.ways.warp_paths({9, 0, 0}))[warp]);
    }
}

TEST_CASE("what the middle warp's accesses cost, and where they begin") {
    followed_blocks b(guarded, {{4}, {32}});
    const auto first = b.ways.place({0, 0, 0});
    const auto second = b.ways.place({1, 0, 0});
    REQUIRE(first);
    REQUIRE(second);
    CHECK(first->cost != second->cost);
    REQUIRE(first->alignments.size() == 1);
    CHECK(first->alignments[0] == 0);
    CHECK(second->alignments[0] == 8);  // 64 * 4 + 8
}

TEST_CASE("the ends of the grid are in the footprint") {
    followed_blocks b(guarded, {{2}, {32}});
    REQUIRE_FALSE(b.ways.look_at_ends());
    ptx::traced_kernel t;
    t.warps = 1;
    b.facts.finish(t);
    CHECK(t.stored_bytes == 0);  // warps that were looked at are not counted, and bound it
    followed_blocks endless("L: bra L;\nret;", {{1}, {32}});
    CHECK(endless.ways.look_at_ends().field == "max_steps");
    CHECK(endless.ways.path({0, 0, 0}).error().field == "max_steps");
}

}  // namespace block_ways_test
