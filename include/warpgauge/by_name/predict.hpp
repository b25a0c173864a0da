// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_BY_NAME_PREDICT_HPP
#define WARPGAUGE_BY_NAME_PREDICT_HPP

#include <cstddef>
#include <string_view>
#include <utility>

#include <warpgauge/by_name/any_device.hpp>
#include <warpgauge/core/nearest_name.hpp>
#include <warpgauge/core/result.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/kernel/assumptions.hpp>
#include <warpgauge/kernel/profile.hpp>
#include <warpgauge/models/hybrid.hpp>
#include <warpgauge/models/makespan.hpp>
#include <warpgauge/models/model.hpp>
#include <warpgauge/models/mpd_cpd.hpp>
#include <warpgauge/models/mwp_cwp.hpp>
#include <warpgauge/models/ppt_compat.hpp>
#include <warpgauge/models/roofline.hpp>
#include <warpgauge/models/saturation.hpp>
#include <warpgauge/models/trapezoid.hpp>

/// \file A model by name on a device by name: `predict("mwp_cwp", device, profile)`, `visit_model`, `model_names`.
///
/// The closed forms allocate nothing, so a caller may call `predict` for each configuration. `visit_model` gives the
/// typed model once, for columns of configurations (`predict_batch`) or any other tool.

namespace WARPGAUGE_NAMESPACE {

/// The prediction of a launch, in the same form for each model.
struct prediction {
    double cycles{};   ///< cycles of an SM, the whole launch
    double seconds{};  ///< s
    std::string_view
        limited_by{};         ///< what limits the launch, in words; empty if the model does not say
    assumptions<> assumed{};  ///< the assumptions of the estimate
    parameter_set
        assumed_parameters{};  ///< parameters of the device that the model reads and that have no source
};

/// The names that `predict` knows.
inline constexpr std::string_view model_names[] = {"roofline",   "mwp_cwp",   "mpd_cpd",
                                                   "trapezoid",  "makespan",  "hybrid",
                                                   "ppt_compat", "saturation"};

/// The name of the closed form to take for a device: saturation if its caches are known, MWP/CWP for a GPU without
/// caches, MPD/CPD if nothing but costs of instructions says how fast it issues, else the roofline. `default_model` gives the same
/// model by type, but for MPD/CPD.
[[nodiscard]] constexpr std::string_view default_model_name(const any_device& device) {
    using group = device_group;
    const bool has_caches = device.knows(group::l2_cache) || device.knows(group::l2_latency);
    const bool issues = device.knows(group::schedulers) || device.knows(group::issue);
    if (!issues && device.knows(group::computation_costs)) return "mpd_cpd";
    if (!device.knows(group::dram_latency)) return "roofline";
    if (device.knows(group::schedulers) && has_caches) return "saturation";
    return device.knows(group::issue) && device.knows(group::departures) ? "mwp_cwp" : "roofline";
}

namespace detail::by_name {

template <template <class> class... Groups>
constexpr model_error missing_among(const any_device& d, group_list<Groups...>) {
    return d.missing_of<Groups...>();
}

/// The assumed parameters among those of a typed device.
template <class D>
constexpr parameter_set assumed_in(const D& d) {
    parameter_set read;
    for_each_parameter(d, [&](device_parameter p, const double&) {
        if (d.assumed.contains(p)) read.add(p);
    });
    return read;
}

}  // namespace detail::by_name

/// Calls `visit(model)` with the model of that name on the known groups of `device`, once; `visit` returns a
/// `model_error`, and is compiled once for each model ("makespan": twice), with a `partial_device` if the model reads
/// groups that not every device has.
/// \errors missing       the first parameter that the model needs and the device lacks
///         unknown_name  no model is called so; the error's field views `name`; `message(error, model_names)` is a
///                       sentence with the name that was perhaps meant
///         that of `visit`
template <class Visitor>
[[nodiscard]] constexpr model_error visit_model(std::string_view name, const any_device& device,
                                                const Visitor& visit);

/// Predicts `k` by the model of that name.
/// \errors as `visit_model`, and those of the model
template <class = core::when_used>
[[nodiscard]] constexpr result<prediction> predict(std::string_view model, const any_device& device,
                                                   const kernel_profile<>& k);

// --- How

template <class Visitor>
constexpr model_error visit_model(std::string_view name, const any_device& device,
                                  const Visitor& visit) {
    using namespace parameters;
    using detail::by_name::missing_among;
    if (name == "roofline") {
        if (const auto missing = device.missing_of<chip, warp>()) return missing;
        if (!device.knows(device_group::issue)) {
            if (const auto missing = device.missing_of<schedulers>()) return missing;
        }
        return visit(roofline_model{
            device.known_of(group_list<chip, warp, schedulers, issue, transaction_size>{} +
                            detail::models::roofline_levels{})});
    }
    if (name == "mwp_cwp") {
        constexpr group_list<chip, warp, issue, dram_latency, departures> needed;
        if (const auto missing = missing_among(device, needed)) return missing;
        return visit(
            mwp_cwp_model{device.known_of(needed + group_list<transaction_size, residency>{})});
    }
    if (name == "mpd_cpd") {
        constexpr group_list<chip, warp, residency, computation_costs> needed;
        if (const auto missing = missing_among(device, needed)) return missing;
        return visit(mpd_cpd_model{
            device.known_of(needed + group_list<transaction_size, issue, schedulers>{})});
    }
    if (name == "trapezoid") {
        constexpr group_list<chip, warp, residency, stencil_timing> needed;
        if (const auto missing = missing_among(device, needed)) return missing;
        return visit(trapezoid_model{device.known_of(needed + group_list<issue, schedulers>{})});
    }
    if (name == "makespan") {
        if (const auto missing = device.missing_of<chip, warp, cores, load_store>()) return missing;
        if (!missing_among(device, simulated_groups{})) {
            return visit(makespan_model{device.known_of(simulated_groups{} + simulated_extras{})});
        }
        return visit(makespan_model{
            device.known_of(group_list<chip, warp, cores, load_store, residency>{})});
    }
    if (name == "hybrid") {
        if (const auto missing = missing_among(device, simulated_groups{})) return missing;
        return visit(hybrid_model{device.known_of(simulated_groups{} + simulated_extras{})});
    }
    if (name == "ppt_compat") {
        if (const auto missing = device.missing_of<chip, ppt_description>()) return missing;
        return visit(ppt_compat_model{device.as<chip, ppt_description>()});
    }
    if (name == "saturation") {
        // So many groups are optional that the device itself says which it knows.
        const auto known =
            device.known_of(detail::models::saturation_groups{} + group_list<residency>{});
        if (const auto missing = device.missing_of<chip, warp, dram_latency>()) return missing;
        return visit(saturation_model{known});
    }
    return {errc::unknown_name, name};
}

template <class>
constexpr result<prediction> predict(std::string_view model, const any_device& device,
                                     const kernel_profile<>& k) {
    prediction p;
    const auto bad = visit_model(model, device, [&](const auto& m) -> model_error {
        const auto e = m.predict(k);
        if (!e) return error_of(e);
        p = {.cycles = e->cycles,
             .seconds = e->seconds,
             .limited_by = limit_of(*e),
             .assumed = assumptions_of(*e),
             .assumed_parameters = detail::by_name::assumed_in(m.device)};
        return {};
    });
    if (bad) return bad;
    return p;
}

}  // namespace WARPGAUGE_NAMESPACE

#endif
