// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <warpgauge/boost_math/continuous_height.hpp>

#include <doctest/doctest.h>

#include <cmath>

#include <warpgauge/warpgauge.hpp>

#include "../examples/stencils.hpp"

namespace continuous_height_test {

using namespace warpgauge;
using doctest::Approx;

TEST_CASE("M1: continuous minimisers to three decimals") {
    const trapezoid_model<devices::geforce_gtx_280> m;
    const double expected[] = {11.545, 1.763, 1.860, 0.632};
    for (std::size_t i = 0; i < 4; ++i) {
        const auto& k = ghost_zone_stencils[i];
        CAPTURE(k.name);
        const auto best = continuous_height(m, k);
        REQUIRE(best);
        CHECK(std::fabs(best->height - expected[i]) < 0.0005);
        // No height nearby is better, and the curve bends as the curvature says.
        const double h = 1e-3 * best->height;
        const auto cycles = [&](double x) { return m.cycles_per_loop(k, x)->cycles_per_loop; };
        CHECK(cycles(best->height - h) > best->cycles_per_loop);
        CHECK(cycles(best->height + h) > best->cycles_per_loop);
        const double bend =
            (cycles(best->height + h) - 2 * best->cycles_per_loop + cycles(best->height - h)) /
            (h * h);
        CHECK(best->curvature == Approx(bend).epsilon(1e-4));
        CHECK(best->flat_from < best->height);
        CHECK(best->flat_to > best->height);
        CHECK(cycles(best->flat_from) == Approx(1.01 * best->cycles_per_loop).epsilon(1e-9));
        CHECK(cycles(best->flat_to) == Approx(1.01 * best->cycles_per_loop).epsilon(1e-9));
        // The best whole height is one of the two neighbours, at least 1.
        const double whole = m.optimal_height(k)->height;
        CHECK(std::fabs(whole - std::fmax(best->height, 1)) < 1);
    }
}

TEST_CASE("errors pass through") {
    const trapezoid_model<devices::geforce_gtx_280> m;
    CHECK(continuous_height(m, kernel_profile<>{}).error() ==
          model_error{errc::missing, "stencil"});
}

}  // namespace continuous_height_test
