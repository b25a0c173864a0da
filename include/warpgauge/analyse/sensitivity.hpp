// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_ANALYSE_SENSITIVITY_HPP
#define WARPGAUGE_ANALYSE_SENSITIVITY_HPP

#include <cmath>
#include <cstddef>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <warpgauge/core/gradient.hpp>
#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/device/device.hpp>
#include <warpgauge/kernel/parameters.hpp>
#include <warpgauge/kernel/profile.hpp>
#include <warpgauge/kernel/with_blocks.hpp>
#include <warpgauge/models/model.hpp>

/// \file The change of a predicted time, in percent, when a parameter of the device or the kernel grows by one percent:
/// `sensitivities`, `sensitivity`.

namespace WARPGAUGE_NAMESPACE {

/// The dependence of a predicted time on one parameter.
struct sensitivity {
    std::string_view parameter{};  ///< a member of the device or the profile
    bool of_device{};     ///< true for a parameter of the device, false for one of the kernel
    double value{};       ///< of the parameter
    double elasticity{};  ///< d ln(time) / d ln(parameter), of the case that the model takes
    double below{};       ///< the elasticity just below `value`
    double above{};       ///< the elasticity just above `value`
    /// The time itself jumps there, as when one more block fits, or the model ends there.
    bool step{};

    /// Whether the time has no derivative, because another case of the model begins here.
    [[nodiscard]] constexpr bool kink() const noexcept {
        const double scale = core::max(1.0, core::max(core::max(below, -below), above));
        return step || core::max(above - below, below - above) > 1e-5 * scale;
    }
};

/// The number of derivatives that one evaluation gives.
inline constexpr std::size_t slopes_at_a_time = 8;
/// The number type with which models compute derivatives.
using slopes = gradient<slopes_at_a_time>;

namespace detail::analyse {

/// The fraction by which "just above" exceeds a parameter: more than rounding, and too little to reach another step.
inline constexpr double nudge = 1e-8;

}  // namespace detail::analyse

/// How an elasticity is found if a model has no derivatives.
struct sensitivity_options {
    /// The fraction by which a parameter changes if the model has no derivatives, above 0 and below 1. Whole
    /// numbers change by at least one if the model takes that, as it does not for a fraction of 1.
    double relative_step = 0.01;
};

/// The elasticities of the time that `model` predicts for `k`, in every parameter of the model's device and of `k`
/// that is not 0:
///
///     sensitivities(mwp_cwp_model{devices::geforce_gtx_280{}}, kernel)
///
/// More blocks have more bytes to move (`with_blocks`); every other parameter changes alone.
///
/// If the model takes numbers with derivatives, one evaluation gives eight derivatives, and the one-sided values take
/// two more evaluations for each parameter. Otherwise, as for a simulation, each parameter takes two evaluations and
/// the result is the secant over `relative_step`.
/// \errors those of the model; and
///         not_positive    `seconds`: the predicted number is not a time
///         outside_domain  a parameter in which the time has no finite derivative; `relative_step`
template <placeable_model Model>
[[nodiscard]] result<std::vector<sensitivity>> sensitivities(
    const Model& model, const kernel_profile<>& k, const sensitivity_options& options = {});

// --- How

namespace detail::analyse {

/// Every parameter of device and profile that is not 0, and its place in them.
template <class Real>
struct parameter_places {
    kernel_profile<Real>& profile;
    kernel_profile<Real> as_is = profile;
    std::vector<sensitivity> all{};
    std::vector<Real*> at{};

    [[nodiscard]] bool is_blocks(std::size_t n) const { return at[n] == &profile.blocks; }

    /// Gives parameter `n` a value; the blocks bring their bytes.
    void set(std::size_t n, const Real& x) const {
        if (is_blocks(n)) {
            profile = with_blocks(profile, x);
        } else {
            *at[n] = x;
        }
    }

    /// Gives parameter `n` the value that it had; for the blocks, the whole profile.
    void reset(std::size_t n) const {
        if (is_blocks(n)) {
            profile = as_is;
        } else {
            *at[n] = Real(all[n].value);
        }
    }
};

/// A number with the derivative 1 in one direction.
template <class Real>
Real seeded(double value, std::size_t direction) {
    Real x(value);
    x.set_slope(direction, 1);
    return x;
}

template <class Device, class Real>
parameter_places<Real> places_in(Device& d, kernel_profile<Real>& k) {
    parameter_places<Real> places{.profile = k};
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

/// Sets the elasticity of every parameter from the derivatives of `time()`, and returns the time.
template <class Time>
result<double> set_elasticities(parameter_places<slopes>& places, const Time& time) {
    auto& all = places.all;
    double seconds = 0;
    for (std::size_t first = 0; first < all.size(); first += slopes_at_a_time) {
        const std::size_t last = core::min(all.size(), first + slopes_at_a_time);
        // The blocks last, which come first: they change bytes that have slopes of their own.
        for (std::size_t n = last; n-- > first;) {
            places.set(n, seeded<slopes>(all[n].value, n - first));
        }
        const auto t = time();
        if (!t) return t.error();
        seconds = t->value;
        for (std::size_t n = first; n < last; ++n) {
            all[n].elasticity = t->slope(n - first) * all[n].value / seconds;
            if (!core::finite(all[n].elasticity)) {
                return model_error{errc::outside_domain, all[n].parameter};
            }
        }
        for (std::size_t n = first; n < last; ++n) places.reset(n);
    }
    return seconds;
}

/// Sets the one-sided values of parameter `n`, and whether the time steps there.
template <class Real, class Time>
void set_sides(sensitivity& s, const parameter_places<Real>& places, std::size_t n, double seconds,
               const Time& time) {
    s.below = s.above = s.elasticity;
    for (const double side : {-1.0, 1.0}) {
        const double x = s.value * (1 + side * nudge);
        places.set(n, seeded<Real>(x, 0));
        const auto t = time();
        const double elasticity = t ? t->slope(0) * x / t->value : core::infinity<double>();
        if (core::finite(elasticity)) {
            (side < 0 ? s.below : s.above) = elasticity;
            const double change = (t->value - seconds) / seconds;
            const double expected =
                1e3 * nudge * core::max(1.0, core::max(s.elasticity, -s.elasticity));
            s.step = s.step || change > expected || change < -expected;
        } else {
            s.step = true;  // the model ends here
        }
        places.reset(n);
    }
}

/// Calls `act(device, profile, time)` with copies in numbers of type `Real`; `time()` predicts with what they are then.
template <class Real, class Model, class Act>
auto with_derivatives(const Model& model, const kernel_profile<>& k, const Act& act) {
    auto d = edit<Real>(model.device);
    kernel_profile<Real> p = profile_in<Real>(k);
    auto placed = model.on(d);
    if constexpr (std::is_same_v<decltype(placed.device), decltype(d)>) {
        // It keeps its device, so that one will do for all evaluations.
        return act(placed.device, p, [&] { return seconds_of<Real>(placed.predict(p)); });
    } else {
        return act(d, p, [&] { return seconds_of<Real>(model.on(d).predict(p)); });
    }
}

template <class Model>
result<std::vector<sensitivity>> elasticities_by_derivative(const Model& model,
                                                            const kernel_profile<>& k) {
    std::vector<sensitivity> all;
    const auto seconds = with_derivatives<slopes>(
        model, k, [&](auto& d, auto& p, const auto& time) -> result<double> {
            auto places = places_in(d, p);
            const auto t = set_elasticities(places, time);
            all = std::move(places.all);
            return t;
        });
    if (!seconds) return seconds.error();
    // A side needs the derivative in its own parameter alone.
    using slope = std::conditional_t<placeable_model_in<Model, gradient<1>>, gradient<1>, slopes>;
    with_derivatives<slope>(model, k, [&](auto& d, auto& p, const auto& time) {
        const auto places = places_in(d, p);
        for (std::size_t n = 0; n < all.size(); ++n) {
            set_sides(all[n], places, n, *seconds, time);
        }
        return 0;
    });
    return all;
}

/// The change of a parameter for a secant. A whole number changes by a whole number.
[[nodiscard]] constexpr double secant_step(double value, double relative) {
    const double step = value * relative;
    return core::floor(value) == value ? core::max(1.0, core::floor(step + 0.5)) : step;
}

/// The time with parameter `n` changed to a side, or the error of the model. What can't change by a whole number, as a
/// fraction of 1, changes by a part.
template <class Time>
result<double> time_beside(parameter_places<double>& places, std::size_t n, double side,
                           double relative, const Time& time) {
    const double value = places.all[n].value;
    result<double> t = model_error{errc::not_positive, places.all[n].parameter};
    for (const double step : {secant_step(value, relative), value * relative}) {
        const double x = value + side * step;
        if (!(x > 0)) continue;
        places.set(n, x);
        t = time();
        if (t) break;
    }
    return t;
}

/// Sets the elasticity of parameter `n` from secants to both sides.
template <class Time>
void set_secants(parameter_places<double>& places, std::size_t n, double seconds, double relative,
                 const Time& time) {
    sensitivity& s = places.all[n];
    double sum = 0;
    int sides = 0;
    for (const double side : {-1.0, 1.0}) {
        if (const auto t = time_beside(places, n, side, relative, time)) {
            const double x = *places.at[n];
            const double elasticity = std::log(*t / seconds) / std::log(x / s.value);
            (side < 0 ? s.below : s.above) = elasticity;
            sum += elasticity;
            ++sides;
        } else {
            s.step = true;  // the model ends here
        }
        places.reset(n);
    }
    if (sides == 0) return;
    s.elasticity = sum / sides;
    if (sides == 1) s.below = s.above = s.elasticity;
}

template <class Model>
result<std::vector<sensitivity>> elasticities_by_secant(const Model& model,
                                                        const kernel_profile<>& k,
                                                        double relative_step) {
    auto d = edit(model.device);
    kernel_profile<> p = k;
    auto places = places_in(d, p);
    const auto now = seconds_of(model.predict(k));
    if (!now) return now.error();
    const auto time = [&] { return seconds_of(model.on(d).predict(p)); };
    for (std::size_t n = 0; n < places.all.size(); ++n) {
        set_secants(places, n, *now, relative_step, time);
    }
    return std::move(places.all);
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

}  // namespace WARPGAUGE_NAMESPACE

#endif
