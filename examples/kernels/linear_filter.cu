// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A nine-point linear filter on an image (after Hong & Kim 2009, tbl. 5, Linear): 3 x 3 neighbours from
// global memory, weights from constant memory.
__constant__ float weights[9];

extern "C" __global__ void linear_filter(int width, int height, const float* in, float* out) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
    float sum = 0;
    for (int j = -1; j <= 1; ++j)
        for (int i = -1; i <= 1; ++i)
            sum += weights[(j + 1) * 3 + i + 1] * in[(y + j) * width + x + i];
    out[y * width + x] = sum;
}
