// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <doctest/doctest.h>

#include <warpgauge/by_name/any_device.hpp>
#include <warpgauge/devices/all.hpp>
#include <warpgauge/models/hybrid.hpp>
#include <warpgauge/models/makespan.hpp>
#include <warpgauge/simulate/sm.hpp>

#include "simulate/random_stream.hpp"

namespace makespan_test {

using namespace warpgauge;

namespace {

constexpr instruction load{.unit = unit_kind::global_memory};
constexpr instruction compute{.unit = unit_kind::integer};
constexpr instruction barrier{.unit = unit_kind::barrier};

/// One slot of each type; one SM.
struct one_sm : devices::tesla_m2090 {
    static constexpr double sm_count = 1, load_store_units = 32;
};

/// Half a slot of loads.
struct half_loads : one_sm {
    static constexpr double load_store_units = 16;
};

/// Units and issue slots alone.
struct fast_h100 : devices::h100_sxm5 {
    static constexpr double integer_latency_cycles = 1, single_precision_latency_cycles = 1;
    static constexpr double double_precision_latency_cycles = 1;
    static constexpr double special_function_latency_cycles = 1, shared_latency_cycles = 1;
};

constexpr std::array llcll{load, load, compute, load, load};
constexpr kernel_profile<> six{
    .blocks = 100, .threads_per_block = 192, .active_blocks_per_sm = 100, .instructions = llcll};

}  // namespace

static_assert(placeable_model<makespan_model<devices::tesla_m2090>>);
static_assert(!makespan_device<devices::geforce_gtx_280>);
constexpr makespan_options published{.form = equation_form::as_published};
static_assert(makespan_model<one_sm>{one_sm{}, published}.predict(six)->cycles == 2401);
static_assert(makespan_model<one_sm>{}.predict(six)->round.safe);

TEST_CASE("slots, eqs. (1) and (2): half an L and one C on compute capability 2.0") {
    const auto slots = slots_of(devices::tesla_m2090{});
    CHECK(slots[0].slots == 0.5);
    CHECK(slots[1].slots == 1);
}

TEST_CASE(
    "of two types of units, the model agrees with the functions on the string it stands for") {
    const makespan_model m{one_sm{}, published};
    CHECK(m.upper_bound(six)->cycles == 2401);
    CHECK(m.pessimistic(six)->cycles == 3000);
    CHECK(m.estimate(six, 10)->cycles == 2460);
    CHECK(m.bracket(six)->lower == 2401);
    CHECK(m.bracket(six)->upper == 2401);
    kernel_profile<> few = six;
    few.active_blocks_per_sm = few.blocks = 1;  // six warps
    const auto slots = slots_of(one_sm{});
    const auto range = exact_makespan({"LLCLL", slots, 6});
    CHECK(*m.exact_worst(few) == range->worst);
    CHECK(*m.exact_best(few) == range->best);

    // LCL on the M2090 is LLCLL: fig. 1.
    const std::array lcl{load, compute, load};
    kernel_profile<> k = six;
    k.instructions = lcl;
    const makespan_model half{half_loads{}, published};
    CHECK(half.upper_bound(k)->cycles == 2401);
    CHECK(half.bracket(k)->lower == 2401);
}

TEST_CASE("what holds of two types of units is not claimed of the device") {
    const makespan_model m{one_sm{}, published};
    CHECK(m.upper_bound(six)->rule == makespan_rule::independent_set);
    for (const auto& b : {m.upper_bound(six), m.pessimistic(six), m.estimate(six, 3)}) {
        REQUIRE(b);
        CHECK_FALSE(b->safe);
        CHECK(b->doubt == makespan_doubt::two_unit_types);
    }
    CHECK_FALSE(m.bracket(six)->certified);
    CHECK(m.bracket(six)->doubt == makespan_doubt::two_unit_types);
    CHECK(m.predict(six)->assumed.contains(assumption::two_unit_types));
    CHECK_FALSE(m.predict(six)->round.safe);
    // Nor of a device of which no more is known.
    const auto k40 =
        any_device(devices::tesla_k40{})
            .as<parameters::chip, parameters::warp, parameters::cores, parameters::load_store>();
    static_assert(makespan_device<decltype(edit(k40))> && !simulated_device<decltype(edit(k40))>);
    CHECK_FALSE(makespan_model{k40}.upper_bound(six)->safe);
    CHECK(makespan_model{k40}.predict(six)->assumed.contains(assumption::two_unit_types));
    CHECK(makespan_model{k40}.predict(six)->cycles ==
          makespan_model{devices::tesla_k40{}, published}.predict(six)->cycles);
}

TEST_CASE("what is called safe is not below the simulation of the device") {
    // Once 27 and 11 cycles; simulated, without latencies, 160 and 12.
    constexpr std::array special{loop(1, 10), instruction{.unit = unit_kind::special_function}};
    constexpr std::array cl{instruction{.unit = unit_kind::single_precision},
                            instruction{.unit = unit_kind::shared_memory}};
    const auto bound = [](const auto& device, std::span<const instruction> stream, double threads,
                          const makespan_options& options = {}) {
        return *makespan_model{device, options}.upper_bound({.blocks = 1,
                                                             .threads_per_block = threads,
                                                             .active_blocks_per_sm = 1,
                                                             .instructions = stream});
    };
    CHECK(bound(fast_h100{}, special, 256, published).cycles == 27);
    CHECK(bound(fast_h100{}, special, 256).cycles == 160);
    CHECK(bound(devices::h100_sxm5{}, special, 256).cycles == 152 + 23);  // of a sub-core
    CHECK(bound(fast_h100{}, cl, 320, published).cycles == 11);
    CHECK(bound(fast_h100{}, cl, 320).cycles == 13);
    CHECK(bound(devices::h100_sxm5{}, cl, 320).safe);
    CHECK(bound(devices::h100_sxm5{}, cl, 320).rule == makespan_rule::every_resource);
    CHECK(bound(devices::h100_sxm5{}, cl, 320).doubt == makespan_doubt::none);
}

TEST_CASE("a whole launch is never predicted to take less than the hybrid simulation") {
    const auto check = [](const auto& device) {
        CAPTURE(device.name);
        random_streams::generator any(5);
        const auto number = [&](std::uint64_t least, std::uint64_t end) {
            return static_cast<double>(any.between(least, end));
        };
        for (int launches = 0; launches < 30; ++launches) {
            const auto stream = any.stream();
            const kernel_profile<> k{.blocks = number(1, 6000),
                                     .threads_per_block = 32 * number(1, 17),
                                     .active_blocks_per_sm = number(1, 5),
                                     .instructions = stream};
            const auto bound = makespan_model{device}.predict(k);
            REQUIRE(bound);
            for (const warp_policy policy :
                 {warp_policy::lowest_index, warp_policy::loose_round_robin,
                  warp_policy::greedy_then_oldest}) {
                const auto simulated = hybrid_model{device, {.policy = policy}}.predict(k);
                REQUIRE(simulated);
                CHECK(bound->seconds >= simulated->seconds);
            }
        }
    };
    check(devices::h100_sxm5{});
    check(devices::tesla_k40{});
}

TEST_CASE("loops are run; barriers are waited for, or left out of two types") {
    const std::array looped{loop(2, 600), load, compute, barrier};
    std::vector<instruction> flat;
    for (int i = 0; i < 600; ++i) {
        flat.push_back(load);
        flat.push_back(compute);
    }
    kernel_profile<> a = six;
    a.instructions = looped;
    kernel_profile<> b = six;
    b.instructions = flat;
    const makespan_model two{devices::tesla_m2090{}, published};
    CHECK(two.upper_bound(a)->cycles == two.upper_bound(b)->cycles);
    CHECK(two.pessimistic(a)->cycles == two.pessimistic(b)->cycles);
    const makespan_model<devices::tesla_m2090> m;
    CHECK(m.upper_bound(a)->safe);
    CHECK(m.upper_bound(a)->cycles > m.upper_bound(b)->cycles);
}

TEST_CASE("residencies of the most loaded SM") {
    kernel_profile<> k = six;
    k.blocks = 16 * 4 + 1;  // one SM gets five
    k.active_blocks_per_sm = 2;
    makespan_model<devices::tesla_m2090> m;
    const auto even = m.predict(k);
    REQUIRE(even);
    CHECK(even->active_warps_per_sm == 12);
    CHECK(even->rounds == 3);
    CHECK(even->last_round_warps == 6);
    CHECK(even->start_cycles == devices::tesla_m2090::dram_latency_cycles);
    // No more than the rounds one after another, but for what a bound on blocks that replace each other adds.
    const double in_rounds = 2 * static_cast<double>(even->round.cycles) + even->last_round_cycles;
    CHECK(even->cycles >= even->start_cycles + in_rounds - 2);
    CHECK(even->cycles <= even->start_cycles + in_rounds + 10 + 2 * 400);  // and turnarounds
    CHECK(even->seconds == even->cycles / 650e6);
    const auto two = makespan_model{devices::tesla_m2090{}, published}.predict(k);
    CHECK(two->cycles == 2 * static_cast<double>(two->round.cycles) + two->last_round_cycles);
    CHECK(two->start_cycles == 0);
    m.options.distribution = block_distribution::round_robin;
    CHECK(m.predict(k)->cycles == even->cycles);
    m.options.distribution = block_distribution::adversarial;
    CHECK(m.predict(k)->rounds == 33);
    CHECK(m.predict(k)->last_round_warps == 6);

    k.active_blocks_per_sm = 0;  // by occupancy: eight blocks of six warps, the most of a Fermi
    m.options.distribution = block_distribution::even;
    CHECK(m.predict(k)->resident_blocks_per_sm == 8);
    CHECK(m.predict(k)->active_blocks_per_sm == 5);
    CHECK(m.predict(k)->rounds == 1);
}

TEST_CASE("what limits: a warp's own instructions, or the units that most wait for") {
    const auto limit = [](const auto& model, double blocks, std::span<const instruction> stream) {
        return model
            .predict({.blocks = blocks,
                      .threads_per_block = 32,
                      .active_blocks_per_sm = blocks,
                      .instructions = stream})
            ->limited_by;
    };
    constexpr std::array lccc{load, compute, compute, compute};
    const makespan_model one{one_sm{}, published};
    CHECK(limit(one, 1, llcll) == makespan_limiter::own_instructions);
    CHECK(limit(one, 100, llcll) == makespan_limiter::load_store_units);
    CHECK(limit(one, 100, lccc) == makespan_limiter::cuda_cores);
    constexpr std::array lcc{load, compute, compute};
    CHECK(limit(one, 100, lcc) == makespan_limiter::cuda_cores);
    CHECK(limit(makespan_model{half_loads{}, published}, 100, lcc) ==
          makespan_limiter::load_store_units);
    // A warp's own instructions up to twice their number: V is 2 + (W - 1), 5 + 4 (W - 1), 3 + 2 (W - 1).
    constexpr std::array lc{load, compute};
    CHECK(limit(one, 3, lc) == makespan_limiter::own_instructions);
    CHECK(limit(one, 4, lc) == makespan_limiter::load_store_units);
    CHECK(limit(one, 2, llcll) == makespan_limiter::own_instructions);
    CHECK(limit(one, 3, llcll) == makespan_limiter::load_store_units);
    CHECK(limit(makespan_model{half_loads{}, published}, 2, lc) ==
          makespan_limiter::own_instructions);
    auto two_cores = edit(one_sm{});
    two_cores.cuda_cores = 64;  // two slots of C, one of L
    CHECK(limit(makespan_model{two_cores, published}, 100,
                std::array{load, load, compute, compute, compute}) ==
          makespan_limiter::load_store_units);
    constexpr std::array looped{load, loop(1, 1000), compute};
    CHECK(limit(one, 100, looped) == makespan_limiter::cuda_cores);

    const makespan_model<devices::h100_sxm5> h100;
    const auto limit_of = [&](unit_kind unit, double blocks = 132 * 32.0) {
        const std::array many{loop(1, 1000), instruction{.unit = unit}};
        return limit(h100, blocks, many);
    };
    CHECK(limit_of(unit_kind::integer) == makespan_limiter::integer_units);
    CHECK(limit_of(unit_kind::single_precision) == makespan_limiter::cuda_cores);
    CHECK(limit_of(unit_kind::double_precision) == makespan_limiter::double_precision_units);
    CHECK(limit_of(unit_kind::special_function) == makespan_limiter::special_function_units);
    CHECK(limit_of(unit_kind::shared_memory) == makespan_limiter::load_store_units);
    CHECK(limit_of(unit_kind::global_memory) == makespan_limiter::memory_bandwidth);
    CHECK(limit_of(unit_kind::barrier) == makespan_limiter::issue_slots);
    CHECK(limit_of(unit_kind::integer, 1) == makespan_limiter::own_instructions);
}

TEST_CASE("a sector that all warps read is bounded by its slice of L2, as the simulation has it") {
    const devices::a100_sxm4_40gb a100;
    const std::array stream{loop(1, 100), instruction{.unit = unit_kind::global_memory}};
    auto k = kernel_profile<>{.blocks = 108 * 16, .threads_per_block = 128, .instructions = stream};
    const makespan_model model{a100};
    const auto spread = model.predict(k);
    REQUIRE(spread);
    CHECK(spread->limited_by != makespan_limiter::l2_slice);
    k.accesses.broadcast_loads = 100;
    const auto one = model.predict(k);
    const auto simulated = hybrid_model{a100}.predict(k);
    REQUIRE(one);
    REQUIRE(simulated);
    CHECK(one->limited_by == makespan_limiter::l2_slice);
    CHECK(one->cycles == std::ceil(simulated->l2_slice_cycles));
    CHECK(one->cycles > spread->cycles);
    CHECK(one->round.cycles == spread->round.cycles);
}

TEST_CASE("units of a scheduler: its warps have a part of the lanes") {
    const std::array special{loop(1, 100), instruction{.unit = unit_kind::special_function}};
    const kernel_profile<> k{
        .blocks = 1, .threads_per_block = 32, .active_blocks_per_sm = 1, .instructions = special};
    const makespan_model sm{devices::tesla_k40{}};
    const makespan_model part{devices::tesla_k40{}, {.units = unit_sharing::own_scheduler}};
    CHECK(sm.upper_bound(k)->cycles < 250);
    CHECK(part.upper_bound(k)->cycles >= 400);  // 32 threads on eight lanes
    // From Volta on, SMs are built so.
    const makespan_model h100{devices::h100_sxm5{}};
    CHECK(h100.upper_bound(k)->cycles >= 800);  // 32 threads on four lanes
    CHECK(h100.upper_bound(k)->cycles ==
          makespan_model{devices::h100_sxm5{}, {.units = unit_sharing::own_scheduler}}
              .upper_bound(k)
              ->cycles);
}

namespace {

// How often a simulation of random streams takes longer than the bound of schedulers with units of their own.
template <class Device>
int count_above(const Device& device, bool safe) {
    int above = 0;
    random_streams::generator any(11);
    for (int n = 0; n < 60; ++n) {
        const auto s = any.stream();
        const kernel_profile<> k{.blocks = static_cast<double>(any.between(1, 40)),
                                 .threads_per_block = static_cast<double>(32 * any.between(1, 17)),
                                 .registers_per_thread = 32,
                                 .instructions = s};
        const auto b = makespan_model{device, {.units = unit_sharing::own_scheduler}}.predict(k);
        const auto e = hybrid_model{device}.predict(k);
        REQUIRE(b);
        REQUIRE(e);
        CHECK(b->round.safe == safe);
        CHECK(b->round.doubt == (safe ? makespan_doubt::none : makespan_doubt::pooled_units));
        above += e->cycles > b->cycles ? 1 : 0;
    }
    return above;
}

}  // namespace

TEST_CASE(
    "units of a scheduler bound an SM whose schedulers share them only where it has no others") {
    CHECK(count_above(devices::h100_sxm5{}, true) == 0);
    CHECK(count_above(devices::geforce_rtx_4090{}, true) == 0);
    count_above(devices::tesla_m2090{}, false);
    count_above(devices::tesla_k40{}, false);
    // 22 blocks of 13 warps, which do not divide evenly among two schedulers.
    constexpr std::array one{instruction{.unit = unit_kind::single_precision}};
    const kernel_profile<> k{
        .blocks = 22, .threads_per_block = 416, .registers_per_thread = 32, .instructions = one};
    const makespan_model parts{devices::tesla_m2090{}, {.units = unit_sharing::own_scheduler}};
    CHECK(hybrid_model{devices::tesla_m2090{}}.predict(k)->cycles == 183);
    CHECK(parts.predict(k)->cycles == 182);
    CHECK_FALSE(parts.predict(k)->round.safe);
    CHECK(makespan_model{devices::tesla_m2090{}}.predict(k)->cycles >= 183);
}

TEST_CASE("options stay when the model is put on another device") {
    const makespan_model m{
        devices::tesla_m2090{},
        {.distribution = block_distribution::adversarial, .units = unit_sharing::own_scheduler}};
    kernel_profile<> k = six;
    k.blocks = 65;
    k.active_blocks_per_sm = 2;
    const auto other = m.on(devices::tesla_k40{});
    CHECK(other.options.distribution == block_distribution::adversarial);
    CHECK(other.options.units == unit_sharing::own_scheduler);
    CHECK(other.predict(k)->rounds == 33);
    CHECK(makespan_model{devices::tesla_k40{}}.predict(k)->rounds == 3);
}

TEST_CASE("distributions and limiters have names") {
    CHECK(name(block_distribution::even) == "even");
    CHECK(name(block_distribution::round_robin) == "round robin");
    CHECK(name(block_distribution::adversarial) == "adversarial");
    CHECK(name(static_cast<block_distribution>(99)) == "unknown");
    CHECK(name(makespan_limiter::own_instructions) == "own instructions");
    CHECK(name(makespan_limiter::load_store_units) == "load/store units");
    CHECK(name(makespan_limiter::cuda_cores) == "CUDA cores");
    CHECK(name(makespan_limiter::integer_units) == "integer units");
    CHECK(name(makespan_limiter::double_precision_units) == "double-precision units");
    CHECK(name(makespan_limiter::special_function_units) == "special-function units");
    CHECK(name(makespan_limiter::issue_slots) == "issue slots");
    CHECK(name(makespan_limiter::memory_bandwidth) == "memory bandwidth");
    CHECK(name(makespan_limiter::l2_bandwidth) == "L2 bandwidth");
    CHECK(name(makespan_limiter::tensor_units) == "tensor cores");
    CHECK(name(makespan_limiter::l2_slice) == "one slice of L2");
    CHECK(name(static_cast<makespan_limiter>(99)) == "unknown");
}

TEST_CASE("bad input is a named error") {
    const makespan_model<devices::tesla_m2090> m;
    const auto error = [&](auto change) {
        kernel_profile<> k = six;
        change(k);
        CHECK(m.upper_bound(k).error() == m.predict(k).error());
        CHECK(m.bracket(k).error() == m.predict(k).error());
        CHECK(m.pessimistic(k).error() == m.predict(k).error());
        return m.predict(k).error();
    };
    using k = kernel_profile<>;
    CHECK(error([](k& p) { p.instructions = {}; }) == model_error{errc::missing, "instructions"});
    CHECK(error([](k& p) { p.blocks = 0; }) == model_error{errc::not_positive, "blocks"});
    CHECK(error([](k& p) { p.blocks = 1.5; }) == model_error{errc::not_whole, "blocks"});
    CHECK(error([](k& p) { p.blocks = 1e300; }) == model_error{errc::overflow, "blocks"});
    CHECK(error([](k& p) { p.threads_per_block = -1; }).field == "threads_per_block");
    CHECK(error([](k& p) { p.active_blocks_per_sm = -1; }).field == "active_blocks_per_sm");
    CHECK(error([](k& p) { p.active_blocks_per_sm = 0.5; }).field == "active_blocks_per_sm");
    const double nan = std::numeric_limits<double>::quiet_NaN();
    CHECK(error([&](k& p) { p.active_blocks_per_sm = nan; }).field == "active_blocks_per_sm");

    const std::array forever{loop(4, 0xffff'ffff), loop(3, 0xffff'ffff), loop(2, 0xffff'ffff),
                             loop(1, 0xffff'ffff), barrier};
    CHECK(error([&](k& p) { p.instructions = forever; }) ==
          model_error{errc::limit_reached, "instructions"});
    const makespan_model two{devices::tesla_m2090{}, published};
    const std::array long_one{loop(1, (1U << 24)), load};  // two cycles each
    k longer = six;
    longer.instructions = long_one;
    CHECK(two.upper_bound(longer).error() == model_error{errc::limit_reached, "instructions"});
    longer.instructions = std::span(&barrier, 1);
    CHECK(two.upper_bound(longer).error() == model_error{errc::missing, "instructions"});
    CHECK(m.upper_bound(longer));
    const std::array bank_conflict{
        instruction{.unit = unit_kind::global_memory, .transactions = 8}};
    longer.instructions = bank_conflict;
    CHECK(makespan_model{devices::pascal_projection{}}.predict(longer).error() ==
          model_error{errc::missing, "dram_transaction_bytes", 1});
    // Without the latency of DRAM, the paper's problem is left.
    const makespan_model h200{devices::h200{}};
    CHECK(h200.predict(longer)->assumed.contains(assumption::two_unit_types));
    CHECK_FALSE(h200.upper_bound(longer)->safe);

    auto d = edit(devices::tesla_m2090{});
    d.cuda_cores = 48;  // compute capability 2.1: 1.5 slots are not defined
    CHECK(makespan_model{d, published}.predict(six).error() ==
          model_error{errc::outside_domain, "slots"});
    CHECK(makespan_model{d, published}.pessimistic(six).error().field == "slots");
    CHECK(makespan_model{d}.predict(six)->round.safe);
    const makespan_caps few_states{.states = 1};
    CHECK(m.exact_worst(six, few_states).error() == m.exact_best(six, few_states).error());
    CHECK_FALSE(m.exact_worst(six, few_states));
    CHECK(makespan_model{devices::tesla_m2090{}, {.units = static_cast<unit_sharing>(9)}}
              .predict(six)
              .error()
              .field == "units");
    d = edit(devices::tesla_m2090{});
    d.clock_hz = 0;
    for (const makespan_options& options : {makespan_options{}, published}) {
        CHECK(makespan_model{d, options}.predict(six).error() ==
              model_error{errc::not_positive, "clock_hz"});
    }
}

TEST_CASE("the last round has the warps that are left") {
    const makespan_model m{one_sm{}, published};
    kernel_profile<> k = six;
    k.active_blocks_per_sm = 64;  // then 36
    const auto e = *m.predict(k);
    CHECK(e.rounds == 2);
    CHECK(e.last_round_warps == 36 * 6);
    CHECK(e.round.cycles == 5 + 4 * (64 * 6 - 1));
    CHECK(e.last_round_cycles == 5 + 4 * (36 * 6 - 1));
    CHECK(e.cycles == static_cast<double>(e.round.cycles) + e.last_round_cycles);
}

TEST_CASE("an estimate says that parameters came at once where their latency is not known") {
    auto unknown = edit(devices::tesla_k40{});
    CHECK(makespan_model{unknown}.predict(six)->start_cycles > 0);
    CHECK_FALSE(
        makespan_model{unknown}.predict(six)->assumed.contains(assumption::parameters_at_once));
    const auto h100 = *makespan_model{devices::h100_sxm5{}}.predict(six);
    CHECK((h100.start_cycles == 0) == h100.assumed.contains(assumption::parameters_at_once));
}

TEST_CASE("what is counted exactly has a limit") {
    const makespan_model m{one_sm{}, published};
    const std::array one_load{load};
    kernel_profile<> k{.blocks = 0x1p53,
                       .threads_per_block = 32,
                       .active_blocks_per_sm = 1,
                       .instructions = one_load};
    CHECK(m.predict(k)->cycles == 0x1p53);  // a cycle for each block
    k.instructions = llcll;
    CHECK(m.predict(k).error() == model_error{errc::overflow, "cycles"});
    CHECK(makespan_model<one_sm>{}.predict(k).error() == model_error{errc::overflow, "cycles"});

    k.instructions = one_load;
    k.blocks = k.active_blocks_per_sm = 0x1p17;
    k.threads_per_block = 32 * (0x1p47 - 1);  // 2^64 - 2^17 warps
    CHECK(m.upper_bound(k)->cycles == ~std::uint64_t{0} - 0x1ffff);
    k.threads_per_block = 32 * 0x1p47;
    CHECK(m.predict(k).error() == model_error{errc::overflow, "threads_per_block"});
    CHECK(makespan_model<one_sm>{}.upper_bound(k).error() ==
          model_error{errc::overflow, "threads_per_block"});

    const std::array longest{loop(1, 1U << 23), load};  // 2^24 cycles of half a slot
    k = six;
    k.instructions = longest;
    CHECK(makespan_model{half_loads{}, published}.upper_bound(k));

    auto slow = edit(one_sm{});
    slow.clock_hz = 1e-308;
    CHECK(makespan_model{slow, published}.predict(six).error() ==
          model_error{errc::overflow, "clock_hz"});
}

TEST_CASE("what the stream lacks is an error, also on a device without a latency that it needs") {
    constexpr std::array product{load, instruction{.unit = unit_kind::tensor}};
    constexpr std::array copy{
        load, instruction{.unit = unit_kind::global_memory, .async = async_step::copy}};
    const auto check = [](const auto& device, std::span<const instruction> stream,
                          const char* field) {
        kernel_profile<> k = six;
        k.instructions = stream;
        const model_error missing{errc::missing, field, 2};
        CHECK(makespan_model{device}.predict(k).error() == missing);
        CHECK(makespan_model{device}.upper_bound(k).error() == missing);
    };
    check(devices::a100_sxm4_40gb{}, product, "tensor_fmas");
    check(devices::h200{}, product, "tensor_fmas");  // its latency of DRAM is not known
    check(devices::tesla_t4{}, copy, "async_copies");
    constexpr std::array counted{load, instruction{.unit = unit_kind::tensor, .tensor_fmas = 4096}};
    kernel_profile<> k = six;
    k.instructions = counted;
    CHECK(makespan_model{devices::h200{}}.predict(k)->assumed.contains(assumption::two_unit_types));
}

TEST_CASE("a form that is none is an error") {
    const makespan_model<one_sm> none{.options = {.form = static_cast<equation_form>(9)}};
    CHECK(none.predict(six).error() == model_error{errc::not_an_enumerator, "form"});
    CHECK(none.upper_bound(six).error() == model_error{errc::not_an_enumerator, "form"});
}

}  // namespace makespan_test
