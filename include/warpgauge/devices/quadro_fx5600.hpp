// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_DEVICES_QUADRO_FX5600_HPP
#define WARPGAUGE_DEVICES_QUADRO_FX5600_HPP

#include <array>
#include <string_view>

#include <warpgauge/device/sm_limits.hpp>

namespace WARPGAUGE_NAMESPACE::devices {

/// G80 of 2007, compute capability 1.0.
struct quadro_fx5600 : sm_limits_of<1, 0> {
    static constexpr std::string_view name = "Quadro FX 5600";
    static constexpr std::array<std::string_view, 1> aliases{"fx5600"};

    static constexpr double sm_count = 16;              // Hong & Kim 2009, tbl. 3
    static constexpr double clock_hz = 1.35e9;          // tbl. 3, processor clock
    static constexpr double dram_bytes_per_s = 76.8e9;  // tbl. 3
    static constexpr double cuda_cores = 8;             // tbl. 3: 128 on 16 SMs; sec. 2.2

    static constexpr double issue_cycles = 4;                   // tbl. 1
    static constexpr double dram_latency_cycles = 420;          // tbl. 6
    static constexpr double coalesced_departure_cycles = 4;     // tbl. 6
    static constexpr double uncoalesced_departure_cycles = 10;  // tbl. 6
};

}  // namespace WARPGAUGE_NAMESPACE::devices

#endif
