// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <limits>
#include <vector>

#include <doctest/doctest.h>

#include <warpgauge/simulate/ppt_units.hpp>

namespace ppt_units_test {

using namespace warpgauge;
using namespace warpgauge::detail::simulate;

namespace {

constexpr ppt_parameters small{.integer_latency_cycles = 5,
                               .float_latency_cycles = 9,
                               .special_latency_cycles = 18,
                               .l1_latency_cycles = 30,
                               .l2_latency_cycles = 100,
                               .idle_dram_latency_cycles = 230,
                               .loaded_dram_latency_cycles = 630,
                               .queue_free = 2,
                               .queue_capacity = 4};

ppt_state state_of(std::size_t single, std::size_t load_store) {
    ppt_state state;
    state.units_busy_until[0].assign(single, 0);
    state.units_busy_until[3].assign(load_store, 0);
    return state;
}

}  // namespace

TEST_CASE("latency grows with the length of the queue beyond its free part") {
    CHECK(ppt_dram_latency(0, small) == 230);
    CHECK(ppt_dram_latency(2, small) == 230);
    CHECK(ppt_dram_latency(3, small) == 230 + 0.25 * 400);
    CHECK(ppt_dram_latency(6, small) == 630);
}

TEST_CASE("a unit takes one instruction a cycle") {
    ppt_state state = state_of(2, 0);
    ppt_units<> units(small, state);
    double completion = 0;
    CHECK(units.start(unit_kind::integer, 7, completion));
    CHECK(completion == 12);
    CHECK(units.start(unit_kind::single_precision, 7, completion));
    CHECK(completion == 16);
    CHECK_FALSE(units.start(unit_kind::branch, 7, completion));
    CHECK(units.start(unit_kind::branch, 8, completion));
    CHECK_FALSE(units.start(unit_kind::double_precision, 8, completion));  // there is none (P6)
    CHECK(state.units_busy_until[0] == std::vector<double>{9, 8});
}

TEST_CASE("a load/store unit takes one request a cycle, and a tensor core is a unit of floats") {
    ppt_state state = state_of(1, 1);
    ppt_units<> units(small, state);
    double completion = 0;
    CHECK(units.start(unit_kind::global_memory, 7, completion));
    CHECK(completion == 237);
    CHECK_FALSE(units.start(unit_kind::global_memory, 7, completion));
    CHECK(units.start(unit_kind::global_memory, 8, completion));
    CHECK(state.units_busy_until[3] == std::vector<double>{9});
    CHECK(units.start(unit_kind::tensor, 7, completion));
    CHECK(completion == 16);
    CHECK_FALSE(units.start(unit_kind::integer, 7, completion));
}

TEST_CASE("shared memory and caches take no unit (P10); a barrier is done at once") {
    ppt_state state;
    ppt_units<> units(small, state);
    double completion = -1;
    CHECK(units.start(unit_kind::shared_memory, 7, completion));
    CHECK(completion == 37);
    CHECK(units.start(unit_kind::l2_cache, 7, completion));
    CHECK(completion == 107);
    CHECK(units.start(unit_kind::l1_cache, 8, completion));
    CHECK(completion == 38);
    CHECK(units.start(unit_kind::barrier, 7, completion));
    CHECK(completion == 0);
    CHECK_FALSE(units.start(unit_kind::loop, 7, completion));
}

TEST_CASE("the queue refuses when it is full, and is emptied whole (P1)") {
    ppt_state state = state_of(0, 8);
    ppt_units<> units(small, state);
    units.begin_cycle();
    double completion = 0;
    for (const double expected : {230.0, 230.0, 230.0, 330.0}) {
        REQUIRE(units.start(unit_kind::global_memory, 0, completion));
        CHECK(completion == expected);
    }
    CHECK_FALSE(units.start(unit_kind::global_memory, 0, completion));
    CHECK(units.next_change(0) == 230);  // the head of the queue; the refused request's slot waits
    units.occupy_refused(230);
    CHECK(state.units_busy_until[3][4] == 230);
    units.begin_cycle();
    CHECK(units.start(unit_kind::global_memory, 230, completion));
    CHECK(completion == 460);
    CHECK(state.memory_queue == std::vector<double>{460});
}

TEST_CASE("units that an earlier call left busy free themselves (P2)") {
    ppt_state state = state_of(2, 0);
    state.units_busy_until[0] = {50, 70};
    ppt_units<> units(small, state);
    units.begin_cycle();
    double completion = 0;
    CHECK_FALSE(units.start(unit_kind::integer, 10, completion));
    CHECK(units.next_change(10) == 50);
    CHECK(units.next_change(50) == 70);
    CHECK(units.next_change(70) == std::numeric_limits<double>::infinity());
}

}  // namespace ppt_units_test
