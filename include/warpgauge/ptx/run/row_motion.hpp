// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_RUN_ROW_MOTION_HPP
#define WARPGAUGE_PTX_RUN_ROW_MOTION_HPP

#include <cstddef>
#include <cstdint>

#include <warpgauge/ptx/link/program.hpp>
#include <warpgauge/ptx/run/lane_values.hpp>
#include <warpgauge/ptx/run/register_file.hpp>

/// \file How a register moves from one round of a loop to the next, and for how many rounds.

namespace WARPGAUGE_NAMESPACE::ptx::detail::run {

/// Of one place of a round.
struct row_motion {
    std::uint64_t by{};       ///< added each round, in `lanes`
    std::uint32_t lanes{};    ///< the others change in another way
    std::uint32_t written{};  ///< lanes that have been written in this round
    std::uint32_t carried{};  ///< lanes of which is read what the round before has left

    [[nodiscard]] constexpr bool stays(std::uint32_t in) const {
        return by == 0 && (in & ~lanes) == 0;
    }
    [[nodiscard]] constexpr bool is_even(std::uint32_t in) const { return (in & ~lanes) == 0; }
};

/// Lowers `rounds` to how often `by` can be added before a number from `first` to `last` leaves that range.
constexpr void bound_range(std::uint64_t value, std::uint64_t first, std::uint64_t last,
                           std::uint64_t by, std::uint64_t& rounds) {
    const bool down = static_cast<std::int64_t>(by) < 0;
    const std::uint64_t room = down ? value - first : last - value;
    const std::uint64_t most = room / (down ? 0 - by : by);
    rounds = most < rounds ? most : rounds;
}

/// Lowers `rounds` such that values keep their high bits and signs, as a type has them, while `by` is added.
/// False if they have more bits.
constexpr bool bound_extension(const lane_values& values, std::uint32_t lanes,
                               const value_type& type, std::uint64_t by, std::uint64_t& rounds) {
    if (type.bits >= 64) return true;
    const std::uint64_t all = ones(type.bits);
    const std::uint64_t half = all >> 1;
    for (std::size_t l = 0; l < warp_lanes; ++l) {
        if (!has_lane(lanes, l)) continue;
        const std::uint64_t value = values[l] & all;
        if (values[l] != value && values[l] != sign_extended(value, type.bits)) return false;
        const bool upper = type.is_signed && value > half;
        bound_range(value, upper ? half + 1 : 0, type.is_signed && !upper ? half : all, by, rounds);
    }
    return true;
}

/// The value that all these lanes have.
constexpr bool same_in_all(const lane_values& values, std::uint32_t lanes, std::uint64_t& value) {
    bool begun = false;
    for (std::size_t l = 0; l < warp_lanes; ++l) {
        if (!has_lane(lanes, l)) continue;
        if (begun && values[l] != value) return false;
        value = values[l];
        begun = true;
    }
    return begun;
}

/// Lowers `rounds` such that a comparison comes out the same in all of them. False where that is not known.
constexpr bool bound_comparison(const step& s, const lane_values& left, const lane_values& right,
                                std::uint32_t lanes, std::uint64_t left_by, std::uint64_t right_by,
                                std::uint64_t& rounds) {
    // 2^31 rounds of steps below 2^29 stay below 2^60; so nothing overflows.
    constexpr auto far = std::int64_t{1} << 61;
    constexpr auto fast = std::int64_t{1} << 29;
    constexpr auto most_rounds = std::int64_t{1} << 31;
    value_type type = s.from;
    if (s.unsigned_compare) type.is_signed = false;
    const auto of_left = static_cast<std::int64_t>(left_by);
    const auto of_right = static_cast<std::int64_t>(right_by);
    const std::int64_t by = of_left - of_right;
    if (of_left == 0 && of_right == 0) return true;
    if (of_left <= -fast || of_left >= fast || of_right <= -fast || of_right >= fast) return false;
    for (std::size_t l = 0; l < warp_lanes; ++l) {
        if (!has_lane(lanes, l)) continue;
        const auto a = static_cast<std::int64_t>(as(type, left[l]));
        const auto b = static_cast<std::int64_t>(as(type, right[l]));
        if (a <= -far || a >= far || b <= -far || b >= far) return false;
        if (!type.is_signed && (a < 0 || b < 0)) return false;
        // `le` and `gt` ask whether the difference is below one.
        const bool equality = s.compare == comparison::eq || s.compare == comparison::ne;
        const bool below_one = s.compare == comparison::le || s.compare == comparison::gt;
        const std::int64_t off = a - b - (below_one ? 1 : 0);
        std::int64_t most = most_rounds;
        if (equality) {
            if (off == 0 && by != 0) most = 0;
            if (off != 0 && by != 0 && off % by == 0 && off / by < 0) most = -(off / by) - 1;
        } else if (off < 0 && by > 0) {
            most = (-off - 1) / by;
        } else if (off >= 0 && by < 0) {
            most = off / -by;
        }
        // Below 0, an unsigned number is a large one.
        if (!type.is_signed && of_left < 0 && a / -of_left < most) most = a / -of_left;
        if (!type.is_signed && of_right < 0 && b / -of_right < most) most = b / -of_right;
        if (static_cast<std::uint64_t>(most) < rounds) rounds = static_cast<std::uint64_t>(most);
    }
    return true;
}

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::run

#endif
