// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_DEVICES_TESLA_P4_HPP
#define WARPGAUGE_DEVICES_TESLA_P4_HPP

#include <array>
#include <string_view>

#include <warpgauge/devices/architectures.hpp>

namespace WARPGAUGE_NAMESPACE::devices {

/// Pascal GP104 of 2016, a board of 75 W, compute capability 6.1.
struct tesla_p4 : gp10x_sm {
    static constexpr std::string_view name = "Tesla P4";
    static constexpr std::array<std::string_view, 1> aliases{"p4"};

    // Its data sheet has 5.5 TFLOP/s, that is 1.063 GHz; Jia et al. 2019 ran it at up to 1.531 GHz.
    // DeviceQuery output; tables with 40 count halves of 64 lanes.
    static constexpr double sm_count = 20;
    static constexpr double clock_hz = 1.114e9;          // deviceQuery output
    static constexpr double dram_bytes_per_s = 192.2e9;  // deviceQuery output: 3003 MHz, 256 bit
    static constexpr double l2_bytes = 2097152;  // deviceQuery output; Jia et al. 2019, tbl. 3.1

    // Jia et al. 2019, "Dissecting the NVidia Turing T4 GPU via Microbenchmarking", tbl. 3.1.
    static constexpr double shared_latency_cycles = 23;
    static constexpr double l1_latency_cycles = 82;
    static constexpr double l2_latency_cycles = 216;
    static constexpr double dram_read_fraction = 162e9 / 192e9;  // "actual" of "theoretical"
    // Fitted to the largest element-wise additions of NeuSight (Lee et al. 2025).
    static constexpr double dram_mixed_fraction = 0.75;

    // NVIDIA, Tesla P4 data sheet; a version of 50 W exists.
    static constexpr double board_power_w = 75;
};

}  // namespace WARPGAUGE_NAMESPACE::devices

#endif
