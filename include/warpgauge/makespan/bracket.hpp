// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_MAKESPAN_BRACKET_HPP
#define WARPGAUGE_MAKESPAN_BRACKET_HPP

#include <cstdint>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/makespan/bounds.hpp>
#include <warpgauge/makespan/lockstep_search.hpp>
#include <warpgauge/makespan/problem.hpp>
#include <warpgauge/makespan/schedule.hpp>
#include <warpgauge/makespan/state_search.hpp>

/// \file A bracket around the worst makespan, for problems with too many states to visit them all.

namespace WARPGAUGE_NAMESPACE {

/// The worst case between two bounds.
struct makespan_bracket {
    std::uint64_t lower{};   ///< cycles of a schedule that was found
    std::uint64_t upper{};   ///< cycles that no schedule exceeds, by proof
    makespan_rule rule{};    ///< of `upper`
    bool certified{};        ///< both are equal: the worst case is known
    std::uint64_t states{};  ///< states visited by all searches
    /// Number of warps that the last search of clusters let be apart from the rest.
    std::uint64_t spread{};
    /// States kept by the search in lockstep that found `lower`; 0: none found it.
    std::uint64_t width{};
    makespan_doubt doubt{};  ///< the reason, if the bounds do not hold
};

namespace detail::makespan {

/// The minimum cycles of every schedule: those of one warp alone, and those of a type that never idles.
template <class = core::when_used>
constexpr std::uint64_t min_makespan(const makespan_problem& p) {
    const auto all = unit_types_of(p.slots);
    if (!all) return 0;
    const auto sums = sums_of(source_of(p, *all));
    if (!sums) return 0;
    std::uint64_t least = sums->length;
    for (std::size_t k = 0; k < all->count; ++k) {
        const auto busy = first_and_others(0, p.warps + 1, sums->of_type[k], all->types[k].slots);
        if (busy) least = core::max(least, *busy);
    }
    return least;
}

/// Raises `b.lower` by searches that keep few states of warps in lockstep, and then more of them.
template <class = core::when_used>
void search_in_lockstep(const makespan_problem& p, const makespan_caps& caps, makespan_bracket& b) {
    const auto raise = [&](auto& search) -> result<std::uint64_t> {
        for (std::uint64_t width = 1; width <= 256 && !b.certified; width *= 4) {
            if (b.upper > caps.states / 16 / width) break;  // a state or more in each cycle
            const auto longest = search.run(width);
            if (!longest) break;
            if (*longest > b.lower) {
                b.lower = *longest;
                b.width = width;
            }
            b.certified = b.lower == b.upper;
        }
        return search.states();
    };
    const auto states = with_lockstep(p, caps, raise);
    if (states) b.states += *states;
}

/// The schedule that a search in lockstep has found.
template <class = core::when_used>
result<makespan_schedule> lockstep_witness(const makespan_problem& p, const makespan_bracket& b,
                                           const makespan_caps& caps) {
    return with_lockstep(p, caps, [&](auto& search) -> result<makespan_schedule> {
        const auto longest = search.run(b.width, true);
        if (!longest) return longest.error();
        if (*longest != b.lower) return model_error{errc::missing, "spread"};
        return search.schedule();
    });
}

}  // namespace detail::makespan

/// The worst makespan between the length of a found schedule and a proved bound. First it follows schedules in which
/// the warps go in lockstep, for strings of any length that `caps.states` allows. For strings that `exact_makespan`
/// takes, it then searches states in which all warps but a few are at two instructions, and widens the search until
/// the two bounds are equal, every state has been visited, or a limit is reached, which leaves the bracket open.
/// \errors as `makespan_upper_bound`
template <class = core::when_used>
[[nodiscard]] result<makespan_bracket> bracket_makespan(const makespan_problem& p,
                                                        const makespan_caps& caps = {}) {
    const auto upper = makespan_upper_bound(p);
    if (!upper) return upper.error();
    makespan_bracket b{
        .lower = detail::makespan::min_makespan(p), .upper = upper->cycles, .rule = upper->rule};
    b.certified = b.lower == b.upper;
    if (!b.certified) detail::makespan::search_in_lockstep(p, caps, b);
    makespan_caps left = caps;
    left.states -= core::min(left.states, b.states);
    for (std::uint64_t apart = 2; !b.certified; apart *= 2) {
        const auto range = detail::makespan::with_search<false>(
            p, left, [&](auto& search) { return search.run({.apart = apart}); });
        if (!range) return b;
        if (range->worst > b.lower) b.width = 0;
        b.lower = core::max(b.lower, range->worst);
        b.states += range->states;
        b.spread = core::min(apart, p.warps);
        if (apart >= p.warps) {
            b.upper = range->worst;
            b.rule = makespan_rule::exhaustive;
        }
        b.certified = b.lower == b.upper;
        left.states -= core::min(left.states, range->states);
    }
    return b;
}

/// A schedule that takes `b.lower` cycles, if the bracket's searches found one.
/// \errors as `exact_makespan`; also missing `spread`: `b` comes from no search that found a schedule
template <class = core::when_used>
[[nodiscard]] result<makespan_schedule> bracket_witness(const makespan_problem& p,
                                                        const makespan_bracket& b,
                                                        const makespan_caps& caps = {}) {
    if (b.width > 0) return detail::makespan::lockstep_witness(p, b, caps);
    if (b.spread == 0) return model_error{errc::missing, "spread"};
    return detail::makespan::with_search<true>(
        p, caps, [&](auto& search) -> result<makespan_schedule> {
            const auto range = search.run({.apart = b.spread});
            if (!range) return range.error();
            if (range->worst != b.lower) return model_error{errc::missing, "spread"};
            return search.schedule();
        });
}

}  // namespace WARPGAUGE_NAMESPACE

#endif
