// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What it costs to wait: for the warps of a block, and for the end of a kernel.
#include <algorithm>
#include <chrono>
#include <utility>

#include "cycles.cuh"

namespace {

constexpr int rounds = 256;
constexpr int shorter = 16, longer = 32;  // barriers in the loop
constexpr int samples = 25;
constexpr int launches_in_a_row = 200;  // fewer than the driver lets wait

template <int Length>
__global__ void barriers(int times, interval* out) {
    __syncthreads();
    const std::int64_t begin = clock_now();
#pragma unroll 1
    for (int r = 0; r < times; ++r) {
#pragma unroll
        for (int i = 0; i < Length; ++i) asm volatile("bar.sync 0;" ::: "memory");
    }
    const std::int64_t end = clock_now();
    if (threadIdx.x % 32 == 0) out[threadIdx.x / 32] = {begin, end};
}

// As in throughput.cu, from two lengths of the loop.
std::vector<double> measure_barrier(const task& t) {
    const device_array<interval> out(t.launch.block[0] / 32);
    const auto time = [&](auto kernel) {
        start(kernel, t.launch, rounds, out.data());
        finish();
        return block_cycles(out.read());
    };
    std::vector<double> cycles;
    for (int s = -3; s < t.samples; ++s) {
        const double less = time(barriers<shorter>);
        const double more = time(barriers<longer>);
        if (s >= 0) cycles.push_back((more - less) / ((longer - shorter) * rounds));
    }
    return cycles;
}

__global__ void nothing() {}

// Keeps the stream waiting while the host prepares what follows.
__global__ void hold(std::int64_t nanoseconds) {
    const std::int64_t first = nanoseconds_now();
    while (nanoseconds_now() - first < nanoseconds) {
    }
}

using host_clock = std::chrono::steady_clock;

double nanoseconds_since(host_clock::time_point start) {
    return std::chrono::duration<double, std::nano>(host_clock::now() - start).count();
}

// Of the host's time, from the first launch of many to the end of the last.
std::vector<double> measure_launches(const task& t, bool wait_each_time) {
    std::vector<double> ns;
    for (int s = -3; s < t.samples; ++s) {
        finish();
        const auto begin = host_clock::now();
        for (int i = 0; i < launches_in_a_row; ++i) {
            start(nothing, t.launch);
            if (wait_each_time) finish();
        }
        finish();
        if (s >= 0) ns.push_back(nanoseconds_since(begin) / launches_in_a_row);
    }
    return ns;
}

// Of the GPU's time, from one kernel's start to the next one's, all of which were there before.
std::vector<double> measure_restart(const task& t) {
    constexpr std::int64_t held_ns = 20'000'000;
    stopwatch watch;
    std::vector<double> ns;
    for (int s = -3; s < t.samples; ++s) {
        finish();
        const auto begin = host_clock::now();
        start(hold, {}, held_ns);
        watch.start();
        for (int i = 0; i < launches_in_a_row; ++i) start(nothing, t.launch);
        watch.stop();
        const bool in_time = nanoseconds_since(begin) < static_cast<double>(held_ns) / 2;
        const double ms = watch.milliseconds();
        if (!in_time)
            throw std::runtime_error("the host was too slow to launch kernels in advance");
        if (s >= 0) ns.push_back(1e6 * ms / launches_in_a_row);
    }
    return ns;
}

// What an empty kernel takes by the means of kernels.cu: no kernel can seem to take less.
std::vector<double> measure_between_events(const task& t, const gpu& g) {
    const l2_flush flush(g);
    stopwatch watch;
    std::vector<double> ns;
    for (int s = -3; s < t.samples; ++s) {
        flush();
        watch.start();
        start(nothing, t.launch);
        watch.stop();
        const double ms = watch.milliseconds();
        if (s >= 0) ns.push_back(1e6 * ms);
    }
    return ns;
}

task sync_task(const char* name, std::uint32_t blocks, std::uint32_t threads, const char* unit) {
    task t;
    t.experiment = "sync";
    t.name = name;
    t.size = threads / 32;
    t.launch = {{blocks, 1, 1}, {threads, 1, 1}};
    t.unit = unit;
    t.samples = samples;
    return t;
}

}  // namespace

plan sync_plan(const gpu& g) {
    plan all;
    for (const std::uint32_t warps : {1U, 2U, 3U, 4U, 6U, 8U, 12U, 16U, 20U, 24U, 28U, 32U}) {
        task t = sync_task("barrier", 1, 32 * warps, "cycles");
        t.warp_instructions = double{longer - shorter} * rounds;
        t.kernel = reinterpret_cast<const void*>(barriers<longer>);
        t.measure = measure_barrier;
        all.push_back(std::move(t));
    }
    for (const bool wait : {false, true}) {
        task t = sync_task(wait ? "launch_and_wait" : "launch", 1, 32, "ns");
        t.kernel = reinterpret_cast<const void*>(nothing);
        t.measure = [wait](const task& self) { return measure_launches(self, wait); };
        all.push_back(std::move(t));
    }
    {
        task t = sync_task("between_events", 1, 32, "ns");
        t.memory_bytes = 2 * g.l2_bytes;
        t.kernel = reinterpret_cast<const void*>(nothing);
        t.measure = [g](const task& self) { return measure_between_events(self, g); };
        all.push_back(std::move(t));
    }
    // GlbSync (Meng & Skadron 2009, sec. 4.4): restarting a kernel of as many empty blocks as fit.
    for (const std::uint32_t threads : {32U, 64U, 128U, 256U, 512U, 1024U}) {
        const int fit =
            std::min(g.max_blocks_per_sm, g.max_warps_per_sm * 32 / static_cast<int>(threads));
        task t = sync_task("restart", static_cast<std::uint32_t>(fit * g.sm_count), threads, "ns");
        t.kernel = reinterpret_cast<const void*>(nothing);
        t.measure = measure_restart;
        all.push_back(std::move(t));
    }
    return all;
}
