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
    row_values shuffled() {
        exchange.shuffle(k.body(1), all_lanes);
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

}  // namespace lane_exchange_test
