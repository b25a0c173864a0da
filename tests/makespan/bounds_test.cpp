// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <warpgauge/makespan/bounds.hpp>
#include <warpgauge/makespan/schedule.hpp>

#include "schedule_of.hpp"

namespace bounds_test {

using namespace warpgauge;

namespace {

constexpr std::array<unit_slots, 2> one_each{{{'L', 1}, {'C', 1}}};
constexpr std::array<unit_slots, 2> two_loads{{{'L', 2}, {'C', 1}}};

constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();

// All three are computed by the compiler.
static_assert(makespan_upper_bound({"LLCLL", one_each, 600})->cycles == 2401);
static_assert(pessimistic_makespan({"LLCLL", one_each, 600})->cycles == 3000);
static_assert(each_type_bound({"LLCLL", one_each, 600})->cycles == 3000);

}  // namespace

TEST_CASE("V is the exact worst case of the kernels of Berezovskyi et al. 2012, figs. 6 and 7") {
    const auto six = makespan_upper_bound({"LLCLL", one_each, 600});
    CHECK(six->cycles == 2401);
    CHECK(six->rule == makespan_rule::independent_set);
    CHECK(six->safe);
    CHECK(makespan_upper_bound({"LLCLL", one_each, 10'000})->cycles == 40'001);
    CHECK(makespan_upper_bound({"LLCLLCLL", one_each, 420})->cycles == 2522);
    CHECK(makespan_upper_bound({"LLCLL", two_loads, 600})->cycles == 1203);
}

TEST_CASE("eqs. (5)-(7) as printed; below the worst case, and marked so, with several slots") {
    CHECK(pessimistic_makespan({"LLCLL", one_each, 600})->cycles == 3000);
    CHECK(pessimistic_makespan({"LLCLLCLL", one_each, 420})->cycles == 3360);
    CHECK(pessimistic_makespan({"LLCLL", one_each, 600})->safe);

    const makespan_problem ll{"LL", two_loads, 4};
    CHECK(pessimistic_makespan(ll)->cycles == 4);
    CHECK_FALSE(pessimistic_makespan(ll)->safe);
    CHECK(*check_schedule(ll, schedule_of({"LL...", "L.L..", ".LL..", "...LL"})) == 5);
    CHECK(makespan_upper_bound(ll)->cycles == 5);
    CHECK(makespan_upper_bound(ll)->safe);

    constexpr std::array<unit_slots, 2> two_each{{{'L', 2}, {'C', 2}}};
    CHECK_FALSE(pessimistic_makespan({"LC", two_each, 4})->safe);
    constexpr std::array<unit_slots, 1> four{{{'L', 4}}};
    CHECK(pessimistic_makespan({"LLLLLLLL", four, 8})->cycles == 16);
    CHECK(makespan_upper_bound({"LLLLLLLL", four, 8})->cycles == 22);
    CHECK(makespan_upper_bound({"LLLLLLLL", four, 8})->rule == makespan_rule::independent_set);
    CHECK(each_type_bound({"LLLLLLLL", four, 8})->cycles == 22);  // B is as high, and as safe
    CHECK(each_type_bound({"LLLLLLLL", four, 8})->safe);
    // Three warps that all wait for one unit of four instructions each.
    CHECK(makespan_upper_bound({"CCCC", one_each, 3})->cycles == 12);
}

TEST_CASE("three types: the best pair, or every type on its own") {
    constexpr std::array<unit_slots, 3> three{{{'L', 1}, {'C', 1}, {'S', 1}}};
    // LCS, one slot each: one edge of a pair can be joined, so rho = 2.
    const auto pair = makespan_upper_bound({"LCS", three, 3});
    CHECK(pair->cycles == 3 + 2 * 2);
    CHECK(pair->rule == makespan_rule::best_pair);
    // L and S are the pair of which each instruction joins the next: rho = 3.
    CHECK(makespan_upper_bound({"LSLSLS", three, 3})->cycles == 6 + 2 * 3);
    // As many types as there may be, each on its own.
    constexpr std::array<unit_slots, 8> eight{
        {{'A', 1}, {'B', 1}, {'C', 1}, {'D', 1}, {'E', 1}, {'F', 1}, {'G', 1}, {'H', 1}}};
    CHECK(pessimistic_makespan({"ABCDEFGH", eight, 5})->cycles == 40);
    CHECK(each_type_bound({"ABCDEFGH", eight, 5})->cycles == 8 + 8 * 4);
    CHECK(makespan_upper_bound({"ABCDEFGH", eight, 5})->cycles == 8 + 4 * 7);
    // Slots of three each, two warps: the others never fill a type, so B adds nothing.
    constexpr std::array<unit_slots, 3> wide{{{'L', 3}, {'C', 3}, {'S', 3}}};
    const auto each = makespan_upper_bound({"LSSCCLCCSSL", wide, 2});
    CHECK(each->cycles == 11 + 1 + 1 + 1);
    CHECK(each->cycles == each_type_bound({"LSSCCLCCSSL", wide, 2})->cycles);
}

TEST_CASE("1/n slot is n copies with one slot") {
    constexpr std::array<unit_slots, 2> half{{{'L', 0.5}, {'C', 1}}};
    CHECK(makespan_upper_bound({"LCL", half, 600})->cycles == 2401);  // LLCLL
    constexpr std::array<unit_slots, 2> tenth{{{'L', 0.1}, {'C', 1}}};
    CHECK(makespan_upper_bound({"L", tenth, 1})->cycles == 10);
}

TEST_CASE("bad problems are named errors") {
    const auto error = [](makespan_problem p) {
        const auto e = makespan_upper_bound(p).error();
        CHECK(pessimistic_makespan(p).error() == e);
        CHECK(each_type_bound(p).error() == e);
        CHECK(check_schedule(p, {}).error() == e);
        return e;
    };
    CHECK(error({"", one_each, 1}) == model_error{errc::missing, "instructions"});
    CHECK(error({"LLX", one_each, 1}) == model_error{errc::malformed, "instructions", 1, 3});
    CHECK(error({"L", {}, 1}) == model_error{errc::malformed, "instructions", 1, 1});
    CHECK(error({"L", one_each, 0}) == model_error{errc::not_positive, "warps"});
    const auto with = [&](double slots) {
        const std::array<unit_slots, 1> of{{{'L', slots}}};
        return error({"L", of, 1});
    };
    CHECK(with(0) == model_error{errc::not_positive, "slots"});
    CHECK(with(-1) == model_error{errc::not_positive, "slots"});
    CHECK(with(std::numeric_limits<double>::quiet_NaN()).field == "slots");
    CHECK(with(std::numeric_limits<double>::infinity()).field == "slots");
    CHECK(with(1.5) == model_error{errc::outside_domain, "slots"});
    CHECK(with(0.3) == model_error{errc::outside_domain, "slots"});
    CHECK(with(1e-9) == model_error{errc::limit_reached, "slots"});
    constexpr std::array<unit_slots, 2> twice{{{'L', 1}, {'L', 1}}};
    CHECK(error({"L", twice, 1}) == model_error{errc::malformed, "slots"});
    CHECK(error({"L", std::vector<unit_slots>(9, {'L', 1}), 1}).field == "slots");
}

TEST_CASE("past 64 bits is an error, up to them is a number") {
    CHECK(makespan_upper_bound({"L", one_each, most})->cycles == most);
    CHECK(pessimistic_makespan({"L", one_each, most})->cycles == most);
    CHECK(makespan_upper_bound({"LL", one_each, most}).error() ==
          model_error{errc::overflow, "cycles"});
    CHECK(pessimistic_makespan({"LL", one_each, most}).error() ==
          model_error{errc::overflow, "cycles"});
}

TEST_CASE("a common multiple of the slots that a string uses") {
    using detail::makespan::common_multiple;
    unit_types all;
    all.count = 3;
    all.types = {{{4, 1}, {6, 1}, {5, 1}}};
    CHECK(*common_multiple(all, {.length = 2, .of_type = {1, 1, 0}}) == 12);
    CHECK(*common_multiple(all, {.length = 3, .of_type = {1, 1, 1}}) == 60);
    CHECK(*common_multiple(all, {}) == 1);
    all.types = {{{1U << 17, 1}, {(1U << 16) - 1, 1}, {1, 1}}};  // 2^33 - 2^17
    CHECK(common_multiple(all, {.length = 2, .of_type = {1, 1, 0}}).error().code == errc::overflow);
    all.types = {{{1U << 20, 1}, {(1U << 20) - 1, 1}, {1, 1}}};
    CHECK(common_multiple(all, {.length = 2, .of_type = {1, 1, 0}}).error() ==
          model_error{errc::overflow, "slots"});
}

TEST_CASE("the instructions of a bound may come from anywhere") {
    const auto all = unit_types_of(one_each);
    REQUIRE(all);
    const auto llcll = [](auto visit) -> model_error {
        for (const std::size_t type : {0U, 0U, 1U, 0U, 0U}) visit(type, 1U);
        return {};
    };
    CHECK(makespan_upper_bound(llcll, *all, 600)->cycles == 2401);
    CHECK(pessimistic_makespan(llcll, *all, 600)->cycles == 3000);
    const auto none = [](auto) { return model_error{errc::missing, "tape"}; };
    CHECK(makespan_upper_bound(none, *all, 600).error() == model_error{errc::missing, "tape"});
}

TEST_CASE("rules have names") {
    CHECK(name(makespan_rule::independent_set) == "V, closed form");
    CHECK(name(makespan_rule::best_pair) == "V, best pair of types");
    CHECK(name(makespan_rule::each_type) == "B, every type on its own");
    CHECK(name(makespan_rule::all_contend) == "eqs. (5)-(7)");
    CHECK(name(makespan_rule::multiples) == "eqs. (42), (43)");
    CHECK(name(makespan_rule::exhaustive) == "every schedule");
    CHECK(name(makespan_rule::every_resource) == "every resource of the SM");
    CHECK(name(static_cast<makespan_rule>(99)) == "unknown");
    CHECK(name(makespan_doubt::none) == "none");
    CHECK(name(makespan_doubt::printed_equations) == "the equations as printed are not safe");
    CHECK(name(makespan_doubt::two_unit_types) ==
          "two types of units leave out latencies and other resources");
    CHECK(name(makespan_doubt::pooled_units) == "the schedulers of the SM share its units");
    CHECK(name(static_cast<makespan_doubt>(99)) == "unknown");
}

}  // namespace bounds_test
