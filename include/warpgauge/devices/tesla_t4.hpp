// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_DEVICES_TESLA_T4_HPP
#define WARPGAUGE_DEVICES_TESLA_T4_HPP

#include <array>
#include <string_view>

#include <warpgauge/devices/architectures.hpp>

namespace WARPGAUGE_NAMESPACE::devices {

/// Turing TU104 of 2018, a board of 70 W, compute capability 7.5.
struct tesla_t4 : tu104_chip {
    static constexpr std::string_view name = "Tesla T4";
    static constexpr std::array<std::string_view, 1> aliases{"t4"};

    static constexpr double clock_hz = 1.59e9;  // deviceQuery output; Jia et al. 2019, tbl. 3.1
    // DeviceQuery output: 5001 MHz, 256 bit; some of NVIDIA's pages have 300.
    static constexpr double dram_bytes_per_s = 320.06e9;
    // Jia et al. 2019, "Dissecting the NVidia Turing T4 GPU via Microbenchmarking", tbl. 3.1 and fig. 3.5.
    static constexpr double dram_latency_cycles =
        296;  // fig. 3.5: a hit in the TLB; 616 with a miss
    static constexpr double dram_read_fraction = 220e9 / 320e9;  // "actual" of "theoretical"
    // Fitted to the largest element-wise additions and to the products of NeuSight (Lee et al. 2025).
    static constexpr double dram_mixed_fraction = 0.76;
    static constexpr double sustained_clock_hz = 0.83e9;  // at the limit of 70 W

    static constexpr double board_power_w = 70;  // NVIDIA, T4 data sheet
};

}  // namespace WARPGAUGE_NAMESPACE::devices

#endif
