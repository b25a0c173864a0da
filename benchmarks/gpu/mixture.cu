// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Warps of one SM that compute and load in turn, for the computation parallel degree of Cheng & Suda
// 2011, sec. 3.4. They write that they found its constants by a micro-benchmark, and not by which; this
// is ours: the number of warps and the share of computation vary, and the time of a round is taken.
#include <memory>
#include <utility>

#include "chain.hpp"
#include "cycles.cuh"

namespace {

constexpr int rounds = 32;
constexpr int samples = 25;
constexpr std::size_t line_bytes = 128;

// A round: one coalesced load, then `Length` additions that each need the one before, the first of
// which needs what was loaded. The next load waits for the last of them.
template <int Length>
__global__ void mix(const float* data, interval* out, float* sink) {
    const std::size_t warp = threadIdx.x / 32;
    const float* p = data + warp * (rounds + 1) * (line_bytes / sizeof(float)) + threadIdx.x % 32;
    float x = __ldcg(p);  // the translation of the address
    const float y = x + 1.0f;
    if (clock_after(__float_as_uint(x)) == 0) return;
    __syncthreads();
    const std::int64_t begin = clock_now();
#pragma unroll 1
    for (int r = 0; r < rounds; ++r) {
        p += line_bytes / sizeof(float);
        float loaded;
        asm volatile("ld.global.cg.f32 %0, [%1];" : "=f"(loaded) : "l"(p) : "memory");
        x += loaded;
#pragma unroll
        for (int i = 0; i < Length; ++i)
            asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(x) : "f"(y));
        if (x == -1.0f) ++p;  // never, but the address now depends on it
    }
    const std::int64_t end = clock_after(__float_as_uint(x));
    if (threadIdx.x % 32 == 0) out[warp] = {begin, end};
    sink[threadIdx.x] = x;
}

// Cycles of a round. Every sample loads lines of its own, which are not in the L2 cache.
template <int Length>
std::vector<double> measure(const task& t, const gpu& g) {
    const std::size_t warps = t.launch.block[0] / 32;
    const std::size_t step = warps * (rounds + 1) * (line_bytes / sizeof(float));
    const std::size_t runs = static_cast<std::size_t>(t.samples) + 3;
    const device_array<float> data(runs * step);
    check(cudaMemset(data.data(), 0, data.bytes()));
    const l2_flush flush(g);
    const device_array<interval> out(warps);
    const device_array<float> sink(t.launch.block[0]);
    std::vector<double> cycles;
    for (std::size_t s = 0; s < runs; ++s) {
        flush();
        start(mix<Length>, t.launch, data.data() + s * step, out.data(), sink.data());
        finish();
        if (s >= 3) cycles.push_back(block_cycles(out.read()) / rounds);
    }
    return cycles;
}

template <int Length>
void add(plan& all, const gpu& g) {
    for (std::uint32_t warps = 1; warps <= 32; warps += warps < 8 ? 1 : 2) {
        task t;
        t.experiment = "mixture";
        t.name = "fma_for_each_load";
        t.size = Length;
        t.launch.block = {32 * warps, 1, 1};
        t.unit = "cycles";
        t.samples = samples;
        t.bytes = double{line_bytes} * warps * rounds;
        t.warp_instructions = double{Length} * rounds;
        t.memory_bytes = (samples + 3) * warps * (rounds + 1) * line_bytes + 2 * g.l2_bytes;
        t.kernel = reinterpret_cast<const void*>(mix<Length>);
        t.measure = [g](const task& self) { return measure<Length>(self, g); };
        all.push_back(std::move(t));
    }
}

}  // namespace

plan mixture_plan(const gpu& g) {
    plan all;
    add<8>(all, g);
    add<16>(all, g);
    add<32>(all, g);
    add<64>(all, g);
    add<128>(all, g);
    add<256>(all, g);
    add<512>(all, g);
    return all;
}
