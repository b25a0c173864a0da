// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each program as a kernel whose stores say what it came to: as many, by each lane, as ten bits of the
// result count.
#include "programs.hpp"

__device__ static void tell(u32 result, u32* out) {
    for (u32 i = 0; i < (result & 0x3ff); ++i) out[i] = i;
    for (u32 i = 0; i < (result >> 10 & 0x3ff); ++i) out[1024 + 2 * i] = i;
    for (u32 i = 0; i < result >> 22; ++i) out[4096 + 3 * i] = i;
}

#define KERNEL(name)                                            \
    extern "C" __global__ void name##_kernel(int n, u32* out) { \
        tell(name(threadIdx.x, n), out);                        \
    }
FOR_EACH_PROGRAM(KERNEL)
