// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_REPORT_NAMES_HPP
#define WARPGAUGE_REPORT_NAMES_HPP

#include <string_view>

#include <warpgauge/analyse/bottleneck.hpp>
#include <warpgauge/kernel/instruction.hpp>
#include <warpgauge/makespan/problem.hpp>
#include <warpgauge/models/mpd_cpd.hpp>
#include <warpgauge/models/mwp_cwp.hpp>
#include <warpgauge/simulate/sm.hpp>
#include <warpgauge/sm/occupancy.hpp>
#include <warpgauge/tune/prune.hpp>

/// \file Enumerators in words.

namespace warpgauge::report {

using warpgauge::name;

[[nodiscard]] constexpr std::string_view name(occupancy_limiter limiter) noexcept {
    switch (limiter) {
        case occupancy_limiter::warps: return "warps";
        case occupancy_limiter::blocks: return "blocks";
        case occupancy_limiter::registers: return "registers";
        case occupancy_limiter::shared_memory: return "shared memory";
    }
    return "?";
}

[[nodiscard]] constexpr std::string_view name(mwp_cwp_case which) noexcept {
    switch (which) {
        case mwp_cwp_case::too_few_warps: return "too few warps";
        case mwp_cwp_case::memory_bound: return "memory bound";
        case mwp_cwp_case::compute_bound: return "compute bound";
    }
    return "?";
}

[[nodiscard]] constexpr std::string_view name(period_type type) noexcept {
    switch (type) {
        case period_type::computation: return "1 computation";
        case period_type::waits_for_itself: return "2 waits for itself";
        case period_type::waits_for_previous: return "3 waits for the one before";
        case period_type::waits_for_both: return "4 waits for both";
    }
    return "?";
}

[[nodiscard]] constexpr std::string_view name(makespan_rule rule) noexcept {
    switch (rule) {
        case makespan_rule::independent_set: return "V, closed form";
        case makespan_rule::best_pair: return "V, best pair of types";
        case makespan_rule::each_type: return "B, every type on its own";
        case makespan_rule::all_contend: return "eqs. (5)-(7)";
        case makespan_rule::multiples: return "eqs. (42), (43)";
        case makespan_rule::exhaustive: return "every schedule";
    }
    return "?";
}

[[nodiscard]] constexpr std::string_view name(unit_kind unit) noexcept {
    switch (unit) {
        case unit_kind::integer: return "integer";
        case unit_kind::single_precision: return "single precision";
        case unit_kind::double_precision: return "double precision";
        case unit_kind::special_function: return "special function";
        case unit_kind::shared_memory: return "shared memory";
        case unit_kind::l1_cache: return "L1";
        case unit_kind::l2_cache: return "L2";
        case unit_kind::global_memory: return "global memory";
        case unit_kind::barrier: return "barrier";
        case unit_kind::branch: return "branch";
        case unit_kind::loop: return "loop";
    }
    return "?";
}

[[nodiscard]] constexpr std::string_view name(warp_policy policy) noexcept {
    switch (policy) {
        case warp_policy::lowest_index: return "lowest index first";
        case warp_policy::loose_round_robin: return "loose round robin";
        case warp_policy::greedy_then_oldest: return "greedy then oldest";
    }
    return "?";
}

[[nodiscard]] constexpr std::string_view name(sm_limiter limiter) noexcept {
    switch (limiter) {
        case sm_limiter::issue_slots: return "issue slots";
        case sm_limiter::integer_units: return "integer units";
        case sm_limiter::single_precision_units: return "single-precision units";
        case sm_limiter::double_precision_units: return "double-precision units";
        case sm_limiter::special_function_units: return "special-function units";
        case sm_limiter::load_store_units: return "load/store units";
        case sm_limiter::memory_bandwidth: return "memory bandwidth";
        case sm_limiter::memory_latency: return "memory latency";
        case sm_limiter::dependences: return "dependences";
        case sm_limiter::barriers: return "barriers";
        case sm_limiter::start: return "start";
        case sm_limiter::not_known: return "not known";
    }
    return "?";
}

}  // namespace warpgauge::report

#endif
