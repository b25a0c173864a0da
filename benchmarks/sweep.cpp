// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nanoseconds for each of many predictions of MWP/CWP: one after the other, in batches of lanes, and with
// eight derivatives.
#include <array>
#include <cstddef>
#include <random>
#include <span>
#include <vector>

#include <benchmark/benchmark.h>

#ifdef WITH_BOOST
#include <boost/math/differentiation/autodiff.hpp>
#endif

#include <warpgauge/tune.hpp>
#include <warpgauge/warpgauge.hpp>

namespace {

using gpu = warpgauge::devices::geforce_gtx_280;
using profile = warpgauge::kernel_profile<>;

constexpr std::size_t count = 32768;

enum column {
    threads,
    resident,
    comp,
    coalesced,
    uncoalesced,
    barriers,
    transactions,
    column_count
};

// Launches that differ in all that an autotuner varies and take every case, in an order that no branch predictor
// learns.
struct launches {
    std::array<std::vector<double>, column_count> values;
    std::array<std::span<const double>, column_count> columns;
    std::vector<double> seconds = std::vector<double>(count);
};

launches make(bool with_occupancy) {
    launches l;
    std::mt19937 random(1);
    for (std::size_t n = 0; n < count; ++n) {
        const std::size_t i = random() % 1024;
        l.values[threads].push_back(32.0 + 32 * static_cast<double>(i % 16));
        l.values[resident].push_back(with_occupancy ? 0.0 : 1.0 + static_cast<double>(i % 4));
        l.values[comp].push_back(20 + 7 * static_cast<double>(i));
        l.values[coalesced].push_back(1.0 + static_cast<double>(i % 9));
        l.values[uncoalesced].push_back(static_cast<double>(i % 5));
        l.values[barriers].push_back(static_cast<double>(i % 3));
        l.values[transactions].push_back(2.0 + static_cast<double>(i % 31));
    }
    for (std::size_t c = 0; c < column_count; ++c) l.columns[c] = l.values[c];
    return l;
}

constexpr profile common{
    .blocks = 4096, .registers_per_thread = 14, .shared_bytes_per_block = 1000};

constexpr auto describe = [](auto p, auto& k) {
    k.threads_per_block = p[threads];
    k.active_blocks_per_sm = p[resident];
    k.comp_insts = p[comp];
    k.coalesced_mem_insts = p[coalesced];
    k.uncoalesced_mem_insts = p[uncoalesced];
    k.sync_insts = p[barriers];
    k.transactions_per_uncoalesced = p[transactions];
};

void per_prediction(benchmark::State& state, std::size_t predictions) {
    state.counters["ns"] = benchmark::Counter(
        static_cast<double>(predictions),
        benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

// The same columns, one configuration after the other. `set` makes a number of a value in a column.
template <class Real = double, class Model>
void loop(
    benchmark::State& state, const Model& model, bool with_occupancy,
    void (*set)(Real&, std::size_t, double) = [](Real& to, std::size_t, double x) { to = x; }) {
    const launches l = make(with_occupancy);
    std::vector<Real> seconds(count);
    for (auto _ : state) {
        auto k = warpgauge::profile_in<Real>(common);
        std::array<Real, column_count> point;
        for (std::size_t i = 0; i < count; ++i) {
            for (std::size_t c = 0; c < column_count; ++c) set(point[c], c, l.columns[c][i]);
            describe(std::span<const Real>(point), k);
            const auto e = model.predict(k);
            seconds[i] = e ? e->seconds : Real(0.0);
        }
        benchmark::DoNotOptimize(seconds.data());
        benchmark::ClobberMemory();
    }
    per_prediction(state, count);
}

template <class Model>
void batch(benchmark::State& state, const Model& model, bool with_occupancy) {
    launches l = make(with_occupancy);
    const warpgauge::described columns{common, describe};
    for (auto _ : state) {
        benchmark::DoNotOptimize(warpgauge::predict_batch(columns, model, l.columns, l.seconds));
        benchmark::DoNotOptimize(l.seconds.data());
        benchmark::ClobberMemory();
    }
    per_prediction(state, count);
}

// Kept from the optimiser, as a device that is read from a file.
template <class Real = double>
auto& runtime_device() {
    static auto device = warpgauge::edit<Real>(gpu{});
    benchmark::DoNotOptimize(&device);
    benchmark::ClobberMemory();
    return device;
}

void loop_static(benchmark::State& state) {
    loop(state, warpgauge::mwp_cwp_model<gpu>{}, false);
}
void batch_static(benchmark::State& state) {
    batch(state, warpgauge::mwp_cwp_model<gpu>{}, false);
}
void loop_runtime(benchmark::State& state) {
    loop(state, warpgauge::mwp_cwp_model{runtime_device()}, false);
}
void batch_runtime(benchmark::State& state) {
    batch(state, warpgauge::mwp_cwp_model{runtime_device()}, false);
}
void loop_static_occupancy(benchmark::State& state) {
    loop(state, warpgauge::mwp_cwp_model<gpu>{}, true);
}
void batch_static_occupancy(benchmark::State& state) {
    batch(state, warpgauge::mwp_cwp_model<gpu>{}, true);
}
void loop_runtime_occupancy(benchmark::State& state) {
    loop(state, warpgauge::mwp_cwp_model{runtime_device()}, true);
}
void batch_runtime_occupancy(benchmark::State& state) {
    batch(state, warpgauge::mwp_cwp_model{runtime_device()}, true);
}

// A whole space: its points are made on the way, and a constraint is asked of each.
void sweep_space(benchmark::State& state) {
    const launches l = make(true);
    const std::array<warpgauge::axis, 4> axes{
        warpgauge::axis{"threads", std::span(l.values[threads]).first(16)},
        {"transactions", std::span(l.values[transactions]).first(31)},
        {"coalesced", std::span(l.values[coalesced]).first(9)},
        {"comp", std::span(l.values[comp]).first(64)}};
    const warpgauge::configurations space{axes, common,
                                          [](auto p, auto& k) {
                                              k.threads_per_block = p[0];
                                              k.transactions_per_uncoalesced = p[1];
                                              k.coalesced_mem_insts = p[2];
                                              k.uncoalesced_mem_insts = 3.0;
                                              k.comp_insts = p[3];
                                          },
                                          [](std::span<const double> p) -> std::string_view {
                                              return p[1] * p[2] > 200 ? "too many transactions"
                                                                       : "";
                                          }};
    std::vector<double> seconds(*space.size());
    std::vector<warpgauge::model_error> errors(seconds.size());
    for (auto _ : state) {
        benchmark::DoNotOptimize(
            warpgauge::sweep(space, warpgauge::mwp_cwp_model<gpu>{}, {seconds, errors}));
        benchmark::ClobberMemory();
    }
    per_prediction(state, seconds.size());
}

// One evaluation with the derivatives in eight parameters, four of the kernel and four of the device.
void eight_derivatives(benchmark::State& state) {
    using real = warpgauge::gradient<8>;
    auto& device = runtime_device<real>();
    device.dram_latency_cycles.set_slope(4, 1);
    device.dram_bytes_per_s.set_slope(5, 1);
    device.issue_cycles.set_slope(6, 1);
    device.clock_hz.set_slope(7, 1);
    loop<real>(state, warpgauge::mwp_cwp_model{device}, false,
               [](real& to, std::size_t column, double x) {
                   to = x;
                   if (column < 4) to.set_slope(column, 1);
               });
}

#ifdef WITH_BOOST
// One evaluation with one derivative, by Boost.Math.
void one_derivative_boost(benchmark::State& state) {
    using real = boost::math::differentiation::autodiff_fvar<double, 1>;
    loop<real>(state, warpgauge::mwp_cwp_model{runtime_device<real>()}, false,
               [](real& to, std::size_t column, double x) {
                   to = column == comp ? boost::math::differentiation::make_fvar<double, 1>(x)
                                       : real(x);
               });
}

BENCHMARK(one_derivative_boost);
#endif

BENCHMARK(loop_static);
BENCHMARK(batch_static);
BENCHMARK(loop_runtime);
BENCHMARK(batch_runtime);
BENCHMARK(loop_static_occupancy);
BENCHMARK(batch_static_occupancy);
BENCHMARK(loop_runtime_occupancy);
BENCHMARK(batch_runtime_occupancy);
BENCHMARK(sweep_space);
BENCHMARK(eight_derivatives);

}  // namespace
