// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SIMULATE_PPT_CHECKS_HPP
#define WARPGAUGE_SIMULATE_PPT_CHECKS_HPP

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/device/ppt_parameters.hpp>
#include <warpgauge/kernel/task_list.hpp>
#include <warpgauge/simulate/ppt_units.hpp>
#include <warpgauge/simulate/ppt_values.hpp>

/// \file Input that the authors' program cannot compute: it is an error before the start.

namespace WARPGAUGE_NAMESPACE::detail::simulate {

template <class = core::when_used>
model_error check_ppt(const ppt_parameters& gpu) {
    constexpr double most = 1'048'576;
    for (const core::bounded_parameter& f : std::initializer_list<core::bounded_parameter>{
             {gpu.sm_count, "sm_count", true, 1, 4096},
             {gpu.clock_hz, "clock_hz", false, 1, 1e12},
             {gpu.max_blocks_per_sm, "max_blocks_per_sm", true, 1, most},
             {gpu.max_threads_per_sm, "max_threads_per_sm", true, 1, most},
             {gpu.registers_per_sm, "registers_per_sm", true, 1, most},
             {gpu.single_precision_units, "single_precision_units", true, 0, most},
             {gpu.double_precision_units, "double_precision_units", true, 0, most},
             {gpu.special_function_units, "special_function_units", true, 0, most},
             {gpu.load_store_units, "load_store_units", true, 0, most},
             {gpu.warp_schedulers, "warp_schedulers", true, 1, most},
             {gpu.issues_per_warp, "issues_per_warp", true, 1, most},
             {gpu.integer_latency_cycles, "integer_latency_cycles", false, 1, most},
             {gpu.float_latency_cycles, "float_latency_cycles", false, 1, most},
             {gpu.special_latency_cycles, "special_latency_cycles", false, 1, most},
             {gpu.l1_latency_cycles, "l1_latency_cycles", false, 1, most},
             {gpu.l2_latency_cycles, "l2_latency_cycles", false, 1, most},
             {gpu.idle_dram_latency_cycles, "idle_dram_latency_cycles", false, 1, most},
             {gpu.loaded_dram_latency_cycles, "loaded_dram_latency_cycles", false, 1, most},
             {gpu.queue_free, "queue_free", false, 0, most},
             {gpu.queue_capacity, "queue_capacity", false, 1, most},
             {gpu.launch_overhead_s, "launch_overhead_s", false, 0, most}}) {
        if (const auto bad = core::check_bounded(f)) return bad;
    }
    if (gpu.loaded_dram_latency_cycles < gpu.idle_dram_latency_cycles) {
        return {errc::outside_domain, "loaded_dram_latency_cycles"};
    }
    return {};
}

/// What an earlier call can have left.
template <class = core::when_used>
model_error check_state(const ppt_state& state) {
    const auto all_fit = [](const std::vector<double>& times) {
        for (const double t : times) {
            if (!(t >= 0 && t <= 1e15)) return false;
        }
        return true;
    };
    for (const auto& slots : state.units_busy_until) {
        if (!all_fit(slots)) return {errc::outside_domain, "units_busy_until"};
    }
    if (!all_fit(state.memory_queue)) return {errc::outside_domain, "memory_queue"};
    if (!all_fit(state.sm_free_s)) return {errc::outside_domain, "sm_free_s"};
    return {};
}

/// The error of a call for which the program would never end, or would index past its list.
template <class = core::when_used>
model_error check_tasks(std::span<const task> tasks, const ppt_parameters& gpu) {
    if (tasks.empty()) return {errc::missing, "tasks"};
    const core::bounded_parameter needed[]{
        {gpu.single_precision_units, "single_precision_units", true, 32, 0},
        {gpu.double_precision_units, "double_precision_units", true, 32, 0},
        {gpu.special_function_units, "special_function_units", true, 32, 0},
        {gpu.load_store_units, "load_store_units", true, 1, 0}};
    for (std::size_t at = 0; at < tasks.size(); ++at) {
        const task& t = tasks[at];
        const auto entry = static_cast<std::uint32_t>(at + 1);
        for (const std::uint32_t i : t.after) {
            if (i != task::none && i >= at) return {errc::malformed, "tasks", entry};
        }
        double latency = 0;
        const ppt_pool pool = ppt_pool_of(t.unit, gpu, latency);
        if (pool == ppt_pool::end) return {errc::malformed, "tasks", entry};
        if (pool > ppt_pool::load_store) continue;
        const core::bounded_parameter& units = needed[static_cast<std::size_t>(pool)];
        if (units.value < units.least) return {errc::outside_domain, units.field, entry};
    }
    return {};
}

template <class = core::when_used>
model_error check_call(const ppt_launch& call) {
    if (call.blocks > std::uint64_t{1} << 40) return {errc::overflow, "blocks"};
    if (call.threads_per_block == 0) return {errc::not_positive, "threads_per_block"};
    if (!core::positive(call.registers_per_thread)) {
        return {errc::not_positive, "registers_per_thread"};
    }
    if (!core::non_negative(call.start_s)) return {errc::negative, "start_s"};
    if (call.start_s > 1e6) return {errc::overflow, "start_s"};
    return {};
}

}  // namespace WARPGAUGE_NAMESPACE::detail::simulate

#endif
