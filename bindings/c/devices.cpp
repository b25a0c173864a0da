// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "handles.hpp"

#include <warpgauge/by_name/find_device.hpp>

using namespace warpgauge;

namespace warpgauge::c {

const char* device_name_at(std::size_t index) {
    const char* found = nullptr;
    // Names are string literals, which end with a null character.
    for_each_device_name([&](std::string_view name) {
        if (index-- == 0) found = name.data();
    });
    return found;
}

}  // namespace warpgauge::c

int warpgauge_device_open(const char* name, warpgauge_device** device, warpgauge_error* error) {
    return c::guarded(error, {{name, "name"}, {device, "device"}}, [&] {
        const auto found = find_device(name);
        if (!found) return c::report(error, found.error(), WARPGAUGE_DEVICES);
        *device = new warpgauge_device{*found};
        return c::report(error, {});
    });
}

void warpgauge_device_close(warpgauge_device* device) {
    delete device;
}

const char* warpgauge_device_name(const warpgauge_device* device) {
    return device == nullptr ? nullptr : device->value.name().data();
}

int warpgauge_device_get(const warpgauge_device* device, const char* parameter, double* value,
                         warpgauge_error* error) {
    return c::guarded(error, {{device, "device"}, {parameter, "parameter"}, {value, "value"}}, [&] {
        const auto found = device->value.get(parameter);
        if (!found) return c::report(error, found.error(), WARPGAUGE_DEVICE_PARAMETERS);
        *value = *found;
        return c::report(error, {});
    });
}

int warpgauge_device_set(warpgauge_device* device, const char* parameter, double value,
                         warpgauge_error* error) {
    return c::guarded(error, {{device, "device"}, {parameter, "parameter"}}, [&] {
        return c::report(error, device->value.set(parameter, value), WARPGAUGE_DEVICE_PARAMETERS);
    });
}
