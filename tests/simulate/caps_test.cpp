// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>
#include <limits>

#include <doctest/doctest.h>

#include <warpgauge/simulate/caps.hpp>

namespace caps_test {

using namespace warpgauge;
using detail::simulate::whole_cycles;

TEST_CASE("a time is rounded up to whole cycles") {
    model_error failure;
    CHECK(whole_cycles(0, failure) == 0);
    CHECK(whole_cycles(6.5, failure) == 7);
    CHECK(whole_cycles(7, failure) == 7);
    CHECK(whole_cycles(1e-300, failure) == 1);
    CHECK(whole_cycles(static_cast<double>(max_simulated_cycles), failure) == max_simulated_cycles);
    CHECK_FALSE(failure);
}

TEST_CASE("a time beyond the longest simulation is a failure") {
    for (const double cycles : {static_cast<double>(max_simulated_cycles) + 1, 1e300,
                                std::numeric_limits<double>::quiet_NaN()}) {
        model_error failure;
        CHECK(whole_cycles(cycles, failure) == max_simulated_cycles);
        CHECK(failure == model_error{errc::limit_reached, "cycles"});
    }
}

TEST_CASE("without caps of the caller's, a simulation takes at most a GiB") {
    CHECK(simulation_caps{}.words * sizeof(std::uint64_t) == std::uint64_t{1} << 30);
}

}  // namespace caps_test
