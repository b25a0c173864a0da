// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How do the threads of a block and the registers of a thread decide a kernel's time, and how far from the
// roofs of their GPU are others?
//
//   block_shapes                        the roofline as a table
//   block_shapes markdown | csv         the same table in Markdown or CSV
//   block_shapes heat_map FILE.svg      predicted time over threads and registers
//   block_shapes roofline FILE.svg      the roofline as a picture
#include <array>
#include <fstream>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include <warpgauge/models/roofline.hpp>
#include <warpgauge/report/heat_map.hpp>
#include <warpgauge/report/roofline_chart.hpp>
#include <warpgauge/report/table.hpp>
#include <warpgauge/warpgauge.hpp>

#include "merge_benchmarks.hpp"

namespace {

namespace devices = warpgauge::devices;
namespace report = warpgauge::report;

// region: heat_map
// Any kernel: a million threads, each with these instructions.
constexpr double threads = 1 << 20;
warpgauge::kernel_profile<> kernel(double threads_per_block, double registers) {
    return {.blocks = threads / threads_per_block,
            .threads_per_block = threads_per_block,
            .registers_per_thread = registers,
            .comp_insts = 60,
            .coalesced_mem_insts = 9};
}

report::heat_map time_over_shapes() {
    const warpgauge::mwp_cwp_model<devices::geforce_rtx_2070_super> model;
    report::heat_map map{.title = "A kernel of a million threads on an RTX 2070 SUPER",
                         .x = {"threads of a block", {}},
                         .y = {"registers of a thread", {}},
                         .value = "predicted time",
                         .unit = "µs",
                         .logarithmic = true};
    constexpr std::array blocks{64, 128, 192, 256, 320, 384, 448, 512, 640, 768, 896, 1024};
    for (const int block : blocks) map.x.labels.push_back(std::to_string(block));
    for (const int registers : {32, 48, 64, 72, 80, 96, 112, 128, 144, 168, 255}) {
        map.y.labels.push_back(std::to_string(registers));
        for (const int block : blocks) {
            auto time = seconds_of(model.predict(kernel(block, registers)));
            if (time) *time *= 1e6;
            map.cells.push_back(time);  // a time or an error
        }
    }
    return map;
}
// endregion

// region: roofline
// The kernels of Hong & Kim 2009 on their GPU, by the times that MWP/CWP predicts.
warpgauge::result<report::roofline_chart> under_the_roofs() {
    const devices::geforce_gtx_280 gpu;
    const auto roofs = warpgauge::roofline_of(gpu);
    if (!roofs) return roofs.error();
    report::roofline_chart chart{.title = "Six kernels under the roofs of a GTX 280",
                                 .roofs = *roofs};
    for (auto kernel : merge_benchmarks) {
        kernel.transactions_per_uncoalesced = 4;  // on that GPU, as in what_if
        const auto e = warpgauge::mwp_cwp_model{gpu}.predict(kernel);
        if (!e) return e.error();
        const auto point = warpgauge::roofline_point_of(kernel, e->seconds, gpu);
        if (!point) return point.error();
        chart.kernels.push_back({std::string(kernel.name), *point});
    }
    return chart;
}
// endregion

// region: table
report::table as_table(const report::roofline_chart& chart) {
    report::table t(
        {"kernel", "instructions/B", "G instructions/s", "GB/s", "of its roof", "under"});
    for (const auto& [name, p] : chart.kernels) {
        t.add({name, report::fixed(p.instructions_per_byte, 2),
               report::fixed(p.instructions_per_s / 1e9, 1),
               report::fixed(p.instructions_per_s / p.instructions_per_byte / 1e9, 1),
               report::fixed(100 * p.fraction_of_roof, 0) + "%",
               p.instructions_per_byte < chart.roofs.ridge() ? "bandwidth" : "issue"});
    }
    return t;
}
// endregion

int failed(const warpgauge::model_error& error) {
    std::cerr << message(error).view() << '\n';
    return 1;
}

}  // namespace

int main(int argc, char** argv) {
    const std::string_view what = argc > 1 ? argv[1] : "table";
    const auto chart = under_the_roofs();
    if (!chart) return failed(chart.error());
    const report::table t = as_table(*chart);
    if (what == "table") {
        std::cout << t;
    } else if (what == "markdown") {
        std::cout << markdown(t);
    } else if (what == "csv") {
        std::cout << csv(t);
    } else if (argc > 2) {
        std::ofstream file(argv[2]);
        const auto bad = what == "heat_map" ? write_heat_map_svg(file, time_over_shapes())
                                            : write_roofline_svg(file, *chart);
        if (bad) return failed(bad);
        if (!file.flush()) {
            std::cerr << argv[2] << ": cannot be written\n";
            return 1;
        }
    }
}
