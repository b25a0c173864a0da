// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nanoseconds for one prediction of MWP/CWP, against the bare equations.
#include <array>
#include <cmath>
#include <cstddef>

#include <benchmark/benchmark.h>

#include <warpgauge/warpgauge.hpp>

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

// Hong & Kim 2009, eqs. (5)-(24) with (26)-(27), as somebody writes them down for the GTX 280: the
// constants in place, no checks, no intermediate kept.
double bare_equations(const profile& k) {
    const double active_sms = k.blocks < 30 ? k.blocks : 30;
    const double share_of_sm = k.blocks / 30;
    const double whole = static_cast<double>(static_cast<long>(share_of_sm));
    const double most = whole < share_of_sm ? whole + 1 : whole;
    const double blocks = k.active_blocks_per_sm < most ? k.active_blocks_per_sm : most;
    const double n =
        blocks * static_cast<double>(static_cast<long>((k.threads_per_block + 31) / 32));
    const double rep = k.blocks / (blocks * active_sms);
    const double mem_insts = k.coalesced_mem_insts + k.uncoalesced_mem_insts;
    const double share = k.uncoalesced_mem_insts / mem_insts;
    const double latency_uncoal = 450 + (k.transactions_per_uncoalesced - 1) * 40;
    const double latency = latency_uncoal * share + 450 * (1 - share);
    const double departure = 40 * k.transactions_per_uncoalesced * share + 4 * (1 - share);
    double mwp = latency / departure;
    const double peak = 141.7e9 / (1.3e9 * k.bytes_per_access * 32 / latency * active_sms);
    if (peak < mwp) mwp = peak;
    if (n < mwp) mwp = n;
    const double mem = latency_uncoal * k.uncoalesced_mem_insts + 450 * k.coalesced_mem_insts;
    const double comp = 4 * (k.comp_insts + mem_insts);
    const double rounds = rep > 1 ? rep : 1;
    const double some_uncoal = k.uncoalesced_mem_insts < 1 ? k.uncoalesced_mem_insts : 1;
    const double some = mem_insts < 1 ? mem_insts : 1;
    const double period = 450 * some + (latency_uncoal - 450) * some_uncoal;
    const double comp_period = comp * period / mem;
    const double others = mwp > 1 ? mwp - 1 : 0;
    double cycles = mem * n / mwp + comp_period * others;
    const double few_warps = mem + comp + comp_period * (n - 1);
    if (few_warps > cycles) cycles = few_warps;
    const double issued = period + comp * n;
    if (issued > cycles) cycles = issued;
    const double delay_uncoal = 40 * k.transactions_per_uncoalesced;
    const double longest_coal = 4 * (n - 1) < 446 ? 4 * (n - 1) : 446;
    const double queue = delay_uncoal * (n - 1);
    const double rest = latency_uncoal - delay_uncoal;
    const double longest_uncoal = queue < rest ? queue : rest;
    const double least = longest_uncoal < longest_coal ? longest_uncoal : longest_coal;
    const double some_coal = k.coalesced_mem_insts < 1 ? k.coalesced_mem_insts : 1;
    const double barrier =
        least * some + (longest_uncoal - least) * some_uncoal + (longest_coal - least) * some_coal;
    return (cycles + barrier * k.sync_insts * blocks) * rounds;
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
        if (std::abs(bare_equations(k) / predicted(k) - 1) > 1e-12) {
            state.SkipWithError("the bare equations disagree with predict");
        }
    }
    run(state, [](const profile& k) { return bare_equations(k); });
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
