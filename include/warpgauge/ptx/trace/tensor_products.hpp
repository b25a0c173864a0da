// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TRACE_TENSOR_PRODUCTS_HPP
#define WARPGAUGE_PTX_TRACE_TENSOR_PRODUCTS_HPP

#include <cstddef>
#include <string_view>

#include <warpgauge/ptx/text/opcode.hpp>

/// \file How many multiply-adds an instruction for tensor cores makes.

namespace warpgauge::ptx::detail::trace {

/// The number behind a letter in a shape such as `m16n8k16`, and its end; 0 where it does not stand there.
constexpr double dimension(std::string_view shape, char letter, std::size_t& at) {
    if (at >= shape.size() || shape[at] != letter) return 0;
    double number = 0;
    for (++at; at < shape.size() && shape[at] >= '0' && shape[at] <= '9' && number < 1e6; ++at) {
        number = 10 * number + (shape[at] - '0');
    }
    return number;
}

/// Multiply-adds of one warp by an opcode, as `mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32`: rows times columns
/// times depth, of `wgmma` a quarter, since four warps share it. 0 for any other opcode.
/// Source: NVIDIA, Parallel Thread Execution ISA 9.0, sec. 9.7.14 and 9.7.15.
constexpr double tensor_fmas_of(std::string_view opcode) {
    const std::string_view root = opcode.substr(0, opcode.find('.'));
    const bool of_warp = root == "mma" || (root == "wmma" && ptx::text::has_part(opcode, "mma"));
    const bool of_four = root == "wgmma" && ptx::text::has_part(opcode, "mma_async");
    if (!of_warp && !of_four) return 0;
    std::string_view rest = opcode;
    while (!rest.empty()) {
        const std::size_t dot = rest.find('.');
        const std::string_view part = rest.substr(0, dot);
        std::size_t at = 0;
        const double m = dimension(part, 'm', at);
        const double n = dimension(part, 'n', at);
        const double k = dimension(part, 'k', at);
        if (at == part.size() && m * n * k > 0) return m * n * k / (of_four ? 4 : 1);
        if (dot == std::string_view::npos) break;
        rest.remove_prefix(dot + 1);
    }
    return 0;
}

}  // namespace warpgauge::ptx::detail::trace

#endif
