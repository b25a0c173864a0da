// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <cstddef>
#include <vector>

#include <warpgauge/analyse/easing.hpp>
#include <warpgauge/devices/a100_sxm4_40gb.hpp>
#include <warpgauge/devices/geforce_gtx_280.hpp>
#include <warpgauge/devices/l40.hpp>

#include "analyse/model_of_ones_own.hpp"

namespace easing_test {

using namespace model_of_ones_own;
using namespace warpgauge;
using detail::analyse::eased_input;
using doctest::Approx;

namespace {

constexpr devices::geforce_gtx_280 gtx;

// The time is one parameter of the device or the kernel, after easing `b` by `factor`.
template <class Device, class Read>
double after(const Device& d, const kernel_profile<>& k, bottleneck b, double factor, Read read) {
    const function_model model{d, [read](const auto& device, const auto& profile) {
                                   return takes(static_cast<double>(read(device, profile)));
                               }};
    const auto t = eased_seconds(model, k, ease(b, factor));
    REQUIRE(t);
    return *t;
}

}  // namespace

TEST_CASE("each bottleneck changes its own parameters, by the factor") {
    const kernel_profile<> k{.blocks = 4,
                             .threads_per_block = 64,
                             .comp_insts = 10,
                             .coalesced_mem_insts = 2,
                             .uncoalesced_mem_insts = 8,
                             .sync_insts = 6};
    CHECK(after(gtx, k, bottleneck::memory_bandwidth, 2, [](const auto& d, const auto&) {
              return d.dram_bytes_per_s;
          }) == 2 * gtx.dram_bytes_per_s);
    CHECK(after(gtx, k, bottleneck::memory_departures, 4, [](const auto& d, const auto&) {
              return d.uncoalesced_departure_cycles;
          }) == gtx.uncoalesced_departure_cycles / 4);
    CHECK(after(gtx, k, bottleneck::uncoalesced_access, 4,
                [](const auto&, const auto& p) { return p.uncoalesced_mem_insts; }) == 2);
    CHECK(after(gtx, k, bottleneck::uncoalesced_access, 4,
                [](const auto&, const auto& p) { return p.coalesced_mem_insts; }) == 8);
    CHECK(after(gtx, k, bottleneck::memory_latency, 2, [](const auto& d, const auto&) {
              return d.dram_latency_cycles;
          }) == gtx.dram_latency_cycles / 2);
    CHECK(after(gtx, k, bottleneck::issue, 2,
                [](const auto& d, const auto&) { return d.issue_cycles; }) == 2);
    CHECK(after(gtx, k, bottleneck::synchronisation, 3,
                [](const auto&, const auto& p) { return p.sync_insts; }) == 2);
}

TEST_CASE("accesses keep their levels where barriers go") {
    const std::vector<instruction> stream{
        {.unit = unit_kind::barrier},       loop(2, 3),
        {.unit = unit_kind::global_memory}, {.unit = unit_kind::barrier},
        {.unit = unit_kind::integer},       {.unit = unit_kind::global_memory, .transactions = 8}};
    std::vector<access_level> levels(6);
    levels[2] = {0.5, 0.25};
    levels[5] = {0.75, 0};
    kernel_profile<> k{.sync_insts = 4, .instructions = stream, .levels = levels};
    const auto level_in = [](std::size_t at, double access_level::*of) {
        return [=](const auto&, const auto& p) {
            return check_levels(p.levels, p.instructions.size()) ? -1 : p.levels[at].*of;
        };
    };
    constexpr double all = removal_factor;
    const auto b = bottleneck::synchronisation;
    CHECK(after(gtx, k, b, all, level_in(1, &access_level::beyond_l1)) == 0.5);
    CHECK(after(gtx, k, b, all, level_in(1, &access_level::from_dram)) == 0.25);
    CHECK(after(gtx, k, b, all, level_in(3, &access_level::beyond_l1)) == 0.75);
    CHECK(after(gtx, k, bottleneck::uncoalesced_access, 4, level_in(5, &access_level::beyond_l1)) ==
          0.75);
    // Levels of another stream are none.
    k.levels = k.levels.first(3);
    CHECK(after(gtx, k, b, all,
                [](const auto&, const auto& p) { return p.levels.empty() ? 1.0 : 2.0; }) == 1);
}

TEST_CASE("a latency is never below what departures and bandwidth leave between two accesses") {
    const kernel_profile<> k{.blocks = 4, .threads_per_block = 64, .coalesced_mem_insts = 2};
    CHECK(after(gtx, k, bottleneck::memory_latency, removal_factor, [](const auto& d, const auto&) {
              return d.dram_latency_cycles;
          }) == gtx.uncoalesced_departure_cycles);
}

TEST_CASE("units grow by whole numbers, and not past what the simulation takes") {
    const devices::a100_sxm4_40gb gpu_now;
    const kernel_profile<> k{.blocks = 4, .threads_per_block = 64};
    const auto units = [&](double factor) {
        return after(gpu_now, k, bottleneck::issue, factor,
                     [](const auto& d, const auto&) { return d.cuda_cores; });
    };
    CHECK(units(1.005) == gpu_now.cuda_cores);
    CHECK(units(1.5) == 96);
    CHECK(units(removal_factor) == 4096);
    // Classes of instructions keep their part of the lanes.
    const auto conversions = [&](double factor) {
        return after(gpu_now, k, bottleneck::issue, factor,
                     [](const auto& d, const auto&) { return d.conversions_per_cycle; });
    };
    CHECK(conversions(1.5) == 24);
    CHECK(conversions(removal_factor) == 4096);
}

TEST_CASE("a tail wave is there or removed: the grid fills the round and takes its fraction") {
    const kernel_profile<> k{.blocks = 40, .threads_per_block = 64, .active_blocks_per_sm = 1};
    const auto blocks = [](const auto&, const auto& p) { return p.blocks; };
    CHECK(after(gtx, k, bottleneck::tail_wave, 100, blocks) == 40);
    // Two rounds of 30 blocks, of whose time 40 blocks take two thirds.
    CHECK(after(gtx, k, bottleneck::tail_wave, removal_factor, blocks) == Approx(60 * (40.0 / 60)));
    CHECK(after(gtx, k, bottleneck::tail_wave, removal_factor,
                [](const auto&, const auto&) { return 3; }) == Approx(2));
    // The bytes of the launch are those of its blocks, and its overhead is there once.
    kernel_profile<> moves = k;
    moves.traffic.dram_read_bytes = 4000;
    CHECK(after(gtx, moves, bottleneck::tail_wave, removal_factor, [](const auto&, const auto& p) {
              return p.traffic.dram_read_bytes;
          }) == Approx(4000));
    const devices::l40 gpu;  // of 142 SMs
    kernel_profile<> longer = k;
    longer.blocks = 213;
    CHECK(after(gpu, longer, bottleneck::tail_wave, removal_factor,
                [](const auto& d, const auto& p) { return d.launch_overhead_s + p.blocks; }) ==
          Approx(gpu.launch_overhead_s + 213).epsilon(1e-12));
}

TEST_CASE("accesses that are gathered touch the sectors of words in a row, and none fewer") {
    kernel_profile<> k{
        .blocks = 4, .threads_per_block = 64, .coalesced_mem_insts = 1, .uncoalesced_mem_insts = 1};
    k.accesses = {.load_sectors = 4, .partial_store_sectors = 32, .lines = 33};
    k.traffic.l2_bytes_per_warp = 36 * 32;
    const auto left = [&](double factor, auto read) {
        return after(gtx, k, bottleneck::uncoalesced_access, factor,
                     [read](const auto&, const auto& p) { return read(p); });
    };
    const auto sectors = [](const auto& p) { return p.accesses.sectors(); };
    CHECK(left(2, sectors) == Approx(8 + 14));
    CHECK(left(removal_factor, sectors) == Approx(8));
    CHECK(left(removal_factor, [](const auto& p) { return p.accesses.load_sectors; }) ==
          Approx(8.0 / 9));
    CHECK(left(removal_factor, [](const auto& p) { return p.accesses.full_store_sectors; }) ==
          Approx(64.0 / 9));
    CHECK(left(removal_factor, [](const auto& p) { return p.accesses.lines; }) ==
          Approx(33 * 8 / 36.0));
    CHECK(left(removal_factor, [](const auto& p) { return p.traffic.l2_bytes_per_warp; }) ==
          Approx(8 * 32));
    k.accesses.partial_store_sectors = 3;  // in a row already
    CHECK(left(removal_factor, sectors) == 7);
}

TEST_CASE("what device or kernel do not have cannot be eased") {
    const kernel_profile<> k{.blocks = 30, .threads_per_block = 64, .active_blocks_per_sm = 1};
    eased_input input(edit(gtx), k);
    CHECK(input.ease(bottleneck::memory_bandwidth, 2));
    CHECK_FALSE(input.ease(bottleneck::uncoalesced_access, 2));
    CHECK_FALSE(input.ease(bottleneck::dependences, 2));
    CHECK_FALSE(input.ease(bottleneck::synchronisation, 2));
    CHECK_FALSE(input.ease(bottleneck::tail_wave, removal_factor));  // one full round
    CHECK(input.ease(bottleneck::too_few_warps, 2));
}

TEST_CASE("factors below 1 and predictions that are no times are errors") {
    const function_model none{gtx, [](const auto&, const auto&) { return takes(-1.0); }};
    CHECK(eased_seconds(none, {}, as_it_is).error() == model_error{errc::not_positive, "seconds"});
    for (const double factor : {0.5, -1.0, 0.0}) {
        CHECK(eased_seconds(none, {}, ease(bottleneck::issue, factor)).error() ==
              model_error{errc::outside_domain, "factor"});
    }
}

}  // namespace easing_test
