// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <warpgauge/ptx/run/unknown_comparison.hpp>

#include "ptx/linked.hpp"
#include "unknown_rows.hpp"

namespace unknown_comparison_test {

using namespace warpgauge;
using namespace warpgauge::ptx::detail::run;

namespace {

struct compared_rows {
    std::uint32_t yes = 0, known = 0;
    unknown_base base{};
};

// Compares an unknown value with a constant or another; one of some bits, plus each lane's number.
compared_rows compare(comparison how, const row_values& a, const row_values& other) {
    const linked_text k(kernel_of("ret;"));
    register_file<> file(k.program);
    file.begin(one_warp());
    step s;
    s.compare = how;
    s.from = {.bits = 32, .followed = true};
    compared_rows c;
    unknown_comparison compares(s, {a, a.lanes, s.from, ~0U}, {other, other.lanes, s.from, ~0U});
    c.base = compares.complete(c.yes, c.known, file);
    return c;
}
compared_rows compare(comparison how, std::uint64_t bits, const row_values& other) {
    return compare(how, numbered(bits), other);
}

}  // namespace

TEST_CASE("ranges that are apart decide") {
    CHECK(compare(comparison::lt, 15, constant(100)).known == ~0U);
    CHECK(compare(comparison::lt, 15, constant(100)).yes == ~0U);
    CHECK(compare(comparison::gt, 15, constant(100)).yes == 0);
    // 15 + lane < 32 up to lane 16; of the others nobody knows, and they go one way.
    const compared_rows some = compare(comparison::lt, 15, constant(32));
    CHECK(some.known == 0x1'ffff);
    CHECK(some.yes == 0x1'ffff);
    CHECK(some.base.breaks == 0);
    CHECK(compare(comparison::ge, 15, constant(32)).yes ==
          0xfffe'0000);  // the opposite of its base
}

TEST_CASE("offsets from one base are compared") {
    row_values other{.base = {.identity = 7, .bits = ~0U, .breaks = 0}};
    other.lanes.fill(8);
    const compared_rows c = compare(comparison::lt, ~0U, other);
    CHECK(c.known == ~0U);
    CHECK(c.yes == 0xff);
}

TEST_CASE("a comparison with an unknown value is one for the warp by order, not by equality") {
    row_values other{.base = {.identity = 8, .bits = ~0U, .breaks = 0}};
    CHECK(compare(comparison::lt, ~0U, other).base.breaks == 0);
    CHECK(compare(comparison::eq, ~0U, other).base.breaks == ~1U);
    // Of the same values it is the same, and of others another.
    const auto identity = [&](comparison how, const row_values& with) {
        return compare(how, ~0U, with).base.identity;
    };
    CHECK(identity(comparison::lt, other) == identity(comparison::ge, other));
    CHECK(identity(comparison::lt, other) != identity(comparison::gt, other));
    CHECK(identity(comparison::lt, other) != identity(comparison::lt, constant(5)));
    CHECK(identity(comparison::lt, constant(6)) != identity(comparison::lt, constant(5)));
}

TEST_CASE("a value that all lanes share is compared with one of each lane") {
    row_values all{.base = {.identity = 7, .bits = 15, .breaks = 0}};
    row_values each = constant(0);
    for (std::size_t l = 0; l < warp_lanes; ++l) each.lanes[l] = 8 * l;
    // Up to 15, it is below 8 * lane from lane 2 on, and not below 0.
    const compared_rows c = compare(comparison::lt, all, each);
    CHECK(c.known == ~2U);
    CHECK((c.yes & c.known) == ~3U);
}

TEST_CASE("every order is decided where the ranges are apart, equality only without an offset") {
    using enum comparison;
    const auto is = [](const compared_rows& c, std::uint32_t known, std::uint32_t yes) {
        return c.known == known && (c.yes & known) == yes;
    };
    CHECK(is(compare(lt, 15, constant(0)), ~0U, 0));
    CHECK(is(compare(ge, 15, constant(0)), ~0U, ~0U));
    CHECK(is(compare(ge, 15, constant(100)), ~0U, 0));
    CHECK(is(compare(le, 15, constant(100)), ~0U, ~0U));
    constexpr std::uint32_t above = ~0U << 6;  // at least 6
    CHECK(is(compare(le, 15, constant(5)), above, 0));
    CHECK(is(compare(gt, 15, constant(5)), above, above));
    CHECK(is(compare(eq, 15, constant(100)), 1, 0));
    CHECK(is(compare(ne, 15, constant(100)), 1, 1));
    CHECK(compare(le, 15, constant(32)).base.identity ==
          compare(gt, 15, constant(32)).base.identity);
}

}  // namespace unknown_comparison_test
