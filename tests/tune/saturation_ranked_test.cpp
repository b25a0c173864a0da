// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <vector>

#include <warpgauge/devices/a100_pcie_40gb.hpp>
#include <warpgauge/devices/h100_pcie.hpp>
#include <warpgauge/devices/tesla_t4.hpp>
#include <warpgauge/models/saturation.hpp>
#include <warpgauge/tune.hpp>

namespace saturation_ranked_test {

using namespace warpgauge;

// What the tools of this room do with the saturation model, on launches whose order is known beforehand.

namespace {

const std::vector<double> threads{32, 64, 128, 256, 512, 1024};
const std::vector<double> per_thread{1, 2, 4, 8, 16};
const std::array<axis, 2> axes{axis{"threads", threads}, axis{"elements a thread", per_thread}};

constexpr double elements = 1 << 24;

// y = a x + y: the same bytes and operations, however they are cut into threads.
const auto describe = [](auto p, auto& k) {
    using real = std::remove_cvref_t<decltype(p[0])>;
    const real each = p[1];
    k.threads_per_block = p[0];
    k.blocks = real(elements) / (p[0] * each);
    k.comp_insts = real(4.0) + real(5.0) * each;
    k.coalesced_mem_insts = real(3.0) * each;
    k.ops.fp32_ops = real(32.0) * each;
    k.accesses.load_sectors = real(8.0) * each;
    k.accesses.full_store_sectors = real(4.0) * each;
    k.accesses.lines = real(3.0) * each;
    k.waits.dram_waits = each;  // element by element
};

constexpr kernel_profile<> common{
    .registers_per_thread = 24,
    .waits = {.counted = true, .store_waits = 1},
    .traffic = {.dram_read_bytes = 8 * elements, .dram_write_bytes = 4 * elements}};

const configurations space{axes, common, describe};

kernel_profile<> profile_of(std::size_t n) {
    std::array<double, 2> point{};
    space.point(n, point);
    kernel_profile<> k = common;
    describe(std::span<const double>(point), k);
    return k;
}

std::vector<kernel_profile<>> all_profiles() {
    std::vector<kernel_profile<>> all;
    for (std::size_t n = 0; n < threads.size() * per_thread.size(); ++n) {
        all.push_back(profile_of(n));
    }
    return all;
}

template <class Check>
void on_three_gpus(const Check& check) {
    check(devices::a100_pcie_40gb{});
    check(devices::h100_pcie{});
    // Nobody has measured how far the T4's DRAM is; 450 cycles is what its relatives have.
    check(with<parameters::dram_latency>(devices::tesla_t4{}, {.dram_latency_cycles = 450}));
}

}  // namespace

TEST_CASE("a sweep, several at a time, gives what predict gives") {
    on_three_gpus([](const auto& d) {
        CAPTURE(d.name);
        const saturation_model model{d};
        const auto times = sweep(space, model);
        REQUIRE(times);
        for (std::size_t n = 0; n < times->seconds.size(); ++n) {
            const auto e = model.predict(profile_of(n));
            REQUIRE(e);
            CHECK(times->seconds[n] == doctest::Approx(e->seconds).epsilon(1e-12));
        }
    });
}

TEST_CASE("a stream ranks by what keeps DRAM busy") {
    on_three_gpus([](const auto& d) {
        CAPTURE(d.name);
        const auto launches = all_profiles();
        const auto ranked = rank(saturation_model{d}, launches, 1e-3);
        REQUIRE(ranked);
        CHECK(ranked->predicted() == launches.size());
        // One warp a block leaves an SM half empty at best, and takes as many launches of blocks as there are warps.
        const auto best = ranked->order.front();
        CHECK(launches[best].threads_per_block >= 64);
        CHECK(launches[ranked->order.back()].threads_per_block == 32);
        // The best is at the bandwidth that DRAM sustains, within a tenth.
        const auto e = saturation_model{d}.predict(launches[best]);
        CHECK(ranked->seconds[best] < 1.1 * e->dram_seconds);
        CHECK(e->which == saturation_term::dram);
    });
}

TEST_CASE("what is predicted to be slow is dropped, and by how much it is slower is said") {
    on_three_gpus([](const auto& d) {
        CAPTURE(d.name);
        const auto launches = all_profiles();
        const auto worth = prune(saturation_model{d}, launches, {.max_slowdown = 1.1});
        REQUIRE(worth);
        CHECK(!worth->kept.empty());
        // Next to the T4's DRAM, every launch is fast enough.
        CHECK((worth->drops.size() >= 2) == (d.dram_bytes_per_s > 1e12));
        for (const auto& drop : worth->drops) CHECK(drop.ratio > 1.1);
        const double best = saturation_model{d}.predict(launches[worth->kept[0]])->seconds;
        for (const std::size_t n : worth->kept) {
            CHECK(saturation_model{d}.predict(launches[n])->seconds <= 1.1 * best);
        }
    });
}

TEST_CASE("twice the bandwidth, on a device by edit, halves a stream and nothing more") {
    on_three_gpus([](const auto& d) {
        CAPTURE(d.name);
        auto faster = edit(d);
        faster.dram_bytes_per_s *= 2;
        const auto now = rank(saturation_model{d}, all_profiles());
        const auto then = rank(saturation_model{faster}, all_profiles());
        REQUIRE((now && then));
        for (std::size_t n = 0; n < now->seconds.size(); ++n) {
            CHECK(then->seconds[n] <= now->seconds[n]);
            CHECK(then->seconds[n] > 0.5 * now->seconds[n]);
        }
        CHECK(then->seconds[now->order[0]] < 0.7 * now->seconds[now->order[0]]);
    });
}

TEST_CASE("models side by side") {
    const devices::h100_pcie gpu;
    const auto launches = all_profiles();
    const auto saturation = rank(saturation_model{gpu}, launches);
    const auto roofline = rank(roofline_model{gpu}, launches);
    REQUIRE((saturation && roofline));
    // The roofline cannot tell most of these launches apart; the other one can.
    CHECK(saturation->groups.size() >= 2 * roofline->groups.size());
}

}  // namespace saturation_ranked_test
