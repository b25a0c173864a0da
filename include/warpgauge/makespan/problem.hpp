// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_MAKESPAN_PROBLEM_HPP
#define WARPGAUGE_MAKESPAN_PROBLEM_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/when_used.hpp>

/// \file The worst-case makespan of W warps on one SM: the problem, checked and walked.
///
/// Source of the problem: K. Berezovskyi, K. Bletsas, B. Andersson, "Makespan Computation for GPU
/// Threads Running on a Single Streaming Multiprocessor", 2012.

namespace WARPGAUGE_NAMESPACE {

/// The warps that one type of unit serves per cycle.
struct unit_slots {
    char symbol{};   ///< as in the instruction string, such as 'L' or 'C'
    double slots{};  ///< a whole number, or 1/n: an instruction takes n cycles
};

/// W identical warps, ready at cycle 1, each executing a string of instructions in order. In every
/// cycle each type of unit serves as many of the warps that are ready for it as it has slots (work
/// conservation); it may choose any of them. A warp executes one instruction a cycle.
struct makespan_problem {
    std::string_view instructions{};      ///< one symbol each, in order; not owned
    std::span<const unit_slots> slots{};  ///< of every symbol in the string; not owned
    std::uint64_t warps{};                ///< W, > 0
};

inline constexpr std::size_t max_unit_types = 8;            ///< types of one problem
inline constexpr std::uint32_t max_unit_slots = 1U << 20;   ///< of one type
inline constexpr std::uint32_t max_unit_copies = 1U << 10;  ///< n of 1/n slots
inline constexpr std::size_t max_string_length = 1U << 24;  ///< with copies

/// One type of unit, with whole slots.
struct unit_type {
    std::uint32_t slots{};   ///< warps per cycle
    std::uint32_t copies{};  ///< cycles that one instruction takes
};

/// The types of a problem, checked.
struct unit_types {
    std::array<unit_type, max_unit_types> types{};  ///< of which `count` are set
    std::size_t count{};                            ///< of types

    /// The type of a symbol, or `count`.
    [[nodiscard]] static constexpr std::size_t find(std::span<const unit_slots> given,
                                                    char symbol) {
        std::size_t k = 0;
        while (k < given.size() && given[k].symbol != symbol) ++k;
        return k;
    }
};

/// \errors malformed, not_positive, outside_domain, limit_reached: `slots`
[[nodiscard]] constexpr result<unit_types> unit_types_of(std::span<const unit_slots> given) {
    if (given.size() > max_unit_types) return model_error{errc::limit_reached, "slots"};
    unit_types all;
    all.count = given.size();
    for (std::size_t k = 0; k < all.count; ++k) {
        const double slots = given[k].slots;
        if (unit_types::find(given, given[k].symbol) != k)
            return model_error{errc::malformed, "slots"};
        if (!(slots > 0)) return model_error{errc::not_positive, "slots"};
        if (slots > max_unit_slots || slots * max_unit_copies < 1) {
            return model_error{errc::limit_reached, "slots"};
        }
        const double n = slots < 1 ? 1 / slots : slots;
        const double up = n + 0.5;
        const auto whole = static_cast<std::uint32_t>(up);  // n itself, if n is whole
        const double back = slots < 1 ? 1.0 / whole : whole;
        if (back != slots) return model_error{errc::outside_domain, "slots"};
        all.types[k] = slots < 1 ? unit_type{1, whole} : unit_type{whole, 1};
    }
    return all;
}

/// Checks a problem and calls `visit(type, copies)` for each instruction.
template <class Visitor>
[[nodiscard]] constexpr model_error for_each_instruction(const makespan_problem& p,
                                                         const unit_types& all, Visitor visit) {
    if (p.instructions.empty()) return {errc::missing, "instructions"};
    if (p.warps == 0) return {errc::not_positive, "warps"};
    std::size_t length = 0;
    for (std::size_t i = 0; i < p.instructions.size(); ++i) {
        const std::size_t k = unit_types::find(p.slots, p.instructions[i]);
        if (k == all.count) {
            return {errc::malformed, "instructions", 1, static_cast<std::uint32_t>(i + 1)};
        }
        length += all.types[k].copies;
        if (length > max_string_length) return {errc::limit_reached, "instructions"};
        visit(k, all.types[k].copies);
    }
    return {};
}

/// The type of every instruction, copies written out.
template <class = core::when_used>
result<std::vector<std::size_t>> expanded_types(const makespan_problem& p, const unit_types& all) {
    std::vector<std::size_t> kinds;
    const auto bad = for_each_instruction(
        p, all, [&](std::size_t k, std::uint32_t copies) { kinds.insert(kinds.end(), copies, k); });
    if (bad) return bad;
    return kinds;
}

}  // namespace WARPGAUGE_NAMESPACE

#endif
