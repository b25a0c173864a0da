// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_BY_NAME_ANY_DEVICE_HPP
#define WARPGAUGE_BY_NAME_ANY_DEVICE_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <warpgauge/core/nearest_name.hpp>
#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/device/device.hpp>
#include <warpgauge/device/parameters.hpp>

/// \file A device whose parameters are known only at run time, by name: `any_device`.
///
/// It is one type for every GPU, for programs, bindings and tables. It holds each parameter of the table, and which of
/// them are known. It owns no memory.

namespace WARPGAUGE_NAMESPACE {

namespace detail::by_name {

template <template <class> class... Groups>
std::type_identity<runtime_device<double, Groups...>> whole(group_list<Groups...>);

/// Whether a number is in the valid range of a parameter.
constexpr model_error check_value(const parameter_info& row, double value) {
    if (!core::finite(value)) return {errc::not_positive, row.name};
    switch (row.range) {
        case parameter_range::positive:
        case parameter_range::whole:
            if (!(value > 0)) return {errc::not_positive, row.name};
            return {};
        case parameter_range::non_negative:
            if (value < 0) return {errc::negative, row.name};
            return {};
        case parameter_range::fraction:
            if (value < 0) return {errc::negative, row.name};
            return value > 1 ? model_error{errc::outside_domain, row.name} : model_error{};
    }
    return {errc::malformed, row.name};
}

}  // namespace detail::by_name

/// A device by the names of its parameters.
class any_device {
    using everything = typename decltype(detail::by_name::whole(all_groups{}))::type;

public:
    constexpr any_device() = default;  ///< no parameter is known

    /// A copy of a device: the groups that it has.
    template <has_chip D>
    requires(!std::is_same_v<D, any_device>) constexpr explicit any_device(const D& d) {
        take(groups_of<D>{}, edit(d));
    }

    /// The name of the device; empty if it has none.
    [[nodiscard]] constexpr std::string_view name() const noexcept { return values_.name; }
    /// Sets the name to `name`, which has to outlive the device.
    constexpr void rename(std::string_view name) noexcept { values_.name = name; }

    /// Its compute capability; 0.0 if it is not known.
    [[nodiscard]] constexpr compute_capability capability() const noexcept {
        return values_.capability;
    }

    /// Whether the parameter `p` has a value.
    [[nodiscard]] constexpr bool knows(device_parameter p) const noexcept {
        return known_.contains(p);
    }
    /// Whether every parameter of the group `g` has a value.
    [[nodiscard]] constexpr bool knows(device_group g) const noexcept {
        return groups_.contains(g);
    }
    /// The parameters without a source: those set by `set` and `complete` that were not known before.
    [[nodiscard]] constexpr const parameter_set& assumed() const noexcept {
        return values_.assumed;
    }

    /// The value of a parameter.
    /// \errors unknown_parameter  the table has no such name; the error's field views `parameter`;
    ///                            `message(error, device_parameters)` is a sentence with the one that was perhaps meant
    ///         missing            the parameter, which is not known for this device
    [[nodiscard]] constexpr result<double> get(std::string_view parameter) const {
        result<double> found = model_error{errc::unknown_parameter, parameter};
        for_each_parameter(values_, [&](device_parameter p, const double& value) {
            if (info(p).name != parameter) return;
            found = knows(p) ? result<double>(value)
                             : result<double>(model_error{errc::missing, info(p).name});
        });
        return found;
    }

    /// Sets a parameter. If it was not known before, it counts as assumed. A model can use a group once
    /// all of its parameters are known.
    /// \errors unknown_parameter  the table has no such name; the error's field views `parameter`
    ///         not_positive, negative, outside_domain  the parameter: `value` is not in its lawful range
    [[nodiscard]] constexpr model_error set(std::string_view parameter, double value) {
        model_error bad{errc::unknown_parameter, parameter};
        for_each_parameter(values_, [&](device_parameter p, double& to) {
            if (info(p).name != parameter) return;
            bad = detail::by_name::check_value(info(p), value);
            if (bad) return;
            to = value;
            if (!knows(p)) values_.assumed.add(p);
            known_.add(p);
        });
        if (!bad) find_whole_groups(all_groups{});
        return bad;
    }

    /// Sets all parameters of a group, which count as assumed.
    template <template <class> class Group>
    constexpr void complete(const Group<double>& values) {
        static_cast<Group<double>&>(values_) = values;
        groups_.add(Group<double>::which);
        auto mark = [&](device_parameter p, const double&) {
            known_.add(p);
            values_.assumed.add(p);
        };
        Group<double>::for_each(values_, mark);
    }

    /// Calls `visit(device_parameter, value)` for every parameter that is known.
    template <class Visitor>
    constexpr void for_each_known(Visitor&& visit) const {
        for_each_parameter(values_, [&](device_parameter p, const double& value) {
            if (knows(p)) visit(p, value);
        });
    }

    /// The first parameter of `Groups` that is not known, as an error; no error if all are known.
    template <template <class> class... Groups>
    [[nodiscard]] constexpr model_error missing_of() const {
        model_error bad;
        (add_missing<Groups>(bad), ...);
        return bad;
    }

    /// A device with only `Groups`, as models take it. Each of these groups has to be known.
    template <template <class> class... Groups>
    [[nodiscard]] constexpr auto as() const {
        return runtime_device<double, Groups...>(values_);
    }

    /// A device with those of `Groups` that are known, of one type for all devices.
    template <template <class> class... Groups>
    [[nodiscard]] constexpr partial_device<double, Groups...> known_of(
        group_list<Groups...>) const {
        partial_device<double, Groups...> d(values_);
        d.known = groups_;
        return d;
    }

private:
    template <template <class> class... Groups, class D>
    constexpr void take(group_list<Groups...>, const D& d) {
        ((static_cast<Groups<double>&>(values_) = d), ...);
        (groups_.add(Groups<double>::which), ...);
        for_each_parameter(d, [&](device_parameter p, const double&) { known_.add(p); });
        values_.name = d.name;
        values_.assumed = d.assumed;
    }

    template <template <class> class Group>
    constexpr void add_missing(model_error& bad) const {
        if (bad || knows(Group<double>::which)) return;
        bad = {errc::missing, warpgauge::name(Group<double>::which)};
        bool found = false;
        auto look = [&](device_parameter p, const double&) {
            if (found || knows(p)) return;
            found = true;
            bad.field = info(p).name;
        };
        Group<double>::for_each(values_, look);
    }

    template <template <class> class... Groups>
    constexpr void find_whole_groups(group_list<Groups...>) {
        (find_whole_group<Groups>(), ...);
    }
    template <template <class> class Group>
    constexpr void find_whole_group() {
        if (Group<double>::has_values || knows(Group<double>::which)) return;
        bool whole = true;
        auto look = [&](device_parameter p, const double&) { whole = whole && knows(p); };
        Group<double>::for_each(values_, look);
        if (whole) groups_.add(Group<double>::which);
    }

    everything values_{};
    parameter_set known_{};
    group_set groups_{};
};

}  // namespace WARPGAUGE_NAMESPACE

#endif
