// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>
#include <set>
#include <vector>

#include <doctest/doctest.h>

#include <warpgauge/ptx/link/reconvergence.hpp>
#include <warpgauge/ptx/run/warp.hpp>

#include "ptx/linked.hpp"

namespace warp_test {

using namespace warpgauge;
using ptx::run::executed, ptx::run::machine_limits;

namespace {

struct warp {
    explicit warp(std::string text, machine_limits limits = {1000, 1 << 20, 4})
        : k(std::move(text)) {
        for (const auto& r : k.program.routines) {
            CHECK_FALSE(ptx::link::find_reconvergence(k.program, r, 1000));
        }
        const std::vector<ptx::run::decision> decisions(k.program.steps.size());
        const std::array<ptx::run::argument_bytes, 2> arguments{
            ptx::run::argument_bytes{.small = {3}, .known = true}};
        ptx::run::warp_machine<> machine(k.program, arguments, decisions, {7, 5}, limits);
        error = machine.run(one_warp(), [&](const executed& e) { seen.push_back(e); });
        steps = machine.steps();
    }
    // Statements of the body that were executed, and by which lanes.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> order() const {
        std::vector<std::pair<std::uint32_t, std::uint32_t>> all;
        for (const executed& e : seen) {
            if (e.step >= instructions_before_body) {
                all.push_back({e.step - instructions_before_body, e.active});
            }
        }
        return all;
    }

    linked_text k;
    std::vector<executed> seen;
    model_error error;
    std::uint64_t steps = 0;
};

using order = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
constexpr std::uint32_t all = 0xffff'ffff;

}  // namespace

TEST_CASE("lanes that go different ways take turns and meet") {
    const warp w(
        kernel_of("setp.lt.u32 %p1, %r2, %r1;\n@%p1 bra A;\nbar.sync 0;\nbra B;\n"
                  "A: add.u32 %r3, %r2, 1;\nB: ret;"));
    CHECK_FALSE(w.error);
    CHECK(w.order() == order{{0, all}, {1, all}, {2, ~7U}, {3, ~7U}, {4, 7}, {5, all}});
    CHECK(w.steps == 3 + 6 + 2);  // with two parameters to set
}

TEST_CASE("a loop runs until the last lane has left it") {
    const warp w(
        kernel_of("L: add.u32 %r1, %r1, -1;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra L;\nret;"));
    CHECK(w.order().size() == 3 * 3 + 1);
}

TEST_CASE("a predicate that holds in no lane costs an issue") {
    const warp w(kernel_of("setp.gt.u32 %p1, %r2, 99;\n@%p1 st.global.u32 [%d1], %r2;\nret;"));
    CHECK(w.seen[4].active == 0);
    CHECK(w.seen[4].unit == unit_kind::integer);
    CHECK(w.seen[4].transactions == 0);
}

TEST_CASE("an unknown predicate is decided once, so that its contrary agrees") {
    const warp w(
        kernel_of("mad.wide.u32 %d2, %r2, 4, %d1;\nld.global.u32 %r3, [%d2];\n"
                  "setp.eq.u32 %p1, %r3, 0;\n"
                  "@%p1 bar.sync 0;\n@!%p1 bar.sync 1;\n@%p1 bar.sync 2;\nret;"));
    CHECK(w.seen[6].unknown_predicate);
    CHECK_FALSE(w.seen[6].decided_together);
    CHECK_FALSE(w.seen[7].unknown_predicate);
    CHECK(w.seen[6].active == 0x5555'5555);  // 0.5 from 0.5 on
    CHECK(w.seen[7].active == 0xaaaa'aaaa);
    CHECK(w.seen[8].active == w.seen[6].active);
}

TEST_CASE("lanes that ask the same unknown value go the same way") {
    const warp w(
        kernel_of("ld.global.u32 %r3, [%d1];\nsetp.eq.u32 %p1, %r3, 0;\n"
                  "@%p1 bar.sync 0;\n@!%p1 bar.sync 1;\nret;"));
    CHECK(w.seen[5].decided_together);
    CHECK(w.seen[5].active == 0);
    CHECK(w.seen[6].active == all);
}

TEST_CASE("values go into calls and come back") {
    const char* const function =
        ".func (.reg .u32 out) next(.reg .u32 in) { add.u32 out, in, 1; ret; }\n";
    const warp w(
        kernel_of("call (%r3), next, (%r1);\ncall (%r3), next, (%r3);\n"
                  "setp.eq.u32 %p1, %r3, 5;\n@%p1 bar.sync 0;\nret;",
                  function));
    CHECK(w.seen[w.seen.size() - 2].active == all);
}

// Decides by data first in its tenth step, with a carry and rows that some lanes have set alive.
const char* const decides_late =
    "mul.wide.u32 %d2, %r2, 4;\nadd.s64 %d3, %d1, %d2;\nld.global.u32 %r4, [%d3];\n"
    "add.cc.u32 %r5, %r1, -1;\nmov.u32 %r6, 7;\nsetp.lt.u32 %p5, %r2, 9;\n"
    "@%p5 mov.u32 %r6, 8;\nsetp.eq.u32 %p1, %r4, 3;\n@%p1 bra A;\naddc.u32 %r6, %r6, 1;\n"
    "A: setp.lt.u32 %p2, %r6, 9;\n@%p2 bra B;\nmov.u32 %r7, 0;\nL: add.u32 %r7, %r7, 1;\n"
    "setp.lt.u32 %p3, %r7, %r6;\n@%p3 bra L;\nst.global.u32 [%d3], %r7;\n"
    "B: setp.gt.u32 %p4, %r4, 9;\n@%p4 st.shared.u32 [tile], %r6;\nret;";

TEST_CASE("a warp that begins with another fraction goes on from where data decides first") {
    linked_text k(kernel_of(decides_late));
    REQUIRE_FALSE(ptx::link::find_reconvergence(k.program, k.program.routines[0], 1000));
    const std::vector<ptx::run::decision> decisions(k.program.steps.size(), {.probability = 0.3});
    const std::array<ptx::run::argument_bytes, 2> arguments{
        ptx::run::argument_bytes{.small = {3}, .known = true}};
    ptx::run::warp_machine<> machine(k.program, arguments, decisions, {7, 5},
                                     {1'000'000, 1 << 20, 4});
    const ptx::link::control_slice<> slice(k.program);
    ptx::detail::run::way_bounds<> bounds(k.program);
    order seen;
    std::size_t undecided = 0;
    const auto see = [&](const executed& e) {
        seen.push_back({e.step << 8 | static_cast<std::uint32_t>(e.rounds), e.active});
        seen.push_back({e.transactions, e.jumping});
        if (!machine.has_decided()) undecided = seen.size();
    };
    const auto place_of = [](std::uint32_t ordinal) {
        return ptx::run::warp_place{
            .grid = {2, 1, 1}, .block = {64, 1, 1}, .warp = 1, .ordinal = ordinal};
    };
    std::set<order> ways;
    for (const bool whole : {true, false}) {
        for (std::uint32_t ordinal = 0; ordinal < 20; ++ordinal) {
            CAPTURE(ordinal);
            seen.clear();
            REQUIRE((whole ? machine.run(place_of(ordinal), see)
                           : machine.run_slice(place_of(ordinal), slice, see))
                        .code == errc::none);
            CHECK_FALSE(machine.has_fork());  // nobody has asked for bounds
            const order expected = seen;
            ways.insert(expected);
            seen.clear();
            REQUIRE((whole ? machine.run(place_of(0), see, &bounds)
                           : machine.run_slice(place_of(0), slice, see, &bounds))
                        .code == errc::none);
            REQUIRE(machine.has_fork());
            const auto reach = bounds.reach().bounds.size();
            for (int again = 0; again < 2; ++again) {
                seen.resize(undecided);
                const double start = ptx::detail::run::start_of(ordinal);
                REQUIRE((whole ? machine.run_fork(start, see)
                               : machine.run_slice_fork(start, slice, see))
                            .code == errc::none);
                CHECK(seen == expected);
            }
            if (ordinal == 0) CHECK(bounds.reach().bounds.size() == reach);
        }
    }
    CHECK(ways.size() > 4);
}

TEST_CASE("there is nothing to go back to where a loop has begun before data decides") {
    linked_text k(kernel_of(
        "mov.u32 %r3, 0;\nL: add.u32 %r3, %r3, 1;\nsetp.lt.u32 %p1, %r3, 3;\n@%p1 bra L;\n"
        "ld.global.u32 %r4, [%d1];\nsetp.eq.u32 %p2, %r4, 0;\n@%p2 bra M;\nM: ret;"));
    REQUIRE_FALSE(ptx::link::find_reconvergence(k.program, k.program.routines[0], 1000));
    const std::vector<ptx::run::decision> decisions(k.program.steps.size());
    const std::array<ptx::run::argument_bytes, 2> arguments{};
    ptx::run::warp_machine<> machine(k.program, arguments, decisions, {7, 5}, {1000, 1 << 20, 4});
    ptx::detail::run::way_bounds<> bounds(k.program);
    REQUIRE_FALSE(machine.run(
        one_warp(), [](const executed&) {}, &bounds));
    CHECK(machine.has_decided());
    CHECK_FALSE(machine.has_fork());
}

TEST_CASE("limits") {
    CHECK(warp(kernel_of("L: bra L;\nret;")).error ==
          model_error{errc::limit_reached, "max_steps", 15, 4});
    CHECK(warp(kernel_of("call f;\nret;", ".func f() { call f; ret; }\n")).error.field == "calls");
    CHECK(warp(kernel_of(".local .b8 big[65536];\nmov.u64 %d2, big;\nret;")).error ==
          model_error{errc::limit_reached, "memory", 4, 10});
    CHECK(warp(kernel_of("T: .branchtargets A;\nbrx.idx %r2, T;\nA: ret;")).error ==
          model_error{errc::outside_domain, "index", 16, 1});
}

TEST_CASE("a table by an index that nobody knows goes to its first target, guarded or not") {
    const std::string table = "brx.idx %r3, T;\nT: .branchtargets A, B;\nA: bar.sync 0;\nB: ret;";
    const warp open(kernel_of("ld.global.u32 %r3, [%d1];\n" + table));
    CHECK_FALSE(open.error);
    CHECK(open.order() == order{{0, all}, {1, all}, {2, all}, {3, all}});
    CHECK(open.seen[4].unknown_predicate);
    const warp guarded(kernel_of("mov.u32 %r3, 1;\nsetp.lt.u32 %p1, %r2, 4;\n@%p1 " + table));
    CHECK_FALSE(guarded.error);
    CHECK(guarded.order() == order{{0, all}, {1, all}, {2, all}, {4, 0xf}, {3, ~0xfU}, {4, ~0xfU}});
    CHECK_FALSE(guarded.seen[5].unknown_predicate);
}

TEST_CASE("a call for whose local memory there is no room is named") {
    const warp w(kernel_of("call f;\nret;", ".func f() { .local .b8 room[100000]; ret; }\n"));
    CHECK(w.error.code == errc::limit_reached);
    CHECK(w.error.field == "memory");
    CHECK(w.error.line > 0);
}

}  // namespace warp_test
