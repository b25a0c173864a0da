// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Registers of which nothing, or all, is known.
#ifndef WARPGAUGE_TESTS_PTX_RUN_UNKNOWN_ROWS_HPP
#define WARPGAUGE_TESTS_PTX_RUN_UNKNOWN_ROWS_HPP

#include <cstddef>
#include <cstdint>

#include <warpgauge/ptx/run/lane_values.hpp>

// An unknown value of `bits`, and each lane's number added to it.
inline warpgauge::ptx::detail::run::row_values numbered(std::uint64_t bits) {
    warpgauge::ptx::detail::run::row_values r{.base = {.identity = 7, .bits = bits, .breaks = 0}};
    for (std::size_t l = 0; l < r.lanes.size(); ++l) r.lanes[l] = l;
    return r;
}

inline warpgauge::ptx::detail::run::row_values constant(std::uint64_t value) {
    warpgauge::ptx::detail::run::row_values r{.known = ~0U};
    r.lanes.fill(value);
    return r;
}

#endif
