// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_RUN_WAITING_BOUNDS_HPP
#define WARPGAUGE_PTX_RUN_WAITING_BOUNDS_HPP

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <warpgauge/core/scalar.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/ptx/link/program.hpp>
#include <warpgauge/ptx/run/lane_values.hpp>
#include <warpgauge/ptx/text/opcode_table.hpp>

/// \file How far values of lanes may move until a comparison of them comes out differently.

namespace WARPGAUGE_NAMESPACE::ptx::detail::run {

using ptx::link::step;
using ptx::text::value_type;

/// How many blocks another warp is away, along each dimension, and how many threads within its block.
using warp_distance = std::array<std::int64_t, 6>;

/// Are two distances one? Without a call, since it is asked at each step.
constexpr bool is_same(const warp_distance& a, const warp_distance& b) {
    std::int64_t off = 0;
    for (std::size_t d = 0; d < a.size(); ++d) off |= a[d] ^ b[d];
    return off == 0;
}

/// The sum of products of two distances.
constexpr std::int64_t distance_along(const warp_distance& by, const warp_distance& away) {
    std::int64_t sum = 0;
    for (std::size_t d = 0; d < by.size(); ++d) sum += by[d] * away[d];
    return sum;
}

/// The sum of products of `by` and the distance must lie between the two.
struct way_bound {
    warp_distance by{};
    std::int64_t least{}, most{};

    [[nodiscard]] constexpr bool holds(const warp_distance& away) const {
        const std::int64_t moved = distance_along(by, away);
        return moved >= least && moved <= most;
    }
};

// The value of each lane; of those that take no part, of the first that does.
struct lane_numbers {
    std::int64_t of[warp_lanes];
};
inline lane_numbers numbers(const value_type& type, const lane_values& values,
                            std::uint32_t lanes) {
    lane_numbers n;  // NOLINT: all are set
    const unsigned shift = type.bits == 0 || type.bits > 64 ? 0 : 64U - type.bits;
    const auto first = static_cast<std::size_t>(std::countr_zero(lanes) & 31);
    for (std::size_t l = 0; l < warp_lanes; ++l) {
        const std::uint64_t v = ((lanes >> l & 1U) != 0 ? values[l] : values[first]) << shift;
        n.of[l] = type.is_signed ? static_cast<std::int64_t>(v) >> shift
                                 : static_cast<std::int64_t>(v >> shift);
    }
    return n;
}

inline constexpr std::int64_t far_away = std::int64_t{1} << 61;

// The ends of numbers, and of those below 0 and of the others the nearest to it; `far_away` if there are none.
struct number_range {
    std::int64_t least = far_away, most = -far_away, below = -far_away, above = far_away;

    [[nodiscard]] constexpr bool is_far() const { return least <= -far_away || most >= far_away; }
};
inline number_range range_of(const lane_numbers& n) {
    number_range r;
    for (const std::int64_t v : n.of) {
        r.least = core::min(r.least, v);
        r.most = core::max(r.most, v);
        r.below = core::max(r.below, v < 0 ? v : -far_away);
        r.above = core::min(r.above, v < 0 ? far_away : v);
    }
    return r;
}

// The same of numbers within 2^30 of 0, as nearly all are: processors compare more of them at once.
struct small_numbers {
    std::int32_t of[warp_lanes];
};
// False if one is not.
inline bool are_small(const value_type& type, const lane_values& values, std::uint32_t lanes,
                      small_numbers& n) {
    if (type.bits != 32) return false;
    for (std::size_t l = 0; l < warp_lanes; ++l) {
        n.of[l] = static_cast<std::int32_t>(static_cast<std::uint32_t>(values[l]));
    }
    const std::int32_t other = n.of[std::countr_zero(lanes) & 31];
    for (std::uint32_t idle = ~lanes; idle != 0; idle &= idle - 1) {
        n.of[std::countr_zero(idle)] = other;
    }
    const std::uint32_t middle = type.is_signed ? std::uint32_t{1} << 30 : 0;
    std::uint32_t far = 0;
    for (const std::int32_t v : n.of) far |= static_cast<std::uint32_t>(v) + middle;
    return far >> (type.is_signed ? 31 : 30) == 0;
}
inline number_range ends_of(const small_numbers& n) {
    std::int32_t least = n.of[0], most = n.of[0];
    for (const std::int32_t v : n.of) {
        least = v < least ? v : least;
        most = v > most ? v : most;
    }
    return {.least = least, .most = most};
}
inline number_range nearest_to_zero(const small_numbers& n) {
    constexpr std::int32_t sign = -0x7fff'ffff - 1;
    std::int32_t above = n.of[0] ^ sign,
                 below = n.of[0] ^ sign;  // so that negative numbers are the larger ones
    for (const std::int32_t v : n.of) {
        const std::int32_t turned = v ^ sign;
        above = turned < above ? turned : above;
        below = turned > below ? turned : below;
    }
    number_range r;
    if (above < 0) r.above = above ^ sign;
    if (below >= 0) r.below = below ^ sign;
    return r;
}

// The ends of values; of small ones nothing else.
inline number_range ends_of(const value_type& type, const lane_values& values,
                            std::uint32_t lanes) {
    small_numbers n;  // NOLINT: all are set
    if (are_small(type, values, lanes, n)) return ends_of(n);
    return range_of(numbers(type, values, lanes));
}
// What is nearest to zero of values; of small ones nothing else.
inline number_range nearest_to_zero(const value_type& type, const lane_values& values,
                                    std::uint32_t lanes) {
    small_numbers n;  // NOLINT: all are set
    if (are_small(type, values, lanes, n)) return nearest_to_zero(n);
    return range_of(numbers(type, values, lanes));
}

// What is nearest to zero of differences, less one if that is asked; far away if a number is.
inline number_range nearest_difference(const value_type& type, const lane_values& a_values,
                                       const lane_values& b_values, std::uint32_t lanes,
                                       bool less_one) {
    small_numbers x, y;  // NOLINT: all are set
    if (are_small(type, a_values, lanes, x) && are_small(type, b_values, lanes, y)) {
        for (std::size_t l = 0; l < warp_lanes; ++l) x.of[l] -= y.of[l] + (less_one ? 1 : 0);
        return nearest_to_zero(x);
    }
    lane_numbers a = numbers(type, a_values, lanes);
    const lane_numbers b = numbers(type, b_values, lanes);
    if (range_of(a).is_far() || range_of(b).is_far()) return {.most = far_away};
    for (std::size_t l = 0; l < warp_lanes; ++l) a.of[l] -= b.of[l] + (less_one ? 1 : 0);
    return range_of(a);
}

/// Bounds of one warp. Each waits until what it bounds decides something: who adds one gets a bit in `needs`. Values that
/// are too large for them give false.
template <class Used = core::when_used>
class waiting_bounds {
public:
    void clear() {
        open_ = 0;
        is_full_ = false;
        required_.clear();
    }

    /// Adds one, as a bit of a set of those that wait.
    std::uint64_t add(const way_bound& bound) {
        const std::uint64_t bit = std::uint64_t{1} << next_;
        require(bit);  // the one before it with this bit
        waiting_[next_] = bound;
        next_ = (next_ + 1) % max_waiting;
        open_ |= bit;
        return bit;
    }

    /// Values of a type stay in its range.
    [[nodiscard]] bool bound_type(const value_type& type, const lane_values& values,
                                  std::uint32_t lanes, const warp_distance& by,
                                  std::uint64_t& needs) {
        if (is_same(by, {})) return true;
        const auto range = static_cast<std::int64_t>(ones(type.bits < 63 ? type.bits : 62U));
        const std::int64_t last = type.is_signed ? range / 2 : range;
        const std::int64_t first = type.is_signed ? -last - 1 : 0;
        const number_range r = ends_of(type, values, lanes);
        return bound(r, {by, first - r.least, last - r.most}, needs);
    }

    /// Signs stay.
    [[nodiscard]] bool bound_sign(const value_type& type, const lane_values& values,
                                  std::uint32_t lanes, const warp_distance& by,
                                  std::uint64_t& needs) {
        const value_type with_sign{.bits = type.bits, .is_signed = true};
        if (!bound_type(with_sign, values, lanes, by, needs)) return false;
        const number_range r = nearest_to_zero(with_sign, values, lanes);
        return bound(r, {by, -r.above, -1 - r.below}, needs);
    }

    /// A comparison comes out the same.
    [[nodiscard]] bool bound_difference(const step& s, const value_type& type,
                                        const lane_values& a_values, const lane_values& b_values,
                                        std::uint32_t lanes, const warp_distance& by,
                                        std::uint64_t& needs) {
        using ptx::link::comparison;
        if (is_same(by, {})) return true;
        const bool equality = s.compare == comparison::eq || s.compare == comparison::ne;
        const bool below_one = s.compare == comparison::le || s.compare == comparison::gt;
        const number_range r = nearest_difference(type, a_values, b_values, lanes, below_one);
        const bool meets = equality && r.above == 0;
        const std::int64_t most = meets ? 0 : -1 - r.below;
        return bound(r, {by, equality ? (meets ? 0 : 1 - r.above) : -r.above, most}, needs);
    }

    /// Some bounds must hold from now on.
    void require(std::uint64_t needs) {
        for (std::uint64_t left = needs & open_; left != 0; left &= left - 1) {
            require(waiting_[static_cast<std::size_t>(std::countr_zero(left))]);
        }
        open_ &= ~needs;
    }

    /// More had to hold than are kept.
    [[nodiscard]] bool is_full() const { return is_full_; }
    /// Those that must hold.
    [[nodiscard]] const auto& required() const { return required_; }

private:
    static constexpr std::size_t max_required = 64;
    static constexpr std::uint32_t max_waiting = 64;  // bits

    bool bound(const number_range& of, const way_bound& b, std::uint64_t& needs) {
        if (of.is_far()) return false;
        needs |= add(b);
        return true;
    }

    void require(const way_bound& more) {
        for (way_bound& b : required_) {
            if (!is_same(b.by, more.by)) continue;
            b.least = core::max(b.least, more.least);
            b.most = core::min(b.most, more.most);
            return;
        }
        is_full_ = is_full_ || required_.size() == max_required;
        if (!is_full_) required_.push_back(more);
    }

    way_bound waiting_[max_waiting];
    std::uint32_t next_ = 0;
    std::uint64_t open_ = 0;  // of `waiting_`, those that are not required
    bool is_full_ = false;
    core::late<Used, std::vector<way_bound>> required_;
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::run

#endif
