// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_DEVICES_RADEON_RX_6900_XT_HPP
#define WARPGAUGE_DEVICES_RADEON_RX_6900_XT_HPP

#include <array>
#include <string_view>

#include <warpgauge/devices/architectures.hpp>

namespace WARPGAUGE_NAMESPACE::devices {

/// RDNA 2 of 2020 (gfx1030): waves of 32. Behind its L2 is a cache of 128 MiB.
struct radeon_rx_6900_xt : rdna_cu<amd_processor::gfx1030> {
    static constexpr std::string_view name = "Radeon RX 6900 XT";
    static constexpr std::array<std::string_view, 3> aliases{"AMD Radeon RX 6900 XT", "rx6900xt",
                                                             "6900xt"};

    // AMD ROCm documentation, accelerator specifications: compute units.
    static constexpr double sm_count = 80;
    static constexpr double clock_hz = 2.25e9;         // AMD, product page: boost
    static constexpr double dram_bytes_per_s = 512e9;  // AMD, product page
    // AMD ROCm documentation, accelerator specifications.
    static constexpr double l2_bytes = 4194304;

    // gpu-benches 1c36d50: latency.csv rows 603 and 651, cycles of 2.57 GHz, stream.csv rows 188 (init), 189 (read),
    // 190 (scale; triad has 421 GB/s). Its rates of L1 and L2 are above what this clock allows, and are left out.
    static constexpr double l1_latency_cycles = 73.1;  // L0
    static constexpr double l2_latency_cycles = 207.2;
    static constexpr double dram_write_fraction = 499e9 / dram_bytes_per_s;
    static constexpr double dram_read_fraction = 502e9 / dram_bytes_per_s;
    static constexpr double dram_mixed_fraction = 456e9 / dram_bytes_per_s;

    static constexpr double board_power_w = 300;  // AMD, product page
};

}  // namespace WARPGAUGE_NAMESPACE::devices

#endif
