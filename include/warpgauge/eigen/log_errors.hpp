// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_EIGEN_LOG_ERRORS_HPP
#define WARPGAUGE_EIGEN_LOG_ERRORS_HPP

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include <Eigen/Core>

#include <warpgauge/analyse/sensitivity.hpp>
#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/device/device.hpp>
#include <warpgauge/eigen/calibration.hpp>
#include <warpgauge/kernel/parameters.hpp>
#include <warpgauge/kernel/profile.hpp>
#include <warpgauge/models/model.hpp>

/// \file The errors of predicted times as functions of the logarithms of the parameters, with derivatives. An internal
/// part of `calibrate`.

namespace WARPGAUGE_NAMESPACE::detail::eigen {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using chosen_measurements = std::span<const std::size_t>;  ///< indices of measurements

inline constexpr std::string_view scale_name = "scale";

/// Calls `act(n, name, value)` for the parameter of `d` that `parameters[n]` names. `name` has static storage
/// duration.
template <class Device, class Parameters, class Act>
void for_each_named(Device& d, const Parameters& parameters, const Act& act) {
    for_each_parameter(d, [&](device_parameter p, auto& value) {
        const std::string_view name = info(p).name;
        for (std::size_t n = 0; n < parameters.size(); ++n) {
            if (parameters[n].name == name) act(n, name, value);
        }
    });
}

/// The value of `p` whose logarithm is `x`. Where `x` is the logarithm of a given value, the result is that value to
/// the bit: exp(ln 28) is below 28, and a grid may take another wave on less than 28 SMs.
inline double value_at(const fitted_parameter& p, double x) {
    for (const double known : {p.start, p.min_value, p.max_value}) {
        if (x == std::log(known)) return known;
    }
    return std::exp(x);
}

/// ln(scale * predicted / measured) of some measurements and its derivatives, as functions of
/// x = ln(parameters). Searches know no more than this of model and device.
class log_errors {
public:
    std::span<const measurement> measurements;
    std::span<const fitted_parameter> parameters;

    log_errors(const log_errors&) = delete;
    log_errors& operator=(const log_errors&) = delete;

    virtual model_error values(const VectorXd& x, chosen_measurements which,
                               VectorXd& to) const = 0;
    virtual model_error derivatives(const VectorXd& x, chosen_measurements which,
                                    MatrixXd& to) const = 0;

    [[nodiscard]] bool has_scale() const {
        return !parameters.empty() && parameters.back().name == scale_name;
    }

protected:
    log_errors(std::span<const measurement> measured, std::span<const fitted_parameter> fitted)
        : measurements(measured), parameters(fitted) {}
    ~log_errors() = default;
};

/// The errors of a model. Slopes are secants where `secant` is above 0; it must be where the model takes no numbers
/// with derivatives.
template <placeable_model Model>
class log_errors_of final : public log_errors {
public:
    log_errors_of(const Model& model, std::span<const measurement> measured,
                  std::span<const fitted_parameter> fitted, double secant)
        : log_errors(measured, fitted), model_(model), secant_(secant) {}

    model_error values(const VectorXd& x, chosen_measurements which, VectorXd& to) const override {
        auto d = edit(model_.device);
        for_each_named(d, parameters, [&](std::size_t n, std::string_view, double& value) {
            value = value_at(parameters[n], x[Index(n)]);
        });
        to.resize(Index(which.size()));
        for (std::size_t i = 0; i < which.size(); ++i) {
            const auto t = seconds<double>(std::as_const(d), which[i]);
            if (!t) return t.error();
            to[Index(i)] = std::log(*t) - std::log(measurements[which[i]].seconds);
        }
        if (has_scale()) to.array() += x[x.size() - 1];
        return {};
    }

    model_error derivatives(const VectorXd& x, chosen_measurements which,
                            MatrixXd& to) const override {
        to.setZero(Index(which.size()), x.size());
        if constexpr (placeable_model_in<Model, slopes>) {
            if (secant_ == 0) {
                if (has_scale()) to.col(x.size() - 1).setOnes();
                for (std::size_t n = 0; n < parameters.size(); n += slopes_at_a_time) {
                    if (const auto bad = fill_slopes(x, which, n, to)) return bad;
                }
                return {};
            }
        }
        return fill_secants(x, which, to);
    }

private:
    const Model& model_;
    double secant_;

    /// A predicted time, or the error of the prediction; `line` of an error is the measurement's entry.
    template <class Real, class D>
    [[nodiscard]] result<Real> seconds(const D& d, std::size_t place) const {
        const auto t =
            seconds_of<Real>(model_.on(d).predict(profile_of<Real>(measurements[place])));
        if (t) return t;
        model_error bad = t.error();
        bad.line = static_cast<std::uint32_t>(place + 1);
        bad.column = 0;
        return bad;
    }

    template <class Real>
    static decltype(auto) profile_of(const measurement& m) {
        if constexpr (std::same_as<Real, double>) {
            return (m.profile);
        } else {
            return profile_in<Real>(m.profile);
        }
    }

    /// Writes the columns of the parameters from `first` on that one evaluation of the model gives.
    [[nodiscard]] model_error fill_slopes(const VectorXd& x, chosen_measurements which,
                                          std::size_t first, MatrixXd& to) const {
        auto d = edit<slopes>(model_.device);
        std::size_t last = first;
        for_each_named(d, parameters, [&](std::size_t n, std::string_view, slopes& parameter) {
            parameter.value = value_at(parameters[n], x[Index(n)]);
            if (n < first || n >= first + slopes_at_a_time) return;
            parameter.set_slope(n - first, parameter.value);  // d/d ln
            last = core::max(last, n + 1);
        });
        for (std::size_t i = 0; i < which.size() && last > first; ++i) {
            const auto t = seconds<slopes>(std::as_const(d), which[i]);
            if (!t) return t.error();
            for (std::size_t n = first; n < last; ++n) {
                const double slope = t->slope(n - first) / t->value;
                if (!core::finite(slope)) {
                    return {errc::outside_domain, "seconds",
                            static_cast<std::uint32_t>(which[i] + 1)};
                }
                to(Index(i), Index(n)) = slope;
            }
        }
        return {};
    }

    [[nodiscard]] model_error fill_secants(const VectorXd& x, chosen_measurements which,
                                           MatrixXd& to) const {
        VectorXd here;
        VectorXd above;
        VectorXd below;
        if (const auto bad = values(x, which, here)) return bad;
        for (Index n = 0; n < x.size(); ++n) {
            const double up = move({x, n, std::log1p(secant_)}, which, here, above);
            const double down = move({x, n, std::log1p(-secant_)}, which, here, below);
            if (up > down) to.col(n) = (above - below) / (up - down);
        }
        return {};
    }

    /// A step of the n-th parameter away from `x`.
    struct single_step {
        const VectorXd& x;
        Index n;
        double length;
    };

    /// Writes the errors after `step` to `to` and returns the length of the step, which ends at a bound. Where the
    /// model has no prediction after it, the step has no length, and the errors are those `here`.
    double move(const single_step& step, chosen_measurements which, const VectorXd& here,
                VectorXd& to) const {
        const fitted_parameter& p = parameters[static_cast<std::size_t>(step.n)];
        const double from = step.x[step.n];
        VectorXd moved = step.x;
        moved[step.n] =
            std::clamp(from + step.length, std::log(p.min_value), std::log(p.max_value));
        if (!values(moved, which, to)) return moved[step.n] - from;
        to = here;
        return 0;
    }
};

}  // namespace WARPGAUGE_NAMESPACE::detail::eigen

#endif
