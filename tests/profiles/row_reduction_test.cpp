// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <warpgauge/profiles/row_reduction.hpp>

#include "profiles/gpu.hpp"

namespace row_reduction_test {

using namespace warpgauge;
using doctest::Approx;

TEST_CASE("layer norm, by hand: rows that L2 holds, and rows that it does not") {
    // 16 blocks of 128 threads on an SM: 160 rows are in use, read and written.
    const auto small = profiles::layer_norm({.rows = 1000, .columns = 1024}, small_gpu{});
    CHECK(small.blocks == 1000);
    CHECK(small.waits.dram_waits == 2);  // two steps of 512 elements
    CHECK(small.waits.l2_waits == 2);
    CHECK(small.traffic.dram_read_bytes == 4 * 1024 * 1000);
    CHECK(small.comp_insts + small.coalesced_mem_insts == Approx(36 * 2 * 8));
    CHECK(small.coalesced_mem_insts == 3 * 2);
    CHECK(small.accesses.lines == 3 * 8);
    CHECK(small.bytes_per_access == 16);
    CHECK(small.waits.counted);
    CHECK(small.traffic.l2_bytes_per_warp == 3 * 1024);  // a quarter of the row: two loads, a store
    CHECK(small.traffic.dram_write_bytes == 4 * 1024 * 1000);
    // The third step is of a part of the threads.
    CHECK(profiles::layer_norm({.rows = 10, .columns = 1100}, small_gpu{}).waits.dram_waits == 3);
    // The second warp of 48 threads is a half.
    const auto half =
        profiles::layer_norm({.rows = 10, .columns = 960, .threads_per_block = 48}, small_gpu{});
    CHECK(half.traffic.l2_bytes_per_warp == 4 * 3 * 480);

    // 160 rows of 8 x 4096 B are 1.31 of L2, so that a part is lost.
    const auto large = profiles::layer_norm({.rows = 1000, .columns = 4096}, small_gpu{});
    const double misses = (160 * 8 * 4096 / 4e6 - 0.8) / 1.5;
    CHECK(large.waits.dram_waits == Approx(8 * (1 + misses)));
    CHECK(large.waits.l2_waits == Approx(8 * (1 - misses)));
    CHECK(large.traffic.dram_read_bytes == Approx(4 * 4096 * 1000 * (1 + misses)));
    CHECK(large.traffic.dram_write_bytes == 4 * 4096 * 1000);
}

TEST_CASE("softmax, by hand") {
    // 1100 columns: two steps of 512 and a rest of 76 elements, one by one.
    const auto k = profiles::softmax({.rows = 10, .columns = 1100}, small_gpu{});
    CHECK(k.waits.dram_waits == 3);
    CHECK(k.waits.l2_waits == 6);
    const auto warp = profiles::softmax_in_registers({.rows = 400, .columns = 320}, 100);
    CHECK(warp.blocks == 100);
    CHECK(warp.comp_insts + warp.coalesced_mem_insts == Approx(12 * 10));
    CHECK(warp.waits.arithmetic_wait_cycles == 800);
    CHECK(warp.accesses.lines == 20);
    CHECK(warp.waits.counted);
    CHECK(warp.waits.dram_waits == 1);
    CHECK(warp.waits.store_waits == 1);
    CHECK(warp.traffic.l2_bytes_per_warp == 8 * 320);
    CHECK(warp.traffic.dram_read_bytes == 4 * 320 * 400);
    CHECK(warp.traffic.dram_write_bytes == 4 * 320 * 400);
}

}  // namespace row_reduction_test
