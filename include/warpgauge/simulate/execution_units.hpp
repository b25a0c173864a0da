// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SIMULATE_EXECUTION_UNITS_HPP
#define WARPGAUGE_SIMULATE_EXECUTION_UNITS_HPP

#include <array>
#include <cstddef>
#include <cstdint>

#include <warpgauge/core/scalar.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/simulate/sm_parameters.hpp>

/// \file The units of an SM and how long they are busy (P6 of docs/hybrid.md).
///
/// A unit works off as many threads a cycle as it has lanes. It can start what it cannot finish in a
/// cycle, but nothing after it. Work is counted in parts of threads, of which a cycle works off a whole number, and time
/// in ticks, of which each part takes a whole number. So all arithmetic here is exact: no simulated cycle in ticks reaches 2^63.

namespace WARPGAUGE_NAMESPACE::detail::simulate {

constexpr std::uint64_t common_divisor(std::uint64_t a, std::uint64_t b) {
    return b == 0 ? a : common_divisor(b, a % b);
}

/// The parts of threads that a unit works off in a cycle, or each sub-core's part of it.
constexpr std::uint64_t parts_per_cycle(std::size_t unit, double lanes, std::size_t sub_cores) {
    const bool split = is_split(unit, lanes, static_cast<double>(sub_cores));
    return static_cast<std::uint64_t>(lanes) * parts_of_thread / (split ? sub_cores : 1);
}

using work_by_unit = std::array<std::uint64_t, sm_unit_count>;

/// How many ticks the cycles and the parts of threads of each unit have. A cycle of a unit without lanes has none.
struct unit_ticks {
    work_by_unit of_cycle{};
    work_by_unit of_part{};
    /// All units have the same ticks, so that a cycle begins for all at the same one. That is so on every GPU; if too many
    /// lanes have no common factors, ticks are parts of threads.
    bool are_common = true;
};

template <class = core::when_used>
constexpr unit_ticks ticks_of(const std::array<double, sm_unit_count>& lanes,
                              std::size_t sub_cores) {
    constexpr std::uint64_t most = std::uint64_t{1} << 22;  // 2^40 cycles are simulated
    unit_ticks t;
    std::uint64_t common = 1;
    for (std::size_t u = 0; u < sm_unit_count; ++u) {
        const std::uint64_t parts = t.of_cycle[u] = parts_per_cycle(u, lanes[u], sub_cores);
        t.of_part[u] = 1;
        if (parts > 0 && t.are_common) common *= parts / common_divisor(common, parts);
        t.are_common = t.are_common && common <= most;
    }
    for (std::size_t u = 0; u < sm_unit_count && t.are_common; ++u) {
        if (t.of_cycle[u] == 0) continue;
        t.of_part[u] = common / t.of_cycle[u];
        t.of_cycle[u] = common;
    }
    return t;
}

/// `SubCores`: how many parts the SM has. A unit that they do not divide among them is the first one's.
template <std::size_t SubCores = 1>
class execution_units {
public:
    explicit constexpr execution_units(const std::array<double, sm_unit_count>& lanes)
        : ticks_(ticks_of(lanes, SubCores)) {
        for (std::size_t u = 0; u < sm_unit_count; ++u) {
            owners_[u] = is_split(u, lanes[u], SubCores) ? SubCores : 1;
            common_ticks_ = core::max(common_ticks_, ticks_.of_cycle[u]);
        }
    }

    /// Starts an instruction for whose `work` ticks it works, in the cycle that begins at tick `from`, from a sub-core. Returns
    /// the tick until which the unit works then.
    [[gnu::always_inline]] constexpr std::uint64_t start(std::size_t unit, std::uint64_t work,
                                                         std::uint64_t from, std::size_t sub_core) {
        std::uint64_t& until = work_until_[owner_of(unit, sub_core)][unit];
        return until = core::max(until, from) + work;
    }
    /// The same of one that keeps its unit, which is ready and is never left with a part of a cycle, for one that ends at `end`.
    [[gnu::always_inline]] constexpr void fill_cycle(std::size_t unit, std::uint64_t end,
                                                     std::size_t sub_core) {
        work_until_[owner_of(unit, sub_core)][unit] = end;
    }
    /// The ticks of a cycle of a unit.
    [[nodiscard]] constexpr std::uint64_t ticks_of_cycle(std::size_t unit) const {
        return ticks_.of_cycle[unit];
    }
    /// The number of cycles in which a unit with `left` ticks to work can start no other instruction.
    [[nodiscard]] constexpr std::uint64_t busy_cycles(std::size_t unit, std::uint64_t left) const {
        const std::uint64_t cycle = ticks_.of_cycle[unit];
        if (left < cycle) return 0;
        return left < 2 * cycle ? 1 : left / cycle;
    }
    /// The first of a number of cycles by the end of which the unit has worked for the ticks that are left, or `wait` if that
    /// is more.
    [[nodiscard]] constexpr std::uint64_t at_least(std::uint64_t wait, std::size_t unit,
                                                   std::uint64_t left) const {
        const std::uint64_t cycle = ticks_.of_cycle[unit];
        return wait * cycle >= left ? wait : (left - 1) / cycle + 1;
    }

    /// The first cycle in which the unit can start an instruction of a sub-core, after those that it started.
    [[nodiscard]] constexpr std::uint64_t ready(std::size_t unit, std::size_t sub_core = 0) const {
        const std::uint64_t cycle = ticks_.of_cycle[unit];
        return cycle > 0 ? until(unit, sub_core) / cycle : 0;
    }
    /// Whether that is no later than cycle `now`.
    [[nodiscard]] constexpr bool is_ready(std::size_t unit, std::size_t sub_core,
                                          std::uint64_t now) const {
        return until(unit, sub_core) < (now + 1) * ticks_.of_cycle[unit];
    }
    /// The tick until which the unit works for a sub-core.
    [[nodiscard]] constexpr std::uint64_t until(std::size_t unit, std::size_t sub_core) const {
        return work_until_[owner_of(unit, sub_core)][unit];
    }
    /// The ticks of a part of a thread on a unit.
    [[nodiscard]] constexpr std::uint64_t ticks_of_part(std::size_t unit) const {
        return ticks_.of_part[unit];
    }
    /// The ticks of a cycle, where they are common to all units.
    [[nodiscard]] constexpr std::uint64_t common_ticks() const { return common_ticks_; }
    /// Whether each sub-core has a part of the unit.
    [[nodiscard]] constexpr bool is_divided(std::size_t unit) const { return owners_[unit] > 1; }
    /// The sub-core that has the part of a unit that a sub-core uses.
    [[nodiscard]] constexpr std::size_t owner_of(std::size_t unit, std::size_t sub_core) const {
        static_assert((SubCores & (SubCores - 1)) == 0);
        if constexpr (SubCores == 1) return 0;
        return sub_core & (owners_[unit] - 1);
    }

    /// The cycles that a unit takes for `work` in parts of threads, all its parts together; 0 of a unit without lanes.
    [[nodiscard]] constexpr double cycles_of(std::size_t unit, double work) const {
        if (ticks_.of_cycle[unit] == 0) return 0;
        const std::uint64_t parts = ticks_.of_cycle[unit] / ticks_.of_part[unit];
        return work / static_cast<double>(parts * owners_[unit]);
    }

    /// Calls `visit(word)` for all that decides what the units do from cycle `now` on, times counted from it.
    template <class Visitor>
    constexpr void for_each_word(std::uint64_t now, Visitor& visit) const {
        for (const work_by_unit& work_until : work_until_) {
            for (std::size_t u = 0; u < sm_unit_count; ++u) {
                const std::uint64_t from = now * ticks_.of_cycle[u];
                visit(work_until[u] > from ? work_until[u] - from : 0);
            }
        }
    }
    /// As the words were, `next()` after `next()`, but from cycle `now` on.
    template <class Reader>
    constexpr void read_words(std::uint64_t now, Reader& next) {
        for (work_by_unit& work_until : work_until_) {
            for (std::size_t u = 0; u < sm_unit_count; ++u) {
                work_until[u] = now * ticks_.of_cycle[u] + next();
            }
        }
    }

private:
    unit_ticks ticks_;  // of one owner
    std::uint64_t common_ticks_ = 0;
    work_by_unit owners_{};
    std::array<work_by_unit, SubCores> work_until_{};  // ticks
};

}  // namespace WARPGAUGE_NAMESPACE::detail::simulate

#endif
