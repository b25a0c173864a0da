// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SASS_PROFILE_PIPES_HPP
#define WARPGAUGE_SASS_PROFILE_PIPES_HPP

#include <array>
#include <cstddef>

#include <warpgauge/kernel/profile.hpp>
#include <warpgauge/sass/opcode_table.hpp>

/// \file Machine instructions by pipe, as a profile has them: `profile_pipes`.

namespace WARPGAUGE_NAMESPACE::sass::detail {

/// Puts in a profile what a warp executes: `insts` by pipe, `warp_insts` of all, and the branches with a condition. Only
/// these wait for a comparison: BSSY, BSYNC, CALL and a jump that is always taken do not.
constexpr void profile_pipes(const std::array<double, pipe_count>& insts, double warp_insts,
                             double conditional_branches, kernel_profile<>& k) {
    const auto of = [&](pipe p) { return insts[static_cast<std::size_t>(p)]; };
    k.sync_insts = of(pipe::barrier);
    k.branches = conditional_branches;
    k.shared_insts = of(pipe::shared_load) + of(pipe::shared_store) + of(pipe::shared_atomic);
    const double global = of(pipe::global_load) + of(pipe::global_store) + of(pipe::global_atomic) +
                          of(pipe::texture);
    k.comp_insts = warp_insts - k.sync_insts - global;
    constexpr double lanes = 32;
    k.ops.fp32_ops = lanes * (of(pipe::fp32) + of(pipe::half));
    k.ops.fp64_ops = lanes * of(pipe::fp64);
    k.ops.integer_ops = lanes * (of(pipe::integer_fma) + of(pipe::alu));
    k.ops.special_ops = lanes * of(pipe::special);
}

}  // namespace WARPGAUGE_NAMESPACE::sass::detail

#endif
