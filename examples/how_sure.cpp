// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which of three launches of a tiled matrix multiplication is the fastest, and how certain is that, when neither the
// GPU nor the compiled kernel is known exactly?
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include <warpgauge/report/line_chart.hpp>
#include <warpgauge/report/table.hpp>
#include <warpgauge/warpgauge.hpp>
#include <warpgauge/what_if.hpp>

namespace {

namespace report = warpgauge::report;
using warpgauge::kernel_profile;

// 1024 by 1024, in tiles of `width` by `width`; a thread computes `each` elements of a column.
kernel_profile<> matmul(const char* name, double width, double each) {
    const double tiles = 1024 / width;
    return {
        .name = name,
        .blocks = tiles * tiles,
        .threads_per_block = width * width / each,
        .shared_bytes_per_block = 2 * 4 * width * width,
        // In a tile, for each k: an element of the one matrix, and for each element computed one of
        // the other and a multiply-add; what is loaded goes to shared memory; 8 for the loop.
        .comp_insts = tiles * (width * (1 + 2 * each) + 2 * each + 8),
        .coalesced_mem_insts = tiles * 2 * each + each,
        .sync_insts = tiles * 2};
}

std::string percent(double fraction) {
    return report::fixed(100 * fraction, 1) + "%";
}

}  // namespace

int main(int argc, char** argv) {
    // region: sample
    const kernel_profile<> launches[]{matmul("16 x 16, 2 each", 16, 2),
                                      matmul("16 x 16, 4 each", 16, 4),
                                      matmul("32 x 32, 1 each", 32, 1)};
    const warpgauge::uncertain unknowns[]{
        warpgauge::between("dram_latency_cycles", 450, 550),
        warpgauge::relative(warpgauge::triangular("dram_bytes_per_s", 0.6, 0.85, 1)),
        warpgauge::independent(warpgauge::about("comp_insts", 0.1))};
    const warpgauge::mwp_cwp_model model{warpgauge::devices::geforce_rtx_2070_super{}};
    const auto times = warpgauge::sample(model, launches, unknowns);
    if (!times) {
        std::cerr << message(times.error()).view() << '\n';
        return 1;
    }
    // endregion

    report::line_chart chart{.title = "How long three launches may take",
                             .x_label = "time, ms",
                             .y_label = "fraction of the samples that take no longer"};
    // region: ask
    report::table spans({"launch", "5%", "median", "95%", "the fastest"});
    report::table faster({"is faster than", launches[0].name, launches[1].name, launches[2].name});
    const auto fastest = top_k_probabilities(*times, 1);
    if (!fastest) return 1;
    for (std::size_t i = 0; i < times->size(); ++i) {
        const auto time = distribution_of((*times)[i]);
        if (!time) return 1;
        const auto middle = time->interval(0.9);
        spans.add({launches[i].name, report::duration(middle->min_seconds),
                   report::duration(*time->quantile(0.5)), report::duration(middle->max_seconds),
                   percent((*fastest)[i].probability)});
        std::vector<std::string> row{std::string(launches[i].name)};
        for (std::size_t j = 0; j < times->size(); ++j) {
            const auto p = probability_faster((*times)[i], (*times)[j]);
            row.push_back(i == j || !p ? "" : percent(p->first));
        }
        faster.add_row(row);
        // endregion
        report::curve& curve = chart.curves.emplace_back();
        curve.label = launches[i].name;
        for (int n = 0; n <= 100; ++n) {
            curve.points.push_back({1e3 * *time->quantile(n / 100.0), n / 100.0});
        }
    }
    std::cout << spans << '\n' << faster;

    if (argc > 1) {
        std::ofstream file(argv[1]);
        if (!(file << chart)) {
            std::cerr << "cannot write " << argv[1] << '\n';
            return 1;
        }
    }
}
