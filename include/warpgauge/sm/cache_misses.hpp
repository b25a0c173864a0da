// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SM_CACHE_MISSES_HPP
#define WARPGAUGE_SM_CACHE_MISSES_HPP

#include <warpgauge/core/scalar.hpp>

/// \file Which fraction of what is read again a cache has lost by then.

namespace warpgauge {

/// How a cache that fills up begins to lose what it holds. Found from row reductions on five GPUs and from loop
/// nests on one, docs/saturation.md: a knee of 0.6 to 1 and a width of 0.75 to 2 serve about as well.
struct cache_filling {
    double knee = 0.8;  ///< bytes in use over bytes of the cache where re-reads begin to miss, >= 0
    double width = 1.5;  ///< by how much that has to grow until all of them miss, > 0
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

}  // namespace warpgauge

#endif
