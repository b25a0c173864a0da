// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_RUN_LANE_COMPUTER_HPP
#define WARPGAUGE_PTX_RUN_LANE_COMPUTER_HPP

#include <array>
#include <cstddef>
#include <cstdint>

#include <warpgauge/core/when_used.hpp>
#include <warpgauge/ptx/link/address_windows.hpp>
#include <warpgauge/ptx/link/program.hpp>
#include <warpgauge/ptx/run/lane_arithmetic.hpp>
#include <warpgauge/ptx/run/lane_exchange.hpp>
#include <warpgauge/ptx/run/lane_values.hpp>
#include <warpgauge/ptx/run/real_steps.hpp>
#include <warpgauge/ptx/run/register_file.hpp>
#include <warpgauge/ptx/run/unknown_base.hpp>
#include <warpgauge/ptx/run/unknown_comparison.hpp>
#include <warpgauge/ptx/run/unknown_results.hpp>
#include <warpgauge/ptx/run/whole_rows.hpp>

/// \file Carries out a step that computes, from the rows of its sources to those of its results.
///
/// A result is known in the lanes in which all sources are, or in which those that are known decide. Of others it is an
/// offset from an unknown base.

namespace WARPGAUGE_NAMESPACE::ptx::detail::run {

using ptx::link::address_space, ptx::link::address_windows;

/// A comparison's result with a third operand: `and`, `or`, `xor`.
constexpr std::uint32_t combined(unsigned mode, std::uint32_t a, std::uint32_t b) {
    return mode == 1 ? a & b : mode == 2 ? a | b : a ^ b;
}

/// The lanes of a row with bits from `bit` on.
inline std::uint32_t lanes_above(const row_values& r, unsigned bit) {
    std::uint32_t lanes = 0;
    for (std::size_t l = 0; l < warp_lanes; ++l) {
        lanes |= static_cast<std::uint32_t>(r.lanes[l] >> bit != 0) << l;
    }
    return lanes;
}

template <class Used = core::when_used>
class lane_computer {
public:
    /// The registers must outlive the computer.
    lane_computer(register_file<Used>& registers, std::uint32_t address_bits)
        : registers_(registers),
          windows_(address_bits),
          arithmetic_(registers),
          exchange_(registers),
          reals_(registers) {}

    /// Another warp begins.
    void begin() { reals_.begin(); }
    /// What it keeps of a warp: to go back to.
    [[nodiscard]] std::uint32_t state() const { return reals_.steps_left(); }
    void go_back_to(std::uint32_t state) { reals_.go_back_to(state); }

    void compute(const step& s, std::uint32_t active) {
        switch (s.what) {
            case action::move: move(s, active); break;
            case action::pack: pack(s, active); break;
            case action::unpack: unpack(s, active); break;
            case action::convert_address: convert_address(s, active); break;
            case action::add_carry:
            case action::subtract_borrow: add_with_carry(s, active); break;
            case action::add:
            case action::subtract:
                if (s.mode != 0) return add_with_carry(s, active);
                arithmetic_.compute(s, active);
                break;
            case action::compare: compare(s, active); break;
            case action::real:
            case action::compare_reals: compute_reals(s, active); break;
            case action::select: select(s, active); break;
            case action::active_mask: exchange_.active_mask(s, active); break;
            case action::vote: exchange_.vote(s, active); break;
            case action::shuffle: exchange_.shuffle(s, active); break;
            default: arithmetic_.compute(s, active);
        }
    }

    /// Writes the results of a step that is not followed: lanes with equal sources have equal ones if the step works
    /// lane by lane.
    void forget_results(const step& s, std::uint32_t active) {
        const std::uint32_t breaks = s.by_lane ? source_breaks(s, active) : ~0U;
        if (unknown_base{.breaks = breaks}.is_opaque()) return registers_.forget_results(s, active);
        for (std::uint32_t k = 0; k < s.results; ++k) {
            registers_.write_zeros(registers_.result(s, k), 0, active, registers_.new_base(breaks));
        }
    }

private:
    void compute_reals(const step& s, std::uint32_t active) {
        row_values out;
        if (!reals_.compute(s, active, out.lanes)) return forget_results(s, active);
        if (s.what == action::compare_reals) {
            return write_comparison(s, active, lanes_that_hold(out), all_lanes, opaque_base);
        }
        registers_.write(registers_.result(s), out.lanes, all_lanes, active);
    }

    // The lanes whose sources may be others than those of the lane before.
    std::uint32_t source_breaks(const step& s, std::uint32_t active) {
        std::uint32_t breaks = 0;
        for (std::uint32_t k = 0; k < s.sources; ++k) {
            const row_values& r = registers_.source(s, k);
            if ((active & ~r.known) != 0) breaks |= r.base.breaks;
            if (unknown_base{.breaks = breaks}.is_opaque()) return ~0U;
        }
        for (std::uint32_t k = 0; k < s.sources; ++k) {
            const row_values& r = registers_.source(s, k);
            if ((active & r.known) != 0 && (active & ~r.known) != 0) breaks |= edges_of(r.known);
            breaks |= breaks_of(r.lanes);
        }
        return breaks;
    }

    void move(const step& s, std::uint32_t active) {
        const value_type type = s.type;
        for (std::uint32_t k = 0; k < s.results && k < s.sources; ++k) {
            const std::uint32_t from = registers_.result(s, s.results + k);
            const row_values& value = registers_.at(from);
            lane_values out;
            extend(type, value.lanes, out);
            const std::uint32_t known = value.known;
            const bool is_clock = from == ptx::link::unknown_row;  // another value each time
            const unknown_base base = is_clock ? registers_.new_base(0) : value.base;
            registers_.write(registers_.result(s, k), out, known, active, base);
        }
    }

    void pack(const step& s, std::uint32_t active) {
        const unsigned bits = s.type.bits / s.sources;
        lane_values out{};
        std::uint32_t known = all_lanes;
        std::uint32_t above = 0;  // that something is known or not of the upper parts
        for (std::uint32_t k = 0; k < s.sources && bits > 0; ++k) {
            const row_values& r = registers_.source(s, k);
            for (std::size_t l = 0; l < warp_lanes; ++l) {
                out[l] |= (r.lanes[l] & ones(bits)) << bits * k;
            }
            known &= r.known;
            if (k > 0) above |= ~r.known | lanes_above(r, 0);
        }
        if ((known & active) == active) {
            return registers_.write(registers_.result(s), out, known, active);
        }
        // Below zeros, the value of the first part; else one that only equal parts give.
        if ((above & active & ~known) == 0) {
            return registers_.write(registers_.result(s), out, known, active,
                                    registers_.source(s, 0).base);
        }
        for (std::size_t l = 0; l < warp_lanes; ++l) {
            if (!has_lane(known, l)) out[l] = 0;
        }
        registers_.write(registers_.result(s), out, known, active,
                         registers_.new_base(source_breaks(s, active)));
    }

    void unpack(const step& s, std::uint32_t active) {
        const unsigned bits = s.type.bits / s.results;
        const row_values from = registers_.source(s, 0);
        for (std::uint32_t k = 0; k < s.results && bits > 0; ++k) {
            lane_values out;
            for (std::size_t l = 0; l < warp_lanes; ++l) {
                out[l] = from.lanes[l] >> bits * k & ones(bits);
            }
            registers_.write(registers_.result(s, k), out, from.known, active,
                             part_base(from.base, k));
        }
    }

    // The lowest part of a base is a base still.
    unknown_base part_base(const unknown_base& whole, std::uint32_t part) {
        return part == 0 || whole.is_opaque() ? whole : registers_.new_base(whole.breaks);
    }

    // Addresses of shared and local memory and the generic ones differ by where their window is. Offsets from what is not
    // known may be below it.
    void convert_address(const step& s, std::uint32_t active) {
        row_values value = registers_.source(s, 0);
        const std::uint64_t window = s.space == address_space::shared  ? windows_.shared()
                                     : s.space == address_space::local ? windows_.local()
                                                                       : 0;
        const bool to_space = (s.mode & 1U) != 0;
        for (std::size_t l = 0; l < warp_lanes && window != 0; ++l) {
            std::uint64_t& v = value.lanes[l];
            if (has_lane(value.known, l)) {
                v = to_space ? windows_.within(v) : v | window;
            } else {
                v += to_space ? 0 - window : window;
            }
        }
        registers_.write(registers_.result(s), value.lanes, value.known, active, value.base);
    }

    void add_with_carry(const step& s, std::uint32_t active) {
        const bool subtracts = s.what == action::subtract || s.what == action::subtract_borrow;
        const bool takes = s.what == action::add_carry || s.what == action::subtract_borrow;
        const row_values a = registers_.source(s, 0);
        const row_values b = registers_.source(s, 1);
        const row_values in = registers_.at(ptx::link::carry);
        const std::uint64_t kept = ones(s.type.bits);
        lane_values out;
        lane_values over;
        for (std::size_t l = 0; l < warp_lanes; ++l) {
            const std::uint64_t x = a.lanes[l] & kept;
            const std::uint64_t y = b.lanes[l] & kept;
            const std::uint64_t c = takes ? in.lanes[l] & 1U : 0;
            const std::uint64_t sum = subtracts ? x - y - c : x + y + c;
            out[l] = sum & kept;
            over[l] = subtracts ? (x < y || (x == y && c != 0) ? 1 : 0)
                                : ((sum & kept) < x || ((sum & kept) == x && c != 0) ? 1 : 0);
        }
        const std::uint32_t known = a.known & b.known & (takes ? in.known : all_lanes);
        unknown_base base = opaque_base;
        if ((known & active) != active) {
            std::uint32_t breaks = source_breaks(s, active);
            if (takes) breaks |= breaks_of(in.lanes) | (in.known == all_lanes ? 0 : in.base.breaks);
            base = registers_.new_base(breaks);
            for (std::size_t l = 0; l < warp_lanes; ++l) {
                if (!has_lane(known, l)) out[l] = over[l] = 0;
            }
        }
        registers_.write(registers_.result(s), out, known, active, base);
        if (s.mode != 0) registers_.write(ptx::link::carry, over, known, active, base);
    }

    void compare(const step& s, std::uint32_t active) {
        const row_values& a = registers_.source(s, 0);
        const row_values& b = registers_.source(s, 1);
        value_type type = s.from;
        if (s.unsigned_compare) type.is_signed = false;
        std::uint32_t known = a.known & b.known;
        std::uint32_t yes = compare_row(s, type, a.lanes, b.lanes);
        unknown_base base = opaque_base;
        if (const std::uint32_t open = active & ~known; open != 0) {
            lane_values x;
            lane_values y;
            extend(type, a.lanes, x);
            extend(type, b.lanes, y);
            unknown_comparison c(s, {a, x, type, open}, {b, y, type, open});
            base = c.complete(yes, known, registers_);
        }
        write_comparison(s, active, yes, known, base);
    }

    void write_comparison(const step& s, std::uint32_t active, std::uint32_t yes,
                          std::uint32_t known, unknown_base base) {
        std::uint32_t no = ~yes;
        if (s.sources > 2 && s.mode != 0) {
            const row_values& c = registers_.source(s, 2);
            const std::uint32_t with =
                lanes_that_hold(c) ^ ((s.negated_sources & 4U) != 0 ? ~0U : 0U);
            const std::uint32_t both = known & c.known;
            if ((active & ~both) != 0) base = combined_base(base, known, c, active);
            const std::uint32_t decides = s.mode == 1 ? 0 : all_lanes;
            const auto absorbed = [&](std::uint32_t bits) {
                if (s.mode == 3) return std::uint32_t{0};
                return (known & ~(bits ^ decides)) | (c.known & ~(with ^ decides));
            };
            const std::uint32_t yes_known = both | absorbed(yes);
            const std::uint32_t no_known = both | absorbed(no);
            yes = combined(s.mode, yes, with);
            no = combined(s.mode, no, with);
            write_bits(registers_.result(s), yes, s, yes_known, active, base);
            if (s.results > 1) write_bits(registers_.result(s, 1), no, s, no_known, active, base);
            return;
        }
        write_bits(registers_.result(s), yes, s, known, active, base);
        if (s.results > 1) write_bits(registers_.result(s, 1), no, s, known, active, base);
    }

    // The base of a comparison's result that is combined with another predicate.
    unknown_base combined_base(const unknown_base& base, std::uint32_t known,
                               const row_values& with, std::uint32_t active) {
        std::uint32_t breaks = edges_of(known & active) | edges_of(with.known & active);
        if ((active & ~known) != 0) breaks |= base.breaks;
        if ((active & ~with.known) != 0) breaks |= with.base.breaks;
        return registers_.new_base(breaks);
    }

    void write_bits(std::uint32_t row, std::uint32_t bits, const step& s, std::uint32_t known,
                    std::uint32_t active, unknown_base base) {
        lane_values out;
        const std::uint64_t yes = s.all_ones ? ones(s.type.bits) : 1;
        if (s.all_ones && (known & active) != active) {  // no number plus 0 or 1
            bits &= known;
            base = registers_.new_base(base.breaks | edges_of(bits));
        }
        put_in(bits, yes, out);
        registers_.write(row, out, known, active, base);
    }

    void select(const step& s, std::uint32_t active) {
        const row_values a = registers_.source(s, 0);
        const row_values b = registers_.source(s, 1);
        const row_values& p = registers_.source(s, 2);
        lane_values out;
        const std::uint64_t kept = ones(s.type.bits);
        for (std::size_t l = 0; l < warp_lanes; ++l) {
            out[l] = ((p.lanes[l] & 1U) != 0 ? a.lanes[l] : b.lanes[l]) & kept;
        }
        const std::uint32_t yes = lanes_that_hold(p);
        std::uint32_t known = p.known & ((yes & a.known) | (~yes & b.known));
        const std::uint32_t open = active & ~known;
        if (open == 0) return registers_.write(registers_.result(s), out, known, active);
        // Lanes that all take one side have its base.
        const std::uint32_t first = p.known & yes;
        if ((open & ~first) == 0 || (open & p.known & ~yes) == open) {
            const bool from_first = (open & ~first) == 0;
            return registers_.write(registers_.result(s), out, known, active,
                                    from_first ? a.base : b.base);
        }
        for (std::size_t l = 0; l < warp_lanes; ++l) {
            if (!has_lane(open, l)) continue;
            const bool same =
                has_lane(a.known & b.known, l) && ((a.lanes[l] ^ b.lanes[l]) & kept) == 0;
            if (same) {
                known |= 1U << l;
            } else {  // of two addresses in one memory, an address there
                const std::uint64_t window = windows_.window_near(a.lanes[l]);
                out[l] = window == windows_.window_near(b.lanes[l]) ? window : 0;
            }
        }
        registers_.write(registers_.result(s), out, known, active,
                         registers_.new_base(source_breaks(s, active)));
    }

    register_file<Used>& registers_;
    address_windows windows_;
    lane_arithmetic<Used> arithmetic_;
    lane_exchange<Used> exchange_;
    real_computer<Used> reals_;
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::run

#endif
