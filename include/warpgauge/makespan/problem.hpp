// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_MAKESPAN_PROBLEM_HPP
#define WARPGAUGE_MAKESPAN_PROBLEM_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <string_view>
#include <vector>

#include <warpgauge/core/result.hpp>

/// \file The worst-case makespan of W warps on one SM: the problem, bounds in closed form, and an
/// independent check of schedules.
///
/// Source of the problem: K. Berezovskyi, K. Bletsas, B. Andersson, "Makespan Computation for GPU
/// Threads Running on a Single Streaming Multiprocessor", 2012; equation numbers are that paper's.
/// The safe closed form V and its proof are in docs/makespan.md.

namespace warpgauge {

/// How many warps one type of unit serves per cycle.
struct unit_slots {
    char symbol{};   ///< as in the instruction string, such as 'L' or 'C'
    double slots{};  ///< a whole number, or 1/n: an instruction takes n cycles
};

/// W identical warps, ready at cycle 1, each executing a string of instructions in order. In every
/// cycle each type of unit serves as many warps as it has slots and as are ready for it (work
/// conservation); which ones, is free. A warp executes one instruction a cycle.
struct makespan_problem {
    std::string_view instructions{};
    std::span<const unit_slots> slots{};  ///< of every symbol in the string; not owned
    std::uint64_t warps{};
};

inline constexpr std::size_t most_unit_types = 8;
inline constexpr std::uint32_t most_slots = 1U << 20;       ///< of one type
inline constexpr std::uint32_t most_copies = 1U << 10;      ///< n of 1/n slots
inline constexpr std::size_t most_instructions = 1U << 24;  ///< with copies

/// The rule that gave a bound.
enum class makespan_rule : std::uint8_t {
    independent_set,  ///< V: proved for strings of one or two types
    best_pair,        ///< V over the best pair of types: proved for any number of types
    each_type,        ///< B: proved for any number of types
    all_contend,      ///< T, eqs. (5)-(7): safe with one slot each alone
    multiples,        ///< eqs. (42), (43): not safe
    exhaustive,       ///< every schedule was covered: exact
};

/// A bound on the worst-case makespan.
struct makespan_bound {
    std::uint64_t cycles{};
    makespan_rule rule{};
    bool safe{};  ///< proved never to be below the worst case
};

/// One schedule: in which cycle, from 1, each warp executes each instruction (copies of 1/n slots
/// included). Warp by warp.
struct makespan_schedule {
    std::size_t instructions{};
    std::vector<std::uint32_t> cycles{};

    [[nodiscard]] std::size_t warps() const noexcept {
        return instructions == 0 ? 0 : cycles.size() / instructions;
    }
    [[nodiscard]] std::uint32_t at(std::size_t warp, std::size_t instruction) const noexcept {
        return cycles[warp * instructions + instruction];
    }
};

namespace detail::makespan {

/// One type of unit, with whole slots.
struct unit_type {
    std::uint32_t slots{};   ///< warps per cycle
    std::uint32_t copies{};  ///< cycles that one instruction takes
};

/// The types of a problem, checked.
struct unit_types {
    std::array<unit_type, most_unit_types> types{};
    std::size_t count{};

    /// The type of a symbol, or `count`.
    [[nodiscard]] static constexpr std::size_t find(std::span<const unit_slots> given,
                                                    char symbol) {
        std::size_t k = 0;
        while (k < given.size() && given[k].symbol != symbol) ++k;
        return k;
    }
};

constexpr result<unit_types> types_of(std::span<const unit_slots> given) {
    if (given.size() > most_unit_types) return model_error{errc::limit_reached, "slots"};
    unit_types all;
    all.count = given.size();
    for (std::size_t k = 0; k < all.count; ++k) {
        const double slots = given[k].slots;
        if (unit_types::find(given, given[k].symbol) != k)
            return model_error{errc::malformed, "slots"};
        if (!(slots > 0)) return model_error{errc::not_positive, "slots"};
        if (slots > most_slots || slots * most_copies < 1) {
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
constexpr model_error for_each_instruction(const makespan_problem& p, const unit_types& all,
                                           Visitor visit) {
    if (p.instructions.empty()) return {errc::missing, "instructions"};
    if (p.warps == 0) return {errc::not_positive, "warps"};
    std::size_t length = 0;
    for (std::size_t i = 0; i < p.instructions.size(); ++i) {
        const std::size_t k = unit_types::find(p.slots, p.instructions[i]);
        if (k == all.count) {
            return {errc::malformed, "instructions", 1, static_cast<std::uint32_t>(i + 1)};
        }
        length += all.types[k].copies;
        if (length > most_instructions) return {errc::limit_reached, "instructions"};
        visit(k, all.types[k].copies);
    }
    return {};
}

/// a + floor((warps - 1) * b / c), or an error past 64 bits.
constexpr result<std::uint64_t> first_and_others(std::uint64_t a, std::uint64_t warps,
                                                 std::uint64_t b, std::uint64_t c) {
    constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
    const std::uint64_t others = warps - 1;
    if (others != 0 && b > most / others) return model_error{errc::overflow, "cycles"};
    const std::uint64_t more = others * b / c;
    if (more > most - a) return model_error{errc::overflow, "cycles"};
    return a + more;
}

/// What a string is made of, after copies.
struct string_sums {
    std::uint64_t length{};
    std::array<std::uint64_t, most_unit_types> of_type{};
};

/// The greatest weight of an independent set of the path of instructions, of which neighbours of the
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
    std::size_t last_ = most_unit_types;
    std::uint64_t with_ = 0;
    std::uint64_t without_ = 0;
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

/// The lesser of V and B.
template <class Source>
constexpr result<makespan_bound> upper_bound(const Source& source, const unit_types& all,
                                             std::uint64_t warps) {
    const auto sums = sums_of(source);
    if (!sums) return sums.error();
    std::uint64_t unit = 1;  // a common multiple of the slots
    std::size_t used = 0;
    for (std::size_t k = 0; k < all.count; ++k) {
        if (sums->of_type[k] == 0) continue;
        ++used;
        unit = std::lcm(unit, std::uint64_t{all.types[k].slots});
        if (unit > (std::uint64_t{1} << 32)) return model_error{errc::overflow, "slots"};
    }
    const auto v_rule = used <= 2 ? makespan_rule::independent_set : makespan_rule::best_pair;
    auto least = each_type(all, *sums, warps);
    for (std::size_t a = 0; least && a < all.count; ++a) {
        for (std::size_t b = a + 1; b < (all.count == 1 ? 2 : all.count); ++b) {
            independent_set set(a, b);
            (void)source([&](std::size_t k, std::uint32_t copies) {
                set.add(k, unit / all.types[k].slots, copies);
            });
            const auto v = first_and_others(sums->length, warps, set.best(), unit);
            if (!v) return v.error();
            if (*v <= least->cycles) least = makespan_bound{*v, v_rule, true};
        }
    }
    return least;
}

/// T, eqs. (5)-(7).
template <class Source>
constexpr result<makespan_bound> pessimistic(const Source& source, const unit_types& all,
                                             std::uint64_t warps) {
    const auto sums = sums_of(source);
    if (!sums) return sums.error();
    makespan_bound bound{0, makespan_rule::all_contend, true};
    for (std::size_t k = 0; k < all.count; ++k) {
        if (sums->of_type[k] == 0) continue;
        const std::uint64_t slots = all.types[k].slots;
        const std::uint64_t rounds = (warps - 1) / slots + 1;  // (6), (7)
        const auto sum = first_and_others(bound.cycles, rounds + 1, sums->of_type[k], 1);
        if (!sum) return sum.error();
        bound.cycles = *sum;  // (5)
        bound.safe = bound.safe && slots == 1;
    }
    return bound;
}

/// The instructions of a problem as a source.
constexpr auto source_of(const makespan_problem& p, const unit_types& all) {
    return [&p, &all](auto visit) { return for_each_instruction(p, all, visit); };
}

/// The type of every instruction, copies written out.
inline result<std::vector<std::size_t>> expanded(const makespan_problem& p, const unit_types& all) {
    std::vector<std::size_t> kinds;
    const auto bad = for_each_instruction(
        p, all, [&](std::size_t k, std::uint32_t copies) { kinds.insert(kinds.end(), copies, k); });
    if (bad) return bad;
    return kinds;
}

}  // namespace detail::makespan

/// B, a bound that is proved for any number of types: while a warp that finishes last waits, the type
/// that it waits for is saturated by the others, so the worst makespan is at most
/// I + sum over types of floor((W - 1) I_k / slots_k). O(I); does not allocate.
/// \errors as `makespan_upper_bound`
[[nodiscard]] constexpr result<makespan_bound> each_type_bound(const makespan_problem& p) {
    const auto all = detail::makespan::types_of(p.slots);
    if (!all) return all.error();
    const auto sums = detail::makespan::sums_of(detail::makespan::source_of(p, *all));
    if (!sums) return sums.error();
    return detail::makespan::each_type(*all, *sums, p.warps);
}

/// The least bound that is proved: V or B. V: the worst makespan is at most I + floor((W - 1) rho), where
/// rho is the greatest weight of an independent set of the instructions in which unlike neighbours (of
/// the two types; of the best pair of more) are joined and each weighs 1 / slots. O(I) for each pair;
/// does not allocate.
/// \errors missing         `instructions`: none
///         malformed       `instructions`: a symbol without slots, at `column`; `slots`: one twice
///         not_positive    `warps`; `slots`
///         outside_domain  `slots`: neither a whole number nor 1/n
///         limit_reached   `slots`, `instructions`: more than this library takes
///         overflow        `cycles`: past 64 bits; `slots`: their common multiple is too large
[[nodiscard]] constexpr result<makespan_bound> makespan_upper_bound(const makespan_problem& p) {
    const auto all = detail::makespan::types_of(p.slots);
    if (!all) return all.error();
    return detail::makespan::upper_bound(detail::makespan::source_of(p, *all), *all, p.warps);
}

/// The pessimistic bound as printed, eqs. (5)-(7): every type on its own. Safe with one slot of each
/// alone; with more it can be below the worst case (LL, two slots, four warps: 4, and exactly 5), and
/// `each_type_bound` is the safe one of its kind.
/// \errors as `makespan_upper_bound`
[[nodiscard]] constexpr result<makespan_bound> pessimistic_makespan(const makespan_problem& p) {
    const auto all = detail::makespan::types_of(p.slots);
    if (!all) return all.error();
    return detail::makespan::pessimistic(detail::makespan::source_of(p, *all), *all, p.warps);
}

/// Checks a schedule by the definition of the problem and by nothing else: every warp executes every
/// instruction in order and one a cycle; no type serves more than its slots; in every cycle each type
/// serves as many as it can. Returns the makespan.
/// \errors as `makespan_upper_bound`; besides
///         malformed  `schedule`: of another size; `order`, `capacity`, `work_conservation`: broken,
///                    `line` is the cycle
[[nodiscard]] inline result<std::uint64_t> check_schedule(const makespan_problem& p,
                                                          const makespan_schedule& s) {
    const auto all = detail::makespan::types_of(p.slots);
    if (!all) return all.error();
    const auto expanded = detail::makespan::expanded(p, *all);
    if (!expanded) return expanded.error();
    const std::vector<std::size_t>& kinds = *expanded;
    if (s.instructions != kinds.size() || s.cycles.size() / kinds.size() != p.warps ||
        s.cycles.size() % kinds.size() != 0) {
        return model_error{errc::malformed, "schedule"};
    }
    std::uint32_t makespan = 0;
    for (std::size_t w = 0; w < s.warps(); ++w) {
        std::uint32_t before = 0;
        for (std::size_t i = 0; i < kinds.size(); ++i) {
            if (s.at(w, i) <= before) return model_error{errc::malformed, "order", s.at(w, i)};
            before = s.at(w, i);
        }
        if (before > makespan) makespan = before;
    }
    if (makespan > kinds.size() * s.warps()) {  // some cycle served nobody
        return model_error{errc::malformed, "work_conservation", makespan};
    }
    std::vector<std::size_t> position(s.warps(), 0);
    for (std::uint32_t cycle = 1; cycle <= makespan; ++cycle) {
        std::array<std::uint64_t, most_unit_types> ready{};
        std::array<std::uint64_t, most_unit_types> served{};
        for (std::size_t w = 0; w < s.warps(); ++w) {
            if (position[w] == kinds.size()) continue;
            const std::size_t k = kinds[position[w]];
            ++ready[k];
            if (s.at(w, position[w]) == cycle) {
                ++served[k];
                ++position[w];
            }
        }
        for (std::size_t k = 0; k < all->count; ++k) {
            const std::uint64_t slots = all->types[k].slots;
            if (served[k] > slots) return model_error{errc::malformed, "capacity", cycle};
            if (served[k] < (ready[k] < slots ? ready[k] : slots)) {
                return model_error{errc::malformed, "work_conservation", cycle};
            }
        }
    }
    return std::uint64_t{makespan};
}

}  // namespace warpgauge

#endif
