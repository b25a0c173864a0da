// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_TESTS_INVARIANTS_SUBJECT_HPP
#define WARPGAUGE_TESTS_INVARIANTS_SUBJECT_HPP

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <warpgauge/by_name/any_device.hpp>
#include <warpgauge/device/device.hpp>
#include <warpgauge/devices/all.hpp>
#include <warpgauge/kernel/assumptions.hpp>
#include <warpgauge/models/model.hpp>
#include <warpgauge/sm/launch.hpp>

#include "random_cases.hpp"

// A model as the invariants see it: the GPUs that it takes, and its time of a launch on one of them.

namespace invariants {

/// What a model says of a launch.
struct answer {
    double seconds{};  ///< 0: `error` says why
    assumptions<> assumed{};
    model_error error{};
};

/// The least times that no machine beats, of a launch as the model reads it; 0: not known.
struct hardware_floors {
    double issue_seconds{};  ///< its instructions at the issue rate of all SMs
    double bytes_seconds{};  ///< its bytes at the bandwidth of DRAM
    double
        latency_seconds{};  ///< the instructions of one warp, each behind those whose results it needs
};

/// A GPU, and the model on GPUs of which the same is known.
struct placed_device {
    any_device device{};
    answer (*predict)(const any_device&, const kernel_profile<>&, equation_form){};
};

/// A model with its options.
struct subject {
    std::string_view name{};
    kernel_kind kind{};
    bool has_published_form{};
    std::vector<placed_device> devices{};  ///< every GPU of the library that the model can take
    parameter_set reads{};
    hardware_floors (*floors)(const any_device&, const launch_case&){};
    std::size_t cases_per_test =
        1;  ///< of a table and of the tools, one of so many cases is tried: simulations take long
    /// The tool whose time is not the model's, for GPUs of which the same is known as of `tools_device`.
    std::string (*tools)(const any_device&, const kernel_profile<>&){};
    any_device tools_device{};
};

namespace detail {

template <class D, template <class> class... Read>
constexpr auto known_groups(group_list<Read...>) {
    return (group_list<>{} + ... +
            typename warpgauge::detail::device::group_if<Read<double>::template known_of<D>,
                                                         Read>::type{});
}

template <template <class> class... Groups>
runtime_device<double, Groups...> device_of(group_list<Groups...>, const any_device& d) {
    return d.as<Groups...>();
}

template <class Result>
answer answer_of(const Result& e) {
    const auto seconds = seconds_of(e);
    if (!seconds) return {.error = seconds.error()};
    answer a{.seconds = *seconds};
    a.assumed = assumptions_of(*e);
    return a;
}

template <class Spec, class Groups>
answer predict_by(const any_device& d, const kernel_profile<>& k, equation_form form) {
    return answer_of(Spec::model(device_of(Groups{}, d), form).predict(k));
}

/// By one model that asks the device at run time what is known: many types take long to compile.
template <class Spec>
answer predict_known(const any_device& d, const kernel_profile<>& k, equation_form form) {
    return answer_of(Spec::model(d.known_of(typename Spec::reads{}), form).predict(k));
}

template <template <class> class... Groups>
parameter_set parameters_of(group_list<Groups...>) {
    parameter_set set;
    const auto add = [&]<class Group>(const Group& g) {
        auto visit = [&](device_parameter p, const double&) { set.add(p); };
        Group::for_each(g, visit);
    };
    (add(Groups<double>{}), ...);
    return set;
}

}  // namespace detail

/// `device` with a group that it lacks.
template <template <class> class Group, class D>
auto completed(const D& device, const Group<double>& values) {
    if constexpr (Group<double>::template known_of<D>) {
        return edit(device);
    } else {
        return with<Group>(device, values);
    }
}

/// The subject of a `Spec`, which has
/// - `name`, `kind`, `has_published_form`;
/// - `reads`: the groups of parameters that the model reads where a device has them;
/// - `complete(device)`: the device with what the model cannot do without, if sources lack it;
/// - `takes<D>`: whether the model takes a completed device;
/// - `model(device, form)`, `floors(device, launch)`;
/// - if so, `asks_at_run_time`: the model takes a device that says at run time what is known of it.
template <class Spec>
subject make_subject() {
    using reads = typename Spec::reads;
    subject s{.name = Spec::name,
              .kind = Spec::kind,
              .has_published_form = Spec::has_published_form,
              .floors = Spec::floors};
    s.reads = detail::parameters_of(reads{});
    devices::for_each([&](const auto& shipped) {
        const auto device = Spec::complete(shipped);
        using groups = decltype(detail::known_groups<decltype(device)>(reads{}));
        using read_device = decltype(detail::device_of(groups{}, any_device{}));
        if constexpr (Spec::template takes<read_device>) {
            static_assert(
                placeable_model<decltype(Spec::model(read_device{}, equation_form::corrected))>);
            any_device d(device);
            d.rename(shipped.name);
            if constexpr (requires { Spec::asks_at_run_time; }) {
                s.devices.push_back({d, &detail::predict_known<Spec>});
            } else {
                s.devices.push_back({d, &detail::predict_by<Spec, groups>});
            }
        }
    });
    if constexpr (requires { Spec::cases_per_test; }) s.cases_per_test = Spec::cases_per_test;
    return s;
}

/// A parameter of a device, or another number where it is not known.
inline double value_or(const any_device& d, std::string_view parameter, double otherwise) {
    const auto x = d.get(parameter);
    return x ? *x : otherwise;
}

/// Warps of an SM that takes its part of the blocks, or one.
inline double warps_of_sm(const any_device& d, const kernel_profile<>& k) {
    const double warps = std::ceil(k.threads_per_block / *d.get("warp_size"));
    return std::max(1.0, k.blocks / *d.get("sm_count")) * warps;
}

}  // namespace invariants

#endif
