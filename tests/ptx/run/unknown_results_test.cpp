// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <warpgauge/ptx/run/unknown_results.hpp>

#include "unknown_rows.hpp"

namespace unknown_results_test {

using namespace warpgauge;
using namespace warpgauge::ptx::detail::run;

namespace {

constexpr value_type u32{.bits = 32, .followed = true};
constexpr value_type s32{.bits = 32, .is_signed = true, .followed = true};

struct completed {
    lane_values out{};
    std::uint32_t known = 0;
    unknown_base base{};
};

completed complete(action what, const row_values& a, const row_values& b,
                   const value_type& type = u32) {
    step s;
    s.what = what;
    s.type = s.from = type;
    const std::array<source_values, 4> in{source_values(a, a.lanes, type, ~0U),
                                          source_values(b, b.lanes, type, ~0U)};
    completed c;
    c.base = unknown_results(s, type.bits, in, 2, ~0U)
                 .complete(c.out, c.known, {.identity = 99, .bits = ~0U, .breaks = 0});
    return c;
}

}  // namespace

TEST_CASE("ranges") {
    const row_values a = numbered(0xff);
    const source_values p(a, a.lanes, u32, ~0U);
    CHECK(range_of(p, 3).least == 3);
    CHECK(range_of(p, 3).most == 258);
    const row_values wide = numbered(0xffff'ffff);
    const source_values all(wide, wide.lanes, u32, ~0U);
    CHECK(range_of(all, 3).least == 0);
    CHECK(range_of(all, 3).most == 0xffff'ffff);
    const source_values as_signed(wide, wide.lanes, s32, ~0U);
    CHECK(static_cast<std::int64_t>(range_of(as_signed, 3).least) == -0x8000'0000LL);
    CHECK(p.possible(1) == 0xffff'ffff);  // 255 + 1 carries on
    CHECK(p.possible(0) == 0xff);
}

TEST_CASE("sums and multiples keep a base") {
    const row_values a = numbered(0xff);
    const completed sum = complete(action::add, a, constant(5));
    CHECK(sum.base.identity == 7);
    CHECK(sum.out[4] == 9);
    CHECK(sum.known == 0);
    CHECK(sum.base.bits == 0xff);
    const completed less = complete(action::subtract, constant(5), a);
    CHECK(less.base.identity == std::uint64_t{0} - 7);
    CHECK(less.out[4] == 1);
    const completed shifted = complete(action::shift_left, a, constant(4));
    CHECK(shifted.base.identity == 7 * 16);
    CHECK(shifted.base.bits == 0xff0);
    CHECK(shifted.base.zeros() == 4);
    CHECK(complete(action::multiply, a, constant(6)).base.zeros() == 1);
    const completed none = complete(action::subtract, a, a);
    CHECK(none.known == ~0U);
    CHECK(none.out[9] == 0);
    const completed twice = complete(action::add, a, a);
    CHECK(twice.base.identity == 14);
    CHECK(twice.base.bits == 0x1ff);
}

TEST_CASE("of anything else, equal sources give equal results") {
    const row_values a = numbered(0xff);
    row_values uniform = a;
    uniform.lanes.fill(2);
    const completed product = complete(action::multiply, uniform, uniform);
    CHECK(product.base.identity == 99);
    CHECK(product.base.breaks == 0);
    CHECK(product.out[3] == 0);
    CHECK(complete(action::multiply, a, a).base.breaks == ~1U);
    CHECK(complete(action::remainder, uniform, constant(10)).base.bits == 15);
    CHECK(complete(action::divide, uniform, constant(16)).base.bits == 0xffff'fff);
    row_values halves = constant(1);
    halves.known = 0xffff;
    halves.base = uniform.base;
    CHECK(complete(action::bit_xor, halves, constant(5)).base.breaks == 1U << 16);
}

TEST_CASE("the carry of a sum that has left the range of its type is not seen") {
    // (base - 1) + 1 == base: an offset may be below its base.
    row_values a = numbered(0xffff'ffff);
    a.lanes.fill(0xffff'ffff);
    const completed c = complete(action::add, a, constant(1));
    CHECK(c.out[0] == 0);
    CHECK(c.base.identity == 7);
}

}  // namespace unknown_results_test
