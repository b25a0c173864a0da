// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two-dimensional convolution of an image with a filter of FILTER x FILTER:
//
//   out[y][x] = sum over i, j of in[y + i][x + j] * filter[i][j]
//
// `out` has WIDTH columns and HEIGHT rows, `in` has FILTER - 1 more of each, so that every output has all its inputs.
//
// A block has BLOCK_X x BLOCK_Y threads, each of which computes TILE_X x TILE_Y outputs, BLOCK_X and BLOCK_Y apart.
//   USE_SHARED  the block's inputs are copied to shared memory first
//   PADDING     rows in shared memory are as long as rows of a warp need to lie in different banks
//   UNROLL      rows of the filter that are unrolled
//   BOUNDED     ptxas knows how many threads a block has
//   READ_ONLY   `in` is read through the read-only cache
//
//@ kernel convolution
//@ define WIDTH 4096
//@ define HEIGHT 4096
//@ define FILTER 15
//@ define UNROLL 1
//@ define BOUNDED 1
//@ tune BLOCK_X 16 32 48 64 96 128
//@ tune BLOCK_Y 1 2 4 8 16
//@ tune TILE_X 1 2 3 4 6 8
//@ tune TILE_Y 1 2 3 4 6 8
//@ tune USE_SHARED 0 1
//@ tune PADDING 0 1
//@ tune READ_ONLY 0 1
//@ where BLOCK_X * BLOCK_Y >= 32 && BLOCK_X * BLOCK_Y <= 1024
//@ where TILE_X * TILE_Y <= 32
//@ where PADDING == 0 || USE_SHARED == 1 && BLOCK_X % 32 != 0
//@ where USE_SHARED == 0 || 4 * (BLOCK_X * TILE_X + FILTER + 31) * (BLOCK_Y * TILE_Y + FILTER - 1) <= 49152
//@ grid up(WIDTH, BLOCK_X * TILE_X), up(HEIGHT, BLOCK_Y * TILE_Y)
//@ block BLOCK_X, BLOCK_Y
//@ arguments -, -
//@ loads 4 * (WIDTH + FILTER - 1) * (HEIGHT + FILTER - 1)
//@ stores 4 * WIDTH * HEIGHT

namespace {

constexpr int unrolled = UNROLL;
#if USE_SHARED
constexpr int columns = BLOCK_X * TILE_X + FILTER - 1;
constexpr int rows = BLOCK_Y * TILE_Y + FILTER - 1;
constexpr int pad = PADDING ? (32 + BLOCK_X % 32 - columns % 32) % 32 : 0;
#endif

__device__ float read(const float* from) {
#if READ_ONLY
    return __ldg(from);
#else
    return *from;
#endif
}

}  // namespace

__constant__ float filter[FILTER * FILTER];

extern "C" __global__ void
#if BOUNDED
__launch_bounds__(BLOCK_X * BLOCK_Y)
#endif
    convolution(const float* in, float* out) {
    constexpr int in_width = WIDTH + FILTER - 1;
    constexpr int in_height = HEIGHT + FILTER - 1;
    const int column = threadIdx.x;  // as int, so that the compiler can add constants to an address
    const int line = threadIdx.y;
    const int left = blockIdx.x * (BLOCK_X * TILE_X);
    const int top = blockIdx.y * (BLOCK_Y * TILE_Y);
#if USE_SHARED
    __shared__ float tile[rows][columns + pad];
#pragma unroll
    for (int y = line; y < rows; y += BLOCK_Y) {
#pragma unroll
        for (int x = column; x < columns; x += BLOCK_X) {
            if (left + x < in_width && top + y < in_height) {
                tile[y][x] = read(&in[(top + y) * in_width + left + x]);
            }
        }
    }
    __syncthreads();
#endif
    float sum[TILE_Y][TILE_X] = {};
#pragma unroll unrolled
    for (int i = 0; i < FILTER; ++i) {
#pragma unroll
        for (int j = 0; j < FILTER; ++j) {
#pragma unroll
            for (int v = 0; v < TILE_Y; ++v) {
#pragma unroll
                for (int u = 0; u < TILE_X; ++u) {
                    const int y = line + v * BLOCK_Y + i;
                    const int x = column + u * BLOCK_X + j;
#if USE_SHARED
                    const float value = tile[y][x];
#else
                    const int row = min(top + y, in_height - 1);
                    const float value = read(&in[row * in_width + min(left + x, in_width - 1)]);
#endif
                    sum[v][u] += value * filter[i * FILTER + j];
                }
            }
        }
    }
#pragma unroll
    for (int v = 0; v < TILE_Y; ++v) {
#pragma unroll
        for (int u = 0; u < TILE_X; ++u) {
            const int y = top + line + v * BLOCK_Y;
            const int x = left + column + u * BLOCK_X;
            if (x < WIDTH && y < HEIGHT) out[y * WIDTH + x] = sum[v][u];
        }
    }
}
