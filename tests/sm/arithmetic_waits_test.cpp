// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>
#include <string_view>

#include <doctest/doctest.h>

#include <warpgauge/devices/all.hpp>
#include <warpgauge/models/saturation.hpp>
#include <warpgauge/ptx/text/parse.hpp>
#include <warpgauge/ptx/trace/trace.hpp>
#include <warpgauge/sm/arithmetic_waits.hpp>

#include "ptx/kernels.hpp"
#include "round_hierarchy.hpp"

namespace arithmetic_waits_test {

using namespace warpgauge;

namespace {

struct adder : round_gpu {
    static constexpr double integer_latency_cycles = 6, single_precision_latency_cycles = 4;
};

struct slow_issue {
    static constexpr double sm_count = 10, clock_hz = 1e9, dram_bytes_per_s = 100e9;
    static constexpr double issue_cycles = 4.5;
    static constexpr double integer_latency_cycles = 6, single_precision_latency_cycles = 4;
};

struct under_load : adder {
    static constexpr double sustained_clock_hz = 0.8e9;
};

constexpr instruction on(unit_kind unit, std::int32_t need = 0) {
    return {.unit = unit, .needs = {need}};
}

// The sum of 10 numbers, and its store.
constexpr std::array<instruction, 6> sum{
    {loop(4, 10),
     on(unit_kind::integer, own_result),
     on(unit_kind::global_memory, 1),
     {.unit = unit_kind::single_precision, .needs = {1, own_result}},
     on(unit_kind::branch),
     on(unit_kind::global_memory, 2)}};

kernel_profile<> profile_of(std::span<const instruction> stream) {
    return {.blocks = 100,
            .threads_per_block = 256,
            .comp_insts = 30,
            .coalesced_mem_insts = 11,
            .instructions = stream,
            .waits = {.counted = true, .steps = 10}};
}

template <class D>
double waits_on(const D& d, std::span<const instruction> stream) {
    const auto k = with_arithmetic_waits(profile_of(stream), d);
    REQUIRE(k);
    CHECK(k->waits.steps == 10);
    CHECK(k->comp_insts == 30);
    return k->waits.arithmetic_wait_cycles;
}

template <class D>
model_error error_on(const D& d, std::span<const instruction> stream) {
    return with_arithmetic_waits(profile_of(stream), d).error();
}

}  // namespace

TEST_CASE("a chain waits for its latencies, less the cycles of issue") {
    constexpr std::array<instruction, 3> two{{on(unit_kind::integer),
                                              on(unit_kind::single_precision, 1),
                                              on(unit_kind::single_precision)}};
    CHECK(waits_on(adder{}, two) == (6 - 1) + (4 - 1));
    // All indexes, and the last addition: a load takes its address on to what needs it.
    CHECK(waits_on(adder{}, sum) == 10 * (6 - 1) + (4 - 1));
    CHECK(waits_on(slow_issue{}, two) == 6 - 4.5);         // a latency is hidden by its own issue
    CHECK(waits_on(under_load{}, two) == (5 + 3) * 1.25);  // cycles of clock_hz
}

TEST_CASE("what is not known is an error") {
    constexpr std::array<instruction, 2> wide{
        {on(unit_kind::integer), on(unit_kind::double_precision)}};
    CHECK(error_on(adder{}, wide) ==
          model_error{errc::missing, "double_precision_latency_cycles", 2});
    constexpr std::array<instruction, 1> sine{{on(unit_kind::special_function)}};
    CHECK(error_on(adder{}, sine) ==
          model_error{errc::missing, "special_function_latency_cycles", 1});
    constexpr std::array<instruction, 1> product{{on(unit_kind::tensor)}};
    CHECK(error_on(adder{}, product) == model_error{errc::missing, "tensor_latency_cycles", 1});
    partial_device<double, parameters::chip, parameters::schedulers, parameters::arithmetic_latency>
        nothing(round_gpu{});
    CHECK(error_on(nothing, sum) == model_error{errc::missing, "integer_latency_cycles", 2});

    CHECK(error_on(adder{}, {}).field == "instructions");
    auto k = profile_of(sum);
    k.waits = {};
    CHECK(with_arithmetic_waits(k, adder{}).error() == model_error{errc::missing, "waits"});
    k.waits = {.l1_waits = 1};
    CHECK(with_arithmetic_waits(k, adder{}));
    auto gpu = edit(adder{});
    gpu.integer_latency_cycles = -1;
    CHECK(with_arithmetic_waits(k, gpu).error() ==
          model_error{errc::not_positive, "integer_latency_cycles"});
    static_assert(!arithmetic_device<round_gpu>);
}

TEST_CASE("kernels of the examples wait longer with it") {
    const devices::geforce_rtx_2070_super gpu;
    for (const kernel_launch& of : kernel_launches()) {
        const std::string_view name = of.kernel;
        CAPTURE(name);
        const auto text = kernel_text(of.file);
        const auto m = ptx::parse(text);
        const auto t = ptx::trace(*ptx::find_kernel(*m, of.kernel), of.launch, of.arguments);
        REQUIRE(t);
        const auto k = with_arithmetic_waits(t->profile(), gpu);
        REQUIRE(k);
        // 128 multiply-adds into one sum behind five integer instructions, each of 4 cycles.
        if (name == "matmul_naive") CHECK(k->waits.arithmetic_wait_cycles == 133 * (4 - 1));
        const saturation_model model{gpu};
        const double without = model.predict(t->profile())->seconds;
        const double with = model.predict(*k)->seconds;
        CHECK(with > without);
        CHECK(with < 1.03 * without);  // docs/ptx.md
    }
}

}  // namespace arithmetic_waits_test
