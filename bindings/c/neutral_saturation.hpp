// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_BINDINGS_C_NEUTRAL_SATURATION_HPP
#define WARPGAUGE_BINDINGS_C_NEUTRAL_SATURATION_HPP

#include <warpgauge/by_name/any_device.hpp>
#include <warpgauge/models/saturation.hpp>
#include <warpgauge/sm/neutral_groups.hpp>

/// \file The saturation model for many predictions: the groups that its device does not know get their neutral values once,
/// and not at each prediction.

namespace warpgauge::c {

/// A saturation model on a device that has a value for each group of its type. It predicts the same bits.
template <class D>
struct neutral_saturation : saturation_model<D> {
    template <class Other>
    [[nodiscard]] neutral_saturation<Other> on(const Other& other) const {
        return {{other, this->options}};
    }
    template <class Real>
    [[nodiscard]] auto prepared() const {
        return prepared_saturation<D, Real>(*this);
    }
    template <scalar Real>
    [[nodiscard]] auto predict(const kernel_profile<Real>& k) const {
        return prepared<Real>().predict(k);
    }
};

/// Calls `act(model)` with `m` as a `neutral_saturation` where `device` knows what has no neutral value, else as it is.
template <class D, class Act>
auto with_neutral_saturation(const any_device& device, const saturation_model<D>& m,
                             const Act& act) {
    const auto knows = [&](device_group g) { return device.knows(g); };
    const bool issues = knows(device_group::schedulers) || knows(device_group::issue);
    if (!issues || !knows(device_group::residency)) return act(m);
    return with_neutral_groups(m.device, [&]<class Whole>(const Whole& whole) {
        return act(neutral_saturation<Whole>{{whole, m.options}});
    });
}

}  // namespace warpgauge::c

#endif
