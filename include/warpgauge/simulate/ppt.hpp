// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SIMULATE_PPT_HPP
#define WARPGAUGE_SIMULATE_PPT_HPP

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/device/ppt_parameters.hpp>
#include <warpgauge/kernel/stream.hpp>
#include <warpgauge/kernel/task_list.hpp>
#include <warpgauge/simulate/caps.hpp>
#include <warpgauge/simulate/sleepers.hpp>

/// \file What the authors' program computes, to the bit, with all its peculiarities.
///
/// Source: the GPU module of the Performance Prediction Toolkit (PPT) as of Chapuis et al. 2016: the
/// rules are restated here from its behaviour, and its results are reproduced. docs/hybrid.md lists
/// where it departs from the paper and from common sense; `hybrid/sm.hpp` mends that.
///
/// The program walks every cycle and asks every warp. Here warps that wait for a result are passed
/// over, and so are cycles in which nothing can happen.
///
/// Templates only so that a program that does not simulate does not compile them.

namespace warpgauge {

/// One kernel call.
struct ppt_launch {
    std::uint64_t blocks{};
    std::uint64_t threads_per_block{};
    double registers_per_thread{};
    double start_s{};  ///< when the host calls
};

/// What the program reports of a call.
struct ppt_estimate {
    std::uint64_t blocks_per_sm{};
    std::uint64_t workloads{};            ///< ceil(blocks / blocks_per_sm)
    double cycles{};                      ///< cycle at which one SM was seen finished
    std::uint64_t issue_slots_used{};     ///< scheduler slots; a dual issue counts once
    std::uint64_t warp_instructions{};    ///< issued
    double mean_block_s{};                ///< s, mean end of a block
    double overlap{};                     ///< share of a workload that the next one overlaps
    double later_round_s{};               ///< s, of a workload that overlaps with the one before
    double seconds{};                     ///< from `start_s`, launch overhead included
    std::vector<double> block_ends;       ///< cycle at which each block was seen finished
    std::vector<double> block_last_ends;  ///< completion of the last task of its slowest warp
};

/// What one call leaves to the next on the same device, as in the program: the units, the memory
/// queue and the SMs remember, though the count of cycles begins anew.
struct ppt_state {
    std::array<std::vector<double>, 4> units_busy_until;  ///< each slot of each class
    std::vector<double> memory_queue;                     ///< completions, in order
    std::vector<double> sm_free_s;                        ///< when each SM is free, in order
};

namespace detail::simulate {

/// One SM of the authors' program, for one call.
template <int Instance = 0>
class ppt_machine {
public:
    ppt_machine(std::span<const task> tasks, const ppt_parameters& gpu, ppt_state& state,
                std::size_t blocks, std::size_t warps_per_block)
        : tasks_(tasks),
          gpu_(gpu),
          busy_(state.units_busy_until),
          queue_(state.memory_queue),
          schedulers_(static_cast<std::uint64_t>(gpu.warp_schedulers)),
          attempts_(static_cast<std::uint64_t>(gpu.issues_per_warp)),
          warps_per_block_(warps_per_block),
          warps_(blocks * warps_per_block),
          blocks_(blocks),
          completions_(warps_.size() * tasks.size()),
          awake_(words_of(warps_.size())) {
        sleepers_.reset(warps_.size());
        for (const auto& slots : busy_) {
            for (const double until : slots) left_until_ = core::max(left_until_, until);
        }
        for (std::size_t w = 0; w < warps_.size(); ++w) awake_[w / 64] |= bit_of(w);
    }

    void run(double start, ppt_estimate& e) {
        set_now(start);
        while (any_live()) {
            const bool quiet = !step();
            const std::uint64_t cycles = quiet ? quiet_cycles() : 1;
            set_now(later(cycles));
            cycle_ += cycles;
            sleepers_.wake(cycle_, [&](std::size_t w) { awake_[w / 64] |= bit_of(w); });
        }
        e.cycles = now_;
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

private:
    // Its classes of units: single and double precision, special functions, load/store.
    enum pool : std::size_t { sp, dp, sf, ls };

    struct warp {
        std::uint32_t at = 0;     // next task
        double last_result = -1;  // the latest of all completions
    };

    struct block {
        std::size_t retired = 0;
        std::uint64_t retired_in = 0;  // the cycle in which its last warp did
        std::size_t at_barrier = 0;
        bool live = true;
        double end = 0;
    };

    // `now` after so many cycles, rounded as if 1 had been added so often: exact up to the next power
    // of two, and rounded once where that is passed.
    [[nodiscard]] double later(std::uint64_t cycles) const {
        double t = now_ + static_cast<double>(cycles);
        if (t < binade_) return t;
        t = now_;
        for (double binade = binade_; cycles > 0; binade *= 2) {
            const auto within = static_cast<std::uint64_t>(binade - t) + 1;
            const std::uint64_t taken = cycles < within ? cycles : within;
            t += static_cast<double>(taken);
            cycles -= taken;
        }
        return t;
    }

    void set_now(double t) {
        now_ = t;
        while (binade_ <= now_) binade_ *= 2;
    }

    // How many cycles until `now` reaches `t`; or is past it.
    [[nodiscard]] std::uint64_t cycles_to(double t, bool past) const {
        const double wait = t - now_;
        std::uint64_t cycles = wait > 1 ? static_cast<std::uint64_t>(wait) : 1;
        while (past ? later(cycles) <= t : later(cycles) < t) ++cycles;
        return cycles;
    }

    // Notes the end of a block whose warps have all retired; true if it still runs.
    bool live(block& b) {
        if (b.live && b.retired == warps_per_block_) {
            b.live = false;
            b.end = now_;
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
        refused_.clear();
        const std::uint64_t before = issued_;
        std::uint64_t slots = 0;
        std::size_t visited = blocks_.size();
        for (std::size_t word = 0; word < awake_.size() && slots < schedulers_; ++word) {
            for (std::uint64_t rest = awake_[word]; rest != 0; rest &= rest - 1) {
                const std::size_t w = word * 64 + static_cast<std::size_t>(std::countr_zero(rest));
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
            if (it.retired_in < cycle_) live(it);
            if (it.at_barrier == warps_per_block_) {
                it.at_barrier = 0;
                --full_barriers_;
                seen_ = true;
                for (std::size_t w = b * warps_per_block_; w < (b + 1) * warps_per_block_; ++w) {
                    awake_[w / 64] |= bit_of(w);
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
        warp& it = warps_[w];
        if ((awake_[w / 64] & bit_of(w)) == 0) return false;
        block& home = blocks_[w / warps_per_block_];
        if (it.at == tasks_.size()) {
            awake_[w / 64] &= ~bit_of(w);
            if (++home.retired == warps_per_block_) {
                home.retired_in = cycle_;
                ++finished_unseen_;
            }
            seen_ = true;
            return false;
        }
        const task& t = tasks_[it.at];
        double* const completions = &completions_[w * tasks_.size()];
        double ready = -1;
        if (t.unit == unit_kind::barrier) {
            ready = it.last_result;
        } else {
            for (const std::uint32_t i : t.after) {
                if (i != task::none) ready = core::max(ready, completions[i]);
            }
        }
        if (now_ < ready) {
            awake_[w / 64] &= ~bit_of(w);
            sleepers_.sleep(w, cycle_ + cycles_to(ready, true));
            return false;
        }
        double completion = 0;
        if (!start(t.unit, completion)) return false;
        completions[it.at] = completion;
        it.last_result = core::max(it.last_result, completion);
        ++it.at;
        ++issued_;
        if (t.unit == unit_kind::barrier) {
            awake_[w / 64] &= ~bit_of(w);
            if (++home.at_barrier == warps_per_block_) ++full_barriers_;
        }
        return true;
    }

    bool start(unit_kind unit, double& completion) {
        switch (unit) {
            case unit_kind::integer:
            case unit_kind::branch: return take(sp, gpu_.integer_latency_cycles, completion);
            case unit_kind::single_precision:
                return take(sp, gpu_.float_latency_cycles, completion);
            case unit_kind::double_precision:
                return take(dp, gpu_.float_latency_cycles, completion);
            case unit_kind::special_function:
                return take(sf, gpu_.special_latency_cycles, completion);
            case unit_kind::shared_memory:
            case unit_kind::l1_cache: completion = now_ + gpu_.l1_latency_cycles; return true;
            case unit_kind::l2_cache: completion = now_ + gpu_.l2_latency_cycles; return true;
            case unit_kind::global_memory: return request(completion);
            case unit_kind::barrier: completion = 0; return true;
            case unit_kind::loop: break;
        }
        return false;
    }

    bool take(pool p, double latency, double& completion) {
        for (double& until : busy_[p]) {
            if (until <= now_) {
                until = now_ + 1;
                completion = now_ + latency;
                return true;
            }
        }
        return false;
    }

    bool request(double& completion) {
        auto& slots = busy_[ls];
        std::size_t slot = 0;
        while (slot < slots.size() && slots[slot] > now_) ++slot;
        if (slot == slots.size()) return false;
        slots[slot] = now_ + 1;  // kept even when the queue refuses
        if (!queue_.empty() && queue_.front() <= now_) queue_.clear();
        const auto length = static_cast<double>(queue_.size());
        if (length >= gpu_.queue_capacity) {
            refused_.push_back(slot);
            return false;
        }
        const double beyond = core::max(length - gpu_.queue_free, 0.0);
        const double latency =
            gpu_.idle_dram_latency_cycles +
            beyond / gpu_.queue_capacity *
                (gpu_.loaded_dram_latency_cycles - gpu_.idle_dram_latency_cycles);
        completion = now_ + latency;
        queue_.push_back(completion);
        return true;
    }

    // After a cycle without effect: how many until one can have one. Refused requests take the same
    // load/store slots in each of them.
    std::uint64_t quiet_cycles() {
        const std::uint64_t due = sleepers_.next();
        double next = refused_.empty() ? std::numeric_limits<double>::infinity() : queue_.front();
        for (const std::size_t slot : refused_) busy_[ls][slot] = now_;
        if (now_ < left_until_) {
            for (const auto& slots : busy_) {
                for (const double until : slots) {
                    if (until > now_) next = core::min(next, until);
                }
            }
        }
        std::uint64_t cycles = due == sleepers<>::never ? sleepers<>::never : due - cycle_;
        if (next < std::numeric_limits<double>::infinity()) {
            cycles = core::min(cycles, cycles_to(next, false));
        }
        for (const std::size_t slot : refused_) busy_[ls][slot] = later(cycles);
        return cycles;
    }

    std::span<const task> tasks_;
    const ppt_parameters& gpu_;
    std::array<std::vector<double>, 4>& busy_;
    std::vector<double>& queue_;
    std::uint64_t schedulers_;
    std::uint64_t attempts_;
    std::size_t warps_per_block_;
    std::vector<warp> warps_;
    std::vector<block> blocks_;
    std::vector<double> completions_;  // by warp and task
    warp_words awake_;
    sleepers<> sleepers_;
    std::vector<std::size_t> refused_;
    std::size_t first_live_ = 0;
    std::uint64_t finished_unseen_ = 0;
    std::uint64_t full_barriers_ = 0;
    bool seen_ = false;
    double now_ = 0;
    double binade_ = 1;      // the least power of two above `now_`
    double left_until_ = 0;  // units that earlier calls left busy are free from here on
    std::uint64_t cycle_ = 0;
    std::uint64_t slots_used_ = 0;
    std::uint64_t issued_ = 0;
};

inline model_error check_ppt(const ppt_parameters& gpu) {
    constexpr double most = 1'048'576;
    for (const core::bounded_parameter& f : std::initializer_list<core::bounded_parameter>{
             {gpu.sm_count, "sm_count", true, 1, 4096},
             {gpu.clock_hz, "clock_hz", false, 1, 1e12},
             {gpu.max_blocks_per_sm, "max_blocks_per_sm", true, 1, most},
             {gpu.max_threads_per_sm, "max_threads_per_sm", true, 1, most},
             {gpu.registers_per_sm, "registers_per_sm", true, 1, most},
             {gpu.single_precision_units, "single_precision_units", true, 0, most},
             {gpu.double_precision_units, "double_precision_units", true, 0, most},
             {gpu.special_function_units, "special_function_units", true, 0, most},
             {gpu.load_store_units, "load_store_units", true, 0, most},
             {gpu.warp_schedulers, "warp_schedulers", true, 1, most},
             {gpu.issues_per_warp, "issues_per_warp", true, 1, most},
             {gpu.integer_latency_cycles, "integer_latency_cycles", false, 1, most},
             {gpu.float_latency_cycles, "float_latency_cycles", false, 1, most},
             {gpu.special_latency_cycles, "special_latency_cycles", false, 1, most},
             {gpu.l1_latency_cycles, "l1_latency_cycles", false, 1, most},
             {gpu.l2_latency_cycles, "l2_latency_cycles", false, 1, most},
             {gpu.idle_dram_latency_cycles, "idle_dram_latency_cycles", false, 1, most},
             {gpu.loaded_dram_latency_cycles, "loaded_dram_latency_cycles", false, 1, most},
             {gpu.queue_free, "queue_free", false, 0, most},
             {gpu.queue_capacity, "queue_capacity", false, 1, most},
             {gpu.launch_overhead_s, "launch_overhead_s", false, 0, most}}) {
        if (const auto bad = core::check_bounded(f)) return bad;
    }
    if (gpu.loaded_dram_latency_cycles < gpu.idle_dram_latency_cycles) {
        return {errc::outside_domain, "loaded_dram_latency_cycles"};
    }
    return {};
}

/// What an earlier call can have left.
inline model_error check_state(const ppt_state& state) {
    const auto all_fit = [](const std::vector<double>& times) {
        for (const double t : times) {
            if (!(t >= 0 && t <= 1e15)) return false;
        }
        return true;
    };
    for (const auto& slots : state.units_busy_until) {
        if (!all_fit(slots)) return {errc::outside_domain, "units_busy_until"};
    }
    if (!all_fit(state.memory_queue)) return {errc::outside_domain, "memory_queue"};
    if (!all_fit(state.sm_free_s)) return {errc::outside_domain, "sm_free_s"};
    return {};
}

/// The program would never end, or index past its list: an error for either, before it starts.
inline model_error check_tasks(std::span<const task> tasks, const ppt_parameters& gpu) {
    if (tasks.empty()) return {errc::missing, "tasks"};
    for (std::size_t at = 0; at < tasks.size(); ++at) {
        const task& t = tasks[at];
        const auto entry = static_cast<std::uint32_t>(at + 1);
        for (const std::uint32_t i : t.after) {
            if (i != task::none && i >= at) return {errc::malformed, "tasks", entry};
        }
        const auto lacks = [&](double lanes) { return lanes < 32; };
        switch (t.unit) {
            case unit_kind::integer:
            case unit_kind::branch:
            case unit_kind::single_precision:
                if (lacks(gpu.single_precision_units)) {
                    return {errc::outside_domain, "single_precision_units", entry};
                }
                break;
            case unit_kind::double_precision:
                if (lacks(gpu.double_precision_units)) {
                    return {errc::outside_domain, "double_precision_units", entry};
                }
                break;
            case unit_kind::special_function:
                if (lacks(gpu.special_function_units)) {
                    return {errc::outside_domain, "special_function_units", entry};
                }
                break;
            case unit_kind::global_memory:
                if (gpu.load_store_units < 1) {
                    return {errc::outside_domain, "load_store_units", entry};
                }
                break;
            case unit_kind::shared_memory:
            case unit_kind::l1_cache:
            case unit_kind::l2_cache:
            case unit_kind::barrier: break;
            case unit_kind::loop:
            default: return {errc::malformed, "tasks", entry};
        }
    }
    return {};
}

/// When a grid of `workloads` ends: each goes to the SM that is free first and takes it `mean_s`;
/// if the last round does not fill all SMs, one more entry of `last_s` decides.
template <int Instance = 0>
double ppt_grid_end(std::vector<double>& sm_free_s, std::uint64_t workloads, double mean_s,
                    double last_s) {
    const std::uint64_t sms = sm_free_s.size();
    const auto settle = [&](std::size_t at) {  // moves the entry to where it belongs, from below
        const double value = sm_free_s[at];
        for (; at + 1 < sms && sm_free_s[at + 1] <= value; ++at) sm_free_s[at] = sm_free_s[at + 1];
        sm_free_s[at] = value;
    };
    for (std::size_t at = sms - 1; at-- > 0;) settle(at);
    double last = 0;
    const auto append = [&](double seconds) {
        last = sm_free_s.front() + seconds;
        sm_free_s.front() = last;
        settle(0);
    };
    for (std::uint64_t left = workloads; left > 0;) {
        // The first few that are within one workload of each other take turns, until they reach the
        // next.
        std::size_t turns = 1;
        while (turns < sms && sm_free_s[turns] - sm_free_s[0] <= mean_s) ++turns;
        std::uint64_t rounds = left / turns;
        if (turns < sms) {
            const double until_next = (sm_free_s[turns] - sm_free_s[turns - 1]) / mean_s;
            if (until_next < 1e18)
                rounds = core::min(rounds, static_cast<std::uint64_t>(until_next));
        }
        if (rounds == 0) {
            append(mean_s);
            --left;
            continue;
        }
        for (std::size_t i = 0; i < turns; ++i) {
            sm_free_s[i] += static_cast<double>(rounds) * mean_s;
        }
        last = sm_free_s[turns - 1];
        left -= rounds * turns;
    }
    if (workloads % sms != 0) append(last_s);
    return last;
}

}  // namespace detail::simulate

/// One kernel call on a device in the given state, which it changes.
/// \errors negative, overflow  a figure of `gpu`, or of `call`: it starts within 1e6 s
///         not_positive        `blocks`, `threads_per_block`, `registers_per_thread`
///         outside_domain      a figure is below what the program can take or no whole number; or of
///                             `state`, none that a call leaves; with an entry of the tasks: units
///                             that this task needs are fewer than 32, so the program would wait for
///                             ever
///         missing             `tasks`: there are none
///         malformed           `tasks`: one waits for itself or a later one, or is no instruction
///         exceeds_device      `threads_per_block`, `registers_per_thread`: not one block fits
///         limit_reached       `tasks`: more work or memory than `caps`; `threads_per_block`: past
///                             `max_sm_warps`
template <int Instance = 0>
[[nodiscard]] result<ppt_estimate> ppt_call(std::span<const task> tasks, const ppt_launch& call,
                                            const ppt_parameters& gpu, ppt_state& state,
                                            const simulation_caps& caps = {}) {
    if (const auto bad = detail::simulate::check_ppt(gpu)) return bad;
    if (const auto bad = detail::simulate::check_tasks(tasks, gpu)) return bad;
    if (call.blocks == 0) return model_error{errc::not_positive, "blocks"};
    if (const auto bad = detail::simulate::check_state(state)) return bad;
    if (call.blocks > std::uint64_t{1} << 40) return model_error{errc::overflow, "blocks"};
    if (call.threads_per_block == 0) return model_error{errc::not_positive, "threads_per_block"};
    if (!core::positive(call.registers_per_thread)) {
        return model_error{errc::not_positive, "registers_per_thread"};
    }
    if (!core::non_negative(call.start_s)) return model_error{errc::negative, "start_s"};
    if (call.start_s > 1e6) return model_error{errc::overflow, "start_s"};

    // Resident blocks, without units of allocation and without a limit on warps.
    const auto threads = static_cast<double>(call.threads_per_block);
    const auto blocks = static_cast<double>(call.blocks);
    const double by_threads = core::floor(gpu.max_threads_per_sm / threads);
    const double by_registers =
        core::floor(gpu.registers_per_sm / (threads * call.registers_per_thread));
    if (by_threads < 1) return model_error{errc::exceeds_device, "threads_per_block"};
    if (by_registers < 1) return model_error{errc::exceeds_device, "registers_per_thread"};
    const double fit = core::min(core::min(gpu.max_blocks_per_sm, by_threads),
                                 core::min(by_registers, core::ceil(blocks / gpu.sm_count)));

    ppt_estimate e;
    e.blocks_per_sm = static_cast<std::uint64_t>(fit);
    e.workloads = (call.blocks - 1) / e.blocks_per_sm + 1;
    const std::uint64_t warps_per_block = (call.threads_per_block - 1) / 32 + 1;
    const std::uint64_t warps = warps_per_block * e.blocks_per_sm;
    if (warps > max_sm_warps) return model_error{errc::limit_reached, "threads_per_block"};
    if (warps > caps.words / tasks.size() || warps > caps.warp_instructions / tasks.size()) {
        return model_error{errc::limit_reached, "tasks"};
    }

    const std::array lanes{gpu.single_precision_units / 32, gpu.double_precision_units / 32,
                           gpu.special_function_units / 32, gpu.load_store_units};
    for (std::size_t c = 0; c < lanes.size(); ++c) {
        state.units_busy_until[c].resize(static_cast<std::size_t>(lanes[c]), 0);
    }
    state.sm_free_s.resize(static_cast<std::size_t>(gpu.sm_count), 0);

    // Parameters are loaded first, slower the more blocks load them.
    const double idle = gpu.idle_dram_latency_cycles;
    const double parameter_load = idle + core::max(fit - gpu.queue_free, 0.0) / gpu.queue_capacity *
                                             (gpu.loaded_dram_latency_cycles - idle);
    detail::simulate::ppt_machine<> machine(tasks, gpu, state,
                                            static_cast<std::size_t>(e.blocks_per_sm),
                                            static_cast<std::size_t>(warps_per_block));
    machine.run(parameter_load, e);

    // The grid: the first round in full, later ones less what they overlap; all alike on average.
    double sum_of_ends = 0;
    double sum_of_waits = 0;
    double overhang = 0;  // cycles that results of a block come after its end
    for (std::size_t b = 0; b < e.block_ends.size(); ++b) {
        sum_of_ends += e.block_ends[b];
        sum_of_waits += e.cycles - e.block_ends[b];
        overhang = core::max(overhang, e.block_last_ends[b] - e.cycles);
    }
    e.overlap = sum_of_waits / fit / e.cycles;
    e.mean_block_s = sum_of_ends / fit / gpu.clock_hz;
    const double full_s = e.cycles / gpu.clock_hz;
    e.later_round_s =
        (full_s - (gpu.clock_is_whole ? core::floor(idle / gpu.clock_hz) : idle / gpu.clock_hz)) *
        (1 - e.overlap);
    const auto workloads = static_cast<double>(e.workloads);
    const double first = core::min(gpu.sm_count, workloads);
    const double mean_s = (first * full_s + (workloads - first) * e.later_round_s) / workloads;
    for (double& free : state.sm_free_s) {
        free = core::max(free, call.start_s + gpu.launch_overhead_s);
    }
    e.seconds =
        detail::simulate::ppt_grid_end(state.sm_free_s, e.workloads, mean_s, e.mean_block_s) -
        call.start_s + overhang / gpu.clock_hz;
    return e;
}

}  // namespace warpgauge

#endif
