// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The four stencils of Meng & Skadron 2009 on the GTX 280: the best ghost zone, what a loop costs and
// of what that consists; then the paper's sensitivity studies as what-if sweeps.
//
//   stencil_ghost_zones                        the tables
//   stencil_ghost_zones FILE.svg [PICTURE]     a picture as well: heights (default), components,
//                                              halo, block, sync, latency or cpi
#include <fstream>
#include <functional>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include <warpgauge/report/line_chart.hpp>
#include <warpgauge/report/table.hpp>
#include <warpgauge/warpgauge.hpp>

#include "stencils.hpp"

namespace {

namespace report = warpgauge::report;
using gpu = warpgauge::devices::geforce_gtx_280;
using profile = warpgauge::kernel_profile<>;
using estimate = warpgauge::trapezoid_estimate<>;

// region: best_height
// How many times faster the best trapezoid is than a ghost zone for one loop.
template <class Device>
double gain(const profile& stencil, const Device& device) {
    const warpgauge::trapezoid_model model{device};
    const auto one = model.cycles_per_loop(stencil, 1.0);
    const auto best = model.optimal_height(stencil);
    return one && best ? one->cycles_per_loop / best->cycles_per_loop : 0;
}
// endregion

// The part of cycles per loop that a column shows.
struct component {
    const char* name;
    double estimate::*cycles;
};
constexpr component components[]{{"global sync", &estimate::global_sync_cycles},
                                 {"load", &estimate::load_stencil_cycles},
                                 {"commit", &estimate::commit_cycles},
                                 {"misc. comp.", &estimate::misc_computation_cycles},
                                 {"loop comp.", &estimate::iter_computation_cycles},
                                 {"loop memory", &estimate::iter_memory_cycles}};

void heights_and_components() {
    report::table t({"stencil", "h = 1", "h = 2", "h = 3", "best h", "cycles", "gain", "tile left",
                     "global sync", "load", "commit", "misc. comp.", "loop comp.", "loop memory"});
    const warpgauge::trapezoid_model<gpu> model;
    for (const profile& k : ghost_zone_stencils) {
        const auto best = model.optimal_height(k);
        if (!best) {
            t.add({k.name, message(best.error()).view()});
            continue;
        }
        std::vector<std::string> row{std::string(k.name)};
        for (const double h : {1.0, 2.0, 3.0}) {
            row.push_back(report::fixed(model.cycles_per_loop(k, h)->cycles_per_loop, 0));
        }
        row.push_back(report::fixed(best->height, 0));
        row.push_back(report::fixed(best->cycles_per_loop, 0));
        row.push_back(report::fixed(gain(k, gpu{}), 2) + "x");
        row.push_back(report::fixed(100 * best->cost_effectiveness, 0) + "%");
        for (const component& c : components) {
            row.push_back(report::fixed(100 * ((*best).*c.cycles) / best->cycles_per_loop, 1) +
                          "%");
        }
        t.add_row(row);
    }
    std::cout << t;
}

void tiles() {
    report::table t({"stencil", "block", "best h", "cycles", "best block", "best h", "cycles"});
    const warpgauge::trapezoid_model<gpu> model;
    for (const profile& k : ghost_zone_stencils) {
        const auto given = model.optimal_height(k);
        const auto best = model.optimal_tile(k);
        if (!given || !best) continue;
        t.add({k.name, report::fixed(k.stencil.block_length, 0), report::fixed(given->height, 0),
               report::fixed(given->cycles_per_loop, 0), report::fixed(best->block_length, 0),
               report::fixed(best->height, 0), report::fixed(best->cycles_per_loop, 0)});
    }
    std::cout << t;
}

using runtime_gpu = decltype(warpgauge::edit(gpu{}));

// A study: what is varied, over which multiples or values.
struct study {
    const char* name;
    const char* what;
    std::vector<double> values;
    std::function<void(double, profile&, runtime_gpu&)> set;
};

std::vector<study> studies() {
    const std::vector<double> times{0.125, 0.25, 0.5, 1, 2, 4, 8, 16};
    return {{"halo",
             "halo width",
             {1, 2, 3, 4, 5, 6},
             [](double v, profile& k, runtime_gpu&) {
                 k.stencil.halo_width = {v, v, v};
             }},
            {"block",
             "block length, times that of the paper",
             {0.75, 1, 1.5, 2, 3, 4, 6, 8},
             [](double v, profile& k, runtime_gpu&) { k.stencil.block_length *= v; }},
            {"sync", "synchronisation latency, times that of the GTX 280", times,
             [](double v, profile&, runtime_gpu& d) { d.global_sync_cycles *= v; }},
            {"latency", "memory access latency, times that of the GTX 280", times,
             [](double v, profile&, runtime_gpu& d) {
                 d.uncontended_latency_cycles *=
                     v;  // higher demand or contention counts too, sec. 6.3
                 d.dram_bytes_per_s /= v;
             }},
            {"cpi", "cycles per instruction, times those of the GTX 280", times,
             [](double v, profile&, runtime_gpu& d) {
                 d.average_cpi *= v;
                 d.issue_cycles *= v;  // no instruction takes less than its issue
             }}};
}

// The best height and the gain of `k` with `value` set, or nothing where the tile vanishes.
std::string answer(const study& s, profile k, double value) {
    auto device = warpgauge::edit(gpu{});
    s.set(value, k, device);
    const auto best = warpgauge::trapezoid_model{device}.optimal_height(k);
    if (!best) return "-";
    return report::fixed(gain(k, device), 2) + "x at " + report::fixed(best->height, 0);
}

void sensitivity() {
    for (const study& s : studies()) {
        std::cout << "\nGain and best height against " << s.what << "\n\n";
        report::table t({"", "PathFinder", "HotSpot", "Poisson", "Cell"});
        for (const double value : s.values) {
            std::vector<std::string> row{report::fixed(value, value < 1 ? 3 : 1)};
            for (const profile& k : ghost_zone_stencils) row.push_back(answer(s, k, value));
            t.add_row(row);
        }
        std::cout << t;
    }
}

report::line_chart heights_chart() {
    report::line_chart chart{.title = "Cycles per loop against trapezoid height",
                             .x_label = "height, loops",
                             .y_label = "cycles, times those of height 1",
                             .log_x = true};
    const warpgauge::trapezoid_model<gpu> model;
    for (const profile& k : ghost_zone_stencils) {
        report::curve c{std::string(k.name), {}};
        const double one = model.cycles_per_loop(k, 1.0)->cycles_per_loop;
        for (double h = 0.5; h <= 64; h *= 1.02) {
            const auto e = model.cycles_per_loop(k, h);
            if (e && e->cycles_per_loop < 2 * one)
                c.points.push_back({h, e->cycles_per_loop / one});
        }
        chart.curves.push_back(c);
    }
    return chart;
}

// Fig. 6: a stencil like HotSpot, with one element loaded per operation.
report::line_chart components_chart() {
    report::line_chart chart{.title = "What a loop costs, against trapezoid height",
                             .x_label = "height, loops",
                             .y_label = "cycles per loop",
                             .log_y = true};
    const warpgauge::trapezoid_model<gpu> model;
    profile k = ghost_zone_stencils[1];
    k.stencil.elements_per_op = 1;
    for (const component& part : components) {
        report::curve c{part.name, {}};
        for (double h = 1; h <= 7; h += 0.1) {
            const auto e = model.cycles_per_loop(k, h);
            if (e) c.points.push_back({h, (*e).*part.cycles});
        }
        chart.curves.push_back(c);
    }
    return chart;
}

report::line_chart study_chart(const study& s) {
    const std::string what = s.what;
    report::line_chart chart{
        .title = "Gain from the best trapezoid, by " + what.substr(0, what.find(',')),
        .x_label = s.what,
        .y_label = "times faster than height 1",
        .log_x = s.values.back() > 6};
    for (const profile& app : ghost_zone_stencils) {
        report::curve c{std::string(app.name), {}};
        for (const double value : s.values) {
            profile k = app;
            auto device = warpgauge::edit(gpu{});
            s.set(value, k, device);
            const double times = gain(k, device);
            if (times > 0) c.points.push_back({value, times});
        }
        chart.curves.push_back(c);
    }
    return chart;
}

bool draw(const char* path, std::string_view picture) {
    std::ofstream file(path);
    if (picture == "heights") file << heights_chart();
    if (picture == "components") file << components_chart();
    for (const study& s : studies()) {
        if (picture == s.name) file << study_chart(s);
    }
    return file.tellp() > 0 && file.flush();
}

}  // namespace

int main(int argc, char** argv) {
    std::cout
        << "Cycles per loop on the GTX 280 (Meng & Skadron 2009), and their parts at the best "
           "height\n\n";
    heights_and_components();
    std::cout << "\nThe best block that the GTX 280 can run\n\n";
    tiles();
    sensitivity();
    if (argc > 1 && !draw(argv[1], argc > 2 ? argv[2] : "heights")) {
        std::cerr << argv[1] << ": no such picture, or the file cannot be written\n";
        return 1;
    }
}
