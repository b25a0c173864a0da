// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <cmath>

#include <warpgauge/report/bar_chart.hpp>

#include "commands.hpp"
#include "failure.hpp"
#include "models.hpp"

namespace program {

namespace {

namespace report = warpgauge::report;

// Changes of time below a thousandth of a percent for a percent are none.
constexpr double least = 1e-5;

cell slope_cell(double slope) {
    return {(slope < 0 ? "-" : "+") + report::fixed(std::fabs(slope), 3) + "%", slope};
}

std::string slopes_picture(const std::vector<warpgauge::sensitivity>& all,
                           const std::string& title) {
    report::bar_chart chart{
        .title = title, .value_label = "% that the time changes by for 1% more", .digits = 3};
    chart.series.push_back({"change", {}});
    for (const warpgauge::sensitivity& s : all) {
        if (std::fabs(s.elasticity) < 0.0005) continue;  // it would be drawn as 0.000
        chart.groups.push_back((s.elasticity < 0 ? "less with " : "more with ") +
                               std::string(s.parameter));
        chart.series[0].values.push_back(std::fabs(s.elasticity));
    }
    return svg_of(chart);
}

}  // namespace

answer sensitivity(const request& r) {
    check_models(r.models);
    check_one_gpu(r);
    check_one_model(r);
    const launch_on_gpu asked(r);
    const auto& [gpu, kernel, f] = asked;
    const std::string model = model_for(r, gpu);
    auto slopes = slopes_of(model, gpu, f->profile);
    if (!slopes) fail_prediction(r, model, gpu, slopes.error());
    std::erase_if(*slopes, [](const auto& s) { return std::fabs(s.elasticity) < least; });
    std::stable_sort(slopes->begin(), slopes->end(), [](const auto& a, const auto& b) {
        return std::fabs(a.elasticity) > std::fabs(b.elasticity);
    });

    answer a{.before = headline(kernel, *f) + std::string(gpu.name()) + ", " + model +
                       ": change of the time for 1% more of each parameter\n\n",
             .rows_key = "sensitivities",
             .columns = {{"parameter", "parameter"},
                         {"of the", "of"},
                         {"value", "value"},
                         {"time", "elasticity"},
                         {"just below", "below"},
                         {"just above", "above"}},
             .left = 2};
    add_facts(kernel, *f, a);
    note_bound(r, gpu, a);
    note_one_warp(model, *f, a);
    a.facts.emplace_back("gpu", std::string(gpu.name()));
    a.facts.emplace_back("model", model);
    for (const warpgauge::sensitivity& s : *slopes) {
        std::vector<cell> row{text_cell(s.parameter), text_cell(s.of_device ? "GPU" : "kernel"),
                              number_cell(s.value), slope_cell(s.elasticity)};
        // The sides differ where another case of the model begins.
        row.push_back(s.kink() ? slope_cell(s.below) : cell{"", s.below});
        row.push_back(s.kink() ? slope_cell(s.above) : cell{"", s.above});
        a.rows.push_back(row);
    }
    if (r.picture) {
        a.picture = slopes_picture(*slopes, "What the time of " + kernel.name() + " on a " +
                                                std::string(gpu.name()) + " depends on");
    }
    return a;
}

}  // namespace program
