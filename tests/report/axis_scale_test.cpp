// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <warpgauge/report/axis_scale.hpp>

namespace axis_scale_test {

using warpgauge::report::detail::axis_scale;
using warpgauge::report::detail::division;

TEST_CASE("an axis has a few ticks in ascending order, and maps its ends to 0 and 1") {
    const axis_scale decimal(1.3, 42, division::decimal);
    CHECK(decimal.ticks() == std::vector<double>{2, 5, 10, 20});
    CHECK(axis_scale(85, 130, division::decimal).ticks() ==
          std::vector<double>{90, 100, 110, 120, 130});
    CHECK(axis_scale(0.25, 8, division::logarithmic).ticks() ==
          std::vector<double>{0.25, 0.5, 1, 2, 4, 8});
    CHECK(axis_scale(-0.3, 0.6, division::linear).ticks()[2] == 0);

    std::mt19937 random(1);
    std::uniform_real_distribution<double> power(-90, 90);
    std::uniform_real_distribution<double> small(-3, 3);
    for (int i = 0; i < 5000; ++i) {
        const double low = std::pow(10, power(random));
        const double high = i % 2 == 0 ? low * (1 + std::pow(10, 4 * small(random)))
                                       : low * std::pow(10, 30 + 10 * small(random));
        for (const division how : {division::linear, division::decimal}) {
            const axis_scale a(low, high, how);
            CAPTURE(low);
            CAPTURE(high);
            CHECK(a.ticks().size() >= 2);
            CHECK(a.ticks().size() <= 12);
            double last = -1;
            for (const double tick : a.ticks()) {
                CHECK(a.place(tick) > last);
                last = a.place(tick);
            }
            CHECK(a.place(a.ticks().front()) >= -1e-9);
            CHECK(last <= 1 + 1e-9);
            CHECK(a.place(low) >= -1e-9);
            CHECK(a.place(high) <= 1 + 1e-9);
        }
    }
}

TEST_CASE("a value lies on its axis in proportion, or in proportion to its logarithm") {
    const axis_scale linear(0, 10, division::linear);
    CHECK(linear.ticks() == std::vector<double>{0, 2, 4, 6, 8, 10});
    CHECK(linear.place(2.5) == 0.25);
    const axis_scale powers(1, 1e4, division::logarithmic);
    CHECK(powers.ticks() == std::vector<double>{1, 10, 100, 1e3, 1e4});
    CHECK(powers.place(1) == 0);
    CHECK(powers.place(100) == doctest::Approx(0.5).epsilon(1e-15));
    CHECK(powers.place(1e4) == 1);
}

TEST_CASE("an axis without values, or with one, has ticks") {
    constexpr double inf = std::numeric_limits<double>::infinity();
    for (const division how : {division::linear, division::logarithmic, division::decimal}) {
        for (const axis_scale& a : {axis_scale(inf, -inf, how), axis_scale(3, 3, how)}) {
            CHECK(a.ticks().size() >= 2);
            for (const double tick : a.ticks()) CHECK(std::isfinite(a.place(tick)));
        }
    }
}

TEST_CASE("powers of two are ticks from one of them to another, two to ten apart") {
    const auto by_decimals = [](double low, double high) {
        const std::vector<double> ticks = axis_scale(low, high, division::logarithmic).ticks();
        return ticks == axis_scale(low, high, division::decimal).ticks();
    };
    CHECK_FALSE(by_decimals(0.25, 8));
    CHECK_FALSE(by_decimals(1, 1024));
    CHECK(by_decimals(0.3, 8));
    CHECK(by_decimals(0.25, 9));
    CHECK(by_decimals(1, 2));
    CHECK(by_decimals(1, 2048));
}

}  // namespace axis_scale_test
