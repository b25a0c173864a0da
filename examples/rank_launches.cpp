// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How well does MWP/CWP rank measured launches of real kernels?
//
//   rank_launches FILE.csv --device NAME [--way quotient|whole|summed] [--counts OTHER.csv] [--part nearest|up]
//
// Groups the launches by kernel and problem size, predicts each, and prints for each group the pick
// and what following it would cost, then the mean over all groups in three ways to count rounds of
// blocks. `--way` chooses which of them the groups show. `--counts` takes launches and instruction counts
// from the same kernels, sizes and blocks of another file: they depend on the code, not on the GPU.
#include <algorithm>
#include <array>
#include <cmath>
#include <iostream>
#include <limits>
#include <map>
#include <string>
#include <utility>

#include <CLI/CLI.hpp>

#include <warpgauge/report/table.hpp>
#include <warpgauge/tune.hpp>
#include <warpgauge/warpgauge.hpp>

#include "launches.hpp"

namespace {

namespace report = warpgauge::report;
using warpgauge::whole_part;

// How rounds of blocks are counted.
struct way {
    const char* name;
    const char* text;
    warpgauge::mwp_cwp_options options;
};
constexpr std::array<way, 3> ways{
    {{"quotient", "#Rep as a quotient", {}},
     {"whole", "#Rep in whole waves", {.rounds = warpgauge::waves::whole}},
     {"summed", "summed", {.overlap = warpgauge::overlap_rule::summed}}}};

struct group {
    std::vector<const launch*> launches;
    std::vector<double> predicted;  // s
    std::vector<double> measured;   // ms
};

struct score {
    double spearman{}, tau{}, top_pick{}, top_5{};
    double kept_best{},
        kept{};  // of pruning to a tenth: best performance, and fraction of the launches
};

using groups = std::map<std::pair<std::string, double>, group>;

// Predicts every launch whose counts are known; false, with a message, if one cannot be.
template <class Device>
bool predict_all(const std::vector<launch>& launches, const Device& device, const way& counted,
                 groups& to) {
    const warpgauge::mwp_cwp_model model{device, counted.options};
    for (const launch& l : launches) {
        if (!l.counts_known || l.n < least_size) continue;
        const auto e = model.predict(profile_of(l));
        if (!e) {
            std::cerr << l.name << ", N = " << l.size << ", block " << l.block_shape << ": "
                      << message(e.error()).view() << '\n';
            return false;
        }
        group& g = to[{l.name, l.n}];
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

// The best measured time over the best that pruning to a tenth keeps, and the fraction that it keeps.
std::pair<double, double> pruned_to_a_tenth(const group& g) {
    const auto ranking = warpgauge::rank(g.predicted, {}, 1e-12);
    const auto tenth = ranking ? warpgauge::keep_fraction(*ranking, 0.1) : ranking.error();
    if (!tenth) return {};
    double best_kept = std::numeric_limits<double>::infinity();
    for (const std::size_t i : tenth->kept) best_kept = std::min(best_kept, g.measured[i]);
    return {*std::min_element(g.measured.begin(), g.measured.end()) / best_kept,
            static_cast<double>(tenth->kept.size()) / static_cast<double>(g.measured.size())};
}

score score_of(const group& g, whole_part part) {
    const auto [kept_best, kept] = pruned_to_a_tenth(g);
    return {value_or_zero(warpgauge::spearman(g.predicted, g.measured)),
            value_or_zero(warpgauge::kendall_tau_b(g.predicted, g.measured)),
            value_or_zero(warpgauge::top_pick(g.predicted, g.measured)),
            value_or_zero(warpgauge::top_fraction(g.predicted, g.measured, 0.05, part)),
            kept_best,
            kept};
}

std::string three(double x) {
    return report::fixed(x, 3);
}

// Mean correlations and geometric mean performance over all groups.
score mean_score(const groups& all, whole_part part) {
    score sum;
    for (const auto& [key, g] : all) {
        const score s = score_of(g, part);
        sum.spearman += s.spearman;
        sum.tau += s.tau;
        sum.top_pick += std::log(s.top_pick);
        sum.top_5 += std::log(s.top_5);
        sum.kept_best += std::log(s.kept_best);
        sum.kept += s.kept;
    }
    const auto count = static_cast<double>(all.size());
    return {sum.spearman / count,
            sum.tau / count,
            std::exp(sum.top_pick / count),
            std::exp(sum.top_5 / count),
            std::exp(sum.kept_best / count),
            sum.kept / count};
}

void print_groups(const groups& all, whole_part part) {
    report::table t({"kernel", "N", "launches", "pick", "measured", "best", "measured", "Spearman",
                     "tau-b", "top-1", "top-5%"});
    for (const auto& [key, g] : all) {
        const auto pick = static_cast<std::size_t>(
            std::min_element(g.predicted.begin(), g.predicted.end()) - g.predicted.begin());
        const auto best = static_cast<std::size_t>(
            std::min_element(g.measured.begin(), g.measured.end()) - g.measured.begin());
        const score s = score_of(g, part);
        t.add_row({key.first, g.launches[pick]->size, std::to_string(g.launches.size()),
                   g.launches[pick]->block_shape, report::duration(1e-3 * g.measured[pick]),
                   g.launches[best]->block_shape, report::duration(1e-3 * g.measured[best]),
                   three(s.spearman), three(s.tau), three(s.top_pick), three(s.top_5)});
    }
    std::cout << t;
}

void print_means(const std::array<groups, ways.size()>& all, whole_part part) {
    report::table t(
        {"all groups", "groups", "Spearman", "tau-b", "top-1", "top-5%", "best of 10%", "kept"});
    for (std::size_t w = 0; w < ways.size(); ++w) {
        const score s = mean_score(all[w], part);
        t.add_row({ways[w].text, std::to_string(all[w].size()), three(s.spearman), three(s.tau),
                   three(s.top_pick), three(s.top_5), three(s.kept_best), three(s.kept)});
    }
    std::cout << t;
}

int rank(const std::string& path, const std::string& device_name, const std::string& counts,
         std::size_t shown, whole_part part) {
    auto launches = read_launch_file(path);
    if (!launches) return 1;
    if (!counts.empty()) {
        const auto others = read_launch_file(counts);
        if (!others) return 1;
        take_counts(*launches, *others);
    }
    std::array<groups, ways.size()> all;
    bool predicted = false;
    bool usable = false;
    const bool known = warpgauge::devices::visit(device_name, [&](const auto& device) {
        if constexpr (warpgauge::mwp_cwp_device<std::remove_cvref_t<decltype(device)>>) {
            usable = true;
            predicted = true;
            for (std::size_t w = 0; w < ways.size(); ++w) {
                predicted = predicted && predict_all(*launches, device, ways[w], all[w]);
            }
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
    if (all[0].empty()) {
        std::cerr << path << ": no group of " << least_launches
                  << " launches with N >= " << least_size << '\n';
        return 1;
    }
    print_groups(all[shown], part);
    std::cout << '\n';
    print_means(all, part);
    std::cout << "5% of a group: "
              << (part == whole_part::nearest ? "the nearest whole number of launches, at least 1\n"
                                              : "rounded up to a whole number of launches\n");
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app{"Ranks measured kernel launches by their predicted time and scores the ranking."};
    std::string path;
    std::string device;
    std::string counts;
    std::size_t shown = 0;
    app.add_option("FILE", path, "measured launches, comma-separated")->required();
    app.add_option("--device", device, "the GPU they were measured on")->required();
    app.add_option("--counts", counts, "measured launches to take the counts from");
    std::map<std::string, std::size_t> names;
    for (std::size_t w = 0; w < ways.size(); ++w) names[ways[w].name] = w;
    app.add_option("--way", shown, "how rounds of blocks are counted")
        ->transform(CLI::CheckedTransformer(names));
    whole_part part = whole_part::nearest;
    app.add_option("--part", part, "what 5% of a group are: nearest or up")
        ->transform(CLI::CheckedTransformer(std::map<std::string, whole_part>{
            {"nearest", whole_part::nearest}, {"up", whole_part::up}}));
    CLI11_PARSE(app, argc, argv);
    return rank(path, device, counts, shown, part);
}
