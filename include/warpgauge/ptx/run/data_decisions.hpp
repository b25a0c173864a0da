// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_RUN_DATA_DECISIONS_HPP
#define WARPGAUGE_PTX_RUN_DATA_DECISIONS_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <warpgauge/core/scalar.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/ptx/link/program.hpp>
#include <warpgauge/ptx/run/lane_values.hpp>
#include <warpgauge/ptx/run/register_file.hpp>
#include <warpgauge/ptx/run/unknown_base.hpp>
#include <warpgauge/ptx/run/warp_input.hpp>
#include <warpgauge/sm/coalescing.hpp>

/// \file Decides for unknown data, such that over many lanes the odds are as given. Lanes that share a base go the same
/// way, and where the same is asked again, they do so again.
///
/// A warp begins with a fraction. Where all its lanes go one way, the fractions of the warps that go this way are stretched to a whole, so
/// that what is asked next has its odds among these warps too. (So a number is read from an arithmetic code.)

namespace WARPGAUGE_NAMESPACE::ptx::detail::run {

using ptx::link::nowhere;
using ptx::run::decision;

/// The fraction that a warp begins with: evenly spread, so that together warps meet the odds.
constexpr double start_of(std::uint32_t ordinal) {
    const double start = ordinal * 0.618033988749894848 + 0.5;
    return start - static_cast<double>(static_cast<std::uint64_t>(start));
}

/// How much less or more another warp may begin with that decides all the same.
struct start_room {
    double below = 1, above = 1;

    [[nodiscard]] constexpr bool holds(double more) const {
        constexpr double margin = 1e-6;  // sums of fractions are rounded
        return more == 0 || (more > margin - below && more < above - margin);
    }
    /// A sum is `more` above what decides.
    constexpr void bound(double more) {
        if (more >= 0) below = core::min(below, more);
        if (more < 0) above = core::min(above, -more);
    }
};

template <class Used = core::when_used>
class data_decisions {
public:
    /// One decision for each step; they must outlive this object.
    explicit data_decisions(std::span<const decision> decisions)
        : decisions_(decisions), state_of_(decisions.size(), nowhere) {}

    /// Forgets what the warp before has done; `start`: the fraction that the next one begins with.
    void begin(double start) {
        states_.clear();
        answers_.clear();
        for (const std::uint32_t s : decided_) state_of_[s] = nowhere;
        decided_.clear();
        start_ = start;
        scale_ = 1;
        room_ = {};
    }

    /// Those of the lanes for which the condition of a step holds, and in `together` those that do not decide alone.
    /// The condition is a predicate that is not known in these lanes, or its opposite.
    std::uint32_t decide(std::uint32_t step, std::uint32_t lanes, const row_values& predicate,
                         bool negated, std::uint32_t& together) {
        std::uint32_t holding = 0;
        const std::uint32_t set = lanes_that_hold(predicate);
        for (std::uint32_t left = lanes; left != 0;) {
            const lane_run run = first_run(left, predicate.base.breaks);
            left &= ~run.lanes;
            const bool first = (set >> run.first & 1U) != 0;
            const bool opposite = first != negated;
            const bool holds = decide_run(step, run, run.lanes == lanes, predicate.base, opposite);
            const std::uint32_t others = first ? ~set : set;  // that go the other way
            holding |= run.lanes & (holds ? ~others : others);
            if (run.lanes != 1U << run.first) together |= run.lanes;
        }
        return holding;
    }

    /// A round begins, in which decisions are compared with those of others.
    void mark() {
        marked_.assign(states_.begin(), states_.end());
        answers_used_ = false;
    }
    /// Would a step decide in another round as it did since? It has come back to where it was, and no answer was found or kept.
    [[nodiscard]] bool is_as_marked(std::uint32_t step) const {
        const std::uint32_t n = state_of_[step];
        if (answers_used_ || n >= marked_.size()) return false;
        if (marked_[n].fraction < states_[n].fraction || marked_[n].fraction > states_[n].fraction)
            return false;
        for (std::size_t l = 0; l < warp_lanes; ++l) {
            if (marked_[n].rounds_left[l] != states_[n].rounds_left[l]) return false;
        }
        return true;
    }

    /// How far off another warp may begin that decides all the same.
    [[nodiscard]] const start_room& room() const { return room_; }

    /// For how many decisions more each of these lanes comes out as it just did, where that is certain; else 0.
    [[nodiscard]] std::uint64_t rounds_ahead(std::uint32_t step, std::uint32_t lanes) const {
        const decision& how = decisions_[step];
        if (how.rounds == 0) {
            const bool sure = how.probability == 0 || how.probability == 1;
            return sure ? ~std::uint64_t{0} : 0;
        }
        if (state_of_[step] == nowhere) return 0;
        const step_state& state = states_[state_of_[step]];
        std::uint64_t least = ~std::uint64_t{0};
        for (std::size_t l = 0; l < warp_lanes; ++l) {
            if ((lanes >> l & 1U) == 0) continue;
            const std::uint64_t left = state.rounds_left[l];
            const std::uint64_t ahead = left > 0 ? left - 1 : 0;
            least = ahead < least ? ahead : least;
        }
        return least;
    }

    /// As if so many of them had been taken.
    void skip_rounds(std::uint32_t step, std::uint32_t lanes, std::uint64_t rounds) {
        if (decisions_[step].rounds == 0 || state_of_[step] == nowhere) return;
        step_state& state = states_[state_of_[step]];
        for (std::size_t l = 0; l < warp_lanes; ++l) {
            if ((lanes >> l & 1U) != 0) {
                state.rounds_left[l] -= static_cast<std::uint32_t>(rounds);
            }
        }
    }

private:
    struct step_state {
        double fraction = 0;  // what the decisions so far have left of a whole one
        double scale = 1;     // by how much less the fraction differs that the warp began with
        bool is_new = true;   // no decision so far
        std::uint32_t rounds_left[warp_lanes]{};
    };

    // What has been decided of a base, in a run of lanes.
    struct answer {
        std::uint64_t identity{};
        std::uint32_t run{};
        bool holds{};
    };
    static constexpr std::size_t max_answers = 64;

    // The least part of the warps that decisions are told apart for: as many take turns, or twice as many.
    static constexpr double least_part = 1.0 / 16;

    // What is asked again has the same answer, but in loops, which must end, and where a hint says how often. `only`: for all lanes.
    bool decide_run(std::uint32_t step, const lane_run& run, bool only, const unknown_base& base,
                    bool opposite) {
        const decision& how = decisions_[step];
        if (how.rounds > 0) return goes_on(how, state_of(step), run) != how.leaves;
        const std::uint32_t number = run_of(base.breaks, run.first);
        if (base.identity != 0 && !how.hinted) {
            for (const answer& a : answers_) {
                if (a.identity != base.identity || a.run != number) continue;
                answers_used_ = true;
                return a.holds != opposite;
            }
        }
        step_state& state = state_of(step);
        const bool holds = take_turn(how, state, run.lanes == 1U << run.first);
        if (only && state.is_new) stretch(how.probability, holds);
        state.is_new = false;
        if (base.identity != 0 && answers_.size() < max_answers) {
            answers_used_ = true;
            answers_.push_back({base.identity, number, holds != opposite});
        }
        return holds;
    }

    bool take_turn(const decision& how, step_state& state, bool alone) {
        state.fraction += how.probability;
        // Of a whole warp, one half goes on before the other jumps: so the first does.
        const bool holds = alone ? state.fraction >= 1 : state.fraction > 1 || how.probability == 1;
        const double more = (state.fraction - 1) * state.scale;
        if (holds) room_.below = core::min(room_.below, more);
        if (!holds) room_.above = core::min(room_.above, -more);
        if (holds) state.fraction -= 1;
        return holds;
    }

    // The fractions from which warps go this way become a whole; one at their edge, as of the first warp, is in the middle again.
    void stretch(double probability, bool holds) {
        const double part = holds ? probability : 1 - probability;
        if (scale_ * part < least_part) return;
        const double into = holds ? start_ - (1 - probability) : start_;
        scale_ *= part;
        start_ = into / part;
        constexpr double margin = 1e-9;
        if (start_ > margin && start_ < 1 - margin) return;
        start_ = 0.5;
        scale_ = 0;  // no other warp decides the next steps as this one
    }

    bool goes_on(const decision& how, step_state& state, const lane_run& run) {
        std::uint32_t& rounds = state.rounds_left[run.first];
        if (rounds == 0) rounds = begin_loop(how, state);
        const std::uint32_t left = --rounds;
        for (std::uint32_t rest = run.lanes; rest != 0; rest &= rest - 1) {
            state.rounds_left[static_cast<std::size_t>(std::countr_zero(rest))] = left;
        }
        return left > 0;
    }

    step_state& state_of(std::uint32_t step) {
        if (state_of_[step] == nowhere) {
            state_of_[step] = static_cast<std::uint32_t>(states_.size());
            states_.push_back({.fraction = start_, .scale = scale_});
            if (!(scale_ > 0)) room_ = {0, 0};
            decided_.push_back(step);
        }
        return states_[state_of_[step]];
    }

    // A lane enters a loop: how often it runs, such that the mean is as decided.
    std::uint32_t begin_loop(const decision& how, step_state& state) {
        const double total = state.fraction + how.rounds;
        const auto rounds = static_cast<std::uint32_t>(total);
        state.fraction = total - rounds;
        room_.bound(state.fraction * state.scale);
        room_.bound((state.fraction - 1) * state.scale);
        return rounds > 0 ? rounds : 1;
    }

    std::span<const decision> decisions_;
    core::late<Used, std::vector<std::uint32_t>> state_of_;  // of each step, in `states_`
    std::vector<step_state> states_;
    core::late<Used, std::vector<std::uint32_t>> decided_;  // steps that have a state
    std::vector<answer> answers_;
    std::vector<step_state> marked_;
    bool answers_used_ = false;  // since that
    double start_ = 0.5;         // of the next step
    double scale_ = 1;           // by how much less the fraction differs that the warp began with
    start_room room_;
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::run

#endif
