// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SM_MEMORY_REQUEST_HPP
#define WARPGAUGE_SM_MEMORY_REQUEST_HPP

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include <warpgauge/sm/coalescing.hpp>

/// \file What one instruction of a warp asks of global memory: pieces of sectors side by side.

namespace warpgauge {

enum class request_kind : std::uint8_t {
    load,
    store,
    atomic,  ///< reads and writes in L2
};

/// Bytes side by side that one instruction of a warp accesses. An instruction whose lanes lie apart is several of
/// these, one after the other, all but the first of which are `continued`.
struct memory_request {
    std::uint64_t address{};  ///< B, of the first byte
    std::uint32_t bytes{};    ///< B from there, > 0
    std::uint32_t block{};    ///< number of the block, in the order of their start
    std::uint16_t warp{};     ///< number of the warp in its block
    request_kind kind{};
    bool gaps{};       ///< not every byte is accessed: each of its sectors is written in part
    bool continued{};  ///< of the instruction of the request before
};

namespace detail::sm {

/// Which bytes of its sectors an instruction accesses; sectors in ascending order.
struct touched_bytes {
    struct piece {
        std::uint64_t sector;
        std::uint32_t bytes;  // a bit each
    };
    std::array<piece, 2 * warp_lanes> pieces;
    std::size_t count = 0;

    constexpr touched_bytes() {}  // NOLINT: sets what it uses

    constexpr void add(std::uint64_t sector, std::uint32_t bytes) {
        std::size_t at = count;
        while (at > 0 && pieces[at - 1].sector > sector) --at;
        if (at > 0 && pieces[at - 1].sector == sector) {
            pieces[at - 1].bytes |= bytes;
            return;
        }
        for (std::size_t i = count; i > at; --i) pieces[i] = pieces[i - 1];
        pieces[at] = {sector, bytes};
        ++count;
    }
};

/// The first `n` bits, n up to 32.
constexpr std::uint32_t first_bits(std::uint64_t n) {
    return n >= 32 ? ~0U : (1U << n) - 1;
}

constexpr bool is_one_run(std::uint32_t bits) {
    const std::uint32_t shifted = bits >> std::countr_zero(bits);
    return (shifted & (shifted + 1)) == 0;
}

}  // namespace detail::sm

/// Calls `visit(memory_request)` for the pieces of one instruction of a warp, lowest address first; of an access
/// without active lanes, never. `of` says block, warp and kind. Lanes' bytes are 1 to 32 each.
template <class Visitor>
constexpr void for_each_request(const warp_access& a, const memory_request& of,
                                const Visitor& visit) {
    detail::sm::touched_bytes touched;
    for (std::size_t lane = 0; lane < warp_lanes; ++lane) {
        if ((a.active >> lane & 1U) == 0) continue;
        const std::uint64_t first = a.addresses[lane];
        const std::uint64_t in_sector = first % 32;
        const std::uint64_t here = a.bytes < 32 - in_sector ? a.bytes : 32 - in_sector;
        touched.add(first / 32, detail::sm::first_bits(here) << in_sector);
        if (here < a.bytes) touched.add(first / 32 + 1, detail::sm::first_bits(a.bytes - here));
    }
    memory_request next = of;
    next.continued = false;
    std::uint64_t end = 0;
    for (std::size_t i = 0; i < touched.count; ++i) {
        const auto& [sector, bytes] = touched.pieces[i];
        const bool gaps = !detail::sm::is_one_run(bytes);
        const std::uint64_t from =
            sector * 32 + static_cast<std::uint64_t>(std::countr_zero(bytes));
        const std::uint64_t to =
            sector * 32 + 32 - static_cast<std::uint64_t>(std::countl_zero(bytes));
        const bool goes_on = i > 0 && gaps == next.gaps &&
                             (gaps ? touched.pieces[i - 1].sector + 1 == sector : end == from);
        if (!goes_on) {
            if (i > 0) {
                visit(next);
                next.continued = true;
            }
            next.address = from;
            next.gaps = gaps;
        }
        end = to;
        next.bytes = static_cast<std::uint32_t>(end - next.address);
    }
    if (touched.count > 0) visit(next);
}

}  // namespace warpgauge

#endif
