// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <warpgauge/ptx/text/parse.hpp>
#include <warpgauge/ptx/trace/block_ways.hpp>
#include <warpgauge/ptx/trace/trace.hpp>
#include <warpgauge/ptx/trace/warp_records.hpp>

#include "ptx/kernels.hpp"
#include "ptx/prepared.hpp"

namespace warp_records_test {

using namespace warpgauge;
using namespace warpgauge::ptx::detail::trace;

namespace {

// What warps of a launch did.
struct recorded_warps : prepared_text {
    explicit recorded_warps(const std::string& body, bool is_of_use = true)
        : prepared_text(body, {{8}, {64}}, 100'000'000),
          facts(prepared.linked),
          records(prepared.linked, started.block, machine, facts, prepared.capability, is_of_use) {}

    bool follow(const warp_of_block& w, bool known = true, bool is_last = false) {
        const auto place = place_of(started, w.block, w.warp, 0);
        const auto see = [](const executed&) { return seen_round{3}; };
        REQUIRE_FALSE(records.follow(place, known, see, is_last));
        return records.last() != nullptr;
    }

    memory_facts<> facts;
    warp_records<> records;
};

// Threads past n leave; the others store, each block 8 B further than side by side.
const char* const guarded =
    "mov.u32 %r3, %ctaid.x;\nmad.lo.u32 %r4, %r3, 8, %r2;\nsetp.ge.u32 %p1, %r4, %r1;\n"
    "@%p1 bra OUT;\nmul.wide.u32 %d2, %r2, 4;\nmul.wide.u32 %d3, %r3, 8;\nadd.s64 %d4, %d1, %d2;\n"
    "add.s64 %d4, %d4, %d3;\nst.global.u32 [%d4], %r4;\nst.shared.u32 [%r2], %r4;\nOUT: ret;";

// What is to be seen of the warp beside the one that was followed.
struct shown_access {
    std::uint64_t first;
    int& shown;

    template <class Touched>
    void access(const executed& e, const Touched& touched, std::uint32_t round) const {
        ++shown;
        CHECK(round == 3);
        CHECK(e.access->active == 0xffff'ffff);
        // 136 B from a boundary on
        CHECK(e.alignment == 8);
        CHECK(e.transactions == 5);
        CHECK(e.bytes_moved == 160);
        CHECK(e.coalesced);
        CHECK(touched.count == 5);
        CHECK(touched.first() == first / 32);
        CHECK(touched.whole() == 3);
    }
    template <class Touched>
    void in_round(std::uint32_t, const Touched&) const {}
    void in_rounds(const executed&, const access_totals&) const {}
    template <class Touched>
    void reads(std::uint32_t, const Touched&, std::uint32_t) const {}
};

}  // namespace

TEST_CASE("a warp that does the same is found, with its accesses") {
    recorded_warps r(guarded);
    warp_distance away{};
    CHECK(r.records.find({{}, 0, 0}, away) == nullptr);
    REQUIRE(r.follow({{}, 0, 0}));
    const auto* const found = r.records.find({{1, 0, 0}, 1, 0.9}, away);
    REQUIRE(found != nullptr);
    warp_distance other{};
    CHECK(r.records.find({{6, 0, 0}, 1, 0.9}, other) == nullptr);  // threads past n
    CHECK(found->steps.size() == 14);
    for (std::size_t n = 0; n < found->steps.size(); ++n) {
        const executed e = found->at(n);
        CHECK((e.transactions != 0) == (e.unit == unit_kind::shared_memory));
    }
    CHECK(found->bytes() > found->steps.size() * sizeof(recorded_step));
    REQUIRE(found->accesses.size() == 1);
    CHECK(found->accesses[0].round == 3);
    const std::uint64_t first = found->runs[0].first + 8 + 128;
    int shown = 0;
    const shown_access sight{first, shown};
    found->show(away, coalescing_rule::sectors, sight);
    CHECK(shown == 1);
    CHECK(found->accesses[0].transactions == 4);
    std::vector<executed> in_order;
    found->show_all(away, coalescing_rule::sectors, [&](const executed& e) {
        if (in_order.size() == found->accesses[0].number) CHECK(e.runs->of[0].first == first);
        in_order.push_back(e);
    });
    REQUIRE(in_order.size() == 14);
    CHECK(in_order[found->accesses[0].number].transactions == 5);
    CHECK(in_order.back().unit == found->at(13).unit);
}

TEST_CASE("the last warp is recorded for itself") {
    recorded_warps r(guarded);
    REQUIRE(r.follow({{}, 0, 0}, true, true));
    warp_distance away{};
    const auto* const found = r.records.find({{}, 0, 0}, away);
    REQUIRE(found != nullptr);
    CHECK(away == warp_distance{});
    CHECK(found->steps.size() == 14);
    CHECK(found->accesses.size() == 1);
    CHECK(r.records.find({{1, 0, 0}, 0, 0}, away) == nullptr);
    // The next one is recorded for others, as ever; and a copy with a size keeps its bounds.
    REQUIRE(r.follow({{1, 0, 0}, 0, 0}));
    CHECK(r.records.find({{2, 0, 0}, 0, 0}, away) != nullptr);
    recorded_warps sized(
        "mov.u32 %r3, 8;\ncp.async.ca.shared.global [tile], [%d1], 16, %r3;\nret;");
    REQUIRE(sized.follow({{}, 0, 0}, true, true));
    CHECK(sized.records.find({{1, 0, 0}, 1, 0}, away) != nullptr);
}

TEST_CASE("a warp of many steps is recorded") {
    recorded_warps some(
        "mov.u32 %r5, 0;\nmov.u32 %r6, 0;\nL: mul.lo.u32 %r4, %r5, %r5;\nadd.u32 %r5, %r5, 1;\n"
        "xor.b32 %r6, %r6, %r4;\nand.b32 %r7, %r6, 1;\nsetp.eq.u32 %p2, %r7, 5;\n"
        "@%p2 st.shared.u32 [tile], %r5;\nsetp.lt.u32 %p1, %r5, 2000;\n@%p1 bra L;\nret;");
    REQUIRE(some.follow({{}, 0, 0}));
    warp_distance away{};
    const auto* const found = some.records.find({{5, 0, 0}, 1, 0.5}, away);
    REQUIRE(found != nullptr);
    CHECK(found->steps.size() > 10'000);
}

TEST_CASE("warps that decide otherwise are recorded from where data decides") {
    recorded_warps r(
        "mul.wide.u32 %d2, %r2, 4;\nadd.s64 %d3, %d1, %d2;\nld.global.u32 %r3, [%d3];\n"
        "add.u32 %r4, %r2, 1;\nadd.u32 %r4, %r4, 1;\nadd.u32 %r4, %r4, 1;\nadd.u32 %r4, %r4, 1;\n"
        "setp.eq.u32 %p1, %r3, 0;\n@%p1 st.shared.u32 [tile], %r4;\nret;");
    const auto see = [&](const executed& e) { return r.facts.wait(e); };
    r.facts.begin_warp();
    REQUIRE_FALSE(r.records.follow(place_of(r.started, {}, 0, 0), true, see));
    warp_distance away{};
    CHECK(r.records.find({{5, 0, 0}, 1, 0.5}, away) != nullptr);
    CHECK(r.records.find({{5, 0, 0}, 1, 0.2}, away) == nullptr);
    const std::uint64_t before = r.machine.steps();
    REQUIRE_FALSE(r.records.fork(see));
    CHECK(r.machine.steps() - before <= 3);
    const auto* const other = r.records.find({{5, 0, 0}, 1, 0.2}, away);
    REQUIRE(other != nullptr);
    CHECK(away == warp_distance{5, 0, 0, 32, 0, 0});
    CHECK_FALSE(other->is_counted);
    CHECK(other->waits.loads.global == 1);
    CHECK(other->steps.size() == 13);
    CHECK(other->accesses.size() == 1);
    CHECK(other->steps[11].active == 0xaaaa'aaaa);
    CHECK(r.records.find({{5, 0, 0}, 1, 0.5}, away)->steps[11].active == 0x5555'5555);
}

TEST_CASE(
    "a warp that is followed again from where data decides is not one more that reads the same") {
    const parsed_text text(
        kernel_of("ld.global.u32 %r3, [%d1];\nadd.u32 %r4, %r2, 1;\nadd.u32 %r4, %r4, 1;\n"
                  "add.u32 %r4, %r4, 1;\nadd.u32 %r4, %r4, 1;\nadd.u32 %r4, %r4, 1;\n"
                  "setp.eq.u32 %p1, %r3, 0;\n@%p1 st.shared.u32 [tile], %r4;\nret;"));
    const auto t = ptx::trace(*ptx::find_kernel(text.module, "k"), {{1}, {32}}, {100},
                              {.blocks = ptx::sampling::middle_block});
    REQUIRE(t);
    CHECK(t->touched.load_sectors == 1);
    CHECK(t->touched.broadcast_loads == 0);
}

TEST_CASE("what others may not do, or is too long, is not recorded") {
    recorded_warps unused(guarded, false);
    CHECK_FALSE(unused.follow({{}, 0, 0}));
    recorded_warps unknown(guarded);
    CHECK_FALSE(unknown.follow({{}, 0, 0}, false));
    recorded_warps loop(
        "mov.u32 %r3, 1;\nmov.u32 %r4, 0;\nL: mul.lo.u32 %r3, %r3, 3;\nadd.u32 %r4, %r4, 1;\n"
        "setp.lt.u32 %p1, %r4, 70000;\n@%p1 bra L;\nand.b32 %r5, %r3, 63;\n"
        "mul.wide.u32 %d2, %r5, 4;\nadd.s64 %d2, %d2, %d1;\nst.global.u32 [%d2], %r3;\nret;");
    CHECK_FALSE(loop.follow({{}, 0, 0}));
    warp_distance away{};
    recorded_warps squares(
        "mul.lo.u32 %r3, %r2, %r2;\nmul.wide.u32 %d2, %r3, 4;\n"
        "add.s64 %d2, %d2, %d1;\nst.global.u32 [%d2], %r3;\nret;");
    REQUIRE(squares.follow({{}, 0, 0}));
    CHECK(squares.records.find({{}, 1, 0}, away) == nullptr);
    CHECK(squares.records.find({{3, 0, 0}, 0, 0}, away) != nullptr);
}

// Of one block, once with warps that are found again, once without.
TEST_CASE("counts are those of following each warp") {
    for (const kernel_launch& l : kernel_launches()) {
        CAPTURE(l.kernel);
        const std::string text = kernel_text(l.file);
        const auto m = ptx::parse(text);
        const auto k = ptx::find_kernel(*m, l.kernel);
        ptx::launch one = l.launch;
        one.grid = {1, 1, 1};
        const auto recorded =
            ptx::trace(*k, one, l.arguments, {.blocks = ptx::sampling::middle_block});
        const auto followed = ptx::trace(*k, one, l.arguments, {.blocks = ptx::sampling::all});
        REQUIRE(recorded);
        REQUIRE(followed);
        CHECK(recorded->steps <= followed->steps);
        CHECK(recorded->warps_traced == followed->warps_traced);
        CHECK(recorded->warp_insts == followed->warp_insts);
        CHECK(recorded->active_lanes == followed->active_lanes);
        CHECK(recorded->transactions == followed->transactions);
        CHECK(recorded->bytes_moved == followed->bytes_moved);
        CHECK(recorded->shared_load_passes == followed->shared_load_passes);
        CHECK(recorded->touched.load_sectors == followed->touched.load_sectors);
        CHECK(recorded->touched.lines == followed->touched.lines);
        CHECK(recorded->touched.broadcast_loads == followed->touched.broadcast_loads);
        CHECK(recorded->footprint_bytes == followed->footprint_bytes);
        CHECK(recorded->waits.steps == followed->waits.steps);
        CHECK(recorded->waits.reused_fraction == followed->waits.reused_fraction);
        CHECK(recorded->loops.size() == followed->loops.size());
        CHECK(recorded->stream.size() == followed->stream.size());
    }
}

}  // namespace warp_records_test
