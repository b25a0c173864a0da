// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_ANALYSE_SENSITIVITY_HPP
#define WARPGAUGE_ANALYSE_SENSITIVITY_HPP

#include <cmath>
#include <cstddef>
#include <string_view>
#include <vector>

#include <warpgauge/core/gradient.hpp>
#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/device/device.hpp>
#include <warpgauge/kernel/parameters.hpp>
#include <warpgauge/kernel/profile.hpp>
#include <warpgauge/models/model.hpp>

/// \file By how many percent a predicted time changes when a parameter grows by one: of every figure of
/// device and kernel, through every closed-form model, from derivatives.

namespace warpgauge {

/// How a predicted time answers to one parameter.
struct sensitivity {
    std::string_view parameter{};
    bool of_device{};     ///< else of the kernel
    double value{};       ///< of the parameter
    double elasticity{};  ///< d ln(time) / d ln(parameter), of the case that the model takes
    double below{};       ///< the same just below `value`
    double above{};       ///< and just above
    bool step{};          ///< the time itself jumps there, as when a block more fits

    /// The time has no derivative: another case of the model begins here.
    [[nodiscard]] constexpr bool kink() const noexcept {
        const double scale = core::max(1.0, core::max(core::max(below, -below), above));
        return step || core::max(above - below, below - above) > 1e-5 * scale;
    }
};

/// Derivatives that one evaluation gives.
inline constexpr std::size_t slopes_at_a_time = 8;
using slopes = gradient<slopes_at_a_time>;

namespace detail::analyse {

/// Past a parameter by this share it is "just above": more than rounding, less than any step matters.
inline constexpr double nudge = 1e-8;

}  // namespace detail::analyse

/// How a time that has no derivatives is sampled.
struct sensitivity_options {
    /// By what fraction a parameter changes where the model takes no derivatives; whole numbers change by one at
    /// least. 0 to 1, without both.
    double relative_step = 0.01;
};

/// The elasticities of the time that `model` predicts for `k`, in every parameter of the model's device and of `k`
/// that is not 0:
///
///     sensitivities(mwp_cwp_model{devices::geforce_gtx_280{}}, kernel)
///
/// From derivatives where the model takes them: one evaluation gives eight, and one-sided values take two more for
/// each parameter. From secants over `relative_step` where it does not, as the simulation: two for each parameter.
/// \errors those of the model; besides
///         not_positive    `seconds`: what is predicted is no time
///         outside_domain  a parameter in which the time has no finite derivative; `relative_step`
template <placeable_model Model>
[[nodiscard]] result<std::vector<sensitivity>> sensitivities(
    const Model& model, const kernel_profile<>& k, const sensitivity_options& options = {});

// --- How

namespace detail::analyse {

/// Every parameter of device and profile that is not 0, and where it stands in them.
template <class Real>
struct parameter_places {
    std::vector<sensitivity> all{};
    std::vector<Real*> at{};
};

template <class Device, class Real>
parameter_places<Real> places_in(Device& d, kernel_profile<Real>& k) {
    parameter_places<Real> places;
    const auto add = [&](std::string_view name, bool of_device, Real& parameter) {
        const auto value = value_of(parameter);
        if (value == 0) return;
        places.all.push_back({.parameter = name, .of_device = of_device, .value = value});
        places.at.push_back(&parameter);
    };
    for_each_parameter(d, [&](device_parameter p, Real& x) { add(info(p).name, true, x); });
    for_each_parameter(k, [&](std::string_view name, Real& x) { add(name, false, x); });
    return places;
}

template <class Model>
result<std::vector<sensitivity>> elasticities_by_derivative(const Model& model,
                                                            const kernel_profile<>& k) {
    using real = slopes;
    auto d = edit<real>(model.device);
    kernel_profile<real> p = profile_in<real>(k);
    auto [all, at] = places_in(d, p);
    const auto time = [&] { return seconds_of<real>(model.on(d).predict(p)); };
    double seconds = 0;
    for (std::size_t first = 0; first < all.size(); first += slopes_at_a_time) {
        const std::size_t last =
            all.size() < first + slopes_at_a_time ? all.size() : first + slopes_at_a_time;
        for (std::size_t n = first; n < last; ++n) at[n]->set_slope(n - first, 1);
        const auto t = time();
        if (!t) return t.error();
        seconds = t->value;
        for (std::size_t n = first; n < last; ++n) {
            all[n].elasticity = t->slope(n - first) * all[n].value / seconds;
            if (!core::finite(all[n].elasticity)) {
                return model_error{errc::outside_domain, all[n].parameter};
            }
            at[n]->set_slope(n - first, 0);
        }
    }
    for (std::size_t n = 0; n < all.size(); ++n) {
        sensitivity& s = all[n];
        s.below = s.above = s.elasticity;
        for (const double side : {-1.0, 1.0}) {
            at[n]->value = s.value * (1 + side * nudge);
            at[n]->set_slope(0, 1);
            const auto t = time();
            const double elasticity =
                t ? t->slope(0) * at[n]->value / t->value : core::infinity<double>();
            if (core::finite(elasticity)) {  // else the model ends here
                (side < 0 ? s.below : s.above) = elasticity;
                const double change = (t->value - seconds) / seconds;
                const double expected =
                    1e3 * nudge * core::max(1.0, core::max(s.elasticity, -s.elasticity));
                s.step = s.step || change > expected || change < -expected;
            } else {
                s.step = true;
            }
            at[n]->value = s.value;
            at[n]->set_slope(0, 0);
        }
    }
    return all;
}

/// By how much a parameter changes for a secant: whole numbers by whole numbers.
inline double secant_step(const sensitivity& s, double relative) {
    const double step = s.value * relative;
    return core::floor(s.value) == s.value ? core::max(1.0, core::floor(step + 0.5)) : step;
}

template <class Model>
result<std::vector<sensitivity>> elasticities_by_secant(const Model& model,
                                                        const kernel_profile<>& k,
                                                        double relative_step) {
    auto d = edit(model.device);
    kernel_profile<> p = k;
    auto [all, at] = places_in(d, p);
    const auto now = seconds_of(model.predict(k));
    if (!now) return now.error();
    for (std::size_t n = 0; n < all.size(); ++n) {
        sensitivity& s = all[n];
        double sum = 0;
        int sides = 0;
        for (const double side : {-1.0, 1.0}) {
            *at[n] = s.value + side * secant_step(s, relative_step);
            const auto t = *at[n] > 0
                               ? seconds_of(model.on(d).predict(p))
                               : result<double>(model_error{errc::not_positive, s.parameter});
            if (t) {
                const double elasticity = std::log(*t / *now) / std::log(*at[n] / s.value);
                (side < 0 ? s.below : s.above) = elasticity;
                sum += elasticity;
                ++sides;
            } else {
                s.step = true;  // the model ends here
            }
            *at[n] = s.value;
        }
        if (sides == 0) continue;
        s.elasticity = sum / sides;
        if (sides == 1) s.below = s.above = s.elasticity;
    }
    return all;
}

}  // namespace detail::analyse

template <placeable_model Model>
result<std::vector<sensitivity>> sensitivities(const Model& model, const kernel_profile<>& k,
                                               const sensitivity_options& options) {
    if (!(options.relative_step > 0 && options.relative_step < 1)) {
        return model_error{errc::outside_domain, "relative_step"};
    }
    if constexpr (placeable_model_in<Model, slopes>) {
        return detail::analyse::elasticities_by_derivative(model, k);
    } else {
        return detail::analyse::elasticities_by_secant(model, k, options.relative_step);
    }
}

}  // namespace warpgauge

#endif
