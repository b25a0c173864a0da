// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nanoseconds for one prediction of the saturation model: of a device known when compiled, when run, and prepared;
// in batches of lanes, and with eight derivatives; beside MWP/CWP by hand.
#include <array>
#include <cmath>
#include <cstddef>
#include <random>
#include <span>
#include <vector>

#include <benchmark/benchmark.h>

#include <warpgauge/analyse/saturation_slopes.hpp>
#include <warpgauge/core/gradient.hpp>
#include <warpgauge/device/device.hpp>
#include <warpgauge/models/saturation.hpp>
#include <warpgauge/tune/sweep.hpp>

#include "mwp_cwp_by_hand.hpp"

namespace {

using profile = warpgauge::kernel_profile<>;

/// All that the model reads, but energies; and what MWP/CWP reads.
struct gpu {
    static constexpr double sm_count = 108;
    static constexpr double clock_hz = 1.41e9;
    static constexpr double dram_bytes_per_s = 1555e9;
    static constexpr double warp_size = 32;
    static constexpr double warp_schedulers = 4;
    static constexpr double issues_per_scheduler = 1;
    static constexpr double cuda_cores = 64;
    static constexpr double integer_units = 64;
    static constexpr double double_precision_units = 32;
    static constexpr double special_function_units = 16;
    static constexpr double tensor_fma_per_cycle = 1024;
    static constexpr double l1_latency_cycles = 36;
    static constexpr double l2_latency_cycles = 213;
    static constexpr double dram_latency_cycles = 574;
    static constexpr double l2_bytes = 40e6;
    static constexpr double l1_bytes_per_cycle = 126;
    static constexpr double l2_bytes_per_cycle = 35.7;
    static constexpr double dram_read_fraction = 0.96;
    static constexpr double dram_write_fraction = 0.97;
    static constexpr double dram_mixed_fraction = 0.89;
    static constexpr double sustained_clock_hz = 1.23e9;
    static constexpr double launch_overhead_s = 2e-6;
    static constexpr double issue_cycles = 1;
    static constexpr double coalesced_departure_cycles = 2;
    static constexpr double uncoalesced_departure_cycles = 4;
};

constexpr std::size_t count = 32768;

enum column { threads, resident, comp, mem, wait, column_count };

// Launches that differ in all that an autotuner varies, in an order that no branch predictor learns.
struct launches {
    std::array<std::vector<double>, column_count> values;
    std::array<std::span<const double>, column_count> columns;
    std::vector<double> seconds = std::vector<double>(count);
};

launches make_launches() {
    launches l;
    std::mt19937 random(1);
    for (std::size_t n = 0; n < count; ++n) {
        const std::size_t i = random() % 1024;
        l.values[threads].push_back(32.0 + 32 * static_cast<double>(i % 16));
        l.values[resident].push_back(1.0 + static_cast<double>(i % 4));
        l.values[comp].push_back(20 + 7 * static_cast<double>(i));
        l.values[mem].push_back(1.0 + static_cast<double>(i % 9));
        l.values[wait].push_back(1.0 + static_cast<double>(i % 5));
    }
    for (std::size_t c = 0; c < column_count; ++c) l.columns[c] = l.values[c];
    return l;
}

/// What a launch of those columns does; `traced`: with all that a trace gives.
template <bool Traced>
struct describe {
    template <class Real>
    void operator()(std::span<const Real> p, warpgauge::kernel_profile<Real>& k) const {
        k.blocks = Real(1e6) / p[threads];
        k.threads_per_block = p[threads];
        k.active_blocks_per_sm = p[resident];
        k.comp_insts = p[comp];
        k.coalesced_mem_insts = p[mem];
        if constexpr (Traced) {
            k.ops.fp32_ops = Real(32.0) * p[comp];
            k.ops.integer_ops = Real(8.0) * p[comp];
            k.accesses.load_sectors = Real(4.0) * p[mem];
            k.accesses.full_store_sectors = Real(4.0);
            k.accesses.lines = Real(1.0) + p[mem];
            k.accesses.broadcast_loads = Real(1.0);
            k.waits.steps = p[wait];
            k.waits.longest_steps = p[wait] + Real(1.0);
            k.traffic.footprint_bytes = Real(48e6);
        }
    }
};

template <bool Traced>
const std::vector<profile>& profiles() {
    static const std::vector<profile> all = [] {
        const launches l = make_launches();
        std::vector<profile> made(count);
        for (std::size_t n = 0; n < count; ++n) {
            std::array<double, column_count> point{};
            for (std::size_t c = 0; c < column_count; ++c) point[c] = l.values[c][n];
            describe<Traced>{}(std::span<const double>(point), made[n]);
        }
        made.resize(256);  // that the nearest caches hold
        return made;
    }();
    return all;
}

template <bool Traced, class Predict>
void run(benchmark::State& state, Predict predict) {
    const auto& all = profiles<Traced>();
    std::size_t i = 0;
    for (auto _ : state) {
        benchmark::DoNotOptimize(predict(all[i]));
        i = (i + 1) % all.size();
    }
}

void by_hand(benchmark::State& state) {
    run<false>(state, mwp_cwp_by_hand<gpu>);
}

template <bool Traced>
void static_device(benchmark::State& state) {
    run<Traced>(state, [](const profile& k) {
        const auto e = warpgauge::saturation_model<gpu>{}.predict(k);
        return e ? e->seconds : 0;
    });
}

template <bool Traced>
void runtime_device(benchmark::State& state) {
    auto device = warpgauge::edit(gpu{});
    benchmark::DoNotOptimize(device);
    const warpgauge::saturation_model model{device};
    run<Traced>(state, [&](const profile& k) {
        const auto e = model.predict(k);
        return e ? e->seconds : 0;
    });
}

template <bool Traced>
void prepared_device(benchmark::State& state) {
    auto device = warpgauge::edit(gpu{});
    benchmark::DoNotOptimize(device);
    const auto model = warpgauge::saturation_model{device}.prepared();
    run<Traced>(state, [&](const profile& k) {
        const auto e = model.predict(k);
        return e ? e->seconds : 0;
    });
}

void static_device_whole_estimate(benchmark::State& state) {
    run<true>(state,
              [](const profile& k) { return warpgauge::saturation_model<gpu>{}.predict(k); });
}

template <bool Traced>
void batch(benchmark::State& state) {
    launches l = make_launches();
    const warpgauge::described space{profile{}, describe<Traced>{}};
    for (auto _ : state) {
        const auto predicted = warpgauge::predict_batch(space, warpgauge::saturation_model<gpu>{},
                                                        l.columns, l.seconds);
        if (!predicted || *predicted != count) state.SkipWithError("not all have a time");
        benchmark::DoNotOptimize(l.seconds.data());
        benchmark::ClobberMemory();
    }
    state.counters["per configuration"] = benchmark::Counter(
        static_cast<double>(count),
        benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

/// Eight derivatives at a time: of the launch, the counts and two of the device.
template <bool Traced>
void with_gradient(benchmark::State& state) {
    using real = warpgauge::gradient<8>;
    auto device = warpgauge::edit<real>(gpu{});
    device.dram_bytes_per_s.set_slope(6, 1);
    device.clock_hz.set_slope(7, 1);
    benchmark::DoNotOptimize(device);
    const warpgauge::saturation_model model{device};
    std::vector<warpgauge::kernel_profile<real>> all;
    for (const profile& k : profiles<Traced>()) {
        auto g = warpgauge::profile_in<real>(k);
        g.blocks.set_slope(0, 1);
        g.threads_per_block.set_slope(1, 1);
        g.comp_insts.set_slope(2, 1);
        g.coalesced_mem_insts.set_slope(3, 1);
        g.accesses.load_sectors.set_slope(4, 1);
        g.waits.steps.set_slope(5, 1);
        all.push_back(g);
    }
    std::size_t i = 0;
    for (auto _ : state) {
        const auto e = model.predict(all[i]);
        benchmark::DoNotOptimize(e ? e->seconds : real(0.0));
        i = (i + 1) % all.size();
    }
}

/// The time and its slopes in all parameters that the model reads.
template <bool Traced>
void all_slopes_static_device(benchmark::State& state) {
    run<Traced>(state, [](const profile& k) {
        return warpgauge::predict_with_slopes(warpgauge::saturation_model<gpu>{}, k);
    });
}

template <bool Traced>
void all_slopes_runtime_device(benchmark::State& state) {
    auto device = warpgauge::edit(gpu{});
    benchmark::DoNotOptimize(device);
    const warpgauge::saturation_model model{device};
    run<Traced>(state, [&](const profile& k) { return warpgauge::predict_with_slopes(model, k); });
}

BENCHMARK(by_hand);
BENCHMARK(static_device<false>)->Name("static_device/counts");
BENCHMARK(static_device<true>)->Name("static_device/traced");
BENCHMARK(runtime_device<false>)->Name("runtime_device/counts");
BENCHMARK(runtime_device<true>)->Name("runtime_device/traced");
BENCHMARK(prepared_device<false>)->Name("prepared_device/counts");
BENCHMARK(prepared_device<true>)->Name("prepared_device/traced");
BENCHMARK(static_device_whole_estimate);
BENCHMARK(batch<false>)->Name("batch/counts");
BENCHMARK(batch<true>)->Name("batch/traced");
BENCHMARK(all_slopes_static_device<false>)->Name("all_slopes/static_device/counts");
BENCHMARK(all_slopes_static_device<true>)->Name("all_slopes/static_device/traced");
BENCHMARK(all_slopes_runtime_device<false>)->Name("all_slopes/runtime_device/counts");
BENCHMARK(all_slopes_runtime_device<true>)->Name("all_slopes/runtime_device/traced");
BENCHMARK(with_gradient<false>)->Name("with_gradient/counts");
BENCHMARK(with_gradient<true>)->Name("with_gradient/traced");

}  // namespace
