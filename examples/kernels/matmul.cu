// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// C = A B, n x n: an element a thread straight from global memory; and in tiles of 16 x 16 through
// shared memory, the loop of Hong & Kim 2009, fig. 12.
extern "C" __global__ void matmul_naive(int n, const float* a, const float* b, float* c) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < n; ++k) sum += a[y * n + k] * b[k * n + x];
    c[y * n + x] = sum;
}

extern "C" __global__ void matmul_tiled(int n, const float* a, const float* b, float* c) {
    __shared__ float tile_a[16][16];
    __shared__ float tile_b[16][16];
    const int x = blockIdx.x * 16 + threadIdx.x;
    const int y = blockIdx.y * 16 + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < n; k += 16) {
        tile_a[threadIdx.y][threadIdx.x] = a[y * n + k + threadIdx.x];
        tile_b[threadIdx.y][threadIdx.x] = b[(k + threadIdx.y) * n + x];
        __syncthreads();
        for (int i = 0; i < 16; ++i) sum += tile_a[threadIdx.y][i] * tile_b[i][threadIdx.x];
        __syncthreads();
    }
    c[y * n + x] = sum;
}
