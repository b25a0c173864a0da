// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_DEVICES_RADEON_RX_7900_XTX_HPP
#define WARPGAUGE_DEVICES_RADEON_RX_7900_XTX_HPP

#include <array>
#include <string_view>

#include <warpgauge/devices/architectures.hpp>

namespace WARPGAUGE_NAMESPACE::devices {

/// RDNA 3 of 2022 (gfx1100): waves of 32. Behind its L2 is a cache of 96 MiB.
struct radeon_rx_7900_xtx : rdna_cu<amd_processor::gfx1100> {
    static constexpr std::string_view name = "Radeon RX 7900 XTX";
    static constexpr std::array<std::string_view, 3> aliases{"AMD Radeon RX 7900 XTX", "rx7900xtx",
                                                             "7900xtx"};

    // AMD ROCm documentation, accelerator specifications: compute units.
    static constexpr double sm_count = 96;
    static constexpr double clock_hz = 2.5e9;          // AMD, product page: boost
    static constexpr double dram_bytes_per_s = 960e9;  // AMD, product page
    // AMD ROCm documentation, accelerator specifications.
    static constexpr double l2_bytes = 6291456;

    static constexpr double board_power_w = 355;  // AMD, product page
};

}  // namespace WARPGAUGE_NAMESPACE::devices

#endif
