// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_KERNEL_PROFILE_HPP
#define WARPGAUGE_KERNEL_PROFILE_HPP

#include <array>
#include <span>
#include <string_view>

#include <warpgauge/core/scalar.hpp>
#include <warpgauge/kernel/instruction.hpp>

/// \file What a kernel does: the one input that every model reads.
///
/// A profile is a plain value, written with designated initialisers. A model reads what it needs
/// and names what is missing. Symbols in brackets are those of Hong & Kim 2009, tbl. 1.

namespace warpgauge {

/// The shape of an iterative stencil with ghost zones (Meng & Skadron 2009, tbl. 1, 2).
/// `dimensions == 0`: the kernel is not a stencil.
template <scalar Real = double>
struct basic_stencil_shape {
    int dimensions{};                   ///< 0 to 3
    std::array<Real, 3> data_length{};  ///< elements of the whole grid, per dimension
    std::array<Real, 3> halo_width{};   ///< stencil size less one, per dimension
    Real block_length{};                ///< threads of a block along each dimension
    Real stencil_arrays{1.0};           ///< arrays that are read with the halo
    Real elements_per_op{};             ///< elements loaded to compute one
    Real profiled_elements{};           ///< elements that the instruction counts were profiled on
    Real misc_insts_per_sm{};           ///< instructions outside the iterations, per SM
    Real iter_insts_per_sm{};           ///< instructions of one iteration, per SM
};

using stencil_shape = basic_stencil_shape<double>;

/// One launch of one kernel. All counts may be fractional (averages); units are in the names.
template <scalar Real = double>
struct kernel_profile {
    std::string_view name{};

    // The launch.
    Real blocks{};             ///< blocks in the grid, > 0                           [#Blocks]
    Real threads_per_block{};  ///< > 0                                    [#Threads_per_block]

    // What one thread or block occupies on its SM.
    Real registers_per_thread{};    ///< 32-bit registers, >= 0; 0: not known, counts as 1
    Real shared_bytes_per_block{};  ///< B, static and dynamic together, >= 0
    Real active_blocks_per_sm{};    ///< 0: take it from occupancy     [#Active_blocks_per_SM]

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
    basic_stencil_shape<Real> stencil{};
};

}  // namespace warpgauge

#endif
