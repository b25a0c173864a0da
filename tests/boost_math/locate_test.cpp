// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <warpgauge/boost_math/locate.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

namespace locate_test {

using namespace warpgauge;
using namespace warpgauge::detail::boost_math;
using doctest::Approx;

TEST_CASE("what is wrong with a range") {
    CHECK(check_range(1, 2, 2) == model_error{});
    CHECK(check_range(-1, 2, 2) == model_error{errc::not_positive, "low"});
    CHECK(check_range(1, std::nan(""), 2) == model_error{errc::not_positive, "high"});
    CHECK(check_range(2, 2, 2) == model_error{errc::outside_domain, "high"});
    CHECK(check_range(1, 2, 1) == model_error{errc::outside_domain, "points"});
    CHECK(check_range(1, 2, (1 << 24) + 1) == model_error{errc::limit_reached, "points"});
}

TEST_CASE("a grid is even in the logarithm and ends at the bounds to the bit") {
    CHECK(grid_point(0.1, 1000, 0, 5) == 0.1);
    CHECK(grid_point(0.1, 1000, 4, 5) == 1000);
    CHECK(grid_point(0.1, 1000, 1, 5) == Approx(1));
    CHECK(grid_point(0.1, 1000, 3, 5) == Approx(100));
}

TEST_CASE("the logarithm of a ratio keeps the sign of times that differ by a bit") {
    const double next = std::nextafter(1e-3, 1);
    CHECK(log_ratio(2, 1) == Approx(std::log(2.0)));
    CHECK(log_ratio(1e-3, next) < 0);
    CHECK(log_ratio(next, 1e-3) > 0);
    CHECK(log_ratio(next, next) == 0);
}

TEST_CASE("the last value that holds, of a root, of a step and beside an error") {
    const double root = locate([](double x) { return x * x - 2; }, 1, 2);
    CHECK(root * root <= 2);
    CHECK(std::nextafter(root, 2) * std::nextafter(root, 2) > 2);
    const double from_above = locate([](double x) { return 2 - x * x; }, 2, 1);
    CHECK(from_above * from_above >= 2);
    CHECK(from_above == Approx(std::sqrt(2.0)).epsilon(1e-15));
    CHECK(locate([](double x) { return x <= 5 ? -1.0 : 1.0; }, 1, 9) == 5);
    const double infinite = std::numeric_limits<double>::infinity();
    CHECK(locate([&](double x) { return x <= 5 ? -1.0 : infinite; }, 1, 9) == 5);
    CHECK(locate([&](double x) { return x < 5 ? -1.0 : std::nan(""); }, 1, 9) ==
          std::nextafter(5, 0));
}

}  // namespace locate_test
