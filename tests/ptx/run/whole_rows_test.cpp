// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>
#include <cstdint>

#include <doctest/doctest.h>

#include <warpgauge/ptx/run/whole_rows.hpp>

namespace whole_rows_test {

using namespace warpgauge;
using namespace warpgauge::ptx::detail::run;

namespace {

lane_values spread(std::uint64_t seed) {
    lane_values v;
    for (std::uint64_t& lane : v) {
        seed = seed * 6'364'136'223'846'793'005U + 1'442'695'040'888'963'407U;
        lane = seed >> (seed >> 59);
    }
    return v;
}

}  // namespace

TEST_CASE("a row is extended as each of its lanes") {
    for (const unsigned bits : {8U, 16U, 32U, 64U}) {
        for (const bool is_signed : {false, true}) {
            const value_type type{.bits = static_cast<std::uint8_t>(bits), .is_signed = is_signed};
            const lane_values from = spread(bits);
            lane_values to;
            extend(type, from, to);
            for (std::size_t l = 0; l < warp_lanes; ++l) CHECK(to[l] == as(type, from[l]));
        }
    }
}

TEST_CASE("a row is computed as each of its lanes") {
    const lane_values a = spread(1);
    const lane_values c = spread(3);
    lane_values b = spread(2);
    for (std::size_t l = 0; l < warp_lanes; l += 2) b[l] %= 70;  // shifts, some of them too far
    int known = 0;
    for (int n = 0; n <= static_cast<int>(action::exit); ++n) {
        for (const halves part : {halves::low, halves::high, halves::wide}) {
            const step s{.what = static_cast<action>(n),
                         .type = {.bits = 32, .is_signed = n % 2 == 0},
                         .part = part};
            lane_values out;
            const std::uint64_t kept = ones(n % 3 == 0 ? 64 : 32);
            if (!compute_row(s, a, b, c, kept, out)) continue;
            ++known;
            CAPTURE(n);
            for (std::size_t l = 0; l < warp_lanes; ++l) {
                CHECK(out[l] == (computed(s, a[l], b[l], c[l], 0) & kept));
            }
        }
    }
    CHECK(known == 11 * 3 + 2 * 2);
    const step none{.what = action::divide};
    lane_values out;
    CHECK_FALSE(compute_row(none, a, b, c, ~std::uint64_t{0}, out));
}

TEST_CASE("rows are compared as each of their lanes") {
    lane_values a = spread(5);
    lane_values b = spread(6);
    for (std::size_t l = 0; l < warp_lanes; l += 3) b[l] = a[l];
    using enum comparison;
    for (const comparison c : {eq, ne, lt, le, gt, ge}) {
        for (const bool is_signed : {false, true}) {
            for (const unsigned bits : {16U, 32U, 64U}) {
                const value_type type{.bits = static_cast<std::uint8_t>(bits),
                                      .is_signed = is_signed};
                const step s{.from = type, .compare = c};
                const std::uint32_t holding = compare_row(s, type, a, b);
                for (std::size_t l = 0; l < warp_lanes; ++l) {
                    const bool holds = compared(s, as(type, a[l]), as(type, b[l]));
                    CHECK((holding >> l & 1U) == (holds ? 1U : 0U));
                }
            }
        }
    }
}

TEST_CASE("sources need no extension where only their low bits count") {
    const lane_values a = spread(7);
    const lane_values b = spread(8);
    const lane_values c = spread(9);
    int direct = 0;
    for (int n = 0; n <= static_cast<int>(action::exit); ++n) {
        for (const unsigned from : {16U, 32U, 64U}) {
            for (const bool is_signed : {false, true}) {
                const step s{
                    .what = static_cast<action>(n),
                    .type = {.bits = 32, .is_signed = is_signed},
                    .from = {.bits = static_cast<std::uint8_t>(from), .is_signed = is_signed}};
                if (!takes_low_bits(s)) continue;
                ++direct;
                CAPTURE(n);
                lane_values out;
                CHECK(compute_row(s, a, b, c, ones(32), out));
                for (std::size_t l = 0; l < warp_lanes; ++l) {
                    const std::uint64_t extended =
                        computed(s, as(s.from, a[l]), as({.bits = 32}, b[l]), as(s.from, c[l]), 0);
                    CHECK(out[l] == (extended & ones(32)));
                }
            }
        }
    }
    CHECK(direct == 9 * 2 * 2);
}

TEST_CASE("values are put in some lanes, and bits are taken from all") {
    const lane_values from = spread(10);
    for (const std::uint32_t lanes : {0U, 1U, 0x8000'0001U, 0x0ff0'1234U, ~0U}) {
        lane_values to = spread(11);
        const lane_values before = to;
        put(to, from, lanes);
        lane_values alone;
        put_in(lanes, 5, alone);
        std::uint8_t bytes[warp_lanes]{};
        for (std::size_t l = 0; l < warp_lanes; ++l) {
            CHECK(to[l] == (has_lane(lanes, l) ? from : before)[l]);
            CHECK(alone[l] == (has_lane(lanes, l) ? 5U : 0U));
            bytes[l] = has_lane(lanes, l) ? 1 : 0;
        }
        CHECK(packed(bytes) == lanes);
    }
}

}  // namespace whole_rows_test
