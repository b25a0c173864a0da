// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nanoseconds for one prediction of MWP/CWP, against the bare equations.
#include <array>
#include <cmath>
#include <cstddef>

#include <benchmark/benchmark.h>

#include <warpgauge/warpgauge.hpp>

#include "mwp_cwp_by_hand.hpp"

namespace {

using gpu = warpgauge::devices::geforce_gtx_280;
using profile = warpgauge::kernel_profile<>;

// Launches that differ in all that an autotuner varies, and take every case.
std::array<profile, 256> make_profiles() {
    std::array<profile, 256> all;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const auto x = static_cast<double>(i);
        all[i] = {.blocks = 1000 + 13 * x,
                  .threads_per_block = 32.0 + 32 * static_cast<double>(i % 16),
                  .active_blocks_per_sm = 1.0 + static_cast<double>(i % 4),
                  .comp_insts = 20 + 7 * x,
                  .coalesced_mem_insts = 1.0 + static_cast<double>(i % 9),
                  .uncoalesced_mem_insts = static_cast<double>(i % 5),
                  .sync_insts = static_cast<double>(i % 3),
                  .transactions_per_uncoalesced = 2.0 + static_cast<double>(i % 31)};
    }
    return all;
}

// Kept from the optimiser, so that no answer is known when the program is compiled.
const std::array<profile, 256>& profiles() {
    static std::array<profile, 256> all = make_profiles();
    benchmark::DoNotOptimize(all.data());
    benchmark::ClobberMemory();
    return all;
}

template <class Predict>
void run(benchmark::State& state, Predict predict) {
    const auto& all = profiles();
    std::size_t i = 0;
    for (auto _ : state) {
        benchmark::DoNotOptimize(predict(all[i]));
        i = (i + 1) % all.size();
    }
}

double predicted(const profile& k) {
    const auto e = warpgauge::mwp_cwp_model<gpu>{}.predict(k);
    return e ? e->cycles : 0;
}

void bare(benchmark::State& state) {
    for (const profile& k : profiles()) {
        if (std::abs(mwp_cwp_by_hand<gpu>(k) / predicted(k) - 1) > 1e-12) {
            state.SkipWithError("the bare equations disagree with predict");
        }
    }
    run(state, [](const profile& k) { return mwp_cwp_by_hand<gpu>(k); });
}

void static_device(benchmark::State& state) {
    run(state, [](const profile& k) { return predicted(k); });
}

void runtime_device(benchmark::State& state) {
    auto device = edit(gpu{});
    benchmark::DoNotOptimize(device);
    const warpgauge::mwp_cwp_model model{device};
    run(state, [&](const profile& k) {
        const auto e = model.predict(k);
        return e ? e->cycles : 0;
    });
}

void static_device_whole_estimate(benchmark::State& state) {
    run(state, [](const profile& k) { return warpgauge::mwp_cwp_model<gpu>{}.predict(k); });
}

void with_occupancy(benchmark::State& state) {
    run(state, [](profile k) {
        k.active_blocks_per_sm = 0;
        k.registers_per_thread = 14;
        k.shared_bytes_per_block = 1000;
        const auto e = warpgauge::mwp_cwp_model<gpu>{}.predict(k);
        return e ? e->cycles : 0;
    });
}

BENCHMARK(bare);
BENCHMARK(static_device);
BENCHMARK(runtime_device);
BENCHMARK(static_device_whole_estimate);
BENCHMARK(with_occupancy);

}  // namespace
