// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <warpgauge/ptx/trace/step_values.hpp>

namespace step_values_test {

using warpgauge::ptx::detail::trace::step_values;

TEST_CASE("steps have values once they are asked for") {
    step_values<int> values(3);
    CHECK(values.steps() == 3);
    values.of(2) = 20;
    values.of(0) = 5;
    values.of(2) += 1;
    REQUIRE(values.find(0) != nullptr);
    REQUIRE(values.find(2) != nullptr);
    CHECK(*values.find(0) == 5);
    CHECK(*values.find(2) == 21);
    CHECK(values.find(1) == nullptr);
    CHECK(values.of(1) == 0);
}

}  // namespace step_values_test
