// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SIMULATE_SM_MACHINE_HPP
#define WARPGAUGE_SIMULATE_SM_MACHINE_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include <warpgauge/core/result.hpp>
#include <warpgauge/kernel/instruction.hpp>
#include <warpgauge/simulate/caps.hpp>
#include <warpgauge/simulate/decoded_stream.hpp>
#include <warpgauge/simulate/result_time.hpp>
#include <warpgauge/simulate/sm_blocks.hpp>
#include <warpgauge/simulate/sm_estimate.hpp>
#include <warpgauge/simulate/sm_parameters.hpp>
#include <warpgauge/simulate/warp_chooser.hpp>
#include <warpgauge/simulate/warp_set.hpp>

/// \file The simulation of one SM behind `simulate_sm`, which checks its input.
///
/// P4 is explained in docs/hybrid.md.

namespace WARPGAUGE_NAMESPACE {

namespace detail::simulate {

/// One simulation, of an SM with so many sub-cores.
template <class Workspace, class Observer, std::size_t SubCores>
class sm_machine : sm_blocks<Workspace, SubCores> {
    using base = sm_blocks<Workspace, SubCores>;
    using warp_state = typename base::warp_state;
    using cycle = typename base::resources::cycle_ticks;
    using base::call_from_;
    using base::counted_;
    using base::entries_;
    using base::estimate_;
    using base::failure_;
    using base::last_result_;
    using base::now_;
    using base::resources_;
    using base::sleepers_;
    using base::space_;
    using base::stream_;
    using base::warps_;
    static constexpr bool observed = !std::is_same_v<std::remove_cv_t<Observer>, no_observer>;

public:
    static result<sm_estimate> simulate(std::span<const instruction> stream, const sm_parameters& p,
                                        const sm_residency& r, warp_policy policy,
                                        const simulation_caps& caps, Workspace& space,
                                        Observer& observer) {
        space.slots_.assign(stream);
        if (space.slots_.count() > caps.words / (r.blocks * r.warps_per_block)) {
            return model_error{errc::limit_reached, "instructions"};
        }
        space.stream_.assign(stream, space.slots_, p);
        sm_machine machine(stream, p, r, space, observer);
        machine.begin(r, policy, caps);
        const bool by_index = policy == warp_policy::lowest_index;
        by_index ? machine.template run<true>() : machine.template run<false>();
        if (machine.failure_) return machine.failure_;
        return machine.estimate_;
    }

private:
    sm_machine(std::span<const instruction> stream, const sm_parameters& p, const sm_residency& r,
               Workspace& space, Observer& observer)
        : base(stream, p, r, space, !observed),
          observe_(observer),
          issues_(static_cast<std::uint64_t>(p.issues_per_scheduler)) {}

    // `ByIndex`: the lowest eligible warp is always chosen.
    template <bool ByIndex>
    void run() {
        space_.warps_.size() <= 64 ? run_cycles<1, ByIndex>() : run_cycles<0, ByIndex>();
        this->finish();
    }
    // The sets of warps have `Words` words; 0: as many as they have.
    template <std::size_t Words, bool ByIndex>
    void run_cycles() {
        call_from_ = this->max_instructions_ + 1;
        std::uint64_t now = now_;
        for (;;) {
            const bool any = issue_cycle<Words, ByIndex>(now);
            now_ = now = any ? now_ + 1 : this->template wait<Words>();
            sleepers_.template wake<Words>(now, [&](std::size_t word, std::uint64_t warps) {
                resources_.chooser().wake_all(word, warps);
            });
            if (estimate_.warp_instructions < call_from_) continue;
            if (!this->between_cycles()) return;
            now = now_;
        }
    }

    // --- One cycle

    // True if any instruction is issued.
    template <std::size_t Words, bool ByIndex>
    [[gnu::always_inline]] inline bool issue_cycle(std::uint64_t number) {
        eligible_warps<Words> eligible;
        const std::uint64_t sub_cores = resources_.begin_cycle(eligible, number);
        if (sub_cores == 0) return false;
        const auto now = resources_.ticks_of_cycle(number);
        if constexpr (SubCores == 1) {
            issue_turn<ByIndex>(eligible, 0, now);
            return true;
        }
        const std::size_t first = resources_.first_sub_core();
        // Each has its turn, `first` first.
        for (std::uint64_t rest =
                 (sub_cores >> first | sub_cores << (SubCores - first)) & (bit_of(SubCores) - 1);
             rest != 0; rest &= rest - 1) {
            issue_turn<ByIndex>(eligible, (first + first_warp(0, rest)) % SubCores, now);
        }
        return true;
    }

    // What the schedulers of a sub-core issue in a cycle.
    template <bool ByIndex, std::size_t Words>
    [[gnu::always_inline]] inline void issue_turn(eligible_warps<Words>& eligible,
                                                  std::size_t sub_core, const cycle& now) {
        if constexpr (!ByIndex) {
            eligible = issue_by_policy(eligible, sub_core);
            return;
        }
        warp_bit w;
        std::uint64_t issued = 0;
        auto& chooser = resources_.chooser();
        bool any = chooser.template choose_lowest<SubCores>(eligible, w, sub_core);
        while (any) {
            issue_from(eligible, w, now);
            ++issued;
            any = chooser.template choose_lowest<SubCores>(eligible, w, sub_core) &&
                  issued < resources_.schedulers(sub_core);
        }
        estimate_.issue_slots += issued;
    }
    template <std::size_t Words>
    [[gnu::noinline]] eligible_warps<Words> issue_by_policy(eligible_warps<Words> eligible,
                                                            std::size_t sub_core) {
        const auto now = resources_.ticks_of_cycle(now_);
        auto& chooser = resources_.chooser();
        warp_bit w;
        std::uint64_t issued = 0;
        while (chooser.template choose<SubCores>(eligible, w, sub_core)) {
            issue_from(eligible, w, now);
            if (++issued == resources_.schedulers(sub_core)) break;
        }
        estimate_.issue_slots += issued;
        chooser.template end_turn<SubCores>(sub_core);
        return eligible;
    }

    // The sub-core of a warp.
    [[nodiscard]] static std::size_t sub_core_of(std::size_t w) { return w % SubCores; }

    // Issues from a warp whose next instruction can be, as many as its scheduler may.
    template <std::size_t Words>
    [[gnu::always_inline]] inline void issue_from(eligible_warps<Words>& eligible, warp_bit w,
                                                  const cycle& now) {
        warp_state& warp = warps_[w.index];
        const decoded_entry& first = *warp.next;
        if (first.issues == 0) [[unlikely]] {
            eligible = issue_one_by_one(eligible, w, warp);
            return;
        }
        issue_plain<false>(eligible, w, warp, first, now);
        const decoded_entry& second = *(&first + 1);
        if (first.issues == 1) {
            end_turn<Words>(w, warp, first, second, now);
        } else if (!resources_.is_unit_ready(second, sub_core_of(w.index), now)) {
            end_early<Words>(w, warp, first, second, now);
        } else {
            issue_plain<true>(eligible, w, warp, second, now);
            end_turn<Words>(w, warp, first, *(&second + 1), now);
        }
    }

    // After a turn as it was worked out for its first entry. The next turn begins with `next`.
    template <std::size_t Words>
    [[gnu::always_inline]] inline void end_turn(warp_bit w, warp_state& warp,
                                                const decoded_entry& first,
                                                const decoded_entry& next, const cycle& now) {
        warp.last_result =
            result_time::later(warp.last_result, {first.turn_latency + 2 * now.cycle});
        warp.next = &next;
        estimate_.warp_instructions += static_cast<std::uint64_t>(&next - &first);
        if (first.changes_need) use_next<Words>(w, warp, first, next);
        if (first.rest > 1) [[likely]] {
            resources_.chooser().template put_to_sleep<Words>(w);
            sleepers_.template sleep_shortly<Words>(w, now.cycle + first.rest);
        } else if (first.rest == 0) {
            this->template wait_for<Words>(w, needed_results(warp, next));
        }
    }
    // The same of the first entry alone, since the unit of the second is not ready.
    template <std::size_t Words>
    [[gnu::always_inline]] inline void end_early(warp_bit w, warp_state& warp,
                                                 const decoded_entry& first,
                                                 const decoded_entry& second, const cycle& now) {
        warp.last_result = result_time::later(warp.last_result, {first.latency + 2 * now.cycle});
        warp.next = &second;
        ++estimate_.warp_instructions;
        if (second.resource != first.resource) use_next<Words>(w, warp, first, second);
    }
    template <std::size_t Words>
    [[gnu::always_inline]] inline void use_next(warp_bit w, warp_state& warp,
                                                const decoded_entry& first,
                                                const decoded_entry& next) {
        resources_.chooser().template need_after_unit<Words>(w, first.resource, next.resource);
        warp.resource = next.resource;
    }

    // The same of entries of any kind. Not inlined: most are plain.
    template <std::size_t Words>
    [[gnu::noinline]] eligible_warps<Words> issue_one_by_one(eligible_warps<Words> eligible,
                                                             warp_bit w, warp_state& warp) {
        const auto now = resources_.ticks_of_cycle(now_);
        warp.position.move_to(static_cast<std::uint32_t>(warp.next - entries_.data()));
        const decoded_entry* entry = warp.next;
        result_time needed;
        std::uint64_t left = issues_;
        do {
            const bool goes_on = entry->is_simple ? issue_simple(eligible, w, warp, *entry, now)
                                                  : issue_other(eligible, w, warp, *entry);
            if (!goes_on) return eligible;
            entry = warp.next;
            needed = needed_results(warp, *entry);
        } while (--left > 0 && needed.by(now.cycle) &&
                 resources_.is_ready(*entry, sub_core_of(w.index), now));
        change_need<Words>(resources_.chooser(), w, warp, entry->resource);
        this->template wait_for<Words>(w, needed);
        return eligible;
    }

    template <bool MayFill, std::size_t Words>
    [[gnu::always_inline]] inline void issue_plain(eligible_warps<Words>& eligible, warp_bit w,
                                                   warp_state& warp, const decoded_entry& e,
                                                   const cycle& now) {
        resources_.template take_unit<MayFill>(e, sub_core_of(w.index), eligible, now);
        const result_time time{e.latency + 2 * now.cycle};
        warp.results[e.result].time = time;
        if constexpr (observed) {
            observe(w.index, static_cast<std::uint32_t>(&e - entries_.data()), time.cycle());
        }
    }

    // The same of a simple entry, which may be the last of a loop. Returns whether the warp goes on.
    template <std::size_t Words>
    bool issue_simple(eligible_warps<Words>& eligible, warp_bit w, warp_state& warp,
                      const decoded_entry& e, const cycle& now) {
        issue_plain<true>(eligible, w, warp, e, now);
        warp.last_result = result_time::later(warp.last_result, warp.results[e.result].time);
        return this->pass(w.index, warp, e);
    }

    // The same of any entry. Returns whether the warp goes on.
    template <std::size_t Words>
    bool issue_other(eligible_warps<Words>& eligible, warp_bit w, warp_state& warp,
                     const decoded_entry& e) {
        const std::uint64_t completes =
            now_ + resources_.execute(e, sub_core_of(w.index), eligible, now_, failure_);
        if (failure_) call_from_ = 0;
        const result_time time = result_time::at(completes, e.is_far());
        if (e.is_left_behind) last_result_ = result_time::later(last_result_, time);
        write_result(warp, space_.slots_, e, time, now_);
        observe(w.index, warp.position.entry(), completes);
        return this->pass(w.index, warp, e);
    }

    void observe(std::size_t w, std::uint32_t entry, std::uint64_t completes) {
        observe_(sm_event{.cycle = now_ + counted_.cycles,
                          .completes = completes + counted_.cycles,
                          .warp = static_cast<std::uint32_t>(w),
                          .entry = entry,
                          .unit = stream_[entry].unit});
    }

    Observer& observe_;
    std::uint64_t issues_;
};

}  // namespace detail::simulate

}  // namespace WARPGAUGE_NAMESPACE

#endif
