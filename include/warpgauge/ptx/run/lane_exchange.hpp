// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_RUN_LANE_EXCHANGE_HPP
#define WARPGAUGE_PTX_RUN_LANE_EXCHANGE_HPP

#include <cstddef>
#include <cstdint>

#include <warpgauge/core/when_used.hpp>
#include <warpgauge/ptx/link/program.hpp>
#include <warpgauge/ptx/run/lane_values.hpp>
#include <warpgauge/ptx/run/register_file.hpp>
#include <warpgauge/ptx/run/unknown_base.hpp>

/// \file Votes and shuffles: what lanes learn of each other.

namespace WARPGAUGE_NAMESPACE::ptx::detail::run {

/// The lane that a lane reads from, in place of its own number in `lane`; false, and its own, where that
/// lies outside of its segment. Modes: 0 `idx`, 1 `up`, 2 `down`, 3 `bfly`.
constexpr bool shuffle_source(unsigned mode, std::uint64_t operand, std::uint64_t control,
                              std::uint32_t& lane) {
    const auto by = static_cast<std::uint32_t>(operand & 31);
    const auto clamp = static_cast<std::uint32_t>(control & 31);
    const auto segment = static_cast<std::uint32_t>(control >> 8 & 31);
    const std::uint32_t last = (lane & segment) | (clamp & ~segment);
    std::uint32_t from = (lane & segment) | (by & ~segment);
    bool good = from <= last;
    if (mode == 1) {
        from = lane - by;
        good = lane >= by && from >= last;
    } else if (mode == 2) {
        from = lane + by;
        good = from <= last;
    } else if (mode == 3) {
        from = lane ^ by;
        good = from <= last;
    }
    if (good) lane = from;
    return good;
}

template <class Used = core::when_used>
class lane_exchange {
public:
    /// The registers must outlive it.
    explicit lane_exchange(register_file<Used>& registers) : registers_(registers) {}

    void active_mask(const step& s, std::uint32_t active) {
        lane_values lanes;
        lanes.fill(active);
        registers_.write(registers_.result(s), lanes, all_lanes, active);
    }

    void vote(const step& s, std::uint32_t active) {
        const row_values& p = registers_.source(s, 0);
        const std::uint32_t yes =
            (lanes_that_hold(p) ^ ((s.negated_sources & 1U) != 0 ? ~0U : 0U)) & active;
        const std::uint32_t open = active & ~p.known;
        const bool decided =
            (s.mode == 1 && (active & ~yes & ~open) != 0) || (s.mode == 2 && (yes & ~open) != 0);
        const bool known = s.mode != 0 && (open == 0 || decided);
        std::uint64_t answer = s.mode == 1   ? (yes == active ? 1 : 0)
                               : s.mode == 2 ? (yes != 0 ? 1 : 0)
                                             : yes;
        if (decided) answer = s.mode == 1 ? 0 : 1;
        lane_values out;
        out.fill(known ? answer : 0);
        registers_.write(registers_.result(s), out, known ? all_lanes : 0, active,
                         known ? opaque_base : registers_.new_base(0));
    }

    void shuffle(const step& s, std::uint32_t active) {
        const row_values a = registers_.source(s, 0);
        const row_values b = registers_.source(s, 1);
        const row_values c = registers_.source(s, 2);
        lane_values out;
        lane_values valid;
        std::uint32_t sources[warp_lanes];
        std::uint32_t known = b.known & c.known;
        const std::uint32_t index_known = known;
        for (std::uint32_t l = 0; l < warp_lanes; ++l) {
            std::uint32_t from = l;
            valid[l] = shuffle_source(s.mode, b.lanes[l], c.lanes[l], from) ? 1 : 0;
            sources[l] = from & 31;
            out[l] = a.lanes[from & 31];
            if (!has_lane(a.known & active, from & 31)) known &= ~(1U << l);
        }
        unknown_base base = opaque_base;
        const bool any_unknown = (known & active) != active;
        if (any_unknown && (index_known & active) == active) {
            base = registers_.new_base(shuffled_breaks(a.base.breaks, sources, active));
        }
        registers_.write(registers_.result(s), out, known, active, base);
        if (s.results > 1) registers_.write(registers_.result(s, 1), valid, index_known, active);
    }

private:
    // Lanes share a base still where those that they read from did; of one that is not there, nothing is known. Lanes that do
    // not take part are in the run of those before them, so that they part none.
    static std::uint32_t shuffled_breaks(std::uint32_t breaks,
                                         const std::uint32_t (&sources)[warp_lanes],
                                         std::uint32_t active) {
        std::uint32_t shuffled = 0;
        std::uint32_t before = ~0U;
        const bool apart = unknown_base{.breaks = breaks}.is_opaque();
        for (std::size_t l = 0; l < warp_lanes; ++l) {
            if (!has_lane(active, l)) continue;
            const bool is_there = has_lane(active, sources[l]);
            const std::uint32_t run = apart ? sources[l] : run_of(breaks, sources[l]);
            shuffled |= static_cast<std::uint32_t>(!is_there || run != before) << l;
            before = is_there ? run : ~0U;
        }
        return shuffled;
    }

    register_file<Used>& registers_;
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::run

#endif
