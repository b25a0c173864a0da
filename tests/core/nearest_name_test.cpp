// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include <warpgauge/core/nearest_name.hpp>

namespace nearest_name_test {

using namespace warpgauge;

namespace {

struct row {
    std::string_view name;
};

constexpr std::string_view fruit[]{"apple", "Blood Orange", "pear", "peach"};
constexpr row rows[]{{"clock_hz"}, {"sm_count"}};

template <class Names>
std::string said(errc code, std::string_view wanted, const Names& names) {
    return std::string(message(model_error{code, wanted}, names).view());
}

}  // namespace

TEST_CASE("changes between names") {
    static_assert(core::edit_distance("", "") == 0);
    static_assert(core::edit_distance("kitten", "sitting") == 3);
    static_assert(core::edit_distance("", "abc") == 3);
    static_assert(core::edit_distance("abc", "") == 3);
    const std::string longer(200, 'a');
    CHECK(core::edit_distance(longer, longer + "b") == 0);  // beyond what is compared
    CHECK(core::folded_name("H100-SXM5, 80_GB").view() == "h100sxm580gb");
    CHECK(core::folded_name(longer).view().size() == core::max_compared_characters);
}

TEST_CASE("the nearest name is suggested, if one is near") {
    CHECK(said(errc::unknown_name, "appel", fruit) == "appel is not a known name; perhaps apple");
    CHECK(said(errc::unknown_name, "blood_oranje", fruit) ==
          "blood_oranje is not a known name; perhaps Blood Orange");
    CHECK(said(errc::unknown_name, "pea", fruit) == "pea is not a known name; perhaps pear");
    CHECK(said(errc::unknown_name, "grapefruit", fruit) == "grapefruit is not a known name");
    CHECK(said(errc::unknown_name, "", fruit) == " is not a known name");
    CHECK(said(errc::unknown_parameter, "clok_hz", rows) ==
          "clok_hz is not a parameter of this device or kernel; perhaps clock_hz");
    CHECK(said(errc::missing, "clok_hz", rows) == "clok_hz is needed and not given");
}

}  // namespace nearest_name_test
