// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading PTX, against a checksum of the same text, byte by byte; and following kernels' warps.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include <warpgauge/ptx.hpp>

#include "ptx/kernels.hpp"

namespace {

std::string read(const std::filesystem::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// All kernels' PTX, one text each.
const std::vector<std::string>& texts() {
    static const std::vector<std::string> all = [] {
        std::vector<std::filesystem::path> paths;
        for (const auto& entry : std::filesystem::directory_iterator(KERNELS)) {
            if (entry.path().extension() == ".ptx") paths.push_back(entry.path());
        }
        std::sort(paths.begin(), paths.end());
        std::vector<std::string> all_texts;
        for (const auto& path : paths) all_texts.push_back(read(path));
        return all_texts;
    }();
    return all;
}

std::int64_t bytes() {
    std::size_t n = 0;
    for (const std::string& t : texts()) n += t.size();
    return static_cast<std::int64_t>(n);
}

// FNV-1a: every byte waits for the one before.
void checksum(benchmark::State& state) {
    for (auto _ : state) {
        std::uint64_t hash = 14'695'981'039'346'656'037U;
        for (const std::string& t : texts()) {
            for (const char c : t) {
                hash = (hash ^ static_cast<unsigned char>(c)) * 1'099'511'628'211U;
            }
        }
        benchmark::DoNotOptimize(hash);
    }
    state.SetBytesProcessed(state.iterations() * bytes());
}
BENCHMARK(checksum);

void parse(benchmark::State& state) {
    for (auto _ : state) {
        for (const std::string& t : texts()) {
            auto m = warpgauge::ptx::parse(t);
            if (!m) state.SkipWithError("no module");
            benchmark::DoNotOptimize(m);
        }
    }
    state.SetBytesProcessed(state.iterations() * bytes());
}
BENCHMARK(parse);

// One text of so many bytes: all kernels, again and again. What is repeated has the memory of the time before.
std::string long_text(std::int64_t bytes) {
    std::string all = ".version 9.0\n.target sm_90\n.address_size 64\n";
    for (std::size_t n = 0; all.size() < static_cast<std::size_t>(bytes); ++n) {
        const std::string& t = texts()[n % texts().size()];
        all += t.substr(t.find(".visible"));
    }
    return all;
}

void checksum_of_long(benchmark::State& state) {
    const std::string text = long_text(state.range(0));
    for (auto _ : state) {
        std::uint64_t hash = 14'695'981'039'346'656'037U;
        for (const char c : text) {
            hash = (hash ^ static_cast<unsigned char>(c)) * 1'099'511'628'211U;
        }
        benchmark::DoNotOptimize(hash);
    }
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}
BENCHMARK(checksum_of_long)->RangeMultiplier(8)->Range(1 << 12, 1 << 24);

void parse_long(benchmark::State& state) {
    const std::string text = long_text(state.range(0));
    for (auto _ : state) {
        auto m = warpgauge::ptx::parse(text);
        if (!m) state.SkipWithError("no module");
        benchmark::DoNotOptimize(m);
    }
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}
BENCHMARK(parse_long)->RangeMultiplier(8)->Range(1 << 12, 1 << 24);

// Tiled matrix multiplication by each sampling: the ratios between these are what a sample saves.
void trace_by(benchmark::State& state, warpgauge::ptx::sampling blocks, std::uint32_t tiles) {
    const auto text = read(std::filesystem::path(KERNELS) / "matmul.sm_75.ptx");
    const auto m = warpgauge::ptx::parse(text);
    const auto kernel = warpgauge::ptx::find_kernel(*m, "matmul_tiled");
    const warpgauge::ptx::argument n[]{16 * tiles};
    double steps = 0;
    for (auto _ : state) {
        auto t = warpgauge::ptx::trace(*kernel, {{tiles, tiles}, {16, 16}}, n,
                                       {.blocks = blocks, .max_steps = 10'000'000'000});
        if (!t) state.SkipWithError("no trace");
        steps += static_cast<double>(t->steps);
        benchmark::DoNotOptimize(t);
    }
    state.counters["steps"] = benchmark::Counter(steps, benchmark::Counter::kIsRate);
}
void trace_default(benchmark::State& state) {
    trace_by(state, warpgauge::ptx::sampling::representative, 64);
}
void trace_middle_block(benchmark::State& state) {
    trace_by(state, warpgauge::ptx::sampling::middle_block, 64);
}
void trace_all_blocks(benchmark::State& state) {
    trace_by(state, warpgauge::ptx::sampling::all, 64);
}
BENCHMARK(trace_middle_block);
BENCHMARK(trace_default);
BENCHMARK(trace_all_blocks)->Iterations(1);

// A thousand rounds of a loop, and a billion: the same time.
void trace_rounds(benchmark::State& state) {
    const std::string text =
        ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u32 n, .param "
        ".u64 data)\n{\n.reg .pred %p<2>;\n.reg .b32 %r<4>;\n.reg .b64 %d<4>;\n.reg .f32 %f<2>;\n"
        "ld.param.u32 %r1, [n];\nld.param.u64 %d1, [data];\nmov.u32 %r2, 0;\n"
        "L: ld.global.f32 %f1, [%d1];\nadd.s64 %d1, %d1, 4;\nadd.u32 %r2, %r2, 1;\n"
        "setp.lt.u32 %p1, %r2, %r1;\n@%p1 bra L;\nret;\n}\n";
    const auto m = warpgauge::ptx::parse(text);
    const auto kernel = warpgauge::ptx::find_kernel(*m, "k");
    const warpgauge::ptx::argument n[]{state.range(0)};
    for (auto _ : state) {
        auto t = warpgauge::ptx::trace(*kernel, {{64}, {256}}, n);
        if (!t) state.SkipWithError("no trace");
        benchmark::DoNotOptimize(t);
    }
}
BENCHMARK(trace_rounds)->Arg(1'000)->Arg(1'000'000'000);

// A million threads, and a billion: the same blocks are followed.
void trace_threads(benchmark::State& state) {
    const auto text = read(std::filesystem::path(KERNELS) / "saxpy.sm_75.ptx");
    const auto m = warpgauge::ptx::parse(text);
    const auto kernel = warpgauge::ptx::find_kernel(*m, "saxpy");
    const auto blocks = static_cast<std::uint32_t>(state.range(0) / 256);
    for (auto _ : state) {
        auto t = warpgauge::ptx::trace(*kernel, {{blocks}, {256}}, {state.range(0) - 7});
        if (!t) state.SkipWithError("no trace");
        benchmark::DoNotOptimize(t);
    }
}
BENCHMARK(trace_threads)->RangeMultiplier(1000)->Range(1'000, 1'000'000'000);

// A launch of each kernel of the examples, as an autotuner asks: the table of docs/ptx.md.
void trace_kernel(benchmark::State& state) {
    const kernel_launch& of = kernel_launches()[static_cast<std::size_t>(state.range(0))];
    const std::string text = kernel_text(of.file);
    const auto m = warpgauge::ptx::parse(text);
    const auto kernel = warpgauge::ptx::find_kernel(*m, of.kernel);
    for (auto _ : state) {
        auto t = warpgauge::ptx::trace(*kernel, of.launch, of.arguments);
        if (!t) state.SkipWithError("no trace");
        benchmark::DoNotOptimize(t);
    }
    state.SetLabel(of.kernel);
}
BENCHMARK(trace_kernel)
    ->DenseRange(0, static_cast<std::int64_t>(kernel_launches().size()) - 1)
    ->Unit(benchmark::kMillisecond);

}  // namespace
