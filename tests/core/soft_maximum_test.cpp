// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <warpgauge/core/gradient.hpp>
#include <warpgauge/core/soft_maximum.hpp>

namespace soft_maximum_test {

using namespace warpgauge;
using core::soft_maximum;
using doctest::Approx;

TEST_CASE("the soft maximum, by hand") {
    static_assert(soft_maximum(3.0, 4.0, 0.0) == 4);
    static_assert(soft_maximum(3.0, 4.0, 1.0) == 7);
    static_assert(soft_maximum(4.0, 4.0, 0.25) == 6);  // 1 + sqrt(1/4) of either
    // (T - 3)(T - 4) = 0.5 * 12: T = 6.
    static_assert(soft_maximum(3.0, 4.0, 0.5) == 6);
    CHECK(soft_maximum(5.0, 0.0, 0.12) == 5);
    CHECK(core::soft_maximum_if(5.0, 0.0, 0.12) == 5);
    CHECK(core::soft_maximum_if(3.0, 4.0, 0.5) == 6);
    CHECK(soft_maximum(3.0F, 4.0F, 0.5F) == 6.0F);
}

TEST_CASE("its derivatives: of the larger part with k = 0, of the sum with k = 1") {
    using real = gradient<2>;
    const auto slopes = [](double a, double b, double k) {
        real x(a);
        real y(b);
        x.set_slope(0, 1);
        y.set_slope(1, 1);
        return soft_maximum(x, y, k);
    };
    CHECK(slopes(3, 4, 0).slope(0) == 0);
    CHECK(slopes(3, 4, 0).slope(1) == 1);
    CHECK(slopes(3, 4, 1).slope(0) == Approx(1));
    CHECK(slopes(3, 4, 1).slope(1) == Approx(1));
    // (T - b) dT + (T - a)(dT - db) = k a db: (2 + 3) dT = 3 + 1.5 for b.
    CHECK(slopes(3, 4, 0.5).slope(1) == Approx(0.9).epsilon(1e-14));
    CHECK(slopes(3, 4, 0.5).slope(0) == Approx(0.8).epsilon(1e-14));
    // Of nothing at all the mean; where the second part is 0, k of what it begins with.
    CHECK(slopes(0, 0, 0.5).slope(0) == 0.5);
    real x(3.0);
    real none(0.0);
    none.set_slope(0, 1);
    CHECK(core::soft_maximum_if(x, none, 0.25).slope(0) == 0.25);
    CHECK(soft_maximum(x, none, 0.25).slope(0) == Approx(0.25));
    x.set_slope(1, 1);
    CHECK(core::soft_maximum_if(x, none, 0.25).slope(1) == 1);
}

}  // namespace soft_maximum_test
