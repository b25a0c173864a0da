// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_DEVICES_QUADRO_K6000_HPP
#define WARPGAUGE_DEVICES_QUADRO_K6000_HPP

#include <array>
#include <string_view>

#include <warpgauge/devices/tesla_k40.hpp>

namespace WARPGAUGE_NAMESPACE::devices {

/// Kepler GK110 of 2013, compute capability 3.5: the chip of the K40 with a higher clock (Chapuis et al.
/// 2016, sec. 4.2 and tbl. 1, whose columns differ in nothing else).
struct quadro_k6000 : tesla_k40 {
    static constexpr std::string_view name = "Quadro K6000";
    static constexpr std::array<std::string_view, 1> aliases{"k6000"};

    static constexpr double clock_hz = 901.5e6;  // tbl. 1

    // The authors' program (PPT of Chapuis et al. 2016, `K6000`), where it differs from `K40`.
    static constexpr ppt_parameters ppt = [] {
        ppt_parameters p = tesla_k40::ppt;
        p.clock_hz = clock_hz;
        p.clock_is_whole = false;
        p.queue_capacity = 44;
        return p;
    }();
};

}  // namespace WARPGAUGE_NAMESPACE::devices

#endif
