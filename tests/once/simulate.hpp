// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_TESTS_ONCE_SIMULATE_HPP
#define WARPGAUGE_TESTS_ONCE_SIMULATE_HPP

#include <span>

#include <warpgauge/simulate/sm.hpp>

// Instantiated in simulate.cpp, and in no other unit.

extern template warpgauge::result<warpgauge::sm_estimate> warpgauge::simulate_sm<>(
    std::span<const warpgauge::instruction>, const warpgauge::sm_parameters&,
    const warpgauge::sm_residency&, warpgauge::warp_policy, const warpgauge::simulation_caps&,
    warpgauge::sm_workspace&, warpgauge::no_observer&&);

#endif
