// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_BENCHMARKS_GPU_HOST_MACHINE_HPP
#define WARPGAUGE_BENCHMARKS_GPU_HOST_MACHINE_HPP

#include <algorithm>
#include <atomic>
#include <barrier>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "plan.hpp"

// As much of CUDA C++ as the kernels of examples/kernels need, so that their very text runs on the host:
// block after block, a thread of the host for each thread of the block.

#define __global__
#define __device__ inline
#define __constant__ static
#define __shared__ static  // of the one block that runs

struct place {
    unsigned int x{}, y{}, z{};
};
inline place blockDim, gridDim;
inline thread_local place threadIdx, blockIdx;

namespace host_machine_detail {
using block_barrier = std::barrier<>;
inline std::optional<block_barrier> of_block;  // of the threads that have not returned
}  // namespace host_machine_detail

inline void __syncthreads() {
    host_machine_detail::of_block->arrive_and_wait();
}
inline unsigned int atomicAdd(unsigned int* to, unsigned int x) {
    return std::atomic_ref(*to).fetch_add(x, std::memory_order_relaxed);
}
inline float __expf(float x) {
    return std::exp(x);
}
using std::max;
using std::min;

class host_machine {
public:
    template <class T>
    T* give(const std::vector<T>& values) {
        const auto array = std::make_shared<std::vector<T>>(values);
        arrays_.push_back(array);
        return array->data();
    }
    template <class T>
    std::vector<T> take(const T* from, std::size_t count) const {
        return {from, from + count};
    }
    template <std::size_t Count>
    void set(float (&symbol)[Count], const std::vector<float>& values) const {
        std::copy_n(values.begin(), Count, symbol);
    }

    template <class... Parameters, class... Arguments>
    void launch(const shape& s, void (*kernel)(Parameters...), Arguments... arguments) const {
        using host_machine_detail::of_block;
        const auto at = [](std::uint64_t i, const extent& e) {
            return place{static_cast<unsigned int>(i % e[0]),
                         static_cast<unsigned int>(i / e[0] % e[1]),
                         static_cast<unsigned int>(i / e[0] / e[1])};
        };
        blockDim = {s.block[0], s.block[1], s.block[2]};
        gridDim = {s.grid[0], s.grid[1], s.grid[2]};
        const auto count = static_cast<std::ptrdiff_t>(volume(s.block));
        host_machine_detail::block_barrier between(count);
        const auto run = [&](std::uint64_t thread) {
            threadIdx = at(thread, s.block);
            for (std::uint64_t block = 0; block < volume(s.grid); ++block) {
                if (thread == 0) of_block.emplace(count);
                between.arrive_and_wait();
                blockIdx = at(block, s.grid);
                kernel(arguments...);
                of_block->arrive_and_drop();
                between.arrive_and_wait();
            }
        };
        std::vector<std::jthread> threads;
        for (std::uint64_t t = 0; t < volume(s.block); ++t) threads.emplace_back(run, t);
    }

private:
    std::vector<std::shared_ptr<void>> arrays_;
};

#endif
