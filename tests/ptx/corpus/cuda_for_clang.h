/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* What the kernels of examples/kernels need of CUDA, for a clang without CUDA's headers: -nocudainc -nocudalib -include this file. */
#include "../../../examples/llvm_cost_pass/cuda_keywords.h"
#define __constant__ __attribute__((constant))

extern "C" __device__ float erfcf(float);  // of a library that is not linked

__device__ inline int min(int a, int b) {
    return a < b ? a : b;
}
__device__ inline int max(int a, int b) {
    return a < b ? b : a;
}
__device__ inline float fminf(float a, float b) {
    return __nvvm_fmin_f(a, b);
}
__device__ inline float sqrtf(float x) {
    return __nvvm_sqrt_rn_f(x);
}
__device__ inline float __expf(float x) {
    return __nvvm_ex2_approx_f(1.442695041F * x);
}
__device__ inline float expf(float x) {
    return __expf(x);
}
__device__ inline float logf(float x) {
    return 0.693147181F * __nvvm_lg2_approx_f(x);
}
__device__ inline unsigned atomicAdd(unsigned* to, unsigned x) {
    return __atomic_fetch_add(to, x, __ATOMIC_RELAXED);
}
