// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <bit>
#include <cstdint>

#include <doctest/doctest.h>

#include <warpgauge/ptx/run/real_numbers.hpp>

namespace real_numbers_test {

using namespace warpgauge::ptx::detail::run;

namespace {

constexpr real_format single{.bits = 32};

real_number number(float v) {
    real_number r;
    CHECK(read_real(single, std::bit_cast<std::uint32_t>(v), r));
    return r;
}

float nearest(const real_number& r, rounding way = rounding::nearest) {
    std::uint64_t bits = 0;
    CHECK(write_real(single, r, way, bits));
    return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
}

}  // namespace

TEST_CASE("what is read is written") {
    for (const float v : {0.0F, -0.0F, 1.0F, -1.5F, 3.4e38F, 1e-45F, -1.1e-38F}) {
        CAPTURE(v);
        CHECK(std::bit_cast<std::uint32_t>(nearest(number(v))) == std::bit_cast<std::uint32_t>(v));
    }
    real_number r;
    CHECK_FALSE(read_real(single, 0x7f80'0000, r));  // infinity
    CHECK_FALSE(read_real(single, 0x7fc0'0000, r));
    std::uint64_t bits = 0;
    CHECK_FALSE(write_real(single, product(number(3e38F), number(2)), rounding::nearest, bits));
}

TEST_CASE("a third, to each side") {
    const real_number third = quotient(number(1), number(3));
    CHECK(nearest(third) == 0x1.555556p-2F);
    CHECK(nearest(third, rounding::zero) == 0x1.555554p-2F);
    CHECK(nearest(third, rounding::down) == 0x1.555554p-2F);
    CHECK(nearest(third, rounding::up) == 0x1.555556p-2F);
    const real_number below = quotient(number(-1), number(3));
    CHECK(nearest(below, rounding::down) == -0x1.555556p-2F);
    CHECK(nearest(below, rounding::up) == -0x1.555554p-2F);
}

TEST_CASE("sums: halves go to the even one, small parts are not forgotten, zeros have signs") {
    const auto added = [](float a, float b, rounding way = rounding::nearest) {
        return nearest(sum(number(a), number(b), way), way);
    };
    CHECK(added(0x1p24F, 1) == 0x1p24F);
    CHECK(added(0x1.000002p24F, 1) == 0x1.000004p24F);
    CHECK(added(1, 1e-45F, rounding::up) == 0x1.000002p0F);
    CHECK(added(1, -1e-45F, rounding::zero) == 0x1.fffffep-1F);
    CHECK(std::bit_cast<std::uint32_t>(added(1, -1)) == 0);
    CHECK(std::bit_cast<std::uint32_t>(added(1, -1, rounding::down)) == 0x8000'0000);
    CHECK(std::bit_cast<std::uint32_t>(added(-0.0F, -0.0F)) == 0x8000'0000);
    // Rounded once: the product alone would be 1.
    const float a = 0x1.000002p0F;
    const float b = 0x1.fffffcp-1F;
    CHECK(nearest(sum(product(number(a), number(b)), number(-1), rounding::nearest)) == -0x1p-46F);
}

TEST_CASE("roots") {
    CHECK(nearest(square_root(number(9))) == 3);
    CHECK(nearest(square_root(number(2))) == 0x1.6a09e6p0F);
    CHECK(nearest(square_root(number(2)), rounding::up) == 0x1.6a09e8p0F);
    CHECK(nearest(square_root(number(1e-45F))) == 0x1.6a09e6p-75F);
}

TEST_CASE("integers: to a side, and the last one beyond") {
    CHECK(integer_of(number(2.5F), rounding::nearest, 32, true) == 2);
    CHECK(integer_of(number(2.5F), rounding::up, 32, true) == 3);
    CHECK(integer_of(number(-2.5F), rounding::down, 32, true) == static_cast<std::uint64_t>(-3));
    CHECK(integer_of(number(-2.5F), rounding::zero, 32, false) == 0);
    CHECK(integer_of(number(3e38F), rounding::zero, 32, true) == 0x7fff'ffff);
    CHECK(integer_of(number(-3e38F), rounding::zero, 64, true) == std::uint64_t{1} << 63);
    CHECK(integer_of(number(3e9F), rounding::zero, 32, false) == 3'000'000'000);
    CHECK(nearest(whole_of(number(-1.5F), rounding::down)) == -2);
    CHECK(nearest(real_of(~std::uint64_t{6}, true)) == -7);
    CHECK(nearest(real_of(16777217, false)) == 16777216);
}

TEST_CASE("order") {
    const auto order = [](float v, bool zeros_differ) {
        return order_of(single, std::bit_cast<std::uint32_t>(v), zeros_differ);
    };
    CHECK(order(-2, false) < order(-1, false));
    CHECK(order(-0.0F, false) == order(0.0F, false));
    CHECK(order(-0.0F, true) < order(0.0F, true));
}

// The processor rounds to nearest.
TEST_CASE("random numbers: as the processor computes them") {
    std::uint64_t state = 1;
    const auto draw = [&] {
        state = state * 6364136223846793005 + 1442695040888963407;
        return state >> 8;
    };
    const real_format wide{.bits = 64};
    for (int n = 0; n < 20000; ++n) {
        // Near each other, so that sums cancel; some have no integer part.
        const std::uint64_t a_bits = draw() % (std::uint64_t{1} << 56) | std::uint64_t{0x3f} << 56;
        const std::uint64_t b_bits = a_bits ^ (draw() % (std::uint64_t{1} << (draw() % 60)));
        const auto a = std::bit_cast<double>(a_bits);
        const auto b = -std::bit_cast<double>(b_bits);
        real_number x;
        real_number y;
        if (!read_real(wide, a_bits, x) || !read_real(wide, b_bits ^ std::uint64_t{1} << 63, y) ||
            b == 0) {
            continue;
        }
        const auto check = [&](const real_number& r, double expected) {
            std::uint64_t bits = 0;
            CAPTURE(a);
            CAPTURE(b);
            const bool finite = write_real(wide, r, rounding::nearest, bits);
            if (finite) REQUIRE(bits == std::bit_cast<std::uint64_t>(expected));
        };
        check(sum(x, y, rounding::nearest), a + b);
        check(product(x, y), a * b);
        check(quotient(x, y), a / b);
        std::uint64_t narrow = 0;
        if (write_real(single, x, rounding::nearest, narrow)) {
            REQUIRE(static_cast<std::uint32_t>(narrow) ==
                    std::bit_cast<std::uint32_t>(static_cast<float>(a)));
        }
    }
}

TEST_CASE("zeros, and what is rounded away or up to the next power of two") {
    const real_number zero = number(0.0F);
    const real_number below = number(-0.0F);
    CHECK_FALSE(real_of(5, true).negative);
    CHECK(real_of(~std::uint64_t{0}, true).magnitude == 1);
    CHECK(rounded(5, 200, rounding::nearest, false) == 0);
    CHECK(rounded(5, 200, rounding::up, false) == 1);
    CHECK(rounded(0, 200, rounding::up, false) == 0);
    CHECK(nearest({.magnitude = (1U << 25) - 1}) == 0x1p25F);
    CHECK(integer_of(zero, rounding::nearest, 32, true) == 0);
    CHECK(whole_of(number(0x1p30F), rounding::zero).exponent == number(0x1p30F).exponent);
    CHECK(jammed(0, 127) == 0);
    CHECK(jammed(5, 127) == 1);
    CHECK(jammed(8, 2) == 2);
    CHECK(jammed(9, 2) == 3);
    CHECK_FALSE(sum(zero, below, rounding::nearest).negative);
    CHECK(sum(zero, below, rounding::down).negative);
    CHECK(sum(below, below, rounding::nearest).negative);
    CHECK(nearest(sum(zero, number(3), rounding::nearest)) == 3);
    CHECK(nearest(sum(number(3), zero, rounding::nearest)) == 3);
    const real_number of_zero = quotient(zero, number(-3));
    CHECK(of_zero.magnitude == 0);
    CHECK(of_zero.negative);
    CHECK(square_root(zero).magnitude == 0);
    CHECK(square_root(below).negative);
}

}  // namespace real_numbers_test
