// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_RUN_ROW_MOTION_HPP
#define WARPGAUGE_PTX_RUN_ROW_MOTION_HPP

#include <bit>
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

/// The rounds that `by` can be added in before a number has moved further than `room`.
constexpr std::uint64_t rounds_within(std::uint64_t room, std::uint64_t by) {
    return room / (static_cast<std::int64_t>(by) < 0 ? 0 - by : by);
}

/// Lowers `rounds` such that values keep their high bits and signs, as a type has them, while `by`, which is not 0, is
/// added. False if they have more bits.
constexpr bool bound_extension(const lane_values& values, std::uint32_t lanes,
                               const value_type& type, std::uint64_t by, std::uint64_t& rounds) {
    if (type.bits >= 64 || lanes == 0) return true;
    const bool down = static_cast<std::int64_t>(by) < 0;
    const std::uint64_t all = ones(type.bits);
    const std::uint64_t half = all >> 1;
    std::uint64_t room = ~std::uint64_t{0};  // of the lane that has least
    for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
        const std::uint64_t given = values[static_cast<std::size_t>(std::countr_zero(left))];
        const std::uint64_t value = given & all;
        if (given != value && given != sign_extended(value, type.bits)) return false;
        const bool upper = type.is_signed && value > half;
        const std::uint64_t first = upper ? half + 1 : 0;
        const std::uint64_t last = type.is_signed && !upper ? half : all;
        const std::uint64_t of_lane = down ? value - first : last - value;
        room = of_lane < room ? of_lane : room;
    }
    const std::uint64_t most = rounds_within(room, by);
    rounds = most < rounds ? most : rounds;
    return true;
}

/// The value that all these lanes have.
constexpr bool same_in_all(const lane_values& values, std::uint32_t lanes, std::uint64_t& value) {
    if (lanes == 0) return false;
    value = values[static_cast<std::size_t>(std::countr_zero(lanes))];
    const bool all = lanes == ~std::uint32_t{0};  // then no lane is asked
    std::uint64_t off = 0;
    for (std::size_t l = 0; l < warp_lanes && all; ++l) off |= values[l] ^ value;
    for (std::uint32_t left = all ? 0 : lanes; left != 0; left &= left - 1) {
        off |= values[static_cast<std::size_t>(std::countr_zero(left))] ^ value;
    }
    return off == 0;
}

constexpr void bound_by(std::int64_t most, std::uint64_t& rounds) {
    if (static_cast<std::uint64_t>(most) < rounds) rounds = static_cast<std::uint64_t>(most);
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
    if ((of_left == 0 && of_right == 0) || lanes == 0) return true;
    if (of_left <= -fast || of_left >= fast || of_right <= -fast || of_right >= fast) return false;
    const bool equality = s.compare == comparison::eq || s.compare == comparison::ne;
    // `le` and `gt` ask whether the difference is below one.
    const bool below_one = s.compare == comparison::le || s.compare == comparison::gt;
    // Of all lanes: how far a difference is from where it comes out otherwise, and an unsigned number from 0.
    std::int64_t room = far * 2;
    std::int64_t least_a = far;
    std::int64_t least_b = far;
    for (std::uint32_t left_lanes = lanes; left_lanes != 0; left_lanes &= left_lanes - 1) {
        const auto l = static_cast<std::size_t>(std::countr_zero(left_lanes));
        const auto a = static_cast<std::int64_t>(as(type, left[l]));
        const auto b = static_cast<std::int64_t>(as(type, right[l]));
        if (a <= -far || a >= far || b <= -far || b >= far) return false;
        if (!type.is_signed && (a < 0 || b < 0)) return false;
        least_a = a < least_a ? a : least_a;
        least_b = b < least_b ? b : least_b;
        const std::int64_t off = a - b - (below_one ? 1 : 0);
        if (equality) {
            if (off == 0 && by != 0) rounds = 0;
            const bool meets = off != 0 && by != 0 && (off < 0) != (by < 0) && off % by == 0;
            if (meets) bound_by(-(off / by) - 1, rounds);
        } else if ((off < 0) == (by > 0) && by != 0) {
            const std::int64_t here = off < 0 ? -off - 1 : off;
            room = here < room ? here : room;
        }
    }
    if (room < far * 2) bound_by(room / (by < 0 ? -by : by), rounds);
    bound_by(most_rounds, rounds);
    // Below 0, an unsigned number is a large one.
    if (!type.is_signed && of_left < 0) bound_by(least_a / -of_left, rounds);
    if (!type.is_signed && of_right < 0) bound_by(least_b / -of_right, rounds);
    return true;
}

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::run

#endif
