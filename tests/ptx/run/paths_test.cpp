// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>

#include <doctest/doctest.h>

#include <warpgauge/ptx/run/paths.hpp>

namespace paths_test {

using namespace warpgauge::ptx::detail::run;

namespace {

bool is(const path& p, std::uint32_t next, std::uint32_t until, std::uint32_t active) {
    return p.next == next && p.until == until && p.active == active;
}

}  // namespace

TEST_CASE("lanes that stay go first, those that jump next, and both meet") {
    paths<> all;
    all.push({5, nowhere, 0xff});
    all.branch(9, 20, 0x0f);
    REQUIRE(all.size() == 3);
    CHECK(is(all.top(), 5, 20, 0xf0));
    all.pop();
    CHECK(is(all.top(), 9, 20, 0x0f));
    all.pop();
    CHECK(is(all.top(), 20, nowhere, 0xff));
}

TEST_CASE("a branch of all lanes, or of none, parts nothing") {
    paths<> all;
    all.push({5, nowhere, 0xff});
    all.branch(9, 20, 0);
    CHECK(is(all.top(), 5, nowhere, 0xff));
    all.branch(9, 20, 0xff);
    CHECK(all.size() == 1);
    CHECK(is(all.top(), 9, nowhere, 0xff));
}

TEST_CASE("no path for lanes that jump to where they meet, and none that waits where it ends") {
    paths<> all;
    all.push({5, 20, 0xff});
    all.branch(20, 20, 0x0f);
    REQUIRE(all.size() == 1);
    CHECK(is(all.top(), 5, 20, 0xf0));
    all.clear();
    all.push({5, nowhere, 3});
    all.branch(9, nowhere, 1);
    CHECK(all.size() == 2);
    CHECK(is(all.top(), 5, nowhere, 2));
}

TEST_CASE(
    "a table that no lane takes parts nothing; lanes may meet nowhere before their path ends") {
    paths<> all;
    all.push({5, 30, 0xf});
    const auto target_of = [](std::uint32_t lane) { return lane == 0 ? 7U : 8U; };
    CHECK(all.branch_by_table(20, 0, target_of));
    REQUIRE(all.size() == 1);
    CHECK(is(all.top(), 5, 30, 0xf));
    CHECK(all.branch_by_table(nowhere, 0xf, target_of));
    REQUIRE(all.size() == 2);
    CHECK(is(all.top(), 8, 30, 0xe));
    all.pop();
    CHECK(is(all.top(), 7, 30, 1));
}

TEST_CASE("a table parts lanes by target") {
    paths<> all;
    all.push({5, nowhere, 0x1f});
    const std::uint32_t targets[] = {7, 8, 7, 20};
    CHECK(all.branch_by_table(20, 0x0f, [&](std::uint32_t lane) { return targets[lane]; }));
    REQUIRE(all.size() == 4);  // lane 3 is where they meet
    CHECK(is(all.top(), 8, 20, 0x02));
    all.pop();
    CHECK(is(all.top(), 7, 20, 0x05));
    all.pop();
    CHECK(is(all.top(), 5, 20, 0x10));
    all.pop();
    CHECK(is(all.top(), 20, nowhere, 0x1f));
    CHECK_FALSE(all.branch_by_table(20, 1, [](std::uint32_t) { return nowhere; }));
}

TEST_CASE("lanes end in all paths of a call") {
    paths<> all;
    all.push({5, nowhere, 0xff});
    all.push({6, 9, 0x0f});
    all.end_lanes(0x03, 1);
    CHECK(all.top().active == 0x0c);
    all.end_lanes(0x0c, 0);
    CHECK(all.top().active == 0);
    all.pop();
    CHECK(all.top().active == 0xf3);
}

}  // namespace paths_test
