// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Why does a kernel take as long as it does? What limits it, what would limit it next, and how much is there to gain
// from each? The answers for five launches that wait for different things.
//
//   why [FILE.svg]    the tables; with FILE.svg, all benefits as a picture
#include <algorithm>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include <warpgauge/report/bar_chart.hpp>
#include <warpgauge/report/explanation.hpp>
#include <warpgauge/warpgauge.hpp>
#include <warpgauge/what_if.hpp>

#include "traced.hpp"

namespace {

namespace report = warpgauge::report;

const std::vector<kernel_launch> questions{
    {"saxpy", "saxpy", "saxpy", {.grid = {16384}, .block = {256}}, {4194304, {}, {}, {}}},
    {"transpose",
     "transpose",
     "transpose_naive",
     {.grid = {64, 64}, .block = {32, 32}},
     {2048, {}, {}}},
    {"matmul, tiled",
     "matmul",
     "matmul_tiled",
     {.grid = {64, 64}, .block = {16, 16}},
     {1024, {}, {}, {}}},
    {"saxpy, 32 KiB shared",
     "saxpy",
     "saxpy",
     {.grid = {65536}, .block = {64}, .dynamic_shared_bytes = 32768},
     {4194304, {}, {}, {}}},
    {"saxpy, 8 blocks", "saxpy", "saxpy", {.grid = {8}, .block = {256}}, {2048, {}, {}, {}}},
};

warpgauge::result<warpgauge::explanation> why(const kernel_launch& q) {
    const auto traced = follow(q);
    if (!traced) return traced.error();
    // region: explain
    const warpgauge::mwp_cwp_model model{warpgauge::devices::geforce_rtx_2070_super{},
                                         {.rounds = warpgauge::waves::whole}};
    return warpgauge::explain(model, traced->profile());
    // endregion
}

}  // namespace

int main(int argc, char** argv) {
    report::bar_chart chart{.title = "Potential benefits on a GeForce RTX 2070 SUPER",
                            .value_label = "% of the time"};
    for (std::size_t b = 0; b < warpgauge::bottlenecks; ++b) {
        chart.series.push_back({std::string(name(static_cast<warpgauge::bottleneck>(b))), {}});
    }
    for (const kernel_launch& q : questions) {
        const auto e = why(q);
        if (!e) {
            std::cerr << q.title << ": " << message(e.error()).view() << '\n';
            return 1;
        }
        std::cout << q.title << ", " << report::duration(e->seconds) << ": " << report::summary(*e)
                  << "\n\n"
                  << report::benefits(*e) << report::taken_for_granted(*e) << '\n';
        chart.groups.emplace_back(q.title);
        for (auto& bars : chart.series) bars.values.resize(chart.groups.size());
        for (const warpgauge::removal& r : e->removals) {
            chart.series[static_cast<std::size_t>(r.what)].values.back() =
                100 * r.benefit_seconds / e->seconds;
        }
    }
    std::erase_if(chart.series, [](const report::bar_chart::bars& bars) {
        return *std::max_element(bars.values.begin(), bars.values.end()) < 0.05;
    });
    if (argc > 1) {
        std::ofstream file(argv[1]);
        file << chart;
        if (!file.flush()) {
            std::cerr << argv[1] << ": cannot be written\n";
            return 1;
        }
    }
}
