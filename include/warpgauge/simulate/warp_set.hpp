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
    return word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
}

/// How many warps are in a word of a set. Most words are asked for when they are empty, and counting is a call.
constexpr std::uint64_t count_of(std::uint64_t bits) {
    return bits == 0 ? 0 : static_cast<std::uint64_t>(std::popcount(bits));
}

}  // namespace WARPGAUGE_NAMESPACE::detail::simulate

#endif
