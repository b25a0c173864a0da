// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_MODELS_MPD_CPD_HPP
#define WARPGAUGE_MODELS_MPD_CPD_HPP

#include <cstdint>
#include <string_view>
#include <utility>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/device/device.hpp>
#include <warpgauge/kernel/assumptions.hpp>
#include <warpgauge/kernel/periods.hpp>
#include <warpgauge/kernel/profile.hpp>
#include <warpgauge/kernel/stream.hpp>
#include <warpgauge/models/model.hpp>
#include <warpgauge/sm/hierarchy.hpp>
#include <warpgauge/sm/launch.hpp>

/// \file MPD/CPD: run time from memory and computation parallel degree, period by period.
///
/// Source: L. Cheng, R. Suda, "An Execution Time Prediction Analytical Model for GPU with
/// Instruction-level and Thread-level Parallelism Awareness", 2011. Equation and table numbers are
/// that paper's. Where `equation_form::corrected` departs from the print, the comment says C1 to C12, as in
/// docs/mpd_cpd.md.

namespace WARPGAUGE_NAMESPACE {

/// The parameters of a device that the model reads; the maximum warps of an SM are its m. It also reads
/// `issue_cycles` or the schedulers, and `dram_transaction_bytes`, if a device has them.
template <class D>
concept mpd_cpd_device = has_chip<D> && has_computation_costs<D> && occupancy_device<D>;

/// Which memory tasks a period waits for: its own, or that of the period before.
enum class period_type : std::uint8_t {
    computation = 1,     ///< neither                 eq. (6)
    waits_for_itself,    ///< this one         eqs. (7), (8)
    waits_for_previous,  ///< the one before  eqs. (9), (10)
    waits_for_both,      ///< both           eqs. (11)-(13)
};

/// The number of a type and its words: "2 waits for itself".
[[nodiscard]] constexpr std::string_view name(period_type type) noexcept {
    switch (type) {
        case period_type::computation: return "1 computation";
        case period_type::waits_for_itself: return "2 waits for itself";
        case period_type::waits_for_previous: return "3 waits for the one before";
        case period_type::waits_for_both: return "4 waits for both";
    }
    return "unknown";
}

/// The number of warps that access memory at a time.
template <scalar Real = double>
struct mpd_values {
    Real warp_bytes_per_cycle{};    ///< B/cycle that one warp uses               Warp_bwt, eq. (1)
    Real device_bytes_per_cycle{};  ///< B/cycle of the device               GPU_bwt, eq. (2), C5
    Real mpd{};                     ///< warps, 1 to N_act                     eq. (2), C2, C9
    mask_of<Real> mpd_raised{};     ///< eq. (2) gives less than 1                             C2
};

/// The number of warps that compute at a time.
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
    period_type type{};  ///< the tasks that it is made of
    Real mpd{};  ///< warps, of its memory task; as published, of the task before           eq. (2)
    /// Cycles that warps wait for others to leave memory: in its own memory task, C11; as published, in the task before:
    /// T_p, (10), (12).
    Real previous_cycles{};
    Real current_cycles{};  ///< cycles that one access of its memory task adds    T_c, (8), (13)
    Real cycles{};          ///< cycles                                              T_i, (6)-(11)
    mask_of<Real>
        at_dram_floor{};  ///< its memory task takes as long as its bytes, not as (2) has it  C8
};

/// The time of the launch.
template <scalar Real = double>
struct period_totals {
    Real periods{};               ///< calculate periods of a warp
    Real comp_cycles{};           ///< cycles of a warp's computation tasks, alone
    Real mem_cycles{};            ///< cycles of a warp's memory tasks, alone
    Real previous_cycles{};       ///< sum of T_p
    Real current_cycles{};        ///< sum of T_c
    Real cycles_per_residency{};  ///< cycles, sum of T_i                              sec. 3.5
    Real issue_floor_cycles{};    ///< cycles to issue what an SM gets; 0: the device does not say
    Real dram_bytes{};            ///< B that the launch moves                               C8
    Real dram_floor_cycles{};     ///< cycles that DRAM takes to move them                   C8
    Real cycles{};                ///< cycles, of all residencies; not below the floors    C7, C8
    Real seconds{};               ///< s
};

/// Every intermediate value up to MPD, for the mean memory instruction.
template <scalar Real = double>
struct mpd_estimate : launch_values<Real>, mpd_values<Real> {};

/// Every intermediate value up to CPD.
template <scalar Real = double>
struct cpd_estimate : launch_values<Real>, cpd_values<Real> {};

/// Every intermediate value except those of single periods.
template <scalar Real = double>
struct mpd_cpd_estimate : assumed_values<Real>,
                          launch_values<Real>,
                          mpd_values<Real>,
                          cpd_values<Real>,
                          period_totals<Real> {};

/// The options of the model.
struct mpd_cpd_options {
    equation_form form = equation_form::corrected;  ///< which equations: corrected or as printed
    waves rounds = waves::quotient;                 ///< how a last round that is not full counts
};

/// Predicts the run time of kernels on `device`, from their instruction stream. Does not allocate;
/// loops take time in proportion to their length, not to their rounds.
/// \errors as `stream.hpp` for the stream, as `resident_blocks`; also
///         not_positive    `blocks`, `threads_per_block`, or a parameter of the device
///         negative        `active_blocks_per_sm`
///         missing         `costs`: the device has none for an instruction; `line` is its entry. A double
///                         is not priced as a float: `instruction_costs` has a factor for it
///         exceeds_device  `active_blocks_per_sm`: more warps than an SM holds, m of eq. (4)
///         outside_domain  with `as_published` alone: `mpd` or `cpd` is not above 0
///         overflow        `cycles`: the inputs are too large
template <mpd_cpd_device D>
struct mpd_cpd_model {
    [[no_unique_address]] D device{};  ///< the device that it predicts for
    mpd_cpd_options options{};         ///< the variant that predicts

    /// The same model on another device.
    template <mpd_cpd_device Other>
    [[nodiscard]] constexpr mpd_cpd_model<Other> on(const Other& other) const {
        return {other, options};
    }

    /// The memory access parallel degree with its intermediate values, without a time.
    template <scalar Real>
    [[nodiscard]] constexpr result<mpd_estimate<Real>> mpd(
        const kernel_profile<Real>& k) const noexcept;

    /// The computation parallel degree with its intermediate values, without a time.
    template <scalar Real>
    [[nodiscard]] constexpr result<cpd_estimate<Real>> cpd(
        const kernel_profile<Real>& k) const noexcept;

    /// The run time of the kernel, with every intermediate value.
    template <scalar Real = double>
    [[nodiscard]] constexpr result<mpd_cpd_estimate<Real>> predict(
        const kernel_profile<Real>& k) const noexcept {
        return predict(k, [](const calculate_period&, const period_time<Real>&, double) {});
    }

    /// As `predict(k)`, and calls `visit(period, time, times)` for every calculate period, in
    /// order; `times` of them in a row, or in rounds of a loop, are equal.
    template <scalar Real, class Visitor>
    [[nodiscard]] constexpr result<mpd_cpd_estimate<Real>> predict(const kernel_profile<Real>& k,
                                                                   Visitor visit) const;
};

/// Deduces the type of the device.
template <class D>
mpd_cpd_model(D, mpd_cpd_options = {}) -> mpd_cpd_model<D>;

/// The accuracy of a prediction, the smaller over the larger of predicted and measured time, 0 to 1; eq. (14).
/// \errors not_positive  `measured`, `predicted`
template <scalar Real>
[[nodiscard]] constexpr result<Real> accuracy(const Real& measured,
                                              const Real& predicted) noexcept {
    if (!core::positive(measured)) return model_error{errc::not_positive, "measured"};
    if (!core::positive(predicted)) return model_error{errc::not_positive, "predicted"};
    return core::min(measured, predicted) / core::max(measured, predicted);
}

namespace detail::models {

/// The error of the first input that is out of range, if there is one.
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
    const auto wrong_size =
        check_known_parameters<Real>(group_list<parameters::transaction_size>{}, d);
    if (wrong_size) return wrong_size;
    if (const auto wrong = check_issue<Real>(d)) return wrong;
    if (!scalar_traits<Real>::all(Real(2.0) <= Real(d.max_warps_per_sm))) {
        return {errc::not_positive, "max_warps_per_sm"};  // (4) divides by m - 1
    }
    return {};
}

/// The costs of one thread of a stream, for each instruction alone.
struct stream_costs {
    double insts{};
    double comp_cycles{};
    calculate_period memory{};  ///< of all memory instructions together
    std::uint32_t unknown{};    ///< the first entry, from 1, whose cost is not known
    bool others{};              ///< an instruction takes the cost of all unlisted instructions
    bool scattered{};           ///< a memory instruction takes several transactions
};

/// The price of an instruction on `D`: cycles, and what it moves.
template <scalar Real, mpd_cpd_device D>
struct instruction_price {
    const D& device;

    constexpr double operator()(const instruction& i) const { return device.costs.cycles(i); }

    /// A coalesced instruction moves the words of a warp, in a transaction of that size; any other no less than
    /// its transactions. C8.
    [[nodiscard]] constexpr bool moves_words(const instruction& i) const {
        if (i.transactions <= 1) return true;
        const Real words = Real(device.warp_size) * Real(static_cast<double>(i.bytes));
        const Real transactions =
            transaction_bytes_of<Real>(device) * Real(static_cast<double>(i.transactions));
        return scalar_traits<Real>::all(transactions <= words);
    }
};

/// B that a warp's accesses move. C8.
template <scalar Real, mpd_cpd_device D>
constexpr Real bytes_of_task(const calculate_period& task, const D& d) {
    return Real(d.warp_size) * Real(task.moved_words) +
           transaction_bytes_of<Real>(d) * Real(task.moved_transactions);
}

template <scalar Real, mpd_cpd_device D>
constexpr stream_costs costs_of(std::span<const instruction> stream, const D& device) {
    const instruction_price<Real, D> price{device};
    stream_costs sum;
    auto add = [&](const instruction& i, std::size_t at, double times) {
        const double cycles = price(i);
        const bool known = cycles > 0 && core::finite(cycles);
        if (!known && sum.unknown == 0) sum.unknown = static_cast<std::uint32_t>(at + 1);
        sum.insts += times;
        sum.others = sum.others || !device.costs.lists(i);
        if (is_memory(i)) {
            sum.memory.mem_cycles += times * cycles;
            sum.memory.mem_insts += times;
            sum.memory.bytes += times * i.bytes;
            sum.memory.transactions += times * i.transactions;
            const bool words = price.moves_words(i);
            sum.memory.moved_words += words ? times * i.bytes : 0;
            sum.memory.moved_transactions += words ? 0 : times * i.transactions;
            sum.scattered = sum.scattered || i.transactions > 1;
        } else {
            sum.comp_cycles += times * cycles;
        }
    };
    for_each_entry(stream, 0, stream.size(), 1, add);
    return sum;
}

/// Rounds of resident blocks, at least one: C12.
template <scalar Real, mpd_cpd_device D>
constexpr Real period_rounds(const kernel_profile<Real>& k, const D& d, const Real& resident,
                             waves counted) {
    const Real quotient = k.blocks / (resident * Real(d.sm_count));
    return core::max(counted == waves::whole ? core::ceil(quotient) : quotient, Real(1.0));
}

/// The steps before MPD and CPD: checks, the launch and the costs of the stream.
template <scalar Real>
struct mpd_cpd_start {
    launch_values<Real> launch{};
    stream_costs costs{};
};

template <scalar Real, mpd_cpd_device D>
constexpr result<mpd_cpd_start<Real>> start(const kernel_profile<Real>& k,
                                            const mpd_cpd_model<D>& m) {
    const D& d = m.device;
    if (const auto bad = check_options(m.options.form, m.options.rounds)) return bad;
    if (const auto bad = mpd_cpd_check(k, d)) return bad;
    if (const auto bad = check_stream(k.instructions)) return bad;
    const auto resident = resident_blocks(k, d);
    if (!resident) return resident.error();
    mpd_cpd_start<Real> s;
    s.launch = spread(k, d, *resident, m.options.form, m.options.rounds);
    if (!scalar_traits<Real>::all(s.launch.active_warps_per_sm <= Real(d.max_warps_per_sm))) {
        return model_error{errc::exceeds_device, "active_blocks_per_sm"};
    }
    // C12: a round that is not full takes as long as its blocks do, not a fraction of that.
    if (m.options.form != equation_form::as_published) {
        s.launch.rounds = period_rounds(k, d, *resident, m.options.rounds);
    }
    s.costs = costs_of<Real>(k.instructions, d);
    if (s.costs.unknown != 0) return model_error{errc::missing, "costs", s.costs.unknown};
    return s;
}

/// MPD of a memory access task (sec. 3.3) by the bytes that move, C8, C9.
template <scalar Real, mpd_cpd_device D>
constexpr mpd_values<Real> corrected_memory_degree(const calculate_period& task,
                                                   const mpd_cpd_model<D>& m,
                                                   const launch_values<Real>& l) {
    const Real one(1.0);
    mpd_values<Real> f;
    f.device_bytes_per_cycle = Real(m.device.dram_bytes_per_s) / Real(m.device.clock_hz);  // C5
    f.mpd = l.active_warps_per_sm;
    f.mpd_raised = f.mpd < Real(0.0);
    if (task.moved_words == 0 && task.moved_transactions == 0) return f;  // nothing to wait for
    f.warp_bytes_per_cycle =
        bytes_of_task<Real>(task, m.device) / Real(task.mem_cycles);                      // (1), C8
    const Real fed = f.device_bytes_per_cycle / (l.active_sms * f.warp_bytes_per_cycle);  // (2), C9
    f.mpd_raised = fed < one;
    f.mpd = core::min(l.active_warps_per_sm, core::max(fed, one));  // C2
    return f;
}

/// The same as printed.
template <scalar Real, mpd_cpd_device D>
constexpr mpd_values<Real> published_memory_degree(const calculate_period& task,
                                                   const mpd_cpd_model<D>& m,
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
    return f;
}

template <scalar Real, mpd_cpd_device D>
constexpr mpd_values<Real> memory_degree(const calculate_period& task, const mpd_cpd_model<D>& m,
                                         const launch_values<Real>& l) {
    return m.options.form == equation_form::as_published ? published_memory_degree(task, m, l)
                                                         : corrected_memory_degree(task, m, l);
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

constexpr period_type period_type_of(const calculate_period& now,
                                     const calculate_period& previous) {
    const bool waits_before = previous.comp_cycles < previous.mem_cycles;
    const bool waits_within = now.comp_cycles < now.mem_cycles;
    if (waits_before) {
        return waits_within ? period_type::waits_for_both : period_type::waits_for_previous;
    }
    return waits_within ? period_type::waits_for_itself : period_type::computation;
}

/// How much one warp computes at a time, on an SM with others: CPD of one, and no more than that of all.
template <scalar Real, mpd_cpd_device D>
constexpr Real degree_of_one_warp(const stream_costs& costs, const mpd_cpd_model<D>& m,
                                  const launch_values<Real>& l, const Real& cpd) {
    launch_values<Real> alone = l;
    alone.active_warps_per_sm = Real(1.0);
    const cpd_values<Real> one = computation_degree(costs, m, alone);
    return core::min(one.cpd, cpd);
}

/// CPD of all warps, and of one.
template <scalar Real>
struct computation_degrees {
    Real all{};
    Real one_warp{};
};

/// One period: all warps compute, or one computes and all pass through memory, MPD at a time; C10, C11.
template <scalar Real, mpd_cpd_device D>
constexpr period_time<Real> corrected_time_of(const calculate_period& now,
                                              const calculate_period& previous,
                                              const mpd_cpd_model<D>& m,
                                              const launch_values<Real>& l,
                                              const computation_degrees<Real>& cpd) {
    const Real zero(0.0);
    const Real& N = l.active_warps_per_sm;
    const Real c(now.comp_cycles);
    const Real latency(now.mem_cycles);
    period_time<Real> t;
    t.type = period_type_of(now, previous);
    t.mpd = corrected_memory_degree(now, m, l).mpd;
    const Real all = core::ceil(Real(N * c / cpd.all));  // (6)
    const Real one_warp = c / cpd.one_warp;
    t.current_cycles = core::max(Real(one_warp + latency - all), zero);
    // With MPD at 1 or above, more bytes than one warp at a time can ask for would be free. C8
    const Real waited = latency * (N / t.mpd);
    const Real moved = bytes_of_task<Real>(now, m.device) * N * l.active_sms /
                       (Real(m.device.dram_bytes_per_s) / Real(m.device.clock_hz));
    t.at_dram_floor = waited < moved && t.mpd <= Real(1.0);
    const Real memory = one_warp + core::max(waited, moved);
    t.previous_cycles = core::max(Real(memory - all - t.current_cycles), zero);
    t.cycles = core::max(all, memory);
    return t;
}

/// One period as printed (sec. 3.5).
template <scalar Real, mpd_cpd_device D>
constexpr period_time<Real> published_time_of(const calculate_period& now,
                                              const calculate_period& previous,
                                              const mpd_cpd_model<D>& m,
                                              const launch_values<Real>& l, const Real& cpd) {
    const Real zero(0.0);
    const Real one(1.0);
    const Real& N = l.active_warps_per_sm;
    const Real c(now.comp_cycles);
    const Real others = (N - one) * c;  // (8): n is N_act, C3
    const bool waits_before = previous.comp_cycles < previous.mem_cycles;
    const bool waits_within = now.comp_cycles < now.mem_cycles;

    period_time<Real> t;
    t.type = period_type_of(now, previous);
    t.mpd = published_memory_degree(previous, m, l).mpd;
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

/// What no launch can be faster than.
template <scalar Real>
struct period_floors {
    Real issue_cycles{};  ///< cycles to issue the instructions of an SM's warps
    Real dram_bytes{};    ///< B of the launch
    Real dram_cycles{};   ///< cycles to move them
    /// Cycles of one warp, one task after the other, with all the CPD it can have.
    Real warp_cycles{};
};

template <scalar Real, mpd_cpd_device D>
constexpr period_floors<Real> period_floors_of(const kernel_profile<Real>& k, const D& d,
                                               const stream_costs& costs) {
    const Real warps = k.threads_per_block / Real(d.warp_size);
    const Real blocks_per_sm = core::max(Real(k.blocks / Real(d.sm_count)), Real(1.0));
    const Real insts = core::ceil(warps) * blocks_per_sm * Real(costs.insts);
    const Real bytes = bytes_of_task<Real>(costs.memory, d) * warps * k.blocks;
    return {.issue_cycles = insts * issue_cycles_of<Real>(d),
            .dram_bytes = bytes,
            .dram_cycles = bytes / (Real(d.dram_bytes_per_s) / Real(d.clock_hz)),
            .warp_cycles =
                Real(costs.memory.mem_cycles) +
                Real(costs.comp_cycles) / core::max(Real(d.cpd_a), Real(1.0))};  // (4), N_act = 1
}

/// Raises `t.cycles` to the floors, unless the form is that of the print, and says where they are higher.
template <scalar Real, mpd_cpd_device D>
constexpr assumed_values<Real> keep_above_period_floors(const mpd_cpd_model<D>& m,
                                                        const stream_costs& costs,
                                                        const period_floors<Real>& f,
                                                        const mask_of<Real>& at_dram_floor,
                                                        period_totals<Real>& t) {
    assumed_values<Real> a;
    if (costs.others) a.assumed.add(assumption::costs_of_others);
    if (!knows<parameters::transaction_size>(m.device) && costs.scattered) {
        a.assumed.add(assumption::transactions_of_32_bytes);
    }
    t.issue_floor_cycles = f.issue_cycles;
    t.dram_bytes = f.dram_bytes;
    t.dram_floor_cycles = f.dram_cycles;
    a.assumed.add(assumption::issue_floor, t.cycles < f.issue_cycles);
    a.assumed.add(assumption::dram_floor, t.cycles < f.dram_cycles || at_dram_floor);
    if (m.options.form == equation_form::as_published) {
        a.assumed.add(assumption::block_floor, t.cycles < f.warp_cycles);
    } else {  // a residency is not below one warp's time, C11
        t.cycles = core::max(t.cycles, core::max(f.issue_cycles, f.dram_cycles));
    }
    return a;
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

    const bool printed = options.form == equation_form::as_published;
    const detail::models::computation_degrees<Real> cpd{
        .all = comp.cpd,
        .one_warp = printed
                        ? comp.cpd
                        : detail::models::degree_of_one_warp(s->costs, *this, s->launch, comp.cpd)};

    period_totals<Real> total{.comp_cycles = Real(s->costs.comp_cycles),
                              .mem_cycles = Real(s->costs.memory.mem_cycles)};
    bool divided_by_zero = false;
    mask_of<Real> at_dram_floor = comp.cpd < Real(0.0);  // nowhere
    const auto add = [&](const calculate_period& now, const calculate_period& previous,
                         double times) {
        const period_time<Real> t =
            printed ? detail::models::published_time_of(now, previous, *this, s->launch, cpd.all)
                    : detail::models::corrected_time_of(now, previous, *this, s->launch, cpd);
        divided_by_zero = divided_by_zero || !core::positive(t.mpd);
        at_dram_floor = at_dram_floor || t.at_dram_floor;
        const Real often(times);
        total.periods = total.periods + often;
        total.previous_cycles = total.previous_cycles + often * t.previous_cycles;
        total.current_cycles = total.current_cycles + often * t.current_cycles;
        total.cycles_per_residency = total.cycles_per_residency + often * t.cycles;
        visit(now, t, times);
    };
    const auto bad =
        for_each_period(k.instructions, detail::models::instruction_price<Real, D>{device}, add);
    if (bad) return bad;
    if (divided_by_zero) return model_error{errc::outside_domain, "mpd"};

    total.cycles =
        printed ? total.cycles_per_residency : Real(total.cycles_per_residency * s->launch.rounds);
    auto assumed = detail::models::keep_above_period_floors(
        *this, s->costs, detail::models::period_floors_of(k, device, s->costs), at_dram_floor,
        total);
    total.seconds = total.cycles / Real(device.clock_hz);
    if (!core::positive(total.cycles)) return model_error{errc::overflow, "cycles"};
    return result<mpd_cpd_estimate<Real>>(std::in_place, assumed, s->launch, mem, comp, total);
}

}  // namespace WARPGAUGE_NAMESPACE

#endif
