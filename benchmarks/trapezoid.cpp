// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nanoseconds for cycles per loop and for the best height, against the bare equations.
#include <array>
#include <cmath>
#include <cstddef>

#include <benchmark/benchmark.h>

#include <warpgauge/devices/geforce_gtx_280.hpp>
#include <warpgauge/models/trapezoid.hpp>

#include "../examples/stencils.hpp"

namespace {

using profile = warpgauge::kernel_profile<>;
constexpr warpgauge::trapezoid_model<warpgauge::devices::geforce_gtx_280> model;

// Tiles of HotSpot that differ in all that a tuner varies; kept from the optimiser.
struct input {
    profile stencil;
    double height;
};

const std::array<input, 64>& inputs() {
    static std::array<input, 64> all = [] {
        std::array<input, 64> made;
        for (std::size_t i = 0; i < made.size(); ++i) {
            made[i].stencil = ghost_zone_stencils[1];
            made[i].stencil.stencil.block_length = 12 + static_cast<double>(i % 20);
            made[i].height = 1 + static_cast<double>(i % 5);
        }
        return made;
    }();
    benchmark::DoNotOptimize(&all);
    benchmark::ClobberMemory();
    return all;
}

// Meng & Skadron 2009, (1)-(15) on the GTX 280: the constants in place, no checks, no part kept.
double bare_equations(const profile& k, double h) {
    const auto& s = k.stencil;
    double data = 1, first = 1, computed = 1, top = 1;
    for (std::size_t i = 0; i < static_cast<std::size_t>(s.dimensions); ++i) {
        data *= s.data_length[i];
        first *= s.block_length;
        computed *= s.block_length - s.halo_width[i];
        top *= s.block_length - s.halo_width[i] * h;
    }
    const double trapezoids = data / top;
    const double latency = trapezoids / 240 * 300;
    const double per_element = s.dimensions / 4.0 * (64 / (141.7e9 / 1.3e9)) / 16;
    const double load = s.stencil_arrays * (latency + per_element * trapezoids * first);
    const double commit = latency + per_element * trapezoids * top;
    const double iter_mem = s.elements_per_op * h * (latency + per_element * trapezoids * computed);
    const double scale = 30 / s.profiled_elements * 4;
    const double misc = s.misc_insts_per_sm * scale * first;
    const double iter = h * s.iter_insts_per_sm * scale * computed;
    return (3350 + load + commit + iter_mem + (misc + iter) * trapezoids / 30) / h;
}

template <class Compute>
void run(benchmark::State& state, Compute compute) {
    const auto& all = inputs();
    std::size_t i = 0;
    for (auto _ : state) {
        benchmark::DoNotOptimize(compute(all[i]));
        i = (i + 1) % all.size();
    }
}

double cycles(const input& in) {
    const auto e = model.cycles_per_loop(in.stencil, in.height);
    return e ? e->cycles_per_loop : 0;
}

void bare(benchmark::State& state) {
    for (const input& in : inputs()) {
        if (std::abs(bare_equations(in.stencil, in.height) / cycles(in) - 1) > 1e-12) {
            state.SkipWithError("the bare equations disagree with cycles_per_loop");
        }
    }
    run(state, [](const input& in) { return bare_equations(in.stencil, in.height); });
}

void cycles_per_loop(benchmark::State& state) {
    run(state, [](const input& in) { return cycles(in); });
}

void sixty_cycles_per_loop(benchmark::State& state) {
    run(state, [](const input& in) {
        double sum = 0;
        for (int i = 0; i < 60; ++i) sum += cycles({in.stencil, 1 + i / 15.0});
        return sum;
    });
}

void optimal_height(benchmark::State& state) {
    run(state, [](const input& in) { return model.optimal_height(in.stencil)->cycles_per_loop; });
}

// The widest search of the paper's applications: PathFinder, heights 1 to 127.
void optimal_height_path_finder(benchmark::State& state) {
    profile k = ghost_zone_stencils[0];
    benchmark::DoNotOptimize(k);
    for (auto _ : state) {
        benchmark::DoNotOptimize(model.optimal_height(k)->cycles_per_loop);
    }
}

BENCHMARK(bare);
BENCHMARK(cycles_per_loop);
BENCHMARK(sixty_cycles_per_loop);
BENCHMARK(optimal_height);
BENCHMARK(optimal_height_path_finder);

}  // namespace
