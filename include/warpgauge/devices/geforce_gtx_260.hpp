// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_DEVICES_GEFORCE_GTX_260_HPP
#define WARPGAUGE_DEVICES_GEFORCE_GTX_260_HPP

#include <array>
#include <string_view>

#include <warpgauge/device/instruction_costs.hpp>
#include <warpgauge/device/sm_limits.hpp>

namespace WARPGAUGE_NAMESPACE::devices {

/// GT200 of 2008, compute capability 1.3, the version with 192 cores. Its DRAM latency and
/// departure delays were not published with the rest, so MWP/CWP does not take it.
struct geforce_gtx_260 : sm_limits_of<1, 3> {
    static constexpr std::string_view name = "GeForce GTX 260";
    static constexpr std::array<std::string_view, 0> aliases{};

    static constexpr double sm_count = 24;  // Cheng & Suda 2011, tbl. 2; a later version has 27
    static constexpr double clock_hz = 1.242e9;          // tbl. 2, processor clock
    static constexpr double dram_bytes_per_s = 111.9e9;  // tbl. 2
    static constexpr double cuda_cores = 8;              // tbl. 2: 192 on 24 SMs

    static constexpr double cpd_a = 3;    // sec. 3.4
    static constexpr double cpd_b = 11;   // sec. 3.4
    static constexpr double cpd_c = 0.5;  // sec. 3.4
    static constexpr double cpd_d = 80;   // sec. 3.4
    static constexpr instruction_costs costs{.arithmetic = {{
                                                 {22, 65, 22, 65},      // add    tbl. 1
                                                 {22, 65, 22, 65},      // sub
                                                 {44, 136, 22, 65},     // mul
                                                 {728, 753, 748, 783},  // div
                                                 {22, 22, 17, 17},      // neg
                                                 {62, 62, 62, 62},      // min
                                                 {62, 62, 62, 62},      // max
                                                 {64, 64, 64, 64},      // and
                                                 {62, 62, 62, 62},      // or
                                                 {62, 62, 62, 62},      // xor
                                                 {22, 22, 22, 22},      // not
                                             }},
                                             .load_store_cycles = 200};  // tbl. 1, ld/st
};

}  // namespace WARPGAUGE_NAMESPACE::devices

#endif
