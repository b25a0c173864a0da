// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <warpgauge/makespan/problem.hpp>

namespace problem_test {

using namespace warpgauge;

namespace {

constexpr std::array<unit_slots, 2> one_each{{{'L', 1}, {'C', 1}}};

model_error error_of(double slots) {
    const std::array<unit_slots, 1> given{{{'L', slots}}};
    const auto types = unit_types_of(given);
    return types ? model_error{} : types.error();
}

}  // namespace

TEST_CASE("slots are whole numbers, or 1/n: copies with one slot") {
    constexpr std::array<unit_slots, 3> given{{{'L', 3}, {'C', 0.25}, {'S', 1}}};
    constexpr auto types = unit_types_of(given);
    static_assert(types && types->count == 3);
    CHECK(types->types[0].slots == 3);
    CHECK(types->types[0].copies == 1);
    CHECK(types->types[1].slots == 1);
    CHECK(types->types[1].copies == 4);
    static_assert(unit_types::find(given, 'S') == 2 && unit_types::find(given, 'X') == 3);
    for (std::uint32_t n = 1; n <= max_unit_copies; ++n) {
        const std::array<unit_slots, 1> part{{{'L', 1.0 / n}}};
        REQUIRE(unit_types_of(part)->types[0].copies == n);
    }
}

TEST_CASE("slots that are neither are errors") {
    CHECK(error_of(0) == model_error{errc::not_positive, "slots"});
    CHECK(error_of(-1) == model_error{errc::not_positive, "slots"});
    CHECK(error_of(std::numeric_limits<double>::quiet_NaN()).code == errc::not_positive);
    CHECK(error_of(1.5) == model_error{errc::outside_domain, "slots"});
    CHECK(error_of(0.3) == model_error{errc::outside_domain, "slots"});
    CHECK_FALSE(error_of(max_unit_slots));
    CHECK(error_of(max_unit_slots + 1.0) == model_error{errc::limit_reached, "slots"});
    CHECK(error_of(1.0 / (max_unit_copies + 1)) == model_error{errc::limit_reached, "slots"});
    constexpr std::array<unit_slots, 2> twice{{{'L', 1}, {'L', 1}}};
    CHECK(unit_types_of(twice).error() == model_error{errc::malformed, "slots"});
    const std::vector<unit_slots> many(max_unit_types + 1, {'L', 1});
    CHECK(unit_types_of(many).error() == model_error{errc::limit_reached, "slots"});
}

TEST_CASE("eight types of 1/1024 to 2^20 slots, and 2^24 instructions with copies") {
    CHECK_FALSE(error_of(1 << 20));
    CHECK(error_of((1 << 20) + 1).code == errc::limit_reached);
    CHECK_FALSE(error_of(1.0 / 1024));
    CHECK(error_of(1.0 / 1025).code == errc::limit_reached);
    std::vector<unit_slots> types;
    for (char symbol = 'a'; symbol < 'i'; ++symbol) types.push_back({symbol, 1});
    CHECK(unit_types_of(types)->count == 8);
    types.push_back({'i', 1});
    CHECK(unit_types_of(types).error() == model_error{errc::limit_reached, "slots"});

    constexpr std::array<unit_slots, 1> slow{{{'L', 1.0 / 1024}}};
    const auto all = unit_types_of(slow);
    const auto walked = [&](std::size_t length) {
        return for_each_instruction({std::string(length, 'L'), slow, 1}, *all,
                                    [](std::size_t, std::uint32_t) {});
    };
    CHECK_FALSE(walked(1 << 14));
    CHECK(walked((1 << 14) + 1) == model_error{errc::limit_reached, "instructions"});
}

TEST_CASE("the types of a string, with copies") {
    constexpr std::array<unit_slots, 2> half{{{'L', 0.5}, {'C', 1}}};
    const auto types = unit_types_of(half);
    const auto kinds = expanded_types({"LCL", half, 4}, *types);
    REQUIRE(kinds);
    CHECK(*kinds == std::vector<std::size_t>{0, 0, 1, 0, 0});
}

TEST_CASE("a string that cannot be walked is an error") {
    const auto types = unit_types_of(one_each);
    const auto error = [&](const makespan_problem& p) {
        const auto kinds = expanded_types(p, *types);
        REQUIRE_FALSE(kinds);
        return kinds.error();
    };
    CHECK(error({"", one_each, 1}) == model_error{errc::missing, "instructions"});
    CHECK(error({"LLX", one_each, 1}) == model_error{errc::malformed, "instructions", 1, 3});
    CHECK(error({"L", one_each, 0}) == model_error{errc::not_positive, "warps"});
}

}  // namespace problem_test
