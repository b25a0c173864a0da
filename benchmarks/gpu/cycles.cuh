// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_BENCHMARKS_GPU_CYCLES_CUH
#define WARPGAUGE_BENCHMARKS_GPU_CYCLES_CUH

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "cuda.hpp"

// Cycles of an SM, taken by the code that is timed.

// When a warp began and ended, by the clock of its SM.
struct interval {
    std::int64_t start, stop;
};

__device__ inline std::int64_t clock_now() {
    std::int64_t t;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(t)::"memory");
    return t;
}

// The clock once `value` has been computed: reading it depends on it, so that neither a compiler nor
// the scoreboard lets it pass. (`value` is never all ones.)
__device__ inline std::int64_t clock_after(std::uint64_t value) {
    std::int64_t t = 0;
    asm volatile(
        "{\n\t"
        ".reg .pred there;\n\t"
        "setp.ne.u64 there, %1, 0xffffffffffffffff;\n\t"
        "@there mov.u64 %0, %%clock64;\n\t"
        "}"
        : "+l"(t)
        : "l"(value)
        : "memory");
    return t;
}

__device__ inline std::int64_t nanoseconds_now() {
    std::int64_t t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t)::"memory");
    return t;
}

__device__ inline unsigned int this_sm() {
    unsigned int sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    return sm;
}

// Cycles from when the first warp of a block began until the last one ended.
inline double block_cycles(const std::vector<interval>& warps) {
    std::int64_t start = warps.at(0).start, stop = warps.at(0).stop;
    for (const interval& w : warps) {
        start = std::min(start, w.start);
        stop = std::max(stop, w.stop);
    }
    if (stop <= start) throw std::runtime_error("the clock of the SM did not advance");
    return static_cast<double>(stop - start);
}

// Cycles a second of an SM, over some milliseconds in which nothing else runs; cycles.cu.
double sm_clock_hz();
// Lets the clocks rise to what they stay at under load.
void warm_up();

#endif
