// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Can a kernel ever take longer than its deadline? Kernels on the Tesla M2090, and what each verdict
// rests on: a bound that no schedule exceeds, or a simulation that is later.
#include <array>
#include <iostream>
#include <span>
#include <string>

#include <warpgauge/models/hybrid.hpp>
#include <warpgauge/report/table.hpp>
#include <warpgauge/warpgauge.hpp>

namespace {

namespace report = warpgauge::report;
using warpgauge::instruction;
using warpgauge::unit_kind;
using gpu = warpgauge::devices::tesla_m2090;

constexpr instruction load{.unit = unit_kind::global_memory};
constexpr instruction add{.unit = unit_kind::integer};
constexpr instruction barrier{.unit = unit_kind::barrier};

constexpr std::array scale{load, add, load};
constexpr std::array mean_of_three{load, load, load, add, add, add, load};
constexpr std::array polynomial{load, warpgauge::loop(2, 8), add, add, load};
constexpr std::array reduction{load, warpgauge::loop(3, 8), barrier, load, add, load};

struct task {
    warpgauge::kernel_profile<> kernel;
    double deadline_seconds;
};

constexpr task tasks[]{
    {{.name = "scale", .blocks = 64, .threads_per_block = 256, .instructions = scale}, 1.5e-6},
    {{.name = "mean of three",
      .blocks = 64,
      .threads_per_block = 256,
      .instructions = mean_of_three},
     1.5e-6},
    {{.name = "polynomial", .blocks = 16, .threads_per_block = 256, .instructions = polynomial},
     9e-7},
    {{.name = "reduction", .blocks = 64, .threads_per_block = 256, .instructions = reduction},
     4.6e-6},
};

struct verdict {
    std::string text;
    std::string rests_on;
};

// region: verdict
verdict judge(const task& t) {
    using namespace warpgauge;
    const auto bound = makespan_model{gpu{}}.predict(t.kernel);
    if (!bound) return {"no answer", std::string(message(bound.error()).view())};
    if (!bound->round.safe) return {"not known", std::string(name(bound->round.doubt))};
    if (bound->seconds <= t.deadline_seconds) {
        return {"always in time", "the bound: " + std::string(name(bound->round.rule))};
    }
    for (const warp_policy policy : {warp_policy::lowest_index, warp_policy::loose_round_robin,
                                     warp_policy::greedy_then_oldest}) {
        const auto simulated = hybrid_model{gpu{}, {.policy = policy}}.predict(t.kernel);
        if (simulated && simulated->seconds > t.deadline_seconds) {
            return {"can be late", "a simulation: " + std::string(name(policy))};
        }
    }
    return {"not known", "the bound is past the deadline, no simulation is"};
}
// endregion

}  // namespace

int main() {
    report::table t(
        {"kernel", "warps", "bound, cycles", "bound", "deadline", "verdict", "rests on"});
    for (const task& each : tasks) {
        const auto e = warpgauge::makespan_model{gpu{}}.predict(each.kernel);
        const verdict v = judge(each);
        t.add({each.kernel.name, e ? report::fixed(e->active_warps_per_sm, 0) : "",
               e ? report::fixed(e->cycles, 0) : "", e ? report::duration(e->seconds) : "",
               report::duration(each.deadline_seconds), v.text, v.rests_on});
    }
    std::cout
        << t
        << "\nAll verdicts assume the SM that the library simulates, its part of the bandwidth, "
           "blocks spread\nevenly, and no kernel beside this one.\n";
}
