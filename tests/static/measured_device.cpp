// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What benchmarks/gpu/device_header makes (of made-up input here) is a device, and models take it.
#include <warpgauge/device/device.hpp>
#include <warpgauge/models/mwp_cwp.hpp>
#include <warpgauge/sm/occupancy.hpp>

#include "../gpu/made_up.inc"

static_assert(warpgauge::mwp_cwp_device<made_up_gpu> && warpgauge::occupancy_device<made_up_gpu>);
static_assert(warpgauge::has_arithmetic_latency<made_up_gpu> &&
              warpgauge::has_cache_latency<made_up_gpu>);
static_assert(
    warpgauge::mwp_cwp_model<made_up_gpu>{}
        .predict(warpgauge::kernel_profile<>{
            .blocks = 100, .threads_per_block = 256, .comp_insts = 10, .coalesced_mem_insts = 2})
        .has_value());
