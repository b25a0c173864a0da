// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Hong & Kim 2009, fig. 12 and tbl. 2, as a user writes it; nothing here runs.
#include <warpgauge/warpgauge.hpp>

// clang-format off
constexpr warpgauge::kernel_profile<> tiled_matmul{
    .name = "tiled matmul", .blocks = 80, .threads_per_block = 128, .active_blocks_per_sm = 5,
    .comp_insts = 27, .uncoalesced_mem_insts = 6, .sync_insts = 6};
struct example_gpu : warpgauge::devices::quadro_fx5600 {   // traits compose by inheritance
    static constexpr double clock_hz = 1e9, dram_bytes_per_s = 80e9;
};
constexpr auto t = warpgauge::mwp_cwp_model<example_gpu>{}.predict(tiled_matmul);
static_assert(t && t->mwp == 2.28125 && t->cwp == 20);
static_assert(t->cycles_without_barriers > 38428.18 && t->cycles_without_barriers < 38428.20);  // eq. (23): 38428.1875
static_assert(t->cycles > 50728.18 && t->cycles < 50728.20);  // eq. (27); the paper, with MWP rounded to 2.28, prints 50738
