// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>

#include <warpgauge/devices/all.hpp>
#include <warpgauge/eigen/calibrate.hpp>
#include <warpgauge/models/mwp_cwp.hpp>

int main() {
    const warpgauge::kernel_profile<> k{.blocks = 4096,
                                        .threads_per_block = 256,
                                        .active_blocks_per_sm = 4,
                                        .comp_insts = 10,
                                        .coalesced_mem_insts = 3};
    const std::array<warpgauge::measurement, 2> measured{
        {{.profile = k, .seconds = 1e-3, .kernel = "a"}, {k, 2e-3, "b"}}};
    const warpgauge::mwp_cwp_model model{warpgauge::devices::geforce_gtx_280{}};
    const auto scale_alone = warpgauge::calibrate(model, measured, {});
    return scale_alone ? 0 : 1;
}
