// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "models.hpp"

#include <algorithm>

#include <warpgauge/by_name/predict.hpp>
#include <warpgauge/report/assumptions.hpp>

#include "failure.hpp"
#include "text.hpp"

namespace program {

namespace {

// Is it a model of that template?
template <template <class> class Template, class Model>
inline constexpr bool is = false;
template <template <class> class Template, class D>
inline constexpr bool is<Template, Template<D>> = true;

}  // namespace

std::vector<std::string> all_models() {
    return {std::begin(warpgauge::model_names), std::end(warpgauge::model_names)};
}

std::string default_model(const warpgauge::any_device& gpu) {
    return std::string(warpgauge::default_model_name(gpu));
}

void check_models(const std::vector<std::string>& names) {
    const std::vector<std::string> known = all_models();
    for (const std::string& name : names) {
        if (std::find(known.begin(), known.end(), name) != known.end()) continue;
        const std::string near = perhaps(name, known);
        fail_usage("--model " + name + ": no such model" +
                   (near.empty() ? "; the models are " + joined(known) : near));
    }
}

bool reads(const std::string& model, const warpgauge::any_device& gpu,
           const std::string& parameter) {
    bool found = false;
    const auto bad =
        warpgauge::visit_model(model, gpu, [&](const auto& m) -> warpgauge::model_error {
            found = warpgauge::find_parameter(m.device, parameter) != nullptr;
            return {};
        });
    return !bad && found;
}

warpgauge::result<predicted_time> predicted(const std::string& model,
                                            const warpgauge::any_device& gpu,
                                            const warpgauge::kernel_profile<>& k) {
    const auto p = warpgauge::predict(model, gpu, k);
    if (!p) return p.error();
    return predicted_time{p->seconds, p->cycles, std::string(p->limited_by),
                          warpgauge::report::in_words(p->assumed),
                          warpgauge::report::groups_in_words(p->assumed_parameters)};
}

warpgauge::result<placed_kernel> placed(const warpgauge::any_device& gpu,
                                        const warpgauge::kernel_profile<>& k, double seconds) {
    placed_kernel found;
    const auto bad = warpgauge::visit_model(
        "roofline", gpu, [&]<class Model>(const Model& model) -> warpgauge::model_error {
            if constexpr (is<warpgauge::roofline_model, Model>) {
                const auto roofs = warpgauge::roofline_of(model.device);
                if (!roofs) return roofs.error();
                const auto point = warpgauge::roofline_point_of(k, seconds, model.device);
                if (!point) return point.error();
                found = {*roofs, *point};
            }
            return {};
        });
    if (bad) return bad;
    return found;
}

warpgauge::result<watched_sm> watched(const warpgauge::any_device& gpu,
                                      const warpgauge::kernel_profile<>& k,
                                      std::size_t max_events) {
    watched_sm seen;
    const auto keep = [&](const warpgauge::sm_event& event) {
        if (seen.events.size() < max_events) seen.events.push_back(event);
    };
    const auto bad = warpgauge::visit_model(
        "hybrid", gpu, [&]<class Model>(const Model& model) -> warpgauge::model_error {
            if constexpr (is<warpgauge::hybrid_model, Model>) {
                warpgauge::sm_workspace space;
                const auto e = model.predict(k, space, keep);
                if (!e) return e.error();
                seen.sm = e->sm;
                seen.limited_by = name(e->limited_by);
            }
            return {};
        });
    if (bad) return bad;
    return seen;
}

}  // namespace program
