// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>

#include <doctest/doctest.h>

#include <warpgauge/ptx/run/lane_values.hpp>

namespace lane_values_test {

using namespace warpgauge::ptx::detail::run;

namespace {

constexpr value_type s32{.bits = 32, .is_signed = true};
constexpr value_type u32{.bits = 32};
constexpr std::uint64_t minus(std::uint64_t n) {
    return 0 - n;
}

constexpr std::uint64_t result(action what, const value_type& type, std::uint64_t a,
                               std::uint64_t b = 0, std::uint64_t c = 0, std::uint64_t d = 0) {
    const step s{.what = what, .type = type, .from = type};
    return as(type, computed(s, as(type, a), as(type, b), as(type, c), d));
}

static_assert(result(action::add, u32, 0xffff'ffff, 1) == 0);

}  // namespace

TEST_CASE("values as their types have them") {
    CHECK(as(s32, 0xffff'ffff) == minus(1));
    CHECK(as(u32, minus(1)) == 0xffff'ffff);
    CHECK(as({.bits = 1}, 3) == 1);
    CHECK(as({.bits = 64, .is_signed = true}, minus(1)) == minus(1));
    CHECK(sign_extended(0x80, 8) == minus(128));
    CHECK(sign_extended(0x80, 64) == 0x80);
    CHECK(sign_extended(0x80, 128) == 0x80);
    CHECK(less(s32, minus(1), 0));
    CHECK_FALSE(less(u32, minus(1), 0));
}

TEST_CASE("upper halves of products") {
    CHECK(high_product(minus(1), minus(1), false) == minus(2));
    CHECK(high_product(minus(1), minus(1), true) == 0);
    CHECK(high_product(std::uint64_t{1} << 63, 4, false) == 2);
    CHECK(high_product(minus(5), 3, true) == minus(1));
}

TEST_CASE("divisions") {
    CHECK(result(action::divide, s32, minus(7), 2) == minus(3));
    CHECK(result(action::remainder, s32, minus(7), 2) == minus(1));
    CHECK(result(action::divide, u32, minus(7), 2) == 0x7fff'fffc);
    CHECK(result(action::divide, s32, 0x8000'0000, minus(1)) == as(s32, 0x8000'0000));
    CHECK(result(action::divide, s32, 1, 0) == 0);
}

TEST_CASE("masks, extensions and the bit of a number") {
    CHECK(mask_of(true, 1, 4) == 0x1e);
    CHECK(mask_of(true, 3, minus(1)) == 0xffff'fff8);
    CHECK(mask_of(true, 32, 1) == 0);
    CHECK(mask_of(false, 33, 34) == 6);
    const step to_signed{.type = s32, .mode = 1};
    CHECK(extended_bits(to_signed, 0x80, 8) == minus(128));
    CHECK(extended_bits(to_signed, minus(1), 0) == 0);
    CHECK(extended_bits(to_signed, minus(5), 32) == minus(5));
    CHECK(extended_bits({.type = u32}, 0x1ff, 40) == 0xff);
    CHECK(found_nth_bit(0b1010, 2, 1) == 3);
    CHECK(found_nth_bit(0b1010, 2, minus(1)) == 1);
    CHECK(found_nth_bit(0b1010, 1, 0) == 1);
    CHECK(found_nth_bit(0b1010, 0, 3) == 0xffff'ffff);
    CHECK(found_nth_bit(1, 99, 1) == 0xffff'ffff);
}

TEST_CASE("shifts clamp, or wrap") {
    CHECK(shifted_left(32, 1, 31) == 0x8000'0000);
    CHECK(shifted_left(32, 1, 32) == 0);
    CHECK(shifted_right(s32, minus(16), 99) == minus(1));
    CHECK(shifted_right(u32, 16, 32) == 0);
    CHECK((funnel_shifted(0, 0x8000'0001, 0x1234'5678, 36) >> 32) == 0);
    CHECK((funnel_shifted(2, 0x8000'0001, 0x1234'5678, 36) & 0xffff'ffff) == 0x2345'6788);
    CHECK(funnel_shifted(1, 0x8000'0001, 0x1234'5678, 32) == 0x1234'5678);
}

TEST_CASE("fields of bits") {
    CHECK(extracted(u32, 0xabcd'1234, 8, 12) == 0xd12);
    CHECK((extracted(s32, 0xabcd'1234, 8, 12) & 0xffff'ffff) == 0xffff'fd12);
    CHECK(extracted(u32, 0xabcd'1234, 8, 0) == 0);
    CHECK(extracted(u32, 0xf000'0000, 28, 12) == 0xf);
    CHECK(inserted(32, 0xff, 0, 4, 8) == 0xff0);
    CHECK(inserted(32, 0xff, 5, 32, 8) == 5);
    CHECK(reversed(8, 1) == 0x80);
    CHECK(permuted(0x3322'1100, 0x7766'5544, 0x7531) == 0x7755'3311);
    CHECK(logic_3(0xf0, 0xcc, 0xaa, 0x96) == (0xf0 ^ 0xcc ^ 0xaa));
    CHECK(found_bit({.type = u32}, 0x8000) == 15);
    CHECK(found_bit({.type = u32, .mode = 1}, 0x8000) == 16);
    CHECK(found_bit({.type = s32}, minus(1)) == 0xffff'ffff);
    CHECK(result(action::leading_zeros, u32, 0x8000) == 16);
    CHECK(result(action::count_ones, u32, minus(1)) == 32);
}

TEST_CASE("dot products") {
    const value_type u8{.bits = 32};
    CHECK(dot_product({.what = action::dot_4, .type = s32, .from = u8}, 0xff02'fe01, 0x0403'0201,
                      100) == 100 + 1 - 4 + 6 - 4);
    CHECK(dot_product({.what = action::dot_2, .type = s32, .from = u8}, 0x0003'fffe, 0x0403'0201,
                      100) == 100 - 2 + 6);
    CHECK(dot_product({.what = action::dot_2, .type = u32, .from = u8, .part = halves::high}, 1,
                      0x0403'0201, 0) == 3);
}

TEST_CASE("comparisons, signed or not") {
    CHECK(compared({.from = s32, .compare = comparison::lt}, minus(1), 1));
    CHECK_FALSE(compared({.from = u32, .compare = comparison::lt}, minus(1), 1));
    CHECK_FALSE(
        compared({.from = s32, .compare = comparison::lt, .unsigned_compare = true}, minus(1), 1));
    CHECK(compared({.from = s32, .compare = comparison::ge}, 1, 1));
    CHECK(compared({.from = s32, .compare = comparison::ne}, 1, 2));
}

}  // namespace lane_values_test
