// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_DEVICES_PASCAL_PROJECTION_HPP
#define WARPGAUGE_DEVICES_PASCAL_PROJECTION_HPP

#include <string_view>

namespace warpgauge::devices {

/// What the authors of Chapuis et al. 2016 expected of Pascal before it came. No such GPU exists,
/// and they give no limits of its SM, so occupancy does not take it.
struct pascal_projection {
    static constexpr std::string_view name = "Pascal, as projected";

    static constexpr double sm_count = 16;     // Chapuis et al. 2016, sec. 5.1: "around 16"
    static constexpr double clock_hz = 900e6;  // sec. 5.1: "around 900 MHz"
    static constexpr double dram_bytes_per_s = 1000e9;     // sec. 5.1: "up to almost 1000 GB/s"
    static constexpr double cuda_cores = 256;              // sec. 5.1
    static constexpr double double_precision_units = 128;  // sec. 5.1: "up to 128"
};

}  // namespace warpgauge::devices

#endif
