// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_KERNEL_WITH_BLOCKS_HPP
#define WARPGAUGE_KERNEL_WITH_BLOCKS_HPP

#include <warpgauge/core/scalar.hpp>
#include <warpgauge/kernel/profile.hpp>

/// \file A launch of the same blocks, more or fewer of them.

namespace WARPGAUGE_NAMESPACE {

/// `k` with another number of blocks, each of which does as much: the bytes of the launch and its footprint grow with them,
/// if `k` has blocks.
template <scalar Real>
[[nodiscard]] constexpr kernel_profile<Real> with_blocks(const kernel_profile<Real>& k,
                                                         const Real& blocks) {
    const Real times = k.blocks > Real(0) ? Real(blocks / k.blocks) : Real(1);
    kernel_profile<Real> other = k;
    other.blocks = blocks;
    other.traffic.dram_read_bytes = k.traffic.dram_read_bytes * times;
    other.traffic.dram_write_bytes = k.traffic.dram_write_bytes * times;
    other.traffic.footprint_bytes = k.traffic.footprint_bytes * times;
    return other;
}

}  // namespace WARPGAUGE_NAMESPACE

#endif
