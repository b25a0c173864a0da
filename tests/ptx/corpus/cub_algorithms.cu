// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Device-wide algorithms of CUB: their kernels are the longest PTX that many programs have.
#include <cub/cub.cuh>

namespace {

struct nearest {
    float distance;
    int index;
};

struct closer {
    __device__ nearest operator()(const nearest& a, const nearest& b) const {
        return a.distance < b.distance ? a : b;
    }
};

// Sizes of temporary storage are asked for: that alone names every kernel.
template <class Call>
void size_of(Call call) {
    std::size_t bytes = 0;
    call(nullptr, bytes);
}

}  // namespace

void sort(unsigned* keys, float* values, int n) {
    size_of([=](void* storage, std::size_t& bytes) {
        cub::DeviceRadixSort::SortPairs(storage, bytes, keys, keys, values, values, n);
    });
}

void reduce(const nearest* in, nearest* out, int n) {
    size_of([=](void* storage, std::size_t& bytes) {
        cub::DeviceReduce::Reduce(storage, bytes, in, out, n, closer{}, nearest{1e30F, -1});
    });
}

void scan(const int* in, int* out, long long n) {
    size_of([=](void* storage, std::size_t& bytes) {
        cub::DeviceScan::ExclusiveSum(storage, bytes, in, out, n);
    });
}
