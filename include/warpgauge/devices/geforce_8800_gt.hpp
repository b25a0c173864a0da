// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_DEVICES_GEFORCE_8800_GT_HPP
#define WARPGAUGE_DEVICES_GEFORCE_8800_GT_HPP

#include <array>
#include <string_view>

#include <warpgauge/device/sm_limits.hpp>

namespace WARPGAUGE_NAMESPACE::devices {

/// G92 of 2007, compute capability 1.1.
struct geforce_8800_gt : sm_limits_of<1, 1> {
    static constexpr std::string_view name = "GeForce 8800 GT";
    static constexpr std::array<std::string_view, 1> aliases{"8800gt"};

    static constexpr double sm_count = 14;              // Hong & Kim 2009, tbl. 3
    static constexpr double clock_hz = 1.5e9;           // tbl. 3, processor clock
    static constexpr double dram_bytes_per_s = 57.6e9;  // tbl. 3
    static constexpr double cuda_cores = 8;             // tbl. 3: 112 on 14 SMs; sec. 2.2

    static constexpr double issue_cycles = 4;                   // tbl. 1
    static constexpr double dram_latency_cycles = 420;          // tbl. 6, as the FX 5600 (sec. 5.1)
    static constexpr double coalesced_departure_cycles = 4;     // tbl. 6
    static constexpr double uncoalesced_departure_cycles = 10;  // tbl. 6
};

}  // namespace WARPGAUGE_NAMESPACE::devices

#endif
