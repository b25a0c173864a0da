// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TRACE_TRACED_KERNEL_HPP
#define WARPGAUGE_PTX_TRACE_TRACED_KERNEL_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include <warpgauge/core/when_used.hpp>
#include <warpgauge/device/compute_capability.hpp>
#include <warpgauge/kernel/instruction.hpp>
#include <warpgauge/kernel/profile.hpp>
#include <warpgauge/ptx/text/module.hpp>
#include <warpgauge/ptx/text/resources.hpp>

/// \file The results of following a kernel's warps.
///
/// All counts are means of one warp over the grid; names are views into the kernel's text.

namespace WARPGAUGE_NAMESPACE::ptx {

/// Blocks of a grid, or threads of a block.
struct extent {
    std::uint32_t x{1};  ///< along the first dimension
    std::uint32_t y{1};  ///< along the second
    std::uint32_t z{1};  ///< along the third

    /// The number of blocks or threads.
    [[nodiscard]] constexpr std::uint64_t count() const noexcept {
        return std::uint64_t{x} * y * z;
    }
    friend constexpr bool operator==(const extent&, const extent&) = default;
};

/// The launch of a kernel.
struct launch {
    extent grid{};                         ///< blocks of the launch
    extent block{};                        ///< threads of a block
    std::uint64_t dynamic_shared_bytes{};  ///< B, in addition to those that the kernel declares
    extent cluster{
        0, 0, 0};  ///< blocks of a cluster; 0: as the kernel's text says, else each block is one
};

/// One memory instruction of the text, in one memory: generic addresses may lie in several.
struct memory_access {
    std::string_view opcode{};       ///< with its modifiers
    position at{};                   ///< in the text
    std::uint32_t source_file{};     ///< number of a `source_file`; 0: not known
    std::uint32_t source_line{};     ///< in it
    unit_kind unit{};                ///< the memory
    bool stores{};                   ///< writes to memory
    bool is_atomic{};                ///< reads and writes in one step
    std::uint32_t bytes_per_lane{};  ///< B that a lane moves
    double executions{};             ///< of a warp, with an active lane
    double active_lanes{};           ///< of an execution
    double transactions{};      ///< of an execution; passes for shared memory; words for constants
    double min_transactions{};  ///< the same if the lanes' data were side by side
    double max_transactions{};  ///< the maximum of an execution
    double bytes_moved{};       ///< B of an execution, of global memory
    /// Of 128 B that an execution touches, of global memory: L1 looks up one at a time.
    double lines{};
    /// Of a load or an atomic of global memory: the fraction of executions in which all sampled warps touch the same sector.
    double same_sector_fraction{};
    double uncoalesced{};  ///< executions that are not coalesced, or have bank conflicts
    /// Of an atomic of global memory: lanes on the busiest address of an execution.
    double turns{};
    bool unknown_address{};  ///< of some lane: assumed to need a transaction of its own
    bool unknown_base{};     ///< of lanes whose addresses differ by known offsets: `assumed::base`
};

/// What the trace assumed in place of unknown data.
enum class assumed : std::uint8_t {
    branch,     ///< `value`: fraction of lanes that jump
    loop,       ///< `value`: rounds
    predicate,  ///< `value`: fraction of lanes that execute
    table,      ///< lanes take the first entry
    address,  ///< a global access of unknown address is one transaction a lane, a shared one a pass
    callee,   ///< a function that is not in the text: its instructions are not counted
    target,  ///< a call through an unknown pointer goes to the first function that it may mean, which is `label`
    copy,  ///< a copy whose size is not known: `value`: B that it moves; of `cp.async`, that a lane moves
    arrival,  ///< a wait at an `mbarrier` is passed at the first test
    product,  ///< a matrix product whose shape is not known: `value`: multiply-adds
    texels,   ///< those of neighbouring lanes are neighbours, and of a texture have 4 B
    base,  ///< addresses of lanes are an unknown base and known offsets: the base is a multiple of 128 B
};

/// A place where the trace made an assumption.
struct assumption {
    assumed what{};               ///< what was assumed
    position at{};                ///< in the text
    std::uint32_t source_file{};  ///< number of a `source_file`; 0: not known
    std::uint32_t source_line{};  ///< in it; 0: not known
    std::string_view label{};     ///< of a branch: where it goes; of a call: the function
    double value{};               ///< as the enumerator says; 0 for others
    double executions{};          ///< of a warp
    /// Of `branch`, `loop`, `predicate`: lanes that share an unknown value went the same way, so that `value` is over
    /// warps; of a guard such as `i < n` too, whose `n` is one for all.
    bool by_warp{};
};

/// An instruction for tensor cores.
struct tensor_instruction {
    position at{};         ///< in the text
    double executions{};   ///< of a warp
    double tensor_fmas{};  ///< multiply-adds of half precision that take as long as an execution
};

/// The executions of the instruction of a line, whether a lane is active or not.
struct executed_line {
    std::uint32_t line{};  ///< of the PTX, from 1
    double executions{};   ///< of a warp
};

/// Executions of a loop with the same number of rounds, in which lanes leave alike; a loop has an entry for each number that
/// occurs.
struct executed_loop {
    std::uint32_t first_line{};  ///< where it begins
    std::uint32_t last_line{};   ///< of its last jump back
    double rounds{};             ///< of each way
    double ways{};               ///< of a warp
    /// Bit `r`: some lanes leave after `r` rounds more than a multiple of 8. 0: not known, as of a loop that jumps back from
    /// several lines.
    std::uint8_t leave_after{};
};

/// Lines that follow each other without a jump, with their immediate repetitions.
struct line_run {
    std::uint32_t first_line{};  ///< of the PTX, from 1
    std::uint32_t last_line{};   ///< of the PTX, the last one included
    std::uint64_t times{};       ///< times in a row
};

/// The errors of the counts of a sample of the warps: three standard errors, of warps that take the same path. They
/// are 0 if all warps were followed, or if the followed ones do the same. Where the kind of a block depends on several
/// coordinates, the followed blocks are a sample too, and the errors include how much blocks differ; where data decides for whole
/// warps, by how much one more of those that take turns would change the mean. A path that no warp of
/// the sample takes is not included, nor an alignment that none of its accesses has. `ops` and `tensor_fmas` follow from
/// instructions of a unit, and are off by the same fraction as these.
struct sampling_errors {
    double warp_insts{};                  ///< instructions of a warp
    double lane_insts{};                  ///< lanes of all instructions
    double divergent_insts{};             ///< executed by fewer lanes than a warp has
    std::array<double, 11> unit_insts{};  ///< by `unit_kind`
    double bytes_moved{};                 ///< B, of global memory
    double coalesced_bytes_moved{};       ///< B, of the coalesced accesses
    double coalesced_mem_insts{};         ///< of global memory
    double uncoalesced_mem_insts{};       ///< of global memory
    double transactions{};                ///< of uncoalesced accesses
    double shared_passes{};               ///< passes of shared memory
    double shared_load_passes{};          ///< those of loads
    double shared_store_passes{};         ///< those of stores and atomics
    double atomic_turns{};                ///< of atomics of global memory
    double load_sectors{};                ///< that loads of global memory touch
    double full_store_sectors{};          ///< that stores and atomics write as a whole
    double partial_store_sectors{};       ///< that they write in part
    double store_sectors{};               ///< of both kinds
    double lines{};                       ///< of global memory, that accesses touch
    /// `touched.broadcast_loads`: those of loads that warps execute different numbers of times may be wrong altogether.
    double broadcast_loads{};
    double wait_steps{};  ///< `waits.steps`
    /// `waits.longest_steps`: by how much three standard deviations above the mean of a path exceed it.
    double longest_steps{};
    double l1_waits{};     ///< `waits.l1_waits`
    double store_waits{};  ///< `waits.store_waits`
    /// `waits.reused_fraction`: of blocks that go one way and are drawn, by how much they differ.
    double reused_fraction{};

    // B of the launch. Where the ends of the data limit them, no error of the sectors between changes them.
    double footprint_bytes{};  ///< of global memory, the launch's
    double loaded_bytes{};     ///< the part that it loads
    double stored_bytes{};     ///< the part that it stores
};

/// The place of what is no instruction of the text.
inline constexpr std::uint32_t no_source = 0xffff'ffff;

/// The trace of a kernel's launch.
struct traced_kernel {
    std::string_view name{};          ///< in the text
    ptx::launch launch{};             ///< as it was traced
    compute_capability capability{};  ///< the GPU whose rules coalesced the accesses

    double warps{};                 ///< of the launch
    std::uint64_t warps_traced{};   ///< warps counted: followed, or proved to do the same
    std::uint64_t blocks_traced{};  ///< blocks of which warps were followed
    std::uint64_t steps{};     ///< followed instructions, of all those warps and for their choice
    sampling_errors errors{};  ///< the errors from the choice of warps

    double warp_insts{};                  ///< executed
    double active_lanes{};                ///< mean of an instruction
    double divergent_insts{};             ///< executed by fewer lanes than a warp has
    std::array<double, 11> unit_insts{};  ///< executed, by `unit_kind`
    double coalesced_mem_insts{};         ///< executed, of global memory
    double uncoalesced_mem_insts{};       ///< executed, of global memory
    double transactions{};                ///< of all uncoalesced ones
    double bytes_moved{};                 ///< B, of global memory
    double coalesced_bytes_moved{};       ///< B, of the coalesced ones
    double tensor_fmas{};                 ///< multiply-adds of tensor cores, whatever their type
    /// Of atomics of global memory, one after the other: those on the busiest address of each.
    double atomic_turns{};

    // What a model with a memory hierarchy reads, of one warp but for the footprint.
    lane_operations<> ops{};       ///< of whole warps: inactive lanes are busy too
    double shared_load_passes{};   ///< cycles of shared memory, bank conflicts included
    double shared_store_passes{};  ///< the same of stores, atomics and `cp.async`
    memory_accesses<> touched{};   ///< sectors and lines that accesses touch
    dependent_waits<>
        waits{};  ///< `steps`: waits for loads of global memory; `l1_waits`: of shared and local
    /// B of global memory that the launch touches, rather too many where accesses leave gaps; 0: not known, as of one block of many.
    double footprint_bytes{};
    double loaded_bytes{};  ///< the same for loads, each byte once
    double stored_bytes{};  ///< the same for stores

    /// B of local memory that a thread loads and stores, as the text has it: ptxas keeps arrays in registers if it knows the
    /// place of each access.
    double local_bytes{};
    std::uint64_t local_frame_bytes{};    ///< B of local memory of a thread that the text declares
    std::uint64_t static_shared_bytes{};  ///< B of a block that the text declares
    std::uint32_t live_registers{};       ///< maximum live 32-bit registers of a thread
    std::vector<memory_access>
        accesses{};  ///< an entry for each memory instruction that was executed
    std::vector<tensor_instruction> products{};  ///< an entry for each that was executed
    std::vector<assumption> assumptions{};       ///< places that depend on unknown data

    /// The instructions of one warp, with loops rolled up: in the most frequent kind of block, the warp
    /// nearest to the mean. It is empty if it would be longer than allowed, since rounds of a loop that
    /// differ from those before are written out.
    std::vector<warpgauge::instruction> stream{};
    std::vector<std::uint32_t>
        stream_sources{};  ///< of each entry of `stream`, its instruction's place in the module; of a loop's head, `no_source`
    extent stream_block{0, 0, 0};  ///< the block that `stream` is of
    std::uint32_t stream_warp{};   ///< the warp of that block

    // By line of the text.
    std::vector<executed_line> lines{};  ///< an entry for each instruction that is issued
    std::vector<executed_loop> loops{};  ///< of the warps that were followed
    std::vector<line_run> path{};  ///< of the stream's warp, in order; empty if longer than allowed

    /// Executed instructions of a warp that go to `unit`.
    [[nodiscard]] double insts_of(unit_kind unit) const noexcept {
        return unit_insts[static_cast<std::size_t>(unit)];
    }

    /// The profile for the models; `instructions` is a view into this trace. Registers are an estimate:
    /// `live_registers`. The text does not have the shape of a stencil; add it if the kernel is one.
    template <class Used = core::when_used>
    [[nodiscard]] kernel_profile<> profile() const {
        core::late<Used, kernel_profile<>> k{
            .name = name,
            .blocks = static_cast<double>(launch.grid.count()),
            .threads_per_block = static_cast<double>(launch.block.count()),
            .registers_per_thread = static_cast<double>(live_registers),
            .shared_bytes_per_block =
                static_cast<double>(static_shared_bytes + launch.dynamic_shared_bytes),
            .coalesced_mem_insts = coalesced_mem_insts,
            .uncoalesced_mem_insts = uncoalesced_mem_insts,
            .sync_insts = insts_of(unit_kind::barrier),
            .instructions = stream,
            .ops = ops,
            .shared_passes = shared_load_passes + shared_store_passes,
            .shared_insts = insts_of(unit_kind::shared_memory),
            .branches = insts_of(unit_kind::branch),
            .accesses = touched,
            .waits = waits};
        // What is loaded comes from DRAM once at least, and what is stored goes there.
        k.traffic.dram_read_bytes = loaded_bytes;
        k.traffic.dram_write_bytes = stored_bytes;
        k.traffic.footprint_bytes = footprint_bytes;
        k.traffic.local_bytes = local_bytes;
        k.traffic.local_footprint_bytes = static_cast<double>(local_frame_bytes);
        k.comp_insts = warp_insts - k.sync_insts - insts_of(unit_kind::global_memory);
        if (uncoalesced_mem_insts > 0) {
            k.transactions_per_uncoalesced = transactions / uncoalesced_mem_insts;
        }
        if (coalesced_mem_insts > 0) {
            k.bytes_per_access = coalesced_bytes_moved / coalesced_mem_insts / 32;
        }
        return k;
    }

    /// The same with the report of the compiler. Spills are bytes of its text: each is assumed to execute once, 4 B an
    /// instruction. Without a stack frame, arrays of the text are in registers.
    template <class = core::when_used>
    [[nodiscard]] kernel_profile<> profile(const kernel_resources& compiled) const {
        kernel_profile<> k = profile();
        k.registers_per_thread = static_cast<double>(compiled.registers_per_thread);
        k.shared_bytes_per_block =
            static_cast<double>(compiled.shared_bytes_per_block + launch.dynamic_shared_bytes);
        const auto spilled =
            static_cast<double>(compiled.spill_load_bytes + compiled.spill_store_bytes);
        k.traffic.local_bytes = spilled + (compiled.stack_bytes > 0 ? local_bytes : 0);
        k.traffic.local_footprint_bytes = static_cast<double>(compiled.stack_bytes);
        k.comp_insts += spilled / 4;
        return k;
    }
};

}  // namespace WARPGAUGE_NAMESPACE::ptx

#endif
