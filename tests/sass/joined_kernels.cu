// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels whose loops or branches have few instructions of PTX that become one machine instruction each: integers,
// matrix products and asynchronous copies.
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <mma.h>

extern "C" {

// A loop of nothing but integers.
__global__ void shifted(unsigned* o, int n) {
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x + 1;
    for (int i = 0; i < n; ++i) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
    }
    o[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

// The same of 64 bits, with a multiplication.
__global__ void congruent(unsigned long long* o, int n) {
    unsigned long long x = blockIdx.x * blockDim.x + threadIdx.x;
    for (int i = 0; i < n; ++i) x = x * 6364136223846793005ULL + 1442695040888963407ULL;
    o[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

// The same with a counter of 64 bits, a loop that ptxas unrolls once more.
__global__ void counted_long(unsigned long long* o, int n) {
    unsigned long long x = blockIdx.x * blockDim.x + threadIdx.x;
    for (long long i = 0; i < n; ++i) x = x * 6364136223846793005ULL + 1442695040888963407ULL;
    o[blockIdx.x * blockDim.x + threadIdx.x] = x;
}

// Lanes make different numbers of rounds of a loop that is unrolled.
__global__ void summed_by_lanes(const float* a, float* o, int n) {
    float sum = 0;
    for (int k = threadIdx.x; k < n; k += 32) sum += a[k];
    o[threadIdx.x] = sum;
}

// Integers decide how many rounds each lane makes.
__global__ void collatz(unsigned* o) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned x = i + 1;
    unsigned steps = 0;
    while (x != 1) {
        x = (x & 1) != 0 ? 3 * x + 1 : x >> 1;
        ++steps;
    }
    o[i] = steps;
}

// The same of a loop in a loop.
__global__ void divisors(unsigned* o, unsigned n) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned sum = 0;
    for (unsigned b = 1; b <= n; ++b) {
        unsigned x = i + 1;
        unsigned y = b;
        while (x != y) {
            if (x > y) {
                x -= y;
            } else {
                y -= x;
            }
        }
        sum += x;
    }
    o[i] = sum;
}

// Lanes part, and each side has only integers.
__global__ void parted(unsigned* o) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned x = i;
    if ((threadIdx.x & 1) != 0) {
#pragma unroll
        for (int n = 0; n < 30; ++n) x = (x ^ x << 7) * 0x9e3779b1U;
    } else {
#pragma unroll
        for (int n = 0; n < 40; ++n) x = (x ^ x >> 9) * 0x85ebca6bU;
    }
    o[i] = x;
}

// Loaded numbers decide what is stored.
__global__ void bitonic(float* a, unsigned j, unsigned k) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned other = i ^ j;
    if (other <= i) return;
    const float x = a[i];
    const float y = a[other];
    if ((i & k) == 0 ? x > y : x < y) {
        a[i] = y;
        a[other] = x;
    }
}

// A product of matrices of n x n, a tile of 16 x 16 for each warp.
__global__ void product_of_fragments(const half* a, const half* b, float* c, int n) {
    using namespace nvcuda;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> x;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> y;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(sum, 0.0F);
    const int warp = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const int row = 16 * (warp / (n / 16));
    const int column = 16 * (warp % (n / 16));
    for (int k = 0; k < n; k += 16) {
        wmma::load_matrix_sync(x, a + row * n + k, n);
        wmma::load_matrix_sync(y, b + column * n + k, n);
        wmma::mma_sync(sum, x, y, sum);
    }
    wmma::store_matrix_sync(c + row * n + column, sum, n, wmma::mem_row_major);
}

// Copies of the next tile while the sum of one is made.
__global__ void copied_ahead(const float4* a, float4* o, int n) {
    __shared__ float4 tiles[2][2][128];
    const int t = static_cast<int>(threadIdx.x);
    const auto copy = [&](int tile) {
        for (int k = 0; k < 2; ++k) {
            __pipeline_memcpy_async(&tiles[tile & 1][k][t], &a[(2 * tile + k) * 128 + t], 16);
        }
        __pipeline_commit();
    };
    copy(0);
    float4 sum{};
    for (int i = 0; i < n; ++i) {
        if (i + 1 < n) {
            copy(i + 1);
            __pipeline_wait_prior(1);
        } else {
            __pipeline_wait_prior(0);
        }
        __syncthreads();
        const float4 x = tiles[i & 1][0][127 - t];
        const float4 y = tiles[i & 1][1][127 - t];
        sum.x += x.x * y.x;
        sum.y += x.y * y.y;
        sum.z += x.z * y.z;
        sum.w += x.w * y.w;
        __syncthreads();
    }
    o[blockIdx.x * 128 + t] = sum;
}

// Nothing but copies and a wait: 64 B of each thread a round.
__global__ void only_copied(const float4* a, float4* o, int n) {
    extern __shared__ float4 tile[];
    const int t = static_cast<int>(threadIdx.x);
    for (int k = t; k < n; k += 128) {
        __pipeline_memcpy_async(&tile[k], &a[blockIdx.x * n + k], 16);
    }
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    o[blockIdx.x * 128 + t] = tile[n - 1 - t];
}
}
