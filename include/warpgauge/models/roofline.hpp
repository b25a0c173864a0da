// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_MODELS_ROOFLINE_HPP
#define WARPGAUGE_MODELS_ROOFLINE_HPP

#include <cstdint>
#include <string_view>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/device/device.hpp>
#include <warpgauge/kernel/assumptions.hpp>
#include <warpgauge/kernel/profile.hpp>
#include <warpgauge/sm/launch.hpp>

/// \file The roofline: what memory and issue allow a kernel, and how much of it a predicted (or measured)
/// time reaches.
///
/// Source: S. Williams, A. Waterman, D. Patterson, "Roofline: An Insightful Visual Performance Model for
/// Multicore Architectures", CACM 2009. Operations are the instructions of threads, as a profile counts
/// them; bytes are those of all its memory instructions, as if no cache held any (H8 in docs/mwp_cwp.md).

namespace warpgauge {

/// What the roofs are made from. Where a device has `issue_cycles`, as MWP/CWP reads it, the peak is that
/// of one instruction of a warp in so many cycles; else what the schedulers of an SM issue.
template <class D>
concept roofline_device = has_chip<D> && has_warp<D> &&(has_issue<D> || has_schedulers<D>);

/// The most that a device does.
template <scalar Real = double>
struct roofline {
    Real dram_bytes_per_s{};    ///< B/s: the sloping roof
    Real instructions_per_s{};  ///< instructions of threads per second: the flat roof

    /// Instructions per byte where the roofs meet: a kernel with fewer is held back by memory.
    [[nodiscard]] constexpr Real ridge() const { return instructions_per_s / dram_bytes_per_s; }
    /// Instructions per second that a kernel with so many per byte can reach.
    [[nodiscard]] constexpr Real at(const Real& instructions_per_byte) const {
        return core::min(instructions_per_s, Real(dram_bytes_per_s * instructions_per_byte));
    }
};

/// Where a kernel stands.
template <scalar Real = double>
struct roofline_point {
    Real instructions{};           ///< of all threads of the launch
    Real bytes{};                  ///< B that the launch moves
    Real instructions_per_byte{};  ///< the operational intensity
    Real instructions_per_s{};     ///< reached
    Real
        fraction_of_roof{};  ///< reached, of what the roofs allow; a time that the roofs do not allow gives
                             ///< more than 1
};

/// The roofs of a device.
/// \errors not_positive, overflow  a parameter of the device
template <scalar Real = double, roofline_device D>
[[nodiscard]] constexpr result<roofline<Real>> roofline_of(const D& d) noexcept {
    if (const auto bad = check_parameters<Real, parameters::chip, parameters::warp>(d)) return bad;
    const Real warps = Real(d.sm_count) * Real(d.clock_hz);  // at one a cycle and SM
    Real issued;
    if constexpr (has_issue<D>) {
        if (const auto bad = check_parameters<Real, parameters::issue>(d)) return bad;
        issued = warps / Real(d.issue_cycles);
    } else {
        if (const auto bad = check_parameters<Real, parameters::schedulers>(d)) return bad;
        issued = warps * Real(d.warp_schedulers) * Real(d.issues_per_scheduler);
    }
    const roofline<Real> roofs{Real(d.dram_bytes_per_s), issued * Real(d.warp_size)};
    if (!core::positive(roofs.instructions_per_s)) return model_error{errc::overflow, "clock_hz"};
    return roofs;
}

namespace detail::models {

/// What a launch has to issue and to move, all together.
template <scalar Real>
struct roofline_work {
    Real warps{};         ///< of the launch
    Real insts{};         ///< instructions of a thread
    Real mem_insts{};     ///< of these, those that access global memory
    Real instructions{};  ///< of all threads
    Real bytes{};         ///< B
};

template <scalar Real, class D>
constexpr result<roofline_work<Real>> roofline_work_of(const kernel_profile<Real>& k, const D& d) {
    const model_error bad = core::check_inputs<Real>(
        {{k.blocks, "blocks"},
         {k.threads_per_block, "threads_per_block"},
         {k.transactions_per_uncoalesced, "transactions_per_uncoalesced"},
         {k.bytes_per_access, "bytes_per_access"},
         {k.comp_insts, "comp_insts", core::zero::allowed},
         {k.coalesced_mem_insts, "coalesced_mem_insts", core::zero::allowed},
         {k.uncoalesced_mem_insts, "uncoalesced_mem_insts", core::zero::allowed}});
    if (bad) return bad;
    if constexpr (has_transaction_size<D>) {
        const auto wrong = check_parameters<Real, parameters::transaction_size>(d);
        if (wrong) return wrong;
    }
    roofline_work<Real> w;
    w.mem_insts = k.coalesced_mem_insts + k.uncoalesced_mem_insts;
    w.insts = k.comp_insts + w.mem_insts;
    w.warps = k.blocks * core::ceil(Real(k.threads_per_block / Real(d.warp_size)));
    w.instructions = w.insts * k.threads_per_block * k.blocks;
    const mask_of<Real> moves = Real(0.0) < w.mem_insts;
    const Real weight_uncoalesced =
        k.uncoalesced_mem_insts / core::select(moves, w.mem_insts, Real(1.0));
    w.bytes = w.mem_insts * load_bytes_per_warp(k, d, weight_uncoalesced) * w.warps;
    return w;
}

}  // namespace detail::models

/// Where `k` stands if it takes `seconds` on `d`. A warp that is not full moves the bytes of a full one.
/// \errors not_positive    `seconds`, `blocks`, `threads_per_block`, `transactions_per_uncoalesced`,
///                         `bytes_per_access`, or a parameter of the device
///         negative        an instruction count
///         outside_domain  `coalesced_mem_insts`: no memory instruction, and so no place on the axis
///         overflow        an input that is above 1e20, or not 0 and below 1e-10
template <scalar Real, roofline_device D>
[[nodiscard]] constexpr result<roofline_point<Real>> roofline_point_of(
    const kernel_profile<Real>& k, const Real& seconds, const D& d) noexcept {
    const auto roofs = roofline_of<Real>(d);
    if (!roofs) return roofs.error();
    if (const auto bad = core::check_input(seconds, "seconds")) return bad;
    const auto work = detail::models::roofline_work_of(k, d);
    if (!work) return work.error();
    if (!scalar_traits<Real>::all(Real(0.0) < work->mem_insts)) {
        return model_error{errc::outside_domain, "coalesced_mem_insts"};
    }
    if (const auto few = core::check_input(work->mem_insts, "coalesced_mem_insts")) return few;

    roofline_point<Real> p;
    p.instructions = work->instructions;
    p.bytes = work->bytes;
    p.instructions_per_byte = p.instructions / p.bytes;
    p.instructions_per_s = p.instructions / seconds;
    p.fraction_of_roof = p.instructions_per_s / roofs->at(p.instructions_per_byte);
    if (!core::positive(p.instructions_per_s) || !core::positive(p.fraction_of_roof)) {
        return model_error{errc::overflow, "blocks"};  // of a narrower number than double
    }
    return p;
}

/// Which roof a kernel is under.
enum class roof : std::uint8_t {
    dram,   ///< the bandwidth of DRAM
    issue,  ///< the issue slots of the SMs
};

[[nodiscard]] constexpr std::string_view name(roof which) noexcept {
    switch (which) {
        case roof::dram: return "memory bandwidth";
        case roof::issue: return "issue";
    }
    return "unknown";
}

/// The least time that the roofs allow.
template <scalar Real = double>
struct roofline_estimate : assumed_values<Real> {
    Real instructions{};   ///< of all threads of the launch
    Real bytes{};          ///< B that the launch moves
    Real dram_seconds{};   ///< s, `bytes` at the peak bandwidth
    Real issue_seconds{};  ///< s to issue the instructions of all warps, full or not, on all SMs
    choice_of<Real, roof> which{};  ///< the longer of the two
    Real cycles{};                  ///< cycles of an SM
    Real seconds{};                 ///< s
};

/// Predicts the least time that a launch can take: the roofline as a model.
/// \errors as `roofline_of` and `roofline_point_of`; besides
///         missing  `comp_insts`: the kernel has no instruction at all
template <roofline_device D>
struct roofline_model {
    [[no_unique_address]] D device{};

    /// The same model of another device.
    template <roofline_device Other>
    [[nodiscard]] constexpr roofline_model<Other> on(const Other& other) const {
        return {other};
    }

    template <scalar Real>
    [[nodiscard]] constexpr result<roofline_estimate<Real>> predict(
        const kernel_profile<Real>& k) const noexcept {
        const auto roofs = roofline_of<Real>(device);
        if (!roofs) return roofs.error();
        const auto work = detail::models::roofline_work_of(k, device);
        if (!work) return work.error();
        if (!scalar_traits<Real>::all(Real(0.0) < work->insts)) {
            return model_error{errc::missing, "comp_insts"};
        }
        roofline_estimate<Real> e;
        e.instructions = work->instructions;
        e.bytes = work->bytes;
        e.assumed.add(assumption::bytes_from_dram, Real(0.0) < work->mem_insts);
        e.dram_seconds = work->bytes / roofs->dram_bytes_per_s;
        e.issue_seconds =
            work->warps * work->insts * Real(device.warp_size) / roofs->instructions_per_s;
        e.which = core::choose<Real, roof>(e.issue_seconds < e.dram_seconds,
                                           core::choice<Real>(roof::dram),
                                           core::choice<Real>(roof::issue));
        e.seconds = core::max(e.dram_seconds, e.issue_seconds);
        e.cycles = e.seconds * Real(device.clock_hz);
        if (!core::positive(e.seconds)) return model_error{errc::overflow, "seconds"};
        return e;
    }
};

template <class D>
roofline_model(D) -> roofline_model<D>;

}  // namespace warpgauge

#endif
