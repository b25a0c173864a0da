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

/// \file What `calibrate` takes, measured times and the parameters to fit, and what it finds. Opt-in: needs Eigen.
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

/// What is fitted, and how long the search is.
struct calibration_options {
    bool fit_scale = true;  ///< fit a factor on all predicted times too
    bool hold_out = true;   ///< fit again without each kernel
    std::size_t starts =
        8;  ///< points from which the search starts, 1 to 1000; the device is the first
    std::size_t max_steps = 200;  ///< of the search from each of them, >= 1
    /// Above 0 and below 1: slopes are secants, from this fraction below a parameter to this fraction above it, as
    /// far as its bounds and the model go. Models that round to whole numbers, such as MPD/CPD, and models that take
    /// no numbers with derivatives, such as the hybrid one, need it. 0: slopes are derivatives at a point.
    double secant = 0;
    /// The data do not determine a direction whose effect on the times is below this fraction of the strongest
    /// effect; 0 to 1.
    double rank_tolerance = 1e-6;
};

/// What the data say of a parameter.
enum class fit_state : std::uint8_t {
    fitted,     ///< the data determine it between its bounds
    at_min,     ///< held at its lower bound: times come nearer below, or the bounds are equal
    at_max,     ///< held at its upper bound: times come nearer above
    ambiguous,  ///< the data determine it only together with others, see `ambiguities`
    no_effect,  ///< no measured launch reacts to it
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

/// What the fit says of one parameter.
struct fitted_parameter {
    std::string_view name{};  ///< the device parameter's; or "scale", which has no bounds
    double start{};           ///< the device's; of the scale 1
    double value{};           ///< as fitted
    double min_value{};       ///< as the caller gave it
    double max_value{};       ///< as the caller gave it
    fit_state state{};        ///< what the data say of it
    /// Standard error of ln(value), where launches err independently; infinite where the parameter is
    /// `undetermined`, 0 where a bound holds it.
    double log_error{};
    /// The same where kernels, not launches, err independently: the jackknife over the fits without each
    /// (Tukey 1958). Infinite and 0 likewise; infinite too where a single kernel determines the parameter: where a
    /// fit without one leaves it `undetermined` or fails. 0 without `hold_out`.
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

/// How far predicted times are from measured ones.
struct time_error {
    double factor{};   ///< exp(mean |ln(predicted / measured)|), >= 1
    double rms_log{};  ///< root of the mean of ln(predicted / measured)^2
};

/// How far the predicted times of one kernel's launches are from the measured ones.
struct kernel_error {
    std::string_view kernel{};   ///< as its measurements name it
    std::size_t measurements{};  ///< number of its launches
    time_error before{};         ///< of the device as given, without a scale
    time_error after{};          ///< of the fitted device and scale
    time_error
        held_out{};  ///< of the fit without this kernel; 0 where `held_out_error` says why it is missing
    /// Why the fit without this kernel, or its prediction of the kernel, fails; `overflow` of `seconds` where the
    /// factor is no finite number.
    model_error held_out_error{};
};

/// Geometric means of the kernels' error factors; each kernel counts the same.
struct kernel_means {
    double before{};    ///< of the device as given
    double after{};     ///< of the fitted device and scale
    double held_out{};  ///< of the kernels without a `held_out_error`; 0 if every kernel has one
    std::size_t unpredicted{};  ///< kernels with a `held_out_error`
    /// Held out likewise, of the device as it was with nothing but a scale fitted; 0 where no scale was, or
    /// nothing else, and without `hold_out`.
    double scale_alone{};

    /// On a kernel that it has not seen, the fit is expected to be worse than the device as it was or than a
    /// scale alone, or has no prediction where these had one.
    [[nodiscard]] constexpr bool overfits() const noexcept {
        return held_out > before || (scale_alone > 0 && held_out > scale_alone) || unpredicted > 0;
    }
};

/// What a fit found. The scale, if fitted, is the last of `parameters`; rows and columns of the matrices are
/// in the same order.
struct calibration_report {
    double scale{1};                             ///< multiplies the times that a model predicts
    std::vector<fitted_parameter> parameters{};  ///< in the order of the request
    std::vector<ambiguity> ambiguities{};        ///< directions that the data do not determine
    /// Of ln(parameters): s^2 (J^T J)^-1, where s^2 is the sum of squares over launches less fitted directions. Rows
    /// of parameters that are not `fitted` are 0.
    Eigen::MatrixXd covariance{};
    Eigen::MatrixXd correlation{};  ///< likewise, with 1 on the diagonal of what is fitted
    time_error before{};            ///< of all launches: of the device as given, without a scale
    time_error after{};             ///< of all launches: of the fitted device and scale
    std::vector<kernel_error> kernels{};  ///< in the order of their first launch
    kernel_means by_kernel{};             ///< held out: 0 without `hold_out`
    bool converged{};                     ///< every fit ended where no step makes it better
};

/// The same with the fitted device.
template <class Device>
struct calibration : calibration_report {
    edited<Device> device{};  ///< a copy with the fitted parameters
};

}  // namespace WARPGAUGE_NAMESPACE

#endif
