// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The smallest useful program.
// clang-format off
// region: first_answer
#include <iostream>
#include <warpgauge/warpgauge.hpp>

int main() {
    const warpgauge::kernel_profile<> saxpy{
        .blocks = 4096, .threads_per_block = 256, .registers_per_thread = 12,
        .comp_insts = 10, .coalesced_mem_insts = 3};
    auto gpu = warpgauge::edit(warpgauge::devices::geforce_rtx_2070_super{});
    const auto now = warpgauge::mwp_cwp_model{gpu}.predict(saxpy);
    gpu.dram_bytes_per_s *= 2;
    const auto then = warpgauge::mwp_cwp_model{gpu}.predict(saxpy);
    if (!now || !then) return 1;
    std::cout << "now " << 1e6 * now->seconds << " us, with twice the bandwidth "
              << 1e6 * then->seconds << " us\n";
}
// endregion
