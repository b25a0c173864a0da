// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the README shows; nothing here runs.
#include <cstdio>

#include <warpgauge/warpgauge.hpp>

// clang-format off
// region: at_compile_time
struct example_gpu : warpgauge::devices::quadro_fx5600 {  // traits compose by inheritance
    static constexpr double clock_hz = 1e9, dram_bytes_per_s = 80e9;
};
constexpr warpgauge::kernel_profile<> tiled_matmul{
    .blocks = 80, .threads_per_block = 128, .active_blocks_per_sm = 5,
    .comp_insts = 27, .uncoalesced_mem_insts = 6, .sync_insts = 6};

constexpr auto t = warpgauge::mwp_cwp_model<example_gpu>{}.predict(tiled_matmul);
static_assert(t && t->mwp == 2.28125 && t->cwp == 20);
static_assert(t->which == warpgauge::mwp_cwp_case::memory_bound);
// endregion

void tell(const warpgauge::kernel_profile<>& kernel);

void tell(const warpgauge::kernel_profile<>& kernel) {
// region: errors
const auto time = warpgauge::mwp_cwp_model<example_gpu>{}.predict(kernel);
if (!time) std::puts(message(time.error()).c_str());  // "blocks must be a finite number above zero"
// endregion
}
