// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SIMULATE_PPT_MACHINE_HPP
#define WARPGAUGE_SIMULATE_PPT_MACHINE_HPP

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
/// The program steps through every cycle and tests every warp. Here warps that wait for a result are skipped,
/// and so are cycles in which nothing can happen.

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
        : tasks_(tasks),
          schedulers_(static_cast<std::uint64_t>(gpu.warp_schedulers)),
          attempts_(static_cast<std::uint64_t>(gpu.issues_per_warp)),
          warps_per_block_(r.warps_per_block),
          clock_(r.start),
          units_(gpu, state),
          warps_(r.blocks * r.warps_per_block),
          blocks_(r.blocks),
          completions_(warps_.size() * tasks.size()),
          awake_(words_of(warps_.size())) {
        sleepers_.reset(warps_.size());
        for (std::size_t w = 0; w < warps_.size(); ++w) wake(w);
    }

    void run(ppt_estimate& e) {
        while (any_live()) {
            const bool quiet = !step();
            clock_.pass(quiet ? quiet_cycles() : 1);
            sleepers_.wake(clock_.cycle(), [&](std::size_t w) { wake(w); });
        }
        report(e);
    }

private:
    struct warp {
        std::uint32_t next_task = 0;
        double last_result = -1;  // the latest of all completions
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
                e.block_last_ends[b] =
                    core::max(e.block_last_ends[b], completions_[(w + 1) * tasks_.size() - 1]);
            }
        }
    }

    void wake(std::size_t w) { awake_[w / 64] |= bit_of(w); }
    void put_to_sleep(std::size_t w) { awake_[w / 64] &= ~bit_of(w); }
    [[nodiscard]] bool awake(std::size_t w) const { return (awake_[w / 64] & bit_of(w)) != 0; }

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
        units_.begin_cycle();
        const std::uint64_t before = issued_;
        std::uint64_t slots = 0;
        std::size_t visited = blocks_.size();
        for (std::size_t word = 0; word < awake_.size() && slots < schedulers_; ++word) {
            for (std::uint64_t rest = awake_[word]; rest != 0; rest &= rest - 1) {
                const std::size_t w = first_warp(word, rest);
                if (!attempt(w)) continue;
                if (++slots == schedulers_) {
                    visited = w / warps_per_block_ + 1;
                    break;
                }
            }
        }
        slots_used_ += slots;
        if (finished_unseen_ > 0 || full_barriers_ > 0) look_at_blocks(visited);
        return issued_ != before || seen_ || finished_unseen_ > 0 || full_barriers_ > 0;
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
        bool any = false;
        for (std::uint64_t n = 0; n < attempts_; ++n) {
            if (!issue(w)) break;
            any = true;
        }
        return any;
    }

    bool issue(std::size_t w) {
        if (!awake(w)) return false;
        warp& it = warps_[w];
        if (it.next_task == tasks_.size()) {
            retire(w);
            return false;
        }
        const task& t = tasks_[it.next_task];
        const double ready = needed_results(w, t);
        if (clock_.now() < ready) {
            put_to_sleep(w);
            sleepers_.sleep(w, clock_.cycle() + clock_.cycles_to_pass(ready));
            return false;
        }
        double completion = 0;
        if (!units_.start(t.unit, clock_.now(), completion)) return false;
        completions_[w * tasks_.size() + it.next_task] = completion;
        it.last_result = core::max(it.last_result, completion);
        ++it.next_task;
        ++issued_;
        if (t.unit == unit_kind::barrier) {
            put_to_sleep(w);
            if (++blocks_[w / warps_per_block_].at_barrier == warps_per_block_) ++full_barriers_;
        }
        return true;
    }

    // The latest completion that a task waits for. A barrier waits for all of the warp's.
    [[nodiscard]] double needed_results(std::size_t w, const task& t) const {
        if (t.unit == unit_kind::barrier) return warps_[w].last_result;
        const double* const completions = &completions_[w * tasks_.size()];
        double ready = -1;
        for (const std::uint32_t i : t.after) {
            if (i != task::none) ready = core::max(ready, completions[i]);
        }
        return ready;
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
        const double next = units_.next_change(clock_.now());
        std::uint64_t cycles =
            due == sleepers<Used>::never ? sleepers<Used>::never : due - clock_.cycle();
        if (next < std::numeric_limits<double>::infinity()) {
            cycles = core::min(cycles, clock_.cycles_to_reach(next));
        }
        units_.occupy_refused(clock_.later(cycles));
        return cycles;
    }

    std::span<const task> tasks_;
    std::uint64_t schedulers_;
    std::uint64_t attempts_;
    std::size_t warps_per_block_;
    ppt_clock clock_;
    ppt_units<Used> units_;
    std::vector<warp> warps_;
    std::vector<block> blocks_;
    std::vector<double> completions_;  // by warp and task
    warp_words awake_;
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
