// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_CORE_RANDOM_HPP
#define WARPGAUGE_CORE_RANDOM_HPP

#include <array>
#include <cstdint>

#include <warpgauge/core/abi.hpp>

/// \file Random numbers by index: each is a pure function of a seed, the number of a sample and the number of a stream,
/// so that no result depends on the order of the draws.

namespace WARPGAUGE_NAMESPACE::core {

/// Philox4x32-10, 128 random bits from a counter and a key (J. K. Salmon, M. A. Moraes, R. O. Dror,
/// D. E. Shaw, "Parallel Random Numbers: As Easy as 1, 2, 3", SC 2011).
[[nodiscard]] constexpr std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                                            std::array<std::uint32_t, 2> key) {
    constexpr std::uint64_t multiplier[]{0xD2511F53, 0xCD9E8D57};
    constexpr std::uint32_t step[]{0x9E3779B9, 0xBB67AE85};
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t a = multiplier[0] * counter[0];
        const std::uint64_t b = multiplier[1] * counter[2];
        counter = {static_cast<std::uint32_t>(b >> 32) ^ counter[1] ^ key[0],
                   static_cast<std::uint32_t>(b),
                   static_cast<std::uint32_t>(a >> 32) ^ counter[3] ^ key[1],
                   static_cast<std::uint32_t>(a)};
        key = {key[0] + step[0], key[1] + step[1]};
    }
    return counter;
}

/// The 128 random bits of a sample and stream. Each pair of these numbers has its own counter.
[[nodiscard]] constexpr std::array<std::uint32_t, 4> random_bits(std::uint64_t seed,
                                                                 std::uint64_t sample,
                                                                 std::uint64_t stream) {
    const auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
    const auto high = [](std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); };
    return philox({low(sample), high(sample), low(stream), high(stream)}, {low(seed), high(seed)});
}

/// Evenly spread over (0, 1): an odd multiple of 2^-53, so neither 0 nor 1, and `1 - uniform` is exact.
[[nodiscard]] constexpr double uniform(std::uint64_t seed, std::uint64_t sample,
                                       std::uint64_t stream) {
    const auto bits = random_bits(seed, sample, stream);
    const std::uint64_t leading = (std::uint64_t{bits[0]} << 32 | bits[1]) >> 12;
    return (static_cast<double>(leading) + 0.5) * 0x1p-52;
}

/// Evenly spread over 0 to `count` - 1; 0 if `count` is 0. No value's probability is further than 2^-128
/// from 1 / `count`.
[[nodiscard]] constexpr std::uint32_t uniform_below(std::uint32_t count, std::uint64_t seed,
                                                    std::uint64_t sample, std::uint64_t stream) {
    // The bits are the digits of a fraction, the least first; its product with `count`, rounded down.
    std::uint64_t carry = 0;
    for (const std::uint64_t digit : random_bits(seed, sample, stream)) {
        carry = (digit * count + carry) >> 32;
    }
    return static_cast<std::uint32_t>(carry);
}

}  // namespace WARPGAUGE_NAMESPACE::core

#endif
