// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_RUN_ROUND_SKIPPER_HPP
#define WARPGAUGE_PTX_RUN_ROUND_SKIPPER_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <warpgauge/core/scalar.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/ptx/link/control_slice.hpp>
#include <warpgauge/ptx/link/program.hpp>
#include <warpgauge/ptx/run/data_decisions.hpp>
#include <warpgauge/ptx/run/lane_computer.hpp>
#include <warpgauge/ptx/run/lane_values.hpp>
#include <warpgauge/ptx/run/register_file.hpp>
#include <warpgauge/ptx/run/row_motion.hpp>
#include <warpgauge/ptx/run/unknown_results.hpp>
#include <warpgauge/ptx/run/whole_rows.hpp>
#include <warpgauge/ptx/text/opcode_table.hpp>

/// \file Multiplies the rounds of a loop where following them one by one would show nothing new.
///
/// Two rounds give the step by which each register moves. A third one is followed with a proof: each of its steps
/// says for how many rounds more its result moves evenly and its comparison comes out the same. As many rounds take the same way, and their
/// addresses move evenly, so that what their accesses cost repeats after a few rounds. Those few are followed, each for many, and the registers move ahead. The counts are those of following
/// every round. Loops may nest: in a round that is followed with a proof, or that stands for others, all rounds of the loops
/// within are followed.

namespace WARPGAUGE_NAMESPACE::ptx::detail::run {

/// What an access costs depends on its addresses modulo so many B, powers of two.
struct cost_cycles {
    std::uint64_t global = 256, shared = 256;
};

/// Watches the loops of one warp.
template <class Used = core::when_used>
class round_skipper {
public:
    /// All must outlive the skipper. `may_list`: one round may stand for several in which accesses of global memory cost
    /// differently.
    round_skipper(const ptx::link::program& p, register_file<Used>& registers,
                  data_decisions<Used>& decisions, const cost_cycles& cycles, bool may_list)
        : program_(p),
          registers_(registers),
          decisions_(decisions),
          cycles_(cycles),
          may_list_(may_list) {}

    /// A new warp begins. Of its steps, those of `slice` change registers; `costs`: what accesses cost counts too.
    void begin(const ptx::link::control_slice<Used>& slice, bool costs) {
        slice_ = &slice;
        costs_ = costs;
        no_end_ = has_loop_ = false;
        nested_ = 0;
        skipped_ = 0;
        end_work();
    }

    /// From now on, loops that store other values or elsewhere from round to round are followed round by round.
    void record_stores(bool on) { records_ = on; }

    /// How many rounds the one under way stands for.
    [[nodiscard]] std::uint64_t rounds() const { return rounds_; }
    /// Its accesses of global memory cost differently in each of them.
    [[nodiscard]] bool lists() const { return lists_; }
    /// The B by which those of a step move from one of these rounds to the next; 1 if it is not known.
    [[nodiscard]] std::uint64_t moved_by(std::uint32_t index) const {
        const listed_step* found = nullptr;
        for (const listed_step& l : listed_) {
            if (l.step != index) continue;
            if (found != nullptr && found->by != l.by) return 1;
            found = &l;
        }
        return found == nullptr ? 1 : found->by * period_;
    }
    /// A loop goes on for ever, or for billions of rounds.
    [[nodiscard]] bool finds_no_end() const { return no_end_; }
    /// The warp has jumped back.
    [[nodiscard]] bool has_loop() const { return has_loop_; }
    [[nodiscard]] bool proves() const { return proves_; }

    /// A step of a round that is followed with a proof, before it changes registers. `lanes`: of the path; `active`: for which
    /// its predicate holds.
    void before(std::uint32_t index, const step& s, std::uint32_t lanes, std::uint32_t active,
                std::uint32_t undecided, std::size_t local_bytes);
    /// The same step, after it.
    void after(const step& s, std::uint32_t active);

    /// All lanes of a path jump back, by the step `from`; `base`, `depth`: of the call and of paths; `steps`: taken so far.
    void jump_back(std::uint32_t from, std::uint32_t to, std::size_t base, std::uint32_t depth,
                   std::uint32_t lanes, std::uint64_t steps);

private:
    using action = ptx::text::action;

    enum class doing : std::uint8_t { nothing, wait, measure, prove, multiply };
    struct loop_place {
        std::uint32_t from = nowhere, to{};
        std::size_t base{};
        std::uint32_t depth{}, lanes{};
        friend bool operator==(const loop_place&, const loop_place&) = default;

        // Two that begin at one step are one loop to those who watch the warp.
        [[nodiscard]] bool has(const loop_place& inner) const {
            return base == inner.base && to < inner.to && inner.from < from &&
                   depth <= inner.depth && (inner.lanes & ~lanes) == 0;
        }
    };
    struct watched_row {
        std::uint32_t row{};
        row_values before{};
        std::uint64_t by{};     // a round
        std::uint32_t lanes{};  // that move by that
    };
    struct decided {
        std::uint32_t step{}, lanes{};
        bool again{};    // it decides more than once in a round
        bool repeats{};  // each round as in this one
    };
    // A step that accesses global memory, and by what its addresses move a round.
    struct listed_step {
        std::uint32_t step{};
        std::uint64_t by{};
    };
    // A loop that the warp is in.
    struct watch {
        loop_place place{};
        doing what = doing::nothing;
        std::uint32_t wait = 0, patience = 2;  // rounds
        std::uint32_t jumps = 0;               // back, since the loop was entered
        std::uint64_t steps = 0, skipped = 0;  // when its last round ended
        std::uint64_t round_steps = 0;         // of that round, those skipped too
        core::late<Used, std::vector<watched_row>> rows{};
    };

    // A loop within another one whose rounds were multiplied after so many jumps back. As long as it begins them with the same
    // in all rows that it reads, it goes on in the same way.
    struct kept_row {
        std::uint32_t row{}, moving{};  // lanes that move by that
        row_values values{};
        std::uint64_t by{};
    };
    struct kept_loop {
        loop_place place{}, outer{};
        std::uint32_t jumps{};
        std::uint64_t rounds{}, round_steps{};
        core::late<Used, std::vector<kept_row>> rows{};
    };

    // The rows that a loop sets, each once, and how many of them, the first ones, are carried from round to round.
    struct loop_rows {
        std::uint32_t from{}, to{};
        const ptx::link::control_slice<Used>* slice{};
        std::uint32_t carried{};
        bool calls{};
        core::late<Used, std::vector<std::uint32_t>> rows{};
    };
    static constexpr std::size_t max_loops = 16;
    struct row_set {
        std::uint32_t step{}, row{};
    };

    static constexpr std::uint32_t max_loop_steps = 4096;
    static constexpr std::size_t max_levels = 4;
    static constexpr std::uint64_t max_rounds_ahead = std::uint64_t{1} << 31;

    void begin_loop(const loop_place& place);
    const loop_rows& rows_of(std::uint32_t from, std::uint32_t to);
    void list_rows(loop_rows& loop);
    void keep();
    [[nodiscard]] bool is_as_kept();
    void jump_back_within(const loop_place& here);
    void see_still(const step& s, std::uint32_t active, std::uint32_t undecided);
    void take_values();
    void measure();
    void begin_proof();
    static bool has_moved_twice(const watched_row& w, const row_values& now, std::uint32_t lanes);
    void end_proof();
    void next_multiplied();
    void skip(std::uint64_t rounds);
    void give_up() {
        end_work();
        at_->what = doing::wait;
        at_->wait = at_->patience;
        at_->patience = core::min(2 * at_->patience, 1024U);
    }
    // No loop is proved or multiplied any more.
    void end_work() {
        works_ = proves_ = lists_ = repeats_ = skips_within_ = false;
        rounds_ = 1;
    }
    [[nodiscard]] bool is_worth(std::uint64_t steps) const;
    // One round is followed after those that are skipped: it sets again what each round sets anew.
    [[nodiscard]] bool is_short() const {
        return ahead_ < 2 * period_ + 2 && (!can_list_ || ahead_ < 4);
    }
    void repeat_after(std::uint64_t cycle, std::uint64_t by);
    [[nodiscard]] bool is_listed(std::uint32_t index) const {
        for (const listed_step& l : listed_) {
            if (l.step == index) return true;
        }
        return false;
    }
    // A step that accesses several times in a round is listed once where it always moves by the same.
    void list(std::uint32_t index, std::uint64_t by) {
        for (const listed_step& l : listed_) {
            if (l.step == index && l.by == by) return;
        }
        listed_.push_back({index, by});
    }
    void bound(std::uint64_t rounds) { ahead_ = core::min(ahead_, rounds); }

    row_motion& of(std::uint32_t row) { return motions_[row & ~ptx::link::of_call]; }
    row_motion read(std::uint32_t row, std::uint32_t active);
    row_motion read_source(const step& s, unsigned k, std::uint32_t active);
    row_motion result_of(const step& s, std::uint32_t active);
    row_motion moves_of_product(const step& s, std::uint32_t active, const row_motion& a,
                                const row_motion& b);
    row_motion moves_of_extremum(const step& s, std::uint32_t active, const row_motion& a,
                                 const row_motion& b);
    row_motion moves_of_comparison(const step& s, std::uint32_t active, const row_motion& a,
                                   const row_motion& b);
    bool bound_against_unknown(const step& s, std::uint32_t lanes, unsigned known,
                               std::uint64_t by);
    bool bound_to_unknown(const step& s, std::uint32_t active, std::uint64_t by);
    std::uint32_t stays_unknown(const step& s, std::uint32_t active, const row_motion (&in)[4],
                                bool even);
    void see_access(std::uint32_t index, const step& s, std::uint32_t active);
    void see_written(const step& s, std::uint32_t active);
    void see_undecided(std::uint32_t index, const step& s, std::uint32_t undecided);

    const ptx::link::program& program_;
    register_file<Used>& registers_;
    data_decisions<Used>& decisions_;
    cost_cycles cycles_;
    const ptx::link::control_slice<Used>* slice_ = nullptr;
    bool costs_ = true;
    bool may_list_;
    watch watches_[max_levels];  // from the outermost loop to the innermost
    std::size_t nested_ = 0;
    watch* at_ = watches_;  // of the loop that jumped back last
    bool works_ = false;    // it is proved or multiplied
    bool proves_ = false;
    bool has_loop_ = false;
    std::uint64_t skipped_ = 0;  // steps
    std::uint64_t rounds_ = 1;
    bool no_end_ = false;
    bool records_ = false;
    std::uint64_t ahead_ = 0;   // rounds that go the same way
    std::uint64_t period_ = 1;  // of what accesses cost, in rounds
    bool can_list_ = false;     // that of all but those of global memory is 1
    bool lists_ = false;  // the round under way stands for others in which these cost differently
    std::uint64_t followed_ = 0;                         // of the period
    std::uint64_t all_ = 0;                              // rounds for which the period stands
    core::late<Used, std::vector<row_motion>> motions_;  // by row of the call
    core::late<Used, std::vector<decided>> decided_;
    core::late<Used, std::vector<listed_step>> listed_;
    loop_rows loops_[max_loops];  // those that were asked for last
    std::size_t next_loop_ = 0;
    core::late<Used, std::vector<std::uint8_t>> marks_;  // of rows; 0 but while a loop is listed
    core::late<Used, std::vector<std::uint32_t>> jumps_to_;
    core::late<Used, std::vector<row_set>> sets_;
    row_motion pending_{};
    std::uint32_t pending_unknown_ = 0;  // lanes that stay unknown, if they are
    bool pending_fresh_ = false;         // what is loaded is a base, without an offset
    kept_loop kept_{};
    std::uint32_t jumps_within_ = 0;  // of the kept loop, in the round under way
    bool is_still_ = false;           // it reads nothing that moves from round to round
    bool repeats_ = false;            // so all of its rounds were proved at once
    bool skips_within_ = false;       // one of its rounds is under way that stands for others
};

// --- Loops

template <class Used>
void round_skipper<Used>::jump_back(std::uint32_t from, std::uint32_t to, std::size_t base,
                                    std::uint32_t depth, std::uint32_t lanes, std::uint64_t steps) {
    has_loop_ = true;
    const loop_place here{from, to, base, depth, lanes};
    if (works_ && at_->place.has(here)) return jump_back_within(here);
    jumps_within_ = 0;
    std::size_t n = nested_;
    while (n > 0 && !(watches_[n - 1].place == here)) --n;
    const bool again = n > 0;
    if (again) {
        nested_ = n;
    } else {
        while (nested_ > 0 && (nested_ == max_levels || !watches_[nested_ - 1].place.has(here))) {
            --nested_;
        }
        ++nested_;
    }
    watch& w = watches_[nested_ - 1];
    if (works_ && at_ != &w) end_work();
    at_ = &w;
    w.jumps = again ? w.jumps + 1 : 1;
    w.round_steps = steps - w.steps + skipped_ - w.skipped;
    const bool worth = again && is_worth(steps);
    w.steps = steps;
    w.skipped = skipped_;
    if (!again) return begin_loop(here);
    switch (w.what) {
        case doing::nothing: return;
        case doing::wait:
            if (--w.wait == 0) take_values();
            return;
        case doing::measure: return worth ? measure() : give_up();
        case doing::prove: return end_proof();
        case doing::multiply: return next_multiplied();
    }
}

// A round is followed with all rounds of the loops within. Is that not much longer than to go on as before?
template <class Used>
bool round_skipper<Used>::is_worth(std::uint64_t steps) const {
    constexpr std::uint64_t few = 2048;
    return at_->round_steps <= few || at_->round_steps <= 8 * (steps - at_->steps);
}

template <class Used>
void round_skipper<Used>::begin_loop(const loop_place& place) {
    end_work();
    at_->place = place;
    at_->what = doing::nothing;
    if (place.from - place.to > max_loop_steps) return;
    at_->patience = 2;
    at_->rows.clear();
    const loop_rows& rows = rows_of(place.from, place.to);
    if (rows.calls) return;
    for (std::uint32_t n = 0; n < rows.carried; ++n) at_->rows.push_back({.row = rows.rows[n]});
    take_values();
}

// The rows that a loop sets. Such as each round sets before it reads them are not carried from round to round.
template <class Used>
const typename round_skipper<Used>::loop_rows& round_skipper<Used>::rows_of(std::uint32_t from,
                                                                            std::uint32_t to) {
    for (const loop_rows& l : loops_) {
        if (l.from == from && l.to == to && l.slice == slice_) return l;
    }
    loop_rows& loop = loops_[next_loop_];
    next_loop_ = (next_loop_ + 1) % max_loops;
    loop.from = from;
    loop.to = to;
    loop.slice = slice_;
    loop.carried = 0;
    loop.calls = false;
    loop.rows.clear();
    for (std::uint32_t s = to; s <= from && !loop.calls; ++s) {
        loop.calls = program_.steps[s].what == action::call;
    }
    if (!loop.calls) list_rows(loop);
    return loop;
}

template <class Used>
void round_skipper<Used>::list_rows(loop_rows& loop) {
    constexpr std::uint8_t is_listed = 1, is_carried = 2, is_set = 4;
    if (marks_.size() < registers_.size()) marks_.resize(registers_.size());
    const auto is_row = [](std::uint32_t row) {
        return row != nowhere && (row & ptx::link::of_call) != 0;
    };
    const auto read = [&](std::uint32_t row) {
        if (!is_row(row)) return;
        std::uint8_t& m = marks_[row & ~ptx::link::of_call];
        if ((m & is_set) == 0) m |= is_carried;
    };
    const auto for_each_source = [&](const step& s, auto&& visit) {
        visit(s.predicate);
        for (std::uint32_t k = 0; k < s.sources; ++k) visit(registers_.result(s, s.results + k));
    };
    // Where lanes come from that did not execute all steps before: of each step, the first that jumps to it.
    const std::uint32_t steps = loop.from - loop.to + 1;
    jumps_to_.assign(steps, nowhere);
    for (std::uint32_t n = loop.from + 1; n-- > loop.to;) {
        const step& s = program_.steps[n];
        if (s.what == action::branch && s.target > n && s.target <= loop.from) {
            jumps_to_[s.target - loop.to] = n;
        }
    }
    bool has_table = false;
    sets_.clear();
    for (std::uint32_t n = loop.to; n <= loop.from; ++n) {
        const step& s = program_.steps[n];
        while (!sets_.empty() && sets_.back().step >= jumps_to_[n - loop.to]) {
            marks_[sets_.back().row & ~ptx::link::of_call] &= static_cast<std::uint8_t>(~is_set);
            sets_.pop_back();
        }
        for_each_source(s, read);
        has_table = has_table || s.what == action::branch_table;
        const std::uint32_t results = slice_->has(n) ? s.results : 0;
        for (std::uint32_t k = 0; k < results; ++k) {
            const std::uint32_t row = registers_.result(s, k);
            if (!is_row(row)) continue;
            const bool sets = s.predicate == nowhere && !has_table;
            if (!sets) read(row);
            std::uint8_t& m = marks_[row & ~ptx::link::of_call];
            if ((m & is_listed) == 0) loop.rows.push_back(row);
            if (sets && (m & is_set) == 0) sets_.push_back({n, row});
            m |= sets ? is_listed | is_set : is_listed;
        }
    }
    // Those that are carried come first.
    for (std::uint32_t& row : loop.rows) {
        std::uint8_t& m = marks_[row & ~ptx::link::of_call];
        if ((m & is_carried) != 0) std::swap(row, loop.rows[loop.carried++]);
    }
    const auto forget = [&](std::uint32_t row) {
        if (is_row(row)) marks_[row & ~ptx::link::of_call] = 0;
    };
    for (const std::uint32_t row : loop.rows) forget(row);
    for (std::uint32_t n = loop.to; n <= loop.from; ++n) {
        for_each_source(program_.steps[n], forget);
    }
}

// Each lane's value is like no other.
constexpr bool is_free(const unknown_base& base) {
    return base.identity == 0 && base.is_opaque();
}

// Of a loop within another one whose rounds are to be multiplied.
template <class Used>
void round_skipper<Used>::keep() {
    if (nested_ < 2) return;
    kept_.rows.clear();
    kept_.place = {};
    if (period_ != 1 || lists_ || records_ || !decided_.empty()) return;
    kept_.place = at_->place;
    kept_.outer = watches_[nested_ - 2].place;
    kept_.jumps = at_->jumps;
    kept_.rounds = all_;
    kept_.round_steps = at_->round_steps;
    for (std::uint32_t n = 0; n < motions_.size(); ++n) {
        const row_motion& m = motions_[n];
        if (m.carried == 0) continue;
        const std::uint32_t row = n | ptx::link::of_call;
        kept_.rows.push_back({row, m.written != 0 ? m.carried : 0, registers_.at(row), m.by});
    }
}

template <class Used>
bool round_skipper<Used>::is_as_kept() {
    for (const kept_row& k : kept_.rows) {
        const row_values& now = registers_.at(k.row);
        const unknown_base& base = k.values.base;
        const bool all_known = (at_->place.lanes & ~now.known) == 0;
        const bool same_base = now.base.identity == base.identity && now.base.bits == base.bits &&
                               now.base.breaks == base.breaks;
        if (now.known != k.values.known || (!all_known && !same_base)) return false;
        const std::uint32_t lanes = is_free(base) ? now.known : at_->place.lanes;
        for (std::size_t l = 0; l < warp_lanes; ++l) {
            if (has_lane(lanes, l) && now.lanes[l] != k.values.lanes[l]) return false;
        }
    }
    return true;
}

// A loop within the one that is proved or multiplied. In the round before, its own rounds were multiplied: they are again.
template <class Used>
void round_skipper<Used>::jump_back_within(const loop_place& here) {
    if (!(kept_.place == here) || !(kept_.outer == at_->place) || lists_) return;
    ++jumps_within_;
    if (skips_within_) {
        skips_within_ = false;
        rounds_ /= kept_.rounds;
        const std::uint64_t rounds = kept_.rounds - 1;
        for (const kept_row& k : kept_.rows) {
            row_values& row = registers_.at(k.row);
            for (std::size_t l = 0; l < warp_lanes && k.by != 0; ++l) {
                if (has_lane(k.moving & row.known, l)) row.lanes[l] += k.by * rounds;
            }
        }
        skipped_ += rounds * kept_.round_steps;
        return;
    }
    if (jumps_within_ + 1 == kept_.jumps) is_still_ = true;
    if (jumps_within_ != kept_.jumps || !is_as_kept() || kept_.rounds > max_rounds_ahead / rounds_)
        return;
    if (proves_) repeats_ = is_still_;
    if (!repeats_) return;
    skips_within_ = true;
    rounds_ *= kept_.rounds;
}

// Does a step of that loop read what moves from round to round of the one around it, or unknown data, or global memory?
template <class Used>
void round_skipper<Used>::see_still(const step& s, std::uint32_t active, std::uint32_t undecided) {
    if (undecided != 0) is_still_ = false;
    if (s.accesses && s.space != address_space::shared && s.space != address_space::constant) {
        is_still_ = false;
    }
    for (std::uint32_t k = 0; k < s.sources && is_still_; ++k) {
        const std::uint32_t row = registers_.result(s, s.results + k);
        if (row != nowhere && !read(row, active).stays(active)) is_still_ = false;
    }
}

template <class Used>
void round_skipper<Used>::take_values() {
    for (watched_row& w : at_->rows) {
        const row_values& now = registers_.at(w.row);
        w.before.known = now.known;
        w.before.base = now.base;
        if ((now.known & at_->place.lanes) != 0 || !is_free(now.base)) w.before.lanes = now.lanes;
    }
    at_->what = doing::measure;
}

// What is not known must not move against its base: what accesses cost and comparisons give depends on that.
inline bool offset_moves(const row_values& now, const row_values& before, std::uint32_t unknown) {
    if (unknown == 0 || (is_free(now.base) && is_free(before.base))) return false;
    if (now.base.breaks != before.base.breaks) return true;
    for (std::size_t l = 0; l < warp_lanes; ++l) {
        if (has_lane(unknown, l) && now.lanes[l] != before.lanes[l]) return true;
    }
    return false;
}

// What the first of some lanes that has moved has moved by; 0 if none has.
constexpr std::uint64_t first_of(const lane_values& moved, std::uint32_t lanes) {
    for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
        const std::uint64_t by = moved[static_cast<std::size_t>(std::countr_zero(left))];
        if (by != 0) return by;
    }
    return 0;
}

// By how much each row has moved in a round.
template <class Used>
void round_skipper<Used>::measure() {
    for (watched_row& w : at_->rows) {
        const row_values& now = registers_.at(w.row);
        const std::uint32_t known = now.known & at_->place.lanes;
        if (known != (w.before.known & at_->place.lanes)) return give_up();
        if (offset_moves(now, w.before, at_->place.lanes & ~known)) return give_up();
        w.by = 0;
        w.lanes = at_->place.lanes & ~known;
        if (known == 0) continue;
        lane_values moved;  // NOLINT: all are set
        std::uint64_t any = 0;
        std::uint64_t uneven = 0;
        for (std::size_t l = 0; l < warp_lanes; ++l) {
            moved[l] = now.lanes[l] - w.before.lanes[l];
            any |= moved[l];
            uneven |= moved[l] ^ moved[0];
        }
        w.by = moved[0];
        w.lanes = at_->place.lanes;
        if (any == 0 || uneven == 0) continue;
        w.by = first_of(moved, known);
        w.lanes &= ~known;
        for (std::size_t l = 0; l < warp_lanes; ++l) {
            w.lanes |= known & static_cast<std::uint32_t>(moved[l] == w.by) << l;
        }
    }
    begin_proof();
}

template <class Used>
void round_skipper<Used>::begin_proof() {
    const loop_place& place = at_->place;
    motions_.assign(registers_.size() - place.base, {.lanes = place.lanes});
    const loop_rows& rows = rows_of(place.from, place.to);
    for (std::size_t n = rows.carried; n < rows.rows.size(); ++n) of(rows.rows[n]) = {};
    for (const watched_row& w : at_->rows) of(w.row) = {.by = w.by, .lanes = w.lanes};
    decided_.clear();
    decisions_.mark();
    ahead_ = max_rounds_ahead;
    is_still_ = repeats_ = false;
    period_ = 1;
    can_list_ = may_list_;
    listed_.clear();
    at_->what = doing::prove;
    works_ = proves_ = true;
}

// The proof compares a round with the one before, whose steps it has not seen: both must have moved a row alike.
template <class Used>
bool round_skipper<Used>::has_moved_twice(const watched_row& w, const row_values& now,
                                          std::uint32_t lanes) {
    if (((now.known ^ w.before.known) & lanes) != 0) return false;
    if (is_free(now.base)) lanes &= now.known;
    for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
        const auto l = static_cast<std::size_t>(std::countr_zero(left));
        const std::uint64_t by = has_lane(now.known, l) ? 2 * w.by : 0;
        if (now.lanes[l] != w.before.lanes[l] + by) return false;
    }
    return true;
}

template <class Used>
void round_skipper<Used>::end_proof() {
    for (const watched_row& w : at_->rows) {
        const row_motion& m = of(w.row);
        const bool same = m.by == w.by && m.is_even(m.carried) && (m.carried & ~w.lanes) == 0;
        if (m.carried == 0) continue;
        if (!same || !has_moved_twice(w, registers_.at(w.row), m.carried)) return give_up();
    }
    for (decided& d : decided_) {
        d.repeats = decisions_.is_as_marked(d.step);
        if (!d.repeats) bound(d.again ? 0 : decisions_.rounds_ahead(d.step, d.lanes));
    }
    if (is_short()) {
        at_->patience = static_cast<std::uint32_t>(core::min<std::uint64_t>(ahead_ + 2, 1024));
        return give_up();
    }
    no_end_ = ahead_ >= max_rounds_ahead;
    lists_ = ahead_ < 2 * period_ + 2;
    if (lists_) period_ = 1;
    all_ = ahead_ - 1;
    followed_ = 0;
    at_->what = doing::multiply;
    proves_ = false;
    rounds_ = all_ / period_ + (all_ % period_ > 0 ? 1 : 0);
    keep();
}

template <class Used>
void round_skipper<Used>::next_multiplied() {
    ++followed_;
    if (followed_ < period_) {
        rounds_ = all_ / period_ + (all_ % period_ > followed_ ? 1 : 0);
        return;
    }
    skip(all_ - period_);
    end_work();
    at_->patience = 2;
    take_values();
}

template <class Used>
void round_skipper<Used>::skip(std::uint64_t rounds) {
    for (const watched_row& w : at_->rows) {
        row_motion& m = of(w.row);
        row_values& row = registers_.at(w.row);
        for (std::size_t l = 0; l < warp_lanes && m.carried != 0; ++l) {
            if (has_lane(m.carried & row.known, l)) row.lanes[l] += w.by * rounds;
        }
        m.carried = 0;  // a row may be watched several times
    }
    for (const decided& d : decided_) {
        if (!d.repeats) decisions_.skip_rounds(d.step, d.lanes, rounds);
    }
    skipped_ += rounds * at_->round_steps;
    at_->skipped = skipped_;
}

// --- The proof, step by step

template <class Used>
row_motion round_skipper<Used>::read(std::uint32_t row, std::uint32_t active) {
    if (row == ptx::link::carry) return {};
    if ((row & ptx::link::of_call) == 0) return {.lanes = at_->place.lanes};
    row_motion& m = of(row);
    m.carried |= active & ~m.written;
    return m;
}

// As the instruction sees the source: extended.
template <class Used>
row_motion round_skipper<Used>::read_source(const step& s, unsigned k, std::uint32_t active) {
    const std::uint32_t row = registers_.result(s, s.results + k);
    const row_motion m = read(row, active);
    if (m.by == 0 || !m.is_even(active)) return m;
    const row_values& values = registers_.at(row);
    if (!bound_extension(values.lanes, active & values.known, source_type(s, k), m.by, ahead_)) {
        return {};
    }
    return m;
}

template <class Used>
void round_skipper<Used>::see_undecided(std::uint32_t index, const step& s,
                                        std::uint32_t undecided) {
    for (decided& d : decided_) {
        if (d.step != index) continue;
        d.again = true;
        return;
    }
    decided_.push_back({index, undecided, s.what != action::branch});
}

template <class Used>
void round_skipper<Used>::see_access(std::uint32_t index, const step& s, std::uint32_t active) {
    if (!costs_ || !s.accesses) return;
    const bool on_chip = s.space != address_space::global && s.space != address_space::generic;
    const std::uint32_t row = registers_.result(s, s.results);
    const row_values& address = registers_.at(row);
    if (s.hides_addresses) {
        can_list_ = false;
        return;
    }
    const row_motion m = read(row, active);
    if (!m.is_even(active)) return bound(0);
    if ((address.known & active) == 0 && is_free(address.base)) {
        can_list_ = can_list_ && on_chip;
        return;
    }
    const bool all_known = (active & ~address.known) == 0;
    if (s.space == address_space::global) {
        const bool plain = !s.in_bulk && !s.in_rows && all_known;
        const bool could_list = can_list_ && plain && !is_listed(index);  // once a round
        repeat_after(cycles_.global, m.by);
        can_list_ = could_list;
        list(index, m.by);
    } else if (s.space == address_space::shared) {
        repeat_after(cycles_.shared, m.by);
    } else {
        can_list_ = can_list_ && (on_chip || (m.by == 0 && all_known));
        if (!on_chip) list(index, m.by);
        repeat_after(s.space == address_space::constant ? s.lane_bytes : cycles_.global, m.by);
    }
}

// The shared memory that a copy writes.
template <class Used>
void round_skipper<Used>::see_written(const step& s, std::uint32_t active) {
    if (!costs_ || s.written_source == 0) return;
    const std::uint32_t row = registers_.result(s, s.results + s.written_source - 1U);
    const row_motion m = read(row, active);
    if (!m.is_even(active)) return bound(0);
    repeat_after(cycles_.shared, m.by);
}

// What an access costs is the same again after so many B.
template <class Used>
void round_skipper<Used>::repeat_after(std::uint64_t cycle, std::uint64_t by) {
    if (by == 0) return;
    const std::uint64_t whole = core::min(by & (~by + 1), cycle);
    period_ = core::max(period_, cycle / whole);
    if (whole != cycle) can_list_ = false;
}

template <class Used>
void round_skipper<Used>::before(std::uint32_t index, const step& s, std::uint32_t lanes,
                                 std::uint32_t active, std::uint32_t undecided,
                                 std::size_t local_bytes) {
    pending_ = {};
    pending_unknown_ = 0;
    pending_fresh_ = false;
    const bool ends = (s.what == action::return_ || s.what == action::exit) && active != 0;
    const bool remembers = local_bytes != 0 && slice_->has(index) &&
                           (s.what == action::load || s.what == action::store) &&
                           (s.space == address_space::local || s.space == address_space::generic);
    if (index < at_->place.to || index > at_->place.from || (lanes & ~at_->place.lanes) != 0 ||
        ends || remembers || s.what == action::call || s.what == action::branch_table ||
        s.loses_carry) {
        return give_up();
    }
    // A copy's size and its barrier stay the same.
    for (const std::uint32_t k : {std::uint32_t{s.size_source}, std::uint32_t{s.barrier_source}}) {
        if (k != 0 && !read(registers_.result(s, s.results + k - 1), active).stays(active)) {
            return give_up();
        }
    }
    if (undecided != 0) see_undecided(index, s, undecided);
    if (is_still_ && index >= kept_.place.to && index <= kept_.place.from) {
        see_still(s, active, undecided);
    }
    // What data decides now must not be decided by what moves in a later round, either.
    if (s.predicate != nowhere && !read(s.predicate, lanes).stays(lanes)) return give_up();
    if (s.what == action::branch || active == 0) return;
    if (records_ && (s.stores || s.is_atomic)) {
        for (std::uint32_t k = 0; k < s.sources; ++k) {
            const std::uint32_t row = registers_.result(s, s.results + k);
            if (!read(row, active).stays(active)) return give_up();
        }
    }
    see_access(index, s, active);
    see_written(s, active);
    if (slice_->has(index)) pending_ = result_of(s, active);
    if (is_short()) {
        at_->patience = core::max(at_->patience, static_cast<std::uint32_t>(ahead_ + 2));
        give_up();
        ++at_->wait;  // the round under way does not count
    }
}

template <class Used>
void round_skipper<Used>::after(const step& s, std::uint32_t active) {
    if (s.what == action::branch || active == 0) return;
    for (std::uint32_t k = 0; k < s.results; ++k) {
        const std::uint32_t row = registers_.result(s, k);
        if (row == nowhere || (row & ptx::link::of_call) == 0) continue;
        row_motion& m = of(row);
        const row_values& values = registers_.at(row);
        const std::uint32_t known = values.known & active;
        value_type type = s.type;
        if (s.what != action::convert && s.what != action::move) {
            type = {.bits = static_cast<std::uint8_t>(core::min(result_bits(s), 64U))};
        }
        std::uint32_t lanes = pending_.lanes & active;
        if (pending_.by != 0 &&
            !bound_extension(values.lanes, known & lanes, type, pending_.by, ahead_)) {
            lanes = 0;
        }
        // The other lanes keep what they have, which may move in another way.
        const std::uint32_t others = m.by == pending_.by ? m.lanes & ~active : 0;
        m.by = pending_.by;
        // What is not known has no way of its own, but an offset from a base that others have too may move.
        if (is_free(values.base) || pending_fresh_) lanes |= pending_unknown_ & ~known;
        m.lanes = others | lanes;
        m.written |= active;
    }
}

// Both factors move evenly.
template <class Used>
row_motion round_skipper<Used>::moves_of_product(const step& s, std::uint32_t active,
                                                 const row_motion& a, const row_motion& b) {
    if (a.stays(active) && b.stays(active)) return {.lanes = active};
    if ((a.by != 0 && b.by != 0) || s.part == halves::high) return {};
    const unsigned other = a.by != 0 ? 1 : 0;
    const std::uint32_t known = registers_.source(s, 0).known & registers_.source(s, 1).known;
    std::uint64_t factor = 0;
    if ((active & ~known) != 0) return {};  // a factor that becomes 0 decides
    if (!same_in_all(registers_.source(s, other).lanes, active, factor)) return {};
    return {.by = (a.by != 0 ? a.by : b.by) * as(source_type(s, other), factor), .lanes = active};
}

// One source is the result of all lanes, and stays so; or both move alike.
template <class Used>
row_motion round_skipper<Used>::moves_of_extremum(const step& s, std::uint32_t active,
                                                  const row_motion& a, const row_motion& b) {
    const row_values& left = registers_.source(s, 0);
    const row_values& right = registers_.source(s, 1);
    if ((active & ~(left.known & right.known)) != 0) return {};
    if (a.by == b.by) return {.by = a.by, .lanes = active};
    const step order = order_of(s);
    if (!bound_comparison(order, left.lanes, right.lanes, active, a.by, b.by, ahead_)) return {};
    const unsigned from = source_of_all(order, left.lanes, right.lanes, active);
    if (from == 2) return {};
    return {.by = from == 0 ? a.by : b.by, .lanes = active};
}

// Both sources move evenly, or stay unknown.
template <class Used>
row_motion round_skipper<Used>::moves_of_comparison(const step& s, std::uint32_t active,
                                                    const row_motion& a, const row_motion& b) {
    const row_values& left = registers_.source(s, 0);
    const row_values& right = registers_.source(s, 1);
    const std::uint32_t in_left = active & left.known & ~right.known;
    const std::uint32_t in_right = active & right.known & ~left.known;
    const bool same = bound_comparison(s, left.lanes, right.lanes,
                                       active & left.known & right.known, a.by, b.by, ahead_) &&
                      bound_against_unknown(s, in_left, 0, a.by) &&
                      bound_against_unknown(s, in_right, 1, b.by);
    return {.lanes = same ? active : 0};
}

// Whether a comparison with a value that nobody knows is decided depends on where that may lie: the known source, which
// moves by `by`, must stay below, above or between these ends.
template <class Used>
bool round_skipper<Used>::bound_against_unknown(const step& s, std::uint32_t lanes, unsigned known,
                                                std::uint64_t by) {
    if (lanes == 0 || by == 0) return true;
    const row_values& values = registers_.source(s, known);
    const row_values& other = registers_.source(s, 1 - known);
    const bool by_order = s.compare != comparison::eq && s.compare != comparison::ne;
    // Low bits that nobody else sets decide whether two numbers are equal.
    if (!by_order && !is_free(other.base) && other.base.zeros() != 0) return false;
    value_type type = s.from;
    if (s.unsigned_compare) type.is_signed = false;
    lane_values extended;
    lane_values moving;
    extend(type, other.lanes, extended);
    extend(type, values.lanes, moving);
    const source_values where(other, extended, type, lanes);
    constexpr std::uint64_t far = (std::uint64_t{1} << 61) - 1;
    lane_values least{};
    lane_values most{};
    for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
        const auto l = static_cast<std::size_t>(std::countr_zero(left));
        const value_range r = range_of(where, l);
        least[l] = less(type, 0 - far, r.least) || !type.is_signed ? r.least : 0 - far;
        most[l] = less(type, r.most, far) ? r.most : far;
    }
    step low = s;
    step high = s;
    if (!by_order) low.compare = comparison::lt;
    if (!by_order) high.compare = comparison::gt;
    const bool first = known == 0 || !by_order;
    return first ? bound_comparison(low, moving, least, lanes, by, 0, ahead_) &&
                       bound_comparison(high, moving, most, lanes, by, 0, ahead_)
                 : bound_comparison(low, least, moving, lanes, 0, by, ahead_) &&
                       bound_comparison(high, most, moving, lanes, 0, by, ahead_);
}

// Lowers the rounds such that a load whose address moves by `by` does not come to a variable of known contents.
template <class Used>
bool round_skipper<Used>::bound_to_unknown(const step& s, std::uint32_t active, std::uint64_t by) {
    constexpr std::uint64_t max_bytes = 64;  // of one access
    const auto& contents = program_.contents;
    if (by == 0 || contents.empty() || s.space == address_space::shared) return true;
    const row_values& address = registers_.source(s, 0);
    const bool down = static_cast<std::int64_t>(by) < 0;
    for (std::uint32_t left = active & address.known; left != 0; left &= left - 1) {
        const auto l = static_cast<std::size_t>(std::countr_zero(left));
        const std::uint64_t at = address.lanes[l] + static_cast<std::uint64_t>(s.offset);
        const bool before = at + max_bytes <= contents.first();
        if (!before && at < contents.end()) return false;
        if (before && !down) bound(rounds_within(contents.first() - max_bytes - at, by));
        if (!before && down) bound(rounds_within(at - contents.end(), by));
    }
    return true;
}

// Lanes whose result is known in no round: one of their sources is not, and no other one decides the result alone.
template <class Used>
std::uint32_t round_skipper<Used>::stays_unknown(const step& s, std::uint32_t active,
                                                 const row_motion (&in)[4], bool even) {
    std::uint32_t unknown = 0;
    for (unsigned k = 0; k < s.sources && k < 4; ++k) {
        unknown |= in[k].lanes & ~registers_.source(s, k).known;
    }
    switch (s.what) {
        case action::atomic: return active;
        case action::load: return even && bound_to_unknown(s, active, in[0].by) ? active : 0;
        case action::unknown: return even ? active : 0;
        case action::real:
        case action::compare_reals: return (unknown & active) != 0 ? active : 0;
        case action::add:
        case action::subtract:
        case action::move:
        case action::convert:
        case action::convert_address:
        case action::bit_xor:
        case action::bit_not:
        case action::negate:
        case action::absolute: return even ? unknown : 0;
        default: return 0;
    }
}

// How what a step computes moves, in exact numbers.
template <class Used>
row_motion round_skipper<Used>::result_of(const step& s, std::uint32_t active) {
    row_motion in[4];
    bool stays = true;
    bool even = true;
    bool based = false;  // a source that is not known may still bound a result
    const bool whole_rows = s.what == action::move || s.what == action::convert_address ||
                            s.what == action::load;  // of which it is the address
    for (unsigned k = 0; k < s.sources; ++k) {
        const row_motion m = whole_rows || k > 3 ? read(registers_.result(s, s.results + k), active)
                                                 : read_source(s, k, active);
        if (k < 4) in[k] = m;
        stays = stays && m.stays(active);
        even = even && m.is_even(active);
        const row_values& values = registers_.source(s, k);
        based = based || ((active & ~values.known) != 0 && !is_free(values.base));
    }
    const bool from_others = s.what == action::shuffle || s.what == action::vote ||
                             s.what == action::match || s.what == action::reduce;
    if (from_others) stays = stays && active == at_->place.lanes;
    if (s.what == action::add_carry || s.what == action::subtract_borrow) return {};
    if (stays) return {.lanes = active};
    if (s.mode != 0 && (s.what == action::add || s.what == action::subtract)) return {};
    pending_fresh_ = even && s.what == action::load;
    pending_unknown_ = stays_unknown(s, active, in, even);
    if (s.what == action::compare && s.sources == 2 && even)
        return moves_of_comparison(s, active, in[0], in[1]);
    if (!even || based) return {};
    std::uint64_t b = 0;
    const auto has_constant = [&] {
        return s.sources > 1 && in[1].by == 0 &&
               same_in_all(registers_.source(s, 1).lanes, active, b);
    };
    switch (s.what) {
        case action::move:
            if (s.sources == 1) return in[0];
            break;
        case action::convert:
        case action::convert_address: return in[0];
        case action::add: return {.by = in[0].by + in[1].by, .lanes = active};
        case action::subtract: return {.by = in[0].by - in[1].by, .lanes = active};
        case action::negate: return {.by = 0 - in[0].by, .lanes = active};
        case action::bit_not:  // -1 less it
            if (s.type.bits > 1) return {.by = 0 - in[0].by, .lanes = active};
            break;
        case action::multiply: return moves_of_product(s, active, in[0], in[1]);
        case action::multiply_add: {
            row_motion sum = moves_of_product(s, active, in[0], in[1]);
            sum.by += in[2].by;
            return sum;
        }
        case action::shift_left:
            if (has_constant() && (b & 0xffff'ffff) < 64) {
                return {.by = in[0].by << (b & 63), .lanes = active};
            }
            break;
        case action::bit_and: {
            // Bits below those that move stay; so do these alone.
            const std::uint64_t low = (in[0].by & (~in[0].by + 1)) - 1;
            if (has_constant() && (b & ~low) == 0) return {.lanes = active};
            break;
        }
        case action::select:
            if (in[0].by == in[1].by) return {.by = in[0].by, .lanes = active};
            break;
        case action::minimum:
        case action::maximum: return moves_of_extremum(s, active, in[0], in[1]);
        default: break;
    }
    return {};
}

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::run

#endif
