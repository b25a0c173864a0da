// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_MODELS_PPT_COMPAT_HPP
#define WARPGAUGE_MODELS_PPT_COMPAT_HPP

#include <cstdint>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/device/device.hpp>
#include <warpgauge/kernel/profile.hpp>
#include <warpgauge/kernel/stream.hpp>
#include <warpgauge/kernel/task_list.hpp>
#include <warpgauge/models/model.hpp>
#include <warpgauge/simulate/caps.hpp>
#include <warpgauge/simulate/ppt.hpp>
#include <warpgauge/simulate/sm_estimate.hpp>
#include <warpgauge/sm/launch.hpp>

/// \file The hybrid simulation as its authors' program computes it, cycle by cycle, for comparisons with the paper: counts and
/// cycles are equal, times in seconds to 1e-9.
///
/// Source: the GPU module of the Performance Prediction Toolkit (PPT) as of Chapuis et al. 2016.
/// docs/hybrid.md lists where it departs from the paper; `models/hybrid.hpp` is the model to predict with.

namespace WARPGAUGE_NAMESPACE {

/// The member of a device that the model reads: `ppt`, the GPU as the program describes it.
template <class D>
concept ppt_compat_device = has_ppt_description<D>;

/// Limits on the cost of a prediction.
struct ppt_compat_options {
    simulation_caps caps{};  ///< of memory and of executed instructions
};

/// The time of a grid, in the program's own terms.
template <scalar Real = double>
struct ppt_compat_estimate {
    Real resident_blocks_per_sm{};  ///< blocks that fit on an SM, by the program's rules
    Real active_blocks_per_sm{};    ///< blocks simulated; no more than the grid gives an SM
    Real active_warps_per_sm{};     ///< warps simulated
    Real workloads{};               ///< portions of active blocks; an SM takes one at a time
    Real rounds{};                  ///< of workloads on all SMs, of which the last need not be full
    Real sm_cycles{};               ///< cycle at which one SM was seen finished
    Real mean_block_end_cycles{};   ///< cycles, mean over its blocks
    Real overlap_fraction{};        ///< of a workload, that the next one overlaps
    Real later_round_cycles{};      ///< cycles of a workload that overlaps with the one before
    std::uint64_t warp_instructions{};  ///< issued by the SM
    std::uint64_t issue_slots{};        ///< scheduler slots used; a dual issue counts once
    sm_limiter limited_by = sm_limiter::not_known;  ///< the program does not say
    Real cycles{};   ///< cycles of the grid, launch overhead included
    Real seconds{};  ///< s
};

/// Predicts kernels on `device` as the authors' program does.
///
/// It reads `blocks`, `threads_per_block`, `registers_per_thread` (0 counts as 1) and `instructions`
/// only, and counts resident blocks itself. Every kernel runs on an unused device; `ppt_call` takes the state that
/// earlier calls left.
/// \errors as `ppt_call` and `task_list`; also
///         not_positive, not_whole, overflow  `blocks`, `threads_per_block`: no whole number to 2^53
///         negative                           `registers_per_thread`
///         limit_reached                      `instructions`: more than the caps let one warp execute
template <ppt_compat_device D>
struct ppt_compat_model {
    [[no_unique_address]] D device{};  ///< the device that it predicts for
    ppt_compat_options options{};      ///< bounds on work

    /// The same model on another device.
    template <ppt_compat_device Other>
    [[nodiscard]] constexpr ppt_compat_model<Other> on(const Other& other) const {
        return {other, options};
    }

    /// The time of one launch on an unused device. It allocates.
    template <class Used = core::when_used>
    [[nodiscard]] result<ppt_compat_estimate<>> predict(const kernel_profile<>& k) const {
        const auto blocks = whole_number(k.blocks, "blocks");
        if (!blocks) return blocks.error();
        const auto threads = whole_number(k.threads_per_block, "threads_per_block");
        if (!threads) return threads.error();
        if (!core::non_negative(k.registers_per_thread)) {
            return model_error{errc::negative, "registers_per_thread"};
        }
        const auto mix = mix_of(k.instructions);
        if (!mix) return mix.error();
        if (mix->executed() >
            static_cast<double>(core::min(options.caps.words, options.caps.warp_instructions))) {
            return model_error{errc::limit_reached, "instructions"};
        }
        const auto tasks = task_list<Used>(k.instructions);
        if (!tasks) return tasks.error();
        const ppt_parameters gpu = device.ppt;
        ppt_state fresh;
        const ppt_launch launch{
            .blocks = *blocks,
            .threads_per_block = *threads,
            .registers_per_thread = k.registers_per_thread > 0 ? k.registers_per_thread : 1};
        const auto call = ppt_call<Used>(*tasks, launch, gpu, fresh, options.caps);
        if (!call) return call.error();
        return estimate(*call, launch, gpu);
    }

private:
    static constexpr double number(std::uint64_t n) { return static_cast<double>(n); }

    static ppt_compat_estimate<> estimate(const ppt_estimate& call, const ppt_launch& launch,
                                          const ppt_parameters& gpu) {
        const std::uint64_t warps_per_block = (launch.threads_per_block - 1) / 32 + 1;
        const auto sms = static_cast<std::uint64_t>(gpu.sm_count);
        return {.resident_blocks_per_sm = number(call.resident_blocks_per_sm),
                .active_blocks_per_sm = number(call.blocks_per_sm),
                .active_warps_per_sm = number(call.blocks_per_sm * warps_per_block),
                .workloads = number(call.workloads),
                .rounds = number((call.workloads - 1) / sms + 1),
                .sm_cycles = call.cycles,
                .mean_block_end_cycles = call.mean_block_s * gpu.clock_hz,
                .overlap_fraction = call.overlap_fraction,
                .later_round_cycles = call.later_round_s * gpu.clock_hz,
                .warp_instructions = call.warp_instructions,
                .issue_slots = call.issue_slots_used,
                .limited_by = sm_limiter::not_known,
                .cycles = call.seconds * gpu.clock_hz,
                .seconds = call.seconds};
    }
};

/// Deduces the type of the device.
template <class D>
ppt_compat_model(D, ppt_compat_options = {}) -> ppt_compat_model<D>;

}  // namespace WARPGAUGE_NAMESPACE

#endif
