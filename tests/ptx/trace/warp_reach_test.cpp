// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include <warpgauge/ptx/trace/warp_reach.hpp>

namespace warp_reach_test {

using namespace warpgauge;
using namespace warpgauge::ptx::detail::trace;

namespace {

// Reaches all warps.
warp_reach<> everywhere() {
    return {.way = {.of_block = true, .of_launch = true}};
}

bool is_reached(const ptx::extent& block, const warp_of_block& from, const warp_reach<>& reach,
                const warp_of_block& to, warp_distance& away) {
    const warp_begins<> begins(block);
    reached_warps<> followed(begins);
    followed.add(from, reach);
    return followed.find(to, away) == 0;
}

}  // namespace

TEST_CASE("warps are as far apart as their blocks and first threads") {
    const ptx::extent begins{8, 8, 8};
    warp_distance away{};
    warp_reach<> reach = everywhere();
    CHECK(is_reached(begins, {{1, 2, 3}, 1, 0}, reach, {{4, 2, 1}, 6, 0}, away));
    CHECK(away == warp_distance{3, 0, -2, 0, -4, 3});
}

TEST_CASE("warps of which each lane is elsewhere are not reached") {
    warp_distance away{};
    warp_reach<> reach = everywhere();
    const ptx::extent rows_of_20{20, 16, 1};  // they begin at columns 0, 12, 4, 16, 8, 0
    CHECK_FALSE(is_reached(rows_of_20, {{}, 0, 0}, reach, {{}, 1, 0}, away));
    CHECK(is_reached(rows_of_20, {{}, 0, 0}, reach, {{}, 5, 0}, away));
    CHECK(away == warp_distance{0, 0, 0, 0, 8, 0});
    const ptx::extent planes{16, 3, 4};  // two of the first three pass none
    CHECK_FALSE(is_reached(planes, {{}, 0, 0}, reach, {{}, 1, 0}, away));
    const ptx::extent last_short{48, 1, 1};
    CHECK_FALSE(is_reached(last_short, {{}, 0, 0}, reach, {{}, 1, 0}, away));
    CHECK(is_reached(last_short, {{}, 1, 0}, reach, {{7, 0, 0}, 1, 0}, away));
}

TEST_CASE("a reach within the block, or none") {
    const ptx::extent begins{64, 1, 1};
    warp_distance away{};
    warp_reach<> reach;
    CHECK(is_reached(begins, {{}, 0, 0}, reach, {{}, 0, 0}, away));  // the warp itself
    CHECK_FALSE(is_reached(begins, {{}, 0, 0}, reach, {{1, 0, 0}, 0, 0}, away));
    reach.way.of_block = true;
    CHECK(is_reached(begins, {{}, 0, 0}, reach, {{1, 0, 0}, 0, 0}, away));
    CHECK_FALSE(is_reached(begins, {{}, 0, 0}, reach, {{}, 1, 0}, away));
}

TEST_CASE("warps that decide unknown data in another way are not reached") {
    const ptx::extent begins{64, 1, 1};
    warp_distance away{};
    warp_reach<> reach = everywhere();
    reach.start.bound(0.05);   // one that begins with 0.05 less decides otherwise
    reach.start.bound(-0.25);  // or with 0.25 more
    // 0.5, 0.118, 0.736, 0.354, 0.972, 0.590, 0.208, 0.826, 0.444: multiples of the golden ratio
    const warp_of_block first = place_in({}, 0, 0);
    for (const std::uint32_t ordinal : {0U, 2U, 5U}) {
        CHECK(is_reached(begins, first, reach, place_in({}, 1, ordinal), away));
    }
    for (const std::uint32_t ordinal : {7U, 8U}) {
        CHECK_FALSE(is_reached(begins, first, reach, place_in({}, 1, ordinal), away));
    }
}

TEST_CASE("of several warps that were followed, one that reaches is found by its number") {
    const warp_begins<> begins({32, 2, 1});
    reached_warps<> followed(begins);
    warp_distance away{};
    CHECK(followed.find({}, away) == ptx::link::nowhere);
    for (std::uint32_t n = 0; n < 3; ++n) {  // ten blocks each; of the last ten, from y = 3 on
        warp_reach<> reach = everywhere();
        reach.way.bounds.push_back({.by = {1}, .least = -5, .most = 4});
        if (n == 2) reach.way.bounds.push_back({.by = {0, 2}, .least = -2, .most = 1 << 20});
        reach.way.turns.push_back({.by = {0, 0, 4}, .turn = 8});
        followed.add({{10 * n + 5, 4, 0}, 0, 0}, reach);
    }
    for (int again = 0; again < 2; ++again) {
        for (std::uint32_t x = 0; x < 30; ++x) {
            CHECK(followed.find({{x, 3, 2}, 1, 0}, away) == x / 10);
            CHECK(away[0] == static_cast<std::int64_t>(x) - (x / 10 * 10 + 5));
            CHECK(away[4] == 1);
        }
        CHECK(followed.find({{30, 3, 2}, 1, 0}, away) == ptx::link::nowhere);
        CHECK(followed.find({{15, 2, 0}, 1, 0}, away) == 1);
        CHECK(followed.find({{25, 2, 0}, 1, 0}, away) == ptx::link::nowhere);
        CHECK(followed.find({{25, 3, 1}, 1, 0}, away) == ptx::link::nowhere);  // 4 B of 8
    }
}

TEST_CASE("a box of whose corners one warp reaches all is reached") {
    const warp_begins<> begins({32, 1, 1});
    reached_warps<> followed(begins);
    warp_reach<> reach = everywhere();
    reach.way.bounds.push_back({.by = {1}, .least = -5, .most = 4});
    reach.way.turns.push_back({.by = {0, 4, 4}, .turn = 4});
    followed.add({{5, 4, 0}, 0, 0}, reach);
    reach.way.bounds[0] = {.by = {1}, .least = -9, .most = 0};
    reach.way.turns[0] = {.by = {4}, .turn = 8};  // every second block along x
    followed.add({{19, 4, 0}, 0, 0}, reach);
    const auto reaches = [&](std::uint32_t from, std::uint32_t to) {
        return followed.reach({{from, 4, 0}, {to, 4, 0}}, 0);
    };
    CHECK(reaches(0, 9));
    CHECK(reaches(7, 7));
    CHECK(reaches(2, 8));
    CHECK_FALSE(reaches(0, 10));
    CHECK_FALSE(reaches(5, 19));
    CHECK_FALSE(reaches(11, 19));  // both are reached, and not all between
    CHECK_FALSE(reaches(20, 30));
    CHECK(followed.reach({{3, 0, 0}, {3, 50, 0}}, 0));
    CHECK(followed.reach({{0, 0, 0}, {9, 50, 3}}, 0));
    CHECK_FALSE(followed.reach({{0, 0, 0}, {10, 50, 3}}, 0));
}

TEST_CASE("sums of a place are those of that place") {
    const warp_begins<> begins({32, 4, 1});
    place_sums<> sums(begins);
    const std::uint32_t first = sums.number_of({1, 2});
    const std::uint32_t second = sums.number_of({0, 0, 0, 0, -1});
    CHECK(first != second);
    CHECK(sums.number_of({1, 2}) == first);
    for (const std::uint32_t x : {7U, 7U, 5U}) {
        for (const std::uint32_t warp : {3U, 1U}) {
            sums.begin({{x, 10, 0}, warp});
            CHECK(sums.of_place(first) == x + 20);
            CHECK(sums.of_place(second) == std::uint64_t{0} - warp);
        }
    }
}

TEST_CASE("a bound that fails is asked first the next time") {
    ptx::detail::run::way_reach<> way{.of_block = true};
    for (std::size_t d = 0; d < 3; ++d) {
        ptx::detail::run::way_bound b{.least = -1, .most = 1};
        b.by[d] = 1;
        way.bounds.push_back(b);
    }
    for (int again = 0; again < 2; ++again) {
        CHECK_FALSE(way.holds({0, 0, 2}));
        CHECK(way.bounds[0].by[2] == 1);
        CHECK(way.holds({1, -1, 1}));
        CHECK_FALSE(way.holds({0, 2, 0}));
        CHECK_FALSE(way.holds({-2, 0, 0}));
    }
}

TEST_CASE("fractions of which each decides otherwise than the others") {
    // Decides otherwise above 0.25, above 0.5 and above 0.75.
    struct machine {
        double start;
        ptx::detail::run::start_room start_room() const {
            const double below = start - static_cast<int>(start * 4) / 4.0;
            return {.below = below, .above = 0.25 - below};
        }
    };
    for (const double start : {0.1, 0.3, 0.6, 0.9}) {
        machine m{start};
        std::vector<int> met{static_cast<int>(4 * start)};
        const auto bad = for_other_starts(m, start, [&](double other) {
            m.start = other;
            met.push_back(static_cast<int>(4 * other));
            return model_error{};
        });
        CHECK_FALSE(bad);
        std::sort(met.begin(), met.end());
        CHECK(met == std::vector<int>{0, 1, 2, 3});
        m.start = start;
        int calls = 0;
        CHECK(for_other_starts(m, start, [&](double) {
                  ++calls;
                  return model_error{errc::limit_reached, "max_steps"};
              }).code == errc::limit_reached);
        CHECK(calls == 1);
    }
    struct same_for_all {
        ptx::detail::run::start_room start_room() const { return {}; }
    };
    CHECK_FALSE(for_other_starts(same_for_all{}, 0.5, [](double) {
        return model_error{errc::missing, "none"};
    }));
}

TEST_CASE("of two warps of which one goes on in the next row or plane, neither reaches the other") {
    warp_distance away{};
    auto reach = everywhere();
    const ptx::extent rows{48, 2, 1};  // the first 32 of a row; 16, and 16 of the next
    CHECK_FALSE(is_reached(rows, {{}, 0, 0}, reach, {{}, 1, 0}, away));
    CHECK_FALSE(is_reached(rows, {{}, 1, 0}, reach, {{}, 0, 0}, away));
    const ptx::extent planes{16, 3, 4};
    CHECK_FALSE(is_reached(planes, {{}, 1, 0}, reach, {{}, 0, 0}, away));
}

}  // namespace warp_reach_test
