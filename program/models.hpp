// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PROGRAM_MODELS_HPP
#define WARPGAUGE_PROGRAM_MODELS_HPP

#include <string>
#include <string_view>
#include <vector>

#include <warpgauge/analyse/explain.hpp>
#include <warpgauge/by_name/any_device.hpp>
#include <warpgauge/core/result.hpp>
#include <warpgauge/kernel/assumptions.hpp>
#include <warpgauge/kernel/profile.hpp>

/// \file Models by name. Two units alone compile them: models.cpp, and explained.cpp.

namespace program {

/// What a model says of a launch.
struct predicted_time {
    double seconds{}, cycles{};
    std::string limited_by{};
    std::string taken_for_granted{};  ///< in words
    std::string assumed_groups{};     ///< of the GPU: parameters that no source gives
};

[[nodiscard]] std::vector<std::string> all_models();

/// The model to take for a GPU.
[[nodiscard]] std::string default_model(const warpgauge::any_device& gpu);

/// Fails where a name is no model's, with one that is near.
void check_models(const std::vector<std::string>& names);

[[nodiscard]] warpgauge::result<predicted_time> predicted(const std::string& model,
                                                          const warpgauge::any_device& gpu,
                                                          const warpgauge::kernel_profile<>& k);

[[nodiscard]] warpgauge::result<warpgauge::explanation> explained(
    const std::string& model, const warpgauge::any_device& gpu,
    const warpgauge::kernel_profile<>& k);

}  // namespace program

#endif
