// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_KERNEL_CHECK_HPP
#define WARPGAUGE_KERNEL_CHECK_HPP

#include <concepts>
#include <cstddef>

#include <warpgauge/core/min_and_sum.hpp>
#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/core/top_bytes.hpp>
#include <warpgauge/kernel/profile.hpp>

/// \file Checks of the numbers of a profile, including those of the memory hierarchy.

namespace WARPGAUGE_NAMESPACE {

/// The error of the first number that is out of range, among those that a model with a memory hierarchy reads.
/// \errors not_positive    `blocks`, `threads_per_block`, `transactions_per_uncoalesced`, `bytes_per_access`
///         negative        another number
///         outside_domain  a fraction above 1
///         overflow        an input that is above 1e20, or not 0 and below 1e-10
template <scalar Real>
[[nodiscard]] constexpr model_error check_hierarchy_inputs(const kernel_profile<Real>& k) {
    using core::zero;
    const model_error bad = core::check_inputs<Real>({
        {k.blocks, "blocks"},
        {k.threads_per_block, "threads_per_block"},
        {k.transactions_per_uncoalesced, "transactions_per_uncoalesced"},
        {k.bytes_per_access, "bytes_per_access"},
        {k.shared_bytes_per_block, "shared_bytes_per_block", zero::allowed},
        {k.active_blocks_per_sm, "active_blocks_per_sm", zero::allowed},
        {k.comp_insts, "comp_insts", zero::allowed},
        {k.coalesced_mem_insts, "coalesced_mem_insts", zero::allowed},
        {k.uncoalesced_mem_insts, "uncoalesced_mem_insts", zero::allowed},
        {k.ops.fp32_ops, "fp32_ops", zero::allowed},
        {k.ops.fp64_ops, "fp64_ops", zero::allowed},
        {k.ops.integer_ops, "integer_ops", zero::allowed},
        {k.ops.special_ops, "special_ops", zero::allowed},
        {k.ops.tensor_fmas, "tensor_fmas", zero::allowed},
        {k.sync_insts, "sync_insts", zero::allowed},
        {k.shared_passes, "shared_passes", zero::allowed},
        {k.shared_insts, "shared_insts", zero::allowed},
        {k.branches, "branches", zero::allowed},
        {k.accesses.load_sectors, "load_sectors", zero::allowed},
        {k.accesses.full_store_sectors, "full_store_sectors", zero::allowed},
        {k.accesses.partial_store_sectors, "partial_store_sectors", zero::allowed},
        {k.accesses.lines, "lines", zero::allowed},
        {k.accesses.broadcast_loads, "broadcast_loads", zero::allowed},
        {k.waits.dram_waits, "dram_waits", zero::allowed},
        {k.waits.l2_waits, "l2_waits", zero::allowed},
        {k.waits.l1_waits, "l1_waits", zero::allowed},
        {k.waits.store_waits, "store_waits", zero::allowed},
        {k.waits.arithmetic_wait_cycles, "arithmetic_wait_cycles", zero::allowed},
        {k.waits.steps, "steps", zero::allowed},
        {k.waits.longest_steps, "longest_steps", zero::allowed},
        {k.waits.reused_fraction, "reused_fraction", zero::allowed},
        {k.traffic.l2_bytes_per_warp, "l2_bytes_per_warp", zero::allowed},
        {k.traffic.dram_read_bytes, "dram_read_bytes", zero::allowed},
        {k.traffic.dram_write_bytes, "dram_write_bytes", zero::allowed},
        {k.traffic.footprint_bytes, "footprint_bytes", zero::allowed},
        {k.traffic.in_l2_fraction, "in_l2_fraction", zero::allowed},
        {k.traffic.local_bytes, "local_bytes", zero::allowed},
        {k.traffic.local_footprint_bytes, "local_footprint_bytes", zero::allowed},
    });
    if (bad) return bad;
    const auto at_most_1 = [](const Real& x) { return scalar_traits<Real>::all(x <= Real(1.0)); };
    if (!at_most_1(k.waits.reused_fraction)) return {errc::outside_domain, "reused_fraction"};
    if (!at_most_1(k.traffic.in_l2_fraction)) return {errc::outside_domain, "in_l2_fraction"};
    return {};
}

/// True if no number of a profile is negative, infinite or NaN, their sum is small enough, and those that have to be
/// above 0 are. `false` may be wrong, for example for a number that no model reads; then `check_hierarchy_inputs`
/// decides.
template <scalar Real>
[[nodiscard, gnu::always_inline]] constexpr bool numbers_in_range(const kernel_profile<Real>& k) {
    using number = core::plain<Real>;
    core::min_and_sum<number> positive(core::without_slopes(k.blocks));
    positive.add(k.threads_per_block, k.transactions_per_uncoalesced, k.bytes_per_access);
    core::min_and_sum<number> counted(core::without_slopes(k.active_blocks_per_sm));
    counted.add(k.comp_insts, k.coalesced_mem_insts, k.uncoalesced_mem_insts, k.sync_insts,
                k.shared_bytes_per_block);
    core::min_and_sum<number> used(core::without_slopes(k.shared_passes));
    used.add(k.shared_insts, k.branches, k.ops.fp32_ops, k.ops.fp64_ops, k.ops.integer_ops,
             k.ops.special_ops, k.ops.tensor_fmas, k.accesses.load_sectors,
             k.accesses.full_store_sectors, k.accesses.partial_store_sectors, k.accesses.lines,
             k.accesses.broadcast_loads);
    core::min_and_sum<number> waited(core::without_slopes(k.waits.dram_waits));
    waited.add(k.waits.l2_waits, k.waits.l1_waits, k.waits.store_waits,
               k.waits.arithmetic_wait_cycles, k.waits.steps, k.waits.longest_steps,
               k.waits.reused_fraction);
    core::min_and_sum<number> moved(core::without_slopes(k.traffic.l2_bytes_per_warp));
    moved.add(k.traffic.dram_read_bytes, k.traffic.dram_write_bytes, k.traffic.footprint_bytes,
              k.traffic.in_l2_fraction, k.traffic.local_bytes, k.traffic.local_footprint_bytes);
    const number least =
        core::min(core::min(counted.least, used.least), core::min(waited.least, moved.least));
    const number sum = (counted.sum + used.sum) + (waited.sum + moved.sum) + positive.sum;
    return scalar_traits<number>::all(number(core::min_input) <= positive.least &&
                                      number(0.0) <= least && sum <= number(core::max_input));
}

/// The same for doubles and packs of them, which are consecutive in a profile, by their bytes.
template <scalar Real>
requires std::same_as<Real, double> || requires {
    Real::width;
}
[[nodiscard, gnu::always_inline]] inline bool numbers_in_range(const kernel_profile<Real>& k) {
    using profile = kernel_profile<Real>;
    constexpr std::size_t size = sizeof(Real);
    constexpr std::size_t vector = core::min(native_lanes, std::size_t{4}) * sizeof(double);
    static_assert(offsetof(profile, bytes_per_access) - offsetof(profile, blocks) == 10 * size &&
                  offsetof(profile, threads_per_block) - offsetof(profile, blocks) == size &&
                  offsetof(profile, waits) - offsetof(profile, ops) == 13 * size &&
                  sizeof(profile) - offsetof(profile, waits) == 16 * size);
    const char* const bytes = reinterpret_cast<const char*>(&k);
    core::top_bytes<core::min(vector, 2 * size)> positive;
    positive.template see_positive<2 * size>(bytes + offsetof(profile, blocks));
    positive.template see_positive<2 * size>(bytes +
                                             offsetof(profile, transactions_per_uncoalesced));
    core::top_bytes<vector> all;
    all.template see<11 * size>(bytes + offsetof(profile, blocks));
    all.template see<13 * size>(bytes + offsetof(profile, ops));
    all.template see<15 * size>(bytes + offsetof(profile, waits) + size);  // behind `counted`
    return all.in_range() && positive.in_range();
}

}  // namespace WARPGAUGE_NAMESPACE

#endif
