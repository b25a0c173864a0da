// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_ANALYSE_SENSITIVITY_HPP
#define WARPGAUGE_ANALYSE_SENSITIVITY_HPP

#include <array>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include <warpgauge/core/gradient.hpp>
#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/device/device.hpp>
#include <warpgauge/device/figures.hpp>
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

/// The elasticities of a time in every parameter of `device` and `k` that is not 0. `predict(device,
/// profile)` makes the prediction for any type of number, and gives a `result` of an estimate with
/// `seconds`:
///
///     sensitivities([](const auto& d, const auto& k) { return mwp_cwp_model{d}.predict(k); },
///                   devices::geforce_gtx_280{}, kernel);
///
/// One evaluation gives eight derivatives. One-sided values take two more for each parameter.
/// \errors those of `predict`; besides
///         not_positive    `seconds`: what is predicted is no time
///         outside_domain  a parameter in which the time has no finite derivative
template <class Predict, class Device>
[[nodiscard]] result<std::vector<sensitivity>> sensitivities(const Predict& predict,
                                                             const Device& device,
                                                             const kernel_profile<>& k) {
    using real = slopes;
    auto d = edit<real>(device);
    kernel_profile<real> p = profile_in<real>(k);
    std::vector<sensitivity> all;
    std::vector<real*> at;
    bool of_device = true;
    const auto collect = [&](std::string_view name, real& figure) {
        if (figure.value == 0) return;
        all.push_back({.parameter = name, .of_device = of_device, .value = figure.value});
        at.push_back(&figure);
    };
    for_each_figure_of_device(d, collect);
    of_device = false;
    for_each_figure_of_profile(p, collect);

    double seconds = 0;
    for (std::size_t first = 0; first < all.size(); first += slopes_at_a_time) {
        const std::size_t last =
            all.size() < first + slopes_at_a_time ? all.size() : first + slopes_at_a_time;
        for (std::size_t n = first; n < last; ++n) at[n]->set_slope(n - first, 1);
        const auto t = seconds_of<real>(predict(std::as_const(d), std::as_const(p)));
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
            at[n]->value = s.value * (1 + side * detail::analyse::nudge);
            at[n]->set_slope(0, 1);
            const auto t = seconds_of<real>(predict(std::as_const(d), std::as_const(p)));
            const double elasticity =
                t ? t->slope(0) * at[n]->value / t->value : core::infinity<double>();
            if (core::finite(elasticity)) {  // else the model ends here
                (side < 0 ? s.below : s.above) = elasticity;
                const double change = (t->value - seconds) / seconds;
                const double expected = 1e3 * detail::analyse::nudge *
                                        core::max(1.0, core::max(s.elasticity, -s.elasticity));
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

}  // namespace warpgauge

#endif
