// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The hybrid simulation: simulated warp instructions per second, of one workload (as published) and of whole grids,
// and how many times faster than the authors' program it computes that program's own results.
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include <warpgauge/devices/all.hpp>
#include <warpgauge/models/hybrid.hpp>

#include "../examples/parboil.hpp"

#ifdef GOLDEN
#include "../tests/simulate/golden.hpp"
#endif

namespace {

using warpgauge::instruction;
using warpgauge::unit_kind;
namespace devices = warpgauge::devices;

template <class Device>
void predict(benchmark::State& state, const Device& device, const streamed_kernel& kernel,
             warpgauge::equation_form form) {
    const warpgauge::kernel_profile<> k = kernel.profile();
    const warpgauge::hybrid_model model{device, {.form = form}};
    warpgauge::sm_workspace space;
    std::int64_t instructions = 0;
    std::uint64_t cycles = 0;
    for (auto _ : state) {
        const auto e = model.predict(k, space);
        if (!e) {
            state.SkipWithError(message(e.error()).c_str());
            break;
        }
        const auto& sm = e->sm;
        const std::uint64_t simulated = sm.blocks - sm.repeated_blocks - sm.extrapolated_blocks;
        instructions += static_cast<std::int64_t>(sm.warp_instructions / sm.blocks * simulated);
        cycles = sm.cycles;
    }
    state.SetItemsProcessed(instructions);
    state.counters["cycles"] = static_cast<double>(cycles);
}

streamed_kernel long_stream() {
    std::vector<instruction> chain(1'000'000, {.unit = unit_kind::single_precision, .needs = {1}});
    chain.front().needs = {};
    return {chain,
            {.name = "chain", .blocks = 120, .threads_per_block = 256, .registers_per_thread = 16}};
}

// Chains of multiply-adds, and of loads: issue and latency alone, or the bandwidth of DRAM.
streamed_kernel in_a_loop(instruction body) {
    body.needs = {warpgauge::own_result};
    return {{warpgauge::loop(4, 2000), body, body, body, body},
            {.name = "loop", .blocks = 120, .threads_per_block = 256, .registers_per_thread = 16}};
}
constexpr instruction fma{.unit = unit_kind::single_precision};
constexpr instruction load{.unit = unit_kind::l2_cache};
constexpr instruction dram_load{.unit = unit_kind::global_memory};

constexpr auto workload = warpgauge::equation_form::as_published;
constexpr auto grid = warpgauge::equation_form::corrected;

BENCHMARK_CAPTURE(predict, fma_k40, devices::tesla_k40{}, in_a_loop(fma), workload)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(predict, loads_k40, devices::tesla_k40{}, in_a_loop(load), workload)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(predict, sgemm_k40, devices::tesla_k40{}, sgemm(1024), workload)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(predict, stencil_k40, devices::tesla_k40{}, stencil(512), workload)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(predict, opt_stencil_k40, devices::tesla_k40{}, opt_stencil(512), workload)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(predict, fma_a100, devices::a100_sxm4_40gb{}, in_a_loop(fma), grid)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(predict, loads_a100, devices::a100_sxm4_40gb{}, in_a_loop(load), grid)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(predict, dram_loads_a100, devices::a100_sxm4_40gb{}, in_a_loop(dram_load), grid)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(predict, sgemm_a100_grid, devices::a100_sxm4_40gb{}, sgemm(512), grid)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(predict, sgemm_m2090, devices::tesla_m2090{}, sgemm(1024), workload)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(predict, stencil_h100, devices::h100_sxm5{}, stencil(512), workload)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(predict, sgemm_k40_grid, devices::tesla_k40{}, sgemm(1024), grid)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(predict, stencil_k40_grid, devices::tesla_k40{}, stencil(512), grid)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(predict, opt_stencil_k40_grid, devices::tesla_k40{}, opt_stencil(512), grid)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(predict, stencil_h100_grid, devices::h100_sxm5{}, stencil(512), grid)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(predict, million_instructions_64_warps, devices::tesla_k40{}, long_stream(),
                  workload)
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1);

#ifdef GOLDEN
// The last of a row's calls, on the state that those before leave.
void as_ppt(benchmark::State& state, const golden::row& row) {
    const golden::call& last = row.calls.back();
    warpgauge::ppt_state before;
    for (std::size_t i = 0; i + 1 < row.calls.size(); ++i) {
        if (!warpgauge::ppt_call(*row.tasks, row.calls[i].launch, row.gpu, before)) {
            state.SkipWithError("no result");
        }
    }
    std::int64_t instructions = 0;
    for (auto _ : state) {
        warpgauge::ppt_state now = before;
        const auto e = warpgauge::ppt_call(*row.tasks, last.launch, row.gpu, now);
        if (!e ||
            e->block_ends != last.expected.at("block_end_cycles").get<std::vector<double>>()) {
            state.SkipWithError("another result");
            break;
        }
        instructions += static_cast<std::int64_t>(e->warp_instructions);
    }
    state.SetItemsProcessed(instructions);
    // Seconds of the original over ours.
    state.counters["times_faster"] = benchmark::Counter(
        last.expected.at("wall_s").get<double>(), benchmark::Counter::kIsIterationInvariantRate);
}

const golden::book& reference() {
    static const golden::book book = golden::open(GOLDEN);
    return book;
}

const int registered = [] {
    int n = 0;
    for (const golden::row& row : reference().rows) {
        if (row.calls.back().expected.value("wall_s", 0.0) <= 0.1) continue;
        benchmark::RegisterBenchmark(("as_ppt/" + row.name).c_str(), as_ppt, row)
            ->Unit(benchmark::kMillisecond);
        ++n;
    }
    return n;
}();
#endif

}  // namespace
