// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "handles.hpp"

#include <warpgauge/kernel/parameters.hpp>

using namespace warpgauge;

namespace {

// Two members of a profile that are no numbers.
constexpr std::string_view dimensions = "dimensions";
constexpr std::string_view waits_counted = "waits_counted";

}  // namespace

namespace warpgauge::c {

bool is_switch(std::string_view name) {
    return name == dimensions || name == waits_counted;
}

model_error set_switch(kernel_profile<>& k, std::string_view name, double value) {
    const int most = name == dimensions ? 3 : 1;
    for (int n = 0; n <= most; ++n) {
        if (value != n) continue;
        if (name == dimensions) {
            k.stencil.dimensions = n;
        } else {
            k.waits.counted = n == 1;
        }
        return {};
    }
    return {errc::outside_domain, name};
}

double* find_number(kernel_profile<>& k, std::string_view name) {
    double* found = nullptr;
    for_each_possible_parameter(k, [&](std::string_view other, double& value) {
        if (other == name) found = &value;
    });
    return found;
}

const char* profile_parameter_at(std::size_t index) {
    if (index == 0) return dimensions.data();
    if (index == 1) return waits_counted.data();
    index -= 2;
    const char* found = nullptr;
    kernel_profile<> any;
    for_each_possible_parameter(any, [&](std::string_view name, double&) {
        if (index-- == 0) found = name.data();
    });
    return found;
}

}  // namespace warpgauge::c

int warpgauge_profile_open(const warpgauge_profile* like, warpgauge_profile** profile,
                           warpgauge_error* error) {
    return c::guarded(error, {{profile, "profile"}}, [&] {
        *profile = like == nullptr ? new warpgauge_profile : new warpgauge_profile(*like);
        return c::report(error, {});
    });
}

void warpgauge_profile_close(warpgauge_profile* profile) {
    delete profile;
}

int warpgauge_profile_get(const warpgauge_profile* profile, const char* parameter, double* value,
                          warpgauge_error* error) {
    return c::guarded(error, {{profile, "profile"}, {parameter, "parameter"}, {value, "value"}},
                      [&] {
                          kernel_profile<> k = profile->value;
                          if (parameter == dimensions) {
                              *value = k.stencil.dimensions;
                          } else if (parameter == waits_counted) {
                              *value = k.waits.counted ? 1 : 0;
                          } else {
                              const double* found = c::find_number(k, parameter);
                              if (found == nullptr)
                                  return c::report(error, {errc::unknown_parameter, parameter});
                              *value = *found;
                          }
                          return c::report(error, {});
                      });
}

int warpgauge_profile_set(warpgauge_profile* profile, const char* parameter, double value,
                          warpgauge_error* error) {
    return c::guarded(error, {{profile, "profile"}, {parameter, "parameter"}}, [&] {
        if (c::is_switch(parameter)) {
            return c::report(error, c::set_switch(profile->value, parameter, value));
        }
        double* found = c::find_number(profile->value, parameter);
        if (found == nullptr) return c::report(error, {errc::unknown_parameter, parameter});
        *found = value;
        return c::report(error, {});
    });
}
