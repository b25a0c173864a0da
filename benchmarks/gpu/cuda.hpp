// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_BENCHMARKS_GPU_CUDA_HPP
#define WARPGAUGE_BENCHMARKS_GPU_CUDA_HPP

#include <cuda_runtime.h>

#include <cstddef>
#include <memory>
#include <source_location>
#include <stdexcept>
#include <string>
#include <vector>

#include "plan.hpp"

// The CUDA runtime with every error an exception that says where.

struct cuda_error : std::runtime_error {
    using std::runtime_error::runtime_error;
};

inline void check(cudaError_t status,
                  const std::source_location& at = std::source_location::current()) {
    if (status == cudaSuccess) return;
    throw cuda_error(std::string(at.file_name()) + ':' + std::to_string(at.line()) + ": " +
                     cudaGetErrorName(status) + ": " + cudaGetErrorString(status));
}

inline dim3 to_dim3(const extent& e) {
    return {e[0], e[1], e[2]};
}

// Global memory of the GPU.
template <class T>
class device_array {
public:
    explicit device_array(std::size_t count) : count_(count) {
        T* p = nullptr;
        check(cudaMalloc(&p, count * sizeof(T)));
        data_.reset(p);
    }
    explicit device_array(const std::vector<T>& from) : device_array(from.size()) { write(from); }

    T* data() const { return data_.get(); }
    std::size_t bytes() const { return count_ * sizeof(T); }

    void write(const std::vector<T>& from) {
        check(cudaMemcpy(data(), from.data(), bytes(), cudaMemcpyHostToDevice));
    }
    std::vector<T> read() const {
        std::vector<T> to(count_);
        check(cudaMemcpy(to.data(), data(), bytes(), cudaMemcpyDeviceToHost));
        return to;
    }

private:
    struct release {
        void operator()(T* p) const { cudaFree(p); }
    };
    std::unique_ptr<T, release> data_;
    std::size_t count_;
};

// A launch, and whether it could be made.
template <class... Parameters, class... Arguments>
void start(void (*kernel)(Parameters...), const shape& s, Arguments... arguments) {
    if (s.shared_bytes > 0) {
        check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   static_cast<int>(s.shared_bytes)));
    }
    kernel<<<to_dim3(s.grid), to_dim3(s.block), s.shared_bytes>>>(arguments...);
    check(cudaGetLastError());
}

inline void finish() {
    check(cudaDeviceSynchronize());
}

// Milliseconds of the GPU between two places in the stream.
class stopwatch {
public:
    stopwatch() {
        check(cudaEventCreate(&start_));
        check(cudaEventCreate(&stop_));
    }
    ~stopwatch() {
        cudaEventDestroy(start_);
        cudaEventDestroy(stop_);
    }
    stopwatch(const stopwatch&) = delete;
    stopwatch& operator=(const stopwatch&) = delete;

    void start() { check(cudaEventRecord(start_)); }
    void stop() { check(cudaEventRecord(stop_)); }
    double milliseconds() const {
        check(cudaEventSynchronize(stop_));
        float ms = 0;
        check(cudaEventElapsedTime(&ms, start_, stop_));
        return ms;
    }

private:
    cudaEvent_t start_{}, stop_{};
};

// Takes everything else out of the L2 cache: writes twice as much as it holds.
class l2_flush {
public:
    explicit l2_flush(const gpu& g) : lines_(2 * g.l2_bytes) {}
    void operator()() const { check(cudaMemsetAsync(lines_.data(), 0, lines_.bytes())); }

private:
    device_array<unsigned char> lines_;
};

#endif
