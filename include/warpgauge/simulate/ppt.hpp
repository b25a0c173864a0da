// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SIMULATE_PPT_HPP
#define WARPGAUGE_SIMULATE_PPT_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/device/ppt_parameters.hpp>
#include <warpgauge/kernel/task_list.hpp>
#include <warpgauge/simulate/caps.hpp>
#include <warpgauge/simulate/ppt_checks.hpp>
#include <warpgauge/simulate/ppt_grid.hpp>
#include <warpgauge/simulate/ppt_machine.hpp>
#include <warpgauge/simulate/ppt_units.hpp>
#include <warpgauge/simulate/ppt_values.hpp>

/// \file The results of the authors' program, with all its peculiarities: counts and cycles are equal, times in seconds to
/// 1e-9.
///
/// Source: the GPU module of the Performance Prediction Toolkit (PPT) as of Chapuis et al. 2016: the
/// rules are restated here from its behaviour, and its results are reproduced. docs/hybrid.md lists
/// where it departs from the paper and from plausible hardware; `simulate/sm.hpp` corrects that.

namespace WARPGAUGE_NAMESPACE {

/// One kernel call on a device in the given state, which it changes.
/// \errors negative, overflow  a parameter of `gpu`, or of `call`: it starts within 1e6 s
///         not_positive        `blocks`, `threads_per_block`, `registers_per_thread`
///         not_whole           a parameter
///         outside_domain      a parameter is below what the program can take; or of
///                             `state`, none that a call leaves; with an entry of the tasks: units
///                             that this task needs are fewer than 32, so the program would wait for
///                             ever
///         missing             `tasks`: there are none
///         malformed           `tasks`: one waits for itself or a later one, or is no instruction
///         exceeds_device      `threads_per_block`, `registers_per_thread`: not one block fits
///         limit_reached       `tasks`: more work or memory than `caps`; `threads_per_block`: past
///                             `max_sm_warps`
template <class = core::when_used>
[[nodiscard]] result<ppt_estimate> ppt_call(std::span<const task> tasks, const ppt_launch& call,
                                            const ppt_parameters& gpu, ppt_state& state,
                                            const simulation_caps& caps = {});

namespace detail::simulate {

/// Resident blocks, without units of allocation and without a limit on warps.
template <class = core::when_used>
model_error count_ppt_blocks(const ppt_launch& call, const ppt_parameters& gpu, ppt_estimate& e) {
    const auto threads = static_cast<double>(call.threads_per_block);
    const auto blocks = static_cast<double>(call.blocks);
    const double by_threads = core::floor(gpu.max_threads_per_sm / threads);
    const double by_registers =
        core::floor(gpu.registers_per_sm / (threads * call.registers_per_thread));
    if (by_threads < 1) return {errc::exceeds_device, "threads_per_block"};
    if (by_registers < 1) return {errc::exceeds_device, "registers_per_thread"};
    const double fit = core::min(core::min(gpu.max_blocks_per_sm, by_threads), by_registers);
    e.resident_blocks_per_sm = static_cast<std::uint64_t>(fit);
    e.blocks_per_sm = static_cast<std::uint64_t>(core::min(fit, core::ceil(blocks / gpu.sm_count)));
    e.workloads = (call.blocks - 1) / e.blocks_per_sm + 1;
    return {};
}

/// Gives a state the number of units and SMs of the device.
template <class = core::when_used>
void fit_state(ppt_state& state, const ppt_parameters& gpu) {
    const std::array lanes{gpu.single_precision_units / 32, gpu.double_precision_units / 32,
                           gpu.special_function_units / 32, gpu.load_store_units};
    for (std::size_t c = 0; c < lanes.size(); ++c) {
        state.units_busy_until[c].resize(static_cast<std::size_t>(lanes[c]), 0);
    }
    state.sm_free_s.resize(static_cast<std::size_t>(gpu.sm_count), 0);
}

/// The grid: the first round in full, and later rounds less their overlap.
template <class = core::when_used>
void extend_to_grid(const ppt_launch& call, const ppt_parameters& gpu, ppt_state& state,
                    ppt_estimate& e) {
    double sum_of_ends = 0;
    double sum_of_waits = 0;
    double overhang = 0;  // cycles that results of a block come after its end
    for (std::size_t b = 0; b < e.block_ends.size(); ++b) {
        sum_of_ends += e.block_ends[b];
        sum_of_waits += e.cycles - e.block_ends[b];
        overhang = core::max(overhang, e.block_last_ends[b] - e.cycles);
    }
    const auto blocks = static_cast<double>(e.blocks_per_sm);
    e.overlap_fraction = sum_of_waits / blocks / e.cycles;
    e.mean_block_s = sum_of_ends / blocks / gpu.clock_hz;
    const double full_s = e.cycles / gpu.clock_hz;
    const double parameters_s = gpu.idle_dram_latency_cycles / gpu.clock_hz;
    e.later_round_s = (full_s - (gpu.clock_is_whole ? core::floor(parameters_s) : parameters_s)) *
                      (1 - e.overlap_fraction);
    const auto workloads = static_cast<double>(e.workloads);
    const double first = core::min(gpu.sm_count, workloads);
    const double mean_s = (first * full_s + (workloads - first) * e.later_round_s) / workloads;
    for (double& free : state.sm_free_s) {
        free = core::max(free, call.start_s + gpu.launch_overhead_s);
    }
    e.seconds = ppt_grid_end(state.sm_free_s, e.workloads, mean_s, e.mean_block_s) - call.start_s +
                overhang / gpu.clock_hz;
}

}  // namespace detail::simulate

template <class Used>
result<ppt_estimate> ppt_call(std::span<const task> tasks, const ppt_launch& call,
                              const ppt_parameters& gpu, ppt_state& state,
                              const simulation_caps& caps) {
    if (const auto bad = detail::simulate::check_ppt(gpu)) return bad;
    if (const auto bad = detail::simulate::check_tasks(tasks, gpu)) return bad;
    if (call.blocks == 0) return model_error{errc::not_positive, "blocks"};
    if (const auto bad = detail::simulate::check_state(state)) return bad;
    if (const auto bad = detail::simulate::check_call(call)) return bad;

    ppt_estimate e;
    if (const auto bad = detail::simulate::count_ppt_blocks(call, gpu, e)) return bad;
    const std::uint64_t warps_per_block = (call.threads_per_block - 1) / 32 + 1;
    const std::uint64_t warps = warps_per_block * e.blocks_per_sm;
    if (warps > max_sm_warps) return model_error{errc::limit_reached, "threads_per_block"};
    if (warps > caps.words / tasks.size() || warps > caps.warp_instructions / tasks.size()) {
        return model_error{errc::limit_reached, "tasks"};
    }
    detail::simulate::fit_state(state, gpu);

    // Parameters are loaded first, slower the more blocks load them.
    const double parameter_load =
        detail::simulate::ppt_dram_latency(static_cast<double>(e.blocks_per_sm), gpu);
    detail::simulate::ppt_machine<Used> machine(
        tasks, gpu, state,
        {.blocks = static_cast<std::size_t>(e.blocks_per_sm),
         .warps_per_block = static_cast<std::size_t>(warps_per_block),
         .start = parameter_load});
    machine.run(e);
    detail::simulate::extend_to_grid(call, gpu, state, e);
    return e;
}

}  // namespace WARPGAUGE_NAMESPACE

#endif
