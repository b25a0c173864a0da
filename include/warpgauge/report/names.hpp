// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_REPORT_NAMES_HPP
#define WARPGAUGE_REPORT_NAMES_HPP

#include <string_view>

#include <warpgauge/makespan/problem.hpp>
#include <warpgauge/models/mpd_cpd.hpp>
#include <warpgauge/models/mwp_cwp.hpp>
#include <warpgauge/occupancy.hpp>

/// \file Enumerators in words.

namespace warpgauge::report {

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

}  // namespace warpgauge::report

#endif
