// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <atomic>
#include <exception>
#include <iostream>
#include <mutex>
#include <thread>

#include <unistd.h>

#include <warpgauge/report/line_chart.hpp>
#include <warpgauge/report/table.hpp>
#include <warpgauge/tune/prune.hpp>
#include <warpgauge/tune/rank.hpp>

#include "commands.hpp"
#include "failure.hpp"
#include "gpus.hpp"
#include "models.hpp"
#include "text.hpp"

namespace program {

namespace {

// Times that differ by less are rounding.
constexpr double tie = 1e-9;

struct ranked_launch {
    std::string name{}, limited_by{}, error{};
    double seconds{};
    answer open{};  ///< its notes
};

std::string name_of(const launch_request& r) {
    if (!r.name.empty()) return r.name;
    return r.file + (r.kernel.empty() ? "" : " " + r.kernel) + " " + r.block;
}

ranked_launch launch_on(const warpgauge::any_device& gpu, const std::string& model,
                        const launch_request& r, kernel_texts& texts) {
    ranked_launch to{.name = name_of(r)};
    try {
        const loaded_kernel kernel(r, texts);
        const auto f = kernel.on(gpu);
        const auto p = predicted(model, gpu, f->profile);
        if (!p) fail_model(words_of(p.error()));
        to.seconds = p->seconds;
        to.limited_by = p->limited_by;
        note_open(kernel, *f, to.open);
    } catch (const failure& e) {
        if (e.status == usage_failure) throw;
        to.error = e.text;
    }
    return to;
}

// How far it is, for who waits at a terminal.
void show_progress(std::size_t done, std::size_t all) {
    if (all < 10 || isatty(STDERR_FILENO) == 0) return;
    constexpr std::size_t width = 30;
    const std::size_t full = width * done / all;
    std::cerr << "\r[" << std::string(full, '#') << std::string(width - full, '.') << "] " << done
              << " of " << all << (done == all ? "\r\033[K" : "") << std::flush;
}

// Compiles, follows and predicts each launch, on `jobs` threads.
std::vector<ranked_launch> predict_all(const std::vector<launch_request>& launches,
                                       const warpgauge::any_device& gpu, const std::string& model,
                                       unsigned jobs) {
    std::vector<ranked_launch> all(launches.size());
    kernel_texts texts;
    std::atomic<std::size_t> next = 0;
    std::size_t done = 0;
    std::exception_ptr bad;
    std::mutex telling;
    const auto work = [&] {
        for (std::size_t n = next++; n < all.size(); n = next++) {
            try {
                all[n] = launch_on(gpu, model, launches[n], texts);
            } catch (...) {
                const std::lock_guard lock(telling);
                if (!bad) bad = std::current_exception();
                next = all.size();
            }
            const std::lock_guard lock(telling);
            show_progress(++done, all.size());
        }
    };
    std::vector<std::thread> others;  // libc++ has no std::jthread before 18
    for (unsigned t = 1; t < std::min<std::size_t>(jobs, all.size()); ++t) {
        others.emplace_back(work);
    }
    work();
    for (std::thread& other : others) other.join();
    if (bad) std::rethrow_exception(bad);
    return all;
}

// The launches of a tuner's record: one file, with the macros of each configuration.
std::vector<launch_request> launches_of(const request& r, const tuner_record& record) {
    if (r.launches.size() != 1 || !r.launches[0].block.empty() || !r.launches[0].grid.empty()) {
        fail_usage("--kernel-tuner takes one FILE, CUDA source, and no --block or --grid");
    }
    const std::string& problem = r.problem_size.empty() ? record.problem_size : r.problem_size;
    if (problem.empty()) fail_usage("--problem-size is needed: " + r.tuner + " does not say it");
    launch_request like = r.launches[0];
    // Kernel Tuner gives the kernel its plain name where the source has no such words, and the compiler does not.
    const std::string text = text_of_file(like.file).value_or("");
    if (like.kernel.empty() && text.find("extern \"C\"") != std::string::npos) {
        like.kernel = record.kernel;
    }
    std::vector<launch_request> launches;
    for (const tuned_configuration& c : record.configurations) {
        launches.push_back(launch_of(c, problem, r.divisors, like));
    }
    return launches;
}

std::string order_picture(const answer& a, const std::string& gpu) {
    warpgauge::report::line_chart chart{.title = "Predicted order on a " + gpu,
                                        .x_label = "place",
                                        .y_label = "predicted time, µs",
                                        .curves = {{"to measure", {}}, {"the rest", {}}}};
    for (std::size_t n = 0; n < a.rows.size(); ++n) {
        const double* seconds = std::get_if<double>(&a.rows[n][2].exact);
        const bool measure = std::get<bool>(a.rows[n][4].exact);
        if (seconds == nullptr) continue;
        chart.curves[measure ? 0 : 1].points.push_back(
            {static_cast<double>(n + 1), 1e6 * *seconds});
    }
    return svg_of(chart);
}

// From 1; those that the model cannot tell apart share one.
std::vector<double> places_in(const warpgauge::ranking& order) {
    std::vector<double> place(order.order.size());
    for (const warpgauge::rank_group& g : order.groups) {
        for (std::size_t n = g.first; n < g.first + g.count; ++n) {
            place[order.order[n]] = static_cast<double>(g.first + 1);
        }
    }
    return place;
}

void add_launches(const std::vector<ranked_launch>& launches, const warpgauge::ranking& order,
                  const std::vector<std::size_t>& kept, const tuner_record& record, answer& to) {
    const std::vector<double> place = places_in(order);
    for (const std::size_t n : order.order) {
        const ranked_launch& l = launches[n];
        if (!l.error.empty()) {
            to.rows.push_back({{"", {}}, text_cell(l.name), {"none", {}}, {}, {"", false}});
            to.rows.back().resize(to.columns.size());
            to.note(l.name + ": " + l.error);
            continue;
        }
        const bool measure = std::find(kept.begin(), kept.end(), n) != kept.end();
        to.rows.push_back({number_cell(place[n]),
                           text_cell(l.name),
                           seconds_cell(l.seconds),
                           text_cell(l.limited_by),
                           {measure ? "yes" : "", measure}});
        if (record.configurations.empty()) continue;
        const double measured = record.configurations[n].seconds;
        to.rows.back().push_back(measured > 0 ? seconds_cell(measured) : cell{"did not run", {}});
    }
}

// What a tuner saves that measures only what is kept.
void note_savings(const std::vector<ranked_launch>& launches, const warpgauge::ranking& order,
                  const std::vector<std::size_t>& kept, const tuner_record& record, answer& to) {
    const auto& all = record.configurations;
    const auto slower = [&](std::size_t a, std::size_t b) {
        return all[b].seconds > 0 && (all[a].seconds == 0 || all[b].seconds < all[a].seconds);
    };
    std::size_t best = 0;
    double spent = 0;
    for (std::size_t n = 0; n < all.size(); ++n) {
        if (slower(best, n)) best = n;
        spent += all[n].spent_seconds;
    }
    if (kept.empty() || !(all[best].seconds > 0)) return;
    std::size_t best_kept = kept[0];
    double kept_spent = 0;
    for (const std::size_t n : kept) {
        if (slower(best_kept, n)) best_kept = n;
        kept_spent += all[n].spent_seconds;
    }
    using warpgauge::report::duration;
    const double place = places_in(order)[best];
    to.note("the fastest of those recorded, " + launches[best].name + " with " +
            duration(all[best].seconds) + ", " +
            (place > 0 ? "is at place " + short_number(place) : "has no prediction"));
    to.note("the fastest of those to measure takes " +
            (all[best_kept].seconds > 0
                 ? times_cell(all[best_kept].seconds / all[best].seconds).shown + " its time"
                 : "no time: none ran") +
            "; they cost the tuner " + duration(kept_spent) + " of " + duration(spent));
}

}  // namespace

answer rank(const request& r) {
    check_models(r.models);
    check_one_gpu(r);
    check_one_model(r);
    if (r.launches.empty()) fail_usage("FILE is needed, or --launches");
    const auto gpu = gpu_called(r.devices[0]);
    const std::string model = model_for(r, gpu);

    tuner_record record;
    if (r.tuner.empty() && !r.restrictions.empty()) {
        fail_usage("--restriction needs --kernel-tuner");
    }
    if (!r.tuner.empty()) record = read_tuner_record(r.tuner);
    for (const std::string& restriction : r.restrictions) restrict_to(restriction, record);
    const auto launches =
        predict_all(r.tuner.empty() ? r.launches : launches_of(r, record), gpu, model, r.jobs);
    std::vector<double> seconds;
    std::vector<warpgauge::model_error> errors;
    for (const ranked_launch& l : launches) {
        seconds.push_back(l.seconds);
        errors.push_back(l.error.empty()
                             ? warpgauge::model_error{}
                             : warpgauge::model_error{warpgauge::errc::missing, "time"});
    }
    const auto order = warpgauge::rank(seconds, errors, tie);
    if (!order) fail_model(words_of(order.error()));
    const auto kept = warpgauge::keep_fraction(*order, r.keep);
    if (!kept) fail_usage("--keep: " + words_of(kept.error()));

    answer a{.before = std::string(gpu.name()) + ", " + model + "\n\n",
             .facts = {{"gpu", std::string(gpu.name())}, {"model", model}},
             .rows_key = "launches",
             .columns = {{"", "place"},
                         {"launch", "launch"},
                         {"time", "seconds"},
                         {"limited by", "limited_by"},
                         {"measure", "measure"}},
             .left = 2,
             .nothing_predicted = order->predicted() == 0};
    const bool recorded = !record.configurations.empty();
    if (recorded) a.columns.push_back({"measured", "measured_seconds"});
    add_launches(launches, *order, kept->kept, record, a);
    if (recorded) note_savings(launches, *order, kept->kept, record, a);
    note_bound(r, gpu, a);
    for (const ranked_launch& l : launches) {
        for (const std::string& text : l.open.notes) a.note(text);
    }
    if (r.picture) a.picture = order_picture(a, std::string(gpu.name()));
    return a;
}

}  // namespace program
