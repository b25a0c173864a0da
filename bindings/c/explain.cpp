// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "handles.hpp"

#include <iterator>
#include <optional>

#include <warpgauge/analyse/explain.hpp>
#include <warpgauge/by_name/predict.hpp>

#include "neutral_saturation.hpp"

using namespace warpgauge;

namespace {

/// Models that are explained. Of the others, which have few users, each would take its time to compile.
template <class Model>
inline constexpr bool is_explained = false;
template <class D>
inline constexpr bool is_explained<roofline_model<D>> = true;
template <class D>
inline constexpr bool is_explained<mwp_cwp_model<D>> = true;
template <class D>
inline constexpr bool is_explained<saturation_model<D>> = true;
template <class D>
inline constexpr bool is_explained<hybrid_model<D>> = true;

const char* text_of(const std::optional<bottleneck>& b) {
    return b ? name(*b).data() : nullptr;
}

warpgauge_explanation in_c(const explanation& e, std::string_view model) {
    warpgauge_explanation to{};
    to.seconds = e.seconds;
    to.model = c::model_name(model);
    to.limiting = text_of(e.limiting);
    to.next = text_of(e.next);
    to.next_after_factor = e.next_after_factor.value_or(0);
    to.assumed = c::bits_of(e.assumed);
    static_assert(bottlenecks <= std::size(decltype(to.removals){}));
    for (const removal& r : e.removals) {
        to.removals[to.removal_count++] = {.bottleneck = name(r.what).data(),
                                           .seconds = r.seconds,
                                           .benefit_seconds = r.benefit_seconds,
                                           .code = static_cast<int32_t>(r.error.code)};
    }
    return to;
}

/// Explains `k` by a model.
template <class Model>
result<explanation> explained(const Model& m, const any_device&, const kernel_profile<>& k) {
    return explain(m, k);
}
/// Of a latency that is not known, easing would change the neutral value, which depends on another latency.
template <class D>
result<explanation> explained(const saturation_model<D>& m, const any_device& device,
                              const kernel_profile<>& k) {
    if (!device.knows(device_group::l1_latency) || !device.knows(device_group::l2_latency)) {
        return explain(m, k);
    }
    return c::with_neutral_saturation(device, m,
                                      [&](const auto& quick) { return explain(quick, k); });
}

}  // namespace

int warpgauge_explain(const warpgauge_device* device, const char* model,
                      const warpgauge_profile* profile, warpgauge_explanation* explanation,
                      warpgauge_error* error) {
    return c::guarded(
        error, {{device, "device"}, {profile, "profile"}, {explanation, "explanation"}}, [&] {
            const std::string_view asked = c::asked_model(*device, model);
            const auto bad = visit_model(asked, device->value, [&](const auto& m) -> model_error {
                if constexpr (is_explained<std::remove_cvref_t<decltype(m)>>) {
                    const auto e = explained(m, device->value, profile->value);
                    if (!e) return e.error();
                    *explanation = in_c(*e, asked);
                    return {};
                } else {
                    return {errc::outside_domain, "model"};
                }
            });
            return c::report(error, bad);
        });
}
