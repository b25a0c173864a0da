// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fig. 5 of Chapuis et al. 2016: A[tid] += 10; B[tid] += 10. What one warp does, and a million threads.
#include <iostream>
#include <string>

#include <warpgauge/report/table.hpp>
#include <warpgauge/warpgauge.hpp>

namespace {

namespace devices = warpgauge::devices;
namespace report = warpgauge::report;
using warpgauge::unit_kind;

// region: figure_5
constexpr warpgauge::instruction load{.unit = unit_kind::global_memory};
constexpr warpgauge::instruction add_ten{.unit = unit_kind::single_precision, .needs = {1}};
constexpr warpgauge::instruction store{.unit = unit_kind::global_memory, .needs = {1}};
constexpr warpgauge::instruction figure_5[]{load, add_ten, store, load, add_ten, store};

constexpr warpgauge::kernel_profile<> kernel{
    .blocks = 4096, .threads_per_block = 256, .registers_per_thread = 16, .instructions = figure_5};

template <class Device>
void predict(const Device& device, report::table& t) {
    const auto e = warpgauge::hybrid_model{device}.predict(kernel);
    if (!e) {
        std::cerr << message(e.error()).view() << '\n';
        return;
    }
    t.add({device.name, report::fixed(e->active_warps_per_sm, 0), report::fixed(e->rounds, 0),
           report::fixed(e->cycles, 0), report::duration(e->seconds), name(e->limited_by)});
}
// endregion

// The same on one SM with one warp, seen instruction by instruction.
void follow_one_warp() {
    report::table t({"instruction", "issued in cycle", "result in cycle"});
    warpgauge::sm_workspace space;
    const auto e = simulate_sm(
        figure_5, sm_parameters_of(devices::tesla_k40{}), {1, 1},
        warpgauge::warp_policy::lowest_index, {}, space, [&](const warpgauge::sm_event& event) {
            t.add({name(event.unit), std::to_string(event.cycle), std::to_string(event.completes)});
        });
    if (e) std::cout << "One warp on a Tesla K40: " << e->cycles << " cycles\n\n" << t;
}

}  // namespace

int main() {
    follow_one_warp();
    report::table t({"GPU", "warps/SM", "rounds", "cycles", "time", "limited by"});
    predict(devices::tesla_m2090{}, t);
    predict(devices::tesla_k40{}, t);
    predict(devices::quadro_k6000{}, t);
    predict(devices::h100_sxm5{}, t);
    std::cout << "\nA million threads\n\n" << t;
}
