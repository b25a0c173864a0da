// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A step of a seven-point stencil on n x n x n: an element a thread straight from global memory; and a
// block of 32 x 4 threads that marches through the third dimension with a plane in shared memory.
extern "C" __global__ void jacobi_naive(int n, float c0, float c1, const float* from, float* to) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y + 1;
    const int z = blockIdx.z + 1;
    if (x < 1 || x >= n - 1) return;
    const int i = (z * n + y) * n + x;
    to[i] = c1 * (from[i - 1] + from[i + 1] + from[i - n] + from[i + n] + from[i - n * n] +
                  from[i + n * n]) - c0 * from[i];
}

extern "C" __global__ void jacobi_shared(int n, float c0, float c1, const float* from, float* to) {
    __shared__ float plane[6][34];
    const int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
    const int x = blockIdx.x * 32 + tx;
    const int y = blockIdx.y * 4 + ty;
    if (x >= n - 1 || y >= n - 1) return;
    int i = (n + y) * n + x;
    float below = from[i - n * n];
    float here = from[i];
    for (int z = 1; z < n - 1; ++z) {
        const float above = from[i + n * n];
        plane[ty][tx] = here;
        if (tx == 1) plane[ty][0] = from[i - 1];
        if (tx == 32) plane[ty][33] = from[i + 1];
        if (ty == 1) plane[0][tx] = from[i - n];
        if (ty == 4) plane[5][tx] = from[i + n];
        __syncthreads();
        to[i] = c1 * (plane[ty][tx - 1] + plane[ty][tx + 1] + plane[ty - 1][tx] + plane[ty + 1][tx] +
                      below + above) - c0 * here;
        __syncthreads();
        below = here;
        here = above;
        i += n * n;
    }
}
