// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_RUN_REAL_STEPS_HPP
#define WARPGAUGE_PTX_RUN_REAL_STEPS_HPP

#include <cstddef>
#include <cstdint>

#include <warpgauge/core/when_used.hpp>
#include <warpgauge/ptx/link/program.hpp>
#include <warpgauge/ptx/run/lane_values.hpp>
#include <warpgauge/ptx/run/real_numbers.hpp>
#include <warpgauge/ptx/run/register_file.hpp>
#include <warpgauge/ptx/run/whole_rows.hpp>

/// \file What the instructions of PTX on floats compute, of one lane and of a warp.
///
/// Source: NVIDIA, Parallel Thread Execution ISA 9.0, secs. 9.7.3, 9.7.6 and 9.7.9.21.

namespace WARPGAUGE_NAMESPACE::ptx::detail::run {

using ptx::link::real_operation;

/// Is a float, by a step that has them be zero, not what its bits say?
constexpr bool is_flushed(const step& s, const value_type& type, std::uint64_t v) {
    if (!s.flushes || type.bits != 32) return false;
    return (v & 0x7f80'0000) == 0 && (v & 0x7f'ffff) != 0;
}

/// A source of a step; false if it is no number, or one that is flushed.
constexpr bool read_source(const step& s, std::uint64_t v, real_number& to) {
    if (!s.from.is_real) {
        to = real_of(v, s.from.is_signed);
        return true;
    }
    return !is_flushed(s, s.from, v) && read_real({.bits = s.from.bits}, v, to);
}

/// The exact result of a step, or one with more bits than any format; false if there is none.
constexpr bool exact_real(const step& s, const real_number& a, real_number b, const real_number& c,
                          real_number& to) {
    switch (static_cast<real_operation>(s.mode)) {
        case real_operation::convert: to = a; return true;
        case real_operation::make_whole: to = whole_of(a, s.round); return true;
        case real_operation::subtract: b.negative = !b.negative; [[fallthrough]];
        case real_operation::add: to = sum(a, b, s.round); return true;
        case real_operation::multiply: to = product(a, b); return true;
        case real_operation::multiply_add: to = sum(product(a, b), c, s.round); return true;
        case real_operation::divide:
            if (b.magnitude == 0) return false;
            to = quotient(a, b);
            return true;
        case real_operation::reciprocal:
            if (a.magnitude == 0) return false;
            to = quotient({.magnitude = 1}, a);
            return true;
        case real_operation::square_root:
            if (a.negative && a.magnitude != 0) return false;
            to = square_root(a);
            return true;
        default: return false;
    }
}

/// The result of one lane from its sources, each as the type that the step reads it in. False if it is no finite number, or
/// not made of such ones.
constexpr bool computed_real(const step& s, std::uint64_t a, std::uint64_t b, std::uint64_t c,
                             std::uint64_t& to) {
    const auto operation = static_cast<real_operation>(s.mode);
    real_number x, y, z, r;
    if (!read_source(s, a, x) || !read_source(s, b, y) || !read_source(s, c, z)) return false;
    const real_format format{.bits = s.from.bits};
    switch (operation) {
        case real_operation::absolute: to = a & ~format.sign(); return true;
        case real_operation::negate: to = a ^ format.sign(); return true;
        case real_operation::minimum:
        case real_operation::maximum: {
            const bool below = order_of(format, b, true) < order_of(format, a, true);
            to = below == (operation == real_operation::minimum) ? b : a;
            return true;
        }
        default: break;
    }
    if (!exact_real(s, x, y, z, r)) return false;
    if (!s.type.is_real) {
        to = integer_of(r, s.round, s.type.bits, s.type.is_signed);
        return true;
    }
    return write_real({.bits = s.type.bits}, r, s.round, to) && !is_flushed(s, s.type, to);
}

/// Does a comparison of two floats hold? False in `is_known` of what is no finite number.
constexpr bool compared_reals(const step& s, std::uint64_t a, std::uint64_t b, bool& is_known) {
    real_number x, y;
    is_known = read_source(s, a, x) && read_source(s, b, y);
    const real_format format{.bits = s.from.bits};
    step ordered{.compare = s.compare};
    ordered.from = {.bits = 64, .is_signed = true};
    return compared(ordered, static_cast<std::uint64_t>(order_of(format, a, false)),
                    static_cast<std::uint64_t>(order_of(format, b, false)));
}

template <class Used = core::when_used>
class real_computer {
public:
    /// The registers must outlive the computer.
    explicit real_computer(register_file<Used>& registers) : registers_(registers) {}

    /// Another warp begins.
    void begin() { steps_left_ = max_steps; }
    /// Steps that are still computed of it.
    [[nodiscard]] std::uint32_t steps_left() const { return steps_left_; }
    void go_back_to(std::uint32_t steps_left) { steps_left_ = steps_left; }

    /// The result of a step in the lanes that take part, of a comparison 0 or 1. False if it is not known in all of them.
    bool compute(const step& s, std::uint32_t active, lane_values& out) {
        lane_values in[3]{};
        const unsigned sources = s.what == action::real ? 3 : 2;
        for (unsigned k = 0; k < s.sources && k < sources; ++k) {
            const row_values& r = registers_.source(s, k);
            if ((active & ~r.known) != 0) return false;
            extend(s.from, r.lanes, in[k]);
        }
        if (steps_left_ == 0) return false;
        --steps_left_;
        for (std::size_t l = 0; l < warp_lanes; ++l) {
            if (!has_lane(active, l)) continue;
            bool is_known = true;
            if (s.what == action::real) {
                is_known = computed_real(s, in[0][l], in[1][l], in[2][l], out[l]);
            } else {
                out[l] = compared_reals(s, in[0][l], in[1][l], is_known) ? 1 : 0;
            }
            if (!is_known) return false;
        }
        if (s.what == action::real) extend(s.type, out, out);
        return true;
    }

private:
    // A float that moves from round to round keeps a loop from being multiplied, so that only so many are computed.
    static constexpr std::uint32_t max_steps = 1000;

    register_file<Used>& registers_;
    std::uint32_t steps_left_ = max_steps;  // of this warp
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::run

#endif
