// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <concepts>
#include <type_traits>
#include <utility>

#include <warpgauge/by_name/predict.hpp>

#include "models.hpp"

namespace program {

namespace {

// A model that computes with doubles alone: its slopes are secants. Models that have a type for each set of known groups
// would otherwise be compiled with derivatives so often that they were most of the program.
template <class Model>
struct in_doubles {
    Model model;
    decltype(Model::device) device;

    template <class Other>
    requires std::same_as < std::remove_cvref_t<decltype(Other::clock_hz)>,
    double > auto on(const Other& other) const {
        const auto moved = model.on(other);
        return in_doubles<std::remove_const_t<decltype(moved)>>{moved, moved.device};
    }
    auto predict(const warpgauge::kernel_profile<>& k) const { return model.predict(k); }
};

template <class Model>
const Model& with_slopes(const Model& m) {
    return m;
}
template <class D>
in_doubles<warpgauge::mwp_cwp_model<D>> with_slopes(const warpgauge::mwp_cwp_model<D>& m) {
    return {m, m.device};
}
template <class D>
in_doubles<warpgauge::mpd_cpd_model<D>> with_slopes(const warpgauge::mpd_cpd_model<D>& m) {
    return {m, m.device};
}
template <class D>
in_doubles<warpgauge::trapezoid_model<D>> with_slopes(const warpgauge::trapezoid_model<D>& m) {
    return {m, m.device};
}

}  // namespace

warpgauge::result<std::vector<warpgauge::sensitivity>> slopes_of(
    const std::string& model, const warpgauge::any_device& gpu,
    const warpgauge::kernel_profile<>& k) {
    std::vector<warpgauge::sensitivity> all;
    const auto bad =
        warpgauge::visit_model(model, gpu, [&](const auto& typed) -> warpgauge::model_error {
            auto found = warpgauge::sensitivities(with_slopes(typed), k);
            if (!found) return found.error();
            all = *std::move(found);
            return {};
        });
    if (bad) return bad;
    return all;
}

}  // namespace program
