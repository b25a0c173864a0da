// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_RUN_CALL_VALUES_HPP
#define WARPGAUGE_PTX_RUN_CALL_VALUES_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include <warpgauge/core/when_used.hpp>
#include <warpgauge/ptx/link/address_windows.hpp>
#include <warpgauge/ptx/link/program.hpp>
#include <warpgauge/ptx/run/lane_values.hpp>
#include <warpgauge/ptx/run/register_file.hpp>

/// \file Which function a call goes to, and the values that go in and come back.

namespace WARPGAUGE_NAMESPACE::ptx::detail::run {

using ptx::link::passing;

/// Lanes that call the same function.
struct chosen_callee {
    std::uint32_t callee =
        nowhere;  ///< of `program::callees`; `nowhere`: as the step says, or not in the text
    std::uint32_t lanes{};
    bool known = true;  ///< the pointer is; else the first function that may be called is taken
};

template <class Used = core::when_used>
class call_values {
public:
    /// Program and registers must outlive it.
    call_values(const ptx::link::program& p, register_file<Used>& registers)
        : program_(p), registers_(registers), windows_(p.source->address_bits) {}

    /// The callee of the first of some lanes, and all of them that call it too. Those that call others come later.
    chosen_callee choose(const step& s, std::uint32_t active) {
        if (s.through == nowhere || active == 0) return {.lanes = active};
        const row_values& pointer = registers_.at(s.through);
        const auto first = static_cast<std::size_t>(std::countr_zero(active));
        chosen_callee c{.callee = callee_of(s, pointer, first), .known = false};
        if (c.callee == nowhere) {
            for (std::size_t l = first; l < warp_lanes; ++l) {
                const bool unknown = has_lane(active, l) && callee_of(s, pointer, l) == nowhere;
                c.lanes |= static_cast<std::uint32_t>(unknown) << l;
            }
            if (s.callee_count != 0) c.callee = s.callees;
            return c;
        }
        c.known = true;
        for (std::size_t l = first; l < warp_lanes; ++l) {
            const bool same =
                has_lane(active & pointer.known, l) && pointer.lanes[l] == pointer.lanes[first];
            c.lanes |= static_cast<std::uint32_t>(same) << l;
        }
        return c;
    }

    /// Hands over what goes into a call, whose rows begin at `callee_base`.
    void pass(const passing& p, std::size_t callee_base) {
        for (const ptx::link::move_of_call& m : program_.passed(p)) {
            if (m.from == nowhere) continue;
            carry_over(m, registers_.at(m.from), registers_.at(m.to, callee_base));
        }
    }

    /// Hands over what a call returns whose rows begin at `callee_base`, to the lanes that called.
    void give_back(const passing& p, std::size_t callee_base, std::uint32_t active) {
        for (const ptx::link::move_of_call& m : program_.returned(p)) {
            if (m.from == nowhere) {
                registers_.forget(m.to, active);
                continue;
            }
            row_values value = registers_.at(m.to);
            carry_over(m, registers_.at(m.from, callee_base), value);
            registers_.write(m.to, value.lanes, value.known, active, value.base);
        }
    }

    /// Of a function that is not in the text, nothing is known of what it returns.
    void forget_returned(const passing& p, std::uint32_t active) {
        for (const ptx::link::move_of_call& m : program_.returned(p))
            registers_.forget(m.to, active);
    }

private:
    // The callee that a lane's pointer means; `nowhere` if that is not known, or none that may be called.
    [[nodiscard]] std::uint32_t callee_of(const step& s, const row_values& pointer,
                                          std::size_t lane) const {
        if (!has_lane(pointer.known, lane)) return nowhere;
        const std::uint64_t function = windows_.function_number(pointer.lanes[lane]);
        for (std::uint32_t k = s.callees; k < s.callees + s.callee_count; ++k) {
            const std::uint32_t r = program_.callees[k].routine;
            if (program_.routines[r].function == function) return k;
        }
        return nowhere;
    }

    // The part of a value that a call takes in or gives back.
    void carry_over(const ptx::link::move_of_call& m, const row_values& from, row_values& to) {
        for (std::size_t l = 0; l < warp_lanes; ++l) {
            const std::uint64_t part = (from.lanes[l] >> m.shift & ones(m.bits)) << m.at;
            to.lanes[l] = m.joins ? to.lanes[l] | part : part;
        }
        // The lowest part of a base is a base still.
        const bool lowest = m.shift == 0 && m.at == 0 && m.bits >= 32 && !m.joins;
        const std::uint32_t breaks = m.joins ? to.base.breaks | from.base.breaks : from.base.breaks;
        to.base = lowest ? from.base : registers_.new_base(breaks);
        to.known = m.joins ? to.known & from.known : from.known;
    }

    const ptx::link::program& program_;
    register_file<Used>& registers_;
    ptx::link::address_windows windows_;
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::run

#endif
