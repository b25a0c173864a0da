// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SM_LAUNCH_HPP
#define WARPGAUGE_SM_LAUNCH_HPP

#include <cstdint>
#include <string_view>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/device/device.hpp>
#include <warpgauge/kernel/profile.hpp>
#include <warpgauge/sm/occupancy.hpp>

/// \file The distribution of a launch over SMs and rounds, and the bytes that its warps move.
///
/// Equation and table numbers are those of Hong & Kim 2009; H6 to H8 are explained in
/// docs/mwp_cwp.md.

namespace WARPGAUGE_NAMESPACE {

/// Which form of a model's equations to use.
enum class equation_form : std::uint8_t {
    corrected,     ///< corrected where the print contradicts itself; docs/ lists each place
    as_published,  ///< exactly as printed
};

/// How the number of rounds of resident blocks is counted if the last round is not full.
enum class waves : std::uint8_t {
    quotient,  ///< a plain quotient, as in print: the last round counts as a fraction
    whole,     ///< rounded up: the last round counts as a full one
};

/// The error of a form or a count of rounds that is not an enumerator.
[[nodiscard]] constexpr model_error check_options(equation_form form,
                                                  waves rounds = waves::quotient) noexcept {
    if (const auto bad = core::check_enumerator(form, equation_form::as_published, "form")) {
        return bad;
    }
    return core::check_enumerator(rounds, waves::whole, "rounds");
}

/// How a launch spreads over the device.
template <scalar Real = double>
struct launch_values {
    Real active_sms{};              ///< SMs that get a block                        #Active_SMs, H7
    Real warps_per_block{};         ///< warps
    Real resident_blocks_per_sm{};  ///< blocks that fit on an SM; from occupancy or the profile
    Real active_blocks_per_sm{};    ///< blocks, no more than the grid gives an SM               H7
    Real active_warps_per_sm{};     ///< warps                                          N, eq. (20)
    Real rounds{};                  ///< rounds of active blocks                  #Rep, eq. (21), H6
};

/// Blocks that fit on an SM: the profile's own number, or that of occupancy if it is 0.
/// \errors missing  `active_blocks_per_sm`: it is 0 and the device has no limits; or as `occupancy`
///         overflow  `active_blocks_per_sm`: not 0, and below 1e-10
template <scalar Real, class D>
[[nodiscard, gnu::always_inline]] constexpr result<Real> resident_blocks(
    const kernel_profile<Real>& k, const D& d) noexcept {
    const mask_of<Real> given = Real(0.0) < k.active_blocks_per_sm;
    if (!scalar_traits<Real>::all(!given || Real(core::min_input) <= k.active_blocks_per_sm)) {
        return model_error{errc::overflow, "active_blocks_per_sm"};
    }
    if (scalar_traits<Real>::all(given)) return k.active_blocks_per_sm;
    if constexpr (occupancy_device<D>) {
        if (!knows<parameters::residency>(d)) {
            return model_error{errc::missing, "active_blocks_per_sm"};
        }
        const auto o = occupancy(k, d);
        if (!o) return o.error();
        return core::select(given, k.active_blocks_per_sm, o->active_blocks_per_sm);
    } else {
        return model_error{errc::missing, "active_blocks_per_sm"};
    }
}

/// Spreads the blocks of `k`, `resident` of which fit on an SM of `d`. All inputs are above zero.
template <scalar Real, class D>
[[nodiscard, gnu::always_inline]] constexpr launch_values<Real> spread(
    const kernel_profile<Real>& k, const D& d, const Real& resident, equation_form form,
    waves rounds) noexcept {
    const Real sms = Real(d.sm_count);
    const Real warps = k.threads_per_block / Real(d.warp_size);
    launch_values<Real> l;
    l.resident_blocks_per_sm = resident;
    if (form == equation_form::as_published) {
        l.active_sms = sms;
        l.warps_per_block = warps;
        l.active_blocks_per_sm = resident;
    } else {
        l.active_sms = core::min(k.blocks, sms);
        l.warps_per_block = core::ceil(warps);
        l.active_blocks_per_sm = core::min(resident, core::ceil(Real(k.blocks / sms)));
    }
    l.active_warps_per_sm = l.active_blocks_per_sm * l.warps_per_block;  // (20)
    l.rounds = k.blocks / (l.active_blocks_per_sm * l.active_sms);       // (21)
    if (rounds == waves::whole) l.rounds = core::ceil(l.rounds);
    return l;
}

/// Bytes that one memory instruction of a warp moves, if a fraction `weight_uncoalesced` of them is not
/// coalesced (tbl. 1, line 21). An uncoalesced one moves its transactions, if the device gives their size; H8.
template <scalar Real, class D>
[[nodiscard]] constexpr Real load_bytes_per_warp(const kernel_profile<Real>& k, const D& d,
                                                 const Real& weight_uncoalesced) noexcept {
    const Real words = k.bytes_per_access * Real(d.warp_size);
    if constexpr (has_transaction_size<D>) {
        if (knows<parameters::transaction_size>(d)) {
            const Real moved = k.transactions_per_uncoalesced * Real(d.dram_transaction_bytes);
            return moved * weight_uncoalesced + words * (Real(1.0) - weight_uncoalesced);
        }
    }
    return words;
}

/// The largest whole number up to which a double counts exactly: 2^53.
inline constexpr double max_exact_integer = 9007199254740992.0;

/// A whole number from 1 to 2^53 as an integer.
/// \errors not_positive, not_whole, overflow: `field`
[[nodiscard]] constexpr result<std::uint64_t> whole_number(double value, std::string_view field) {
    if (!core::positive(value)) return model_error{errc::not_positive, field};
    if (value > max_exact_integer) return model_error{errc::overflow, field};
    const auto n = static_cast<std::uint64_t>(value);
    if (static_cast<double>(n) != value) return model_error{errc::not_whole, field};
    return n;
}

/// A launch in whole numbers, for models that count blocks and warps one by one.
struct whole_launch {
    std::uint64_t blocks{};                  ///< blocks of the grid
    std::uint64_t threads_per_block{};       ///< threads of a block
    std::uint64_t warps_per_block{};         ///< warps of a block, threads rounded up
    std::uint64_t resident_blocks_per_sm{};  ///< blocks that fit on an SM
    std::uint64_t sm_count{};                ///< SMs of the device

    /// The maximum number of blocks of an SM, if they are distributed evenly.
    [[nodiscard]] constexpr std::uint64_t max_blocks_per_sm() const noexcept {
        return (blocks - 1) / sm_count + 1;
    }
    /// SMs that get a block.
    [[nodiscard]] constexpr std::uint64_t active_sms() const noexcept {
        return core::min(blocks, sm_count);
    }
    /// SMs that get the maximum number of blocks.
    [[nodiscard]] constexpr std::uint64_t sms_with_max_blocks() const noexcept {
        return blocks - (max_blocks_per_sm() - 1) * sm_count;
    }
    /// Blocks that an SM holds at a time: those that fit, but no more than it gets.
    [[nodiscard]] constexpr std::uint64_t active_blocks_per_sm() const noexcept {
        return core::min(resident_blocks_per_sm, max_blocks_per_sm());
    }
    /// The number of portions of active blocks in which the SMs take the grid.
    [[nodiscard]] constexpr std::uint64_t workloads() const noexcept {
        return (blocks - 1) / active_blocks_per_sm() + 1;
    }
    /// Rounds of workloads on all SMs, of which the last need not be full.
    [[nodiscard]] constexpr std::uint64_t whole_rounds() const noexcept {
        return (workloads() - 1) / sm_count + 1;
    }
    /// The same as a quotient: the last round counts as a fraction of the blocks.
    [[nodiscard]] constexpr double partial_rounds() const noexcept {
        return static_cast<double>(blocks) / static_cast<double>(active_blocks_per_sm() * sm_count);
    }
};

/// Counts the launch of `k` on `d`.
/// \errors as `resident_blocks`; also
///         not_positive    `blocks`, `threads_per_block`, `sm_count`, `warp_size`
///         not_whole       one of these or `active_blocks_per_sm`
///         negative        `active_blocks_per_sm`
///         overflow        one of them is past 2^53
template <class D>
[[nodiscard]] constexpr result<whole_launch> count_launch(const kernel_profile<>& k, const D& d) {
    const auto blocks = whole_number(k.blocks, "blocks");
    if (!blocks) return blocks.error();
    const auto threads = whole_number(k.threads_per_block, "threads_per_block");
    if (!threads) return threads.error();
    const auto warp = whole_number(static_cast<double>(d.warp_size), "warp_size");
    if (!warp) return warp.error();
    const auto sms = whole_number(static_cast<double>(d.sm_count), "sm_count");
    if (!sms) return sms.error();
    if (k.active_blocks_per_sm < 0 || k.active_blocks_per_sm != k.active_blocks_per_sm) {
        return model_error{errc::negative, "active_blocks_per_sm"};
    }
    const auto fit = resident_blocks(k, d);
    if (!fit) return fit.error();
    const auto resident = whole_number(*fit, "active_blocks_per_sm");
    if (!resident) return resident.error();
    return whole_launch{.blocks = *blocks,
                        .threads_per_block = *threads,
                        .warps_per_block = (*threads - 1) / *warp + 1,
                        .resident_blocks_per_sm = *resident,
                        .sm_count = *sms};
}

}  // namespace WARPGAUGE_NAMESPACE

#endif
