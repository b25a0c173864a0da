// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_DEVICES_GEFORCE_RTX_4090_HPP
#define WARPGAUGE_DEVICES_GEFORCE_RTX_4090_HPP

#include <array>
#include <string_view>

#include <warpgauge/devices/architectures.hpp>

namespace WARPGAUGE_NAMESPACE::devices {

/// Ada AD102 of 2022, compute capability 8.9.
struct geforce_rtx_4090 : ada_sm {
    static constexpr std::string_view name = "GeForce RTX 4090";
    static constexpr std::array<std::string_view, 3> aliases{"NVIDIA GeForce RTX 4090", "rtx4090",
                                                             "4090"};

    static constexpr double sm_count = 128;     // deviceQuery output; Luo et al. 2024, tbl. III
    static constexpr double clock_hz = 2.52e9;  // deviceQuery output; Luo et al. 2024, tbl. III
    static constexpr double dram_bytes_per_s = 1008.1e9;  // deviceQuery output: 10501 MHz, 384 bit
    static constexpr double l2_bytes = 75497472;          // deviceQuery output
    // NVIDIA, Ada architecture white paper: 330.3 TFLOP/s, dense, added up in half precision; half as many in single.
    static constexpr double tensor_fma_per_cycle = 512;

    // Luo et al. 2024, "Benchmarking and Dissecting the Nvidia Hopper GPU Architecture via Microbenchmarking",
    // tbl. IV and V: loads of 4 B; of 16 B L1 gives 121.2 and L2 1708.0 B in a cycle.
    static constexpr double l2_latency_cycles = 273.0;
    static constexpr double dram_latency_cycles = 541.5;
    static constexpr double l1_bytes_per_cycle = 63.7;
    static constexpr double l2_bytes_per_cycle = 1622.2 / sm_count;
    static constexpr double dram_read_fraction = 929.8e9 / 1008e9;

    static constexpr double board_power_w = 450;  // NVIDIA, product page
};

}  // namespace WARPGAUGE_NAMESPACE::devices

#endif
