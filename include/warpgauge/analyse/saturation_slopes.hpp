// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_ANALYSE_SATURATION_SLOPES_HPP
#define WARPGAUGE_ANALYSE_SATURATION_SLOPES_HPP

#include <concepts>
#include <type_traits>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/device/device.hpp>
#include <warpgauge/kernel/profile.hpp>
#include <warpgauge/models/saturation.hpp>
#include <warpgauge/saturation/slopes.hpp>

/// \file The saturation model's time with its slopes in every parameter of the kernel and of the device:
/// `predict_with_slopes`.

namespace WARPGAUGE_NAMESPACE {

namespace detail::analyse {

template <class D, scalar Real, template <class> class... Groups>
constexpr auto slopes_of_groups(group_list<Groups...>) {
    using known = typename device::joined<
        group_list<>,
        typename device::group_if<Groups<double>::template known_of<D>, Groups>::type...>::type;
    return [&]<template <class> class... Known>(group_list<Known...>) {
        return runtime_device<Real, Known...>{};
    }(known{});
}

}  // namespace detail::analyse

/// A time with its slopes, which have the structure of their parameters: `by_profile.waits.steps` is the slope in
/// `profile.waits.steps`. A slope is the change of `seconds` for each unit of its parameter, in the case that the
/// model takes, as in a `gradient`. It is 0 in parameters that the model does not read, and in those that only act in
/// steps, such as the limits of occupancy.
template <class D, std::floating_point Real = double>
struct saturation_slopes {
    /// The groups of `D` that the model reads, as data members.
    using device_slopes =
        decltype(detail::analyse::slopes_of_groups<D, Real>(detail::models::saturation_groups{}));

    Real seconds{};                     ///< s, as the model predicts it
    kernel_profile<Real> by_profile{};  ///< s for each unit of a number of the profile
    device_slopes by_device{};          ///< s for each unit of a parameter of the device

    constexpr saturation_slopes() = default;  ///< all 0, without a prediction
    /// A time with its slopes in a profile, copied number by number.
    [[gnu::always_inline]] constexpr saturation_slopes(const Real& time,
                                                       const kernel_profile<Real>& k)
        : seconds(time), by_profile(detail::saturation::backwards::gathered(k)) {}
};

namespace detail::analyse {

/// The slopes of an estimate `e`, in a separate function so that they are computed in place.
template <saturation_device D, std::floating_point Real, class Costs>
[[gnu::always_inline]] constexpr result<saturation_slopes<D, Real>> slopes_at(
    const kernel_profile<Real>& k, const saturation_model<D>& m, const Costs& costs,
    const saturation_estimate<Real>& e) {
    namespace backwards = saturation::backwards;
    const saturation_constants& constants = m.options.constants;
    auto by = backwards::estimate(k, costs, constants, e);
    result<saturation_slopes<D, Real>> all(std::in_place, e.seconds, by.k);
    backwards::costs_on(m.device, constants, costs, by.c, all->by_device);
    return all;
}

}  // namespace detail::analyse

/// Predicts as the model itself, and goes back through its equations to get the slopes in all parameters at once:
///
///     const auto t = predict_with_slopes(saturation_model{gpu}, kernel);
///     t->by_device.dram_bytes_per_s    // s for each B/s
///
/// The device has to know all groups of its type. Does not throw, allocate or keep state.
/// \errors those of the model
template <saturation_device D, std::floating_point Real>
requires(!partly_known<D>) [[nodiscard, gnu::always_inline]] constexpr result<
    saturation_slopes<D, Real>> predict_with_slopes(const saturation_model<D>& m,
                                                    const kernel_profile<Real>& k) noexcept {
    namespace models = detail::models;
    auto costs = models::saturation_costs<Real>(m);
    bool in_range = std::is_constant_evaluated() || models::saturation_in_range(m);
    auto e = models::saturation_predict(k, m, costs, in_range);
    if (!e) return e.error();
    return detail::analyse::slopes_at(k, m, costs, *e);
}

}  // namespace WARPGAUGE_NAMESPACE

#endif
