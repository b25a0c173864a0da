// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SATURATION_EQUATIONS_HPP
#define WARPGAUGE_SATURATION_EQUATIONS_HPP

#include <concepts>
#include <type_traits>
#include <utility>

#include <warpgauge/core/min_and_sum.hpp>
#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/core/soft_maximum.hpp>
#include <warpgauge/device/device.hpp>
#include <warpgauge/kernel/assumptions.hpp>
#include <warpgauge/kernel/profile.hpp>
#include <warpgauge/saturation/costs.hpp>
#include <warpgauge/saturation/estimate.hpp>
#include <warpgauge/saturation/local_memory.hpp>
#include <warpgauge/sm/hierarchy.hpp>

/// \file The equations of the saturation model, for input that is in range; numbers are those of docs/saturation.md.
///
/// All are inlined, so that values that nobody reads are not computed. Terms that are 0 in every lane are skipped by a
/// test; that changes no bit of the rest.

namespace WARPGAUGE_NAMESPACE::detail::saturation {

/// True if a non-negative number is 0; for a pack, in every lane.
template <scalar Real>
[[gnu::always_inline]] constexpr bool is_zero(const Real& x) {
    return scalar_traits<Real>::all(x <= Real(0.0));
}

/// `value` where `count` is above 0, else 0; for a count for which `is_zero` is false.
template <scalar Real>
[[gnu::always_inline]] constexpr Real where_counted(const Real& count, const Real& value) {
    if constexpr (std::same_as<mask_of<Real>, bool>) {
        return value;
    } else {
        return core::select(Real(0.0) < count, value, Real(0.0));
    }
}

using core::plain;  // of constants, which have no slopes

/// (1)
template <scalar Real, scalar Cost, class D>
[[gnu::always_inline]] constexpr saturation_launch<Real> spread(const kernel_profile<Real>& k,
                                                                const costs<Cost, D>& c,
                                                                const Real& resident) {
    saturation_launch<Real> l;
    l.warps_per_block = core::ceil(Real(k.threads_per_block / c.warp_size));
    l.resident_blocks_per_sm = resident;
    l.blocks_per_sm = k.blocks / c.sm_count;
    const Real most = core::ceil(l.blocks_per_sm);
    l.active_blocks_per_sm = core::min(resident, most);
    // Where all fit side by side, the one round is full if every SM has as many; no need to wait for `most`.
    const Real rounds = core::floor(Real(k.blocks / Real(resident * c.sm_count)));
    const Real one = core::select(most <= l.blocks_per_sm, Real(1.0), Real(0.0));
    l.full_rounds = core::select(most <= resident, one, rounds);
    l.last_round_blocks =
        core::max(Real(0.0), Real(l.blocks_per_sm - l.full_rounds * l.active_blocks_per_sm));
    return l;
}

/// (2): the fraction of the footprint that L2 does not hold.
template <scalar Real, scalar Cost, class D>
[[gnu::always_inline]] constexpr Real l2_miss_fraction(const kernel_profile<Real>& k,
                                                       const costs<Cost, D>& c,
                                                       const cache_filling& filling) {
    const Real& footprint = k.traffic.footprint_bytes;
    if constexpr (has_l2_cache<D>) {
        if (is_zero(footprint)) return Real(1.0);
        const Real over = footprint * c.fill_per_byte - plain<Real>(filling.knee / filling.width);
        const Real misses = core::min(core::max(Real(0.0), over), Real(1.0));
        if constexpr (std::same_as<mask_of<Real>, bool>) {
            return misses;
        } else {
            return core::select(Real(0.0) < footprint, misses, Real(1.0));
        }
    } else {
        return Real(1.0);
    }
}

/// Whether a profile has no waits.
template <scalar Real>
[[gnu::always_inline]] constexpr mask_of<Real> has_no_waits(const dependent_waits<Real>& v) {
    const Real given = (v.dram_waits + v.l2_waits) + (v.l1_waits + v.store_waits) +
                       (v.arithmetic_wait_cycles + v.steps);
    return given <= Real(0.0) && mask_of<Real>(!v.counted);
}

/// (2) to (6), (9)
template <scalar Real, scalar Cost, class D>
[[gnu::always_inline]] constexpr saturation_waits<Real> wait(const kernel_profile<Real>& k,
                                                             const costs<Cost, D>& c,
                                                             const saturation_constants& constants,
                                                             const saturation_launch<Real>& l,
                                                             assumptions<Real>& assumed) {
    const dependent_waits<Real>& v = k.waits;
    const auto turnaround = plain<Real>(constants.turnaround_cycles);
    const Real mem_insts = k.coalesced_mem_insts + k.uncoalesced_mem_insts;
    const mask_of<Real> no_waits = has_no_waits(v);
    assumed.add(assumption::waits_for_dram, no_waits);

    saturation_waits<Real> f;
    f.l2_miss_fraction = l2_miss_fraction(k, c, constants.l2_filling);  // (2)
    f.warp_issue_cycles = (k.comp_insts + mem_insts) * c.issue_cycles;  // (4)
    if (scalar_traits<Real>::all(no_waits)) {
        f.dram_waits = mem_insts;
        f.l2_waits = Real(0.0);
        f.wait_cycles = mem_insts * c.dram_latency_cycles;
    } else {
        const Real dram_steps =
            v.steps * f.l2_miss_fraction * (plain<Real>(1.0) - v.reused_fraction);
        f.dram_waits =
            v.dram_waits + dram_steps + core::select(no_waits, mem_insts, Real(0.0));  // (3)
        f.l2_waits = v.l2_waits + (v.steps - dram_steps);
        f.wait_cycles = (f.dram_waits * c.dram_latency_cycles + f.l2_waits * c.l2_latency_cycles) +
                        (v.l1_waits * c.l1_latency_cycles +
                         (v.store_waits * plain<Real>(constants.store_cycles) +
                          v.arithmetic_wait_cycles));  // (5)
    }
    f.wait_cycles =
        f.wait_cycles + k.accesses.sectors() * plain<Real>(constants.sector_cycles);  // (5)
    if constexpr (has_pipes<D>) {
        if (!is_zero(k.branches)) f.wait_cycles = f.wait_cycles + k.branches * c.branch_cycles;
    }
    f.alone_cycles = (f.warp_issue_cycles + turnaround) + f.wait_cycles;  // (6)
    f.exposed_cycles = turnaround / l.resident_blocks_per_sm;             // (9)
    return f;
}

/// Cycles of the lanes of an SM for the operations of a warp, of the busiest unit.
template <scalar Real, scalar Cost, class D>
[[gnu::always_inline]] constexpr Real lane_cycles_of_warp(const lane_operations<Real>& ops,
                                                          const costs<Cost, D>& c) {
    Real longest(0.0);
    if (is_zero(Real((ops.fp32_ops + ops.fp64_ops) + (ops.integer_ops + ops.special_ops) +
                     ops.tensor_fmas))) {
        return longest;
    }
    const auto unit = [&](const Real& operations, const Cost& cycles) {
        if constexpr (!std::same_as<core::plain<Real>, Real>) {  // slopes cost more than a test
            if (is_zero(operations)) return;
        }
        longest = core::max(longest, Real(operations * cycles));
    };
    if constexpr (has_cores<D> && has_integers<D>) {
        unit(ops.fp32_ops, c.fp32_cycles);
        unit(ops.integer_ops, c.integer_cycles);
    } else if constexpr (has_cores<D>) {
        unit(ops.fp32_ops + ops.integer_ops, c.fp32_cycles);
    }
    if constexpr (has_double_precision<D>) unit(ops.fp64_ops, c.fp64_cycles);
    if constexpr (has_special_functions<D>) unit(ops.special_ops, c.special_cycles);
    if constexpr (has_tensor<D>) unit(ops.tensor_fmas, c.tensor_cycles);
    return longest;
}

/// Bytes of one warp that leave its SM, and how they were found.
template <scalar Real>
struct moved_bytes {
    Real by_accesses{};  ///< of sectors, or of memory instructions if no sectors are known
    Real l2{};           ///< between the SM and L2, local memory left out
    local_traffic<Real> local{};
};

template <scalar Real, scalar Cost, class D>
[[gnu::always_inline]] constexpr moved_bytes<Real> bytes_of_warp(const kernel_profile<Real>& k,
                                                                 const costs<Cost, D>& c,
                                                                 assumptions<Real>& assumed) {
    const Real sectors = k.accesses.sectors();
    const mask_of<Real> no_sectors = sectors <= Real(0.0);
    const mask_of<Real> no_bytes = k.traffic.l2_bytes_per_warp <= Real(0.0);
    assumed.add(assumption::bytes_from_l2, no_sectors && no_bytes);
    moved_bytes<Real> b;
    b.by_accesses = sectors * plain<Real>(sector_bytes);
    if (!scalar_traits<Real>::all(Real(0.0) < sectors)) {
        const Real counted =
            k.coalesced_mem_insts * (k.bytes_per_access * c.warp_size) +
            k.uncoalesced_mem_insts * (k.transactions_per_uncoalesced * c.transaction_bytes);
        b.by_accesses = core::select(no_sectors, counted, b.by_accesses);
    }
    b.l2 = core::select(no_bytes, b.by_accesses, k.traffic.l2_bytes_per_warp);
    return b;
}

/// Cycles of shared memory and of L1 for a warp: of the banks, pass by pass and line by line, or of the load/store
/// lanes in front of them, if these are busy for longer.
template <scalar Real, scalar Cost, class D>
[[gnu::always_inline]] constexpr Real l1_cycles_of_warp(const kernel_profile<Real>& k,
                                                        const costs<Cost, D>& c,
                                                        const Real& local_lines) {
    Real banks = k.shared_passes * c.pass_cycles;
    if constexpr (has_l1_bandwidth<D>) {
        banks = banks + (k.accesses.lines + local_lines) * c.line_cycles;
    }
    if constexpr (has_pipes<D>) {
        const Real insts =
            (k.coalesced_mem_insts + k.uncoalesced_mem_insts) + (k.shared_insts + local_lines);
        banks = core::max(banks, Real(insts * c.mem_inst_cycles));
    }
    return banks;
}

/// (7), (8)
template <scalar Real, scalar Cost, class D>
[[gnu::always_inline]] constexpr saturation_demands<Real> demand(
    const kernel_profile<Real>& k, const costs<Cost, D>& c, const saturation_constants& constants,
    const saturation_launch<Real>& l, const saturation_waits<Real>& f,
    const moved_bytes<Real>& bytes) {
    const Real& w = l.warps_per_block;
    saturation_demands<Real> u;
    u.issue_cycles = w * (f.warp_issue_cycles * c.issue_fraction);
    u.lane_cycles = w * lane_cycles_of_warp(k.ops, c);
    u.l1_cycles = w * l1_cycles_of_warp(k, c, bytes.local.lines);
    u.local_l2_bytes = bytes.local.l2_bytes;
    u.l2_cycles = Real(0.0);
    if constexpr (has_l2_bandwidth<D>) {
        const Real partial = k.accesses.partial_store_sectors *
                             plain<Real>(sector_bytes * constants.extra_sectors_per_partial);
        u.l2_cycles = w * ((bytes.l2 + partial + bytes.local.l2_bytes) * c.l2_byte_cycles);
    }
    u.busy_cycles = core::soft_maximum_if(core::max(u.issue_cycles, u.lane_cycles),
                                          core::max(u.l1_cycles, u.l2_cycles),
                                          plain<Real>(constants.queueing_in_sm));  // (8)
    return u;
}

/// (8): the work of a block between two barriers waits for its earlier loads, so that none of its warps hides the waits
/// of another. Other blocks do.
template <scalar Real>
[[gnu::always_inline]] constexpr void meet_at_barriers(const kernel_profile<Real>& k,
                                                       const saturation_demands<Real>& u,
                                                       saturation_waits<Real>& f) {
    if (is_zero(k.sync_insts)) return;
    const Real others = core::max(Real(0.0), Real(u.busy_cycles - f.warp_issue_cycles));
    f.alone_cycles = f.alone_cycles + core::select(Real(0.0) < k.sync_insts, others, Real(0.0));
}

/// (11): cycles of the smaller last round; `hidden` are its waits that other blocks fill.
template <scalar Real>
[[gnu::always_inline]] constexpr Real last_round(const saturation_launch<Real>& l,
                                                 const saturation_waits<Real>& f,
                                                 const saturation_demands<Real>& u,
                                                 const Real& hidden, const plain<Real>& queueing) {
    // L2 is shared, so it sees the mean SM; the rest sees the SM with a block more.
    const Real most = core::ceil(l.last_round_blocks);
    Real busy = most * u.busy_cycles;  // where L2 plays no part
    const mask_of<Real> without_l2 = u.l2_cycles <= u.l1_cycles;
    if (!scalar_traits<Real>::all(without_l2)) {
        const Real units = most * core::max(u.issue_cycles, u.lane_cycles);
        const Real pipes =
            core::max(Real(most * u.l1_cycles), Real(l.last_round_blocks * u.l2_cycles));
        busy = core::select(without_l2, busy, core::soft_maximum_if(units, pipes, queueing));
    }
    return f.exposed_cycles + core::soft_maximum(hidden, busy, queueing);
}

/// Cycles that one of the `steps` of a warp waits, from (3) and (5).
template <scalar Real, scalar Cost, class D>
[[gnu::always_inline]] constexpr Real step_cycles(const kernel_profile<Real>& k,
                                                  const costs<Cost, D>& c,
                                                  const saturation_waits<Real>& f) {
    const Real from_dram = f.l2_miss_fraction * (plain<Real>(1.0) - k.waits.reused_fraction);
    return from_dram * c.dram_latency_cycles + (Real(1.0) - from_dram) * c.l2_latency_cycles;
}

/// (12) if warps have less than one step in the mean: cycles of the warp with the maximum of steps, alone. Most warps
/// return at once. Their work is the start of each warp, and only the waits of the steps grow. It is not inlined, since
/// this case is rare.
template <scalar Real>
[[gnu::noinline]] constexpr Real longest_of_few(Real steps, Real longest, Real alone, Real step) {
    const Real ratio = core::max(Real(1.0), longest);
    return ratio * alone + (longest - ratio * steps) * step;
}

/// (12): cycles of the warp with the maximum of steps, alone. From one step a warp on, all its work grows with its
/// steps.
template <scalar Real, scalar Cost, class D>
[[gnu::always_inline]] constexpr Real longest_alone(const kernel_profile<Real>& k,
                                                    const costs<Cost, D>& c,
                                                    const saturation_waits<Real>& f,
                                                    const mask_of<Real>& alike) {
    const Real mean = core::select(alike, Real(1.0), k.waits.steps);
    const Real alone = (k.waits.longest_steps / mean) * f.alone_cycles;
    const mask_of<Real> all_step = Real(1.0) <= mean;
    if (scalar_traits<Real>::all(all_step)) [[likely]]
        return alone;
    return core::select(all_step, alone,
                        longest_of_few<Real>(k.waits.steps, k.waits.longest_steps, f.alone_cycles,
                                             step_cycles(k, c, f)));
}

/// (10) to (13)
template <scalar Real, scalar Cost, class D>
[[gnu::always_inline]] constexpr saturation_rounds<Real> rounds(
    const kernel_profile<Real>& k, const costs<Cost, D>& c, const saturation_constants& constants,
    const saturation_launch<Real>& l, const saturation_waits<Real>& f,
    const saturation_demands<Real>& u) {
    const auto queueing = plain<Real>(constants.queueing_in_sm);
    const Real hidden = f.alone_cycles - f.exposed_cycles;
    const Real busy = l.active_blocks_per_sm * u.busy_cycles;
    saturation_rounds<Real> r;
    r.round_cycles = r.last_round_cycles = r.longest_warp_cycles = Real(0.0);
    if (!is_zero(l.full_rounds)) {
        const Real round = f.exposed_cycles + core::soft_maximum(hidden, busy, queueing);
        r.round_cycles = where_counted(l.full_rounds, round);  // (10)
    }
    if (!is_zero(l.last_round_blocks)) {
        r.last_round_cycles =
            where_counted(l.last_round_blocks, last_round(l, f, u, hidden, queueing));
    }
    r.sm_cycles = l.full_rounds * r.round_cycles + r.last_round_cycles;
    const mask_of<Real> alike =
        k.waits.longest_steps <= k.waits.steps || k.waits.steps <= Real(0.0);
    if (!scalar_traits<Real>::all(alike)) {
        const Real rest = longest_alone(k, c, f, alike) - f.exposed_cycles;
        const Real longest = f.exposed_cycles + core::soft_maximum(rest, busy, queueing);
        r.longest_warp_cycles = core::select(alike, Real(0.0), longest);  // (12)
        r.sm_cycles = core::max(r.sm_cycles, r.longest_warp_cycles);      // (13)
    }
    return r;
}

/// The bytes of DRAM at its sustained rate.
template <scalar Real, scalar Cost, class D>
[[gnu::always_inline]] constexpr void dram_floor(const kernel_profile<Real>& k,
                                                 const costs<Cost, D>& c, const Real& warps,
                                                 const Real& miss_fraction,
                                                 const moved_bytes<Real>& bytes,
                                                 saturation_floors<Real>& t,
                                                 assumptions<Real>& assumed) {
    const memory_traffic<Real>& moved = k.traffic;
    const Real given = moved.dram_read_bytes + moved.dram_write_bytes;
    const mask_of<Real> is_given = Real(0.0) < given;
    const mask_of<Real> has_footprint = Real(0.0) < moved.footprint_bytes;
    assumed.add(assumption::bytes_from_dram, !is_given && !has_footprint);
    t.dram_bytes = warps * bytes.by_accesses;
    if (!is_zero(moved.footprint_bytes)) {
        const Real by_footprint =
            moved.footprint_bytes *
            (plain<Real>(1.0) - moved.in_l2_fraction * (plain<Real>(1.0) - miss_fraction));
        t.dram_bytes = core::select(has_footprint, by_footprint, t.dram_bytes);
    }
    const Real of_local = warps * bytes.local.dram_bytes;
    if (is_zero(given)) {
        t.dram_bytes = t.dram_bytes + of_local;
        t.dram_seconds = t.dram_bytes * c.dram_mixed_s;
        return;
    }
    t.dram_bytes = core::select(is_given, given, t.dram_bytes) + of_local;
    Real pace(c.dram_mixed_s);
    if constexpr (has_dram_read<D>) {
        pace = core::select(is_given && moved.dram_write_bytes <= Real(0.0), Real(c.dram_read_s),
                            pace);
    }
    if constexpr (has_dram_write<D>) {
        pace = core::select(is_given && moved.dram_read_bytes <= Real(0.0), Real(c.dram_write_s),
                            pace);
    }
    t.dram_seconds = t.dram_bytes * pace;
}

/// (14)
template <scalar Real, scalar Cost, class D>
[[gnu::always_inline]] constexpr saturation_floors<Real> floors(
    const kernel_profile<Real>& k, const costs<Cost, D>& c, const saturation_launch<Real>& l,
    const Real& miss_fraction, const moved_bytes<Real>& bytes, assumptions<Real>& assumed) {
    const Real warps = k.blocks * l.warps_per_block;
    saturation_floors<Real> t;
    dram_floor(k, c, warps, miss_fraction, bytes, t, assumed);
    t.block_launch_seconds = k.blocks * c.block_s;
    t.broadcast_seconds = warps * (k.accesses.broadcast_loads * c.broadcast_s);
    t.energy_seconds = Real(0.0);
    t.floor_seconds =
        core::max(core::max(t.dram_seconds, t.block_launch_seconds), t.broadcast_seconds);
    if constexpr (has_board_power<D> && has_operation_energy<D>) {
        t.energy_seconds = warps * (k.ops.fp32_ops * c.fp32_energy_s +
                                    (bytes.l2 + bytes.local.l2_bytes) * c.l2_byte_energy_s);
        t.floor_seconds = core::max(t.floor_seconds, t.energy_seconds);
    }
    return t;
}

/// The largest term of the time.
template <scalar Real>
[[gnu::always_inline]] constexpr choice_of<Real, saturation_term> leading_term(
    const saturation_launch<Real>& l, const saturation_waits<Real>& f,
    const saturation_demands<Real>& u, const saturation_rounds<Real>& r,
    const saturation_floors<Real>& t, const Real& sm_seconds, const Real& overhead) {
    using term = saturation_term;
    const auto is = [](term which) { return core::choice<Real>(which); };
    const auto choose = [](const mask_of<Real>& condition, const auto& yes, const auto& no) {
        return core::choose<Real, term>(condition, yes, no);
    };
    // Of an only round, L2 sees the mean SM, as in (11).
    const Real fewer = core::select(l.full_rounds <= Real(0.0), l.last_round_blocks, Real(1.0));
    const Real most = core::ceil(fewer);
    const Real l2_cycles = u.l2_cycles * (fewer / most);
    const auto pipes = choose(u.l1_cycles < l2_cycles, is(term::l2), is(term::l1));
    const auto units = choose(u.issue_cycles < u.lane_cycles, is(term::lanes), is(term::issue));
    const auto resource = choose(
        core::max(u.issue_cycles, u.lane_cycles) < core::max(u.l1_cycles, l2_cycles), pipes, units);
    const auto round =
        choose(l.active_blocks_per_sm * u.busy_cycles < f.alone_cycles, is(term::waits), resource);
    const auto in_sm =
        choose(l.full_rounds * r.round_cycles + r.last_round_cycles < r.longest_warp_cycles,
               is(term::longest_warp), round);
    const auto of_gpu = choose(
        t.floor_seconds <= t.dram_seconds, is(term::dram),
        choose(
            t.floor_seconds <= t.block_launch_seconds, is(term::block_launch),
            choose(t.floor_seconds <= t.broadcast_seconds, is(term::broadcast), is(term::energy))));
    return choose(core::max(sm_seconds, t.floor_seconds) < overhead, is(term::overhead),
                  choose(sm_seconds < t.floor_seconds, of_gpu, in_sm));
}

/// (15)
template <scalar Real, scalar Cost, class D>
[[gnu::always_inline]] constexpr saturation_time<Real> total(const D& d, const costs<Cost, D>& c,
                                                             const saturation_constants& constants,
                                                             const saturation_launch<Real>& l,
                                                             const saturation_waits<Real>& f,
                                                             const saturation_demands<Real>& u,
                                                             const saturation_rounds<Real>& r,
                                                             const saturation_floors<Real>& t) {
    const Real sm_seconds = r.sm_cycles * c.cycle_s;
    saturation_time<Real> all;
    all.seconds =
        core::soft_maximum(sm_seconds, t.floor_seconds, plain<Real>(constants.queueing_at_floor));
    if constexpr (has_launch_overhead<D>) all.seconds = all.seconds + c.overhead_s;
    all.cycles = all.seconds * Cost(d.clock_hz);
    all.which = leading_term(l, f, u, r, t, sm_seconds, Real(c.overhead_s));
    return all;
}

/// (1) to (15), for input that is in range, with `resident` blocks on an SM.
/// \errors overflow  `seconds`
template <scalar Real, scalar Cost, class D>
[[gnu::always_inline]] constexpr result<saturation_estimate<Real>> estimate(
    const kernel_profile<Real>& k, const D& d, const costs<Cost, D>& c,
    const saturation_constants& constants, const Real& resident) {
    // Not const: GCC keeps a const aggregate in memory, with all that nobody reads of it.
    assumed_values<Real> a;
    auto& assumed = a.assumed;
    auto l = spread(k, c, resident);
    auto f = wait(k, c, constants, l, assumed);
    auto bytes = bytes_of_warp(k, c, assumed);
    bytes.local = local_memory(k, c, constants, l);
    auto u = demand(k, c, constants, l, f, bytes);
    meet_at_barriers(k, u, f);
    auto r = rounds(k, c, constants, l, f, u);
    auto t = floors(k, c, l, f.l2_miss_fraction, bytes, assumed);
    auto all = total(d, c, constants, l, f, u, r, t);
    if (!scalar_traits<Real>::all(all.seconds < Real(1e200))) {
        return model_error{errc::overflow, "seconds"};
    }
    return result<saturation_estimate<Real>>(std::in_place, l, f, u, r, t, a, all);
}

}  // namespace WARPGAUGE_NAMESPACE::detail::saturation

#endif
