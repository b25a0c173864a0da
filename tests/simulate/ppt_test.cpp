// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A handful of results of the authors' program (PPT as of Chapuis et al. 2016, run under Python 2.7);
// `ppt_golden` compares all of them where they are on the machine.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <warpgauge/devices/all.hpp>
#include <warpgauge/simulate/ppt.hpp>

namespace ppt_test {

using namespace warpgauge;

namespace {

using unit_kind::global_memory;
using unit_kind::integer;
using unit_kind::single_precision;
using unit_kind::special_function;
using list = std::vector<task>;

constexpr ppt_parameters m2090 = devices::tesla_m2090::ppt;
constexpr ppt_parameters k40 = devices::tesla_k40::ppt;
constexpr ppt_parameters k6000 = devices::quadro_k6000::ppt;

task after(unit_kind unit, std::uint32_t a = task::none, std::uint32_t b = task::none) {
    return {unit, {a, b, task::none}};
}

list chain(std::size_t n) {
    list l{after(single_precision)};
    for (std::uint32_t i = 1; i < n; ++i) l.push_back(after(single_precision, i - 1));
    return l;
}

const list load_compute{after(integer),
                        after(global_memory, 0),
                        after(global_memory, 0),
                        after(single_precision, 1),
                        after(single_precision, 2),
                        after(single_precision, 3, 4),
                        after(global_memory, 5)};

result<ppt_estimate> call(const list& tasks, const ppt_parameters& gpu, ppt_launch launch) {
    ppt_state fresh;
    return ppt_call(tasks, launch, gpu, fresh);
}

void check_ends(const ppt_estimate& e, const std::vector<double>& ends,
                const std::vector<double>& last_ends) {
    CHECK(e.block_ends == ends);
    CHECK(e.block_last_ends == last_ends);
}

}  // namespace

TEST_CASE("one addition on the M2090") {
    const auto e = call(chain(1), m2090, {1, 32, 16, 0});
    REQUIRE(e);
    CHECK(e->blocks_per_sm == 1);
    CHECK(e->cycles == 142);
    check_ends(*e, {142}, {158});
    CHECK(e->issue_slots_used == 1);
    CHECK(e->warp_instructions == 1);
    CHECK(e->seconds == doctest::Approx(3.7430769230769233e-06).epsilon(1e-9));
    CHECK(e->mean_block_s == doctest::Approx(2.18461538462e-07).epsilon(1e-9));
}

TEST_CASE("a grid of 33 blocks of 32 warps") {
    const auto e = call(chain(1), m2090, {33, 1024, 16, 0});
    REQUIRE(e);
    CHECK(e->workloads == 33);
    CHECK(e->cycles == 173);
    CHECK(e->seconds == doctest::Approx(4.323076923076923e-06).epsilon(1e-9));
}

TEST_CASE("a chain of 32 additions: each link costs its latency and one cycle (P4)") {
    const auto e = call(chain(32), m2090, {60, 64, 16, 0});
    REQUIRE(e);
    CHECK(e->blocks_per_sm == 4);
    check_ends(*e, {732, 734, 736, 738}, {748, 750, 752, 754});
    CHECK(e->seconds == doctest::Approx(4.655384615384615e-06).epsilon(1e-9));
}

TEST_CASE("what a call leaves behind slows down the next (P2)") {
    // Three calls one after the other, K40 and M2090.
    ppt_state state;
    double start = 0;
    struct expected {
        std::vector<double> ends;
        double seconds;
    };
    for (const expected& x :
         {expected{{542, 544, 546, 548, 550, 862, 864, 866}, 7.352013422818792e-06},
          {{544, 548, 862, 866, 870, 1180, 1182, 1184}, 8.74228187919463e-06},
          {{1180, 1184, 1496, 1498, 1500, 1502, 1504, 1816}, 1.1827516778523488e-05}}) {
        const auto e = ppt_call(chain(32), {480, 256, 16, start}, k40, state);
        REQUIRE(e);
        CHECK(e->block_ends == x.ends);
        CHECK(e->seconds == doctest::Approx(x.seconds).epsilon(1e-9));
        start += e->seconds;
    }
    state = {};
    start = 0;
    for (const expected& x : {expected{{971, 1112, 1391, 1671, 1961, 2101}, 1.642307692307692e-05},
                              {{2801, 2941, 3361, 3501, 3791, 4016}, 3.0825128205128206e-05},
                              {{4632, 4912, 5053, 5472, 5568, 5902}, 4.5140000000000005e-05}}) {
        const auto e = ppt_call(load_compute, {480, 256, 16, start}, m2090, state);
        REQUIRE(e);
        CHECK(e->block_ends == x.ends);
        CHECK(e->seconds == doctest::Approx(x.seconds).epsilon(1e-9));
        start += e->seconds;
    }
}

TEST_CASE("a dual issue takes one slot; the queue is emptied whole (P1)") {
    const auto e = call(list(512, after(global_memory)), k40, {480, 256, 16, 0});
    REQUIRE(e);
    CHECK(e->cycles == 188602);
    CHECK(e->issue_slots_used == 16384);
    CHECK(e->warp_instructions == 32768);
    check_ends(*e, {23693, 47155, 70842, 94304, 117766, 141453, 164915, 188602},
               {24017.25, 47787.25, 71070, 94782.25, 118552.25, 141777.25, 165547.25, 188830});
    CHECK(e->seconds == doctest::Approx(0.000684176174496644).epsilon(1e-9));
    // Its rate is above what it was designed for: 40 requests of 128 B in 230 cycles.
    CHECK(32768 / (e->cycles - 230) > 40.0 / 230);
}

TEST_CASE("it never ends, or reads past its list: errors up front") {
    list functions = load_compute;
    functions.insert(functions.begin() + 3, after(special_function, 2));
    CHECK(call(functions, m2090, {1, 32, 16, 0}).error() ==
          model_error{errc::outside_domain, "special_function_units", 4});
    CHECK(call(functions, k40, {1, 32, 16, 0}));
    CHECK(
        call({after(single_precision, 1), after(single_precision)}, k40, {1, 32, 16, 0}).error() ==
        model_error{errc::malformed, "tasks", 1});
    CHECK(call({after(single_precision, 0)}, k40, {1, 32, 16, 0}).error() ==
          model_error{errc::malformed, "tasks", 1});
    CHECK(call({after(unit_kind::loop)}, k40, {1, 32, 16, 0}).error() ==
          model_error{errc::malformed, "tasks", 1});
    CHECK(call({}, k40, {1, 32, 16, 0}).error() == model_error{errc::missing, "tasks"});
    CHECK(call(chain(1), k40, {15, 1024, 255, 0}).error() ==
          model_error{errc::exceeds_device, "registers_per_thread"});
    CHECK(call(chain(1), k40, {15, 4096, 1, 0}).error() ==
          model_error{errc::exceeds_device, "threads_per_block"});
    CHECK(call(chain(1), k40, {0, 32, 16, 0}).error() == model_error{errc::not_positive, "blocks"});
    CHECK(call(chain(1), k40, {1, 0, 16, 0}).error() ==
          model_error{errc::not_positive, "threads_per_block"});
    CHECK(call(chain(1), k40, {1, 32, 0, 0}).error() ==
          model_error{errc::not_positive, "registers_per_thread"});
    CHECK(call(chain(1), k40, {1, 32, 16, -1}).error() == model_error{errc::negative, "start_s"});
    ppt_state state;
    CHECK(ppt_call(chain(100), {1, 1024, 16, 0}, k40, state, {.warp_instructions = 3199}).error() ==
          model_error{errc::limit_reached, "tasks"});
    CHECK(ppt_call(chain(100), {1, 1024, 16, 0}, k40, state, {.warp_instructions = 3200}));
    CHECK(call(chain(1), k40, {1, 32, 16, 1e7}).error() == model_error{errc::overflow, "start_s"});
    CHECK(call({{static_cast<unit_kind>(77)}}, k40, {1, 32, 16, 0}).error() ==
          model_error{errc::malformed, "tasks", 1});
    ppt_state broken;
    broken.memory_queue.assign(40, 1e300);
    CHECK(ppt_call(chain(1), {1, 32, 16, 0}, k40, broken).error() ==
          model_error{errc::outside_domain, "memory_queue"});
    ppt_parameters slow = k6000;  // more than the loaded latency
    slow.idle_dram_latency_cycles = 2000;
    CHECK(call(chain(1), slow, {24'000, 32, 16, 0}).error() ==
          model_error{errc::outside_domain, "loaded_dram_latency_cycles"});
    ppt_parameters odd = k6000;
    odd.warp_schedulers = 1.5;
    CHECK(call(chain(1), odd, {1, 32, 16, 0}).error() ==
          model_error{errc::not_whole, "warp_schedulers"});
    odd = k6000;
    odd.l2_latency_cycles = 0;
    CHECK(call(chain(1), odd, {1, 32, 16, 0}).error() ==
          model_error{errc::outside_domain, "l2_latency_cycles"});
}

TEST_CASE("workloads go to the SM that is free first") {
    // By hand, one after the other.
    const auto one_by_one = [](std::vector<double> free, std::uint64_t workloads, double mean) {
        double last = 0;
        for (std::uint64_t i = 0; i < workloads; ++i) {
            auto first = std::min_element(free.begin(), free.end());
            *first += mean;
            last = *first;
        }
        return last;
    };
    const std::vector<std::vector<double>> starts{
        {0, 0, 0, 0}, {5, 1, 3, 2}, {100, 0, 0.5, 50}, {7, 7, 0, 7}, {0, 1000, 2000, 3000}};
    for (const auto& start : starts) {
        for (const std::uint64_t workloads : {4U, 8U, 100U, 1000U, 4000U}) {  // no partial round
            auto free = start;
            CHECK(detail::simulate::ppt_grid_end(free, workloads, 1.25, 0) ==
                  doctest::Approx(one_by_one(start, workloads, 1.25)).epsilon(1e-12));
            CHECK(std::is_sorted(free.begin(), free.end()));
        }
    }
    // A state from a device with more SMs or fewer.
    ppt_state state;
    REQUIRE(ppt_call(chain(1000), {1, 1024, 16, 0}, k40, state));
    const auto next = ppt_call(chain(1), {15, 1024, 16, 0}, m2090, state);
    REQUIRE(next);
    // The sixteenth SM is free at once, the fifteen others as the first call left them.
    CHECK(state.sm_free_s.size() == 16);
    CHECK(std::is_sorted(state.sm_free_s.begin(), state.sm_free_s.end()));
    // As many workloads as the device may have end soon.
    CHECK(call(chain(1), k40, {std::uint64_t{1} << 40, 32, 16, 0}));
}

}  // namespace ppt_test
