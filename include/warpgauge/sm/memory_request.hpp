// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SM_MEMORY_REQUEST_HPP
#define WARPGAUGE_SM_MEMORY_REQUEST_HPP

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include <warpgauge/sm/coalescing.hpp>
#include <warpgauge/sm/touched_sectors.hpp>

/// \file The requests of one instruction of a warp to global memory: pieces of consecutive sectors.

namespace WARPGAUGE_NAMESPACE {

/// What a request does.
enum class request_kind : std::uint8_t {
    load,    ///< reads through L1 and L2
    store,   ///< writes
    atomic,  ///< reads and writes in L2
};

/// Addresses from here on represent unknown addresses: no GPU has so many address bits.
inline constexpr std::uint64_t first_unknown_address = std::uint64_t{1} << 62;

/// Consecutive bytes that one instruction of a warp accesses. An instruction with distant lanes is several of
/// these, one after the other, all but the first of which are `continued`.
struct memory_request {
    std::uint64_t address{};  ///< B, of the first byte
    std::uint32_t bytes{};    ///< B from there, > 0
    std::uint32_t block{};    ///< number of the block, in the order of their start
    std::uint16_t warp{};     ///< number of the warp in its block
    request_kind kind{};      ///< what it does
    bool gaps{};       ///< not every byte is accessed: each of its sectors is written in part
    bool continued{};  ///< part of the same instruction as the request before
};

namespace detail::sm {

constexpr bool is_one_run(std::uint32_t bits) {
    const std::uint32_t shifted = bits >> std::countr_zero(bits);
    return (shifted & (shifted + 1)) == 0;
}

}  // namespace detail::sm

/// Calls `visit(memory_request)` for the pieces of one instruction of a warp, lowest address first. An access
/// without active lanes has none. `of` gives block, warp and kind. A lane has 1 to 32 B.
template <class Visitor>
constexpr void for_each_request(const warp_access& a, const memory_request& of,
                                const Visitor& visit) {
    const touched_sectors touched = sectors_of(a);
    memory_request next = of;
    next.continued = false;
    std::uint64_t end = 0;
    for (std::uint32_t i = 0; i < touched.count; ++i) {
        const auto& [sector, bytes] = touched.all[i];
        const bool gaps = !detail::sm::is_one_run(bytes);
        const std::uint64_t from =
            sector * 32 + static_cast<std::uint64_t>(std::countr_zero(bytes));
        const std::uint64_t to =
            sector * 32 + 32 - static_cast<std::uint64_t>(std::countl_zero(bytes));
        const bool goes_on = i > 0 && gaps == next.gaps &&
                             (gaps ? touched.all[i - 1].sector + 1 == sector : end == from);
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

}  // namespace WARPGAUGE_NAMESPACE

#endif
