// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_MODELS_HYBRID_HPP
#define WARPGAUGE_MODELS_HYBRID_HPP

#include <cstdint>
#include <utility>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/device/device.hpp>
#include <warpgauge/kernel/profile.hpp>
#include <warpgauge/kernel/stream.hpp>
#include <warpgauge/kernel/task_list.hpp>
#include <warpgauge/models/model.hpp>
#include <warpgauge/simulate/caps.hpp>
#include <warpgauge/simulate/ppt.hpp>
#include <warpgauge/simulate/sm.hpp>
#include <warpgauge/sm/launch.hpp>

/// \file Hybrid simulation: one SM's resident blocks cycle by cycle, then the whole grid.
///
/// Source: G. Chapuis, S. Eidenbenz, N. Santhi, "GPU Performance Prediction Through Parallel Discrete
/// Event Simulation and Common Sense", 2016, sec. 3.2. docs/hybrid.md lists what is mended of the
/// authors' program, as P1 to P10.

namespace warpgauge {

/// What the model reads of a device; besides, if there, `integer_units`, `dram_transaction_bytes`, the
/// limits of an SM, and `ppt`.
template <class D>
concept hybrid_device = has_chip<D> && has_warp<D> && has_cores<D> && has_double_precision<D> &&
    has_load_store<D> && has_schedulers<D> &&
    (has_arithmetic_latency<D>&& has_cache_latency<D>)&&has_dram_latency<D>;

/// Which form of the model.
enum class hybrid_form : std::uint8_t {
    corrected,   ///< the paper, without the mistakes of the authors' program
    ppt_compat,  ///< the authors' program to the bit; needs the device's `ppt`
};

/// How long a grid takes.
struct hybrid_estimate {
    std::uint64_t active_blocks_per_sm{};  ///< blocks simulated; no more than the grid gives an SM
    std::uint64_t active_warps_per_sm{};   ///< warps simulated
    std::uint64_t workloads{};             ///< ceil(blocks / active blocks)
    std::uint64_t rounds{};                ///< ceil(workloads / SMs)
    double sm_cycles{};                    ///< cycles of one SM with its workload
    double mean_block_end_cycles{};        ///< cycles, mean over its blocks
    double
        overlap{};  ///< share of a workload in which its blocks have ended, and the next ones run
    double later_round_cycles{};  ///< cycles that a round after the first adds
    sm_estimate sm{};             ///< what the SM did; in `ppt_compat`, only what that counts
    sm_limiter limiter{};
    double cycles{};   ///< cycles of the grid
    double seconds{};  ///< s; in `ppt_compat` with its launch overhead
};

/// One SM of a device, for `simulate_sm`. Its share of the bandwidth is the same if others idle.
template <hybrid_device D>
[[nodiscard]] constexpr sm_parameters sm_parameters_of(const D& d) {
    const auto number = [](const auto& x) { return static_cast<double>(x); };
    sm_parameters p{.warp_size = number(d.warp_size),
                    .warp_schedulers = number(d.warp_schedulers),
                    .issues_per_scheduler = number(d.issues_per_scheduler),
                    .lanes = {0, number(d.cuda_cores), number(d.double_precision_units),
                              number(d.special_function_units), number(d.load_store_units)},
                    .integer_latency_cycles = number(d.integer_latency_cycles),
                    .single_precision_latency_cycles = number(d.single_precision_latency_cycles),
                    .double_precision_latency_cycles = number(d.double_precision_latency_cycles),
                    .special_function_latency_cycles = number(d.special_function_latency_cycles),
                    .shared_latency_cycles = number(d.shared_latency_cycles),
                    .l1_latency_cycles = number(d.l1_latency_cycles),
                    .l2_latency_cycles = number(d.l2_latency_cycles),
                    .dram_latency_cycles = number(d.dram_latency_cycles),
                    .dram_bytes_per_cycle =
                        number(d.dram_bytes_per_s) / number(d.clock_hz) / number(d.sm_count),
                    .dram_transaction_bytes = 0};
    if constexpr (has_integers<D>) p.lanes[0] = number(d.integer_units);
    if constexpr (has_transaction_size<D>) {
        p.dram_transaction_bytes = number(d.dram_transaction_bytes);
    }
    return p;
}

/// Predicts kernels on `device` from their instruction stream.
///
/// `ppt_compat` reads `blocks`, `threads_per_block`, `registers_per_thread` (0 counts as 1) and
/// `instructions` alone: how many blocks are resident the program counts itself, from `device.ppt`.
/// \errors as `simulate_sm` and `count_launch`; in `ppt_compat` as `ppt_call` and `task_list`, and
///         `missing` for a device without `ppt`; besides
///         not_positive, overflow  `clock_hz`, `dram_bytes_per_s`
template <hybrid_device D>
struct hybrid_model {
    [[no_unique_address]] D device{};
    hybrid_form equations = hybrid_form::corrected;
    warp_policy policy = warp_policy::lowest_index;  ///< `ppt_compat` has this one alone
    /// Of the corrected form: the last round counts in full, as in the paper, or by its share of blocks.
    waves last_round = waves::whole;
    simulation_caps caps{};

    [[nodiscard]] result<hybrid_estimate> predict(const kernel_profile<>& k) const {
        sm_workspace space;
        return predict(k, space);
    }

    /// The same, with memory from `space`: for many predictions in a row. `observer(sm_event)` sees
    /// every issue of the SM, but not in `ppt_compat`.
    template <class Observer = no_observer>
    [[nodiscard]] result<hybrid_estimate> predict(const kernel_profile<>& k, sm_workspace& space,
                                                  Observer&& observer = {}) const {
        if (equations == hybrid_form::ppt_compat) return predict_as_ppt(k);
        for (const auto& bad : {core::check_input(static_cast<double>(device.clock_hz), "clock_hz"),
                                core::check_input(static_cast<double>(device.dram_bytes_per_s),
                                                  "dram_bytes_per_s")}) {
            if (bad) return bad;
        }
        const auto launch = count_launch(k, device);
        if (!launch) return launch.error();
        hybrid_estimate e;
        spread_over(*launch, core::min(launch->resident_blocks, most_per_sm(*launch)), e);

        // A kernel starts when its parameters are there; later rounds find them.
        const sm_parameters p = sm_parameters_of(device);
        const double parameters = core::ceil(p.dram_latency_cycles);
        const auto sm = simulate_sm(
            k.instructions, p,
            {.blocks = e.active_blocks_per_sm,
             .warps_per_block = launch->warps_per_block,
             .start_cycle =
                 parameters > 0 && parameters < 1e6 ? static_cast<std::uint64_t>(parameters) : 0},
            policy, caps, space, std::forward<Observer>(observer));
        if (!sm) return sm.error();
        e.sm = *sm;
        e.limiter = limiter_of(*sm);
        e.sm_cycles = static_cast<double>(sm->cycles);
        e.mean_block_end_cycles = sm->mean_block_end_cycles;
        e.overlap = (e.sm_cycles - e.mean_block_end_cycles) / e.sm_cycles;
        // Rounds overlap, but no more than the busiest resource lets them (P9).
        e.later_round_cycles =
            core::max((e.sm_cycles - parameters) * (1 - e.overlap), busiest(*sm) * e.sm_cycles);
        e.cycles = e.sm_cycles + later_rounds(*launch, e) * e.later_round_cycles;
        e.seconds = e.cycles / static_cast<double>(device.clock_hz);
        return e;
    }

private:
    // Blocks are distributed evenly, so an SM gets no more than this.
    static constexpr std::uint64_t most_per_sm(const whole_launch& launch) {
        return (launch.blocks - 1) / launch.sm_count + 1;
    }

    // How often `later_round_cycles` is added to the first round.
    [[nodiscard]] double later_rounds(const whole_launch& launch, const hybrid_estimate& e) const {
        if (last_round == waves::whole) return static_cast<double>(e.rounds - 1);
        const double share = static_cast<double>(launch.blocks) /
                             static_cast<double>(e.active_blocks_per_sm * launch.sm_count);
        return core::max(share - 1, 0.0);
    }

    // The utilisation of the resource that is used most.
    static constexpr double busiest(const sm_estimate& e) {
        double most = core::max(e.issue_utilisation, e.dram_utilisation);
        for (const double u : e.unit_utilisation) most = core::max(most, u);
        return most;
    }

    static constexpr void spread_over(const whole_launch& launch, std::uint64_t active,
                                      hybrid_estimate& e) {
        e.active_blocks_per_sm = active;
        e.active_warps_per_sm = active * launch.warps_per_block;
        e.workloads = (launch.blocks - 1) / active + 1;
        e.rounds = (e.workloads - 1) / launch.sm_count + 1;
    }

    result<hybrid_estimate> predict_as_ppt(const kernel_profile<>& k) const {
        if constexpr (has_ppt_description<D>) {
            const auto blocks = detail::sm::whole(k.blocks, "blocks");
            if (!blocks) return blocks.error();
            const auto threads = detail::sm::whole(k.threads_per_block, "threads_per_block");
            if (!threads) return threads.error();
            if (!core::non_negative(k.registers_per_thread)) {
                return model_error{errc::negative, "registers_per_thread"};
            }
            const auto mix = mix_of(k.instructions);
            if (!mix) return mix.error();
            if (mix->executed() >
                static_cast<double>(core::min(caps.words, caps.warp_instructions))) {
                return model_error{errc::limit_reached, "instructions"};
            }
            const auto tasks = task_list(k.instructions);
            if (!tasks) return tasks.error();
            const ppt_parameters gpu = device.ppt;
            ppt_state fresh;
            const auto call = ppt_call(
                *tasks,
                {.blocks = *blocks,
                 .threads_per_block = *threads,
                 .registers_per_thread = k.registers_per_thread > 0 ? k.registers_per_thread : 1},
                gpu, fresh, caps);
            if (!call) return call.error();
            hybrid_estimate e;
            spread_over({.blocks = *blocks,
                         .threads_per_block = *threads,
                         .warps_per_block = (*threads - 1) / 32 + 1,
                         .resident_blocks = call->blocks_per_sm,
                         .sm_count = static_cast<std::uint64_t>(gpu.sm_count)},
                        call->blocks_per_sm, e);
            e.sm_cycles = call->cycles;
            e.mean_block_end_cycles = call->mean_block_s * gpu.clock_hz;
            e.overlap = call->overlap;
            e.later_round_cycles = call->later_round_s * gpu.clock_hz;
            e.sm.warp_instructions = call->warp_instructions;
            e.sm.issue_slots = call->issue_slots_used;
            e.limiter = sm_limiter::not_known;
            e.seconds = call->seconds;
            e.cycles = e.seconds * gpu.clock_hz;
            return e;
        } else {
            return model_error{errc::missing, "ppt"};
        }
    }
};

template <class D, class... Options>
hybrid_model(D, Options...) -> hybrid_model<D>;

}  // namespace warpgauge

#endif
