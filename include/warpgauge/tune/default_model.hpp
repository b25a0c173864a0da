// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_TUNE_DEFAULT_MODEL_HPP
#define WARPGAUGE_TUNE_DEFAULT_MODEL_HPP

#include <warpgauge/device/device.hpp>
#include <warpgauge/models/mwp_cwp.hpp>
#include <warpgauge/models/roofline.hpp>
#include <warpgauge/models/saturation.hpp>

/// \file The closed form to take for a device: `default_model`. `warpgauge.hpp` includes it.

namespace WARPGAUGE_NAMESPACE {

/// A GPU with caches that has the parameters of the saturation model: latency of DRAM, issue, and L2.
template <class D>
concept saturation_by_default = saturation_device<D> && has_schedulers<D> &&
    (has_l2_cache<D> || has_l2_latency<D>);

/// A device that some closed form takes.
template <class D>
concept has_default_model = saturation_by_default<D> || mwp_cwp_device<D> || roofline_device<D>;

/// The closed form for `device`: saturation if its caches are known, MWP/CWP for a GPU without caches, the roofline
/// if no latency is known. `default_model_name` gives the same model by name.
template <has_default_model D>
[[nodiscard]] constexpr auto default_model(const D& device) {
    if constexpr (saturation_by_default<D>) {
        return saturation_model{device};
    } else if constexpr (mwp_cwp_device<D>) {
        return mwp_cwp_model{device};
    } else {
        return roofline_model{device};
    }
}

}  // namespace WARPGAUGE_NAMESPACE

#endif
