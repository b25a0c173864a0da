// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_RUN_BLOCK_PIECES_HPP
#define WARPGAUGE_PTX_RUN_BLOCK_PIECES_HPP

#include <cstddef>
#include <cstdint>

#include <warpgauge/ptx/link/program.hpp>
#include <warpgauge/sm/coalescing.hpp>

/// \file What an instruction touches that moves blocks of memory, as accesses of a warp.

namespace WARPGAUGE_NAMESPACE::ptx::detail::run {

using ptx::link::step;

/// A copy in bulk that a barrier waits for moves no more: the count of bytes of an `mbarrier` has 20 bits. Others do, as one
/// that fetches to L2.
/// Source: NVIDIA, Parallel Thread Execution ISA 9.0, sec. 9.7.13.15.
inline constexpr std::uint64_t max_copy_bytes = (std::uint64_t{1} << 20) - 1;

/// B of a large copy that are one access. No allocation of a trace ends within.
inline constexpr std::uint64_t large_piece_bytes = std::uint64_t{1} << 27;

/// Bytes side by side, as accesses of up to 32 lanes of 32 B, and at an end that is not on a boundary of 32 B, of bytes.
/// The accesses made.
template <class Access>
constexpr std::uint64_t for_each_piece(std::uint64_t from, std::uint64_t bytes, warp_access& a,
                                       Access access) {
    constexpr std::uint64_t sector = 32;
    std::uint64_t made = 0;
    const std::uint64_t end = from + bytes;
    while (from < end) {
        const std::uint64_t left = end - from;
        const bool whole = from % sector == 0 && left >= sector;
        const std::uint64_t to_boundary = sector - from % sector;
        const std::uint64_t here = left < to_boundary ? left : to_boundary;
        const std::uint64_t lanes = !whole                       ? 1
                                    : left / sector < warp_lanes ? left / sector
                                                                 : warp_lanes;
        a.bytes = static_cast<std::uint32_t>(whole ? sector : here);
        a.active = lanes == warp_lanes ? ~0U : (1U << lanes) - 1;
        for (std::size_t l = 0; l < lanes; ++l) a.addresses[l] = from + l * sector;
        access();
        ++made;
        from += lanes * a.bytes;
    }
    return made;
}

/// The rows of a fragment, `stride` B apart from an address on, in pieces of as many bytes as a lane moves.
constexpr void place_rows(const step& s, std::uint64_t from, std::uint64_t stride, warp_access& a) {
    const std::uint32_t pieces = s.row_count == 0 ? 1U : s.address_lanes / s.row_count;
    a.bytes = s.lane_bytes;
    a.active = s.address_lanes >= 32 ? ~0U : (1U << s.address_lanes) - 1;
    for (std::uint32_t l = 0; l < s.address_lanes && l < warp_lanes; ++l) {
        const std::uint64_t piece = l % pieces;
        a.addresses[l] = from + l / pieces * stride + piece * s.lane_bytes;
    }
}

/// The most lanes that access one address: they take turns.
constexpr std::uint32_t lanes_on_one_address(const warp_access& a) {
    std::uint32_t most = 0;
    for (std::size_t l = 0; l < warp_lanes; ++l) {
        if ((a.active >> l & 1U) == 0) continue;
        std::uint32_t same = 1;
        for (std::size_t other = l + 1; other < warp_lanes; ++other) {
            same += (a.active >> other & 1U) != 0 && a.addresses[other] == a.addresses[l] ? 1U : 0U;
        }
        most = same > most ? same : most;
    }
    return most;
}

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::run

#endif
