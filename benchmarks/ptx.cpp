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

// A warp of tiled matrix multiplication at a time, 32 lanes active in every instruction.
void trace(benchmark::State& state) {
    const auto text = read(std::filesystem::path(KERNELS) / "matmul.sm_75.ptx");
    const auto m = warpgauge::ptx::parse(text);
    const auto kernel = warpgauge::ptx::find_kernel(*m, "matmul_tiled");
    double lane_instructions = 0;
    for (auto _ : state) {
        auto t = warpgauge::ptx::trace(*kernel, {{64, 64}, {16, 16}}, {1024});
        if (!t) state.SkipWithError("no trace");
        lane_instructions += static_cast<double>(t->steps) * t->active_lanes;
        benchmark::DoNotOptimize(t);
    }
    state.counters["lane_instructions"] =
        benchmark::Counter(lane_instructions, benchmark::Counter::kIsRate);
}
BENCHMARK(trace);

// All of it for a short kernel, as an autotuner asks: a sample of the launch.
void trace_saxpy(benchmark::State& state) {
    const auto text = read(std::filesystem::path(KERNELS) / "saxpy.sm_75.ptx");
    const auto m = warpgauge::ptx::parse(text);
    const auto kernel = warpgauge::ptx::find_kernel(*m, "saxpy");
    for (auto _ : state) {
        auto t = warpgauge::ptx::trace(*kernel, {{4096}, {256}}, {1'000'000});
        if (!t) state.SkipWithError("no trace");
        benchmark::DoNotOptimize(t);
    }
}
BENCHMARK(trace_saxpy);

}  // namespace
