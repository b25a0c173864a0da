// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_TESTS_INVARIANTS_TOOLS_HPP
#define WARPGAUGE_TESTS_INVARIANTS_TOOLS_HPP

#include <array>
#include <cmath>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <warpgauge/analyse/sensitivity.hpp>
#include <warpgauge/by_name/predict.hpp>
#include <warpgauge/tune/batch.hpp>
#include <warpgauge/tune/rank.hpp>
#include <warpgauge/tune/sweep.hpp>

#include "subject.hpp"

// The tools that predict for their caller: packs of lanes, derivatives, models by name. All give the model's own time.

namespace invariants {

namespace detail {

[[nodiscard]] inline bool same_time(double a, double b) {
    return a == b || std::fabs(a - b) <= 1e-12 * std::fabs(a);
}

/// The times of the tools that go through configurations: `k` with several numbers of blocks.
template <class Model>
std::string of_configurations(const Model& m, const kernel_profile<>& k) {
    const std::array<double, 7> blocks{k.blocks,     k.blocks + 1, 1, 2 * k.blocks, 3 * k.blocks,
                                       k.blocks + 7, k.blocks + 64};
    std::vector<kernel_profile<>> each(blocks.size(), k);
    std::vector<double> expected;
    for (std::size_t n = 0; n < blocks.size(); ++n) {
        each[n].blocks = blocks[n];
        const auto t = seconds_of(m.predict(each[n]));
        expected.push_back(t ? *t : 0);
    }
    const axis axes[]{{"blocks", blocks}};
    const configurations space{.axes = axes, .common = k, .describe = [](auto p, auto& profile) {
                                   profile.blocks = p[0];
                               }};
    const auto swept = sweep(space, m);
    const auto ranked = rank(m, each, 0);
    if (!swept || !ranked) return "sweep or rank fails";
    const std::span<const double> columns[]{blocks};
    std::array<double, blocks.size()> batch{};
    (void)predict_batch<4>(space, m, columns, batch);
    for (std::size_t n = 0; n < blocks.size(); ++n) {
        if (!same_time(expected[n], swept->seconds[n])) return "sweep";
        if (!same_time(expected[n], ranked->seconds[n])) return "rank";
        if (!same_time(expected[n], batch[n])) return "predict_batch";
    }
    return {};
}

/// With derivatives.
template <class Model>
std::string of_slopes(const Model& m, const kernel_profile<>& k, double seconds) {
    if constexpr (placeable_model_in<Model, slopes>) {
        const auto e = m.on(edit<slopes>(m.device)).predict(profile_in<slopes>(k));
        if (!e || !same_time(seconds, e->seconds.value)) return "gradient";
    }
    const auto all = sensitivities(m, k);
    if (!all) return "sensitivities";
    for (const sensitivity& s : *all) {
        if (!core::finite(s.elasticity)) return "sensitivity in " + std::string(s.parameter);
    }
    return {};
}

/// The tool whose time is not that of the model, and nothing where all agree.
template <class Spec, class Groups>
std::string tools_by(const any_device& d, const kernel_profile<>& k) {
    const auto m = Spec::model(device_of(Groups{}, d), equation_form::corrected);
    const auto seconds = seconds_of(m.predict(k));
    if (!seconds) return {};
    if constexpr (requires { Spec::by_name; }) {
        const auto p = predict(Spec::by_name, d, k);
        if (!Spec::by_name.empty() && !(p && p->seconds == *seconds)) return "predict by name";
    }
    std::string wrong = of_configurations(m, k);
    return wrong.empty() ? of_slopes(m, k, *seconds) : wrong;
}

}  // namespace detail

/// Gives a subject its `tools`, on a device that sources know well.
template <class Spec>
subject with_tools(subject s) {
    const devices::a100_sxm4_40gb shipped;
    const auto device = Spec::complete(shipped);
    using groups = decltype(detail::known_groups<decltype(device)>(typename Spec::reads{}));
    s.tools = &detail::tools_by<Spec, groups>;
    s.tools_device = any_device(device);
    return s;
}

}  // namespace invariants

#endif
