// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels whose products go on while their warps do, from PTX to the simulation.
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include <warpgauge/devices/b200.hpp>
#include <warpgauge/devices/h100_sxm5.hpp>
#include <warpgauge/models/hybrid.hpp>
#include <warpgauge/models/makespan.hpp>
#include <warpgauge/ptx.hpp>

#include "ptx/asynchronous_kernels.hpp"

namespace asynchronous_products_test {

using namespace warpgauge;

namespace {

struct traced_text {
    std::string text;
    ptx::traced_kernel trace{};
};

traced_text traced(std::string_view text, const ptx::launch& l,
                   std::initializer_list<ptx::argument> arguments) {
    traced_text made{std::string(text)};
    const auto m = ptx::parse(made.text);
    REQUIRE(m);
    const auto k = ptx::find_kernel(*m, "");
    REQUIRE(k);
    const auto t = ptx::trace(*k, l, arguments);
    CAPTURE(t ? std::string_view() : std::string_view(message(t.error()).view()));
    REQUIRE(t);
    made.trace = *t;
    CHECK_FALSE(check_stream(made.trace.stream));
    return made;
}

// No public measurement of a B200 has these: here they are of about the size of those of an H100.
const auto b200 = with<parameters::shared_latency>(
    with<parameters::tensor_latency>(devices::b200{}, {.tensor_latency_cycles = 24}),
    {.shared_latency_cycles = 29});

// The cycles in which the tensor cores of an SM make the multiply-adds of a block.
template <class D>
double tensor_cycles(const D& d, const ptx::traced_kernel& t) {
    const auto blocks = static_cast<double>(t.launch.grid.count());
    return t.ops.tensor_fmas * t.warps / blocks / d.tensor_fma_per_cycle;
}

template <class D>
hybrid_estimate<> predict(const D& d, const ptx::traced_kernel& t) {
    const auto e = hybrid_model{d}.predict(t.profile());
    REQUIRE_MESSAGE(e, message(e ? model_error{} : e.error()).c_str());
    const auto bound = makespan_model{d}.predict(t.profile());
    REQUIRE_MESSAGE(bound, message(bound ? model_error{} : bound.error()).c_str());
    CHECK(bound->round.safe);
    CHECK(bound->cycles >= e->cycles);
    return *e;
}

double fmas_of(std::span<const instruction> stream) {
    double fmas = 0;
    auto count = [&](const instruction& i, std::size_t, double times) {
        fmas += times * i.tensor_fmas;
    };
    for_each_entry(stream, 0, stream.size(), 1, count);
    return fmas;
}

}  // namespace

TEST_CASE("all warps together make the multiply-adds of the launch, which one lane orders") {
    for (const std::uint32_t warps : {1U, 4U, 6U, 8U, 32U}) {
        for (const std::uint32_t blocks : {1U, 3U, 1000U}) {
            CAPTURE(warps);
            CAPTURE(blocks);
            const auto made = traced(blackwell_rounds, {{blocks}, {32 * warps}}, {{}, 10});
            const auto& t = made.trace;
            CHECK(t.tensor_fmas * t.warps == doctest::Approx(blocks * 40.0 * 128 * 256 * 16));
            const double all = fmas_of(t.stream) * t.warps;
            CHECK(all == doctest::Approx(t.ops.tensor_fmas * t.warps).epsilon(1e-5));
            if (warps != 6) CHECK(all == t.ops.tensor_fmas * t.warps);
            for (const instruction& i : t.stream) {
                if (i.unit != unit_kind::tensor) continue;
                CHECK(i.async == async_step::block_product);
                CHECK(i.sharing_warps == warps);
            }
        }
    }
}

TEST_CASE("a pipeline of tcgen05 takes the time of its multiply-adds") {
    const auto cycles = [&](std::uint32_t warps, std::uint32_t rounds) {
        const auto made = traced(blackwell_rounds, {{148}, {32 * warps}}, {{}, rounds});
        const auto e = predict(b200, made.trace);
        CHECK(static_cast<double>(e.cycles) >= tensor_cycles(b200, made.trace));
        CHECK(e.sm.unit_utilisation[5] * static_cast<double>(e.sm.cycles) ==
              doctest::Approx(tensor_cycles(b200, made.trace)));
        return e.cycles;
    };
    // Four products of 524,288 multiply-adds, of which the SM makes 4,096 a cycle.
    for (const std::uint32_t warps : {1U, 4U, 8U}) {
        CAPTURE(warps);
        CHECK(cycles(warps, 110) - cycles(warps, 100) == 10 * 512);
        CHECK(cycles(warps, 100) < 100 * 512 + 3000);
    }
    const auto made = traced(blackwell_rounds, {{148}, {128}}, {{}, 100});
    CHECK(predict(b200, made.trace).limited_by == sm_limiter::tensor_units);
}

TEST_CASE("copies ahead hide behind products, or products behind copies, whichever are longer") {
    const auto a_round = [&](int bytes) {
        const auto cycles = [&](std::uint32_t rounds) {
            const std::string text = blackwell_pipeline(bytes);
            const auto made = traced(text, {{148}, {128}}, {{}, rounds});
            CHECK(made.trace.loaded_bytes == 148.0 * rounds * bytes);
            const auto e = predict(b200, made.trace);
            CHECK(static_cast<double>(e.cycles) >= tensor_cycles(b200, made.trace));
            return static_cast<double>(e.sm.cycles);
        };
        return (cycles(140) - cycles(100)) / 40;
    };
    CHECK(a_round(4096) == 512);
    const double per_sm = b200.dram_bytes_per_s / b200.clock_hz / b200.sm_count;
    CHECK(a_round(49'152) == doctest::Approx(49'152 / per_sm).epsilon(0.01));
}

TEST_CASE("its waits are for all groups of products but the newest") {
    const auto made = traced(blackwell_rounds, {{2}, {128}}, {{}, 10});
    std::size_t left[2]{};
    std::size_t closed = 0;
    for (const instruction& i : made.trace.stream) {
        closed += i.async == async_step::commit_products ? 1 : 0;
        if (i.async != async_step::wait_products) continue;
        CHECK(i.unit == unit_kind::shared_memory);
        REQUIRE(i.groups_left <= 1);
        ++left[i.groups_left];
    }
    CHECK(closed == 2);  // of the first round, and of the others
    CHECK(left[1] == 1);
    CHECK(left[0] == 1);
}

TEST_CASE("of a pair of blocks, one orders: each makes its half") {
    std::string text = blackwell_rounds;
    text.insert(text.find("\n{"), "\n.reqnctapercluster 2, 1, 1");
    const auto made = traced(text, {{16}, {128}}, {{}, 10});
    const auto& t = made.trace;
    CHECK(t.tensor_fmas * t.warps == 8 * 40.0 * 128 * 256 * 16);
    CHECK(fmas_of(t.stream) * t.warps == t.ops.tensor_fmas * t.warps);
    CHECK(t.stream_block.x % 2 == 0);
    CHECK(t.stream_warp == 0);
}

TEST_CASE("one product, and the wait at its barrier") {
    const auto made = traced(blackwell_product, {{148}, {128}}, {{}});
    const auto e = predict(b200, made.trace);
    CHECK(fmas_of(made.trace.stream) == 128 * 256 * 16 / 4.0);
    CHECK(e.cycles > 128);
    std::size_t waits = 0;
    for (const instruction& i : made.trace.stream) {
        waits += i.async == async_step::wait_products && i.groups_left == 0 ? 1 : 0;
    }
    CHECK(waits == 1);
    const auto lacking = hybrid_model{devices::b200{}}.predict(made.trace.profile());
    REQUIRE_FALSE(lacking);
    CHECK(lacking.error().code == errc::missing);
}

TEST_CASE("products of a warpgroup go on until a wait for their group") {
    const auto made = traced(warpgroup_products, {{132}, {128}}, {{}, 4096, 8192, 100});
    const auto& t = made.trace;
    std::size_t products = 0;
    for (const instruction& i : t.stream) {
        products += i.async == async_step::product ? 1 : 0;
        if (i.async == async_step::wait_products) CHECK(i.unit == unit_kind::integer);
    }
    CHECK(products == 2);
    CHECK(fmas_of(t.stream) == 200 * 64 * 16 * 16 / 4.0);
    CHECK(static_cast<double>(predict(devices::h100_sxm5{}, t).cycles) >=
          tensor_cycles(devices::h100_sxm5{}, t));
    const std::string text = hopper_product();
    const auto tiles = traced(text, {{132}, {128}}, {{}, {}, 100, {}});
    CHECK(static_cast<double>(predict(devices::h100_sxm5{}, tiles.trace).cycles) >=
          tensor_cycles(devices::h100_sxm5{}, tiles.trace));
}

}  // namespace asynchronous_products_test
