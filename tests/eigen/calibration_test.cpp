// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <warpgauge/eigen/calibration.hpp>

#include <doctest/doctest.h>

#include <type_traits>

#include <warpgauge/devices/geforce_gtx_280.hpp>

namespace calibration_test {

using namespace warpgauge;

static_assert(std::is_same_v<decltype(calibration<devices::geforce_gtx_280>::device),
                             decltype(calibration<edited<devices::geforce_gtx_280>>::device)>);

TEST_CASE("a fit overfits where kernels that it has not seen are better off without it") {
    CHECK_FALSE(kernel_means{.before = 2, .after = 1.1, .held_out = 1.5}.overfits());
    CHECK_FALSE(kernel_means{.before = 2, .after = 1.1, .held_out = 2}.overfits());
    CHECK(kernel_means{.before = 2, .after = 1.1, .held_out = 2.1}.overfits());
    CHECK(kernel_means{.before = 2, .after = 1.1, .held_out = 1.5, .unpredicted = 1}.overfits());
    CHECK(kernel_means{.before = 2, .after = 1.1, .held_out = 1.5, .scale_alone = 1.4}.overfits());
    CHECK_FALSE(
        kernel_means{.before = 2, .after = 1.1, .held_out = 1.5, .scale_alone = 1.6}.overfits());
}

TEST_CASE("states have names") {
    CHECK(name(fit_state::fitted) == "fitted");
    CHECK(name(fit_state::at_min) == "at its lower bound");
    CHECK(name(fit_state::at_max) == "at its upper bound");
    CHECK(name(fit_state::ambiguous) == "ambiguous");
    CHECK(name(fit_state::no_effect) == "no launch reacts");
    CHECK(name(static_cast<fit_state>(9)) == "unknown");
}

TEST_CASE("data do not determine what is ambiguous or without effect") {
    CHECK(undetermined(fit_state::ambiguous));
    CHECK(undetermined(fit_state::no_effect));
    CHECK_FALSE(undetermined(fit_state::fitted));
    CHECK_FALSE(undetermined(fit_state::at_min));
    CHECK_FALSE(undetermined(fit_state::at_max));
}

}  // namespace calibration_test
