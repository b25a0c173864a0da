// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_BINDINGS_C_HANDLES_HPP
#define WARPGAUGE_BINDINGS_C_HANDLES_HPP

#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include <warpgauge/c.h>
#include <warpgauge/by_name/any_device.hpp>
#include <warpgauge/core/result.hpp>
#include <warpgauge/kernel/assumptions.hpp>
#include <warpgauge/kernel/profile.hpp>

/// \file What the handles of the C interface hold, and how errors leave it.

struct warpgauge_device {
    warpgauge::any_device value{};
};

struct warpgauge_profile {
    warpgauge::kernel_profile<> value{};
    /// What `value.instructions` views; shared by copies, and never changed.
    std::shared_ptr<const std::vector<warpgauge::instruction>> stream{};
};

namespace warpgauge::c {

/// Writes an error with a sentence of its own; returns its code.
int report(warpgauge_error* to, const model_error& bad, std::string_view sentence);
/// Writes an error, or that there is none; returns its code. An unknown name is taken for that of a model, and an unknown
/// parameter for one of profiles: the sentence has the one that was perhaps meant.
int report(warpgauge_error* to, const model_error& bad);
/// The same for a name or a parameter of the list `names`.
int report(warpgauge_error* to, const model_error& bad, warpgauge_list names);
/// Writes that the pointer of that name is null.
int report_null(warpgauge_error* to, std::string_view name);
int report_no_memory(warpgauge_error* to);

/// A pointer that must not be null, and its name.
struct required {
    const void* pointer;
    std::string_view name;
};

/// Runs `act`, which returns a code, if no pointer is null. No exception leaves it.
template <class Act>
int guarded(warpgauge_error* to, std::initializer_list<required> pointers, const Act& act) {
    for (const required& r : pointers) {
        if (r.pointer == nullptr) return report_null(to, r.name);
    }
    try {
        return act();
    } catch (...) {  // the library throws nothing; its containers throw where memory ends
        return report_no_memory(to);
    }
}

/// The parameter of a profile of that name, of a stencil too where it is none yet; or null.
double* find_number(kernel_profile<>& k, std::string_view name);

/// Whether a parameter is one of those that are no numbers, "dimensions" and "waits_counted".
bool is_switch(std::string_view name);
/// Sets one of these.
/// \errors outside_domain  `name`: none of its values
model_error set_switch(kernel_profile<>& k, std::string_view name, double value);

/// The same name with static storage duration and a null character at its end; "" for another.
const char* model_name(std::string_view name);

/// The model that is asked: for null, the default one of the device.
std::string_view asked_model(const warpgauge_device& device, const char* model);

/// The time by the model of that name, of any model.
result<double> predict_seconds(std::string_view model, const any_device& device,
                               const kernel_profile<>& k);

inline std::uint64_t bits_of(const assumptions<>& set) {
    std::uint64_t bits = 0;
    for_each_assumption(
        set, [&](assumption a) { bits |= std::uint64_t{1} << static_cast<unsigned>(a); });
    return bits;
}

}  // namespace warpgauge::c

#endif
