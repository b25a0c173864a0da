// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PROGRAM_MODELS_HPP
#define WARPGAUGE_PROGRAM_MODELS_HPP

#include <string>
#include <string_view>
#include <vector>

#include <warpgauge/analyse/explain.hpp>
#include <warpgauge/analyse/sensitivity.hpp>
#include <warpgauge/by_name/any_device.hpp>
#include <warpgauge/core/result.hpp>
#include <warpgauge/kernel/assumptions.hpp>
#include <warpgauge/kernel/profile.hpp>
#include <warpgauge/models/roofline.hpp>
#include <warpgauge/simulate/sm_estimate.hpp>

/// \file Models by name. Three units alone compile them: models.cpp, explained.cpp and slopes.cpp.

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

/// Can that model read a parameter of GPUs? It sees those of its groups alone.
[[nodiscard]] bool reads(const std::string& model, const warpgauge::any_device& gpu,
                         const std::string& parameter);

[[nodiscard]] warpgauge::result<predicted_time> predicted(const std::string& model,
                                                          const warpgauge::any_device& gpu,
                                                          const warpgauge::kernel_profile<>& k);

[[nodiscard]] warpgauge::result<warpgauge::explanation> explained(
    const std::string& model, const warpgauge::any_device& gpu,
    const warpgauge::kernel_profile<>& k);

/// How the time depends on each parameter: derivatives of the roofline and of saturation, secants of other models.
[[nodiscard]] warpgauge::result<std::vector<warpgauge::sensitivity>> slopes_of(
    const std::string& model, const warpgauge::any_device& gpu,
    const warpgauge::kernel_profile<>& k);

/// The roofs of a GPU, and where a kernel lies under them.
struct placed_kernel {
    warpgauge::roofline<> roofs{};
    warpgauge::roofline_point<> point{};
};

/// A kernel that takes so long.
[[nodiscard]] warpgauge::result<placed_kernel> placed(const warpgauge::any_device& gpu,
                                                      const warpgauge::kernel_profile<>& k,
                                                      double seconds);

/// What an SM does with its part of a launch, by the model "hybrid".
struct watched_sm {
    warpgauge::sm_estimate sm{};
    std::string limited_by{};
    std::vector<warpgauge::sm_event> events{};  ///< the first ones
};

[[nodiscard]] warpgauge::result<watched_sm> watched(const warpgauge::any_device& gpu,
                                                    const warpgauge::kernel_profile<>& k,
                                                    std::size_t max_events);

}  // namespace program

#endif
