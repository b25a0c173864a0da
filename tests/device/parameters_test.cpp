// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <cstddef>
#include <limits>
#include <string_view>
#include <type_traits>
#include <vector>

#include <warpgauge/device/device.hpp>
#include <warpgauge/device/parameters.hpp>
#include <warpgauge/device/sm_limits.hpp>

namespace parameters_test {

using namespace warpgauge;

namespace {

// The least that is a device.
struct chip_only {
    double sm_count = 4, clock_hz = 1e9, dram_bytes_per_s = 1e11;
};

struct timed_chip : chip_only {
    std::string_view name = "timed";
    double coalesced_departure_cycles = 4, uncoalesced_departure_cycles = 10;
    double dram_read_fraction = 0.9;
    double cpd_a = 3;  // b, c, d and costs are not known, and so neither is the group
};

}  // namespace

TEST_CASE("a group has the name of its struct, and no enumerator none") {
    CHECK(name(device_group::warp) == "warp");
    CHECK(name(static_cast<device_group>(255)) == "unknown");
}

TEST_CASE("each parameter has a name of its own, a unit and a meaning") {
    static_assert(std::size(device_parameters) == device_parameter_count);
    CHECK(device_parameter_count >= 59);
    for (std::size_t i = 0; i < device_parameter_count; ++i) {
        const parameter_info& row = device_parameters[i];
        CAPTURE(row.name);
        CHECK_FALSE(row.name.empty());
        CHECK_FALSE(row.group.empty());
        CHECK_FALSE(row.unit.empty());
        CHECK_FALSE(row.meaning.empty());
        for (std::size_t j = 0; j < i; ++j) CHECK(row.name != device_parameters[j].name);
        // Units are those of the name's suffix.
        if (row.name.ends_with("_cycles")) CHECK(row.unit == "cycle");
        if (row.name.ends_with("_hz")) CHECK(row.unit == "cycle/s");
        if (row.name.ends_with("_fraction")) {
            CHECK(row.unit == "1");
            CHECK(row.range == parameter_range::fraction);
        }
        if (row.name.ends_with("_count")) CHECK(row.range == parameter_range::whole);
    }
}

TEST_CASE("a row is found by its parameter") {
    CHECK(info(device_parameter::sm_count).name == "sm_count");
    CHECK(info(device_parameter::sm_count).group == "chip");
    CHECK(info(device_parameter::sm_count).unit == "SM");
    CHECK(info(device_parameter::issue_cycles).group == "issue");
    CHECK(info(device_parameter::cpd_c).range == parameter_range::fraction);
    CHECK(info(device_parameter::l2_bytes_per_cycle).unit == "B/cycle");
    CHECK(info(device_parameter::reserved_shared_bytes_per_block).range ==
          parameter_range::non_negative);
    CHECK(info(device_parameter::traffic_overlap).name == "traffic_overlap");  // the last
    CHECK(static_cast<std::size_t>(device_parameter::traffic_overlap) ==
          device_parameter_count - 1);
}

TEST_CASE("the rows of a group stand together, and each group is one of the list") {
    std::vector<std::string_view> groups;
    for (const parameter_info& row : device_parameters) {
        if (groups.empty() || groups.back() != row.group) {
            for (const std::string_view before : groups) CHECK(before != row.group);
            groups.push_back(row.group);
        }
    }
    // The groups without a number: architecture (a compute capability) and ppt_description.
    constexpr auto listed = []<template <class> class... Groups>(group_list<Groups...>) {
        return sizeof...(Groups);
    };
    CHECK(groups.size() + 2 == listed(all_groups{}));
}

TEST_CASE("every group of the list has members, which its walk visits in the order of the table") {
    std::vector<device_parameter> visited;
    []<template <class> class... Groups>(group_list<Groups...>, auto& seen) {
        const auto walk = [&]<template <class> class Group>(group_list<Group>) {
            Group<double> values{};
            auto add = [&](device_parameter p, double& value) {
                CHECK(value == 0);
                seen.push_back(p);
            };
            Group<double>::for_each(values, add);
            static_assert(!std::is_empty_v<Group<double>>);
            static_assert(Group<double>::template known_of<Group<float>>);
        };
        (walk(group_list<Groups>{}), ...);
    }(all_groups{}, visited);
    REQUIRE(visited.size() == device_parameter_count);
    for (std::size_t i = 0; i < visited.size(); ++i) {
        CHECK(static_cast<std::size_t>(visited[i]) == i);
    }
}

TEST_CASE("a device has the groups of which it has all parameters") {
    static_assert(has_chip<chip_only> && !has_warp<chip_only> && !has_departures<chip_only>);
    static_assert(has_departures<timed_chip> && has_dram_read<timed_chip>);
    static_assert(!has_computation_costs<timed_chip> && !has_dram_latency<timed_chip>);
    static_assert(
        std::is_same_v<groups_of<timed_chip>, group_list<parameters::chip, parameters::departures,
                                                         parameters::dram_read>>);
    static_assert(has_architecture<sm_limits> && has_residency<sm_limits> && !has_chip<sm_limits>);
    struct text_for_a_number : chip_only {
        std::string_view warp_size = "32";
    };
    static_assert(!has_warp<text_for_a_number>);
}

TEST_CASE(
    "a device's parameters are visited in the order of the table, those of whole groups alone") {
    std::vector<std::string_view> names;
    std::vector<double> values;
    const timed_chip device;
    for_each_parameter(device, [&](device_parameter p, const double& value) {
        names.push_back(info(p).name);
        values.push_back(value);
    });
    CHECK(names == std::vector<std::string_view>{
                       "sm_count", "clock_hz", "dram_bytes_per_s", "coalesced_departure_cycles",
                       "uncoalesced_departure_cycles", "dram_read_fraction"});
    CHECK(values == std::vector<double>{4, 1e9, 1e11, 4, 10, 0.9});

    // With a reference, so that a device that is not constant can be changed.
    timed_chip twice;
    for_each_parameter(twice, [](device_parameter, double& value) { value *= 2; });
    CHECK(twice.clock_hz == 2e9);
    CHECK(twice.dram_read_fraction == 1.8);
    CHECK(twice.cpd_a == 3);
}

TEST_CASE("a parameter is found by name") {
    timed_chip device;
    double* const clock = find_parameter(device, "clock_hz");
    REQUIRE(clock != nullptr);
    CHECK(clock == &device.clock_hz);
    CHECK(find_parameter(device, "dram_read_fraction") == &device.dram_read_fraction);
    CHECK(find_parameter(device, "dram_latency_cycles") == nullptr);  // not of this device
    CHECK(find_parameter(device, "cpd_a") == nullptr);                // of a group that it lacks
    CHECK(find_parameter(device, "Clock_hz") == nullptr);
    CHECK(find_parameter(device, "") == nullptr);
    const timed_chip fixed;
    static_assert(std::is_same_v<decltype(find_parameter(fixed, "")), const double*>);
    CHECK(*find_parameter(fixed, "sm_count") == 4);
}

TEST_CASE("what is wrong with a parameter is told by name and range") {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    constexpr double inf = std::numeric_limits<double>::infinity();
    const auto chip_error = [](double clock) {
        chip_only d;
        d.clock_hz = clock;
        return check_parameters<double, parameters::chip>(d);
    };
    CHECK_FALSE(chip_error(1e9));
    CHECK(chip_error(0) == model_error{errc::not_positive, "clock_hz"});
    CHECK(chip_error(-1) == model_error{errc::not_positive, "clock_hz"});
    CHECK(chip_error(nan) == model_error{errc::not_positive, "clock_hz"});
    CHECK(chip_error(inf) == model_error{errc::not_positive, "clock_hz"});
    CHECK(chip_error(1e300) == model_error{errc::overflow, "clock_hz"});

    // A whole number is checked to be positive; halves of an SM may come out of a fit.
    chip_only halved;
    halved.sm_count = 0.5;
    CHECK_FALSE(check_parameters<double, parameters::chip>(halved));
    halved.sm_count = 0;
    CHECK(check_parameters<double, parameters::chip>(halved) ==
          model_error{errc::not_positive, "sm_count"});

    // A fraction may be 0 and 1.
    const auto fraction_error = [](double fraction) {
        return check_parameters<double, parameters::dram_read>(
            parameters::dram_read<>{.dram_read_fraction = fraction});
    };
    CHECK_FALSE(fraction_error(0));
    CHECK_FALSE(fraction_error(1));
    CHECK(fraction_error(-0.1) == model_error{errc::negative, "dram_read_fraction"});
    CHECK(fraction_error(1.0001) == model_error{errc::outside_domain, "dram_read_fraction"});
    CHECK(fraction_error(nan));

    // What may be 0.
    parameters::stencil_timing<> stencil{.uncontended_latency_cycles = 0,
                                         .coalesce_width = 16,
                                         .dram_pipeline_depth = 4,
                                         .global_sync_cycles = 0,
                                         .average_cpi = 4,
                                         .tiles_stay_local = 0,
                                         .traffic_overlap = 1};
    CHECK_FALSE(check_parameters<double, parameters::stencil_timing>(stencil));
    stencil.global_sync_cycles = -1;
    CHECK(check_parameters<double, parameters::stencil_timing>(stencil) ==
          model_error{errc::negative, "global_sync_cycles"});
}

TEST_CASE(
    "the first parameter that is wrong is told, and groups that are not asked for are not "
    "checked") {
    timed_chip d;
    d.uncoalesced_departure_cycles = 0;
    d.dram_read_fraction = 2;
    CHECK_FALSE(check_parameters<double, parameters::chip>(d));
    CHECK(
        check_parameters<double, parameters::chip, parameters::departures, parameters::dram_read>(d)
            .field == "uncoalesced_departure_cycles");
    CHECK(check_parameters<double, parameters::dram_read, parameters::departures>(d).field ==
          "dram_read_fraction");
    // As a narrower number sees it.
    chip_only fast;
    fast.clock_hz = 1e-60;
    CHECK(check_parameters<float, parameters::chip>(fast).field == "clock_hz");
}

TEST_CASE("a set of parameters holds what was added") {
    parameter_set set;
    CHECK(set.empty());
    const std::vector<device_parameter> some{device_parameter::sm_count,
                                             device_parameter::dram_mixed_fraction,
                                             device_parameter::traffic_overlap};
    for (const device_parameter p : some) {
        CHECK_FALSE(set.contains(p));
        set.add(p);
        CHECK(set.contains(p));
    }
    CHECK_FALSE(set.empty());
    int members = 0;
    for (std::size_t i = 0; i < device_parameter_count; ++i) {
        members += set.contains(static_cast<device_parameter>(i));
    }
    CHECK(members == 3);
    parameter_set same;
    for (const device_parameter p : some) same.add(p);
    CHECK(same == set);
    same.add(device_parameter::clock_hz);
    CHECK_FALSE(same == set);
}

TEST_CASE("with completes a device and marks what it added as assumed") {
    static_assert(!has_issue<timed_chip>);
    const auto issuing = with<parameters::issue>(timed_chip{}, {.issue_cycles = 2});
    static_assert(has_issue<decltype(issuing)> && has_departures<decltype(issuing)>);
    CHECK(issuing.issue_cycles == 2);
    CHECK(issuing.clock_hz == 1e9);
    CHECK(issuing.name == "timed");
    CHECK(issuing.assumed.contains(device_parameter::issue_cycles));
    CHECK_FALSE(issuing.assumed.contains(device_parameter::clock_hz));

    // A second group, and other values of a group that the device has: its type stays.
    const auto more =
        with<parameters::schedulers>(issuing, {.warp_schedulers = 4, .issues_per_scheduler = 1});
    CHECK(more.warp_schedulers == 4);
    CHECK(more.issue_cycles == 2);
    const auto other = with<parameters::departures>(
        more, {.coalesced_departure_cycles = 1, .uncoalesced_departure_cycles = 2});
    static_assert(std::is_same_v<decltype(other), decltype(more)>);
    CHECK(other.uncoalesced_departure_cycles == 2);
    CHECK(other.name == "timed");
    parameter_set expected;
    for (const device_parameter p :
         {device_parameter::issue_cycles, device_parameter::warp_schedulers,
          device_parameter::issues_per_scheduler, device_parameter::coalesced_departure_cycles,
          device_parameter::uncoalesced_departure_cycles}) {
        expected.add(p);
    }
    CHECK(other.assumed == expected);
}

TEST_CASE("edit keeps the marks and the values") {
    CHECK(edit(timed_chip{}).assumed.empty());
    const auto assumed = with<parameters::warp>(timed_chip{}, {.warp_size = 32});
    auto copy = edit(assumed);
    static_assert(std::is_same_v<decltype(copy), std::remove_const_t<decltype(assumed)>>);
    CHECK(copy.assumed == assumed.assumed);
    CHECK(copy.assumed.contains(device_parameter::warp_size));
    copy.clock_hz = 2e9;
    CHECK(assumed.clock_hz == 1e9);
    CHECK(edit(copy).clock_hz == 2e9);
    const auto narrow = edit<float>(assumed);
    static_assert(std::is_same_v<std::remove_const_t<decltype(narrow.clock_hz)>, float>);
    CHECK(narrow.assumed == assumed.assumed);
    CHECK(narrow.name == "timed");
}

}  // namespace parameters_test
