// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "simulate.hpp"

template warpgauge::result<warpgauge::sm_estimate> warpgauge::simulate_sm<>(
    std::span<const warpgauge::instruction>, const warpgauge::sm_parameters&,
    const warpgauge::sm_residency&, warpgauge::warp_policy, const warpgauge::simulation_caps&,
    warpgauge::sm_workspace&, warpgauge::no_observer&&);
