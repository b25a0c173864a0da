// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// out = in transposed, n x n, as Kernel Tuner compiles it: block_size_x, block_size_y and through_shared are macros.
extern "C" __global__ void transpose(int n, const float* in, float* out) {
    const int x = blockIdx.x * block_size_x + threadIdx.x;
    const int y = blockIdx.y * block_size_y + threadIdx.y;
#if through_shared
    __shared__ float tile[block_size_y][block_size_x + 1];
    tile[threadIdx.y][threadIdx.x] = in[y * n + x];
    __syncthreads();
    const int flat = threadIdx.y * block_size_x + threadIdx.x;
    const int column = flat % block_size_y;
    const int row = flat / block_size_y;
    out[(blockIdx.x * block_size_x + row) * n + blockIdx.y * block_size_y + column] = tile[column][row];
#else
    out[x * n + y] = in[y * n + x];
#endif
}
