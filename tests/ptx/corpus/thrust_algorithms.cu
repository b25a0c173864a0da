// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Algorithms of Thrust with functions of a caller, and pieces of cuda::std within a kernel.
#include <cuda/std/array>
#include <cuda/std/atomic>
#include <cuda/std/complex>
#include <cuda/std/tuple>
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>

namespace {

struct scaled_square {
    float scale;
    __host__ __device__ float operator()(float x) const { return scale * x * x; }
};

}  // namespace

float total(const float* in, int n) {
    return thrust::transform_reduce(thrust::device, in, in + n, scaled_square{0.5F}, 0.0F,
                                    thrust::plus<float>());
}

void squares(const float* in, float* out, int n) {
    thrust::transform(thrust::device, in, in + n, out, scaled_square{2.0F});
}

__global__ void mandelbrot(int* rounds, int width, unsigned* inside) {
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= width * width) return;
    const cuda::std::complex<float> c(3.0F * (i % width) / width - 2, 2.0F * (i / width) / width - 1);
    cuda::std::complex<float> z = c;
    int n = 0;
    for (; n < 100 && cuda::std::norm(z) < 4; ++n) z = z * z + c;
    rounds[i] = n;
    if (n == 100) {
        cuda::std::atomic_ref<unsigned> count(*inside);
        count.fetch_add(1, cuda::std::memory_order_relaxed);
    }
}

__global__ void extremes(const double* in, double* out, int n) {
    cuda::std::tuple<double, double> range(1e300, -1e300);
    cuda::std::array<double, 4> seen{};
    for (int i = static_cast<int>(threadIdx.x); i < n; i += 128) {
        seen[static_cast<unsigned>(i) % 4] = in[i];
        range = cuda::std::make_tuple(min(cuda::std::get<0>(range), in[i]),
                                      max(cuda::std::get<1>(range), in[i]));
    }
    out[threadIdx.x] = cuda::std::get<0>(range) + cuda::std::get<1>(range) + seen[n % 4];
}
