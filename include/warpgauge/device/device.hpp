// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_DEVICE_DEVICE_HPP
#define WARPGAUGE_DEVICE_DEVICE_HPP

#include <string_view>
#include <type_traits>

#include <warpgauge/core/scalar.hpp>
#include <warpgauge/device/parameters.hpp>

/// \file Devices as values: `edit`, `with`.
///
/// A device is any type with the members that a model's concept requires. `static constexpr` members (a traits
/// struct, folded by the compiler) and data members (a device known at run time) work alike. An unknown parameter
/// is not a member of a device, so that a model that needs it does not compile. `parameters.hpp` lists
/// the members that models read.

namespace WARPGAUGE_NAMESPACE {

/// A device with the limits that `occupancy` reads.
template <class D>
concept occupancy_device = has_warp<D> && has_residency<D>;

/// A device with the latencies of every memory of the SM and of L2.
template <class D>
concept has_cache_latency = has_shared_latency<D> && has_l1_latency<D> && has_l2_latency<D>;

/// The results a cycle of classes of instructions.
using instruction_rate_groups = group_list<parameters::integer_add_rates, parameters::integer_rates,
                                           parameters::comparison_rate, parameters::conversion_rate,
                                           parameters::wide_conversion_rate>;

/// A device whose parameters can be changed: the groups of another device, as data members. Its type depends only on
/// the groups, so that copies of several devices fit in one container.
template <class Real, template <class> class... Groups>
struct runtime_device : Groups<Real>... {
    using real = Real;  ///< The type of its parameters.

    std::string_view name{};  ///< of the device that it was copied from
    parameter_set assumed{};  ///< parameters without a source, which `with` has added

    constexpr runtime_device() = default;  ///< all parameters 0: no model takes it
    /// A copy of the groups of `d`, of its name if that is a view, and of its assumed parameters.
    template <class D>
    constexpr explicit runtime_device(const D& d) : Groups<Real>(Groups<Real>::copy_of(d))... {
        // A name that owns its text is left behind: the copy may outlive it.
        if constexpr (requires {
                          requires std::is_same_v<std::remove_cvref_t<decltype(d.name)>,
                                                  std::string_view>;
                      }) {
            name = d.name;
        }
        if constexpr (requires { assumed = d.assumed; }) assumed = d.assumed;
    }
};

/// A device whose type has all `Groups`, and whose value says which of them are known: one type for many GPUs. The
/// members of an unknown group have no meaning, and count as absent.
template <class Real, template <class> class... Groups>
struct partial_device : runtime_device<Real, Groups...> {
    group_set known{};  ///< the groups whose members hold values

    /// Whether the group `g` is known.
    [[nodiscard]] constexpr bool knows(device_group g) const noexcept { return known.contains(g); }

    constexpr partial_device() = default;  ///< no group is known
    /// A copy of those of `Groups` that `d` has.
    template <class D>
    constexpr explicit partial_device(const D& d) {
        if constexpr (requires {
                          requires std::is_same_v<std::remove_cvref_t<decltype(d.name)>,
                                                  std::string_view>;
                      }) {
            this->name = d.name;
        }
        if constexpr (requires { this->assumed = d.assumed; }) this->assumed = d.assumed;
        (take<Groups>(d), ...);
    }

private:
    template <template <class> class Group, class D>
    constexpr void take(const D& d) {
        if constexpr (Group<double>::template known_of<D>) {
            if (!warpgauge::knows<Group>(d)) return;
            static_cast<Group<Real>&>(*this) = Group<Real>::copy_of(d);
            known.add(Group<double>::which);
        }
    }
};

namespace detail::device {

template <class Real, template <class> class... Groups>
std::type_identity<runtime_device<Real, Groups...>> runtime(group_list<Groups...>);

template <template <class> class Group, class D>
constexpr D marked(D d) {
    auto mark = [&](device_parameter p, const double&) { d.assumed.add(p); };
    Group<double>::for_each(d, mark);
    return d;
}

template <template <class> class Group, template <class> class... Groups, class D>
constexpr auto completed(group_list<Groups...>, const D& device, const Group<double>& values) {
    const runtime_device<double, Groups...> as_it_is(device);
    if constexpr ((std::is_same_v<Groups<double>, Group<double>> || ...)) {
        auto to = as_it_is;
        static_cast<Group<double>&>(to) = values;
        return marked<Group>(to);
    } else {
        runtime_device<double, Groups..., Group> all;
        ((static_cast<Groups<double>&>(all) = as_it_is), ...);
        static_cast<Group<double>&>(all) = values;
        all.name = as_it_is.name;
        all.assumed = as_it_is.assumed;
        // The groups in the order of the table, as those of every other device.
        using device_type = typename decltype(runtime<double>(groups_of<decltype(all)>{}))::type;
        return marked<Group>(device_type(all));
    }
}

template <class D, class Real>
struct edit_of : decltype(runtime<Real>(groups_of<D>{})) {};
template <class From, template <class> class... Groups, class Real>
struct edit_of<partial_device<From, Groups...>, Real> {
    using type = partial_device<Real, Groups...>;
};

}  // namespace detail::device

/// The type of `edit(D{})`.
template <class D, scalar Real = double>
using edited = typename detail::device::edit_of<D, Real>::type;

/// A copy of `device` whose parameters can be changed. The copy lacks a group of which `device` lacks a parameter.
template <class D>
[[nodiscard]] constexpr auto edit(const D& device) {
    return edited<D>(device);
}

/// The same with parameters of type `Real`, such as a number with derivatives.
template <scalar Real, class D>
[[nodiscard]] constexpr auto edit(const D& device) {
    return edited<D, Real>(device);
}

/// An editable copy of `device` with a group of parameters that it lacks, or with other values of a group that it
/// has. The parameters of the group count as assumed.
///
///     const auto gpu = with<parameters::departures>(devices::h100_sxm5{},
///         {.coalesced_departure_cycles = 2, .uncoalesced_departure_cycles = 2});
template <template <class> class Group, class D>
[[nodiscard]] constexpr auto with(const D& device, const Group<double>& values) {
    return detail::device::completed<Group>(groups_of<D>{}, device, values);
}

}  // namespace WARPGAUGE_NAMESPACE

#endif
