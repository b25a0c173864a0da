// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <concepts>

#include <warpgauge/core/gradient.hpp>
#include <warpgauge/core/min_and_sum.hpp>

namespace min_and_sum_test {

using namespace warpgauge;

TEST_CASE("the least number and the sum, of values alone") {
    core::min_and_sum<double> all(3.0);
    all.add(4.0, gradient<2>(-1.0), 2.0);
    CHECK(all.least == -1);
    CHECK(all.sum == 8);
    static_assert(std::same_as<core::plain<gradient<2>>, double>);
    static_assert(std::same_as<core::plain<double>, double>);
}

}  // namespace min_and_sum_test
