// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels of Hong & Kim 2009 on the four GPUs of its table 3: how many blocks fit and why, how
// long they take and why; then: twice the bandwidth? twice the SMs? half the latency?
//
//   what_if [FILE.svg]    the tables; with FILE.svg, time against bandwidth as a picture
#include <cmath>
#include <fstream>
#include <iostream>
#include <string>

#include <warpgauge/report/line_chart.hpp>
#include <warpgauge/report/table.hpp>
#include <warpgauge/warpgauge.hpp>

#include "merge_benchmarks.hpp"

namespace {

namespace devices = warpgauge::devices;
namespace report = warpgauge::report;
using profile = warpgauge::kernel_profile<>;

// Table 3 leaves the transactions of an uncoalesced access on the GTX 280 to a technical report.
// Its compute capability, 1.3, serves a half-warp with as few segments as its addresses touch;
// assumed here: two of 128 B, so four per warp. On the others each thread makes its own.
template <class Device>
profile on(const Device& device, profile kernel) {
    if (device.capability >= warpgauge::compute_capability{1, 2}) {
        kernel.transactions_per_uncoalesced = 4;
    }
    return kernel;
}

template <class Visitor>
void for_each_gpu(Visitor visit) {
    visit(devices::geforce_8800_gtx{});
    visit(devices::quadro_fx5600{});
    visit(devices::geforce_8800_gt{});
    visit(devices::geforce_gtx_280{});
}

template <class Visitor>
void for_each_kernel(Visitor visit) {
    visit(tiled_example);
    for (const profile& kernel : merge_benchmarks) visit(kernel);
}

// What limits residency; the paper gives the blocks of fig. 12 and not what they use.
template <class Device>
std::string limiter(const profile& kernel, const Device& device) {
    if (kernel.active_blocks_per_sm > 0) return "as given";
    const auto o = warpgauge::occupancy(kernel, device);
    return std::string(o ? name(o->limiter) : message(o.error()).view());
}

void predictions() {
    report::table t({"kernel", "GPU", "blocks/SM", "warps/SM", "occupancy", "limited by", "MWP",
                     "CWP", "case", "CPI", "time"},
                    2);
    for_each_kernel([&](const profile& published) {
        for_each_gpu([&](const auto& device) {
            const profile kernel = on(device, published);
            const auto e = warpgauge::mwp_cwp_model{device}.predict(kernel);
            if (!e) {
                t.add({kernel.name, device.name, message(e.error()).view()});
                return;
            }
            t.add_row(
                {std::string(kernel.name), std::string(device.name),
                 report::fixed(e->active_blocks_per_sm, 0),
                 report::fixed(e->active_warps_per_sm, 0),
                 report::fixed(100 * e->active_warps_per_sm / device.max_warps_per_sm, 0) + "%",
                 limiter(kernel, device), report::fixed(e->mwp, 2), report::fixed(e->cwp, 2),
                 std::string(name(e->which)), report::fixed(e->cpi, 1),
                 report::duration(e->seconds)});
        });
    });
    std::cout << t;
}

// region: what_if
// How many times faster `kernel` gets when `change` is made to `device`.
template <class Device, class Change>
double speed_up(const profile& kernel, const Device& device, Change change) {
    auto changed = edit(device);
    change(changed);
    const auto before = warpgauge::mwp_cwp_model{device}.predict(kernel);
    const auto after = warpgauge::mwp_cwp_model{changed}.predict(kernel);
    return before && after ? before->seconds / after->seconds : 0;
}
// endregion

void questions() {
    report::table t({"kernel", "GPU", "twice the bandwidth", "twice the SMs", "half the latency"},
                    2);
    for_each_kernel([&](const profile& published) {
        for_each_gpu([&](const auto& device) {
            const profile kernel = on(device, published);
            const auto answer = [&](auto change) {
                return report::fixed(speed_up(kernel, device, change), 2) + "x";
            };
            t.add_row({std::string(kernel.name), std::string(device.name),
                       answer([](auto& d) { d.dram_bytes_per_s *= 2; }),
                       answer([](auto& d) { d.sm_count *= 2; }),
                       answer([](auto& d) { d.dram_latency_cycles /= 2; })});
        });
    });
    std::cout << t;
}

report::line_chart bandwidth_chart() {
    report::line_chart chart{.title = "Time on the GTX 280 against memory bandwidth",
                             .x_label = "bandwidth, times that of the GTX 280",
                             .y_label = "predicted time, ms",
                             .log_x = true,
                             .log_y = true,
                             .at = {1, "as it is"}};
    auto device = edit(devices::geforce_gtx_280{});
    const double bandwidth = device.dram_bytes_per_s;
    for (const profile& published : merge_benchmarks) {
        const profile kernel = on(device, published);
        report::curve c{std::string(kernel.name), {}};
        for (int i = -32; i <= 16; ++i) {
            const double times = std::exp2(i / 8.0);
            device.dram_bytes_per_s = bandwidth * times;
            const auto e = warpgauge::mwp_cwp_model{device}.predict(kernel);
            if (e) c.points.push_back({times, 1e3 * e->seconds});
        }
        chart.curves.push_back(c);
    }
    return chart;
}

}  // namespace

int main(int argc, char** argv) {
    std::cout << "Predicted by MWP/CWP (Hong & Kim 2009)\n\n";
    predictions();
    std::cout << "\nHow many times faster with ...\n\n";
    questions();
    if (argc > 1) {
        std::ofstream file(argv[1]);
        file << bandwidth_chart();
        if (!file.flush()) {
            std::cerr << argv[1] << ": cannot be written\n";
            return 1;
        }
    }
}
