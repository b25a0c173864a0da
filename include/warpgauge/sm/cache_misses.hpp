// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SM_CACHE_MISSES_HPP
#define WARPGAUGE_SM_CACHE_MISSES_HPP

#include <warpgauge/core/scalar.hpp>

/// \file Hits of blocks that share a cache, in closed form: the fraction of re-reads that miss, and the bytes that
/// neighbouring blocks read together. `cache_replay.hpp` counts the same access by access.

namespace WARPGAUGE_NAMESPACE {

/// How misses begin as a cache fills up. The values were found from row reductions on five GPUs and from loop
/// nests on one (docs/saturation.md); a knee of 0.6 to 1 and a width of 0.75 to 2 fit about as well.
struct cache_filling {
    double knee = 0.8;   ///< bytes in use over those of the cache where misses begin, >= 0
    double width = 1.5;  ///< the growth of this ratio until all re-reads miss, > 0
};

/// The fraction of re-reads that miss a cache of `cache_bytes` > 0 while `bytes_in_use` >= 0 are read again and
/// again: 0 up to the knee, then growing to 1 over the width.
template <scalar Real>
[[nodiscard, gnu::always_inline]] constexpr Real cache_miss_fraction(
    const Real& bytes_in_use, const Real& cache_bytes, const cache_filling& filling = {}) {
    const Real scale = Real(1.0) / (cache_bytes * Real(filling.width));
    const Real over = bytes_in_use * scale - Real(filling.knee / filling.width);
    return core::min(core::max(over, Real(0.0)), Real(1.0));
}

/// Bytes of the inputs that neighbouring blocks need for their tiles of a product, each byte once. Blocks go along
/// the rows of tiles, `across` > 0 in each, so that they share tile rows and tile columns. These are the bytes that
/// L2 reads in a round if the round fits in it.
template <scalar Real>
[[nodiscard]] constexpr Real shared_tile_bytes(const Real& blocks, const Real& across,
                                               const Real& bytes_of_tile_row,
                                               const Real& bytes_of_tile_column) {
    return core::min(blocks, across) * bytes_of_tile_column +
           core::ceil(Real(blocks / across)) * bytes_of_tile_row;
}

}  // namespace WARPGAUGE_NAMESPACE

#endif
