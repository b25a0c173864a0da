// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include <warpgauge/simulate/sm.hpp>
#include <warpgauge/simulate/sm_workspace.hpp>

#include "plain_sm.hpp"

namespace sm_workspace_test {

using namespace warpgauge;

namespace {

using stream = std::vector<instruction>;

constexpr instruction load{.unit = unit_kind::global_memory};
constexpr instruction use{.unit = unit_kind::single_precision, .needs = {1}};
constexpr instruction sync{.unit = unit_kind::barrier};
constexpr sm_parameters plain = plain_sm({0, 32, 32, 32, 32});
const stream rounds{loop(3, 9), load, use, sync};

struct outcome {
    std::uint64_t cycles{};
    sm_stalls stalls{};
    double dram_bytes{};
    std::vector<std::uint64_t> block_ends;

    friend bool operator==(const outcome&, const outcome&) = default;
};

outcome simulate(const stream& s, const sm_residency& r, sm_workspace& space) {
    const auto e = simulate_sm(s, plain, r, warp_policy::lowest_index, {}, space);
    REQUIRE(e);
    return {e->cycles, e->stalls, e->dram_bytes, space.block_ends()};
}

outcome simulate_anew(const stream& s, const sm_residency& r) {
    sm_workspace space;
    return simulate(s, r, space);
}

}  // namespace

TEST_CASE("a workspace that was used gives what a new one gives") {
    const sm_residency many{.blocks = 8, .warps_per_block = 16, .total_blocks = 40};
    const sm_residency few{.blocks = 2, .warps_per_block = 1, .total_blocks = 2};
    sm_workspace space;
    for (const sm_residency& r : {many, few, many}) {
        CHECK(simulate(rounds, r, space) == simulate_anew(rounds, r));
        CHECK(simulate({load}, r, space) == simulate_anew({load}, r));
    }
}

TEST_CASE("also after a simulation that ended in an error") {
    const sm_residency r{.blocks = 4, .warps_per_block = 4, .total_blocks = 9};
    const simulation_caps short_one{.warp_instructions = 50};
    sm_workspace space;
    const auto failed = simulate_sm(rounds, plain, r, warp_policy::lowest_index, short_one, space);
    REQUIRE_FALSE(failed);
    CHECK(failed.error().code == errc::limit_reached);
    CHECK(simulate(rounds, r, space) == simulate_anew(rounds, r));
}

TEST_CASE("it has the end of the last block in each place") {
    sm_workspace space;
    CHECK(space.block_ends().empty());
    const outcome e =
        simulate(rounds, {.blocks = 3, .warps_per_block = 2, .total_blocks = 7}, space);
    REQUIRE(e.block_ends.size() == 3);
    std::uint64_t last = 0;
    for (const std::uint64_t end : e.block_ends) last = end > last ? end : last;
    CHECK(last == e.cycles);
}

}  // namespace sm_workspace_test
