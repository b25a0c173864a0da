// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_EXAMPLES_MERGE_BENCHMARKS_HPP
#define WARPGAUGE_EXAMPLES_MERGE_BENCHMARKS_HPP

#include <array>

#include <warpgauge/kernel/profile.hpp>

// The kernels of Hong & Kim 2009: the tiled matrix multiplication of fig. 12 and tbl. 2, and the
// Merge benchmarks of tbl. 5 with the instruction counts, coalescing, registers, shared memory and
// input sizes printed there.
//
// The paper leaves the launches open ("from 4 to 512 threads per block"). Chosen here: 256 threads
// per block and one thread per element. The tiled matrix multiplication has tiles of 20 x 20, hence
// 400 threads per block: 2 x 2000 / 20 + 1 = 201 memory instructions is the lower end of its row,
// 9780 the computation instructions that go with it, and two barriers per tile (fig. 12) give 200.

constexpr double elements_per_block(double elements, double threads) {
    return elements / threads;
}

inline constexpr warpgauge::kernel_profile<> tiled_example{.name = "Fig. 12 (tiled)",
                                                           .blocks = 80,
                                                           .threads_per_block = 128,
                                                           .active_blocks_per_sm = 5,
                                                           .comp_insts = 27,
                                                           .uncoalesced_mem_insts = 6,
                                                           .sync_insts = 6};

inline constexpr std::array<warpgauge::kernel_profile<>, 6> merge_benchmarks{{
    {.name = "Sepia",
     .blocks = elements_per_block(7000.0 * 7000, 256),
     .threads_per_block = 256,
     .registers_per_thread = 7,
     .shared_bytes_per_block = 52,
     .comp_insts = 71,
     .uncoalesced_mem_insts = 6},
    {.name = "Linear",
     .blocks = elements_per_block(10000.0 * 10000, 256),
     .threads_per_block = 256,
     .registers_per_thread = 15,
     .shared_bytes_per_block = 60,
     .comp_insts = 111,
     .uncoalesced_mem_insts = 30},
    {.name = "SVM",
     .blocks = elements_per_block(736.0 * 992, 256),
     .threads_per_block = 256,
     .registers_per_thread = 9,
     .shared_bytes_per_block = 44,
     .comp_insts = 10871,
     .coalesced_mem_insts = 819},
    {.name = "Mat. (naive)",
     .blocks = elements_per_block(2000.0 * 2000, 256),
     .threads_per_block = 256,
     .registers_per_thread = 10,
     .shared_bytes_per_block = 88,
     .comp_insts = 12043,
     .uncoalesced_mem_insts = 4001},
    {.name = "Mat. (tiled)",
     .blocks = elements_per_block(2000.0 * 2000, 400),
     .threads_per_block = 400,
     .registers_per_thread = 18,
     .shared_bytes_per_block = 3960,
     .comp_insts = 9780,
     .uncoalesced_mem_insts = 201,
     .sync_insts = 200},
    {.name = "Blackscholes",
     .blocks = elements_per_block(9000000, 256),
     .threads_per_block = 256,
     .registers_per_thread = 11,
     .shared_bytes_per_block = 36,
     .comp_insts = 137,
     .uncoalesced_mem_insts = 7},
}};

#endif
