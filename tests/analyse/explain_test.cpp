// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include <warpgauge/analyse/explain.hpp>
#include <warpgauge/warpgauge.hpp>

#include "../examples/merge_benchmarks.hpp"
#include "../examples/stencils.hpp"

namespace explain_test {

using namespace warpgauge;
using doctest::Approx;

namespace {

struct example_gpu : devices::quadro_fx5600 {  // Hong & Kim 2009, sec. 3.6
    static constexpr double clock_hz = 1e9, dram_bytes_per_s = 80e9;
};

template <class Model>
explanation explained(const Model& model, const kernel_profile<>& k) {
    const auto e = explain(model, k);
    REQUIRE_MESSAGE(e, message(e ? model_error{} : e.error()).c_str());
    return *e;
}

const removal* find(const explanation& e, bottleneck what) {
    const auto at = std::find_if(e.removals.begin(), e.removals.end(),
                                 [&](const removal& r) { return r.what == what; });
    return at == e.removals.end() ? nullptr : &*at;
}

removal without(const explanation& e, bottleneck what) {
    const removal* const r = find(e, what);
    REQUIRE(r != nullptr);
    return *r;
}

// A kernel that takes 3 s for memory and 2 s for computation on `toy_gpu`, one by one or side by side.
struct toy_gpu {
    double sm_count = 1, clock_hz = 1, dram_bytes_per_s = 4, issue_cycles = 2;
};
struct toy_estimate {
    double cycles{};
    double seconds{};
};
result<toy_estimate> takes(double seconds) {
    return toy_estimate{seconds, seconds};
}
const function_model one_by_one{toy_gpu{}, [](const auto& d, const auto&) {
                                    return takes(12 / d.dram_bytes_per_s + d.issue_cycles);
                                }};
const function_model side_by_side{
    toy_gpu{}, [](const auto& d, const auto&) {
        return takes(core::max(12 / d.dram_bytes_per_s, d.issue_cycles));
    }};
const mwp_cwp_options whole_waves{.rounds = waves::whole};

constexpr instruction load{.unit = unit_kind::global_memory};
constexpr instruction add{.unit = unit_kind::single_precision, .op = operation::add, .needs = {1}};
constexpr instruction free_add{.unit = unit_kind::single_precision, .op = operation::add};
constexpr instruction barrier{.unit = unit_kind::barrier};

kernel_profile<> launch(double blocks, double threads, std::span<const instruction> stream) {
    const auto k = with_mix(kernel_profile<>{.blocks = blocks,
                                             .threads_per_block = threads,
                                             .registers_per_thread = 16,
                                             .instructions = stream});
    REQUIRE(k);
    return *k;
}

}  // namespace

TEST_CASE("two bottlenecks, one after another: each benefit is its own time") {
    const auto e = explained(one_by_one, {});
    CHECK(e.seconds == 5);
    REQUIRE(e.removals.size() == 2);
    CHECK(e.removals[0].what == bottleneck::memory_bandwidth);
    CHECK(e.removals[0].benefit_seconds == Approx(3));
    CHECK(e.removals[1].what == bottleneck::issue);
    CHECK(e.removals[1].benefit_seconds == Approx(2));
    CHECK(e.limiting == bottleneck::memory_bandwidth);
    CHECK(e.next == bottleneck::issue);
    CHECK(*e.next_after_factor == Approx(1.5).epsilon(1e-3));  // then both take 2 s
    REQUIRE(e.then.size() == 1);
    CHECK(e.then[0].benefit_seconds == Approx(2));
}

TEST_CASE("two bottlenecks side by side: the shorter one has no benefit until the longer is gone") {
    const auto e = explained(side_by_side, {});
    CHECK(e.seconds == 3);
    CHECK(e.limiting == bottleneck::memory_bandwidth);
    CHECK(e.removals[0].benefit_seconds == 1);
    CHECK(e.removals[1].benefit_seconds == 0);
    CHECK(e.next == bottleneck::issue);
    CHECK(*e.next_after_factor == Approx(1.5).epsilon(1e-3));
}

TEST_CASE("one bottleneck, none, and one too far away") {
    const auto toy = [](auto predict) { return function_model{toy_gpu{}, predict}; };
    const auto one =
        explained(toy([](const auto& d, const auto&) { return takes(d.issue_cycles); }), {});
    CHECK(one.limiting == bottleneck::issue);
    CHECK_FALSE(one.next);
    CHECK_FALSE(one.next_after_factor);
    const auto none = explained(toy([](const auto&, const auto&) { return takes(1); }), {});
    CHECK_FALSE(none.limiting);
    CHECK(none.then.empty());
    const auto far = explained(toy([](const auto& d, const auto&) {
                                   return takes(1e5 / d.dram_bytes_per_s + d.issue_cycles);
                               }),
                               {});
    CHECK(far.next == bottleneck::issue);
    CHECK_FALSE(far.next_after_factor);  // 12500
}

TEST_CASE("MWP/CWP: the bottleneck is that of the case that the estimate names") {
    kernel_profile<> k{.blocks = 16,
                       .threads_per_block = 512,
                       .active_blocks_per_sm = 1,
                       .comp_insts = 100,
                       .coalesced_mem_insts = 10};
    auto d = edit(example_gpu{});
    REQUIRE(mwp_cwp_model{d}.predict(k)->which == mwp_cwp_case::compute_bound);
    CHECK(explained(mwp_cwp_model{d}, k).limiting == bottleneck::issue);

    d.dram_bytes_per_s = 8e9;
    auto e = mwp_cwp_model{d}.predict(k);
    REQUIRE(e->which == mwp_cwp_case::memory_bound);
    REQUIRE(e->mwp == e->mwp_peak_bw);
    auto why = explained(mwp_cwp_model{d}, k);
    CHECK(why.limiting == bottleneck::memory_bandwidth);
    CHECK(why.next == bottleneck::issue);
    d.dram_bytes_per_s = 80e9;

    kernel_profile<> departing = k;
    departing.coalesced_mem_insts = 0;
    departing.uncoalesced_mem_insts = 10;
    e = mwp_cwp_model{d}.predict(departing);
    REQUIRE(e->which == mwp_cwp_case::memory_bound);
    REQUIRE(e->mwp == e->mwp_without_bw_full);
    why = explained(mwp_cwp_model{d}, departing);
    // Either leaves the transactions of a warp no delay to wait for.
    CHECK((why.limiting == bottleneck::memory_departures ||
           why.limiting == bottleneck::uncoalesced_access));
    CHECK(without(why, bottleneck::uncoalesced_access).benefit_seconds > 0.5 * why.seconds);
    CHECK(without(why, bottleneck::memory_departures).benefit_seconds > 0.5 * why.seconds);

    k.threads_per_block = 32;
    REQUIRE(mwp_cwp_model{d}.predict(k)->which == mwp_cwp_case::too_few_warps);
    CHECK(explained(mwp_cwp_model{d}, k).limiting == bottleneck::memory_latency);
    k.blocks = 16 * 24;
    REQUIRE(mwp_cwp_model{d}.predict(k)->which == mwp_cwp_case::too_few_warps);
    why = explained(mwp_cwp_model{d}, k);
    CHECK(
        (why.limiting == bottleneck::memory_latency || why.limiting == bottleneck::too_few_warps));
    CHECK(without(why, bottleneck::too_few_warps).benefit_seconds > 0.5 * why.seconds);
}

TEST_CASE("MWP/CWP: the kernels of the paper") {
    for (const kernel_profile<>& k : merge_benchmarks) {
        CAPTURE(std::string(k.name));
        const auto e = mwp_cwp_model{devices::geforce_8800_gtx{}}.predict(k);
        const auto why = explained(mwp_cwp_model{devices::geforce_8800_gtx{}}, k);
        REQUIRE(why.limiting);
        if (e->which == mwp_cwp_case::compute_bound) {
            CHECK(*why.limiting == bottleneck::issue);
        } else {
            CHECK(e->mwp == e->mwp_without_bw_full);
            CHECK((*why.limiting == bottleneck::memory_departures ||
                   *why.limiting == bottleneck::uncoalesced_access));
        }
        CHECK(why.seconds == e->seconds);
    }
}

TEST_CASE("a removal is the prediction of an edited device or kernel") {
    const kernel_profile<> k{.blocks = 1000,
                             .threads_per_block = 256,
                             .registers_per_thread = 100,
                             .comp_insts = 200,
                             .coalesced_mem_insts = 20,
                             .uncoalesced_mem_insts = 5,
                             .sync_insts = 4,
                             .transactions_per_uncoalesced = 8};
    const devices::geforce_rtx_2070_super gpu;
    const auto e = explained(mwp_cwp_model{gpu}, k);
    const auto check = [&](bottleneck what, auto change) {
        CAPTURE(static_cast<int>(what));
        auto d = edit(gpu);
        kernel_profile<> p = k;
        change(d, p);
        const double expected = mwp_cwp_model{d}.predict(p)->seconds;
        const removal r = without(e, what);
        CHECK(r.seconds == Approx(expected).epsilon(1e-4));
        CHECK(r.benefit_seconds == e.seconds - r.seconds);
        CHECK(*eased_seconds(mwp_cwp_model{gpu}, k, ease(what)) == r.seconds);
    };
    check(bottleneck::memory_bandwidth, [](auto& d, auto&) { d.dram_bytes_per_s = 1e19; });
    check(bottleneck::memory_departures, [](auto& d, auto&) {
        d.coalesced_departure_cycles = d.uncoalesced_departure_cycles = 1e-9;
    });
    check(bottleneck::uncoalesced_access, [](auto&, auto& p) {
        p.coalesced_mem_insts = 25;
        p.uncoalesced_mem_insts = 0;
    });
    check(bottleneck::memory_latency, [](auto& d, auto&) {
        const double bytes = 0.8 * 128 + 0.2 * 8 * 32;
        d.dram_latency_cycles = bytes * 40 * 1.785e9 / 448e9;  // what the bandwidth takes
    });
    check(bottleneck::issue, [](auto& d, auto&) { d.issue_cycles = 1e-9; });
    check(bottleneck::synchronisation, [](auto&, auto& p) { p.sync_insts = 0; });
    check(bottleneck::too_few_warps, [](auto&, auto& p) { p.active_blocks_per_sm = 4; });
}

TEST_CASE("what device or kernel do not have is absent") {
    struct bare {
        double sm_count = 16, clock_hz = 1e9, dram_bytes_per_s = 80e9, warp_size = 32;
        double issue_cycles = 4, dram_latency_cycles = 420;
        double coalesced_departure_cycles = 4, uncoalesced_departure_cycles = 10;
    };
    const kernel_profile<> k{.blocks = 160,
                             .threads_per_block = 128,
                             .active_blocks_per_sm = 5,
                             .comp_insts = 27,
                             .coalesced_mem_insts = 6};
    const auto e = explained(mwp_cwp_model{bare{}}, k);
    CHECK(e.removals.size() == 4);
    CHECK(find(e, bottleneck::uncoalesced_access) == nullptr);
    CHECK(find(e, bottleneck::dependences) == nullptr);      // no latencies of units
    CHECK(find(e, bottleneck::synchronisation) == nullptr);  // no barriers
    CHECK(find(e, bottleneck::too_few_warps) == nullptr);    // not known what an SM holds
    CHECK(find(e, bottleneck::tail_wave) == nullptr);        // two rounds, both full
    CHECK(find(explained(mwp_cwp_model{example_gpu{}}, k), bottleneck::too_few_warps) != nullptr);
}

TEST_CASE("a tail wave costs what whole rounds cost more than their quotient") {
    kernel_profile<> k{.blocks = 1234,
                       .threads_per_block = 128,
                       .active_blocks_per_sm = 5,
                       .comp_insts = 27,
                       .coalesced_mem_insts = 6};
    const auto e = explained(mwp_cwp_model{example_gpu{}, whole_waves}, k);
    CHECK(without(e, bottleneck::tail_wave).seconds ==
          Approx(mwp_cwp_model{example_gpu{}}.predict(k)->seconds).epsilon(1e-12));
    CHECK(std::fabs(without(explained(mwp_cwp_model{example_gpu{}}, k), bottleneck::tail_wave)
                        .benefit_seconds) < 1e-12 * e.seconds);
    k.blocks = 2;  // 78 places for blocks are empty, but no blocks come before these
    const auto tiny = explained(mwp_cwp_model{example_gpu{}, whole_waves}, k);
    CHECK(find(tiny, bottleneck::tail_wave) == nullptr);
}

TEST_CASE("what appears only once the first is gone is looked for") {
    // With one block an SM at a time rounds are full; as many as fit make one round, and a quarter of one.
    const kernel_profile<> k{.blocks = 1600,
                             .threads_per_block = 32,
                             .registers_per_thread = 150,
                             .shared_bytes_per_block = 39156};
    const function_model rounds{
        devices::geforce_rtx_2070_super{}, [](const auto& d, const auto& p) {
            return takes(std::ceil(p.blocks / d.sm_count / std::fmax(p.active_blocks_per_sm, 1)));
        }};
    const auto e = explained(rounds, k);
    REQUIRE(e.limiting == bottleneck::too_few_warps);
    CHECK(find(e, bottleneck::tail_wave) == nullptr);  // forty full rounds
    const auto tail = std::find_if(e.then.begin(), e.then.end(), [](const removal& r) {
        return r.what == bottleneck::tail_wave;
    });
    REQUIRE(tail != e.then.end());
    CHECK(without(e, bottleneck::too_few_warps).seconds == 2);
    CHECK(tail->seconds == Approx(1.25));
    CHECK(tail->benefit_seconds == Approx(0.75));
}

TEST_CASE("a model that predicts no time is in error") {
    const function_model none{devices::geforce_rtx_2070_super{}, [](const auto& d, const auto&) {
                                  return takes(d.dram_bytes_per_s > 1e15 ? std::nan("") : 1);
                              }};
    const auto e = explained(none, {.blocks = 1});
    CHECK(find(e, bottleneck::memory_bandwidth)->error ==
          model_error{errc::not_positive, "seconds"});
}

TEST_CASE("without latency, memory is as slow as its bandwidth, not free") {
    const kernel_profile<> k{
        .blocks = 40'000, .threads_per_block = 256, .comp_insts = 1, .coalesced_mem_insts = 30};
    const devices::geforce_rtx_2070_super gpu;
    const auto e = explained(mwp_cwp_model{gpu}, k);
    const double bytes = 40'000.0 * 256 * 30 * 4;
    CHECK(without(e, bottleneck::memory_latency).seconds >= bytes / gpu.dram_bytes_per_s * 0.999);
}

TEST_CASE("MPD/CPD and trapezoids") {
    const std::array stream{loop(3, 200), load, free_add, add};
    const auto memory =
        explained(mpd_cpd_model{devices::geforce_gtx_260{}}, launch(72, 32, stream));
    CHECK(memory.limiting == bottleneck::memory_latency);
    std::vector<instruction> busy(102, free_add);
    busy[0] = loop(101, 200);
    busy[1] = load;
    const auto k = launch(270, 512, busy);
    CHECK(explained(mpd_cpd_model{devices::geforce_gtx_260{}}, k).limiting == bottleneck::issue);

    for (const kernel_profile<>& stencil : ghost_zone_stencils) {
        // The best height shifts with what is removed, so benefits do not add up to the parts.
        const auto e = trapezoid_model{devices::geforce_gtx_280{}}.predict(stencil);
        const auto why = explained(trapezoid_model{devices::geforce_gtx_280{}}, stencil);
        const double computation = e->misc_computation_cycles + e->iter_computation_cycles;
        REQUIRE(computation > 0.5 * e->cycles_per_loop);
        CHECK(why.limiting == bottleneck::issue);
        for (const removal& r : why.removals) CHECK(r.benefit_seconds >= 0);
        CHECK(without(why, bottleneck::synchronisation).benefit_seconds > 0);
    }
}

TEST_CASE("the simulation of an SM: what limits agrees with where its cycles go") {
    const devices::a100_sxm4_40gb gpu;
    // An SM is full with one block of as many threads.
    const auto limiting = [&](double blocks, double threads, std::span<const instruction> stream) {
        kernel_profile<> k = launch(blocks, threads, stream);
        k.active_blocks_per_sm = 1;
        return explained(hybrid_model{gpu}, k).limiting;
    };
    const std::vector<instruction> stream{loop(4, 100), load, load, load, load};
    CHECK(limiting(108 * 4, 1024, stream) == bottleneck::memory_bandwidth);
    constexpr instruction next{.unit = unit_kind::global_memory, .needs = {own_result}};
    const std::vector<instruction> chase{loop(1, 100), next};
    CHECK(limiting(108, 32, chase) == bottleneck::memory_latency);
    const std::vector<instruction> independent{loop(2, 1000), free_add, free_add};
    CHECK(limiting(108 * 4, 1024, independent) == bottleneck::issue);
    const std::vector<instruction> chain{
        free_add, loop(1, 1000), {.unit = unit_kind::single_precision, .needs = {own_result}}};
    CHECK(limiting(108, 32, chain) == bottleneck::dependences);
    const std::vector<instruction> meet{loop(3, 500), free_add, barrier, barrier};
    CHECK(limiting(108, 64, meet) == bottleneck::synchronisation);
}

TEST_CASE("makespans: of two types of units, all is units and rounds") {
    const std::vector<instruction> stream{loop(3, 50), load, free_add, add};
    const makespan_model two_types{devices::tesla_k40{}, {.form = equation_form::as_published}};
    const auto e = explained(two_types, launch(1000, 128, stream));
    CHECK(e.limiting == bottleneck::issue);
    CHECK(without(e, bottleneck::memory_bandwidth).benefit_seconds == 0);
    CHECK(without(e, bottleneck::memory_latency).benefit_seconds == 0);
    // The bound of the whole SM knows DRAM.
    const auto sm = explained(makespan_model{devices::tesla_k40{}}, launch(1000, 128, stream));
    CHECK(sm.limiting == bottleneck::memory_bandwidth);
}

TEST_CASE("a stream without its barriers is the one that was written without") {
    constexpr instruction round_before{.unit = unit_kind::integer, .needs = {-3, own_result}};
    const std::vector<instruction> with{load,
                                        barrier,
                                        loop(6, 30),
                                        {.unit = unit_kind::single_precision, .needs = {3}},
                                        barrier,
                                        loop(2, 2),
                                        barrier,
                                        barrier,
                                        {.unit = unit_kind::single_precision, .needs = {5}},
                                        loop(4, 10),
                                        round_before,
                                        barrier,
                                        load,
                                        {.unit = unit_kind::integer, .needs = {1, 3}},
                                        barrier};
    const std::vector<instruction> rest{load,
                                        loop(2, 30),
                                        {.unit = unit_kind::single_precision, .needs = {2}},
                                        {.unit = unit_kind::single_precision, .needs = {1}},
                                        loop(3, 10),
                                        {.unit = unit_kind::integer, .needs = {-2, own_result}},
                                        load,
                                        {.unit = unit_kind::integer, .needs = {1, 2}}};
    const devices::a100_sxm4_40gb gpu;
    for (const double threads : {32.0, 256.0}) {
        const auto e = explained(hybrid_model{gpu}, launch(500, threads, with));
        CHECK(without(e, bottleneck::synchronisation).seconds ==
              hybrid_model{gpu}.predict(launch(500, threads, rest))->seconds);
        CHECK(without(e, bottleneck::synchronisation).benefit_seconds != 0);
    }
}

TEST_CASE("transactions of a stream are those of coalesced accesses") {
    const std::vector<instruction> with{
        loop(2, 30), {.unit = unit_kind::global_memory, .transactions = 32}, add};
    const std::vector<instruction> rest{loop(2, 30), load, add};
    const devices::a100_sxm4_40gb gpu;
    const auto e = explained(hybrid_model{gpu}, launch(2000, 256, with));
    CHECK(without(e, bottleneck::uncoalesced_access).seconds ==
          hybrid_model{gpu}.predict(launch(2000, 256, rest))->seconds);
}

TEST_CASE("errors: of the kernel, of a removal, of a factor") {
    const devices::a100_sxm4_40gb gpu;
    CHECK(explain(hybrid_model{gpu}, kernel_profile<>{}).error().field == "blocks");
    const std::vector<instruction> nothing_else{barrier};
    const auto e = explained(hybrid_model{gpu}, launch(108, 64, nothing_else));
    REQUIRE_FALSE(e.removals.empty());
    CHECK(e.removals.back().what == bottleneck::synchronisation);
    CHECK(e.removals.back().error == model_error{errc::missing, "instructions"});
    for (const double factor : {0.5, -1.0, 0.0}) {
        CHECK(eased_seconds(one_by_one, {}, ease(bottleneck::issue, factor)).error() ==
              model_error{errc::outside_domain, "factor"});
    }
}

TEST_CASE("an explanation has what the model took for granted") {
    const kernel_profile<> k{.blocks = 1000,
                             .threads_per_block = 256,
                             .active_blocks_per_sm = 2,
                             .comp_insts = 10,
                             .coalesced_mem_insts = 10};
    const explanation e = explained(saturation_model{devices::h100_sxm5{}}, k);
    CHECK(e.assumed.contains(assumption::waits_for_dram));
    CHECK(e.assumed.contains(assumption::bytes_from_dram));
    CHECK_FALSE(e.assumed.contains(assumption::issue_floor));
    explanation none = explained(one_by_one, k);  // a model of one's own has no list
    for_each_assumption(none.assumed, [](assumption) { FAIL("empty"); });
}

}  // namespace explain_test
