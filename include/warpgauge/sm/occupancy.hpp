// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SM_OCCUPANCY_HPP
#define WARPGAUGE_SM_OCCUPANCY_HPP

#include <cstdint>
#include <string_view>
#include <type_traits>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/device/device.hpp>
#include <warpgauge/kernel/profile.hpp>

/// \file The number of blocks of a kernel that one SM holds at a time, what limits it, and what would add
/// one more.
///
/// Sources: as `sm_limits.hpp` and `cu_limits.hpp`. Registers of 1.x: NVIDIA, CUDA C Programming Guide 4.2,
/// sec. 4.2; of 2.0 and later: `cuda_occupancy.h`; of AMD's compute units, which count as SMs, with waves as warps and
/// LDS as shared memory: LLVM.

namespace WARPGAUGE_NAMESPACE {

/// The resource that limits the blocks of an SM. If several do, the first in this order.
enum class occupancy_limiter : std::uint8_t {
    warps,          ///< the warps that an SM holds
    blocks,         ///< the blocks that an SM holds
    registers,      ///< the register file
    shared_memory,  ///< shared memory
};

/// The limit in words: "shared memory".
[[nodiscard]] constexpr std::string_view name(occupancy_limiter limiter) noexcept {
    switch (limiter) {
        case occupancy_limiter::warps: return "warps";
        case occupancy_limiter::blocks: return "blocks";
        case occupancy_limiter::registers: return "registers";
        case occupancy_limiter::shared_memory: return "shared memory";
    }
    return "unknown";
}

/// The number of blocks of a kernel that one SM holds. It does not depend on the size of the grid.
template <scalar Real = double>
struct basic_occupancy_estimate {
    Real warps_per_block{};          ///< warps, threads rounded up
    Real registers_per_block{};      ///< 32-bit registers, as allocated
    Real shared_bytes_per_block{};   ///< B, as allocated, with what the system reserves
    Real blocks_by_warps{};          ///< blocks that the SM's warps allow
    Real blocks_by_blocks{};         ///< blocks that the SM's block slots allow
    Real blocks_by_registers{};      ///< blocks that the registers allow; infinite for none
    Real blocks_by_shared_memory{};  ///< blocks that shared memory allows; infinite for none
    Real active_blocks_per_sm{};     ///< blocks, the minimum of the four, >= 1
    Real active_warps_per_sm{};      ///< warps
    Real occupancy{};                ///< active warps / maximum warps of an SM, 0 to 1
    choice_of<Real, occupancy_limiter> limiter{};  ///< the resource that limits the blocks
};

/// An occupancy in doubles.
using occupancy_estimate = basic_occupancy_estimate<double>;

/// The smallest change with which another block fits.
template <scalar Real = double>
struct occupancy_step {
    Real active_blocks_per_sm{};    ///< blocks after the step
    Real registers_per_thread{};    ///< the maximum that a thread may then use
    Real shared_bytes_per_block{};  ///< B, the maximum that a block may then use
};

namespace detail::sm {

/// All parameters of a device together are at most this (2^26; those of an SM stay below 2^20), so that
/// whole numbers and their products stay exact.
inline constexpr double max_of_all = 67'108'864;

/// The error of the first parameter or request that is out of range, if one is.
template <scalar Real, occupancy_device D>
[[gnu::noinline]] constexpr model_error diagnose_occupancy(const kernel_profile<Real>& k,
                                                           const D& d) {
    using traits = scalar_traits<Real>;
    const core::named_input<Real> limits[]{
        {Real(d.warp_size), "warp_size"},
        {Real(d.max_threads_per_block), "max_threads_per_block"},
        {Real(d.max_warps_per_sm), "max_warps_per_sm"},
        {Real(d.max_blocks_per_sm), "max_blocks_per_sm"},
        {Real(d.registers_per_sm), "registers_per_sm"},
        {Real(d.max_registers_per_block), "max_registers_per_block"},
        {Real(d.max_registers_per_thread), "max_registers_per_thread"},
        {Real(d.register_unit), "register_unit"},
        {Real(d.register_partitions), "register_partitions"},
        {Real(d.register_check_partitions), "register_check_partitions"},
        {Real(d.shared_bytes_per_sm), "shared_bytes_per_sm"},
        {Real(d.max_shared_bytes_per_block), "max_shared_bytes_per_block"},
        {Real(d.shared_unit_bytes), "shared_unit_bytes"}};
    for (const core::named_input<Real>& f : limits) {
        if (!core::positive(f.value)) return {errc::not_positive, f.field};
        if (!traits::all(Real(1.0) <= f.value)) return {errc::outside_domain, f.field};
        if (!traits::all(f.value <= Real(max_of_all / 14))) return {errc::overflow, f.field};
    }
    if (!core::non_negative(Real(d.reserved_shared_bytes_per_block))) {
        return {errc::negative, "reserved_shared_bytes_per_block"};
    }
    if (!traits::all(Real(d.reserved_shared_bytes_per_block) <= Real(max_of_all / 14))) {
        return {errc::overflow, "reserved_shared_bytes_per_block"};
    }
    struct request {
        Real value;
        Real most;
        std::string_view field;
    };
    if (!core::positive(k.threads_per_block)) return {errc::not_positive, "threads_per_block"};
    if (!traits::all(Real(core::min_input) <= k.threads_per_block)) {
        return {errc::overflow, "threads_per_block"};
    }
    const request requests[]{
        {k.threads_per_block, Real(d.max_threads_per_block), "threads_per_block"},
        {k.registers_per_thread, Real(d.max_registers_per_thread), "registers_per_thread"},
        {k.shared_bytes_per_block, Real(d.max_shared_bytes_per_block), "shared_bytes_per_block"}};
    for (const request& r : requests) {
        if (!core::non_negative(r.value)) return {errc::negative, r.field};
        if (!traits::all(r.value <= r.most)) return {errc::exceeds_device, r.field};
    }
    return {};
}

/// True if `diagnose_occupancy` finds no error. It takes few instructions, and none for the parameters of a static
/// device.
template <scalar Real, occupancy_device D>
constexpr bool occupancy_in_range(const kernel_profile<Real>& k, const D& d) {
    using core::max, core::min;
    const Real least =
        min(min(min(min(Real(d.warp_size), Real(d.max_threads_per_block)),
                    min(Real(d.max_warps_per_sm), Real(d.max_blocks_per_sm))),
                min(min(Real(d.registers_per_sm), Real(d.max_registers_per_block)),
                    min(Real(d.max_registers_per_thread), Real(d.register_unit)))),
            min(min(min(Real(d.register_partitions), Real(d.register_check_partitions)),
                    min(Real(d.shared_bytes_per_sm), Real(d.max_shared_bytes_per_block))),
                min(Real(d.shared_unit_bytes),
                    Real(Real(d.reserved_shared_bytes_per_block) + Real(1.0)))));
    const Real sum = Real(d.warp_size) + Real(d.max_threads_per_block) + Real(d.max_warps_per_sm) +
                     Real(d.max_blocks_per_sm) + Real(d.registers_per_sm) +
                     Real(d.max_registers_per_block) + Real(d.max_registers_per_thread) +
                     Real(d.register_unit) + Real(d.register_partitions) +
                     Real(d.register_check_partitions) + Real(d.shared_bytes_per_sm) +
                     Real(d.max_shared_bytes_per_block) + Real(d.shared_unit_bytes) +
                     Real(d.reserved_shared_bytes_per_block);
    return scalar_traits<Real>::all(Real(1.0) <= least && sum <= Real(max_of_all) &&
                                    Real(core::min_input) <= k.threads_per_block &&
                                    k.threads_per_block <= Real(d.max_threads_per_block) &&
                                    Real(0.0) <= k.registers_per_thread &&
                                    k.registers_per_thread <= Real(d.max_registers_per_thread) &&
                                    Real(0.0) <= k.shared_bytes_per_block &&
                                    k.shared_bytes_per_block <= Real(d.max_shared_bytes_per_block));
}

/// The unit in which a warp's registers are allocated.
template <scalar Real, occupancy_device D>
constexpr Real register_unit(const Real& registers_per_thread, const D& d) {
    const Real unit = Real(d.register_unit);
    if (d.registers_go != register_rule::per_warp_fermi) return unit;
    // 21, 22, 29, 30, 37, 38, 45 and 46 registers a thread take the double unit on 2.x.
    const Real r = core::quotient_up(registers_per_thread, Real(1.0));
    const Real of_eight = r - Real(8.0) * core::quotient_down(r, Real(8.0));
    const mask_of<Real> coarse =
        (of_eight == Real(5.0) || of_eight == Real(6.0)) && Real(20.0) < r && r < Real(47.0);
    return core::select(coarse, Real(unit * Real(2.0)), unit);
}

/// Block slots of an SM for blocks of a given number of warps. On AMD's compute units a slot is a barrier, which a
/// block of one wave does not need.
template <scalar Real, occupancy_device D>
constexpr Real block_slots(const Real& warps, const D& d) {
    const Real slots = core::quotient_down(Real(d.max_blocks_per_sm), Real(1.0));
    if (d.registers_go != register_rule::per_wave) return slots;
    const Real waves = core::quotient_down(Real(d.max_warps_per_sm), Real(1.0));
    return core::select(warps <= Real(1.0), core::max(slots, waves), slots);
}

/// The registers that one block takes, and the warps or blocks that the register file holds.
template <scalar Real>
struct register_use {
    Real per_block{};          ///< 32-bit registers
    Real warps{};              ///< warps that the file holds, if it allocates registers to warps
    mask_of<Real> launches{};  ///< the hardware's check accepts a block that fits
};

template <scalar Real, occupancy_device D>
constexpr register_use<Real> use_registers(const Real& registers_per_thread, const Real& warps,
                                           const D& d) {
    // No registers at all count as one: its unit is below what an SM has for each of its warps.
    // More than any file has is cut, which ends in an error: the product below stays exact.
    const Real asked = core::min(
        Real(core::max(registers_per_thread, Real(1.0)) * Real(d.warp_size)), Real(2 * max_of_all));
    const Real unit = register_unit(registers_per_thread, d);
    const Real of_sm = Real(d.registers_per_sm);
    const Real of_block = Real(d.max_registers_per_block);
    if (d.registers_go == register_rule::per_block) {
        const Real pairs = core::quotient_up(warps, Real(2.0)) * Real(2.0);
        const Real block = core::quotient_up(Real(pairs * asked), unit) * unit;
        return {block, Real(core::quotient_down(of_sm, block) * warps), block <= of_block};
    }
    const Real parts = Real(d.register_partitions);
    const Real checked_parts = Real(d.register_check_partitions);
    const Real per_warp = core::quotient_up(asked, unit) * unit;
    const Real held = core::quotient_down(of_sm, Real(parts * per_warp)) * parts;
    // The check rounds warps up to the parts of the file. Where a block may have the whole file, in
    // the same parts, it passes what fits.
    const mask_of<Real> launches =
        (of_block == of_sm && checked_parts == parts) ||
        per_warp * core::quotient_up(warps, checked_parts) * checked_parts <= of_block;
    return {per_warp * warps, held, launches};
}

}  // namespace detail::sm

/// Resident blocks and warps of `k` on one SM of `d`, and what limits them.
///
/// Reads `threads_per_block`, `registers_per_thread` (0 counts as 1) and `shared_bytes_per_block` of
/// the profile, but neither `blocks` nor `active_blocks_per_sm`. Shared memory is assumed to have its
/// largest configuration.
/// \errors not_positive    `threads_per_block`
///         negative        `registers_per_thread`, `shared_bytes_per_block`
///         exceeds_device  not even one block fits; the field names the resource
///         not_positive, negative, outside_domain, overflow
///                         a parameter of the device: below 1, or all together above 2^26
template <occupancy_device D, scalar Real>
[[nodiscard, gnu::always_inline]] constexpr result<basic_occupancy_estimate<Real>> occupancy(
    const kernel_profile<Real>& k, const D& d) noexcept {
    if (std::is_constant_evaluated()) {  // where a sum may not overflow, or be NaN
        if (const auto bad = detail::sm::diagnose_occupancy(k, d)) return bad;
    } else if (!detail::sm::occupancy_in_range(k, d)) {
        const kernel_profile<Real> copy = k;  // so that GCC may keep `k` itself in registers
        return detail::sm::diagnose_occupancy(copy, d);
    }

    const Real shared_unit = Real(d.shared_unit_bytes);
    const Real reserved = Real(d.reserved_shared_bytes_per_block);
    const Real max_warps = Real(d.max_warps_per_sm);
    const Real shared_of_sm = Real(d.shared_bytes_per_sm);

    const Real warps = core::quotient_up(k.threads_per_block, Real(d.warp_size));
    const Real max_blocks = detail::sm::block_slots(warps, d);
    // Not const: GCC keeps a const aggregate in memory, with all that nobody reads of it.
    auto registers = detail::sm::use_registers(k.registers_per_thread, warps, d);
    const Real shared =
        core::quotient_up(Real(k.shared_bytes_per_block + reserved), shared_unit) * shared_unit;
    const Real shared_taken = core::max(shared, shared_unit);  // none counts as one unit
    // The least of the four blocks_by_... below, with one division for the two by warps.
    const Real by_warps = core::min(max_warps, registers.warps) / warps;
    const Real by_all =
        core::min(core::min(by_warps, Real(shared_of_sm / shared_taken)), max_blocks);
    const Real blocks = core::quotient_down(by_all, Real(1.0));
    if (!scalar_traits<Real>::all(registers.launches && Real(1.0) <= blocks)) {
        // Too much for the registers, or for an SM that was edited to hold less than a block.
        using traits = scalar_traits<Real>;
        return model_error{errc::exceeds_device,
                           !traits::all(registers.launches && warps <= registers.warps)
                               ? "registers_per_thread"
                           : !traits::all(warps <= max_warps) ? "threads_per_block"
                                                              : "shared_bytes_per_block"};
    }

    const Real blocks_by_warps = core::quotient_down(max_warps, warps);
    const Real blocks_by_registers = core::quotient_down(registers.warps, warps);
    const Real blocks_by_shared_memory = core::quotient_down(shared_of_sm, shared_taken);
    using limiter = occupancy_limiter;
    const auto limited_by = core::choose<Real, limiter>(
        blocks_by_warps == blocks, core::choice<Real>(limiter::warps),
        core::choose<Real, limiter>(
            max_blocks == blocks, core::choice<Real>(limiter::blocks),
            core::choose<Real, limiter>(blocks_by_registers == blocks,
                                        core::choice<Real>(limiter::registers),
                                        core::choice<Real>(limiter::shared_memory))));
    return result<basic_occupancy_estimate<Real>>(
        std::in_place, warps, registers.per_block, shared, blocks_by_warps, max_blocks,
        blocks_by_registers, blocks_by_shared_memory, blocks, Real(blocks * warps),
        Real(blocks * warps / max_warps), limited_by);
}

/// The smallest reduction of registers and shared memory with which another block fits.
/// A resource that does not limit the blocks keeps its present value.
/// \errors as `occupancy`; also
///         already_full    `active_warps_per_sm` (the SM's warps), or `active_blocks_per_sm` (its block
///                         slots): no further block fits, however little the kernel uses
template <occupancy_device D, scalar Real>
[[nodiscard]] constexpr result<occupancy_step<Real>> next_occupancy_step(
    const kernel_profile<Real>& k, const D& d) noexcept {
    const auto now = occupancy(k, d);
    if (!now) return now.error();

    using traits = scalar_traits<Real>;
    const Real blocks = now->active_blocks_per_sm + Real(1.0);
    const Real& warps = now->warps_per_block;
    if (!traits::all(blocks <= now->blocks_by_warps)) {
        return model_error{errc::already_full, "active_warps_per_sm"};
    }
    if (!traits::all(blocks <= now->blocks_by_blocks)) {
        return model_error{errc::already_full, "active_blocks_per_sm"};
    }

    // The most registers of a warp (1.x: of a pair of warps) at which `blocks` fit, in whole units.
    const Real unit = Real(d.register_unit);
    Real registers;
    if (d.registers_go == register_rule::per_block) {
        const Real of_block = core::floor(Real(Real(d.registers_per_sm) / blocks / unit)) * unit;
        registers = of_block / (core::quotient_up(warps, Real(2.0)) * Real(2.0));
    } else {
        const Real parts = Real(d.register_partitions);
        const Real warps_a_part = core::ceil(Real(blocks * warps / parts));
        registers =
            core::floor(Real(Real(d.registers_per_sm) / parts / warps_a_part / unit)) * unit;
    }
    registers = core::floor(Real(registers / Real(d.warp_size)));
    for (int i = 0; i < 2; ++i) {  // 2.x: a count with the coarser unit may have to go down twice
        const Real held = detail::sm::use_registers(registers, warps, d).warps;
        registers = core::select(held < blocks * warps, Real(registers - Real(1.0)), registers);
    }
    const Real shared_unit = Real(d.shared_unit_bytes);
    const Real shared =
        core::floor(Real(Real(d.shared_bytes_per_sm) / blocks / shared_unit)) * shared_unit -
        Real(d.reserved_shared_bytes_per_block);
    if (!traits::all(Real(0.0) < registers || k.registers_per_thread == Real(0.0))) {
        return model_error{errc::exceeds_device, "registers_per_thread"};
    }
    if (!traits::all(Real(0.0) <= shared)) {
        return model_error{errc::exceeds_device, "shared_bytes_per_block"};
    }
    kernel_profile<Real> then = k;
    then.registers_per_thread = core::min(k.registers_per_thread, core::max(registers, Real(0.0)));
    then.shared_bytes_per_block = core::min(k.shared_bytes_per_block, shared);
    const auto after = occupancy(then, d);
    if (!after) return after.error();
    if (!traits::all(now->active_blocks_per_sm < after->active_blocks_per_sm)) {
        return model_error{errc::exceeds_device, "shared_bytes_per_block"};  // a unit for nothing
    }
    return occupancy_step<Real>{after->active_blocks_per_sm, then.registers_per_thread,
                                then.shared_bytes_per_block};
}

}  // namespace WARPGAUGE_NAMESPACE

#endif
