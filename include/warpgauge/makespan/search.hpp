// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_MAKESPAN_SEARCH_HPP
#define WARPGAUGE_MAKESPAN_SEARCH_HPP

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/makespan/problem.hpp>

/// \file The worst and the best makespan, exactly; a bracket around the worst where that is too much.
///
/// Warps are identical, so a state is how many of them stand at each instruction. A cycle takes a
/// state to one with more instructions executed, so states are visited in that order and only as many
/// sets of them are kept as a cycle can execute instructions. docs/makespan.md has the argument.
///
/// The functions are templates only so that a program that does not call them does not compile them.

namespace warpgauge {

/// Where a search gives up.
struct makespan_caps {
    std::uint64_t states = 50'000'000;             ///< visited in one search
    std::uint64_t bytes = std::uint64_t{4} << 30;  ///< held at a time
    bool (*stop)(void* context) = nullptr;         ///< asked now and then; true: give up
    void* context = nullptr;                       ///< handed to `stop`
};

/// The longest and the shortest schedule.
struct makespan_range {
    std::uint64_t worst{};   ///< cycles
    std::uint64_t best{};    ///< cycles
    std::uint64_t states{};  ///< visited
};

/// The worst case between two bounds.
struct makespan_bracket {
    std::uint64_t lower{};   ///< cycles of a schedule that was found
    std::uint64_t upper{};   ///< cycles that are proved never to be exceeded
    makespan_rule rule{};    ///< of `upper`
    bool certified{};        ///< they meet: the worst case is known
    std::uint64_t states{};  ///< visited by all searches together
    std::uint64_t spread{};  ///< warps that the last search let stand apart from the rest
};

namespace detail::makespan {

/// Counts of warps at all positions, packed into one number; 128 bits where 64 do not do.
__extension__ typedef unsigned __int128 wide_key;  // NOLINT(modernize-use-using)

/// What is known of a state: cycles of the longest and shortest way to it, and for a witness where the
/// longest or shortest came from.
template <class Key, bool Witness>
struct state_entry {
    Key key{};
    std::uint32_t worst{};
    std::uint32_t best{};
};
template <class Key>
struct state_entry<Key, true> {
    Key key{};
    std::uint32_t worst{};
    std::uint32_t best{};
    std::uint32_t from_step{};   ///< instructions executed before the way's last cycle
    std::uint32_t from_entry{};  ///< position in that step's set
};

/// States of equal progress: a list with an open-addressing index.
template <class Entry>
class state_set {
public:
    using key_type = decltype(Entry::key);

    void clear() {
        slots_.assign(slots_.size(), 0U);
        entries_.clear();
    }
    [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }
    [[nodiscard]] std::uint64_t bytes() const {
        return entries_.capacity() * sizeof(Entry) + slots_.capacity() * sizeof(slots_[0]);
    }

    Entry& find_or_add(key_type key, bool& added) {
        if ((entries_.size() + 1) * 2 > slots_.size()) grow();
        std::size_t at = hash(key) & (slots_.size() - 1);
        while (slots_[at] != 0) {
            Entry& e = entries_[slots_[at] - 1];
            if (e.key == key) {
                added = false;
                return e;
            }
            at = (at + 1) & (slots_.size() - 1);
        }
        Entry made{};
        made.key = key;
        entries_.push_back(made);
        slots_[at] = static_cast<std::uint32_t>(entries_.size());
        added = true;
        return entries_.back();
    }

private:
    static std::size_t hash(key_type key) {
        std::uint64_t h = static_cast<std::uint64_t>(key);
        if constexpr (sizeof(key_type) > 8) {
            h ^= static_cast<std::uint64_t>(key >> 64) * 0x9e37'79b9'7f4a'7c15;
        }
        h *= 0xd6e8'feb8'6659'fd93;
        return static_cast<std::size_t>((h ^ h >> 32) * 0xd6e8'feb8'6659'fd93 >> 24);
    }
    void grow() {
        slots_.assign(slots_.empty() ? 64 : slots_.size() * 2, 0);
        for (std::size_t i = 0; i < entries_.size(); ++i) {
            std::size_t at = hash(entries_[i].key) & (slots_.size() - 1);
            while (slots_[at] != 0) at = (at + 1) & (slots_.size() - 1);
            slots_[at] = static_cast<std::uint32_t>(i + 1);
        }
    }

    std::vector<Entry> entries_;
    std::vector<std::uint32_t> slots_;
};

/// Which states a search visits: all, or those in which at most `apart` warps stand outside the two
/// positions with the most.
struct search_scope {
    std::uint64_t apart = ~std::uint64_t{0};
};

/// What a witness is to be of.
enum class witness : std::uint8_t { worst, best };

template <class Key, bool Witness>
class makespan_search {
    using entry = state_entry<Key, Witness>;

public:
    makespan_search(std::span<const std::size_t> kinds, const unit_types& types,
                    std::uint64_t warps, const makespan_caps& caps)
        : warps_(warps),
          caps_(caps),
          kinds_(kinds),
          counts_(kinds.size()),
          move_(kinds.size()),
          types_(types) {
        for (std::size_t k = 0; k < types_.count; ++k) {
            most_a_cycle_ += core::min(types_.types[k].slots, warps);
            one_slot_each_ = one_slot_each_ && types_.types[k].slots == 1;
        }
        // Moving a warp on takes one from its position and adds one at the next, in one addition.
        bits_ = static_cast<unsigned>(std::bit_width(warps));
        for (std::size_t i = 0; i < kinds.size(); ++i) {
            move_[i] = Key{0} - (Key{1} << (bits_ * i));
            if (i + 1 < kinds.size()) move_[i] += Key{1} << (bits_ * (i + 1));
        }
    }

    /// Visits all states of the scope; the range of the schedules among them.
    result<makespan_range> run(const search_scope& scope, witness wanted = witness::worst) {
        const std::uint64_t total = warps_ * kinds_.size();
        scope_ = scope;
        wanted_ = wanted;
        states_ = 0;
        const auto window = static_cast<std::size_t>(Witness ? total + 1 : most_a_cycle_ + 1);
        if (window > caps_.bytes / sizeof(state_set<entry>)) {
            return model_error{errc::limit_reached, "bytes"};
        }
        sets_.assign(window, {});
        bool added = false;
        sets_[0].find_or_add(Key{warps_}, added);
        for (step_ = 0; step_ < total; ++step_) {
            state_set<entry>& now = sets_[static_cast<std::size_t>(step_ % window)];
            states_ += now.entries().size();
            if (states_ > caps_.states) return model_error{errc::limit_reached, "states"};
            if (step_ % 64 == 0) {
                if (held() > caps_.bytes) return model_error{errc::limit_reached, "bytes"};
                if (caps_.stop != nullptr && caps_.stop(caps_.context)) {
                    return model_error{errc::limit_reached, "stop"};
                }
            }
            for (entry_ = 0; entry_ < now.entries().size(); ++entry_) {
                from_ = now.entries()[entry_];
                unpack();
                advance_type(0, from_.key, 0);
            }
            if constexpr (!Witness) now.clear();
        }
        const auto& end = sets_[static_cast<std::size_t>(total % window)].entries();
        if (end.empty()) return makespan_range{0, 0, states_};  // no schedule stays in the scope
        return makespan_range{end[0].worst, end[0].best, states_ + 1};
    }

    /// The schedule that the last run found.
    [[nodiscard]] makespan_schedule schedule() const requires Witness {
        std::vector<Key> states;  // last first
        std::uint64_t step = warps_ * kinds_.size();
        std::uint32_t at = 0;
        while (true) {
            const entry& e = sets_[static_cast<std::size_t>(step)].entries()[at];
            states.push_back(e.key);
            if (step == 0) break;
            step = e.from_step;
            at = e.from_entry;
        }
        const auto warps = static_cast<std::size_t>(warps_);
        makespan_schedule s{kinds_.size(), std::vector<std::uint32_t>(warps * kinds_.size())};
        std::vector<std::size_t> position(warps, 0);
        std::vector<std::uint64_t> leave(kinds_.size());
        for (std::size_t cycle = 1; cycle < states.size(); ++cycle) {
            // How many left each position: those at or before it then, less those now.
            std::uint64_t before = 0;
            std::uint64_t now = 0;
            for (std::size_t i = 0; i < kinds_.size(); ++i) {
                before += count(states[states.size() - cycle], i);
                now += count(states[states.size() - 1 - cycle], i);
                leave[i] = before - now;
            }
            for (std::size_t w = 0; w < warps; ++w) {
                const std::size_t i = position[w];
                if (i == kinds_.size() || leave[i] == 0) continue;
                --leave[i];
                s.cycles[w * kinds_.size() + i] = static_cast<std::uint32_t>(cycle);
                ++position[w];
            }
        }
        return s;
    }

private:
    [[nodiscard]] std::uint64_t count(Key s, std::size_t position) const {
        const std::uint64_t mask =
            bits_ == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits_) - 1;
        return static_cast<std::uint64_t>(s >> (bits_ * position)) & mask;
    }

    [[nodiscard]] std::uint64_t held() const {
        std::uint64_t bytes = 0;
        for (const auto& s : sets_) bytes += s.bytes();
        return bytes;
    }

    void unpack() {
        ready_.fill(0);
        for (std::size_t i = 0; i < kinds_.size(); ++i) {
            counts_[i] = count(from_.key, i);
            ready_[kinds_[i]] += counts_[i];
        }
    }

    /// Advances the warps of type `k` and then of the types after it, in every way that conserves
    /// work; `moved` have been advanced so far, in `next`.
    void advance_type(std::size_t k, Key next, std::uint64_t moved) {
        while (k < types_.count && ready_[k] == 0) ++k;
        if (k == types_.count) {
            reach(next, moved);
        } else if (one_slot_each_) {
            advance_one(k, next, moved);
        } else {
            const std::uint64_t served = core::min(types_.types[k].slots, ready_[k]);
            advance_some(k, 0, ready_[k], served, next, moved + served);
        }
    }

    /// One slot: within a run of equal symbols, only its last position or the highest occupied of the
    /// others need to advance.
    void advance_one(std::size_t k, Key next, std::uint64_t moved) {
        bool in_run = false;  // of symbols of this type
        bool taken = false;   // one of the others of the run
        for (std::size_t i = kinds_.size(); i-- > 0;) {
            if (kinds_[i] != k) {
                in_run = false;
                continue;
            }
            const bool last = !in_run;
            if (last) taken = false;
            in_run = true;
            if (counts_[i] == 0 || (!last && taken)) continue;
            if (!last) taken = true;
            advance_type(k + 1, next + move_[i], moved + 1);
        }
    }

    /// Several slots: all ways to take `left` of the `ready` warps at positions of type `k` from
    /// `first` on.
    void advance_some(std::size_t k, std::size_t first, std::uint64_t ready, std::uint64_t left,
                      Key next, std::uint64_t moved) {
        if (left == 0) {
            advance_type(k + 1, next, moved);
            return;
        }
        std::size_t i = first;
        while (kinds_[i] != k || counts_[i] == 0) ++i;
        const std::uint64_t here = counts_[i];
        const std::uint64_t behind = ready - here;
        for (std::uint64_t n = left > behind ? left - behind : 0; n <= core::min(here, left); ++n) {
            advance_some(k, i + 1, behind, left - n, next + move_[i] * n, moved);
        }
    }

    [[nodiscard]] bool in_scope(Key s) const {
        if (scope_.apart >= warps_) return true;
        std::uint64_t most = 0;
        std::uint64_t second = 0;
        std::uint64_t unfinished = 0;
        const auto see = [&](std::uint64_t n) {
            second = core::max(second, core::min(most, n));
            most = core::max(most, n);
        };
        for (std::size_t i = 0; i < kinds_.size(); ++i) {
            const std::uint64_t n = count(s, i);
            unfinished += n;
            see(n);
        }
        see(warps_ - unfinished);
        return warps_ - most - second <= scope_.apart;
    }

    void reach(Key next, std::uint64_t moved) {
        if (!in_scope(next)) return;
        bool added = false;
        std::size_t at = static_cast<std::size_t>(step_ + moved);
        if constexpr (!Witness) at %= sets_.size();
        entry& e = sets_[at].find_or_add(next, added);
        const std::uint32_t worst = from_.worst + 1;
        const std::uint32_t best = from_.best + 1;
        const bool longer = added || worst > e.worst;
        const bool shorter = added || best < e.best;
        if (longer) e.worst = worst;
        if (shorter) e.best = best;
        if constexpr (Witness) {
            if (wanted_ == witness::worst ? longer : shorter) {
                e.from_step = static_cast<std::uint32_t>(step_);
                e.from_entry = static_cast<std::uint32_t>(entry_);
            }
        }
    }

    entry from_{};  // the state being advanced
    std::uint64_t step_ = 0;
    std::uint64_t entry_ = 0;
    std::uint64_t states_ = 0;
    std::uint64_t warps_;
    std::uint64_t most_a_cycle_ = 0;
    search_scope scope_{};
    makespan_caps caps_;
    std::span<const std::size_t> kinds_;
    std::vector<std::uint64_t> counts_;
    std::vector<Key> move_;
    std::vector<state_set<entry>> sets_;
    std::array<std::uint64_t, most_unit_types + 1> ready_{};
    unit_types types_;
    unsigned bits_ = 0;
    bool one_slot_each_ = true;
    witness wanted_{};
};

/// Calls `use(search)` with a search over the narrowest keys that hold the counts of `p`.
template <bool Witness, class Use>
auto with_search(const makespan_problem& p, const makespan_caps& caps, Use use)
    -> decltype(use(std::declval<makespan_search<std::uint64_t, Witness>&>())) {
    const auto all = types_of(p.slots);
    if (!all) return all.error();
    const auto kinds = expanded(p, *all);
    if (!kinds) return kinds.error();
    const std::uint64_t bits = kinds->size() * std::bit_width(p.warps);
    if (bits > 128) return model_error{errc::limit_reached, "instructions"};
    if (p.warps >= 0xffff'ffff / kinds->size()) return model_error{errc::limit_reached, "warps"};
    if (bits <= 64) {
        makespan_search<std::uint64_t, Witness> search(*kinds, *all, p.warps, caps);
        return use(search);
    }
    makespan_search<wide_key, Witness> search(*kinds, *all, p.warps, caps);
    return use(search);
}

/// Cycles that every schedule takes: those of one warp alone, and those of a type that never idles.
inline std::uint64_t least_makespan(const makespan_problem& p) {
    const auto all = types_of(p.slots);
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

}  // namespace detail::makespan

/// The worst and the best makespan, by visiting every state.
/// \errors as `makespan_upper_bound`; besides
///         limit_reached  `states`, `bytes`, `stop`: a cap; `instructions`: counts of warps at all
///                        positions take more than 128 bits; `warps`: too many
template <int Instance = 0>
[[nodiscard]] result<makespan_range> exact_makespan(const makespan_problem& p,
                                                    const makespan_caps& caps = {}) {
    return detail::makespan::with_search<false>(p, caps,
                                                [](auto& search) { return search.run({}); });
}

/// A schedule of the worst, or of the best, makespan.
/// \errors as `exact_makespan`
template <int Instance = 0>
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

/// The worst makespan between a schedule that was found and a bound that is proved. Searches states in
/// which all warps but a few stand in two places, then a few more, until the two meet, every state has
/// been visited, or a cap is reached: then the bracket stays open. The string may be longer than
/// `exact_makespan` takes; then no schedule is searched for.
/// \errors as `makespan_upper_bound`
template <int Instance = 0>
[[nodiscard]] result<makespan_bracket> bracket_makespan(const makespan_problem& p,
                                                        const makespan_caps& caps = {}) {
    const auto upper = makespan_upper_bound(p);
    if (!upper) return upper.error();
    makespan_bracket b{
        .lower = detail::makespan::least_makespan(p), .upper = upper->cycles, .rule = upper->rule};
    b.certified = b.lower == b.upper;
    makespan_caps left = caps;
    for (std::uint64_t apart = 2; !b.certified; apart *= 2) {
        const auto range = detail::makespan::with_search<false>(
            p, left, [&](auto& search) { return search.run({.apart = apart}); });
        if (!range) return b;
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

/// A schedule that takes `b.lower` cycles, where the bracket's searches found it.
/// \errors as `exact_makespan`; besides, missing `spread`: `b` comes from no search that found a schedule
template <int Instance = 0>
[[nodiscard]] result<makespan_schedule> bracket_witness(const makespan_problem& p,
                                                        const makespan_bracket& b,
                                                        const makespan_caps& caps = {}) {
    if (b.spread == 0) return model_error{errc::missing, "spread"};
    return detail::makespan::with_search<true>(
        p, caps, [&](auto& search) -> result<makespan_schedule> {
            const auto range = search.run({.apart = b.spread});
            if (!range) return range.error();
            if (range->worst != b.lower) return model_error{errc::missing, "spread"};
            return search.schedule();
        });
}

/// The paper's estimate from few warps, eqs. (42), (43): the least of ceil(W / y) T(y) over y up to
/// `few`, with exact T(y). Not safe: it can be below the worst case (LCL, four warps: 8, exactly 9).
/// Where `few` reaches the warps it is exact.
/// \errors as `exact_makespan`; besides, not_positive `few`
template <int Instance = 0>
[[nodiscard]] result<makespan_bound> estimate_makespan(const makespan_problem& p, std::uint64_t few,
                                                       const makespan_caps& caps = {}) {
    if (few == 0) return model_error{errc::not_positive, "few"};
    makespan_bound least{0, makespan_rule::multiples, false};
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

}  // namespace warpgauge

#endif
