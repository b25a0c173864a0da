// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The latencies of our GPUs beside what somebody else measured, as the table of docs/devices.md. It fails where the two
// differ by more than a factor that has no reason here.
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <string_view>

#include <warpgauge/devices/all.hpp>
#include <warpgauge/report/table.hpp>

namespace {

namespace report = warpgauge::report;

/// The same latency from somebody else.
struct second_source {
    std::string_view device, parameter;
    double cycles;
    std::string_view from;
    std::string_view why{};  ///< they differ; empty if they have to agree
};

/// Two sources may differ by as much without a reason; a reason that is not needed has to go.
constexpr double agreement = 1.25;

constexpr std::string_view luo = "Luo et al. 2024, tbl. IV";
constexpr std::string_view jia = "Jia et al. 2018";
constexpr std::string_view jia_t4 = "Jia et al. 2019, tbl. 3.1, T4";
constexpr std::string_view dewing = "AI_kernels (markdewing), latency";
constexpr std::string_view mt4g = "MT4G (TU Munich), sample_results";
constexpr std::string_view accel_sim = "Accel-Sim (Khairy et al. 2020), configuration";
constexpr std::string_view gpu_benches = "gpu-benches 1c36d50, latency.csv";
constexpr std::string_view gpu_benches_40 = "gpu-benches 1c36d50, latency.csv, A100 40GB";

constexpr std::string_view tlb = "misses of the TLB";

constexpr second_source sources[]{
    {"Tesla V100 SXM2", "l1_latency_cycles", 36, dewing,
     "consistently a few cycles more than others, says its author"},
    {"Tesla V100 SXM2", "l2_latency_cycles", 221, dewing},
    {"Tesla V100 SXM2", "dram_latency_cycles", 460, dewing},
    {"Tesla V100 SXM2", "special_function_latency_cycles", 20, accel_sim},
    {"Tesla V100 SXM2", "double_precision_latency_cycles", 8, accel_sim},
    {"Tesla V100 PCIe", "l1_latency_cycles", 28, jia},
    {"Tesla V100 PCIe", "l2_latency_cycles", 193, jia},
    {"Tesla V100 PCIe", "dram_latency_cycles", 375, jia},
    {"Tesla T4", "shared_latency_cycles", 23, "gpu-arch-microbenchmark (sjfeng1999), RTX 2070"},
    {"Tesla T4", "l1_latency_cycles", 32, "gpu-arch-microbenchmark (sjfeng1999), RTX 2070"},
    {"Tesla T4", "l2_latency_cycles", 236, "gpu-arch-microbenchmark (sjfeng1999), RTX 2070",
     "another chip"},
    {"Tesla T4", "special_function_latency_cycles", 21, "Accel-Sim, configuration of the RTX 2060",
     "ours is the instruction alone"},
    {"Tesla T4", "tensor_latency_cycles", 16, "Accel-Sim, configuration of the RTX 2060"},
    {"GeForce RTX 2080 Ti", "l2_latency_cycles", 188, jia_t4},
    {"A100 SXM4 40GB", "integer_latency_cycles", 4, accel_sim},
    {"A100 SXM4 40GB", "single_precision_latency_cycles", 4, accel_sim},
    {"A100 SXM4 40GB", "l1_latency_cycles", 36.0, gpu_benches_40},
    {"A100 SXM4 40GB", "l2_latency_cycles", 213.0, gpu_benches_40},
    {"A100 SXM4 40GB", "dram_latency_cycles", 573.3, gpu_benches_40},
    {"A100 PCIe 40GB", "l1_latency_cycles", 35,
     "MT4G (TU Munich), sample_results, read-only loads"},
    {"A100 PCIe 40GB", "l2_latency_cycles", 220.953, mt4g},
    {"A100 PCIe 40GB", "dram_latency_cycles", 640.112, mt4g, tlb},
    {"A100 SXM4 80GB", "l1_latency_cycles", 39, dewing},
    {"A100 SXM4 80GB", "l2_latency_cycles", 210, dewing},
    {"A100 SXM4 80GB", "dram_latency_cycles", 550, dewing},
    {"A100 SXM4 80GB", "shared_latency_cycles", 29,
     "Accel-Sim, configuration of the A100 PCIe 80GB"},
    {"A100 SXM4 80GB", "tensor_latency_cycles", 25,
     "Accel-Sim, configuration of the A100 PCIe 80GB"},
    {"GeForce RTX 3090", "l1_latency_cycles", 32, "Huerta et al. 2025, tbl. 2, RTX A6000"},
    {"GeForce RTX 3090", "l2_latency_cycles", 32 + 211,
     "Huerta et al. 2025, configuration of the RTX A6000"},
    {"GeForce RTX 3090", "dram_latency_cycles", 32 + 211 + 243,
     "Huerta et al. 2025, configuration of the RTX A6000"},
    {"RTX A4000", "l1_latency_cycles", 32, "Huerta et al. 2025, tbl. 2, RTX A6000"},
    {"GeForce RTX 4090", "l1_latency_cycles", 40, dewing},
    {"GeForce RTX 4090", "l2_latency_cycles", 296, dewing},
    {"GeForce RTX 4090", "dram_latency_cycles", 636, dewing},
    {"L40", "l1_latency_cycles", 43.4, "Luo et al. 2024, tbl. IV, RTX 4090"},
    {"L40", "l2_latency_cycles", 273.0, "Luo et al. 2024, tbl. IV, RTX 4090"},
    {"L40", "dram_latency_cycles", 541.5, "Luo et al. 2024, tbl. IV, RTX 4090"},
    {"H100 PCIe", "l1_latency_cycles", 40.7, "Luo et al. 2024, tbl. IV, H800"},
    {"H100 PCIe", "l2_latency_cycles", 263.0, "Luo et al. 2024, tbl. IV, H800"},
    {"H100 PCIe", "dram_latency_cycles", 478.8, "Luo et al. 2024, tbl. IV, H800", tlb},
    {"H100 PCIe", "integer_latency_cycles", 4, accel_sim},
    {"H100 PCIe", "single_precision_latency_cycles", 4, accel_sim},
    {"H100 PCIe", "double_precision_latency_cycles", 8, accel_sim},
    {"H100 SXM5", "shared_latency_cycles", 29.9, mt4g},
    {"H100 SXM5", "l1_latency_cycles", 40, dewing},
    {"H100 SXM5", "l2_latency_cycles", 291, dewing},
    {"H100 SXM5", "dram_latency_cycles", 700, dewing, tlb},
    {"GeForce RTX 5090", "l1_latency_cycles", 44, "AI_kernels (markdewing), RTX PRO 6000"},
    {"GeForce RTX 5090", "l2_latency_cycles", 352, "AI_kernels (markdewing), RTX PRO 6000"},
    {"GeForce RTX 5090", "dram_latency_cycles", 864, "AI_kernels (markdewing), RTX PRO 6000"},
    {"Instinct MI210", "l1_latency_cycles", 124, mt4g},
    {"Instinct MI210", "l2_latency_cycles", 302.149, mt4g, "not known"},
    {"Instinct MI210", "dram_latency_cycles", 740.883, mt4g},
};

double ours(const second_source& s) {
    double found = 0;
    warpgauge::devices::visit(s.device, [&](const auto& device) {
        warpgauge::for_each_parameter(device,
                                      [&](warpgauge::device_parameter p, const auto& value) {
                                          if (info(p).name == s.parameter)
                                              found = static_cast<double>(value);
                                      });
    });
    return found;
}

}  // namespace

int main() {
    report::table t(
        {"GPU", "parameter", "second source", "why they differ", "ours", "theirs", "factor"}, 4);
    bool agree = true;
    for (const second_source& s : sources) {
        const double here = ours(s);
        const double factor = std::max(here, s.cycles) / std::min(here, s.cycles);
        if (!(here > 0) || s.why.empty() != (factor <= agreement)) {
            std::cerr << s.device << ", " << s.parameter << ": " << here << " and " << s.cycles
                      << '\n';
            agree = false;
        }
        t.add({s.device, s.parameter, s.from, s.why, report::fixed(here, 1),
               report::fixed(s.cycles, 1), report::fixed(factor, 2)});
    }
    std::cout << report::markdown(t);
    return agree ? EXIT_SUCCESS : EXIT_FAILURE;
}
