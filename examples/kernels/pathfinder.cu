// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// 1-D path finding (Meng & Skadron 2009, sec. 5): `height` rows of the cheapest way down a wall, each
// block with a ghost zone that shrinks by one on either side a row.
extern "C" __global__ void pathfinder(int columns, int height, const int* wall, const int* from,
                                      int* to) {
    __shared__ int row[256];
    __shared__ int next[256];
    const int t = threadIdx.x;
    const int x = blockIdx.x * (256 - 2 * height) - height + t;
    const bool inside = x >= 0 && x < columns;
    if (inside) row[t] = from[x];
    __syncthreads();
    bool computed = false;
    for (int i = 0; i < height; ++i) {
        computed = false;
        if (t >= i + 1 && t <= 254 - i && inside) {
            computed = true;
            const int left = row[x == 0 ? t : t - 1];
            const int right = row[x == columns - 1 ? t : t + 1];
            next[t] = min(min(left, row[t]), right) + wall[i * columns + x];
        }
        __syncthreads();
        if (i == height - 1) break;
        if (computed) row[t] = next[t];
        __syncthreads();
    }
    if (computed) to[x] = next[t];
}
