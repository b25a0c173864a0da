// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SIMULATE_SM_MACHINE_HPP
#define WARPGAUGE_SIMULATE_SM_MACHINE_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/kernel/instruction.hpp>
#include <warpgauge/kernel/stream.hpp>
#include <warpgauge/simulate/caps.hpp>
#include <warpgauge/simulate/execution_units.hpp>
#include <warpgauge/simulate/memory_queue.hpp>
#include <warpgauge/simulate/result_slots.hpp>
#include <warpgauge/simulate/sleepers.hpp>
#include <warpgauge/simulate/sm_estimate.hpp>
#include <warpgauge/simulate/sm_parameters.hpp>
#include <warpgauge/simulate/stream_position.hpp>
#include <warpgauge/simulate/warp_chooser.hpp>

/// \file The simulation of one SM behind `simulate_sm`, which checks its input.
///
/// P4 and P7 are explained in docs/hybrid.md.

namespace warpgauge {

namespace detail::simulate {

/// A time at which a result is there, and whether it comes from DRAM or L2. Later times compare greater, and
/// of equal ones that of far memory.
struct result_time {
    std::uint64_t cycle_and_far{};  // 2 x cycle, + 1 if far

    static constexpr result_time at(std::uint64_t cycle, bool far) {
        return {cycle << 1 | static_cast<std::uint64_t>(far)};
    }
    [[nodiscard]] constexpr std::uint64_t cycle() const { return cycle_and_far >> 1; }
    [[nodiscard]] constexpr bool far() const { return (cycle_and_far & 1) != 0; }
    [[nodiscard]] static constexpr result_time later(result_time a, result_time b) {
        return a.cycle_and_far < b.cycle_and_far ? b : a;
    }
};

template <class Workspace, class Observer>
class sm_machine;

}  // namespace detail::simulate

/// The memory of a simulation, to be used again for the next one. Threads must not share it.
template <class Used = core::when_used>
class basic_sm_workspace {
public:
    /// Cycle in which each block of the last simulation ended.
    [[nodiscard]] const std::vector<std::uint64_t>& block_ends() const { return block_ends_; }

private:
    template <class Workspace, class Observer>
    friend class detail::simulate::sm_machine;

    struct warp {
        detail::simulate::result_time last_result{};  // the latest of all
        std::uint8_t resource{};                      // that the next entry needs
        bool waits_for_memory{};                      // while it sleeps
        detail::simulate::stream_position position{};
    };
    struct block {
        std::uint64_t at_barrier{};  // warps
        std::uint64_t end{};         // cycle
    };
    struct result {
        detail::simulate::result_time time{};
    };

    detail::simulate::result_slots<Used> slots_;
    detail::simulate::sleepers<Used> sleepers_;
    detail::simulate::warp_chooser<Used> chooser_;
    detail::simulate::memory_queue<Used> queue_;
    std::vector<warp> warps_;
    std::vector<block> blocks_;
    std::vector<result> results_;  // by warp and slot
    std::vector<std::uint64_t> block_ends_;
};

using sm_workspace = basic_sm_workspace<>;

namespace detail::simulate {

/// One simulation.
template <class Workspace, class Observer>
class sm_machine {
    using warp_state = typename Workspace::warp;
    using block_state = typename Workspace::block;

public:
    static result<sm_estimate> simulate(std::span<const instruction> stream, const sm_parameters& p,
                                        const sm_residency& r, warp_policy policy,
                                        const simulation_caps& caps, Workspace& space,
                                        Observer& observer) {
        space.slots_.assign(stream);
        if (space.slots_.count() > caps.words / (r.blocks * r.warps_per_block)) {
            return model_error{errc::limit_reached, "instructions"};
        }
        sm_machine machine(stream, p, r, space, observer);
        machine.begin(r, policy, caps);
        machine.run();
        if (machine.failure_) return machine.failure_;
        return machine.estimate_;
    }

private:
    sm_machine(std::span<const instruction> stream, const sm_parameters& p, const sm_residency& r,
               Workspace& space, Observer& observer)
        : stream_(stream),
          entries_(space.slots_.entries()),
          parameters_(p),
          observe_(observer),
          space_(space),
          warps_per_block_(static_cast<std::size_t>(r.warps_per_block)),
          slot_count_(space.slots_.count()),
          schedulers_(static_cast<std::uint64_t>(p.warp_schedulers)),
          issues_(static_cast<std::uint64_t>(p.issues_per_scheduler)),
          now_(r.start_cycle),
          units_(p.lanes, p.warp_size) {}

    void begin(const sm_residency& r, warp_policy policy, const simulation_caps& caps) {
        const auto warps = static_cast<std::size_t>(r.blocks * r.warps_per_block);
        unfinished_ = warps;
        space_.sleepers_.reset(warps);
        space_.chooser_.reset(warps, policy);
        space_.queue_.reset({.bytes_per_cycle = parameters_.dram_bytes_per_cycle,
                             .latency_cycles = parameters_.dram_latency_cycles,
                             .min_request_bytes = min_request_bytes(),
                             .max_requests = static_cast<std::size_t>(caps.words / 2)});
        space_.blocks_.assign(static_cast<std::size_t>(r.blocks), {});
        space_.results_.assign(warps * slot_count_, {});
        warp_state first;
        first.position.begin(stream_);
        first.resource = next_resource(first);
        space_.warps_.assign(warps, first);
        for (std::size_t w = 0; w < warps; ++w) space_.chooser_.add(w, first.resource);
        estimate_.stalls.nothing_resident = r.start_cycle;
    }

    [[nodiscard]] double min_request_bytes() const {
        double least = 65'536;
        for (const instruction& i : stream_) {
            if (is_memory(i)) least = core::min(least, bytes_of(i, parameters_));
        }
        return least;
    }

    void run() {
        while (unfinished_ > 0 && !failure_) {
            if (now_ > max_simulated_cycles) failure_ = {errc::limit_reached, "cycles"};
            now_ = issue_cycle() ? now_ + 1 : wait();
            space_.sleepers_.wake(now_, [&](std::size_t w) {
                asleep_for_memory_ -= space_.warps_[w].waits_for_memory;
                --asleep_;
                space_.chooser_.add(w, space_.warps_[w].resource);
            });
        }
        finish();
    }

    // --- One cycle

    // True if any instruction is issued.
    bool issue_cycle() {
        if (space_.queue_.ready() != 0 && space_.queue_.ready() <= now_) {
            space_.queue_.update(now_);
            update_memory();
        }
        space_.chooser_.begin_cycle(ready_, now_);
        std::uint64_t slots = 0;
        for (std::size_t w = 0; slots < schedulers_ && space_.chooser_.choose(w); ++slots)
            issue_from(w);
        space_.chooser_.end_cycle();
        estimate_.issue_slots += slots;
        estimate_.issue_cycles += slots > 0 ? 1 : 0;
        return slots > 0;
    }

    // Issues from a warp whose next instruction can be, as many as its scheduler may.
    void issue_from(std::size_t w) {
        warp_state& warp = space_.warps_[w];
        space_.chooser_.remove(w, warp.resource);
        for (std::uint64_t n = 1;; ++n) {
            const unit_kind unit = stream_[warp.position.entry()].unit;
            issue(w, warp);
            if (unit == unit_kind::barrier) return arrive(w);
            if (warp.position.entry() == stream_.size()) return retire(w, warp);
            warp.resource = next_resource(warp);
            const result_time needed = needed_results(w, warp);
            if (n < issues_ && needed.cycle() <= now_ && ready_[warp.resource] <= now_) continue;
            return sleep(w, warp, needed);
        }
    }

    // The resource that the warp's next entry waits for.
    [[nodiscard]] std::uint8_t next_resource(const warp_state& warp) const {
        const unit_kind unit = stream_[warp.position.entry()].unit;
        if (unit == unit_kind::global_memory) return memory_resource;
        const std::size_t u = unit_of(unit, parameters_);
        return static_cast<std::uint8_t>(u == sm_unit_count ? no_resource : u);
    }

    // When the results that the warp's next entry needs are there. A barrier needs all results.
    [[nodiscard]] result_time needed_results(std::size_t w, const warp_state& warp) const {
        const std::uint32_t entry = warp.position.entry();
        if (stream_[entry].unit == unit_kind::barrier) return warp.last_result;
        const auto* const results = &space_.results_[w * slot_count_];
        const auto& needs = entries_[entry].needs;
        return result_time::later(
            result_time::later(results[needs[0]].time, results[needs[1]].time),
            results[needs[2]].time);
    }

    void sleep(std::size_t w, warp_state& warp, result_time needed) {
        warp.waits_for_memory = needed.far();
        asleep_for_memory_ += warp.waits_for_memory;
        ++asleep_;
        space_.sleepers_.sleep(w, core::max(needed.cycle(), now_ + 1));  // P4
    }

    void issue(std::size_t w, warp_state& warp) {
        const std::uint32_t entry = warp.position.entry();
        const instruction& i = stream_[entry];
        const std::uint64_t completes = execute(i, warp.resource);
        const bool far = i.unit == unit_kind::global_memory || i.unit == unit_kind::l2_cache;
        const result_time time = result_time::at(completes, far);
        space_.results_[w * slot_count_ + entries_[entry].result].time = time;
        warp.last_result = result_time::later(warp.last_result, time);
        ++estimate_.warp_instructions;
        observe_(sm_event{.cycle = now_,
                          .completes = completes,
                          .warp = static_cast<std::uint32_t>(w),
                          .entry = entry,
                          .unit = i.unit});
        warp.position.advance(stream_);
    }

    // Starts an instruction on its resource. Returns the cycle in which its result is there.
    std::uint64_t execute(const instruction& i, std::size_t resource) {
        if (resource == no_resource) return now_ + 1;
        const double parts =
            uses_load_store_units(i.unit) && i.transactions > 1 ? i.transactions : 1;
        if (resource == memory_resource) {
            const double finished = occupy(index_of(sm_unit::load_store), parts);
            const double answered = space_.queue_.request(bytes_of(i, parameters_), now_, failure_);
            if (space_.queue_.ready() != 0) update_memory();
            return whole_cycles(core::max(answered, finished), failure_);
        }
        const double finished = occupy(resource, parts);
        const double later = (parts - 1) * parameters_.warp_size / parameters_.lanes[resource];
        const double there = static_cast<double>(now_) + latency_of(i.unit, parameters_) + later;
        return whole_cycles(core::max(there, finished), failure_);
    }

    // Warps that need a unit that is busy from now on cannot issue any more in this cycle.
    double occupy(std::size_t unit, double parts) {
        const double finished = units_.occupy(unit, parts, now_);
        if (units_.ready(unit) > now_) {
            ready_[unit] = units_.ready(unit);
            space_.chooser_.drop(unit);
            if (unit == index_of(sm_unit::load_store)) update_memory();
        }
        return finished;
    }

    // Global memory takes a load/store unit and a place in the queue.
    void update_memory() {
        ready_[memory_resource] =
            core::max(ready_[index_of(sm_unit::load_store)], space_.queue_.ready());
        if (ready_[memory_resource] > now_) space_.chooser_.drop(memory_resource);
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
                warp.resource = next_resource(warp);
                sleep(o, warp, {});
            }
        }
    }

    // A warp has ended when all its results are there (P7).
    void retire(std::size_t w, const warp_state& warp) {
        block_state& block = space_.blocks_[w / warps_per_block_];
        block.end = core::max(block.end, warp.last_result.cycle());
        last_result_ = result_time::later(last_result_, warp.last_result);
        --unfinished_;
    }

    // --- Cycles without an issue

    // The next cycle in which anything changes; those until then count for what holds most warps up.
    std::uint64_t wait() {
        waiting_warps waiting{.memory_dependence = asleep_for_memory_,
                              .dependence = asleep_ - asleep_for_memory_,
                              .barrier = at_barrier_};
        std::uint64_t next = space_.sleepers_.next();
        for (std::size_t r = 0; r < no_resource; ++r) {
            const std::uint64_t warps = space_.chooser_.count(r);
            if (warps == 0) continue;
            next = core::min(next, ready_[r]);
            if (r == memory_resource && space_.queue_.ready() > now_) {
                waiting.memory_queue = warps;
                next = core::min(
                    next, space_.queue_.ready());  // from then on they wait for the unit alone
            } else {
                waiting.unit_busy += warps;
            }
        }
        count_stall(estimate_.stalls, waiting, next - now_);
        return next;
    }

    void finish() {
        estimate_.cycles = last_result_.cycle();
        // After the last issue, warps wait for results.
        std::uint64_t& drained =
            last_result_.far() ? estimate_.stalls.memory_dependence : estimate_.stalls.dependence;
        drained += estimate_.cycles - now_;
        const auto cycles = static_cast<double>(estimate_.cycles);
        estimate_.issue_utilisation = static_cast<double>(estimate_.issue_slots) /
                                      (static_cast<double>(schedulers_) * cycles);
        for (std::size_t u = 0; u < sm_unit_count; ++u) {
            estimate_.unit_utilisation[u] = units_.utilisation(u, cycles);
        }
        estimate_.dram_bytes = space_.queue_.moved_bytes();
        estimate_.dram_utilisation =
            estimate_.dram_bytes / (parameters_.dram_bytes_per_cycle * cycles);
        double ends = 0;
        space_.block_ends_.clear();
        for (const block_state& block : space_.blocks_) {
            space_.block_ends_.push_back(block.end);
            ends += static_cast<double>(block.end);
        }
        estimate_.mean_block_end_cycles = ends / static_cast<double>(space_.blocks_.size());
    }

    std::span<const instruction> stream_;
    decltype(std::declval<Workspace&>().slots_.entries()) entries_;
    const sm_parameters& parameters_;
    Observer& observe_;

    Workspace& space_;

    std::size_t warps_per_block_;
    std::size_t slot_count_;
    std::uint64_t schedulers_;
    std::uint64_t issues_;

    std::uint64_t now_;
    execution_units units_;
    resource_times ready_{};
    std::size_t unfinished_ = 0;
    std::uint64_t asleep_ = 0;
    std::uint64_t asleep_for_memory_ = 0;
    std::uint64_t at_barrier_ = 0;
    result_time last_result_{};
    sm_estimate estimate_{};
    model_error failure_{};
};

}  // namespace detail::simulate

}  // namespace warpgauge

#endif
