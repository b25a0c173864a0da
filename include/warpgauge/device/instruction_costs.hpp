// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_DEVICE_INSTRUCTION_COSTS_HPP
#define WARPGAUGE_DEVICE_INSTRUCTION_COSTS_HPP

#include <array>
#include <cstddef>

#include <warpgauge/kernel/instruction.hpp>

/// \file Cycles of one instruction, by operation.

namespace WARPGAUGE_NAMESPACE {

/// Cycles of one operation, by type and by where its second operand comes from
/// (Cheng & Suda 2011, tbl. 1).
struct operation_cycles {
    double int_constant{};    ///< on integers, second operand a constant
    double int_register{};    ///< on integers, second operand in a register
    double float_constant{};  ///< on floats, second operand a constant
    double float_register{};  ///< on floats, second operand in a register

    friend constexpr bool operator==(const operation_cycles&, const operation_cycles&) = default;
};

/// A cost table. An instruction that it does not list has no cost: its `cycles` are 0, which no instruction has.
struct instruction_costs {
    /// In the order of `operation`, up to `operation::bit_not`.
    std::array<operation_cycles, 11> arithmetic{};
    double load_store_cycles{};  ///< of global memory
    double other_cycles{};       ///< of everything else; 0: not known
    /// Cost of a double-precision operation, times that of single precision; 0: not known, as everything else.
    double double_precision_factor{};

    friend constexpr bool operator==(const instruction_costs&, const instruction_costs&) = default;

    /// Whether the table has a cost for the instruction's operation; all other operations take `other_cycles`.
    [[nodiscard]] constexpr bool lists(const instruction& i) const noexcept {
        if (i.unit == unit_kind::global_memory) return true;
        const bool priced = i.unit == unit_kind::integer || i.unit == unit_kind::single_precision ||
                            (i.unit == unit_kind::double_precision && double_precision_factor != 0);
        return priced && static_cast<std::size_t>(i.op) < arithmetic.size();
    }

    /// Cycles of one instruction of a warp; 0 if they are not known.
    [[nodiscard]] constexpr double cycles(const instruction& i) const noexcept {
        if (i.unit == unit_kind::global_memory) return load_store_cycles;
        if (!lists(i)) return other_cycles;
        const operation_cycles& row = arithmetic[static_cast<std::size_t>(i.op)];
        const bool constant = i.second == operand::constant;
        if (i.unit == unit_kind::integer) return constant ? row.int_constant : row.int_register;
        const double single = constant ? row.float_constant : row.float_register;
        return i.unit == unit_kind::single_precision ? single : single * double_precision_factor;
    }
};

}  // namespace WARPGAUGE_NAMESPACE

#endif
