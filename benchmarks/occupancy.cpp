// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nanoseconds for one occupancy, against the calculator of the CUDA toolkit on the same inputs.
#include <array>
#include <cstddef>

#include <benchmark/benchmark.h>

#include <warpgauge/device/sm_limits.hpp>
#include <warpgauge/sm/occupancy.hpp>

#ifdef WITH_CUDA_CALCULATOR
#include <cuda_calculator.hpp>
#endif

namespace {

struct launch {
    int threads, registers, shared;
};

constexpr std::size_t count = 128;  // all profiles fit the first-level cache

// The same launches for both, each in its own words. Kept from the optimiser, so that no answer is
// known when the program is compiled.
struct inputs {
    std::array<launch, count> launches;
    std::array<warpgauge::kernel_profile<>, count> profiles;
};

const inputs& all_inputs() {
    static inputs all = [] {
        inputs made;
        for (std::size_t i = 0; i < count; ++i) {
            const int n = static_cast<int>(i);
            const launch l{32 + 32 * (n % 32), 8 + n % 56, n * 173 % 20000};
            made.launches[i] = l;
            made.profiles[i] = {.threads_per_block = static_cast<double>(l.threads),
                                .registers_per_thread = static_cast<double>(l.registers),
                                .shared_bytes_per_block = static_cast<double>(l.shared)};
        }
        return made;
    }();
    benchmark::DoNotOptimize(&all);
    benchmark::ClobberMemory();
    return all;
}

template <class Input, class Count>
void run(benchmark::State& state, const std::array<Input, count>& all, Count blocks) {
    std::size_t i = 0;
    for (auto _ : state) {
        benchmark::DoNotOptimize(blocks(all[i]));
        i = (i + 1) % count;
    }
}

template <class Device>
[[gnu::always_inline]] inline double blocks(const warpgauge::kernel_profile<>& k,
                                            const Device& device) {
    const auto o = warpgauge::occupancy(k, device);
    return o ? o->active_blocks_per_sm : 0;
}

void static_device(benchmark::State& state) {
    run(state, all_inputs().profiles, [](const warpgauge::kernel_profile<>& k) {
        return blocks(k, warpgauge::sm_limits_of<8, 0>{});
    });
}

void runtime_device(benchmark::State& state) {
    warpgauge::sm_limits limits = *warpgauge::limits_of({8, 0});
    benchmark::DoNotOptimize(limits);
    run(state, all_inputs().profiles,
        [&](const warpgauge::kernel_profile<>& k) { return blocks(k, limits); });
}

BENCHMARK(static_device);
BENCHMARK(runtime_device);

#ifdef WITH_CUDA_CALCULATOR
void cuda_occupancy_h(benchmark::State& state) {
    cuda_calculator cuda(*warpgauge::limits_of({8, 0}));
    benchmark::DoNotOptimize(cuda);
    run(state, all_inputs().launches,
        [&](const launch& l) { return cuda.blocks(l.threads, l.registers, l.shared); });
}
BENCHMARK(cuda_occupancy_h);
#endif

}  // namespace
