// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_MAKESPAN_SEARCH_HPP
#define WARPGAUGE_MAKESPAN_SEARCH_HPP

#include <cstdint>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/makespan/bounds.hpp>
#include <warpgauge/makespan/problem.hpp>
#include <warpgauge/makespan/schedule.hpp>
#include <warpgauge/makespan/state_search.hpp>

/// \file The worst and the best makespan, exactly, with schedules; and the estimate from few warps.

namespace WARPGAUGE_NAMESPACE {

/// The worst and the best makespan, by visiting every state.
/// \errors as `makespan_upper_bound`; besides
///         limit_reached  `states`, `bytes`, `stop`: a cap; `instructions`: counts of warps at all
///                        positions take more than 128 bits; `warps`: too many
template <class = core::when_used>
[[nodiscard]] result<makespan_range> exact_makespan(const makespan_problem& p,
                                                    const makespan_caps& caps = {}) {
    return detail::makespan::with_search<false>(p, caps,
                                                [](auto& search) { return search.run({}); });
}

/// A schedule of the worst, or of the best, makespan.
/// \errors as `exact_makespan`
template <class = core::when_used>
[[nodiscard]] result<makespan_schedule> makespan_witness(const makespan_problem& p,
                                                         bool worst = true,
                                                         const makespan_caps& caps = {}) {
    return detail::makespan::with_search<true>(
        p, caps, [&](auto& search) -> result<makespan_schedule> {
            const auto range = search.run(
                {}, worst ? detail::makespan::witness::worst : detail::makespan::witness::best);
            if (!range) return range.error();
            return search.schedule();
        });
}

/// The paper's estimate from few warps, eqs. (42), (43): the minimum of ceil(W / y) T(y) over y up to
/// `few`, with exact T(y). It is not safe, since it can be below the worst case (LCL, four warps: 8, exactly 9).
/// It is exact if `few` is at least the number of warps.
/// \errors as `exact_makespan`; also not_positive `few`
template <class = core::when_used>
[[nodiscard]] result<makespan_bound> estimate_makespan(const makespan_problem& p, std::uint64_t few,
                                                       const makespan_caps& caps = {}) {
    if (few == 0) return model_error{errc::not_positive, "few"};
    makespan_bound least{0, makespan_rule::multiples, false, makespan_doubt::printed_equations};
    for (std::uint64_t y = 1; y <= core::min(few, core::max(p.warps, 1)); ++y) {
        makespan_problem part = p;
        part.warps = p.warps == 0 ? 0 : y;
        const auto exact = exact_makespan(part, caps);
        if (!exact) return exact.error();
        const auto multiple =
            detail::makespan::first_and_others(0, (p.warps - 1) / y + 2, exact->worst, 1);  // (43)
        if (!multiple) return multiple.error();
        if (y == 1 || *multiple < least.cycles) least.cycles = *multiple;  // (42)
        if (y == p.warps) least = {exact->worst, makespan_rule::exhaustive, true};
    }
    return least;
}

}  // namespace WARPGAUGE_NAMESPACE

#endif
