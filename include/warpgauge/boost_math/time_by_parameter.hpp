// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_BOOST_MATH_TIME_BY_PARAMETER_HPP
#define WARPGAUGE_BOOST_MATH_TIME_BY_PARAMETER_HPP

#include <string_view>
#include <type_traits>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/device/device.hpp>
#include <warpgauge/kernel/parameters.hpp>
#include <warpgauge/kernel/profile.hpp>
#include <warpgauge/kernel/with_blocks.hpp>
#include <warpgauge/models/model.hpp>

/// \file A predicted time as a function of a parameter with a name. An internal part of `inverse.hpp`.

namespace WARPGAUGE_NAMESPACE::detail::boost_math {

/// The time that a model predicts, as a function of one parameter of its device or of the profile. With more `blocks`, the launch
/// moves as many more bytes.
template <placeable_model Model>
class time_by_parameter {
public:
    time_by_parameter(const Model& model, const kernel_profile<>& k, std::string_view parameter)
        : model_(model), device_(edit(model.device)), kernel_(k), profile_(k), name_(parameter) {
        value_ = find_parameter(device_, parameter);
        if (value_ == nullptr) value_ = find_parameter(profile_, parameter);
    }
    time_by_parameter(const time_by_parameter&) = delete;
    time_by_parameter& operator=(const time_by_parameter&) = delete;

    /// Why there is no such function.
    [[nodiscard]] model_error error() const {
        if (value_ != nullptr) return {};
        return {errc::unknown_parameter, name_.empty() ? "parameter" : name_};
    }

    [[nodiscard]] result<double> operator()(double x) {
        if (value_ == &profile_.blocks && core::positive(kernel_.blocks)) {
            profile_ = with_blocks(kernel_, x);
        } else {
            *value_ = x;
        }
        return seconds_of(model_.on(device_).predict(profile_));
    }

private:
    const Model& model_;
    edited<std::remove_cvref_t<decltype(Model::device)>> device_;
    kernel_profile<> kernel_;
    kernel_profile<> profile_;
    std::string_view name_;
    double* value_ = nullptr;  ///< in `device_` or `profile_`
};

}  // namespace WARPGAUGE_NAMESPACE::detail::boost_math

#endif
