// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <warpgauge/core/lanes.hpp>
#include <warpgauge/saturation/equations.hpp>

#include "approx.hpp"

namespace equations_test {

using namespace warpgauge;
namespace equations = warpgauge::detail::saturation;

namespace {

struct gpu {
    static constexpr double sm_count = 10, clock_hz = 1e9, dram_bytes_per_s = 100e9;
    static constexpr double warp_size = 32, dram_latency_cycles = 400;
    static constexpr double warp_schedulers = 4, issues_per_scheduler = 1;
    static constexpr double dram_read_fraction = 0.5, l2_bytes = 1e6, l2_bytes_per_cycle = 32;
};

template <class Real>
constexpr auto costs() {
    return equations::costs_on<Real>(gpu{}, saturation_constants{});
}

}  // namespace

TEST_CASE("(1): rounds that are whole, and what is left") {
    const auto spread = [](double blocks) {
        return equations::spread(kernel_profile<>{.blocks = blocks, .threads_per_block = 33},
                                 costs<double>(), 4.0);
    };
    CHECK(spread(95).warps_per_block == 2);
    CHECK(spread(95).full_rounds == 2);  // of 40 blocks
    CHECK(spread(95).last_round_blocks == 1.5);
    CHECK(spread(80).last_round_blocks == 0);
    CHECK(spread(20).active_blocks_per_sm == 2);
    CHECK(spread(20).full_rounds == 1);  // of 20
    CHECK(spread(15).full_rounds == 0);
    CHECK(spread(15).last_round_blocks == 1.5);
}

TEST_CASE("(3) to (6): what is skipped where no lane has it changes no bit of the others") {
    using pack = lanes<2>;
    kernel_profile<pack> k;
    k.blocks = 100.0;
    k.threads_per_block = 64.0;
    k.comp_insts = 30.0;
    k.coalesced_mem_insts = 3.0;
    k.waits.steps.values[1] = 7;
    k.traffic.footprint_bytes.values[1] = 1.7e6;
    const auto wait = []<class Real>(const kernel_profile<Real>& of) {
        assumptions<Real> assumed;
        const auto c = costs<Real>();
        return equations::wait(of, c, saturation_constants{}, equations::spread(of, c, Real(4.0)),
                               assumed);
    };
    const saturation_waits<pack> together = wait(k);
    kernel_profile<> one{
        .blocks = 100, .threads_per_block = 64, .comp_insts = 30, .coalesced_mem_insts = 3};
    CHECK(wait(one).dram_waits == 3);
    CHECK(together.dram_waits.values[0] == 3);
    CHECK(together.alone_cycles.values[0] == wait(one).alone_cycles);
    one.waits.steps = 7;
    one.traffic.footprint_bytes = 1.7e6;
    CHECK(wait(one).l2_miss_fraction == Approx(0.6));  // (1.7 - 0.8) / 1.5
    CHECK(together.dram_waits.values[1] == wait(one).dram_waits);
    CHECK(together.alone_cycles.values[1] == Approx(wait(one).alone_cycles).epsilon(1e-15));
}

TEST_CASE("(5), (6), (9): each kind of wait has its own latency") {
    struct deep_gpu : gpu {
        double l2_latency_cycles = 200, l1_latency_cycles = 30;
    };
    constexpr saturation_constants constants{
        .turnaround_cycles = 100, .store_cycles = 17, .sector_cycles = 0.5};
    const auto c = equations::costs_on<double>(deep_gpu{}, constants);
    kernel_profile<> k{
        .blocks = 100, .threads_per_block = 64, .comp_insts = 30, .coalesced_mem_insts = 3};
    k.waits = {.dram_waits = 2,
               .l2_waits = 3,
               .l1_waits = 5,
               .store_waits = 7,
               .arithmetic_wait_cycles = 11};
    k.accesses.load_sectors = 13;
    assumptions<> assumed;
    const auto wait = [&] {
        return equations::wait(k, c, constants, equations::spread(k, c, 4.0), assumed);
    };
    CHECK(wait().wait_cycles == Approx(2 * 400 + 3 * 200 + 5 * 30 + 7 * 17 + 11 + 13 * 0.5));
    CHECK(wait().warp_issue_cycles == 33);
    CHECK(wait().alone_cycles == Approx(33 + 100 + 1686.5));
    CHECK(wait().exposed_cycles == 25);
    CHECK_FALSE(assumed.contains(assumption::waits_for_dram));
    // Of 10 steps a quarter finds what the step before has brought, and nothing is known to be in L2.
    k.waits.steps = 10;
    k.waits.reused_fraction = 0.25;
    CHECK(wait().dram_waits == 9.5);
    CHECK(wait().l2_waits == 5.5);
    CHECK(wait().wait_cycles == Approx(1686.5 + 7.5 * 400 + 2.5 * 200));
}

TEST_CASE("(7): bytes of L2 are those of the warp, and more for sectors that it writes in part") {
    constexpr saturation_constants constants{.queueing_in_sm = 0, .extra_sectors_per_partial = 3};
    const auto c = equations::costs_on<double>(gpu{}, constants);
    kernel_profile<> k{
        .blocks = 100, .threads_per_block = 64, .comp_insts = 28, .coalesced_mem_insts = 4};
    k.accesses.partial_store_sectors = 4;
    const auto l = equations::spread(k, c, 4.0);
    const auto u = equations::demand(k, c, constants, l, {.warp_issue_cycles = 32},
                                     {.l2 = 512, .local = {.lines = 1, .l2_bytes = 128}});
    CHECK(u.l2_cycles == 2 * (512 + 4 * 3 * 32 + 128) / 32.0);
    CHECK(u.issue_cycles == 2 * 32 / 4.0);
    CHECK(u.local_l2_bytes == 128);
    CHECK(u.busy_cycles == u.l2_cycles);
}

TEST_CASE("(10) to (13): rounds, the last one, and the warp that has most to do") {
    saturation_launch<> l{};
    l.active_blocks_per_sm = 4;
    l.full_rounds = 3;
    l.last_round_blocks = 1.5;
    saturation_waits<> f{};
    f.alone_cycles = 250;
    f.exposed_cycles = 50;
    saturation_demands<> u{};
    u.issue_cycles = 10;
    u.lane_cycles = 20;
    u.l1_cycles = 30;
    u.l2_cycles = 200;
    u.busy_cycles = 200;
    constexpr saturation_constants constants{.queueing_in_sm = 0};
    const auto c = equations::costs_on<double>(gpu{}, constants);
    const auto rounds = [&](const kernel_profile<>& k = {}) {
        return equations::rounds(k, c, constants, l, f, u);
    };
    CHECK(rounds().round_cycles == 50 + 4 * 200);
    CHECK(rounds().last_round_cycles == 50 + 1.5 * 200);  // L2 sees the mean SM
    CHECK(rounds().sm_cycles == 3 * 850 + 350);
    CHECK(rounds().longest_warp_cycles == 0);
    u.l2_cycles = 35;
    u.l1_cycles = 34;
    u.lane_cycles = u.busy_cycles = 120;
    CHECK(rounds().last_round_cycles == 50 + 2 * 120);  // the rest sees the one with a block more
    u.l1_cycles = 150;
    u.l2_cycles = 160;
    CHECK(rounds().last_round_cycles == 50 + 2 * 150);
    u.l2_cycles = u.busy_cycles = 150;
    CHECK(rounds().last_round_cycles == 50 + 2 * 150);
    u.busy_cycles = 10;
    CHECK(rounds().last_round_cycles == 250);  // nobody fills the waits

    kernel_profile<> k;
    k.waits.steps = 10;
    k.waits.longest_steps = 40;
    CHECK(rounds(k).longest_warp_cycles == 4 * 250);
    CHECK(rounds(k).sm_cycles == 3 * 250 + 250);
    k.waits.longest_steps = 80;
    CHECK(rounds(k).sm_cycles == 8 * 250);
    const auto leads = [&](double overhead = 0) {
        return equations::leading_term(l, f, u, rounds(k), saturation_floors<>{}, 1.0, overhead);
    };
    CHECK(leads(1) == saturation_term::longest_warp);  // the overhead leads where it is longer
    CHECK(leads(1.1) == saturation_term::overhead);
    CHECK(leads() == saturation_term::longest_warp);
    k.waits.longest_steps = 20;  // 500 cycles beside 1000
    CHECK(leads() == saturation_term::waits);
    k.waits.longest_steps = 10;
    CHECK(rounds(k).longest_warp_cycles == 0);
}

TEST_CASE("(12): where most warps return at once, the longest warp waits for its own steps") {
    saturation_launch<> l{};
    l.active_blocks_per_sm = l.full_rounds = 1;
    saturation_waits<> f{};
    f.alone_cycles = 250;
    saturation_demands<> u{};
    constexpr saturation_constants constants{.queueing_in_sm = 0};
    auto c = equations::costs_on<double>(gpu{}, constants);
    c.dram_latency_cycles = 400;
    c.l2_latency_cycles = 200;
    kernel_profile<> k;
    const auto longest = [&](double steps, double most) {
        k.waits.steps = steps;
        k.waits.longest_steps = most;
        return equations::rounds(k, c, constants, l, f, u).longest_warp_cycles;
    };
    CHECK(longest(1, 3) == 3 * 250);
    CHECK(longest(0.25, 1) == 250 + 0.75 * 200);  // steps that find their data in L2
    CHECK(longest(0.001, 1) == 250 + 0.999 * 200);
    CHECK(longest(0.001, 3) == Approx(3 * (250 + 0.999 * 200)));
    CHECK(longest(0.25, 0.5) == 250 + 0.25 * 200);
    f.l2_miss_fraction = 1;
    k.waits.reused_fraction = 0.25;
    CHECK(longest(0.25, 1) == 250 + 0.75 * (0.75 * 400 + 0.25 * 200));
}

TEST_CASE("(7): the load/store lanes stand in front of the banks and of L1") {
    struct piped_gpu : gpu {
        double l1_bytes_per_cycle = 64;  // a line in 2 cycles
        double memory_instruction_cycles = 2, shared_pass_cycles = 1, branch_cycles = 18;
    };
    const auto cycles = [](const auto& d, const kernel_profile<>& k, double local_lines = 0) {
        const auto c = equations::costs_on<double>(d, saturation_constants{});
        return equations::l1_cycles_of_warp(k, c, local_lines);
    };
    const piped_gpu d;
    // Conflicts of two lanes are free, of four are not.
    CHECK(cycles(d, {.shared_passes = 10, .shared_insts = 10}) == 20);
    CHECK(cycles(d, {.shared_passes = 20, .shared_insts = 10}) == 20);
    CHECK(cycles(d, {.shared_passes = 40, .shared_insts = 10}) == 40);
    CHECK(cycles(d, {.shared_passes = 40}) == 40);
    CHECK(cycles(gpu{}, {.shared_passes = 20, .shared_insts = 30}) == 20);  // not known there
    // Shared memory and L1, global and local, are one.
    kernel_profile<> k{.coalesced_mem_insts = 3, .uncoalesced_mem_insts = 2, .shared_passes = 20};
    CHECK(cycles(d, k) == 20);
    k.shared_insts = 8;
    CHECK(cycles(d, k, 1) == 2 * 14);
    k.accesses.lines = 10;
    CHECK(cycles(d, k, 1) == 20 + 2 * 11);
    CHECK(cycles(d, {}, 5) == 10);
}

TEST_CASE("(5), (8): a warp waits at branches, a block for its barriers") {
    struct piped_gpu : gpu {
        double memory_instruction_cycles = 2, shared_pass_cycles = 1, branch_cycles = 18;
    };
    kernel_profile<> k{.blocks = 100, .threads_per_block = 256, .comp_insts = 400};
    const auto estimate = [&](const auto& d) {
        const auto c = equations::costs_on<double>(d, saturation_constants{});
        return *equations::estimate(k, d, c, saturation_constants{}, 4.0);
    };
    CHECK(estimate(piped_gpu{}).wait_cycles == 0);
    k.branches = 10;
    CHECK(estimate(gpu{}).wait_cycles == 0);
    const auto branching = estimate(piped_gpu{});
    CHECK(branching.wait_cycles == 180);
    // Eight warps, four schedulers: the block's instructions take twice as long as those of a warp.
    CHECK(branching.busy_cycles == 800);
    CHECK(branching.alone_cycles == 400 + 180 + 400);
    k.sync_insts = 1;
    CHECK(estimate(piped_gpu{}).alone_cycles == 400 + 180 + 800);
    k.threads_per_block = 64;  // no more warps than schedulers
    CHECK(estimate(piped_gpu{}).alone_cycles == 400 + 180 + 400);
}

TEST_CASE("(14): bytes given, of the footprint, of the accesses; the first that is known") {
    using pack = lanes<4>;
    kernel_profile<pack> k;
    k.blocks = 10.0;
    k.threads_per_block = 32.0;
    k.traffic.footprint_bytes.values[1] = 5e5;
    k.traffic.footprint_bytes.values[2] = 5e5;
    k.traffic.dram_read_bytes.values[2] = 1e6;
    k.traffic.dram_write_bytes.values[3] = 2e6;
    const auto c = costs<pack>();
    assumptions<pack> assumed;
    const auto t = equations::floors(k, c, equations::spread(k, c, pack(1.0)), pack(0.0),
                                     {.by_accesses = 7.0, .l2 = 7.0}, assumed);
    CHECK(t.dram_bytes.values[0] == 70);
    CHECK(t.dram_bytes.values[1] == 5e5);
    CHECK(t.dram_bytes.values[2] == 1e6);
    CHECK(t.dram_bytes.values[3] == 2e6);
    CHECK(t.dram_seconds.values[1] == Approx(5e5 / 50e9));
    CHECK(assumed.contains(assumption::bytes_from_dram).set[0] == -1);
    CHECK(assumed.contains(assumption::bytes_from_dram).set[1] == 0);
}

TEST_CASE("(14): local memory that L2 does not hold comes on top, whatever the others are") {
    const auto c = costs<double>();
    kernel_profile<> k{.blocks = 10, .threads_per_block = 64};
    const auto bytes = [&] {
        assumptions<> assumed;
        return equations::floors(k, c, equations::spread(k, c, 1.0), 1.0,
                                 {.by_accesses = 7, .local = {.dram_bytes = 3}}, assumed)
            .dram_bytes;
    };
    CHECK(bytes() == 20 * 7 + 20 * 3);
    k.traffic.footprint_bytes = 1000;
    CHECK(bytes() == 1000 + 20 * 3);
    k.traffic.dram_read_bytes = 500;
    k.traffic.dram_write_bytes = 200;
    CHECK(bytes() == 700 + 20 * 3);
}

}  // namespace equations_test
