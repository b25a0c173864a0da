// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PROFILES_RESIDENCY_HPP
#define WARPGAUGE_PROFILES_RESIDENCY_HPP

#include <warpgauge/device/device.hpp>
#include <warpgauge/kernel/profile.hpp>
#include <warpgauge/sm/occupancy.hpp>

/// \file The resident blocks of profiles whose blocks share a cache.

namespace WARPGAUGE_NAMESPACE::profiles {

/// A device whose limits and L2 are known.
template <class D>
concept cached_device = has_chip<D> && occupancy_device<D> && has_l2_cache<D>;

/// Blocks of `k` that are resident on all SMs of `d`; one on each if none fits, which a model then reports as an error.
template <cached_device D>
[[nodiscard]] constexpr double resident_blocks_of_gpu(const kernel_profile<>& k, const D& d) {
    const auto o = occupancy(k, d);
    return static_cast<double>(d.sm_count) * (o ? o->active_blocks_per_sm : 1.0);
}

}  // namespace WARPGAUGE_NAMESPACE::profiles

#endif
