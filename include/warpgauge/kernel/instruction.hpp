// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_KERNEL_INSTRUCTION_HPP
#define WARPGAUGE_KERNEL_INSTRUCTION_HPP

#include <array>
#include <cstdint>
#include <string_view>

#include <warpgauge/core/abi.hpp>

/// \file One entry of an instruction stream.
///
/// A stream is a contiguous array of entries: what one thread executes, in order (or its warp, which
/// is the same thing in lock step). A loop is an entry of its own before its body, so that a stream
/// stays as short as the program:
///
///     constexpr instruction saxpy[]{
///         loop(2, 1000),                                            // the next 2 entries, 1000 times
///         {.unit = unit_kind::global_memory},
///         {.unit = unit_kind::single_precision, .op = operation::mul, .needs = {1}}};

namespace WARPGAUGE_NAMESPACE {

/// The part of an SM that executes an instruction.
enum class unit_kind : std::uint8_t {
    integer,           ///< integer and address arithmetic, moves, comparisons
    single_precision,  ///< 32-bit floating point
    double_precision,  ///< 64-bit floating point
    special_function,  ///< reciprocal, square root, sine, exponential, ...
    shared_memory,     ///< load or store of on-chip shared memory
    l1_cache,          ///< load that hits in the SM's own cache, of data or of constants
    l2_cache,          ///< load that hits in the cache that all SMs share
    global_memory,     ///< load or store that may go to DRAM
    barrier,           ///< waits for all warps of the block
    branch,            ///< a jump, taken or not
    tensor,            ///< matrix product of a warp, or of several
    loop,              ///< no instruction: the entries that follow are repeated
};

/// The unit in words: "single precision".
[[nodiscard]] constexpr std::string_view name(unit_kind unit) noexcept {
    switch (unit) {
        case unit_kind::integer: return "integer";
        case unit_kind::single_precision: return "single precision";
        case unit_kind::double_precision: return "double precision";
        case unit_kind::special_function: return "special function";
        case unit_kind::shared_memory: return "shared memory";
        case unit_kind::l1_cache: return "L1";
        case unit_kind::l2_cache: return "L2";
        case unit_kind::global_memory: return "global memory";
        case unit_kind::barrier: return "barrier";
        case unit_kind::branch: return "branch";
        case unit_kind::tensor: return "tensor";
        case unit_kind::loop: return "loop";
    }
    return "unknown";
}

/// What an arithmetic instruction computes, as far as cost tables (Cheng & Suda 2011, tbl. 1: up to `bit_not`) or rates
/// (`instruction_rates`) distinguish operations.
enum class operation : std::uint8_t {
    add,
    sub,
    mul,
    div,
    neg,
    min,
    max,
    bit_and,
    bit_or,
    bit_xor,
    bit_not,
    logic,         ///< any logic function of three operands
    shift,         ///< shifts, and extracts or inserts a field of bits
    compare,       ///< compares two values
    count_bits,    ///< counts, finds or reverses bits
    convert,       ///< to or from a float, both of up to 32 bits
    convert_wide,  ///< the same if one has 64 bits
    other,
};

/// The source of the second operand of an arithmetic instruction.
enum class operand : std::uint8_t {
    in_register,  ///< a register
    constant,     ///< a number that does not change
};

/// What an entry does with asynchronous copies from global to shared memory (PTX ISA 9.0, sec. 9.7.9.25: `cp.async`), or
/// with asynchronous matrix products (sec. 9.7.15, `wgmma`; 9.7.16, `tcgen05`).
/// Copies join groups, and a warp waits for groups from the oldest on, whichever rounds of its loops began them. In
/// this way a loop fetches tiles ahead. Products have groups of their own, so that a wait for them is none for copies.
enum class async_step : std::uint8_t {
    none,  ///< nothing
    copy,  ///< an access to L1, L2 or global memory: a copy that joins the open group, without a result
    bulk,  ///< a copy of many bytes by one thread: it takes one lane, joins the open group and closes it
    commit,  ///< closes the open group, `cp.async.commit_group`; of `integer` units
    /// Holds its warp until all closed groups except the newest `groups_left` have arrived; of `integer` units, or of
    /// `shared_memory` if it tests an `mbarrier`. The same units hold for `wait_all`.
    wait,
    wait_all,  ///< waits for all copies, including those of the open group: `cp.async.wait_all`
    product,  ///< a matrix product that joins the open group of products, without a result: `wgmma.mma_async`
    /// The same of all warps of a block together, which one thread issues: `tcgen05.mma`. Each warp makes its part, which
    /// all tensor cores of the SM share, and goes on at once.
    block_product,
    commit_products,  ///< closes the open group of products: `wgmma.commit_group`, `tcgen05.commit`; of `integer` units
    wait_products,  ///< as `wait`, for groups of products, of the same units
};

/// The maximum of `groups_left`: that of a counter of 6 bits, as in machine code.
inline constexpr std::uint8_t max_groups_left = 63;

/// In `needs`: the entry's own result of the loop's round before, as for an accumulator.
inline constexpr std::int32_t own_result = INT32_MIN;

/// One entry of a stream: a dynamic instruction, or the head of a loop.
struct instruction {
    unit_kind unit{};                 ///< what executes it
    operation op = operation::other;  ///< what it computes, if it is arithmetic
    operand second{};                 ///< where its second operand is
    std::uint8_t bytes = 4;           ///< B per thread that a memory instruction moves
    std::uint16_t transactions =
        1;               ///< memory transactions per warp; 1, or 0: coalesced, no bank conflict
    async_step async{};  ///< what it does with asynchronous copies or products
    /// For `async_step::wait` and `wait_products`: the newest groups that it does not wait for, up to 63.
    std::uint8_t groups_left{};
    /// For an access to L1, L2 or global memory: the lines of 128 B that L1 looks up for a warp, one after the other; 0:
    /// not known, and as many as the bytes fill.
    std::uint16_t lines{};
    /// For `async_step::block_product`: the warps that share it. It takes as long as the `tensor_fmas` of all of them.
    std::uint16_t sharing_warps{};
    /// The entries whose latest results this one reads, as distances: positive for an entry before it, negative for
    /// one after it, whose result is of the loop's previous round; `own_result`; 0: none.
    std::array<std::int32_t, 3> needs{};
    std::uint32_t loop_length{};  ///< for a loop: the number of following entries that repeat
    std::uint32_t loop_count{};   ///< for a loop: the number of rounds
    /// For a matrix product: the multiply-adds of one warp in half precision; in another type, the number in half
    /// precision that takes the same time.
    std::uint32_t tensor_fmas{};
};

/// The head of a loop: the next `length` entries, `count` times. Loops may nest.
[[nodiscard]] constexpr instruction loop(std::uint32_t length, std::uint32_t count) noexcept {
    return {.unit = unit_kind::loop, .loop_length = length, .loop_count = count};
}

}  // namespace WARPGAUGE_NAMESPACE

#endif
