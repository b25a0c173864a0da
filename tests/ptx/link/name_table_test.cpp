// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <warpgauge/ptx/link/name_table.hpp>

namespace name_table_test {

using warpgauge::ptx::detail::link::name_table;
using warpgauge::ptx::link::nowhere;

TEST_CASE("names, salted") {
    name_table<> table;
    CHECK(table.find("a") == nowhere);
    CHECK(table.find_hashed(warpgauge::ptx::detail::link::hashed_name("a")) == nowhere);
    table.insert("a", 0, 1);
    table.insert("a", 7, 2);
    table.insert({}, 7, 3);
    CHECK(table.find("a") == 1);
    CHECK(table.find("a", 7) == 2);
    CHECK(table.find({}, 7) == 3);
    CHECK(table.find("a", 8) == nowhere);
    CHECK(table.find("b") == nowhere);
    table.insert("a", 0, 4);
    CHECK(table.find("a") == 4);
}

TEST_CASE("a thousand names keep their numbers") {
    std::vector<std::string> names;
    for (int n = 0; n < 1000; ++n) names.push_back("%r" + std::to_string(n));
    name_table<> table;
    for (std::uint32_t n = 0; n < names.size(); ++n) table.insert(names[n], n % 3, n);
    for (std::uint32_t n = 0; n < names.size(); ++n) {
        CHECK(table.find(names[n], n % 3) == n);
        CHECK(table.find(names[n], n % 3 + 1) == nowhere);
    }
}

}  // namespace name_table_test
