// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// 2-D Poisson (Meng & Skadron 2009, sec. 5): one Jacobi step, every neighbour from global memory.
extern "C" __global__ void poisson(int n, float h2, const float* f, const float* from, float* to) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return;
    const int i = y * n + x;
    to[i] = 0.25f * (from[i - 1] + from[i + 1] + from[i - n] + from[i + n] - h2 * f[i]);
}
