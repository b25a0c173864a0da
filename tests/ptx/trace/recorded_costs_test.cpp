// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <warpgauge/ptx/trace/recorded_costs.hpp>

#include <cstdint>

#include <doctest/doctest.h>

namespace recorded_costs_test {

using warpgauge::ptx::run::executed;
using namespace warpgauge::ptx::detail::trace;

TEST_CASE("equal costs have one place") {
    recorded_costs<> costs;
    const executed load{.transactions = 4};
    const executed dearer{.transactions = 8};
    CHECK(costs.place_of(load) == 0);
    CHECK(costs.place_of(dearer) == 1);
    CHECK(costs.place_of(load) == 0);
    CHECK(costs.place_of(dearer) == 1);
    CHECK(costs.size() == 2);
    CHECK(costs[1] == dearer);
}

TEST_CASE("only the last costs of a kind are compared") {
    recorded_costs<> costs;
    for (std::uint32_t n = 1; n <= 9; ++n) costs.place_of({.bytes_moved = n});
    CHECK(costs.place_of({.bytes_moved = 2}) == 1);
    CHECK(costs.place_of({.bytes_moved = 1}) == 9);
}

TEST_CASE("what came last can be forgotten") {
    recorded_costs<> costs;
    const executed first{.transactions = 1};
    const executed second{.bytes_moved = 2, .alignment = 1};
    costs.place_of(first);
    costs.place_of(second);
    costs.place_of({.transactions = 1, .bytes_moved = 4});
    costs.shrink_to(1);
    CHECK(costs.size() == 1);
    CHECK(costs.place_of(first) == 0);
    CHECK(costs.place_of(second) == 1);
    CHECK(costs.place_of({.bytes_moved = 4}) == 2);
}

}  // namespace recorded_costs_test
