// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "handles.hpp"

#include <iterator>

#include <warpgauge/by_name/predict.hpp>

#include "lists.hpp"

using namespace warpgauge;

namespace warpgauge::c {

const char* model_name_at(std::size_t index) {
    return index < std::size(model_names) ? model_names[index].data() : nullptr;
}

const char* model_name(std::string_view name) {
    for (const std::string_view known : model_names) {
        if (known == name) return known.data();
    }
    return "";
}

std::string_view asked_model(const warpgauge_device& device, const char* model) {
    return model == nullptr ? default_model_name(device.value) : std::string_view(model);
}

result<double> predict_seconds(std::string_view model, const any_device& device,
                               const kernel_profile<>& k) {
    const auto p = predict(model, device, k);
    if (!p) return p.error();
    return p->seconds;
}

}  // namespace warpgauge::c

const char* warpgauge_device_default_model(const warpgauge_device* device) {
    return device == nullptr ? nullptr : default_model_name(device->value).data();
}

int warpgauge_predict(const warpgauge_device* device, const char* model,
                      const warpgauge_profile* profile, warpgauge_prediction* prediction,
                      warpgauge_error* error) {
    return c::guarded(
        error, {{device, "device"}, {profile, "profile"}, {prediction, "prediction"}}, [&] {
            const std::string_view name = c::asked_model(*device, model);
            const auto p = predict(name, device->value, profile->value);
            if (!p) return c::report(error, p.error());
            *prediction = {.cycles = p->cycles,
                           .seconds = p->seconds,
                           .model = c::model_name(name),
                           .limited_by = p->limited_by.empty() ? "" : p->limited_by.data(),
                           .assumed = c::bits_of(p->assumed)};
            return c::report(error, {});
        });
}
