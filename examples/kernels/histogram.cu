// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counts of bytes: a block counts in shared memory, then adds to the whole; atomics on both.
extern "C" __global__ void histogram(int n, const unsigned char* in, unsigned int* counts) {
    __shared__ unsigned int part[256];
    part[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        atomicAdd(&part[in[i]], 1);
    __syncthreads();
    atomicAdd(&counts[threadIdx.x], part[threadIdx.x]);
}
