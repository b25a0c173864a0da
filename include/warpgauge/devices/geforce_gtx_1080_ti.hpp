// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_DEVICES_GEFORCE_GTX_1080_TI_HPP
#define WARPGAUGE_DEVICES_GEFORCE_GTX_1080_TI_HPP

#include <array>
#include <string_view>

#include <warpgauge/devices/architectures.hpp>

namespace WARPGAUGE_NAMESPACE::devices {

/// Pascal GP102 of 2017, compute capability 6.1.
struct geforce_gtx_1080_ti : gp10x_sm {
    static constexpr std::string_view name = "GeForce GTX 1080 Ti";
    static constexpr std::array<std::string_view, 3> aliases{"NVIDIA GeForce GTX 1080 Ti",
                                                             "gtx1080ti", "1080ti"};

    // KLARAPTOR: the parameters published with the measurements of the KLARAPTOR project
    // (ORCCA, University of Western Ontario), which were taken on this GPU.
    static constexpr double sm_count = 28;  // KLARAPTOR; NVIDIA, product page: 3584 cores / 128
    static constexpr double clock_hz = 1.582e9;        // KLARAPTOR; NVIDIA, product page: boost
    static constexpr double dram_bytes_per_s = 484e9;  // KLARAPTOR; NVIDIA, product page
    static constexpr double l2_bytes = 2883584;        // deviceQuery output

    static constexpr double issue_cycles = 0.25;        // four schedulers; KLARAPTOR has 1
    static constexpr double dram_latency_cycles = 500;  // KLARAPTOR, in one place; 300 in another
    static constexpr double coalesced_departure_cycles = 2;    // KLARAPTOR
    static constexpr double uncoalesced_departure_cycles = 2;  // KLARAPTOR

    static constexpr double board_power_w = 250;  // NVIDIA, product page
};

}  // namespace WARPGAUGE_NAMESPACE::devices

#endif
