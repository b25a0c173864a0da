// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SIMULATE_PPT_MACHINE_HPP
#define WARPGAUGE_SIMULATE_PPT_MACHINE_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
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

template <class Used = core::when_used>
class ppt_machine {
public:
    ppt_machine(std::span<const task> tasks, const ppt_parameters& gpu, ppt_state& state,
                const ppt_residency& r)
        : schedulers_(static_cast<std::uint64_t>(gpu.warp_schedulers)),
          attempts_(static_cast<std::uint64_t>(gpu.issues_per_warp)),
          warps_per_block_(r.warps_per_block),
          clock_(r.start),
          units_(gpu, state),
          warps_(r.blocks * r.warps_per_block),
          blocks_(r.blocks),
          awake_(words_of(warps_.size())),
          refused_(awake_.size()) {
        decode(tasks, gpu);
        results_.assign(warps_.size() * (kept_ + 2), -1);
        sleepers_.reset(warps_.size());
        for (std::size_t w = 0; w < warps_.size(); ++w) wake(w);
    }

    void run(ppt_estimate& e) {
        while (any_live()) {
            const bool quiet = !step();
            clock_.pass(quiet ? quiet_cycles() : 1);
            sleepers_.wake(clock_.cycle(),
                           [&](std::size_t word, std::uint64_t warps) { awake_[word] |= warps; });
        }
        units_.settle();
        report(e);
    }

private:
    // A task, with the places of the results that it needs among those of its warp: `kept_` of its last tasks, one where no
    // result ever is, and the latest of all.
    struct decoded_task {
        std::uint32_t needs[3];
        ppt_pool pool = ppt_pool::end;
        double latency{};  // cycles
    };

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

    // A warp keeps as many results as it can issue tasks in the time of the longest latency, and two cycles more for all
    // rounding: an older one is there when a task asks for it.
    void decode(std::span<const task> tasks, const ppt_parameters& gpu) {
        tasks_.resize(tasks.size() + 1);
        double longest = gpu.loaded_dram_latency_cycles;
        for (std::size_t at = 0; at < tasks.size(); ++at) {
            tasks_[at].pool = ppt_pool_of(tasks[at].unit, gpu, tasks_[at].latency);
            longest = core::max(longest, tasks_[at].latency);
        }
        const double kept = gpu.issues_per_warp * (longest + 2);
        while (kept_ < tasks.size() && static_cast<double>(kept_) < kept) kept_ *= 2;
        for (std::size_t at = 0; at < tasks_.size(); ++at) {
            for (std::size_t n = 0; n < 3; ++n) {
                std::size_t place = kept_;
                if (at < tasks.size() && at - tasks[at].after[n] < kept_) {
                    place = tasks[at].after[n] & (kept_ - 1);
                }
                if (tasks_[at].pool == ppt_pool::barrier) place = kept_ + 1;  // it waits for all
                tasks_[at].needs[n] = static_cast<std::uint32_t>(place);
            }
        }
    }

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
        return issued_ != before || seen_;  // without an instruction, all blocks were visited
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
        double* const results = &results_[w * (kept_ + 2)];
        double& latest = results[kept_ + 1];
        const double now = clock_.now();
        const std::uint32_t first = it.next_task;
        for (std::uint64_t n = 0; n < attempts_; ++n) {
            const decoded_task& t = tasks_[it.next_task];
            const double ready =
                core::max(core::max(results[t.needs[0]], results[t.needs[1]]), results[t.needs[2]]);
            if (now < ready) {
                put_to_sleep(w);
                sleepers_.sleep(w, clock_.cycle(), clock_.cycle() + clock_.cycles_to_pass(ready));
                break;
            }
            double completion = now + t.latency;
            if (t.pool < ppt_pool::load_store) {
                if (!units_.take(t.pool)) break;
            } else if (t.pool != ppt_pool::unlimited) {
                completion = start_other(w, t.pool);
                if (completion < 0) break;
            }
            results[it.next_task & (kept_ - 1)] = completion;
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
        const std::uint64_t due = sleepers_.next(clock_.cycle());
        const double next = units_.next_change();
        std::uint64_t cycles =
            due == sleepers<Used>::never ? sleepers<Used>::never : due - clock_.cycle();
        if (next < core::infinity<double>()) {
            cycles = core::min(cycles, clock_.cycles_to_reach(next));
        }
        units_.occupy_refused(clock_.later(cycles));
        return cycles;
    }

    std::vector<decoded_task> tasks_;  // and their end
    std::size_t kept_ = 1;
    std::uint64_t schedulers_;
    std::uint64_t attempts_;
    std::size_t warps_per_block_;
    ppt_clock<Used> clock_;
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
