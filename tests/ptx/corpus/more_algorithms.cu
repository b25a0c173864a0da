// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Further algorithms of CUB and Thrust, whose kernels differ most from each other: look-back scans, merges, histograms with atomics, segments.
#include <cub/cub.cuh>
#include <thrust/execution_policy.h>
#include <thrust/functional.h>
#include <thrust/set_operations.h>
#include <thrust/sort.h>
#include <thrust/unique.h>

namespace {

struct is_odd {
    __host__ __device__ bool operator()(int x) const { return x % 2 != 0; }
};
struct smaller {
    __host__ __device__ bool operator()(double a, double b) const { return a < b; }
};

// Sizes of temporary storage are asked for: that alone names every kernel.
template <class Call>
void size_of(Call call) {
    std::size_t bytes = 0;
    call(nullptr, bytes);
}

}  // namespace

void count(const float* samples, int* counts, int n) {
    size_of([=](void* storage, std::size_t& bytes) {
        cub::DeviceHistogram::HistogramEven(storage, bytes, samples, counts, 257, 0.0F, 1.0F, n);
    });
}

void select(const int* in, int* out, int* count, int n) {
    size_of([=](void* storage, std::size_t& bytes) {
        cub::DeviceSelect::If(storage, bytes, in, out, count, n, is_odd{});
    });
}

void run_lengths(const int* in, int* unique, int* lengths, int* count, int n) {
    size_of([=](void* storage, std::size_t& bytes) {
        cub::DeviceRunLengthEncode::Encode(storage, bytes, in, unique, lengths, count, n);
    });
}

void merge_sort(double* keys, int n) {
    size_of([=](void* storage, std::size_t& bytes) {
        cub::DeviceMergeSort::SortKeys(storage, bytes, keys, n, smaller{});
    });
}

void segments(const float* in, float* out, const int* offsets, int count) {
    size_of([=](void* storage, std::size_t& bytes) {
        cub::DeviceSegmentedReduce::Sum(storage, bytes, in, out, count, offsets, offsets + 1);
    });
}

void sums_by_key(const int* keys, int* unique, const float* in, float* sums, int* count, int n) {
    size_of([=](void* storage, std::size_t& bytes) {
        cub::DeviceReduce::ReduceByKey(storage, bytes, keys, unique, in, sums, count, thrust::plus<float>(), n);
    });
}

void sort(short* keys, double* values, int n) {
    thrust::sort_by_key(thrust::device, keys, keys + n, values, thrust::greater<short>());
}

float* common(const float* a, const float* b, float* out, int n) {
    return thrust::set_intersection(thrust::device, a, a + n, b, b + n, out);
}

long long* different(long long* keys, int n) {
    return thrust::unique(thrust::device, keys, keys + n);
}
