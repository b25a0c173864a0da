// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_MODELS_HYBRID_HPP
#define WARPGAUGE_MODELS_HYBRID_HPP

#include <cstdint>
#include <utility>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/device/device.hpp>
#include <warpgauge/kernel/assumptions.hpp>
#include <warpgauge/kernel/profile.hpp>
#include <warpgauge/models/model.hpp>
#include <warpgauge/simulate/caps.hpp>
#include <warpgauge/simulate/sm.hpp>
#include <warpgauge/simulate/sm_of_device.hpp>
#include <warpgauge/sm/launch.hpp>

/// \file Hybrid simulation: all blocks that one SM executes, cycle by cycle; or, as published, those that it holds
/// at a time, extrapolated to the grid.
///
/// Source: G. Chapuis, S. Eidenbenz, N. Santhi, "GPU Performance Prediction Through Parallel Discrete
/// Event Simulation and Common Sense", 2016, sec. 3.2. docs/hybrid.md lists the corrections to the
/// authors' program, as P1 to P10; that program itself is in `models/ppt_compat.hpp`.

namespace WARPGAUGE_NAMESPACE {

/// The parameters of a device that the model requires. It also reads the limits of an SM if a device has them, and
/// needs the parameters of the instructions of a stream: `stream_groups`.
template <class D>
concept hybrid_device = simulated_device<D>;

/// The options of the model.
struct hybrid_options {
    /// Corrected: an SM executes its part of the grid and replaces each block that ends. Active SMs share the
    /// bandwidth, shared memory and caches move no more bytes than the device says, and a barrier only waits for
    /// warps. An SM has its sustained clock, if the device has it. As published: one workload is simulated and later
    /// rounds overlap with it, an SM's part of the bandwidth is the same if others idle, caches move any number of
    /// bytes, a barrier waits for results too, and an SM has the device's clock.
    equation_form form = equation_form::corrected;
    waves rounds = waves::whole;                     ///< only as published
    warp_policy policy = warp_policy::lowest_index;  ///< the order in which ready warps issue
    simulation_caps caps{};                          ///< limits on the work of a simulation
};

/// The time of a grid.
template <scalar Real = double>
struct hybrid_estimate : assumed_values<Real> {
    Real resident_blocks_per_sm{};  ///< blocks that fit on an SM; from occupancy or the profile
    Real active_blocks_per_sm{};  ///< blocks simulated at a time; no more than the grid gives an SM
    Real active_warps_per_sm{};   ///< warps simulated at a time
    Real active_sms{};            ///< SMs that get a block
    Real blocks_per_sm{};         ///< maximum number of blocks of an SM
    Real workloads{};             ///< portions of active blocks; an SM takes one at a time
    Real rounds{};  ///< blocks of the SM by those it holds; as published, of workloads on all SMs
    /// Cycles of the simulated SM; as published with one workload, otherwise with all.
    Real sm_cycles{};
    /// Cycles, mean over its blocks; of replaced ones, over the last in each place.
    Real mean_block_end_cycles{};
    /// Of a workload's time, in which the next one's blocks run already; as published.
    Real overlap_fraction{};
    Real later_round_cycles{};  ///< cycles that a round after the first adds; as published
    sm_estimate sm{};           ///< the work of the SM
    sm_limiter limited_by{};    ///< of the SM, or the slice of L2 if it takes longer
    /// Cycles in which a slice of L2 serves loads by which all warps read one sector.
    Real l2_slice_cycles{};
    /// As a fraction of `cycles`, of the blocks that were not simulated.
    Real extrapolation_error{};
    Real cycles{};    ///< cycles of the grid
    Real clock_hz{};  ///< of all these cycles: of an SM under load; as published, the device's
    Real seconds{};   ///< s
};

/// Predicts kernels on `device` from their instruction stream.
/// \errors as `simulate_sm` and `count_launch`; also
///         not_positive, negative, overflow  `clock_hz`, `sustained_clock_hz`, `dram_bytes_per_s`, a latency
template <hybrid_device D>
struct hybrid_model {
    [[no_unique_address]] D device{};  ///< the device that it predicts for
    hybrid_options options{};          ///< the variant that predicts

    /// The same model on another device.
    template <hybrid_device Other>
    [[nodiscard]] constexpr hybrid_model<Other> on(const Other& other) const {
        return {other, options};
    }

    /// The time of the kernel's grid. It allocates, in proportion to the stream and the resident warps.
    template <class Workspace = sm_workspace>
    [[nodiscard]] result<hybrid_estimate<>> predict(const kernel_profile<>& k) const {
        Workspace space;
        return predict(k, space);
    }

    /// The same, with memory from `space`: for many predictions in a row. `observer(sm_event)` sees
    /// every issue of the blocks that the SM simulates, as in `simulate_sm`; the estimate's `sm` has how many blocks were
    /// counted instead.
    template <class Observer = no_observer>
    [[nodiscard]] result<hybrid_estimate<>> predict(const kernel_profile<>& k, sm_workspace& space,
                                                    Observer&& observer = {}) const {
        if (const auto bad = check_options(options.form, options.rounds)) return bad;
        if (const auto bad = detail::simulate::check_simulated(device, k)) return bad;
        const auto launch = count_launch(k, device);
        if (!launch) return launch.error();
        const bool printed = options.form == equation_form::as_published;
        const sm_parameters p = printed ? published_sm_parameters_of(device)
                                        : busiest_sm_parameters_of(device, k, *launch);
        const std::uint64_t start =
            parameter_cycles(device, printed ? 1.0 : sustained_pace<double>(device));
        const auto sm =
            simulate_sm(k.instructions, p,
                        {.blocks = launch->active_blocks_per_sm(),
                         .warps_per_block = launch->warps_per_block,
                         .start_cycle = start,
                         .total_blocks = printed ? 0 : launch->max_blocks_per_sm()},
                        options.policy, options.caps, space, std::forward<Observer>(observer));
        if (!sm) return sm.error();
        hybrid_estimate<> e = of_sm(*launch, *sm);
        const bool known = k.traffic.dram_read_bytes + k.traffic.dram_write_bytes > 0;
        const bool cached = !printed && (known || !k.levels.empty());
        e.assumed.add(assumption::bytes_from_dram, sm->dram_bytes > 0 && !cached);
        e.assumed.add(assumption::parameters_at_once, start == 0);
        if (printed) extrapolate(e, *launch, core::ceil(p.dram_latency_cycles));
        e.clock_hz =
            printed ? static_cast<double>(device.clock_hz) : sustained_clock_of<double>(device);
        if (!printed) wait_for_slice(e, k, *launch, p.beyond_l1_fraction);
        e.seconds = e.cycles / e.clock_hz;
        if (printed) add_floors(e, *launch);
        return e;
    }

private:
    [[nodiscard]] static hybrid_estimate<> of_sm(const whole_launch& launch,
                                                 const sm_estimate& sm) {
        hybrid_estimate<> e;
        e.resident_blocks_per_sm = static_cast<double>(launch.resident_blocks_per_sm);
        e.active_blocks_per_sm = static_cast<double>(launch.active_blocks_per_sm());
        e.active_warps_per_sm =
            static_cast<double>(launch.active_blocks_per_sm() * launch.warps_per_block);
        e.active_sms = static_cast<double>(launch.active_sms());
        e.blocks_per_sm = static_cast<double>(launch.max_blocks_per_sm());
        e.workloads = static_cast<double>(launch.workloads());
        e.rounds = e.blocks_per_sm / e.active_blocks_per_sm;
        e.sm = sm;
        e.limited_by = limiter_of(sm);
        e.sm_cycles = e.cycles = static_cast<double>(sm.cycles);
        e.mean_block_end_cycles = sm.mean_block_end_cycles;
        e.extrapolation_error = sm.extrapolation_error;
        if (sm.extrapolated_blocks > 0) e.assumed.add(assumption::steady_rate);
        return e;
    }

    // One slice of L2 has a sector that all warps of the grid read; it serves them one after the other.
    void wait_for_slice(hybrid_estimate<>& e, const kernel_profile<>& k, const whole_launch& launch,
                        double beyond_l1) const {
        e.l2_slice_cycles = detail::simulate::l2_slice_cycles_of(device, k, launch, beyond_l1);
        if (!(e.cycles < e.l2_slice_cycles)) return;
        e.cycles = e.l2_slice_cycles;
        e.limited_by = sm_limiter::l2_slice;
    }

    // The time of the grid from that of one workload, which waits `parameter_cycles` for the first round's
    // parameters. Later rounds find them.
    void extrapolate(hybrid_estimate<>& e, const whole_launch& launch,
                     double parameter_cycles) const {
        e.rounds = options.rounds == waves::whole ? static_cast<double>(launch.whole_rounds())
                                                  : launch.partial_rounds();
        e.overlap_fraction = (e.sm_cycles - e.mean_block_end_cycles) / e.sm_cycles;
        // Rounds overlap, but no more than the busiest resource lets them (P9).
        e.later_round_cycles =
            core::max((e.sm_cycles - parameter_cycles) * (1 - e.overlap_fraction),
                      max_utilisation(e.sm) * e.sm_cycles);
        e.cycles = e.sm_cycles + core::max(e.rounds - 1, 0.0) * e.later_round_cycles;
        if (e.rounds > 1) e.assumed.add(assumption::steady_rate);
    }

    // Where rounds that are not whole ones end before the SM that gets most blocks can have.
    void add_floors(hybrid_estimate<>& e, const whole_launch& launch) const {
        const double share = e.blocks_per_sm / e.active_blocks_per_sm;
        const double slots = static_cast<double>(device.warp_schedulers) *
                             static_cast<double>(device.issues_per_scheduler);
        const double issue = static_cast<double>(e.sm.warp_instructions) * share / slots;
        const double bytes = e.sm.dram_bytes / e.active_blocks_per_sm;
        const double moved = bytes * static_cast<double>(launch.blocks) *
                             static_cast<double>(device.clock_hz) /
                             static_cast<double>(device.dram_bytes_per_s);
        e.assumed.add(assumption::issue_floor, e.cycles < issue);
        e.assumed.add(assumption::dram_floor, e.cycles < moved);
    }

    // The utilisation of the resource that is used most.
    static constexpr double max_utilisation(const sm_estimate& e) {
        double most = core::max(e.issue_utilisation, e.dram_utilisation);  // it has no ports
        for (const double u : e.unit_utilisation) most = core::max(most, u);
        return most;
    }
};

/// Deduces the type of the device.
template <class D>
hybrid_model(D, hybrid_options = {}) -> hybrid_model<D>;

}  // namespace WARPGAUGE_NAMESPACE

#endif
