// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_DEVICES_TESLA_M2090_HPP
#define WARPGAUGE_DEVICES_TESLA_M2090_HPP

#include <string_view>

#include <warpgauge/compute_capability.hpp>

namespace warpgauge::devices {

/// Fermi of 2011, compute capability 2.0.
struct tesla_m2090 : sm_limits_of<2, 0> {
    static constexpr std::string_view name = "Tesla M2090";

    static constexpr double sm_count = 16;  // Chapuis et al. 2016, tbl. 1
    static constexpr double clock_hz =
        650e6;  // tbl. 1; NVIDIA's board specification (BD-05766) has
                // the cores at twice that, 1.3 GHz
    static constexpr double dram_bytes_per_s = 177e9;     // tbl. 1; NVIDIA: 177.6
    static constexpr double cuda_cores = 32;              // tbl. 1
    static constexpr double double_precision_units = 16;  // tbl. 1; the authors' program has 32
    static constexpr double special_function_units = 4;   // tbl. 1
    static constexpr double load_store_units = 16;        // Berezovskyi et al. 2012, sec. 3
    static constexpr double warp_schedulers = 2;          // tbl. 1
    static constexpr double issues_per_scheduler = 1;     // tbl. 1: no dual issue
};

}  // namespace warpgauge::devices

#endif
