// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_DEVICES_TESLA_K40_HPP
#define WARPGAUGE_DEVICES_TESLA_K40_HPP

#include <string_view>

#include <warpgauge/compute_capability.hpp>

namespace warpgauge::devices {

/// Kepler GK110B of 2013, compute capability 3.5.
struct tesla_k40 : sm_limits_of<3, 5> {
    static constexpr std::string_view name = "Tesla K40";

    static constexpr double sm_count = 15;                // Chapuis et al. 2016, tbl. 1
    static constexpr double clock_hz = 745e6;             // tbl. 1
    static constexpr double dram_bytes_per_s = 288e9;     // tbl. 1
    static constexpr double cuda_cores = 192;             // tbl. 1
    static constexpr double double_precision_units = 64;  // tbl. 1
    static constexpr double special_function_units = 32;  // tbl. 1
    static constexpr double warp_schedulers = 4;          // tbl. 1
    static constexpr double issues_per_scheduler = 2;     // tbl. 1: dual issue
};

}  // namespace warpgauge::devices

#endif
