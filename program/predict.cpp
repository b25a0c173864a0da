// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <string>
#include <variant>
#include <vector>

#include <warpgauge/report/bar_chart.hpp>
#include <warpgauge/sm/occupancy.hpp>

#include "commands.hpp"
#include "failure.hpp"
#include "gpus.hpp"
#include "models.hpp"
#include "text.hpp"

namespace program {

namespace {

using warpgauge::parameters::residency;
using warpgauge::parameters::warp;

// Resident warps of an SM, and what limits them, at `at` and behind it.
void add_residency(const warpgauge::any_device& gpu, const followed_kernel& f,
                   std::vector<cell>& row) {
    if (gpu.missing_of<warp, residency>()) {
        row.insert(row.end(), 2, cell{});
        return;
    }
    const auto o = warpgauge::occupancy(f.profile, gpu.as<warp, residency>());
    row.push_back(o ? number_cell(o->active_warps_per_sm) : text_cell("none"));
    row.push_back(text_cell(o ? std::string(name(o->limiter)) : words_of(o.error())));
}

void add_bytes(const followed_kernel& f, std::vector<cell>& row) {
    const double requests = f.profile.coalesced_mem_insts + f.profile.uncoalesced_mem_insts;
    row.push_back(requests > 0 ? number_cell(f.trace.bytes_moved / requests) : cell{});
}

// The cells of a prediction, and in notes what it rests on. Returns whether it was made.
bool add_time(const std::string& model, const warpgauge::any_device& gpu, const followed_kernel& f,
              std::vector<cell>& row, answer& to) {
    const auto p = predicted(model, gpu, f.profile);
    if (!p) {
        row.push_back({"none", {}});
        row.insert(row.end(), 2, cell{});
        to.note(std::string(gpu.name()) + ", " + model + ": " + words_of(p.error()));
        return false;
    }
    row.push_back(seconds_cell(p->seconds));
    row.push_back({"", p->cycles});
    row.push_back(text_cell(p->limited_by));
    note_granted(model, p->taken_for_granted, to);
    note_one_warp(model, f, to);
    if (!p->assumed_groups.empty()) {
        to.note(std::string(gpu.name()) + ": no source gives " + p->assumed_groups);
    }
    return true;
}

// The launch overhead of a GPU is part of its time where a source gives it: notes which times of short launches lack it.
class launch_overheads {
public:
    void add(const warpgauge::any_device& gpu, const std::vector<cell>& row) {
        const double* const seconds = std::get_if<double>(&row[2].exact);
        if (row[1].shown != "saturation" || seconds == nullptr) return;
        const auto overhead = gpu.get("launch_overhead_s");
        std::string& names = overhead ? with_ : without_;
        names += (names.empty() ? "" : ", ") + std::string(gpu.name());
        if (overhead && *overhead > much * *seconds) is_much_ = true;
    }
    void note(answer& to) const {
        if (!is_much_ || without_.empty()) return;
        to.note("much of the time on " + with_ + " is launch overhead; no source gives that of " +
                without_);
    }

private:
    static constexpr double much = 0.1;

    std::string with_{}, without_{};
    bool is_much_ = false;
};

std::string predictions_picture(const answer& a, const std::string& kernel) {
    warpgauge::report::bar_chart chart{.title = "Predicted time of " + kernel, .value_label = "µs"};
    chart.series.push_back({"time", {}});
    for (const auto& row : a.rows) {
        const double* seconds = std::get_if<double>(&row[2].exact);
        chart.groups.push_back(row[0].shown + ", " + row[1].shown);
        chart.series[0].values.push_back(seconds != nullptr ? 1e6 * *seconds : 0);
    }
    return svg_of(chart);
}

}  // namespace

answer predict(const request& r) {
    check_models(r.models);
    const auto gpus = gpus_called(r.devices);
    const loaded_kernel kernel(r.launch);
    answer a{.rows_key = "predictions",
             .columns = {{"GPU", "gpu"},
                         {"model", "model"},
                         {"time", "seconds"},
                         {"", "cycles"},
                         {"limited by", "limited_by"},
                         {"registers", "registers_per_thread"},
                         {"warps/SM", "warps_per_sm"},
                         {"warps limited by", "warps_limited_by"},
                         {"B/access", "bytes_per_access"}},
             .left = 2,
             .nothing_predicted = true};
    launch_overheads overheads;
    for (const auto& gpu : gpus) {
        const auto f = kernel.on(gpu);
        if (introduce(kernel, *f, a, false) && r.details) a.before += details_of(kernel, *f);
        note_bound(r, gpu, a);
        const auto models = r.models.empty() ? std::vector{default_model(gpu)} : r.models;
        for (const std::string& model : models) {
            std::vector<cell> row{text_cell(gpu.name()), text_cell(model)};
            if (add_time(model, gpu, *f, row, a)) a.nothing_predicted = false;
            overheads.add(gpu, row);
            row.push_back(number_cell(f->profile.registers_per_thread));
            add_residency(gpu, *f, row);
            add_bytes(*f, row);
            a.rows.push_back(row);
        }
    }
    overheads.note(a);
    if (r.picture) a.picture = predictions_picture(a, kernel.name());
    return a;
}

}  // namespace program
