// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <limits>

#include <warpgauge/by_name/any_device.hpp>
#include <warpgauge/devices/all.hpp>

namespace any_device_test {

using namespace warpgauge;

namespace {

constexpr any_device h100{devices::h100_sxm5{}};

}  // namespace

TEST_CASE("a device by the names of its parameters, when the program is compiled too") {
    static_assert(*h100.get("sm_count") == 132);
    static_assert(*h100.get("dram_latency_cycles") == 478.8);
    static_assert(h100.capability() == compute_capability{9, 0});
    static_assert(h100.knows(device_group::residency) && !h100.knows(device_group::departures));
    CHECK(h100.name() == devices::h100_sxm5::name);
    any_device mine = h100;
    mine.rename("of mine");
    CHECK(mine.name() == "of mine");
    CHECK(mine.capability().major == 9);
}

TEST_CASE("every device of the library keeps all its parameters and gains none") {
    devices::for_each([](const auto& d) {
        CAPTURE(d.name);
        const any_device any(d);
        std::size_t count = 0;
        for_each_parameter(d, [&](device_parameter p, const double& value) {
            ++count;
            CHECK(any.knows(p));
            CHECK(*any.get(info(p).name) == value);
        });
        std::size_t known = 0;
        any.for_each_known([&](device_parameter, double) { ++known; });
        CHECK(known == count);
        CHECK(any.assumed().empty());
    });
}

TEST_CASE("what is not known is an error that names it") {
    CHECK(h100.get("coalesced_departure_cycles").error() ==
          model_error{errc::missing, "coalesced_departure_cycles"});
    CHECK(h100.get("clock").error() == model_error{errc::unknown_parameter, "clock"});
    CHECK(any_device{}.get("sm_count").error() == model_error{errc::missing, "sm_count"});
}

TEST_CASE(
    "a group is whole once all of its parameters are set, and what is set counts as assumed") {
    any_device d = h100;
    CHECK(d.missing_of<parameters::chip, parameters::departures>() ==
          model_error{errc::missing, "coalesced_departure_cycles"});
    CHECK(!d.set("coalesced_departure_cycles", 2));
    CHECK(d.missing_of<parameters::departures>() ==
          model_error{errc::missing, "uncoalesced_departure_cycles"});
    CHECK(!d.set("uncoalesced_departure_cycles", 3));
    CHECK(!d.missing_of<parameters::departures>());
    CHECK(d.as<parameters::departures>().uncoalesced_departure_cycles == 3);
    CHECK(d.assumed().contains(device_parameter::coalesced_departure_cycles));
    CHECK(!d.set("clock_hz", 1e9));
    CHECK(!d.assumed().contains(device_parameter::clock_hz));  // it was known
    CHECK(*d.get("clock_hz") == 1e9);
}

TEST_CASE("a group with a table of costs is given as a whole") {
    any_device d = h100;
    CHECK(!d.set("cpd_a", 3));
    CHECK(!d.set("cpd_b", 11));
    CHECK(!d.set("cpd_c", 0.5));
    CHECK(!d.set("cpd_d", 80));
    CHECK(d.missing_of<parameters::computation_costs>() ==
          model_error{errc::missing, "computation_costs"});
    d.complete<parameters::computation_costs>({.cpd_a = 4, .cpd_b = 11, .cpd_c = 0.5, .cpd_d = 80});
    CHECK(!d.missing_of<parameters::computation_costs>());
    CHECK(*d.get("cpd_a") == 4);
}

TEST_CASE("values out of their lawful range are refused and change nothing") {
    any_device d = h100;
    const double inf = std::numeric_limits<double>::infinity();
    CHECK(d.set("sm_count", 0) == model_error{errc::not_positive, "sm_count"});
    CHECK(d.set("clock_hz", inf) == model_error{errc::not_positive, "clock_hz"});
    CHECK(d.set("clock_hz", -inf).code == errc::not_positive);
    CHECK(d.set("clock_hz", std::numeric_limits<double>::quiet_NaN()).code == errc::not_positive);
    CHECK(d.set("tiles_stay_local", 1.5) == model_error{errc::outside_domain, "tiles_stay_local"});
    CHECK(d.set("tiles_stay_local", -0.5) == model_error{errc::negative, "tiles_stay_local"});
    CHECK(d.set("global_sync_cycles", -1) == model_error{errc::negative, "global_sync_cycles"});
    CHECK(*d.get("sm_count") == 132);
    CHECK(*d.get("clock_hz") == 1.98e9);
    CHECK_FALSE(d.set("global_sync_cycles", 0));
    CHECK(*d.get("global_sync_cycles") == 0);
}

}  // namespace any_device_test
