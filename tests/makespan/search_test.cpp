// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <warpgauge/makespan/bounds.hpp>
#include <warpgauge/makespan/bracket.hpp>
#include <warpgauge/makespan/schedule.hpp>
#include <warpgauge/makespan/search.hpp>

#include "short_problems.hpp"

namespace search_test {

using namespace warpgauge;

namespace {

constexpr std::array<unit_slots, 2> one_each{{{'L', 1}, {'C', 1}}};

/// Worst and best by trying, cycle by cycle, every choice among warps that are told apart: shares
/// nothing with the search but the problem.
class by_brute_force {
public:
    by_brute_force(std::string_view string, std::span<const unit_slots> slots, std::size_t warps)
        : string_(string), slots_(slots), position_(warps, 0) {
        cycle(1);
    }
    std::uint64_t worst = 0;
    std::uint64_t best = ~std::uint64_t{0};

private:
    void cycle(std::uint64_t now) {
        std::vector<std::vector<std::size_t>> ready(slots_.size());
        bool all_done = true;
        for (std::size_t w = 0; w < position_.size(); ++w) {
            if (position_[w] == string_.size()) continue;
            all_done = false;
            for (std::size_t k = 0; k < slots_.size(); ++k) {
                if (slots_[k].symbol == string_[position_[w]]) ready[k].push_back(w);
            }
        }
        if (all_done) {
            worst = std::max(worst, now - 1);
            best = std::min(best, now - 1);
            return;
        }
        choose(ready, 0, 0, 0, now);
    }
    void choose(const std::vector<std::vector<std::size_t>>& ready, std::size_t k,
                std::size_t first, std::size_t chosen, std::uint64_t now) {
        if (k == ready.size()) {
            cycle(now + 1);
            return;
        }
        const auto want = std::min(ready[k].size(), static_cast<std::size_t>(slots_[k].slots));
        if (chosen == want) {
            choose(ready, k + 1, 0, 0, now);
            return;
        }
        for (std::size_t i = first; i < ready[k].size(); ++i) {
            ++position_[ready[k][i]];
            choose(ready, k, i + 1, chosen + 1, now);
            --position_[ready[k][i]];
        }
    }

    std::string_view string_;
    std::span<const unit_slots> slots_;
    std::vector<std::size_t> position_;
};

void both_witnesses_are_accepted(const makespan_problem& p, const makespan_range& range) {
    for (const bool worst : {true, false}) {
        const auto s = makespan_witness(p, worst);
        REQUIRE(s);
        const auto length = check_schedule(p, *s);
        REQUIRE(length);
        CHECK(*length == (worst ? range.worst : range.best));
    }
}

}  // namespace

TEST_CASE("counterexamples to eqs. (42), (43): the estimate is below the worst case") {
    struct {
        std::string_view instructions;
        std::uint64_t estimate, worst;
    } const rows[] = {{"LCL", 8, 9}, {"LCLCL", 12, 14}, {"LCLCLCL", 16, 19}};
    for (const auto& r : rows) {
        const makespan_problem p{r.instructions, one_each, 4};
        const auto estimate = estimate_makespan(p, 2);
        CHECK(estimate->cycles == r.estimate);
        CHECK_FALSE(estimate->safe);
        const auto range = exact_makespan(p);
        CHECK(range->worst == r.worst);
        CHECK(makespan_upper_bound(p)->cycles >= r.worst);
        both_witnesses_are_accepted(p, *range);
    }
}

TEST_CASE("the estimate of figs. 6 and 7, from up to ten warps") {
    CHECK(estimate_makespan({"LLCLL", one_each, 600}, 10)->cycles == 2460);
    CHECK(estimate_makespan({"LLCLLCLL", one_each, 420}, 10)->cycles == 2604);
    const auto all = estimate_makespan({"LCL", one_each, 4}, 10);
    CHECK(all->cycles == 9);  // T(4) itself
    CHECK(all->rule == makespan_rule::exhaustive);
    CHECK(all->safe);
}

TEST_CASE("three types: worst and best") {
    struct {
        std::string_view instructions;
        double loads, cores;
        std::uint64_t warps, worst, best;
    } const rows[] = {{"LCS", 1, 1, 3, 5, 5},
                      {"LCSL", 1, 1, 3, 6, 6},
                      {"LCSCL", 1, 1, 4, 11, 10},
                      {"LLCSS", 1, 2, 3, 11, 9},
                      {"LSLCS", 2, 1, 4, 11, 9}};
    for (const auto& r : rows) {
        CAPTURE(r.instructions);
        const std::array<unit_slots, 3> slots{{{'L', r.loads}, {'C', r.cores}, {'S', 1}}};
        const makespan_problem p{r.instructions, slots, r.warps};
        const auto range = exact_makespan(p);
        REQUIRE(range);
        CHECK(range->worst == r.worst);
        CHECK(range->best == r.best);
        CHECK(makespan_upper_bound(p)->cycles >= r.worst);
        both_witnesses_are_accepted(p, *range);
    }
}

TEST_CASE("caps and bad input are named errors") {
    const makespan_problem p{"LLCLL", one_each, 40};
    CHECK(exact_makespan(p, {.states = 1000}).error() ==
          model_error{errc::limit_reached, "states"});
    CHECK(exact_makespan(p, {.bytes = 10'000}).error() ==
          model_error{errc::limit_reached, "bytes"});
    CHECK(makespan_witness(p, true, {.bytes = 100}).error() ==
          model_error{errc::limit_reached, "bytes"});
    int asked = 0;
    const makespan_caps stops{.stop = [](void* n) { return ++*static_cast<int*>(n) == 2; },
                              .context = &asked};
    CHECK(exact_makespan(p, stops).error() == model_error{errc::limit_reached, "stop"});
    CHECK(asked == 2);
    CHECK(exact_makespan({"LLCLLCLLCLLCLLCL", one_each, 600}).error() ==
          model_error{errc::limit_reached, "instructions"});
    CHECK(exact_makespan({"L", one_each, ~std::uint64_t{0}}).error() ==
          model_error{errc::limit_reached, "warps"});
    CHECK(exact_makespan({"", one_each, 1}).error() == model_error{errc::missing, "instructions"});
    CHECK(exact_makespan({"L", one_each, 0}).error() == model_error{errc::not_positive, "warps"});
    CHECK(makespan_witness({"X", one_each, 1}).error().column == 1);
    CHECK(estimate_makespan(p, 0).error() == model_error{errc::not_positive, "few"});
    CHECK(estimate_makespan({"L", one_each, 0}, 1).error() ==
          model_error{errc::not_positive, "warps"});
}

TEST_CASE("a search that cannot end in its states does not begin") {
    int asked = 0;
    const makespan_caps counted{.stop = [](void* n) { return ++*static_cast<int*>(n) < 0; },
                                .context = &asked};
    const model_error too_many{errc::limit_reached, "states"};
    CHECK(exact_makespan({"L", one_each, std::uint64_t{1} << 31}, counted).error() == too_many);
    CHECK(exact_makespan({"LC", one_each, std::uint64_t{1} << 30}, counted).error() == too_many);
    CHECK(asked == 0);
    // 1001 states, one a cycle.
    CHECK(exact_makespan({"L", one_each, 1000}, {.states = 1000})->states == 1001);
    CHECK(exact_makespan({"L", one_each, 1000}, {.states = 999}).error() == too_many);
}

TEST_CASE("a cap holds within a state too, which can lead to millions") {
    const std::array<unit_slots, 1> slots{{{'L', 1 << 12}}};
    const makespan_problem p{"LLLL", slots, 1 << 13};
    int asked = 0;
    const makespan_caps stops{.stop = [](void* n) { return ++*static_cast<int*>(n) == 2; },
                              .context = &asked};
    CHECK(exact_makespan(p, stops).error() == model_error{errc::limit_reached, "stop"});
    CHECK(asked == 2);
    CHECK(exact_makespan(p, {.states = 100'000}).error() ==
          model_error{errc::limit_reached, "states"});
}

TEST_CASE("what does not hold: slots, length, direction") {
    const auto worst = [](std::string_view instructions, double loads, double cores,
                          std::uint64_t warps) {
        const std::array<unit_slots, 2> slots{{{'L', loads}, {'C', cores}}};
        return exact_makespan({instructions, slots, warps})->worst;
    };
    // More slots can make the worst case longer,
    CHECK(worst("LLCL", 2, 1, 3) == 6);
    CHECK(worst("LLCL", 2, 2, 3) == 7);
    // and so can an instruction less;
    CHECK(worst("LCLCL", 1, 1, 2) == 6);
    CHECK(worst("LLCL", 1, 1, 2) == 7);
    // the string from its end has another one;
    CHECK(worst("CCLC", 1, 1, 2) == 7);
    CHECK(worst("CLCC", 1, 1, 2) == 6);
    // and twice the warps can take more than twice as long.
    CHECK(worst("LCL", 1, 1, 2) == 4);
    CHECK(worst("LCL", 1, 1, 4) == 9);
}

TEST_CASE("all short strings: the search agrees with brute force") {
    std::uint64_t instances = 0;
    for_each_short_string(4, [&](const std::string& s, int which) {
        const auto slots = one_or_two_slots(which);
        for (std::uint64_t warps = 1; warps <= 3; ++warps) {
            const makespan_problem p{s, slots, warps};
            const auto range = exact_makespan(p);
            REQUIRE(range);
            const by_brute_force brute(s, slots, warps);
            REQUIRE(range->worst == brute.worst);
            REQUIRE(range->best == brute.best);
            REQUIRE(bracket_makespan(p)->lower == brute.worst);
            ++instances;
        }
    });
    CHECK(instances == (2 + 4 + 8 + 16) * 4 * 3);
}

}  // namespace search_test
