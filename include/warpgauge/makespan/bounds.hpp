// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_MAKESPAN_BOUNDS_HPP
#define WARPGAUGE_MAKESPAN_BOUNDS_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/makespan/problem.hpp>

/// \file Bounds on the worst-case makespan in closed form.
///
/// Equation numbers are those of Berezovskyi et al. 2012. The safe closed form V and its proof are in
/// docs/makespan.md.

namespace WARPGAUGE_NAMESPACE {

/// The rule that gave a bound.
enum class makespan_rule : std::uint8_t {
    independent_set,  ///< V: proved for strings of one or two types
    best_pair,        ///< V over the best pair of types: proved for any number of types
    each_type,        ///< B: proved for any number of types
    all_contend,      ///< T, eqs. (5)-(7): safe only with one slot of each type
    multiples,        ///< eqs. (42), (43): not safe
    exhaustive,       ///< every schedule was covered: exact
    every_resource,   ///< all resources and latencies of an SM: proved for `simulate_sm`
};

/// The rule in words: "every schedule".
[[nodiscard]] constexpr std::string_view name(makespan_rule rule) noexcept {
    switch (rule) {
        case makespan_rule::independent_set: return "V, closed form";
        case makespan_rule::best_pair: return "V, best pair of types";
        case makespan_rule::each_type: return "B, every type on its own";
        case makespan_rule::all_contend: return "eqs. (5)-(7)";
        case makespan_rule::multiples: return "eqs. (42), (43)";
        case makespan_rule::exhaustive: return "every schedule";
        case makespan_rule::every_resource: return "every resource of the SM";
    }
    return "unknown";
}

/// The reason why a bound is not safe.
enum class makespan_doubt : std::uint8_t {
    none,               ///< it is safe
    printed_equations,  ///< the rule can be below the worst case of the problem
    two_unit_types,  ///< the problem leaves out what the device has: other units, bank conflicts, issue slots,
                     ///< latencies, DRAM, barriers
    pooled_units,  ///< the bound gives each scheduler a part of the units, which all schedulers of the SM share
};

/// The doubt in words; "none" if the bound is safe.
[[nodiscard]] constexpr std::string_view name(makespan_doubt doubt) noexcept {
    switch (doubt) {
        case makespan_doubt::none: return "none";
        case makespan_doubt::printed_equations: return "the equations as printed are not safe";
        case makespan_doubt::two_unit_types:
            return "two types of units leave out latencies and other resources";
        case makespan_doubt::pooled_units: return "the schedulers of the SM share its units";
    }
    return "unknown";
}

/// A bound on the worst-case makespan.
struct makespan_bound {
    std::uint64_t cycles{};  ///< until the last warp is done
    makespan_rule rule{};    ///< the rule that gave it
    bool safe{};             ///< proved never to be below the worst case
    makespan_doubt doubt{};  ///< the reason, if it is not safe
};

namespace detail::makespan {

/// a + floor((warps - 1) * b / c), or an error past 64 bits.
constexpr result<std::uint64_t> first_and_others(std::uint64_t a, std::uint64_t warps,
                                                 std::uint64_t b, std::uint64_t c) {
    constexpr std::uint64_t largest = ~std::uint64_t{0};
    const std::uint64_t others = warps - 1;
    if (others != 0 && b > largest / others) return model_error{errc::overflow, "cycles"};
    const std::uint64_t more = others * b / c;
    if (more > largest - a) return model_error{errc::overflow, "cycles"};
    return a + more;
}

/// The contents of a string, with copies.
struct string_sums {
    std::uint64_t length{};
    std::array<std::uint64_t, max_unit_types> of_type{};
};

/// The maximum weight of an independent set of the path of instructions, in which neighbours of the
/// types `a` and `b` are joined; an instruction of a type with s slots weighs `unit` / s.
class independent_set {
public:
    constexpr independent_set(std::size_t a, std::size_t b) : a_(a), b_(b) {}

    constexpr void add(std::size_t type, std::uint64_t weight, std::uint64_t times) {
        for (std::uint64_t i = 0; i < times; ++i) {
            const bool joined = (last_ == a_ && type == b_) || (last_ == b_ && type == a_);
            const std::uint64_t before = joined ? without_ : best();
            const std::uint64_t without = best();
            with_ = before + weight;
            without_ = without;
            last_ = type;
        }
    }
    [[nodiscard]] constexpr std::uint64_t best() const {
        return with_ < without_ ? without_ : with_;
    }

private:
    std::size_t a_;
    std::size_t b_;
    std::size_t last_ = max_unit_types;  // the type of the last instruction
    std::uint64_t with_ = 0;     // the greatest weight of a set that has the last instruction
    std::uint64_t without_ = 0;  // and of one that has not
};

/// `source(visit)` calls `visit(type, copies)` for every instruction, and gives the error of a bad one.
template <class Source>
constexpr result<string_sums> sums_of(const Source& source) {
    string_sums sums;
    const model_error bad = source([&](std::size_t k, std::uint32_t copies) {
        sums.length += copies;
        sums.of_type[k] += copies;
    });
    if (bad) return bad;
    return sums;
}

/// B, of checked sums.
constexpr result<makespan_bound> each_type(const unit_types& all, const string_sums& sums,
                                           std::uint64_t warps) {
    std::uint64_t cycles = sums.length;
    for (std::size_t k = 0; k < all.count; ++k) {
        const auto sum = first_and_others(cycles, warps, sums.of_type[k], all.types[k].slots);
        if (!sum) return sum.error();
        cycles = *sum;
    }
    return makespan_bound{cycles, makespan_rule::each_type, true};
}

/// The least common multiple of the slots of each type that the string has; an error past 2^32.
constexpr result<std::uint64_t> common_multiple(const unit_types& all, const string_sums& sums) {
    std::uint64_t multiple = 1;
    for (std::size_t k = 0; k < all.count; ++k) {
        if (sums.of_type[k] == 0) continue;
        std::uint64_t divisor = all.types[k].slots;
        for (std::uint64_t rest = multiple; rest != 0;) {  // Euclid's algorithm
            const std::uint64_t next = divisor % rest;
            divisor = rest;
            rest = next;
        }
        multiple = multiple / divisor * all.types[k].slots;
        if (multiple > (std::uint64_t{1} << 32)) return model_error{errc::overflow, "slots"};
    }
    return multiple;
}

/// The instructions of a problem as a source.
constexpr auto source_of(const makespan_problem& p, const unit_types& all) {
    return [&p, &all](auto visit) { return for_each_instruction(p, all, visit); };
}

}  // namespace detail::makespan

/// B, a bound that is proved for any number of types. While a warp that finishes last waits, other warps saturate the
/// type that it waits for, so the worst makespan is at most I + sum over types of floor((W - 1) I_k / slots_k). O(I);
/// does not allocate.
/// \errors as `makespan_upper_bound`
template <class = core::when_used>
[[nodiscard]] constexpr result<makespan_bound> each_type_bound(const makespan_problem& p) {
    const auto all = unit_types_of(p.slots);
    if (!all) return all.error();
    const auto sums = detail::makespan::sums_of(detail::makespan::source_of(p, *all));
    if (!sums) return sums.error();
    return detail::makespan::each_type(*all, *sums, p.warps);
}

/// The minimum of the proved bounds V and B. V: the worst makespan is at most I + floor((W - 1) rho), where rho is
/// the maximum weight of an independent set of the instructions in which unlike neighbours (of the two types, or of
/// the best pair of more types) are joined and each weighs 1 / slots. It takes O(I) for each pair and does not
/// allocate.
/// \errors missing         `instructions`: none
///         malformed       `instructions`: a symbol without slots, at `column`; `slots`: one twice
///         not_positive    `warps`; `slots`
///         outside_domain  `slots`: neither a whole number nor 1/n
///         limit_reached   `slots`, `instructions`: above the library's limits
///         overflow        `cycles`: past 64 bits; `slots`: their common multiple is too large
template <class = core::when_used>
[[nodiscard]] constexpr result<makespan_bound> makespan_upper_bound(const makespan_problem& p);

/// The same for the instructions of `source`: `source(visit)` calls `visit(type, copies)` for each, in order, and
/// returns the error of an invalid one.
template <class Source>
[[nodiscard]] constexpr result<makespan_bound> makespan_upper_bound(const Source& source,
                                                                    const unit_types& all,
                                                                    std::uint64_t warps) {
    const auto sums = detail::makespan::sums_of(source);
    if (!sums) return sums.error();
    const auto unit = detail::makespan::common_multiple(all, *sums);
    if (!unit) return unit.error();
    std::size_t used = 0;
    for (const std::uint64_t instructions : sums->of_type) used += instructions > 0 ? 1U : 0U;
    const auto v_rule = used <= 2 ? makespan_rule::independent_set : makespan_rule::best_pair;
    auto least = detail::makespan::each_type(all, *sums, warps);
    for (std::size_t a = 0; least && a < all.count; ++a) {
        for (std::size_t b = a + 1; b < (all.count == 1 ? 2 : all.count); ++b) {
            detail::makespan::independent_set set(a, b);
            (void)source([&](std::size_t k, std::uint32_t copies) {
                set.add(k, *unit / all.types[k].slots, copies);
            });
            const auto v =
                detail::makespan::first_and_others(sums->length, warps, set.best(), *unit);
            if (!v) return v.error();
            if (*v <= least->cycles) least = makespan_bound{*v, v_rule, true};
        }
    }
    return least;
}

/// The pessimistic bound as printed, eqs. (5)-(7): every type alone. It is safe only with one slot of each
/// type. With more it can be below the worst case (LL, two slots, four warps: 4, and exactly 5);
/// `each_type_bound` is the safe bound of this kind.
/// \errors as `makespan_upper_bound`
template <class = core::when_used>
[[nodiscard]] constexpr result<makespan_bound> pessimistic_makespan(const makespan_problem& p);

/// The same for the instructions of `source`, as for `makespan_upper_bound`.
template <class Source>
[[nodiscard]] constexpr result<makespan_bound> pessimistic_makespan(const Source& source,
                                                                    const unit_types& all,
                                                                    std::uint64_t warps) {
    const auto sums = detail::makespan::sums_of(source);
    if (!sums) return sums.error();
    makespan_bound bound{0, makespan_rule::all_contend, true};
    for (std::size_t k = 0; k < all.count; ++k) {
        if (sums->of_type[k] == 0) continue;
        const std::uint64_t slots = all.types[k].slots;
        const std::uint64_t rounds = (warps - 1) / slots + 1;  // (6), (7)
        const auto sum =
            detail::makespan::first_and_others(bound.cycles, rounds + 1, sums->of_type[k], 1);
        if (!sum) return sum.error();
        bound.cycles = *sum;  // (5)
        bound.safe = bound.safe && slots == 1;
    }
    if (!bound.safe) bound.doubt = makespan_doubt::printed_equations;
    return bound;
}

template <class>
constexpr result<makespan_bound> makespan_upper_bound(const makespan_problem& p) {
    const auto all = unit_types_of(p.slots);
    if (!all) return all.error();
    return makespan_upper_bound(detail::makespan::source_of(p, *all), *all, p.warps);
}

template <class>
constexpr result<makespan_bound> pessimistic_makespan(const makespan_problem& p) {
    const auto all = unit_types_of(p.slots);
    if (!all) return all.error();
    return pessimistic_makespan(detail::makespan::source_of(p, *all), *all, p.warps);
}

}  // namespace WARPGAUGE_NAMESPACE

#endif
