// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_MAKESPAN_STATE_SEARCH_HPP
#define WARPGAUGE_MAKESPAN_STATE_SEARCH_HPP

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/makespan/problem.hpp>
#include <warpgauge/makespan/schedule.hpp>
#include <warpgauge/makespan/state_set.hpp>

/// \file A search of the states of all schedules, for the longest and the shortest.
///
/// Warps are identical, so a state is the number of warps at each instruction. A cycle leads from a
/// state to one with more executed instructions, so states are visited in that order, and only as many
/// sets of states are kept as a cycle can execute instructions. docs/makespan.md has the argument.

namespace WARPGAUGE_NAMESPACE {

/// The limits at which a search gives up.
struct makespan_caps {
    std::uint64_t states = 50'000'000;             ///< visited in one search
    std::uint64_t bytes = std::uint64_t{4} << 30;  ///< held at a time
    bool (*stop)(void* context) = nullptr;         ///< called from time to time; true: give up
    void* context = nullptr;                       ///< passed to `stop`
};

/// The longest and the shortest schedule.
struct makespan_range {
    std::uint64_t worst{};   ///< cycles
    std::uint64_t best{};    ///< cycles
    std::uint64_t states{};  ///< visited
};

namespace detail::makespan {

/// Which states a search visits: all, or those in which at most `apart` warps are outside the two
/// positions with the most.
struct search_scope {
    std::uint64_t apart = ~std::uint64_t{0};
};

/// The schedule that a witness shows.
enum class witness : std::uint8_t { worst, best };

template <class Key, bool Witness>
class makespan_search {
    using entry = state_entry<Key, Witness>;

public:
    makespan_search(const std::vector<std::size_t>& kinds, const unit_types& types,
                    std::uint64_t warps, const makespan_caps& caps)
        : warps_(warps),
          caps_(caps),
          kinds_(kinds),
          counts_(kinds.size()),
          move_(kinds.size()),
          types_(types) {
        for (std::size_t k = 0; k < types_.count; ++k) {
            max_moves_ += core::min(std::uint64_t{types_.types[k].slots}, warps);
            one_slot_each_ = one_slot_each_ && types_.types[k].slots == 1;
        }
        // Moving a warp on takes one from its position and adds one at the next, in one addition.
        bits_ = static_cast<unsigned>(std::bit_width(warps));
        for (std::size_t i = 0; i < kinds.size(); ++i) {
            move_[i] = Key{0} - (Key{1} << (bits_ * i));
            if (i + 1 < kinds.size()) move_[i] += Key{1} << (bits_ * (i + 1));
        }
    }

    /// Visits all states of the scope, and returns the longest and the shortest schedule among them.
    result<makespan_range> run(const search_scope& scope, witness wanted = witness::worst) {
        const std::uint64_t total = warps_ * kinds_.size();
        scope_ = scope;
        wanted_ = wanted;
        states_ = 0;
        ways_ = 0;
        gave_up_ = {};
        // A schedule alone has a state for each of its cycles, and no cycle executes more than all slots.
        if (total / max_moves_ > caps_.states) return model_error{errc::limit_reached, "states"};
        const auto window = static_cast<std::size_t>(Witness ? total + 1 : max_moves_ + 1);
        if (window > caps_.bytes / sizeof(state_set<entry>)) {
            return model_error{errc::limit_reached, "bytes"};
        }
        sets_.assign(window, {});
        bool added = false;
        sets_[0].find_or_add(Key{warps_}, added);
        for (step_ = 0; step_ < total; ++step_) {
            state_set<entry>& now = sets_[static_cast<std::size_t>(step_ % window)];
            if (step_ % 64 == 0) look_at_caps();
            for (entry_ = 0; entry_ < now.entries().size() && !gave_up_; ++entry_) {
                from_ = now.entries()[entry_];
                unpack();
                advance_type(0, from_.key, 0);
            }
            if (gave_up_) return gave_up_;
            if constexpr (!Witness) now.clear();
        }
        const auto& end = sets_[static_cast<std::size_t>(total % window)].entries();
        if (end.empty())
            return makespan_range{0, 0, states_ + 1};  // no schedule stays in the scope
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

    // Stops the search where a cap is reached: within a state too, since one state can lead to millions.
    void look_at_caps() {
        if (held() > caps_.bytes) gave_up_ = {errc::limit_reached, "bytes"};
        if (caps_.stop != nullptr && caps_.stop(caps_.context)) {
            gave_up_ = {errc::limit_reached, "stop"};
        }
    }

    void unpack() {
        ready_.fill(0);
        for (std::size_t i = 0; i < kinds_.size(); ++i) {
            counts_[i] = count(from_.key, i);
            ready_[kinds_[i]] += counts_[i];
        }
    }

    /// Advances the warps of type `k` and then of the types after it, in every way that conserves
    /// work; `moved` warps have been advanced so far, in `next`.
    void advance_type(std::size_t k, Key next, std::uint64_t moved) {
        while (k < types_.count && ready_[k] == 0) ++k;
        if (k == types_.count) {
            reach(next, moved);
        } else if (one_slot_each_) {
            advance_one(k, next, moved);
        } else {
            const std::uint64_t served = core::min(std::uint64_t{types_.types[k].slots}, ready_[k]);
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
            if (gave_up_) return;
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
        if (++ways_ % 65'536 == 0) look_at_caps();
        if (!in_scope(next)) return;
        bool added = false;
        std::size_t at = static_cast<std::size_t>(step_ + moved);
        if constexpr (!Witness) at %= sets_.size();
        entry& e = sets_[at].find_or_add(next, added);
        if (added && ++states_ > caps_.states) gave_up_ = {errc::limit_reached, "states"};
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
    std::uint64_t states_ = 0;  // found, without the first
    std::uint64_t ways_ = 0;    // tried from one state to another
    model_error gave_up_{};
    std::uint64_t warps_;
    std::uint64_t max_moves_ = 0;
    search_scope scope_{};
    makespan_caps caps_;
    const std::vector<std::size_t>& kinds_;
    std::vector<std::uint64_t> counts_;
    std::vector<Key> move_;
    std::vector<state_set<entry>> sets_;
    std::array<std::uint64_t, max_unit_types + 1> ready_{};
    unit_types types_;
    unsigned bits_ = 0;
    bool one_slot_each_ = true;
    witness wanted_{};
};

/// Calls `use(search)` with a search over the narrowest keys that hold the counts of `p`.
template <bool Witness, class Use>
auto with_search(const makespan_problem& p, const makespan_caps& caps, Use use)
    -> decltype(use(std::declval<makespan_search<std::uint64_t, Witness>&>())) {
    const auto all = unit_types_of(p.slots);
    if (!all) return all.error();
    const auto kinds = expanded_types(p, *all);
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

}  // namespace detail::makespan

}  // namespace WARPGAUGE_NAMESPACE

#endif
