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

TEST_CASE("what executes a task, and for how long") {
    struct {
        unit_kind unit;
        ppt_pool pool;
        double latency;
    } rows[]{{unit_kind::integer, ppt_pool::single_precision, 5},
             {unit_kind::branch, ppt_pool::single_precision, 5},
             {unit_kind::single_precision, ppt_pool::single_precision, 9},
             {unit_kind::tensor, ppt_pool::single_precision, 9},
             {unit_kind::double_precision, ppt_pool::double_precision, 9},
             {unit_kind::special_function, ppt_pool::special_function, 18},
             {unit_kind::shared_memory, ppt_pool::unlimited, 30},  // P10
             {unit_kind::l1_cache, ppt_pool::unlimited, 30},
             {unit_kind::l2_cache, ppt_pool::unlimited, 100},
             {unit_kind::global_memory, ppt_pool::load_store, 0},
             {unit_kind::barrier, ppt_pool::barrier, 0},
             {unit_kind::loop, ppt_pool::end, 0}};
    for (const auto& row : rows) {
        double latency = 0;
        CHECK(ppt_pool_of(row.unit, small, latency) == row.pool);
        CHECK(latency == row.latency);
    }
}

TEST_CASE("a unit takes one instruction a cycle") {
    ppt_state state = state_of(2, 0);
    ppt_units<> units(small, state);
    units.begin_cycle(7);
    CHECK(units.take(ppt_pool::single_precision));
    CHECK(units.take(ppt_pool::single_precision));
    CHECK_FALSE(units.take(ppt_pool::single_precision));
    CHECK_FALSE(units.take(ppt_pool::double_precision));  // it has none (P6)
    units.begin_cycle(8);
    CHECK(units.take(ppt_pool::single_precision));
    CHECK(state.units_busy_until[0] == std::vector<double>{9, 8});
}

TEST_CASE("the queue refuses when it is full, and is emptied whole (P1)") {
    ppt_state state = state_of(0, 8);
    ppt_units<> units(small, state);
    units.begin_cycle(0);
    CHECK_FALSE(units.refuses_all());
    for (const double expected : {230.0, 230.0, 230.0, 330.0}) {
        CHECK_FALSE(units.refuses_all());  // there is room
        REQUIRE(units.take(ppt_pool::load_store));
        CHECK(units.request() == expected);
    }
    CHECK(units.take(ppt_pool::load_store));
    CHECK(units.request() < 0);
    CHECK(units.next_change() == 230);  // the head of the queue; the refused request's slot waits
    units.occupy_refused(230);
    CHECK(state.units_busy_until[3][4] == 230);
    units.begin_cycle(229);
    CHECK(units.refuses_all());
    units.begin_cycle(230);
    CHECK_FALSE(units.refuses_all());
    CHECK(units.take(ppt_pool::load_store));
    CHECK(units.request() == 460);
    CHECK(state.memory_queue == std::vector<double>{460});
}

TEST_CASE("requests that are polled take load/store slots, and no more than there are") {
    ppt_state state = state_of(0, 5);
    state.memory_queue = {50, 50, 50, 50};
    ppt_units<> units(small, state);
    units.begin_cycle(1);
    REQUIRE(units.refuses_all());
    units.poll(7);
    CHECK_FALSE(units.take(ppt_pool::load_store));
    units.begin_cycle(2);
    CHECK(units.take(ppt_pool::load_store));
    CHECK(units.request() < 0);
    units.poll(2);
    CHECK(units.next_change() == 50);
    units.occupy_refused(50);
    units.settle();
    CHECK(state.units_busy_until[3] == std::vector<double>{50, 50, 50, 2, 2});
}

TEST_CASE("units that an earlier call left busy free themselves (P2)") {
    ppt_state state = state_of(3, 0);
    state.units_busy_until[0] = {50, 0, 70};
    state.memory_queue = {100, 100, 100, 100};
    ppt_units<> units(small, state);
    units.begin_cycle(10);
    CHECK_FALSE(units.refuses_all());  // which slots requests take is not known
    CHECK(units.take(ppt_pool::single_precision));
    CHECK_FALSE(units.take(ppt_pool::single_precision));
    CHECK(state.units_busy_until[0] == std::vector<double>{50, 11, 70});
    units.begin_cycle(11);
    CHECK(units.next_change() == 50);
    units.begin_cycle(50);
    CHECK(units.next_change() == 70);
    units.begin_cycle(70);
    CHECK(units.next_change() == std::numeric_limits<double>::infinity());
    CHECK(units.refuses_all());
}

}  // namespace ppt_units_test
