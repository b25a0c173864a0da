// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <warpgauge/ptx/trace/recorded_costs.hpp>

#include <cstdint>

#include <doctest/doctest.h>

namespace recorded_costs_test {

using warpgauge::ptx::run::executed;
using namespace warpgauge::ptx::detail::trace;

TEST_CASE("equal costs of a step have one place") {
    recorded_costs<> costs;
    const executed load{.step = 3, .transactions = 4};
    const executed later{.step = 5, .transactions = 4};
    const executed dearer{.step = 3, .transactions = 8};
    CHECK(costs.place_of(load) == 0);
    CHECK(costs.place_of(later) == 1);
    CHECK(costs.place_of(dearer) == 2);
    CHECK(costs.place_of(load) == 0);
    CHECK(costs.place_of(dearer) == 2);
    CHECK(costs.size() == 3);
    CHECK(costs[2] == dearer);
}

TEST_CASE("only the last costs of a step are compared") {
    recorded_costs<> costs;
    for (std::uint32_t n = 1; n <= 9; ++n) costs.place_of({.step = 1, .transactions = n});
    CHECK(costs.place_of({.step = 1, .transactions = 2}) == 1);
    CHECK(costs.place_of({.step = 1, .transactions = 1}) == 9);
}

TEST_CASE("what came last can be forgotten") {
    recorded_costs<> costs;
    const executed first{.step = 1, .transactions = 1};
    const executed second{.step = 1, .transactions = 2};
    costs.place_of(first);
    costs.place_of(second);
    costs.place_of({.step = 7});
    costs.shrink_to(1);
    CHECK(costs.size() == 1);
    CHECK(costs.place_of(first) == 0);
    CHECK(costs.place_of(second) == 1);
    CHECK(costs.place_of({.step = 7}) == 2);
}

}  // namespace recorded_costs_test
