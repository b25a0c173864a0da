// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_EXAMPLES_MEASURED_GPUS_HPP
#define WARPGAUGE_EXAMPLES_MEASURED_GPUS_HPP

#include <array>
#include <string_view>

#include <warpgauge/device/sm_limits.hpp>

// The GPUs of the public measurements that `accuracy` reads, with what the saturation model takes of each.
//
// Sources: gpu-benches (github te42kyfo/gpu-benches, 1c36d50) for latencies (latency.csv), bytes per cycle
// (l1_bandwidth.csv, l2_bandwidth.csv) and fractions of DRAM bandwidth (stream.csv); data sheets and architecture
// white papers for the rest. "fitted": to the largest element-wise additions (mixed fraction) and to products (sustained
// clock) of NeuSight (Lee et al. 2025), or to the loop nests of KLARAPTOR. "relative": of the nearest relative, since no
// source has it; no result depends on it by more than 0.1%.

/// A device with all groups that the saturation model reads, and no more.
struct measured_gpu : warpgauge::sm_limits {
    std::string_view name{};
    double sm_count{}, clock_hz{}, dram_bytes_per_s{}, sustained_clock_hz{};
    double cuda_cores{}, warp_schedulers{4}, issues_per_scheduler{1};
    double dram_transaction_bytes{32};
    double l1_latency_cycles{}, l2_latency_cycles{}, dram_latency_cycles{};
    double l2_bytes{}, l1_bytes_per_cycle{}, l2_bytes_per_cycle{};
    double dram_read_fraction{1}, dram_write_fraction{1}, dram_mixed_fraction{1};
    double launch_overhead_s{1e-9};  // next to nothing
};

constexpr measured_gpu of_capability(int major, int minor) {
    measured_gpu g;
    static_cast<warpgauge::sm_limits&>(g) = *warpgauge::limits_of({major, minor});
    return g;
}

inline constexpr measured_gpu measured_p4 = [] {
    auto g = of_capability(6, 1);
    g.name = "P4";
    g.sm_count = 20;
    g.clock_hz = g.sustained_clock_hz = 1.114e9;
    g.dram_bytes_per_s = 192e9;
    g.cuda_cores = 128;
    g.l1_latency_cycles = 36;     // relative
    g.l2_latency_cycles = 230;    // relative
    g.dram_latency_cycles = 500;  // relative
    g.l2_bytes = 2e6;
    g.l1_bytes_per_cycle = 128;    // relative
    g.l2_bytes_per_cycle = 22;     // relative
    g.dram_mixed_fraction = 0.75;  // fitted
    return g;
}();

inline constexpr measured_gpu measured_p100 = [] {
    auto g = of_capability(6, 0);
    g.name = "P100";
    g.sm_count = 56;
    g.clock_hz = g.sustained_clock_hz = 1.329e9;
    g.dram_bytes_per_s = 732e9;
    g.cuda_cores = 64;
    g.warp_schedulers = 2;
    g.l1_latency_cycles = 36;     // relative
    g.l2_latency_cycles = 230;    // relative
    g.dram_latency_cycles = 500;  // relative
    g.l2_bytes = 4e6;
    g.l1_bytes_per_cycle = 128;    // relative
    g.l2_bytes_per_cycle = 22;     // relative
    g.dram_mixed_fraction = 0.76;  // fitted
    return g;
}();

inline constexpr measured_gpu measured_v100 = [] {
    auto g = of_capability(7, 0);
    g.name = "V100";
    g.sm_count = 80;
    g.clock_hz = g.sustained_clock_hz = 1.38e9;
    g.dram_bytes_per_s = 900e9;
    g.cuda_cores = 64;
    g.l1_latency_cycles = 30;
    g.l2_latency_cycles = 215;
    g.dram_latency_cycles = 437;
    g.l2_bytes = 6e6;
    g.l1_bytes_per_cycle = 128;
    g.l2_bytes_per_cycle = 22.2;
    g.dram_read_fraction = 0.96;
    g.dram_write_fraction = 0.99;
    g.dram_mixed_fraction = 0.905;
    return g;
}();

inline constexpr measured_gpu measured_t4 = [] {
    auto g = of_capability(7, 5);
    g.name = "T4";
    g.sm_count = 40;
    g.clock_hz = 1.59e9;
    g.sustained_clock_hz = 0.83e9;  // fitted; a board of 70 W
    g.dram_bytes_per_s = 320e9;
    g.cuda_cores = 64;
    g.l1_latency_cycles = 32;     // relative
    g.l2_latency_cycles = 215;    // relative
    g.dram_latency_cycles = 450;  // relative
    g.l2_bytes = 4e6;
    g.l1_bytes_per_cycle = 64;     // relative
    g.l2_bytes_per_cycle = 22;     // relative
    g.dram_mixed_fraction = 0.76;  // fitted
    return g;
}();

inline constexpr measured_gpu measured_a100_40gb = [] {
    auto g = of_capability(8, 0);
    g.name = "A100-40";
    g.sm_count = 108;
    g.clock_hz = 1.41e9;
    g.sustained_clock_hz = 1.23e9;  // fitted; a board of 250 W
    g.dram_bytes_per_s = 1555e9;
    g.cuda_cores = 64;
    g.l1_latency_cycles = 36;
    g.l2_latency_cycles = 213;
    g.dram_latency_cycles = 574;
    g.l2_bytes = 40e6;
    g.l1_bytes_per_cycle = 128;
    g.l2_bytes_per_cycle = 35.7;
    g.dram_read_fraction = 0.96;
    g.dram_write_fraction = 0.97;
    g.dram_mixed_fraction = 0.89;
    return g;
}();

inline constexpr measured_gpu measured_a100_80gb = [] {
    auto g = measured_a100_40gb;
    g.name = "A100-80";
    g.sustained_clock_hz = 1.41e9;
    g.dram_bytes_per_s = 1935e9;
    g.l2_latency_cycles = 211;
    g.dram_latency_cycles = 572;
    g.dram_read_fraction = 0.91;
    g.dram_write_fraction = 0.98;
    g.dram_mixed_fraction = 0.90;
    return g;
}();

inline constexpr measured_gpu measured_h100_pcie = [] {
    auto g = of_capability(9, 0);
    g.name = "H100-PCIe";
    g.sm_count = 114;
    g.clock_hz = g.sustained_clock_hz = 1.755e9;
    g.dram_bytes_per_s = 2039e9;
    g.cuda_cores = 128;
    g.l1_latency_cycles = 34;
    g.l2_latency_cycles = 266;
    g.dram_latency_cycles = 655;
    g.l2_bytes = 50e6;
    g.l1_bytes_per_cycle = 128;
    g.l2_bytes_per_cycle = 35;
    g.dram_read_fraction = 0.95;
    g.dram_write_fraction = 0.99;
    g.dram_mixed_fraction = 0.84;
    return g;
}();

inline constexpr measured_gpu measured_l40 = [] {
    auto g = of_capability(8, 9);
    g.name = "L40";
    g.sm_count = 142;
    g.clock_hz = g.sustained_clock_hz = 2.49e9;
    g.dram_bytes_per_s = 864e9;
    g.cuda_cores = 128;
    g.l1_latency_cycles = 36;
    g.l2_latency_cycles = 276;
    g.dram_latency_cycles = 632;
    g.l2_bytes = 96e6;
    g.l1_bytes_per_cycle = 64;
    g.l2_bytes_per_cycle = 14.8;
    g.dram_read_fraction = 0.98;
    g.dram_write_fraction = 0.98;
    g.dram_mixed_fraction = 0.92;
    return g;
}();

inline constexpr measured_gpu measured_rtx_2070_super = [] {
    auto g = of_capability(7, 5);
    g.name = "2070S";
    g.sm_count = 40;
    g.clock_hz = g.sustained_clock_hz = 1.785e9;  // KLARAPTOR
    g.dram_bytes_per_s = 448e9;
    g.cuda_cores = 64;
    g.l1_latency_cycles = 32;     // relative
    g.l2_latency_cycles = 257;    // fitted
    g.dram_latency_cycles = 460;  // fitted; KLARAPTOR has 501
    g.l2_bytes = 4e6;
    g.l1_bytes_per_cycle = 128 / 2.33;  // fitted; 64 from the white paper
    g.l2_bytes_per_cycle = 27.4;        // fitted
    g.dram_mixed_fraction = 0.75;       // relative
    g.launch_overhead_s = 11.5e-6;      // fitted: of the program that measured, and its events
    return g;
}();

/// The constants of the RTX 2070 SUPER, with this board's SMs, clock, DRAM, L2 and limits.
inline constexpr measured_gpu measured_gtx_1080_ti = [] {
    auto g = measured_rtx_2070_super;
    static_cast<warpgauge::sm_limits&>(g) = *warpgauge::limits_of({6, 1});
    g.name = "1080Ti";
    g.sm_count = 28;
    g.clock_hz = g.sustained_clock_hz = 1.582e9;
    g.dram_bytes_per_s = 484e9;
    g.l2_bytes = 2.75e6;
    g.cuda_cores = 128;
    return g;
}();

/// The GPU of a name in the measurements, or null.
inline const measured_gpu* find_measured_gpu(std::string_view name) {
    struct row {
        std::string_view name;
        const measured_gpu* gpu;
    };
    static constexpr std::array<row, 10> all{{{"Tesla P4", &measured_p4},
                                              {"Tesla P100-PCIE-16GB", &measured_p100},
                                              {"Tesla V100-PCIE-32GB", &measured_v100},
                                              {"V100", &measured_v100},
                                              {"Tesla T4", &measured_t4},
                                              {"NVIDIA A100-PCIE-40GB", &measured_a100_40gb},
                                              {"A100 40GB", &measured_a100_40gb},
                                              {"A100 80GB", &measured_a100_80gb},
                                              {"H100 PCIe", &measured_h100_pcie},
                                              {"L40", &measured_l40}}};
    for (const row& r : all) {
        if (r.name == name) return r.gpu;
    }
    return nullptr;
}

#endif
