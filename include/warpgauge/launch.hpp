// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_LAUNCH_HPP
#define WARPGAUGE_LAUNCH_HPP

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/device.hpp>
#include <warpgauge/model.hpp>
#include <warpgauge/occupancy.hpp>
#include <warpgauge/profile.hpp>

/// \file How a launch spreads over SMs and rounds.
///
/// Equation and table numbers are those of Hong & Kim 2009; H6 and H7 are explained in
/// docs/mwp_cwp.md.

namespace warpgauge {

/// How a launch spreads over the device.
template <scalar Real = double>
struct launch_figures {
    Real active_sms{};              ///< SMs that get a block                        #Active_SMs, H7
    Real warps_per_block{};         ///< warps
    Real resident_blocks_per_sm{};  ///< blocks that fit on an SM; from occupancy or the profile
    Real active_blocks_per_sm{};    ///< blocks, no more than the grid gives an SM               H7
    Real active_warps_per_sm{};     ///< warps                                          N, eq. (20)
    Real reps{};                    ///< rounds of active blocks                  #Rep, eq. (21), H6
};

/// Blocks that fit on an SM: the profile's own figure, or by occupancy where that is 0.
/// \errors missing  `active_blocks_per_sm`: it is 0 and the device has no limits; or as `occupancy`
template <scalar Real, class D>
[[nodiscard, gnu::always_inline]] constexpr result<Real> resident_blocks(
    const kernel_profile<Real>& k, const D& d) noexcept {
    const mask_of<Real> given = Real(0.0) < k.active_blocks_per_sm;
    if (scalar_traits<Real>::all(given)) return k.active_blocks_per_sm;
    if constexpr (occupancy_device<D>) {
        const auto o = occupancy(k, d);
        if (!o) return o.error();
        return core::select(given, k.active_blocks_per_sm, o->active_blocks_per_sm);
    } else {
        return model_error{errc::missing, "active_blocks_per_sm"};
    }
}

/// Spreads the blocks of `k`, `resident` of which fit on an SM of `d`. All inputs are above zero.
template <scalar Real, class D>
[[nodiscard, gnu::always_inline]] constexpr launch_figures<Real> spread(
    const kernel_profile<Real>& k, const D& d, const Real& resident, form equations,
    waves rounds) noexcept {
    const Real sms = Real(d.sm_count);
    const Real warps = k.threads_per_block / Real(d.warp_size);
    launch_figures<Real> l;
    l.resident_blocks_per_sm = resident;
    if (equations == form::as_published) {
        l.active_sms = sms;
        l.warps_per_block = warps;
        l.active_blocks_per_sm = resident;
    } else {
        l.active_sms = core::min(k.blocks, sms);
        l.warps_per_block = core::ceil(warps);
        l.active_blocks_per_sm = core::min(resident, core::ceil(Real(k.blocks / sms)));
    }
    l.active_warps_per_sm = l.active_blocks_per_sm * l.warps_per_block;  // (20)
    l.reps = k.blocks / (l.active_blocks_per_sm * l.active_sms);         // (21)
    if (rounds == waves::whole) l.reps = core::ceil(l.reps);
    return l;
}

}  // namespace warpgauge

#endif
