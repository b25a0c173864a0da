// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_EIGEN_CALIBRATE_HPP
#define WARPGAUGE_EIGEN_CALIBRATE_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/device/device.hpp>
#include <warpgauge/eigen/calibration.hpp>
#include <warpgauge/eigen/fit_request.hpp>
#include <warpgauge/eigen/held_out.hpp>
#include <warpgauge/eigen/identify.hpp>
#include <warpgauge/eigen/log_errors.hpp>
#include <warpgauge/eigen/log_fit.hpp>
#include <warpgauge/models/model.hpp>

/// \file Parameters of a device fitted to measured times, with their errors. It is opt-in, since it needs Eigen.
///
/// The fit minimises the sum of (ln(scale * predicted) - ln(measured))^2 over the logarithms of the
/// parameters, within bounds. `calibration.hpp` has the types of input and report.

namespace WARPGAUGE_NAMESPACE {

/// The type of the result for `Model`: a `calibration` of its device.
template <placeable_model Model>
using calibration_of = calibration<std::remove_cvref_t<decltype(std::declval<Model>().device)>>;

/// Fits parameters of the model's device to measured times:
///
///     calibrate(mwp_cwp_model{devices::geforce_gtx_280{}}, measured,
///               std::array{fit_parameter{"issue_cycles", 1, 16}});
///
/// A scale without parameters is a fit too. States describe the neighbourhood of the fit: a parameter that no launch
/// reacts to there may matter elsewhere. The work is in proportion to the kernels (with `hold_out`), starts, steps and
/// measurements.
/// \errors those of the model for the device as given, `line` the measurement's entry, `field` "profile" where
///         they name none; besides
///         missing            `parameters`: none, nor a scale; `measurements`: not more than what is fitted, the scale
///                            included; `kernel`: `hold_out`, and all are of one kernel
///         unknown_parameter  a name that is not a parameter of the device, with the entry
///         malformed          `parameters`, with the entry: a name appears twice
///         not_positive       `seconds`, measured or predicted, `min_value`, with the entry; `secant`: the model takes
///                            no numbers with derivatives
///         overflow           `seconds`: predicted and measured times are too far apart for a factor between them
///         outside_domain     with the entry: `max_value`: below `min_value`, or no finite number; the parameter's
///                            name: the device's own value is not within the bounds; `seconds`: has no derivative;
///                            without: `starts`, `max_steps`, `secant`, `rank_tolerance`
template <placeable_model Model>
[[nodiscard]] result<calibration_of<Model>> calibrate(const Model& model,
                                                      std::span<const measurement> measurements,
                                                      std::span<const fit_parameter> parameters,
                                                      const calibration_options& options = {});

/// `device` with each parameter multiplied by its ratio value / start in a calibration, on this or on another
/// device. The scale, which multiplies predicted times, is ignored.
/// \errors with the entry
///         unknown_parameter  a name that is not a parameter of the device
///         malformed          `parameters`: a name appears twice
///         not_positive       `start`, `value`
///         overflow           the parameter's name: the product is too large or too small
template <class Device>
[[nodiscard]] result<edited<Device>> corrected(const Device& device,
                                               std::span<const fitted_parameter> parameters);

// --- How

namespace detail::eigen {

/// False if a result of the fit to all measurements overflows or underflows a double, although its logarithm does not.
inline bool all_numbers(const calibration_report& c) {
    return is_number(c.before) && is_number(c.after) && c.covariance.allFinite() &&
           c.correlation.allFinite() &&
           std::all_of(c.parameters.begin(), c.parameters.end(),
                       [](const fitted_parameter& p) { return core::positive(p.value); }) &&
           std::all_of(c.kernels.begin(), c.kernels.end(), [](const kernel_error& k) {
               return is_number(k.before) && is_number(k.after);
           });
}

/// Reports the fit `best` to all measurements, which are `before` off at the start.
[[nodiscard]] inline model_error report_fit(const log_problem& problem, const log_fit& best,
                                            const VectorXd& before,
                                            std::span<const kernel_places> kernels,
                                            calibration_report& c) {
    VectorXd after;
    MatrixXd slopes;
    if (const auto bad = problem.values(best.x, after)) return bad;
    if (const auto bad = problem.derivatives(best.x, slopes)) return bad;
    for (std::size_t n = 0; n < c.parameters.size(); ++n) {
        c.parameters[n].value = value_at(c.parameters[n], best.x[Index(n)]);
    }
    if (problem.errors.has_scale()) c.scale = c.parameters.back().value;
    c.converged = best.converged;
    report_parameters(
        identify({slopes, after, best.x}, problem.bounds, problem.options.rank_tolerance),
        slopes.rows(), best.squares, c);
    c.before = time_error_of(before);
    c.after = time_error_of(after);
    for (const kernel_places& k : kernels) {
        c.kernels.push_back({.kernel = k.kernel,
                             .measurements = k.inside.size(),
                             .before = time_error_of(at(before, k.inside)),
                             .after = time_error_of(at(after, k.inside))});
    }
    return all_numbers(c) ? model_error{} : model_error{errc::overflow, "seconds"};
}

inline kernel_means means_of(std::span<const kernel_error> kernels) {
    kernel_means m{mean_factor(kernels, &kernel_error::before),
                   mean_factor(kernels, &kernel_error::after),
                   mean_factor(kernels, &kernel_error::held_out)};
    for (const kernel_error& k : kernels) {
        if (k.held_out_error) ++m.unpredicted;
    }
    return m;
}

/// The part of `calibrate` that needs neither model nor device.
[[nodiscard]] inline model_error calibrate(const log_errors& errors,
                                           std::span<const kernel_places> kernels,
                                           const calibration_options& options,
                                           calibration_report& c) {
    const VectorXd start = logs(c.parameters, &fitted_parameter::start);
    const box bounds{logs(c.parameters, &fitted_parameter::min_value),
                     logs(c.parameters, &fitted_parameter::max_value)};
    std::vector<std::size_t> all(errors.measurements.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    const log_problem problem{errors, start, bounds, options, all};
    VectorXd before;
    if (const auto bad = problem.values(start, before)) return bad;
    const auto best = fit(problem);
    if (!best) return best.error();
    if (const auto bad = report_fit(problem, *best, before, kernels, c)) return bad;
    if (options.hold_out) held_out_fits(problem, kernels, c).run();
    c.by_kernel = means_of(c.kernels);
    if (options.hold_out && errors.has_scale() && c.parameters.size() > 1) {
        c.by_kernel.scale_alone = scale_alone(before, kernels);
    }
    return {};
}

inline model_error check_corrections(std::span<const fitted_parameter> parameters) {
    for (std::size_t n = 0; n < parameters.size(); ++n) {
        const auto entry = static_cast<std::uint32_t>(n + 1);
        if (!core::positive(parameters[n].start)) return {errc::not_positive, "start", entry};
        if (!core::positive(parameters[n].value)) return {errc::not_positive, "value", entry};
        if (appears_before(parameters, n)) return {errc::malformed, "parameters", entry};
    }
    return {};
}

}  // namespace detail::eigen

template <placeable_model Model>
result<calibration_of<Model>> calibrate(const Model& model,
                                        std::span<const measurement> measurements,
                                        std::span<const fit_parameter> parameters,
                                        const calibration_options& options) {
    namespace parts = detail::eigen;
    if (const auto bad = parts::check_options(options, placeable_model_in<Model, slopes>)) {
        return bad;
    }
    calibration_of<Model> c;
    c.device = edit(model.device);
    if (const auto bad = parts::read_parameters(c.device, parameters, c.parameters)) return bad;
    if (options.fit_scale) c.parameters.push_back(parts::scale_parameter());
    if (const auto bad = parts::check_measurements(measurements, c.parameters.size())) return bad;
    const auto kernels = parts::places_by_kernel(measurements);
    if (options.hold_out && kernels.size() < 2) return model_error{errc::missing, "kernel"};

    const parts::log_errors_of<Model> errors(model, measurements, c.parameters, options.secant);
    if (const auto bad = parts::calibrate(errors, kernels, options, c)) return bad;
    parts::for_each_named(
        c.device, c.parameters,
        [&](std::size_t n, std::string_view, double& value) { value = c.parameters[n].value; });
    return c;
}

template <class Device>
result<edited<Device>> corrected(const Device& device,
                                 std::span<const fitted_parameter> parameters) {
    namespace parts = detail::eigen;
    if (const auto bad = parts::check_corrections(parameters)) return bad;
    auto d = edit(device);
    model_error bad;
    std::vector<bool> known(parameters.size());
    parts::for_each_named(d, parameters, [&](std::size_t n, std::string_view name, double& value) {
        const double published = value;
        value *= parameters[n].value / parameters[n].start;
        known[n] = true;
        if (!(core::positive(value) || (published == 0 && value == 0))) {
            bad = {errc::overflow, name, static_cast<std::uint32_t>(n + 1)};
        }
    });
    if (bad) return bad;
    for (std::size_t n = 0; n < parameters.size(); ++n) {
        if (!known[n] && parameters[n].name != parts::scale_name) {
            return parts::unknown_name(parameters, n);
        }
    }
    return d;
}

}  // namespace WARPGAUGE_NAMESPACE

#endif
