// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loop nests over matrices of n x n floats, as the PolyBench suite defines them: sums are kept in memory, nothing is `__restrict__`, and a
// statistic's matrix has its first row and column unused.

namespace {

__device__ int thread_x() { return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x); }
__device__ int thread_y() { return static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y); }

}  // namespace

// c = alpha a b + beta c
extern "C" __global__ void product(const float* a, const float* b, float* c, float alpha, float beta, int n) {
    const int column = thread_x();
    const int row = thread_y();
    if (row >= n || column >= n) return;
    float& to = c[row * n + column];
    to *= beta;
    for (int k = 0; k < n; ++k) to += alpha * a[row * n + k] * b[k * n + column];
}

// c = a b
extern "C" __global__ void plain_product(const float* a, const float* b, float* c, int n) {
    const int column = thread_x();
    const int row = thread_y();
    if (row >= n || column >= n) return;
    for (int k = 0; k < n; ++k) c[row * n + column] += a[row * n + k] * b[k * n + column];
}

// y += a x, a row a thread
extern "C" __global__ void rows_times(const float* a, const float* x, float* y, int n) {
    const int row = thread_x();
    if (row >= n) return;
    for (int k = 0; k < n; ++k) y[row] += a[row * n + k] * x[k];
}

// y += a^T x, a column a thread
extern "C" __global__ void columns_times(const float* a, const float* x, float* y, int n) {
    const int column = thread_x();
    if (column >= n) return;
    for (int k = 0; k < n; ++k) y[column] += a[k * n + column] * x[k];
}

// y = alpha a x + beta b x
extern "C" __global__ void two_rows_times(const float* a, const float* b, const float* x, float* sum, float* y,
                                          float alpha, float beta, int n) {
    const int row = thread_x();
    if (row >= n) return;
    for (int k = 0; k < n; ++k) {
        sum[row] += a[row * n + k] * x[k];
        y[row] += b[row * n + k] * x[k];
    }
    y[row] = alpha * sum[row] + beta * y[row];
}

// y = alpha a x + beta b z: all that a round loads is loaded before it stores.
extern "C" __global__ void two_rows_at_once(const float* a, const float* b, const float* x, const float* z, float* sum,
                                            float* y, float alpha, float beta, int n) {
    const int row = thread_x();
    if (row >= n) return;
    for (int k = 0; k < n; ++k) {
        const float of_a = sum[row] + a[row * n + k] * x[k];
        const float of_b = y[row] + b[row * n + k] * z[k];
        sum[row] = of_a;
        y[row] = of_b;
    }
    y[row] = alpha * sum[row] + beta * y[row];
}

// c = alpha a b^T + alpha b a^T + beta c
extern "C" __global__ void rank_update(const float* a, const float* b, float* c, float alpha, float beta, int n) {
    const int column = thread_x();
    const int row = thread_y();
    if (row >= n || column >= n) return;
    float& to = c[row * n + column];
    to *= beta;
    for (int k = 0; k < n; ++k) {
        to += alpha * a[row * n + k] * b[column * n + k] + alpha * b[row * n + k] * a[column * n + k];
    }
}

// 3 x 3 neighbours
extern "C" __global__ void plane_filter(const float* in, float* out, int n) {
    const int column = thread_x();
    const int row = thread_y();
    if (row < 1 || row >= n - 1 || column < 1 || column >= n - 1) return;
    const float* at = in + row * n + column;
    out[row * n + column] = 0.2F * at[-n - 1] + 0.5F * at[-1] - 0.8F * at[n - 1] - 0.3F * at[-n] + 0.6F * at[0] -
                            0.9F * at[n] + 0.4F * at[-n + 1] + 0.7F * at[1] + 0.1F * at[n + 1];
}

// The mean of each column.
extern "C" __global__ void column_means(float* mean, const float* data, float count, int n, int width) {
    const int column = thread_x() + 1;
    if (column > n) return;
    mean[column] = 0;
    for (int row = 1; row <= n; ++row) mean[column] += data[row * width + column];
    mean[column] /= count;
}

// The standard deviation of each column.
extern "C" __global__ void column_deviations(const float* mean, float* deviation, const float* data, float count,
                                             int n, int width) {
    const int column = thread_x() + 1;
    if (column > n) return;
    deviation[column] = 0;
    for (int row = 1; row <= n; ++row) {
        deviation[column] +=
            (data[row * width + column] - mean[column]) * (data[row * width + column] - mean[column]);
    }
    const float root = sqrtf(deviation[column] / count);
    deviation[column] = root <= 0.005F ? 1 : root;
}

// Each column less its mean, over its deviation.
extern "C" __global__ void normalise(const float* mean, const float* deviation, float* data, float root, int n,
                                     int width) {
    const int column = thread_x() + 1;
    const int row = thread_y() + 1;
    if (row > n || column > n) return;
    data[row * width + column] -= mean[column];
    data[row * width + column] /= root * deviation[column];
}

// The products of each pair of columns: above the diagonal, and mirrored.
extern "C" __global__ void correlate(float* products, const float* data, int n, int width) {
    const int column = thread_x() + 1;
    if (column >= n) return;
    products[column * width + column] = 1;
    for (int other = column + 1; other <= n; ++other) {
        products[column * width + other] = 0;
        for (int row = 1; row <= n; ++row) {
            products[column * width + other] += data[row * width + column] * data[row * width + other];
        }
        products[other * width + column] = products[column * width + other];
    }
}
