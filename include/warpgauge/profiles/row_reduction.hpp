// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PROFILES_ROW_REDUCTION_HPP
#define WARPGAUGE_PROFILES_ROW_REDUCTION_HPP

#include <warpgauge/core/scalar.hpp>
#include <warpgauge/kernel/profile.hpp>
#include <warpgauge/profiles/residency.hpp>
#include <warpgauge/sm/cache_misses.hpp>

/// \file Profiles of kernels that reduce each row of a matrix and write it again: layer norm, softmax.

namespace WARPGAUGE_NAMESPACE::profiles {

/// Single-precision rows, one block a row.
struct row_shape {
    double rows = 0;                 ///< > 0
    double columns = 0;              ///< > 0
    double threads_per_block = 128;  ///< > 0
};

/// A block that reads its row `reads` times in `iterations` steps of the loop, and writes it once. The first time the
/// row comes from DRAM, and then from L2, as far as the rows of all resident blocks fit in it.
template <cached_device D>
[[nodiscard]] constexpr kernel_profile<> row_reduction(const row_shape& s, const D& d, double reads,
                                                       double iterations) {
    kernel_profile<> k{
        .name = "row reduction", .blocks = s.rows, .threads_per_block = s.threads_per_block};
    const double warps = core::ceil(s.threads_per_block / 32);
    const double again = reads - 1;
    const double in_use = resident_blocks_of_gpu(k, d) * 8 * s.columns;
    const double misses = cache_miss_fraction(in_use, static_cast<double>(d.l2_bytes));
    const double per_warp = s.columns / warps;
    k.coalesced_mem_insts = (reads + 1) * iterations;
    k.comp_insts = core::max(36 * reads * per_warp / 32 - k.coalesced_mem_insts, 0.0);
    k.bytes_per_access = 16;
    k.accesses.lines = (reads + 1) * per_warp / 32;
    k.waits = {.counted = true,
               .dram_waits = iterations * (1 + again * misses),
               .l2_waits = iterations * again * (1 - misses)};
    k.traffic = {.l2_bytes_per_warp = 4 * (reads + 1) * per_warp,
                 .dram_read_bytes = 4 * s.columns * (1 + again * misses) * s.rows,
                 .dram_write_bytes = 4 * s.columns * s.rows};
    return k;
}

/// Layer norm: mean and variance in one pass, then the row again; four elements a thread.
///
///     const auto norm = profiles::layer_norm({.rows = 8192, .columns = 4096}, devices::a100_pcie_40gb{});
template <cached_device D>
[[nodiscard]] constexpr kernel_profile<> layer_norm(const row_shape& s, const D& d) {
    return row_reduction(s, d, 2, core::ceil(s.columns / (4 * s.threads_per_block)));
}

/// Softmax of long rows: maximum, sum and result in a pass each. Elements that do not fill all threads' vectors of four
/// are processed one by one.
template <cached_device D>
[[nodiscard]] constexpr kernel_profile<> softmax(const row_shape& s, const D& d) {
    const double whole = core::floor(s.columns / (4 * s.threads_per_block));
    const double rest = s.columns - 4 * s.threads_per_block * whole;
    return row_reduction(s, d, 3, whole + core::ceil(rest / s.threads_per_block));
}

/// Softmax of short rows (up to 1024 columns), each in the registers of one warp. `blocks` are those of the launch.
[[nodiscard]] constexpr kernel_profile<> softmax_in_registers(const row_shape& s, double blocks) {
    kernel_profile<> k{.name = "softmax",
                       .blocks = blocks,
                       .threads_per_block = s.threads_per_block,
                       .registers_per_thread = 56};
    const double warps = core::ceil(s.threads_per_block / 32);
    const double per_warp = s.columns * s.rows / (blocks * warps);
    k.coalesced_mem_insts = 2 * per_warp / 32;
    k.comp_insts = 10 * per_warp / 32;
    k.accesses.lines = per_warp / 16;
    k.waits = {.counted = true,
               .dram_waits = 1,
               .store_waits = 1,
               .arithmetic_wait_cycles = 600 + 20 * s.columns / 32};
    k.traffic = {.l2_bytes_per_warp = 8 * per_warp,
                 .dram_read_bytes = 4 * s.columns * s.rows,
                 .dram_write_bytes = 4 * s.columns * s.rows};
    return k;
}

}  // namespace WARPGAUGE_NAMESPACE::profiles

#endif
