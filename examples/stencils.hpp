// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_EXAMPLES_STENCILS_HPP
#define WARPGAUGE_EXAMPLES_STENCILS_HPP

#include <array>

#include <warpgauge/kernel/profile.hpp>

// The four applications of Meng & Skadron 2009: tbl. 2, with the input and block sizes of sec. 5.4.2.
inline constexpr std::array<warpgauge::kernel_profile<>, 4> ghost_zone_stencils{{
    {.name = "PathFinder",
     .stencil = {.dimensions = 1,
                 .data_length = {1'000'000},
                 .halo_width = {2},
                 .block_length = 256,
                 .stencil_arrays = 1,
                 .elements_per_op = 1,
                 .profiled_elements = 100'000,
                 .misc_insts_per_sm = 1998,
                 .iter_insts_per_sm = 1859}},
    // region: stencil
    {.name = "HotSpot",
     .stencil = {.dimensions = 2,
                 .data_length = {2000, 2000},
                 .halo_width = {2, 2},
                 .block_length = 20,
                 .stencil_arrays = 2,
                 .elements_per_op = 0,
                 .profiled_elements = 500 * 500,
                 .misc_insts_per_sm = 13488,
                 .iter_insts_per_sm = 16645}},
    // endregion
    {.name = "Poisson",
     .stencil = {.dimensions = 2,
                 .data_length = {2000, 2000},
                 .halo_width = {2, 2},
                 .block_length = 20,
                 .stencil_arrays = 1,
                 .elements_per_op = 0,
                 .profiled_elements = 500 * 500,
                 .misc_insts_per_sm = 12825,
                 .iter_insts_per_sm = 12474}},
    {.name = "Cell",
     .stencil = {.dimensions = 3,
                 .data_length = {100, 100, 100},
                 .halo_width = {2, 2, 2},
                 .block_length = 8,
                 .stencil_arrays = 1,
                 .elements_per_op = 0,
                 .profiled_elements = 60 * 60 * 60,
                 .misc_insts_per_sm = 71603,
                 .iter_insts_per_sm = 220521}},
}};

#endif
