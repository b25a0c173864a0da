// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// 2-D hot spot (Meng & Skadron 2009, sec. 5): one step of heat on a chip, 16 x 16 threads with a halo
// in shared memory.
extern "C" __global__ void hotspot(int n, float step, float rx, float ry, float rz, float ambient,
                                   const float* power, const float* from, float* to) {
    __shared__ float heat[16][16];
    const int x = blockIdx.x * 14 + threadIdx.x - 1;
    const int y = blockIdx.y * 14 + threadIdx.y - 1;
    const int cx = min(max(x, 0), n - 1);
    const int cy = min(max(y, 0), n - 1);
    heat[threadIdx.y][threadIdx.x] = from[cy * n + cx];
    __syncthreads();
    if (threadIdx.x >= 1 && threadIdx.x <= 14 && threadIdx.y >= 1 && threadIdx.y <= 14 && x < n &&
        y < n) {
        const float here = heat[threadIdx.y][threadIdx.x];
        to[y * n + x] =
            here + step * (power[y * n + x] +
                           (heat[threadIdx.y + 1][threadIdx.x] + heat[threadIdx.y - 1][threadIdx.x] -
                            2 * here) * ry +
                           (heat[threadIdx.y][threadIdx.x + 1] + heat[threadIdx.y][threadIdx.x - 1] -
                            2 * here) * rx +
                           (ambient - here) * rz);
    }
}
