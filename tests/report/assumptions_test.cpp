// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <warpgauge/device/device.hpp>
#include <warpgauge/devices/a100_sxm4_40gb.hpp>
#include <warpgauge/report/assumptions.hpp>

namespace assumptions_test {

using namespace warpgauge;

TEST_CASE("assumptions in words, one after another") {
    assumptions<> set;
    CHECK(report::in_words(set).empty());
    set.add(assumption::bytes_from_dram);
    CHECK(report::in_words(set) == "no cache saves DRAM a byte");
    set.add(assumption::waits_for_dram);
    CHECK(report::in_words(set) ==
          "every memory instruction waits for DRAM; no cache saves DRAM a byte");
}

TEST_CASE("each group of assumed parameters once, in the order of the table") {
    const auto gpu = with<parameters::issue>(devices::a100_sxm4_40gb{}, {.issue_cycles = 0.25});
    CHECK(report::groups_in_words(edit(devices::a100_sxm4_40gb{}).assumed).empty());
    CHECK(report::groups_in_words(gpu.assumed) == "issue");
    const auto more = with<parameters::departures>(
        gpu, {.coalesced_departure_cycles = 2, .uncoalesced_departure_cycles = 2});
    CHECK(report::groups_in_words(more.assumed) == "departures, issue");
}

}  // namespace assumptions_test
