// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Can a kernel ever take longer than its deadline? Kernels on the Tesla M2090, and what each verdict
// rests on.
#include <array>
#include <iostream>
#include <span>
#include <string>

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
     4e-7},
    {{.name = "polynomial", .blocks = 16, .threads_per_block = 256, .instructions = polynomial},
     3e-7},
    {{.name = "reduction", .blocks = 64, .threads_per_block = 256, .instructions = reduction},
     1e-4},
};

struct verdict {
    std::string text;
    std::string rests_on;
};

// region: verdict
verdict judge(const warpgauge::makespan_model<gpu>& model, const task& t) {
    const auto bound = model.predict(t.kernel);
    if (!bound) return {"no answer", std::string(message(bound.error()).view())};
    if (!bound->round.safe) return {"not known", "barriers are outside the theory"};
    if (bound->seconds <= t.deadline_seconds) {
        return {"always in time", "the bound " + std::string(name(bound->round.rule))};
    }
    // A schedule that takes longer settles it, where one round is all there is.
    const auto bracket = model.bracket(t.kernel, {.states = 20'000});
    const double deadline_cycles = t.deadline_seconds * gpu::clock_hz;
    if (bound->rounds == 1 && bracket && static_cast<double>(bracket->lower) > deadline_cycles) {
        return {"can be late", "schedules of " + std::to_string(bracket->lower) + " cycles"};
    }
    return {"not known", "the bound alone is past the deadline"};
}
// endregion

}  // namespace

int main() {
    const warpgauge::makespan_model<gpu> model;
    report::table t(
        {"kernel", "warps", "bound, cycles", "bound", "deadline", "verdict", "rests on"});
    for (const task& each : tasks) {
        const auto e = model.predict(each.kernel);
        const verdict v = judge(model, each);
        t.add({each.kernel.name, e ? report::fixed(e->active_warps_per_sm, 0) : "",
               e ? report::fixed(e->cycles, 0) : "", e ? report::duration(e->seconds) : "",
               report::duration(each.deadline_seconds), v.text, v.rests_on});
    }
    std::cout << t
              << "\nAll verdicts assume instructions of one cycle, no cache misses, units that "
                 "never idle "
                 "while\na warp waits, blocks spread evenly, and no kernel beside this one.\n";
}
