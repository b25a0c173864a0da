// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>
#include <cstdint>
#include <string_view>

#include <doctest/doctest.h>

#include <warpgauge/makespan/state_search.hpp>

namespace state_search_test {

using namespace warpgauge;
using namespace warpgauge::detail::makespan;

namespace {

constexpr std::array<unit_slots, 2> one_each{{{'L', 1}, {'C', 1}}};

result<makespan_range> run(const makespan_problem& p, const search_scope& scope) {
    return with_search<false>(p, {}, [&](auto& search) { return search.run(scope); });
}

}  // namespace

TEST_CASE("all states: the worst and the best, by hand") {
    // One warp takes its instructions; two of LC overlap but for one cycle.
    CHECK(run({"LC", one_each, 1}, {})->worst == 2);
    CHECK(run({"LC", one_each, 2}, {})->worst == 3);
    CHECK(run({"LC", one_each, 2}, {})->best == 3);
    const auto lcl = run({"LCL", one_each, 4}, {});
    CHECK(lcl->worst == 9);
    CHECK(lcl->best == 8);
}

TEST_CASE("a narrow scope sees fewer states and no longer schedules") {
    const makespan_problem p{"LLCCLL", one_each, 12};
    const auto all = run(p, {});
    REQUIRE(all);
    std::uint64_t before = 0;
    for (std::uint64_t apart = 2; apart < 12; apart *= 2) {
        const auto few = run(p, {.apart = apart});
        REQUIRE(few);
        CHECK(few->worst <= all->worst);
        CHECK((few->states < all->states) == (apart < 8));
        CHECK(few->states > before);
        before = few->states;
    }
    CHECK(run(p, {.apart = 12})->worst == all->worst);
    CHECK(run(p, {.apart = 12})->states == all->states);
}

TEST_CASE("counts that do not fit 64 bits are packed into 128, and past them are an error") {
    constexpr std::string_view string = "LLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLLL";  // 33, of 2 or 4 bits
    const auto range = run({string, one_each, 3}, {});
    REQUIRE(range);
    CHECK(range->worst == 99);
    CHECK(range->best == 99);
    CHECK(run({string, one_each, 15}, {}).error() ==
          model_error{errc::limit_reached, "instructions"});
}

TEST_CASE("a search without witnesses keeps as many sets as a cycle executes instructions") {
    const makespan_problem p{"LLCLL", one_each, 40};
    CHECK(with_search<false>(p, {.bytes = 400'000}, [](auto& s) { return s.run({}); }));
    const auto kept = with_search<true>(p, {.bytes = 400'000}, [](auto& s) { return s.run({}); });
    REQUIRE_FALSE(kept);
    CHECK(kept.error() == model_error{errc::limit_reached, "bytes"});
}

}  // namespace state_search_test
