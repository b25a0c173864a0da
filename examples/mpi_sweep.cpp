// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which of 262,144 register tilings of a matrix multiplication to measure, on as many processes as there are.
//
//   mpirun -n 2 mpi_sweep
//
// Every process predicts its part of the space and keeps its best; the best of all are the same for any number
// of processes.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <numeric>
#include <vector>

#include <mpi.h>

#include <warpgauge/report/table.hpp>
#include <warpgauge/tune.hpp>
#include <warpgauge/warpgauge.hpp>

namespace {

namespace report = warpgauge::report;

enum parameter { block_x, block_y, work_x, work_y, depth };

// region: space
constexpr double n = 4096;  // of the square matrices

// A block computes tile_x * tile_y results, a thread work_x * work_y of them; `depth` of the common
// dimension are in shared memory at a time.
constexpr auto describe = [](auto p, auto& k) {
    const auto threads = p[block_x] * p[block_y];
    const auto tile_x = p[block_x] * p[work_x];
    const auto tile_y = p[block_y] * p[work_y];
    const auto tile_words = (tile_x + tile_y) * p[depth];
    const auto fused_multiply_adds = p[work_x] * p[work_y] * n;
    const auto shared_accesses = (p[work_x] + p[work_y]) * n;
    k.threads_per_block = threads;
    k.blocks = warpgauge::core::ceil(n / tile_x) * warpgauge::core::ceil(n / tile_y);
    k.registers_per_thread = p[work_x] * p[work_y] + p[work_x] + p[work_y] + 20.0;
    k.shared_bytes_per_block = tile_words * 4.0;
    k.coalesced_mem_insts = tile_words / threads * (n / p[depth]) + p[work_x] * p[work_y];
    k.comp_insts = fused_multiply_adds + shared_accesses + n / p[depth] * 12.0;
    k.sync_insts = n / p[depth] * 2.0;
};

constexpr auto broken = [](std::span<const double> p) -> std::string_view {
    const double threads = p[block_x] * p[block_y];
    if (threads < 64 || threads > 1024) return "threads of a block";
    if (p[block_x] * p[work_x] < 32 || p[block_y] * p[work_y] < 32)
        return "tile narrower than a warp";
    return {};
};
// endregion

struct candidate {
    double seconds{};
    std::uint64_t configuration{};

    friend bool operator<(const candidate& a, const candidate& b) {
        return a.seconds != b.seconds ? a.seconds < b.seconds : a.configuration < b.configuration;
    }
};

// The best few of configurations `first` to `last - 1`, and how many have a time. Memory is that of a stretch.
template <class Model, class Space>
std::uint64_t best_of(const Model& model, const Space& space, std::uint64_t first,
                      std::uint64_t last, std::size_t few, std::vector<candidate>& best) {
    std::uint64_t predicted = 0;
    std::vector<double> seconds(std::min<std::uint64_t>(last - first, 1 << 16));
    for (std::uint64_t at = first; at < last; at += seconds.size()) {
        const std::span<double> part(seconds.data(), std::min(last - at, seconds.size()));
        if (!warpgauge::sweep(space, model, {.seconds = part, .first = at})) {
            std::abort();  // the space has been checked
        }
        for (std::size_t i = 0; i < part.size(); ++i) {
            if (part[i] == 0) continue;
            ++predicted;
            best.push_back({part[i], at + i});
            if (best.size() < 1024 + few) continue;
            std::nth_element(best.begin(), best.begin() + static_cast<std::ptrdiff_t>(few),
                             best.end());
            best.resize(few);
        }
    }
    std::sort(best.begin(), best.end());
    best.resize(few);  // where there are fewer, the rest has no time
    return predicted;
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int rank = 0;
    int ranks = 1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);

    // region: sweep
    std::vector<double> to_32(32);
    std::iota(to_32.begin(), to_32.end(), 1.0);
    const std::span<const double> to_8 = std::span(to_32).first(8);
    const std::array<double, 4> depths{4, 8, 16, 32};
    const std::array<warpgauge::axis, 5> axes{{{"block x", to_32},
                                               {"block y", to_32},
                                               {"work x", to_8},
                                               {"work y", to_8},
                                               {"depth", depths}}};
    const warpgauge::configurations space{axes, warpgauge::kernel_profile<>{}, describe, broken};
    const warpgauge::mwp_cwp_model<warpgauge::devices::geforce_rtx_2070_super> model;
    const auto size = space.size();
    if (!size) return EXIT_FAILURE;

    const auto of = [&](int r) {
        return *size * static_cast<std::uint64_t>(r) / static_cast<std::uint64_t>(ranks);
    };
    constexpr std::size_t few = 6;
    std::vector<candidate> best;
    std::uint64_t predicted = best_of(model, space, of(rank), of(rank + 1), few, best);
    // endregion

    std::vector<candidate> all(few * static_cast<std::size_t>(ranks));
    const int bytes = static_cast<int>(few * sizeof(candidate));
    MPI_Gather(best.data(), bytes, MPI_BYTE, all.data(), bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
    std::uint64_t total = 0;
    MPI_Reduce(&predicted, &total, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        std::erase_if(all, [](const candidate& c) { return c.seconds == 0; });
        std::sort(all.begin(), all.end());
        all.resize(std::min(all.size(), few));
        std::cout << *size << " tilings, " << total << " of them possible; the best:\n\n";
        report::table t({"block", "work of a thread", "depth", "predicted"});
        for (const candidate& c : all) {
            std::array<double, 5> p{};
            space.point(c.configuration, p);
            const auto pair = [&](parameter x, parameter y) {
                return report::fixed(p[x], 0) + " x " + report::fixed(p[y], 0);
            };
            t.add_row({pair(block_x, block_y), pair(work_x, work_y), report::fixed(p[depth], 0),
                       report::duration(c.seconds)});
        }
        std::cout << t;
    }
    MPI_Finalize();
    return EXIT_SUCCESS;
}
