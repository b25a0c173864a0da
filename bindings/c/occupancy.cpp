// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "handles.hpp"

#include <warpgauge/sm/occupancy.hpp>

using namespace warpgauge;

namespace {

/// The limits of an SM.
/// \errors missing  the first that the device lacks
auto limits_of(const any_device& d)
    -> result<runtime_device<double, parameters::warp, parameters::residency>> {
    if (const auto bad = d.missing_of<parameters::warp, parameters::residency>()) return bad;
    return d.as<parameters::warp, parameters::residency>();
}

}  // namespace

int warpgauge_occupancy(const warpgauge_device* device, const warpgauge_profile* profile,
                        warpgauge_occupancy_estimate* estimate, warpgauge_error* error) {
    return c::guarded(error, {{device, "device"}, {profile, "profile"}, {estimate, "estimate"}},
                      [&] {
                          const auto limits = limits_of(device->value);
                          if (!limits) return c::report(error, limits.error());
                          const auto o = occupancy(profile->value, *limits);
                          if (!o) return c::report(error, o.error());
                          *estimate = {.active_blocks_per_sm = o->active_blocks_per_sm,
                                       .active_warps_per_sm = o->active_warps_per_sm,
                                       .occupancy = o->occupancy,
                                       .limiter = name(o->limiter).data()};
                          return c::report(error, {});
                      });
}

int warpgauge_next_occupancy_step(const warpgauge_device* device, const warpgauge_profile* profile,
                                  warpgauge_occupancy_step* step, warpgauge_error* error) {
    return c::guarded(error, {{device, "device"}, {profile, "profile"}, {step, "step"}}, [&] {
        const auto limits = limits_of(device->value);
        if (!limits) return c::report(error, limits.error());
        const auto s = next_occupancy_step(profile->value, *limits);
        if (!s) return c::report(error, s.error());
        *step = {s->active_blocks_per_sm, s->registers_per_thread, s->shared_bytes_per_block};
        return c::report(error, {});
    });
}
