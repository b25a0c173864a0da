// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bandwidth of DRAM against the number of SMs that read or write: a block on each, kept there by asking
// for more than half of the SM's shared memory. What is read is not in the L2 cache, since it is much
// more than that holds and always read from the start.
#include <algorithm>
#include <set>
#include <utility>

#include "chain.hpp"
#include "cycles.cuh"

namespace {

constexpr int samples = 21;
constexpr std::uint32_t threads = 1024;

__global__ void read_all(const uint4* data, std::size_t count, unsigned int* sm,
                         unsigned int* sink) {
    const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
    uint4 sum{};
#pragma unroll 8
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
        const uint4 x = __ldcg(data + i);
        sum.x ^= x.x;
        sum.y ^= x.y;
        sum.z ^= x.z;
        sum.w ^= x.w;
    }
    const std::size_t thread = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
    sink[thread] = sum.x ^ sum.y ^ sum.z ^ sum.w;
    if (threadIdx.x == 0) sm[blockIdx.x] = this_sm();
}

__global__ void write_all(uint4* data, std::size_t count, unsigned int* sm, unsigned int*) {
    const std::size_t step = std::size_t{gridDim.x} * blockDim.x;
#pragma unroll 8
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
        data[i] = {threadIdx.x, 0, 0, 0};
    }
    if (threadIdx.x == 0) sm[blockIdx.x] = this_sm();
}

template <class Kernel>
std::vector<double> measure(const task& t, const gpu& g, Kernel kernel) {
    const auto bytes = static_cast<std::size_t>(t.bytes);
    const std::uint32_t blocks = t.launch.grid[0];
    const device_array<uint4> data(bytes / sizeof(uint4));
    check(cudaMemset(data.data(), 0, data.bytes()));
    const device_array<unsigned int> sm(blocks), sink(std::size_t{blocks} * threads);
    const l2_flush flush(g);
    stopwatch watch;
    std::vector<double> bytes_per_s;
    for (int s = -3; s < t.samples; ++s) {
        flush();
        watch.start();
        start(kernel, t.launch, data.data(), bytes / sizeof(uint4), sm.data(), sink.data());
        watch.stop();
        const double ms = watch.milliseconds();
        const std::vector<unsigned int> used = sm.read();
        if (std::set<unsigned int>(used.begin(), used.end()).size() != blocks) {
            throw std::runtime_error("blocks share an SM, so that not " + std::to_string(blocks) +
                                     " were active");
        }
        if (s >= 0) bytes_per_s.push_back(t.bytes / (1e-3 * ms));
    }
    return bytes_per_s;
}

// From one SM to all, in steps that grow.
std::vector<std::uint32_t> sm_counts(int sms) {
    std::vector<std::uint32_t> counts;
    const auto all = static_cast<std::uint32_t>(sms);
    for (std::uint32_t n = 1; n < all; n += std::max(1U, n / 4)) counts.push_back(n);
    counts.push_back(all);
    return counts;
}

template <class Kernel>
void add(plan& all, const gpu& g, const char* name, Kernel kernel, std::uint32_t sms) {
    task t;
    t.experiment = "bandwidth";
    t.name = name;
    t.size = sms;
    t.launch = {{sms, 1, 1}, {threads, 1, 1}, g.shared_bytes_per_sm / 2 + 1024};
    t.unit = "B/s";
    t.samples = samples;
    t.bytes = static_cast<double>(dram_footprint(g.l2_bytes));
    t.memory_bytes = dram_footprint(g.l2_bytes) + 2 * g.l2_bytes;
    t.kernel = reinterpret_cast<const void*>(kernel);
    t.measure = [g, kernel](const task& self) { return measure(self, g, kernel); };
    all.push_back(std::move(t));
}

}  // namespace

plan bandwidth_plan(const gpu& g) {
    plan all;
    for (const std::uint32_t sms : sm_counts(g.sm_count)) {
        add(all, g, "read", read_all, sms);
        add(all, g, "write", write_all, sms);
    }
    return all;
}
