// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// y = a x + y: two coalesced loads and a store a thread.
extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}
