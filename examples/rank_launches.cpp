// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How well does MWP/CWP rank measured launches of real kernels?
//
//   rank_launches FILE.csv --device NAME [--whole-waves]
//
// Groups the launches by kernel and problem size, predicts each, and prints for each group the pick
// and what following it would cost, then the mean over all groups in both ways to count the last
// round of blocks. `--whole-waves` chooses which of them the groups show.
#include <cmath>
#include <fstream>
#include <iostream>
#include <map>
#include <string>
#include <utility>

#include <CLI/CLI.hpp>

#include <warpgauge/report/table.hpp>
#include <warpgauge/warpgauge.hpp>

#include "launches.hpp"

namespace {

namespace report = warpgauge::report;
using warpgauge::waves;

struct group {
    std::vector<const launch*> launches;
    std::vector<double> predicted;  // s
    std::vector<double> measured;   // ms
};

struct score {
    double spearman{}, tau{}, top_pick{}, top_5{};
};

using groups = std::map<std::pair<std::string, double>, group>;

// Predicts every launch whose counts are known; false, with a message, if one cannot be.
template <class Device>
bool predict_all(const std::vector<launch>& launches, const Device& device, waves rounds,
                 groups& to) {
    const warpgauge::mwp_cwp_model model{device, warpgauge::form::corrected, rounds};
    for (const launch& l : launches) {
        if (!l.counts_known || l.n < least_size) continue;
        const auto e = model.predict(profile_of(l));
        if (!e) {
            std::cerr << l.kernel << ", N = " << l.size << ", block " << l.block_shape << ": "
                      << message(e.error()).view() << '\n';
            return false;
        }
        group& g = to[{l.kernel, l.n}];
        g.launches.push_back(&l);
        g.predicted.push_back(e->seconds);
        g.measured.push_back(l.time_ms);
    }
    std::erase_if(to, [](const auto& g) { return g.second.launches.size() < least_launches; });
    return true;
}

// A correlation that does not exist, because all launches tie, counts as none.
double value_or_zero(const warpgauge::result<double>& r) {
    return r ? *r : 0;
}

score score_of(const group& g) {
    return {value_or_zero(warpgauge::spearman(g.predicted, g.measured)),
            value_or_zero(warpgauge::kendall_tau_b(g.predicted, g.measured)),
            value_or_zero(warpgauge::top_pick(g.predicted, g.measured)),
            value_or_zero(warpgauge::top_fraction(g.predicted, g.measured, 0.05))};
}

std::string three(double x) {
    return report::fixed(x, 3);
}

// Mean correlations and geometric mean performance over all groups.
score mean_score(const groups& all) {
    score sum;
    for (const auto& [key, g] : all) {
        const score s = score_of(g);
        sum.spearman += s.spearman;
        sum.tau += s.tau;
        sum.top_pick += std::log(s.top_pick);
        sum.top_5 += std::log(s.top_5);
    }
    const auto count = static_cast<double>(all.size());
    return {sum.spearman / count, sum.tau / count, std::exp(sum.top_pick / count),
            std::exp(sum.top_5 / count)};
}

void print_groups(const groups& all) {
    report::table t({"kernel", "N", "launches", "pick", "measured", "best", "measured", "Spearman",
                     "tau-b", "top-1", "top-5%"});
    for (const auto& [key, g] : all) {
        const auto pick = static_cast<std::size_t>(
            std::min_element(g.predicted.begin(), g.predicted.end()) - g.predicted.begin());
        const auto best = static_cast<std::size_t>(
            std::min_element(g.measured.begin(), g.measured.end()) - g.measured.begin());
        const score s = score_of(g);
        t.add_row({key.first, g.launches[pick]->size, std::to_string(g.launches.size()),
                   g.launches[pick]->block_shape, report::duration(1e-3 * g.measured[pick]),
                   g.launches[best]->block_shape, report::duration(1e-3 * g.measured[best]),
                   three(s.spearman), three(s.tau), three(s.top_pick), three(s.top_5)});
    }
    std::cout << t;
}

void print_means(const groups& quotient, const groups& whole) {
    report::table t({"all groups", "groups", "Spearman", "tau-b", "top-1", "top-5%"});
    const auto add = [&](const char* name, const groups& all) {
        const score s = mean_score(all);
        t.add_row({name, std::to_string(all.size()), three(s.spearman), three(s.tau),
                   three(s.top_pick), three(s.top_5)});
    };
    add("#Rep as a quotient", quotient);
    add("#Rep in whole waves", whole);
    std::cout << t;
}

int rank(const std::string& path, const std::string& device_name, waves rounds) {
    std::ifstream file(path);
    if (!file) {
        std::cerr << path << ": cannot be read\n";
        return 1;
    }
    const auto launches = read_launches(file);
    if (!launches) {
        std::cerr << path << ": " << message(launches.error()).view() << '\n';
        return 1;
    }
    groups quotient;
    groups whole;
    bool predicted = false;
    bool usable = false;
    const bool known = warpgauge::devices::visit(device_name, [&](const auto& device) {
        if constexpr (warpgauge::mwp_cwp_device<std::remove_cvref_t<decltype(device)>>) {
            usable = true;
            predicted = predict_all(*launches, device, waves::quotient, quotient) &&
                        predict_all(*launches, device, waves::whole, whole);
        }
    });
    if (!usable) {
        std::cerr << device_name
                  << (known ? ": its memory timing is not known" : ": no such device")
                  << "; known for this model:\n";
        warpgauge::devices::for_each([](const auto& device) {
            if constexpr (warpgauge::mwp_cwp_device<std::remove_cvref_t<decltype(device)>>) {
                std::cerr << "  " << device.name << '\n';
            }
        });
        return 1;
    }
    if (!predicted) return 1;
    if (quotient.empty()) {
        std::cerr << path << ": no group of " << least_launches
                  << " launches with N >= " << least_size << '\n';
        return 1;
    }
    print_groups(rounds == waves::quotient ? quotient : whole);
    std::cout << '\n';
    print_means(quotient, whole);
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app{"Ranks measured kernel launches by their predicted time and scores the ranking."};
    std::string path;
    std::string device;
    bool whole = false;
    app.add_option("FILE", path, "measured launches, comma-separated")->required();
    app.add_option("--device", device, "the GPU they were measured on")->required();
    app.add_flag("--whole-waves", whole, "count the last round of blocks as a full one");
    CLI11_PARSE(app, argc, argv);
    return rank(path, device, whole ? waves::whole : waves::quotient);
}
