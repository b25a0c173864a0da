// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The product of two matrices of floats, C = A B, in tiles:
//
//   c[j * m + i] = sum over l < k of a[l * m + i] * b[l * n + j]    for i < m, j < n
//
// so A is stored by columns, B by rows and C by columns. A block computes MWG x NWG elements of C with
// MDIMC x NDIMC threads, KWG terms of the sums at a time.
//   VWM, VWN      elements of a row of A and of C, and of B, that a thread moves at a time
//   STRM, STRN    a thread's elements of C lie a block's width apart, not side by side
//   SA, SB        the block's part of A, of B, goes through shared memory
//   MDIMA, NDIMB  threads side by side that copy a row of A, of B, to shared memory
//   KWI           terms of a sum that are unrolled
// m has to be a multiple of VWM and n of VWN; tiles may stand out over m, n and k.
//
//@ kernel product
//@ size M 1024
//@ size N 1024
//@ size K 1024
//@ tune MWG 16 32 64 128
//@ tune NWG 16 32 64 128
//@ tune KWG 16 32
//@ tune MDIMC 8 16 32
//@ tune NDIMC 8 16 32
//@ tune MDIMA 8 16 32
//@ tune NDIMB 8 16 32
//@ tune KWI 2 8
//@ tune VWM 1 2 4
//@ tune VWN 1 2 4
//@ tune STRM 0 1
//@ tune STRN 0 1
//@ tune SA 0 1
//@ tune SB 0 1
//@ where MWG % (MDIMC * VWM) == 0 && NWG % (NDIMC * VWN) == 0
//@ where M % VWM == 0 && N % VWN == 0 && KWG % KWI == 0
//@ where MDIMC * NDIMC >= 64 && MDIMC * NDIMC <= 1024
//@ where MWG / MDIMC * (NWG / NDIMC) <= 128
//@ where SA == 1 || MDIMA == MDIMC
//@ where SB == 1 || NDIMB == NDIMC
//@ where SA == 0 || MDIMC * NDIMC % MDIMA == 0 && MWG % (MDIMA * VWM) == 0 && KWG % (MDIMC * NDIMC / MDIMA) == 0
//@ where SB == 0 || MDIMC * NDIMC % NDIMB == 0 && NWG % (NDIMB * VWN) == 0 && KWG % (MDIMC * NDIMC / NDIMB) == 0
//@ where 4 * KWG * (SA * MWG + SB * NWG) <= 49152
//@ grid up(M, MWG), up(N, NWG)
//@ block MDIMC, NDIMC
//@ arguments M, N, K, -, -, -
//@ loads 4 * K * (M + N)
//@ stores 4 * M * N

namespace {

constexpr int threads = MDIMC * NDIMC;
constexpr int m_vectors = MWG / MDIMC / VWM;  // of a thread
constexpr int n_vectors = NWG / NDIMC / VWN;
constexpr int unrolled = KWI;

template <int Width>
struct alignas(4 * Width) vector {
    float at[Width];
};

// Where in a tile the vector `v` of a thread is.
__device__ int place_of(int thread, int v, int dim, int vectors, bool strided) {
    return strided ? thread + v * dim : thread * vectors + v;
}

// A vector of row `row` of a matrix of `rows` rows of `width`; zeros beyond its end.
template <int Width>
__device__ vector<Width> vector_at(const float* matrix, int row, int rows, int column, int width) {
    if (row < rows && column < width) {
        return *reinterpret_cast<const vector<Width>*>(&matrix[row * width + column]);
    }
    return vector<Width>{};
}

// Copies KWG rows of Side elements to shared memory, `Dim` threads side by side.
template <int Side, int Width, int Dim>
__device__ void copy(vector<Width> (&to)[KWG][Side / Width], const float* matrix, int row, int rows,
                     int column, int width, int thread) {
#pragma unroll
    for (int y = 0; y < KWG; y += threads / Dim) {
#pragma unroll
        for (int x = 0; x < Side / Width; x += Dim) {
            const int l = y + thread / Dim;
            const int v = x + thread % Dim;
            to[l][v] = vector_at<Width>(matrix, row + l, rows, column + v * Width, width);
        }
    }
}

}  // namespace

extern "C" __global__ void __launch_bounds__(MDIMC * NDIMC)
    product(int m, int n, int k, const float* a, const float* b, float* c) {
    const int left = blockIdx.x * MWG;
    const int top = blockIdx.y * NWG;
#if SA || SB
    const int thread = threadIdx.y * MDIMC + threadIdx.x;
#endif
#if SA
    __shared__ vector<VWM> a_tile[KWG][MWG / VWM];
#endif
#if SB
    __shared__ vector<VWN> b_tile[KWG][NWG / VWN];
#endif
    float sum[n_vectors][VWN][m_vectors][VWM] = {};
    for (int from = 0; from < k; from += KWG) {
#if SA
        copy<MWG, VWM, MDIMA>(a_tile, a, from, k, left, m, thread);
#endif
#if SB
        copy<NWG, VWN, NDIMB>(b_tile, b, from, k, top, n, thread);
#endif
#if SA || SB
        __syncthreads();
#endif
#pragma unroll unrolled
        for (int l = 0; l < KWG; ++l) {
            vector<VWM> of_a[m_vectors];
            vector<VWN> of_b[n_vectors];
#pragma unroll
            for (int v = 0; v < m_vectors; ++v) {
                const int at = place_of(threadIdx.x, v, MDIMC, m_vectors, STRM);
#if SA
                of_a[v] = a_tile[l][at];
#else
                of_a[v] = vector_at<VWM>(a, from + l, k, left + at * VWM, m);
#endif
            }
#pragma unroll
            for (int v = 0; v < n_vectors; ++v) {
                const int at = place_of(threadIdx.y, v, NDIMC, n_vectors, STRN);
#if SB
                of_b[v] = b_tile[l][at];
#else
                of_b[v] = vector_at<VWN>(b, from + l, k, top + at * VWN, n);
#endif
            }
#pragma unroll
            for (int v = 0; v < n_vectors; ++v) {
#pragma unroll
                for (int j = 0; j < VWN; ++j) {
#pragma unroll
                    for (int u = 0; u < m_vectors; ++u) {
#pragma unroll
                        for (int i = 0; i < VWM; ++i) {
                            sum[v][j][u][i] += of_a[u].at[i] * of_b[v].at[j];
                        }
                    }
                }
            }
        }
#if SA || SB
        __syncthreads();
#endif
    }
#pragma unroll
    for (int v = 0; v < n_vectors; ++v) {
#pragma unroll
        for (int j = 0; j < VWN; ++j) {
#pragma unroll
            for (int u = 0; u < m_vectors; ++u) {
                const int x = left + VWM * place_of(threadIdx.x, u, MDIMC, m_vectors, STRM);
                const int y = top + VWN * place_of(threadIdx.y, v, NDIMC, n_vectors, STRN) + j;
                if (x >= m || y >= n) continue;
                vector<VWM> result;
#pragma unroll
                for (int i = 0; i < VWM; ++i) result.at[i] = sum[v][j][u][i];
                *reinterpret_cast<vector<VWM>*>(&c[y * m + x]) = result;
            }
        }
    }
}
