// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <warpgauge/report/bar_chart.hpp>
#include <warpgauge/report/explanation.hpp>
#include <warpgauge/saturation/estimate.hpp>

#include "commands.hpp"
#include "failure.hpp"
#include "models.hpp"

namespace program {

namespace {

namespace report = warpgauge::report;

void add_removals(const std::vector<warpgauge::removal>& removals, double seconds,
                  const std::string& removed, answer& to) {
    for (const warpgauge::removal& r : removals) {
        std::vector<cell> row{text_cell(removed), text_cell(name(r.what))};
        if (r.error) {
            row.insert(row.end(), {{"none", {}}, {}});
            to.note(std::string(name(r.what)) + ": " + words_of(r.error));
        } else {
            row.push_back(seconds_cell(r.seconds));
            row.push_back(percent_cell(r.benefit_seconds / seconds));
        }
        to.rows.push_back(row);
    }
}

// The term that limits the time, if no removal of a bottleneck changes it; empty if there is none.
std::string fixed_term(const std::string& model, const warpgauge::any_device& gpu,
                       const warpgauge::kernel_profile<>& k) {
    using term = warpgauge::saturation_term;
    const auto p = predicted(model, gpu, k);
    if (!p || model != "saturation") return {};
    for (const term t : {term::block_launch, term::broadcast, term::overhead}) {
        if (p->limited_by == name(t)) return p->limited_by;
    }
    return {};
}

std::string gains_picture(const warpgauge::explanation& e, const std::string& title) {
    report::bar_chart chart{.title = title, .value_label = "% of the time"};
    chart.series.push_back({"to gain", {}});
    for (const warpgauge::removal& r : e.removals) {
        if (r.error || r.benefit_seconds < 0.0005 * e.seconds) continue;
        chart.groups.emplace_back(name(r.what));
        chart.series[0].values.push_back(100 * r.benefit_seconds / e.seconds);
    }
    return svg_of(chart);
}

}  // namespace

answer explain(const request& r) {
    check_models(r.models);
    check_one_gpu(r);
    check_one_model(r);
    const launch_on_gpu asked(r);
    const auto& [gpu, kernel, f] = asked;
    const std::string model = model_for(r, gpu);
    const auto e = explained(model, gpu, f->profile);
    if (!e) fail_prediction(r, model, gpu, e.error());
    const std::string fixed = fixed_term(model, gpu, f->profile);
    const bool limited = report::has_limit(*e);

    answer a{.before = headline(kernel, *f) + "It takes " + report::duration(e->seconds) +
                       " on the " + std::string(gpu.name()) + ", by the model " + model + ".\n" +
                       report::in_sentences(*e, fixed) + "\n",
             .rows_key = "removals",
             .columns = {{"after", "after"},
                         {"without", "without"},
                         {"time", "seconds"},
                         {"gain", "gain_fraction"}},
             .left = 2};
    add_facts(kernel, *f, a);
    note_bound(r, gpu, a);
    note_one_warp(model, *f, a);
    a.facts.emplace_back("gpu", std::string(gpu.name()));
    a.facts.emplace_back("model", model);
    a.facts.emplace_back("seconds", e->seconds);
    a.facts.emplace_back("limited_by", limited ? value(std::string(name(*e->limiting))) : value());
    a.facts.emplace_back("next", limited && e->next ? value(std::string(name(*e->next))) : value());
    a.facts.emplace_back("next_after_factor",
                         limited && e->next_after_factor ? value(*e->next_after_factor) : value());
    add_removals(e->removals, e->seconds, "", a);
    if (limited) {
        add_removals(e->then, e->removals[0].seconds, std::string(name(*e->limiting)), a);
    }
    const std::string granted = report::taken_for_granted(*e);
    if (!granted.empty()) a.note(granted.substr(0, granted.size() - 1));
    if (!fixed.empty()) a.note("limited by " + fixed + ", which none of these removes");
    if (r.picture)
        a.picture = gains_picture(
            *e, "What " + kernel.name() + " has to gain on a " + std::string(gpu.name()));
    return a;
}

}  // namespace program
