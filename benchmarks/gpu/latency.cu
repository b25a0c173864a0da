// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How long a load takes with nothing else under way: one thread follows a chain of addresses, each of
// which is loaded from the one before.
#include <algorithm>
#include <utility>

#include "chain.hpp"
#include "cycles.cuh"

namespace {

struct load_through_l1 {
    __device__ static std::uint64_t next(std::uint64_t p) {
        asm volatile("ld.global.ca.u64 %0, [%0];" : "+l"(p)::"memory");
        return p;
    }
};
struct load_past_l1 {
    __device__ static std::uint64_t next(std::uint64_t p) {
        asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(p)::"memory");
        return p;
    }
};
struct load_shared {
    __device__ static std::uint64_t next(std::uint64_t p) {
        std::uint32_t q = static_cast<std::uint32_t>(p);
        asm volatile("ld.shared.u32 %0, [%0];" : "+r"(q)::"memory");
        return q;
    }
};

constexpr int steps_per_round = 16;  // so that the loop's own instructions hide behind the loads
constexpr int timed_rounds = 128;
constexpr int samples = 25;

template <class Load>
__device__ std::uint64_t follow(std::uint64_t p, int rounds) {
#pragma unroll 1
    for (int r = 0; r < rounds; ++r) {
#pragma unroll
        for (int i = 0; i < steps_per_round; ++i) p = Load::next(p);
    }
    return p;
}

// Goes on where the launch before stopped, so that a long chain never meets its own cached steps.
template <class Load>
__global__ void chase(std::uint64_t* place, int untimed, int timed, interval* out) {
    std::uint64_t p = follow<Load>(*place, untimed);
    const std::int64_t begin = clock_after(p);
    p = follow<Load>(p, timed);
    *out = {begin, clock_after(p)};
    *place = p;
}

// The same in shared memory: words of 4 B that hold the address of another, in a random circle.
__global__ void chase_shared(const std::uint32_t* next, int words, int timed, interval* out,
                             std::uint64_t* last) {
    extern __shared__ std::uint32_t chain[];
    const auto base = static_cast<std::uint32_t>(__cvta_generic_to_shared(chain));
    for (int i = 0; i < words; ++i) chain[i] = base + next[i] * 4;
    __syncthreads();
    std::uint64_t p = follow<load_shared>(base, 1);
    const std::int64_t begin = clock_after(p);
    p = follow<load_shared>(p, timed);
    *out = {begin, clock_after(p)};
    *last = p;
}

double cycles_per_step(const interval& i) {
    return static_cast<double>(i.stop - i.start) / (timed_rounds * steps_per_round);
}

// The chain in the GPU's memory: the address of the next node at the start of each.
device_array<std::uint64_t> upload(const std::vector<std::uint32_t>& next) {
    constexpr std::size_t words = node_bytes / sizeof(std::uint64_t);
    device_array<std::uint64_t> nodes(next.size() * words);
    const auto base = reinterpret_cast<std::uint64_t>(nodes.data());
    std::vector<std::uint64_t> chain(next.size() * words);
    for (std::size_t i = 0; i < next.size(); ++i) {
        chain[i * words] = base + std::uint64_t{next[i]} * node_bytes;
    }
    nodes.write(chain);
    return nodes;
}

// What a chain finds in a cache.
enum class warm {
    every_launch,  // its nodes, by going round it once before: L1 starts every kernel empty
    first_launch,  // the same, but of L2, which keeps them
    never,         // nothing: L2 is full of other lines, and no node is met twice
};

template <class Load>
std::vector<double> measure_chain(const task& t, const gpu& g, std::size_t window_bytes,
                                  warm caches) {
    const auto bytes = static_cast<std::size_t>(t.size);
    const auto next = make_chain(bytes / node_bytes, std::min(window_bytes, bytes) / node_bytes);
    const device_array<std::uint64_t> nodes = upload(next);
    device_array<std::uint64_t> place(1);
    place.write({reinterpret_cast<std::uint64_t>(nodes.data())});
    const device_array<interval> out(1);
    const int once_round = static_cast<int>(next.size() / steps_per_round) + 1;
    std::vector<double> cycles;
    for (int s = -1; s < t.samples; ++s) {
        if (s < 0 && caches == warm::never) l2_flush{g}();
        const bool go_round =
            caches == warm::every_launch || (caches == warm::first_launch && s < 0);
        start(chase<Load>, t.launch, place.data(), go_round ? once_round : 1, timed_rounds,
              out.data());
        finish();
        if (s >= 0) cycles.push_back(cycles_per_step(out.read().at(0)));
    }
    return cycles;
}

std::vector<double> measure_shared(const task& t) {
    const auto words = static_cast<std::size_t>(t.size) / 4;
    const device_array<std::uint32_t> next(make_chain(words, words));
    const device_array<interval> out(1);
    const device_array<std::uint64_t> last(1);
    std::vector<double> cycles;
    for (int s = -1; s < t.samples; ++s) {
        start(chase_shared, t.launch, next.data(), static_cast<int>(words), timed_rounds,
              out.data(), last.data());
        finish();
        if (s >= 0) cycles.push_back(cycles_per_step(out.read().at(0)));
    }
    return cycles;
}

task chain_task(const char* name, std::size_t bytes) {
    task t;
    t.experiment = "latency";
    t.name = name;
    t.size = static_cast<double>(bytes);
    t.unit = "cycles";
    t.samples = samples;
    t.warp_instructions = timed_rounds * steps_per_round;
    t.memory_bytes = bytes;
    return t;
}

}  // namespace

plan latency_plan(const gpu& g) {
    plan all;
    {
        task t = chain_task("shared", 4096);
        t.launch.shared_bytes = 4096;
        t.kernel = reinterpret_cast<const void*>(chase_shared);
        t.measure = measure_shared;
        all.push_back(std::move(t));
    }
    for (std::size_t bytes = 4096; bytes <= 1 << 20; bytes *= 2) {
        task t = chain_task("through_l1", bytes);
        t.kernel = reinterpret_cast<const void*>(chase<load_through_l1>);
        t.measure = [g](const task& self) {
            return measure_chain<load_through_l1>(self, g, page_bytes, warm::every_launch);
        };
        all.push_back(std::move(t));
    }
    for (std::size_t bytes = 1 << 15; bytes < 2 * dram_footprint(g.l2_bytes); bytes *= 2) {
        const warm caches = bytes <= 2 * g.l2_bytes ? warm::first_launch : warm::never;
        for (const bool paged : {false, true}) {
            if (paged && bytes <= page_bytes) continue;
            task t = chain_task(paged ? "past_l1_by_page" : "past_l1", bytes);
            t.kernel = reinterpret_cast<const void*>(chase<load_past_l1>);
            t.memory_bytes += 2 * g.l2_bytes;
            t.measure = [g, caches, window = paged ? page_bytes : bytes](const task& self) {
                return measure_chain<load_past_l1>(self, g, window, caches);
            };
            all.push_back(std::move(t));
        }
    }
    return all;
}
