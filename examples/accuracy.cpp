// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How far the saturation model is from public measurements, beside the roofline and MWP/CWP on the same launches.
//
//     accuracy DIR [SVG]
//
// DIR has modern/stream.csv, modern/elementwise.csv, modern/gemm.csv and polybench_*.csv. SVG: a plot of predicted
// against measured times.
#include <cstdio>
#include <exception>
#include <fstream>
#include <iostream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <warpgauge/device/device.hpp>
#include <warpgauge/models/mwp_cwp.hpp>
#include <warpgauge/models/roofline.hpp>
#include <warpgauge/models/saturation.hpp>
#include <warpgauge/report/scatter.hpp>
#include <warpgauge/tune/bootstrap.hpp>
#include <warpgauge/tune/score.hpp>

#include "measured_kernels.hpp"

namespace wg = warpgauge;

namespace {

/// Measured times and what a model predicts for them.
struct times {
    std::vector<double> predicted{}, measured{};

    void add(double p, double m) {
        if (!(p > 0)) throw std::runtime_error("a launch has no prediction");
        predicted.push_back(p);
        measured.push_back(m);
    }
    [[nodiscard]] double error() const { return *wg::mean_error_factor(predicted, measured); }
    [[nodiscard]] double bias() const { return 1 / *wg::mean_scale(predicted, measured); }

    /// The middle 90% of error factors on resampled launches.
    [[nodiscard]] wg::bootstrap_interval interval() const {
        std::vector<double> logs;
        for (std::size_t n = 0; n < predicted.size(); ++n) {
            logs.push_back(std::abs(std::log(predicted[n] / measured[n])));
        }
        const auto mean = [&](std::span<const std::size_t> places) -> wg::result<double> {
            double sum = 0;
            for (const std::size_t n : places) sum += logs[n];
            return std::exp(sum / static_cast<double>(places.size()));
        };
        return *wg::bootstrap(logs.size(), mean, {.samples = 500});
    }
};

/// What the models say of the launches of one kind on one GPU.
struct compared {
    times saturation{}, roofline{}, mwp_cwp{};
    std::map<std::string, std::array<times, 3>> groups{};
};

/// Seconds by each model. MWP/CWP reads of a device what no source gives; it takes that of the nearest GPU with it.
std::array<double, 3> predict(const measured_kernel& k) {
    const auto with_issue =
        wg::with<wg::parameters::issue>(k.gpu, {.issue_cycles = 1 / k.gpu.warp_schedulers});
    const auto old = wg::with<wg::parameters::departures>(
        with_issue, {.coalesced_departure_cycles = 2, .uncoalesced_departure_cycles = 2});
    const auto s = wg::saturation_model{k.gpu}.predict(k.profile);
    const auto r = wg::roofline_model{k.gpu}.predict(k.profile);
    const auto m = wg::mwp_cwp_model{old}.predict(k.profile);
    if (!s) throw std::runtime_error(k.group + ": " + message(s.error()).c_str());
    return {s->seconds, r ? r->seconds : 0, m ? m->seconds : 0};
}

/// The means over groups of 20 launches or more.
struct ranked {
    int groups{};
    double spearman{}, top_1{};
};
ranked rank_of(const compared& c, std::size_t model) {
    ranked r;
    double logs = 0;
    for (const auto& [name, by_model] : c.groups) {
        const times& t = by_model[model];
        if (t.measured.size() < 20) continue;
        ++r.groups;
        const auto order = wg::spearman(t.predicted, t.measured);
        r.spearman += order ? *order : 0;
        logs += std::log(*wg::top_pick(t.predicted, t.measured));
    }
    r.spearman /= r.groups;
    r.top_1 = std::exp(logs / r.groups);
    return r;
}

void print_row(const std::string& kind, const std::string& gpu, const compared& c) {
    const auto i = c.saturation.interval();
    std::printf("%-31s %-22s %5zu   %.3f (%.3f to %.3f)  %.2f    %6.3f (%.2f)  %6.3f (%.2f)\n",
                kind.c_str(), gpu.c_str(), c.saturation.measured.size(), i.value, i.low, i.high,
                c.saturation.bias(), c.roofline.error(), c.roofline.bias(), c.mwp_cwp.error(),
                c.mwp_cwp.bias());
}

using table = std::map<std::string, std::map<std::string, compared>>;

table compare(const measured_kernels& all) {
    table t;
    for (const measured_kernel& k : all) {
        const auto [saturation, roofline, mwp_cwp] = predict(k);
        for (const std::string& gpu : {std::string(k.gpu.name), std::string("all")}) {
            compared& c = t[k.kind][gpu];
            c.saturation.add(saturation, k.seconds);
            c.roofline.add(roofline, k.seconds);
            c.mwp_cwp.add(mwp_cwp, k.seconds);
            if (k.kind.starts_with("loop")) {
                c.groups[k.group][0].add(saturation, k.seconds);
                c.groups[k.group][1].add(roofline, k.seconds);
                c.groups[k.group][2].add(mwp_cwp, k.seconds);
            }
        }
    }
    return t;
}

void print(const table& t) {
    std::puts(
        "                                                                 saturation               "
        "  "
        "          roofline        MWP/CWP");
    std::puts(
        "kind                            GPU                   launches  error  (90% interval)    "
        "bias     "
        " error (bias)   error (bias)");
    for (const auto& [kind, gpus] : t) {
        for (const auto& [gpu, c] : gpus) {
            if (gpu != "all") print_row(kind, gpu, c);
        }
        if (gpus.size() > 2) print_row(kind, "all", gpus.at("all"));
    }
    std::puts(
        "\nranking of launches              groups   saturation      roofline        MWP/CWP");
    std::puts(
        "                                          Spearman top-1  Spearman top-1  Spearman top-1");
    for (const auto& [kind, gpus] : t) {
        const compared& c = gpus.at("all");
        if (c.groups.empty()) continue;
        std::printf("%-32s %4d", kind.c_str(), rank_of(c, 0).groups);
        for (std::size_t model = 0; model < 3; ++model) {
            const ranked r = rank_of(c, model);
            std::printf("     %6.4f %.4f", r.spearman, r.top_1);
        }
        std::puts("");
    }
}

void plot(const table& t, const std::string& file) {
    wg::report::scatter_chart chart{.title = "Kernels on ten GPUs",
                                    .x_label = "measured seconds",
                                    .y_label = "predicted seconds"};
    for (const auto& [kind, gpus] : t) {
        if (kind.find(", ") != std::string::npos) continue;
        const times& all = gpus.at("all").saturation;
        wg::report::curve& c = chart.series.emplace_back();
        c.label = kind;
        for (std::size_t n = 0; n < all.measured.size(); ++n) {
            c.points.push_back({all.measured[n], all.predicted[n]});
        }
    }
    std::ofstream out(file);
    out << chart;
}

}  // namespace

int main(int argc, char** argv) try {
    if (argc < 2 || argc > 3) {
        std::cerr << "usage: accuracy DIR [SVG]\n";
        return 2;
    }
    const measured_kernels all = read_measured_kernels(argv[1]);
    const table t = compare(all);
    print(t);
    if (argc == 3) plot(t, argv[2]);
} catch (const std::exception& e) {
    std::cerr << e.what() << '\n';
    return 1;
}
