// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_TESTS_PROFILES_GPU_HPP
#define WARPGAUGE_TESTS_PROFILES_GPU_HPP

#include <warpgauge/device/sm_limits.hpp>

// Ten SMs of compute capability 8.0 with an L2 of 4 MB.
struct small_gpu : warpgauge::sm_limits_of<8, 0> {
    static constexpr double sm_count = 10, clock_hz = 1e9, dram_bytes_per_s = 100e9;
    static constexpr double l2_bytes = 4e6;
};

#endif
