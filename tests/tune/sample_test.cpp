// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <vector>

#include <warpgauge/tune/sample.hpp>

namespace sample_test {

using namespace warpgauge;

namespace {

const std::vector<double> numbers{1, 2, 3, 4, 5, 6};
const std::array<axis, 2> axes{axis{"x", numbers}, axis{"y", numbers}};
constexpr auto nothing = [](auto, auto&) {};
constexpr auto broken = [](std::span<const double> p) -> std::string_view {
    return p[0] * p[1] > 6 ? "x y <= 6" : "";
};
const configurations space{axes, {}, nothing, broken};

}  // namespace

TEST_CASE("without a limit, all configurations that break no constraint, in order") {
    const auto s = sample(space);
    REQUIRE(s);
    // x = 1: 6 of y; 2: 3; 3: 2; 4, 5, 6: 1 each.
    CHECK(s->places == std::vector<std::size_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 13, 18, 24, 30});
    CHECK(s->allowed == 14);
    CHECK(sample(space, {.max_count = 14})->places == s->places);
    CHECK(sample(configurations{axes, {}, nothing})->places.size() == 36);
}

TEST_CASE(
    "a sample has as many as asked for, the same for a seed, each with the same probability") {
    const auto all = sample(space)->places;
    std::map<std::size_t, int> times;
    bool differ = false;
    const int seeds = 3000;
    for (int seed = 0; seed < seeds; ++seed) {
        const sample_options options{.max_count = 3, .seed = static_cast<std::uint64_t>(seed)};
        const auto s = sample(space, options);
        REQUIRE(s);
        REQUIRE(s->places.size() == 3);
        CHECK(s->allowed == 14);
        CHECK(std::is_sorted(s->places.begin(), s->places.end()));
        CHECK(sample(space, options)->places == s->places);
        differ = differ || s->places != sample(space, {.max_count = 3})->places;
        for (const std::size_t p : s->places) ++times[p];
    }
    CHECK(differ);
    for (const std::size_t p : all) {
        // 3 of 14 times 3000 are 643; the standard deviation is 22.5.
        CHECK(times[p] > 643 - 4 * 23);
        CHECK(times[p] < 643 + 4 * 23);
    }
}

TEST_CASE("what a sample refuses") {
    CHECK(sample(space, {.max_count = 0}).error() == model_error{errc::not_positive, "max_count"});
    CHECK(sample(space, {.max_visited = 35}).error() ==
          model_error{errc::limit_reached, "max_visited"});
    const configurations none{std::span<const axis>{}, {}, nothing};
    CHECK(sample(none).error().field == "axes");
}

}  // namespace sample_test
