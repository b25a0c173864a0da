// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <iostream>

#include <unistd.h>

#include <warpgauge/report/line_chart.hpp>
#include <warpgauge/tune/prune.hpp>
#include <warpgauge/tune/rank.hpp>

#include "commands.hpp"
#include "failure.hpp"
#include "gpus.hpp"
#include "models.hpp"

namespace program {

namespace {

// Times that differ by less are rounding.
constexpr double tie = 1e-9;

struct ranked_launch {
    std::string name{}, limited_by{}, error{};
    double seconds{};
};

std::string name_of(const launch_request& r) {
    if (!r.name.empty()) return r.name;
    return r.file + (r.kernel.empty() ? "" : " " + r.kernel) + " " + r.block;
}

ranked_launch launch_on(const warpgauge::any_device& gpu, const std::string& model,
                        const launch_request& r, kernel_texts& texts) {
    ranked_launch to{.name = name_of(r)};
    try {
        const loaded_kernel kernel(r, texts);
        const auto f = kernel.on(gpu);
        const auto p = predicted(model, gpu, f->profile);
        if (!p) fail_model(words_of(p.error()));
        to.seconds = p->seconds;
        to.limited_by = p->limited_by;
    } catch (const failure& e) {
        if (e.status == usage_failure) throw;
        to.error = e.text;
    }
    return to;
}

// How far it is, for who waits at a terminal.
void show_progress(std::size_t done, std::size_t all) {
    if (all < 10 || isatty(STDERR_FILENO) == 0) return;
    std::cerr << '\r' << done << " of " << all << (done == all ? "\r\033[K" : "") << std::flush;
}

std::string order_picture(const answer& a, const std::string& gpu) {
    warpgauge::report::line_chart chart{.title = "Predicted order on a " + gpu,
                                        .x_label = "place",
                                        .y_label = "predicted time, µs",
                                        .curves = {{"to measure", {}}, {"the rest", {}}}};
    for (std::size_t n = 0; n < a.rows.size(); ++n) {
        const double* seconds = std::get_if<double>(&a.rows[n][2].exact);
        const bool measure = std::get<bool>(a.rows[n][4].exact);
        if (seconds == nullptr) continue;
        chart.curves[measure ? 0 : 1].points.push_back(
            {static_cast<double>(n + 1), 1e6 * *seconds});
    }
    return svg_of(chart);
}

void add_launches(const std::vector<ranked_launch>& launches, const warpgauge::ranking& order,
                  const std::vector<std::size_t>& kept, answer& to) {
    std::vector<double> place(launches.size());
    for (const warpgauge::rank_group& g : order.groups) {
        for (std::size_t n = g.first; n < g.first + g.count; ++n) {
            place[order.order[n]] = static_cast<double>(g.first + 1);
        }
    }
    for (const std::size_t n : order.order) {
        const ranked_launch& l = launches[n];
        if (!l.error.empty()) {
            to.rows.push_back({{"", {}}, text_cell(l.name), {"none", {}}, {}, {"", false}});
            to.note(l.name + ": " + l.error);
            continue;
        }
        const bool measure = std::find(kept.begin(), kept.end(), n) != kept.end();
        to.rows.push_back({number_cell(place[n]),
                           text_cell(l.name),
                           seconds_cell(l.seconds),
                           text_cell(l.limited_by),
                           {measure ? "yes" : "", measure}});
    }
}

}  // namespace

answer rank(const request& r) {
    check_models(r.models);
    check_one_gpu(r);
    if (r.launches.empty()) fail_usage("FILE is needed, or --launches");
    const auto gpu = gpu_called(r.devices[0]);
    const std::string model = model_for(r, gpu);

    kernel_texts texts;
    std::vector<ranked_launch> launches;
    std::vector<double> seconds;
    std::vector<warpgauge::model_error> errors;
    for (const launch_request& one : r.launches) {
        launches.push_back(launch_on(gpu, model, one, texts));
        const bool bad = !launches.back().error.empty();
        seconds.push_back(launches.back().seconds);
        errors.push_back(bad ? warpgauge::model_error{warpgauge::errc::missing, "time"}
                             : warpgauge::model_error{});
        show_progress(launches.size(), r.launches.size());
    }
    const auto order = warpgauge::rank(seconds, errors, tie);
    if (!order) fail_model(words_of(order.error()));
    const auto kept = warpgauge::keep_fraction(*order, r.keep);
    if (!kept) fail_usage("--keep: " + words_of(kept.error()));

    answer a{.before = std::string(gpu.name()) + ", " + model + "\n\n",
             .facts = {{"gpu", std::string(gpu.name())}, {"model", model}},
             .rows_key = "launches",
             .columns = {{"", "place"},
                         {"launch", "launch"},
                         {"time", "seconds"},
                         {"limited by", "limited_by"},
                         {"measure", "measure"}},
             .left = 2,
             .nothing_predicted = order->predicted() == 0};
    add_launches(launches, *order, kept->kept, a);
    if (r.picture) a.picture = order_picture(a, std::string(gpu.name()));
    return a;
}

}  // namespace program
