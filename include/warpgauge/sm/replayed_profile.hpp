// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SM_REPLAYED_PROFILE_HPP
#define WARPGAUGE_SM_REPLAYED_PROFILE_HPP

#include <cstdint>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/device/device.hpp>
#include <warpgauge/kernel/assumptions.hpp>
#include <warpgauge/kernel/profile.hpp>
#include <warpgauge/sm/cache_replay.hpp>
#include <warpgauge/sm/launch.hpp>
#include <warpgauge/sm/occupancy.hpp>

/// \file The caches of a replay from a device, and a profile from the counts of a replay.

namespace WARPGAUGE_NAMESPACE {

/// Bytes of L1 that remain beside the shared memory of the resident blocks of `k`. The driver may reserve more shared
/// memory than they need, since it divides the memory in steps of its own.
/// \errors as `occupancy`
template <class D>
requires has_l1_cache<D> && occupancy_device<D>
[[nodiscard]] constexpr result<double> l1_beside(const kernel_profile<>& k, const D& d) {
    const auto o = occupancy(k, d);
    if (!o) return o.error();
    const double blocks =
        k.active_blocks_per_sm > 0 ? k.active_blocks_per_sm : o->active_blocks_per_sm;
    const double left = static_cast<double>(d.l1_bytes_per_sm) - blocks * o->shared_bytes_per_block;
    return core::max(left, 0.0);
}

/// The caches of `d` for a replay of `k` on `sms` of its SMs: L1 beside shared memory, these SMs' part of L2, and as
/// many blocks on each as are resident. If the device lacks the size of a cache, the replay has no such cache.
/// \errors as `occupancy`; not_positive, exceeds_device  `sms`: more than the device has
template <class D>
requires has_chip<D> && occupancy_device<D>
[[nodiscard]] constexpr result<replay_options> replay_on(const kernel_profile<>& k, const D& d,
                                                         std::uint32_t sms = 1) {
    if (sms == 0) return model_error{errc::not_positive, "sms"};
    const auto all = static_cast<double>(d.sm_count);
    if (!(sms <= all)) return model_error{errc::exceeds_device, "sms"};
    const auto resident = resident_blocks(k, d);
    if (!resident) return resident.error();
    if (!(*resident >= 1 && *resident <= 1e6)) {
        return model_error{errc::outside_domain, "active_blocks_per_sm"};
    }
    replay_options o;
    o.sms = sms;
    o.resident_blocks = static_cast<std::uint32_t>(*resident);
    o.part_of_gpu = sms < all;
    o.part_of_grid = static_cast<double>(sms) * o.resident_blocks < k.blocks;
    if constexpr (has_l1_cache<D>) {
        const auto l1 = l1_beside(k, d);
        if (!l1) return l1.error();
        o.l1.bytes = static_cast<std::uint64_t>(*l1);
    }
    if constexpr (has_l2_cache<D>) {
        o.l2.bytes = static_cast<std::uint64_t>(static_cast<double>(d.l2_bytes) * sms / all);
    }
    return o;
}

/// A profile, and the assumptions made for it.
struct replayed_profile : assumed_values<double> {
    kernel_profile<> profile{};  ///< with the counts of the replay
};

/// `k` with the accesses, waits and traffic that a replay of its blocks, or of some of them, has counted. Other
/// numbers of `k` do not change, for example broadcast loads, waits for shared memory (`l1_waits`), stores and
/// arithmetic. Loads and atomics wait for the farthest level that they go to, `load_waits` times a warp, one after the
/// other. If `load_waits` is 0, they wait `steps` of `k` times, and if these are 0 too, each load is a wait.
/// \errors missing       `requests`: the replay has seen no warp
///         not_positive  `blocks` of `k`; negative  `load_waits`
[[nodiscard]] constexpr result<replayed_profile> with_replay(const kernel_profile<>& k,
                                                             const cache_replay& r,
                                                             double load_waits = 0) {
    if (r.warps == 0) return model_error{errc::missing, "requests"};
    if (!core::positive(k.blocks)) return model_error{errc::not_positive, "blocks"};
    if (!core::non_negative(load_waits)) return model_error{errc::negative, "load_waits"};
    const auto number = [](std::uint64_t n) { return static_cast<double>(n); };
    const auto of_warp = [&](std::uint64_t n) { return number(n) / number(r.warps); };
    replayed_profile p;
    p.assumed = r.assumed;
    p.profile = k;
    memory_accesses<>& a = p.profile.accesses;
    a.load_sectors = of_warp(r.load_sectors + r.atomic_sectors);
    a.full_store_sectors = of_warp(r.full_store_sectors);
    a.partial_store_sectors = of_warp(r.partial_store_sectors);
    a.lines = of_warp(r.lines);

    const std::uint64_t loads = r.load_insts + r.atomic_insts;
    dependent_waits<>& w = p.profile.waits;
    double waits = load_waits > 0 ? load_waits : w.steps;
    if (!(waits > 0)) {
        waits = of_warp(loads);
        p.assumed.add(assumption::waits_for_each_load, loads > 0);
    }
    const double each = loads == 0 ? 0 : waits / number(loads);
    w.counted = true;
    w.l1_waits += each * number(r.l1_insts);  // besides those for shared memory
    w.l2_waits = each * number(r.l2_insts);
    w.dram_waits = each * number(r.dram_insts);
    w.steps = w.longest_steps = w.reused_fraction = 0;

    // Sectors of the blocks that were replayed stand for those of all.
    const double launch = k.blocks / number(r.blocks) * 32;
    memory_traffic<>& t = p.profile.traffic;
    t.l2_bytes_per_warp = 32 * of_warp(r.l2_loads + r.l2_stores);
    t.dram_read_bytes = launch * number(r.dram_reads);
    t.dram_write_bytes = launch * number(r.dram_writes);
    if (number(r.blocks) >= k.blocks) t.footprint_bytes = 32 * number(r.footprint);
    return p;
}

/// `k` where L1 serves what it held of the loads in a replay: so much of each of the `steps` is a wait for L1. All else
/// stays, as what is behind L1. For a replay of a single block, which knows nothing of what blocks share.
/// \errors missing  `requests`: the replay has seen no warp
[[nodiscard]] constexpr result<kernel_profile<>> with_l1_hits(kernel_profile<> k,
                                                              const cache_replay& r) {
    if (r.warps == 0) return model_error{errc::missing, "requests"};
    const double hits = r.l1_hit_fraction();
    k.waits.l1_waits += hits * k.waits.steps;
    k.waits.steps *= 1 - hits;
    k.waits.longest_steps *= 1 - hits;
    k.waits.counted = true;
    return k;
}

}  // namespace WARPGAUGE_NAMESPACE

#endif
