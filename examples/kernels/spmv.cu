// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// y = A x, A sparse in compressed rows: a thread a row; how many elements a row has, only data tells.
extern "C" __global__ void spmv(int rows, const int* row_start, const int* column,
                                const float* value, const float* x, float* y) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float sum = 0;
    for (int i = row_start[row]; i < row_start[row + 1]; ++i) sum += value[i] * x[column[i]];
    y[row] = sum;
}
