// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_DEVICES_GEFORCE_8800_GTX_HPP
#define WARPGAUGE_DEVICES_GEFORCE_8800_GTX_HPP

#include <array>
#include <string_view>

#include <warpgauge/device/sm_limits.hpp>

namespace WARPGAUGE_NAMESPACE::devices {

/// G80 of 2006, compute capability 1.0.
struct geforce_8800_gtx : sm_limits_of<1, 0> {
    static constexpr std::string_view name = "GeForce 8800 GTX";
    static constexpr std::array<std::string_view, 1> aliases{"8800gtx"};

    static constexpr double sm_count = 16;              // Hong & Kim 2009, tbl. 3
    static constexpr double clock_hz = 1.35e9;          // tbl. 3, processor clock
    static constexpr double dram_bytes_per_s = 86.4e9;  // tbl. 3
    static constexpr double cuda_cores = 8;             // tbl. 3: 128 on 16 SMs; sec. 2.2

    static constexpr double issue_cycles = 4;                   // tbl. 1
    static constexpr double dram_latency_cycles = 420;          // tbl. 6, as the FX 5600 (sec. 5.1)
    static constexpr double coalesced_departure_cycles = 4;     // tbl. 6
    static constexpr double uncoalesced_departure_cycles = 10;  // tbl. 6
};

}  // namespace WARPGAUGE_NAMESPACE::devices

#endif
