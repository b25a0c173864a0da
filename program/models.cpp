// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "models.hpp"

#include <algorithm>

#include <warpgauge/by_name/predict.hpp>
#include <warpgauge/report/assumptions.hpp>

#include "failure.hpp"
#include "text.hpp"

namespace program {

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

warpgauge::result<predicted_time> predicted(const std::string& model,
                                            const warpgauge::any_device& gpu,
                                            const warpgauge::kernel_profile<>& k) {
    const auto p = warpgauge::predict(model, gpu, k);
    if (!p) return p.error();
    return predicted_time{p->seconds, p->cycles, std::string(p->limited_by),
                          warpgauge::report::in_words(p->assumed),
                          warpgauge::report::groups_in_words(p->assumed_parameters)};
}

}  // namespace program
