// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
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
            if (!compute_row(s, a, b, c, out)) continue;
            ++known;
            CAPTURE(n);
            for (std::size_t l = 0; l < warp_lanes; ++l) {
                CHECK(out[l] == computed(s, a[l], b[l], c[l], 0));
            }
        }
    }
    CHECK(known == 8 * 3 + 2 * 2);
    const step none{.what = action::divide};
    lane_values out;
    CHECK_FALSE(compute_row(none, a, b, c, out));
}

TEST_CASE("rows are compared as each of their lanes") {
    lane_values a = spread(5);
    lane_values b = spread(6);
    for (std::size_t l = 0; l < warp_lanes; l += 3) b[l] = a[l];
    using enum comparison;
    for (const comparison c : {eq, ne, lt, le, gt, ge}) {
        for (const bool is_signed : {false, true}) {
            const value_type type{.bits = 64, .is_signed = is_signed};
            const step s{.from = type, .compare = c};
            const std::uint32_t holding = compare_row(s, type, a, b);
            for (std::size_t l = 0; l < warp_lanes; ++l) {
                CHECK((holding >> l & 1U) == (compared(s, a[l], b[l]) ? 1U : 0U));
            }
        }
    }
}

}  // namespace whole_rows_test
