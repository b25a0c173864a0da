// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cmath>
#include <sstream>

#include <warpgauge/report/sm_timeline.hpp>

#include "commands.hpp"
#include "failure.hpp"
#include "models.hpp"
#include "text.hpp"

namespace program {

namespace {

// As many instructions as a picture can show.
constexpr std::size_t drawn_events = 4000;

void add_row(const std::string& what, std::uint64_t cycles, const warpgauge::sm_estimate& sm,
             answer& to) {
    const auto n = static_cast<double>(cycles);
    to.rows.push_back(
        {text_cell(what), number_cell(n), percent_cell(n / static_cast<double>(sm.cycles))});
}

std::string timeline_picture(const watched_sm& seen, const loaded_kernel& kernel,
                             const warpgauge::any_device& gpu) {
    const auto threads = static_cast<double>(kernel.launch().block.count());
    const double warp = *gpu.get("warp_size");
    std::ostringstream out;
    const auto bad = warpgauge::report::write_sm_timeline_svg(
        out, seen.events, static_cast<std::uint64_t>(std::ceil(threads / warp)),
        kernel.name() + " on one SM of a " + std::string(gpu.name()));
    if (bad) fail_model("--svg: " + words_of(bad));
    return out.str();
}

}  // namespace

answer timeline(const request& r) {
    const launch_on_gpu asked(r);
    const auto& [gpu, kernel, f] = asked;
    const auto seen = watched(gpu, f->profile, drawn_events);
    if (!seen) fail_prediction(r, "hybrid", gpu, seen.error());

    const warpgauge::sm_estimate& sm = seen->sm;
    answer a{.before = headline(kernel, *f) + "One SM of the " + std::string(gpu.name()) +
                       ", hybrid: " + short_number(static_cast<double>(sm.cycles)) +
                       " cycles, limited by " + seen->limited_by + "\n\n",
             .rows_key = "cycles",
             .columns = {{"cycles", "what"}, {"number", "cycles"}, {"of all", "fraction"}}};
    add_facts(kernel, *f, a);
    note_one_warp("hybrid", *f, a);
    a.facts.emplace_back("gpu", std::string(gpu.name()));
    a.facts.emplace_back("limited_by", seen->limited_by);
    add_row("with an issue", sm.issue_cycles, sm, a);
    add_row("wait for memory", sm.stalls.memory_dependence, sm, a);
    add_row("queue of memory full", sm.stalls.memory_queue, sm, a);
    add_row("wait for another result", sm.stalls.dependence, sm, a);
    add_row("units busy", sm.stalls.unit_busy, sm, a);
    add_row("barriers", sm.stalls.barrier, sm, a);
    add_row("no warp yet", sm.stalls.nothing_resident, sm, a);
    if (r.picture) {
        a.picture = timeline_picture(*seen, kernel, gpu);
        if (seen->events.size() == drawn_events) {
            a.note("drawn: the first " + std::to_string(drawn_events) + " instructions");
        }
    }
    return a;
}

}  // namespace program
