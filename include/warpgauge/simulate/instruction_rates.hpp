// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SIMULATE_INSTRUCTION_RATES_HPP
#define WARPGAUGE_SIMULATE_INSTRUCTION_RATES_HPP

#include <initializer_list>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/kernel/instruction.hpp>

/// \file Classes of instructions that have a rate of their own, below that of the lanes of their unit.

namespace WARPGAUGE_NAMESPACE {

/// Results of an SM in a cycle, by class of instruction. 0: not known, and the class has the rate of its unit.
struct instruction_rates {
    double integer_adds{};      ///< additions and subtractions of integers
    double integer_logic{};     ///< AND, OR, XOR and the like
    double integer_products{};  ///< products and multiply-adds of integers
    double shifts{};            ///< shifts, and fields of bits
    double bit_counts{};        ///< population counts, leading zeros and bit reversals
    double comparisons{};  ///< comparisons, minima and maxima of integers and of single precision
    double conversions{};  ///< to or from a float, of up to 32 bits
    double wide_conversions{};  ///< to or from a float, if either type has 64 bits
};

namespace detail::simulate {

constexpr bool compares(operation op) {
    return op == operation::compare || op == operation::min || op == operation::max;
}

/// The rate of integers that compute `op`.
constexpr double integer_rate_of(operation op, const instruction_rates& r) {
    switch (op) {
        case operation::add:
        case operation::sub:
        case operation::neg: return r.integer_adds;
        case operation::bit_and:
        case operation::bit_or:
        case operation::bit_xor:
        case operation::bit_not:
        case operation::logic: return r.integer_logic;
        case operation::mul: return r.integer_products;
        case operation::shift: return r.shifts;
        case operation::count_bits: return r.bit_counts;
        default: return compares(op) ? r.comparisons : 0;
    }
}

/// Results a cycle of the class of an instruction; 0: the rate of its unit.
constexpr double rate_of(const instruction& i, const instruction_rates& r) {
    if (i.op == operation::other) return 0;
    const bool integer = i.unit == unit_kind::integer;
    const bool single = i.unit == unit_kind::single_precision;
    if (!integer && !single && i.unit != unit_kind::double_precision) return 0;
    if (i.op == operation::convert) return r.conversions;
    if (i.op == operation::convert_wide) return r.wide_conversions;
    if (integer) return integer_rate_of(i.op, r);
    return single && compares(i.op) ? r.comparisons : 0;
}

/// The error of rates that the simulation does not take: they are 0, or from 1 to 4096.
constexpr model_error check_rates(const instruction_rates& r) {
    for (const core::bounded_parameter& known : std::initializer_list<core::bounded_parameter>{
             {r.integer_adds, "integer_adds_per_cycle", false, 1, 4096},
             {r.integer_logic, "integer_logic_per_cycle", false, 1, 4096},
             {r.integer_products, "integer_products_per_cycle", false, 1, 4096},
             {r.shifts, "shifts_per_cycle", false, 1, 4096},
             {r.bit_counts, "bit_counts_per_cycle", false, 1, 4096},
             {r.comparisons, "comparisons_per_cycle", false, 1, 4096},
             {r.conversions, "conversions_per_cycle", false, 1, 4096},
             {r.wide_conversions, "wide_conversions_per_cycle", false, 1, 4096}}) {
        const auto bad = core::check_bounded(known);
        if (bad && known.value != 0) return bad;
    }
    return {};
}

}  // namespace detail::simulate

}  // namespace WARPGAUGE_NAMESPACE

#endif
