// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_LINK_PROGRAM_HPP
#define WARPGAUGE_PTX_LINK_PROGRAM_HPP

#include <cstdint>
#include <span>
#include <vector>

#include <warpgauge/core/when_used.hpp>
#include <warpgauge/kernel/instruction.hpp>
#include <warpgauge/ptx/link/known_contents.hpp>
#include <warpgauge/ptx/text/module.hpp>
#include <warpgauge/ptx/text/opcode_table.hpp>
#include <warpgauge/ptx/text/value_type.hpp>

/// \file A kernel made ready to be followed: names become numbers.
///
/// A register, a parameter or a constant is a *row*: the values of a warp's 32 lanes. Rows of constants
/// and special registers are fixed; those of a function's registers belong to each call of it.

namespace WARPGAUGE_NAMESPACE::ptx::link {

/// No row, no step, no routine.
inline constexpr std::uint32_t nowhere = 0xffff'ffff;

/// Marks rows that belong to a call.
inline constexpr std::uint32_t of_call = 0x8000'0000;

/// Is it a row, and one of a call's?
constexpr bool belongs_to_call(std::uint32_t row) {
    return row != nowhere && (row & of_call) != 0;
}

/// Fixed rows, before those of constants: the special registers of PTX by their names (`%tid.x` is `tid_x`), the
/// carry of a thread, the row of what is not known, and the number of all these.
enum special_row : std::uint32_t {
    tid_x,
    tid_y,
    tid_z,
    ntid_x,
    ntid_y,
    ntid_z,
    ctaid_x,
    ctaid_y,
    ctaid_z,
    nctaid_x,
    nctaid_y,
    nctaid_z,
    laneid,
    warpid,
    nwarpid,
    lanemask_eq,
    lanemask_le,
    lanemask_lt,
    lanemask_ge,
    lanemask_gt,
    dynamic_smem_size,
    total_smem_size,
    cluster_ctaid_x,
    cluster_ctaid_y,
    cluster_ctaid_z,
    cluster_nctaid_x,
    cluster_nctaid_y,
    cluster_nctaid_z,
    clusterid_x,
    clusterid_y,
    clusterid_z,
    nclusterid_x,
    nclusterid_y,
    nclusterid_z,
    cluster_ctarank,
    cluster_nctarank,
    is_explicit_cluster,
    carry,
    unknown_row,
    special_rows
};

/// How two values compare: equal, not equal, less, less or equal, greater, greater or equal.
enum class comparison : std::uint8_t { eq, ne, lt, le, gt, ge };

/// Where a float goes that lies between two of its format.
enum class rounding : std::uint8_t { nearest, zero, down, up };

/// What a step on floats computes.
enum class real_operation : std::uint8_t {
    convert,       ///< to a float or an integer
    make_whole,    ///< a float without what is behind its point
    add,           ///< a + b
    subtract,      ///< a - b
    multiply,      ///< a * b
    multiply_add,  ///< a * b + c, rounded once
    divide,        ///< a / b
    reciprocal,    ///< 1 / a
    square_root,   ///< of a
    minimum,       ///< of a and b
    maximum,       ///< of a and b
    absolute,      ///< of a
    negate,        ///< -a
};

/// The part of a product that is wanted.
enum class halves : std::uint8_t {
    low,   ///< the lower half, `mul.lo`
    high,  ///< the upper half, `mul.hi`
    wide,  ///< all of it, `mul.wide`
};

/// The memory that an address is in.
enum class address_space : std::uint8_t { none, generic, global, shared, local, constant };

/// One instruction.
struct step {
    text::action what{};              ///< what it does
    operation op = operation::other;  ///< the arithmetic, for a profile's stream
    unit_kind unit{};                 ///< what executes it
    bool has_constant{};              ///< its second operand is one
    text::value_type type{};          ///< of its result
    text::value_type from{};          ///< of the sources, where that is another
    comparison compare{};             ///< of a comparison: which
    bool unsigned_compare{};          ///< of a comparison: without signs
    bool all_ones{};      ///< a comparison gives a number with all bits set, as `set` does
    halves part{};        ///< of a product: which part
    std::uint8_t mode{};  ///< of `vote`, `shfl` and others, its own; of floats a `real_operation`
    rounding round{};     ///< of floats
    bool flushes{};       ///< of floats: subnormal ones are zero
    bool accesses{};      ///< memory, and not a parameter
    bool by_lane{};       ///< lanes with equal sources have equal results
    bool loses_carry{};   ///< writes a carry that is not followed
    /// Of texels: where they lie is not in the text, but they are neighbours.
    bool hides_addresses{};
    bool stores{};             ///< writes to memory
    bool is_atomic{};          ///< reads and writes memory in one step
    bool in_bulk{};            ///< one lane's copy of many bytes; their number is a source
    bool in_rows{};            ///< a fragment of a matrix: rows a stride apart, from one address
    bool predicate_negated{};  ///< executes where the predicate is false
    std::uint8_t negated_sources{};   ///< a bit for each
    address_space space{};            ///< of an access
    std::uint8_t lane_bytes{};        ///< B that a lane moves
    std::uint8_t address_lanes = 32;  ///< the first lanes, whose addresses count
    std::uint8_t row_count{};         ///< of a fragment
    /// From 1, the source that says how much: B of a copy in bulk or that a barrier expects, B that a lane of
    /// `cp.async` reads or, of one bit, whether it reads none, elements from row to row of a fragment, the shape of a
    /// product; 0: none.
    std::uint8_t size_source{};
    /// From 1, of a copy in bulk or of what closes a group of products: the barrier that waits for it.
    std::uint8_t barrier_source{};
    std::int32_t barrier_offset{};  ///< B, from that address
    std::uint8_t
        written_source{};  ///< from 1, of `cp.async`: the address in shared memory; 0: none
    std::int64_t written_offset{};       ///< B, from that address
    std::uint32_t predicate = nowhere;   ///< row
    std::uint32_t first{};               ///< of its rows: results, then sources
    std::uint16_t results{};             ///< number of result rows
    std::uint16_t sources{};             ///< of a memory access: address, then what it stores
    std::uint32_t target = nowhere;      ///< step, of a branch; first target of a table; routine
    std::uint32_t targets{};             ///< of a table; of a call, values that go in
    std::uint32_t returned{};            ///< of a call: values that come back, after those
    std::uint32_t through = nowhere;     ///< row of a call's pointer to a function
    std::uint32_t callees{};             ///< of such a call: first of `program::callees`
    std::uint32_t callee_count{};        ///< of such a call: functions that it may go to
    std::uint32_t reconverge = nowhere;  ///< step where the paths of a branch meet
    std::int64_t offset{};               ///< of an address; the value of an immediate table
    std::uint32_t statement{};           ///< instruction of the module

    /// Does a source say how many of its bytes each lane reads?
    [[nodiscard]] constexpr bool reads_part() const {
        return size_source != 0 && accesses && !in_bulk && !in_rows && barrier_source == 0;
    }
    /// Does what it touches not follow from an address for each lane?
    [[nodiscard]] constexpr bool moves_blocks() const {
        return in_bulk || in_rows || hides_addresses;
    }
};

/// A value that goes into a call or comes back.
struct move_of_call {
    std::uint32_t from = nowhere;  ///< row of the caller, or of the call; `nowhere`: not known
    std::uint32_t to{};            ///< row of the other
    std::uint8_t shift{};          ///< bits of `from` below the part that goes
    std::uint8_t bits = 64;        ///< of the part
    std::uint8_t at{};             ///< bits of `to` below it
    bool joins{};                  ///< it is not the first part of `to`
};

/// What goes into a call of one function, and what comes back.
struct passing {
    std::uint32_t routine = nowhere;  ///< `nowhere` of a function that is not in the text
    std::uint32_t first{};            ///< of `program::moves`
    std::uint32_t targets{};          ///< values that go in
    std::uint32_t returned{};         ///< values that come back, after those
};

/// A row that a call gives a value before it begins.
struct preset {
    std::uint32_t row{};        ///< of the call
    std::uint32_t parameter{};  ///< of the kernel; `nowhere`: an address of local memory
    std::uint32_t offset{};     ///< B, in that parameter or in the call's local memory
    std::uint32_t bytes{};      ///< B, size of the value
};

/// One function.
struct routine {
    std::uint32_t function{};             ///< of the module
    std::uint32_t first{};                ///< step
    std::uint32_t count{};                ///< number of steps
    std::uint32_t rows{};                 ///< number of rows of a call
    std::uint32_t local_bytes{};          ///< B of local memory of a call
    std::vector<std::uint8_t> weights{};  ///< 32-bit registers of each row
    std::vector<preset> presets{};        ///< rows that begin with a value
};

/// A kernel and all that it calls.
struct program {
    const module* source{};                  ///< the text; must outlive the program
    std::vector<step> steps{};               ///< routine by routine
    std::vector<std::uint32_t> rows{};       ///< of the steps; targets of tables
    std::vector<std::uint64_t> constants{};  ///< values of the rows of constants
    std::vector<routine> routines{};         ///< the kernel first
    std::vector<move_of_call> moves{};       ///< of calls
    std::vector<passing> callees{};          ///< of calls through pointers
    std::uint64_t shared_bytes{};            ///< B, static
    known_contents<> contents{};             ///< of variables that are only read

    /// The row that says how much of a copy each lane reads; `nowhere` of other steps.
    template <class Used = core::when_used>
    [[nodiscard]] std::uint32_t part_row(const step& s) const {
        const core::late<Used, std::vector<std::uint32_t>>& all = rows;
        return s.reads_part() ? all[s.first + s.results + s.size_source - 1U] : nowhere;
    }
    /// What moves in a call: of one through a pointer to one of its `callees`, or `nowhere`.
    template <class Used = core::when_used>
    [[nodiscard]] passing passing_of(const step& s, std::uint32_t callee = nowhere) const {
        const core::late<Used, std::vector<passing>>& all = callees;
        if (callee != nowhere) return all[callee];
        return {s.target, s.first, s.targets, s.returned};
    }
    /// Calls `visit(passing)` for each function that a call may go to, or for one that is not in the text.
    template <class Visitor>
    void for_each_passing(const step& s, Visitor visit) const {
        visit(passing_of(s));
        for (std::uint32_t k = 0; k < s.callee_count; ++k) visit(passing_of(s, s.callees + k));
    }
    /// The moves of what goes in.
    template <class Used = core::when_used>
    [[nodiscard]] core::late<Used, std::span<const move_of_call>> passed(const passing& p) const {
        return {moves.data() + p.first, p.targets};
    }
    /// The moves of what comes back.
    template <class Used = core::when_used>
    [[nodiscard]] core::late<Used, std::span<const move_of_call>> returned(const passing& p) const {
        return {moves.data() + p.first + p.targets, p.returned};
    }
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::link

#endif
