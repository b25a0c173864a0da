// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "../../benchmarks/gpu/statistics.hpp"

#include <doctest/doctest.h>

#include <cmath>

namespace statistics_test {

TEST_CASE("a summary does not depend on the order, and one outlier moves only the highest") {
    const summary s = summarise({5, 1, 4, 2, 3});
    CHECK(s.median == 3);
    CHECK(s.first_quartile == 2);
    CHECK(s.third_quartile == 4);
    CHECK(s.lowest == 1);
    CHECK(s.highest == 5);
    CHECK(s.repeats == 5);
    const summary t = summarise({5000, 1, 4, 2, 3});
    CHECK(t.median == 3);
    CHECK(t.third_quartile == 4);
    CHECK(t.highest == 5000);
}

TEST_CASE("between samples, quantiles are in proportion; of none there are none") {
    CHECK(summarise({1, 2}).median == 1.5);
    CHECK(summarise({1, 2}).first_quartile == 1.25);
    CHECK(summarise({7}).third_quartile == 7);
    CHECK(std::isnan(summarise({}).median));
}

TEST_CASE("the slope is that of most pairs") {
    CHECK(slope({1, 2, 4, 8}, {10, 13, 19, 31}) == 3);
    CHECK(slope({1, 2, 4, 8, 16}, {10, 13, 19, 31, 1000}) == 3);
    CHECK(std::isnan(slope({2, 2}, {1, 3})));
    CHECK(std::isnan(slope({2}, {1})));
}

}  // namespace statistics_test
