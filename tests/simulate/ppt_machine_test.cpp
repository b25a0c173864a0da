// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <vector>

#include <doctest/doctest.h>

#include <warpgauge/devices/tesla_k40.hpp>
#include <warpgauge/simulate/ppt_machine.hpp>

namespace ppt_machine_test {

using namespace warpgauge;
using namespace warpgauge::detail::simulate;

namespace {

// Units as many as a K40 has, with nothing before.
ppt_state fresh() {
    ppt_state state;
    state.units_busy_until = {std::vector<double>(6), std::vector<double>(2),
                              std::vector<double>(1), std::vector<double>(32)};
    return state;
}

ppt_estimate run(const std::vector<task>& tasks, const ppt_residency& r) {
    constexpr const ppt_parameters& k40 = devices::tesla_k40::ppt;
    ppt_state state = fresh();
    ppt_estimate e;
    ppt_machine<>(tasks, k40, state, r).run(e);
    return e;
}

constexpr task add{unit_kind::single_precision};

}  // namespace

TEST_CASE(
    "a warp that may issue twice retires in the cycle of its last task, and the next cycle sees "
    "it") {
    const auto e = run({add}, {.blocks = 1, .warps_per_block = 1, .start = 230});
    CHECK(e.warp_instructions == 1);
    CHECK(e.issue_slots_used == 1);
    CHECK(e.cycles == 231);
    CHECK(e.block_ends == std::vector<double>{231});
    CHECK(e.block_last_ends == std::vector<double>{239});
}

TEST_CASE("a warp that waited tries again one cycle late (P4)") {
    std::vector<task> chain{add};
    for (std::uint32_t i = 1; i < 5; ++i) {
        chain.push_back({unit_kind::single_precision, {i - 1, task::none, task::none}});
    }
    const auto one = run({add}, {1, 1, 0});
    const auto five = run(chain, {1, 1, 0});
    CHECK(five.block_last_ends[0] == one.block_last_ends[0] + 4 * (9 + 1));
}

TEST_CASE("blocks end apart, and a barrier holds only its own block's warps") {
    const std::vector<task> tasks{add, {unit_kind::barrier}, add};
    const auto e = run(tasks, {.blocks = 3, .warps_per_block = 4, .start = 0});
    CHECK(e.warp_instructions == 3 * 4 * 3);
    CHECK(e.block_ends.size() == 3);
    for (std::size_t b = 0; b < 3; ++b) CHECK(e.block_last_ends[b] >= 9 + 9);
    CHECK(e.cycles >= e.block_ends[0]);
}

}  // namespace ppt_machine_test
