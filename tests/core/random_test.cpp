// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstdint>

#include <warpgauge/core/random.hpp>

namespace random_test {

using namespace warpgauge;
using words = std::array<std::uint32_t, 4>;

// The known answers that come with the authors' Random123.
static_assert(core::philox({0, 0, 0, 0}, {0, 0}) ==
              words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
static_assert(core::philox({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
                           {0xffffffff, 0xffffffff}) ==
              words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
static_assert(core::philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
                           {0xa4093822, 0x299f31d0}) ==
              words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});

// Every word of a place counts.
static_assert(core::random_bits(0xa4093822 | 0x299f31d0ULL << 32, 0x243f6a88 | 0x85a308d3ULL << 32,
                                0x13198a2e | 0x03707344ULL << 32) ==
              words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});

// The leading 52 bits of the first two words, and a half: 0x6627e8d5'e169c58d without its last 12 bits.
static_assert(core::uniform(0, 0, 0) == (0x6627e8d5e169cp0 + 0.5) * 0x1p-52);
// The words of that place as digits, the least first: 0.9b00dbd8...; times 10 is 6.05.
static_assert(core::uniform_below(10, 0, 0, 0) == 6);
static_assert(core::uniform_below(0, 0, 0, 0) == 0);
static_assert(core::uniform_below(1, 0, 0, 0) == 0);
static_assert(core::uniform_below(0xffffffff, 0, 0, 0) == 0x9b00dbd8);

TEST_CASE("uniform numbers are within (0, 1), and their moments are") {
    constexpr int n = 100'000;
    double sum = 0;
    double squares = 0;
    double with_next_sample = 0;
    double with_next_stream = 0;
    for (std::uint64_t i = 0; i < n; ++i) {
        const double u = core::uniform(7, i, 3);
        REQUIRE(u > 0);
        REQUIRE(u < 1);
        CHECK(1 - (1 - u) == u);
        sum += u;
        squares += (u - 0.5) * (u - 0.5);
        with_next_sample += (u - 0.5) * (core::uniform(7, i + 1, 3) - 0.5);
        with_next_stream += (u - 0.5) * (core::uniform(7, i, 4) - 0.5);
    }
    // Five standard errors: variances of a uniform number 1/12, its square 1/180, a product 1/144.
    const double root = std::sqrt(n);
    CHECK(std::fabs(sum / n - 0.5) < 5 * std::sqrt(1 / 12.0) / root);
    CHECK(std::fabs(squares / n - 1 / 12.0) < 5 * std::sqrt(1 / 180.0) / root);
    CHECK(std::fabs(with_next_sample / n) < 5 / 12.0 / root);
    CHECK(std::fabs(with_next_stream / n) < 5 / 12.0 / root);
}

TEST_CASE("whole numbers below a bound all come, and as often") {
    constexpr std::uint32_t count = 7;
    constexpr int n = 70'000;
    std::array<int, count> seen{};
    for (std::uint64_t i = 0; i < n; ++i) ++seen.at(core::uniform_below(count, 1, i, 0));
    double chi_square = 0;
    for (const int s : seen) chi_square += (s - n / 7.0) * (s - n / 7.0) / (n / 7.0);
    CHECK(chi_square < 22.5);  // 6 degrees of freedom: passed once in 1000 seeds
}

}  // namespace random_test
