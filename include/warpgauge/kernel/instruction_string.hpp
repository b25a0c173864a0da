// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_KERNEL_INSTRUCTION_STRING_HPP
#define WARPGAUGE_KERNEL_INSTRUCTION_STRING_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/kernel/instruction.hpp>
#include <warpgauge/kernel/stream.hpp>

/// \file The kernel instruction string of an instruction stream (Berezovskyi et al. 2012, sec. 3):
/// `kernel_instruction_string`. Errors are those of `stream.hpp`.

namespace WARPGAUGE_NAMESPACE {

/// The cycles for which one instruction of a warp occupies its units, ceil(warp size / units). The string has that
/// many symbols for it.
struct sub_warps {
    std::uint32_t memory = 1;   ///< on load/store units, "L"
    std::uint32_t compute = 1;  ///< on CUDA cores, "C"
};

/// Calls `visit('L')` or `visit('C')` for every execution except barriers, in order, until it returns
/// false, with the same bound.
template <class Visitor>
constexpr bool for_each_symbol(std::span<const instruction> stream, Visitor visit) {
    auto each = [&](const instruction& i, std::size_t) {
        if (i.unit == unit_kind::barrier) return true;
        return visit(uses_load_store_units(i.unit) ? 'L' : 'C');
    };
    return for_each_bounded_execution(stream, each);
}

/// Writes every execution as `L` (memory of any kind) or `C` (anything else; barriers left
/// out), as often as its sub-warps take (Berezovskyi et al. 2012, sec. 3 and fig. 1).
template <class = core::when_used>
[[nodiscard]] result<std::vector<char>> kernel_instruction_string(
    std::span<const instruction> stream, sub_warps expansion = {}) {
    if (const auto bad = check_stream(stream)) return bad;
    if (expansion.memory == 0) return model_error{errc::not_positive, "memory"};
    if (expansion.compute == 0) return model_error{errc::not_positive, "compute"};
    std::vector<char> symbols;
    const bool all = for_each_symbol(stream, [&](char symbol) {
        const std::size_t count = symbol == 'L' ? expansion.memory : expansion.compute;
        if (count > max_executed - symbols.size()) return false;
        symbols.insert(symbols.end(), count, symbol);
        return true;
    });
    if (!all) return stream_error(errc::limit_reached);
    return symbols;
}

}  // namespace WARPGAUGE_NAMESPACE

#endif
