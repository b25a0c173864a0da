// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <string>

#include <doctest/doctest.h>

#include <warpgauge/ptx/run/lane_exchange.hpp>

#include "ptx/linked.hpp"

namespace lane_exchange_test {

using namespace warpgauge;
using namespace warpgauge::ptx::detail::run;

namespace {

// One vote or shuffle of `%r3`, of which some lanes are known, or of `%p1`, which holds in lane 3 and is known there.
struct one_exchange {
    explicit one_exchange(const char* instruction, std::uint32_t known = 0,
                          std::uint32_t breaks = 0)
        : k(kernel_of(std::string("setp.ne.u32 %p1, %r3, 0;\n") + instruction + "\nret;")),
          file(k.program),
          exchange(file) {
        file.begin(one_warp());
        file.add_rows(k.program.routines[0].rows);
        row_values& numbers = file.at(k.source(k.body(0), 0));
        numbers = file.at(ptx::link::laneid);
        numbers.known = known;
        numbers.base = file.new_base(breaks);
        row_values& predicate = file.at(k.result(k.body(0)));
        predicate = {.known = 8, .base = file.new_base(0)};
        predicate.lanes[3] = 1;
    }
    row_values voted() {
        exchange.vote(k.body(1), all_lanes);
        return file.at(k.result(k.body(1)));
    }
    row_values shuffled(std::uint32_t active = all_lanes) {
        exchange.shuffle(k.body(1), active);
        return file.at(k.result(k.body(1)));
    }

    linked_text k;
    register_file<> file;
    lane_exchange<> exchange;
};

}  // namespace

TEST_CASE("one lane decides a vote of which others are not known") {
    const row_values any = one_exchange("vote.sync.any.pred %p2, %p1, -1;").voted();
    CHECK(any.known == all_lanes);
    CHECK(any.lanes[0] == 1);
    const row_values all = one_exchange("vote.sync.all.pred %p2, %p1, -1;").voted();
    CHECK(all.known == 0);
    CHECK(all.base.breaks == 0);  // the same in all lanes
}

TEST_CASE("votes of all lanes, of none and of the opposite") {
    const auto vote = [](const char* instruction) {
        const row_values v = one_exchange(instruction).voted();
        CHECK(v.known == all_lanes);
        return v.lanes[7];
    };
    CHECK(vote("vote.sync.all.pred %p2, 1, -1;") == 1);
    CHECK(vote("vote.sync.all.pred %p2, 0, -1;") == 0);
    CHECK(vote("vote.sync.any.pred %p2, 0, -1;") == 0);
    CHECK(vote("vote.sync.all.pred %p2, !%p1, -1;") == 0);  // lane 3 says no
    CHECK(one_exchange("vote.sync.any.pred %p2, !%p1, -1;").voted().known == 0);
    std::uint32_t lane = 8;
    CHECK_FALSE(shuffle_source(1, 4, 5, lane));  // below the segment's first
    CHECK(one_exchange("shfl.sync.idx.b32 %r6, %r3, %r4, 31, -1;", all_lanes).shuffled().known ==
          0);
}

TEST_CASE("a shuffle takes bases along") {
    const row_values first =
        one_exchange("shfl.sync.idx.b32 %r6, %r3, 4, 31, -1;", 0, ~0U).shuffled();
    CHECK(first.known == 0);
    CHECK((first.base.breaks & ~1U) == 0);
    CHECK(first.lanes[9] == 4);
    const row_values swapped =
        one_exchange("shfl.sync.bfly.b32 %r6, %r3, 16, 31, -1;", 0xffff, 1U << 24).shuffled();
    CHECK(swapped.known == 0xffff'0000);
    CHECK((swapped.base.breaks & 0xfffe) == 0x100);
}

TEST_CASE("a shuffle of some lanes takes their bases along") {
    // Whatever lane the index comes from, only those that take part know it.
    const auto shuffled = [](const char* instruction, std::uint32_t active, std::uint32_t breaks) {
        one_exchange of(instruction, 0, breaks);
        row_values& index = of.file.at(of.k.source(of.k.body(1), 1));
        if (index.known == 0) {
            index.lanes.fill(4);
            index.known = active;
        }
        const row_values row = of.shuffled(active);
        CHECK((row.known & active) == 0);
        return row.base;
    };
    const char* from_4 = "shfl.sync.idx.b32 %r6, %r3, %r4, 31, -1;";
    const unknown_base of_half = shuffled(from_4, 0xffff, ~0U);
    CHECK_FALSE(of_half.is_opaque());
    CHECK(of_half.identity != 0);
    CHECK((of_half.breaks & 0xfffe) == 0);
    // Lanes that are not there part none, and one that reads from them is alone.
    const unknown_base with_gaps = shuffled(from_4, 0x0f0f'0f10, ~0U);
    CHECK((with_gaps.breaks & ~0x1fU) == 0);
    const unknown_base of_none = shuffled(from_4, 0xff00, 0);
    CHECK((of_none.breaks & 0xff00) == 0xff00);
    // Lanes 0 and 2 read from 1 and 3, of two runs; lane 4 from 5, of the same as 3.
    const char* from_next = "shfl.sync.bfly.b32 %r6, %r3, 1, 31, -1;";
    const unknown_base of_two = shuffled(from_next, 0x3f, 1U << 2);
    CHECK((of_two.breaks & 0x3e) == 1U << 2);
    const unknown_base with_hole = shuffled(from_next, 0x33, 1U << 2);
    CHECK((with_hole.breaks & 0x32) == 1U << 4);
    // Between two lanes that share a base, one reads from none.
    const unknown_base with_none = shuffled("shfl.sync.down.b32 %r6, %r3, 1, 31, -1;", 0xdf, 0);
    CHECK((with_none.breaks & 0xde) == (1U << 4 | 1U << 6 | 1U << 7));
}

}  // namespace lane_exchange_test
