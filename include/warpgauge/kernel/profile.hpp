// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_KERNEL_PROFILE_HPP
#define WARPGAUGE_KERNEL_PROFILE_HPP

#include <array>
#include <span>
#include <string_view>

#include <warpgauge/core/scalar.hpp>
#include <warpgauge/kernel/access_level.hpp>
#include <warpgauge/kernel/instruction.hpp>

/// \file The profile of a kernel, the input that every model reads.
///
/// A profile is a plain value, written with designated initialisers. A model reads the members that it needs,
/// and its errors name those that are missing. Symbols in brackets are those of Hong & Kim 2009, tbl. 1.

namespace WARPGAUGE_NAMESPACE {

/// The shape of an iterative stencil with ghost zones (Meng & Skadron 2009, tbl. 1, 2).
/// `dimensions == 0`: the kernel is not a stencil.
template <scalar Real = double>
struct basic_stencil_shape {
    int dimensions{};                   ///< 0 to 3
    std::array<Real, 3> data_length{};  ///< elements of the whole grid, per dimension
    std::array<Real, 3> halo_width{};   ///< stencil size less one, per dimension
    Real block_length{};                ///< threads of a block along each dimension, as far as
                                        ///< `tile_length` does not say
    Real stencil_arrays{1.0};           ///< arrays that are read with the halo
    Real elements_per_op{};             ///< elements loaded to compute one
    Real profiled_elements{};           ///< elements that the instruction counts were profiled on
    Real misc_insts_per_sm{};           ///< instructions outside the iterations, per SM
    Real iter_insts_per_sm{};           ///< instructions of one iteration, per SM
    Real element_bytes{4.0};            ///< B of an element
    std::array<Real, 3> tile_length{};  ///< threads of a block per dimension; 0: `block_length`
};

using stencil_shape = basic_stencil_shape<double>;  ///< A stencil shape in doubles.

/// The lane operations of one warp, for each unit. An operation of 32 threads is 32 lane operations; a
/// multiply-add is one operation. With 0, the unit is not known to be used, and limits nothing.
template <scalar Real = double>
struct lane_operations {
    Real fp32_ops{};     ///< single precision
    Real fp64_ops{};     ///< double precision
    Real integer_ops{};  ///< integer units, or the CUDA cores if an SM has none
    Real special_ops{};  ///< special-function units
    /// Multiply-adds of tensor cores in half precision; in another type, the number in half precision that takes the
    /// same time.
    Real tensor_fmas{};
};

/// The sectors and lines that one warp accesses in global memory, summed over its instructions. If all are 0, they are
/// not known.
template <scalar Real = double>
struct memory_accesses {
    Real load_sectors{};           ///< sectors of 32 B that loads touch
    Real full_store_sectors{};     ///< sectors that stores write as a whole
    Real partial_store_sectors{};  ///< sectors that stores write in part, and that have to be read
    Real lines{};  ///< lines of 128 B that loads and stores touch: L1 looks up one at a time
    Real broadcast_loads{};  ///< loads by which all warps of the grid read the same sector

    /// All sectors that loads and stores touch.
    [[nodiscard, gnu::always_inline]] constexpr Real sectors() const {
        return load_sectors + full_store_sectors + partial_store_sectors;
    }
};

/// The successive waits of one warp. Independent loads in a row are one wait, for the last of them. If all numbers
/// are 0 and `counted` is false, the waits are not known, and every memory instruction counts as a wait for DRAM.
template <scalar Real = double>
struct dependent_waits {
    bool counted{};                 ///< the numbers below are known although all are 0
    Real dram_waits{};              ///< waits for DRAM
    Real l2_waits{};                ///< waits for a hit in L2
    Real l1_waits{};                ///< waits for a hit in L1
    Real store_waits{};             ///< stores that follow a load
    Real arithmetic_wait_cycles{};  ///< cycles of waits for results of arithmetic
    /// Further waits for loads, for L2 or DRAM according to the footprint; the mean of all warps.
    Real steps{};
    Real longest_steps{};    ///< `steps` of the warp with the maximum; 0: equal to the mean
    Real reused_fraction{};  ///< the fraction of a step's data that the step before loaded, 0 to 1
};

/// The bytes that move. Those that are 0 are not known, and follow from the memory instructions or the sectors.
template <scalar Real = double>
struct memory_traffic {
    Real l2_bytes_per_warp{};  ///< B between the SM and L2, of one warp; 0: 32 B a sector
    Real dram_read_bytes{};    ///< B from DRAM, of the launch; both 0: the footprint gives them
    Real dram_write_bytes{};   ///< B to DRAM, of the launch
    Real footprint_bytes{};    ///< B of all that the launch reads and writes, each counted once
    /// The fraction of the footprint that earlier work has left in L2, as far as it fits, 0 to 1.
    Real in_l2_fraction{};
    /// B of local memory that one thread loads and stores: spilled registers, arrays of its own.
    Real local_bytes{};
    /// B of local memory of one thread, each counted once; 0: half of `local_bytes`.
    Real local_footprint_bytes{};
};

/// One launch of one kernel. All counts may be fractional (averages); units are in the names.
template <scalar Real = double>
struct kernel_profile {
    std::string_view name{};  ///< for reports; not owned, may be empty

    // The launch.
    Real blocks{};             ///< blocks in the grid, > 0                           [#Blocks]
    Real threads_per_block{};  ///< > 0                                    [#Threads_per_block]

    // What one thread or block occupies on its SM.
    Real registers_per_thread{};    ///< 32-bit registers, >= 0; 0: not known, counts as 1
    Real shared_bytes_per_block{};  ///< B, static and dynamic together, >= 0
    Real active_blocks_per_sm{};    ///< 0: occupancy gives it         [#Active_blocks_per_SM]

    // The dynamic instructions of one thread.
    Real comp_insts{};             ///< all that do not access global memory     [#Comp_insts]
    Real coalesced_mem_insts{};    ///< one transaction per warp             [#Coal_Mem_insts]
    Real uncoalesced_mem_insts{};  ///< several transactions per warp      [#Uncoal_Mem_insts]
    Real sync_insts{};             ///< barriers                                [#Synch_insts]

    // How one memory instruction of a warp behaves.
    Real transactions_per_uncoalesced{32.0};  ///< per warp, > 0              [#Uncoal_per_mw]
    Real bytes_per_access{4.0};               ///< B per thread, > 0

    // For the models that need the order of instructions, or a stencil.
    std::span<const instruction> instructions{};  ///< of one thread; not owned; may be empty
    /// For each of `instructions`, the levels that serve it; not owned; empty: all accesses to global memory are alike.
    std::span<const access_level> levels{};
    basic_stencil_shape<Real> stencil{};  ///< of an iterative stencil; no dimensions: none

    // The work of units, caches and memory for these instructions, for models with a memory hierarchy. All optional.
    lane_operations<Real> ops{};  ///< lane operations of one warp, by unit
    Real shared_passes{};         ///< passes of one warp through shared memory; 0: none
    Real shared_insts{};          ///< instructions of one warp that make these passes; 0: not known
    Real branches{};  ///< branches of one warp, each waiting for its comparison; 0: not known
    memory_accesses<Real> accesses{};  ///< accesses of one warp that reach L1, L2 and DRAM
    dependent_waits<Real> waits{};     ///< results that instructions of one warp wait for
    memory_traffic<Real> traffic{};    ///< bytes of the launch at L1, L2 and DRAM
};

}  // namespace WARPGAUGE_NAMESPACE

#endif
