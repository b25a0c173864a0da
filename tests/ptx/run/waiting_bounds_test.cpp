// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstddef>
#include <cstdint>
#include <random>

#include <doctest/doctest.h>

#include <warpgauge/ptx/run/waiting_bounds.hpp>

namespace waiting_bounds_test {

using namespace warpgauge;
using namespace warpgauge::ptx::detail::run;

namespace {

// By one thread, to the right.
constexpr warp_distance right{0, 0, 0, 1};
constexpr ptx::text::value_type s32{.bits = 32, .is_signed = true};

lane_values from(std::uint64_t first) {
    lane_values v{};
    for (std::size_t l = 0; l < warp_lanes; ++l) v[l] = first + l;
    return v;
}

// How far values from 10 to 41 may move to come out the same in a comparison with 50, or as before within the lanes.
way_bound bound_of(ptx::link::comparison how, std::uint64_t with,
                   std::uint32_t lanes = 0xffff'ffff) {
    waiting_bounds<> bounds;
    ptx::link::step s{};
    s.compare = how;
    lane_values other{};
    other.fill(with);
    std::uint64_t needs = 0;
    REQUIRE(bounds.bound_difference(s, s32, from(10), other, lanes, right, needs));
    CHECK(needs != 0);
    CHECK(bounds.required().empty());
    bounds.require(needs);
    REQUIRE(bounds.required().size() == 1);
    return bounds.required()[0];
}

}  // namespace

TEST_CASE("comparisons come out the same until a lane passes") {
    using enum ptx::link::comparison;
    CHECK(bound_of(lt, 50).most == 8);
    CHECK(bound_of(le, 50).most == 9);
    CHECK(bound_of(ge, 50).most == 8);
    CHECK(bound_of(gt, 10, 0xffff'fffe).least == 0);  // from 11 on
    CHECK(bound_of(ge, 5).least == -5);
    CHECK(bound_of(eq, 50).most == 8);
    CHECK(bound_of(ne, 5).least == -4);
    CHECK(bound_of(eq, 20).least == 0);  // lane 10 equals it
    CHECK(bound_of(eq, 20).most == 0);
    CHECK(bound_of(lt, 50, 0xff).most == 32);  // up to 17
}

TEST_CASE("numbers of 32 bits have the ends that wider ones have") {
    constexpr unsigned seed = 7;
    CAPTURE(seed);
    std::mt19937 random(seed);
    int small_ones = 0;
    for (int n = 0; n < 400; ++n) {
        const value_type type{.bits = 32, .is_signed = random() % 2 == 0};
        const unsigned dropped = random() % 32;
        lane_values a{}, b{};
        for (std::size_t l = 0; l < warp_lanes; ++l) {
            const auto first = static_cast<std::uint32_t>(random()) >> dropped;
            const auto second = static_cast<std::uint32_t>(random()) >> dropped;
            a[l] = n % 3 == 0 ? 0U - first : first;
            b[l] = n % 5 == 0 ? 0U - second : second;
            a[l] &= 0xffff'ffff;
            b[l] &= 0xffff'ffff;
        }
        const std::uint32_t lanes = n % 4 == 0 ? ~0U : static_cast<std::uint32_t>(random()) | 1U;
        small_numbers ignored{};
        small_ones += are_small(type, a, lanes, ignored) ? 1 : 0;
        const auto check_nearest = [](const number_range& x, const number_range& y) {
            CHECK(x.below == y.below);
            CHECK(x.above == y.above);
        };
        const number_range all = range_of(numbers(type, a, lanes));
        const number_range ends = ends_of(type, a, lanes);
        CHECK(ends.least == all.least);
        CHECK(ends.most == all.most);
        check_nearest(nearest_to_zero(type, a, lanes), all);
        for (const bool less_one : {false, true}) {
            lane_numbers off = numbers(type, a, lanes);
            const lane_numbers with = numbers(type, b, lanes);
            for (std::size_t l = 0; l < warp_lanes; ++l)
                off.of[l] -= with.of[l] + (less_one ? 1 : 0);
            check_nearest(nearest_difference(type, a, b, lanes, less_one), range_of(off));
        }
    }
    CHECK(small_ones > 50);
    CHECK(small_ones < 390);
}

TEST_CASE("values stay in the range of their type, and keep their signs") {
    waiting_bounds<> bounds;
    std::uint64_t needs = 0;
    const ptx::text::value_type u8{.bits = 8, .is_signed = false};
    REQUIRE(bounds.bound_type(u8, from(10), 0xffff'ffff, right, needs));
    bounds.require(needs);
    CHECK(bounds.required()[0].holds({0, 0, 0, 214}));
    CHECK_FALSE(bounds.required()[0].holds({0, 0, 0, 215}));
    CHECK(bounds.required()[0].holds({0, 0, 0, -10}));
    CHECK_FALSE(bounds.required()[0].holds({0, 0, 0, -11}));
    bounds.clear();
    needs = 0;
    REQUIRE(
        bounds.bound_sign(s32, from(static_cast<std::uint64_t>(-40)), 0xffff'ffff, right, needs));
    bounds.require(needs);
    CHECK(bounds.required()[0].holds({0, 0, 0, 8}));
    CHECK_FALSE(bounds.required()[0].holds({0, 0, 0, 9}));
    lane_values large{};
    large.fill(std::uint64_t{1} << 62);
    const ptx::text::value_type u64{.bits = 64, .is_signed = false};
    CHECK_FALSE(bounds.bound_type(u64, large, 1, right, needs));
}

TEST_CASE("bounds that decide nothing are not required, and the narrowest of those that do holds") {
    waiting_bounds<> bounds;
    const std::uint64_t wide = bounds.add({right, -5, 5});
    const std::uint64_t narrow = bounds.add({right, -9, 1});
    const std::uint64_t other = bounds.add({{1}, 0, 0});
    CHECK((wide & narrow) == 0);
    bounds.require(wide | narrow);
    bounds.require(wide);
    REQUIRE(bounds.required().size() == 1);
    CHECK(bounds.required()[0].least == -5);
    CHECK(bounds.required()[0].most == 1);
    bounds.require(other);
    CHECK(bounds.required().size() == 2);
    // One whose bit another one takes is required.
    bounds.clear();
    for (std::int64_t n = 0; n < 65; ++n) bounds.add({{n}, 0, 1});
    CHECK(bounds.required().size() == 1);
    CHECK_FALSE(bounds.is_full());
    for (std::int64_t n = 65; n < 200; ++n) bounds.add({{n}, 0, 1});
    CHECK(bounds.is_full());
}

}  // namespace waiting_bounds_test
