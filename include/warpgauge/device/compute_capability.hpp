// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_DEVICE_COMPUTE_CAPABILITY_HPP
#define WARPGAUGE_DEVICE_COMPUTE_CAPABILITY_HPP

#include <compare>
#include <cstdint>

#include <warpgauge/core/abi.hpp>

/// \file The version of an SM, and how its register file is allocated. `sm_limits.hpp` has the limits of each version.

namespace WARPGAUGE_NAMESPACE {

/// The version of an SM, such as 7.5.
struct compute_capability {
    int major{};  ///< 7 of 7.5
    int minor{};  ///< 5 of 7.5

    friend constexpr auto operator<=>(const compute_capability&,
                                      const compute_capability&) = default;
    friend constexpr bool operator==(const compute_capability&,
                                     const compute_capability&) = default;
};

/// How registers are allocated.
enum class register_rule : std::uint8_t {
    per_block,       ///< 1.x: a block's registers, rounded up; warps counted in pairs
    per_warp_fermi,  ///< 2.x: a warp's registers, rounded up; eight counts with a coarser unit
    per_warp,        ///< 3.0 and later: a warp's registers, rounded up
    per_wave,  ///< AMD: a wave's registers, rounded up; blocks of one wave take no place of a block
};

}  // namespace WARPGAUGE_NAMESPACE

#endif
