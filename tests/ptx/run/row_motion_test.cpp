// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>

#include <doctest/doctest.h>

#include <warpgauge/ptx/run/row_motion.hpp>

namespace row_motion_test {

using namespace warpgauge;
using namespace warpgauge::ptx::detail::run;

namespace {

constexpr value_type s32{.bits = 32, .is_signed = true};
constexpr value_type u32{.bits = 32};
constexpr std::uint64_t minus_one = ~std::uint64_t{0};

lane_values all(std::uint64_t value) {
    lane_values v;
    v.fill(value);
    return v;
}

std::uint64_t extended(std::uint64_t value, const value_type& type, std::uint64_t by) {
    std::uint64_t rounds = 1'000'000'000'000;
    return bound_extension(all(value), all_lanes, type, by, rounds) ? rounds : 0;
}

// How often a comparison of `a` that moves by `by` with `b` comes out as it does now.
std::uint64_t compared(comparison c, std::int64_t a, std::int64_t b, std::int64_t by) {
    std::uint64_t rounds = 1'000'000;
    const step s{.from = s32, .compare = c};
    const bool known =
        bound_comparison(s, all(static_cast<std::uint64_t>(a)), all(static_cast<std::uint64_t>(b)),
                         1, static_cast<std::uint64_t>(by), 0, rounds);
    return known ? rounds : 0;
}

}  // namespace

TEST_CASE("a value keeps its high bits until it leaves the numbers of its type") {
    CHECK(extended(0, u32, 1) == 0xffff'ffff);
    CHECK(extended(0, s32, 1) == 0x7fff'ffff);
    CHECK(extended(0xffff'fffe, s32, 1) == 1);  // -2, then -1, then 0 without its sign
    CHECK(extended(10, u32, minus_one) == 10);
    CHECK(extended(10, u32, 0 - std::uint64_t{3}) == 3);
    CHECK(extended(std::uint64_t{1} << 40, u32, 1) == 0);  // has more bits
    CHECK(extended(5, {.bits = 64}, 1) == 1'000'000'000'000);
    std::uint64_t rounds = 100;
    lane_values apart = all(0);
    apart[7] = 0xffff'fff0;
    CHECK(bound_extension(apart, all_lanes, u32, 1, rounds));
    CHECK(rounds == 15);
}

TEST_CASE("a comparison comes out the same until the difference changes its side") {
    using enum comparison;
    for (const comparison c : {eq, ne, lt, le, gt, ge}) {
        for (std::int64_t a = -9; a < 10; ++a) {
            for (const std::int64_t by : {-4, -3, -1, 1, 2, 5}) {
                const step s{.from = s32, .compare = c};
                const auto holds = [&](std::int64_t round) {
                    return ptx::detail::run::compared(s, static_cast<std::uint64_t>(a + round * by),
                                                      0);
                };
                std::uint64_t same = 0;
                while (same < 1'000 && holds(static_cast<std::int64_t>(same) + 1) == holds(0))
                    ++same;
                CAPTURE(a);
                CAPTURE(by);
                const std::uint64_t bound = compared(c, a, 0, by);
                CHECK((same == 1'000 ? bound >= same : bound == same));
            }
        }
    }
}

TEST_CASE("what is out of reach is said to be so") {
    CHECK(compared(comparison::lt, 0, std::int64_t{5}, 0) == 1'000'000);
    std::uint64_t rounds = 7;
    const step wide{.from = {.bits = 64}, .compare = comparison::lt};
    CHECK_FALSE(bound_comparison(wide, all(minus_one), all(0), 1, 1, 0, rounds));
    CHECK_FALSE(bound_comparison(wide, all(1), all(0), 1, std::uint64_t{1} << 29, 0, rounds));
    CHECK(rounds == 7);
    // Down to zero, where an unsigned number begins anew.
    rounds = 1'000;
    CHECK(bound_comparison(wide, all(10), all(100), 1, minus_one, 0, rounds));
    CHECK(rounds == 10);
}

TEST_CASE("one value in all lanes that take part") {
    lane_values v = all(3);
    v[31] = 4;
    std::uint64_t value = 0;
    CHECK(same_in_all(v, 0x7fff'ffff, value));
    CHECK(value == 3);
    CHECK_FALSE(same_in_all(v, all_lanes, value));
    CHECK_FALSE(same_in_all(v, 0, value));
}

TEST_CASE("no lanes, moves that are too far or too fast, and lanes that move alike") {
    constexpr value_type s64{.bits = 64, .is_signed = true};
    constexpr value_type u64{.bits = 64};
    struct moves {
        std::int64_t a, b, of_a, of_b;
    };
    const auto rounds_of = [](const step& s, const moves& m, std::uint32_t lanes = 1) {
        std::uint64_t rounds = 1'000'000;
        const auto bits = [](std::int64_t v) { return static_cast<std::uint64_t>(v); };
        const bool known = bound_comparison(s, all(bits(m.a)), all(bits(m.b)), lanes, bits(m.of_a),
                                            bits(m.of_b), rounds);
        return known ? rounds : 0;
    };
    std::uint64_t rounds = 7;
    CHECK(bound_extension(all(std::uint64_t{1} << 40), 0, u32, 1, rounds));
    CHECK(rounds == 7);
    CHECK(extended(0 - std::uint64_t{2}, s32, 1) == 1);  // -2 with its sign
    const step less{.from = s64, .compare = comparison::lt};
    CHECK(rounds_of(less, {0, 5, 1, 0}, 0) == 1'000'000);
    CHECK(rounds_of(less, {0, 5, 1, 0}) == 4);
    constexpr std::int64_t fast = std::int64_t{1} << 29;
    constexpr std::int64_t far = std::int64_t{1} << 61;
    for (const std::int64_t by : {-fast, fast}) {
        CHECK(rounds_of(less, {0, 5, by, 0}) == 0);
        CHECK(rounds_of(less, {0, 5, 0, by}) == 0);
    }
    for (const std::int64_t value : {-far, far}) {
        CHECK(rounds_of(less, {value, 5, 1, 0}) == 0);
        CHECK(rounds_of(less, {0, value, 1, 0}) == 0);
    }
    // Numbers without a sign that are above all others.
    CHECK(rounds_of({.from = u64, .compare = comparison::lt}, {-1, 5, 1, 0}) == 0);
    CHECK(rounds_of({.from = u64, .compare = comparison::lt}, {5, -1, 1, 0}) == 0);
    CHECK(rounds_of({.from = s64, .compare = comparison::lt, .unsigned_compare = true},
                    {5, -1, 1, 0}) == 0);
    // What moves alike compares alike.
    for (const comparison c : {comparison::eq, comparison::ne, comparison::lt, comparison::ge}) {
        CHECK(rounds_of({.from = s64, .compare = c}, {5, 5, 3, 3}) == 1'000'000);
        CHECK(rounds_of({.from = s64, .compare = c}, {5, 6, 3, 3}) == 1'000'000);
    }
    // Until a number without a sign would be below 0.
    CHECK(rounds_of({.from = u64, .compare = comparison::lt}, {5, 60, 0, -7}) == 7);
    CHECK(rounds_of({.from = u64, .compare = comparison::gt}, {60, 13, 0, -7}) == 1);
}

}  // namespace row_motion_test
