// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How well three models order random configurations of tunable kernels whose times are public.
//
//     tuning_spaces DIR [SVG]
//
// DIR has hotspot_a100.csv, hotspot_a4000.csv, convolution_rtx2080ti.csv and convolution_rtx3090.csv: counts of one warp
// from a trace of each configuration's PTX, what ptxas says of it, and its measured time. SVG: a plot of predicted
// against measured times. Nothing is fitted to a space: devices and constants are the library's.
#include <cstdio>
#include <exception>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include <warpgauge/report/scatter.hpp>
#include <warpgauge/tune/score.hpp>

#include "tuned_spaces.hpp"

namespace {

using tuned_spaces::model_names;
using tuned_spaces::space;

void print(const std::vector<space>& spaces) {
    std::puts("                                              of the best          to measure");
    std::puts(
        "space                    rows  model       Spearman  first  first tenth  for 5%  error "
        "(bias)");
    for (const space& s : spaces) {
        for (std::size_t m = 0; m < model_names.size(); ++m) {
            const auto& p = s.predicted[m];
            std::printf("%-23s %5zu  %-10s   %.3f   %.3f     %.3f     %5.1f%%  %.2f (%.2f)\n",
                        s.name.c_str(), p.size(), model_names[m], *wg::spearman(p, s.measured),
                        *wg::top_pick(p, s.measured), *wg::top_fraction(p, s.measured, 0.1),
                        100 * *wg::fraction_to_measure(p, s.measured, 1.05),
                        *wg::mean_error_factor(p, s.measured), 1 / *wg::mean_scale(p, s.measured));
        }
    }
}

void plot(const std::vector<space>& spaces, const std::string& file) {
    wg::report::scatter_chart chart{.title = "Configurations of tunable kernels",
                                    .x_label = "measured time, ms",
                                    .y_label = "predicted time, ms"};
    for (const space& s : spaces) {
        wg::report::curve& c = chart.series.emplace_back();
        c.label = s.name;
        for (std::size_t n = 0; n < s.measured.size(); ++n) {
            c.points.push_back({1e3 * s.measured[n], 1e3 * s.predicted[0][n]});
        }
    }
    std::ofstream out(file);
    out << chart;
}

}  // namespace

int main(int argc, char** argv) try {
    if (argc < 2 || argc > 3) {
        std::cerr << "usage: tuning_spaces DIR [SVG]\n";
        return 2;
    }
    const std::string folder = argv[1];
    const std::vector<space> spaces = tuned_spaces::read_spaces(folder);
    print(spaces);
    if (argc == 3) plot(spaces, argv[2]);
} catch (const std::exception& e) {
    std::cerr << e.what() << '\n';
    return 1;
}
