// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <doctest/doctest.h>

#include <warpgauge/devices/all.hpp>
#include <warpgauge/models/makespan.hpp>

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

constexpr std::array llcll{load, load, compute, load, load};
constexpr kernel_profile<> six{
    .blocks = 100, .threads_per_block = 192, .active_blocks_per_sm = 100, .instructions = llcll};

}  // namespace

static_assert(placeable_model<makespan_model<devices::tesla_m2090>>);
static_assert(!makespan_device<devices::geforce_gtx_280>);
static_assert(makespan_model<one_sm>{}.predict(six)->cycles == 2401);

TEST_CASE("slots, eqs. (1) and (2): half an L and one C on compute capability 2.0") {
    const auto slots = slots_of(devices::tesla_m2090{});
    CHECK(slots[0].slots == 0.5);
    CHECK(slots[1].slots == 1);
}

TEST_CASE("the model agrees with the functions on the string it stands for") {
    const makespan_model<one_sm> m;
    CHECK(m.upper_bound(six)->cycles == 2401);
    CHECK(m.pessimistic(six)->cycles == 3000);
    CHECK(m.estimate(six, 10)->cycles == 2460);
    CHECK(m.bracket(six)->certified);
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
    CHECK(makespan_model<half_loads>{}.upper_bound(k)->cycles == 2401);
    CHECK(makespan_model<half_loads>{}.bracket(k)->lower == 2401);
}

TEST_CASE("loops are run, barriers are left out") {
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
    const makespan_model<devices::tesla_m2090> m;
    CHECK(m.upper_bound(a)->cycles == m.upper_bound(b)->cycles);
    // But warps that wait for each other are outside the theory.
    CHECK(m.upper_bound(b)->safe);
    CHECK_FALSE(m.upper_bound(a)->safe);
    CHECK_FALSE(m.predict(a)->round.safe);
    CHECK_FALSE(m.pessimistic(a)->safe);
    const std::array with_barrier{load, barrier, compute};
    a.instructions = with_barrier;
    a.active_blocks_per_sm = 1;
    CHECK(m.bracket(a)->lower <= m.bracket(a)->upper);
    CHECK_FALSE(m.bracket(a)->certified);
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
    CHECK(even->cycles == 2 * static_cast<double>(even->round.cycles) + even->last_round_cycles);
    CHECK(even->seconds == even->cycles / 650e6);
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
    const makespan_model<one_sm> one;
    CHECK(limit(one, 1, llcll) == makespan_limiter::own_instructions);
    CHECK(limit(one, 100, llcll) == makespan_limiter::load_store_units);
    CHECK(limit(one, 100, lccc) == makespan_limiter::cuda_cores);
    constexpr std::array lcc{load, compute, compute};
    CHECK(limit(one, 100, lcc) == makespan_limiter::cuda_cores);
    CHECK(limit(makespan_model<half_loads>{}, 100, lcc) == makespan_limiter::load_store_units);
    constexpr std::array looped{load, loop(1, 1000), compute};
    CHECK(limit(one, 100, looped) == makespan_limiter::cuda_cores);
}

TEST_CASE("options stay when the model is put on another device") {
    const makespan_model m{devices::tesla_m2090{},
                           {.distribution = block_distribution::adversarial}};
    kernel_profile<> k = six;
    k.blocks = 65;
    k.active_blocks_per_sm = 2;
    const auto other = m.on(devices::tesla_k40{});
    CHECK(other.options.distribution == block_distribution::adversarial);
    CHECK(other.predict(k)->rounds == 33);
    CHECK(makespan_model{devices::tesla_k40{}}.predict(k)->rounds == 3);
}

TEST_CASE("distributions and limiters have names") {
    CHECK(name(block_distribution::even) == "even");
    CHECK(name(block_distribution::adversarial) == "adversarial");
    CHECK(name(static_cast<block_distribution>(99)) == "unknown");
    CHECK(name(makespan_limiter::own_instructions) == "own instructions");
    CHECK(name(makespan_limiter::cuda_cores) == "CUDA cores");
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
    CHECK(error([](k& p) { p.instructions = std::span(&barrier, 1); }) ==
          model_error{errc::missing, "instructions"});
    CHECK(error([](k& p) { p.blocks = 0; }) == model_error{errc::not_positive, "blocks"});
    CHECK(error([](k& p) { p.blocks = 1.5; }) == model_error{errc::outside_domain, "blocks"});
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
    const std::array long_one{loop(1, (1U << 24)), load};  // two cycles each
    k longer = six;
    longer.instructions = long_one;
    CHECK(m.upper_bound(longer).error() == model_error{errc::limit_reached, "instructions"});

    auto d = edit(devices::tesla_m2090{});
    d.cuda_cores = 48;  // compute capability 2.1: 1.5 slots are not defined
    CHECK(makespan_model{d}.predict(six).error() == model_error{errc::outside_domain, "slots"});
    d = edit(devices::tesla_m2090{});
    d.clock_hz = 0;
    CHECK(makespan_model{d}.predict(six).error() == model_error{errc::not_positive, "clock_hz"});
}
