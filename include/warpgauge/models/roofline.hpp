// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_MODELS_ROOFLINE_HPP
#define WARPGAUGE_MODELS_ROOFLINE_HPP

#include <string_view>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/device/device.hpp>
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
        share_of_roof{};  ///< reached, of what the roofs allow; a time that the roofs do not allow gives
                          ///< more than 1
};

/// The roofs of a device.
/// \errors not_positive, overflow  a figure of the device
template <scalar Real = double, roofline_device D>
[[nodiscard]] constexpr result<roofline<Real>> roofline_of(const D& d) noexcept {
    struct input {
        Real value;
        std::string_view field;
    };
    const input inputs[]{{Real(d.sm_count), "sm_count"},
                         {Real(d.clock_hz), "clock_hz"},
                         {Real(d.dram_bytes_per_s), "dram_bytes_per_s"},
                         {Real(d.warp_size), "warp_size"}};
    for (const input& i : inputs) {
        const auto bad = core::check_input(i.value, i.field);
        if (bad) return bad;
    }
    const Real warps = Real(d.sm_count) * Real(d.clock_hz);  // at one a cycle and SM
    Real issued;
    if constexpr (has_issue<D>) {
        const auto bad = core::check_input(Real(d.issue_cycles), "issue_cycles");
        if (bad) return bad;
        issued = warps / Real(d.issue_cycles);
    } else {
        const input schedulers[]{{Real(d.warp_schedulers), "warp_schedulers"},
                                 {Real(d.issues_per_scheduler), "issues_per_scheduler"}};
        for (const input& i : schedulers) {
            const auto bad = core::check_input(i.value, i.field);
            if (bad) return bad;
        }
        issued = warps * Real(d.warp_schedulers) * Real(d.issues_per_scheduler);
    }
    const roofline<Real> roofs{Real(d.dram_bytes_per_s), issued * Real(d.warp_size)};
    if (!core::positive(roofs.instructions_per_s)) return model_error{errc::overflow, "clock_hz"};
    return roofs;
}

/// Where `k` stands if it takes `seconds` on `d`. A warp that is not full moves the bytes of a full one.
/// \errors not_positive    `seconds`, `blocks`, `threads_per_block`, `transactions_per_uncoalesced`,
///                         `bytes_per_access`, or a figure of the device
///         negative        an instruction count
///         outside_domain  `coalesced_mem_insts`: no memory instruction, and so no place on the axis
///         overflow        an input that is above 1e20, or not 0 and below 1e-10
template <scalar Real, roofline_device D>
[[nodiscard]] constexpr result<roofline_point<Real>> roofline_point_of(
    const kernel_profile<Real>& k, const Real& seconds, const D& d) noexcept {
    const auto roofs = roofline_of<Real>(d);
    if (!roofs) return roofs.error();
    struct input {
        Real value;
        std::string_view field;
        core::zero zero = core::zero::forbidden;
    };
    const input inputs[]{{seconds, "seconds"},
                         {k.blocks, "blocks"},
                         {k.threads_per_block, "threads_per_block"},
                         {k.transactions_per_uncoalesced, "transactions_per_uncoalesced"},
                         {k.bytes_per_access, "bytes_per_access"},
                         {k.comp_insts, "comp_insts", core::zero::allowed},
                         {k.coalesced_mem_insts, "coalesced_mem_insts", core::zero::allowed},
                         {k.uncoalesced_mem_insts, "uncoalesced_mem_insts", core::zero::allowed}};
    for (const input& i : inputs) {
        const auto bad = core::check_input(i.value, i.field, i.zero);
        if (bad) return bad;
    }
    if constexpr (has_transaction_size<D>) {
        const auto bad =
            core::check_input(Real(d.dram_transaction_bytes), "dram_transaction_bytes");
        if (bad) return bad;
    }
    const Real mem_insts = k.coalesced_mem_insts + k.uncoalesced_mem_insts;
    if (!scalar_traits<Real>::all(Real(0.0) < mem_insts)) {
        return model_error{errc::outside_domain, "coalesced_mem_insts"};
    }
    const auto few = core::check_input(mem_insts, "coalesced_mem_insts");
    if (few) return few;

    const Real warps = k.blocks * core::ceil(Real(k.threads_per_block / Real(d.warp_size)));
    const Real weight_uncoalesced = k.uncoalesced_mem_insts / mem_insts;
    roofline_point<Real> p;
    p.instructions = (k.comp_insts + mem_insts) * k.threads_per_block * k.blocks;
    p.bytes = mem_insts * load_bytes_per_warp(k, d, weight_uncoalesced) * warps;
    p.instructions_per_byte = p.instructions / p.bytes;
    p.instructions_per_s = p.instructions / seconds;
    p.share_of_roof = p.instructions_per_s / roofs->at(p.instructions_per_byte);
    if (!core::positive(p.instructions_per_s) || !core::positive(p.share_of_roof)) {
        return model_error{errc::overflow, "blocks"};  // of a narrower number than double
    }
    return p;
}

}  // namespace warpgauge

#endif
