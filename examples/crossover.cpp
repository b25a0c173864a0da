// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Questions asked backwards: from which arithmetic on is one GPU faster than another, and what would the
// slower one need to keep up?
//
//   crossover [FILE.svg]    the answers; with FILE.svg, both times as a picture
#include <cmath>
#include <fstream>
#include <iostream>
#include <string>

#include <warpgauge/boost_math/inverse.hpp>
#include <warpgauge/report/line_chart.hpp>
#include <warpgauge/report/table.hpp>
#include <warpgauge/warpgauge.hpp>

namespace {

namespace devices = warpgauge::devices;
namespace report = warpgauge::report;
using warpgauge::answer;
using warpgauge::mwp_cwp_model;

// Two loads and a store with so many other instructions, a million times.
warpgauge::kernel_profile<> kernel(double comp_insts) {
    return {.blocks = 4096,
            .threads_per_block = 256,
            .registers_per_thread = 32,
            .comp_insts = comp_insts,
            .coalesced_mem_insts = 3};
}

std::string text_of(const warpgauge::threshold& t, double unit, const char* unit_name) {
    if (t.which == answer::never) return std::string(name(t.which));
    return report::fixed(t.value / unit, 1) + " " + unit_name;
}

}  // namespace

int main(int argc, char** argv) {
    // region: crossover
    const mwp_cwp_model gtx_1080{devices::geforce_gtx_1080_ti{}};
    const mwp_cwp_model rtx_2070{devices::geforce_rtx_2070_super{}};
    const auto crossings = warpgauge::find_crossovers(gtx_1080, rtx_2070, kernel(1), "comp_insts",
                                                      {.low = 1, .high = 10'000});
    if (!crossings) return 1;
    for (const warpgauge::crossover& c : *crossings) {
        std::cout << "At " << report::fixed(c.value, 1) << " instructions both take "
                  << report::duration(c.first_seconds) << "; below, the "
                  << (c.first_faster_below ? "GTX 1080 Ti" : "RTX 2070 SUPER")
                  << " is the faster one.\n";
    }
    // endregion

    // region: minimum
    report::table t({"instructions", "GTX 1080 Ti", "RTX 2070 SUPER", "bandwidth", "SMs", "clock"});
    for (const double n : {10.0, 50.0, 200.0}) {
        const auto k = kernel(n);
        const double target = rtx_2070.predict(k)->seconds;
        const auto bandwidth = find_threshold(
            gtx_1080, k, "dram_bytes_per_s", {.low = 1e10, .high = 1e13, .target_seconds = target});
        const auto sms = find_threshold(gtx_1080, k, "sm_count",
                                        {.low = 1, .high = 1000, .target_seconds = target});
        const auto clock = find_threshold(gtx_1080, k, "clock_hz",
                                          {.low = 1e8, .high = 1e11, .target_seconds = target});
        if (!bandwidth || !sms || !clock) return 1;
        t.add({report::fixed(n, 0), report::duration(gtx_1080.predict(k)->seconds),
               report::duration(target), text_of(*bandwidth, 1e9, "GB/s"), text_of(*sms, 1, "SMs"),
               text_of(*clock, 1e9, "GHz")});
    }
    // endregion
    std::cout << "\nWhat the GTX 1080 Ti (484 GB/s, 28 SMs, 1.58 GHz) needs at least, all else the "
                 "same, to be as fast as the RTX 2070 SUPER:\n\n"
              << t;

    if (argc > 1) {
        report::line_chart chart{
            .title = "Two loads, a store and so much arithmetic, a million times",
            .x_label = "other instructions of a thread",
            .y_label = "predicted time, ms",
            .log_x = true,
            .log_y = true,
            .curves = {{"GTX 1080 Ti", {}}, {"RTX 2070 SUPER", {}}}};
        for (double n = 1; n <= 10'000; n *= std::pow(10, 1.0 / 32)) {
            chart.curves[0].points.push_back({n, 1e3 * gtx_1080.predict(kernel(n))->seconds});
            chart.curves[1].points.push_back({n, 1e3 * rtx_2070.predict(kernel(n))->seconds});
        }
        std::ofstream file(argv[1]);
        if (!(file << chart)) {
            std::cerr << "cannot write " << argv[1] << '\n';
            return 1;
        }
    }
}
