// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_BENCHMARKS_GPU_LANES_HPP
#define WARPGAUGE_BENCHMARKS_GPU_LANES_HPP

#include <cstdint>

// Where the lanes of a warp load from, on host and GPU alike.

#ifdef __CUDACC__
#define WARPGAUGE_ON_BOTH __host__ __device__
#else
#define WARPGAUGE_ON_BOTH
#endif

// What one load instruction of a warp has to itself; as 32 nodes of a chain.
inline constexpr std::uint32_t load_bytes = 32 * 256;

// Bytes from the start of it to what a lane loads: as many sectors as `transactions`, each in a cache
// line of its own; or for 0, 32 words in a row.
WARPGAUGE_ON_BOTH constexpr std::uint32_t lane_offset(std::uint32_t lane,
                                                      std::uint32_t transactions) {
    if (transactions == 0) return lane * 4;
    const std::uint32_t lanes_together = 32 / transactions;
    return lane / lanes_together * 256 + lane % lanes_together % 8 * 4;
}

// What no load above touches, in the same page: to have its address translated beforehand.
inline constexpr std::uint32_t untouched_offset = 128;

#endif
