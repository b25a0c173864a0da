// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <limits>
#include <random>
#include <span>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <warpgauge/devices/h100_sxm5.hpp>
#include <warpgauge/makespan/search.hpp>
#include <warpgauge/simulate/sm.hpp>
#include <warpgauge/simulate/sm_of_device.hpp>

#include "naive_sm.hpp"
#include "plain_sm.hpp"
#include "random_copies.hpp"

namespace sm_test {

using namespace warpgauge;

namespace {

using unit_kind::barrier;
using unit_kind::branch;
using unit_kind::double_precision;
using unit_kind::global_memory;
using unit_kind::integer;
using unit_kind::l1_cache;
using unit_kind::l2_cache;
using unit_kind::shared_memory;
using unit_kind::single_precision;
using unit_kind::special_function;
using stream = std::vector<instruction>;

constexpr instruction add{.unit = single_precision};
constexpr instruction add_to{.unit = single_precision, .needs = {1}};
constexpr instruction load{.unit = global_memory};
constexpr instruction use{.unit = single_precision, .needs = {1}};
constexpr instruction sync{.unit = barrier};

constexpr sm_parameters plain = plain_sm({0, 32, 32, 32, 32});

sm_estimate simulate(const stream& s, const sm_parameters& p, sm_residency r,
                     warp_policy policy = warp_policy::lowest_index) {
    sm_workspace space;
    const auto e = simulate_sm(s, p, r, policy, {}, space);
    REQUIRE_MESSAGE(e, message(e ? model_error{} : e.error()).c_str());
    CHECK(e->issue_cycles + e->stalls.total() == e->cycles);
    return *e;
}

model_error error(const stream& s, const sm_parameters& p, sm_residency r = {1, 1},
                  const simulation_caps& caps = {}) {
    sm_workspace space;
    const auto e = simulate_sm(s, p, r, warp_policy::lowest_index, caps, space);
    REQUIRE_FALSE(e);
    return e.error();
}

}  // namespace

TEST_CASE("a dependent chain costs exactly the latency of each link (P4)") {
    struct kind {
        unit_kind unit;
        std::uint64_t latency;
    };
    for (const kind k : {kind{integer, 5},
                         {single_precision, 7},
                         {double_precision, 11},
                         {special_function, 13},
                         {shared_memory, 17},
                         {l1_cache, 19},
                         {l2_cache, 101},
                         {global_memory, 400},
                         {branch, 5}}) {
        CAPTURE(static_cast<int>(k.unit));
        const instruction link{.unit = k.unit, .needs = {own_result}};
        const auto e = simulate({loop(1, 100), link}, plain, {1, 1});
        CHECK(e.cycles == 100 * k.latency);
        CHECK(e.issue_cycles == 100);
        const bool far = k.unit == global_memory || k.unit == l2_cache;
        CHECK((far ? e.stalls.memory_dependence : e.stalls.dependence) == 100 * k.latency - 100);
        CHECK(limiter_of(e) == (far ? sm_limiter::memory_latency : sm_limiter::dependences));
    }
    sm_parameters half = plain;
    half.single_precision_latency_cycles = 6.5;  // a result is there at the next whole cycle
    CHECK(simulate({loop(1, 100), {.unit = single_precision, .needs = {own_result}}}, half, {1, 1})
              .cycles == 700);
}

TEST_CASE("a stream bound by issue takes exactly its slots") {
    // 64 lanes of two kinds: two instructions a cycle, from two schedulers.
    sm_parameters p = plain;
    p.lanes = {64, 64, 32, 32, 32};
    const stream s{loop(2, 500), {.unit = integer}, add};
    const auto e = simulate(s, p, {4, 2});
    CHECK(e.warp_instructions == 8 * 1000);
    CHECK(e.issue_slots == 8000);
    CHECK(e.issue_cycles == 4000);
    CHECK(e.cycles == 4000 + 7 - 1);
    CHECK(limiter_of(e) == sm_limiter::issue_slots);
    // Dual issue: twice as many from the same slots.
    p.issues_per_scheduler = 2;
    p.lanes = {128, 128, 32, 32, 32};
    const auto dual = simulate(s, p, {4, 2});
    CHECK(dual.issue_slots == 4000);
    CHECK(dual.cycles == 2000 + 7 - 1);
}

TEST_CASE("fewer lanes than threads of a warp hold it for several cycles (P6)") {
    for (const double lanes : {1.0, 4.0, 16.0, 32.0, 48.0, 96.0, 192.0}) {
        CAPTURE(lanes);
        sm_parameters p = plain;
        p.warp_schedulers = 8;
        p.lanes[3] = lanes;
        const auto e = simulate({loop(1, 300), {.unit = special_function}}, p, {4, 4},
                                warp_policy::loose_round_robin);
        const double busy = 300 * 16 * 32 / lanes;
        CHECK(static_cast<double>(e.cycles) >= busy);
        CHECK(static_cast<double>(e.cycles) <= busy + 13 + 32 / lanes);
        CHECK(e.unit_utilisation[3] <= 1);
    }
    // Integers have lanes of their own, or the CUDA cores.
    sm_parameters p = plain;
    CHECK(simulate({loop(2, 100), {.unit = integer}, add}, p, {2, 2}).cycles >= 800);
    p.lanes[0] = 32;
    CHECK(simulate({loop(2, 100), {.unit = integer}, add}, p, {2, 2}).cycles <= 410);
}

TEST_CASE("bank conflicts and transactions take the load/store units as often") {
    instruction conflict{.unit = shared_memory, .transactions = 8};
    const auto e = simulate({loop(1, 100), conflict}, plain, {1, 4});
    CHECK(e.cycles >= 3200);
    CHECK(e.cycles <= 3200 + 17);
    CHECK(limiter_of(e) == sm_limiter::load_store_units);
    // Its result is there when the last part is: 7 cycles later than that of one without.
    CHECK(simulate({conflict}, plain, {1, 1}).cycles == 17 + 7);
    CHECK(simulate({{.unit = l1_cache, .transactions = 3}}, plain, {1, 1}).cycles == 19 + 2);
}

TEST_CASE("no unit works longer than the SM") {
    sm_parameters p = plain;
    p.dram_bytes_per_cycle = 1e6;
    p.lanes[4] = 16;
    const auto e = simulate({{.unit = global_memory, .transactions = 1000}}, p, {1, 1});
    CHECK(e.cycles == 2000);
    CHECK(e.unit_utilisation[4] == 1);
    p.lanes[1] = 48;
    p.single_precision_latency_cycles = 1;
    CHECK(simulate({add}, p, {1, 2}).cycles == 2);  // 64 threads on 48 lanes
    CHECK(limiter_of(sm_estimate{}) == sm_limiter::not_known);
}

TEST_CASE("a stream of loads reaches the bandwidth and never exceeds it (P1)") {
    for (const double bytes_per_cycle : {0.37, 2.0, 16.0, 17.02, 25.77, 69.4}) {
        for (const std::uint16_t transactions : std::initializer_list<std::uint16_t>{1, 3, 32}) {
            for (const std::uint64_t blocks : std::initializer_list<std::uint64_t>{1, 4, 8}) {
                CAPTURE(bytes_per_cycle);
                CAPTURE(transactions);
                CAPTURE(blocks);
                sm_parameters p = plain;
                p.dram_bytes_per_cycle = bytes_per_cycle;
                p.dram_transaction_bytes = 32;
                p.lanes[4] = 1024;
                const instruction access{.unit = global_memory, .transactions = transactions};
                const auto e =
                    simulate({loop(4, 500), access, access, access, access}, p, {blocks, 8});
                CHECK(e.dram_bytes == static_cast<double>(blocks) * 8 * 2000 *
                                          (transactions == 1 ? 128 : 32 * transactions));
                CHECK(e.dram_bytes / static_cast<double>(e.cycles) <= bytes_per_cycle);
                CHECK(e.dram_bytes / static_cast<double>(e.cycles) >= 0.98 * bytes_per_cycle);
                CHECK(limiter_of(e) == sm_limiter::memory_bandwidth);
            }
        }
    }
}

TEST_CASE("at a barrier, the warps of a block wait for each other, not for their results") {
    sm_parameters p = plain;
    p.warp_schedulers = 1;
    // 0: add; 1: the first arrives; 2: add; 3: the second arrives; 4, 5: add; 12: the last result.
    CHECK(simulate({add, sync, add}, p, {1, 2}).cycles == 12);
    // Results too, if asked for: 0, 1: add; 7: the first may arrive; 8: the second; 9, 10: add; 17: the
    // last result.
    p.barriers_wait_for_results = true;
    const auto e = simulate({add, sync, add}, p, {1, 2});
    CHECK(e.cycles == 17);
    CHECK(e.stalls.dependence == 5 + 6);
    // Many at the barrier, one on its way: a barrier stall.
    sm_parameters slow = plain;
    slow.lanes[3] = 1;
    const auto held = simulate({{.unit = special_function}, sync, add}, slow, {1, 8});
    CHECK(held.stalls.barrier > 0);
    CHECK(held.stalls.unit_busy > 0);
    // A stream may end with one, or be nothing else.
    CHECK(simulate({sync}, plain, {2, 3}).cycles == 3);
    CHECK(simulate({loop(1, 5), sync}, plain, {1, 1}).cycles == 5);
}

TEST_CASE("blocks end when their results are in (P7)") {
    sm_workspace space;
    const auto of = [&](const stream& s, const sm_parameters& p) {
        const auto e = simulate_sm(s, p, {2, 1, 30}, warp_policy::lowest_index, {}, space);
        REQUIRE(e);
        return *e;
    };
    sm_parameters waiting = plain;
    waiting.ends_wait_for_stores = true;
    const auto e = of({load}, waiting);
    // The second request departs when the 128 B of the first have.
    CHECK(std::vector<std::uint64_t>(space.block_ends().begin(), space.block_ends().end()) ==
          std::vector<std::uint64_t>{430, 438});
    CHECK(e.stalls.nothing_resident == 30);
    CHECK(e.mean_block_end_cycles == 434);
    // What nobody reads is a store. A block leaves it behind, and the last one is there when the SM is done.
    const auto left = of({load}, plain);
    CHECK(left.cycles == 438);
    CHECK(left.mean_block_end_cycles == 31.5);
}

TEST_CASE("a block's place has its next block after the turnaround") {
    sm_parameters p = plain;
    p.turnaround_cycles = 300;
    const auto e = simulate({add}, p, {.blocks = 1, .warps_per_block = 2, .total_blocks = 4});
    CHECK(e.cycles == 4 * 8 + 3 * 300);           // the second warp issues a cycle later
    CHECK(e.stalls.nothing_resident == 3 * 306);  // from the last issue on
    CHECK(limiter_of(e) == sm_limiter::start);
    // Stores are under way meanwhile.
    const instruction store{.unit = global_memory};
    const auto stores =
        simulate({store}, p, {.blocks = 1, .warps_per_block = 1, .total_blocks = 4});
    CHECK(stores.cycles == 3 * (1 + 300) + 400);
    p.ends_wait_for_stores = true;
    CHECK(simulate({store}, p, {.blocks = 1, .warps_per_block = 1, .total_blocks = 4}).cycles ==
          4 * 400 + 3 * 300);
}

TEST_CASE("policies choose other warps and do the same work") {
    const stream s{loop(4, 20), load, use, add_to, add_to};
    std::vector<std::uint64_t> cycles;
    for (const auto policy : {warp_policy::lowest_index, warp_policy::loose_round_robin,
                              warp_policy::greedy_then_oldest}) {
        const auto e = simulate(s, plain, {4, 4}, policy);
        CHECK(e.warp_instructions == 16 * 80);
        cycles.push_back(e.cycles);
    }
    // Who is first: the others of two warps that are both ready in every cycle.
    sm_parameters one = plain;
    one.warp_schedulers = 1;
    one.single_precision_latency_cycles = 1;
    const auto order = [&](warp_policy policy) {
        std::string_view names = "abcd";
        std::vector<char> issued;
        sm_workspace space;
        const auto e =
            simulate_sm(stream{loop(1, 3), add}, one, {1, 3}, policy, {}, space,
                        [&](const sm_event& event) { issued.push_back(names[event.warp]); });
        REQUIRE(e);
        return issued;
    };
    const auto text = [](std::string_view t) { return std::vector<char>(t.begin(), t.end()); };
    CHECK(order(warp_policy::lowest_index) == text("aaabbbccc"));
    CHECK(order(warp_policy::loose_round_robin) == text("abcabcabc"));
    CHECK(order(warp_policy::greedy_then_oldest) == text("aaabbbccc"));
    // Greedy stays with a later warp once the first has to wait.
    const auto greedy = [&](warp_policy policy) {
        std::vector<std::uint32_t> warps;
        sm_workspace space;
        sm_parameters p = one;
        p.single_precision_latency_cycles = 2;
        const auto e =
            simulate_sm(stream{add, add_to, add, add, add, add}, p, {1, 2}, policy, {}, space,
                        [&](const sm_event& event) { warps.push_back(event.warp); });
        REQUIRE(e);
        return warps;
    };
    CHECK(greedy(warp_policy::lowest_index) ==
          std::vector<std::uint32_t>{0, 1, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1});
    CHECK(greedy(warp_policy::greedy_then_oldest) ==
          std::vector<std::uint32_t>{0, 1, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1});
}

TEST_CASE("observers see the blocks that are simulated, and the result has how many were counted") {
    const stream s{loop(2, 3), add, add_to};
    const sm_residency r{.blocks = 4, .warps_per_block = 2, .total_blocks = 1'000'003};
    sm_workspace space;
    std::uint64_t seen = 0;
    std::uint64_t last = 0;
    std::uint64_t gap = 0;
    const auto e =
        simulate_sm(s, plain, r, warp_policy::lowest_index, {}, space, [&](const sm_event& event) {
            ++seen;
            if (event.cycle > last) gap = std::max(gap, event.cycle - last);
            last = std::max(last, event.completes);
        });
    REQUIRE(e);
    CHECK(e->repeated_blocks > 1'000'000 - 1000);
    CHECK(seen == (e->blocks - e->repeated_blocks - e->extrapolated_blocks) * 2 * 6);
    CHECK(e->warp_instructions == e->blocks * 2 * 6);
    // The time of those that are counted is a gap between two events.
    CHECK(last == e->cycles);
    CHECK(static_cast<double>(gap) / static_cast<double>(e->cycles) ==
          doctest::Approx(static_cast<double>(e->repeated_blocks) / 1'000'003).epsilon(1e-3));
}

TEST_CASE("observers see every issue, in order") {
    sm_workspace space;
    std::vector<sm_event> events;
    const stream s{loop(2, 3), load, use};
    const auto e = simulate_sm(s, plain, {2, 2}, warp_policy::lowest_index, {}, space,
                               [&](const sm_event& event) { events.push_back(event); });
    REQUIRE(e);
    CHECK(events.size() == e->warp_instructions);
    std::uint64_t last = 0;
    for (std::size_t i = 0; i < events.size(); ++i) {
        if (i > 0) CHECK(events[i - 1].cycle <= events[i].cycle);
        CHECK(events[i].completes > events[i].cycle);
        CHECK(events[i].unit == s[events[i].entry].unit);
        CHECK(events[i].warp < 4);
        last = std::max(last, events[i].completes);
    }
    CHECK(last == e->cycles);
}

TEST_CASE("long streams: a million instructions a warp") {
    const stream looped{loop(2, 500'000), add, add_to};
    CHECK(simulate(looped, plain, {1, 1}).cycles == 500'000 * 8 - 8 + 7 + 7);
    // The same, written out.
    stream flat(20'000, add_to);
    flat[0] = add;
    CHECK(simulate(flat, plain, {1, 1}).cycles == 20'000 * 7);
}

TEST_CASE("a workspace can be used again, for anything") {
    sm_workspace space;
    const stream big{loop(4, 50), load, use, sync, add};
    const stream small{add};
    for (int i = 0; i < 3; ++i) {
        for (const stream& s : {big, small}) {
            const auto with = simulate_sm(s, plain, {4, 4}, warp_policy::lowest_index, {}, space);
            REQUIRE(with);
            CHECK(with->cycles == simulate(s, plain, {4, 4}).cycles);
        }
    }
}

TEST_CASE("with latencies of 1, cycles lie between the best and the worst makespan") {
    sm_parameters p = plain;
    p.warp_schedulers = 64;
    p.single_precision_latency_cycles = p.shared_latency_cycles = 1;
    int compared = 0;
    for (const double loads : {1.0, 2.0}) {
        p.lanes[4] = 32 * loads;
        const std::array<unit_slots, 2> slots{{{'L', loads}, {'C', 1}}};
        for (unsigned bits = 0; bits < 64; ++bits) {
            std::vector<char> string;
            stream s;
            for (unsigned i = 0; i < 6; ++i) {
                const bool is_load = (bits >> i & 1) != 0;
                string.push_back(is_load ? 'L' : 'C');
                s.push_back({.unit = is_load ? shared_memory : single_precision});
            }
            for (const std::uint64_t warps : std::initializer_list<std::uint64_t>{1, 3, 5}) {
                const auto range = exact_makespan({{string.data(), string.size()}, slots, warps});
                REQUIRE(range);
                for (const auto policy : {warp_policy::lowest_index, warp_policy::loose_round_robin,
                                          warp_policy::greedy_then_oldest}) {
                    const auto e = simulate(s, p, {1, warps}, policy);
                    CHECK(range->best <= e.cycles);
                    CHECK(e.cycles <= range->worst);
                    ++compared;
                }
            }
        }
    }
    CHECK(compared == 2 * 64 * 3 * 3);
}

TEST_CASE("every cycle, warp and task by hand gives the same") {
    const stream s{loop(7, 6),
                   {.unit = integer, .needs = {own_result}},
                   {.unit = global_memory, .transactions = 3, .needs = {1}},
                   {.unit = shared_memory, .transactions = 2, .needs = {1}},
                   sync,
                   {.unit = special_function, .needs = {2}},
                   {.unit = double_precision, .needs = {1, own_result}},
                   {.unit = branch, .needs = {6}},
                   {.unit = l2_cache, .needs = {2}},
                   load,
                   {.unit = l1_cache, .needs = {1, 2}}};
    for (const double schedulers : {1.0, 4.0}) {
        for (const auto policy : {warp_policy::lowest_index, warp_policy::loose_round_robin,
                                  warp_policy::greedy_then_oldest}) {
            sm_parameters p = plain;
            p.warp_schedulers = schedulers;
            p.issues_per_scheduler = 2;
            p.lanes = {16, 48, 16, 4, 16};
            const sm_residency r{5, 15, 3};
            const auto e = simulate(s, p, r, policy);
            const auto o = naive::run_sm(s, p, r, policy);
            CHECK(e.cycles == o.cycles);
            CHECK(e.issue_slots == o.issue_slots);
            CHECK(e.issue_cycles == o.issue_cycles);
            CHECK(e.stalls == o.stalls);
        }
    }
}

namespace {

// A stream that any seed gives: all units, loops, needs within and across rounds, now and then a barrier.
stream random_stream(std::mt19937_64& random, int max_rounds) {
    const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    for (;;) {
        const int length = 1 + below(14);
        stream s;
        for (int i = 0; i < length; ++i) {
            if (below(6) == 0) {
                const int rounds = 1 + below(max_rounds);
                s.push_back(loop(static_cast<std::uint32_t>(1 + below(length)),
                                 static_cast<std::uint32_t>(rounds)));
                continue;
            }
            instruction x{.unit = static_cast<unit_kind>(below(10))};
            x.bytes = static_cast<std::uint8_t>(1 + below(16));
            if (below(4) == 0) x.transactions = static_cast<std::uint16_t>(below(33));
            for (auto& need : x.needs) {
                if (below(3) != 0) continue;
                const int back = below(2 * length) - length;
                need = back == 0 ? own_result : back;
            }
            s.push_back(x);
        }
        if (mix_of(s)) return s;
    }
}

// The same with matrix products in place of some of its instructions.
stream with_products(stream s, std::mt19937_64& random) {
    for (instruction& i : s) {
        if (i.unit != single_precision && i.unit != integer) continue;
        if (random() % 2 == 0) continue;
        i.unit = unit_kind::tensor;
        i.tensor_fmas = 1U << random() % 14;
    }
    return s;
}

struct random_sm {
    sm_parameters p{};
    sm_residency r{};
    warp_policy policy{};
};

// Grids of up to 40 rounds, mostly with a last one that is not full.
random_sm random_residency(std::mt19937_64& random) {
    const auto from = [&](int least, int most) {
        return static_cast<double>(least) +
               static_cast<double>(random() % static_cast<unsigned>(most - least + 1));
    };
    // 0 in half of the cases. Of two draws in one expression, compilers differ in which comes first.
    const auto perhaps = [&](int least, int most) {
        const double x = from(least, most);
        return from(0, 1) * x;
    };
    random_sm sm;
    sm.p = plain;
    sm.p.warp_schedulers = from(1, 4);
    sm.p.issues_per_scheduler = from(1, 2);
    sm.p.lanes = {from(0, 1) * 32, from(1, 200), from(1, 64), from(1, 40), from(1, 64)};
    sm.p.integer_latency_cycles = from(1, 40) / 2 + 0.5;
    sm.p.dram_latency_cycles = from(1, 500);
    sm.p.dram_bytes_per_cycle = from(1, 700) / 10;
    sm.p.last_dram_bytes_per_cycle = perhaps(1, 900) / 10;
    sm.p.shared_bytes_per_cycle = perhaps(10, 2000) / 10;
    sm.p.l1_bytes_per_cycle = perhaps(10, 2000) / 10;
    sm.p.l2_bytes_per_cycle = perhaps(10, 900) / 10;
    sm.p.l2_latency_cycles = from(1, 200);
    sm.p.ends_wait_for_stores = random() % 2 == 0;
    sm.p.turnaround_cycles = perhaps(0, 400);
    sm.r.blocks = static_cast<std::uint64_t>(from(1, 8));
    sm.r.warps_per_block = static_cast<std::uint64_t>(from(1, 8));
    sm.r.start_cycle = static_cast<std::uint64_t>(from(0, 300));
    const double missing = from(0, static_cast<int>(sm.r.blocks) - 1);
    sm.r.total_blocks =
        static_cast<std::uint64_t>(from(1, 40)) * sm.r.blocks - static_cast<std::uint64_t>(missing);
    sm.policy = static_cast<warp_policy>(random() % 3);
    return sm;
}

// The same SM in four parts, that have some of its units.
void with_sub_cores(sm_parameters& p, std::mt19937_64& random) {
    p.sub_cores = 4;
    p.warp_schedulers += 3;
    for (double& lanes : p.lanes) {
        if (random() % 3 > 0) lanes *= 4;
    }
}

constexpr simulation_caps every_block{.min_simulated = ~std::uint64_t{0},
                                      .max_simulated = ~std::uint64_t{0}};

}  // namespace

TEST_CASE("each block that ends is replaced, as by hand") {
    int repeated = 0;
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        CAPTURE(seed);
        std::mt19937_64 random(seed);
        stream s = random_stream(random, 4);
        random_sm sm = random_residency(random);
        if (seed >= 60) {
            s = with_products(s, random);
            sm.p.lanes[5] = static_cast<double>(1 + random() % 1024);
        }
        if (seed >= 120) with_sub_cores(sm.p, random);
        sm_workspace space;
        const auto e = simulate_sm(s, sm.p, sm.r, sm.policy, {}, space);
        REQUIRE(e);
        if (e->warp_instructions > 800 || e->cycles > 40'000) continue;
        const auto o = naive::run_sm(s, sm.p, sm.r, sm.policy);
        CHECK(e->cycles == o.cycles);
        CHECK(e->issue_slots == o.issue_slots);
        CHECK(e->issue_cycles == o.issue_cycles);
        CHECK(e->stalls == o.stalls);
        CHECK(e->warp_instructions == o.warp_instructions);
        CHECK(e->blocks == std::max(sm.r.blocks, sm.r.total_blocks));
        repeated += e->repeated_blocks > 0 ? 1 : 0;
    }
    CHECK(repeated > 5);
}

TEST_CASE("products take the time of their multiply-adds, and a chain of them its latency") {
    sm_parameters p = plain;
    p.lanes[5] = 1024;
    const instruction product{.unit = unit_kind::tensor, .tensor_fmas = 2048};
    const instruction next{.unit = unit_kind::tensor, .needs = {own_result}, .tensor_fmas = 2048};
    const stream chain{loop(1, 100), next};
    CHECK(simulate(chain, p, {1, 1}).cycles == 100 * 23);
    // A product that takes longer than the latency: 65,536 multiply-adds, 64 cycles.
    const stream large{loop(1, 100),
                       {.unit = unit_kind::tensor, .needs = {own_result}, .tensor_fmas = 65'536}};
    CHECK(simulate(large, p, {1, 1}).cycles == 100 * 64);
    // A tile of a product of matrices, from shared memory: 16 rounds of 8 products.
    const stream gemm{loop(9, 16),
                      {.unit = shared_memory, .bytes = 16},
                      {.unit = shared_memory, .bytes = 16},
                      loop(1, 6),
                      {.unit = unit_kind::tensor, .needs = {3, own_result}, .tensor_fmas = 2048},
                      product,
                      product,
                      {.unit = barrier},
                      {.unit = integer},
                      {.unit = barrier}};
    for (const std::uint64_t warps : {1U, 4U, 8U, 32U}) {
        CAPTURE(warps);
        const auto e = simulate(gemm, p, {1, warps});
        const double fmas = static_cast<double>(warps) * 16 * 8 * 2048;
        CHECK(static_cast<double>(e.cycles) >= fmas / 1024);
        CHECK(e.unit_utilisation[5] ==
              doctest::Approx(fmas / 1024 / static_cast<double>(e.cycles)).epsilon(1e-12));
        if (warps == 32) CHECK(limiter_of(e) == sm_limiter::tensor_units);
    }
}

TEST_CASE("a warp goes on while its asynchronous copies do, as by hand") {
    sm_parameters p = plain;
    p.async_copies = true;
    p.dram_bytes_per_cycle = 128;  // an access a cycle
    const instruction copy{.unit = global_memory, .async = async_step::copy};
    const instruction commit{.async = async_step::commit};
    const auto wait = [](std::uint8_t left) {
        return instruction{.async = async_step::wait, .groups_left = left};
    };
    // A load, and the addition that reads it, 400 cycles later; a copy, and the wait.
    CHECK(simulate({load, use}, p, {1, 1}).cycles == 400 + 7);
    CHECK(simulate({copy, add}, p, {1, 1}).cycles == 400);
    CHECK(simulate({copy, commit, wait(0), add}, p, {1, 1}).cycles == 401 + 7);
    CHECK(simulate({copy, {.async = async_step::wait_all}, add}, p, {1, 1}).cycles == 401 + 7);
    CHECK(simulate({copy, wait(0), add}, p, {1, 1}).cycles == 400);  // the group is open
    // The rest of a round: 20 additions that wait for each other, 140 cycles. As many rounds as the pipeline has stages
    // take one copy and one rest.
    const auto rounds = [&](int stages, std::uint32_t additions) {
        stream s;
        for (int n = 1; n < stages; ++n) s.insert(s.end(), {copy, commit});
        s.insert(s.end(), {loop(5, 100),
                           copy,
                           commit,
                           wait(static_cast<std::uint8_t>(stages - 1)),
                           loop(1, additions),
                           {.unit = single_precision, .needs = {own_result}}});
        return static_cast<double>(simulate(s, p, {1, 1}).cycles) / 100;
    };
    const auto loads = [&](std::uint32_t additions) {
        const stream s{loop(3, 100),
                       load,
                       loop(1, additions),
                       {.unit = single_precision, .needs = {own_result, 2}}};
        return static_cast<double>(simulate(s, p, {1, 1}).cycles) / 100;
    };
    CHECK(loads(20) == doctest::Approx(400 + 140).epsilon(0.02));
    CHECK(rounds(1, 20) == doctest::Approx(400 + 140).epsilon(0.02));
    CHECK(rounds(2, 20) == doctest::Approx((400 + 140) / 2.0).epsilon(0.02));
    CHECK(rounds(3, 20) == doctest::Approx((400 + 140) / 3.0).epsilon(0.02));
    CHECK(rounds(4, 20) == doctest::Approx(140).epsilon(0.05));  // nothing is left to hide
    CHECK(rounds(9, 20) == doctest::Approx(140).epsilon(0.05));
    // A block whose copies are under way keeps its place.
    const auto e = simulate({copy}, p, {.blocks = 1, .warps_per_block = 1, .total_blocks = 10});
    CHECK(e.cycles == 10 * 400);
}

TEST_CASE("a warp goes on while its asynchronous products do, as by hand") {
    sm_parameters p = plain;
    p.lanes[5] = 1024;
    p.async_copies = true;
    const instruction product{
        .unit = unit_kind::tensor, .async = async_step::product, .tensor_fmas = 65'536};
    const instruction commit{.async = async_step::commit_products};
    const auto wait = [](std::uint8_t left) {
        return instruction{.async = async_step::wait_products, .groups_left = left};
    };
    CHECK(simulate({product, add}, p, {1, 1}).cycles == 64);
    CHECK(simulate({product, commit, wait(0), add}, p, {1, 1}).cycles == 64 + 1 + 7);
    CHECK(simulate({product, wait(0), add}, p, {1, 1}).cycles == 64);  // the group is open
    CHECK(simulate({product, commit, product, commit, wait(1), add}, p, {1, 1}).cycles == 128);
    // They follow on each other as the tensor cores are free, without the latency of 23 cycles.
    const instruction small{
        .unit = unit_kind::tensor, .async = async_step::product, .tensor_fmas = 2048};
    CHECK(simulate({loop(1, 100), small, commit, wait(0), add}, p, {1, 1}).cycles ==
          99 * 2 + 23 + 1 + 7);
    // Copies have groups of their own.
    const instruction copy{.unit = global_memory, .async = async_step::copy};
    const stream both{copy, {.async = async_step::commit}, product, commit, wait(0), add};
    CHECK(simulate({both.begin() + 2, both.end()}, p, {1, 1}).cycles == 64 + 1 + 7);
    CHECK(simulate(both, p, {1, 1}).cycles == 400);
}

TEST_CASE("all tensor cores of the SM share a product of a block, as by hand") {
    sm_parameters p = plain;
    p.warp_schedulers = p.sub_cores = 4;
    p.lanes = {128, 128, 32, 16, 32, 4096};
    // 128 x 256 x 16 multiply-adds, 128 cycles, of as many warps.
    constexpr std::uint32_t fmas = 128 * 256 * 16;
    const auto part = [&](std::uint32_t warps) {
        return instruction{.unit = unit_kind::tensor,
                           .async = async_step::block_product,
                           .sharing_warps = static_cast<std::uint16_t>(warps),
                           .tensor_fmas = fmas / warps};
    };
    const instruction commit{.async = async_step::commit_products};
    const auto wait = [](std::uint8_t left) {
        return instruction{.async = async_step::wait_products, .groups_left = left};
    };
    for (const std::uint32_t warps : {1U, 2U, 4U}) {
        CAPTURE(warps);
        const instruction product = part(warps);
        CHECK(simulate({product, add}, p, {1, warps}).cycles == 128);
        CHECK(simulate({product, commit, wait(0), add}, p, {1, warps}).cycles == 128 + 1 + 7);
        // None waits for the tensor cores to be free.
        const auto two = simulate({product, product, commit, wait(0), add}, p, {1, warps});
        CHECK(two.cycles == 256 + 1 + 7);
        CHECK(two.unit_utilisation[5] == doctest::Approx(256 / 264.0));
        // In turn, a round takes the product and the issue of the wait; with the next one under way, the multiply-adds alone.
        CHECK(simulate({loop(3, 100), product, commit, wait(0)}, p, {1, warps}).cycles ==
              99 * 129 + 128 + 5);
        CHECK(simulate({loop(3, 100), product, commit, wait(1)}, p, {1, warps}).cycles ==
              100 * 128);
    }
    // Of eight warps, a scheduler issues first what one has, then what the other has.
    CHECK(simulate({part(8), add}, p, {1, 8}).cycles <= 128 + 2);
    // A warp's own product waits for its part of the tensor cores, then takes its latency.
    const instruction own{.unit = unit_kind::tensor, .tensor_fmas = 1024};
    CHECK(simulate({part(4), own}, p, {1, 4}).cycles == 128 + 23);
    // The same of tensor cores that are not divided, as of an SM without sub-cores.
    p.lanes[5] = 4094;
    CHECK(simulate({part(4), add}, p, {1, 4}).cycles == 129);
    CHECK(simulate({part(4), own}, p, {1, 4}).cycles == 128 + 23);
    p.sub_cores = 1;
    p.lanes[5] = 4096;
    CHECK(simulate({loop(3, 100), part(4), commit, wait(1)}, p, {1, 4}).cycles == 100 * 128);
    // Its latency, if that is longer; and as many multiply-adds as its warps know of, alone.
    CHECK(
        simulate(
            {{.unit = unit_kind::tensor, .async = async_step::block_product, .tensor_fmas = 4096}},
            p, {1, 4})
            .cycles == 23);
}

TEST_CASE("asynchronous products of random streams, against every cycle by hand") {
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
        CAPTURE(seed);
        std::mt19937_64 random(seed);
        stream s = with_products(random_stream(random, 6), random);
        random_sm sm = random_residency(random);
        if (random() % 2 == 0) {
            s = random_streams::with_copies(s, random);
            sm.p.async_copies = sm.p.bulk_copies = true;
        }
        s = random_streams::with_async_products(s, random, random() % 3 == 0);
        sm.p.lanes[5] = static_cast<double>(1 + random() % 1024);
        if (seed % 2 == 1) with_sub_cores(sm.p, random);
        sm.r.total_blocks = std::min(sm.r.total_blocks, 3 * sm.r.blocks);
        sm_workspace space;
        const auto e = simulate_sm(s, sm.p, sm.r, sm.policy, {}, space);
        REQUIRE(e);
        double fmas = 0;
        auto count = [&](const instruction& i, std::size_t, double times) {
            fmas += times * i.tensor_fmas;
        };
        for_each_entry(s, 0, s.size(), 1, count);
        fmas *= static_cast<double>(sm.r.warps_per_block * e->blocks);
        const auto cycles = static_cast<double>(e->cycles);
        CHECK(cycles >= fmas / sm.p.lanes[5]);
        CHECK(e->unit_utilisation[5] * cycles == doctest::Approx(fmas / sm.p.lanes[5]));
        if (e->warp_instructions > 800 || e->cycles > 20'000) continue;
        const auto o = naive::run_sm(s, sm.p, sm.r, sm.policy);
        CHECK(e->cycles == o.cycles);
        CHECK(e->issue_slots == o.issue_slots);
        CHECK(e->issue_cycles == o.issue_cycles);
        CHECK(e->stalls == o.stalls);
    }
}

TEST_CASE("asynchronous copies of random streams, against every cycle by hand") {
    const char* const given = std::getenv("WARPGAUGE_STREAMS");  // NOLINT(concurrency-mt-unsafe)
    const std::uint64_t count = given == nullptr ? 600 : std::strtoull(given, nullptr, 10);
    std::uint64_t waited = 0;
    for (std::uint64_t seed = 0; seed < count; ++seed) {
        CAPTURE(seed);
        std::mt19937_64 random(seed);
        stream s = random_stream(random, 5);
        for (instruction& i : s) {
            if (i.unit != unit_kind::loop && random() % 3 == 0) i.unit = global_memory;
        }
        s = random_streams::with_copies(s, random);
        random_sm sm = random_residency(random);
        sm.p.async_copies = sm.p.bulk_copies = true;
        if (seed % 2 == 1) with_sub_cores(sm.p, random);
        sm.r.total_blocks = std::min(sm.r.total_blocks, 3 * sm.r.blocks);
        sm_workspace space;
        const auto e = simulate_sm(s, sm.p, sm.r, sm.policy, {}, space);
        REQUIRE(e);
        if (e->warp_instructions > 800 || e->cycles > 20'000) continue;
        const auto o = naive::run_sm(s, sm.p, sm.r, sm.policy);
        CHECK(e->cycles == o.cycles);
        CHECK(e->issue_slots == o.issue_slots);
        CHECK(e->issue_cycles == o.issue_cycles);
        CHECK(e->stalls == o.stalls);
        waited += std::ranges::any_of(s, waits_for_copies) ? 1U : 0U;
    }
    CHECK(waited > count / 12);
}

namespace {

stream with_operations(stream s, std::mt19937_64& random) {
    for (instruction& i : s) {
        i.op = static_cast<operation>(random() % (static_cast<unsigned>(operation::other) + 1));
    }
    return s;
}

// Half of them not known.
instruction_rates random_rates(std::mt19937_64& random) {
    instruction_rates r;
    for (double* rate : {&r.integer_adds, &r.integer_logic, &r.integer_products, &r.shifts,
                         &r.bit_counts, &r.comparisons, &r.conversions, &r.wide_conversions}) {
        const auto lanes = static_cast<double>(1 + random() % 64);
        const auto parts = static_cast<double>(1 + random() % 3);
        if (random() % 2 == 0) *rate = std::max(1.0, lanes / parts);
    }
    return r;
}

}  // namespace

TEST_CASE("classes of instructions with rates of their own, against every cycle by hand") {
    std::uint64_t compared = 0;
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        CAPTURE(seed);
        std::mt19937_64 random(seed);
        const stream s = with_operations(random_stream(random, 5), random);
        random_sm sm = random_residency(random);
        sm.p.rates = random_rates(random);
        if (seed % 2 == 1) with_sub_cores(sm.p, random);
        if (seed % 5 == 0) sm.p.special_function_latency_cycles = 1;
        sm.r.total_blocks = std::min(sm.r.total_blocks, 3 * sm.r.blocks);
        sm_workspace space;
        const auto e = simulate_sm(s, sm.p, sm.r, sm.policy, {}, space);
        REQUIRE(e);
        if (e->warp_instructions > 800 || e->cycles > 20'000) continue;
        const auto o = naive::run_sm(s, sm.p, sm.r, sm.policy);
        CHECK(e->cycles == o.cycles);
        CHECK(e->issue_slots == o.issue_slots);
        CHECK(e->stalls == o.stalls);
        ++compared;
    }
    CHECK(compared > 150);
}

TEST_CASE("sub-cores that share nothing are SMs of their own") {
    sm_parameters whole = plain;
    whole.lanes = {64, 128, 32, 16, 0, 4096};
    whole.warp_schedulers = 4;
    whole.sub_cores = 4;
    sm_parameters quarter = whole;
    quarter.sub_cores = quarter.warp_schedulers = 1;
    for (double& lanes : quarter.lanes) lanes /= 4;
    for (std::uint64_t seed = 2000; seed < 2040; ++seed) {
        CAPTURE(seed);
        std::mt19937_64 random(seed);
        stream s = with_products(random_stream(random, 9), random);
        for (instruction& i : s) {
            if (i.unit >= shared_memory && i.unit <= barrier) i.unit = integer;
        }
        for (const warp_policy policy : {warp_policy::lowest_index, warp_policy::loose_round_robin,
                                         warp_policy::greedy_then_oldest}) {
            const auto all = simulate(s, whole, {1, 24}, policy);
            const auto one = simulate(s, quarter, {1, 6}, policy);
            CHECK(all.cycles == one.cycles);
            CHECK(all.stalls == one.stalls);
            CHECK(all.issue_slots == 4 * one.issue_slots);
            for (std::size_t u = 0; u < sm_unit_count; ++u) {
                CHECK(all.unit_utilisation[u] == doctest::Approx(one.unit_utilisation[u]));
            }
        }
    }
    CHECK(error({add}, [] {
              sm_parameters p = plain;
              p.sub_cores = 3;
              return p;
          }()) == model_error{errc::outside_domain, "sub_cores"});
    CHECK(error({add}, [] {
              sm_parameters p = plain;  // of two schedulers
              p.sub_cores = 4;
              return p;
          }()) == model_error{errc::outside_domain, "warp_schedulers"});
}

TEST_CASE("what repeats is skipped exactly, what does not is extrapolated to within its error") {
    // Far less than by default, so that more has to be extrapolated, evenly or not.
    constexpr simulation_caps few{.min_simulated = 256, .max_simulated = 1024};
    int repeated = 0;
    int extrapolated = 0;
    int even = 0;
    int missed = 0;
    for (std::uint64_t seed = 1000; seed < 4000; ++seed) {
        CAPTURE(seed);
        std::mt19937_64 random(seed);
        stream s = random_stream(random, 8);
        for (instruction& i : s) {
            if (i.unit != unit_kind::loop && random() % 4 == 0) i.unit = global_memory;
        }
        random_sm sm = random_residency(random);
        if (random() % 2 == 0) with_sub_cores(sm.p, random);
        const double warps = static_cast<double>(sm.r.total_blocks * sm.r.warps_per_block);
        if (mix_of(s)->executed() * warps > 20'000) continue;
        sm_workspace space;
        const auto e = simulate_sm(s, sm.p, sm.r, sm.policy, few, space);
        REQUIRE(e);
        CHECK(e->issue_cycles + e->stalls.total() == e->cycles);
        CHECK(e->issue_utilisation <= 1);
        CHECK(e->dram_utilisation <= 1);
        for (const double u : e->unit_utilisation) CHECK(u <= 1);
        const auto all = simulate_sm(s, sm.p, sm.r, sm.policy, every_block, space);
        REQUIRE(all);
        CHECK(e->warp_instructions == all->warp_instructions);
        CHECK(e->dram_bytes == all->dram_bytes);
        repeated += e->repeated_blocks > 0 ? 1 : 0;
        if (e->extrapolated_blocks == 0) {
            CHECK(e->extrapolation_error == 0);
            CHECK(e->cycles == all->cycles);
            CHECK(e->stalls == all->stalls);
            CHECK(e->issue_slots == all->issue_slots);
            CHECK(e->mean_block_end_cycles == all->mean_block_end_cycles);
            continue;
        }
        const double off = static_cast<double>(e->cycles) / static_cast<double>(all->cycles) - 1;
        ++extrapolated;
        even += e->extrapolation_error <= few.even_within ? 1 : 0;
        missed += std::abs(off) > e->extrapolation_error ? 1 : 0;
    }
    CHECK(repeated > 50);
    CHECK(extrapolated > 300);
    CHECK(even > 50);
    CHECK(missed <= extrapolated / 100);
}

TEST_CASE("a rate that drifts for hundreds of blocks is simulated until it is even") {
    // Ten blocks of six warps at a time. The oldest warps get ahead, and the rate settles only after 300 blocks: from
    // the rate of the first rounds, 500 blocks would take 7.5% less.
    const stream s{loop(10, 5),
                   {.unit = integer},
                   {.unit = special_function, .needs = {-6}},
                   {.unit = single_precision, .needs = {-1}},
                   {.unit = single_precision, .needs = {-14}},
                   loop(4, 4),
                   {.unit = special_function, .needs = {-8, 2, -1}},
                   {.unit = double_precision, .needs = {0, 0, -13}},
                   {.unit = double_precision, .needs = {-1}},
                   {.unit = single_precision, .needs = {0, 8, 0}},
                   {.unit = double_precision, .needs = {0, 0, -10}},
                   {.unit = integer, .needs = {1, 7, 0}},
                   {.unit = single_precision, .needs = {-2, 0, 6}},
                   loop(3, 6),
                   {.unit = integer},
                   {.unit = special_function, .needs = {7, 6, 0}},
                   {.unit = double_precision, .needs = {0, 4, 0}},
                   loop(3, 1),
                   {.unit = double_precision, .needs = {0, 0, 11}},
                   {.unit = double_precision},
                   {.unit = single_precision, .needs = {12, 0, 9}}};
    sm_workspace space;
    for (const warp_policy policy : {warp_policy::lowest_index, warp_policy::loose_round_robin,
                                     warp_policy::greedy_then_oldest}) {
        const sm_parameters p = sm_parameters_of(devices::h100_sxm5{});
        const sm_residency r{
            .blocks = 10, .warps_per_block = 6, .start_cycle = 600, .total_blocks = 500};
        const auto e = simulate_sm(s, p, r, policy, {}, space);
        const auto all = simulate_sm(s, p, r, policy, every_block, space);
        REQUIRE(e);
        REQUIRE(all);
        const double off = static_cast<double>(e->cycles) / static_cast<double>(all->cycles) - 1;
        CHECK(std::abs(off) <= core::min(e->extrapolation_error, 0.01));
    }
}

namespace {

void check_counted(const stream& s, const random_sm& sm) {
    sm_workspace space;
    const auto e = simulate_sm(s, sm.p, sm.r, sm.policy, {}, space);
    const auto ends = space.block_ends();
    // Who observes sees every round.
    const auto seen = simulate_sm(s, sm.p, sm.r, sm.policy, {}, space, [](const sm_event&) {});
    REQUIRE(e);
    REQUIRE(seen);
    CHECK(e->cycles == seen->cycles);
    CHECK(e->stalls == seen->stalls);
    CHECK(e->issue_slots == seen->issue_slots);
    CHECK(e->issue_cycles == seen->issue_cycles);
    CHECK(e->warp_instructions == seen->warp_instructions);
    CHECK(e->repeated_blocks == seen->repeated_blocks);
    CHECK(e->extrapolated_blocks == seen->extrapolated_blocks);
    CHECK(e->unit_utilisation == seen->unit_utilisation);
    CHECK(e->dram_bytes == seen->dram_bytes);
    CHECK(e->dram_utilisation == seen->dram_utilisation);
    CHECK(e->l2_bytes == seen->l2_bytes);
    CHECK(e->l2_utilisation == seen->l2_utilisation);
    CHECK(e->mean_block_end_cycles == seen->mean_block_end_cycles);
    CHECK(ends == space.block_ends());
}

}  // namespace

TEST_CASE("rounds of loops that repeat are counted as they would be simulated") {
    for (std::uint64_t seed = 3000; seed < 3400; ++seed) {
        CAPTURE(seed);
        std::mt19937_64 random(seed);
        stream s = random_stream(random, 80);
        random_sm sm = random_residency(random);
        if (random() % 3 == 0) {
            s = with_products(s, random);
            sm.p.lanes[5] = static_cast<double>(1 + random() % 1024);
        }
        if (random() % 3 == 0) {
            s = random_streams::with_copies(s, random);
            sm.p.async_copies = sm.p.bulk_copies = true;
        }
        std::mt19937_64 of_products(seed);
        if (seed % 3 == 0) s = random_streams::with_async_products(s, of_products);
        if (random() % 2 == 0) with_sub_cores(sm.p, random);
        if (random() % 4 == 0) sm.p.from_dram_fraction = 0.37;  // bytes that sums round
        if (random() % 2 == 0) sm.p.barriers_wait_for_results = true;
        if (random() % 2 == 0) {
            s = with_operations(s, random);
            sm.p.rates = random_rates(random);
        }
        const double warps = static_cast<double>(sm.r.blocks * sm.r.warps_per_block);
        if (mix_of(s)->executed() * warps > 1e5) continue;
        if (random() % 3 > 0) sm.r.total_blocks = 0;
        check_counted(s, sm);
    }
}

TEST_CASE("a store may end after all rounds of loops that repeat behind it") {
    const instruction store{.unit = shared_memory};
    random_sm sm{.p = plain, .r = {1, 2, 0, 1}};
    sm.p.shared_latency_cycles = 145;
    sm.p.single_precision_latency_cycles = 9;
    check_counted({store, loop(5, 2), store, loop(3, 8), add, loop(1, 11), add}, sm);
}

// What repeats but for the phases of the queues, and what does not: a loop around accesses, and perhaps around another.
TEST_CASE(
    "rounds whose requests take fractions of a cycle are counted as they would be simulated") {
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        CAPTURE(seed);
        std::mt19937_64 random(seed);
        random_sm sm = random_residency(random);
        if (random() % 2 == 0) with_sub_cores(sm.p, random);
        sm.r.total_blocks = random() % 3 > 0 ? 0 : 2 * sm.r.blocks;
        stream body;
        for (std::size_t n = 1 + random() % 4; n > 0; --n) {
            constexpr unit_kind kinds[]{global_memory, l2_cache, global_memory, shared_memory,
                                        single_precision};
            instruction i{.unit = kinds[random() % 5]};
            if (random() % 2 == 0) i.needs[0] = random() % 2 == 0 ? own_result : 1;
            body.push_back(i);
        }
        body[0].needs[0] = own_result;
        stream s = body;
        const bool in_another = random() % 2 == 0;
        if (in_another) s.insert(s.begin(), loop(static_cast<std::uint32_t>(body.size()), 20));
        if (random() % 2 == 0) s.insert(s.end(), sync);
        s.insert(s.begin(), loop(static_cast<std::uint32_t>(s.size()), in_another ? 40 : 600));
        check_counted(s, sm);
    }
}

TEST_CASE("accesses with levels of their own: rounds are counted as they would be simulated") {
    for (std::uint64_t seed = 0; seed < 120; ++seed) {
        CAPTURE(seed);
        std::mt19937_64 random(seed);
        const stream s = random_stream(random, 60);
        random_sm sm = random_residency(random);
        if (random() % 2 == 0) with_sub_cores(sm.p, random);
        std::vector<access_level> levels(s.size());
        for (access_level& l : levels) {
            const double beyond_l1 = static_cast<double>(random() % 5) / 4;
            l = {beyond_l1, beyond_l1 * static_cast<double>(random() % 3) / 2};
        }
        sm.p.levels = {.of_entries = levels, .dram_latency_cycles = sm.p.dram_latency_cycles};
        if (mix_of(s)->executed() * static_cast<double>(sm.r.blocks * sm.r.warps_per_block) > 1e5) {
            continue;
        }
        check_counted(s, sm);
    }
}

TEST_CASE("lines, and caches that serve parts of all accesses or of each, as by hand") {
    int compared = 0;
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
        CAPTURE(seed);
        std::mt19937_64 random(seed);
        stream s = random_stream(random, 4);
        for (instruction& i : s) {
            if (i.unit != unit_kind::loop && random() % 3 == 0) i.unit = global_memory;
            const bool in_lines = uses_load_store_units(i.unit) && i.unit != shared_memory;
            if (in_lines && random() % 2 == 0) i.lines = static_cast<std::uint16_t>(random() % 33);
        }
        random_sm sm = random_residency(random);
        if (random() % 2 == 0) with_sub_cores(sm.p, random);
        sm.r.total_blocks = std::min(sm.r.total_blocks, 3 * sm.r.blocks);
        sm.p.l1_latency_cycles = std::min(sm.p.l1_latency_cycles, sm.p.l2_latency_cycles);
        // Sums of such fractions are exact.
        const auto any_level = [&] {
            const double beyond_l1 = static_cast<double>(random() % 5) / 4;
            return access_level{beyond_l1, beyond_l1 * static_cast<double>(random() % 3) / 2};
        };
        const access_level all = any_level();
        sm.p.beyond_l1_fraction = all.beyond_l1;
        sm.p.from_dram_fraction = all.from_dram;
        std::vector<access_level> levels(s.size());
        for (access_level& l : levels) l = any_level();
        if (random() % 2 == 0) {
            sm.p.levels = {.of_entries = levels, .dram_latency_cycles = sm.p.dram_latency_cycles};
        }
        sm_workspace space;
        const auto e = simulate_sm(s, sm.p, sm.r, sm.policy, {}, space);
        REQUIRE_MESSAGE(e, message(e ? model_error{} : e.error()).c_str());
        if (e->warp_instructions > 800 || e->cycles > 20'000) continue;
        ++compared;
        const auto o = naive::run_sm(s, sm.p, sm.r, sm.policy);
        CHECK(e->cycles == o.cycles);
        CHECK(e->issue_slots == o.issue_slots);
        CHECK(e->issue_cycles == o.issue_cycles);
        CHECK(e->stalls == o.stalls);
    }
    CHECK(compared > 250);
}

// A queue may be full of large requests behind a small one, in the very cycle in which this one is answered.
TEST_CASE("full queues of requests of all sizes: rounds are counted as they would be simulated") {
    for (std::uint64_t seed = 0; seed < 600; ++seed) {
        CAPTURE(seed);
        std::mt19937_64 random(seed);
        const auto up_to = [&](std::uint64_t n) { return 1 + random() % n; };
        stream s{loop(1, static_cast<std::uint32_t>(3 + up_to(12)))};
        for (std::uint64_t n = 1 + up_to(3); n > 0; --n) {
            instruction i{.unit = random() % 4 > 0 ? global_memory : l2_cache};
            i.bytes = static_cast<std::uint8_t>(1U << random() % 5);
            if (random() % 4 == 0) i.transactions = static_cast<std::uint16_t>(up_to(8));
            i.lines = static_cast<std::uint16_t>(random() % 3);
            s.push_back(i);
        }
        s[0].loop_length = static_cast<std::uint32_t>(s.size() - 1);
        random_sm sm = random_residency(random);
        sm.p.lanes[4] = 32;
        sm.p.dram_latency_cycles = static_cast<double>(up_to(12));
        sm.p.l2_latency_cycles = static_cast<double>(up_to(12));
        sm.p.dram_bytes_per_cycle = static_cast<double>(up_to(40));
        sm.p.l2_bytes_per_cycle = static_cast<double>(random() % 3 * up_to(40));
        if (random() % 2 == 0) with_sub_cores(sm.p, random);
        sm.r.total_blocks = std::min(sm.r.total_blocks, 2 * sm.r.blocks);
        std::vector<access_level> levels(s.size(), {1, 1});
        for (access_level& l : levels) {
            if (random() % 2 == 0) l.from_dram = 0;
        }
        if (random() % 4 == 0) {
            sm.p.levels = {.of_entries = levels, .dram_latency_cycles = sm.p.dram_latency_cycles};
        }
        check_counted(s, sm);
    }
}

TEST_CASE("a warp waits for the levels of each access") {
    // L1 answers in 19 cycles, L2 in 101, DRAM in 400. A load follows the addition before it in the next cycle, and the
    // last addition takes 7.
    const instruction waits{.unit = single_precision, .needs = {1}};
    const stream s{load, waits, load, waits, load, waits};
    const auto simulated = [&](const std::array<access_level, 3>& of_loads) {
        std::array<access_level, 6> levels{};
        for (std::size_t n = 0; n < 3; ++n) levels[2 * n] = of_loads[n];
        sm_parameters p = plain;
        p.levels = {.of_entries = levels, .dram_latency_cycles = 400};
        return simulate(s, p, {1, 1});
    };
    CHECK(simulated({{{1, 1}, {1, 1}, {1, 1}}}).cycles == 3 * 400 + 2 + 7);
    const auto mixed = simulated({{{1, 1}, {0, 0}, {1, 0}}});
    CHECK(mixed.cycles == 400 + 19 + 101 + 2 + 7);
    CHECK(mixed.dram_bytes == 128);
    CHECK(mixed.stalls.memory_dependence == 399 + 100);  // not for L1
    CHECK(mixed.stalls.dependence == 18 + 6);
    const auto parts = simulated({{{1, 0.5}, {0.5, 0.5}, {0, 0}}});
    CHECK(parts.cycles == 251 + 210 + 19 + 2 + 7);  // 250.5 and 209.5, in whole cycles
    CHECK(parts.dram_bytes == 128);
    // Of another stream.
    sm_parameters p = plain;
    const std::array<access_level, 5> five{};
    p.levels.of_entries = five;
    sm_workspace space;
    CHECK(simulate_sm(s, p, {1, 1}, warp_policy::lowest_index, {}, space).error() ==
          model_error{errc::malformed, "levels"});
}

TEST_CASE("a loop of a hundred million rounds costs no more than some of them") {
    const instruction chain{.unit = single_precision, .needs = {own_result}};
    const auto alone = simulate({loop(1, 100'000'000), chain}, plain, {1, 1});
    CHECK(alone.cycles == 700'000'000);
    CHECK(alone.issue_cycles == 100'000'000);
    CHECK(alone.stalls.dependence == 600'000'000);
    // One around another, of four blocks that meet at barriers, and read DRAM in whole cycles.
    sm_parameters p = plain;
    p.dram_bytes_per_cycle = 32;
    const stream tiles{loop(5, 100'000), load, sync, loop(1, 64), chain, sync};
    const auto all = simulate(tiles, p, {4, 2});
    CHECK(all.warp_instructions == 8 * 100'000 * 67);
    CHECK(all.dram_bytes == 8 * 100'000 * 128.0);
    CHECK(all.cycles >= 100'000 * 64 * 7);
}

TEST_CASE("a trillion blocks cost no more than a few rounds") {
    const stream computes{loop(2, 10), add, add_to};
    const stream loads{loop(3, 10), load, use, add_to};  // 1280 B a warp
    sm_parameters p = plain;
    p.dram_bytes_per_cycle = 25.77;  // 128 B take no whole number of cycles: no state repeats
    for (const bool loading : {false, true}) {
        const stream& s = loading ? loads : computes;
        sm_workspace space;
        const auto cycles_of = [&](std::uint64_t blocks) {
            const auto e =
                simulate_sm(s, p, {.blocks = 8, .warps_per_block = 4, .total_blocks = blocks},
                            warp_policy::loose_round_robin, {}, space);
            REQUIRE_MESSAGE(e, message(e ? model_error{} : e.error()).c_str());
            CHECK(e->issue_cycles + e->stalls.total() == e->cycles);
            CHECK(e->blocks == blocks);
            CHECK(e->dram_bytes == (loading ? 1280.0 * 4 * static_cast<double>(blocks) : 0));
            CHECK(e->blocks - e->repeated_blocks - e->extrapolated_blocks < 4096);
            return static_cast<double>(e->cycles);
        };
        const double million = cycles_of(1'000'000);
        CHECK(cycles_of(1'000'000'000'000) == doctest::Approx(1e6 * million).epsilon(1e-3));
    }
    // Past what 64 bits count it is an error.
    sm_workspace space;
    CHECK(simulate_sm(stream{loop(1, 2000), load, add}, p,
                      {.blocks = 8, .warps_per_block = 4, .total_blocks = max_sm_blocks},
                      warp_policy::lowest_index, {}, space)
              .error() == model_error{errc::limit_reached, "cycles"});
}

TEST_CASE("a barrier does not wait for a load that nobody has read yet") {
    // Each round computes for 60 x 7 cycles, loads for the end of the next, and hands over.
    const stream s{loop(5, 50),
                   loop(1, 60),
                   {.unit = single_precision, .needs = {own_result}},
                   {.unit = shared_memory, .needs = {1, -1}},
                   load,
                   sync};
    sm_parameters p = plain;
    p.lanes = {0, 1024, 1024, 1024, 1024};
    p.dram_bytes_per_cycle = 1024;
    const auto apart = simulate(s, p, {1, 4});
    p.barriers_wait_for_results = true;
    const auto waiting = simulate(s, p, {1, 4});
    CHECK(static_cast<double>(apart.cycles) / 50 < 60 * 7 + 20);
    CHECK(static_cast<double>(waiting.cycles) / 50 > 60 * 7 + 400);
    CHECK(apart.warp_instructions == waiting.warp_instructions);
    // A barrier that reads a result waits for it.
    CHECK(simulate({load, {.unit = barrier, .needs = {1}}, add}, plain, {1, 1}).cycles ==
          400 + 1 + 7);
    CHECK(simulate({load, sync, add}, plain, {1, 1}).cycles == 400);
    // One that waits for results leaves a store behind, unless ends wait for stores too.
    CHECK(simulate({load, sync, add}, p, {1, 1}).cycles == 400);
    p.ends_wait_for_stores = true;
    CHECK(simulate({load, sync, add}, p, {1, 1}).cycles == 400 + 1 + 7);
}

TEST_CASE("errors name the field, and the entry of the stream") {
    CHECK(error({}, plain) == model_error{errc::missing, "instructions"});
    CHECK(error({add, {.unit = single_precision, .needs = {5}}}, plain) ==
          model_error{errc::malformed, "instructions", 2});
    CHECK(error({add}, plain, {0, 1}) == model_error{errc::not_positive, "blocks"});
    CHECK(error({add}, plain, {1, 0}) == model_error{errc::not_positive, "warps_per_block"});
    CHECK(error({add}, plain, {300, 300}) == model_error{errc::limit_reached, "blocks"});
    CHECK(error({add}, plain, {1, 5000}) == model_error{errc::limit_reached, "warps_per_block"});
    CHECK(error({add}, plain, {1, 1, ~std::uint64_t{0}}) ==
          model_error{errc::overflow, "start_cycle"});
    CHECK(error({add, {.unit = global_memory, .bytes = 0}}, plain) ==
          model_error{errc::malformed, "instructions", 2});
    sm_parameters p = plain;
    p.lanes = {0, 0, 32, 0, 32};
    CHECK(error({{.unit = double_precision}, {.unit = special_function}}, p) ==
          model_error{errc::missing, "special_function_units", 2});
    CHECK(error({{.unit = integer}}, p) == model_error{errc::missing, "cuda_cores", 1});
    p.lanes[0] = 32;
    CHECK(simulate({{.unit = integer}}, p, {1, 1}).cycles == 5);
    p = plain;
    p.dram_transaction_bytes = 0;
    CHECK(error({load, {.unit = global_memory, .transactions = 4}}, p) ==
          model_error{errc::missing, "dram_transaction_bytes", 2});
    p = plain;
    p.l1_latency_cycles = 0.5;
    CHECK(error({add}, p) == model_error{errc::outside_domain, "l1_latency_cycles"});
    p = plain;
    p.warp_schedulers = 2.5;
    CHECK(error({add}, p) == model_error{errc::not_whole, "warp_schedulers"});
    p = plain;
    p.dram_latency_cycles = 1e9;
    CHECK(error({add}, p) == model_error{errc::overflow, "dram_latency_cycles"});
    p.dram_latency_cycles = std::numeric_limits<double>::quiet_NaN();
    CHECK(error({add}, p) == model_error{errc::negative, "dram_latency_cycles"});
    p = plain;
    p.dram_bytes_per_cycle = 0;
    CHECK(error({add}, p) == model_error{errc::not_positive, "dram_bytes_per_cycle"});
    p.dram_bytes_per_cycle = 1e-10;  // one access takes longer than any simulation
    CHECK(error({load, use}, p, {1, 2}) == model_error{errc::limit_reached, "cycles"});
    CHECK(error({load}, p) == model_error{errc::limit_reached, "cycles"});
    p.dram_transaction_bytes = 65'536;
    CHECK(error({{.unit = global_memory, .transactions = 65'535}}, p) ==
          model_error{errc::limit_reached, "cycles"});
    p = plain;  // so many requests under way that their queue would pass the caps
    p.lanes[4] = 4096;
    p.warp_size = 1;
    p.warp_schedulers = 64;
    p.dram_latency_cycles = 65'536;
    p.dram_bytes_per_cycle = 1e9;
    CHECK(error({loop(1, 5000), load}, p, {64, 1}, {.words = 8192}) ==
          model_error{errc::limit_reached, "dram_latency_cycles"});
    CHECK(error({loop(1, 4'000'000'000), add}, plain) ==
          model_error{errc::limit_reached, "instructions"});
    CHECK(error({loop(1, 100), add}, plain, {1, 1}, {.warp_instructions = 99}) ==
          model_error{errc::limit_reached, "instructions"});
    CHECK(error({add, add_to}, plain, {1, 64}, {.words = 64}) ==
          model_error{errc::limit_reached, "instructions"});
}

}  // namespace sm_test
