// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TRACE_CONTENTION_HPP
#define WARPGAUGE_PTX_TRACE_CONTENTION_HPP

#include <string_view>

#include <warpgauge/core/scalar.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/ptx/text/opcode.hpp>
#include <warpgauge/ptx/trace/traced_kernel.hpp>

/// \file How many atomic operations of a launch go to one sector, one after the other: a sum into one variable.

namespace WARPGAUGE_NAMESPACE::ptx {

/// The atomic of global memory by which all warps change the same sector, with most operations.
struct contended_atomic {
    position at{};                ///< in the text
    std::uint32_t source_file{};  ///< number of a `source_file`; 0: not known
    std::uint32_t source_line{};  ///< in it; 0: not known
    double operations{};          ///< of the launch; 0: no such atomic
};

namespace detail::trace {

/// Whether ptxas may combine the operands of a warp before one lane makes the operation, if all lanes have one address: sums of
/// 32-bit integers, and their minima, maxima and logic if nobody reads the result. Read off the machine code of
/// ptxas 13.0 for 7.5, 8.0, 9.0 and 12.0; it does not combine 64 bits, floats, `inc`, `dec`, `cas` and `exch`.
[[nodiscard]] constexpr bool combines_lanes(std::string_view opcode) {
    using text::has_part;
    bool combines = false;
    for (const std::string_view what : {"add", "min", "max", "and", "or", "xor"}) {
        combines = combines || has_part(opcode, what);
    }
    return combines &&
           (has_part(opcode, "u32") || has_part(opcode, "s32") || has_part(opcode, "b32"));
}

}  // namespace detail::trace

/// The operations on the busiest sector that all sampled warps change by one instruction. They go one after the other: on GK110
/// one a clock on one address (NVIDIA's white paper on GK110, 2012), on later GPUs at a rate that NVIDIA does not state, so
/// that no model has their time. Lanes of a warp on one address are as many operations,
/// or one if ptxas may combine them.
template <class = core::when_used>
[[nodiscard]] contended_atomic most_contended(const traced_kernel& t) {
    contended_atomic most;
    for (const memory_access& a : t.accesses) {
        if (!a.is_atomic || a.unit != unit_kind::global_memory) continue;
        const double turns =
            detail::trace::combines_lanes(a.opcode) ? core::min(a.turns, 1.0) : a.turns;
        const double operations = t.warps * a.executions * turns * a.same_sector_fraction;
        if (operations <= most.operations) continue;
        most = {a.at, a.source_file, a.source_line, operations};
    }
    return most;
}

}  // namespace WARPGAUGE_NAMESPACE::ptx

#endif
