// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <limits>
#include <string>
#include <vector>

#include <warpgauge/by_name/any_device.hpp>
#include <warpgauge/devices/all.hpp>

using namespace warpgauge;

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

static_assert(std::is_trivially_copyable_v<any_device>);  // it owns no memory

}  // namespace

TEST_CASE("nothing is known of an empty device") {
    constexpr any_device d;
    CHECK(d.name().empty());
    CHECK(d.capability() == compute_capability{0, 0});
    CHECK(d.assumed().empty());
    CHECK(d.get("sm_count").error() == model_error{errc::missing, "sm_count"});
    CHECK(d.get("sm_number").error() == model_error{errc::unknown_parameter, "sm_number"});
    CHECK_FALSE(d.knows(device_parameter::sm_count));
    CHECK_FALSE(d.knows(device_group::chip));
    d.for_each_known([](device_parameter, double) { FAIL("known"); });
}

TEST_CASE("a copy knows what the device has, and nothing else, of every device shipped") {
    devices::for_each([](const auto& device) {
        CAPTURE(std::string(device.name));
        auto edited = edit(device);
        const any_device d(device);
        CHECK(d.name() == device.name);
        CHECK(d.assumed().empty());
        std::size_t count = 0;
        for_each_parameter(edited, [&](device_parameter p, double value) {
            CAPTURE(info(p).name);
            ++count;
            CHECK(d.knows(p));
            REQUIRE(d.get(info(p).name));
            CHECK(*d.get(info(p).name) == value);
        });
        std::size_t known = 0;
        d.for_each_known([&](device_parameter, double) { ++known; });
        CHECK(known == count);
    });
}

TEST_CASE("a device of the library by its parameters' names") {
    constexpr any_device d(devices::h100_sxm5{});
    static_assert(*d.get("sm_count") == 132);
    CHECK(d.capability() == compute_capability{9, 0});
    CHECK(d.knows(device_group::residency));
    CHECK_FALSE(d.knows(device_group::departures));
    CHECK(d.get("coalesced_departure_cycles").error() ==
          model_error{errc::missing, "coalesced_departure_cycles"});
}

TEST_CASE("a value that no source gives is assumed, one that replaces another is not") {
    any_device d(devices::h100_sxm5{});
    CHECK_FALSE(d.set("clock_hz", 1.5e9));
    CHECK(*d.get("clock_hz") == 1.5e9);
    CHECK(d.assumed().empty());
    CHECK_FALSE(d.set("coalesced_departure_cycles", 2));
    CHECK(d.assumed().contains(device_parameter::coalesced_departure_cycles));
    CHECK_FALSE(d.assumed().contains(device_parameter::clock_hz));
    CHECK_FALSE(d.knows(device_group::departures));  // one of the two
    CHECK(d.missing_of<parameters::chip, parameters::departures>() ==
          model_error{errc::missing, "uncoalesced_departure_cycles"});
    CHECK_FALSE(d.set("uncoalesced_departure_cycles", 3));
    CHECK(d.knows(device_group::departures));
    CHECK_FALSE(d.missing_of<parameters::chip, parameters::departures>());
    d.rename("an H100, completed");
    CHECK(d.name() == "an H100, completed");
}

TEST_CASE("a value outside its range is an error, and changes nothing") {
    any_device d(devices::h100_sxm5{});
    const auto error = [&](std::string_view parameter, double value) {
        return d.set(parameter, value);
    };
    CHECK(error("clock_hz", 0) == model_error{errc::not_positive, "clock_hz"});
    CHECK(error("clock_hz", -1) == model_error{errc::not_positive, "clock_hz"});
    CHECK(error("clock_hz", infinite) == model_error{errc::not_positive, "clock_hz"});
    CHECK(error("sm_count", 0) == model_error{errc::not_positive, "sm_count"});
    CHECK(error("global_sync_cycles", -1) == model_error{errc::negative, "global_sync_cycles"});
    CHECK(error("traffic_overlap", 1.5) == model_error{errc::outside_domain, "traffic_overlap"});
    CHECK(error("traffic_overlap", -0.5) == model_error{errc::negative, "traffic_overlap"});
    CHECK(error("traffic", 1) == model_error{errc::unknown_parameter, "traffic"});
    CHECK(*d.get("clock_hz") == 1.98e9);
    CHECK_FALSE(d.knows(device_parameter::traffic_overlap));
    CHECK(d.assumed().empty());
    CHECK_FALSE(error("global_sync_cycles", 0));
    CHECK_FALSE(error("traffic_overlap", 0));
}

TEST_CASE("a group is completed as a whole") {
    any_device d(devices::h100_sxm5{});
    d.complete<parameters::departures>(
        {.coalesced_departure_cycles = 2, .uncoalesced_departure_cycles = 4});
    CHECK(d.knows(device_group::departures));
    CHECK(*d.get("uncoalesced_departure_cycles") == 4);
    CHECK(d.assumed().contains(device_parameter::uncoalesced_departure_cycles));
    const auto typed = d.as<parameters::chip, parameters::departures>();
    static_assert(has_departures<decltype(typed)> && !has_warp<decltype(typed)>);
    CHECK(typed.sm_count == 132);
    CHECK(typed.coalesced_departure_cycles == 2);
    CHECK(typed.name == "H100 SXM5");
    CHECK(typed.assumed.contains(device_parameter::coalesced_departure_cycles));
}

TEST_CASE("a copy of a completed device keeps what is assumed of it") {
    const any_device d(with<parameters::departures>(
        devices::h100_sxm5{},
        {.coalesced_departure_cycles = 2, .uncoalesced_departure_cycles = 2}));
    CHECK(d.knows(device_group::departures));
    CHECK(d.assumed().contains(device_parameter::coalesced_departure_cycles));
    CHECK_FALSE(d.assumed().contains(device_parameter::sm_count));
}
