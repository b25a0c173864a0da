// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_INSTRUCTION_HPP
#define WARPGAUGE_INSTRUCTION_HPP

#include <array>
#include <cstdint>

/// \file One instruction of a kernel, as the models that need the order of things see it.
///
/// A stream is a contiguous array of these: the dynamic instructions of one thread (or of its warp,
/// which is the same thing in lock step), in order.

namespace warpgauge {

/// The part of an SM that executes an instruction.
enum class unit_kind : std::uint8_t {
    integer,           ///< integer and address arithmetic, moves, comparisons
    single_precision,  ///< 32-bit floating point
    double_precision,  ///< 64-bit floating point
    special_function,  ///< reciprocal, square root, sine, exponential, ...
    shared_memory,     ///< load or store of on-chip shared memory
    global_memory,     ///< load or store that may go to DRAM
    barrier,           ///< waits for all warps of the block
    branch,            ///< a jump, taken or not
};

/// One dynamic instruction.
struct instruction {
    /// Marks an unused place in `depends_on`.
    static constexpr std::int32_t none = -1;

    unit_kind unit{};
    std::uint8_t bytes = 4;          ///< B per thread moved by a memory instruction
    std::uint16_t transactions = 1;  ///< memory transactions per warp; 1: coalesced
    /// Positions in the stream of earlier instructions whose results this one reads.
    std::array<std::int32_t, 3> depends_on{none, none, none};
};

}  // namespace warpgauge

#endif
