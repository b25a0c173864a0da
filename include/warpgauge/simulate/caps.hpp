// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SIMULATE_CAPS_HPP
#define WARPGAUGE_SIMULATE_CAPS_HPP

#include <cstdint>

namespace warpgauge {

/// No simulated SM holds more warps.
inline constexpr std::uint64_t most_sm_warps = 4096;

/// Bounds on what a simulation of one SM may take. Past them it is an error.
struct simulation_caps {
    std::uint64_t warp_instructions = std::uint64_t{1} << 30;  ///< that the SM executes
    std::uint64_t words = std::uint64_t{1} << 27;              ///< of memory, 8 B each
};

}  // namespace warpgauge

#endif
