// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>

#include <doctest/doctest.h>

#include <warpgauge/makespan/state_set.hpp>

namespace state_set_test {

using namespace warpgauge::detail::makespan;

TEST_CASE("a state is added once and found again, among as many as there are") {
    state_set<state_entry<std::uint64_t, false>> set;
    bool added = false;
    for (std::uint64_t key = 0; key < 10'000; ++key) {
        set.find_or_add(key * key, added).worst = static_cast<std::uint32_t>(key);
        REQUIRE(added);
    }
    CHECK(set.entries().size() == 10'000);
    for (std::uint64_t key = 0; key < 10'000; ++key) {
        REQUIRE(set.find_or_add(key * key, added).worst == key);
        REQUIRE_FALSE(added);
    }
    CHECK(set.entries().size() == 10'000);
    CHECK(set.bytes() >= 10'000 * sizeof(state_entry<std::uint64_t, false>));
}

TEST_CASE("entries stay in the order in which they came") {
    state_set<state_entry<std::uint64_t, true>> set;
    bool added = false;
    for (const std::uint64_t key : {7U, 3U, 7U, 5U}) set.find_or_add(key, added);
    REQUIRE(set.entries().size() == 3);
    CHECK(set.entries()[0].key == 7);
    CHECK(set.entries()[1].key == 3);
    CHECK(set.entries()[2].key == 5);
}

TEST_CASE("keys of 128 bits differ in their upper half too") {
    state_set<state_entry<wide_key, false>> set;
    bool added = false;
    for (unsigned bit = 0; bit < 128; ++bit) {
        set.find_or_add(wide_key{1} << bit, added);
        CHECK(added);
    }
    set.find_or_add(wide_key{1} << 100, added);
    CHECK_FALSE(added);
    CHECK(set.entries().size() == 128);
}

TEST_CASE("a set can be cleared") {
    state_set<state_entry<std::uint64_t, false>> set;
    bool added = false;
    set.find_or_add(4, added).worst = 9;
    set.clear();
    CHECK(set.entries().empty());
    CHECK(set.find_or_add(4, added).worst == 0);
    CHECK(added);
}

}  // namespace state_set_test
