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

template <class Device>
auto times_on(const Device& device) {
    return [device](double comp_insts) {
        return seconds_of(mwp_cwp_model{device}.predict(kernel(comp_insts)));
    };
}

std::string said(const warpgauge::threshold& t, double unit, const char* name) {
    if (t.which == answer::never) return "nowhere in the range";
    return report::fixed(t.value / unit, 1) + " " + name;
}

}  // namespace

int main(int argc, char** argv) {
    // region: crossover
    const auto on_1080 = times_on(devices::geforce_gtx_1080_ti{});
    const auto on_2070 = times_on(devices::geforce_rtx_2070_super{});
    const auto crossings = warpgauge::crossovers(on_1080, on_2070, 1, 10'000);
    if (!crossings) return 1;
    for (const warpgauge::crossover& c : *crossings) {
        std::cout << "At " << report::fixed(c.value, 1) << " instructions both take "
                  << report::duration(c.first_seconds) << "; below, the "
                  << (c.first_faster_below ? "GTX 1080 Ti" : "RTX 2070 SUPER")
                  << " is the faster one.\n";
    }
    // endregion

    // region: least
    report::table t({"instructions", "GTX 1080 Ti", "RTX 2070 SUPER", "bandwidth", "SMs", "clock"});
    for (const double n : {10.0, 50.0, 200.0}) {
        const double target = *on_2070(n);
        const auto needs = [&](auto change, double low, double high) {
            return warpgauge::least_value_for(
                [&](double x) {
                    auto gpu = warpgauge::edit(devices::geforce_gtx_1080_ti{});
                    change(gpu) = x;
                    return seconds_of(mwp_cwp_model{gpu}.predict(kernel(n)));
                },
                low, high, target);
        };
        const auto bandwidth = needs(
            [](auto& gpu) -> auto& { return gpu.dram_bytes_per_s; }, 1e10, 1e13);
        const auto sms = needs(
            [](auto& gpu) -> auto& { return gpu.sm_count; }, 1, 1000);
        const auto clock = needs(
            [](auto& gpu) -> auto& { return gpu.clock_hz; }, 1e8, 1e11);
        if (!bandwidth || !sms || !clock) return 1;
        t.add({report::fixed(n, 0), report::duration(*on_1080(n)), report::duration(target),
               said(*bandwidth, 1e9, "GB/s"), said(*sms, 1, "SMs"), said(*clock, 1e9, "GHz")});
    }
    // endregion
    std::cout << "\nWhat the GTX 1080 Ti (484 GB/s, 28 SMs, 1.58 GHz) needs at least, all else the "
                 "same, to be as fast as the RTX 2070 SUPER:\n\n"
              << t;

    if (argc > 1) {
        report::line_chart chart{
            .title = "Two loads, a store and so much arithmetic, a million times",
            .x_label = "other instructions of a thread",
            .y_label = "ms",
            .log_x = true,
            .log_y = true,
            .curves = {{"GTX 1080 Ti", {}}, {"RTX 2070 SUPER", {}}}};
        for (double n = 1; n <= 10'000; n *= std::pow(10, 1.0 / 32)) {
            chart.curves[0].points.push_back({n, 1e3 * *on_1080(n)});
            chart.curves[1].points.push_back({n, 1e3 * *on_2070(n)});
        }
        std::ofstream file(argv[1]);
        if (!(file << chart)) {
            std::cerr << "cannot write " << argv[1] << '\n';
            return 1;
        }
    }
}
