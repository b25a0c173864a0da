// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_MODELS_MPD_CPD_HPP
#define WARPGAUGE_MODELS_MPD_CPD_HPP

#include <cstdint>
#include <string_view>
#include <utility>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/device/device.hpp>
#include <warpgauge/kernel/periods.hpp>
#include <warpgauge/kernel/profile.hpp>
#include <warpgauge/kernel/stream.hpp>
#include <warpgauge/models/model.hpp>
#include <warpgauge/sm/launch.hpp>

/// \file MPD/CPD: run time from memory and computation parallel degree, period by period.
///
/// Source: L. Cheng, R. Suda, "An Execution Time Prediction Analytical Model for GPU with
/// Instruction-level and Thread-level Parallelism Awareness", 2011. Equation and table numbers are
/// that paper's. Where `equation_form::corrected` departs from the print, the comment says C1 to C7, as in
/// docs/mpd_cpd.md.

namespace warpgauge {

/// What the model reads of a device; the most warps of an SM are its m.
template <class D>
concept mpd_cpd_device = has_chip<D> && has_computation_costs<D> && occupancy_device<D>;

/// Which of the tasks of a period and of the one before take longer in memory.
enum class period_type : std::uint8_t {
    computation = 1,     ///< neither                 eq. (6)
    waits_for_itself,    ///< this one         eqs. (7), (8)
    waits_for_previous,  ///< the one before  eqs. (9), (10)
    waits_for_both,      ///< both           eqs. (11)-(13)
};

/// Number and words of a type: "2 waits for itself".
[[nodiscard]] constexpr std::string_view name(period_type type) noexcept {
    switch (type) {
        case period_type::computation: return "1 computation";
        case period_type::waits_for_itself: return "2 waits for itself";
        case period_type::waits_for_previous: return "3 waits for the one before";
        case period_type::waits_for_both: return "4 waits for both";
    }
    return "unknown";
}

/// How many warps access memory at a time.
template <scalar Real = double>
struct mpd_values {
    Real warp_bytes_per_cycle{};    ///< B/cycle that one warp uses               Warp_bwt, eq. (1)
    Real device_bytes_per_cycle{};  ///< B/cycle of the device               GPU_bwt, eq. (2), C5
    Real mpd{};                     ///< warps, 1 to N_act                             eq. (2), C2
    mask_of<Real> mpd_raised{};     ///< eq. (2) gives less than 1                             C2
};

/// How many warps compute at a time.
template <scalar Real = double>
struct cpd_values {
    Real computation_fraction{};  ///< of a thread's cycles, 0 to 1              P, sec. 3.4
    Real n{};                     ///< warps                                        eq. (5)
    Real cpd1{};                  ///< warps                                        eq. (3)
    Real cpd2{};                  ///< warps                                        eq. (4)
    Real cpd{};                   ///< warps, >= 1                                  C1
    mask_of<Real> cpd_raised{};   ///< the equations give less than 1               C1
};

/// One calculate period in time.
template <scalar Real = double>
struct period_time {
    period_type type{};
    Real mpd{};              ///< warps, of the memory task before                       eq. (2)
    Real previous_cycles{};  ///< cycles that the memory task before adds     T_p, (10), (12)
    Real current_cycles{};   ///< cycles that the memory task within adds      T_c, (8), (13)
    Real cycles{};           ///< cycles                                              T_i, (6)-(11)
};

/// How long it all takes.
template <scalar Real = double>
struct period_totals {
    Real periods{};               ///< calculate periods of a warp
    Real comp_cycles{};           ///< cycles of a warp's computation tasks, alone
    Real mem_cycles{};            ///< cycles of a warp's memory tasks, alone
    Real previous_cycles{};       ///< sum of T_p
    Real current_cycles{};        ///< sum of T_c
    Real cycles_per_residency{};  ///< cycles, sum of T_i                              sec. 3.5
    Real cycles{};                ///< cycles, of all residencies                            C7
    Real seconds{};               ///< s
};

/// Every intermediate value up to MPD, for the mean memory instruction.
template <scalar Real = double>
struct mpd_estimate : launch_values<Real>, mpd_values<Real> {};

/// Every intermediate value up to CPD.
template <scalar Real = double>
struct cpd_estimate : launch_values<Real>, cpd_values<Real> {};

/// Every intermediate value but those of single periods.
template <scalar Real = double>
struct mpd_cpd_estimate : launch_values<Real>,
                          mpd_values<Real>,
                          cpd_values<Real>,
                          period_totals<Real> {};

/// Which of the model's variants predicts.
struct mpd_cpd_options {
    equation_form form = equation_form::corrected;
    waves rounds = waves::quotient;
};

/// Predicts the run time of kernels on `device`, from their instruction stream. Does not allocate;
/// loops take time in proportion to their length, not to their rounds.
/// \errors as `instructions.hpp` for the stream, as `resident_blocks`; besides
///         not_positive    `blocks`, `threads_per_block`, or a parameter of the device
///         negative        `active_blocks_per_sm`
///         missing         `costs`: the device has none for an instruction; `line` is its entry
///         exceeds_device  `active_blocks_per_sm`: more warps than an SM holds, m of eq. (4)
///         outside_domain  with `as_published` alone: `mpd` or `cpd` is not above 0
///         overflow        `cycles`: the inputs are too large
template <mpd_cpd_device D>
struct mpd_cpd_model {
    [[no_unique_address]] D device{};
    mpd_cpd_options options{};

    /// The same model of another device.
    template <mpd_cpd_device Other>
    [[nodiscard]] constexpr mpd_cpd_model<Other> on(const Other& other) const {
        return {other, options};
    }

    template <scalar Real>
    [[nodiscard]] constexpr result<mpd_estimate<Real>> mpd(
        const kernel_profile<Real>& k) const noexcept;

    template <scalar Real>
    [[nodiscard]] constexpr result<cpd_estimate<Real>> cpd(
        const kernel_profile<Real>& k) const noexcept;

    template <scalar Real>
    [[nodiscard]] constexpr result<mpd_cpd_estimate<Real>> predict(
        const kernel_profile<Real>& k) const noexcept {
        return predict(k, [](const calculate_period&, const period_time<Real>&, double) {});
    }

    /// As `predict(k)`, and calls `visit(period, time, times)` for every calculate period, in
    /// order; `times` of them in a row, or in rounds of a loop, are alike.
    template <scalar Real, class Visitor>
    [[nodiscard]] constexpr result<mpd_cpd_estimate<Real>> predict(const kernel_profile<Real>& k,
                                                                   Visitor visit) const;
};

template <class D>
mpd_cpd_model(D, mpd_cpd_options = {}) -> mpd_cpd_model<D>;

/// How near a prediction comes to a measurement, 0 to 1, whichever is larger; eq. (14).
/// \errors not_positive  `measured`, `predicted`
template <scalar Real>
[[nodiscard]] constexpr result<Real> accuracy(const Real& measured,
                                              const Real& predicted) noexcept {
    if (!core::positive(measured)) return model_error{errc::not_positive, "measured"};
    if (!core::positive(predicted)) return model_error{errc::not_positive, "predicted"};
    return core::min(measured, predicted) / core::max(measured, predicted);
}

namespace detail::models {

/// What is wrong with the first input that is out of range, if one is.
template <scalar Real, mpd_cpd_device D>
constexpr model_error mpd_cpd_check(const kernel_profile<Real>& k, const D& d) {
    const core::named_input<Real> inputs[]{{k.blocks, "blocks"},
                                           {k.threads_per_block, "threads_per_block"},
                                           {Real(d.costs.load_store_cycles), "load_store_cycles"}};
    for (const core::named_input<Real>& i : inputs) {
        if (!core::positive(i.value)) return {errc::not_positive, i.field};
    }
    if (!core::non_negative(k.active_blocks_per_sm)) {
        return {errc::negative, "active_blocks_per_sm"};
    }
    const auto bad =
        check_parameters<Real, parameters::chip, parameters::warp, parameters::computation_costs>(
            d);
    if (bad) return bad;
    if (!scalar_traits<Real>::all(Real(2.0) <= Real(d.max_warps_per_sm))) {
        return {errc::not_positive, "max_warps_per_sm"};  // (4) divides by m - 1
    }
    return {};
}

/// What one thread of a stream costs, each instruction alone.
struct stream_costs {
    double comp_cycles{};
    calculate_period memory{};  ///< of all memory instructions together
    std::uint32_t unknown{};    ///< the first entry, from 1, that the table does not list
};

constexpr stream_costs costs_of(std::span<const instruction> stream,
                                const instruction_costs& table) {
    stream_costs sum;
    auto add = [&](const instruction& i, std::size_t at, double times) {
        const double cycles = table.cycles(i);
        const bool listed = cycles > 0 && cycles <= std::numeric_limits<double>::max();
        if (!listed && sum.unknown == 0) sum.unknown = static_cast<std::uint32_t>(at + 1);
        if (is_memory(i)) {
            sum.memory.mem_cycles += times * cycles;
            sum.memory.mem_insts += times;
            sum.memory.bytes += times * i.bytes;
            sum.memory.transactions += times * i.transactions;
        } else {
            sum.comp_cycles += times * cycles;
        }
    };
    for_each_entry(stream, 0, stream.size(), 1, add);
    return sum;
}

/// All that stands before MPD and CPD: checks, the launch and the costs of the stream.
template <scalar Real>
struct mpd_cpd_start {
    launch_values<Real> launch{};
    stream_costs costs{};
};

template <scalar Real, mpd_cpd_device D>
constexpr result<mpd_cpd_start<Real>> start(const kernel_profile<Real>& k,
                                            const mpd_cpd_model<D>& m) {
    const D& d = m.device;
    if (const auto bad = mpd_cpd_check(k, d)) return bad;
    if (const auto bad = check_stream(k.instructions)) return bad;
    const auto resident = resident_blocks(k, d);
    if (!resident) return resident.error();
    mpd_cpd_start<Real> s;
    s.launch = spread(k, d, *resident, m.options.form, m.options.rounds);
    if (!scalar_traits<Real>::all(s.launch.active_warps_per_sm <= Real(d.max_warps_per_sm))) {
        return model_error{errc::exceeds_device, "active_blocks_per_sm"};
    }
    s.costs = costs_of(k.instructions, d.costs);
    if (s.costs.unknown != 0) return model_error{errc::missing, "costs", s.costs.unknown};
    return s;
}

/// MPD of a memory access task (sec. 3.3).
template <scalar Real, mpd_cpd_device D>
constexpr mpd_values<Real> memory_degree(const calculate_period& task, const mpd_cpd_model<D>& m,
                                         const launch_values<Real>& l) {
    const Real& N = l.active_warps_per_sm;
    mpd_values<Real> f;
    f.device_bytes_per_cycle = Real(m.device.dram_bytes_per_s) / Real(m.device.clock_hz);  // C5
    f.mpd = N;
    f.mpd_raised = N < Real(0.0);
    if (task.mem_insts == 0 || task.bytes == 0) return f;  // nothing to wait for
    // (1): N_thread D_mem / (N_trans t_mem), each per memory instruction of the task.
    f.warp_bytes_per_cycle = Real(m.device.warp_size) * Real(task.bytes / task.transactions) /
                             Real(task.mem_cycles / task.mem_insts);
    const Real fed =
        core::floor(Real(f.device_bytes_per_cycle / (N * l.active_sms * f.warp_bytes_per_cycle)));
    f.mpd = core::min(N, fed);  // (2)
    if (m.options.form != equation_form::as_published) {
        f.mpd_raised = f.mpd < Real(1.0);
        f.mpd = core::max(f.mpd, Real(1.0));  // C2
    }
    return f;
}

/// CPD (sec. 3.4).
template <scalar Real, mpd_cpd_device D>
constexpr cpd_values<Real> computation_degree(const stream_costs& costs,
                                              const mpd_cpd_model<D>& model,
                                              const launch_values<Real>& l) {
    const auto& dev = model.device;
    const Real a = Real(dev.cpd_a);
    const Real b = Real(dev.cpd_b);
    const Real c = Real(dev.cpd_c);
    const Real d = Real(dev.cpd_d);
    const Real m = Real(dev.max_warps_per_sm);
    const Real one(1.0);
    const Real& N = l.active_warps_per_sm;
    const Real P = Real(costs.comp_cycles / (costs.comp_cycles + costs.memory.mem_cycles));

    cpd_values<Real> f;
    f.computation_fraction = P;
    f.n = d * (P - c) * (P - c);     // (5)
    f.cpd1 = (c - P) * (N - b) + a;  // (3)
    const Real under_root = (m - one) * (m - one) - (N - m) * (N - m);
    f.cpd2 = f.n / (m - one) * core::sqrt(core::max(under_root, Real(0.0))) + a;  // (4)
    const Real least = core::min(f.cpd1, f.cpd2);
    if (model.options.form == equation_form::as_published) {
        f.cpd = least;
        f.cpd_raised = N < Real(0.0);
    } else {
        const Real chosen = core::select(P <= c, least, f.cpd2);  // C1
        f.cpd_raised = chosen < one;
        f.cpd = core::max(chosen, one);
    }
    return f;
}

/// One period (sec. 3.5).
template <scalar Real, mpd_cpd_device D>
constexpr period_time<Real> time_of(const calculate_period& now, const calculate_period& previous,
                                    const mpd_cpd_model<D>& m, const launch_values<Real>& l,
                                    const Real& cpd) {
    const Real zero(0.0);
    const Real one(1.0);
    const Real& N = l.active_warps_per_sm;
    const Real c(now.comp_cycles);
    const Real others = (N - one) * c;  // (8): n is N_act, C3
    const bool waits_before = previous.comp_cycles < previous.mem_cycles;
    const bool waits_within = now.comp_cycles < now.mem_cycles;

    period_time<Real> t;
    t.type = waits_before
                 ? (waits_within ? period_type::waits_for_both : period_type::waits_for_previous)
                 : (waits_within ? period_type::waits_for_itself : period_type::computation);
    t.mpd = memory_degree(previous, m, l).mpd;
    if (waits_before) {  // (10), (12)
        const Real rounds = core::floor(Real(N / t.mpd - one));
        t.previous_cycles = core::max(Real(Real(previous.mem_cycles) * rounds - others), zero);
    }
    if (waits_within) {  // (8), (13); C4
        t.current_cycles =
            core::max(Real(Real(now.mem_cycles) - (others + t.previous_cycles)), zero);
    }
    t.cycles = core::ceil(Real(N * c / cpd)) + t.previous_cycles + t.current_cycles;  // (6)-(11)
    return t;
}

}  // namespace detail::models

template <mpd_cpd_device D>
template <scalar Real>
constexpr result<mpd_estimate<Real>> mpd_cpd_model<D>::mpd(
    const kernel_profile<Real>& k) const noexcept {
    auto s = detail::models::start(k, *this);
    if (!s) return s.error();
    auto f = detail::models::memory_degree(s->costs.memory, *this, s->launch);
    return result<mpd_estimate<Real>>(std::in_place, s->launch, f);
}

template <mpd_cpd_device D>
template <scalar Real>
constexpr result<cpd_estimate<Real>> mpd_cpd_model<D>::cpd(
    const kernel_profile<Real>& k) const noexcept {
    auto s = detail::models::start(k, *this);
    if (!s) return s.error();
    auto f = detail::models::computation_degree(s->costs, *this, s->launch);
    return result<cpd_estimate<Real>>(std::in_place, s->launch, f);
}

template <mpd_cpd_device D>
template <scalar Real, class Visitor>
constexpr result<mpd_cpd_estimate<Real>> mpd_cpd_model<D>::predict(const kernel_profile<Real>& k,
                                                                   Visitor visit) const {
    auto s = detail::models::start(k, *this);
    if (!s) return s.error();
    auto mem = detail::models::memory_degree(s->costs.memory, *this, s->launch);
    auto comp = detail::models::computation_degree(s->costs, *this, s->launch);
    if (!core::positive(comp.cpd)) return model_error{errc::outside_domain, "cpd"};

    period_totals<Real> total{.comp_cycles = Real(s->costs.comp_cycles),
                              .mem_cycles = Real(s->costs.memory.mem_cycles)};
    bool divided_by_zero = false;
    const auto add = [&](const calculate_period& now, const calculate_period& previous,
                         double times) {
        const period_time<Real> t =
            detail::models::time_of(now, previous, *this, s->launch, comp.cpd);
        divided_by_zero = divided_by_zero || !core::positive(t.mpd);
        const Real often(times);
        total.periods = total.periods + often;
        total.previous_cycles = total.previous_cycles + often * t.previous_cycles;
        total.current_cycles = total.current_cycles + often * t.current_cycles;
        total.cycles_per_residency = total.cycles_per_residency + often * t.cycles;
        visit(now, t, times);
    };
    const auto bad = for_each_period(
        k.instructions, [&](const instruction& i) { return device.costs.cycles(i); }, add);
    if (bad) return bad;
    if (divided_by_zero) return model_error{errc::outside_domain, "mpd"};

    total.cycles = options.form == equation_form::as_published
                       ? total.cycles_per_residency
                       : Real(total.cycles_per_residency * s->launch.rounds);
    total.seconds = total.cycles / Real(device.clock_hz);
    if (!core::positive(total.cycles)) return model_error{errc::overflow, "cycles"};
    return result<mpd_cpd_estimate<Real>>(std::in_place, s->launch, mem, comp, total);
}

}  // namespace warpgauge

#endif
