// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_DEVICES_GEFORCE_RTX_2070_SUPER_HPP
#define WARPGAUGE_DEVICES_GEFORCE_RTX_2070_SUPER_HPP

#include <array>
#include <string_view>

#include <warpgauge/devices/architectures.hpp>

namespace WARPGAUGE_NAMESPACE::devices {

/// Turing TU104 of 2019, compute capability 7.5.
struct geforce_rtx_2070_super : tu104_chip {
    static constexpr std::string_view name = "GeForce RTX 2070 SUPER";
    static constexpr std::array<std::string_view, 3> aliases{"NVIDIA GeForce RTX 2070 SUPER",
                                                             "rtx2070super", "2070super"};

    // KLARAPTOR: the parameters published with the measurements of the KLARAPTOR project
    // (ORCCA, University of Western Ontario), which were taken on this GPU.
    static constexpr double clock_hz = 1.785e9;  // KLARAPTOR, as measured; NVIDIA: boost 1.770
    static constexpr double dram_bytes_per_s = 448e9;  // KLARAPTOR; NVIDIA, product page

    static constexpr double issue_cycles = 0.25;               // four schedulers; KLARAPTOR has 1
    static constexpr double dram_latency_cycles = 501;         // KLARAPTOR
    static constexpr double coalesced_departure_cycles = 2;    // KLARAPTOR
    static constexpr double uncoalesced_departure_cycles = 2;  // KLARAPTOR

    static constexpr double board_power_w = 215;  // NVIDIA, product page
};

}  // namespace WARPGAUGE_NAMESPACE::devices

#endif
