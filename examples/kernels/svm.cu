// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Radial basis functions of one vector with all support vectors (after Hong & Kim 2009, tbl. 5, SVM):
// a thread a support vector, whose elements lie `count` apart.
extern "C" __global__ void svm(int count, int dimensions, float gamma, const float* support,
                               const float* vector, const float* alpha, float* out) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= count) return;
    float distance = 0;
    for (int d = 0; d < dimensions; ++d) {
        const float difference = support[d * count + i] - vector[d];
        distance += difference * difference;
    }
    out[i] = alpha[i] * __expf(-gamma * distance);
}
