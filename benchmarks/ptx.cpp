// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading PTX, against a checksum of the same text, byte by byte.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include <warpgauge/ptx/parse.hpp>

namespace {

// All kernels' PTX, one text each.
const std::vector<std::string>& texts() {
    static const std::vector<std::string> all = [] {
        std::vector<std::filesystem::path> paths;
        for (const auto& entry : std::filesystem::directory_iterator(KERNELS)) {
            if (entry.path().extension() == ".ptx") paths.push_back(entry.path());
        }
        std::sort(paths.begin(), paths.end());
        std::vector<std::string> read;
        for (const auto& path : paths) {
            std::ifstream file(path);
            read.emplace_back(std::istreambuf_iterator<char>(file),
                              std::istreambuf_iterator<char>());
        }
        return read;
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

}  // namespace
