// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_BENCHMARKS_GPU_PLAN_HPP
#define WARPGAUGE_BENCHMARKS_GPU_PLAN_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

// What is to be measured. A plan is made from the figures of a GPU alone, so it is the same whether it
// is carried out or only printed and checked.

struct gpu {
    std::string name;
    int major{}, minor{};
    int sm_count{};
    int max_threads_per_block{}, max_warps_per_sm{}, max_blocks_per_sm{};
    std::size_t max_shared_bytes_per_block{};  // that a kernel may ask for
    std::size_t shared_bytes_per_sm{};
    std::size_t l2_bytes{}, memory_bytes{};
};

using extent = std::array<std::uint32_t, 3>;

struct shape {
    extent grid{1, 1, 1}, block{1, 1, 1};
    std::size_t shared_bytes{};  // dynamic
};

inline std::uint64_t volume(const extent& e) {
    return std::uint64_t{e[0]} * e[1] * e[2];
}

// One row of the result: the same launch, again and again.
struct task {
    std::string experiment, name;
    double size{};                  // what the experiment varies: see docs/measuring.md
    shape launch;                   // all launches of a task have it
    extent problem{}, per_block{};  // work along each dimension, and what a block takes of it
    std::string unit;               // of the samples
    int samples{};
    double bytes{};              // B that one launch has to move at least; 0: not what it is about
    double warp_instructions{};  // of the class under test, of one warp and launch; likewise
    std::size_t memory_bytes{};  // of the GPU, that the task occupies
    const void* kernel{};        // whose registers and shared memory are looked up

    // Takes the samples, after launches that do not count; throws if a CUDA call fails or a result is
    // wrong.
    std::function<std::vector<double>(const task&)> measure;
};

using plan = std::vector<task>;

// The experiments.
plan latency_plan(const gpu&);
plan departure_plan(const gpu&);
plan bandwidth_plan(const gpu&);
plan throughput_plan(const gpu&);
plan sync_plan(const gpu&);
plan mixture_plan(const gpu&);
plan kernels_plan(const gpu&);

// Those that a dry run plans for, of different ages.
std::vector<gpu> planned_gpus();

// What is wrong; empty: nothing.
std::string fault(const task&, const gpu&);  // on that GPU
std::string chain_fault(std::size_t nodes, std::size_t window);
std::string lanes_fault();

#endif
