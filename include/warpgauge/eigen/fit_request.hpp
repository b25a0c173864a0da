// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_EIGEN_FIT_REQUEST_HPP
#define WARPGAUGE_EIGEN_FIT_REQUEST_HPP

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include <Eigen/Core>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/eigen/calibration.hpp>
#include <warpgauge/eigen/log_errors.hpp>

/// \file What a caller of `calibrate` asks for, read and checked. An internal part of `calibrate`.

namespace WARPGAUGE_NAMESPACE::detail::eigen {

/// True if one of the first `n` parameters has the name of the next.
inline bool appears_before(std::span<const fitted_parameter> parameters, std::size_t n) {
    const auto first = parameters.first(n);
    return std::any_of(first.begin(), first.end(),
                       [&](const fitted_parameter& p) { return p.name == parameters[n].name; });
}

/// The error of entry `n`, which names no parameter of the device.
inline model_error unknown_name(std::span<const fitted_parameter> parameters, std::size_t n) {
    const std::string_view name = parameters[n].name;
    return {errc::unknown_parameter, name.empty() ? "parameters" : name,
            static_cast<std::uint32_t>(n + 1)};
}

inline model_error check_bounds(const fitted_parameter& p, std::uint32_t entry) {
    if (!core::positive(p.min_value)) return {errc::not_positive, "min_value", entry};
    if (!(core::positive(p.max_value) && p.min_value <= p.max_value)) {
        return {errc::outside_domain, "max_value", entry};
    }
    return {};
}

/// Reads the parameters asked for, with the device's own values, to `to`.
template <class Device>
[[nodiscard]] model_error read_parameters(const Device& device,
                                          std::span<const fit_parameter> wanted,
                                          std::vector<fitted_parameter>& to) {
    for (const fit_parameter& p : wanted) {
        to.push_back({.name = p.name, .min_value = p.min_value, .max_value = p.max_value});
    }
    std::vector<bool> known(to.size());
    for_each_named(device, to, [&](std::size_t n, std::string_view name, double value) {
        known[n] = true;
        to[n].name = name;
        to[n].start = to[n].value = value;
    });
    for (std::size_t n = 0; n < to.size(); ++n) {
        const fitted_parameter& p = to[n];
        const auto entry = static_cast<std::uint32_t>(n + 1);
        if (const auto bad = check_bounds(p, entry)) return bad;
        if (!known[n]) return unknown_name(to, n);
        if (!(p.min_value <= p.start && p.start <= p.max_value)) {
            return {errc::outside_domain, p.name, entry};
        }
        if (appears_before(to, n)) return {errc::malformed, "parameters", entry};
    }
    return {};
}

/// The factor on all times, as a parameter without bounds.
inline fitted_parameter scale_parameter() {
    return {.name = scale_name,
            .start = 1,
            .value = 1,
            .min_value = 0,
            .max_value = std::numeric_limits<double>::infinity()};
}

/// `takes_derivatives`: the model takes numbers with derivatives.
inline model_error check_options(const calibration_options& o, bool takes_derivatives) {
    if (o.starts == 0 || o.starts > 1000) return {errc::outside_domain, "starts"};
    if (o.max_steps == 0) return {errc::outside_domain, "max_steps"};
    if (!(o.secant >= 0 && o.secant < 1)) return {errc::outside_domain, "secant"};
    if (!takes_derivatives && o.secant == 0) return {errc::not_positive, "secant"};
    if (!(o.rank_tolerance >= 0 && o.rank_tolerance < 1)) {
        return {errc::outside_domain, "rank_tolerance"};
    }
    return {};
}

/// More measurements than `fitted` parameters, each with a time.
inline model_error check_measurements(std::span<const measurement> measurements,
                                      std::size_t fitted) {
    if (fitted == 0) return {errc::missing, "parameters"};
    if (measurements.size() <= fitted) return {errc::missing, "measurements"};
    for (std::size_t i = 0; i < measurements.size(); ++i) {
        if (!core::positive(measurements[i].seconds)) {
            return {errc::not_positive, "seconds", static_cast<std::uint32_t>(i + 1)};
        }
    }
    return {};
}

/// The logarithms of a member of all parameters.
inline VectorXd logs(std::span<const fitted_parameter> parameters,
                     double fitted_parameter::*member) {
    VectorXd x(Index(parameters.size()));
    for (Index n = 0; n < x.size(); ++n) x[n] = std::log(parameters[std::size_t(n)].*member);
    return x;
}

}  // namespace WARPGAUGE_NAMESPACE::detail::eigen

#endif
