// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a warp touches whose lanes access 4 B each, one behind the other.
#ifndef WARPGAUGE_TESTS_PTX_TOUCHED_ROW_HPP
#define WARPGAUGE_TESTS_PTX_TOUCHED_ROW_HPP

#include <cstddef>
#include <cstdint>

#include <warpgauge/sm/touched_sectors.hpp>

inline warpgauge::touched_sectors touched_row(std::uint64_t first) {
    warpgauge::warp_access a;
    for (std::size_t l = 0; l < warpgauge::warp_lanes; ++l) a.addresses[l] = first + 4 * l;
    return warpgauge::sectors_of(a);
}

#endif
