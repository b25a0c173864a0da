// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SIMULATE_WARP_SET_HPP
#define WARPGAUGE_SIMULATE_WARP_SET_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <warpgauge/core/abi.hpp>

/// \file Sets of the warps of an SM: one bit a warp, in words of 64.

namespace WARPGAUGE_NAMESPACE::detail::simulate {

using warp_words = std::vector<std::uint64_t>;

/// The bit of a warp in its word.
constexpr std::uint64_t bit_of(std::size_t warp) {
    return std::uint64_t{1} << (warp % 64);
}

/// A warp, with its bit.
struct warp_bit {
    constexpr warp_bit() = default;
    // NOLINTNEXTLINE(google-explicit-constructor): where a warp is known by its index alone
    constexpr warp_bit(std::size_t warp) : index(warp), bit(bit_of(warp)) {}
    constexpr warp_bit(std::size_t warp, std::uint64_t its_bit) : index(warp), bit(its_bit) {}

    std::size_t index = 0;
    std::uint64_t bit = 1;
};

/// The warps of a sub-core, in any word of a set: of four, every fourth.
template <std::size_t SubCores>
constexpr std::uint64_t warps_of(std::size_t sub_core) {
    static_assert(SubCores == 1 || SubCores == 4);
    return SubCores == 1 ? ~std::uint64_t{0} : std::uint64_t{0x1111'1111'1111'1111} << sub_core;
}

/// How many words a set of `warps` takes.
constexpr std::size_t words_of(std::size_t warps) {
    return (warps + 63) / 64;
}

/// The warp of the lowest bit of `bits`, which are word number `word` of a set.
constexpr std::size_t first_warp(std::size_t word, std::uint64_t bits) {
    return word * 64 + static_cast<unsigned>(std::countr_zero(bits));
}

/// How many warps are in a word of a set. Most words are asked for when they are empty, or have one. `std::popcount` is a call
/// where the processor may lack the instruction.
constexpr std::uint64_t count_of(std::uint64_t bits) {
    if ((bits & (bits - 1)) == 0) return bits != 0 ? 1 : 0;
    bits -= bits >> 1 & 0x5555'5555'5555'5555;
    bits = (bits & 0x3333'3333'3333'3333) + (bits >> 2 & 0x3333'3333'3333'3333);
    bits = (bits + (bits >> 4)) & 0x0F0F'0F0F'0F0F'0F0F;
    return bits * 0x0101'0101'0101'0101 >> 56;
}

}  // namespace WARPGAUGE_NAMESPACE::detail::simulate

#endif
