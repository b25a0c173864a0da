// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>

#include <warpgauge/warpgauge.hpp>

static_assert(WARPGAUGE_VERSION_MAJOR * 10000 + WARPGAUGE_VERSION_MINOR * 100 +
                  WARPGAUGE_VERSION_PATCH >
              0);

int main() {
    const warpgauge::kernel_profile<> k{.blocks = 80,
                                        .threads_per_block = 128,
                                        .registers_per_thread = 10,
                                        .comp_insts = 27,
                                        .coalesced_mem_insts = 6};
    const auto e = warpgauge::mwp_cwp_model<warpgauge::devices::geforce_gtx_280>{}.predict(k);
    if (!e) return 1;
    std::printf("%g cycles\n", e->cycles);
    return e->cycles > 0 ? 0 : 1;
}
