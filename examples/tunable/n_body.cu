// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The acceleration of each of many bodies by the gravity of all:
//
//   a_i = sum over j of mass_j (p_j - p_i) / (|p_j - p_i|^2 + softening)^(3/2)
//
// A block of BLOCK threads computes TILE bodies a thread, BLOCK apart.
//   SIDE_BY_SIDE  x, y, z and mass of a body lie side by side, else in arrays of their own
//   USE_SHARED    the block copies BLOCK bodies at a time to shared memory
//   UNROLL        bodies j that are unrolled
// `bodies` has 4 count numbers, `acceleration` 3 count in arrays of their own.
//
//@ kernel n_body
//@ size COUNT 8192
//@ tune BLOCK 32 64 96 128 192 256 384 512 768 1024
//@ tune TILE 1 2 3 4 6 8
//@ tune SIDE_BY_SIDE 0 1
//@ tune USE_SHARED 0 1
//@ tune UNROLL 1 2 4 8 16
//@ where USE_SHARED == 0 || BLOCK % UNROLL == 0
//@ where TILE * UNROLL <= 64 && BLOCK * TILE <= COUNT
//@ grid up(COUNT, BLOCK * TILE)
//@ block BLOCK
//@ arguments COUNT, -, -, -
//@ loads 16 * COUNT
//@ stores 12 * COUNT

namespace {

struct alignas(16) body {
    float x, y, z, mass;
};

constexpr int unrolled = UNROLL;

// Body i; one without mass beyond the last.
__device__ body body_at(const float* bodies, int i, int count) {
    if (i >= count) return body{};
#if SIDE_BY_SIDE
    return reinterpret_cast<const body*>(bodies)[i];
#else
    return {bodies[i], bodies[i + count], bodies[i + 2 * count], bodies[i + 3 * count]};
#endif
}

}  // namespace

extern "C" __global__ void __launch_bounds__(BLOCK)
    n_body(int count, float softening, const float* bodies, float* acceleration) {
    const int first = blockIdx.x * (BLOCK * TILE) + threadIdx.x;
    body own[TILE];
    float ax[TILE] = {};
    float ay[TILE] = {};
    float az[TILE] = {};
#pragma unroll
    for (int t = 0; t < TILE; ++t) own[t] = body_at(bodies, first + t * BLOCK, count);
    const auto attract = [&](const body& by) {
#pragma unroll
        for (int t = 0; t < TILE; ++t) {
            const float dx = by.x - own[t].x;
            const float dy = by.y - own[t].y;
            const float dz = by.z - own[t].z;
            const float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + softening);
            const float pull = by.mass * inverse * inverse * inverse;
            ax[t] += pull * dx;
            ay[t] += pull * dy;
            az[t] += pull * dz;
        }
    };
#if USE_SHARED
    __shared__ body tile[BLOCK];
    for (int from = 0; from < count; from += BLOCK) {
        tile[threadIdx.x] = body_at(bodies, from + threadIdx.x, count);
        __syncthreads();
#pragma unroll unrolled
        for (int j = 0; j < BLOCK; ++j) attract(tile[j]);
        __syncthreads();
    }
#else
#pragma unroll unrolled
    for (int j = 0; j < count; ++j) attract(body_at(bodies, j, count));
#endif
#pragma unroll
    for (int t = 0; t < TILE; ++t) {
        const int i = first + t * BLOCK;
        if (i >= count) continue;
        acceleration[i] = ax[t];
        acceleration[i + count] = ay[t];
        acceleration[i + 2 * count] = az[t];
    }
}
