// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <sstream>

#include <warpgauge/report/roofline_chart.hpp>

#include "commands.hpp"
#include "failure.hpp"
#include "models.hpp"

namespace program {

namespace {

namespace report = warpgauge::report;

std::string roofline_picture(const report::roofline_chart& chart) {
    std::ostringstream out;
    if (const auto bad = write_roofline_svg(out, chart)) fail_model("--svg: " + words_of(bad));
    return out.str();
}

}  // namespace

answer roofline(const request& r) {
    check_models(r.models);
    const launch_on_gpu asked(r);
    const auto& [gpu, kernel, f] = asked;
    const std::vector<std::string> models =
        r.models.empty() ? std::vector{default_model(gpu)} : r.models;

    answer a{.before = headline(kernel, *f) + std::string(gpu.name()) + "\n\n",
             .rows_key = "points",
             .columns = {{"time by", "model"},
                         {"time", "seconds"},
                         {"instructions/B", "instructions_per_byte"},
                         {"G instructions/s", "instructions_per_s"},
                         {"of its roof", "fraction_of_roof"}},
             .nothing_predicted = true};
    add_facts(kernel, *f, a);
    a.facts.emplace_back("gpu", std::string(gpu.name()));
    report::roofline_chart chart{.title = kernel.name() + " under the roofs of a " +
                                          std::string(gpu.name())};
    for (const std::string& model : models) {
        const auto p = predicted(model, gpu, f->profile);
        const auto place = p ? placed(gpu, f->profile, p->seconds) : p.error();
        if (!place) {
            a.note(model + ": " + words_of(place.error()));
            continue;
        }
        a.nothing_predicted = false;
        const auto& point = place->point;
        a.rows.push_back(
            {text_cell(model),
             seconds_cell(p->seconds),
             {report::fixed(point.instructions_per_byte, 2), point.instructions_per_byte},
             {report::fixed(point.instructions_per_s / 1e9, 1), point.instructions_per_s},
             percent_cell(point.fraction_of_roof)});
        chart.roofs = place->roofs;
        chart.kernels.push_back({model, point});
    }
    if (r.picture && !a.nothing_predicted) a.picture = roofline_picture(chart);
    return a;
}

}  // namespace program
