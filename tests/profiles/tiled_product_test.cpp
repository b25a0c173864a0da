// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <warpgauge/profiles/tiled_product.hpp>

#include "profiles/gpu.hpp"

namespace tiled_product_test {

using namespace warpgauge;
using doctest::Approx;

TEST_CASE("a product in tiles of 128 x 128, by hand") {
    const profiles::product_shape shape{.rows = 256,
                                        .columns = 512,
                                        .depth = 64,
                                        .tile_rows = 128,
                                        .tile_columns = 128,
                                        .threads_per_block = 256};
    const auto k = profiles::tiled_product(shape, small_gpu{});
    CHECK(k.blocks == 8);
    CHECK(k.bytes_per_access == 16);
    CHECK(k.waits.counted);
    CHECK(k.waits.dram_waits == 1);
    CHECK(k.registers_per_thread == 64 + 32 + 24);  // 8 x 8 outputs
    CHECK(k.ops.fp32_ops == 128 * 128 * 64 / 8);    // of one of 8 warps
    // 32768 multiply-adds of warps; 2048 shared loads of 16 B; 128 copies.
    CHECK(k.comp_insts + k.coalesced_mem_insts == Approx((32768 + 2048 + 2 * 128) / 8.0));
    CHECK(k.shared_passes == Approx((2.5 * 2048 + 4 * 128) / 8.0));
    CHECK(k.shared_insts == (2048 + 128) / 8.0);
    struct slow_passes : small_gpu {  // the same cycles
        double memory_instruction_cycles = 2, shared_pass_cycles = 2, branch_cycles = 17;
    };
    CHECK(profiles::tiled_product(shape, slow_passes{}).shared_passes == k.shared_passes / 2);
    CHECK(k.traffic.l2_bytes_per_warp == 4 * 256 * 64 / 8);
    CHECK(k.traffic.dram_read_bytes == 4 * 64 * (256 + 512));  // each byte once
    CHECK(k.traffic.dram_write_bytes == 4 * 256 * 512);

    auto split = shape;
    split.split = 2;
    CHECK(profiles::tiled_product(split, small_gpu{}).blocks == 16);
    CHECK(profiles::tiled_product(split, small_gpu{}).ops.fp32_ops == k.ops.fp32_ops / 2);
    CHECK(profiles::tiled_product(split, small_gpu{}).traffic.dram_write_bytes ==
          2 * k.traffic.dram_write_bytes);
    auto half = shape;  // 8 x 4 outputs, of 8 and 4 numbers
    half.tile_rows = 64;
    CHECK(profiles::tiled_product(half, small_gpu{}).registers_per_thread == 32 + 2 * 12 + 24);
    half.tile_columns = 64;  // 4 x 4 outputs
    CHECK(profiles::tiled_product(half, small_gpu{}).registers_per_thread == 16 + 2 * 8 + 24);
    auto edges = shape;  // tiles of which a part is outside
    edges.rows = 200;
    edges.columns = 500;
    CHECK(profiles::tiled_product(edges, small_gpu{}).blocks == 8);
    auto sliced = shape;
    sliced.slices = 4;
    CHECK(profiles::tiled_product(sliced, small_gpu{}).registers_per_thread == 256 + 32 + 24);
}

TEST_CASE("inputs that L2 does not hold are read again by each round of tiles") {
    const profiles::product_shape shape{.rows = 4096,
                                        .columns = 4096,
                                        .depth = 1024,
                                        .tile_rows = 128,
                                        .tile_columns = 128,
                                        .threads_per_block = 256};
    const auto k = profiles::tiled_product(shape, small_gpu{});
    // 2 blocks on an SM: 20 of 32 tiles of a row side by side; 51.2 rounds of (20 x 128 + 128) x 1024 x 4 B.
    CHECK(k.traffic.dram_read_bytes == Approx(51.2 * (20 * 128 + 128) * 4096));

    // One row of tiles, of inputs between half of L2 and all of it: two rounds of 20 tiles, or one of ten.
    auto row = shape;
    row.rows = 128;
    row.columns = 40 * 128;
    row.depth = 200;
    CHECK(profiles::tiled_product(row, small_gpu{}).traffic.dram_read_bytes ==
          Approx(2 * (20 * 128 + 128) * 4 * 200));
    row.columns = 10 * 128;
    row.depth = 500;
    CHECK(profiles::tiled_product(row, small_gpu{}).traffic.dram_read_bytes ==
          4 * 500 * (10 * 128 + 128));
}

}  // namespace tiled_product_test
