// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include <doctest/doctest.h>

#include <warpgauge/devices/tesla_k40.hpp>
#include <warpgauge/simulate/ppt_machine.hpp>

#include "plain_ppt.hpp"
#include "random_numbers.hpp"

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

// Whole, in quarters, or any number.
double random_time(random_numbers& r, int least, int most) {
    const double whole = r.whole(least, most);
    const int kind = r.whole(0, 2);
    if (kind == 0) return whole;
    return kind == 1 ? whole + 0.25 * r.whole(0, 3) : whole + r.real(0.001, 1);
}

std::size_t random_size(random_numbers& r, int least, int most) {
    return static_cast<std::size_t>(r.whole(least, most));
}

ppt_parameters random_gpu(random_numbers& r) {
    ppt_parameters gpu = devices::tesla_k40::ppt;
    gpu.warp_schedulers = r.whole(1, 5);
    gpu.issues_per_warp = r.whole(1, 3);
    gpu.integer_latency_cycles = random_time(r, 1, 12);
    gpu.float_latency_cycles = random_time(r, 1, 20);
    gpu.special_latency_cycles = random_time(r, 1, 40);
    gpu.l1_latency_cycles = random_time(r, 1, 40);
    gpu.l2_latency_cycles = random_time(r, 1, 200);
    gpu.idle_dram_latency_cycles = random_time(r, 1, 300);
    gpu.loaded_dram_latency_cycles = gpu.idle_dram_latency_cycles + random_time(r, 0, 1500);
    gpu.queue_free = random_time(r, 0, 10);
    gpu.queue_capacity = random_time(r, 1, 40);
    return gpu;
}

// A few tasks, or a round of them many times over, so that results are needed long after.
std::vector<task> random_tasks(random_numbers& r) {
    constexpr unit_kind units[]{unit_kind::integer,          unit_kind::single_precision,
                                unit_kind::double_precision, unit_kind::special_function,
                                unit_kind::l1_cache,         unit_kind::l2_cache,
                                unit_kind::barrier,          unit_kind::shared_memory,
                                unit_kind::tensor,           unit_kind::branch};
    const std::size_t round = random_size(r, 1, 30);
    const bool repeats = r.whole(0, 1) == 1;
    const std::size_t rounds = repeats ? random_size(r, 1, 40) : 1;
    const int memory = r.whole(0, 11);  // how often in 12
    std::vector<task> tasks;
    for (std::size_t at = 0; at < round * rounds; ++at) {
        task t;
        if (at < round) {
            t.unit = units[random_size(r, 0, 9)];
            if (r.whole(0, 11) < memory) t.unit = unit_kind::global_memory;
        } else {
            t.unit = tasks[at - round].unit;
        }
        for (std::uint32_t& i : t.after) {
            const bool near = r.whole(0, 7) != 0;
            const std::size_t far = near && at >= 2 * round ? 2 * round : at;
            const bool waits = r.whole(0, 2) == 0;
            if (!waits || far == 0) continue;
            i = static_cast<std::uint32_t>(at - random_size(r, 1, static_cast<int>(far)));
        }
        tasks.push_back(t);
    }
    return tasks;
}

ppt_state random_state(random_numbers& r) {
    ppt_state state;
    for (auto& slots : state.units_busy_until) {
        slots.resize(random_size(r, 1, 8));
        const bool left = r.whole(0, 2) == 0;
        for (double& until : slots) until = left ? random_time(r, 0, 2000) : 0;
    }
    const bool queued = r.whole(0, 2) == 0;
    if (queued) {
        state.memory_queue.resize(random_size(r, 0, 49));
        for (double& t : state.memory_queue) t = random_time(r, 0, 2000);
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
    const char* const given = std::getenv("WARPGAUGE_STREAMS");  // NOLINT(concurrency-mt-unsafe)
    const auto count =
        static_cast<unsigned>(given == nullptr ? 40 : std::strtoul(given, nullptr, 10));
    for (unsigned seed = 1; seed <= count; ++seed) {
        CAPTURE(seed);
        random_numbers r(seed);
        const ppt_parameters gpu = random_gpu(r);
        const std::vector<task> tasks = random_tasks(r);
        const std::size_t blocks = random_size(r, 1, 12);
        const std::size_t warps = random_size(r, 1, 8);
        const double start = random_time(r, 0, 600);
        same_as_plain(tasks, gpu, {blocks, warps, start}, random_state(r));
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
