// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <map>
#include <string_view>
#include <utility>

#include <warpgauge/report/bar_chart.hpp>

#include "commands.hpp"
#include "failure.hpp"
#include "gpus.hpp"
#include "models.hpp"

namespace program {

namespace {

// A bar for each model, in a group for each GPU.
std::string comparison_picture(const answer& a, const std::string& kernel) {
    warpgauge::report::bar_chart chart{.title = "Predicted time of " + kernel + " by model",
                                       .value_label = "µs"};
    for (std::size_t c = 1; c < a.columns.size(); ++c)
        chart.series.push_back({a.columns[c].title, {}});
    for (const auto& row : a.rows) {
        chart.groups.push_back(row[0].shown);
        for (std::size_t c = 1; c < row.size(); ++c) {
            const double* seconds = std::get_if<double>(&row[c].exact);
            chart.series[c - 1].values.push_back(seconds != nullptr ? 1e6 * *seconds : 0);
        }
    }
    return svg_of(chart);
}

// Which GPUs a model has no time for, and why: each reason once.
class refusals {
public:
    void add(const std::string& model, const std::string& why, std::string_view gpu) {
        std::string& gpus = by_reason_[{model, why}];
        gpus += (gpus.empty() ? "" : ", ") + std::string(gpu);
    }
    void note_in(answer& to) const {
        for (const auto& [reason, gpus] : by_reason_) {
            to.note("no " + reason.first + " for " + gpus + ": " + reason.second);
        }
    }

private:
    std::map<std::pair<std::string, std::string>, std::string> by_reason_;
};

}  // namespace

answer compare(const request& r) {
    check_models(r.models);
    const auto gpus = gpus_called(r.devices);
    const loaded_kernel kernel(r.launch);
    const auto models = r.models.empty() ? all_models() : r.models;
    answer a{.rows_key = "seconds", .columns = {{"GPU", "gpu"}}, .nothing_predicted = true};
    for (const std::string& model : models) a.columns.push_back({model, model});
    refusals none;
    for (const auto& gpu : gpus) {
        const auto f = kernel.on(gpu);
        introduce(kernel, *f, a, gpus.size() == 1);
        std::vector<cell> row{text_cell(gpu.name())};
        for (const std::string& model : models) {
            const auto p = predicted(model, gpu, f->profile);
            row.push_back(p ? seconds_cell(p->seconds) : cell{"", {}});
            if (!p) {
                none.add(model, words_of(p.error()), gpu.name());
                continue;
            }
            a.nothing_predicted = false;
            note_granted(model, p->taken_for_granted, a);
            note_one_warp(model, *f, a);
        }
        a.rows.push_back(row);
    }
    none.note_in(a);
    if (r.picture) a.picture = comparison_picture(a, kernel.name());
    return a;
}

}  // namespace program
