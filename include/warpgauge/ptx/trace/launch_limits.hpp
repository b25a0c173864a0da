// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TRACE_LAUNCH_LIMITS_HPP
#define WARPGAUGE_PTX_TRACE_LAUNCH_LIMITS_HPP

#include <cstdint>
#include <string_view>

#include <warpgauge/core/abi.hpp>
#include <warpgauge/ptx/trace/traced_kernel.hpp>

/// \file The blocks and threads that a launch may have on any GPU.
///
/// Source: NVIDIA, CUDA C++ Programming Guide, table "Technical Specifications per Compute Capability", from 3.0 on.

namespace WARPGAUGE_NAMESPACE::ptx::detail::trace {

/// A number of a launch that is above its limit.
struct exceeded_limit {
    std::string_view field{};  ///< `grid` or `block`; empty: the launch is within all limits
    std::string_view along{};  ///< the dimension, " along x"; empty: all together
    std::uint64_t count{};     ///< blocks of the grid, or threads of the block
    std::uint64_t most{};      ///< that there may be
};

/// The first number that is above its limit.
constexpr exceeded_limit exceeded(const launch& l) {
    const exceeded_limit all[]{
        {"grid", " along x", l.grid.x, 0x7fff'ffff}, {"grid", " along y", l.grid.y, 0xffff},
        {"grid", " along z", l.grid.z, 0xffff},      {"block", "", l.block.count(), 1024},
        {"block", " along z", l.block.z, 64},
    };
    for (const exceeded_limit& e : all) {
        if (e.count > e.most) return e;
    }
    return {};
}

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::trace

#endif
