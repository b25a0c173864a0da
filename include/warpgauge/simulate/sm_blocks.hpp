// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SIMULATE_SM_BLOCKS_HPP
#define WARPGAUGE_SIMULATE_SM_BLOCKS_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/kernel/instruction.hpp>
#include <warpgauge/simulate/block_rounds.hpp>
#include <warpgauge/simulate/caps.hpp>
#include <warpgauge/simulate/decoded_stream.hpp>
#include <warpgauge/simulate/execution_units.hpp>
#include <warpgauge/simulate/loop_periods.hpp>
#include <warpgauge/simulate/memory_ports.hpp>
#include <warpgauge/simulate/result_slots.hpp>
#include <warpgauge/simulate/result_time.hpp>
#include <warpgauge/simulate/sm_estimate.hpp>
#include <warpgauge/simulate/sm_parameters.hpp>
#include <warpgauge/simulate/sm_resources.hpp>
#include <warpgauge/simulate/sm_workspace.hpp>
#include <warpgauge/simulate/warp_chooser.hpp>

/// \file The warps and blocks of a simulation of one SM: their barriers and ends, and what need not be simulated.
///
/// P4 and P7 are explained in docs/hybrid.md.

namespace WARPGAUGE_NAMESPACE::detail::simulate {

/// What a sleeping warp waits for if not for a result of the SM itself: one of memory, or the begin of its block.
inline constexpr std::size_t for_memory = 1;
inline constexpr std::size_t for_begin = 2;

/// The fractions of its cycles that an SM used its resources, with the work of all warps that were simulated.
template <class Used, std::size_t SubCores>
void add_utilisation(sm_estimate& e, const sm_parameters& p, const execution_units<SubCores>& units,
                     const work_by_unit& simulated, const memory_ports<Used>& memory,
                     const counted_work& counted) {
    const auto cycles = static_cast<double>(e.cycles);
    e.extrapolation_error = counted.error_cycles / cycles;
    e.issue_utilisation = static_cast<double>(e.issue_slots) / (p.warp_schedulers * cycles);
    for (std::size_t u = 0; u < sm_unit_count; ++u) {
        const double work = static_cast<double>(simulated[u]) + counted.work[u];
        e.unit_utilisation[u] = units.cycles_of(u, work) / cycles;
    }
    e.l2_bytes = memory.l2().moved_bytes();
    e.l2_utilisation = memory.l2().busy_cycles() / cycles;
    e.dram_bytes = memory.dram().moved_bytes();
    e.dram_utilisation = memory.dram().busy_cycles() / cycles;
}

/// When the last blocks of an SM end, into `ends`, and the mean.
template <class Blocks, class Cycles>
void add_block_ends(sm_estimate& e, const Blocks& blocks, std::uint64_t skipped_cycles,
                    Cycles& ends) {
    double sum = 0;
    ends.clear();
    for (const auto& block : blocks) {
        ends.push_back(block.last_result.cycle() + skipped_cycles);
        sum += static_cast<double>(ends.back());
    }
    e.mean_block_end_cycles = sum / static_cast<double>(blocks.size());
}

/// What a simulation has counted so far, with all results until `last_result`.
template <class Used>
sm_totals totals(const sm_progress& progress, std::size_t unfinished,
                 const memory_ports<Used>& memory, result_time last_result) {
    return {.progress = progress,
            .l2_bytes = memory.l2().moved_bytes(),
            .dram_bytes = memory.dram().moved_bytes(),
            .unfinished = unfinished,
            .last_rate = memory.dram().last(),
            .last_result = last_result.cycle_and_far};
}

/// Writes the result of an asynchronous copy or product, or of what closes a group, to the results of its warp. A group
/// arrives when all of its copies have, or products, and all groups before it. Not inlined: streams without copies would
/// take a hundredth more host instructions.
template <class Result, class Used>
[[gnu::noinline]] void write_copies(Result* results, const result_slots<Used>& slots,
                                    const decoded_entry& e, result_time time) {
    const auto of = e.of_products ? slots.products() : slots.copies();
    result_time& own = results[e.result].time;
    own = e.result == of.all ? result_time::later(own, time) : time;
    if (!e.closes_group) return;
    for (std::uint32_t g = of.all + of.groups; g > of.all; --g) results[g] = results[g - 1];
}

/// Writes the result of an entry that may be a store, for which its warp's end does not wait, or an asynchronous copy
/// or product.
template <class Warp, class Used>
void write_result(Warp& warp, const result_slots<Used>& slots, const decoded_entry& e,
                  result_time time, std::uint64_t now) {
    if (e.is_async) write_copies(warp.results, slots, e, time);
    if (!e.is_async) warp.results[e.result].time = time;
    const result_time end = e.is_left_behind ? result_time::at(now + 1, false) : time;
    warp.last_result = result_time::later(warp.last_result, end);
}

/// All warps begin, with so many slots of results each.
template <class Warps, class Result, class Chooser>
void begin_warps(Warps& warps, Result* results, std::size_t slots, Chooser& chooser) {
    for (std::size_t w = 0; w < warps.size(); ++w) {
        warps[w].results = results + w * slots;
        chooser.need(w, warps[w].resource);
        chooser.wake(w);
    }
}

/// The next instruction of a warp needs `resource`.
template <std::size_t Words, class Chooser, class Warp>
[[gnu::always_inline]] inline void change_need(Chooser& chooser, warp_bit w, Warp& warp,
                                               std::uint8_t resource) {
    if (warp.resource == resource) return;
    chooser.template need_no_more<Words>(w, warp.resource);
    chooser.template need<Words>(w, resource);
    warp.resource = resource;
}

/// When the results that the next entry of a warp needs are there.
template <class Warp>
[[gnu::always_inline]] inline result_time needed_results(const Warp& warp,
                                                         const decoded_entry& next) {
    const auto* const results = warp.results;
    if (next.waits_for <= awaited::one) [[likely]]
        return results[next.needs[0]].time;
    if (next.waits_for == awaited::all_of_warp) return warp.last_result;
    return result_time::later(
        result_time::later(results[next.needs[0]].time, results[next.needs[1]].time),
        results[next.needs[2]].time);
}

/// The latest of all results, also of warps that have not ended.
template <class Warps>
result_time latest_result(result_time of_ended, const Warps& warps) {
    for (const auto& warp : warps) of_ended = result_time::later(of_ended, warp.last_result);
    return of_ended;
}

/// What a simulation has counted in `e` until cycle `now`, with so many blocks.
template <class = core::when_used>
sm_progress progress_of(const sm_estimate& e, std::uint64_t now, std::uint64_t begun) {
    return {.cycle = now,
            .blocks = begun,
            .warp_instructions = e.warp_instructions,
            .issue_slots = e.issue_slots,
            .issue_cycles = e.issue_cycles,
            .stalls = e.stalls};
}

/// The warps and blocks of one simulation, of an SM with so many sub-cores: all but what they issue.
template <class Workspace, std::size_t SubCores>
class sm_blocks {
protected:
    using warp_state = typename Workspace::warp;
    using block_state = typename Workspace::block;
    using sleeping = decltype(Workspace::sleepers_);
    using resources = sm_resources<SubCores, decltype(Workspace::memory_)>;

    /// `skips_rounds`: those that repeat need not be simulated.
    sm_blocks(std::span<const instruction> stream, const sm_parameters& p, const sm_residency& r,
              Workspace& space, bool skips_rounds)
        : stream_(stream),
          entries_(space.stream_.entries()),
          parameters_(p),
          space_(space),
          sleepers_(std::move(space.sleepers_)),
          warps_per_block_(static_cast<std::size_t>(r.warps_per_block)),
          turnaround_(static_cast<std::uint64_t>(p.turnaround_cycles)),
          now_(r.start_cycle),
          begun_(r.blocks),
          total_blocks_(core::max(r.blocks, r.total_blocks)),
          resources_(p, space.memory_),
          skips_rounds_(skips_rounds) {}
    ~sm_blocks() { space_.sleepers_ = std::move(sleepers_); }
    sm_blocks(const sm_blocks&) = delete;
    sm_blocks& operator=(const sm_blocks&) = delete;

    void begin(const sm_residency& r, warp_policy policy, const simulation_caps& caps) {
        const auto warps = static_cast<std::size_t>(r.blocks * r.warps_per_block);
        unfinished_ = warps;
        sleepers_.reset(warps);
        resources_.chooser().reset(warps, policy);
        space_.memory_.reset(parameters_, space_.stream_, warps_per_block_ * (total_blocks_ - 1),
                             caps);
        space_.blocks_.assign(static_cast<std::size_t>(r.blocks), {});
        const std::size_t slots = space_.slots_.count();
        space_.results_.assign(warps * slots, {});
        first_.position.begin(stream_);
        first_.next = entries_.data() + first_.position.entry();
        first_.resource = first_.next->resource;
        space_.warps_.assign(warps, first_);
        warps_ = space_.warps_.data();
        begin_warps(space_.warps_, &space_.results_[0], slots, resources_.chooser());
        estimate_.stalls.nothing_resident = r.start_cycle;
        constexpr std::uint64_t most = std::uint64_t{1} << 60;
        max_instructions_ = 4 * core::min(caps.warp_instructions, most) + 3;
        space_.rounds_.reset(
            r.blocks, total_blocks_,
            static_cast<double>(warps_per_block_) * space_.stream_.per_warp().instructions, caps);
        space_.rounds_.begin(progress_of(estimate_, now_, begun_));
        space_.loops_.reset();
    }

    // What is done only after a cycle that set `call_from_` to 0. Returns whether the simulation goes on.
    [[gnu::noinline]] bool between_cycles() {
        if (begun_ >= space_.rounds_.next()) skip_blocks();
        if (loop_again_) skip_rounds();
        call_from_ = max_instructions_ + 1;
        if (unfinished_ == 0 || failure_) return false;
        if (estimate_.warp_instructions <= max_instructions_) return true;
        failure_ = {errc::limit_reached, "instructions"};
        return false;
    }

    // --- Warps

    // After its turn, a warp waits for results.
    template <std::size_t Words>
    [[gnu::always_inline]] inline void wait_for(warp_bit w, result_time needed) {
        if (needed.by(now_ + 1)) return;  // it issues again in the next cycle at the earliest (P4)
        resources_.chooser().template put_to_sleep<Words>(w);
        sleep<Words>(w, needed);
    }

    template <std::size_t Words>
    [[gnu::always_inline]] inline void sleep(warp_bit w, result_time needed) {
        sleepers_.template sleep<Words>(w, now_, needed.cycle(), needed.far() ? for_memory : 0);
    }

    // To the next entry in the stream. Whether the warp goes on.
    bool pass(std::size_t w, warp_state& warp, const decoded_entry& entry) {
        ++estimate_.warp_instructions;
        if (!entry.is_straight) return advance(w, warp, entry);
        warp.position.go_on();
        ++warp.next;
        return true;
    }

    // Whether the warp goes on after an entry that is not straight.
    bool advance(std::size_t w, warp_state& warp, const decoded_entry& entry) {
        const bool again = warp.position.advance(stream_);
        warp.next = entries_.data() + warp.position.entry();
        loop_again_ = loop_again_ || (skips_rounds_ && again && w == looping_);
        if (loop_again_) call_from_ = 0;
        if (!entry.is_barrier && warp.position.entry() < stream_.size()) return true;
        resources_.chooser().put_to_sleep(w);
        entry.is_barrier ? arrive(w) : retire(w, warp);
        return false;
    }

    // --- Barriers and ends

    void arrive(std::size_t w) {
        const std::size_t b = w / warps_per_block_;
        ++at_barrier_;
        if (++space_.blocks_[b].at_barrier < warps_per_block_) return;
        at_barrier_ -= warps_per_block_;
        space_.blocks_[b].at_barrier = 0;
        for (std::size_t o = b * warps_per_block_; o < (b + 1) * warps_per_block_; ++o) {
            warp_state& warp = space_.warps_[o];
            warp.last_result =
                result_time::later(warp.last_result, result_time::at(now_ + 1, false));
            if (warp.position.entry() == stream_.size()) {
                retire(o, warp);
            } else {
                const decoded_entry& next = *warp.next;
                change_need<0>(resources_.chooser(), o, warp, next.resource);
                const result_time needed = needed_results(warp, next);
                needed.by(now_ + 1) ? resources_.chooser().wake(o) : sleep<0>(o, needed);
            }
        }
    }

    // A warp has ended when its results are there (P7), and a block when all its warps have.
    void retire(std::size_t w, const warp_state& warp) {
        const std::size_t b = w / warps_per_block_;
        block_state& block = space_.blocks_[b];
        block.last_result = result_time::later(block.last_result, warp.last_result);
        last_result_ = result_time::later(last_result_, warp.last_result);
        if (--unfinished_ == 0) call_from_ = 0;
        if (w == looping_) looping_ = w + 1 < space_.warps_.size() ? w + 1 : 0;
        if (++block.ended == warps_per_block_ && begun_ < total_blocks_) replace(b);
    }

    // The next block begins in the place of one that has ended.
    void replace(std::size_t b) {
        block_state& block = space_.blocks_[b];
        block.ended = 0;
        const std::uint64_t begins = block.last_result.cycle() + turnaround_;
        for (std::size_t w = b * warps_per_block_; w < (b + 1) * warps_per_block_; ++w) {
            warp_state& warp = space_.warps_[w];
            warp.last_result = {};
            warp.position = first_.position;
            warp.next = first_.next;
            change_need<0>(resources_.chooser(), w, warp, first_.resource);
            sleepers_.sleep(w, now_, core::max(begins, now_ + 1), for_begin);
        }
        unfinished_ += warps_per_block_;
        ++begun_;
        call_from_ = 0;
    }

    // --- Rounds that need no simulation

    void skip_blocks() {
        const auto skipped = space_.rounds_.look(
            progress(), [&](auto&& visit) { state().for_each_word_and_round(visit); });
        if (skipped.count == 0) return;
        if (!count_skipped(estimate_, skipped, space_.stream_.per_warp(), warps_per_block_,
                           resources_.units(), parameters_, counted_)) {
            failure_ = {errc::limit_reached, "cycles"};
        }
        space_.memory_.add_moved(counted_.l2_bytes, counted_.dram_bytes);
        max_instructions_ += counted_.warp_instructions;
        begun_ += skipped.count;
    }

    // What was counted until now.
    sm_progress progress() {
        count_issue_cycles();
        return progress_of(estimate_, now_, begun_);
    }
    // All cycles without a stall.
    void count_issue_cycles() {
        estimate_.issue_cycles = now_ + counted_.cycles - estimate_.stalls.total();
    }

    [[nodiscard]] sm_state<Workspace, resources, sleeping> state() {
        return {space_, resources_, sleepers_, now_};
    }

    // Rounds of loops that happen as earlier ones did.
    void skip_rounds() {
        loop_again_ = false;
        const std::size_t depth = space_.warps_[looping_].position.depth();
        if (!space_.loops_.is_due(depth)) return;
        const sm_totals to = totals(progress(), unfinished_, space_.memory_,
                                    latest_result(last_result_, space_.warps_));
        auto sm = state();
        const auto skipped = space_.loops_.look(
            depth, to, sm, {space_.stream_.whole_bytes(), space_.memory_.dram().last_from_bytes()});
        if (skipped.times == 0) return;
        count_again(estimate_, skipped.took.progress, skipped.times);
        now_ += skipped.times * skipped.took.progress.cycle;
        last_result_ = {skipped.last_result};
        state().go_to(skipped, depth, stream_);
        at_barrier_ = state().at_barrier();
    }

    // --- Cycles without an issue

    // The next cycle in which anything changes; those until then count for what holds most warps up.
    template <std::size_t Words>
    std::uint64_t wait() {
        waiting_warps waiting{.memory_dependence = sleepers_.count(for_memory),
                              .barrier = at_barrier_,
                              .nothing_resident = sleepers_.count(for_begin)};
        const std::uint64_t ready = resources_.template wait<Words>(waiting, now_);
        waiting.dependence = unfinished_ - waiting.memory_queue - waiting.unit_busy -
                             waiting.memory_dependence - waiting.barrier - waiting.nothing_resident;
        const std::uint64_t next = sleepers_.template next<Words>(now_, ready);
        if (next > max_simulated_cycles) failure_ = {errc::limit_reached, "cycles"};
        if (failure_) call_from_ = 0;
        count_stall(estimate_.stalls, waiting, next - now_);
        return next;
    }

    void finish() {
        if (last_result_.cycle() > max_simulated_cycles) failure_ = {errc::limit_reached, "cycles"};
        estimate_.cycles = last_result_.cycle() + counted_.cycles;
        count_issue_cycles();
        // After the last issue, warps wait for results.
        std::uint64_t& drained =
            last_result_.far() ? estimate_.stalls.memory_dependence : estimate_.stalls.dependence;
        drained += last_result_.cycle() - now_;
        estimate_.blocks = total_blocks_;
        const std::uint64_t blocks =
            total_blocks_ - estimate_.repeated_blocks - estimate_.extrapolated_blocks;
        work_by_unit work = space_.stream_.per_warp().work;
        for (std::uint64_t& of_unit : work) of_unit *= blocks * warps_per_block_;
        add_utilisation(estimate_, parameters_, resources_.units(), work, space_.memory_, counted_);
        add_block_ends(estimate_, space_.blocks_, counted_.cycles, space_.block_ends_);
    }

    std::span<const instruction> stream_;
    std::span<const decoded_entry> entries_;
    const sm_parameters& parameters_;

    Workspace& space_;
    sleeping
        sleepers_;  // the workspace's meanwhile, so that one pointer less is followed in a turn
    warp_state* warps_ = nullptr;

    std::size_t warps_per_block_;
    std::uint64_t turnaround_;

    std::uint64_t now_;    // as if nothing had been skipped
    std::uint64_t begun_;  // blocks
    std::uint64_t total_blocks_;
    resources resources_;
    bool skips_rounds_;
    warp_state first_{};  // as every warp begins
    std::size_t unfinished_ = 0;
    std::uint64_t at_barrier_ = 0;
    result_time last_result_{};
    std::uint64_t max_instructions_ = 0;  // counted ones included
    std::uint64_t call_from_ = 0;         // so many instructions on, `between_cycles` is called
    std::size_t looping_ = 0;             // the warp whose loops say when to look
    bool loop_again_ = false;             // it has begun another round
    counted_work counted_{};
    sm_estimate estimate_{};
    model_error failure_{};
};

}  // namespace WARPGAUGE_NAMESPACE::detail::simulate

#endif
