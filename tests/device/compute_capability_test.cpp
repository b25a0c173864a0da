// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <iterator>

#include <warpgauge/device/compute_capability.hpp>

namespace compute_capability_test {

using namespace warpgauge;

TEST_CASE("versions of an SM are in order, the minor number within the major one") {
    constexpr compute_capability ordered[] = {{1, 0}, {1, 3}, {2, 0}, {7, 5},
                                              {8, 0}, {8, 9}, {9, 0}, {12, 1}};
    for (std::size_t i = 1; i < std::size(ordered); ++i) {
        CHECK(ordered[i - 1] < ordered[i]);
        CHECK(ordered[i] > ordered[i - 1]);
        CHECK(ordered[i] != ordered[i - 1]);
        CHECK(ordered[i] == ordered[i]);
    }
    CHECK(compute_capability{} == compute_capability{0, 0});
    static_assert(compute_capability{7, 5} >= compute_capability{7, 5});
}

TEST_CASE("capabilities differ in either number") {
    using warpgauge::compute_capability;
    CHECK(compute_capability{7, 5} == compute_capability{7, 5});
    CHECK_FALSE(compute_capability{7, 5} == compute_capability{8, 5});
    CHECK_FALSE(compute_capability{7, 5} == compute_capability{7, 0});
}

}  // namespace compute_capability_test
