// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sum of each block's 2 x 256 elements, by halving in shared memory.
extern "C" __global__ void reduction(int n, const float* in, float* out) {
    __shared__ float part[256];
    const int i = blockIdx.x * 512 + threadIdx.x;
    part[threadIdx.x] = (i < n ? in[i] : 0) + (i + 256 < n ? in[i + 256] : 0);
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) out[blockIdx.x] = part[0];
}
