// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include <warpgauge/by_name.hpp>
#include <warpgauge/devices/a100_pcie_40gb.hpp>
#include <warpgauge/devices/h100_pcie.hpp>
#include <warpgauge/devices/tesla_t4.hpp>
#include <warpgauge/models/saturation.hpp>
#include <warpgauge/profiles/element_wise.hpp>
#include <warpgauge/profiles/tiled_product.hpp>
#include <warpgauge/what_if.hpp>

namespace saturation_analysed_test {

using namespace warpgauge;
using doctest::Approx;

// What the tools of this room say of the saturation model, of kernels whose answer is known beforehand.

namespace {

/// What the model reads of a GPU, one type for all: what is checked of three is compiled once.
using known_gpu = decltype(std::declval<any_device>().known_of(
    detail::models::saturation_groups{} + group_list<parameters::residency>{}));

/// Calls `check(device)` on three generations.
template <class Check>
void on_three_gpus(const Check& check) {
    check(known_gpu(devices::a100_pcie_40gb{}));
    check(known_gpu(devices::h100_pcie{}));
    check(known_gpu(devices::tesla_t4{}));
}

/// y = a x + y on 2^26 floats: 805 MB of DRAM and next to nothing else.
constexpr kernel_profile<> saxpy{
    .name = "saxpy",
    .blocks = 1 << 18,
    .threads_per_block = 256,
    .registers_per_thread = 16,
    .comp_insts = 10,
    .coalesced_mem_insts = 3,
    .ops = {.fp32_ops = 32, .integer_ops = 96},
    .accesses = {.load_sectors = 8, .full_store_sectors = 4, .lines = 3},
    .waits = {.counted = true, .dram_waits = 1, .store_waits = 1},
    .traffic = {.dram_read_bytes = 2.0 * (1 << 28), .dram_write_bytes = 1 << 28}};

/// One block a GPU, a long chain of loads: nothing but latency.
constexpr kernel_profile<> chase{.name = "chase",
                                 .blocks = 1,
                                 .threads_per_block = 32,
                                 .registers_per_thread = 16,
                                 .comp_insts = 10'000,
                                 .coalesced_mem_insts = 10'000,
                                 .accesses = {.load_sectors = 10'000, .lines = 10'000},
                                 .waits = {.counted = true, .dram_waits = 10'000}};

/// Nothing but multiply-adds.
constexpr kernel_profile<> arithmetic{.name = "arithmetic",
                                      .blocks = 1 << 14,
                                      .threads_per_block = 256,
                                      .registers_per_thread = 16,
                                      .comp_insts = 1e5,
                                      .ops = {.fp32_ops = 32e5},
                                      .waits = {.counted = true}};

/// Reads 32 KiB again and again: L2, not DRAM.
constexpr kernel_profile<> in_l2{.name = "in L2",
                                 .blocks = 1 << 14,
                                 .threads_per_block = 256,
                                 .registers_per_thread = 16,
                                 .comp_insts = 500,
                                 .coalesced_mem_insts = 1000,
                                 .accesses = {.load_sectors = 16'000, .lines = 4000},
                                 .waits = {.counted = true, .l2_waits = 100},
                                 .traffic = {.footprint_bytes = 32768, .in_l2_fraction = 1}};

/// Stores and loads of shared memory, with conflicts.
constexpr kernel_profile<> in_shared{.name = "in shared memory",
                                     .blocks = 1 << 14,
                                     .threads_per_block = 256,
                                     .registers_per_thread = 16,
                                     .comp_insts = 500,
                                     .shared_passes = 8000,
                                     .waits = {.counted = true}};

template <class D>
std::optional<bottleneck> limiting(const D& d, const kernel_profile<>& k) {
    const auto e = explain(saturation_model{d}, k);
    REQUIRE(e);
    return e->limiting;
}

template <class D>
sensitivity by(const D& d, const kernel_profile<>& k, std::string_view parameter) {
    const auto all = sensitivities(saturation_model{d}, k);
    REQUIRE(all);
    const auto at = std::find_if(all->begin(), all->end(),
                                 [&](const sensitivity& s) { return s.parameter == parameter; });
    REQUIRE(at != all->end());
    return *at;
}

}  // namespace

TEST_CASE("explain finds what a kernel was made to wait for") {
    on_three_gpus([](const auto& d) {
        CAPTURE(d.name);
        CHECK(limiting(d, saxpy) == bottleneck::memory_bandwidth);
        // One block leaves an SM without others, which would help too; but the latency is all it has.
        const auto e = explain(saturation_model{d}, chase);
        REQUIRE(e);
        for (const removal& r : e->removals) {
            if (r.what == bottleneck::memory_latency) CHECK(r.seconds < 0.1 * e->seconds);
            if (r.what == bottleneck::memory_bandwidth) CHECK(r.seconds > 0.999 * e->seconds);
            if (r.what == bottleneck::issue) CHECK(r.seconds > 0.9 * e->seconds);
        }
        CHECK(limiting(d, arithmetic) == bottleneck::issue);
        CHECK(limiting(d, in_shared) == bottleneck::l1_bandwidth);
    });
    CHECK(limiting(devices::a100_pcie_40gb{}, in_l2) == bottleneck::l2_bandwidth);
    CHECK(limiting(known_gpu(devices::h100_pcie{}), in_l2) == bottleneck::l2_bandwidth);
    // The same through a device by name, whose groups are known at run time alone.
    std::optional<bottleneck> by_name;
    const auto bad = visit_model(
        "saturation", any_device(devices::h100_pcie{}), [&](const auto& m) -> model_error {
            if constexpr (partly_known<std::remove_cvref_t<decltype(m.device)>>) {
                const auto e = explain(m, in_l2);
                if (!e) return e.error();
                by_name = e->limiting;
            }
            return {};
        });
    CHECK(!bad);
    CHECK(by_name == bottleneck::l2_bandwidth);
}

TEST_CASE("a bottleneck that is gone gives way to the next") {
    const auto why = explain(saturation_model{devices::a100_pcie_40gb{}}, saxpy);
    REQUIRE(why);
    CHECK(why->removals[0].benefit_seconds > 0.4 * why->seconds);
    REQUIRE(why->next);
    CHECK(*why->next != bottleneck::memory_bandwidth);
    // Twice the bandwidth is less than twice the speed, and eased_seconds knows it.
    const auto twice = eased_seconds(saturation_model{devices::a100_pcie_40gb{}}, saxpy,
                                     ease(bottleneck::memory_bandwidth, 2));
    REQUIRE(twice);
    CHECK(*twice < 0.65 * why->seconds);
    CHECK(*twice > 0.5 * why->seconds);
}

TEST_CASE("a time depends on what bounds it, and on nothing else") {
    on_three_gpus([](const auto& d) {
        CAPTURE(d.name);
        CHECK(by(d, saxpy, "dram_bytes_per_s").elasticity == Approx(-1).epsilon(0.12));
        CHECK(by(d, saxpy, "dram_mixed_fraction").elasticity == Approx(-1).epsilon(0.12));
        CHECK(by(d, saxpy, "dram_latency_cycles").elasticity < 0.1);
        CHECK(by(d, chase, "dram_latency_cycles").elasticity > 0.9);
        CHECK(by(d, chase, "dram_bytes_per_s").elasticity > -0.01);
        CHECK(by(d, arithmetic, "dram_bytes_per_s").elasticity == 0);
        // On an H100 lanes and issue take equally long.
        CHECK(by(d, arithmetic, "fp32_ops").elasticity +
                  by(d, arithmetic, "comp_insts").elasticity >
              0.9);
    });
}

TEST_CASE("derivatives are those of secants") {
    const devices::a100_pcie_40gb gpu;
    const auto all = sensitivities(saturation_model{gpu}, saxpy);
    REQUIRE(all);
    const double now = saturation_model{gpu}.predict(saxpy)->seconds;
    int smooth = 0;
    for (const sensitivity& s : *all) {
        if (s.kink() || !s.of_device || s.elasticity == 0) continue;
        CAPTURE(s.parameter);
        auto changed = edit(gpu);
        *find_parameter(changed, s.parameter) *= 1 + 1e-6;
        const double after = saturation_model{changed}.predict(saxpy)->seconds;
        CHECK(s.elasticity == Approx((after / now - 1) / 1e-6).epsilon(1e-4));
        ++smooth;
    }
    CHECK(smooth >= 6);
}

TEST_CASE("what is known by name alone has the same sensitivities") {
    const devices::a100_pcie_40gb gpu;
    const auto typed = sensitivities(saturation_model{gpu}, saxpy);
    REQUIRE(typed);
    const auto named = sensitivities(saturation_model{known_gpu(gpu)}, saxpy);
    REQUIRE(named);
    for (const sensitivity& s : *named) {
        const auto at = std::find_if(typed->begin(), typed->end(), [&](const sensitivity& t) {
            return t.parameter == s.parameter;
        });
        REQUIRE(at != typed->end());
        CHECK(at->elasticity == s.elasticity);
    }
    CHECK(named->size() > 20);
}

TEST_CASE("an uncertain bandwidth makes the time of a stream as uncertain") {
    const uncertain unknowns[]{about("dram_bytes_per_s", 0.1)};
    on_three_gpus([&](const auto& d) {
        CAPTURE(d.name);
        const auto width = [&](const kernel_profile<>& k) {
            const auto t = uncertain_time(saturation_model{d}, k, unknowns, {.samples = 2000});
            REQUIRE(t);
            const auto i = *t->interval(0.68);
            return i.max_seconds / i.min_seconds;
        };
        CHECK(width(saxpy) == Approx(1.1 * 1.1).epsilon(0.03));
        CHECK(width(arithmetic) == Approx(1));
    });
}

TEST_CASE("which of two kernels is faster, when the bandwidth is known roughly") {
    const saturation_model model{devices::h100_pcie{}};
    kernel_profile<> less = saxpy;
    less.traffic.dram_read_bytes *= 0.99;
    const kernel_profile<> both[]{saxpy, less};
    const uncertain unknowns[]{about("dram_bytes_per_s", 0.1)};
    const auto times = sample(model, both, unknowns, {.samples = 1000});
    REQUIRE(times);
    CHECK(probability_faster((*times)[1], (*times)[0])->first == 1);  // they share the draw
}

}  // namespace saturation_analysed_test
