// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies that overlap kernels: a vector in six parts, each copied to an H100, worked on, and copied back, in one to
// three streams. What the copies hide, and what one more engine is worth.
//
//   overlapped_copies [FILE.svg]    draws the program in three streams
#include <array>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include <warpgauge/report/host_timeline.hpp>
#include <warpgauge/report/table.hpp>
#include <warpgauge/simulate/timeline.hpp>
#include <warpgauge/warpgauge.hpp>

namespace {

namespace report = warpgauge::report;
using warpgauge::host_task;

// A host with PCI Express 4.0, 16 lanes, 31.5 GB/s each way; 10 us for a copy and 3.5 us for a launch, as in the program
// of Chapuis et al. 2016.
constexpr warpgauge::linked_device gpu{
    .bytes_per_s = 31.5e9, .latency_s = 10e-6, .launch_overhead_s = 3.5e-6, .memory_bytes = 80e9};

constexpr double elements = 1 << 24;
constexpr std::uint32_t parts = 6;

// 4000 fused multiply-adds on each element.
warpgauge::result<double> kernel_seconds() {
    const warpgauge::kernel_profile<> kernel{.blocks = elements / parts / 256,
                                             .threads_per_block = 256,
                                             .registers_per_thread = 32,
                                             .comp_insts = 4000,
                                             .coalesced_mem_insts = 2};
    const auto e = warpgauge::roofline_model{warpgauge::devices::h100_sxm5{}}.predict(kernel);
    if (!e) return e.error();
    return e->seconds;
}

// region: program
std::vector<host_task> program_in(std::uint32_t streams, double kernel_s) {
    const double bytes = elements * 4 / parts;
    std::vector<host_task> program{host_task::allocate(0, parts * bytes)};
    for (std::uint32_t part = 0; part < parts; ++part) {
        const std::uint32_t stream = 1 + part % streams;
        program.push_back(host_task::copy_to(0, bytes).in(stream));
        program.push_back(host_task::launch(0, kernel_s).in(stream));
        program.push_back(host_task::copy_from(0, bytes).in(stream));
    }
    program.push_back(host_task::synchronise(0));
    program.push_back(host_task::free(0, parts * bytes));
    return program;
}
// endregion

int fail(const warpgauge::model_error& bad) {
    std::cerr << message(bad).view() << '\n';
    return 1;
}

}  // namespace

int main(int argc, char** argv) {
    const auto kernel_s = kernel_seconds();
    if (!kernel_s) return fail(kernel_s.error());
    report::table t({"streams", "an engine each way", "one engine", "kernels"});
    for (const std::uint32_t streams : {1U, 2U, 3U}) {
        const auto program = program_in(streams, *kernel_s);
        auto one_engine = gpu;
        one_engine.from_engines = 0;
        const auto both = timeline(program, std::array{gpu});
        const auto one = timeline(program, std::array{one_engine});
        if (!both || !one) return fail(both ? one.error() : both.error());
        t.add({std::to_string(streams), report::duration(both->seconds),
               report::duration(one->seconds),
               report::fixed(100 * both->kernels_s[0] / both->seconds, 0) + "%"});
        if (argc > 1 && streams == 3) {
            std::ofstream file(argv[1]);
            const auto bad = report::write_host_timeline_svg(file, program, both->spans,
                                                             "Six parts in three streams");
            if (bad) return fail(bad);
        }
    }
    std::cout << t;
}
