// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_MODELS_MWP_CWP_HPP
#define WARPGAUGE_MODELS_MWP_CWP_HPP

#include <cstdint>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/device.hpp>
#include <warpgauge/model.hpp>
#include <warpgauge/occupancy.hpp>
#include <warpgauge/profile.hpp>

/// \file MWP/CWP: run time from memory and computation warp parallelism.
///
/// Source: S. Hong, H. Kim, "An Analytical Model for a GPU Architecture with Memory-level and
/// Thread-level Parallelism Awareness", ISCA 2009. Equation and table numbers are that paper's.
/// Where `form::corrected` departs from the print, the comment says H1 to H8, as in
/// docs/mwp_cwp.md.

namespace warpgauge {

/// What the model reads of a device. `dram_transaction_bytes` is used where a device has it, and
/// the limits of `occupancy_device` where a profile leaves `active_blocks_per_sm` open.
template <class D>
concept mwp_cwp_device = has_chip<D> && has_warp<D> && has_issue<D> && has_dram_timing<D>;

/// Which equation gave `cycles`.
enum class mwp_cwp_case : std::uint8_t {
    too_few_warps,  ///< eq. (22): every warp's memory waits overlap, and there are no more warps
    memory_bound,   ///< eq. (23): computation hides behind memory waits
    compute_bound,  ///< eq. (24): memory waits hide behind computation
};

/// Memory warp parallelism: every intermediate value, in the order computed.
template <scalar Real = double>
struct mwp_estimate {
    Real active_sms{};              ///< SMs that get a block                    #Active_SMs, H7
    Real warps_per_block{};         ///< warps
    Real resident_blocks_per_sm{};  ///< blocks that fit on an SM; from occupancy or the profile
    Real active_blocks_per_sm{};    ///< blocks, no more than the grid gives an SM           H7
    Real active_warps_per_sm{};     ///< warps                                       N, eq. (20)
    Real reps{};                    ///< rounds of active blocks               #Rep, eq. (21), H6
    Real weight_uncoalesced{};      ///< share of memory instructions, 0 to 1           eq. (13)
    Real weight_coalesced{};        ///< share of memory instructions, 0 to 1           eq. (14)
    Real mem_latency_uncoalesced_cycles{};  ///< cycles                      Mem_L_Uncoal, eq. (10)
    Real mem_latency_coalesced_cycles{};    ///< cycles                        Mem_L_Coal, eq. (11)
    Real mem_latency_cycles{};      ///< cycles                                   Mem_L, eq. (12)
    Real departure_delay_cycles{};  ///< cycles between two memory warps                eq. (15)
    Real mwp_without_bw_full{};     ///< warps                                          eq. (16)
    Real mwp_without_bw{};          ///< warps                                          eq. (17)
    Real load_bytes_per_warp{};     ///< B, one memory instruction of one warp       tbl. 1, H8
    Real bytes_per_s_per_warp{};    ///< B/s                             BW_per_warp, eq. (7)
    Real mwp_peak_bw{};             ///< warps                                           eq. (6)
    Real mwp{};                     ///< warps, > 0; below 1: one warp is more than
                                    ///< the bandwidth feeds                         eq. (5), H5
};

/// Computation warp parallelism, after the memory warp parallelism.
template <scalar Real = double>
struct cwp_estimate : mwp_estimate<Real> {
    Real mem_cycles{};   ///< cycles per warp    eq. (18)
    Real comp_cycles{};  ///< cycles per warp    eq. (19)
    Real cwp_full{};     ///< warps               eq. (8)
    Real cwp{};          ///< warps               eq. (9)
};

/// The run time, after both.
template <scalar Real = double>
struct mwp_cwp_estimate : cwp_estimate<Real> {
    Real comp_period_cycles{};  ///< cycles of one computation period          eq. (2), H4
    choice_of<Real, mwp_cwp_case> which{};
    Real cycles{};             ///< cycles, without barriers       eqs. (22)-(24), H1, H2
    Real sync_cycles{};        ///< cycles that barriers add                     eq. (26)
    Real cycles_with_sync{};   ///< cycles                                       eq. (27)
    Real cpi{};                ///< cycles per instruction of a warp             eq. (25)
    Real seconds{};            ///< s, `cycles` / clock
    Real seconds_with_sync{};  ///< s, `cycles_with_sync` / clock
};

/// Predicts the run time of kernels on `device`.
///
/// `predict` gives all, `mwp` and `cwp` the part up to the figure they are named for. None of them
/// throws, allocates or keeps state.
/// \errors not_positive    `blocks`, `threads_per_block`, `transactions_per_uncoalesced`,
///                         `bytes_per_access`, or a figure of the device
///         negative        an instruction count or `active_blocks_per_sm`
///         missing         `comp_insts`: the kernel has no instruction at all;
///                         `active_blocks_per_sm`: it is 0 and the device has no limits
///         exceeds_device  as `occupancy`, where the profile leaves `active_blocks_per_sm` open
///         outside_domain  with `as_published` alone: `coalesced_mem_insts`, no memory
///                         instruction; `cycles`, the equations give zero or less
///         overflow        `cycles`: the inputs are too large
template <mwp_cwp_device D>
struct mwp_cwp_model {
    [[no_unique_address]] D device{};
    form equations = form::corrected;
    waves rounds = waves::quotient;

    template <scalar Real>
    [[nodiscard]] constexpr result<mwp_estimate<Real>> mwp(
        const kernel_profile<Real>& k) const noexcept {
        return upto<mwp_estimate<Real>>(k);
    }

    template <scalar Real>
    [[nodiscard]] constexpr result<cwp_estimate<Real>> cwp(
        const kernel_profile<Real>& k) const noexcept {
        return upto<cwp_estimate<Real>>(k);
    }

    template <scalar Real>
    [[nodiscard]] constexpr result<mwp_cwp_estimate<Real>> predict(
        const kernel_profile<Real>& k) const noexcept {
        return upto<mwp_cwp_estimate<Real>>(k);
    }

private:
    template <class Estimate, scalar Real>
    constexpr result<Estimate> upto(const kernel_profile<Real>& k) const noexcept;
};

template <class D, class... Options>
mwp_cwp_model(D, Options...) -> mwp_cwp_model<D>;

namespace detail {

/// The error of the first input that is out of range; an empty field if there is none.
template <scalar Real, mwp_cwp_device D>
constexpr model_error mwp_cwp_check(const kernel_profile<Real>& k, const D& d) {
    const auto not_positive = [](std::string_view f) { return model_error{errc::not_positive, f}; };
    const auto negative = [](std::string_view f) { return model_error{errc::negative, f}; };
    if (!core::positive(k.blocks)) return not_positive("blocks");
    if (!core::positive(k.threads_per_block)) return not_positive("threads_per_block");
    if (!core::non_negative(k.active_blocks_per_sm)) return negative("active_blocks_per_sm");
    if (!core::non_negative(k.comp_insts)) return negative("comp_insts");
    if (!core::non_negative(k.coalesced_mem_insts)) return negative("coalesced_mem_insts");
    if (!core::non_negative(k.uncoalesced_mem_insts)) return negative("uncoalesced_mem_insts");
    if (!core::non_negative(k.sync_insts)) return negative("sync_insts");
    if (!core::positive(k.transactions_per_uncoalesced)) {
        return not_positive("transactions_per_uncoalesced");
    }
    if (!core::positive(k.bytes_per_access)) return not_positive("bytes_per_access");
    if (!core::positive(Real(d.sm_count))) return not_positive("sm_count");
    if (!core::positive(Real(d.clock_hz))) return not_positive("clock_hz");
    if (!core::positive(Real(d.dram_bytes_per_s))) return not_positive("dram_bytes_per_s");
    if (!core::positive(Real(d.warp_size))) return not_positive("warp_size");
    if (!core::positive(Real(d.issue_cycles))) return not_positive("issue_cycles");
    if (!core::positive(Real(d.dram_latency_cycles))) return not_positive("dram_latency_cycles");
    if (!core::positive(Real(d.coalesced_departure_cycles))) {
        return not_positive("coalesced_departure_cycles");
    }
    if (!core::positive(Real(d.uncoalesced_departure_cycles))) {
        return not_positive("uncoalesced_departure_cycles");
    }
    if constexpr (has_transaction_size<D>) {
        if (!core::positive(Real(d.dram_transaction_bytes))) {
            return not_positive("dram_transaction_bytes");
        }
    }
    const Real insts = k.comp_insts + k.coalesced_mem_insts + k.uncoalesced_mem_insts;
    if (!core::positive(insts)) return {errc::missing, "comp_insts"};
    return {};
}

/// Blocks that fit on an SM: the profile's own figure, or else by occupancy.
template <scalar Real, mwp_cwp_device D>
constexpr result<Real> resident_blocks(const kernel_profile<Real>& k, const D& d) {
    const mask_of<Real> given = Real(0.0) < k.active_blocks_per_sm;
    if (scalar_traits<Real>::all(given)) return k.active_blocks_per_sm;
    if constexpr (occupancy_device<D>) {
        const auto o = occupancy(k, d);
        if (!o) return o.error();
        return core::select(given, k.active_blocks_per_sm, o->active_blocks_per_sm);
    } else {
        return model_error{errc::missing, "active_blocks_per_sm"};
    }
}

/// How blocks spread over SMs and rounds.
template <scalar Real, mwp_cwp_device D>
constexpr void fill_launch(const kernel_profile<Real>& k, const mwp_cwp_model<D>& m,
                           mwp_estimate<Real>& e) {
    const Real sms(m.device.sm_count);
    const Real warps = k.threads_per_block / Real(m.device.warp_size);
    if (m.equations == form::as_published) {
        e.active_sms = sms;
        e.warps_per_block = warps;
        e.active_blocks_per_sm = e.resident_blocks_per_sm;
    } else {
        e.active_sms = core::min(k.blocks, sms);
        e.warps_per_block = core::ceil(warps);
        e.active_blocks_per_sm =
            core::min(e.resident_blocks_per_sm, core::ceil(Real(k.blocks / sms)));
    }
    e.active_warps_per_sm = e.active_blocks_per_sm * e.warps_per_block;  // (20)
    e.reps = k.blocks / (e.active_blocks_per_sm * e.active_sms);         // (21)
    if (m.rounds == waves::whole) e.reps = core::ceil(e.reps);
}

/// Bytes that one memory instruction of a warp moves (tbl. 1, line 21); H8.
template <scalar Real, mwp_cwp_device D>
constexpr Real load_bytes_per_warp(const kernel_profile<Real>& k, const mwp_cwp_model<D>& m,
                                   const mwp_estimate<Real>& e) {
    const Real words = k.bytes_per_access * Real(m.device.warp_size);
    if constexpr (has_transaction_size<D>) {
        if (m.equations != form::as_published) {
            const Real transactions =
                k.transactions_per_uncoalesced * Real(m.device.dram_transaction_bytes);
            return transactions * e.weight_uncoalesced + words * e.weight_coalesced;
        }
    }
    return words;
}

template <scalar Real, mwp_cwp_device D>
constexpr void fill_mwp(const kernel_profile<Real>& k, const mwp_cwp_model<D>& m,
                        mwp_estimate<Real>& e) {
    const auto& d = m.device;
    const Real one(1.0);
    const Real latency(d.dram_latency_cycles);
    const Real mem_insts = k.uncoalesced_mem_insts + k.coalesced_mem_insts;
    const mask_of<Real> none = mem_insts == Real(0.0);  // H4: no memory, no latency, no limit
    const Real& N = e.active_warps_per_sm;

    e.mem_latency_uncoalesced_cycles =
        latency + (k.transactions_per_uncoalesced - one) * Real(d.uncoalesced_departure_cycles);
    e.mem_latency_coalesced_cycles = latency;                                               // (11)
    e.weight_uncoalesced = core::divide_or(k.uncoalesced_mem_insts, mem_insts, Real(0.0));  // (13)
    e.weight_coalesced = core::divide_or(k.coalesced_mem_insts, mem_insts, Real(0.0));      // (14)
    e.mem_latency_cycles = e.mem_latency_uncoalesced_cycles * e.weight_uncoalesced +
                           e.mem_latency_coalesced_cycles * e.weight_coalesced;  // (12)
    e.departure_delay_cycles = Real(d.uncoalesced_departure_cycles) *
                                   k.transactions_per_uncoalesced * e.weight_uncoalesced +
                               Real(d.coalesced_departure_cycles) * e.weight_coalesced;  // (15)
    e.mwp_without_bw_full = core::divide_or(e.mem_latency_cycles, e.departure_delay_cycles, N);
    e.mwp_without_bw = core::min(e.mwp_without_bw_full, N);  // (17)
    e.load_bytes_per_warp = load_bytes_per_warp(k, m, e);
    e.bytes_per_s_per_warp = core::divide_or(Real(Real(d.clock_hz) * e.load_bytes_per_warp),
                                             e.mem_latency_cycles, Real(0.0));  // (7)
    const Real peak = core::divide_or(Real(d.dram_bytes_per_s),
                                      Real(e.bytes_per_s_per_warp * e.active_sms), N);  // (6)
    e.mwp_peak_bw = core::select(none, N, peak);
    e.mwp = core::min(e.mwp_without_bw, e.mwp_peak_bw);  // (5); (17) has taken N in
}

template <scalar Real, mwp_cwp_device D>
constexpr void fill_cwp(const kernel_profile<Real>& k, const mwp_cwp_model<D>& m,
                        cwp_estimate<Real>& e) {
    const Real insts = k.comp_insts + k.uncoalesced_mem_insts + k.coalesced_mem_insts;
    e.mem_cycles = e.mem_latency_uncoalesced_cycles * k.uncoalesced_mem_insts +
                   e.mem_latency_coalesced_cycles * k.coalesced_mem_insts;  // (18)
    e.comp_cycles = Real(m.device.issue_cycles) * insts;                    // (19)
    e.cwp_full = (e.mem_cycles + e.comp_cycles) / e.comp_cycles;            // (8)
    e.cwp = core::min(e.cwp_full, e.active_warps_per_sm);                   // (9)
}

template <scalar Real, mwp_cwp_device D>
constexpr void fill_time(const kernel_profile<Real>& k, const mwp_cwp_model<D>& m,
                         mwp_cwp_estimate<Real>& e) {
    using which = mwp_cwp_case;
    const bool printed = m.equations == form::as_published;
    const Real mem_insts = k.uncoalesced_mem_insts + k.coalesced_mem_insts;
    const Real& N = e.active_warps_per_sm;
    const Real& comp = e.comp_cycles;

    const mask_of<Real> too_few = e.mwp == N && e.cwp == N;
    const mask_of<Real> comp_longer = e.mem_cycles < comp;
    const mask_of<Real> cwp_leads = e.mwp <= e.cwp;
    // H1: where computation is longer than memory, sec. 3.2.2 wants (24) and the print takes (23).
    const mask_of<Real> memory = printed ? cwp_leads || comp_longer : cwp_leads && !comp_longer;

    e.comp_period_cycles =
        core::divide_or(comp, mem_insts, comp);  // (2); H4: one period, no memory
    const Real others =
        printed ? Real(e.mwp - Real(1.0)) : core::max(Real(e.mwp - Real(1.0)), Real(0.0));  // H5
    const Real overlap = e.comp_period_cycles * others;
    const Real by_22 = e.mem_cycles + comp + overlap;
    const Real by_23 = e.mem_cycles * (N / e.mwp) + overlap;
    const Real by_24 = e.mem_latency_cycles + comp * N;

    e.which = core::choose<Real, which>(
        too_few, core::choice<Real>(which::too_few_warps),
        core::choose<Real, which>(memory, core::choice<Real>(which::memory_bound),
                                  core::choice<Real>(which::compute_bound)));
    e.cycles = core::select(too_few, by_22, core::select(memory, by_23, by_24)) * e.reps;
    e.sync_cycles =
        e.departure_delay_cycles * others * k.sync_insts * e.active_blocks_per_sm * e.reps;  // (26)
    e.cycles_with_sync = e.cycles + e.sync_cycles;                                           // (27)
    const Real insts_per_sm =
        (k.comp_insts + mem_insts) * e.warps_per_block * (k.blocks / e.active_sms);
    e.cpi = e.cycles / insts_per_sm;  // (25)
    e.seconds = e.cycles / Real(m.device.clock_hz);
    e.seconds_with_sync = e.cycles_with_sync / Real(m.device.clock_hz);
}

}  // namespace detail

template <mwp_cwp_device D>
template <class Estimate, scalar Real>
constexpr result<Estimate> mwp_cwp_model<D>::upto(const kernel_profile<Real>& k) const noexcept {
    if (const model_error bad = detail::mwp_cwp_check(k, device); !bad.field.empty()) return bad;
    if (equations == form::as_published &&
        !core::positive(Real(k.coalesced_mem_insts + k.uncoalesced_mem_insts))) {
        return model_error{errc::outside_domain, "coalesced_mem_insts"};  // H4
    }
    const auto resident = detail::resident_blocks(k, device);
    if (!resident) return resident.error();

    Estimate e;
    e.resident_blocks_per_sm = *resident;
    detail::fill_launch(k, *this, e);
    detail::fill_mwp(k, *this, e);
    if constexpr (requires { e.cwp; }) detail::fill_cwp(k, *this, e);
    if constexpr (requires { e.cycles; }) {
        detail::fill_time(k, *this, e);
        if (!core::finite(e.cycles_with_sync)) return model_error{errc::overflow, "cycles"};
        if (!core::positive(e.cycles)) return model_error{errc::outside_domain, "cycles"};  // H5
    }
    return e;
}

}  // namespace warpgauge

#endif
