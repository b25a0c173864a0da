// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TRACE_WARP_RECORDS_HPP
#define WARPGAUGE_PTX_TRACE_WARP_RECORDS_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/device/compute_capability.hpp>
#include <warpgauge/kernel/instruction.hpp>
#include <warpgauge/ptx/link/program.hpp>
#include <warpgauge/ptx/run/access_cost.hpp>
#include <warpgauge/ptx/run/executed.hpp>
#include <warpgauge/ptx/run/warp.hpp>
#include <warpgauge/ptx/run/warp_input.hpp>
#include <warpgauge/ptx/run/way_bounds.hpp>
#include <warpgauge/ptx/trace/known_paths.hpp>
#include <warpgauge/ptx/trace/memory_facts.hpp>
#include <warpgauge/ptx/trace/recorded_costs.hpp>
#include <warpgauge/ptx/trace/sampling_spread.hpp>
#include <warpgauge/ptx/trace/warp_reach.hpp>
#include <warpgauge/sm/coalescing.hpp>
#include <warpgauge/sm/touched_sectors.hpp>

/// \file What followed warps did, so that others that do the same need not be followed.

namespace WARPGAUGE_NAMESPACE::ptx::detail::trace {

using warpgauge::detail::sm::byte_run, warpgauge::detail::sm::byte_runs;

/// An access of global memory. `place`, `by`, `based`: in the lists of its `warp_record`.
struct recorded_access {
    std::uint32_t number{};        ///< of its step
    std::uint32_t step{};          ///< of the program
    std::uint32_t costs{};         ///< their place
    std::uint32_t transactions{};  ///< that it made
    std::uint32_t round{};         ///< of `memory_facts::wait`
    std::uint32_t based{};         ///< one past the place; 0: it has none
    std::uint32_t active{};        ///< the lanes of known address
    std::uint32_t runs{};          ///< that have their bytes
    std::uint32_t place{};         ///< of the first of these; if there are none, in `known`
    std::uint32_t by{};            ///< its addresses move by, from warp to warp
    std::uint32_t rounds = 1;      ///< that are told apart; 1: it is of no such round
    std::uint32_t waits{};         ///< of each of these
    std::uint64_t round_by{};      ///< its addresses move by, B a round
};

/// A step without what an access costs.
struct recorded_step {
    std::uint32_t step{}, active{}, jumping{};
    std::uint32_t
        costs{};  ///< one past the place among the costs of all records; 0: it has no access
    std::uint32_t rounds = 1;
    unit_kind unit{};
    bool unknown_predicate{}, decided_together{};
};

/// A warp that was followed, and how far away others do the same. It calls no function and makes no copies in bulk: its
/// bounds do not hold such.
template <class Used = core::when_used>
struct warp_record {
    warp_of_block of{};
    /// Of all records: `access` is null, `based` says whether there is one; of global memory, no transactions.
    recorded_costs<Used>* costs{};
    core::late<Used, std::vector<recorded_step>> steps{};
    core::late<Used, std::vector<recorded_access>> accesses{};
    core::late<Used, std::vector<warp_distance>> distances{};  ///< of accesses
    core::late<Used, std::vector<byte_run>> runs{};            ///< that accesses touch
    /// Lanes of accesses that touch no runs, and of which some address is known.
    core::late<Used, std::vector<warp_access>> known{};
    core::late<Used, std::vector<warp_access>>
        based{};  ///< lanes of accesses that share an unknown base
    warp_counts
        counts{};  ///< those of accesses of global memory are of the warp that was counted last
    warp_waits waits{};
    std::size_t listed{};  ///< of the accesses, the last ones, whose rounds have not ended
    std::uint64_t path{};  ///< a number for what directs it; 0: nobody has asked
    bool is_counted{};     ///< one warp that did this
    double weight{};       ///< of others, not counted yet

    /// B that it takes.
    [[nodiscard]] std::size_t bytes() const {
        return steps.size() * sizeof(recorded_step) + accesses.size() * sizeof(recorded_access) +
               runs.size() * sizeof(byte_run) + distances.size() * sizeof(warp_distance) +
               (known.size() + based.size()) * sizeof(warp_access);
    }

    /// A new one, which nobody has counted yet, with the same room.
    void begin(const warp_of_block& w) {
        of = w;
        steps.clear();
        accesses.clear();
        distances.clear();
        runs.clear();
        known.clear();
        based.clear();
        listed = 0;
    }

    /// A step, in that round.
    void add(const executed& e, std::uint32_t round, const warp_distance& by) {
        const bool has_costs = e.transactions != 0 || e.idle != 0 || e.unknown_address ||
                               e.based != nullptr || e.written_passes != 0;
        const std::uint32_t costs_at = has_costs ? add_costs(e, round, by) + 1 : 0;
        steps.push_back({.step = e.step,
                         .active = e.active,
                         .jumping = e.jumping,
                         .costs = costs_at,
                         .rounds = static_cast<std::uint32_t>(e.rounds),
                         .unit = e.unit,
                         .unknown_predicate = e.unknown_predicate,
                         .decided_together = e.decided_together});
    }

    /// What rounds that are told apart have waited for, each, once they have ended.
    void end_rounds(std::uint32_t each) {
        for (; listed > 0; --listed) accesses[accesses.size() - listed].waits = each;
    }

    /// A step as it was seen, but for the addresses and costs of an access of global memory.
    [[nodiscard]] executed at(std::size_t n) const {
        const recorded_step& s = steps[n];
        return s.costs != 0 ? with_costs(s) : without_costs(s);
    }
    /// One that has an access.
    [[nodiscard]] executed with_costs(const recorded_step& s) const {
        executed e = (*costs)[s.costs - 1];
        e.step = s.step;
        return e;
    }
    /// One that has no access.
    [[nodiscard]] static executed without_costs(const recorded_step& s) {
        return {.step = s.step,
                .active = s.active,
                .jumping = s.jumping,
                .unit = s.unit,
                .unknown_predicate = s.unknown_predicate,
                .decided_together = s.decided_together,
                .rounds = s.rounds};
    }

    /// As another one that began with `start`, before a step.
    void begin_as(const warp_record& other, double start, std::size_t step) {
        begin({other.of.block, other.of.warp, start});
        steps.assign(other.steps.begin(), other.steps.begin() + static_cast<std::ptrdiff_t>(step));
        for (const recorded_access& a : other.accesses) {
            if (a.number >= step) break;
            accesses.push_back(a);
        }
        distances = other.distances;
        runs = other.runs;  // those of the others are not asked for
        known = other.known;
        based = other.based;
    }

    /// Shows each access of global memory of a warp that is `away` by `see.access(e, touched, round)`; of `e.access`, only the
    /// active lanes are those of that warp. Of rounds that are told apart, each access first: by `see.in_round(step, touched)`
    /// with each, by `see.in_rounds(e, totals)` with what all cost; then all in their order by `see.reads(step, touched, round)`.
    template <class See>
    void show(const warp_distance& away, coalescing_rule rule, const See& see) const {
        warp_access lanes;
        for (std::size_t n = 0; n < accesses.size();) {
            const recorded_access& first = accesses[n];
            std::size_t end = n + 1;  // of accesses of the same rounds
            if (first.rounds <= 1) {
                executed e = access_at(first, lanes);
                show(first, bytes_to(first, away, 0), rule, e, lanes,
                     [&](const auto& touched) { see.access(e, touched, first.round); });
            } else {
                while (end < accesses.size() && accesses[end].rounds == first.rounds) ++end;
                for (std::size_t k = n; k < end; ++k) show_costs(accesses[k], away, lanes, see);
                show_rounds(n, end, away, see);
            }
            n = end;
        }
    }

    /// Calls `see(e)` with each step of such a warp, in order.
    template <class See>
    void show_all(const warp_distance& away, coalescing_rule rule, const See& see) const {
        std::size_t next = 0;
        warp_access lanes;
        for (std::size_t n = 0; n < steps.size(); ++n) {
            if (next == accesses.size() || accesses[next].number != n) {
                see(at(n));
                continue;
            }
            const recorded_access& a = accesses[next++];
            executed e = access_at(a, lanes);
            e.lists = a.rounds > 1;
            show(a, bytes_to(a, away, 0), rule, e, lanes, [&](const auto&) { see(e); });
        }
    }

private:
    // The place of what an access costs.
    std::uint32_t add_costs(const executed& e, std::uint32_t round, const warp_distance& by) {
        executed kept = e;
        kept.step = 0;
        kept.access = nullptr;
        kept.runs = nullptr;
        const bool of_global = touches_global(e);
        if (of_global) {  // else `based` says that there is one
            kept.based = nullptr;
            kept.transactions = 0;
        }
        const std::uint32_t place = costs->place_of(kept);
        if (of_global) add_access(e, place, round, by);
        return place;
    }

    void add_access(const executed& e, std::uint32_t costs_at, std::uint32_t round,
                    const warp_distance& by) {
        if (e.based != nullptr) based.push_back(*e.based);
        const bool in_runs = e.runs != nullptr;
        accesses.push_back(
            {.number = static_cast<std::uint32_t>(steps.size()),
             .step = e.step,
             .costs = costs_at,
             .transactions = e.transactions,
             .round = round,
             .based = static_cast<std::uint32_t>(e.based == nullptr ? 0 : based.size()),
             .active = e.access->active,
             .runs = in_runs ? e.runs->count : 0,
             .place = static_cast<std::uint32_t>(in_runs ? runs.size() : known.size()),
             .by = place_of(by),
             .rounds = static_cast<std::uint32_t>(e.lists ? e.rounds : 1),
             .round_by = e.round_by});
        if (e.lists) ++listed;
        if (!in_runs && e.access->active != 0) known.push_back(*e.access);
        if (!in_runs) return;
        for (std::uint32_t r = 0; r < e.runs->count; ++r) runs.push_back(e.runs->of[r]);
    }

    // Most accesses move as one of the few before.
    std::uint32_t place_of(const warp_distance& by) {
        constexpr std::size_t few = 8;
        const std::size_t last = distances.size() < few ? 0 : distances.size() - few;
        for (std::size_t n = distances.size(); n > last; --n) {
            if (ptx::detail::run::is_same(distances[n - 1], by)) {
                return static_cast<std::uint32_t>(n - 1);
            }
        }
        distances.push_back(by);
        return static_cast<std::uint32_t>(distances.size() - 1);
    }

    [[nodiscard]] std::uint64_t bytes_to(const recorded_access& a, const warp_distance& away,
                                         std::uint32_t round) const {
        const std::int64_t moved = ptx::detail::run::distance_along(distances[a.by], away);
        return static_cast<std::uint64_t>(moved) + round * a.round_by;
    }

    // An access, but for its addresses.
    [[nodiscard]] executed access_at(const recorded_access& a, warp_access& lanes) const {
        executed e = (*costs)[a.costs];
        e.step = a.step;
        e.lists = false;
        e.access = &lanes;
        if (a.based != 0) e.based = &based[a.based - 1];
        lanes.active = a.active;
        return e;
    }

    // Sectors are all that runs are recorded for.
    [[nodiscard]] byte_runs runs_of(const recorded_access& a, std::uint64_t off) const {
        byte_runs moved;
        for (std::uint32_t r = 0; r < a.runs; ++r) {
            const byte_run& run = runs[a.place + r];
            moved.of[r] = {run.first + off, run.end + off};
        }
        moved.count = a.runs;
        return moved;
    }

    [[nodiscard]] warp_access known_of(const recorded_access& a, std::uint64_t off) const {
        if (a.active == 0) return {.active = 0};
        warp_access moved = known[a.place];
        for (std::uint64_t& address : moved.addresses) address += off;
        return moved;
    }

    // Gives an access the costs `off` B further.
    template <class See>
    void show(const recorded_access& a, std::uint64_t off, coalescing_rule rule, executed& e,
              warp_access& lanes, const See& see) const {
        using access_cost = ptx::detail::run::access_cost<Used>;
        const executed& first = (*costs)[a.costs];
        e.alignment = static_cast<std::uint32_t>((first.alignment + off) % 128);
        e.transactions = a.transactions;
        e.bytes_moved = first.bytes_moved;
        e.coalesced = first.coalesced;
        if (a.runs == 0 && a.active == 0) return see(touched_sectors{});  // of unknown addresses
        if (a.runs == 0) {
            lanes = known_of(a, off);
            // Segments of any generation begin anew after as many bytes.
            if (off % 256 != 0) access_cost::count_known(lanes, rule, e);
            return see(sectors_of(lanes));
        }
        const byte_runs moved = runs_of(a, off);
        e.runs = &moved;
        if (off % 32 != 0) access_cost::count_sectors(moved, e);
        see(sectors_of_runs(moved));
        e.runs = nullptr;
    }

    template <class See>
    void show_costs(const recorded_access& a, const warp_distance& away, warp_access& lanes,
                    const See& see) const {
        executed e = access_at(a, lanes);
        e.rounds = 1;
        access_totals all;
        for (std::uint32_t r = 0; r < a.rounds; ++r) {
            show(a, bytes_to(a, away, r), coalescing_rule::sectors, e, lanes,
                 [&](const auto& touched) {
                     all.add(e, touched);
                     see.in_round(e.step, touched);
                 });
        }
        see.in_rounds(e, all);
    }

    template <class See>
    void show_rounds(std::size_t begin, std::size_t end, const warp_distance& away,
                     const See& see) const {
        for (std::uint32_t r = 0; r < accesses[begin].rounds; ++r) {
            for (std::size_t n = begin; n < end; ++n) {
                const recorded_access& a = accesses[n];
                const std::uint64_t off = bytes_to(a, away, r);
                const std::uint32_t round = a.round + r * a.waits;
                if (a.runs != 0) {
                    see.reads(a.step, sectors_of_runs(runs_of(a, off)), round);
                } else {
                    see.reads(a.step, sectors_of(known_of(a, off)), round);
                }
            }
        }
    }
};

template <class Used = core::when_used>
class warp_records {
public:
    using machine = ptx::run::warp_machine<Used>;

    /// All must outlive it. `facts` say what warps wait for; `is_of_use`: warps are to be recorded.
    warp_records(const program& p, const extent& block, machine& m, memory_facts<Used>& facts,
                 compute_capability cc, bool is_of_use)
        : machine_(m),
          facts_(facts),
          rule_(coalescing_rule_of(cc)),
          reach_(p, m.cycle_bytes(cc), m.bank_bytes(cc)),
          begins_(block),
          reached_(begins_),
          is_of_use_(is_of_use),
          now_{.costs = &costs_} {
        for (const step& t : p.steps) {
            const bool is_plain = t.what != ptx::text::action::call && !t.in_bulk &&
                                  t.barrier_source == 0 && t.size_source == 0;
            all_plain_ = all_plain_ && is_plain;
        }
    }

    [[nodiscard]] const warp_begins<Used>& begins() const { return begins_; }
    [[nodiscard]] coalescing_rule rule() const { return rule_; }
    /// Of all warps so far it is known which others do the same, and long ones were asked for again.
    [[nodiscard]] bool never_fails() const { return is_of_use_ && failures_ == 0; }

    /// A warp that did what this one does; null if none is known. `away` gets the distance of this one.
    warp_record<Used>* find(const warp_of_block& here, warp_distance& away) {
        const std::uint32_t number = reached_.find(here, away);
        if (number == ptx::link::nowhere) return nullptr;
        warp_record<Used>& found = records_[number];
        note_use(found);
        return &found;
    }

    /// The same of a warp of which a path is known: it does what that record has, unless unknown data decides otherwise. Null: none is.
    warp_record<Used>* find(const warp_of_block& here, const known_path* known,
                            warp_distance& away) {
        if (known == nullptr || known->record == ptx::link::nowhere ||
            !reached_.decides_alike(known->record, here, away)) {
            return find(here, away);
        }
        note_use(records_[known->record]);
        return &records_[known->record];
    }

    /// The numbers of those that did what the warps of a block do, one behind the other; null if it is not known.
    [[nodiscard]] const std::uint32_t* find_block(const block_index& block) {
        const std::uint32_t* const found = blocks_.find(block);
        for (std::uint32_t n = 0; found != nullptr && n < begins_.size(); ++n)
            note_use(records_[found[n]]);
        return found;
    }
    /// A block whose warps did what records have.
    void add_block(const block_index& block, const known_path* warps) {
        if (blocks_.is_full()) return;
        blocks_.add(block);
        for (std::uint32_t n = 0; n < begins_.size(); ++n) {
            reached_.bound_block(place_in(block, n, n), warps[n].record, blocks_);
        }
    }

    /// Did one do what that warp of all blocks of a box does?
    [[nodiscard]] bool reach(const block_box& box, std::uint32_t warp) {
        return reached_.reach(box, warp);
    }

    [[nodiscard]] warp_record<Used>& at(std::uint32_t number) { return records_[number]; }
    [[nodiscard]] std::uint32_t number_of(const warp_record<Used>& r) const {
        return static_cast<std::uint32_t>(&r - records_.data());
    }
    /// The next warp of that number in its block mostly does what a record has; it may be `nowhere`.
    void expect(std::uint32_t warp, std::uint32_t record) { reached_.expect(warp, record); }

    /// Follows a warp, `observe(e)` gives the round of each step, and records it, if `known` and others may do the same. Of the
    /// last warp, nobody asks which others do.
    template <class Observe>
    model_error follow(const ptx::run::warp_place& place, bool known, const Observe& observe,
                       bool is_last = false) {
        const bool records = known && is_of_use_ && records_.size() < max_records &&
                             failures_ < max_failures && bytes_ < max_bytes;
        now_.begin(place_in(place.block_index, place.warp, place.ordinal));
        decided_ = 0;
        has_decided_ = false;
        reach_.give_up();
        is_alone_ = records && is_last && all_plain_;
        const auto bad = machine_.run(place, recording<Observe>{*this, observe},
                                      records && !is_alone_ ? &reach_ : nullptr);
        if (records && !is_recorded()) ++failures_;
        if (!is_recorded()) all_recorded_ = false;
        end(!bad && is_recorded());
        return bad;
    }

    /// Records warps that decide unknown data otherwise than the one that was followed last, if little is left to follow where
    /// they part. `observe` is that of `follow`, and asked only for rounds.
    template <class Observe>
    model_error fork(const Observe& observe) {
        if (!reach_.holds() || !machine_.has_fork()) return {};
        const std::size_t first = records_.size() - 1;
        const std::size_t all = records_[first].steps.size();
        if (4 * (all - decided_) > all) return {};
        return for_other_starts(machine_, records_[first].of.start, [&](double start) {
            now_.begin_as(records_[first], start, decided_);
            facts_.go_back_to_kept_waits();
            const auto bad = machine_.run_fork(start, recording<Observe>{*this, observe});
            const bool is_kept = !bad && reach_.holds() && records_.size() < max_records;
            end(is_kept);
            if (!is_kept) return bad;
            records_.back().waits = facts_.waits();
            return bad;
        });
    }

    /// The record of the warp that was followed last; null if there is none.
    [[nodiscard]] warp_record<Used>* last() { return is_recorded() ? &records_.back() : nullptr; }

    /// What warps so far divide the numbers of blocks by.
    [[nodiscard]] const ptx::detail::run::block_rows& rows_of_blocks() const {
        return reach_.rows_of_blocks();
    }
    /// Of all warps so far, it is known how their addresses move from warp to warp.
    [[nodiscard]] bool know_motions() const { return all_recorded_; }
    /// The corners of a grid that have the least and the greatest address of some access, a bit for each: bit `d` of its
    /// number says whether it is the last one along dimension `d`. Those of the first and the last block are among them;
    /// all are where it is not known how addresses of some warp move.
    [[nodiscard]] std::uint32_t corners() const {
        if (!know_motions()) return 0xff;
        std::uint32_t found = 1U << 0 | 1U << 7;
        for (const warp_record<Used>& r : records_) {
            for (const warp_distance& by : r.distances) {
                std::uint32_t least = 0;
                for (std::uint32_t d = 0; d < 3; ++d) least |= (by[d] < 0 ? 1U : 0U) << d;
                found |= 1U << least | 1U << (7 - least);
            }
        }
        return found;
    }

    [[nodiscard]] auto begin() const { return records_.begin(); }
    [[nodiscard]] auto end() const { return records_.end(); }

private:
    template <class Observe>
    struct recording {
        warp_records& all;
        const Observe& observe;

        void operator()(const executed& e) const {
            if (!all.has_decided_) all.see_decision();
            const seen_round round = observe(e);
            if (!all.is_recorded()) return;
            if (!e.lists) all.now_.end_rounds(round.waits);
            all.now_.add(e, round.number, all.reach_.moved());
            if (all.now_.steps.size() % 1024 == 0 && all.bytes_of_now() > max_record_bytes) {
                all.reach_.give_up();
                all.is_alone_ = false;
            }
        }
    };

    // Before a step: does data decide from it on?
    void see_decision() {
        decided_ = now_.steps.size();
        has_decided_ = machine_.has_decided();
        if (has_decided_ && machine_.has_fork()) facts_.keep_waits();
    }

    void note_use(const warp_record<Used>& found) {
        if (found.steps.size() > many_steps) failures_ = 0;
    }

    [[nodiscard]] bool is_recorded() const { return is_alone_ || reach_.holds(); }

    void end(bool is_kept) {
        if (!is_kept) return costs_.shrink_to(first_costs_);
        reached_.add(now_.of, {reach_.reach(), machine_.start_room()});
        bytes_ += bytes_of_now();
        first_costs_ = costs_.size();
        if (now_.steps.size() > many_steps) ++failures_;  // until it is found
        records_.push_back(now_);
    }
    [[nodiscard]] std::size_t bytes_of_now() const {
        return now_.bytes() + (costs_.size() - first_costs_) * sizeof(executed);
    }

    static constexpr std::size_t max_records = 256;
    static constexpr std::size_t many_steps = 4096;
    static constexpr std::size_t max_bytes = std::size_t{3} << 23;  // B, of all records
    static constexpr std::size_t max_record_bytes = std::size_t{3} << 21;
    static constexpr std::uint32_t max_failures =
        4;  // then nothing is known of the other warps, either

    machine& machine_;
    memory_facts<Used>& facts_;
    coalescing_rule rule_;
    ptx::detail::run::way_bounds<Used> reach_;  // of the warp under way
    warp_begins<Used> begins_;
    reached_warps<Used> reached_;  // by the records
    reached_blocks<Used> blocks_;
    bool is_of_use_;
    bool all_plain_ = true;  // no step calls, or makes copies that records do not hold
    bool all_recorded_ = true;
    bool is_alone_ = false;  // of the warp under way, the same is not asked of others
    std::uint32_t failures_ =
        0;  // warps of which nothing was known that others do, or only of long ones that none is like
    std::size_t bytes_ = 0;          // of records
    warp_record<Used> now_;          // of the warp under way
    std::uint32_t first_costs_ = 0;  // those behind are of the warp under way
    recorded_costs<Used> costs_;
    std::size_t decided_ = 0;   // its steps before the first that unknown data decided
    bool has_decided_ = false;  // there is such a step
    core::late<Used, std::vector<warp_record<Used>>> records_;
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::trace

#endif
