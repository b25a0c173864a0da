// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The question of Chapuis et al. 2016, sec. 5: what does the next GPU gain on each kernel? Asked of the
// Pascal that the authors projected from Kepler, and of three GPUs that came.
//
//   next_gpu [FILE.svg]    the tables; with FILE.svg, the gains as a picture
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include <warpgauge/models/ppt_compat.hpp>
#include <warpgauge/report/bar_chart.hpp>
#include <warpgauge/report/table.hpp>
#include <warpgauge/warpgauge.hpp>

#include "parboil.hpp"

namespace {

namespace devices = warpgauge::devices;
namespace report = warpgauge::report;

template <class Visitor>
void for_each_gpu(Visitor visit) {
    visit(devices::tesla_m2090{});
    visit(devices::tesla_k40{});
    visit(devices::quadro_k6000{});
    visit(devices::pascal_projection{});
    visit(devices::tesla_v100{});
    visit(devices::a100_sxm4_40gb{});
    visit(devices::h100_sxm5{});
}

std::string percent(double fraction) {
    return report::fixed(100 * fraction, 0) + "%";
}

// region: predict
void compare(const streamed_kernel& kernel, report::table& t, report::bar_chart& chart) {
    const auto reference =
        warpgauge::hybrid_model{devices::quadro_k6000{}}.predict(kernel.profile());
    std::size_t gpu = 0;
    for_each_gpu([&](const auto& device) {
        const auto e = warpgauge::hybrid_model{device}.predict(kernel.profile());
        if (!reference || !e) {
            std::cerr << kernel.launch.name << " on " << device.name << ": "
                      << message(e ? reference.error() : e.error()).view() << '\n';
            return;
        }
        const double gain = reference->seconds / e->seconds;
        // endregion
        const auto& stalls = e->sm.stalls;
        const auto cycles = static_cast<double>(e->sm.cycles);
        const auto percent_of_cycles = [&](std::uint64_t n) {
            return percent(static_cast<double>(n) / cycles);
        };
        t.add({kernel.launch.name, device.name, report::fixed(e->active_warps_per_sm, 0),
               report::duration(e->seconds), report::fixed(gain, 2),
               percent(e->sm.issue_utilisation), percent(e->sm.dram_utilisation),
               percent_of_cycles(stalls.memory_queue + stalls.memory_dependence),
               percent_of_cycles(stalls.dependence), percent_of_cycles(stalls.unit_busy),
               percent_of_cycles(stalls.barrier), name(e->limited_by)});
        chart.series[gpu++].values.push_back(gain);
    });
}

// What the authors' program itself says of the same streams.
void compare_as_ppt(const std::vector<streamed_kernel>& kernels) {
    constexpr const char* published[]{"nearly 2.5", "nearly 1.5", "nearly 2.5"};
    report::table t({"kernel", "paper, fig. 9", "ppt_compat", "corrected"});
    for (std::size_t i = 0; i < kernels.size(); ++i) {
        const auto gain = [&](const auto& k6000) {
            const auto now = k6000.predict(kernels[i].profile());
            const auto next = k6000.on(devices::pascal_projection{}).predict(kernels[i].profile());
            return now && next ? report::fixed(now->seconds / next->seconds, 2) : "-";
        };
        t.add({kernels[i].launch.name, published[i],
               gain(warpgauge::ppt_compat_model{devices::quadro_k6000{}}),
               gain(warpgauge::hybrid_model{devices::quadro_k6000{}})});
    }
    std::cout << "The projected Pascal against the K6000: how many times faster\n\n" << t;
}

}  // namespace

int main(int argc, char** argv) {
    const std::vector<streamed_kernel> kernels{sgemm(4096), stencil(512), opt_stencil(512)};
    report::table t({"kernel", "GPU", "warps/SM", "time", "gain", "issue", "DRAM", "memory",
                     "results", "units", "barriers", "limited by"},
                    2);
    report::bar_chart chart{.title = "Predicted gain over the Quadro K6000",
                            .value_label = "times faster",
                            .groups = {},
                            .series = {}};
    for_each_gpu([&](const auto& device) {
        chart.series.push_back({std::string(device.name), {}});
    });
    for (const streamed_kernel& kernel : kernels) {
        chart.groups.emplace_back(kernel.launch.name);
        compare(kernel, t, chart);
    }
    std::cout
        << "Utilisation of issue slots and DRAM; waits for memory, results, units and barriers\n\n"
        << t << '\n';
    compare_as_ppt(kernels);
    if (argc > 1) {
        std::ofstream file(argv[1]);
        file << chart;
        if (!file) {
            std::cerr << "cannot write " << argv[1] << '\n';
            return 1;
        }
    }
}
