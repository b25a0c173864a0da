// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PROFILES_STREAM_HPP
#define WARPGAUGE_PROFILES_STREAM_HPP

#include <warpgauge/core/scalar.hpp>
#include <warpgauge/kernel/profile.hpp>

/// \file Profiles of kernels that stream arrays: one element a thread.

namespace WARPGAUGE_NAMESPACE::profiles {

/// A kernel that loads and stores one element of each of several arrays a thread: copy, scale, triad, a stencil in
/// one dimension.
struct stream_shape {
    double elements = 0;             ///< of one array, > 0
    double element_bytes = 8;        ///< B, > 0
    double threads_per_block = 128;  ///< > 0
    double blocks_per_sm = 0;        ///< blocks that fit on an SM; 0: by occupancy
    double loads = 1;                ///< arrays that are read from DRAM
    double stores = 1;               ///< arrays that are written
    double neighbours = 0;  ///< further loads, of elements that neighbours load too: hits in L1
    double warp_size = 32;  ///< threads that execute in lock step; 64 for AMD's CDNA
};

/// The profile of a stream. A warp waits once for all its loads, and each neighbour's element adds 20 cycles.
///
///     const auto triad = profiles::stream({.elements = 1 << 27, .threads_per_block = 256, .loads = 2});
[[nodiscard]] constexpr kernel_profile<> stream(const stream_shape& s) {
    const double moved = s.loads + s.stores;
    kernel_profile<> k{.name = "stream",
                       .blocks = core::ceil(s.elements / s.threads_per_block),
                       .threads_per_block = s.threads_per_block,
                       .active_blocks_per_sm = s.blocks_per_sm};
    k.coalesced_mem_insts = moved + s.neighbours;
    k.comp_insts = core::max(12 + 4 * s.neighbours - k.coalesced_mem_insts, 0.0);
    k.bytes_per_access = s.element_bytes;
    k.accesses.lines = (moved + s.neighbours) * s.element_bytes * s.warp_size / 128;
    k.waits = {.counted = true,
               .dram_waits = s.loads > 0 ? 1.0 : 0.0,
               .store_waits = s.loads > 0 && s.stores > 0 ? 1.0 : 0.0,
               .arithmetic_wait_cycles = 20 * s.neighbours};
    k.traffic = {.l2_bytes_per_warp = s.warp_size * s.element_bytes * moved,
                 .dram_read_bytes = s.elements * s.element_bytes * s.loads,
                 .dram_write_bytes = s.elements * s.element_bytes * s.stores};
    return k;
}

}  // namespace WARPGAUGE_NAMESPACE::profiles

#endif
