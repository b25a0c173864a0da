// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <vector>

#include <doctest/doctest.h>

#include <warpgauge/simulate/ppt_grid.hpp>

namespace ppt_grid_test {

using warpgauge::detail::simulate::ppt_grid_end;

TEST_CASE("workloads go to the SM that is free first") {
    std::vector<double> free{0, 0, 10};
    CHECK(ppt_grid_end(free, 3, 4, 1) == 8);  // 4, 4, 8: the third waits for the first
    CHECK(free == std::vector<double>{4, 8, 10});
}

TEST_CASE("a last round that is not full has one more entry") {
    std::vector<double> free{0, 0};
    CHECK(ppt_grid_end(free, 3, 4, 1) == 5);  // 4, 4, 8; then 1 s more on the SM that is free at 4
    CHECK(free == std::vector<double>{5, 8});
}

TEST_CASE("a long grid ends as workload by workload") {
    std::vector<double> free{0, 1, 2, 3};
    CHECK(ppt_grid_end(free, 4'000'000, 0.5, 0) == doctest::Approx(500'001.5).epsilon(1e-6));
    for (const double f : free) CHECK(f == doctest::Approx(500'001.5).epsilon(1e-6));
}

}  // namespace ppt_grid_test
