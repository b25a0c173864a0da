// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TRACE_WARP_RECORDS_HPP
#define WARPGAUGE_PTX_TRACE_WARP_RECORDS_HPP

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/device/compute_capability.hpp>
#include <warpgauge/ptx/link/program.hpp>
#include <warpgauge/ptx/run/access_cost.hpp>
#include <warpgauge/ptx/run/executed.hpp>
#include <warpgauge/ptx/run/warp.hpp>
#include <warpgauge/ptx/run/warp_input.hpp>
#include <warpgauge/ptx/run/way_bounds.hpp>
#include <warpgauge/ptx/trace/memory_facts.hpp>
#include <warpgauge/ptx/trace/sampling_spread.hpp>
#include <warpgauge/ptx/trace/warp_reach.hpp>
#include <warpgauge/sm/coalescing.hpp>

/// \file What followed warps did, so that others that do the same need not be followed.

namespace WARPGAUGE_NAMESPACE::ptx::detail::trace {

/// An access of global memory.
struct recorded_access {
    std::uint32_t step{};          ///< of `warp_record::steps`
    std::uint32_t transactions{};  ///< that it made
    std::uint32_t round{};         ///< of `memory_facts::wait`
    std::uint32_t based{};         ///< one past the place in `warp_record::based`; 0: it has none
    warp_distance by{};            ///< its addresses move by
    warp_access known{};           ///< the lanes of known address
};

/// A warp that was followed, and how far away others do the same.
template <class Used = core::when_used>
struct warp_record {
    warp_of_block of{};
    warp_reach<Used> reach{};
    core::late<Used, std::vector<executed>>
        steps{};  ///< `access` is null, `based` says whether there is one; of global memory, no transactions
    core::late<Used, std::vector<recorded_access>> accesses{};
    core::late<Used, std::vector<warp_access>>
        based{};  ///< lanes of accesses that share an unknown base
    warp_counts counts{};
    warp_waits waits{};
    bool is_counted{};  ///< one warp that did this
    double weight{};    ///< of others, not counted yet

    /// A step, in that round; false: there are too many.
    bool add(const executed& e, std::uint32_t round, const warp_distance& by) {
        constexpr std::size_t max_steps = 4096;
        constexpr std::size_t max_accesses = 512;
        if (steps.size() == max_steps || accesses.size() == max_accesses) return false;
        steps.push_back(e);
        executed& step = steps.back();
        step.access = nullptr;
        if (!touches_global(e)) return true;  // `based` says that there is one
        step.based = nullptr;
        step.transactions = 0;
        if (e.based != nullptr) based.push_back(*e.based);
        accesses.push_back(
            {.step = static_cast<std::uint32_t>(steps.size() - 1),
             .transactions = e.transactions,
             .round = round,
             .based = static_cast<std::uint32_t>(e.based == nullptr ? 0 : based.size()),
             .by = by,
             .known = *e.access});
        return true;
    }

    /// The same before a step.
    [[nodiscard]] warp_record before(std::size_t step) const {
        warp_record part{.of = of};
        part.steps.assign(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(step));
        for (const recorded_access& a : accesses) {
            if (a.step >= step) break;
            part.accesses.push_back(a);
            if (a.based != 0) part.based.push_back(based[a.based - 1]);
        }
        return part;
    }

    /// Calls `see(e, round)` with each access of global memory of a warp that is `away`.
    template <class See>
    void show(const warp_distance& away, coalescing_rule rule, const See& see) const {
        for (const recorded_access& a : accesses) {
            warp_access moved = a.known;
            const auto off =
                static_cast<std::uint64_t>(ptx::detail::run::distance_along(a.by, away));
            for (std::uint64_t& address : moved.addresses) address += off;
            executed e = steps[a.step];
            e.transactions = a.transactions;
            e.access = &moved;
            if (a.based != 0) e.based = &based[a.based - 1];
            e.alignment = static_cast<std::uint32_t>((e.alignment + off) % 128);
            // Segments of any generation begin anew after as many bytes.
            if (off % 256 != 0) ptx::detail::run::access_cost<Used>::count_known(moved, rule, e);
            see(e, a.round);
        }
    }
};

template <class Used = core::when_used>
class warp_records {
public:
    using machine = ptx::run::warp_machine<Used>;

    /// Machine and program must outlive it. `is_of_use`: warps are to be recorded.
    warp_records(const program& p, const extent& block, machine& m, compute_capability cc,
                 bool is_of_use)
        : machine_(m),
          rule_(coalescing_rule_of(cc)),
          reach_(p, m.cycle_bytes(cc), m.bank_bytes(cc)),
          begins_(block),
          is_of_use_(is_of_use) {}

    [[nodiscard]] const warp_begins<Used>& begins() const { return begins_; }
    [[nodiscard]] coalescing_rule rule() const { return rule_; }

    /// A warp that did what this one does; null if none is known. `away` gets the distance of this one.
    warp_record<Used>* find(const warp_of_block& here, warp_distance& away) {
        for (std::size_t n = 0; n < recent_.size(); ++n) {
            warp_record<Used>& r = records_[recent_[n]];
            if (!begins_.is_reached(r.of, r.reach, here, away)) continue;
            for (std::size_t k = n; k > 0; --k) std::swap(recent_[k], recent_[k - 1]);
            return &r;
        }
        return nullptr;
    }

    /// Follows a warp, `observe(e)` gives the round of each step, and records it, if `known` and others may do the same.
    template <class Observe>
    model_error follow(const ptx::run::warp_place& place, bool known, const Observe& observe) {
        const bool records =
            known && is_of_use_ && records_.size() < max_records && failures_ < max_failures;
        now_ = {.of = place_in(place.block_index, place.warp, place.ordinal)};
        decided_ = 0;
        reach_.give_up();
        const auto bad =
            machine_.run(place, recording<Observe>{*this, observe}, records ? &reach_ : nullptr);
        if (records && !reach_.holds()) ++failures_;
        if (!bad && reach_.holds()) keep();
        return bad;
    }

    /// Records warps that decide unknown data otherwise than the one that was followed last, if little is left to follow where
    /// they part. `observe` is that of `follow`, and asked only for rounds.
    template <class Observe>
    model_error fork(memory_facts<Used>& facts, const Observe& observe) {
        if (!reach_.holds() || !machine_.has_fork()) return {};
        const std::size_t first = records_.size() - 1;
        const std::size_t all = records_[first].steps.size();
        if (4 * (all - decided_) > all) return {};
        return for_other_starts(machine_, records_[first].of.start, [&](double start) {
            now_ = records_[first].before(decided_);
            now_.of.start = start;
            facts.begin_waits();
            for (const executed& e : now_.steps) facts.wait(e);
            const auto bad = machine_.run_fork(start, recording<Observe>{*this, observe});
            if (bad || !reach_.holds() || records_.size() >= max_records) return bad;
            keep();
            records_.back().waits = facts.waits();
            return bad;
        });
    }

    /// The record of the warp that was followed last; null if there is none.
    [[nodiscard]] warp_record<Used>* last() { return reach_.holds() ? &records_.back() : nullptr; }

    [[nodiscard]] auto begin() const { return records_.begin(); }
    [[nodiscard]] auto end() const { return records_.end(); }

private:
    template <class Observe>
    struct recording {
        warp_records& all;
        const Observe& observe;

        void operator()(const executed& e) const {
            if (!all.machine_.has_decided()) all.decided_ = all.now_.steps.size() + 1;
            const std::uint32_t round = observe(e);
            if (all.reach_.holds() && !all.now_.add(e, round, all.reach_.moved())) {
                all.reach_.give_up();
            }
        }
    };

    void keep() {
        now_.reach = {reach_.reach(), machine_.start_room()};
        recent_.push_back(static_cast<std::uint32_t>(records_.size()));
        records_.push_back(std::move(now_));
    }

    static constexpr std::size_t max_records = 256;
    static constexpr std::uint32_t max_failures =
        4;  // then nothing is known of the other warps, either

    machine& machine_;
    coalescing_rule rule_;
    ptx::detail::run::way_bounds<Used> reach_;  // of the warp under way
    warp_begins<Used> begins_;
    bool is_of_use_;
    std::uint32_t failures_ = 0;  // warps of which nothing was known that others do
    warp_record<Used> now_{};     // of the warp under way
    std::size_t decided_ = 0;     // its steps before the first that unknown data decided
    core::late<Used, std::vector<warp_record<Used>>> records_;
    core::late<Used, std::vector<std::uint32_t>> recent_;  // the same, what was found last first
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::trace

#endif
