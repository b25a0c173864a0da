// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <vector>

#include <doctest/doctest.h>

#include <warpgauge/ptx/trace/access_sums.hpp>

namespace access_sums_test {

using namespace warpgauge;
using ptx::detail::trace::access_sums, ptx::detail::trace::access_sums_by_step;
using ptx::run::executed;

namespace {

struct seen {
    unit_kind unit{};
    bool alone{};
    double executions{};

    friend bool operator==(const seen&, const seen&) = default;
};

std::vector<seen> all_of(const access_sums_by_step<>& sums, std::uint32_t step) {
    std::vector<seen> all;
    sums.for_each(step, [&](const access_sums& s, bool alone) {
        all.push_back({s.unit, alone, s.executions});
    });
    return all;
}

}  // namespace

TEST_CASE("accesses by their weight, and the most transactions of one execution") {
    access_sums s;
    const executed e{.active = 0xff, .transactions = 3, .elsewhere = 0xf, .coalesced = true};
    s.add(e, 2, false);
    s.add(e, 2, true);
    CHECK(s.executions == 2);
    CHECK(s.lanes == 8);
    CHECK(s.transactions == 12);
    CHECK(s.max_transactions == 6);
    CHECK(s.uncoalesced == 0);
    s.add({.active = 1, .transactions = 4, .unknown_address = true}, 1, false);
    CHECK(s.max_transactions == 6);
    CHECK(s.uncoalesced == 1);
    CHECK(s.unknown_address);
    s.add(e, ptx::detail::trace::access_totals{.rounds = 5, .transactions = 15}, 2);
    CHECK(s.executions == 13);
    CHECK(s.transactions == 46);
}

TEST_CASE("a step has sums in each memory that it accesses") {
    access_sums_by_step<> sums(2);
    const auto add = [&](std::uint32_t step, unit_kind unit) {
        sums.in(step, unit).add({.active = 1}, 1, false);
    };
    CHECK(all_of(sums, 0) == std::vector<seen>{{unit_kind{}, true, 0}});
    add(0, unit_kind::shared_memory);
    add(1, unit_kind::global_memory);
    CHECK(all_of(sums, 0) == std::vector<seen>{{unit_kind::shared_memory, true, 1}});
    add(0, unit_kind::l1_cache);
    add(0, unit_kind::l1_cache);
    add(0, unit_kind::global_memory);
    CHECK(all_of(sums, 0) == std::vector<seen>{{unit_kind::shared_memory, false, 1},
                                               {unit_kind::l1_cache, false, 2},
                                               {unit_kind::global_memory, false, 1}});
    CHECK(all_of(sums, 1) == std::vector<seen>{{unit_kind::global_memory, true, 1}});
}

}  // namespace access_sums_test
