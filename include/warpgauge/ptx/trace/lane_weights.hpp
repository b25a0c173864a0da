// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TRACE_LANE_WEIGHTS_HPP
#define WARPGAUGE_PTX_TRACE_LANE_WEIGHTS_HPP

#include <string_view>

#include <warpgauge/device/compute_capability.hpp>
#include <warpgauge/ptx/text/opcode_table.hpp>

/// \file How many lanes of its unit an instruction takes for each lane of a warp: of most, one.
///
/// Packed halves go two to a lane, on lanes that a GPU has more or fewer of than of single precision.

namespace WARPGAUGE_NAMESPACE::ptx::detail::trace {

/// Peak rate of additions of halves, of single precision 1; of `bf16` where that differs.
/// Sources: NVIDIA CUDA C++ Programming Guide 10.2, tbl. "Throughput of Native Arithmetic Instructions" (5.3 to 7.x: 256 of
/// 128, 128 of 64, 2 of 128, 256 of 128, 128 of 64); peak rates of the architectures' white papers: A100 2020 (78 and 39 of
/// 19.5 TFLOPS), GA102 2020 and Ada 2022 (as single precision), H100 2022 (133.8 of 66.9). Later ones as the last of their
/// kind.
constexpr double half_rate(compute_capability cc, bool is_bf16) {
    if (cc.major == 6 && cc.minor == 1) return 1.0 / 64;
    if (cc.major == 8 && cc.minor == 0) return is_bf16 ? 2 : 4;
    if (cc.major == 8 || cc.major == 12) return 1;
    return 2;
}

/// Lanes of its unit that an opcode takes.
constexpr double lane_weight(std::string_view opcode, compute_capability cc) {
    using ptx::text::has_part;
    const std::string_view root = opcode.substr(0, opcode.find('.'));
    const bool adds = root == "add" || root == "sub" || root == "mul" || root == "fma";
    if (adds && has_part(opcode, "f32x2")) return 2;
    const bool is_bf16 = has_part(opcode, "bf16") || has_part(opcode, "bf16x2");
    const bool is_half = is_bf16 || has_part(opcode, "f16") || has_part(opcode, "f16x2");
    // One half takes as long as two. Mixed with single precision, it is of that.
    if (adds && is_half && !has_part(opcode, "f32")) return 2 / half_rate(cc, is_bf16);
    const bool special = root == "ex2" || root == "tanh";
    return special && (has_part(opcode, "f16x2") || has_part(opcode, "bf16x2")) ? 2 : 1;
}

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::trace

#endif
