// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <warpgauge/simulate/ppt_values.hpp>

namespace ppt_values_test {

using namespace warpgauge;

TEST_CASE("a fresh state remembers nothing") {
    const ppt_state fresh;
    for (const auto& slots : fresh.units_busy_until) CHECK(slots.empty());
    CHECK(fresh.memory_queue.empty());
    CHECK(fresh.sm_free_s.empty());
    CHECK(ppt_launch{}.start_s == 0);
    CHECK(ppt_estimate{}.block_ends.empty());
}

}  // namespace ppt_values_test
