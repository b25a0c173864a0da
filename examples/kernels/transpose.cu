// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// out = in transposed, n x n, in blocks of 32 x 32 threads: straight, by way of shared memory, and with
// a column of padding that keeps the banks apart.
extern "C" __global__ void transpose_naive(int n, const float* in, float* out) {
    const int x = blockIdx.x * 32 + threadIdx.x;
    const int y = blockIdx.y * 32 + threadIdx.y;
    out[x * n + y] = in[y * n + x];
}

extern "C" __global__ void transpose_shared(int n, const float* in, float* out) {
    __shared__ float tile[32][32];
    tile[threadIdx.y][threadIdx.x] =
        in[(blockIdx.y * 32 + threadIdx.y) * n + blockIdx.x * 32 + threadIdx.x];
    __syncthreads();
    out[(blockIdx.x * 32 + threadIdx.y) * n + blockIdx.y * 32 + threadIdx.x] =
        tile[threadIdx.x][threadIdx.y];
}

extern "C" __global__ void transpose_padded(int n, const float* in, float* out) {
    __shared__ float tile[32][33];
    tile[threadIdx.y][threadIdx.x] =
        in[(blockIdx.y * 32 + threadIdx.y) * n + blockIdx.x * 32 + threadIdx.x];
    __syncthreads();
    out[(blockIdx.x * 32 + threadIdx.y) * n + blockIdx.y * 32 + threadIdx.x] =
        tile[threadIdx.x][threadIdx.y];
}
