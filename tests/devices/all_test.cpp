// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

#include <warpgauge/models/hybrid.hpp>
#include <warpgauge/profiles/stream.hpp>
#include <warpgauge/warpgauge.hpp>

#include "any_gpu.hpp"

namespace all_test {

using namespace warpgauge;
using enum device_group;

namespace {

/// The name of the device that is found, if any.
std::string_view found_by(std::string_view name) {
    std::string_view found;
    const bool is_found = devices::visit(name, [&](const auto& d) { found = d.name; });
    CHECK(is_found == !found.empty());
    return found;
}

}  // namespace

TEST_CASE("devices are found by name, however it is written") {
    for (const std::string_view name :
         {"GeForce GTX 280", "geforce_gtx_280", "GEFORCE-GTX-280", " geforcegtx280 "}) {
        CHECK(found_by(name) == "GeForce GTX 280");
    }
    for (const std::string_view name : {"", "GTX 280", "GeForce GTX 28", "GeForce GTX 2800"}) {
        CHECK(found_by(name) == "");
    }
}

TEST_CASE("devices are found by what CUDA reports and by a short name") {
    struct known {
        std::string_view asked, device;
    };
    for (const known k : {known{"NVIDIA A100-SXM4-40GB", "A100 SXM4 40GB"},
                          {"a100", "A100 SXM4 40GB"},
                          {"NVIDIA A100 80GB PCIe", "A100 PCIe 80GB"},
                          {"NVIDIA H100 80GB HBM3", "H100 SXM5"},
                          {"h100", "H100 SXM5"},
                          {"NVIDIA H100 PCIe", "H100 PCIe"},
                          {"NVIDIA GeForce RTX 2070 SUPER", "GeForce RTX 2070 SUPER"},
                          {"Tesla V100-SXM2-16GB", "Tesla V100 SXM2"},
                          {"tesla_v100", "Tesla V100 SXM2"},
                          {"V100", "Tesla V100 SXM2"},
                          {"Tesla V100-PCIE-32GB", "Tesla V100 PCIe"},
                          {"Tesla K40c", "Tesla K40"},
                          {"k6000", "Quadro K6000"},
                          {"RTX 4090", "GeForce RTX 4090"},
                          {"Orin", "Jetson AGX Orin 64GB"}}) {
        CAPTURE(k.asked);
        CHECK(found_by(k.asked) == k.device);
    }
    CHECK(found_by("NVIDIA A100") == "");
    struct unnamed {
        std::string_view name = "of a user";  // aliases are optional
    };
    CHECK(devices::is_called(unnamed{}, "Of-a-user"));
    CHECK_FALSE(devices::is_called(unnamed{}, ""));
}

TEST_CASE("no name and no alias belongs to two devices") {
    std::vector<std::string_view> names;
    const auto check_names = [&](const std::vector<std::string_view>& own) {
        CAPTURE(own[0]);
        for (const std::string_view name : own) {
            CAPTURE(name);
            CHECK_FALSE(devices::same_name(name, ""));
            for (const std::string_view other : names) CHECK_FALSE(devices::same_name(name, other));
        }
        // An alias may repeat its own device's name, in the spelling of CUDA.
        names.insert(names.end(), own.begin(), own.end());
        CHECK(found_by(own[0]) == own[0]);
    };
    devices::for_each([&](const auto& d) {
        static_assert(has_chip<std::remove_cvref_t<decltype(d)>>);
        std::vector<std::string_view> own{d.name};
        own.insert(own.end(), d.aliases.begin(), d.aliases.end());
        check_names(own);
    });
}

TEST_CASE("every parameter of every device is in its range, whole where it has to be") {
    int count = 0;
    for (const any_gpu& d : all_gpus()) {
        ++count;
        CAPTURE(d.name);
        CHECK(d.clock_hz > 1e8);
        CHECK(d.dram_bytes_per_s > 1e10);
        for_each_parameter(d, [](device_parameter p, double value) {
            CAPTURE(info(p).name);
            switch (info(p).range) {
                case parameter_range::positive: CHECK(value > 0); break;
                case parameter_range::non_negative: CHECK(value >= 0); break;
                case parameter_range::whole:
                    CHECK(value >= 1);
                    CHECK(static_cast<double>(static_cast<long long>(value)) == value);
                    break;
                case parameter_range::fraction: CHECK((value >= 0 && value <= 1)); break;
            }
        });
    }
    CHECK(count == 42);
}

TEST_CASE("pipes are what lanes and banks say") {
    int count = 0;
    for (const any_gpu& d : all_gpus()) {
        if (d.knows(pipes)) {
            ++count;
            CAPTURE(d.name);
            CHECK((d.knows(load_store) && d.knows(shared_bandwidth)));
            CHECK(d.memory_instruction_cycles == d.warp_size / d.load_store_units);
            CHECK(d.shared_pass_cycles == 32 * 4 / d.shared_bytes_per_cycle);
            CHECK((d.branch_cycles == 17 || d.branch_cycles == 18));
        }
    }
    CHECK(count == 18);
}

TEST_CASE("caches and bandwidths are in order") {
    for (const any_gpu& d : all_gpus()) {
        CAPTURE(d.name);
        // L1 is what shared memory leaves of the two, but for 1 KiB at least.
        if (d.knows(l1_cache)) CHECK(d.l1_bytes_per_sm >= d.shared_bytes_per_sm + 1024);
        if (d.knows(l2_cache)) CHECK(d.l2_bytes >= d.sm_count * 1024);
        if (d.knows(shared_latency) && d.knows(l1_latency)) {
            CHECK(d.shared_latency_cycles <= d.l1_latency_cycles);
        }
        if (d.knows(l1_latency) && d.knows(l2_latency)) {
            CHECK(d.l1_latency_cycles < d.l2_latency_cycles);
        }
        if (d.knows(l2_latency) && d.knows(dram_latency)) {
            CHECK(d.l2_latency_cycles < d.dram_latency_cycles + 40);  // M2090: 175 and 140
        }
        if (d.knows(l1_bandwidth)) {
            CHECK(d.l1_bytes_per_cycle <= 128);
            CHECK(d.l1_bytes_per_cycle >= 50);
            if (d.knows(l2_bandwidth)) CHECK(d.l2_bytes_per_cycle < d.l1_bytes_per_cycle);
        }
        if (d.knows(l2_bandwidth)) {
            CHECK(d.l2_bytes_per_cycle * d.sm_count * d.clock_hz > d.dram_bytes_per_s);
        }
        if (d.knows(sustained_clock)) CHECK(d.sustained_clock_hz <= d.clock_hz);
    }
}

TEST_CASE("the data sheet's rates follow from lanes, SMs and clock") {
    // Peak in single precision in TFLOP/s and DRAM in GB/s as the data sheet or product page has them; then by how
    // much the device may differ, above 1% with a reason.
    struct sheet {
        std::string_view device;
        double tflops, gbytes_per_s, tflops_within = 0.01, gbytes_within = 0.01;
    };
    constexpr sheet sheets[] = {
        {"Tesla P100 PCIe 16GB", 9.3, 732, 0.025},  // the sheet's clock is 1.303 GHz
        {"Tesla P4", 5.5, 192, 0.04},               // the sheet's clock is 1.063 GHz
        {"GeForce GTX 1080 Ti", 11.3, 484},
        {"Tesla V100 SXM2", 15.7, 900},
        {"Tesla V100 PCIe", 14, 900},
        {"Tesla T4", 8.1, 320},
        {"GeForce RTX 2080 Ti", 13.4, 616},
        {"GeForce RTX 2070 SUPER", 9.06, 448},
        {"A100 SXM4 40GB", 19.5, 1555},
        {"A100 PCIe 40GB", 19.5, 1555},
        {"A100 SXM4 80GB", 19.5, 2039},
        {"A100 PCIe 80GB", 19.5, 1935},
        {"GeForce RTX 3090", 35.6, 936},
        {"A40", 37.4, 696},
        {"RTX A4000", 19.2, 448},
        {"RTX A6000", 38.7, 768},
        {"Jetson AGX Orin 64GB", 5.3, 204.8},
        {"H100 SXM5", 66.9, 3350},
        {"H100 PCIe", 51, 2000, 0.01, 0.02},  // the sheet rounds 2039
        {"GeForce RTX 4090", 82.6, 1008},
        {"L40", 90.5, 864},
        {"L4", 30.3, 300},
        {"L40S", 91.6, 864},
        {"H200", 67, 4800},
        {"B200", 75, 8000, 0.01, 0.045},  // the driver has 7672
        {"Instinct MI100", 23.1, 1229},
        {"Radeon RX 6900 XT", 23.04, 512},
        {"Instinct MI250X, one die", 47.9 / 2, 3277 / 2.0},
        {"Instinct MI210", 22.6, 1638},
        {"Radeon RX 7900 XTX", 61.4 / 2, 960},  // the sheet counts dual issue
        {"Instinct MI300X", 163.4, 5300},
        {"GeForce RTX 5080", 56.3, 960},
        {"GeForce RTX 5090", 104.8, 1792}};
    int found = 0;
    for (const any_gpu& d : all_gpus()) {
        for (const sheet& s : sheets) {
            if (s.device != d.name) continue;
            ++found;
            CAPTURE(d.name);
            if (d.knows(cores)) {
                const double tflops = d.sm_count * d.cuda_cores * 2 * d.clock_hz / 1e12;
                CHECK(tflops == doctest::Approx(s.tflops).epsilon(s.tflops_within));
            }
            CHECK(d.dram_bytes_per_s / 1e9 ==
                  doctest::Approx(s.gbytes_per_s).epsilon(s.gbytes_within));
        }
    }
    CHECK(found == static_cast<int>(std::size(sheets)));
}

TEST_CASE("rates in double precision and of tensor cores follow from lanes, SMs and clock") {
    // Double precision, and dense half precision on tensor cores in TFLOP/s, 0 where there is no rate, as the data
    // sheet, the white paper or TechPowerUp's database has them; then the clock of the tensor rate where it is another
    // (OpenXLA target_config, h100_sxm, h100_pcie, b200; L40S data sheet).
    struct sheet {
        std::string_view device;
        double double_tflops, tensor_tflops, tensor_ghz = 0;
    };
    constexpr sheet sheets[] = {{"Tesla P100 PCIe 16GB", 4.76, 0},
                                {"Tesla P4", 0.18, 0},
                                {"GeForce GTX 1080 Ti", 0.35, 0},
                                {"Tesla V100 SXM2", 7.83, 125},
                                {"Tesla V100 PCIe", 7.07, 112},
                                {"Tesla T4", 0.25, 65},
                                {"GeForce RTX 2080 Ti", 0, 107.6},
                                {"GeForce RTX 2070 SUPER", 0.28, 0},
                                {"A100 SXM4 40GB", 9.7, 312},
                                {"A100 PCIe 40GB", 9.7, 312},
                                {"A100 SXM4 80GB", 9.7, 312},
                                {"A100 PCIe 80GB", 9.7, 312},
                                {"GeForce RTX 3090", 0.56, 142},
                                {"A40", 0.58, 149.7},
                                {"RTX A4000", 0.30, 153.4 / 2},
                                {"RTX A6000", 0.60, 154.8},
                                {"H100 SXM5", 34, 989.4, 1.82952},
                                {"H100 PCIe", 26, 756, 1.62162},
                                {"H200", 34, 989.4, 1.82952},
                                {"GeForce RTX 4090", 1.29, 330.3},
                                {"L4", 0, 121},
                                {"L40S", 0, 362.05, 2.49},
                                {"B200", 37, 2250, 1.83531},
                                {"GeForce RTX 5080", 0, 225.1},
                                {"GeForce RTX 5090", 0, 419},
                                {"Instinct MI100", 11.5, 0},
                                {"Instinct MI210", 22.6, 0},
                                {"Instinct MI250X, one die", 47.9 / 2, 0},
                                {"Instinct MI300X", 81.7, 0}};
    int found = 0;
    devices::for_each([&]<class D>(const D& d) {
        for (const sheet& s : sheets) {
            if (s.device != d.name) continue;
            ++found;
            CAPTURE(d.name);
            if constexpr (has_double_precision<D>) {
                const double tflops = d.sm_count * d.double_precision_units * 2 * d.clock_hz / 1e12;
                if (s.double_tflops > 0) {
                    CHECK(tflops == doctest::Approx(s.double_tflops).epsilon(0.025));
                }
            } else {
                CHECK(s.double_tflops == 0);
            }
            if constexpr (has_tensor<D>) {
                const double hz = s.tensor_ghz > 0 ? s.tensor_ghz * 1e9 : d.clock_hz;
                const double tflops = d.sm_count * d.tensor_fma_per_cycle * 2 * hz / 1e12;
                if (s.tensor_tflops > 0) {
                    CHECK(tflops == doctest::Approx(s.tensor_tflops).epsilon(0.015));
                }
            } else {
                CHECK(s.tensor_tflops == 0);
            }
        }
    });
    CHECK(found == static_cast<int>(std::size(sheets)));
}

TEST_CASE("DRAM bandwidth is bus width times data rate") {
    // Bits of the bus, and GT/s of a pin: deviceQuery outputs have half of it as the memory clock; where there is none, the
    // data sheet or the architecture's white paper. HBM3e of the H200 is in neither.
    struct memory {
        std::string_view device;
        double bus_bits, data_rate, within = 0.001;
    };
    constexpr memory memories[] = {{"GeForce 8800 GTX", 384, 1.8},
                                   {"Quadro FX 5600", 384, 1.6},
                                   {"GeForce 8800 GT", 256, 1.8},
                                   {"GeForce GTX 280", 512, 2.214},
                                   {"Tesla M2090", 384, 3.7, 0.004},  // the paper rounds
                                   {"Tesla K40", 384, 6.008, 0.002},
                                   {"Tesla P100 PCIe 16GB", 4096, 2 * 0.715},
                                   {"Tesla P4", 256, 2 * 3.003},
                                   {"GeForce GTX 1080 Ti", 352, 2 * 5.505},
                                   {"Tesla V100 SXM2", 4096, 2 * 0.877, 0.0025},  // 900, rounded
                                   {"Tesla V100 PCIe", 4096, 2 * 0.877},
                                   {"Tesla T4", 256, 2 * 5.001},
                                   {"GeForce RTX 2080 Ti", 352, 2 * 7.0},
                                   {"GeForce RTX 2070 SUPER", 256, 2 * 7.001},
                                   {"A100 SXM4 40GB", 5120, 2 * 1.215},
                                   {"A100 PCIe 40GB", 5120, 2 * 1.215},
                                   {"A100 SXM4 80GB", 5120, 2 * 1.593},
                                   {"A100 PCIe 80GB", 5120, 2 * 1.512},
                                   {"GeForce RTX 3090", 384, 2 * 9.751},
                                   {"A40", 384, 2 * 7.251},
                                   {"RTX A4000", 256, 2 * 7.001},
                                   {"RTX A6000", 384, 2 * 8.001},
                                   {"Jetson AGX Orin 64GB", 256, 6.4},
                                   {"H100 SXM5", 5120, 2 * 2.619},
                                   {"H100 PCIe", 5120, 2 * 1.593},
                                   {"GeForce RTX 4090", 384, 2 * 10.501},
                                   {"L40", 384, 18},
                                   {"L4", 192, 2 * 6.251},
                                   {"L40S", 384, 2 * 9.001},
                                   {"B200", 7680, 2 * 3.996},
                                   {"Instinct MI100", 4096, 2 * 1.2},
                                   {"Radeon RX 6900 XT", 256, 16},
                                   {"Instinct MI250X, one die", 4096, 3.2},
                                   {"Instinct MI210", 4096, 2 * 1.6},
                                   {"Radeon RX 7900 XTX", 384, 20},
                                   {"Instinct MI300X", 8192, 5.2, 0.005},  // the sheet rounds
                                   {"GeForce RTX 5080", 256, 30},
                                   {"GeForce RTX 5090", 512, 2 * 14.001}};
    int found = 0;
    for (const any_gpu& d : all_gpus()) {
        for (const memory& m : memories) {
            if (m.device != d.name) continue;
            ++found;
            CAPTURE(d.name);
            CHECK(d.dram_bytes_per_s / 1e9 ==
                  doctest::Approx(m.bus_bits * m.data_rate / 8).epsilon(m.within));
        }
    }
    CHECK(found == static_cast<int>(std::size(memories)));
}

TEST_CASE("issue, schedulers and lanes agree") {
    for (const any_gpu& d : all_gpus()) {
        CAPTURE(d.name);
        if (d.knows(issue)) {
            // A warp instruction of 32 lanes at a time: multiply-adds alone reach the data sheet's rate.
            // The MI300X counts two operations in each of 64 lanes.
            const double lanes = d.name == "Instinct MI300X" ? d.cuda_cores / 2 : d.cuda_cores;
            CHECK(d.warp_size / d.issue_cycles >= lanes);
            if (d.knows(schedulers)) {
                CHECK(d.issue_cycles * d.warp_schedulers == 1);
            } else {  // one scheduler, whose instruction the lanes take turns at
                CHECK(d.issue_cycles == d.warp_size / lanes);
            }
        }
        if (d.knows(schedulers) && d.knows(cores)) {
            const double issued = d.warp_schedulers * d.issues_per_scheduler * d.warp_size;
            // Kepler's fourth of six groups of lanes takes pairs of independent instructions.
            CHECK(issued >= d.cuda_cores);
            if (d.knows(load_store)) CHECK(issued >= d.load_store_units);
            if (d.knows(special_functions)) CHECK(d.special_function_units <= d.cuda_cores);
            if (d.knows(double_precision)) CHECK(d.double_precision_units <= d.cuda_cores);
        }
        if (d.knows(arithmetic_latency) && d.knows(special_function_latency)) {
            CHECK(d.integer_latency_cycles <= d.special_function_latency_cycles);
        }
        if (d.knows(arithmetic_latency) && d.knows(double_precision_latency)) {
            CHECK(d.single_precision_latency_cycles <= d.double_precision_latency_cycles);
        }
    }
}

namespace {

void check_same_sm(const any_gpu& one, const any_gpu& other) {
    const auto both_know = [&](device_group g) { return one.knows(g) && other.knows(g); };
    if (both_know(architecture) && both_know(cores)) {
        if (!(one.capability == other.capability)) return;
        CAPTURE(one.name);
        CAPTURE(other.name);
        CHECK(one.cuda_cores == other.cuda_cores);
        if (both_know(schedulers)) {
            CHECK(one.warp_schedulers == other.warp_schedulers);
        }
        if (both_know(arithmetic_latency)) {
            CHECK(one.integer_latency_cycles == other.integer_latency_cycles);
        }
        if (both_know(special_function_latency)) {
            CHECK(one.special_function_latency_cycles == other.special_function_latency_cycles);
        }
        if (both_know(shared_latency)) {
            CHECK(one.shared_latency_cycles == other.shared_latency_cycles);
        }
    }
}

}  // namespace

TEST_CASE("GPUs of one compute capability have the same SM") {
    const std::vector<any_gpu> gpus = all_gpus();
    for (const any_gpu& one : gpus) {
        for (const any_gpu& other : gpus) {
            constexpr std::string_view never_built = "Pascal, as projected";
            if (one.name != never_built && other.name != never_built) check_same_sm(one, other);
        }
    }
}

namespace {

// The groups of the list that a device lacks.
template <template <class> class... Groups>
std::string unknown_of(const any_gpu& d, group_list<Groups...>) {
    std::string names;
    ((names += knows<Groups>(d) ? "" : " " + std::string(name(Groups<double>::which))), ...);
    return names;
}

}  // namespace

TEST_CASE("every GPU from Volta on is taken by each of these models") {
    std::string unknown;  // what some streams need and no source known to us gives
    devices::for_each([&]<class D>(const D& d) {
        if constexpr (has_architecture<D>) {
            if constexpr (D::capability.major >= 7) {
                static_assert(occupancy_device<D> && roofline_device<D>);
                static_assert(makespan_device<D> && hybrid_device<D>);
                const std::string groups = unknown_of(any_gpu(d), stream_groups{});
                if (!groups.empty()) unknown += std::string(d.name) + ":" + groups + "\n";
            }
        }
    });
    CHECK(unknown ==
          "Tesla V100 SXM2: tensor_latency\n"
          "Tesla V100 PCIe: tensor_latency\n"
          "GeForce RTX 3090: double_precision_latency tensor_latency\n"
          "RTX A6000: double_precision_latency tensor_latency\n"
          "A40: double_precision_latency tensor_latency\n"
          "RTX A4000: double_precision_latency tensor_latency\n"
          "Jetson AGX Orin 64GB: tensor tensor_latency\n"
          "L40: tensor\n"
          "L4: l2_latency dram_latency\n"
          "H200: dram_latency\n"
          "B200: special_function_latency tensor_latency shared_latency\n"
          "GeForce RTX 5080: double_precision_latency\n"
          "GeForce RTX 5090: double_precision_latency\n");
}

TEST_CASE("which groups each device has") {
    std::string table;
    devices::for_each([&]<class D>(const D& d) {
        const auto mark = [&](bool has, char c) { table += has ? c : '.'; };
        mark(has_residency<D>, 'o');
        mark(has_issue<D>, 'i');
        mark(has_departures<D>, 'd');
        mark(has_computation_costs<D>, 'c');
        mark(has_stencil_timing<D>, 's');
        mark(has_cores<D>, 'f');
        mark(has_double_precision<D>, 'd');
        mark(has_special_functions<D>, 's');
        mark(has_load_store<D>, 'l');
        mark(has_integers<D>, 'i');
        mark(has_tensor<D>, 't');
        mark(has_schedulers<D>, 'w');
        mark(has_pipes<D>, 'p');
        table += ' ';  // latencies
        mark(has_arithmetic_latency<D>, 'a');
        mark(has_double_precision_latency<D>, 'd');
        mark(has_special_function_latency<D>, 'f');
        mark(has_shared_latency<D>, 's');
        mark(has_l1_latency<D>, '1');
        mark(has_l2_latency<D>, '2');
        mark(has_dram_latency<D>, 'd');
        table += ' ';  // sizes, bytes in a cycle
        mark(has_l1_cache<D>, '1');
        mark(has_l2_cache<D>, '2');
        mark(has_shared_bandwidth<D>, 's');
        mark(has_l1_bandwidth<D>, '1');
        mark(has_l2_bandwidth<D>, '2');
        table += ' ';  // fractions of DRAM, board
        mark(has_dram_read<D>, 'r');
        mark(has_dram_write<D>, 'w');
        mark(has_dram_mixed<D>, 'm');
        mark(has_sustained_clock<D>, 'c');
        mark(has_launch_overhead<D>, 'l');
        mark(has_board_power<D>, 'p');
        table += ' ';
        table += d.name;
        table += '\n';
    });
    CHECK("\n" + table == R"(
oid..f....... ......d ..... ...... GeForce 8800 GTX
oid..f....... ......d ..... ...... Quadro FX 5600
oid..f....... ......d ..... ...... GeForce 8800 GT
oid.sf....... ......d ..... ...... GeForce GTX 280
o..c.f....... ....... ..... ...... GeForce GTX 260
o....fdsl..w. adfs12d ..... ...... Tesla M2090
o....fdsl..w. adfs12d ..... ...... Tesla K40
o....fdsl..w. adfs12d ..... ...... Quadro K6000
o....fdsl..w. adfs12d ..... ...... Pascal, as projected
o....fdsl..w. adfs12. .2s.. r.m..p Tesla P100 PCIe 16GB
o....fds...w. adfs12. .2s.. r.m..p Tesla P4
oid..fds...w. adf...d .2s.. .....p GeForce GTX 1080 Ti
o....fdslitw. adfs12d 12s1. .....p Tesla V100 SXM2
o....fdslitw. adfs12d 12s12 rwmc.p Tesla V100 PCIe
o....fdslitwp adfs12d 12s1. r.mc.p Tesla T4
o....fdslitwp adfs12d 12s12 rw...p GeForce RTX 2080 Ti
oid..fdslitwp adfs12d 12s1. .....p GeForce RTX 2070 SUPER
o....fdslitwp adfs12d 12s12 rwm..p A100 SXM4 40GB
o....fdslitwp adfs12d 12s12 r.mc.p A100 PCIe 40GB
o....fdslitwp a.fs12d 12s1. r....p GeForce RTX 3090
o....fdslitwp a.fs12d 12s1. .....p RTX A6000
o....fdslitwp a.fs12d 12s12 ....lp A40
o....fdslitwp adfs12d 12s12 .....p A100 SXM4 80GB
oi...fd...... ...s12d .2.12 r....p Instinct MI100
o....f.....w. ....12. .2... rwm..p Radeon RX 6900 XT
o....fdslitwp a.fs12d 12s1. .....p RTX A4000
o....fdslitwp adfs12d 12s12 rwm.lp A100 PCIe 80GB
oi...fd...... ....... .2... ...... Instinct MI250X, one die
oi...fd...... ...s12d .2.12 rwm..p Instinct MI210
o....fdsli.w. adfs12d 12s12 .....p Jetson AGX Orin 64GB
o....fdslitwp adfs12d 12s1. rw...p H100 SXM5
o....fdslitwp adfs12d 12s12 rwm..p H100 PCIe
o....fdslitwp adfs12d 12s12 r....p GeForce RTX 4090
o....fdsli.wp adfs12d 12s12 rwm.lp L40
o....f.....w. ....... .2... .....p Radeon RX 7900 XTX
o....fdslitwp adfs1.. 12s.. .....p L4
o....fdslitwp adfs12d 12s.. .....p L40S
o....fdslitwp adfs12. 12s12 r...lp H200
oi...fd...... ...s12d ....2 rw...p Instinct MI300X
o....fdslitw. ad..12d 12s.. .....p B200
o....fdsl.tw. a.fs12d 12s.. .....p GeForce RTX 5080
o....fdsl.tw. a.fs12d 12s.. .....p GeForce RTX 5090
)");
}

TEST_CASE("parameters agree with the tables they come from") {
    using namespace devices;
    // Hong & Kim 2009, tbl. 3: cores and SMs of the chip; tbl. 6.
    static_assert(geforce_8800_gtx::sm_count * geforce_8800_gtx::cuda_cores == 128);
    static_assert(quadro_fx5600::sm_count * quadro_fx5600::cuda_cores == 128);
    static_assert(geforce_8800_gt::sm_count * geforce_8800_gt::cuda_cores == 112);
    static_assert(geforce_gtx_280::sm_count * geforce_gtx_280::cuda_cores == 240);
    static_assert(geforce_gtx_280::uncoalesced_departure_cycles == 40);
    static_assert(geforce_8800_gt::dram_latency_cycles == 420);
    // Cheng & Suda 2011, tbl. 2.
    static_assert(geforce_gtx_260::sm_count * geforce_gtx_260::cuda_cores == 192);
    // Chapuis et al. 2016, tbl. 1, "Max blocks" and "Max threads" per SMX.
    static_assert(tesla_m2090::max_blocks_per_sm == 8 &&
                  tesla_m2090::max_warps_per_sm * 32 == 1536);
    static_assert(tesla_k40::max_blocks_per_sm == 16 && tesla_k40::max_warps_per_sm * 32 == 2048);
    static_assert(quadro_k6000::clock_hz == 901.5e6 && quadro_k6000::issues_per_scheduler == 2);
    static_assert(pascal_projection::cuda_cores == 256);
    // Where the projection's own program has limits of an SM, compute capability 6.0 has the same.
    static_assert(
        pascal_projection::max_blocks_per_sm == pascal_projection::ppt.max_blocks_per_sm &&
        pascal_projection::max_warps_per_sm * 32 == pascal_projection::ppt.max_threads_per_sm &&
        pascal_projection::registers_per_sm == pascal_projection::ppt.registers_per_sm);
    // The paper's table 1 and the authors' program, where they agree.
    static_assert(tesla_m2090::ppt.sm_count == tesla_m2090::sm_count &&
                  tesla_m2090::ppt.clock_hz == tesla_m2090::clock_hz);
    static_assert(tesla_k40::ppt.double_precision_units == tesla_k40::double_precision_units &&
                  tesla_k40::ppt.issues_per_warp == tesla_k40::issues_per_scheduler);
}

TEST_CASE("which models take AMD's devices") {
    devices::for_each([](const auto& d) {
        using device = std::remove_cvref_t<decltype(d)>;
        if constexpr (requires { requires device::registers_go == register_rule::per_wave; }) {
            static_assert(occupancy_device<device> && roofline_device<device>);
            static_assert(!mwp_cwp_device<device> && !hybrid_device<device>);
            const auto roofs = roofline_of(d);
            REQUIRE(roofs);
            // A vector instruction of every lane and cycle: half of the data sheet's peak of multiply-adds.
            CHECK(roofs->instructions_per_s == d.sm_count * 64 * d.clock_hz);
        }
    });
    static_assert(saturation_device<devices::instinct_mi100>);
    static_assert(saturation_device<devices::instinct_mi210>);
    static_assert(saturation_device<devices::instinct_mi300x>);
    static_assert(!has_dram_latency<devices::instinct_mi250x>);  // no source
    static_assert(!has_dram_latency<devices::radeon_rx_6900_xt>);
    static_assert(!has_dram_latency<devices::radeon_rx_7900_xtx>);
    // A long stream on an MI210 takes what its bytes take at the measured fraction of the bandwidth, 1358 GB/s.
    const auto copy = profiles::stream({.elements = 1 << 27, .threads_per_block = 256});
    const auto e = saturation_model{devices::instinct_mi210{}}.predict(copy);
    REQUIRE(e);
    CHECK(e->resident_blocks_per_sm == 8);
    CHECK(e->which == saturation_term::dram);
    CHECK(e->seconds == doctest::Approx(16.0 * (1 << 27) / 1358e9).epsilon(0.06));
}

}  // namespace all_test
