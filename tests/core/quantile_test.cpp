// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <array>

#include <warpgauge/core/quantile.hpp>

namespace quantile_test {

using namespace warpgauge;

TEST_CASE("quantiles lie between the two numbers that stand there, in proportion") {
    constexpr std::array<double, 5> sorted{1, 2, 4, 8, 16};
    static_assert(core::quantile(sorted, 0) == 1);
    static_assert(core::quantile(sorted, 1) == 16);
    static_assert(core::quantile(sorted, 0.5) == 4);
    static_assert(core::quantile(sorted, 0.25) == 2);
    static_assert(core::quantile(sorted, 0.875) == 12);
    constexpr std::array<double, 1> one{3};
    static_assert(core::quantile(one, 0) == 3 && core::quantile(one, 1) == 3);
    constexpr std::array<double, 2> wide{-1.7e308, 1.7e308};
    static_assert(core::quantile(wide, 0.25) > -0.86e308 && core::quantile(wide, 0.25) < -0.84e308);
    static_assert(core::quantile(wide, 0.5) == 0);
    double before = 0;
    for (int n = 0; n <= 1000; ++n) {
        const double q = core::quantile(sorted, n / 1000.0);
        CHECK(q >= before);
        CHECK(q <= 16);
        before = q;
    }
}

}  // namespace quantile_test
