// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>

#include <warpgauge/report/digits.hpp>

namespace digits_test {

using namespace warpgauge::report::detail;

TEST_CASE("digits after the point, and digits that count") {
    CHECK(fixed_digits(1.25, 1) == "1.2");
    CHECK(fixed_digits(-0.5, 3) == "-0.500");
    CHECK(fixed_digits(1e300, 0).size() == 301);
    CHECK(general_digits(0.0001, 6) == "0.0001");
    CHECK(general_digits(1234567, 6) == "1.23457e+06");
    CHECK(general_digits(0.00001, 3) == "1e-05");
}

TEST_CASE("the shortest text reads as the same number") {
    CHECK(shortest_digits(0.1) == "0.1");
    CHECK(shortest_digits(100000) == "1e+05");
    CHECK(shortest_digits(123456) == "123456");
    CHECK(shortest_digits(-2.5e-9) == "-2.5e-09");
    CHECK(shortest_digits(0) == "0");
    CHECK(shortest_digits(std::numeric_limits<double>::infinity()) == "inf");
    std::mt19937_64 random(1);
    for (int n = 0; n < 2000; ++n) {
        const double value =
            std::ldexp(static_cast<double>(random()), static_cast<int>(random() % 200) - 160);
        CHECK(std::strtod(shortest_digits(value).c_str(), nullptr) == value);
    }
}

}  // namespace digits_test
