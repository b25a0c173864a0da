// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <cmath>

#include <warpgauge/core/normal.hpp>

namespace normal_test {

using namespace warpgauge;
using doctest::Approx;

TEST_CASE("normal quantiles: the values that Wichura gives to check each region") {
    CHECK(core::normal_quantile(0.5) == 0);
    CHECK(core::normal_quantile(0.25) == Approx(-0.6744897501960817).epsilon(1e-15));
    CHECK(core::normal_quantile(0.001) == Approx(-3.090232306167814).epsilon(1e-15));
    CHECK(core::normal_quantile(1e-20) == Approx(-9.262340089798408).epsilon(1e-15));
    CHECK(core::normal_quantile(0.975) == Approx(1.959963984540054).epsilon(1e-15));
}

TEST_CASE("the quantile undoes the distribution") {
    for (double p = 1e-300; p < 0.5; p *= 1.1) {
        const double x = core::normal_quantile(p);
        // A relative error of x is one of about x^2 times as much in p.
        CHECK(std::fabs(core::normal_cdf(x) / p - 1) < 2e-15 * (1 + x * x));
        if (p > 1e-3) CHECK(core::normal_quantile(1 - p) == Approx(-x).epsilon(1e-12));
    }
}

}  // namespace normal_test
