// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include <warpgauge/makespan/bounds.hpp>
#include <warpgauge/makespan/bracket.hpp>
#include <warpgauge/makespan/schedule.hpp>
#include <warpgauge/makespan/search.hpp>

#include "random_numbers.hpp"

namespace bracket_test {

using namespace warpgauge;

namespace {

constexpr std::array<unit_slots, 2> one_each{{{'L', 1}, {'C', 1}}};
constexpr std::array<unit_slots, 2> two_loads{{{'L', 2}, {'C', 1}}};

}  // namespace

TEST_CASE("many warps: certified by a search of few states") {
    struct {
        std::string_view instructions;
        std::span<const unit_slots> slots;
        std::uint64_t warps, worst;
    } const rows[] = {{"LLCLL", one_each, 600, 2401},
                      {"LLCLL", one_each, 10'000, 40'001},
                      {"LLCLLCLL", one_each, 420, 2522},
                      {"LLCLL", two_loads, 600, 1203}};
    for (const auto& r : rows) {
        const auto b = bracket_makespan({r.instructions, r.slots, r.warps});
        REQUIRE(b);
        CHECK(b->certified);
        CHECK(b->lower == r.worst);
        CHECK(b->upper == r.worst);
        CHECK(b->rule == makespan_rule::independent_set);
        if (r.warps > 1000) continue;  // the check visits every warp in every cycle
        const makespan_problem p{r.instructions, r.slots, r.warps};
        const auto schedule = bracket_witness(p, *b);
        REQUIRE(schedule);
        CHECK(*check_schedule(p, *schedule) == r.worst);
    }
}

TEST_CASE("512 symbols, 64 warps: certified, with a schedule that an independent check accepts") {
    random_numbers any(7);
    for (const int run : {1, 2, 5, 20}) {
        std::string s;
        for (int i = 0; i < 512; ++i) {
            const bool again = i > 0 && any.whole(1, run) > 1;
            const char drawn = any.whole(0, 1) == 0 ? 'L' : 'C';
            s += again ? s.back() : drawn;
        }
        CAPTURE(s);
        const makespan_problem p{s, one_each, 64};
        const auto b = bracket_makespan(p);
        REQUIRE(b);
        CHECK(b->certified);
        CHECK(b->width > 0);
        CHECK(b->upper == makespan_upper_bound(p)->cycles);
        const auto schedule = bracket_witness(p, *b);
        REQUIRE(schedule);
        CHECK(*check_schedule(p, *schedule) == b->lower);
    }
}

TEST_CASE("an open bracket stays open: a cap never makes an answer") {
    const makespan_problem p{"LCL", one_each, 2};  // V = 5, exactly 4
    const auto whole = bracket_makespan(p);
    CHECK(whole->certified);
    CHECK(whole->upper == 4);
    CHECK(whole->rule == makespan_rule::exhaustive);

    const makespan_problem many{"LLCCLL", two_loads, 40};
    const auto capped = bracket_makespan(many, {.states = 30'000});
    REQUIRE(capped);
    CHECK(capped->lower <= capped->upper);
    CHECK(capped->certified == (capped->lower == capped->upper));
    CHECK(capped->upper == makespan_upper_bound(many)->cycles);
}

TEST_CASE("where no schedule stays in two places, the search goes on") {
    const std::array<unit_slots, 3> slots{{{'L', 3}, {'C', 3}, {'S', 1}}};
    const makespan_problem p{"LCSCLSC", slots, 5};
    const auto b = bracket_makespan(p);
    REQUIRE(b);
    CHECK(b->certified);
    CHECK(b->lower == exact_makespan(p)->worst);
}

TEST_CASE("without any search: what every schedule takes") {
    const auto none = bracket_makespan({"LLCLL", one_each, 600}, {.states = 0});
    REQUIRE(none);
    CHECK(none->lower == 2400);
    CHECK(none->upper == 2401);
    CHECK_FALSE(none->certified);
    CHECK(bracket_witness({"LLCLL", one_each, 600}, *none).error() ==
          model_error{errc::missing, "spread"});
    const std::string longer(1000, 'L');  // more than a search takes
    const auto one_type = bracket_makespan({longer, one_each, 600});
    REQUIRE(one_type);
    CHECK(one_type->lower == 600'000);
    CHECK(one_type->certified);
}

TEST_CASE("what every schedule takes") {
    using detail::makespan::min_makespan;
    CHECK(min_makespan({"LLCLL", one_each, 1}) == 5);
    CHECK(min_makespan({"LLCLL", one_each, 600}) == 2400);
    CHECK(min_makespan({"LLCLL", two_loads, 600}) == 1200);
    CHECK(min_makespan({"X", one_each, 600}) == 0);
}

TEST_CASE("a problem that is none has no bracket") {
    CHECK(bracket_makespan({"L", one_each, 0}).error() == model_error{errc::not_positive, "warps"});
}

}  // namespace bracket_test
