// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_TUNE_RANK_BY_DEFAULT_HPP
#define WARPGAUGE_TUNE_RANK_BY_DEFAULT_HPP

#include <span>

#include <warpgauge/core/result.hpp>
#include <warpgauge/kernel/profile.hpp>
#include <warpgauge/models/model.hpp>
#include <warpgauge/tune/default_model.hpp>
#include <warpgauge/tune/rank.hpp>

/// \file The order in which to measure configurations on a device, by its default model: `rank(device, profiles)`.

namespace WARPGAUGE_NAMESPACE {

/// Predicts every profile by the default model of `device` and orders the times.
/// \errors negative  `tolerance`
template <has_default_model D>
requires(!model<D>)
    [[nodiscard]] result<ranking> rank(const D& device, std::span<const kernel_profile<>> profiles,
                                       double tolerance = 0) {
    return rank(default_model(device), profiles, tolerance);
}

}  // namespace WARPGAUGE_NAMESPACE

#endif
