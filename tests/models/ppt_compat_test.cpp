// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>
#include <cstdint>
#include <span>

#include <doctest/doctest.h>

#include <warpgauge/devices/all.hpp>
#include <warpgauge/models/ppt_compat.hpp>

namespace ppt_compat_test {

using namespace warpgauge;

namespace {

static_assert(placeable_model<ppt_compat_model<devices::tesla_k40>>);
static_assert(ppt_compat_device<devices::tesla_m2090> && ppt_compat_device<devices::quadro_k6000> &&
              ppt_compat_device<devices::pascal_projection> &&
              ppt_compat_device<decltype(edit(devices::tesla_k40{}))>);
static_assert(!ppt_compat_device<devices::tesla_v100>);

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
ppt_compat_estimate<> predict(const D& device, const kernel_profile<>& k) {
    const auto e = ppt_compat_model{device}.predict(k);
    REQUIRE_MESSAGE(e, message(e ? model_error{} : e.error()).c_str());
    return *e;
}

}  // namespace

TEST_CASE("the model gives what the authors' program gives") {
    const auto k40 = predict(devices::tesla_k40{}, launch(1, 32, figure_5));
    CHECK(k40.active_blocks_per_sm == 1);
    CHECK(k40.active_warps_per_sm == 1);
    CHECK(k40.warp_instructions == 6);
    // One addition on the M2090, 33 blocks of 1024 threads.
    const std::array one{instruction{.unit = unit_kind::single_precision}};
    const auto m2090 = predict(devices::tesla_m2090{}, launch(33, 1024, one));
    CHECK(m2090.resident_blocks_per_sm == 1);
    CHECK(m2090.workloads == 33);
    CHECK(m2090.rounds == 3);
    CHECK(m2090.sm_cycles == 173);
    CHECK(m2090.seconds == doctest::Approx(4.323076923076923e-06).epsilon(1e-9));
    CHECK(m2090.cycles == m2090.seconds * 650e6);
    CHECK(m2090.limited_by == sm_limiter::not_known);
    // The K6000's clock is written with a point, so its program divides otherwise (P3).
    ppt_state fresh;
    const auto direct =
        ppt_call(*task_list(figure_5), {600, 64, 16, 0}, devices::quadro_k6000::ppt, fresh);
    REQUIRE(direct);
    CHECK(predict(devices::quadro_k6000{}, launch(600, 64, figure_5)).seconds == direct->seconds);
}

TEST_CASE("resident blocks are the program's own (P5)") {
    const devices::tesla_m2090 m2090;
    auto k = launch(16 * 8, 256, figure_5);
    k.shared_bytes_per_block = 20'000;  // of which the program knows nothing
    CHECK(predict(m2090, k).active_blocks_per_sm == 6);
    k.active_blocks_per_sm = 5;
    CHECK(predict(m2090, k).active_blocks_per_sm == 6);
    // More fit than the grid gives an SM.
    const auto small = predict(m2090, launch(16 * 2, 256, figure_5));
    CHECK(small.resident_blocks_per_sm == 6);
    CHECK(small.active_blocks_per_sm == 2);
    CHECK(small.active_warps_per_sm == 16);
    k.threads_per_block = 1024;
    k.registers_per_thread = 40;
    CHECK(predict(m2090, k).active_blocks_per_sm == 1);
    // Registers that are not known count as one.
    k = launch(16 * 8, 256, figure_5);
    k.registers_per_thread = 0;
    const auto unknown = predict(m2090, k);
    k.registers_per_thread = 1;
    CHECK(unknown.seconds == predict(m2090, k).seconds);
}

TEST_CASE("a copy of the device, and another one") {
    const auto k = launch(2000, 192, figure_5);
    const ppt_compat_model k40{devices::tesla_k40{}, {.caps = {.words = 1 << 20}}};
    CHECK(k40.on(edit(devices::tesla_k40{})).predict(k)->seconds ==
          predict(devices::tesla_k40{}, k).seconds);
    const auto m2090 = k40.on(devices::tesla_m2090{});
    CHECK(m2090.options.caps.words == 1 << 20);
    CHECK(m2090.predict(k)->seconds == predict(devices::tesla_m2090{}, k).seconds);
}

TEST_CASE("errors name the field") {
    const auto error = [](const kernel_profile<>& k, ppt_compat_options options = {}) {
        const auto e = ppt_compat_model{devices::tesla_k40{}, options}.predict(k);
        REQUIRE_FALSE(e);
        return e.error();
    };
    CHECK(error(launch(0, 32, figure_5)) == model_error{errc::not_positive, "blocks"});
    CHECK(error(launch(1, 1.5, figure_5)) == model_error{errc::not_whole, "threads_per_block"});
    CHECK(error(launch(1, 32, {})) == model_error{errc::missing, "instructions"});
    auto k = launch(1, 32, figure_5);
    k.registers_per_thread = -5;
    CHECK(error(k) == model_error{errc::negative, "registers_per_thread"});
    k.registers_per_thread = 70'000;
    CHECK(error(k) == model_error{errc::exceeds_device, "registers_per_thread"});
    CHECK(error(launch(1, 32, figure_5), {.caps = {.words = 5}}) ==
          model_error{errc::limit_reached, "instructions"});
}

}  // namespace ppt_compat_test
