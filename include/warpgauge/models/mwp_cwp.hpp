// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_MODELS_MWP_CWP_HPP
#define WARPGAUGE_MODELS_MWP_CWP_HPP

#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/device/device.hpp>
#include <warpgauge/kernel/assumptions.hpp>
#include <warpgauge/kernel/profile.hpp>
#include <warpgauge/models/model.hpp>
#include <warpgauge/sm/launch.hpp>

/// \file MWP/CWP: run time from memory and computation warp parallelism.
///
/// Source: S. Hong, H. Kim, "An Analytical Model for a GPU Architecture with Memory-level and
/// Thread-level Parallelism Awareness", ISCA 2009. Equation and table numbers are that paper's.
/// Where `equation_form::corrected` departs from the print, the comment says H1 to H11, as in
/// docs/mwp_cwp.md.

namespace WARPGAUGE_NAMESPACE {

/// The parameters of a device that the model reads. It also reads `dram_transaction_bytes` if a device has it, and
/// the limits of `occupancy_device` if `active_blocks_per_sm` of a profile is 0.
template <class D>
concept mwp_cwp_device =
    has_chip<D> && has_warp<D> && has_issue<D> && has_dram_latency<D> && has_departures<D>;

/// The equation that gave `cycles`; in the default form the one with the maximum (H9).
enum class mwp_cwp_case : std::uint8_t {
    too_few_warps,  ///< eq. (22): every warp's memory waits overlap, and there are no more warps
    memory_bound,   ///< eq. (23): memory waits hide computation
    compute_bound,  ///< eq. (24): computation hides memory waits
};

/// The case in words: "memory bound".
[[nodiscard]] constexpr std::string_view name(mwp_cwp_case which) noexcept {
    switch (which) {
        case mwp_cwp_case::too_few_warps: return "too few warps";
        case mwp_cwp_case::memory_bound: return "memory bound";
        case mwp_cwp_case::compute_bound: return "compute bound";
    }
    return "unknown";
}

/// How the latency of memory, the queue for it and the issue of instructions combine.
enum class overlap_rule : std::uint8_t {
    hidden,  ///< as eqs. (22)-(24): the shorter of memory and computation hides behind the longer
    summed,  ///< nothing hides: each round shows its latency once, and every further warp its turn in
             ///< the queue for memory and at issue. Ours, not the paper's; docs/mwp_cwp.md says why
};

/// The options of the model.
struct mwp_cwp_options {
    equation_form form = equation_form::corrected;  ///< which equations: corrected or as printed
    waves rounds = waves::quotient;  ///< with `overlap_rule::summed`, only for barriers
    overlap_rule overlap =
        overlap_rule::hidden;  ///< whether memory and computation hide each other
};

/// The number of warps that access memory at a time, with intermediate values.
template <scalar Real = double>
struct mwp_values {
    Real weight_uncoalesced{};  ///< fraction of memory instructions, 0 to 1       eq. (13)
    Real weight_coalesced{};    ///< fraction of memory instructions, 0 to 1       eq. (14)
    Real mem_latency_uncoalesced_cycles{};  ///< cycles                      Mem_L_Uncoal, eq. (10)
    Real mem_latency_coalesced_cycles{};    ///< cycles                        Mem_L_Coal, eq. (11)
    Real mem_latency_cycles{};              ///< cycles                             Mem_L, eq. (12)
    Real departure_delay_cycles{};          ///< cycles between two memory warps            eq. (15)
    Real mwp_without_bw_full{};             ///< warps                                      eq. (16)
    Real mwp_without_bw{};                  ///< warps                                      eq. (17)
    Real load_bytes_per_warp{};             ///< B, a memory instruction of a warp       tbl. 1, H8
    Real bytes_per_s_per_warp{};            ///< B/s                         BW_per_warp, eq. (7)
    Real mwp_peak_bw{};                     ///< warps                                       eq. (6)
    Real mwp{};                             ///< warps, > 0; below 1 where the bandwidth does not
                                            ///< feed one warp                          eq. (5), H5
};

/// The number of warps that compute while one waits for memory.
template <scalar Real = double>
struct cwp_values {
    Real mem_cycles{};   ///< cycles per warp    eq. (18)
    Real comp_cycles{};  ///< cycles per warp    eq. (19)
    Real cwp_full{};     ///< warps               eq. (8)
    Real cwp{};          ///< warps               eq. (9)
};

/// The time of the launch.
template <scalar Real = double>
struct time_values {
    Real comp_period_cycles{};  ///< cycles of one computation period         eq. (2), H4
    choice_of<Real, mwp_cwp_case> which{};  ///< the equation that gave `cycles_without_barriers`
    Real cycles_without_barriers{};         ///< cycles      eqs. (22)-(24), H1, H2, H9, H10
    Real barrier_cycles{};                  ///< cycles that barriers add       eq. (26), H11
    Real cpi{};      ///< cycles per instruction of a warp, without barriers  eq. (25)
    Real cycles{};   ///< cycles of the launch, barriers included             eq. (27)
    Real seconds{};  ///< s, `cycles` / clock
};

/// Every intermediate value up to MWP.
template <scalar Real = double>
struct mwp_estimate : launch_values<Real>, mwp_values<Real> {};

/// Every intermediate value up to CWP.
template <scalar Real = double>
struct cwp_estimate : launch_values<Real>, mwp_values<Real>, cwp_values<Real> {};

/// Every intermediate value, in the order computed. `assumed` says whether (22)-(24), with the paper's choice among
/// them, are below the time to issue the instructions, to move the bytes from DRAM, or to execute one block. The
/// default form then takes longer (H9, H10); as published, the time is as printed.
template <scalar Real = double>
struct mwp_cwp_estimate : launch_values<Real>,
                          mwp_values<Real>,
                          cwp_values<Real>,
                          time_values<Real>,
                          assumed_values<Real> {};

/// Predicts the run time of kernels on `device`.
///
/// `predict` gives all values, `mwp` and `cwp` those up to the value they are named for. None of them
/// throws, allocates or keeps state.
/// \errors not_positive    `blocks`, `threads_per_block`, `transactions_per_uncoalesced`,
///                         `bytes_per_access`, or a parameter of the device
///         negative        an instruction count or `active_blocks_per_sm`
///         missing         `comp_insts`: the kernel has no instruction at all;
///                         `active_blocks_per_sm`: it is 0 and the device has no limits
///         exceeds_device  as `occupancy`, if `active_blocks_per_sm` of the profile is 0
///         outside_domain  `transactions_per_uncoalesced`: (10) gives no latency; with
///                         `as_published` alone: `coalesced_mem_insts`, no memory instruction;
///                         `cycles`, the equations give zero or less
///         overflow        an input that is above 1e20, or not 0 and below 1e-10; `cycles`
template <mwp_cwp_device D>
struct mwp_cwp_model {
    [[no_unique_address]] D device{};  ///< the device that it predicts for
    mwp_cwp_options options{};         ///< the variant that predicts

    /// The same model on another device.
    template <mwp_cwp_device Other>
    [[nodiscard]] constexpr mwp_cwp_model<Other> on(const Other& other) const {
        return {other, options};
    }

    /// Every value up to MWP, eq. (5), without a time.
    template <scalar Real>
    [[nodiscard]] constexpr result<mwp_estimate<Real>> mwp(
        const kernel_profile<Real>& k) const noexcept {
        return upto<mwp_estimate<Real>>(k);
    }

    /// Every value up to CWP, eq. (9), without a time.
    template <scalar Real>
    [[nodiscard]] constexpr result<cwp_estimate<Real>> cwp(
        const kernel_profile<Real>& k) const noexcept {
        return upto<cwp_estimate<Real>>(k);
    }

    /// The run time of the kernel, with every intermediate value.
    template <scalar Real = double>
    [[nodiscard, gnu::always_inline]] constexpr result<mwp_cwp_estimate<Real>> predict(
        const kernel_profile<Real>& k) const noexcept {
        return upto<mwp_cwp_estimate<Real>>(k);
    }

private:
    template <class Estimate, scalar Real>
    constexpr result<Estimate> upto(const kernel_profile<Real>& k) const noexcept;
};

/// Deduces the type of the device.
template <class D>
mwp_cwp_model(D, mwp_cwp_options = {}) -> mwp_cwp_model<D>;

namespace detail::models {

[[gnu::always_inline]] constexpr model_error check_mwp_cwp_options(const mwp_cwp_options& o) {
    if (const auto bad = check_options(o.form, o.rounds)) return bad;
    return core::check_enumerator(o.overlap, overlap_rule::summed, "overlap");
}

/// The error of the first input that is out of range, if there is one.
template <scalar Real, mwp_cwp_device D>
[[gnu::noinline]] constexpr model_error mwp_cwp_diagnose(const kernel_profile<Real>& k,
                                                         const mwp_cwp_model<D>& m) {
    const D& d = m.device;
    if (const auto wrong = check_mwp_cwp_options(m.options)) return wrong;
    const model_error bad = core::check_inputs<Real>({
        {k.blocks, "blocks"},
        {k.threads_per_block, "threads_per_block"},
        {k.transactions_per_uncoalesced, "transactions_per_uncoalesced"},
        {k.bytes_per_access, "bytes_per_access"},
        {k.active_blocks_per_sm, "active_blocks_per_sm", core::zero::allowed},
        {k.comp_insts, "comp_insts", core::zero::allowed},
        {k.coalesced_mem_insts, "coalesced_mem_insts", core::zero::allowed},
        {k.uncoalesced_mem_insts, "uncoalesced_mem_insts", core::zero::allowed},
        {k.sync_insts, "sync_insts", core::zero::allowed},
    });
    if (bad) return bad;
    if (const auto wrong =
            check_parameters<Real, parameters::chip, parameters::warp, parameters::issue,
                             parameters::dram_latency, parameters::departures>(d)) {
        return wrong;
    }
    const auto wrong = check_known_parameters<Real>(group_list<parameters::transaction_size>{}, d);
    if (wrong) return wrong;
    using traits = scalar_traits<Real>;
    const Real mem_insts = k.coalesced_mem_insts + k.uncoalesced_mem_insts;
    if (!traits::all(Real(0.0) < k.comp_insts + mem_insts)) return {errc::missing, "comp_insts"};
    if (!traits::all(Real(core::min_input) <= k.comp_insts + mem_insts)) {
        return {errc::overflow, "comp_insts"};
    }
    if (m.options.form == equation_form::as_published &&
        !traits::all(Real(core::min_input) <= mem_insts)) {
        return {errc::outside_domain, "coalesced_mem_insts"};  // H4
    }
    // (10): fewer than one transaction leaves no latency if departures are longer than it.
    const Real latency =
        Real(d.dram_latency_cycles) +
        (k.transactions_per_uncoalesced - Real(1.0)) * Real(d.uncoalesced_departure_cycles);
    if (!traits::all(Real(core::min_input) <= latency)) {
        return {errc::outside_domain, "transactions_per_uncoalesced"};
    }
    return {};
}

/// True if all input is well within range. It takes few instructions, since it precedes every
/// prediction. Numbers that are not negative and have a small enough sum are small enough, and none is NaN.
template <scalar Real, mwp_cwp_device D>
[[gnu::always_inline]] constexpr bool mwp_cwp_in_range(const kernel_profile<Real>& k,
                                                       const mwp_cwp_model<D>& m) {
    using core::min;
    const D& d = m.device;
    const Real mem_insts = k.coalesced_mem_insts + k.uncoalesced_mem_insts;
    const Real insts = k.comp_insts + mem_insts;
    const Real latency = Real(d.dram_latency_cycles);
    const Real departure = Real(d.uncoalesced_departure_cycles);
    const Real uncoalesced = latency + (k.transactions_per_uncoalesced - Real(1.0)) * departure;
    const Real counted = m.options.form == equation_form::as_published ? mem_insts : insts;  // H4
    Real least = min(min(min(k.blocks, k.threads_per_block), min(counted, uncoalesced)),
                     min(k.transactions_per_uncoalesced, k.bytes_per_access));
    const Real not_below_zero =
        min(min(min(k.comp_insts, k.coalesced_mem_insts), k.uncoalesced_mem_insts),
            min(k.sync_insts, k.active_blocks_per_sm));
    const Real sum = k.blocks + k.threads_per_block + insts + k.transactions_per_uncoalesced +
                     k.bytes_per_access + k.sync_insts + k.active_blocks_per_sm;
    Real min_of_device = min(min(min(Real(d.sm_count), Real(d.clock_hz)),
                                 min(Real(d.dram_bytes_per_s), Real(d.warp_size))),
                             min(min(Real(d.issue_cycles), latency),
                                 min(Real(d.coalesced_departure_cycles), departure)));
    Real device_sum = Real(d.sm_count) + Real(d.clock_hz) + Real(d.dram_bytes_per_s) +
                      Real(d.warp_size) + Real(d.issue_cycles) + latency +
                      Real(d.coalesced_departure_cycles) + departure;
    if constexpr (has_transaction_size<D>) {
        if (knows<parameters::transaction_size>(d)) {
            min_of_device = min(min_of_device, Real(d.dram_transaction_bytes));
            device_sum = device_sum + Real(d.dram_transaction_bytes);
        }
    }
    const Real tiny = Real(core::min_input);
    const Real most = Real(core::max_input);
    return !check_mwp_cwp_options(m.options) &&
           scalar_traits<Real>::all(tiny <= least && Real(0.0) <= not_below_zero && sum <= most &&
                                    tiny <= min_of_device && device_sum <= most);
}

/// The error of `k` on the model's device, if it has one. Sums are only computed at run time: a constant
/// expression may neither overflow nor be NaN on the way to its result.
template <scalar Real, mwp_cwp_device D>
[[gnu::always_inline]] constexpr model_error mwp_cwp_check(const kernel_profile<Real>& k,
                                                           const mwp_cwp_model<D>& m) {
    if (!std::is_constant_evaluated() && mwp_cwp_in_range(k, m)) return {};
    const kernel_profile<Real> copy = k;  // so that GCC may keep `k` itself in registers
    return mwp_cwp_diagnose(copy, m);
}

/// The number of memory instructions, or 1 if there is none (H4): a kernel without them has one
/// computation period, and counts as coalesced.
template <scalar Real>
constexpr Real mem_periods(const kernel_profile<Real>& k) {
    const Real mem_insts = k.uncoalesced_mem_insts + k.coalesced_mem_insts;
    return core::select(Real(0.0) < mem_insts, mem_insts, Real(1.0));
}

template <scalar Real, mwp_cwp_device D>
[[gnu::always_inline]] constexpr mwp_values<Real> memory_parallelism(const kernel_profile<Real>& k,
                                                                     const mwp_cwp_model<D>& m,
                                                                     const launch_values<Real>& l) {
    const Real latency = Real(m.device.dram_latency_cycles);
    const Real clock = Real(m.device.clock_hz);
    const Real bandwidth = Real(m.device.dram_bytes_per_s);
    const Real departure_coal = Real(m.device.coalesced_departure_cycles);
    const Real departure_uncoal = Real(m.device.uncoalesced_departure_cycles);
    const Real& transactions = k.transactions_per_uncoalesced;

    mwp_values<Real> f;
    f.weight_uncoalesced = k.uncoalesced_mem_insts / mem_periods(k);  // (13)
    f.weight_coalesced = Real(1.0) - f.weight_uncoalesced;            // (14)
    f.mem_latency_uncoalesced_cycles = latency + (transactions - Real(1.0)) * departure_uncoal;
    f.mem_latency_coalesced_cycles = latency;  // (11)
    f.mem_latency_cycles = f.mem_latency_uncoalesced_cycles * f.weight_uncoalesced +
                           f.mem_latency_coalesced_cycles * f.weight_coalesced;  // (12)
    f.departure_delay_cycles = departure_uncoal * transactions * f.weight_uncoalesced +
                               departure_coal * f.weight_coalesced;              // (15)
    f.mwp_without_bw_full = f.mem_latency_cycles / f.departure_delay_cycles;     // (16)
    f.mwp_without_bw = core::min(f.mwp_without_bw_full, l.active_warps_per_sm);  // (17)
    const Real scattered =  // as published, every access moves words
        m.options.form == equation_form::as_published ? Real(0.0) : f.weight_uncoalesced;
    f.load_bytes_per_warp = load_bytes_per_warp(k, m.device, scattered);
    f.bytes_per_s_per_warp = clock * f.load_bytes_per_warp / f.mem_latency_cycles;  // (7)
    f.mwp_peak_bw = bandwidth * f.mem_latency_cycles /
                    (clock * f.load_bytes_per_warp * l.active_sms);  // (6), with (7) put in
    f.mwp = core::min(f.mwp_without_bw, f.mwp_peak_bw);              // (5); (17) has taken N in
    return f;
}

template <scalar Real, mwp_cwp_device D>
[[gnu::always_inline]] constexpr cwp_values<Real> computation_parallelism(
    const kernel_profile<Real>& k, const mwp_cwp_model<D>& m, const launch_values<Real>& l,
    const mwp_values<Real>& f) {
    const Real insts = k.comp_insts + k.uncoalesced_mem_insts + k.coalesced_mem_insts;
    cwp_values<Real> c;
    c.mem_cycles = f.mem_latency_uncoalesced_cycles * k.uncoalesced_mem_insts +
                   f.mem_latency_coalesced_cycles * k.coalesced_mem_insts;  // (18)
    c.comp_cycles = Real(m.device.issue_cycles) * insts;                    // (19)
    c.cwp_full = (c.mem_cycles + c.comp_cycles) / c.comp_cycles;            // (8)
    c.cwp = core::min(c.cwp_full, l.active_warps_per_sm);                   // (9)
    return c;
}

/// Warps that an SM executes in all rounds.
template <scalar Real>
[[gnu::always_inline]] constexpr Real warps_through_sm(const kernel_profile<Real>& k,
                                                       const launch_values<Real>& l) {
    return l.warps_per_block * k.blocks / l.active_sms;
}

/// Cycles without barriers, and their parts.
template <scalar Real>
struct all_rounds {
    Real cycles{};
    Real rounds{};  ///< those that barriers count in
    choice_of<Real, mwp_cwp_case> which{};
};

/// The case as the type of `which`.
template <scalar Real>
[[gnu::always_inline]] constexpr choice_of<Real, mwp_cwp_case> case_of(
    const mask_of<Real>& too_few, const mask_of<Real>& memory) {
    using which = mwp_cwp_case;
    return core::choose<Real, which>(
        too_few, core::choice<Real>(which::too_few_warps),
        core::choose<Real, which>(memory, core::choice<Real>(which::memory_bound),
                                  core::choice<Real>(which::compute_bound)));
}

/// The cycles of the longest memory instruction, from those of the two kinds; in proportion if the
/// kernel has less than one. The mean of (12) falls with one more instruction of the shorter kind (H9).
template <scalar Real>
[[gnu::always_inline]] constexpr Real longest(const kernel_profile<Real>& k,
                                              const Real& uncoalesced, const Real& coalesced) {
    const Real one = Real(1.0);
    const Real least = core::min(uncoalesced, coalesced);
    return least * core::min(Real(k.uncoalesced_mem_insts + k.coalesced_mem_insts), one) +
           (uncoalesced - least) * core::min(k.uncoalesced_mem_insts, one) +
           (coalesced - least) * core::min(k.coalesced_mem_insts, one);
}

/// The periods of a warp, neither of which falls if the kernel has one instruction more (H9).
template <scalar Real>
struct warp_periods {
    Real mem_cycles{};   ///< Mem_p of (3): the longest memory instruction
    Real comp_cycles{};  ///< Comp_p of (2), for as many such instructions
};

template <scalar Real>
[[gnu::always_inline]] constexpr warp_periods<Real> longest_periods(const kernel_profile<Real>& k,
                                                                    const mwp_values<Real>& f,
                                                                    const cwp_values<Real>& c) {
    const Real mem = longest(k, f.mem_latency_uncoalesced_cycles, f.mem_latency_coalesced_cycles);
    const mask_of<Real> some = Real(0.0) < c.mem_cycles;
    return {mem, c.comp_cycles * core::select(some, mem, Real(1.0)) /
                     core::select(some, c.mem_cycles, Real(1.0))};  // H4
}

/// Cycles of `warps` warps whose memory accesses all overlap: (22), or (24) if that is longer.
template <scalar Real>
[[gnu::always_inline]] constexpr Real overlapped(const cwp_values<Real>& c,
                                                 const warp_periods<Real>& p, const Real& warps) {
    const Real by_22 = c.mem_cycles + c.comp_cycles + p.comp_cycles * (warps - Real(1.0));
    const Real by_24 = p.mem_cycles + c.comp_cycles * warps;
    return core::max(by_22, by_24);
}

/// (22)-(24) with the paper's choice among them: of the print or, in the default form, with H1, H4 and H5.
template <scalar Real, mwp_cwp_device D>
[[gnu::always_inline]] constexpr all_rounds<Real> by_cases(const kernel_profile<Real>& k,
                                                           const mwp_cwp_model<D>& m,
                                                           const launch_values<Real>& l,
                                                           const mwp_values<Real>& f,
                                                           const cwp_values<Real>& c) {
    const bool printed = m.options.form == equation_form::as_published;
    const Real& N = l.active_warps_per_sm;
    const Real mem_insts = k.uncoalesced_mem_insts + k.coalesced_mem_insts;

    const mask_of<Real> too_few = f.mwp == N && c.cwp == N;
    const mask_of<Real> comp_longer = c.mem_cycles < c.comp_cycles;
    const mask_of<Real> cwp_leads = f.mwp <= c.cwp;
    // H1: where computation is longer than memory, sec. 3.2.2 wants (24) and the print takes (23).
    const mask_of<Real> memory = printed ? cwp_leads || comp_longer : cwp_leads && !comp_longer;

    const Real comp_period = c.comp_cycles / mem_periods(k);  // (2), H4
    const Real others =
        printed ? Real(f.mwp - Real(1.0)) : core::max(Real(f.mwp - Real(1.0)), Real(0.0));  // H5
    const Real overlap = comp_period * others;
    const Real mem_period =
        core::select(Real(0.0) < mem_insts, f.mem_latency_cycles, Real(0.0));  // Mem_p of (3), H4
    const Real by_22 = c.mem_cycles + c.comp_cycles + overlap;
    const Real by_23 = c.mem_cycles * (N / f.mwp) + overlap;
    const Real by_24 = mem_period + c.comp_cycles * N;
    return {core::select(too_few, by_22, core::select(memory, by_23, by_24)) * l.rounds, l.rounds,
            case_of<Real>(too_few, memory)};
}

/// The default form: the maximum of (22)-(24), for at least one round (H9, H10). It never falls if
/// a kernel or a device gets worse; docs/mwp_cwp.md has the proof.
template <scalar Real>
[[gnu::always_inline]] constexpr all_rounds<Real> by_largest(const launch_values<Real>& l,
                                                             const mwp_values<Real>& f,
                                                             const cwp_values<Real>& c,
                                                             const warp_periods<Real>& p) {
    const Real& N = l.active_warps_per_sm;
    const Real others = core::max(Real(f.mwp - Real(1.0)), Real(0.0));  // H5
    const Real by_23 = c.mem_cycles * (N / f.mwp) + p.comp_cycles * others;
    const Real by_others = overlapped(c, p, N);
    const mask_of<Real> memory = by_others < by_23;
    const Real rounds = core::max(l.rounds, Real(1.0));
    return {core::max(by_others, by_23) * rounds, rounds,
            case_of<Real>(c.cwp == N && !memory, memory)};
}

/// `overlap_rule::summed`: each round waits for memory once, and every warp takes its turns in the queue for memory
/// (a departure delay or its part of the bandwidth) and at issue. The case is that of the largest part.
template <scalar Real, mwp_cwp_device D>
[[gnu::always_inline]] constexpr all_rounds<Real> summed_rounds(const kernel_profile<Real>& k,
                                                                const mwp_cwp_model<D>& m,
                                                                const launch_values<Real>& l,
                                                                const mwp_values<Real>& f,
                                                                const cwp_values<Real>& c) {
    const Real fitting = l.resident_blocks_per_sm * Real(m.device.sm_count);
    const Real rounds = core::max(Real(k.blocks / fitting), Real(1.0));
    const Real warps = warps_through_sm(k, l);
    const Real queue_warps = core::min(f.mwp_without_bw_full, f.mwp_peak_bw);  // (5) without N
    const Real waited = rounds * c.mem_cycles;
    const Real queued = warps * (c.mem_cycles / queue_warps);
    const Real issued = warps * c.comp_cycles;
    return {waited + queued + issued, l.rounds,
            case_of<Real>(queued < waited && issued < waited, issued < queued)};
}

/// Cycles of one barrier of a block: (26). The default form leaves out the bandwidth, since more of it would make
/// barriers longer, and takes the longest instruction, not the mean (H11).
template <scalar Real, mwp_cwp_device D>
[[gnu::always_inline]] constexpr Real barrier_of_block(const kernel_profile<Real>& k,
                                                       const mwp_cwp_model<D>& m,
                                                       const launch_values<Real>& l,
                                                       const mwp_values<Real>& f) {
    const bool summed = m.options.overlap == overlap_rule::summed;
    const Real others = l.active_warps_per_sm - Real(1.0);
    if (m.options.form == equation_form::as_published) {
        return summed ? core::min(Real(f.departure_delay_cycles * others), f.mem_latency_cycles)
                      : Real(f.departure_delay_cycles * (f.mwp - Real(1.0)));
    }
    // min(Mem_L / Departure_delay, N) - 1 departure delays
    const auto waits = [&](const Real& latency, const Real& departure) {
        const Real most = summed ? latency : Real(latency - departure);
        return core::max(core::min(Real(departure * others), most), Real(0.0));
    };
    const Real departure = Real(m.device.uncoalesced_departure_cycles);
    return longest<Real>(
        k, waits(f.mem_latency_uncoalesced_cycles, departure * k.transactions_per_uncoalesced),
        waits(f.mem_latency_coalesced_cycles, Real(m.device.coalesced_departure_cycles)));
}

/// The assumptions about memory, and whether `cycles`, without barriers, are fewer than any hardware with these
/// parameters takes.
template <scalar Real, mwp_cwp_device D>
[[gnu::always_inline]] constexpr assumed_values<Real> impossible(
    const kernel_profile<Real>& k, const mwp_cwp_model<D>& m, const mwp_values<Real>& f,
    const cwp_values<Real>& c, const warp_periods<Real>& p, const Real& cycles) {
    const D& d = m.device;
    const Real sms = core::min(k.blocks, Real(d.sm_count));
    const Real warps_of_block = core::ceil(Real(k.threads_per_block / Real(d.warp_size)));
    const Real warps = warps_of_block * k.blocks / sms;
    const Real bytes = (k.uncoalesced_mem_insts + k.coalesced_mem_insts) *
                       load_bytes_per_warp(k, d, f.weight_uncoalesced);
    const Real moving = warps * bytes * sms * Real(d.clock_hz) / Real(d.dram_bytes_per_s);
    const Real most = cycles * Real(1.00001);  // beyond rounding, in float too
    assumed_values<Real> a;
    const mask_of<Real> waits = Real(0.0) < k.uncoalesced_mem_insts + k.coalesced_mem_insts;
    a.assumed.add(assumption::waits_for_dram, waits);
    a.assumed.add(assumption::bytes_from_dram, waits);
    a.assumed.add(assumption::issue_floor, most < warps * c.comp_cycles);
    a.assumed.add(assumption::dram_floor, most < moving);
    a.assumed.add(assumption::block_floor, most < overlapped(c, p, warps_of_block));
    return a;
}

template <scalar Real, mwp_cwp_device D>
[[gnu::always_inline]] constexpr time_values<Real> run_time(
    const kernel_profile<Real>& k, const mwp_cwp_model<D>& m, const launch_values<Real>& l,
    const mwp_values<Real>& f, const cwp_values<Real>& c, const all_rounds<Real>& all) {
    const Real barriers =
        barrier_of_block(k, m, l, f) * k.sync_insts * l.active_blocks_per_sm * all.rounds;  // (26)
    const Real cycles = all.cycles + barriers;                                              // (27)
    const Real mem_insts = k.uncoalesced_mem_insts + k.coalesced_mem_insts;
    return {.comp_period_cycles = c.comp_cycles / mem_periods(k),  // (2), H4
            .which = all.which,
            .cycles_without_barriers = all.cycles,
            .barrier_cycles = barriers,
            .cpi = all.cycles / ((k.comp_insts + mem_insts) * warps_through_sm(k, l)),  // (25)
            .cycles = cycles,
            .seconds = cycles / Real(m.device.clock_hz)};
}

}  // namespace detail::models

template <mwp_cwp_device D>
template <class Estimate, scalar Real>
[[gnu::always_inline]] constexpr result<Estimate> mwp_cwp_model<D>::upto(
    const kernel_profile<Real>& k) const noexcept {
    if (const auto bad = detail::models::mwp_cwp_check(k, *this)) return bad;
    result<Real> resident = resident_blocks(k, device);
    if (!resident) return resident.error();

    // Not const: GCC keeps a const aggregate in memory, with all that nobody reads of it.
    auto l = spread(k, device, *resident, options.form, options.rounds);
    auto f = detail::models::memory_parallelism(k, *this, l);
    if constexpr (std::same_as<Estimate, mwp_estimate<Real>>) {
        return result<Estimate>(std::in_place, l, f);
    } else {
        auto c = detail::models::computation_parallelism(k, *this, l, f);
        if constexpr (std::same_as<Estimate, cwp_estimate<Real>>) {
            return result<Estimate>(std::in_place, l, f, c);
        } else {
            const bool summed = options.overlap == overlap_rule::summed;
            const bool printed = options.form == equation_form::as_published;
            auto p = detail::models::longest_periods(k, f, c);
            auto equations = summed ? detail::models::summed_rounds(k, *this, l, f, c)
                                    : detail::models::by_cases(k, *this, l, f, c);
            auto a = detail::models::impossible(k, *this, f, c, p, equations.cycles);
            auto t = detail::models::run_time(
                k, *this, l, f, c,
                summed || printed ? equations : detail::models::by_largest(l, f, c, p));
            // With input in range, all other values are finite where these are.
            const mask_of<Real> small =
                t.cycles < Real(1e200) && t.comp_period_cycles < Real(1e200);
            const mask_of<Real> positive =
                Real(0.0) < t.cycles_without_barriers && Real(0.0) < t.cycles;
            if (!scalar_traits<Real>::all(small && positive)) {  // not positive: H5, as published
                return model_error{
                    scalar_traits<Real>::all(small) ? errc::outside_domain : errc::overflow,
                    "cycles"};
            }
            return result<Estimate>(std::in_place, l, f, c, t, a);
        }
    }
}

}  // namespace WARPGAUGE_NAMESPACE

#endif
