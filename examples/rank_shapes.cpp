// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which of a thousand launches of one kernel to measure first.
// clang-format off
// region: rank_shapes
#include <iostream>
#include <vector>
#include <warpgauge/tune.hpp>
#include <warpgauge/warpgauge.hpp>

int main() {
    std::vector<warpgauge::kernel_profile<>> launches;
    for (double threads = 1; threads <= 1000; ++threads) {
        launches.push_back({.blocks = 1e6 / threads, .threads_per_block = threads, .comp_insts = 60, .coalesced_mem_insts = 5});
    }
    const auto ranking = warpgauge::rank(warpgauge::devices::geforce_rtx_2070_super{}, launches);
    if (!ranking) return 1;
    std::cout << "measure " << launches[ranking->order[0]].threads_per_block << " threads a block first\n";
}
// endregion
