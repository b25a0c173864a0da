// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_MODELS_MODEL_HPP
#define WARPGAUGE_MODELS_MODEL_HPP

#include <concepts>
#include <string_view>
#include <type_traits>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/device/device.hpp>
#include <warpgauge/kernel/profile.hpp>

/// \file The common interface of models, so that tools can use any of them.

namespace WARPGAUGE_NAMESPACE {

/// A model predicts the time of a kernel: `predict(profile)` gives a `result` of an estimate that
/// has at least `cycles` and `seconds`.
template <class M, class Real = double>
concept model = scalar<Real> && requires(const M& m, const kernel_profile<Real>& k) {
    typename std::remove_cvref_t<decltype(m.predict(k))>::value_type;
    requires std::same_as<std::remove_cvref_t<decltype(m.predict(k))>,
                          result<typename std::remove_cvref_t<decltype(m.predict(k))>::value_type>>;
    { m.predict(k)->cycles } -> std::convertible_to<Real>;
    { m.predict(k)->seconds } -> std::convertible_to<Real>;
};

/// The error of an estimate. It is `missing` if a model of the caller's fails without a reason.
template <class Estimate>
[[nodiscard]] constexpr model_error error_of(const result<Estimate>& e) {
    return e.error() ? e.error() : model_error{errc::missing, "profile"};
}

/// The predicted time of an estimate, or its error.
/// \errors also not_positive `seconds`: the prediction of a caller's model is not a finite time above zero
template <scalar Real = double, class Estimate>
[[nodiscard]] constexpr result<Real> seconds_of(const result<Estimate>& e) {
    if (!e) return error_of(e);
    const auto seconds = static_cast<Real>(e->seconds);
    if (!core::positive(seconds)) return model_error{errc::not_positive, "seconds"};
    return seconds;
}

/// What limits a launch, in words; empty if the estimate does not say.
template <class Estimate>
[[nodiscard]] constexpr std::string_view limit_of(const Estimate& e) {
    if constexpr (requires { name(e.which); }) {
        return name(e.which);
    } else if constexpr (requires { name(e.limited_by); }) {
        return name(e.limited_by);
    } else {
        return {};
    }
}

/// A model that can be applied to another device with the same options: `m.on(other)`. All models of the
/// library are placeable.
template <class M>
concept placeable_model = model<M> && requires(const M& m) {
    m.device;
    { m.on(edit(m.device)) } -> model;
};

/// A placeable model that takes numbers with derivatives, or of another type, for device and kernel.
template <class M, class Real>
concept placeable_model_in = scalar<Real> && placeable_model<M> &&
    requires(const M& m, const kernel_profile<Real>& k) {
    { m.on(edit<Real>(m.device)).predict(k)->seconds } -> std::convertible_to<Real>;
};

namespace detail::models {

/// Cycles that an SM takes to issue one instruction of a warp: `issue_cycles`, or from its schedulers. 0 if
/// the device has neither.
template <scalar Real, class D>
[[nodiscard]] constexpr Real issue_cycles_of(const D& d) {
    if constexpr (has_issue<D>) {
        if (knows<parameters::issue>(d)) return Real(d.issue_cycles);
    }
    if constexpr (has_schedulers<D>) {
        if (knows<parameters::schedulers>(d)) {
            return Real(1.0) / (Real(d.warp_schedulers) * Real(d.issues_per_scheduler));
        }
    }
    return Real(0.0);
}

/// The error of the parameters that `issue_cycles_of` reads.
template <scalar Real, class D>
[[nodiscard]] constexpr model_error check_issue(const D& d) {
    if (knows<parameters::issue>(d)) {
        return check_known_parameters<Real>(group_list<parameters::issue>{}, d);
    }
    return check_known_parameters<Real>(group_list<parameters::schedulers>{}, d);
}

}  // namespace detail::models

/// A user's own model: `predict(device, profile)` gives a `result` of an estimate with `cycles` and `seconds`.
template <class D, class Predict>
struct function_model {
    D device{};          ///< the device that `function` gets
    Predict function{};  ///< the model itself, `predict(device, profile)`

    /// The same function with another device.
    template <class Other>
    [[nodiscard]] constexpr function_model<Other, Predict> on(const Other& other) const {
        return {other, function};
    }

    /// The result of `function` for the device and `k`, or its error.
    template <scalar Real = double>
    [[nodiscard]] constexpr auto predict(const kernel_profile<Real>& k) const
        -> decltype(function(device, k)) {
        return function(device, k);
    }
};

/// Deduces the types of device and function.
template <class D, class Predict>
function_model(D, Predict) -> function_model<D, Predict>;

}  // namespace WARPGAUGE_NAMESPACE

#endif
