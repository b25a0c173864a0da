// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_REPORT_NAMES_HPP
#define WARPGAUGE_REPORT_NAMES_HPP

#include <string_view>

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

}  // namespace warpgauge::report

#endif
