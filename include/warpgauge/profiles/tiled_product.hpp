// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PROFILES_TILED_PRODUCT_HPP
#define WARPGAUGE_PROFILES_TILED_PRODUCT_HPP

#include <warpgauge/core/scalar.hpp>
#include <warpgauge/device/device.hpp>
#include <warpgauge/kernel/profile.hpp>
#include <warpgauge/profiles/residency.hpp>
#include <warpgauge/sm/cache_misses.hpp>

/// \file Profiles of single-precision matrix products in tiles, as a library's kernels compute them.

namespace WARPGAUGE_NAMESPACE::profiles {

/// Products of pairs of matrices, whose outputs blocks compute tile by tile.
struct product_shape {
    double matrices = 1;           ///< pairs, each with its own product
    double rows = 0;               ///< of an output, > 0
    double columns = 0;            ///< of an output, > 0
    double depth = 0;              ///< terms of each sum, > 0
    double tile_rows = 0;          ///< of the output of a block, > 0
    double tile_columns = 0;       ///< of the output of a block, > 0
    double threads_per_block = 0;  ///< > 0
    double split = 1;   ///< blocks that share the sums of a tile, each with a part of the depth
    double slices = 1;  ///< groups of a block's warps that share its sums: 4 of "sliced1x4" kernels
};

/// The profile of a product. A thread holds a rectangle of outputs in registers. Tiles of the inputs go through
/// shared memory, double buffered, so that the block waits for DRAM once. Neighbouring blocks share rows and columns
/// of the inputs in L2.
///
///     const auto k = profiles::tiled_product({.rows = 4096, .columns = 4096, .depth = 1024, .tile_rows = 128,
///         .tile_columns = 128, .threads_per_block = 256}, devices::a100_pcie_40gb{});
template <cached_device D>
[[nodiscard]] constexpr kernel_profile<> tiled_product(const product_shape& s, const D& d) {
    const double warps = core::ceil(s.threads_per_block / 32);
    const double depth = s.depth / s.split;
    const double across = core::ceil(s.columns / s.tile_columns);
    const double tiles = across * core::ceil(s.rows / s.tile_rows) * s.split;
    const double outputs = s.tile_columns * s.tile_rows / s.threads_per_block * s.slices;
    const double held = (outputs >= 32 ? 8.0 : 4.0) + (outputs >= 64 ? 8.0 : 4.0);
    kernel_profile<> k{.name = "tiled product",
                       .blocks = tiles * s.matrices,
                       .threads_per_block = s.threads_per_block,
                       .registers_per_thread = outputs + 2 * held + 24};

    // Of a block, in instructions of warps: 16 B an access.
    const double multiply_adds = s.tile_columns * s.tile_rows / 32 * depth;
    const double shared_loads = multiply_adds / outputs * held / 4;
    const double copies = (s.tile_columns + s.tile_rows) / 128 * depth;
    k.coalesced_mem_insts = copies / warps;
    k.comp_insts = (multiply_adds + shared_loads + copies) / warps;
    k.bytes_per_access = 16;
    k.ops.fp32_ops = 32 * multiply_adds / warps;
    // The same cycles on every GPU, whatever one takes for a pass: fitted so, docs/saturation.md.
    k.shared_passes = (2.5 * shared_loads + 4 * copies) / warps;
    if constexpr (has_pipes<D>) {
        if (knows<parameters::pipes>(d))
            k.shared_passes /= static_cast<double>(d.shared_pass_cycles);
    }
    k.shared_insts = (shared_loads + copies) / warps;
    k.waits = {.counted = true, .dram_waits = 1};
    k.traffic.l2_bytes_per_warp = 4 * (s.tile_columns + s.tile_rows) * depth / warps;

    const double inputs = 4 * s.depth * (s.rows + s.columns);
    double read = inputs;  // each byte once, if both inputs fit half of L2
    if (inputs > static_cast<double>(d.l2_bytes) / 2) {
        const double together = core::min(resident_blocks_of_gpu(k, d), tiles);
        const double round = shared_tile_bytes(together, across, 4 * depth * s.tile_rows,
                                               4 * depth * s.tile_columns);
        const double rounds = core::max(1.0, tiles / together);
        read = core::max(inputs, round * rounds);
    }
    k.traffic.dram_read_bytes = s.matrices * read;
    k.traffic.dram_write_bytes = s.matrices * 4 * s.rows * s.columns * s.split;
    return k;
}

}  // namespace WARPGAUGE_NAMESPACE::profiles

#endif
