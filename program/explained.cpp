// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <utility>

#include <warpgauge/by_name/predict.hpp>

#include "models.hpp"

namespace program {

warpgauge::result<warpgauge::explanation> explained(const std::string& model,
                                                    const warpgauge::any_device& gpu,
                                                    const warpgauge::kernel_profile<>& k) {
    warpgauge::explanation e;
    const auto bad =
        warpgauge::visit_model(model, gpu, [&](const auto& typed) -> warpgauge::model_error {
            auto found = warpgauge::explain(typed, k);
            if (!found) return found.error();
            e = *std::move(found);
            return {};
        });
    if (bad) return bad;
    return e;
}

}  // namespace program
