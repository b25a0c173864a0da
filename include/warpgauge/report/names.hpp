// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_REPORT_NAMES_HPP
#define WARPGAUGE_REPORT_NAMES_HPP

#include <string_view>

#include <warpgauge/makespan/problem.hpp>
#include <warpgauge/simulate/sm.hpp>

/// \file Enumerators in words.

namespace warpgauge {

[[nodiscard]] constexpr std::string_view name(makespan_rule rule) noexcept {
    switch (rule) {
        case makespan_rule::independent_set: return "V, closed form";
        case makespan_rule::best_pair: return "V, best pair of types";
        case makespan_rule::each_type: return "B, every type on its own";
        case makespan_rule::all_contend: return "eqs. (5)-(7)";
        case makespan_rule::multiples: return "eqs. (42), (43)";
        case makespan_rule::exhaustive: return "every schedule";
    }
    return "unknown";
}

[[nodiscard]] constexpr std::string_view name(warp_policy policy) noexcept {
    switch (policy) {
        case warp_policy::lowest_index: return "lowest index first";
        case warp_policy::loose_round_robin: return "loose round robin";
        case warp_policy::greedy_then_oldest: return "greedy then oldest";
    }
    return "unknown";
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
    return "unknown";
}

}  // namespace warpgauge

#endif
