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
#include <warpgauge/devices/instinct_mi210.hpp>
#include <warpgauge/devices/radeon_rx_6900_xt.hpp>
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
    std::map<std::string, std::vector<std::size_t>> groups{};  // launches of one kernel and shape

    void add(double p, double m, const std::string& group) {
        if (!(p > 0)) throw std::runtime_error("a launch has no prediction");
        groups[group].push_back(measured.size());
        predicted.push_back(p);
        measured.push_back(m);
    }
    [[nodiscard]] double error() const { return *wg::mean_error_factor(predicted, measured); }
    [[nodiscard]] double bias() const { return 1 / *wg::mean_scale(predicted, measured); }

    /// The middle 90% of error factors on resampled groups, whose launches err together.
    [[nodiscard]] wg::bootstrap_interval interval() const {
        struct logs {
            double sum{}, count{};
        };
        std::vector<logs> of_groups;
        for (const auto& [name, launches] : groups) {
            logs& l = of_groups.emplace_back();
            for (const std::size_t n : launches) {
                l.sum += std::abs(std::log(predicted[n] / measured[n]));
                l.count += 1;
            }
        }
        const auto mean = [&](std::span<const std::size_t> places) -> wg::result<double> {
            logs all;
            for (const std::size_t n : places) {
                all.sum += of_groups[n].sum;
                all.count += of_groups[n].count;
            }
            return std::exp(all.sum / all.count);
        };
        return *wg::bootstrap(of_groups.size(), mean, {.samples = 500});
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

// Rows as they stand in docs/accuracy.md.
void print_errors(const times& t) {
    if (t.measured.empty()) {
        std::printf(" |");
    } else {
        std::printf(" %.3f (%.2f) |", t.error(), t.bias());
    }
}

void print_row(const std::string& kind, const std::string& gpu, const compared& c) {
    std::printf("| %s | %s | %zu |", kind.c_str(), gpu.c_str(), c.roofline.measured.size());
    if (c.saturation.measured.empty()) {
        std::printf(" |");
    } else {
        const auto i = c.saturation.interval();
        std::printf(" %.3f (%.3f to %.3f), %.2f |", i.value, i.low, i.high, c.saturation.bias());
    }
    print_errors(c.roofline);
    print_errors(c.mwp_cwp);
    std::puts("");
}

/// The rows that a launch counts for: its GPU, all GPUs, and for products those with about the same board power.
std::vector<std::string> rows_of(const measured_kernel& k) {
    std::vector<std::string> rows{std::string(k.gpu.name), "all"};
    if (k.kind == "bmm" || k.kind == "linear") {
        const bool limited = k.gpu.name == "Tesla T4" || k.gpu.name == "Tesla P4";
        rows.push_back(limited ? "of 70 and 75 W: T4, P4" : "of 250 W: V100, A100, P100");
    }
    return rows;
}

using table = std::map<std::string, std::map<std::string, compared>>;

table compare(const measured_kernels& all) {
    table t;
    for (const measured_kernel& k : all) {
        const auto [saturation, roofline, mwp_cwp] = predict(k);
        for (const std::string& gpu : rows_of(k)) {
            compared& c = t[k.kind][gpu];
            c.saturation.add(saturation, k.seconds, k.group);
            c.roofline.add(roofline, k.seconds, k.group);
            c.mwp_cwp.add(mwp_cwp, k.seconds, k.group);
            if (k.kind.starts_with("loop")) {
                c.groups[k.group][0].add(saturation, k.seconds, k.block);
                c.groups[k.group][1].add(roofline, k.seconds, k.block);
                c.groups[k.group][2].add(mwp_cwp, k.seconds, k.block);
            }
        }
    }
    return t;
}

/// Streams of a GPU as the library has it: no relative has what it lacks, and MWP/CWP is of another vendor.
template <class Device>
void add_streams(const std::string& folder, const std::string& gpu, const Device& device,
                 table& to) {
    const measured_table file(folder + "/modern/stream.csv");
    compared& c = to["stream, AMD"][std::string(device.name)];
    for (const auto& r : file.rows()) {
        if (file.text(r, "gpu") != gpu) continue;
        const stream_launch l = stream_launch_of(file, r, device.warp_size);
        if constexpr (wg::saturation_device<Device>) {
            const auto s = wg::saturation_model{device}.predict(l.profile);
            c.saturation.add(s ? s->seconds : 0, l.seconds, l.kernel);
        }
        const auto roofline = wg::roofline_model{device}.predict(l.profile);
        c.roofline.add(roofline ? roofline->seconds : 0, l.seconds, l.kernel);
    }
}

void print(const table& t) {
    std::puts(
        "| kind | GPU | launches | saturation: error (interval), bias | roofline | MWP/CWP |");
    std::puts("|---|---|---:|---|---:|---:|");
    for (const auto& [kind, gpus] : t) {
        for (const auto& [gpu, c] : gpus) {
            if (gpu != "all") print_row(kind, gpu, c);
        }
        if (gpus.size() > 2) print_row(kind, "all", gpus.at("all"));
    }
    std::puts("\n| Spearman, top-1 | groups | saturation | roofline | MWP/CWP |");
    std::puts("|---|---:|---|---|---|");
    for (const auto& [kind, gpus] : t) {
        const auto all = gpus.find("all");
        if (all == gpus.end() || all->second.groups.empty()) continue;
        const compared& c = all->second;
        std::printf("| %s | %d |", kind.c_str(), rank_of(c, 0).groups);
        for (std::size_t model = 0; model < 3; ++model) {
            const ranked r = rank_of(c, model);
            std::printf(" %.4f, %.4f |", r.spearman, r.top_1);
        }
        std::puts("");
    }
}

void plot(const table& t, const std::string& file) {
    wg::report::scatter_chart chart{.title = "Kernels on ten GPUs",
                                    .x_label = "measured time, ms",
                                    .y_label = "predicted time, ms"};
    for (const auto& [kind, gpus] : t) {
        if (kind.find(", ") != std::string::npos) continue;
        const times& all = gpus.at("all").saturation;
        wg::report::curve& c = chart.series.emplace_back();
        c.label = kind;
        for (std::size_t n = 0; n < all.measured.size(); ++n) {
            c.points.push_back({1e3 * all.measured[n], 1e3 * all.predicted[n]});
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
    table t = compare(all);
    add_streams(argv[1], "MI210", wg::devices::instinct_mi210{}, t);
    add_streams(argv[1], "RX 6900 XT", wg::devices::radeon_rx_6900_xt{}, t);
    print(t);
    if (argc == 3) plot(t, argv[2]);
} catch (const std::exception& e) {
    std::cerr << e.what() << '\n';
    return 1;
}
