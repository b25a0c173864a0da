// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <warpgauge/by_name/find_device.hpp>

using namespace warpgauge;

namespace {

std::string found(std::string_view name) {
    const auto d = find_device(name);
    return std::string(d ? d->name() : reason(d.error().code));
}

std::vector<std::string> like(std::string_view text) {
    std::vector<std::string> names;
    for_each_device_like(text, [&](std::string_view name) { names.emplace_back(name); });
    return names;
}

}  // namespace

TEST_CASE("every device is found by each of its own names") {
    std::set<std::string> names;
    for_each_device_name([&](std::string_view name) {
        CAPTURE(std::string(name));
        CHECK(names.emplace(name).second);
        const auto d = find_device(name);
        REQUIRE(d);
        CHECK(d->name() == name);
        CHECK(d->knows(device_group::chip));
    });
    std::size_t count = 0;
    devices::for_each([&](const auto&) { ++count; });
    CHECK(names.size() == count);
}

TEST_CASE("a name may be written with or without spaces, in any case") {
    for (const char* name : {"GeForce RTX 2070 SUPER", "geforce_rtx_2070_super",
                             "GEFORCE-RTX-2070-SUPER", "geforcertx2070super"}) {
        CAPTURE(name);
        CHECK(found(name) == "GeForce RTX 2070 SUPER");
    }
}

TEST_CASE("a name as CUDA reports it, and a short one") {
    CHECK(found("NVIDIA GeForce RTX 2070 SUPER") == "GeForce RTX 2070 SUPER");
    CHECK(found("2070 super") == "GeForce RTX 2070 SUPER");
    CHECK(found("a100") == "A100 SXM4 40GB");
    CHECK(found("h100") == "H100 SXM5");
    CHECK(found("k40") == "Tesla K40");
    CHECK(found("v100").starts_with("Tesla V100"));
    CHECK(found("NVIDIA A100-SXM4-40GB") == "A100 SXM4 40GB");
    CHECK(found("NVIDIA H100 80GB HBM3") == "H100 SXM5");
    CHECK(found("Tesla V100-SXM2-16GB").starts_with("Tesla V100"));
}

TEST_CASE("words that several devices have are ambiguous, and the devices are listed") {
    const auto d = find_device("tesla");
    REQUIRE_FALSE(d);
    CHECK(d.error() == model_error{errc::ambiguous_name, "tesla"});
    const auto all = like("tesla");
    CHECK(all.size() >= 3);
    for (const std::string& name : all) CHECK(name.starts_with("Tesla "));
    CHECK(all.front() == "Tesla M2090");  // the oldest first
    CHECK(like("gtx 2") == std::vector<std::string>{"GeForce GTX 280", "GeForce GTX 260"});
    // An exact name is found though another one goes on from it.
    CHECK(like("GeForce 8800 GT").size() == 2);
    CHECK(found("GeForce 8800 GT") == "GeForce 8800 GT");
}

TEST_CASE("a name that no device has is an error, with the name") {
    for (const char* name : {"", " ", "nvidia", "H1000", "a 100 of another make", "GeForce 8801"}) {
        CAPTURE(name);
        const auto d = find_device(name);
        REQUIRE_FALSE(d);
        CHECK(d.error() == model_error{errc::unknown_name, name});
        CHECK(like(name).empty());
    }
}

TEST_CASE("a device is found at compile time") {
    static_assert(*find_device("h100")->get("sm_count") == 132);
}
