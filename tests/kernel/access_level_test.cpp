// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>
#include <limits>
#include <vector>

#include <doctest/doctest.h>

#include <warpgauge/kernel/access_level.hpp>

namespace access_level_test {

using namespace warpgauge;

TEST_CASE("levels are fractions, and a stream has one for each entry or none") {
    constexpr std::array<access_level, 3> good{{{}, {0.5, 0.25}, {0, 0}}};
    static_assert(!check_levels(good, 3));
    static_assert(!check_levels({}, 3));
    CHECK(check_levels(good, 2) == model_error{errc::malformed, "levels"});
    CHECK(check_levels(good, 0) == model_error{errc::malformed, "levels"});
    const auto error_of = [](access_level l) {
        return check_levels(std::vector<access_level>{{}, l}, 2);
    };
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    CHECK(error_of({nan, 0}) == model_error{errc::negative, "beyond_l1", 2});
    CHECK(error_of({-0.1, 0}) == model_error{errc::negative, "beyond_l1", 2});
    CHECK(error_of({1.1, 0}) == model_error{errc::outside_domain, "beyond_l1", 2});
    CHECK(error_of({1, nan}) == model_error{errc::negative, "from_dram", 2});
    CHECK(error_of({1, -0.1}) == model_error{errc::negative, "from_dram", 2});
    CHECK(error_of({0.5, 0.6}) == model_error{errc::outside_domain, "from_dram", 2});
}

}  // namespace access_level_test
