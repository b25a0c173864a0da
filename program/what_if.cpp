// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cmath>

#include <warpgauge/kernel/parameters.hpp>
#include <warpgauge/kernel/with_blocks.hpp>
#include <warpgauge/report/line_chart.hpp>

#include "commands.hpp"
#include "failure.hpp"
#include "gpus.hpp"
#include "models.hpp"
#include "text.hpp"

namespace program {

namespace {

using profile = warpgauge::kernel_profile<>;

// `registers_per_sm=2x` or `registers_per_sm=131072`.
struct change {
    std::string text{}, parameter{};
    double number{};
    bool is_factor = false;

    [[nodiscard]] double of(double now) const { return is_factor ? number * now : number; }
};

change change_in(const std::string& text) {
    const std::size_t sign = text.find('=');
    change c{.text = text, .parameter = text.substr(0, sign)};
    std::string number = sign == std::string::npos ? "" : text.substr(sign + 1);
    c.is_factor = number.size() > 1 && number.back() == 'x';
    if (c.is_factor) number.pop_back();
    const auto value = number_in(number);
    if (!value) fail_usage("--set " + text + ": takes NAME=NUMBER, or NAME=2x");
    c.number = *value;
    return c;
}

// A parameter has one value, so "all of them" could not have two changes of it.
void check_set_once(const std::vector<change>& changes) {
    for (std::size_t n = 0; n < changes.size(); ++n) {
        for (std::size_t before = 0; before < n; ++before) {
            if (changes[before].parameter != changes[n].parameter) continue;
            fail_usage("--set " + changes[n].text + ": " + changes[n].parameter +
                       " is set already, by --set " + changes[before].text);
        }
    }
}

// Are the bytes to and from DRAM known? If both are 0, the footprint gives them.
bool has_dram_bytes(const profile& k) {
    return k.traffic.dram_read_bytes + k.traffic.dram_write_bytes > 0;
}

// A GPU and a kernel, of which parameters of either are changed by name.
struct machine {
    warpgauge::any_device gpu{};
    profile kernel{};

    [[nodiscard]] warpgauge::result<double> now(const std::string& parameter) {
        const auto of_gpu = gpu.get(parameter);
        if (of_gpu || of_gpu.error().code == warpgauge::errc::missing) return of_gpu;
        const double* of_kernel = find_parameter(kernel, parameter);
        if (of_kernel != nullptr) return *of_kernel;
        return of_gpu.error();
    }

    // An unknown name, or a factor of what is not known, is a failure.
    void apply(const change& c) {
        const auto before = now(c.parameter);
        if (!before && before.error().code == warpgauge::errc::unknown_parameter) {
            fail_usage("--set " + c.text + ": " + c.parameter +
                       " is no parameter of a GPU or a kernel" + perhaps(c.parameter, names()));
        }
        if (!before && c.is_factor) {
            fail_usage("--set " + c.text + ": no source gives " + c.parameter + " of the " +
                       std::string(gpu.name()) + ", so it has no factor; --set " + c.parameter +
                       "=NUMBER gives it a value");
        }
        const double then = c.of(before ? *before : 0);
        if (c.parameter == "blocks") {
            kernel = warpgauge::with_blocks(kernel, then);
        } else if (double* of_kernel = find_parameter(kernel, c.parameter)) {
            *of_kernel = then;
        } else if (const auto bad = gpu.set(c.parameter, then)) {
            fail_usage("--set " + c.text + ": " + words_of(bad));
        }
    }

    [[nodiscard]] std::vector<std::string> names() {
        std::vector<std::string> all;
        for (const auto& row : warpgauge::device_parameters) all.emplace_back(row.name);
        for_each_parameter(kernel, [&](std::string_view n, double&) { all.emplace_back(n); });
        return all;
    }
};

struct question {
    const std::string& model;
    const machine& as_is;
    double seconds;

    [[nodiscard]] std::vector<cell> row(const std::string& text, const std::vector<change>& changes,
                                        answer& to) const {
        machine m = as_is;
        for (const change& c : changes) m.apply(c);
        const auto p = predicted(model, m.gpu, m.kernel);
        if (!p) {
            to.note(text + ": " + words_of(p.error()));
            return {text_cell(text), {"none", {}}, {}, {}};
        }
        if (!p->assumed_groups.empty()) to.note(text + ": no source gives " + p->assumed_groups);
        if (changes.size() == 1 && p->seconds == seconds) note_without_effect(changes[0], m, to);
        if (has_dram_bytes(as_is.kernel) && !has_dram_bytes(m.kernel)) {
            to.note(text +
                    ": dram_read_bytes and dram_write_bytes of 0 are not known, and no absence "
                    "of traffic; the footprint gives them");
        }
        return {text_cell(text), seconds_cell(p->seconds), times_cell(seconds / p->seconds),
                text_cell(p->limited_by)};
    }

    // A change that changes no digit of the time, which 1.00x does not say.
    void note_without_effect(const change& c, const machine& changed, answer& to) const {
        const auto before = machine(as_is).now(c.parameter);
        if (before && *before == 0 && c.is_factor) {
            to.note(c.parameter + " is 0, and " + c.text.substr(c.parameter.size() + 1) +
                    " is too");
            return;
        }
        if (before && c.of(*before) == *before) return;
        const bool of_gpu = changed.gpu.get(c.parameter).has_value();
        to.note(of_gpu && !reads(model, changed.gpu, c.parameter)
                    ? model + " does not read " + c.parameter
                    : c.text + " changes no digit of the time by " + model);
    }

    // Time from a quarter to four times the first parameter.
    [[nodiscard]] std::string picture(const change& c, const std::string& kernel) const {
        warpgauge::report::line_chart chart{
            .title = "Time of " + kernel + " on a " + std::string(as_is.gpu.name()),
            .x_label = c.parameter + ", times what it is",
            .y_label = "predicted time, µs",
            .log_x = true,
            .log_y = true,
            .at = {1, "as it is"},
            .curves = {{model, {}}}};
        if (!machine(as_is).now(c.parameter))
            fail_usage("--svg: " + c.parameter + " is not known as it is");
        for (int step = -16; step <= 16; ++step) {
            machine m = as_is;
            const double times = std::exp2(step / 8.0);
            m.apply({c.text, c.parameter, times, true});
            const auto p = predicted(model, m.gpu, m.kernel);
            if (p) chart.curves[0].points.push_back({times, 1e6 * p->seconds});
        }
        return svg_of(chart);
    }
};

}  // namespace

answer what_if(const request& r) {
    check_models(r.models);
    check_one_gpu(r);
    check_one_model(r);
    std::vector<change> changes;
    for (const std::string& text : r.set) changes.push_back(change_in(text));
    check_set_once(changes);
    if (changes.empty()) fail_usage("--set is needed: NAME=2x, or NAME=NUMBER");
    const loaded_kernel kernel(r.launch);
    const auto gpu = gpu_called(r.devices[0]);
    const auto f = kernel.on(gpu);
    const machine as_is{gpu, f->profile};
    const std::string model = model_for(r, gpu);
    const auto now = predicted(model, gpu, f->profile);
    if (!now) fail_prediction(r, model, gpu, now.error());

    answer a{.before = headline(kernel, *f) + std::string(gpu.name()) + ", " + model + "\n\n",
             .rows_key = "answers",
             .columns = {{"what if", "change"},
                         {"time", "seconds"},
                         {"as fast", "speed_up"},
                         {"limited by", "limited_by"}}};
    add_facts(kernel, *f, a);
    note_bound(r, gpu, a);
    note_one_warp(model, *f, a);
    a.facts.emplace_back("gpu", std::string(gpu.name()));
    a.facts.emplace_back("model", model);
    const question ask{model, as_is, now->seconds};
    a.rows.push_back(ask.row("as it is", {}, a));
    for (const change& c : changes) a.rows.push_back(ask.row(c.text, {c}, a));
    if (changes.size() > 1) a.rows.push_back(ask.row("all of them", changes, a));
    const bool failed = a.rows.back()[1].exact.index() == 0;
    if (failed && changes.size() == 1) a.nothing_predicted = true;
    note_granted(model, now->taken_for_granted, a);
    if (r.picture) a.picture = ask.picture(changes[0], kernel.name());
    return a;
}

}  // namespace program
