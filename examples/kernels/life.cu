// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// 3-D life (Meng & Skadron 2009, sec. 5, Cell): 26 neighbours from an 8 x 8 x 8 tile in shared memory.
extern "C" __global__ void life(int n, const int* from, int* to) {
    __shared__ int cell[8][8][8];
    const int tx = threadIdx.x, ty = threadIdx.y, tz = threadIdx.z;
    const int x = blockIdx.x * 6 + tx - 1;
    const int y = blockIdx.y * 6 + ty - 1;
    const int z = blockIdx.z * 6 + tz - 1;
    const bool inside = x >= 0 && y >= 0 && z >= 0 && x < n && y < n && z < n;
    cell[tz][ty][tx] = inside ? from[(z * n + y) * n + x] : 0;
    __syncthreads();
    if (!inside || tx == 0 || ty == 0 || tz == 0 || tx == 7 || ty == 7 || tz == 7) return;
    int alive = -cell[tz][ty][tx];
    for (int k = -1; k <= 1; ++k)
        for (int j = -1; j <= 1; ++j)
            for (int i = -1; i <= 1; ++i) alive += cell[tz + k][ty + j][tx + i];
    to[(z * n + y) * n + x] = alive == 3 || (alive == 2 && cell[tz][ty][tx]);
}
