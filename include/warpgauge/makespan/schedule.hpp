// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_MAKESPAN_SCHEDULE_HPP
#define WARPGAUGE_MAKESPAN_SCHEDULE_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/makespan/problem.hpp>

/// \file One schedule of the warps of an SM, and an independent check of it.

namespace WARPGAUGE_NAMESPACE {

/// One schedule: the cycle, from 1, in which each warp executes each instruction (copies of 1/n slots
/// included), warp by warp.
struct makespan_schedule {
    std::size_t instructions{};           ///< of one warp, copies included
    std::vector<std::uint32_t> cycles{};  ///< warp by warp, of each instruction in order

    /// The number of warps; 0 without instructions.
    [[nodiscard]] std::size_t warps() const noexcept {
        return instructions == 0 ? 0 : cycles.size() / instructions;
    }
    /// The cycle in which `warp` executes `instruction`, both from 0.
    [[nodiscard]] std::uint32_t at(std::size_t warp, std::size_t instruction) const noexcept {
        return cycles[warp * instructions + instruction];
    }
};

/// Checks a schedule only by the definition of the problem: every warp executes every
/// instruction in order and one a cycle; no type serves more than its slots; in every cycle each type
/// serves as many as it can. Returns the makespan.
/// \errors as `makespan_upper_bound`; besides
///         malformed  `schedule`: of another size; `order`, `capacity`, `work_conservation`: broken,
///                    `line` is the cycle
template <class = core::when_used>
[[nodiscard]] result<std::uint64_t> check_schedule(const makespan_problem& p,
                                                   const makespan_schedule& s);

namespace detail::makespan {

/// The last cycle of a schedule in which every warp executes its instructions in order.
template <class = core::when_used>
result<std::uint32_t> last_cycle(const makespan_schedule& s) {
    std::uint32_t last = 0;
    for (std::size_t w = 0; w < s.warps(); ++w) {
        std::uint32_t before = 0;
        for (std::size_t i = 0; i < s.instructions; ++i) {
            if (s.at(w, i) <= before) return model_error{errc::malformed, "order", s.at(w, i)};
            before = s.at(w, i);
        }
        last = core::max(last, before);
    }
    return last;
}

/// Walks a schedule cycle by cycle; `kinds` are the types of its instructions.
template <class = core::when_used>
model_error check_cycles(const makespan_schedule& s, const std::vector<std::size_t>& kinds,
                         const unit_types& all, std::uint32_t makespan) {
    std::vector<std::size_t> position(s.warps(), 0);
    for (std::uint32_t cycle = 1; cycle <= makespan; ++cycle) {
        std::array<std::uint64_t, max_unit_types> ready{};
        std::array<std::uint64_t, max_unit_types> served{};
        for (std::size_t w = 0; w < s.warps(); ++w) {
            if (position[w] == kinds.size()) continue;
            const std::size_t k = kinds[position[w]];
            ++ready[k];
            if (s.at(w, position[w]) == cycle) {
                ++served[k];
                ++position[w];
            }
        }
        for (std::size_t k = 0; k < all.count; ++k) {
            const std::uint64_t slots = all.types[k].slots;
            if (served[k] > slots) return {errc::malformed, "capacity", cycle};
            if (served[k] < core::min(ready[k], slots)) {
                return {errc::malformed, "work_conservation", cycle};
            }
        }
    }
    return {};
}

}  // namespace detail::makespan

template <class Used>
result<std::uint64_t> check_schedule(const makespan_problem& p, const makespan_schedule& s) {
    const auto all = unit_types_of(p.slots);
    if (!all) return all.error();
    const auto kinds = expanded_types<Used>(p, *all);
    if (!kinds) return kinds.error();
    if (s.instructions != kinds->size() || s.cycles.size() / kinds->size() != p.warps ||
        s.cycles.size() % kinds->size() != 0) {
        return model_error{errc::malformed, "schedule"};
    }
    const auto makespan = detail::makespan::last_cycle(s);
    if (!makespan) return makespan.error();
    if (*makespan > kinds->size() * s.warps()) {  // some cycle served nobody
        return model_error{errc::malformed, "work_conservation", *makespan};
    }
    if (const auto bad = detail::makespan::check_cycles(s, *kinds, *all, *makespan)) return bad;
    return std::uint64_t{*makespan};
}

}  // namespace WARPGAUGE_NAMESPACE

#endif
