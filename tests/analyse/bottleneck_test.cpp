// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <string_view>

#include <warpgauge/analyse/bottleneck.hpp>

namespace bottleneck_test {

using namespace warpgauge;

TEST_CASE("each bottleneck has a name, and a sentence for who does not know it") {
    constexpr std::string_view words[] = {"memory bandwidth",
                                          "L2 bandwidth",
                                          "L1 and shared memory",
                                          "memory departures",
                                          "uncoalesced access",
                                          "memory latency",
                                          "issue",
                                          "dependences",
                                          "synchronisation",
                                          "too few warps",
                                          "tail wave"};
    unsigned number = 0;
    for (const std::string_view expected : words) {
        CHECK(name(static_cast<bottleneck>(number)) == expected);
        CHECK(meaning(static_cast<bottleneck>(number)) != "unknown");
        ++number;
    }
    CHECK(name(static_cast<bottleneck>(number)) == "unknown");
    CHECK(meaning(static_cast<bottleneck>(number)) == "unknown");
}

TEST_CASE("easings are collected, one factor for each bottleneck") {
    for (const double factor : as_it_is) CHECK(factor == 1);
    const easing one = ease(bottleneck::issue, 3);
    CHECK(one == easing{1, 1, 1, 1, 1, 1, 3, 1, 1, 1, 1});
    CHECK(ease(bottleneck::tail_wave, removal_factor, one) ==
          easing{1, 1, 1, 1, 1, 1, 3, 1, 1, 1, removal_factor});
    CHECK(ease(bottleneck::issue) == easing{1, 1, 1, 1, 1, 1, removal_factor, 1, 1, 1, 1});
}

}  // namespace bottleneck_test
