// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_EIGEN_CALIBRATION_HPP
#define WARPGAUGE_EIGEN_CALIBRATION_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <Eigen/Core>

#include <warpgauge/core/result.hpp>
#include <warpgauge/device/device.hpp>
#include <warpgauge/kernel/profile.hpp>

/// \file The input of `calibrate`, measured times and the parameters to fit, and its result. It is opt-in, since it
/// needs Eigen.
///
/// All errors and derivatives are those of logarithms: 0.1 is 10%.

namespace WARPGAUGE_NAMESPACE {

/// The measured time of one launch.
struct measurement {
    kernel_profile<> profile{};  ///< the launch, as models take it
    double seconds{};            ///< s, > 0
    std::string_view kernel{};   ///< launches of one kernel are held out together; not owned
};

/// A device parameter to fit, by its name in `device/parameters.hpp`, and its bounds:
/// 0 < min_value <= max_value, with the device's own value between them.
struct fit_parameter {
    std::string_view name{};  ///< of the parameter; not owned
    double min_value{};       ///< in the parameter's unit
    double max_value{};       ///< in the parameter's unit
};

/// The options of the fit and of the search.
struct calibration_options {
    bool fit_scale = true;  ///< also fit a factor on all predicted times
    bool hold_out = true;   ///< fit again without each kernel
    std::size_t starts =
        8;  ///< points from which the search starts, 1 to 1000; the device is the first
    std::size_t max_steps = 200;  ///< of the search from each of them, >= 1
    /// Above 0 and below 1: slopes are secants, from this fraction below a parameter to this fraction above it, as
    /// far as its bounds and the model go. Models that round to whole numbers, such as MPD/CPD, and models without
    /// derivatives, such as the hybrid one, need it. 0: slopes are derivatives at a point.
    double secant = 0;
    /// The data do not determine a direction whose effect on the times is below this fraction of the strongest
    /// effect; 0 to 1.
    double rank_tolerance = 1e-6;
};

/// Whether the data determine a parameter.
enum class fit_state : std::uint8_t {
    fitted,     ///< the data determine it between its bounds
    at_min,     ///< held at its lower bound: times come nearer below, or the bounds are equal
    at_max,     ///< held at its upper bound: times come nearer above
    ambiguous,  ///< the data determine it only together with others, see `ambiguities`
    no_effect,  ///< no measured launch depends on it
};

/// The state in words: "at its lower bound".
[[nodiscard]] constexpr std::string_view name(fit_state state) noexcept {
    switch (state) {
        case fit_state::fitted: return "fitted";
        case fit_state::at_min: return "at its lower bound";
        case fit_state::at_max: return "at its upper bound";
        case fit_state::ambiguous: return "ambiguous";
        case fit_state::no_effect: return "no launch reacts";
    }
    return "unknown";
}

/// True if the measurements do not determine a parameter alone.
[[nodiscard]] constexpr bool undetermined(fit_state state) noexcept {
    return state == fit_state::ambiguous || state == fit_state::no_effect;
}

/// The result of the fit for one parameter.
struct fitted_parameter {
    std::string_view name{};  ///< the device parameter's; or "scale", which has no bounds
    double start{};           ///< the device's; of the scale 1
    double value{};           ///< as fitted
    double min_value{};       ///< as the caller gave it
    double max_value{};       ///< as the caller gave it
    fit_state state{};        ///< whether the data determine it
    /// Standard error of ln(value), if errors of launches are independent; infinite if the parameter is
    /// `undetermined`, 0 if a bound holds it.
    double log_error{};
    /// The same if errors of kernels, not of launches, are independent: the jackknife over the fits without each
    /// kernel (Tukey 1958). It is infinite or 0 in the same cases. It is also infinite if a single kernel determines
    /// the parameter, so that a fit without this kernel leaves it `undetermined` or fails. 0 without `hold_out`.
    double log_error_of_kernels{};
};

/// Multiplying each parameter by t^power, for any t near 1, changes no predicted time. The first power is
/// positive. Powers below a millionth of the largest are left out.
struct ambiguous_power {
    std::string_view parameter{};  ///< as `fitted_parameter` names it
    double power{};                ///< of t
};
/// The parameters of one direction that the data do not determine.
using ambiguity = std::vector<ambiguous_power>;

/// The error of predicted times against measured ones.
struct time_error {
    double factor{};   ///< exp(mean |ln(predicted / measured)|), >= 1
    double rms_log{};  ///< root of the mean of ln(predicted / measured)^2
};

/// The error of the predicted times of one kernel's launches.
struct kernel_error {
    std::string_view kernel{};   ///< as its measurements name it
    std::size_t measurements{};  ///< number of its launches
    time_error before{};         ///< of the device as given, without a scale
    time_error after{};          ///< of the fitted device and scale
    time_error held_out{};  ///< of the fit without this kernel; 0 if there is a `held_out_error`
    /// The error of the fit without this kernel, or of its prediction of the kernel; `overflow` of `seconds` if the
    /// factor is not finite.
    model_error held_out_error{};
};

/// Geometric means of the kernels' error factors; each kernel counts the same.
struct kernel_means {
    double before{};    ///< of the device as given
    double after{};     ///< of the fitted device and scale
    double held_out{};  ///< of the kernels without a `held_out_error`; 0 if every kernel has one
    std::size_t unpredicted{};  ///< kernels with a `held_out_error`
    /// The held-out error of the given device with only a scale fitted; 0 if the fit has no scale or nothing else, and
    /// without `hold_out`.
    double scale_alone{};

    /// Whether the fit is expected to be worse on new kernels than the given device or than a scale alone, or has no
    /// prediction where these have one.
    [[nodiscard]] constexpr bool overfits() const noexcept {
        return held_out > before || (scale_alone > 0 && held_out > scale_alone) || unpredicted > 0;
    }
};

/// The result of a fit. The scale, if fitted, is the last of `parameters`; rows and columns of the matrices have
/// the same order.
struct calibration_report {
    double scale{1};                             ///< multiplies the times that a model predicts
    std::vector<fitted_parameter> parameters{};  ///< in the order of the request
    std::vector<ambiguity> ambiguities{};        ///< directions that the data do not determine
    /// Of ln(parameters): s^2 (J^T J)^-1, where s^2 is the sum of squares over launches less fitted directions. Rows
    /// of parameters that are not `fitted` are 0.
    Eigen::MatrixXd covariance{};
    Eigen::MatrixXd
        correlation{};    ///< the same as correlations, with 1 on the diagonal of fitted parameters
    time_error before{};  ///< of all launches: of the device as given, without a scale
    time_error after{};   ///< of all launches: of the fitted device and scale
    std::vector<kernel_error> kernels{};  ///< in the order of their first launch
    kernel_means by_kernel{};             ///< held out: 0 without `hold_out`
    bool converged{};                     ///< every fit ended at a point that no step improves
};

/// The same with the fitted device.
template <class Device>
struct calibration : calibration_report {
    edited<Device> device{};  ///< a copy with the fitted parameters
};

}  // namespace WARPGAUGE_NAMESPACE

#endif
