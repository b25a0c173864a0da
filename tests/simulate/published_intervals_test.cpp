// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cmath>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include <warpgauge/simulate/sm.hpp>
#include <warpgauge/simulate/sm_of_device.hpp>

#include "any_gpu.hpp"

// Initiation intervals and latencies as others publish them, against what the simulation makes of lanes and latencies.

namespace published_intervals_test {

using namespace warpgauge;

constexpr auto integer = unit_kind::integer, single = unit_kind::single_precision,
               twofold = unit_kind::double_precision, special = unit_kind::special_function,
               tensor = unit_kind::tensor, shared = unit_kind::shared_memory;

sm_parameters sm_of(std::string_view gpu) {
    for (const any_gpu& d : all_gpus()) {
        if (d.name == gpu) return sm_parameters_of(d);
    }
    FAIL("no GPU ", gpu);
    return {};
}

// Of a product, those of mma.m16n8k16.
instruction of(unit_kind unit) {
    return {.unit = unit, .tensor_fmas = unit == unit_kind::tensor ? 2048U : 0U};
}

// Cycles for each time that all warps of the SM execute the body of a loop.
double cycles_a_round(const std::vector<instruction>& body, const sm_parameters& p,
                      std::uint64_t warps) {
    sm_workspace space;
    const auto cycles = [&](std::uint32_t rounds) {
        std::vector<instruction> stream{loop(static_cast<std::uint32_t>(body.size()), rounds)};
        stream.insert(stream.end(), body.begin(), body.end());
        const auto e = simulate_sm(stream, p, {.blocks = 1, .warps_per_block = warps},
                                   warp_policy::loose_round_robin, {}, space);
        REQUIRE(e);
        return static_cast<double>(e->cycles);
    };
    return (cycles(640) - cycles(128)) / 512;
}

// Cycles between two instructions of a warp that is alone, where they need nothing of each other.
double interval(unit_kind unit, const sm_parameters& p) {
    return cycles_a_round({of(unit)}, p, 1);
}

// The same where each needs the one before.
double latency(unit_kind unit, const sm_parameters& p) {
    instruction i = of(unit);
    i.needs = {own_result};
    return cycles_a_round({i}, p, 1);
}

// Results a cycle of an SM full of warps.
double results(const std::vector<instruction>& body, const sm_parameters& p) {
    constexpr std::uint64_t warps = 32;
    return p.warp_size * warps * static_cast<double>(body.size()) / cycles_a_round(body, p, warps);
}

struct figure {
    std::string_view gpu;
    unit_kind unit;
    double published;
    double simulated = 0;  // where it differs
};

// `simulated(unit, parameters)` is what is published of each, as `taken`, to `within`.
template <class Simulated, class Taken = std::identity>
void check_each(const std::vector<figure>& all, double within, const Simulated& simulated,
                const Taken& taken = {}) {
    for (const figure& f : all) {
        CAPTURE(f.gpu);
        CAPTURE(name(f.unit));
        const double expected = f.simulated > 0 ? f.simulated : taken(f.published);
        CHECK(simulated(f.unit, sm_of(f.gpu)) == doctest::Approx(expected).epsilon(within));
    }
}

TEST_CASE("an SM full of warps has the results a cycle that the vendor publishes") {
    // NVIDIA, CUDA C++ Programming Guide, "Throughput of Native Arithmetic Instructions": add, multiply and multiply-add
    // of 32 and 64 bits, integer add (and all that has no row), reciprocal and its like. 12.0: CUDA C++ Best Practices
    // Guide 13.4, the same table.
    const std::vector<figure> published{
        {"Tesla K40", single, 192},
        {"Tesla K40", twofold, 64},
        {"Tesla K40", special, 32},
        {"Tesla P100 PCIe 16GB", single, 64},
        {"Tesla P100 PCIe 16GB", twofold, 32},
        {"Tesla P100 PCIe 16GB", special, 16},
        {"Tesla P100 PCIe 16GB", integer, 64},
        {"GeForce GTX 1080 Ti", single, 128},
        {"GeForce GTX 1080 Ti", twofold, 4},
        {"GeForce GTX 1080 Ti", special, 32},
        {"GeForce GTX 1080 Ti", integer, 128},
        {"Tesla V100 PCIe", single, 64},
        {"Tesla V100 PCIe", twofold, 32},
        {"Tesla V100 PCIe", special, 16},
        {"Tesla V100 PCIe", integer, 64},
        {"Tesla T4", single, 64},
        {"Tesla T4", twofold, 2},
        {"Tesla T4", special, 16},
        {"Tesla T4", integer, 64},
        {"A100 PCIe 40GB", single, 64},
        {"A100 PCIe 40GB", twofold, 32},
        {"A100 PCIe 40GB", special, 16},
        {"A100 PCIe 40GB", integer, 64},
        {"GeForce RTX 3090", single, 128},
        {"GeForce RTX 3090", special, 16},
        {"GeForce RTX 3090", integer, 64},
        {"H100 PCIe", single, 128},
        {"H100 PCIe", twofold, 64},
        {"H100 PCIe", integer, 64},
        {"GeForce RTX 5090", single, 128},
        {"GeForce RTX 5090", integer, 128},
    };
    check_each(published, 0.005,
               [](unit_kind unit, const sm_parameters& p) { return results({of(unit)}, p); });
}

TEST_CASE("classes of instructions have the results a cycle that the vendor publishes") {
    // The same tables. A product of integers on Pascal: three XMAD at the rate of FFMA (include/warpgauge/devices/architectures.hpp).
    constexpr instruction add{.unit = integer, .op = operation::add},
        logic{.unit = integer, .op = operation::bit_xor},
        product{.unit = integer, .op = operation::mul},
        shift{.unit = integer, .op = operation::shift},
        least{.unit = integer, .op = operation::min},
        compare{.unit = integer, .op = operation::compare},
        least_real{.unit = single, .op = operation::min},
        count{.unit = integer, .op = operation::count_bits},
        to_integer{.unit = integer, .op = operation::convert},
        to_real{.unit = single, .op = operation::convert},
        to_double{.unit = twofold, .op = operation::convert_wide},
        from_double{.unit = single, .op = operation::convert_wide};
    constexpr instruction field = shift, reversal = count;  // of bits
    const struct {
        std::string_view gpu;
        instruction executed;
        double published;
        double simulated = 0;  // where it differs
    } rows[]{
        {"Tesla M2090", add, 32},
        {"Tesla M2090", product, 16},
        {"Tesla M2090", shift, 16},
        {"Tesla M2090", compare, 32},
        {"Tesla M2090", count, 16},
        {"Tesla M2090", to_integer, 16},
        {"Tesla M2090", to_double, 16},
        {"Tesla K40", add, 160},
        {"Tesla K40", logic, 160},
        {"Tesla K40", product, 32},
        {"Tesla K40", shift, 64},
        {"Tesla K40", field, 32, 64},
        {"Tesla K40", compare, 160},
        {"Tesla K40", least_real, 160},
        {"Tesla K40", count, 32},
        {"Tesla K40", reversal, 32},
        {"Tesla K40", to_real, 32},
        {"Tesla K40", to_double, 32},
        {"Tesla P100 PCIe 16GB", add, 64},
        {"Tesla P100 PCIe 16GB", logic, 64},
        {"Tesla P100 PCIe 16GB", product, 64.0 / 3},
        {"Tesla P100 PCIe 16GB", shift, 32},
        {"Tesla P100 PCIe 16GB", field, 32},
        {"Tesla P100 PCIe 16GB", compare, 32},
        {"Tesla P100 PCIe 16GB", least_real, 32},
        {"Tesla P100 PCIe 16GB", count, 16},
        {"Tesla P100 PCIe 16GB", reversal, 32, 16},
        {"Tesla P100 PCIe 16GB", to_real, 16},
        {"Tesla P100 PCIe 16GB", from_double, 16},
        {"GeForce GTX 1080 Ti", add, 128},
        {"GeForce GTX 1080 Ti", logic, 128},
        {"GeForce GTX 1080 Ti", product, 128.0 / 3},
        {"GeForce GTX 1080 Ti", shift, 64},
        {"GeForce GTX 1080 Ti", compare, 64},
        {"GeForce GTX 1080 Ti", least_real, 64},
        {"GeForce GTX 1080 Ti", count, 32},
        {"GeForce GTX 1080 Ti", reversal, 64, 32},
        {"GeForce GTX 1080 Ti", to_integer, 32},
        {"GeForce GTX 1080 Ti", to_double, 4},
        {"Tesla V100 PCIe", product, 64},
        {"Tesla V100 PCIe", shift, 64},
        {"Tesla V100 PCIe", logic, 64},
        {"Tesla V100 PCIe", least_real, 64},
        {"Tesla V100 PCIe", count, 16},
        {"Tesla V100 PCIe", to_integer, 16},
        {"Tesla V100 PCIe", to_double, 16},
        {"Tesla T4", product, 64},
        {"Tesla T4", count, 16},
        {"Tesla T4", to_real, 16},
        {"Tesla T4", from_double, 2},
        {"A100 PCIe 40GB", product, 64},
        {"A100 PCIe 40GB", least, 64},
        {"A100 PCIe 40GB", least_real, 64},
        {"A100 PCIe 40GB", count, 16},
        {"A100 PCIe 40GB", to_integer, 16},
        {"A100 PCIe 40GB", to_double, 16},
        {"GeForce RTX 3090", product, 64},
        {"GeForce RTX 3090", least_real, 64},
        {"GeForce RTX 3090", count, 16},
        {"GeForce RTX 3090", to_integer, 16},
        {"GeForce RTX 3090", to_double, 2},
        {"GeForce RTX 4090", product, 64},
        {"GeForce RTX 4090", least_real, 64},
        {"GeForce RTX 4090", to_integer, 16},
        {"GeForce RTX 4090", to_double, 2},
        {"H100 PCIe", product, 64},
        {"H100 PCIe", least_real, 64},
        {"H100 PCIe", count, 16},
        {"H100 PCIe", to_integer, 16},
        {"H100 PCIe", to_double, 16},
        {"B200", least_real, 128},
        {"B200", to_double, 16},
        {"GeForce RTX 5090", add, 128},
        {"GeForce RTX 5090", logic, 64},
        {"GeForce RTX 5090", product, 64},
        {"GeForce RTX 5090", shift, 64},
        {"GeForce RTX 5090", least, 128},
        {"GeForce RTX 5090", count, 16},
        {"GeForce RTX 5090", to_double, 2},
        // The table has one rate for integers and another one for floats, and one of conversions to each type.
        {"GeForce RTX 5090", least_real, 64, 128},
        {"GeForce RTX 5090", to_integer, 2, 128},
    };
    for (const auto& r : rows) {
        CAPTURE(r.gpu);
        CAPTURE(name(r.executed.unit));
        CAPTURE(static_cast<int>(r.executed.op));
        const double expected = r.simulated > 0 ? r.simulated : r.published;
        CHECK(results({r.executed}, sm_of(r.gpu)) == doctest::Approx(expected).epsilon(0.005));
    }
}

TEST_CASE("integers beside single precision have the results a cycle of the white papers") {
    const std::vector<instruction> both{of(single), of(integer)};
    const auto check = [&](std::string_view gpu, double published) {
        CAPTURE(gpu);
        CHECK(results(both, sm_of(gpu)) == doctest::Approx(published).epsilon(0.005));
    };
    check("Tesla P100 PCIe 16GB", 64);  // the same cores
    check("Tesla V100 PCIe", 128);      // V100 white paper: both at full rate
    check("Tesla T4", 128);             // Turing white paper: the same
    check("A100 PCIe 40GB", 128);       // A100 white paper: the same
    check("GeForce RTX 3090", 128);     // GA102 white paper: half of the cores execute either
    check("GeForce RTX 5090", 128);     // RTX Blackwell white paper: all of them do
}

TEST_CASE("a warp that is alone has the initiation intervals of Accel-Sim's micro-benchmarks") {
    // Khairy et al. 2020, "Accel-Sim: An Extensible Simulation Framework for Validated GPU Modeling", tested-cfgs,
    // trace_opcode_latency_initiation_* of SM7_GV100, SM75_RTX2060, SM80_A100, SM86_RTX3070, SM87_ORIN and SM90_H100.
    const std::vector<figure> published{
        {"Tesla V100 PCIe", integer, 2},
        {"Tesla V100 PCIe", single, 2},
        {"Tesla V100 PCIe", twofold, 4},
        {"Tesla V100 PCIe", special, 8},
        {"Tesla T4", integer, 2},
        {"Tesla T4", single, 2},
        {"Tesla T4", special, 8},
        // What four sub-cores take that share two lanes evenly. A chain of 48 cycles (Jia et al. 2019) says that
        // one warp waits for less; the simulation gives it both lanes.
        {"Tesla T4", twofold, 64, 16},
        {"Jetson AGX Orin 64GB", twofold, 64, 16},
        {"A100 PCIe 40GB", integer, 2},
        {"A100 PCIe 40GB", single, 2},
        {"A100 PCIe 40GB", twofold, 4},
        {"A100 PCIe 40GB", special, 8},
        {"A100 PCIe 40GB", tensor, 8},
        {"GeForce RTX 3090", integer, 2},
        {"GeForce RTX 3090", special, 8},
        // Two units of 16 lanes in a sub-core, which take turns.
        {"GeForce RTX 3090", single, 2, 1},
        {"H100 PCIe", integer, 2},
        {"H100 PCIe", single, 2, 1},
        {"H100 PCIe", twofold, 2},
        {"H100 PCIe", special, 8},
    };
    check_each(published, 1e-5, interval);
}

TEST_CASE("a chain takes the published latency, in whole cycles, or the interval") {
    const std::vector<figure> published{
        // Jia et al. 2019, tbl. 4.1.
        {"Tesla P100 PCIe 16GB", integer, 6},
        {"Tesla P100 PCIe 16GB", twofold, 8},
        {"Tesla P100 PCIe 16GB", special, 14},
        {"Tesla V100 PCIe", integer, 4},
        {"Tesla V100 PCIe", single, 4},
        {"Tesla V100 PCIe", twofold, 8},
        // Arafa et al. 2019 have 23 for rcp.approx.f32, which is what a stream's instruction is.
        {"Tesla V100 PCIe", special, 14, 23},
        {"Tesla T4", integer, 4},
        {"Tesla T4", single, 4},
        {"Tesla T4", twofold, 48},
        {"Tesla T4", special, 15},
        {"Tesla T4", shared, 19},  // tbl. 3.1
        // Abdelkhalik et al. 2022; tensor cores: Sun et al. 2023, tbl. 3; shared memory: Luo et al. 2024, tbl. IV.
        {"A100 PCIe 40GB", integer, 4},
        {"A100 PCIe 40GB", single, 4},
        {"A100 PCIe 40GB", tensor, 24.7},
        {"A100 PCIe 40GB", shared, 29},
        // Jarmusch et al. 2025, tbl. III; Luo et al. 2024, tbl. VII and IV, on the H800.
        {"H100 PCIe", integer, 4},
        {"H100 PCIe", twofold, 8.04, 8},
        {"H100 PCIe", tensor, 24.1},
        {"H100 PCIe", shared, 29},
        // Steinmarder, on an RTX 4070 Ti; Luo et al. 2024, tbl. VII.
        {"GeForce RTX 4090", twofold, 48.47},
        {"GeForce RTX 4090", special, 17.56},
        {"GeForce RTX 4090", tensor, 24.6},
    };
    check_each(published, 1e-5, latency, [](double cycles) { return std::ceil(cycles); });
}

}  // namespace published_intervals_test
