// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_OCCUPANCY_HPP
#define WARPGAUGE_OCCUPANCY_HPP

#include <cstdint>
#include <limits>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/device.hpp>
#include <warpgauge/profile.hpp>

/// \file How many blocks of a kernel one SM holds at a time, what limits them, and what would add
/// one more.
///
/// Sources: as `compute_capability.hpp`. Registers of 1.x: NVIDIA, CUDA C Programming Guide 4.2,
/// sec. 4.2; of 2.0 and later: `cuda_occupancy.h`.

namespace warpgauge {

/// What keeps another block off an SM. Where several do, the first in this order.
enum class occupancy_limiter : std::uint8_t { warps, blocks, registers, shared_memory };

/// How many blocks of a kernel one SM holds. The grid's size plays no part in it.
template <scalar Real = double>
struct basic_occupancy_estimate {
    Real warps_per_block{};          ///< warps, threads rounded up
    Real registers_per_block{};      ///< 32-bit registers, as allocated
    Real shared_bytes_per_block{};   ///< B, as allocated, with what the system reserves
    Real blocks_by_warps{};          ///< blocks that the SM's warps allow
    Real blocks_by_blocks{};         ///< blocks that the SM's block slots allow
    Real blocks_by_registers{};      ///< blocks that the registers allow; infinite for none
    Real blocks_by_shared_memory{};  ///< blocks that shared memory allows; infinite for none
    Real active_blocks_per_sm{};     ///< blocks, the least of the four, >= 1
    Real active_warps_per_sm{};      ///< warps
    Real occupancy{};                ///< active warps / most warps of an SM, 0 to 1
    choice_of<Real, occupancy_limiter> limiter{};
};

using occupancy_estimate = basic_occupancy_estimate<double>;

/// The least change that makes room for another block.
template <scalar Real = double>
struct occupancy_step {
    Real
        active_blocks_per_sm{};  ///< blocks after the step
    Real registers_per_thread{};    ///< the most that a thread may then use
    Real shared_bytes_per_block{};  ///< B, the most that a block may then use
};

namespace detail {

template <scalar Real>
constexpr Real infinite() {
    return Real(std::numeric_limits<double>::infinity());
}

/// Registers that one warp takes, >= `registers_per_thread * 32`.
template <scalar Real, occupancy_device D>
constexpr Real registers_per_warp(const Real& registers_per_thread, const D& d) {
    const Real asked = registers_per_thread * Real(d.warp_size);
    const Real unit(d.register_unit);
    if (d.registers_go != register_rule::per_warp_fermi) return core::round_up(asked, unit);
    // 21, 22, 29, 30, 37, 38, 45 and 46 registers a thread take the double unit on 2.x.
    const Real r = core::ceil(registers_per_thread);
    const Real of_eight = r - Real(8.0) * core::floor(Real(r / Real(8.0)));
    const mask_of<Real> coarse =
        (of_eight == Real(5.0) || of_eight == Real(6.0)) && Real(20.0) < r && r < Real(47.0);
    return core::round_up(asked, core::select(coarse, Real(unit * Real(2.0)), unit));
}

/// Registers that one block takes.
template <scalar Real, occupancy_device D>
constexpr Real registers_per_block(const Real& registers_per_thread, const Real& warps,
                                   const D& d) {
    if (d.registers_go == register_rule::per_block) {
        const Real pairs = core::round_up(warps, Real(2.0));
        return core::round_up(Real(pairs * registers_per_thread * Real(d.warp_size)),
                              Real(d.register_unit));
    }
    return registers_per_warp(registers_per_thread, d) * warps;
}

/// Blocks for which the register file has room; each part of it holds whole warps.
template <scalar Real, occupancy_device D>
constexpr Real blocks_by_registers(const Real& registers_per_thread, const Real& warps,
                                   const D& d) {
    if (d.registers_go == register_rule::per_block) {
        const Real block = registers_per_block(registers_per_thread, warps, d);
        return core::floor(core::divide_or(Real(d.registers_per_sm), block, infinite<Real>()));
    }
    const Real parts(d.register_partitions);
    const Real warp = registers_per_warp(registers_per_thread, d);
    const Real warps_a_part = core::floor(
        core::divide_or(Real(Real(d.registers_per_sm) / parts), warp, infinite<Real>()));
    return core::floor(Real(warps_a_part * parts / warps));
}

/// True where the launch check of the hardware lets a block through: it rounds warps up to the
/// parts of the register file.
template <scalar Real, occupancy_device D>
constexpr mask_of<Real> registers_pass(const Real& registers_per_thread, const Real& warps,
                                       const D& d) {
    const Real counted = d.registers_go == register_rule::per_block
                             ? registers_per_block(registers_per_thread, warps, d)
                             : Real(registers_per_warp(registers_per_thread, d) *
                                    core::round_up(warps, Real(d.register_check_partitions)));
    return counted <= Real(d.max_registers_per_block) &&
           registers_per_thread <= Real(d.max_registers_per_thread);
}

template <scalar Real, occupancy_device D>
constexpr Real shared_bytes_allocated(const Real& shared_bytes_per_block, const D& d) {
    return core::round_up(Real(shared_bytes_per_block + Real(d.reserved_shared_bytes_per_block)),
                          Real(d.shared_unit_bytes));
}

template <scalar Real>
constexpr const char* bad_resource(const kernel_profile<Real>& k) {
    if (!core::non_negative(k.registers_per_thread)) return "registers_per_thread";
    if (!core::non_negative(k.shared_bytes_per_block)) return "shared_bytes_per_block";
    return nullptr;
}

}  // namespace detail

/// Resident blocks and warps of `k` on one SM of `d`, and what limits them.
///
/// Reads `threads_per_block`, `registers_per_thread` (0: no limit) and `shared_bytes_per_block` of
/// the profile; neither `blocks` nor `active_blocks_per_sm`. Shared memory is taken to be in its
/// largest configuration.
/// \errors not_positive    `threads_per_block`
///         negative        `registers_per_thread`, `shared_bytes_per_block`
///         exceeds_device  not even one block fits; the field names the resource
template <occupancy_device D, scalar Real>
[[nodiscard]] constexpr result<basic_occupancy_estimate<Real>> occupancy(
    const kernel_profile<Real>& k, const D& d) noexcept {
    if (!core::positive(k.threads_per_block)) {
        return model_error{errc::not_positive, "threads_per_block"};
    }
    if (const char* field = detail::bad_resource(k)) return model_error{errc::negative, field};

    basic_occupancy_estimate<Real> o;
    o.warps_per_block = core::ceil(Real(k.threads_per_block / Real(d.warp_size)));
    o.registers_per_block =
        detail::registers_per_block(k.registers_per_thread, o.warps_per_block, d);
    o.shared_bytes_per_block = detail::shared_bytes_allocated(k.shared_bytes_per_block, d);

    using traits = scalar_traits<Real>;
    if (!traits::all(k.threads_per_block <= Real(d.max_threads_per_block))) {
        return model_error{errc::exceeds_device, "threads_per_block"};
    }
    if (!traits::all(detail::registers_pass(k.registers_per_thread, o.warps_per_block, d))) {
        return model_error{errc::exceeds_device, "registers_per_thread"};
    }
    if (!traits::all(o.shared_bytes_per_block <= Real(d.max_shared_bytes_per_block) +
                                                     Real(d.reserved_shared_bytes_per_block))) {
        return model_error{errc::exceeds_device, "shared_bytes_per_block"};
    }

    o.blocks_by_warps = core::floor(Real(Real(d.max_warps_per_sm) / o.warps_per_block));
    o.blocks_by_blocks = Real(d.max_blocks_per_sm);
    o.blocks_by_registers =
        detail::blocks_by_registers(k.registers_per_thread, o.warps_per_block, d);
    o.blocks_by_shared_memory = core::floor(core::divide_or(
        Real(d.shared_bytes_per_sm), o.shared_bytes_per_block, detail::infinite<Real>()));

    const Real by_slots = core::min(o.blocks_by_warps, o.blocks_by_blocks);
    const Real by_memory = core::min(o.blocks_by_registers, o.blocks_by_shared_memory);
    o.active_blocks_per_sm = core::min(by_slots, by_memory);
    o.active_warps_per_sm = o.active_blocks_per_sm * o.warps_per_block;
    o.occupancy = o.active_warps_per_sm / Real(d.max_warps_per_sm);

    using limiter = occupancy_limiter;
    const Real& least = o.active_blocks_per_sm;
    o.limiter = core::choose<Real, limiter>(
        o.blocks_by_warps == least, core::choice<Real>(limiter::warps),
        core::choose<Real, limiter>(
            o.blocks_by_blocks == least, core::choice<Real>(limiter::blocks),
            core::choose<Real, limiter>(o.blocks_by_registers == least,
                                        core::choice<Real>(limiter::registers),
                                        core::choice<Real>(limiter::shared_memory))));
    if (!traits::all(Real(1.0) <= least)) {  // an edited device may hold less than one block
        return model_error{errc::exceeds_device, "active_blocks_per_sm"};
    }
    return o;
}

/// The smallest reduction of registers and shared memory that makes room for another block.
/// A resource that stands in no block's way keeps its present value.
/// \errors as `occupancy`; besides
///         exceeds_device  `threads_per_block` (the SM's warps), or `active_blocks_per_sm` (its
///                         block slots), allow no further block whatever the kernel gives up
template <occupancy_device D, scalar Real>
[[nodiscard]] constexpr result<occupancy_step<Real>> next_occupancy_step(
    const kernel_profile<Real>& k, const D& d) noexcept {
    const auto now = occupancy(k, d);
    if (!now) return now.error();

    using traits = scalar_traits<Real>;
    const Real blocks = now->active_blocks_per_sm + Real(1.0);
    const Real& warps = now->warps_per_block;
    if (!traits::all(blocks <= now->blocks_by_warps)) {
        return model_error{errc::exceeds_device, "threads_per_block"};
    }
    if (!traits::all(blocks <= now->blocks_by_blocks)) {
        return model_error{errc::exceeds_device, "active_blocks_per_sm"};
    }

    // The most registers of a warp (1.x: of a pair of warps) at which `blocks` fit, in whole units.
    const Real unit(d.register_unit);
    Real registers;
    if (d.registers_go == register_rule::per_block) {
        const Real of_block = core::floor(Real(Real(d.registers_per_sm) / blocks / unit)) * unit;
        registers = of_block / core::round_up(warps, Real(2.0));
    } else {
        const Real parts(d.register_partitions);
        const Real warps_a_part = core::ceil(Real(blocks * warps / parts));
        registers =
            core::floor(Real(Real(d.registers_per_sm) / parts / warps_a_part / unit)) * unit;
    }
    registers = core::floor(Real(registers / Real(d.warp_size)));
    for (int i = 0; i < 2; ++i) {  // 2.x: a count with the coarser unit may have to go down twice
        registers = core::select(detail::blocks_by_registers(registers, warps, d) < blocks,
                                 Real(registers - Real(1.0)), registers);
    }
    const Real shared_unit(d.shared_unit_bytes);
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
    then.registers_per_thread = core::min(k.registers_per_thread, registers);
    then.shared_bytes_per_block = core::min(k.shared_bytes_per_block, shared);
    const auto after = occupancy(then, d);
    if (!after) return after.error();
    return occupancy_step<Real>{after->active_blocks_per_sm, then.registers_per_thread,
                                then.shared_bytes_per_block};
}

}  // namespace warpgauge

#endif
