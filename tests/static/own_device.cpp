// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What docs/design.md shows; nothing here runs.
#include <warpgauge/warpgauge.hpp>

// clang-format off
// region: own_device
struct my_gpu : warpgauge::sm_limits_of<8, 9> {
    static constexpr double sm_count = 24, clock_hz = 2.4e9, dram_bytes_per_s = 272e9;
    static constexpr double issue_cycles = 1, dram_latency_cycles = 550;
    static constexpr double coalesced_departure_cycles = 2, uncoalesced_departure_cycles = 2;
};
static_assert(warpgauge::mwp_cwp_device<my_gpu> && warpgauge::occupancy_device<my_gpu>);
static_assert(!warpgauge::mpd_cpd_device<my_gpu> && !warpgauge::trapezoid_device<my_gpu>);
// endregion
