// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Heat on a chip, several time steps a launch. One step of a cell:
//
//   to = here + step * (power + (up + down - 2 here) ry + (left + right - 2 here) rx + (ambient - here) rz)
//
// where a neighbour beyond the edge of the chip has the heat of the cell itself.
//
// A block of BLOCK_X x BLOCK_Y threads computes TILE_X x TILE_Y cells a thread, STEPS steps further. It loads them with
// a ring of STEPS cells around, of which each step uses up one.
//   POWER_IN_SHARED  the power of the cells is in shared memory too
//   UNROLL           steps that are unrolled
//   IN_DOUBLE        a step is computed in double precision, of cells in single precision
//   MIN_BLOCKS       blocks for which ptxas leaves registers on an SM; 0: it does not know how many threads they have
// Times compare by step.
//
//@ kernel hotspot
//@ size WIDTH 4096
//@ size HEIGHT 4096
//@ tune BLOCK_X 8 16 32 64 128
//@ tune BLOCK_Y 1 2 4 8 16 32
//@ tune TILE_X 1 2 3 4 8
//@ tune TILE_Y 1 2 3 4 8
//@ tune STEPS 1 2 3 4 6 8
//@ tune POWER_IN_SHARED 0 1
//@ tune UNROLL 1 2 4
//@ define IN_DOUBLE 0
//@ define MIN_BLOCKS 1
//@ where BLOCK_X * BLOCK_Y >= 32 && BLOCK_X * BLOCK_Y <= 1024
//@ where 4 * (2 + POWER_IN_SHARED) * (BLOCK_X * TILE_X + 2 * STEPS) * (BLOCK_Y * TILE_Y + 2 * STEPS) <= 49152
//@ where STEPS > 1 || POWER_IN_SHARED == 0
//@ where STEPS % UNROLL == 0
//@ grid up(WIDTH, BLOCK_X * TILE_X), up(HEIGHT, BLOCK_Y * TILE_Y)
//@ block BLOCK_X, BLOCK_Y
//@ arguments WIDTH, HEIGHT, -, -, -, -, -, -, -, -
//@ work STEPS
//@ loads 8 * WIDTH * HEIGHT
//@ stores 4 * WIDTH * HEIGHT

namespace {

#if IN_DOUBLE
using real = double;
#else
using real = float;
#endif

constexpr int columns = BLOCK_X * TILE_X + 2 * STEPS;
constexpr int rows = BLOCK_Y * TILE_Y + 2 * STEPS;
constexpr int unrolled = UNROLL;

}  // namespace

extern "C" __global__ void
#if MIN_BLOCKS
__launch_bounds__(BLOCK_X * BLOCK_Y, MIN_BLOCKS)
#endif
    hotspot(int width, int height, float step, float rx, float ry, float rz, float ambient,
            const float* power, const float* from, float* to) {
    __shared__ float heat[2][rows][columns];
#if POWER_IN_SHARED
    __shared__ float power_of[rows][columns];
#endif
    const int left = static_cast<int>(blockIdx.x) * (BLOCK_X * TILE_X) - STEPS;
    const int top = static_cast<int>(blockIdx.y) * (BLOCK_Y * TILE_Y) - STEPS;
    for (int y = threadIdx.y; y < rows; y += BLOCK_Y) {
        for (int x = threadIdx.x; x < columns; x += BLOCK_X) {
            const int gx = left + x;
            const int gy = top + y;
            if (gx < 0 || gx >= width || gy < 0 || gy >= height) continue;
            heat[0][y][x] = from[gy * width + gx];
#if POWER_IN_SHARED
            power_of[y][x] = power[gy * width + gx];
#endif
        }
    }
    __syncthreads();
    // The cells of the chip that the block has.
    const int first_x = max(0, -left);
    const int first_y = max(0, -top);
    const int last_x = min(columns, width - left) - 1;
    const int last_y = min(rows, height - top) - 1;
#pragma unroll unrolled
    for (int s = 1; s <= STEPS; ++s) {
        const float(*now)[columns] = heat[(s - 1) % 2];
        for (int y = threadIdx.y + s; y < rows - s; y += BLOCK_Y) {
            if (y < first_y || y > last_y) continue;
            const float* row = now[y];
            const float* above = now[max(y - 1, first_y)];
            const float* below = now[min(y + 1, last_y)];
            for (int x = threadIdx.x + s; x < columns - s; x += BLOCK_X) {
                if (x < first_x || x > last_x) continue;
                const float here = row[x];
                const float west = row[max(x - 1, first_x)];
                const float east = row[min(x + 1, last_x)];
                const int at = (top + y) * width + left + x;
#if POWER_IN_SHARED
                const float given = power_of[y][x];
#else
                const float given = power[at];
#endif
                const real twice = 2 * static_cast<real>(here);
                const real change = given + (above[x] + below[x] - twice) * ry +
                                    (west + east - twice) * rx + (ambient - here) * rz;
                const float next = here + step * change;
                if (s < STEPS) {
                    heat[s % 2][y][x] = next;
                } else {
                    to[at] = next;
                }
            }
        }
        if (s < STEPS) __syncthreads();
    }
}
