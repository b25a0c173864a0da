// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <warpgauge/makespan/problem.hpp>

using namespace warpgauge;

namespace {

constexpr std::array<unit_slots, 2> one_each{{{'L', 1}, {'C', 1}}};
constexpr std::array<unit_slots, 2> two_loads{{{'L', 2}, {'C', 1}}};

constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();

/// Rows of one character a cycle, a row a warp; '.' waits.
makespan_schedule schedule_of(std::vector<std::string_view> rows) {
    makespan_schedule s;
    for (const std::string_view row : rows) {
        std::size_t executed = 0;
        for (std::size_t cycle = 0; cycle < row.size(); ++cycle) {
            if (row[cycle] == '.') continue;
            s.cycles.push_back(static_cast<std::uint32_t>(cycle + 1));
            ++executed;
        }
        s.instructions = executed;
    }
    return s;
}

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

    constexpr std::array<unit_slots, 1> four{{{'L', 4}}};
    CHECK(pessimistic_makespan({"LLLLLLLL", four, 8})->cycles == 16);
    CHECK(makespan_upper_bound({"LLLLLLLL", four, 8})->cycles == 22);
}

TEST_CASE("three types: the best pair, or every type on its own") {
    constexpr std::array<unit_slots, 3> three{{{'L', 1}, {'C', 1}, {'S', 1}}};
    // LCS, one slot each: one edge of a pair can be joined, so rho = 2.
    const auto pair = makespan_upper_bound({"LCS", three, 3});
    CHECK(pair->cycles == 3 + 2 * 2);
    CHECK(pair->rule == makespan_rule::best_pair);
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

TEST_CASE("a schedule is checked against the definition and nothing else") {
    const makespan_problem lcl{"LCL", one_each, 4};
    const auto ok = schedule_of({"LCL......", ".LC.L....", "...LCL...", "......LCL"});
    CHECK(*check_schedule(lcl, ok) == 9);

    auto s = ok;
    s.cycles.pop_back();
    CHECK(check_schedule(lcl, s).error() == model_error{errc::malformed, "schedule"});
    s = ok;
    s.cycles[1] = 1;  // C in the same cycle as the L before it
    CHECK(check_schedule(lcl, s).error().field == "order");
    s = ok;
    s.cycles[3] = 1;  // a second L in the first cycle
    CHECK(check_schedule(lcl, s).error() == model_error{errc::malformed, "capacity", 1});
    CHECK(check_schedule(lcl, schedule_of({".LCL......", "..LC.L....", "....LCL...", ".......LCL"}))
              .error() == model_error{errc::malformed, "work_conservation", 1});
    s = ok;
    s.cycles[11] = 4'000'000'000U;
    CHECK(check_schedule(lcl, s).error().field == "work_conservation");
    s.cycles[0] = 0;
    CHECK(check_schedule(lcl, s).error().field == "order");
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
