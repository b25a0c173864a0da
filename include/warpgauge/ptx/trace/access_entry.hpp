// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TRACE_ACCESS_ENTRY_HPP
#define WARPGAUGE_PTX_TRACE_ACCESS_ENTRY_HPP

#include <cstdint>

#include <warpgauge/core/scalar.hpp>
#include <warpgauge/kernel/instruction.hpp>

/// \file A memory access as the entry of a stream, whose numbers are whole.

namespace WARPGAUGE_NAMESPACE::ptx {

/// What one execution of an access does, as the mean of many.
struct mean_access {
    std::uint32_t lane_bytes{};  ///< B that a lane asks for
    double transactions{};       ///< of memory; of shared memory passes
    double bytes_moved{};        ///< B, of global memory
    double lines{};              ///< of 128 B, of global memory; 0: not known
};

namespace detail::trace {

/// To the nearest whole number from 1 to `max`.
constexpr std::uint32_t rounded(double value, std::uint32_t max) {
    if (!(value > 1)) return 1;
    return value >= max ? max : static_cast<std::uint32_t>(core::floor(value + 0.5));
}

}  // namespace detail::trace

/// Writes an access into the entry of its unit. One transaction of global memory has the bytes that move, which lanes
/// of one address share.
constexpr void write_access(warpgauge::instruction& entry, const mean_access& a) {
    using detail::trace::rounded;
    constexpr std::uint32_t max_bytes = 255;
    constexpr double lanes = 32;
    entry.transactions = static_cast<std::uint16_t>(rounded(a.transactions, 65'535));
    entry.bytes = static_cast<std::uint8_t>(core::min(a.lane_bytes, max_bytes));
    if (entry.unit == unit_kind::global_memory && a.lines > 0) {
        entry.lines = static_cast<std::uint16_t>(rounded(a.lines, 65'535));
    }
    if (entry.unit == unit_kind::global_memory && entry.transactions == 1) {
        entry.bytes = static_cast<std::uint8_t>(rounded(a.bytes_moved / lanes, max_bytes));
    }
}

}  // namespace WARPGAUGE_NAMESPACE::ptx

#endif
