// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The departure delays of the GTX 260 were never published, and edit() makes none up.
// expect: dram_latency_cycles
#include <warpgauge/warpgauge.hpp>

double latency() {
    auto d = edit(warpgauge::devices::geforce_gtx_280{});
#ifdef FAIL
    return edit(warpgauge::devices::geforce_gtx_260{}).dram_latency_cycles;
#endif
    return d.dram_latency_cycles;
}
