// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "handles.hpp"

#include <iterator>

#include <warpgauge/core/version.hpp>

#include "lists.hpp"

using namespace warpgauge;

#define WARPGAUGE_TEXT_OF(x) #x
#define WARPGAUGE_TEXT(x) WARPGAUGE_TEXT_OF(x)

const char* warpgauge_version() {
    return WARPGAUGE_TEXT(WARPGAUGE_VERSION_MAJOR) "." WARPGAUGE_TEXT(
        WARPGAUGE_VERSION_MINOR) "." WARPGAUGE_TEXT(WARPGAUGE_VERSION_PATCH);
}

// All names are string literals, which end with a null character.
const char* warpgauge_name_at(int list, size_t index) {
    switch (list) {
        case WARPGAUGE_DEVICES: return c::device_name_at(index);
        case WARPGAUGE_MODELS: return c::model_name_at(index);
        case WARPGAUGE_DEVICE_PARAMETERS:
            return index < device_parameter_count
                       ? info(static_cast<device_parameter>(index)).name.data()
                       : nullptr;
        case WARPGAUGE_PROFILE_PARAMETERS: return c::profile_parameter_at(index);
        case WARPGAUGE_ASSUMPTIONS:
            return index < assumption_count ? name(static_cast<assumption>(index)).data() : nullptr;
        default: return nullptr;
    }
}
