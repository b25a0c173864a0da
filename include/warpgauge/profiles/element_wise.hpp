// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PROFILES_ELEMENT_WISE_HPP
#define WARPGAUGE_PROFILES_ELEMENT_WISE_HPP

#include <warpgauge/core/scalar.hpp>
#include <warpgauge/kernel/profile.hpp>

/// \file Profiles of operations on each element of arrays, four to a thread.

namespace WARPGAUGE_NAMESPACE::profiles {

/// An operation on single-precision elements, as a library vectorises it.
struct element_wise_shape {
    double elements = 0;         ///< of one array, > 0
    double inputs = 1;           ///< arrays that are read; one is written
    double operation_insts = 1;  ///< add, multiply 1; relu 2; divide 10; tanh 20; gelu 25; pow 60
    double threads_per_block = 128;  ///< > 0
    double elements_per_thread = 4;  ///< > 0
    /// 0: the number that the elements need. With fewer, threads have more elements; of more, some threads have none,
    /// and the profile has their mean.
    double blocks = 0;
};

/// The profile of an element-wise operation: a warp waits once for all its inputs.
///
///     const auto add = profiles::element_wise({.elements = 1 << 26, .inputs = 2});
[[nodiscard]] constexpr kernel_profile<> element_wise(const element_wise_shape& s) {
    const double arrays = s.inputs + 1;
    const double per_block = s.threads_per_block * s.elements_per_thread;
    const bool is_given = s.blocks != 0;
    kernel_profile<> k{.name = "element-wise",
                       .blocks = is_given ? s.blocks : core::ceil(s.elements / per_block),
                       .threads_per_block = s.threads_per_block};
    const double mean = s.elements / (k.blocks * s.threads_per_block);
    const double per_thread = is_given ? mean : s.elements_per_thread;
    k.coalesced_mem_insts = arrays * per_thread / 4;
    k.comp_insts = core::max(per_thread * (s.operation_insts + 3) - k.coalesced_mem_insts, 0.0);
    k.bytes_per_access = 16;
    k.accesses.lines = per_thread * arrays;
    k.waits = {.counted = true, .dram_waits = 1, .store_waits = 1};
    k.traffic = {.l2_bytes_per_warp = 128 * per_thread * arrays,
                 .dram_read_bytes = 4 * s.inputs * s.elements,
                 .dram_write_bytes = 4 * s.elements};
    return k;
}

}  // namespace WARPGAUGE_NAMESPACE::profiles

#endif
