// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <warpgauge/kernel/assumptions.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include <warpgauge/core/lanes.hpp>

namespace assumptions_test {

using namespace warpgauge;

TEST_CASE("a set holds what was added, and is visited in order") {
    assumptions<> set;
    for_each_assumption(set, [](assumption) { FAIL("empty"); });
    set.add(assumption::dram_floor);
    set.add(assumption::waits_for_dram, true);
    set.add(assumption::issue_floor, false);
    set.add(assumption::dram_floor, false);  // takes nothing away
    std::vector<assumption> seen;
    for_each_assumption(set, [&](assumption a) { seen.push_back(a); });
    CHECK(seen == std::vector{assumption::waits_for_dram, assumption::dram_floor});
    CHECK_FALSE(set.contains(assumption::issue_floor));
}

TEST_CASE("each assumption has words of its own") {
    std::vector<std::string> words;
    for (std::size_t i = 0; i < assumption_count; ++i) {
        words.emplace_back(name(static_cast<assumption>(i)));
        CHECK(words.back() != "unknown");
        for (std::size_t j = 0; j < i; ++j) CHECK(words[j] != words[i]);
    }
    CHECK(name(static_cast<assumption>(assumption_count)) == "unknown");
}

TEST_CASE("each lane has a set of its own") {
    using pack = lanes<4>;
    pack few;
    few.values = decltype(few.values){0, 1, 0, 1};
    assumptions<pack> set;
    set.add(assumption::block_floor, few < pack(0.5));
    const auto held = set.contains(assumption::block_floor).set;
    CHECK(held[0] != 0);
    CHECK(held[1] == 0);
    CHECK(held[2] != 0);
    CHECK(set.contains(assumption::dram_floor).set[0] == 0);
}

TEST_CASE("the set of an estimate, or an empty one of an estimate without") {
    assumed_values<> e;
    e.assumed.add(assumption::block_floor);
    CHECK(assumptions_of(e).contains(assumption::block_floor));
    CHECK_FALSE(assumptions_of(1.0).contains(assumption::block_floor));
}

}  // namespace assumptions_test
