// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A device without a figure that the model reads; the compiler names it.
// expect: clock_hz
#include <warpgauge/warpgauge.hpp>

struct gpu {
    double sm_count = 16, dram_bytes_per_s = 80e9, warp_size = 32;
#ifndef FAIL
    double clock_hz = 1e9;
#endif
    double issue_cycles = 4, dram_latency_cycles = 420;
    double coalesced_departure_cycles = 4, uncoalesced_departure_cycles = 10;
};

warpgauge::mwp_cwp_model<gpu> m;
