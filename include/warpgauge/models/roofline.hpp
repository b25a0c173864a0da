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
#include <warpgauge/sm/hierarchy.hpp>
#include <warpgauge/sm/launch.hpp>

/// \file The roofline: the performance that memory and issue allow, and the fraction of it that a predicted or measured
/// time reaches.
///
/// Source: S. Williams, A. Waterman, D. Patterson, "Roofline: An Insightful Visual Performance Model for Multicore
/// Architectures", CACM 2009. Operations are the instructions of threads, as a profile counts them. Bytes of DRAM are
/// those that the profile gives (`traffic`), else its footprint less what L2 holds already, else those of all its
/// memory instructions, as if no cache held any (H8 in docs/mwp_cwp.md).
///
/// A roof for each level of the memory, after A. Ilic, F. Pratas, L. Sousa, "Cache-aware Roofline model: Upgrading
/// the loft", IEEE Computer Architecture Letters 13 (1), 2014, and C. Yang, T. Kurth, S. Williams, "Hierarchical
/// Roofline analysis for GPUs", CCPE 2020: L1, L2 and shared memory, if the device has the bandwidth and the profile
/// has the traffic (`accesses.lines`; `traffic.l2_bytes_per_warp`, or sectors; `shared_passes`). The peak of arithmetic is
/// that of the floating-point lanes and of the tensor units, if the profile has their operations (`ops`). What is absent
/// limits nothing.

namespace WARPGAUGE_NAMESPACE {

/// A device with roofs. If it has `issue_cycles`, as for MWP/CWP, the peak is one instruction of a warp in that
/// number of cycles, and else the rate at which the schedulers of an SM issue.
template <class D>
concept roofline_device = has_chip<D> && has_warp<D> &&(has_issue<D> || has_schedulers<D>);

template <scalar Real = double>
struct roofline_point;

/// The peak rates of a device.
template <scalar Real = double>
struct roofline {
    Real dram_bytes_per_s{};    ///< B/s: the sloping roof
    Real instructions_per_s{};  ///< instructions of threads per second: the flat roof
    Real l1_bytes_per_s{};      ///< B/s of all SMs; 0: not known
    Real l2_bytes_per_s{};      ///< B/s to all SMs; 0: not known
    Real shared_bytes_per_s{};  ///< B/s of all SMs; 0: not known
    Real sm_cycles_per_s{};     ///< cycles/s of all SMs

    /// Instructions per byte where the roofs meet: a kernel with fewer is limited by memory.
    [[nodiscard]] constexpr Real ridge() const { return instructions_per_s / dram_bytes_per_s; }
    /// The instructions per second that a kernel with a given number of instructions per byte can reach.
    [[nodiscard]] constexpr Real at(const Real& instructions_per_byte) const {
        return core::min(instructions_per_s, Real(dram_bytes_per_s * instructions_per_byte));
    }
    /// The same under the roofs of all levels whose bytes are known.
    [[nodiscard]] constexpr Real at(const roofline_point<Real>& p) const;
};

/// The point of a kernel under the roofs.
template <scalar Real>
struct roofline_point {
    Real instructions{};           ///< of all threads of the launch
    Real bytes{};                  ///< B of DRAM that the launch moves
    Real instructions_per_byte{};  ///< the operational intensity
    Real instructions_per_s{};     ///< reached
    /// Reached, of what the roofs allow; a time that the roofs do not allow gives more than 1.
    Real fraction_of_roof{};
    Real l1_bytes{};           ///< B through L1; 0: not known
    Real l2_bytes{};           ///< B between L2 and the SMs; 0: not known
    Real shared_bytes{};       ///< B through shared memory, bank conflicts counted; 0: not known
    Real arithmetic_cycles{};  ///< SM cycles of floating-point lanes or tensor units; 0: not known
};

template <scalar Real>
constexpr Real roofline<Real>::at(const roofline_point<Real>& p) const {
    Real most = at(p.instructions_per_byte);
    const auto level = [&](const Real& bytes, const Real& bytes_per_s) {
        const mask_of<Real> known = Real(0.0) < bytes && Real(0.0) < bytes_per_s;
        const Real intensity = p.instructions / core::select(known, bytes, Real(1.0));
        most = core::select(known, core::min(most, Real(bytes_per_s * intensity)), most);
    };
    level(p.l1_bytes, l1_bytes_per_s);
    level(p.l2_bytes, l2_bytes_per_s);
    level(p.shared_bytes, shared_bytes_per_s);
    level(p.arithmetic_cycles, sm_cycles_per_s);
    return most;
}

namespace detail::models {

/// The groups of a device that give further roofs.
using roofline_levels =
    group_list<parameters::l1_bandwidth, parameters::l2_bandwidth, parameters::shared_bandwidth>;
using roofline_units =
    group_list<parameters::cores, parameters::double_precision, parameters::tensor>;

/// Cycles of an SM for the arithmetic of a warp, of the unit that takes longest; 0 where lanes or operations are not known.
template <scalar Real, class D>
constexpr Real arithmetic_cycles_of_warp(const lane_operations<Real>& ops, const D& d) {
    Real longest(0.0);
    const auto unit = [&](const Real& operations, const Real& per_cycle) {
        longest = core::max(longest, Real(operations / per_cycle));
    };
    if constexpr (has_cores<D>) {
        if (knows<parameters::cores>(d)) unit(ops.fp32_ops, Real(d.cuda_cores));
    }
    if constexpr (has_double_precision<D>) {
        if (knows<parameters::double_precision>(d)) {
            unit(ops.fp64_ops, Real(d.double_precision_units));
        }
    }
    if constexpr (has_tensor<D>) {
        if (knows<parameters::tensor>(d)) unit(ops.tensor_fmas, Real(d.tensor_fma_per_cycle));
    }
    return longest;
}

/// Instructions of warps that all SMs issue in a second with a given number of SM cycles.
/// \errors missing `warp_schedulers`; not_positive, overflow  a parameter of the device
template <scalar Real, class D>
constexpr result<Real> issued_per_s(const D& d, const Real& sm_cycles_per_s) {
    if constexpr (has_issue<D>) {
        if (knows<parameters::issue>(d)) {
            if (const auto bad = check_parameters<Real, parameters::issue>(d)) return bad;
            return sm_cycles_per_s / Real(d.issue_cycles);
        }
    }
    if constexpr (has_schedulers<D>) {
        if (knows<parameters::schedulers>(d)) {
            if (const auto bad = check_parameters<Real, parameters::schedulers>(d)) return bad;
            return sm_cycles_per_s * Real(d.warp_schedulers) * Real(d.issues_per_scheduler);
        }
    }
    return model_error{errc::missing, "warp_schedulers"};
}

}  // namespace detail::models

/// The roofs of a device.
/// \errors not_positive, overflow  a parameter of the device
///         missing                 `warp_schedulers`: a partly known device knows neither these nor `issue_cycles`
template <scalar Real = double, roofline_device D>
[[nodiscard]] constexpr result<roofline<Real>> roofline_of(const D& d) noexcept {
    if (const auto bad = check_parameters<Real, parameters::chip, parameters::warp>(d)) return bad;
    const Real cycles = Real(d.sm_count) * Real(d.clock_hz);  // of all SMs in a second
    const auto issued = detail::models::issued_per_s<Real>(d, cycles);
    if (!issued) return issued.error();
    roofline<Real> roofs{Real(d.dram_bytes_per_s), *issued * Real(d.warp_size)};
    roofs.sm_cycles_per_s = cycles;
    if (const auto bad = check_known_parameters<Real>(detail::models::roofline_levels{}, d)) {
        return bad;
    }
    if (const auto bad = check_known_parameters<Real>(detail::models::roofline_units{}, d)) {
        return bad;
    }
    if constexpr (has_l1_bandwidth<D>) {
        if (knows<parameters::l1_bandwidth>(d)) {
            roofs.l1_bytes_per_s = cycles * Real(d.l1_bytes_per_cycle);
        }
    }
    if constexpr (has_l2_bandwidth<D>) {
        if (knows<parameters::l2_bandwidth>(d)) {
            roofs.l2_bytes_per_s = cycles * Real(d.l2_bytes_per_cycle);
        }
    }
    if constexpr (has_shared_bandwidth<D>) {
        if (knows<parameters::shared_bandwidth>(d)) {
            roofs.shared_bytes_per_s = cycles * Real(d.shared_bytes_per_cycle);
        }
    }
    if (!core::positive(roofs.instructions_per_s)) return model_error{errc::overflow, "clock_hz"};
    return roofs;
}

namespace detail::models {

/// The instructions that a launch issues and the bytes that it moves in total.
template <scalar Real>
struct roofline_work {
    Real warps{};                ///< of the launch
    Real insts{};                ///< instructions of a thread
    Real mem_insts{};            ///< of these, those that access global memory
    Real instructions{};         ///< of all threads
    Real bytes{};                ///< B of DRAM
    Real l1_bytes{};             ///< B; this and the next two: 0 where not known
    Real l2_bytes{};             ///< B
    Real shared_bytes{};         ///< B
    Real arithmetic_cycles{};    ///< of an SM, for all warps; 0 where not known
    mask_of<Real> from_insts{};  ///< `bytes` are those of all memory instructions
};

/// The bytes of each level, where the profile gives them; `w` has those of all memory instructions.
template <scalar Real, class D>
constexpr void add_levels(const kernel_profile<Real>& k, const D& d, roofline_work<Real>& w) {
    const memory_traffic<Real>& t = k.traffic;
    const Real given = t.dram_read_bytes + t.dram_write_bytes;
    const Real footprint = t.footprint_bytes * (Real(1.0) - t.in_l2_fraction);
    const mask_of<Real> is_given = Real(0.0) < given;
    const mask_of<Real> has_footprint = Real(0.0) < t.footprint_bytes;
    w.from_insts = !is_given && !has_footprint;
    w.bytes = core::select(is_given, given, core::select(has_footprint, footprint, w.bytes));
    w.l1_bytes = w.l2_bytes = w.shared_bytes = Real(0.0);
    const memory_accesses<Real>& a = k.accesses;
    if (knows<parameters::l1_bandwidth>(d)) w.l1_bytes = a.lines * Real(line_bytes) * w.warps;
    if (knows<parameters::l2_bandwidth>(d)) {
        const Real of_warp = core::select(Real(0.0) < t.l2_bytes_per_warp, t.l2_bytes_per_warp,
                                          Real(a.sectors() * Real(sector_bytes)));
        w.l2_bytes = of_warp * w.warps;
    }
    if constexpr (has_shared_bandwidth<D>) {
        if (knows<parameters::shared_bandwidth>(d)) {
            w.shared_bytes = k.shared_passes * Real(d.shared_bytes_per_cycle) * w.warps;
        }
    }
}

template <scalar Real, class D>
constexpr result<roofline_work<Real>> roofline_work_of(const kernel_profile<Real>& k, const D& d) {
    using core::zero;
    const model_error bad = core::check_inputs<Real>(
        {{k.blocks, "blocks"},
         {k.threads_per_block, "threads_per_block"},
         {k.transactions_per_uncoalesced, "transactions_per_uncoalesced"},
         {k.bytes_per_access, "bytes_per_access"},
         {k.comp_insts, "comp_insts", zero::allowed},
         {k.coalesced_mem_insts, "coalesced_mem_insts", zero::allowed},
         {k.uncoalesced_mem_insts, "uncoalesced_mem_insts", zero::allowed},
         {k.shared_passes, "shared_passes", zero::allowed},
         {k.ops.fp32_ops, "fp32_ops", zero::allowed},
         {k.ops.fp64_ops, "fp64_ops", zero::allowed},
         {k.ops.tensor_fmas, "tensor_fmas", zero::allowed},
         {k.accesses.load_sectors, "load_sectors", zero::allowed},
         {k.accesses.full_store_sectors, "full_store_sectors", zero::allowed},
         {k.accesses.partial_store_sectors, "partial_store_sectors", zero::allowed},
         {k.accesses.lines, "lines", zero::allowed},
         {k.traffic.l2_bytes_per_warp, "l2_bytes_per_warp", zero::allowed},
         {k.traffic.dram_read_bytes, "dram_read_bytes", zero::allowed},
         {k.traffic.dram_write_bytes, "dram_write_bytes", zero::allowed},
         {k.traffic.footprint_bytes, "footprint_bytes", zero::allowed},
         {k.traffic.in_l2_fraction, "in_l2_fraction", zero::allowed}});
    if (bad) return bad;
    if (!scalar_traits<Real>::all(k.traffic.in_l2_fraction <= Real(1.0))) {
        return model_error{errc::outside_domain, "in_l2_fraction"};
    }
    const auto wrong = check_known_parameters<Real>(group_list<parameters::transaction_size>{}, d);
    if (wrong) return wrong;
    roofline_work<Real> w;
    w.mem_insts = k.coalesced_mem_insts + k.uncoalesced_mem_insts;
    w.insts = k.comp_insts + w.mem_insts;
    w.warps = k.blocks * core::ceil(Real(k.threads_per_block / Real(d.warp_size)));
    w.instructions = w.insts * k.threads_per_block * k.blocks;
    const mask_of<Real> moves = Real(0.0) < w.mem_insts;
    const Real weight_uncoalesced =
        k.uncoalesced_mem_insts / core::select(moves, w.mem_insts, Real(1.0));
    w.bytes = w.mem_insts * load_bytes_per_warp(k, d, weight_uncoalesced) * w.warps;
    w.arithmetic_cycles = arithmetic_cycles_of_warp(k.ops, d) * w.warps;
    add_levels(k, d, w);
    return w;
}

}  // namespace detail::models

/// The point of `k` if it takes `seconds` on `d`. A warp that is not full moves the bytes of a full one.
/// \errors not_positive    `seconds`, `blocks`, `threads_per_block`, `transactions_per_uncoalesced`,
///                         `bytes_per_access`, or a parameter of the device
///         negative        another number of the profile that it reads
///         outside_domain  `coalesced_mem_insts`: no memory instruction, and so no place on the axis; `in_l2_fraction`:
///                         above 1, or nothing is left for DRAM
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
    if (!scalar_traits<Real>::all(Real(0.0) < work->bytes)) {
        return model_error{errc::outside_domain, "in_l2_fraction"};  // all is in L2
    }

    roofline_point<Real> p;
    p.instructions = work->instructions;
    p.bytes = work->bytes;
    p.instructions_per_byte = p.instructions / p.bytes;
    p.instructions_per_s = p.instructions / seconds;
    p.l1_bytes = work->l1_bytes;
    p.l2_bytes = work->l2_bytes;
    p.shared_bytes = work->shared_bytes;
    p.arithmetic_cycles = work->arithmetic_cycles;
    p.fraction_of_roof = p.instructions_per_s / roofs->at(p);
    if (!core::positive(p.instructions_per_s) || !core::positive(p.fraction_of_roof)) {
        return model_error{errc::overflow, "blocks"};  // of a narrower number than double
    }
    return p;
}

/// The roof that limits a kernel.
enum class roof : std::uint8_t {
    dram,        ///< the bandwidth of DRAM
    issue,       ///< the issue slots of the SMs
    l1,          ///< the bandwidth of L1
    l2,          ///< the bandwidth of L2
    shared,      ///< the bandwidth of shared memory
    arithmetic,  ///< the floating-point lanes or the tensor units of the SMs
};

/// The roof in words: "memory bandwidth".
[[nodiscard]] constexpr std::string_view name(roof which) noexcept {
    switch (which) {
        case roof::dram: return "memory bandwidth";
        case roof::issue: return "issue";
        case roof::l1: return "L1 bandwidth";
        case roof::l2: return "L2 bandwidth";
        case roof::shared: return "shared memory";
        case roof::arithmetic: return "arithmetic";
    }
    return "unknown";
}

/// The minimum time that the roofs allow.
template <scalar Real = double>
struct roofline_estimate : assumed_values<Real> {
    Real instructions{};    ///< of all threads of the launch
    Real bytes{};           ///< B of DRAM that the launch moves
    Real dram_seconds{};    ///< s, `bytes` at the peak bandwidth
    Real issue_seconds{};   ///< s to issue the instructions of all warps, full or not, on all SMs
    Real l1_seconds{};      ///< s of L1; 0 where bytes or bandwidth are not known
    Real l2_seconds{};      ///< s of L2; the same
    Real shared_seconds{};  ///< s of shared memory; the same
    /// s of floating-point lanes or tensor units, those that take longest; 0 where operations or lanes are not known.
    Real arithmetic_seconds{};
    choice_of<Real, roof> which{};  ///< the longest of these
    Real cycles{};                  ///< cycles of an SM
    Real seconds{};                 ///< s
};

/// Predicts the minimum time of a launch: the roofline as a model.
/// \errors as `roofline_of` and `roofline_point_of`; also
///         missing  `comp_insts`: the kernel has no instruction at all
template <roofline_device D>
struct roofline_model {
    [[no_unique_address]] D device{};  ///< the device that it predicts for

    /// The same model on another device.
    template <roofline_device Other>
    [[nodiscard]] constexpr roofline_model<Other> on(const Other& other) const {
        return {other};
    }

    /// The minimum time of the launch, and the roof that sets it.
    template <scalar Real = double>
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
        e.dram_seconds = work->bytes / roofs->dram_bytes_per_s;
        e.issue_seconds =
            work->warps * work->insts * Real(device.warp_size) / roofs->instructions_per_s;
        e.assumed.add(assumption::bytes_from_dram,
                      work->from_insts && mask_of<Real>(Real(0.0) < work->mem_insts));
        e.which = core::choose<Real, roof>(e.issue_seconds < e.dram_seconds,
                                           core::choice<Real>(roof::dram),
                                           core::choice<Real>(roof::issue));
        e.seconds = core::max(e.dram_seconds, e.issue_seconds);
        const auto under = [&](const Real& seconds, roof is) {
            e.which =
                core::choose<Real, roof>(e.seconds < seconds, core::choice<Real>(is), e.which);
            e.seconds = core::max(e.seconds, seconds);
        };
        e.arithmetic_seconds = work->arithmetic_cycles / roofs->sm_cycles_per_s;
        under(e.arithmetic_seconds, roof::arithmetic);
        const auto level = [&](const Real& bytes, const Real& bytes_per_s, Real& seconds, roof is) {
            seconds = bytes / bytes_per_s;
            under(seconds, is);
        };
        e.l1_seconds = e.l2_seconds = e.shared_seconds = Real(0.0);
        if (knows<parameters::l1_bandwidth>(device)) {
            level(work->l1_bytes, roofs->l1_bytes_per_s, e.l1_seconds, roof::l1);
        }
        if (knows<parameters::l2_bandwidth>(device)) {
            level(work->l2_bytes, roofs->l2_bytes_per_s, e.l2_seconds, roof::l2);
        }
        if (knows<parameters::shared_bandwidth>(device)) {
            level(work->shared_bytes, roofs->shared_bytes_per_s, e.shared_seconds, roof::shared);
        }
        e.cycles = e.seconds * Real(device.clock_hz);
        if (!core::positive(e.seconds)) return model_error{errc::overflow, "seconds"};
        return e;
    }
};

/// Deduces the type of the device.
template <class D>
roofline_model(D) -> roofline_model<D>;

}  // namespace WARPGAUGE_NAMESPACE

#endif
