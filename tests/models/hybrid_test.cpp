// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>
#include <cstdint>
#include <vector>

#include <doctest/doctest.h>

#include <warpgauge/devices/all.hpp>
#include <warpgauge/models/hybrid.hpp>

using namespace warpgauge;

namespace {

static_assert(placeable_model<hybrid_model<devices::tesla_k40>>);
static_assert(hybrid_device<devices::tesla_m2090> && hybrid_device<devices::quadro_k6000> &&
              hybrid_device<devices::pascal_projection> && hybrid_device<devices::tesla_v100> &&
              hybrid_device<devices::a100_sxm4_40gb> && hybrid_device<devices::h100_sxm5>);
static_assert(!hybrid_device<devices::geforce_gtx_280>);
static_assert(hybrid_device<decltype(edit(devices::tesla_k40{}))>);

constexpr instruction load{.unit = unit_kind::global_memory};
constexpr instruction add{.unit = unit_kind::single_precision, .needs = {1}};
constexpr instruction store{.unit = unit_kind::global_memory, .needs = {1}};
// Chapuis et al. 2016, fig. 5.
constexpr std::array figure_5{load, add, store, load, add, store};

kernel_profile<> launch(double blocks, double threads, std::span<const instruction> stream) {
    return {.blocks = blocks,
            .threads_per_block = threads,
            .registers_per_thread = 16,
            .instructions = stream};
}

template <class D>
hybrid_estimate<> predict(const D& device, const kernel_profile<>& k) {
    const auto e = hybrid_model{device}.predict(k);
    REQUIRE_MESSAGE(e, message(e ? model_error{} : e.error()).c_str());
    return *e;
}

// Rounds as published: barriers that wait for results, an SM's part of the bandwidth as if all drew.
template <class D>
hybrid_estimate<> predict_as_published(const D& device, const kernel_profile<>& k,
                                       waves rounds = waves::whole) {
    const auto e =
        hybrid_model{device, {.form = equation_form::as_published, .rounds = rounds}}.predict(k);
    REQUIRE_MESSAGE(e, message(e ? model_error{} : e.error()).c_str());
    return *e;
}

template <class D>
model_error error(const D& device, const kernel_profile<>& k) {
    const auto e = hybrid_model{device}.predict(k);
    REQUIRE_FALSE(e);
    return e.error();
}

}  // namespace

TEST_CASE("figure 5 on one warp: two dependent triples in order") {
    const auto e = predict_as_published(devices::tesla_k40{}, launch(1, 32, figure_5));
    CHECK(e.active_blocks_per_sm == 1);
    CHECK(e.rounds == 1);
    // 230 cycles for the parameters; load, add; then, in order, the store and the second load, which
    // departs when the 128 B of the store have: at 288e9 / 745e6 / 15 = 25.8 B a cycle, 5 cycles later.
    CHECK(e.sm.cycles == 230 + (230 + 9) + (5 + 230 + 9) + 230);
    CHECK(e.cycles == 943);
    CHECK(e.seconds == doctest::Approx(943 / 745e6));
    CHECK(e.sm.stalls.nothing_resident == 230);
    CHECK(e.limited_by == sm_limiter::memory_latency);
    // Alone on the chip, the SM draws as much as its 32 load/store lanes take, 128 B a cycle.
    CHECK(predict(devices::tesla_k40{}, launch(1, 32, figure_5)).cycles == 943 - 4);
}

TEST_CASE("as published: blocks are spread evenly; rounds of workloads overlap") {
    const devices::tesla_k40 k40;  // 15 SMs
    const auto few = predict_as_published(k40, launch(31, 128, figure_5));
    CHECK(few.active_blocks_per_sm == 3);
    CHECK(few.workloads == 11);
    CHECK(few.resident_blocks_per_sm == 16);
    CHECK(few.rounds == 1);
    CHECK(few.cycles == few.sm_cycles);  // the program would give the mean end of its blocks (P8)
    const auto many = predict_as_published(k40, launch(15 * 16 * 10, 128, figure_5));
    CHECK(many.active_blocks_per_sm == 16);
    CHECK(many.rounds == 10);
    CHECK(many.overlap_fraction > 0);
    CHECK(many.overlap_fraction < 1);
    CHECK(many.cycles ==
          doctest::Approx(many.sm_cycles + 9 * many.later_round_cycles).epsilon(1e-12));
    CHECK(many.later_round_cycles <= many.sm_cycles - 230);
    // A last round with one block in a thousand counts in full, or by its fraction of the blocks.
    const auto k = launch(15 * 16 * 4 + 1, 128, figure_5);
    const auto whole = predict_as_published(k40, k);
    CHECK(whole.rounds == 5);
    CHECK(whole.cycles == predict_as_published(k40, launch(15 * 16 * 5, 128, figure_5)).cycles);
    const auto quotient = predict_as_published(k40, k, waves::quotient);
    CHECK(quotient.rounds == 4 + 1 / 240.0);
    CHECK(quotient.cycles ==
          doctest::Approx(whole.sm_cycles + (3 + 1 / 240.0) * whole.later_round_cycles));
    // A kernel's time does not depend on what ran before (P2).
    CHECK(predict_as_published(k40, launch(31, 128, figure_5)).cycles == few.cycles);
}

TEST_CASE("an SM executes its part of the grid and replaces each block that ends") {
    const devices::tesla_k40 k40;  // 15 SMs, 16 blocks of 128 threads on each
    const auto few = predict(k40, launch(31, 128, figure_5));
    CHECK(few.active_sms == 15);
    CHECK(few.blocks_per_sm == 3);
    CHECK(few.active_blocks_per_sm == 3);
    CHECK(few.sm.blocks == 3);
    CHECK(few.rounds == 1);
    const auto more = predict(k40, launch(15 * 16 * 4 + 1, 128, figure_5));
    CHECK(more.blocks_per_sm == 65);
    CHECK(more.active_blocks_per_sm == 16);
    CHECK(more.rounds == 65 / 16.0);
    CHECK(more.sm.blocks == 65);
    CHECK(more.sm.warp_instructions == 65 * 4 * 6);
    CHECK(more.cycles == more.sm_cycles);
    // One block more than four rounds costs about a block, not a round: 5791 against 7128 cycles with the
    // last round counted as a whole one.
    const auto four = predict(k40, launch(15 * 16 * 4, 128, figure_5));
    const auto one = predict(k40, launch(1, 128, figure_5));
    CHECK(more.cycles >= four.cycles);
    CHECK(more.cycles <= four.cycles + one.cycles);
    CHECK(more.cycles <
          0.85 * predict_as_published(k40, launch(15 * 16 * 5, 128, figure_5)).cycles);
    // A kernel's time does not depend on what ran before (P2).
    CHECK(predict(k40, launch(31, 128, figure_5)).cycles == few.cycles);
}

TEST_CASE("a streaming grid reaches the bandwidth and never exceeds it (P1, P9)") {
    const std::vector<instruction> stream{loop(4, 400), load, load, load, load};
    devices::for_each([&](const auto& device) {
        if constexpr (hybrid_device<std::remove_cvref_t<decltype(device)>>) {
            CAPTURE(device.name);
            // As many rounds as fill all SMs.
            auto k = launch(device.sm_count, 256, stream);
            const auto per_sm = occupancy(k, device)->active_blocks_per_sm;
            k.blocks = device.sm_count * per_sm * 20;
            const auto e = predict(device, k);
            const double rate = k.blocks * 8 * 1600 * 128 / e.seconds;
            CHECK(rate <= device.dram_bytes_per_s);
            CHECK(rate >= 0.98 * device.dram_bytes_per_s);
            CHECK(e.limited_by == sm_limiter::memory_bandwidth);
        }
    });
}

TEST_CASE("residency is the library's (P5)") {
    const devices::tesla_m2090 m2090;
    auto k = launch(16 * 8, 256, figure_5);
    k.shared_bytes_per_block = 20'000;  // two blocks of 48 KiB
    CHECK(predict(m2090, k).active_blocks_per_sm == 2);
    k.active_blocks_per_sm = 5;
    CHECK(predict(m2090, k).active_blocks_per_sm == 5);
    k.shared_bytes_per_block = 0;
    k.active_blocks_per_sm = 0;
    k.registers_per_thread = 63;  // 32768 registers, not 65536
    CHECK(predict(m2090, k).active_blocks_per_sm == 2);
    k.threads_per_block = 1024;
    k.registers_per_thread = 40;
    k.shared_bytes_per_block = 1e6;
    CHECK(error(m2090, k).code == errc::exceeds_device);
}

TEST_CASE("more bandwidth, SMs or clock never makes it slower") {
    const std::vector<instruction> stream{loop(4, 50), load, add, store, add};
    const auto k = launch(2000, 192, stream);
    const auto now = predict(devices::tesla_k40{}, k);
    auto d = edit(devices::tesla_k40{});
    d.dram_bytes_per_s *= 2;
    CHECK(predict(d, k).seconds < now.seconds);
    d = edit(devices::tesla_k40{});
    d.sm_count *= 2;
    d.dram_bytes_per_s *= 2;
    CHECK(predict(d, k).seconds < now.seconds);
    // The future as an edit: the runtime copy of a device predicts the same.
    CHECK(predict(edit(devices::tesla_k40{}), k).cycles == now.cycles);
}

TEST_CASE("a workspace and an observer") {
    sm_workspace space;
    const hybrid_model k40{devices::tesla_k40{}};
    std::uint64_t issues = 0;
    const auto e = k40.predict(launch(30, 64, figure_5), space, [&](const sm_event& event) {
        CHECK(event.cycle >= 230);
        ++issues;
    });
    REQUIRE(e);
    CHECK(issues == e->sm.warp_instructions);
    CHECK(issues == 2 * 2 * 6);
    CHECK(space.block_ends().size() == 2);
}

TEST_CASE("options stay when the model is put on another device") {
    const hybrid_model k40{devices::tesla_k40{},
                           {.form = equation_form::as_published,
                            .rounds = waves::quotient,
                            .policy = warp_policy::greedy_then_oldest}};
    const auto m2090 = k40.on(devices::tesla_m2090{});
    CHECK(m2090.options.rounds == waves::quotient);
    CHECK(m2090.options.policy == warp_policy::greedy_then_oldest);
    const auto k = launch(1000, 128, figure_5);
    CHECK(m2090.predict(k)->cycles ==
          hybrid_model{devices::tesla_m2090{}, k40.options}.predict(k)->cycles);
    CHECK(m2090.predict(k)->cycles != k40.predict(k)->cycles);
}

TEST_CASE("errors") {
    const devices::tesla_k40 k40;
    CHECK(error(k40, launch(1, 32, {})) == model_error{errc::missing, "instructions"});
    CHECK(error(k40, launch(1.5, 32, figure_5)) == model_error{errc::outside_domain, "blocks"});
    CHECK(error(k40, launch(1, 2048, figure_5)) ==
          model_error{errc::exceeds_device, "threads_per_block"});
    CHECK(error(k40, launch(0, 32, figure_5)) == model_error{errc::not_positive, "blocks"});
    auto d = edit(k40);
    d.clock_hz = 0;
    CHECK(error(d, launch(1, 32, figure_5)) == model_error{errc::not_positive, "clock_hz"});
    d = edit(k40);
    d.dram_bytes_per_s = -1;
    CHECK(error(d, launch(1, 32, figure_5)) == model_error{errc::not_positive, "dram_bytes_per_s"});
    d = edit(k40);
    d.dram_latency_cycles = 0;
    CHECK(error(d, launch(1, 32, figure_5)) ==
          model_error{errc::outside_domain, "dram_latency_cycles"});
    d.dram_latency_cycles = -5;
    CHECK(error(d, launch(1, 32, figure_5)) == model_error{errc::negative, "dram_latency_cycles"});
    d = edit(k40);
    d.special_function_units = 0;
    const std::array function{instruction{.unit = unit_kind::special_function}};
    CHECK(error(d, launch(1, 32, function)) ==
          model_error{errc::not_positive, "special_function_units", 1});
}
