// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SIMULATE_EXECUTION_UNITS_HPP
#define WARPGAUGE_SIMULATE_EXECUTION_UNITS_HPP

#include <array>
#include <cstddef>
#include <cstdint>

#include <warpgauge/core/scalar.hpp>
#include <warpgauge/simulate/sm_parameters.hpp>

/// \file The units of an SM and how long they are busy (P6 of docs/hybrid.md).
///
/// A unit works off as many threads a cycle as it has lanes. It can start what it cannot finish in a
/// cycle, but nothing after it. Work is counted in parts of threads, of which a cycle works off a whole number, and
/// so is all arithmetic here: no simulated cycle times the lanes reaches 2^63.

namespace WARPGAUGE_NAMESPACE::detail::simulate {

/// The parts of threads that a unit works off in a cycle, or each sub-core's part of it.
constexpr std::uint64_t parts_per_cycle(std::size_t unit, double lanes, std::size_t sub_cores) {
    const bool split = is_split(unit, lanes, static_cast<double>(sub_cores));
    return static_cast<std::uint64_t>(lanes) * parts_of_thread / (split ? sub_cores : 1);
}

/// `SubCores`: how many parts the SM has. A unit that they do not divide among them is the first one's.
template <std::size_t SubCores = 1>
class execution_units {
public:
    using work_by_unit = std::array<std::uint64_t, sm_unit_count>;

    explicit constexpr execution_units(const std::array<double, sm_unit_count>& lanes) {
        for (std::size_t u = 0; u < sm_unit_count; ++u) {
            owners_[u] = is_split(u, lanes[u], SubCores) ? SubCores : 1;
            lanes_[u] = parts_per_cycle(u, lanes[u], SubCores);
        }
    }

    /// Starts an instruction of `work` parts of threads in cycle `now`, from a sub-core. Returns how many the unit then has
    /// to work off, from this cycle on.
    constexpr std::uint64_t start(std::size_t unit, std::uint64_t work, std::uint64_t now,
                                  std::size_t sub_core) {
        std::uint64_t& until = work_until_[owner_of(unit, sub_core)][unit];
        const std::uint64_t from = now * lanes_[unit];
        until = core::max(until, from) + work;
        work_[unit] += work;
        return until - from;
    }
    /// The number of cycles in which a unit with `left` parts of threads to work off can start no other instruction.
    [[nodiscard]] constexpr std::uint64_t busy_cycles(std::size_t unit, std::uint64_t left) const {
        const std::uint64_t lanes = lanes_[unit];
        if (left < lanes) return 0;
        return left < 2 * lanes ? 1 : left / lanes;
    }
    /// The number of cycles after which it has worked them off.
    [[nodiscard]] constexpr std::uint64_t cycles_left(std::size_t unit, std::uint64_t left) const {
        return (left - 1) / lanes_[unit] + 1;
    }
    /// The first of a number of cycles by the end of which the unit has worked off what is left, or `wait` if that is more.
    [[nodiscard]] constexpr std::uint64_t at_least(std::uint64_t wait, std::size_t unit,
                                                   std::uint64_t left) const {
        return wait * lanes_[unit] >= left ? wait : cycles_left(unit, left);
    }

    /// The first cycle in which the unit can start an instruction of a sub-core, after those that it started.
    [[nodiscard]] constexpr std::uint64_t ready(std::size_t unit, std::size_t sub_core = 0) const {
        return lanes_[unit] > 0 ? work_until_[owner_of(unit, sub_core)][unit] / lanes_[unit] : 0;
    }
    /// Whether each sub-core has a part of the unit.
    [[nodiscard]] constexpr bool is_divided(std::size_t unit) const { return owners_[unit] > 1; }
    /// The sub-core that has the part of a unit that a sub-core uses.
    [[nodiscard]] constexpr std::size_t owner_of(std::size_t unit, std::size_t sub_core) const {
        static_assert((SubCores & (SubCores - 1)) == 0);
        if constexpr (SubCores == 1) return 0;
        return sub_core & (owners_[unit] - 1);
    }

    /// All work so far, by unit, in parts of threads.
    [[nodiscard]] constexpr const work_by_unit& work() const { return work_; }
    /// The cycles that a unit takes for `work`, all its parts together; 0 of a unit without lanes.
    [[nodiscard]] constexpr double cycles_of(std::size_t unit, double work) const {
        return lanes_[unit] > 0 ? work / static_cast<double>(lanes_[unit] * owners_[unit]) : 0;
    }

    /// Counts work `times` over.
    constexpr void count_again(const work_by_unit& took, std::uint64_t times) {
        for (std::size_t u = 0; u < sm_unit_count; ++u) work_[u] += times * took[u];
    }

    /// Calls `visit(word)` for all that decides what the units do from cycle `now` on, times counted from it.
    template <class Visitor>
    constexpr void for_each_word(std::uint64_t now, Visitor& visit) const {
        for (const work_by_unit& work_until : work_until_) {
            for (std::size_t u = 0; u < sm_unit_count; ++u) {
                const std::uint64_t from = now * lanes_[u];
                visit(work_until[u] > from ? work_until[u] - from : 0);
            }
        }
    }
    /// As the words were, `next()` after `next()`, but from cycle `now` on.
    template <class Reader>
    constexpr void read_words(std::uint64_t now, Reader& next) {
        for (work_by_unit& work_until : work_until_) {
            for (std::size_t u = 0; u < sm_unit_count; ++u)
                work_until[u] = now * lanes_[u] + next();
        }
    }

private:
    work_by_unit lanes_{};  // in parts of threads, a cycle, of one owner
    work_by_unit owners_{};
    std::array<work_by_unit, SubCores> work_until_{};  // cycles x lanes
    work_by_unit work_{};
};

}  // namespace WARPGAUGE_NAMESPACE::detail::simulate

#endif
