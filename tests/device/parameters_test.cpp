// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <cstddef>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <warpgauge/device/parameters.hpp>

using namespace warpgauge;

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

// Two groups, one of them as constants.
struct gpu {
    double sm_count = 10;
    double clock_hz = 1e9;
    double dram_bytes_per_s = 1e11;
    static constexpr double warp_size = 32;
    double dram_read_fraction = 0.9;
};

// One parameter of a group of two.
struct half_known : gpu {
    double coalesced_departure_cycles = 4;
};

struct source {
    static constexpr parameters::chip<> values{4, 2e9, 3e11};
};

static_assert(has_chip<gpu> && has_warp<gpu> && has_dram_read<gpu>);
static_assert(!has_issue<gpu> && !has_departures<half_known>);
static_assert(std::same_as<groups_of<gpu>,
                           group_list<parameters::chip, parameters::warp, parameters::dram_read>>);
static_assert(parameters::chip<>::known_of<gpu> && !parameters::issue<>::known_of<gpu>);
static_assert(parameters::residency<>::has_values && !parameters::chip<>::has_values);

}  // namespace

TEST_CASE("rows of the table are complete, and no name is in it twice") {
    std::set<std::string_view> names;
    std::set<std::string_view> groups(std::begin(device_group_names), std::end(device_group_names));
    CHECK(groups.size() == std::size(device_group_names));
    for (std::size_t n = 0; n < device_parameter_count; ++n) {
        const parameter_info& row = device_parameters[n];
        CAPTURE(row.name);
        CHECK(&info(static_cast<device_parameter>(n)) == &row);
        CHECK(names.insert(row.name).second);
        CHECK(groups.contains(row.group));
        CHECK_FALSE(row.unit.empty());
        CHECK_FALSE(row.meaning.empty());
        // The unit is the suffix of the name, where it has one.
        if (row.name.ends_with("_hz")) CHECK(row.unit == "cycle/s");
        if (row.name.ends_with("_bytes_per_s")) CHECK(row.unit == "B/s");
        if (row.name.ends_with("_latency_cycles")) CHECK(row.unit == "cycle");
        if (row.name.ends_with("_fraction")) CHECK(row.range == parameter_range::fraction);
    }
}

TEST_CASE("rows are in the order of their groups, and each group has its name") {
    const auto group_of = [](std::string_view name) {
        std::size_t n = 0;
        while (device_group_names[n] != name) ++n;
        return n;
    };
    for (std::size_t n = 1; n < device_parameter_count; ++n) {
        CHECK(group_of(device_parameters[n - 1].group) <= group_of(device_parameters[n].group));
    }
    CHECK(name(device_group::chip) == "chip");
    CHECK(name(parameters::departures<>::which) == "departures");
    CHECK(name(device_group::ppt_description) == "ppt_description");
    CHECK(name(static_cast<device_group>(std::size(device_group_names))) == "unknown");
}

TEST_CASE("rows of well-known parameters") {
    const parameter_info& clock = info(device_parameter::clock_hz);
    CHECK(clock.name == "clock_hz");
    CHECK(clock.group == "chip");
    CHECK(clock.unit == "cycle/s");
    CHECK(clock.range == parameter_range::positive);
    CHECK(info(device_parameter::warp_size).range == parameter_range::whole);
    CHECK(info(device_parameter::traffic_overlap).range == parameter_range::fraction);
    CHECK(info(device_parameter::global_sync_cycles).range == parameter_range::non_negative);
}

TEST_CASE("a device is walked in the order of the table, and can be changed by it") {
    gpu d;
    std::vector<device_parameter> seen;
    for_each_parameter(d, [&](device_parameter p, auto& value) {
        seen.push_back(p);
        if constexpr (!std::is_const_v<std::remove_reference_t<decltype(value)>>) value *= 2;
    });
    CHECK(seen == std::vector{device_parameter::sm_count, device_parameter::clock_hz,
                              device_parameter::dram_bytes_per_s, device_parameter::warp_size,
                              device_parameter::dram_read_fraction});
    CHECK(d.sm_count == 20);
    CHECK(d.clock_hz == 2e9);
    CHECK(d.dram_read_fraction == 1.8);
}

TEST_CASE("a parameter of a runtime device is found by its name") {
    parameters::chip<> d{.sm_count = 10, .clock_hz = 1e9, .dram_bytes_per_s = 1e11};
    CHECK(find_parameter(d, "clock_hz") == &d.clock_hz);
    CHECK(find_parameter(d, "warp_size") == nullptr);
    CHECK(find_parameter(d, "clock") == nullptr);
}

TEST_CASE("a group is copied from any device that has it") {
    constexpr auto chip = parameters::chip<>::copy_of(gpu{});
    static_assert(chip == parameters::chip<>{10, 1e9, 1e11});
    static_assert(parameters::warp<float>::copy_of(gpu{}).warp_size == 32.0F);
    static_assert(constants::chip<source>::sm_count == 4);
    static_assert(has_chip<constants::chip<source>> && !has_warp<constants::chip<source>>);
}

TEST_CASE("parameters are checked against their range, by name") {
    const auto check = [](const gpu& d) {
        return check_parameters<double, parameters::chip, parameters::dram_read>(d);
    };
    CHECK_FALSE(check(gpu{}));
    CHECK(check({.clock_hz = 0}) == model_error{errc::not_positive, "clock_hz"});
    CHECK(check({.sm_count = -1}) == model_error{errc::not_positive, "sm_count"});
    CHECK(check({.dram_bytes_per_s = infinite}) ==
          model_error{errc::not_positive, "dram_bytes_per_s"});
    CHECK(check({.dram_bytes_per_s = 1e30}) == model_error{errc::overflow, "dram_bytes_per_s"});
    CHECK_FALSE(check({.dram_read_fraction = 0}));
    CHECK_FALSE(check({.dram_read_fraction = 1}));
    CHECK(check({.dram_read_fraction = 1.01}) ==
          model_error{errc::outside_domain, "dram_read_fraction"});
    CHECK(check({.dram_read_fraction = -0.1}) == model_error{errc::negative, "dram_read_fraction"});
    // Of several errors, the first of the table.
    CHECK(check({.sm_count = 0, .clock_hz = 0}).field == "sm_count");
    // A group that is not asked for is not looked at.
    CHECK_FALSE(check_parameters<double, parameters::warp>(gpu{.clock_hz = 0}));
}

TEST_CASE("a set of parameters") {
    parameter_set s;
    CHECK(s.empty());
    constexpr auto last = static_cast<device_parameter>(device_parameter_count - 1);
    s.add(device_parameter::clock_hz);
    s.add(last);
    CHECK_FALSE(s.empty());
    for (std::size_t n = 0; n < device_parameter_count; ++n) {
        const auto p = static_cast<device_parameter>(n);
        CHECK(s.contains(p) == (p == device_parameter::clock_hz || p == last));
    }
    parameter_set other;
    CHECK_FALSE(s == other);
    other.add(last);
    other.add(device_parameter::clock_hz);
    other.add(last);
    CHECK(s == other);
}
