// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <warpgauge/boost_math/continuous_height.hpp>
#include <warpgauge/devices/all.hpp>

int main() {
    const warpgauge::kernel_profile<> k{.stencil = {.dimensions = 1,
                                                    .data_length = {1e6},
                                                    .halo_width = {2},
                                                    .block_length = 256,
                                                    .profiled_elements = 1e5,
                                                    .iter_insts_per_sm = 2000}};
    const warpgauge::trapezoid_model<warpgauge::devices::geforce_gtx_280> model;
    return warpgauge::continuous_height(model, k) ? 0 : 1;
}
