// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include <doctest/doctest.h>

#include <warpgauge/ptx/run/unknown_results.hpp>

#include "random_numbers.hpp"
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

namespace {

/// A register of which some lanes are not known, and what they would be.
struct supposed {
    row_values row{};
    lane_values base{};
    lane_values truth{};

    void suppose(const value_type& type) {
        for (std::size_t l = 0; l < warp_lanes; ++l) {
            const bool known = (row.known >> l & 1U) != 0;
            truth[l] = (row.lanes[l] + (known ? 0 : base[l])) & ones(type.bits);
        }
    }
};

supposed random_source(random_numbers& random, const value_type& type, std::uint64_t identity,
                       bool any_number) {
    constexpr std::array<std::uint64_t, 6> few{0, 1, 2, 4, 31, 255};
    constexpr std::array<std::uint64_t, 6> masks{
        ~std::uint64_t{0}, ~std::uint64_t{3}, ~std::uint64_t{0xff}, 0xf0, 0x8000'0000, 64};
    constexpr std::array<std::uint64_t, 5> bits{0xff, 0xff0, 0xf00, 0x80, 0x3f80};
    constexpr std::array<std::uint32_t, 5> lanes{~0U, 0, 0, 0xffff, 0xff00'00f0};
    supposed s;
    s.row.known = lanes[static_cast<std::size_t>(random.whole(0, 4))];
    s.row.base = {.identity = identity, .bits = bits[static_cast<std::size_t>(random.whole(0, 4))]};
    if (random.whole(0, 3) == 0) s.row.base.breaks = 0x0101'0100;
    const int scale = random.whole(0, 2);  // offsets: all 0, lane by lane, or four apart
    const bool mask = any_number && random.whole(0, 1) == 0;
    const auto which = static_cast<std::size_t>(random.whole(0, 5));
    const std::uint64_t constant = mask ? masks[which] : few[which];
    std::uint64_t base = 0;
    for (std::size_t l = 0; l < warp_lanes; ++l) {
        const bool starts = l == 0 || (s.row.base.breaks >> l & 1U) != 0;
        if (starts) {
            base = static_cast<std::uint64_t>(random.whole(0, 0x7fff'ffff)) & s.row.base.bits;
        }
        const std::uint64_t offset = scale == 0 ? 0 : scale == 1 ? l : 4 * l;
        const bool known = (s.row.known >> l & 1U) != 0;
        s.row.lanes[l] = (known ? constant : offset) & ones(type.bits);
        s.base[l] = base;
    }
    s.suppose(type);
    return s;
}

}  // namespace

// And as much is said as was when this was written: `decided`, lanes whose result is known after all; `shared`, lanes
// that share the base of the lane before; `bits` that a base is known not to have.
TEST_CASE("whatever unknown values are, what is said of results holds") {
    constexpr std::array actions{
        action::move,          action::add,         action::subtract,    action::multiply,
        action::negate,        action::minimum,     action::maximum,     action::multiply_add,
        action::divide,        action::remainder,   action::multiply_24, action::multiply_add_24,
        action::bit_and,       action::bit_or,      action::bit_xor,     action::bit_not,
        action::shift_left,    action::shift_right, action::extract,     action::count_ones,
        action::leading_zeros, action::convert,     action::is_zero};
    constexpr std::array types{u32, s32, value_type{.bits = 64, .followed = true},
                               value_type{.bits = 64, .is_signed = true, .followed = true}};
    constexpr unsigned seed = 20'251;
    CAPTURE(seed);
    random_numbers random(seed);
    struct said {
        std::uint64_t decided, shared, bits;
    };
    std::array<said, actions.size()> found{};
    for (int n = 0; n < 40'000; ++n) {
        step s;
        const auto which = static_cast<std::size_t>(random.whole(0, actions.size() - 1));
        s.what = actions[which];
        s.type = s.from = types[static_cast<std::size_t>(random.whole(0, 3))];
        if (s.what == action::convert) {
            s.from = types[static_cast<std::size_t>(random.whole(0, 3))];
            s.type.bits = static_cast<std::uint8_t>(8 << random.whole(0, 3));
        }
        const bool is_bitwise =
            s.what == action::bit_and || s.what == action::bit_or || s.what == action::bit_xor;
        std::array<supposed, 3> sources;
        std::array<lane_values, 3> as_type{};
        std::array<source_values, 4> in;
        std::uint32_t all_known = ~0U;
        for (unsigned k = 0; k < 3; ++k) {
            sources[k] = random_source(random, s.from, 1000 + k, is_bitwise && k == 1);
            if (k == 1 && random.whole(0, 3) == 0) {  // another offset from the base of the first
                sources[1].row.base = sources[0].row.base;
                sources[1].base = sources[0].base;
                sources[1].suppose(s.from);
            }
            if (k == 0 && random.whole(0, 7) == 0) {  // a base like no other
                sources[0].row.base.identity = 0;
                sources[0].row.base.bits = ~std::uint64_t{0};
            }
            for (std::size_t l = 0; l < warp_lanes; ++l) {
                as_type[k][l] = as(s.from, sources[k].row.lanes[l]);
            }
            all_known &= sources[k].row.known;
        }
        const bool is_shift = s.what == action::shift_left || s.what == action::shift_right;
        const unsigned count = s.what == action::extract || s.what == action::multiply_add ||
                                       s.what == action::multiply_add_24
                                   ? 3
                                   : 2;
        if (all_known == ~0U || (is_shift && sources[1].row.known == 0)) continue;
        const std::uint32_t open = ~all_known;
        for (unsigned k = 0; k < 3; ++k) {
            in[k] = source_values(sources[k].row, as_type[k], s.from, open);
        }
        lane_values out{};
        std::uint32_t known = 0;
        const unsigned bits = s.type.bits;
        const unknown_base base = unknown_results(s, bits, in, count, open)
                                      .complete(out, known, {.identity = 99, .bits = ones(bits)});
        CAPTURE(n);
        CAPTURE(static_cast<int>(s.what));
        CAPTURE(bits);
        CAPTURE(s.type.is_signed);
        bool first = true;
        std::uint64_t of_run = 0;
        for (std::size_t l = 0; l < warp_lanes; ++l) {
            if ((base.breaks >> l & 1U) != 0) first = true;
            if ((open >> l & 1U) == 0) continue;
            CAPTURE(l);
            std::array<std::uint64_t, 3> a{};
            for (unsigned k = 0; k < 3; ++k) a[k] = as(s.from, sources[k].truth[l]);
            const std::uint64_t truth = computed(s, a[0], a[1], a[2], 0) & ones(bits);
            if ((known >> l & 1U) != 0) {
                ++found[which].decided;
                REQUIRE((out[l] & ones(bits)) == truth);
                continue;
            }
            const std::uint64_t of_lane = (truth - out[l]) & ones(bits);
            REQUIRE((of_lane & ~base.possible_bits()) == 0);
            found[which].bits += static_cast<std::uint64_t>(std::popcount(~base.possible_bits()));
            if (!first) {
                ++found[which].shared;
                REQUIRE(of_lane == of_run);
            }
            of_run = of_lane;
            first = false;
        }
    }
    constexpr std::array<said, actions.size()> before{
        {{10004, 37649, 2109588}, {1440, 46294, 2589228}, {3600, 41826, 549808},
         {6260, 17885, 1192516},  {9788, 40017, 195264},  {15943, 8557, 1147684},
         {5371, 9280, 734080},    {1420, 18118, 1359640}, {3945, 14153, 888056},
         {3012, 13037, 967844},   {5456, 10766, 659840},  {1492, 6893, 751232},
         {17375, 7702, 1804929},  {2780, 14488, 1732096}, {0, 13835, 1846360},
         {8744, 41307, 198664},   {4088, 11609, 690504},  {1420, 11439, 770964},
         {1868, 5439, 945860},    {0, 14016, 3012108},    {0, 14073, 2987256},
         {10924, 28652, 1703724}, {0, 13113, 3185532}}};
    for (std::size_t which = 0; which < actions.size(); ++which) {
        CAPTURE(which);
        CHECK(found[which].decided >= before[which].decided);
        CHECK(found[which].shared >= before[which].shared);
        CHECK(found[which].bits >= before[which].bits);
    }
}

TEST_CASE("the difference of two bits is not known where one is not") {
    constexpr value_type bit{.bits = 1, .followed = true};
    const completed c = complete(action::bit_xor, numbered(1), constant(1), bit);
    CHECK(c.known == 0);
}

}  // namespace unknown_results_test
