// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Departure delays (Hong & Kim 2009, sec. 3.2.2, tbl. 1): how many cycles apart an SM sends the memory
// accesses of its warps. One block, so one SM, of a growing number of warps, each with a few loads that
// wait for nothing. All have been answered after the latency of one and a delay for each of the
// others: the delay is the slope of the time over the number of loads.
#include <memory>
#include <utility>

#include "chain.hpp"
#include "cycles.cuh"
#include "lanes.hpp"

namespace {

constexpr int samples = 51;

__device__ std::uint32_t load(const char* p) {
    std::uint32_t x;
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(x) : "l"(p) : "memory");
    return x;
}

template <int Loads>
__global__ void depart(const char* data, std::uint32_t transactions, interval* out,
                       std::uint32_t* sink) {
    const std::uint32_t warp = threadIdx.x / 32;
    const char* const first = data + std::size_t{warp} * Loads * load_bytes;
    const char* const mine = first + lane_offset(threadIdx.x % 32, transactions);
    std::uint32_t sum = load(first + untouched_offset);
    std::uint32_t x[Loads];
    if (clock_after(sum) == 0) return;  // the translation of the address is there
    __syncthreads();
    const std::int64_t begin = clock_now();
#pragma unroll
    for (int i = 0; i < Loads; ++i) x[i] = load(mine + i * load_bytes);
#pragma unroll
    for (int i = 0; i < Loads; ++i) sum += x[i];
    const std::int64_t end = clock_after(sum);
    if (threadIdx.x % 32 == 0) out[warp] = {begin, end};
    sink[threadIdx.x] = sum;
}

// Every sample has lines of its own, and the L2 cache holds none of them.
template <int Loads>
std::vector<double> measure(const task& t, const gpu& g, std::uint32_t transactions) {
    const std::size_t warps = t.launch.block[0] / 32;
    const device_array<char> data(dram_footprint(g.l2_bytes));
    check(cudaMemset(data.data(), 0, data.bytes()));
    const l2_flush flush(g);
    const device_array<interval> out(warps);
    const device_array<std::uint32_t> sink(t.launch.block[0]);
    const std::size_t step = warps * Loads * load_bytes;
    std::vector<double> cycles;
    for (int s = -3; s < t.samples; ++s) {
        flush();
        start(depart<Loads>, t.launch, data.data() + static_cast<std::size_t>(s + 3) * step,
              transactions, out.data(), sink.data());
        finish();
        if (s >= 0) cycles.push_back(block_cycles(out.read()));
    }
    return cycles;
}

template <int Loads>
void add(plan& all, const gpu& g, std::uint32_t transactions, std::uint32_t warps) {
    task t;
    t.experiment = "departure";
    t.name = (transactions == 0 ? "coalesced" : "scattered") + std::string("_loads_") +
             std::to_string(Loads);
    t.size = transactions == 0 ? 4 : transactions;
    t.launch.block = {32 * warps, 1, 1};
    t.unit = "cycles";
    t.samples = samples;
    t.bytes = t.size * 32 * Loads * warps;
    t.warp_instructions = Loads;
    t.memory_bytes = dram_footprint(g.l2_bytes) + 2 * g.l2_bytes;
    t.kernel = reinterpret_cast<const void*>(depart<Loads>);
    t.measure = [g, transactions](const task& self) {
        return measure<Loads>(self, g, transactions);
    };
    all.push_back(std::move(t));
}

}  // namespace

plan departure_plan(const gpu& g) {
    plan all;
    for (const std::uint32_t transactions : {0U, 1U, 2U, 4U, 8U, 16U, 32U}) {
        for (const std::uint32_t warps : {1U, 2U, 4U, 6U, 8U, 12U, 16U, 20U, 24U, 28U, 32U}) {
            add<1>(all, g, transactions, warps);
            add<4>(all, g, transactions, warps);
        }
    }
    return all;
}
