// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One SM, seen from inside: what its warps do in every cycle, by three ways to choose the next warp.
//
//   sm_timeline [FILE.svg] [POLICY]    the table; with FILE.svg, a picture with POLICY (0, 1 or 2)
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include <warpgauge/report/sm_timeline.hpp>
#include <warpgauge/report/table.hpp>
#include <warpgauge/warpgauge.hpp>

namespace {

namespace report = warpgauge::report;
using warpgauge::instruction;
using warpgauge::unit_kind;
using warpgauge::warp_policy;

// Three rounds of: load, then compute on it in two chains. At last, hand over to the other warps of
// the block, and store.
// clang-format off
// region: stream
constexpr instruction rounds[]{
    warpgauge::loop(7, 3),
        {.unit = unit_kind::integer, .needs = {warpgauge::own_result}},
        {.unit = unit_kind::global_memory, .needs = {1}},
        warpgauge::loop(3, 6),
            {.unit = unit_kind::single_precision, .needs = {2, warpgauge::own_result}},
            {.unit = unit_kind::single_precision, .needs = {1, warpgauge::own_result}},
            {.unit = unit_kind::single_precision, .needs = {warpgauge::own_result}},
        {.unit = unit_kind::special_function, .needs = {2}},
    {.unit = unit_kind::shared_memory, .needs = {1}},
    {.unit = unit_kind::barrier},
    {.unit = unit_kind::shared_memory},
    {.unit = unit_kind::global_memory, .needs = {1}}};
// endregion
// clang-format on

}  // namespace

int main(int argc, char** argv) {
    const int drawn = argc > 2 ? std::atoi(argv[2]) : 0;
    report::table t({"policy", "cycles", "with issue", "start", "memory", "queue", "results",
                     "units", "barriers", "limited by"});
    std::vector<warpgauge::sm_event> events;
    for (const auto policy : {warp_policy::lowest_index, warp_policy::loose_round_robin,
                              warp_policy::greedy_then_oldest}) {
        // region: observe
        const warpgauge::kernel_profile<> kernel{.blocks = 64,
                                                 .threads_per_block = 128,
                                                 .registers_per_thread = 32,
                                                 .instructions = rounds};
        const warpgauge::hybrid_model<warpgauge::devices::tesla_m2090> model{
            .options = {.policy = policy}};
        warpgauge::sm_workspace space;
        const auto e = model.predict(kernel, space, [&](const warpgauge::sm_event& event) {
            if (static_cast<int>(policy) == drawn) events.push_back(event);
        });
        // endregion
        if (!e) {
            std::cerr << message(e.error()).view() << '\n';
            return 1;
        }
        const auto text = [](std::uint64_t n) { return std::to_string(n); };
        const auto& s = e->sm.stalls;
        t.add({name(policy), text(e->sm.cycles), text(e->sm.issue_cycles), text(s.nothing_resident),
               text(s.memory_dependence), text(s.memory_queue), text(s.dependence),
               text(s.unit_busy), text(s.barrier), name(e->limited_by)});
    }
    std::cout << t;
    if (argc > 1) {
        std::ofstream file(argv[1]);
        const std::string title =
            "One SM of a Tesla M2090, " + std::string(name(static_cast<warp_policy>(drawn)));
        const auto bad = report::write_sm_timeline_svg(file, events, 4, title);
        if (bad || !file) {
            std::cerr << "cannot write " << argv[1] << '\n';
            return 1;
        }
    }
}
