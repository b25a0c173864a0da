// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How near does MWP/CWP come to measured times once parameters of the GPU are fitted to them, and does the
// fit carry over to kernels and GPUs that it has not seen?
//
//   calibrate_device FILE.csv --device NAME [--fit p,q,...] [--score OTHER.csv --score-device NAME]
//                    [--counts OTHER.csv]
//
// The columns are those of launches.hpp. The ratio of fitted to published value of each parameter, and the scale, carry
// over to another GPU.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <iostream>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include <warpgauge/eigen/calibrate.hpp>
#include <warpgauge/report/table.hpp>
#include <warpgauge/tune/score.hpp>
#include <warpgauge/warpgauge.hpp>

#include "calibration_tables.hpp"
#include "launches.hpp"

namespace {

namespace report = warpgauge::report;
using warpgauge::measurement;

// What MWP/CWP reads of a GPU, so that all GPUs of which that much is known are of one type.
namespace parameters = warpgauge::parameters;
using gpu = warpgauge::runtime_device<double, parameters::chip, parameters::warp,
                                      parameters::architecture, parameters::residency,
                                      parameters::dram_latency, parameters::departures,
                                      parameters::transaction_size, parameters::issue>;

template <class D>
concept suitable = warpgauge::mwp_cwp_device<D> && warpgauge::occupancy_device<D> &&
    warpgauge::has_transaction_size<D>;

struct options {
    std::string path, device, score_path, score_device, counts;
    std::vector<std::string> parameters{"dram_latency_cycles", "dram_bytes_per_s"};
    double within = 20;
    std::vector<std::string> launches, without;
    bool no_scale = false;
    bool whole_waves = false;
    bool halves = false;
    bool summed = false;
};

warpgauge::mwp_cwp_model<gpu> model_of(const gpu& device, const options& o) {
    return {
        device,
        {.rounds = o.whole_waves ? warpgauge::waves::whole : warpgauge::waves::quotient,
         .overlap = o.summed ? warpgauge::overlap_rule::summed : warpgauge::overlap_rule::hidden}};
}

// Launches that count, and the time of one each.
struct measured {
    std::vector<launch> launches;
    std::vector<measurement> times;  // refers to `launches`

    explicit measured(std::vector<launch> all) : launches(std::move(all)) {
        for (const launch& l : launches) {
            times.push_back({profile_of(l), 1e-3 * l.time_ms / l.launches, l.name});
        }
    }
    measured(const measured&) = delete;
    measured& operator=(const measured&) = delete;
};

std::optional<gpu> gpu_named(const std::string& name) {
    std::optional<gpu> found;
    warpgauge::devices::visit(name, [&](const auto& device) {
        if constexpr (suitable<std::remove_cvref_t<decltype(device)>>) found = gpu(device);
    });
    if (found) return found;
    std::cerr << name
              << ": no such device, or too little is known of it; known for this example:\n";
    warpgauge::devices::for_each([](const auto& device) {
        if constexpr (suitable<std::remove_cvref_t<decltype(device)>>) {
            std::cerr << "  " << device.name << '\n';
        }
    });
    return found;
}

// "KERNEL=COUNT": of how many launches the times of a kernel are the sum, a number, N or N-2; no number where
// it does not say.
double launches_by(const std::string& rule, const launch& l) {
    const std::size_t equals = rule.find('=');
    std::string_view count = std::string_view(rule).substr(equals + 1);
    double number = 0;
    const bool by_n = count.starts_with("N");
    if (by_n) count.remove_prefix(1);
    const auto [stop, failed] = std::from_chars(count.data(), count.data() + count.size(), number);
    const bool whole = failed == std::errc{} && stop == count.data() + count.size();
    if (!whole && !(by_n && count.empty())) return std::nan("");
    return by_n ? l.n + number : number;
}

// The launches of a file that count, with the options' say about them.
std::optional<std::vector<launch>> read_file(const std::string& path, const options& o,
                                             const std::vector<std::string>& without,
                                             const std::string& counts) {
    auto all = read_launch_file(path);
    if (!all) return {};
    if (!counts.empty()) {
        options plain = o;
        plain.launches.clear();
        const auto others = read_file(counts, plain, {}, {});
        if (!others) return {};
        take_counts(*all, *others);
    }
    std::erase_if(*all, [&](const launch& l) {
        return !l.counts_known || l.n < least_size ||
               std::find(without.begin(), without.end(), l.kernel) != without.end();
    });
    for (launch& l : *all) {
        for (const std::string& rule : o.launches) {
            if (rule.substr(0, rule.find('=')) != l.kernel) continue;
            l.launches = launches_by(rule, l);
            if (l.launches > 0) continue;
            std::cerr << rule << ": is not KERNEL=COUNT, with a number, N or N-2 above 0\n";
            return {};
        }
    }
    return *std::move(all);
}

// Geometric means: of the kernels' time errors, and of top-1 over the groups that count.
struct score {
    double factor{}, top_pick{};
};

std::optional<score> score_of(const warpgauge::mwp_cwp_model<gpu>& model, double scale,
                              const measured& m) {
    std::map<std::string_view, std::pair<double, double>> errors;  // sum, count
    std::map<std::pair<std::string_view, double>,
             std::pair<std::vector<double>, std::vector<double>>>
        groups;
    for (std::size_t i = 0; i < m.times.size(); ++i) {
        const auto e = model.predict(m.times[i].profile);
        if (!e) {
            std::cerr << m.times[i].kernel << ": " << message(e.error()).view() << '\n';
            return {};
        }
        auto& [sum, count] = errors[m.times[i].kernel];
        sum += std::fabs(std::log(scale * e->seconds / m.times[i].seconds));
        count += 1;
        auto& [predicted, times] = groups[{m.times[i].kernel, m.launches[i].n}];
        predicted.push_back(e->seconds);
        times.push_back(m.times[i].seconds);
    }
    double error = 0;
    for (const auto& [kernel, e] : errors) error += e.first / e.second;
    double pick = 0;
    double counted = 0;
    for (const auto& [key, g] : groups) {
        if (g.first.size() < least_launches) continue;
        pick += std::log(*warpgauge::top_pick(g.first, g.second));
        counted += 1;
    }
    return score{std::exp(error / static_cast<double>(errors.size())),
                 counted > 0 ? std::exp(pick / counted) : 0};
}

using calibrated = warpgauge::calibration<gpu>;

std::optional<calibrated> fit(const options& o, const gpu& device, const measured& m,
                              const std::vector<std::string>& parameters, bool scale,
                              bool hold_out) {
    std::vector<warpgauge::fit_parameter> wanted;
    for (const std::string& name : parameters) {
        gpu copy = device;
        const double* const value = find_parameter(copy, name);
        wanted.push_back({.name = name, .min_value = 1, .max_value = 1});
        if (value == nullptr) continue;  // `calibrate` reports the name
        wanted.back().min_value = *value / o.within;
        wanted.back().max_value = *value * o.within;
    }
    auto c = warpgauge::calibrate(model_of(device, o), m.times, wanted,
                                  {.fit_scale = scale, .hold_out = hold_out});
    if (c) return *std::move(c);
    std::cerr << o.path << ": " << message(c.error()).view() << '\n';
    return {};
}

// The scores of a device as published, with a scale alone and with all that was fitted, on one set.
bool print_scores(const options& o, const std::string& name, const gpu& device, const measured& m,
                  const calibrated& scale_alone, const calibrated& all) {
    report::table t({name, "time off by a factor of", "top-1"});
    const auto add = [&](const char* what, const gpu& d, double scale) {
        const auto s = score_of(model_of(d, o), scale, m);
        if (s) {
            t.add({what, report::fixed(s->factor, 3),
                   s->top_pick > 0 ? report::fixed(s->top_pick, 3) : std::string()});
        }
        return s.has_value();
    };
    const auto other = warpgauge::corrected(device, all.parameters);
    const bool good = other && add("as published", device, 1) &&
                      add("scale alone", device, scale_alone.scale) &&
                      add("calibrated", *other, all.scale);
    if (good) std::cout << '\n' << t;
    return good;
}

// Fits to every other kernel in alphabetical order, and scores on the rest; both ways.
bool print_halves(const options& o, const gpu& device, const std::vector<launch>& launches) {
    std::set<std::string> kernels;
    for (const launch& l : launches) kernels.insert(l.name);
    for (const bool odd : {false, true}) {
        std::set<std::string> fitted;
        bool in = !odd;
        for (const std::string& k : kernels) {
            if (in) fitted.insert(k);
            in = !in;
        }
        std::vector<launch> inside;
        std::vector<launch> rest;
        for (const launch& l : launches) (fitted.contains(l.name) ? inside : rest).push_back(l);
        const measured first(std::move(inside));
        const measured second(std::move(rest));
        const auto scale_alone = fit(o, device, first, {}, true, false);
        const auto all = fit(o, device, first, o.parameters, !o.no_scale, false);
        const std::string name =
            odd ? "fitted to the even, on the odd" : "fitted to the odd, on the even";
        if (!scale_alone || !all) return false;
        if (!print_scores(o, name, device, second, *scale_alone, *all)) return false;
    }
    return true;
}

int run(const options& o) {
    const auto device = gpu_named(o.device);
    if (!device) return 1;
    auto launches = read_file(o.path, o, o.without, o.counts);
    if (!launches) return 1;
    const measured here(*launches);
    const auto scale_alone = fit(o, *device, here, {}, true, true);
    if (!scale_alone) return 1;
    const auto all = fit(o, *device, here, o.parameters, !o.no_scale, true);
    if (!all) return 1;
    print_parameters(std::cout, *all);
    std::cout << '\n';
    print_errors(std::cout, *all);
    std::cout << "A scale alone, " << report::fixed(scale_alone->scale, 3) << ": kernels "
              << report::fixed(scale_alone->by_kernel.after, 3) << ", held out "
              << report::fixed(scale_alone->by_kernel.held_out, 3) << ".\n";
    if (!print_scores(o, "on itself", *device, here, *scale_alone, *all)) return 1;
    if (o.halves && !print_halves(o, *device, *launches)) return 1;
    if (o.score_path.empty()) return 0;
    const auto other = gpu_named(o.score_device);
    if (!other) return 1;
    auto there = read_file(o.score_path, o, {}, {});
    if (!there || there->empty()) return 1;
    const measured m(*std::move(there));
    return print_scores(o, "on " + std::string(other->name), *other, m, *scale_alone, *all) ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app{"Fits parameters of a GPU to measured launches and says how far to trust them."};
    options o;
    app.add_option("FILE", o.path, "measured launches, comma-separated")->required();
    app.add_option("--device", o.device, "the GPU they were measured on")->required();
    app.add_option("--fit", o.parameters, "parameters of the GPU to fit")
        ->delimiter(',')
        ->capture_default_str();
    app.add_option("--within", o.within, "bounds: a factor below and above what is published")
        ->capture_default_str();
    app.add_flag("--no-scale", o.no_scale, "fit no factor on all times");
    app.add_option("--launches", o.launches,
                   "KERNEL=COUNT: its times are sums over COUNT launches; a number, N or N-2");
    app.add_option("--without", o.without, "kernels of FILE to leave out");
    app.add_flag("--whole-waves", o.whole_waves, "count the last round of blocks as a full one");
    app.add_flag("--summed", o.summed, "nothing hides: overlap_rule::summed");
    app.add_option("--counts", o.counts, "measured launches to take the counts of FILE from");
    app.add_flag("--halves", o.halves, "fit to every other kernel, score on the rest");
    auto* score_path = app.add_option("--score", o.score_path, "measured launches on another GPU");
    auto* score_device = app.add_option("--score-device", o.score_device, "that GPU");
    score_path->needs(score_device);
    score_device->needs(score_path);
    CLI11_PARSE(app, argc, argv);
    return run(o);
}
