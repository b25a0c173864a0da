// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_MAKESPAN_LOCKSTEP_SEARCH_HPP
#define WARPGAUGE_MAKESPAN_LOCKSTEP_SEARCH_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/makespan/problem.hpp>
#include <warpgauge/makespan/schedule.hpp>
#include <warpgauge/makespan/state_search.hpp>

/// \file Long schedules of long strings: warps in lockstep, one of them apart, and few states kept in each cycle.
///
/// The result is a lower bound on the worst case, since every found schedule is valid. docs/makespan.md says why these
/// schedules are long.

namespace WARPGAUGE_NAMESPACE::detail::makespan {

/// Warps at one instruction.
struct warp_group {
    std::uint32_t position{};
    std::uint32_t warps{};
    friend constexpr bool operator==(const warp_group&, const warp_group&) = default;
};

/// The maximum number of instructions at which the warps of a followed schedule are at the same time.
inline constexpr std::size_t max_warp_groups = 16;

/// The origin of a kept state.
struct lockstep_step {
    std::uint32_t from{};    ///< index of the state before
    std::uint32_t choice{};  ///< which warps left it
};

/// The positions of the unfinished warps.
struct lockstep_state {
    /// The maximum of the remaining cycles, in units of `lockstep_search::scale`.
    std::uint64_t value{};
    std::uint64_t hash{};
    std::uint32_t count{};  ///< of groups
    lockstep_step step{};   ///< where it came from
    std::array<warp_group, max_warp_groups> groups{};

    [[nodiscard]] constexpr bool same(const lockstep_state& other) const {
        bool equal = count == other.count;
        for (std::size_t g = 0; g < count && equal; ++g) equal = groups[g] == other.groups[g];
        return equal;
    }
    /// Orders states by more remaining cycles, then by fewer groups.
    [[nodiscard]] constexpr bool promises_more(const lockstep_state& other) const {
        if (value != other.value) return value > other.value;
        return count != other.count ? count < other.count : hash < other.hash;
    }
};

/// The best states of one cycle, in order, each once.
template <class Used = core::when_used>
class kept_states {
    using state = core::late<Used, lockstep_state>;

public:
    explicit kept_states(std::uint64_t width) : width_(static_cast<std::size_t>(width)) {}

    void clear() {
        pool_.clear();
        order_.clear();
    }
    [[nodiscard]] std::size_t size() const { return order_.size(); }
    [[nodiscard]] const state& operator[](std::size_t at) const { return pool_[order_[at]]; }

    void add(const state& s) {
        const bool full = order_.size() == width_;
        if (full && !s.promises_more(pool_[order_.back()])) return;
        std::size_t low = 0;
        std::size_t high = order_.size();
        while (low < high) {
            const std::size_t middle = (low + high) / 2;
            if (pool_[order_[middle]].promises_more(s)) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        if (low < order_.size() && pool_[order_[low]].same(s)) return;
        auto place = static_cast<std::uint32_t>(pool_.size());
        if (full) {
            place = order_.back();
            order_.pop_back();
            pool_[place] = s;
        } else {
            pool_.push_back(s);
        }
        order_.push_back(place);
        for (std::size_t i = order_.size() - 1; i > low; --i) order_[i] = order_[i - 1];
        order_[low] = place;
    }

private:
    core::late<Used, std::vector<state>> pool_;
    core::late<Used, std::vector<std::uint32_t>> order_;  // places in the pool
    std::size_t width_;
};

/// Follows, cycle by cycle, the schedules in which each type serves the warps that are furthest behind, or leaves as
/// many of these behind as it has slots. It keeps the states with the most remaining cycles.
template <class Used = core::when_used>
class lockstep_search {
    using state = core::late<Used, lockstep_state>;
    using trace_of_cycle = std::vector<core::late<Used, lockstep_step>>;

public:
    static constexpr std::uint64_t scale = 1 << 20;  ///< of weights that are parts of a cycle

    /// `kinds` must outlive the search; warps times instructions are below 2^32.
    lockstep_search(const std::vector<std::size_t>& kinds, const unit_types& types,
                    std::uint64_t warps, const makespan_caps& caps)
        : kinds_(kinds), types_(types), warps_(warps), caps_(caps) {
        count_rest();
        run_.assign(kinds.size(), 0);
        for (std::size_t i = 1; i < kinds.size(); ++i) {
            run_[i] = run_[i - 1] + (kinds[i] != kinds[i - 1] ? 1U : 0U);
        }
    }

    /// The longest schedule found, in cycles; 0: none. `width` states are kept in a cycle; with 1 no warp is left
    /// behind.
    /// \errors limit_reached  `stop`; `bytes`: of the trace
    result<std::uint64_t> run(std::uint64_t width, bool traced = false) {
        kept_states<Used> now(width);
        kept_states<Used> next(width);
        now.add(first_state());
        trace_.clear();
        apart_ = width > 1;
        end_cycle_ = 0;
        for (std::uint64_t cycle = 1; now.size() > 0; ++cycle) {
            if (cycle % 1024 == 0 && caps_.stop != nullptr && caps_.stop(caps_.context)) {
                return model_error{errc::limit_reached, "stop"};
            }
            next.clear();
            for (std::size_t at = 0; at < now.size(); ++at) {
                advance(now[at], {static_cast<std::uint32_t>(at), 0}, cycle, next);
            }
            if (traced && !add_to_trace(next)) return model_error{errc::limit_reached, "bytes"};
            std::swap(now, next);
        }
        return end_cycle_;
    }

    /// The states that all runs have visited.
    [[nodiscard]] std::uint64_t states() const { return states_; }

    /// The schedule that the last run found, which was traced.
    [[nodiscard]] makespan_schedule schedule() const {
        const std::size_t length = kinds_.size();
        const auto warps = static_cast<std::size_t>(warps_);
        core::late<Used, std::vector<std::uint32_t>> choices{end_.choice};
        std::uint32_t at = end_.from;
        for (std::size_t cycle = static_cast<std::size_t>(end_cycle_) - 1; cycle-- > 0;) {
            choices.push_back(trace_[cycle][at].choice);
            at = trace_[cycle][at].from;
        }
        makespan_schedule s{length, std::vector<std::uint32_t>(warps * length)};
        core::late<Used, std::vector<std::vector<std::uint32_t>>> there(
            length + 1);  // warps at each position
        for (std::size_t w = warps; w-- > 0;) there[0].push_back(static_cast<std::uint32_t>(w));
        state now = first_state();
        for (std::size_t cycle = 1; cycle <= choices.size(); ++cycle) {
            const auto leave = leaving(now, choices[choices.size() - cycle]);
            for (std::size_t g = now.count; g-- > 0;) {
                const std::size_t i = now.groups[g].position;
                for (std::uint32_t n = leave[g]; n > 0; --n) {
                    const std::uint32_t w = there[i].back();
                    there[i].pop_back();
                    there[i + 1].push_back(w);
                    s.cycles[w * length + i] = static_cast<std::uint32_t>(cycle);
                }
            }
            now = after(now, leave);
        }
        return s;
    }

private:
    using group_numbers = std::array<std::uint32_t, max_warp_groups>;
    // What a warp at each position adds to the cycles at most: its part of V, and what it adds if it is the last.
    void count_rest() {
        const std::size_t length = kinds_.size();
        rest_.assign(length + 1, 0);
        std::uint64_t taken = 0;
        std::uint64_t left_out = 0;
        for (std::size_t i = length; i-- > 0;) {
            const std::uint64_t weight = scale / types_.types[kinds_[i]].slots;
            const bool joined = i + 1 < length && kinds_[i] != kinds_[i + 1];
            const std::uint64_t with = weight + (joined ? left_out : core::max(taken, left_out));
            left_out = core::max(taken, left_out);
            taken = with;
            rest_[i] = core::max(taken, left_out);
        }
    }

    // The groups of type `k` from which on it may serve: the first, and those behind few stragglers, of other runs.
    std::size_t starts(const lockstep_state& s, std::size_t k, group_numbers& found) const {
        std::size_t count = 0;
        std::uint64_t before = 0;
        for (std::uint32_t g = 0; g < s.count; ++g) {
            const std::size_t i = s.groups[g].position;
            if (kinds_[i] != k) continue;
            if (count == 0 || (apart_ && before <= types_.types[k].slots &&
                               run_[i] != run_[s.groups[found[count - 1]].position])) {
                found[count++] = g;
            }
            before += s.groups[g].warps;
        }
        return count;
    }

    // How many warps leave each group, by the choice of a start for each type, four bits each.
    [[nodiscard]] group_numbers leaving(const lockstep_state& s, std::uint32_t choice) const {
        group_numbers leave{};
        for (std::size_t k = 0; k < types_.count; ++k) {
            group_numbers found{};
            if (starts(s, k, found) == 0) continue;
            std::uint32_t left = types_.types[k].slots;
            const std::uint32_t start = found[choice >> (4 * k) & 15U];
            for (std::uint32_t n = 0; n < s.count && left > 0; ++n) {
                const std::uint32_t g = start + n < s.count ? start + n : start + n - s.count;
                if (kinds_[s.groups[g].position] != k) continue;
                leave[g] = core::min(s.groups[g].warps, left);
                left -= leave[g];
            }
        }
        return leave;
    }

    // The state in the next cycle; `count` is past the maximum where it has too many groups.
    [[nodiscard]] state after(const lockstep_state& s, const group_numbers& leave) const {
        state to;
        std::uint64_t alone = 0;
        to.hash = 0xcbf2'9ce4'8422'2325;
        const auto add = [&](std::uint32_t position, std::uint32_t warps) {
            if (warps == 0 || position == kinds_.size()) return;
            if (to.count < max_warp_groups) to.groups[to.count] = {position, warps};
            ++to.count;
            to.value += rest_[position] * warps;
            alone = core::max(alone, scale * (kinds_.size() - position) - rest_[position]);
            to.hash = (to.hash ^ (std::uint64_t{position} << 32 | warps)) * 0x100'0000'01b3;
        };
        warp_group arrived;
        for (std::size_t g = 0; g < s.count; ++g) {
            const warp_group here = s.groups[g];
            const bool joins = arrived.position == here.position;
            if (!joins) add(arrived.position, arrived.warps);
            add(here.position, here.warps - leave[g] + (joins ? arrived.warps : 0));
            arrived = {here.position + 1, leave[g]};
        }
        add(arrived.position, arrived.warps);
        to.value += alone;
        return to;
    }

    [[nodiscard]] state first_state() const {
        state first;
        first.count = 1;
        first.groups[0] = {0, static_cast<std::uint32_t>(warps_)};
        return first;
    }

    // All states that the choices lead to.
    void advance(const state& s, lockstep_step step, std::uint64_t cycle, kept_states<Used>& next) {
        std::array<std::uint32_t, max_unit_types> options{};
        for (std::size_t k = 0; k < types_.count; ++k) {
            group_numbers found{};
            options[k] = static_cast<std::uint32_t>(core::max(starts(s, k, found), std::size_t{1}));
        }
        std::array<std::uint32_t, max_unit_types> chosen{};
        while (true) {
            step.choice = 0;
            for (std::size_t k = 0; k < types_.count; ++k) step.choice |= chosen[k] << (4 * k);
            state to = after(s, leaving(s, step.choice));
            to.step = step;
            ++states_;
            if (to.count == 0) {
                end_ = step;
                end_cycle_ = cycle;
            } else if (to.count <= max_warp_groups) {
                next.add(to);
            }
            std::size_t k = 0;
            while (k < types_.count && ++chosen[k] == options[k]) chosen[k++] = 0;
            if (k == types_.count) return;
        }
    }

    bool add_to_trace(const kept_states<Used>& kept) {
        trace_of_cycle steps;
        for (std::size_t at = 0; at < kept.size(); ++at) steps.push_back(kept[at].step);
        traced_bytes_ += sizeof(steps) + steps.capacity() * sizeof(lockstep_step);
        trace_.push_back(std::move(steps));
        return traced_bytes_ <= caps_.bytes;
    }

    const core::late<Used, std::vector<std::size_t>>& kinds_;
    unit_types types_;
    std::uint64_t warps_;
    makespan_caps caps_;
    core::late<Used, std::vector<std::uint64_t>>
        rest_;  // of a warp at each position, in units of `scale`
    core::late<Used, std::vector<std::uint32_t>> run_;  // of equal symbols, that a position is in
    core::late<Used, std::vector<trace_of_cycle>> trace_;
    std::uint64_t traced_bytes_ = 0;
    lockstep_step end_{};          // the last one of the longest schedule
    std::uint64_t end_cycle_ = 0;  // in which that ends
    std::uint64_t states_ = 0;
    bool apart_ = false;
};

/// Calls `use(search)` with a search for schedules of `p`.
template <class Use>
auto with_lockstep(const makespan_problem& p, const makespan_caps& caps, Use use)
    -> decltype(use(std::declval<lockstep_search<>&>())) {
    const auto all = unit_types_of(p.slots);
    if (!all) return all.error();
    const auto kinds = expanded_types(p, *all);
    if (!kinds) return kinds.error();
    if (p.warps >= 0xffff'ffff / kinds->size()) return model_error{errc::limit_reached, "warps"};
    lockstep_search<> search(*kinds, *all, p.warps, caps);
    return use(search);
}

}  // namespace WARPGAUGE_NAMESPACE::detail::makespan

#endif
