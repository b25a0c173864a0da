// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_MODELS_MODEL_HPP
#define WARPGAUGE_MODELS_MODEL_HPP

#include <concepts>
#include <cstdint>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/kernel/profile.hpp>

/// \file What all models have in common, so that tools can work on any of them.

namespace warpgauge {

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

/// The error of an estimate. `missing` where a model of the caller's fails without saying why.
template <class Estimate>
[[nodiscard]] constexpr model_error error_of(const result<Estimate>& e) {
    return e.error() ? e.error() : model_error{errc::missing, "profile"};
}

/// The predicted time of an estimate, or its error.
/// \errors besides, not_positive `seconds`: what a model of the caller's predicts is no time
template <scalar Real = double, class Estimate>
[[nodiscard]] constexpr result<Real> seconds_of(const result<Estimate>& e) {
    if (!e) return error_of(e);
    const auto seconds = static_cast<Real>(e->seconds);
    if (!core::positive(seconds)) return model_error{errc::not_positive, "seconds"};
    return seconds;
}

/// Which form of a model's equations to use.
enum class form : std::uint8_t {
    corrected,     ///< mended where the print contradicts itself; docs/ lists each place
    as_published,  ///< exactly as printed
};

/// How the number of rounds of resident blocks is counted when the last round is not full.
enum class waves : std::uint8_t {
    quotient,  ///< a plain quotient, as in print: the last round counts by its share
    whole,     ///< rounded up: the last round counts as a full one
};

}  // namespace warpgauge

#endif
