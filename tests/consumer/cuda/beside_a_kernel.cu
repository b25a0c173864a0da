// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The library beside a kernel: what nvcc takes it for, in host code.
#include <warpgauge/warpgauge.hpp>
#include <cstdio>
__global__ void kernel(float* x) { x[threadIdx.x] *= 2; }
int main() {
    constexpr warpgauge::kernel_profile<> k{.blocks = 4096,
                                            .threads_per_block = 256,
                                            .registers_per_thread = 12,
                                            .comp_insts = 10,
                                            .coalesced_mem_insts = 3};
    constexpr warpgauge::mwp_cwp_model<warpgauge::devices::geforce_rtx_2070_super> model;
    constexpr auto e = model.predict(k);
    static_assert(e);
    const auto o = occupancy(k, warpgauge::devices::h100_sxm5{});
    std::printf("%g %g\n", e->seconds, o ? o->occupancy : 0);
}
