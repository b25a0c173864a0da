// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A whole program as its host orders it: to the GPU, a thousand steps of a stencil, and back (Chapuis
// et al. 2016, sec. 4.3); then the same on two GPUs, one half each.
#include <iostream>
#include <string>
#include <vector>

#include <warpgauge/report/table.hpp>
#include <warpgauge/simulate/timeline.hpp>
#include <warpgauge/warpgauge.hpp>

#include "parboil.hpp"

namespace {

namespace report = warpgauge::report;
using warpgauge::host_task;

// region: timeline
// PCI Express 3.0 with 16 lanes, 15.75 GB/s; 10 us for a transfer and 3.5 us for a launch, as in the
// authors' program.
constexpr warpgauge::linked_device gpu_of_host{
    .bytes_per_s = 15.75e9, .latency_s = 10e-6, .launch_overhead_s = 3.5e-6, .memory_bytes = 12e9};

warpgauge::result<warpgauge::timeline_estimate> run(std::size_t gpus, double n) {
    auto half = stencil(n);
    half.launch.blocks /= static_cast<double>(gpus);
    const auto step =
        warpgauge::hybrid_model{warpgauge::devices::tesla_k40{}}.predict(half.profile());
    if (!step) return step.error();

    const double bytes = n * n * n * 4 / static_cast<double>(gpus);
    const std::vector<warpgauge::linked_device> devices(gpus, gpu_of_host);
    std::vector<host_task> program;
    for (std::size_t gpu = 0; gpu < gpus; ++gpu) {
        program.push_back(host_task::allocate(gpu, 2 * bytes));
        program.push_back(host_task::copy_to(gpu, bytes));
        for (int i = 0; i < 1000; ++i) program.push_back(host_task::launch(gpu, step->seconds));
    }
    for (std::size_t gpu = 0; gpu < gpus; ++gpu) {
        program.push_back(host_task::copy_from(gpu, bytes));
        program.push_back(host_task::free(gpu, 2 * bytes));
    }
    return timeline(program, devices);
}
// endregion

}  // namespace

int main() {
    report::table t({"n", "one GPU", "kernels", "two GPUs", "gain"});
    for (const double n : {64.0, 128.0, 256.0, 512.0}) {
        const auto one = run(1, n);
        const auto two = run(2, n);
        if (!one || !two) {
            std::cerr << message(one ? two.error() : one.error()).view() << '\n';
            return 1;
        }
        t.add({report::fixed(n, 0), report::duration(one->seconds),
               report::fixed(100 * one->kernels_s[0] / one->seconds, 1) + "%",
               report::duration(two->seconds), report::fixed(one->seconds / two->seconds, 2)});
    }
    std::cout << t;
}
