// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <vector>

#include <warpgauge/analyse/without_barriers.hpp>

namespace without_barriers_test {

using namespace warpgauge;

namespace {

constexpr instruction load{.unit = unit_kind::global_memory};
constexpr instruction barrier{.unit = unit_kind::barrier};

}  // namespace

TEST_CASE("barriers go, and each entry keeps the entries that it needs") {
    constexpr instruction two_back{.unit = unit_kind::single_precision, .needs = {2}};
    const std::vector<instruction> stream{load, barrier, two_back};
    const std::vector<instruction> rest = without_barriers(stream);
    REQUIRE(rest.size() == 2);
    CHECK(rest[0].unit == unit_kind::global_memory);
    CHECK(rest[1].unit == unit_kind::single_precision);
    CHECK(rest[1].needs[0] == 1);
}

TEST_CASE("a loop becomes shorter, and one of nothing but barriers goes") {
    constexpr instruction of_round_before{.unit = unit_kind::integer, .needs = {-2, own_result}};
    const std::vector<instruction> stream{loop(5, 30), of_round_before, barrier,    load,
                                          loop(1, 2),  barrier,         loop(1, 4), barrier};
    REQUIRE_FALSE(check_stream(stream));
    const std::vector<instruction> rest = without_barriers(stream);
    REQUIRE(rest.size() == 3);
    CHECK(rest[0].unit == unit_kind::loop);
    CHECK(rest[0].loop_length == 2);
    CHECK(rest[1].needs[0] == -1);  // the load of the round before
    CHECK(rest[1].needs[1] == own_result);
    CHECK(rest[2].unit == unit_kind::global_memory);
    CHECK_FALSE(check_stream(rest));
}

TEST_CASE("a need of a barrier is dropped; a stream of barriers has nothing left") {
    constexpr instruction after_barrier{.unit = unit_kind::integer, .needs = {1}};
    const std::vector<instruction> stream{barrier, after_barrier};
    const std::vector<instruction> rest = without_barriers(stream);
    REQUIRE(rest.size() == 1);
    CHECK(rest[0].needs[0] == 0);
    CHECK(without_barriers(std::vector<instruction>{barrier, barrier}).empty());
    CHECK(without_barriers({}).empty());
}

}  // namespace without_barriers_test
