// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SATURATION_LOCAL_MEMORY_HPP
#define WARPGAUGE_SATURATION_LOCAL_MEMORY_HPP

#include <warpgauge/core/min_and_sum.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/device/device.hpp>
#include <warpgauge/kernel/profile.hpp>
#include <warpgauge/saturation/costs.hpp>
#include <warpgauge/saturation/estimate.hpp>
#include <warpgauge/sm/cache_misses.hpp>
#include <warpgauge/sm/hierarchy.hpp>

/// \file The traffic of local memory: spilled registers, and arrays of a thread.
///
/// Local memory is interleaved (NVIDIA, CUDA C++ Programming Guide, "Local Memory"): the same word of all threads of a
/// warp is consecutive, so that an access of 4 B is one line. The local memory of resident threads is in the part of L1
/// that shared memory leaves, then in L2, then in DRAM.

namespace WARPGAUGE_NAMESPACE::detail::saturation {

/// The traffic of one warp.
template <scalar Real>
struct local_traffic {
    Real lines{};       ///< lines that L1 looks up
    Real l2_bytes{};    ///< B that miss L1
    Real dram_bytes{};  ///< B of these that miss L2
};

/// The fraction of the local memory of an SM, `in_use` B, that L1 does not hold; 0 if its size is not known.
template <scalar Real, scalar Cost, class D>
[[gnu::always_inline]] constexpr Real local_l1_misses(const kernel_profile<Real>& k,
                                                      const costs<Cost, D>& c, const Real& in_use,
                                                      const Real& resident_blocks,
                                                      const cache_filling& filling) {
    if constexpr (has_l1_cache<D>) {
        const Real left = c.l1_bytes - k.shared_bytes_per_block * resident_blocks;
        return cache_miss_fraction(in_use, core::max(left, Real(line_bytes)), filling);
    } else {
        return Real(0.0);
    }
}

/// The same for all SMs and L2; 1 if its size is not known.
template <scalar Real, scalar Cost, class D>
[[gnu::always_inline]] constexpr Real local_l2_misses(const costs<Cost, D>& c, const Real& in_use,
                                                      const cache_filling& filling) {
    if constexpr (has_l2_cache<D>) {
        const Real over =
            in_use * c.sm_count * c.fill_per_byte - core::plain<Real>(filling.knee / filling.width);
        return core::min(core::max(Real(0.0), over), Real(1.0));
    } else {
        return Real(1.0);
    }
}

/// (7), (14): the traffic, skipped if no lane has local memory.
template <scalar Real, scalar Cost, class D>
[[gnu::always_inline]] constexpr local_traffic<Real> local_memory(
    const kernel_profile<Real>& k, const costs<Cost, D>& c, const saturation_constants& constants,
    const saturation_launch<Real>& l) {
    local_traffic<Real> t;
    const Real& moved = k.traffic.local_bytes;
    if (scalar_traits<Real>::all(moved <= Real(0.0))) return t;
    const Real& given = k.traffic.local_footprint_bytes;
    const Real of_thread =
        core::select(Real(0.0) < given, given, Real(moved * core::plain<Real>(0.5)));
    const Real in_use = of_thread * (k.threads_per_block * l.active_blocks_per_sm);
    t.lines = moved * core::plain<Real>(1 / word_bytes);
    t.l2_bytes = moved * (c.warp_size * local_l1_misses(k, c, in_use, l.active_blocks_per_sm,
                                                        constants.l2_filling));
    t.dram_bytes = t.l2_bytes * local_l2_misses<Real>(c, in_use, constants.l2_filling);
    return t;
}

}  // namespace WARPGAUGE_NAMESPACE::detail::saturation

#endif
