// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_LINK_FRAGMENTS_HPP
#define WARPGAUGE_PTX_LINK_FRAGMENTS_HPP

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <warpgauge/ptx/link/program.hpp>
#include <warpgauge/ptx/text/opcode_table.hpp>

/// \file What loads and stores of matrices and textures touch, as far as the opcode says it.
///
/// Source: NVIDIA, Parallel Thread Execution ISA 9.0, sec. 9.7.14.4 (`wmma.load`, `wmma.store`), 9.7.14.5.15
/// (`ldmatrix`), 9.7.14.5.16 (`stmatrix`), 9.7.10 (textures), 9.7.11 (surfaces).

namespace WARPGAUGE_NAMESPACE::ptx::detail::link {

using ptx::link::step;

/// The number behind the last letter of `prefix` in a part of an opcode that has it and digits alone; 0: no such part.
constexpr std::uint32_t number_behind(std::string_view opcode, std::string_view prefix) {
    for (std::size_t at = opcode.find(prefix); at != std::string_view::npos;
         at = opcode.find(prefix, at + 1)) {
        std::size_t end = at + prefix.size();
        std::uint32_t number = 0;
        for (; end < opcode.size() && opcode[end] >= '0' && opcode[end] <= '9' && number < 10'000;
             ++end) {
            number = 10 * number + static_cast<std::uint32_t>(opcode[end] - '0');
        }
        if (number != 0) return number;
    }
    return 0;
}

/// `ldmatrix` and `stmatrix`: rows of 16 B, whose addresses the first lanes have: 8 of each matrix, of `m16n16` 16.
constexpr void read_matrices(std::string_view opcode, step& s) {
    const std::uint32_t count = number_behind(opcode, ".x");
    const std::uint32_t rows = ptx::text::has_part(opcode, "m16n16") ? 16 : 8;
    s.lane_bytes = 16;
    s.address_lanes =
        static_cast<std::uint8_t>(count * rows > 32 || count == 0 ? 32 : count * rows);
}

/// `wmma.load` and `wmma.store`: rows of a tile, or its columns, a stride apart.
constexpr void read_fragment(std::string_view opcode, step& s) {
    const std::size_t shape = opcode.find(".m");
    if (shape == std::string_view::npos) return;
    const std::string_view rest = opcode.substr(shape);
    const std::uint32_t m = number_behind(rest, ".m");
    const std::uint32_t n = number_behind(rest, "n");
    const std::uint32_t k = number_behind(rest, "k");
    const bool of_a = ptx::text::has_part(opcode, "a");
    const bool of_b = ptx::text::has_part(opcode, "b");
    const std::uint32_t rows = of_b ? k : m;
    const std::uint32_t columns = of_a ? k : n;
    const bool by_rows = ptx::text::has_part(opcode, "row");
    const std::size_t type = opcode.rfind('.');
    std::uint32_t bits = 0;
    for (const char c : opcode.substr(type)) {
        if (c >= '0' && c <= '9' && bits < 100)
            bits = 10 * bits + static_cast<std::uint32_t>(c - '0');
    }
    const std::uint32_t length = (by_rows ? columns : rows) * bits / 8;
    const std::uint32_t count = by_rows ? rows : columns;
    const std::uint32_t pieces = (length + 31) / 32;
    if (length == 0 || length % pieces != 0 || count * pieces > 32) return;
    s.in_rows = true;
    s.lane_bytes = static_cast<std::uint8_t>(length / pieces);
    s.row_count = static_cast<std::uint8_t>(count);
    s.address_lanes = static_cast<std::uint8_t>(count * pieces);
    s.mode = static_cast<std::uint8_t>(bits);
}

/// Textures are read by texels, of 4 B as long as nothing says more: how many of a texel's parts its format has is not in
/// the text.
constexpr void read_texels(std::string_view root, step& s) {
    s.hides_addresses = true;
    if (root == "tex" || root == "tld4" || root == "sured") s.lane_bytes = 4;
}

constexpr bool is_of_texels(std::string_view root) {
    return root == "tex" || root == "tld4" || root == "suld" || root == "sust" || root == "sured";
}

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::link

#endif
