// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which of many points are inside a polygon of VERTICES vertices? A point is inside if a ray from it to the right
// crosses an odd number of edges.
//
// A block of BLOCK threads tests TILE points a thread, BLOCK apart.
//   SLOPES  the slopes of the edges are given, else a crossing takes a division
//   BRANCH  what follows from an edge that the ray may cross is computed for such an edge alone
//   RANGE   an edge is left out by its range in y, else by on which side of the ray its ends are
//   UNROLL  edges that are unrolled
//
//@ kernel point_in_polygon
//@ size COUNT 2000000
//@ define VERTICES 600
//@ tune BLOCK 32 64 96 128 192 256 384 512 1024
//@ tune TILE 1 2 3 4 6 8 12 16
//@ tune SLOPES 0 1
//@ tune BRANCH 0 1
//@ tune RANGE 0 1
//@ tune UNROLL 1 2 4 8
//@ where TILE * UNROLL <= 64
//@ grid up(COUNT, BLOCK * TILE)
//@ block BLOCK
//@ arguments COUNT, -, -
//@ loads 8 * COUNT
//@ stores 4 * COUNT

namespace {

struct alignas(8) point {
    float x, y;
};

constexpr int unrolled = UNROLL;

}  // namespace

__constant__ point vertex[VERTICES];
__constant__ float slope[VERTICES];  // of the edge that ends at a vertex, dx / dy; not read if horizontal

extern "C" __global__ void __launch_bounds__(BLOCK)
    point_in_polygon(int count, const point* points, int* inside) {
    const int first = blockIdx.x * (BLOCK * TILE) + threadIdx.x;
    point p[TILE];
    bool odd[TILE] = {};
#pragma unroll
    for (int t = 0; t < TILE; ++t) {
        const int i = first + t * BLOCK;
        p[t] = i < count ? points[i] : point{};
    }
    point last = vertex[VERTICES - 1];
#pragma unroll unrolled
    for (int v = 0; v < VERTICES; ++v) {
        const point end = vertex[v];
#pragma unroll
        for (int t = 0; t < TILE; ++t) {
#if RANGE
            const bool between = min(last.y, end.y) <= p[t].y && p[t].y < max(last.y, end.y);
#else
            const bool between = (last.y > p[t].y) != (end.y > p[t].y);
#endif
#if BRANCH
            if (!between) continue;
#endif
#if SLOPES
            const float dx_dy = slope[v];
#else
            const float dx_dy = (end.x - last.x) / (end.y - last.y);
#endif
            const bool right = p[t].x < dx_dy * (p[t].y - end.y) + end.x;
            odd[t] = odd[t] != (between && right);
        }
        last = end;
    }
#pragma unroll
    for (int t = 0; t < TILE; ++t) {
        const int i = first + t * BLOCK;
        if (i < count) inside[i] = odd[t] ? 1 : 0;
    }
}
