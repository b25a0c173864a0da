// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_DEVICES_GEFORCE_GTX_280_HPP
#define WARPGAUGE_DEVICES_GEFORCE_GTX_280_HPP

#include <array>
#include <string_view>

#include <warpgauge/device/sm_limits.hpp>

namespace WARPGAUGE_NAMESPACE::devices {

/// GT200 of 2008, compute capability 1.3.
struct geforce_gtx_280 : sm_limits_of<1, 3> {
    static constexpr std::string_view name = "GeForce GTX 280";
    static constexpr std::array<std::string_view, 0> aliases{};

    static constexpr double sm_count = 30;     // Hong & Kim 2009, tbl. 3
    static constexpr double clock_hz = 1.3e9;  // tbl. 3, processor clock; NVIDIA's page: 1.296
    static constexpr double dram_bytes_per_s = 141.7e9;  // tbl. 3
    static constexpr double cuda_cores = 8;              // tbl. 3: 240 on 30 SMs; sec. 2.2

    static constexpr double issue_cycles = 4;                   // tbl. 1
    static constexpr double dram_latency_cycles = 450;          // tbl. 6
    static constexpr double coalesced_departure_cycles = 4;     // tbl. 6
    static constexpr double uncoalesced_departure_cycles = 40;  // tbl. 6

    static constexpr double uncontended_latency_cycles = 300;  // Meng & Skadron 2009, sec. 4.2; the
                                                               // 450 above was fitted by others
    static constexpr double coalesce_width = 16;        // Meng & Skadron 2009, tbl. 1, sec. 4.2
    static constexpr double dram_pipeline_depth = 4;    // sec. 4.2
    static constexpr double global_sync_cycles = 3350;  // eq. (15), measured with 240 empty blocks
    static constexpr double average_cpi = 4;            // tbl. 1, sec. 4.3
    static constexpr double tiles_stay_local = 0;       // sec. 3.3: all is flushed and reloaded
    static constexpr double traffic_overlap = 0;        // eq. (2): memory and computation add up
};

}  // namespace WARPGAUGE_NAMESPACE::devices

#endif
