// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How far is a bound above what happens? The kernels of examples/kernels, each at six sizes, followed through their PTX:
// the bound of the makespan model, and the longest simulation of the three policies. Ends with 1 if one is above its bound.
//
//   bounded_kernels [all]    with `all`, a line for each launch
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <warpgauge/core/quantile.hpp>
#include <warpgauge/models/hybrid.hpp>
#include <warpgauge/report/table.hpp>
#include <warpgauge/warpgauge.hpp>

#include "traced.hpp"

namespace {

namespace report = warpgauge::report;
namespace devices = warpgauge::devices;
using std::uint32_t;

constexpr std::array<uint32_t, 6> scales{1, 2, 3, 5, 8, 13};

// As many blocks as it takes, the last one with less to do.
uint32_t blocks_for(uint32_t n, uint32_t block) {
    return (n + block - 1) / block;
}

// The launch of every kernel at a scale: at 1 a part of a GPU, at 13 several rounds of blocks.
std::vector<kernel_launch> launches_at(uint32_t scale) {
    const uint32_t n = 30'000 * scale;   // elements
    const uint32_t w = 160 * scale;      // width of a picture
    const uint32_t m = 96 + 32 * scale;  // rows of a matrix
    const uint32_t e = 32 + 10 * scale;  // edge of a cube
    const auto tiles = [](uint32_t edge, uint32_t x, uint32_t y) {
        return warpgauge::ptx::extent{blocks_for(edge, x), blocks_for(edge, y)};
    };
    const auto cubes = [](uint32_t edge) {
        return warpgauge::ptx::extent{blocks_for(edge, 6), blocks_for(edge, 6),
                                      blocks_for(edge, 6)};
    };
    return {
        {"black_scholes",
         "black_scholes",
         "black_scholes",
         {.grid = {blocks_for(n, 128)}, .block = {128}},
         {n, {}, {}, {}, {}, {}, {}, {}}},
        {"histogram",
         "histogram",
         "histogram",
         {.grid = {40 * scale}, .block = {256}},
         {16 * n, {}, {}}},
        {"hotspot",
         "hotspot",
         "hotspot",
         {.grid = tiles(w, 14, 14), .block = {16, 16}},
         {w, {}, {}, {}, {}, {}, {}, {}, {}}},
        {"jacobi_naive",
         "jacobi",
         "jacobi_naive",
         {.grid = {blocks_for(e, 64), e - 2, e - 2}, .block = {64}},
         {e, {}, {}, {}, {}}},
        {"jacobi_shared",
         "jacobi",
         "jacobi_shared",
         {.grid = tiles(m, 32, 4), .block = {32, 4}},
         {m, {}, {}, {}, {}}},
        {"life", "life", "life", {.grid = cubes(e), .block = {8, 8, 8}}, {e, {}, {}}},
        {"linear_filter",
         "linear_filter",
         "linear_filter",
         {.grid = tiles(w, 32, 8), .block = {32, 8}},
         {w, w, {}, {}}},
        {"matmul_naive",
         "matmul",
         "matmul_naive",
         {.grid = tiles(m, 16, 16), .block = {16, 16}},
         {m, {}, {}, {}}},
        {"matmul_tiled",
         "matmul",
         "matmul_tiled",
         {.grid = tiles(m, 16, 16), .block = {16, 16}},
         {m, {}, {}, {}}},
        {"pathfinder",
         "pathfinder",
         "pathfinder",
         {.grid = {blocks_for(n, 216)}, .block = {256}},
         {n, 20, {}, {}, {}}},
        {"poisson",
         "poisson",
         "poisson",
         {.grid = tiles(w, 32, 8), .block = {32, 8}},
         {w, {}, {}, {}, {}}},
        {"reduction",
         "reduction",
         "reduction",
         {.grid = {blocks_for(n, 512)}, .block = {256}},
         {n, {}, {}}},
        {"saxpy",
         "saxpy",
         "saxpy",
         {.grid = {blocks_for(n, 256)}, .block = {256}},
         {n, {}, {}, {}}},
        {"sepia", "sepia", "sepia", {.grid = {blocks_for(n, 512)}, .block = {512}}, {n, {}, {}}},
        {"spmv",
         "spmv",
         "spmv",
         {.grid = {blocks_for(n, 128)}, .block = {128}},
         {n, {}, {}, {}, {}, {}}},
        {"svm",
         "svm",
         "svm",
         {.grid = {blocks_for(n, 256)}, .block = {256}},
         {n, 8 * scale, {}, {}, {}, {}, {}}},
        {"transpose_naive",
         "transpose",
         "transpose_naive",
         {.grid = tiles(m, 32, 32), .block = {32, 32}},
         {m, {}, {}}},
        {"transpose_shared",
         "transpose",
         "transpose_shared",
         {.grid = tiles(m, 32, 32), .block = {32, 32}},
         {m, {}, {}}},
        {"transpose_padded",
         "transpose",
         "transpose_padded",
         {.grid = tiles(m, 32, 32), .block = {32, 32}},
         {m, {}, {}}},
    };
}

// One launch on one GPU.
struct comparison {
    double bound{};             // cycles
    double simulated{};         // cycles, of the policy that takes longest
    std::string_view policy{};  // that one
    bool safe{};
    double ratio() const { return bound / simulated; }
    bool holds() const { return safe && simulated <= bound; }
};

// region: compare
template <class Device>
warpgauge::result<comparison> compare(const Device& gpu,
                                      const warpgauge::kernel_profile<>& kernel) {
    using namespace warpgauge;
    const auto bound = makespan_model{gpu}.predict(kernel);
    if (!bound) return bound.error();
    comparison c;
    c.bound = bound->cycles;
    c.safe = bound->round.safe;
    simulation_caps every_block;  // what repeats exactly is counted, nothing is extrapolated
    every_block.min_simulated = every_block.max_simulated = std::uint64_t{1} << 40;
    for (const warp_policy policy : {warp_policy::lowest_index, warp_policy::loose_round_robin,
                                     warp_policy::greedy_then_oldest}) {
        const auto e = hybrid_model{gpu, {.policy = policy, .caps = every_block}}.predict(kernel);
        if (!e) return e.error();
        if (e->cycles > c.simulated) c.policy = name(policy);
        c.simulated = std::max(c.simulated, e->cycles);
    }
    return c;
}
// endregion

// All that was compared.
struct comparisons {
    report::table each{{"kernel", "blocks", "GPU", "bound", "simulation", "policy", "ratio"}};
    std::map<std::string, std::vector<double>> ratios;  // of each kernel
    std::size_t launches{};
    std::size_t broken{};
    bool failed{};

    template <class Device>
    void add(const Device& gpu, const std::string& title,
             const warpgauge::kernel_profile<>& kernel) {
        const auto c = compare(gpu, kernel);
        if (!c) {
            std::cerr << title << ": " << message(c.error()).view() << '\n';
            failed = true;
            return;
        }
        broken += c->holds() ? 0U : 1U;
        ratios[title].push_back(c->ratio());
        each.add({title, report::fixed(kernel.blocks, 0), gpu.name, report::fixed(c->bound, 0),
                  report::fixed(c->simulated, 0), c->policy, report::fixed(c->ratio(), 2)});
    }
};

std::vector<std::string> row_of(const std::string& title, std::vector<double> ratios) {
    std::ranges::sort(ratios);
    return {title, std::to_string(ratios.size()),
            report::fixed(warpgauge::core::quantile(ratios, 0.5), 2),
            report::fixed(ratios.front(), 2), report::fixed(ratios.back(), 2)};
}

report::table by_kernel(const comparisons& all) {
    report::table t({"kernel", "comparisons", "median", "least", "largest"});
    std::vector<double> together;
    for (const auto& [title, ratios] : all.ratios) {
        t.add_row(row_of(title, ratios));
        together.insert(together.end(), ratios.begin(), ratios.end());
    }
    t.add_row(row_of("all", together));
    return t;
}

}  // namespace

int main(int argc, char** argv) {
    comparisons all;
    for (const uint32_t scale : scales) {
        for (const kernel_launch& k : launches_at(scale)) {
            const std::string title(k.title);
            const auto traced = follow(k);
            if (!traced) {
                std::cerr << title << ": " << message(traced.error()).view() << '\n';
                return 1;
            }
            ++all.launches;
            const auto kernel = traced->profile();
            all.add(devices::tesla_v100{}, title, kernel);
            all.add(devices::a100_sxm4_40gb{}, title, kernel);
            all.add(devices::h100_sxm5{}, title, kernel);
        }
    }
    const bool each = argc > 1 && std::string_view(argv[1]) == "all";
    std::cout << (each ? all.each : by_kernel(all)) << '\n'
              << all.launches
              << " launches on three GPUs; a simulation above its bound, or a bound that is "
              << "not safe: " << all.broken << '\n';
    return all.failed || all.broken > 0 ? 1 : 0;
}
