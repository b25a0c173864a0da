// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <vector>

#include <warpgauge/tune/last_place.hpp>

namespace last_place_test {

using namespace warpgauge;

TEST_CASE("without ties the last of the k smallest has its place for itself") {
    std::vector<double> values{5, 1, 4, 2, 3};
    const last_place third = last_of_smallest(values, 3);
    CHECK(third.value == 3);
    CHECK(third.fraction == 1);
    CHECK(third.probability(2) == 1);
    CHECK(third.probability(3) == 1);
    CHECK(third.probability(4) == 0);
}

TEST_CASE("equal values share the places that are left") {
    std::vector<double> values{2, 1, 2, 2, 7};
    const last_place third = last_of_smallest(values, 3);  // 1, and two of the three 2
    CHECK(third.value == 2);
    CHECK(third.fraction == 2.0 / 3);
    CHECK(third.probability(1) == 1);
    CHECK(third.probability(2) == 2.0 / 3);
    CHECK(third.probability(7) == 0);
    std::vector<double> same{4, 4, 4};
    CHECK(last_of_smallest(same, 1).probability(4) == 1.0 / 3);
    CHECK(last_of_smallest(same, 3).probability(4) == 1);
}

}  // namespace last_place_test
