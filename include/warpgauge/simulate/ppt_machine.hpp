// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SIMULATE_PPT_MACHINE_HPP
#define WARPGAUGE_SIMULATE_PPT_MACHINE_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <warpgauge/core/scalar.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/device/ppt_parameters.hpp>
#include <warpgauge/kernel/instruction.hpp>
#include <warpgauge/kernel/task_list.hpp>
#include <warpgauge/simulate/ppt_clock.hpp>
#include <warpgauge/simulate/ppt_units.hpp>
#include <warpgauge/simulate/ppt_values.hpp>
#include <warpgauge/simulate/sleepers.hpp>
#include <warpgauge/simulate/warp_set.hpp>

/// \file One SM of the authors' program, for one call.
///
/// The program steps through every cycle and tests every warp. Here warps that wait for a result or whose requests the
/// memory queue refuses are skipped, and so are cycles in which nothing can happen.

namespace WARPGAUGE_NAMESPACE::detail::simulate {

/// The blocks on the SM, and where its cycles start.
struct ppt_residency {
    std::size_t blocks{};
    std::size_t warps_per_block{};
    double start{};  ///< cycle of the first instruction
};

/// A task, with the places of the results that it needs among those of its warp.
struct ppt_decoded_task {
    std::uint32_t needs[3];
    ppt_pool pool;
    double latency;  ///< cycles
};

/// The task list of a call, and where a warp keeps the results of its last tasks.
///
/// A warp keeps as many results as it can issue tasks in the time of the longest latency, and two cycles more for all
/// rounding: an older one is there when a task asks for it.
template <class = core::when_used>
class ppt_tasks {
public:
    ppt_tasks(std::span<const task> tasks, const ppt_parameters& gpu) {
        double latency = gpu.loaded_dram_latency_cycles;
        for (const task& t : tasks) latency = core::max(latency, ppt_latency(t.unit, gpu));
        const double kept = gpu.issues_per_warp * (latency + 2);
        while (kept_ < tasks.size() && static_cast<double>(kept_) < kept) kept_ *= 2;
        decoded_.reserve(tasks.size() + 1);
        for (const task& t : tasks) decoded_.push_back(decoded(t, gpu));
        decoded_.push_back({{never(), never(), never()}, ppt_pool::end, 0});
    }

    const ppt_decoded_task& operator[](std::size_t at) const { return decoded_[at]; }

    /// The place of a task's result.
    [[nodiscard]] std::size_t place(std::size_t at) const { return at & (kept_ - 1); }
    /// The place of the latest of all results.
    [[nodiscard]] std::uint32_t latest() const { return static_cast<std::uint32_t>(kept_ + 1); }
    /// Places of a warp.
    [[nodiscard]] std::size_t places() const { return kept_ + 2; }

private:
    // A place where no result ever is.
    [[nodiscard]] std::uint32_t never() const { return static_cast<std::uint32_t>(kept_); }

    [[nodiscard]] ppt_decoded_task decoded(const task& t, const ppt_parameters& gpu) const {
        ppt_decoded_task d{{}, pool_of(t.unit), ppt_latency(t.unit, gpu)};
        for (std::size_t n = 0; n < t.after.size(); ++n) {
            const std::uint32_t i = t.after[n];
            const bool is_kept = i != task::none && decoded_.size() - i < kept_;
            d.needs[n] = is_kept ? static_cast<std::uint32_t>(place(i)) : never();
            if (d.pool == ppt_pool::barrier) d.needs[n] = latest();  // it waits for all
        }
        return d;
    }

    std::size_t kept_ = 1;
    std::vector<ppt_decoded_task> decoded_;
};

template <class Used = core::when_used>
class ppt_machine {
public:
    ppt_machine(std::span<const task> tasks, const ppt_parameters& gpu, ppt_state& state,
                const ppt_residency& r)
        : tasks_(tasks, gpu),
          schedulers_(static_cast<std::uint64_t>(gpu.warp_schedulers)),
          attempts_(static_cast<std::uint64_t>(gpu.issues_per_warp)),
          warps_per_block_(r.warps_per_block),
          clock_(r.start),
          units_(gpu, state),
          warps_(r.blocks * r.warps_per_block),
          blocks_(r.blocks),
          results_(warps_.size() * tasks_.places(), -1.0),
          awake_(words_of(warps_.size())),
          refused_(awake_.size()) {
        sleepers_.reset(warps_.size());
        for (std::size_t w = 0; w < warps_.size(); ++w) wake(w);
    }

    void run(ppt_estimate& e) {
        while (any_live()) {
            const bool quiet = !step();
            clock_.pass(quiet ? quiet_cycles() : 1);
            sleepers_.wake(clock_.cycle(), [&](std::size_t w) { wake(w); });
        }
        units_.settle();
        report(e);
    }

private:
    struct warp {
        std::uint32_t next_task = 0;
        double last_end = 0;  // completion of the task before
    };

    struct block {
        std::size_t retired = 0;
        std::uint64_t retired_in = 0;  // the cycle in which its last warp did
        std::size_t at_barrier = 0;
        bool live = true;
        double end = 0;
    };

    void report(ppt_estimate& e) const {
        e.cycles = clock_.now();
        e.issue_slots_used = slots_used_;
        e.warp_instructions = issued_;
        e.block_ends.resize(blocks_.size());
        e.block_last_ends.assign(blocks_.size(), 0);
        for (std::size_t b = 0; b < blocks_.size(); ++b) {
            e.block_ends[b] = blocks_[b].end;
            for (std::size_t w = b * warps_per_block_; w < (b + 1) * warps_per_block_; ++w) {
                e.block_last_ends[b] = core::max(e.block_last_ends[b], warps_[w].last_end);
            }
        }
    }

    void wake(std::size_t w) { awake_[w / 64] |= bit_of(w); }
    void put_to_sleep(std::size_t w) { awake_[w / 64] &= ~bit_of(w); }

    // Notes the end of a block whose warps have all retired; true if it still runs.
    bool live(block& b) {
        if (b.live && b.retired == warps_per_block_) {
            b.live = false;
            b.end = clock_.now();
            --finished_unseen_;
            seen_ = true;
        }
        return b.live;
    }

    // Stops at the first block that runs.
    bool any_live() {
        for (; first_live_ < blocks_.size(); ++first_live_) {
            if (live(blocks_[first_live_])) return true;
        }
        return false;
    }

    // One cycle; false if it changed nothing, so that only time can.
    bool step() {
        seen_ = false;
        units_.begin_cycle(clock_.now());
        const std::uint64_t before = issued_;
        const std::size_t visited = visit_warps();
        if (finished_unseen_ > 0 || full_barriers_ > 0) look_at_blocks(visited);
        return issued_ != before || seen_ || finished_unseen_ > 0 || full_barriers_ > 0;
    }

    // Lets the warps issue in their order until no scheduler is left; the number of blocks that it came to. Warps with a
    // request that the queue refused again would do nothing but poll.
    std::size_t visit_warps() {
        std::uint64_t slots = 0;
        const bool skips = any_refused_ && units_.refuses_all();
        std::size_t polling = 0;
        std::size_t visited = blocks_.size();
        any_refused_ = skips;
        for (std::size_t word = 0; word < awake_.size() && slots < schedulers_; ++word) {
            const std::uint64_t skipped = skips ? refused_[word] : 0;
            std::uint64_t passed = ~std::uint64_t{0};
            for (std::uint64_t rest = awake_[word] & ~skipped; rest != 0; rest &= rest - 1) {
                const std::size_t w = first_warp(word, rest);
                if (!attempt(w)) continue;
                if (++slots == schedulers_) {
                    visited = w / warps_per_block_ + 1;
                    passed = bit_of(w) - 1;
                    break;
                }
            }
            if (skips) polling += static_cast<std::size_t>(std::popcount(skipped & passed));
        }
        if (polling > 0) units_.poll(polling);
        slots_used_ += slots;
        return visited;
    }

    // In blocks visited in this cycle, ends of earlier cycles are seen and full barriers lifted.
    void look_at_blocks(std::size_t visited) {
        for (std::size_t b = first_live_; b < visited; ++b) {
            block& it = blocks_[b];
            if (it.retired_in < clock_.cycle()) live(it);
            if (it.at_barrier == warps_per_block_) {
                it.at_barrier = 0;
                --full_barriers_;
                seen_ = true;
                for (std::size_t w = b * warps_per_block_; w < (b + 1) * warps_per_block_; ++w) {
                    wake(w);
                }
            }
        }
    }

    // Lets a warp issue as often as it may; true if it did at least once.
    bool attempt(std::size_t w) {
        warp& it = warps_[w];
        double* const results = &results_[w * tasks_.places()];
        double& latest = results[tasks_.latest()];
        const double now = clock_.now();
        const std::uint32_t first = it.next_task;
        for (std::uint64_t n = 0; n < attempts_; ++n) {
            const ppt_decoded_task& t = tasks_[it.next_task];
            const double ready =
                core::max(core::max(results[t.needs[0]], results[t.needs[1]]), results[t.needs[2]]);
            if (now < ready) {
                put_to_sleep(w);
                sleepers_.sleep(w, clock_.cycle() + clock_.cycles_to_pass(ready));
                break;
            }
            double completion = now + t.latency;
            if (t.pool < ppt_pool::load_store) {
                if (!units_.take(t.pool)) break;
            } else if (t.pool != ppt_pool::unlimited) {
                completion = start_other(w, t.pool);
                if (completion < 0) break;
            }
            results[tasks_.place(it.next_task)] = completion;
            latest = core::max(latest, completion);
            it.last_end = completion;
            ++it.next_task;
            if (t.pool == ppt_pool::barrier) break;
        }
        issued_ += it.next_task - first;
        return it.next_task != first;
    }

    // Starts what is no arithmetic, or ends the warp: the completion; negative if it cannot start.
    double start_other(std::size_t w, ppt_pool pool) {
        if (pool == ppt_pool::end) {
            retire(w);
            return -1;
        }
        if (pool == ppt_pool::barrier) {
            put_to_sleep(w);
            if (++blocks_[w / warps_per_block_].at_barrier == warps_per_block_) ++full_barriers_;
            return 0;
        }
        refused_[w / 64] &= ~bit_of(w);
        if (!units_.take(pool)) return -1;
        const double completion = units_.request();
        if (completion < 0) {
            refused_[w / 64] |= bit_of(w);
            any_refused_ = true;
        }
        return completion;
    }

    void retire(std::size_t w) {
        put_to_sleep(w);
        block& home = blocks_[w / warps_per_block_];
        if (++home.retired == warps_per_block_) {
            home.retired_in = clock_.cycle();
            ++finished_unseen_;
        }
        seen_ = true;
    }

    // After a cycle without effect: how many until one can have one.
    std::uint64_t quiet_cycles() {
        const std::uint64_t due = sleepers_.next();
        const double next = units_.next_change();
        std::uint64_t cycles =
            due == sleepers<Used>::never ? sleepers<Used>::never : due - clock_.cycle();
        if (next < std::numeric_limits<double>::infinity()) {
            cycles = core::min(cycles, clock_.cycles_to_reach(next));
        }
        units_.occupy_refused(clock_.later(cycles));
        return cycles;
    }

    ppt_tasks<Used> tasks_;
    std::uint64_t schedulers_;
    std::uint64_t attempts_;
    std::size_t warps_per_block_;
    ppt_clock clock_;
    ppt_units<Used> units_;
    std::vector<warp> warps_;
    std::vector<block> blocks_;
    std::vector<double> results_;  // by warp: completions of its last tasks, and the latest of all
    warp_words awake_;
    warp_words refused_;  // of those: the next task is a request that the queue has refused
    bool any_refused_ = false;
    sleepers<Used> sleepers_;
    std::size_t first_live_ = 0;
    std::uint64_t finished_unseen_ = 0;
    std::uint64_t full_barriers_ = 0;
    bool seen_ = false;
    std::uint64_t slots_used_ = 0;
    std::uint64_t issued_ = 0;
};

}  // namespace WARPGAUGE_NAMESPACE::detail::simulate

#endif
