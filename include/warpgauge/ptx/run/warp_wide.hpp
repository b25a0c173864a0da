// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_RUN_WARP_WIDE_HPP
#define WARPGAUGE_PTX_RUN_WARP_WIDE_HPP

#include <bit>
#include <cstddef>
#include <cstdint>

#include <warpgauge/ptx/link/program.hpp>
#include <warpgauge/ptx/run/lane_values.hpp>
#include <warpgauge/ptx/run/register_file.hpp>

/// \file Carries out steps whose results all lanes have a part in: `elect`, `match`, `redux`; and what asks whether
/// something has happened.
///
/// Source: NVIDIA, Parallel Thread Execution ISA 9.0, sec. 9.7.13.10 (`match`), 9.7.13.12 (`redux`), 9.7.13.14 (`elect`).
/// Which lane `elect` takes is not said there: here the lowest.

namespace WARPGAUGE_NAMESPACE::ptx::detail::run {

/// The value of one `redux`; `mode`: 1 add, 2 min, 3 max, 4 and, 5 or, 6 xor.
constexpr std::uint64_t reduced(const step& s, const lane_values& values, std::uint32_t lanes) {
    std::uint64_t all = 0;
    bool begun = false;
    for (std::size_t l = 0; l < warp_lanes; ++l) {
        if (!has_lane(lanes, l)) continue;
        const std::uint64_t v = as(s.type, values[l]);
        if (!begun) {
            all = v;
        } else {
            switch (s.mode) {
                case 1: all += v; break;
                case 2: all = less(s.type, v, all) ? v : all; break;
                case 3: all = less(s.type, all, v) ? v : all; break;
                case 4: all &= v; break;
                case 5: all |= v; break;
                default: all ^= v;
            }
        }
        begun = true;
    }
    return all & ones(s.type.bits);
}

/// The lanes of `lanes` that have a lane's value.
constexpr std::uint32_t matching(const lane_values& values, std::uint32_t lanes, std::size_t lane,
                                 std::uint64_t kept) {
    std::uint32_t same = 0;
    for (std::size_t l = 0; l < warp_lanes; ++l) {
        if (has_lane(lanes, l) && (values[l] & kept) == (values[lane] & kept)) same |= 1U << l;
    }
    return same;
}

template <class Used = core::when_used>
class warp_wide {
public:
    /// The registers must outlive it.
    explicit warp_wide(register_file<Used>& registers) : registers_(registers) {}

    void compute(const step& s, std::uint32_t active) {
        switch (s.what) {
            case action::elect: return elect(s, active);
            case action::match: return match(s, active);
            case action::reduce: return reduce(s, active);
            default: return come_true(s, active);
        }
    }

private:
    // The lanes that a mask names, of those that take part; 0 if it is not known.
    std::uint32_t members(const step& s, std::uint32_t mask, std::uint32_t active) {
        const row_values& m = registers_.source(s, mask);
        if (active == 0 || (active & ~m.known) != 0) return 0;
        const auto first = static_cast<std::size_t>(std::countr_zero(active));
        return static_cast<std::uint32_t>(m.lanes[first]) & active;
    }

    void write_all(const step& s, std::uint32_t result, std::uint64_t value, std::uint32_t active) {
        lane_values out;
        out.fill(value);
        registers_.write(registers_.result(s, result), out, all_lanes, active);
    }

    void elect(const step& s, std::uint32_t active) {
        const std::uint32_t lanes = members(s, 0, active);
        if (lanes == 0) return registers_.forget_results(s, active);
        const auto leader = static_cast<std::size_t>(std::countr_zero(lanes));
        write_all(s, 0, leader, active);
        if (s.results < 2) return;
        lane_values is_leader{};
        is_leader[leader] = 1;
        registers_.write(registers_.result(s, 1), is_leader, all_lanes, active);
    }

    void match(const step& s, std::uint32_t active) {
        const std::uint32_t lanes = members(s, 1, active);
        const row_values a = registers_.source(s, 0);
        if (lanes == 0 || (lanes & ~a.known) != 0) return registers_.forget_results(s, active);
        const std::uint64_t kept = ones(s.type.bits);
        lane_values same;
        for (std::size_t l = 0; l < warp_lanes; ++l) same[l] = matching(a.lanes, lanes, l, kept);
        if (s.mode == 0) return registers_.write(registers_.result(s), same, all_lanes, active);
        const bool all = same[static_cast<std::size_t>(std::countr_zero(lanes))] == lanes;
        write_all(s, 0, all ? lanes : 0, active);
        if (s.results > 1) write_all(s, 1, all ? 1 : 0, active);
    }

    void reduce(const step& s, std::uint32_t active) {
        const std::uint32_t lanes = members(s, 1, active);
        const row_values a = registers_.source(s, 0);
        if (lanes == 0 || (lanes & ~a.known) != 0) {  // nobody knows it, but it is one for all
            return registers_.write(registers_.result(s), {}, 0, active, registers_.new_base(0));
        }
        write_all(s, 0, reduced(s, a.lanes, lanes), active);
    }

    // A wait at a barrier for copies under way: passed the first time it is asked.
    void come_true(const step& s, std::uint32_t active) {
        for (std::uint32_t k = 0; k < s.results; ++k) write_all(s, k, 1, active);
    }

    register_file<Used>& registers_;
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::run

#endif
