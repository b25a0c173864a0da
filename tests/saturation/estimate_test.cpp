// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <warpgauge/core/lanes.hpp>
#include <warpgauge/saturation/estimate.hpp>

namespace estimate_test {

using namespace warpgauge;

TEST_CASE("every term has a name of its own") {
    for (int a = 0; a <= static_cast<int>(saturation_term::overhead); ++a) {
        CHECK(name(static_cast<saturation_term>(a)) != "unknown");
        for (int b = 0; b < a; ++b) {
            CHECK(name(static_cast<saturation_term>(a)) != name(static_cast<saturation_term>(b)));
        }
    }
    CHECK(name(static_cast<saturation_term>(99)) == "unknown");
}

TEST_CASE("an estimate starts with nothing, in every lane") {
    constexpr saturation_estimate<> e;
    static_assert(e.seconds == 0 && e.which == saturation_term::waits && e.busy_cycles == 0);
    static_assert(!e.assumed.contains(assumption::waits_for_dram));
    const saturation_estimate<lanes<2>> pack;
    CHECK(pack.which.values[1] == 0);
    CHECK(pack.longest_warp_cycles.values[1] == 0);
}

}  // namespace estimate_test
