// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SM_TOUCHED_SECTORS_HPP
#define WARPGAUGE_SM_TOUCHED_SECTORS_HPP

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <warpgauge/sm/coalescing.hpp>

/// \file The sectors of 32 B that one memory instruction of a warp touches, and those that it covers.

namespace WARPGAUGE_NAMESPACE {

namespace detail::sm {

/// The first `n` bits, n up to 32.
constexpr std::uint32_t first_bits(std::uint64_t n) {
    return n >= 32 ? ~0U : (1U << n) - 1;
}

}  // namespace detail::sm

/// A sector and the bytes of it that lanes touch, a bit for each.
struct touched_sector {
    std::uint64_t sector;  ///< its first byte / 32
    std::uint32_t bytes;   ///< a bit for each byte, the first one lowest
};

/// The sectors of one instruction, each once, in ascending order.
struct touched_sectors {
    std::array<touched_sector, 2 * warp_lanes> all;  ///< of which `count` are set
    std::uint32_t count = 0;                         ///< of sectors

    /// No sector.
    constexpr touched_sectors() {  // NOLINT: sets what it uses
        if (!std::is_constant_evaluated()) return;
        for (std::size_t n = 0; n < all.size(); ++n) all[n] = {};
    }

    /// The first sector.
    [[nodiscard]] constexpr const touched_sector* begin() const { return all.data(); }
    /// The end of the sectors.
    [[nodiscard]] constexpr const touched_sector* end() const { return all.data() + count; }

    /// The number of sectors of which every byte is touched.
    [[nodiscard]] constexpr std::uint32_t whole() const {
        std::uint32_t n = 0;
        for (const touched_sector& s : *this) n += s.bytes == 0xffff'ffff ? 1 : 0;
        return n;
    }
    /// The number of lines of 128 B that have one of the sectors.
    [[nodiscard]] constexpr std::uint32_t lines() const {
        std::uint32_t n = 0;
        for (std::uint32_t i = 0; i < count; ++i) {
            n += i == 0 || all[i].sector / 4 != all[i - 1].sector / 4 ? 1U : 0U;
        }
        return n;
    }

    /// The lowest sector; there is one.
    [[nodiscard]] constexpr std::uint64_t first() const { return all[0].sector; }
    /// The highest sector; there is one.
    [[nodiscard]] constexpr std::uint64_t last() const { return all[count - 1].sector; }
    /// Calls `see(sector)` with each, in ascending order.
    template <class See>
    constexpr void each(const See& see) const {
        for (const touched_sector& s : *this) see(s.sector);
    }

    /// Adds bytes of a sector, a bit each.
    constexpr void add(std::uint64_t sector, std::uint32_t bytes) {
        std::uint32_t at = count;
        while (at > 0 && all[at - 1].sector > sector) --at;
        if (at > 0 && all[at - 1].sector == sector) {
            all[at - 1].bytes |= bytes;
            return;
        }
        for (std::uint32_t i = count; i > at; --i) all[i] = all[i - 1];
        all[at] = {sector, bytes};
        ++count;
    }
};

namespace detail::sm {

/// Adds a run of bytes to no sector.
constexpr void add_run(const byte_run& run, touched_sectors& touched) {
    for (std::uint64_t at = run.first; at < run.end;) {
        const std::uint64_t next = at / 32 * 32 + 32;
        const std::uint64_t end = next < run.end ? next : run.end;
        touched.all[touched.count++] = {at / 32, first_bits(end - at) << at % 32};
        at = end;
    }
}

}  // namespace detail::sm

/// The sectors that runs of bytes touch, without a list of them. The runs must outlive them.
struct sectors_of_runs {
    const detail::sm::byte_runs& runs;  ///< what touches them
    std::uint32_t count = 0;            ///< of sectors

    /// The sectors of some runs, none of which is empty.
    constexpr explicit sectors_of_runs(const detail::sm::byte_runs& r)
        : runs(r), count(r.pieces(32)) {}

    /// As `touched_sectors::whole`.
    [[nodiscard]] constexpr std::uint32_t whole() const {
        std::uint64_t n = 0;
        for (std::uint32_t r = 0; r < runs.count; ++r) {
            const std::uint64_t first = (runs.of[r].first + 31) / 32;
            const std::uint64_t end = runs.of[r].end / 32;
            n += end > first ? end - first : 0;
        }
        return static_cast<std::uint32_t>(n);
    }
    /// As `touched_sectors::lines`.
    [[nodiscard]] constexpr std::uint32_t lines() const { return runs.pieces(128); }
    /// The lowest sector; there is one.
    [[nodiscard]] constexpr std::uint64_t first() const { return runs.of[0].first / 32; }
    /// The highest sector; there is one.
    [[nodiscard]] constexpr std::uint64_t last() const {
        return (runs.of[runs.count - 1].end - 1) / 32;
    }
    /// Calls `see(sector)` with each, in ascending order.
    template <class See>
    constexpr void each(const See& see) const {
        for (std::uint32_t r = 0; r < runs.count; ++r) {
            const std::uint64_t end = (runs.of[r].end + 31) / 32;
            for (std::uint64_t s = runs.of[r].first / 32; s < end; ++s) see(s);
        }
    }
};

/// The sectors that the active lanes touch; none if a lane moves no byte or more than `max_bytes_per_lane`.
[[nodiscard]] constexpr touched_sectors sectors_of(const warp_access& a) {
    touched_sectors touched;
    if (a.active == 0 || a.bytes == 0 || a.bytes > max_bytes_per_lane) return touched;
    if (const auto run = detail::sm::run_of_bytes(a); run.end != run.first) {
        detail::sm::add_run(run, touched);
        return touched;
    }
    const std::uint64_t ones = detail::sm::first_bits(a.bytes);
    std::uint64_t before = 0;  // what the lane before has added
    for (std::uint32_t left = a.active; left != 0; left &= left - 1) {
        const std::uint64_t at = a.addresses[static_cast<std::size_t>(std::countr_zero(left))];
        if (touched.count != 0 && at == before) continue;
        before = at;
        const std::uint64_t bytes = ones << at % 32;
        touched.add(at / 32, static_cast<std::uint32_t>(bytes));
        const auto beyond = static_cast<std::uint32_t>(bytes >> 32);
        if (beyond != 0) touched.add(at / 32 + 1, beyond);
    }
    return touched;
}

}  // namespace WARPGAUGE_NAMESPACE

#endif
