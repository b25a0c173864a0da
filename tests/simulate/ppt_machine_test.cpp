// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <vector>

#include <doctest/doctest.h>

#include <warpgauge/devices/tesla_k40.hpp>
#include <warpgauge/simulate/ppt_machine.hpp>

#include "plain_ppt.hpp"

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

// Draws of the random calls, one after the other.
class dice {
public:
    explicit dice(std::uint64_t seed) : random_(seed) {}
    std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_() % n); }
    double whole(std::size_t least, std::size_t most) {
        return static_cast<double>(least + below(most - least + 1));
    }
    // Whole, in quarters, or any number.
    double time(std::size_t least, std::size_t most) {
        const double whole_part = whole(least, most);
        const std::size_t kind = below(3);
        const double part = std::uniform_real_distribution<>(0, 1)(random_);
        return whole_part + (kind == 0   ? 0
                             : kind == 1 ? 0.25 * static_cast<double>(below(4))
                                         : part);
    }

private:
    std::mt19937_64 random_;
};

ppt_parameters random_gpu(dice& d) {
    ppt_parameters gpu = devices::tesla_k40::ppt;
    gpu.warp_schedulers = d.whole(1, 5);
    gpu.issues_per_warp = d.whole(1, 3);
    gpu.integer_latency_cycles = d.time(1, 12);
    gpu.float_latency_cycles = d.time(1, 20);
    gpu.special_latency_cycles = d.time(1, 40);
    gpu.l1_latency_cycles = d.time(1, 40);
    gpu.l2_latency_cycles = d.time(1, 200);
    gpu.idle_dram_latency_cycles = d.time(1, 300);
    gpu.loaded_dram_latency_cycles = gpu.idle_dram_latency_cycles + d.time(0, 1500);
    gpu.queue_free = d.time(0, 10);
    gpu.queue_capacity = d.time(1, 40);
    return gpu;
}

// A few tasks, or a round of them many times over, so that results are needed long after.
std::vector<task> random_tasks(dice& d) {
    const std::size_t round = 1 + d.below(30);
    const std::size_t rounds = d.below(2) == 0 ? 1 : 1 + d.below(40);
    const std::size_t memory = d.below(12);  // how often in 12
    std::vector<task> tasks;
    for (std::size_t at = 0; at < round * rounds; ++at) {
        constexpr unit_kind units[]{unit_kind::integer,          unit_kind::single_precision,
                                    unit_kind::double_precision, unit_kind::special_function,
                                    unit_kind::l1_cache,         unit_kind::l2_cache,
                                    unit_kind::barrier,          unit_kind::shared_memory,
                                    unit_kind::tensor,           unit_kind::branch};
        task t = at < round ? task{units[d.below(10)]} : task{tasks[at - round].unit};
        if (at < round && d.below(12) < memory) t.unit = unit_kind::global_memory;
        for (std::uint32_t& i : t.after) {
            const std::size_t far = d.below(8) == 0 ? at : at < 2 * round ? at : 2 * round;
            if (far > 0 && d.below(3) == 0) i = static_cast<std::uint32_t>(at - 1 - d.below(far));
        }
        tasks.push_back(t);
    }
    return tasks;
}

ppt_state random_state(dice& d) {
    ppt_state state;
    for (auto& slots : state.units_busy_until) {
        slots.resize(1 + d.below(8));
        const bool left = d.below(3) == 0;
        for (double& until : slots) until = left ? d.time(0, 2000) : 0;
    }
    if (d.below(3) == 0) {
        state.memory_queue.resize(d.below(50));
        for (double& t : state.memory_queue) t = d.time(0, 2000);
    }
    return state;
}

void same_as_plain(const std::vector<task>& tasks, const ppt_parameters& gpu,
                   const ppt_residency& r, ppt_state state) {
    ppt_state plain_state = state;
    ppt_estimate e;
    ppt_machine<>(tasks, gpu, state, r).run(e);
    const ppt_estimate plain = plain_ppt::sm(tasks, gpu, plain_state).run(r);
    REQUIRE(e.cycles == plain.cycles);
    REQUIRE(e.issue_slots_used == plain.issue_slots_used);
    REQUIRE(e.warp_instructions == plain.warp_instructions);
    REQUIRE(e.block_ends == plain.block_ends);
    REQUIRE(e.block_last_ends == plain.block_last_ends);
    REQUIRE(state.units_busy_until == plain_state.units_busy_until);
    REQUIRE(state.memory_queue == plain_state.memory_queue);
}

}  // namespace

TEST_CASE("as cycle by cycle and warp by warp: random tasks, devices and states before") {
    const char* const cases = std::getenv("WARPGAUGE_STREAMS");
    const int count = cases != nullptr ? std::atoi(cases) : 300;
    for (int seed = 1; seed <= count; ++seed) {
        CAPTURE(seed);
        dice d(static_cast<std::uint64_t>(seed));
        const ppt_parameters gpu = random_gpu(d);
        const std::vector<task> tasks = random_tasks(d);
        const std::size_t blocks = 1 + d.below(12);
        const std::size_t warps = 1 + d.below(8);
        const ppt_residency r{blocks, warps, d.time(0, 600)};
        same_as_plain(tasks, gpu, r, random_state(d));
    }
}

TEST_CASE("requests that wait for the queue take their slots while other warps issue") {
    ppt_parameters gpu = devices::tesla_k40::ppt;
    gpu.loaded_dram_latency_cycles = gpu.idle_dram_latency_cycles = 30;
    gpu.l1_latency_cycles = 3;
    for (const double schedulers : {1.0, 2.0, 3.0}) {
        for (const double capacity : {1.0, 2.0, 5.0}) {
            for (std::size_t after = 0; after < 60; after += 3) {
                CAPTURE(schedulers);
                CAPTURE(capacity);
                CAPTURE(after);
                gpu.warp_schedulers = schedulers;
                gpu.issues_per_warp = after % 2 == 0 ? 1 : 2;
                gpu.queue_capacity = capacity;
                std::vector<task> tasks{{unit_kind::global_memory}};
                tasks.resize(1 + after, {unit_kind::shared_memory});
                // Pauses of three cycles, in which all are visited.
                for (std::uint32_t i = 4; i < after; i += 4) tasks[i].after[0] = i - 1;
                same_as_plain(tasks, gpu, {2, 5, 0.3}, fresh());
            }
        }
    }
}

TEST_CASE("a result that is under way is waited for, however many tasks issue meanwhile") {
    ppt_parameters gpu = devices::tesla_k40::ppt;
    gpu.loaded_dram_latency_cycles = gpu.idle_dram_latency_cycles = 19.5;
    gpu.l2_latency_cycles = 1;
    for (const double issues : {1.0, 2.0, 3.0}) {
        gpu.issues_per_warp = issues;
        for (std::uint32_t between = 0; between < 80; ++between) {
            CAPTURE(issues);
            CAPTURE(between);
            std::vector<task> tasks{{unit_kind::global_memory}};
            tasks.resize(1 + between, {unit_kind::l2_cache});
            tasks.push_back({unit_kind::l2_cache, {task::none, 0, task::none}});
            tasks.resize(200, {unit_kind::l2_cache});
            same_as_plain(tasks, gpu, {1, 1, 0.3}, fresh());
        }
    }
}

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
