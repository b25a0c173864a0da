// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_RUN_LANE_COMPUTER_HPP
#define WARPGAUGE_PTX_RUN_LANE_COMPUTER_HPP

#include <array>
#include <cstddef>
#include <cstdint>

#include <warpgauge/core/when_used.hpp>
#include <warpgauge/ptx/link/address_windows.hpp>
#include <warpgauge/ptx/link/program.hpp>
#include <warpgauge/ptx/run/lane_values.hpp>
#include <warpgauge/ptx/run/register_file.hpp>
#include <warpgauge/ptx/run/whole_rows.hpp>

/// \file Carries out a step that computes, from the rows of its sources to those of its results.
///
/// A result is known in the lanes in which all sources are.

namespace warpgauge::ptx::detail::run {

using ptx::link::address_space, ptx::link::address_windows;

/// The type in which an instruction reads a source.
constexpr value_type source_type(const step& s, unsigned k) {
    if (k == 2 && s.what == action::multiply_add && s.part == halves::wide) {
        return {.bits = static_cast<std::uint8_t>(2 * s.type.bits > 64 ? 64 : 2 * s.type.bits),
                .is_signed = s.type.is_signed};
    }
    if (s.what == action::select_by_sign && k < 2) return s.type;
    const bool shifts = s.what == action::shift_left || s.what == action::shift_right;
    if (shifts && k == 1) return {.bits = 32};
    return s.from;
}

/// The bits of a result that count.
constexpr unsigned result_bits(const step& s) {
    const bool wide =
        s.part == halves::wide && (s.what == action::multiply || s.what == action::multiply_add);
    if (s.what == action::find_bit || s.what == action::leading_zeros ||
        s.what == action::count_ones) {
        return 32;
    }
    return wide ? 2U * s.type.bits : s.type.bits;
}

/// A comparison's result with a third operand: `and`, `or`, `xor`.
constexpr std::uint32_t combined(unsigned mode, std::uint32_t a, std::uint32_t b) {
    return mode == 1 ? a & b : mode == 2 ? a | b : a ^ b;
}

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
class lane_computer {
public:
    /// The registers must outlive the computer.
    lane_computer(register_file<Used>& registers, std::uint32_t address_bits)
        : registers_(registers), windows_(address_bits) {}

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
                compute_lanes(s, active);
                break;
            case action::compare: compare(s, active); break;
            case action::select: select(s, active); break;
            case action::active_mask: {
                lane_values v;
                v.fill(active);
                registers_.write(registers_.result(s), v, all_lanes, active);
                break;
            }
            case action::vote: vote(s, active); break;
            case action::shuffle: shuffle(s, active); break;
            default: compute_lanes(s, active);
        }
    }

private:
    void compute_lanes(const step& s, std::uint32_t active) {
        std::array<lane_values, 4> in;
        std::uint32_t known = all_lanes;
        const unsigned sources = s.sources < 4 ? s.sources : 4;
        for (unsigned k = 0; k < 4; ++k) {
            if (k >= sources) {
                in[k].fill(0);
                continue;
            }
            const row_values& r = registers_.source(s, k);
            const value_type type = source_type(s, k);
            extend(type, r.lanes, in[k]);
            known &= r.known;
        }
        if (known == 0) return registers_.forget(registers_.result(s), active);
        lane_values out;
        if (!compute_row(s, in[0], in[1], in[2], out)) {
            for (std::size_t l = 0; l < warp_lanes; ++l) {
                out[l] = computed(s, in[0][l], in[1][l], in[2][l], in[3][l]);
            }
        }
        // A conversion fills the register that it writes, however wide, with the sign.
        if (s.what == action::convert) {
            extend(s.type, out, out);
        } else {
            const std::uint64_t kept = ones(result_bits(s));
            for (std::uint64_t& value : out) value &= kept;
        }
        if (s.what == action::divide || s.what == action::remainder) {
            for (std::size_t l = 0; l < warp_lanes; ++l) {
                if (in[1][l] == 0) known &= ~(1U << l);
            }
        }
        registers_.write(registers_.result(s), out, known, active);
    }

    void move(const step& s, std::uint32_t active) {
        const value_type type = s.type;
        for (std::uint32_t k = 0; k < s.results && k < s.sources; ++k) {
            const std::uint32_t from = registers_.result(s, s.results + k);
            if (from == nowhere) {
                registers_.forget(registers_.result(s, k), active);
                continue;
            }
            row_values value = registers_.at(from);
            for (std::uint64_t& v : value.lanes) v = as(type, v);
            registers_.write(registers_.result(s, k), value.lanes, value.known, active);
        }
    }

    void pack(const step& s, std::uint32_t active) {
        const unsigned bits = s.type.bits / (s.sources == 0 ? 1U : s.sources);
        lane_values out{};
        std::uint32_t known = all_lanes;
        for (std::uint32_t k = 0; k < s.sources && bits > 0; ++k) {
            const row_values& r = registers_.source(s, k);
            for (std::size_t l = 0; l < warp_lanes; ++l) {
                out[l] |= (r.lanes[l] & ones(bits)) << bits * k;
            }
            known &= r.known;
        }
        registers_.write(registers_.result(s), out, known, active);
    }

    void unpack(const step& s, std::uint32_t active) {
        const unsigned bits = s.type.bits / (s.results == 0 ? 1U : s.results);
        const row_values from = registers_.source(s, 0);
        for (std::uint32_t k = 0; k < s.results && bits > 0; ++k) {
            lane_values out;
            for (std::size_t l = 0; l < warp_lanes; ++l) {
                out[l] = from.lanes[l] >> bits * k & ones(bits);
            }
            registers_.write(registers_.result(s, k), out, from.known, active);
        }
    }

    // Addresses of shared and local memory and the generic ones differ by where their window is.
    void convert_address(const step& s, std::uint32_t active) {
        row_values value = registers_.source(s, 0);
        const std::uint64_t window = s.space == address_space::shared  ? windows_.shared()
                                     : s.space == address_space::local ? windows_.local()
                                                                       : 0;
        const bool to_space = (s.mode & 1U) != 0;
        for (std::uint64_t& v : value.lanes) {
            if (window != 0) v = to_space ? windows_.within(v) : v | window;
        }
        registers_.write(registers_.result(s), value.lanes, value.known, active);
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
        registers_.write(registers_.result(s), out, known, active);
        if (s.mode != 0) registers_.write(ptx::link::carry, over, known, active);
    }

    void compare(const step& s, std::uint32_t active) {
        const row_values& a = registers_.source(s, 0);
        const row_values& b = registers_.source(s, 1);
        value_type type = s.from;
        if (s.unsigned_compare) type.is_signed = false;
        std::uint32_t known = a.known & b.known;
        lane_values left;
        lane_values right;
        extend(type, a.lanes, left);
        extend(type, b.lanes, right);
        std::uint32_t yes = compare_row(s, type, left, right);
        std::uint32_t no = ~yes;
        if (s.sources > 2 && s.mode != 0) {
            const row_values& c = registers_.source(s, 2);
            const std::uint32_t with =
                lanes_that_hold(c) ^ ((s.negated_sources & 4U) != 0 ? ~0U : 0U);
            known &= c.known;
            yes = combined(s.mode, yes, with);
            no = combined(s.mode, no, with);
        }
        write_bits(registers_.result(s), yes, s, known, active);
        if (s.results > 1) write_bits(registers_.result(s, 1), no, s, known, active);
    }

    void write_bits(std::uint32_t row, std::uint32_t bits, const step& s, std::uint32_t known,
                    std::uint32_t active) {
        lane_values out;
        const std::uint64_t yes = s.all_ones ? ones(s.type.bits) : 1;
        for (std::size_t l = 0; l < warp_lanes; ++l) out[l] = has_lane(bits, l) ? yes : 0;
        registers_.write(row, out, known, active);
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
        const std::uint32_t known = p.known & ((yes & a.known) | (~yes & b.known));
        registers_.write(registers_.result(s), out, known, active);
    }

    void vote(const step& s, std::uint32_t active) {
        const row_values& p = registers_.source(s, 0);
        const std::uint32_t yes =
            (lanes_that_hold(p) ^ ((s.negated_sources & 1U) != 0 ? ~0U : 0U)) & active;
        const bool known = (active & ~p.known) == 0;
        const std::uint64_t answer = s.mode == 1   ? (yes == active ? 1 : 0)
                                     : s.mode == 2 ? (yes != 0 ? 1 : 0)
                                                   : yes;
        lane_values out;
        out.fill(answer);
        registers_.write(registers_.result(s), out, known && s.mode != 0 ? all_lanes : 0, active);
    }

    void shuffle(const step& s, std::uint32_t active) {
        const row_values a = registers_.source(s, 0);
        const row_values b = registers_.source(s, 1);
        const row_values c = registers_.source(s, 2);
        lane_values out;
        lane_values valid;
        std::uint32_t known = b.known & c.known;
        const std::uint32_t index_known = known;
        for (std::uint32_t l = 0; l < warp_lanes; ++l) {
            std::uint32_t from = l;
            valid[l] = shuffle_source(s.mode, b.lanes[l], c.lanes[l], from) ? 1 : 0;
            out[l] = a.lanes[from & 31];
            if (!has_lane(a.known & active, from & 31)) known &= ~(1U << l);
        }
        registers_.write(registers_.result(s), out, known, active);
        if (s.results > 1) registers_.write(registers_.result(s, 1), valid, index_known, active);
    }

    register_file<Used>& registers_;
    address_windows windows_;
};

}  // namespace warpgauge::ptx::detail::run

#endif
