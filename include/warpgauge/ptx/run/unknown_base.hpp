// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_RUN_UNKNOWN_BASE_HPP
#define WARPGAUGE_PTX_RUN_UNKNOWN_BASE_HPP

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include <warpgauge/sm/coalescing.hpp>

/// \file What is known of unknown values: each is a base that nobody knows, and an offset that is known.
///
/// A base has an identity, made of those that it was computed from, such that sums of bases have the sum of the
/// identities. So lanes and registers of one base can be compared, and `start[b] + tid` has 32 offsets side by side.
/// Taken for granted: sums of a base and an offset do not pass the range of their type, as compilers of C take it of
/// signed integers.

namespace WARPGAUGE_NAMESPACE::ptx::detail::run {

using lane_values = std::array<std::uint64_t, warp_lanes>;

/// The base of the lanes of a register that are not known.
struct unknown_base {
    std::uint64_t identity{};  ///< the same: the same in each lane; 0: like no other
    std::uint64_t bits{};      ///< that may be set, where `identity` is not 0
    std::uint32_t breaks{};    ///< lanes whose base may be another than that of the lane before

    /// Every lane has a base of its own.
    [[nodiscard]] constexpr bool is_opaque() const { return (breaks | 1U) == ~0U; }
    /// Nothing has been written to the register.
    [[nodiscard]] constexpr bool is_unset() const { return identity == 0 && bits == 0; }
    [[nodiscard]] constexpr std::uint64_t possible_bits() const {
        return identity == 0 ? ~std::uint64_t{0} : bits;
    }
    /// The bits at the low end that are zero for sure.
    [[nodiscard]] constexpr unsigned zeros() const {
        return static_cast<unsigned>(std::countr_zero(possible_bits()));
    }
};

/// Every lane has a base of its own, of which nothing is known.
inline constexpr unknown_base opaque_base{.identity = 0, .bits = ~std::uint64_t{0}, .breaks = ~0U};

/// An identity of its own for each number. Splitmix64 (G. Steele, D. Lea, C. Flood, OOPSLA 2014): sums of a few
/// are all different but by a chance of 2^-64.
constexpr std::uint64_t identity_of(std::uint64_t number) {
    std::uint64_t z = number * 0x9e37'79b9'7f4a'7c15U;
    z = (z ^ z >> 30) * 0xbf58'476d'1ce4'e5b9U;
    z = (z ^ z >> 27) * 0x94d0'49bb'1331'11ebU;
    return z ^ z >> 31;
}

/// A bit for each lane that holds, from a byte for each that is 0 or 1.
constexpr std::uint32_t packed(const std::uint8_t (&holds)[warp_lanes]) {
    std::uint32_t bits = 0;
    for (std::size_t first = 0; first < warp_lanes; first += 8) {
        std::uint64_t eight = 0;
        if constexpr (std::endian::native == std::endian::little) {
            eight = std::bit_cast<std::array<std::uint64_t, warp_lanes / 8>>(holds)[first / 8];
        } else {
            for (std::size_t n = 0; n < 8; ++n) eight |= std::uint64_t{holds[first + n]} << 8 * n;
        }
        bits |= static_cast<std::uint32_t>(eight * 0x0102'0408'1020'4080U >> 56) << first;
    }
    return bits;
}

/// Lanes whose value is another than that of the lane before.
constexpr std::uint32_t breaks_of(const lane_values& v) {
    std::uint8_t differs[warp_lanes]{};
    for (std::size_t l = 1; l < warp_lanes; ++l) differs[l] = v[l] != v[l - 1] ? 1 : 0;
    return packed(differs);
}

/// Lanes of which just one, they or the lane before, is in a set.
constexpr std::uint32_t edges_of(std::uint32_t lanes) {
    return (lanes ^ lanes << 1) & ~1U;
}

/// The number of the run of lanes that a lane is in.
constexpr std::uint32_t run_of(std::uint32_t breaks, std::uint32_t lane) {
    const std::uint32_t up_to = (2U << lane) - 1U;
    return static_cast<std::uint32_t>(std::popcount(breaks & up_to & ~1U));
}

/// The first of a row of lanes that share a base, and those of `lanes` that do.
struct lane_run {
    std::uint32_t first{};
    std::uint32_t lanes{};
};

/// The run that the first of some lanes is in.
constexpr lane_run first_run(std::uint32_t lanes, std::uint32_t breaks) {
    const auto first = static_cast<std::uint32_t>(std::countr_zero(lanes));
    const std::uint32_t after = breaks & (~0U << first) & ~(1U << first);
    const std::uint32_t before_next = after == 0 ? ~0U : (after & (0U - after)) - 1;
    return {first, lanes & before_next};
}

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::run

#endif
