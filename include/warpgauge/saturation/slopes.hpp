// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SATURATION_SLOPES_HPP
#define WARPGAUGE_SATURATION_SLOPES_HPP

#include <concepts>

#include <warpgauge/core/scalar.hpp>
#include <warpgauge/core/soft_maximum.hpp>
#include <warpgauge/device/device.hpp>
#include <warpgauge/kernel/assumptions.hpp>
#include <warpgauge/kernel/profile.hpp>
#include <warpgauge/saturation/costs.hpp>
#include <warpgauge/saturation/equations.hpp>
#include <warpgauge/saturation/estimate.hpp>
#include <warpgauge/saturation/local_memory.hpp>
#include <warpgauge/sm/cache_misses.hpp>
#include <warpgauge/sm/hierarchy.hpp>

/// \file The slopes of the saturation model's time in all parameters at once, by its equations from the last to the
/// first.
///
/// Reverse accumulation (S. Linnainmaa, BIT 16, 1976): an equation passes the slope in its result on to its
/// operands. Each function has the name of the equation in equations.hpp, costs.hpp or local_memory.hpp that it
/// reverses, and reads the values of the estimate. A maximum passes its slope to the term that was taken, the first
/// if several are equal; a rounding to a whole number passes nothing.

namespace WARPGAUGE_NAMESPACE::detail::saturation::backwards {

/// The values of a prediction.
template <std::floating_point Real, class D>
struct values {
    const kernel_profile<Real>& k;
    const costs<Real, D>& c;
    const saturation_constants& constants;
    const saturation_estimate<Real>& e;
    moved_bytes<Real> bytes;
    Real warps;  ///< of the launch
};

/// A profile of slopes that are all 0.
template <std::floating_point Real>
[[gnu::always_inline]] constexpr kernel_profile<Real> no_slopes() {
    return {.transactions_per_uncoalesced = Real(0),
            .bytes_per_access = Real(0),
            .stencil = {.stencil_arrays = Real(0), .element_bytes = Real(0)}};
}

/// The slopes of the time in each of these.
template <std::floating_point Real, class D>
struct slopes {
    saturation_launch<Real> l{};
    saturation_waits<Real> f{};
    saturation_demands<Real> u{};
    saturation_rounds<Real> r{};
    saturation_floors<Real> t{};
    moved_bytes<Real> bytes{};
    Real warps{};
    Real longest_of_few{};  // of (12)
    costs<Real, D> c{};
    kernel_profile<Real> k = no_slopes<Real>();
};

/// The slope in the second term of a maximum; the first keeps it if the second is not `taken`.
template <std::floating_point Real>
[[gnu::always_inline]] constexpr Real pass_if(bool taken, Real& slope) {
    const Real passed = taken ? slope : Real(0);
    slope = taken ? Real(0) : slope;
    return passed;
}

template <std::floating_point Real>
[[gnu::always_inline]] constexpr core::two_slopes<Real> soft_maximum(const Real& a, const Real& b,
                                                                     double queueing) {
    const auto k = static_cast<Real>(queueing);
    const Real root = core::sqrt(Real((a - b) * (a - b) + 4 * k * (a * b)));
    return core::soft_maximum_slopes(a, b, k, root);
}

template <std::floating_point Real>
[[gnu::always_inline]] constexpr core::two_slopes<Real> soft_maximum_if(const Real& a,
                                                                        const Real& b,
                                                                        double queueing) {
    if (b <= 0) return {Real(1), static_cast<Real>(queueing)};
    return soft_maximum(a, b, queueing);
}

/// (15)
template <std::floating_point Real, class D>
[[gnu::always_inline]] constexpr void total(const values<Real, D>& x, slopes<Real, D>& to) {
    const auto by = soft_maximum(Real(x.e.sm_cycles * x.c.cycle_s), x.e.floor_seconds,
                                 x.constants.queueing_at_floor);
    to.r.sm_cycles = by.by_a * x.c.cycle_s;
    to.c.cycle_s = by.by_a * x.e.sm_cycles;
    to.t.floor_seconds = by.by_b;
    to.c.overhead_s = Real(1);
}

/// (14): the bytes of DRAM.
template <std::floating_point Real, class D>
[[gnu::always_inline]] constexpr void dram_floor(const values<Real, D>& x, slopes<Real, D>& to) {
    const memory_traffic<Real>& moved = x.k.traffic;
    const bool is_given = Real(0) < moved.dram_read_bytes + moved.dram_write_bytes;
    const bool reads = is_given && moved.dram_write_bytes <= 0;
    const bool writes = is_given && moved.dram_read_bytes <= 0;
    Real pace = x.c.dram_mixed_s;
    Real by_pace = to.t.dram_seconds * x.e.dram_bytes;
    if constexpr (has_dram_write<D>) {
        if (writes) pace = x.c.dram_write_s;
        to.c.dram_write_s = pass_if(writes, by_pace);
    }
    if constexpr (has_dram_read<D>) {
        const bool taken = reads && !(has_dram_write<D> && writes);
        if (taken) pace = x.c.dram_read_s;
        to.c.dram_read_s = pass_if(taken, by_pace);
    }
    to.c.dram_mixed_s = by_pace;
    const Real by_bytes = to.t.dram_seconds * pace;
    to.bytes.local.dram_bytes = by_bytes * x.warps;
    to.warps = by_bytes * x.bytes.local.dram_bytes;
    if (is_given) {
        to.k.traffic.dram_read_bytes = to.k.traffic.dram_write_bytes = by_bytes;
    } else if (Real(0) < moved.footprint_bytes) {
        const Real hits = Real(1) - x.e.l2_miss_fraction;
        const Real of_footprint = by_bytes * moved.footprint_bytes;
        to.k.traffic.footprint_bytes = by_bytes * (Real(1) - moved.in_l2_fraction * hits);
        to.k.traffic.in_l2_fraction = -of_footprint * hits;
        to.f.l2_miss_fraction = of_footprint * moved.in_l2_fraction;
    } else {
        to.bytes.by_accesses = by_bytes * x.warps;
        to.warps += by_bytes * x.bytes.by_accesses;
    }
}

/// (14)
template <std::floating_point Real, class D>
[[gnu::always_inline]] constexpr void floors(const values<Real, D>& x, slopes<Real, D>& to) {
    const Real longer = core::max(x.e.dram_seconds, x.e.block_launch_seconds);
    Real rest = to.t.floor_seconds;
    if constexpr (has_board_power<D> && has_operation_energy<D>) {
        const bool taken = core::max(longer, x.e.broadcast_seconds) < x.e.energy_seconds;
        to.t.energy_seconds = pass_if(taken, rest);
    }
    to.t.broadcast_seconds = pass_if(longer < x.e.broadcast_seconds, rest);
    to.t.block_launch_seconds = pass_if(x.e.dram_seconds < x.e.block_launch_seconds, rest);
    to.t.dram_seconds = rest;
    dram_floor(x, to);
    if constexpr (has_board_power<D> && has_operation_energy<D>) {
        const Real by_joules = to.t.energy_seconds * x.warps;
        const Real l2 = x.bytes.l2 + x.bytes.local.l2_bytes;
        to.warps += to.t.energy_seconds *
                    (x.k.ops.fp32_ops * x.c.fp32_energy_s + l2 * x.c.l2_byte_energy_s);
        to.k.ops.fp32_ops = by_joules * x.c.fp32_energy_s;
        to.c.fp32_energy_s = by_joules * x.k.ops.fp32_ops;
        to.bytes.l2 = to.bytes.local.l2_bytes = by_joules * x.c.l2_byte_energy_s;
        to.c.l2_byte_energy_s = by_joules * l2;
    }
    const Real& loads = x.k.accesses.broadcast_loads;
    const Real by_slice = to.t.broadcast_seconds * x.warps;
    to.warps += to.t.broadcast_seconds * (loads * x.c.broadcast_s);
    to.k.accesses.broadcast_loads = by_slice * x.c.broadcast_s;
    to.c.broadcast_s = by_slice * loads;
    to.c.block_s = to.t.block_launch_seconds * x.k.blocks;
    to.k.blocks = to.t.block_launch_seconds * x.c.block_s + to.warps * x.e.warps_per_block;
}

/// Slopes of the cycles of a round, in the waits of a block and in the time for which it keeps its SM busy.
template <std::floating_point Real>
struct round_slopes {
    Real alone{};
    Real exposed{};
    Real busy{};
};

/// For a round that starts with `exposed_cycles`: the soft maximum of the rest of `waits` and of `busy`.
template <std::floating_point Real>
[[gnu::always_inline]] constexpr round_slopes<Real> round(const Real& hidden, const Real& busy,
                                                          double queueing, const Real& slope) {
    const auto by = soft_maximum(hidden, busy, queueing);
    return {slope * by.by_a, slope - slope * by.by_a, slope * by.by_b};
}

/// (11)
template <std::floating_point Real, class D>
[[gnu::always_inline]] constexpr void last_round(const values<Real, D>& x, const Real& hidden,
                                                 slopes<Real, D>& to) {
    const saturation_estimate<Real>& e = x.e;
    const double queueing = x.constants.queueing_in_sm;
    const Real& slope = to.r.last_round_cycles;
    const Real most = core::ceil(e.last_round_blocks);
    if (e.l2_cycles <= e.l1_cycles) {
        const auto by = round(hidden, Real(most * e.busy_cycles), queueing, slope);
        to.f.alone_cycles += by.alone;
        to.f.exposed_cycles += by.exposed;
        to.u.busy_cycles += by.busy * most;
        return;
    }
    const Real units = most * core::max(e.issue_cycles, e.lane_cycles);
    const Real of_l1 = most * e.l1_cycles;
    const Real of_l2 = e.last_round_blocks * e.l2_cycles;
    const Real pipes = core::max(of_l1, of_l2);
    const Real busy = core::soft_maximum_if(units, pipes, static_cast<Real>(queueing));
    const auto by = round(hidden, busy, queueing, slope);
    to.f.alone_cycles += by.alone;
    to.f.exposed_cycles += by.exposed;
    const auto of_busy = soft_maximum_if(units, pipes, queueing);
    Real by_units = by.busy * of_busy.by_a * most;
    to.u.lane_cycles = pass_if(e.issue_cycles < e.lane_cycles, by_units);
    to.u.issue_cycles = by_units;
    Real by_pipes = by.busy * of_busy.by_b;
    const Real by_l2 = pass_if(of_l1 < of_l2, by_pipes);
    to.u.l2_cycles = by_l2 * e.last_round_blocks;
    to.l.last_round_blocks = by_l2 * e.l2_cycles;
    to.u.l1_cycles = by_pipes * most;
}

/// (12)
template <std::floating_point Real, class D>
[[gnu::always_inline]] constexpr void longest_warp(const values<Real, D>& x, const Real& busy,
                                                   slopes<Real, D>& to) {
    const dependent_waits<Real>& v = x.k.waits;
    const Real alone = saturation::longest_alone(x.k, x.c, x.e, false);
    const auto by = round(Real(alone - x.e.exposed_cycles), busy, x.constants.queueing_in_sm,
                          to.r.longest_warp_cycles);
    to.f.exposed_cycles = by.exposed;
    to.l.active_blocks_per_sm = by.busy * x.e.busy_cycles;
    to.u.busy_cycles = by.busy * x.e.active_blocks_per_sm;
    const bool few = v.steps < Real(1);
    const Real steps = few ? Real(1) : v.steps;
    const Real longest = few ? core::max(Real(1), v.longest_steps) : v.longest_steps;
    const Real by_steps = by.alone * x.e.alone_cycles / steps;
    to.longest_of_few = few ? by.alone : Real(0);
    to.f.alone_cycles = by.alone * (longest / steps);
    to.k.waits.longest_steps = few && v.longest_steps < Real(1) ? Real(0) : by_steps;
    to.k.waits.steps = few ? Real(0) : -by_steps * (longest / steps);
}

/// (13) to (10)
template <std::floating_point Real, class D>
[[gnu::always_inline]] constexpr void rounds(const values<Real, D>& x, slopes<Real, D>& to) {
    const saturation_estimate<Real>& e = x.e;
    const Real busy = e.active_blocks_per_sm * e.busy_cycles;
    if (e.full_rounds * e.round_cycles + e.last_round_cycles < e.longest_warp_cycles) {  // (13)
        to.r.longest_warp_cycles = to.r.sm_cycles;
        return longest_warp(x, busy, to);
    }
    to.r.round_cycles = to.r.sm_cycles * e.full_rounds;
    to.r.last_round_cycles = to.r.sm_cycles;
    const Real hidden = e.alone_cycles - e.exposed_cycles;
    if (Real(0) < e.full_rounds) {
        const auto by = round(hidden, busy, x.constants.queueing_in_sm, to.r.round_cycles);  // (10)
        to.f.alone_cycles = by.alone;
        to.f.exposed_cycles = by.exposed;
        to.l.active_blocks_per_sm = by.busy * e.busy_cycles;
        to.u.busy_cycles = by.busy * e.active_blocks_per_sm;
    }
    if (Real(0) < e.last_round_blocks) last_round(x, hidden, to);
}

/// (8)
template <std::floating_point Real, class D>
[[gnu::always_inline]] constexpr void meet_at_barriers(const values<Real, D>& x,
                                                       slopes<Real, D>& to) {
    if (x.k.sync_insts <= 0 || x.e.busy_cycles <= x.e.warp_issue_cycles) return;
    to.u.busy_cycles += to.f.alone_cycles;
    to.f.warp_issue_cycles -= to.f.alone_cycles;
}

/// Cycles of the lanes for the operations of a warp, with that `slope`.
template <std::floating_point Real, class D>
[[gnu::always_inline]] constexpr void lane_cycles_of_warp(const values<Real, D>& x, Real slope,
                                                          slopes<Real, D>& to) {
    if (slope == 0) return;  // not taken
    const lane_operations<Real>& ops = x.k.ops;
    const costs<Real, D>& c = x.c;
    constexpr bool apart = has_cores<D> && has_integers<D>;
    Real longest(0);
    const auto is_longer = [&](const Real& operations, const Real& cycles) {
        const bool taken = longest < operations * cycles;
        longest = core::max(longest, Real(operations * cycles));
        return taken;
    };
    bool of_fp32 = false, of_integer = false, of_fp64 = false, of_special = false,
         of_tensor = false;
    const Real on_cores = apart ? ops.fp32_ops : ops.fp32_ops + ops.integer_ops;
    if constexpr (has_cores<D>) of_fp32 = is_longer(on_cores, c.fp32_cycles);
    if constexpr (apart) of_integer = is_longer(ops.integer_ops, c.integer_cycles);
    if constexpr (has_double_precision<D>) of_fp64 = is_longer(ops.fp64_ops, c.fp64_cycles);
    if constexpr (has_special_functions<D>) {
        of_special = is_longer(ops.special_ops, c.special_cycles);
    }
    if constexpr (has_tensor<D>) of_tensor = is_longer(ops.tensor_fmas, c.tensor_cycles);
    const auto pass = [&](bool taken, const Real& operations, const Real& cycles, Real& by_cycles) {
        const Real passed = pass_if(taken, slope);
        by_cycles = passed * operations;
        return passed * cycles;
    };
    to.k.ops.tensor_fmas = pass(of_tensor, ops.tensor_fmas, c.tensor_cycles, to.c.tensor_cycles);
    to.k.ops.special_ops = pass(of_special, ops.special_ops, c.special_cycles, to.c.special_cycles);
    to.k.ops.fp64_ops = pass(of_fp64, ops.fp64_ops, c.fp64_cycles, to.c.fp64_cycles);
    to.k.ops.integer_ops = pass(of_integer, ops.integer_ops, c.integer_cycles, to.c.integer_cycles);
    const Real by_cores = pass(of_fp32, on_cores, c.fp32_cycles, to.c.fp32_cycles);
    to.k.ops.fp32_ops += by_cores;
    if constexpr (!apart) to.k.ops.integer_ops += by_cores;
}

/// Cycles of shared memory and of L1 for a warp, with that `slope`.
template <std::floating_point Real, class D>
[[gnu::always_inline]] constexpr void l1_cycles_of_warp(const values<Real, D>& x, Real slope,
                                                        slopes<Real, D>& to) {
    const kernel_profile<Real>& k = x.k;
    const Real lines = k.accesses.lines + x.bytes.local.lines;
    if constexpr (has_pipes<D>) {
        Real banks = k.shared_passes * x.c.pass_cycles;
        if constexpr (has_l1_bandwidth<D>) banks += lines * x.c.line_cycles;
        const Real insts = (k.coalesced_mem_insts + k.uncoalesced_mem_insts) +
                           (k.shared_insts + x.bytes.local.lines);
        const Real by_lanes = pass_if(banks < insts * x.c.mem_inst_cycles, slope);
        const Real by_insts = by_lanes * x.c.mem_inst_cycles;
        to.c.mem_inst_cycles = by_lanes * insts;
        to.k.coalesced_mem_insts = to.k.uncoalesced_mem_insts = by_insts;
        to.k.shared_insts = to.bytes.local.lines = by_insts;
    }
    if constexpr (has_l1_bandwidth<D>) {
        to.c.line_cycles = slope * lines;
        to.k.accesses.lines = slope * x.c.line_cycles;
        to.bytes.local.lines += slope * x.c.line_cycles;
    }
    to.k.shared_passes = slope * x.c.pass_cycles;
    to.c.pass_cycles = slope * k.shared_passes;
}

/// (8), (7)
template <std::floating_point Real, class D>
[[gnu::always_inline]] constexpr void demand(const values<Real, D>& x, slopes<Real, D>& to) {
    const saturation_estimate<Real>& e = x.e;
    const Real& w = e.warps_per_block;
    const auto by = soft_maximum_if(core::max(e.issue_cycles, e.lane_cycles),
                                    core::max(e.l1_cycles, e.l2_cycles),
                                    x.constants.queueing_in_sm);  // (8)
    Real by_units = to.u.busy_cycles * by.by_a;
    to.u.lane_cycles += pass_if(e.issue_cycles < e.lane_cycles, by_units);
    to.u.issue_cycles += by_units;
    Real by_pipes = to.u.busy_cycles * by.by_b;
    to.u.l2_cycles += pass_if(e.l1_cycles < e.l2_cycles, by_pipes);
    to.u.l1_cycles += by_pipes;

    if constexpr (has_l2_bandwidth<D>) {
        const Real per_store =
            static_cast<Real>(sector_bytes * x.constants.extra_sectors_per_partial);
        const Real by_l2 = to.u.l2_cycles * w;
        const Real by_byte = by_l2 * x.c.l2_byte_cycles;
        to.bytes.l2 += by_byte;
        to.bytes.local.l2_bytes += by_byte;
        to.k.accesses.partial_store_sectors = by_byte * per_store;
        to.c.l2_byte_cycles = by_l2 * (x.bytes.l2 + x.k.accesses.partial_store_sectors * per_store +
                                       x.bytes.local.l2_bytes);
    }
    l1_cycles_of_warp(x, Real(to.u.l1_cycles * w), to);
    lane_cycles_of_warp(x, Real(to.u.lane_cycles * w), to);
    const Real by_issue = to.u.issue_cycles * w;
    to.f.warp_issue_cycles += by_issue * x.c.issue_fraction;
    to.c.issue_fraction = by_issue * e.warp_issue_cycles;
}

/// (7), (14): the bytes of local memory.
template <std::floating_point Real, class D>
[[gnu::always_inline]] constexpr void local_memory(const values<Real, D>& x, slopes<Real, D>& to) {
    const kernel_profile<Real>& k = x.k;
    const Real& moved = k.traffic.local_bytes;
    if (moved <= 0) return;
    const Real& blocks = x.e.active_blocks_per_sm;
    const bool is_given = Real(0) < k.traffic.local_footprint_bytes;
    const Real of_thread = is_given ? k.traffic.local_footprint_bytes : moved * Real(0.5);
    const Real threads = k.threads_per_block * blocks;
    const Real in_use = of_thread * threads;
    const cache_filling& filling = x.constants.l2_filling;
    Real by_use(0);
    if constexpr (has_l2_cache<D>) {
        const Real scale = x.c.sm_count * x.c.fill_per_byte;
        const Real over = in_use * scale - static_cast<Real>(filling.knee / filling.width);
        to.bytes.local.l2_bytes +=
            to.bytes.local.dram_bytes * core::min(core::max(Real(0), over), Real(1));
        if (Real(0) < over && over <= Real(1)) {
            const Real slope = to.bytes.local.dram_bytes * x.bytes.local.l2_bytes;
            by_use = slope * scale;
            to.c.sm_count += slope * in_use * x.c.fill_per_byte;
            to.c.fill_per_byte += slope * in_use * x.c.sm_count;
        }
    } else {
        to.bytes.local.l2_bytes += to.bytes.local.dram_bytes;
    }
    to.k.traffic.local_bytes = to.bytes.local.lines * Real(1 / word_bytes);
    if constexpr (has_l1_cache<D>) {
        const Real left = x.c.l1_bytes - k.shared_bytes_per_block * blocks;
        const Real holds = core::max(left, Real(line_bytes));
        const Real misses = cache_miss_fraction(in_use, holds, filling);
        const Real scale = Real(1) / (holds * static_cast<Real>(filling.width));
        const Real over = in_use * scale - static_cast<Real>(filling.knee / filling.width);
        to.k.traffic.local_bytes += to.bytes.local.l2_bytes * x.c.warp_size * misses;
        to.c.warp_size += to.bytes.local.l2_bytes * moved * misses;
        if (Real(0) <= over && over <= Real(1)) {
            const Real slope = to.bytes.local.l2_bytes * moved * x.c.warp_size * scale;
            by_use += slope;
            if (Real(line_bytes) <= left) {
                const Real by_left = -slope * in_use / holds;
                to.c.l1_bytes = by_left;
                to.k.shared_bytes_per_block = -by_left * blocks;
                to.l.active_blocks_per_sm -= by_left * k.shared_bytes_per_block;
            }
        }
    }
    const Real by_thread = by_use * threads;
    (is_given ? to.k.traffic.local_footprint_bytes : to.k.traffic.local_bytes) +=
        is_given ? by_thread : by_thread * Real(0.5);
    to.k.threads_per_block = by_use * of_thread * blocks;
    to.l.active_blocks_per_sm += by_use * of_thread * k.threads_per_block;
}

/// The bytes of one warp that leave its SM.
template <std::floating_point Real, class D>
[[gnu::always_inline]] constexpr void bytes_of_warp(const values<Real, D>& x, slopes<Real, D>& to) {
    const kernel_profile<Real>& k = x.k;
    const bool is_given = Real(0) < k.traffic.l2_bytes_per_warp;
    to.k.traffic.l2_bytes_per_warp = is_given ? to.bytes.l2 : Real(0);
    to.bytes.by_accesses += is_given ? Real(0) : to.bytes.l2;
    const Real& slope = to.bytes.by_accesses;
    if (Real(0) < k.accesses.sectors()) {
        const Real by_sector = slope * Real(sector_bytes);
        to.k.accesses.load_sectors = to.k.accesses.full_store_sectors = by_sector;
        to.k.accesses.partial_store_sectors += by_sector;
        return;
    }
    const Real of_coalesced = k.bytes_per_access * x.c.warp_size;
    const Real of_uncoalesced = k.transactions_per_uncoalesced * x.c.transaction_bytes;
    const Real by_coalesced = slope * k.coalesced_mem_insts;
    const Real by_uncoalesced = slope * k.uncoalesced_mem_insts;
    to.k.coalesced_mem_insts += slope * of_coalesced;
    to.k.uncoalesced_mem_insts += slope * of_uncoalesced;
    to.k.bytes_per_access = by_coalesced * x.c.warp_size;
    to.c.warp_size += by_coalesced * k.bytes_per_access;
    to.k.transactions_per_uncoalesced = by_uncoalesced * x.c.transaction_bytes;
    to.c.transaction_bytes = by_uncoalesced * k.transactions_per_uncoalesced;
}

/// (2)
template <std::floating_point Real, class D>
[[gnu::always_inline]] constexpr void l2_miss_fraction(const values<Real, D>& x,
                                                       slopes<Real, D>& to) {
    if constexpr (has_l2_cache<D>) {
        const Real& footprint = x.k.traffic.footprint_bytes;
        const cache_filling& filling = x.constants.l2_filling;
        const Real over =
            footprint * x.c.fill_per_byte - static_cast<Real>(filling.knee / filling.width);
        if (!(Real(0) < footprint && Real(0) < over && over <= Real(1))) return;
        to.k.traffic.footprint_bytes += to.f.l2_miss_fraction * x.c.fill_per_byte;
        to.c.fill_per_byte += to.f.l2_miss_fraction * footprint;
    }
}

/// (12): `longest_of_few`, which begins with the waits of (5). It is always added, since a branch takes longer than the
/// products.
template <std::floating_point Real, class D>
[[gnu::always_inline]] constexpr void longest_of_few(const values<Real, D>& x,
                                                     slopes<Real, D>& to) {
    const dependent_waits<Real>& v = x.k.waits;
    dependent_waits<Real>& by = to.k.waits;
    const Real& slope = to.longest_of_few;
    const bool whole = Real(1) <= v.longest_steps;
    const Real ratio = whole ? v.longest_steps : Real(1);
    const Real step = saturation::step_cycles(x.k, x.c, x.e);
    const Real fresh = Real(1) - v.reused_fraction;
    const Real from_dram = x.e.l2_miss_fraction * fresh;
    const Real by_step = slope * (v.longest_steps - ratio * v.steps);
    const Real by_from_dram = by_step * (x.c.dram_latency_cycles - x.c.l2_latency_cycles);
    by.steps -= slope * step * ratio;
    by.longest_steps += slope * (step - (whole ? step * v.steps : Real(0)));
    by.reused_fraction -= by_from_dram * x.e.l2_miss_fraction;
    to.f.l2_miss_fraction += by_from_dram * fresh;
    to.c.dram_latency_cycles += by_step * from_dram;
    to.c.l2_latency_cycles += by_step * (Real(1) - from_dram);
}

/// (9), (6) to (2)
template <std::floating_point Real, class D>
[[gnu::always_inline]] constexpr void wait(const values<Real, D>& x, slopes<Real, D>& to) {
    const kernel_profile<Real>& k = x.k;
    const dependent_waits<Real>& v = k.waits;
    dependent_waits<Real>& by = to.k.waits;
    const saturation_estimate<Real>& e = x.e;
    to.l.resident_blocks_per_sm -=
        to.f.exposed_cycles * (e.exposed_cycles / e.resident_blocks_per_sm);  // (9)
    to.f.warp_issue_cycles += to.f.alone_cycles;                              // (6)
    const Real slope = to.f.alone_cycles;                                     // of wait_cycles
    if constexpr (has_pipes<D>) {
        if (Real(0) < k.branches) {
            to.k.branches = slope * x.c.branch_cycles;
            to.c.branch_cycles = slope * k.branches;
        }
    }
    const Real by_sector = slope * static_cast<Real>(x.constants.sector_cycles);  // (5)
    to.k.accesses.load_sectors += by_sector;
    to.k.accesses.full_store_sectors += by_sector;
    to.k.accesses.partial_store_sectors += by_sector;
    const Real mem_insts = k.coalesced_mem_insts + k.uncoalesced_mem_insts;
    Real by_mem_insts = to.f.warp_issue_cycles * x.c.issue_cycles;  // (4)
    to.k.comp_insts = by_mem_insts;
    to.c.issue_cycles = to.f.warp_issue_cycles * (k.comp_insts + mem_insts);
    to.c.dram_latency_cycles = slope * e.dram_waits;  // (5)
    if (has_no_waits(v)) {
        by_mem_insts += slope * x.c.dram_latency_cycles;
    } else {
        to.c.l2_latency_cycles = slope * e.l2_waits;
        to.c.l1_latency_cycles = slope * v.l1_waits;
        by.dram_waits = slope * x.c.dram_latency_cycles;
        by.l2_waits = slope * x.c.l2_latency_cycles;
        by.l1_waits = slope * x.c.l1_latency_cycles;
        by.store_waits = slope * static_cast<Real>(x.constants.store_cycles);
        by.arithmetic_wait_cycles = slope;
        const Real by_dram_steps = by.dram_waits - by.l2_waits;  // (3)
        const Real fresh = Real(1) - v.reused_fraction;
        by.steps += by.l2_waits + by_dram_steps * e.l2_miss_fraction * fresh;
        by.reused_fraction = -by_dram_steps * v.steps * e.l2_miss_fraction;
        to.f.l2_miss_fraction += by_dram_steps * v.steps * fresh;
    }
    longest_of_few(x, to);
    to.k.coalesced_mem_insts += by_mem_insts;
    to.k.uncoalesced_mem_insts += by_mem_insts;
    l2_miss_fraction(x, to);  // (2)
}

/// (1)
template <std::floating_point Real, class D>
[[gnu::always_inline]] constexpr void spread(const values<Real, D>& x, slopes<Real, D>& to) {
    const saturation_estimate<Real>& e = x.e;
    Real& by_active = to.l.active_blocks_per_sm;
    if (Real(0) < e.last_round_blocks) {
        by_active -= to.l.last_round_blocks * e.full_rounds;
        const Real per_sm = Real(1) / x.c.sm_count;
        to.k.blocks += to.l.last_round_blocks * per_sm;
        to.c.sm_count -= to.l.last_round_blocks * (e.blocks_per_sm * per_sm);
    }
    const bool all_fit = e.active_blocks_per_sm < e.resident_blocks_per_sm;
    to.l.resident_blocks_per_sm += all_fit ? Real(0) : by_active;
    to.k.active_blocks_per_sm =
        Real(0) < x.k.active_blocks_per_sm ? to.l.resident_blocks_per_sm : Real(0);
}

/// (15) to (1): the slopes of the time in the profile and in the costs on the device.
template <std::floating_point Real, class D>
[[nodiscard, gnu::always_inline]] constexpr slopes<Real, D> estimate(
    const kernel_profile<Real>& k, const costs<Real, D>& c, const saturation_constants& constants,
    const saturation_estimate<Real>& e) {
    assumptions<Real> assumed;
    values<Real, D> x{
        k, c, constants, e, saturation::bytes_of_warp(k, c, assumed), k.blocks * e.warps_per_block};
    x.bytes.local = saturation::local_memory(k, c, constants, e);
    slopes<Real, D> to;
    total(x, to);
    floors(x, to);
    rounds(x, to);
    meet_at_barriers(x, to);
    demand(x, to);
    local_memory(x, to);
    bytes_of_warp(x, to);
    wait(x, to);
    spread(x, to);
    return to;
}

/// A copy of the slopes in a profile, number by number: a copy as a whole would go through memory, and the total
/// would take half as long again.
template <std::floating_point Real>
[[gnu::always_inline]] constexpr kernel_profile<Real> gathered(const kernel_profile<Real>& k) {
    return {
        .blocks = k.blocks,
        .threads_per_block = k.threads_per_block,
        .registers_per_thread = Real(0),
        .shared_bytes_per_block = k.shared_bytes_per_block,
        .active_blocks_per_sm = k.active_blocks_per_sm,
        .comp_insts = k.comp_insts,
        .coalesced_mem_insts = k.coalesced_mem_insts,
        .uncoalesced_mem_insts = k.uncoalesced_mem_insts,
        .sync_insts = Real(0),
        .transactions_per_uncoalesced = k.transactions_per_uncoalesced,
        .bytes_per_access = k.bytes_per_access,
        .stencil = {.dimensions = 0,
                    .data_length = {Real(0), Real(0), Real(0)},
                    .halo_width = {Real(0), Real(0), Real(0)},
                    .block_length = Real(0),
                    .stencil_arrays = Real(0),
                    .elements_per_op = Real(0),
                    .profiled_elements = Real(0),
                    .misc_insts_per_sm = Real(0),
                    .iter_insts_per_sm = Real(0),
                    .element_bytes = Real(0),
                    .tile_length = {Real(0), Real(0), Real(0)}},
        .ops = {k.ops.fp32_ops, k.ops.fp64_ops, k.ops.integer_ops, k.ops.special_ops,
                k.ops.tensor_fmas},
        .shared_passes = k.shared_passes,
        .shared_insts = k.shared_insts,
        .branches = k.branches,
        .accesses = {k.accesses.load_sectors, k.accesses.full_store_sectors,
                     k.accesses.partial_store_sectors, k.accesses.lines,
                     k.accesses.broadcast_loads},
        .waits = {false, k.waits.dram_waits, k.waits.l2_waits, k.waits.l1_waits,
                  k.waits.store_waits, k.waits.arithmetic_wait_cycles, k.waits.steps,
                  k.waits.longest_steps, k.waits.reused_fraction},
        .traffic = {k.traffic.l2_bytes_per_warp, k.traffic.dram_read_bytes,
                    k.traffic.dram_write_bytes, k.traffic.footprint_bytes, k.traffic.in_l2_fraction,
                    k.traffic.local_bytes, k.traffic.local_footprint_bytes}};
}

/// The slopes in a fraction of DRAM's peak, to the parameter that `dram_fraction` takes it from.
template <traffic_direction Direction, std::floating_point Real, class D, class To>
[[gnu::always_inline]] constexpr void seconds_per_dram_byte(const D& d, const Real& seconds,
                                                            const Real& slope, To& to) {
    const Real by_rate = -slope * seconds * seconds;
    const Real by_fraction = by_rate * static_cast<Real>(d.dram_bytes_per_s);
    to.dram_bytes_per_s += by_rate * dram_fraction<Direction, Real>(d);
    using way = traffic_direction;
    constexpr bool mixed = has_dram_mixed<D>;
    if constexpr (has_dram_read<D> && (Direction == way::read || !mixed) &&
                  !(Direction == way::write && has_dram_write<D>)) {
        to.dram_read_fraction += by_fraction;
    } else if constexpr (has_dram_write<D> && (Direction == way::write || !mixed)) {
        to.dram_write_fraction += by_fraction;
    } else if constexpr (mixed) {
        to.dram_mixed_fraction += by_fraction;
    }
}

/// The slopes in the latencies, to the level that each was taken from.
template <std::floating_point Real, class D, class To>
[[gnu::always_inline]] constexpr void latencies(const costs<Real, D>& by, To& to) {
    to.dram_latency_cycles = by.dram_latency_cycles;
    Real& of_l2 = [&]() -> Real& {
        if constexpr (has_l2_latency<D>) {
            return to.l2_latency_cycles;
        } else {
            return to.dram_latency_cycles;
        }
    }();
    of_l2 += by.l2_latency_cycles;
    if constexpr (has_l1_latency<D>) {
        to.l1_latency_cycles = by.l1_latency_cycles;
    } else {
        of_l2 += by.l1_latency_cycles;
    }
}

/// Passes the slopes in the costs of a cycle of the units on to their numbers; returns the slope in the sustained pace.
template <std::floating_point Real, class D, class To>
[[gnu::always_inline]] constexpr Real paced(const costs<Real, D>& c, const costs<Real, D>& by,
                                            const Real& pace, const Real& per_pace, To& to) {
    Real by_pace(0);
    const auto product = [&](const Real& cycles, const Real& slope) {
        by_pace += slope * (cycles * per_pace);
        return slope * pace;
    };
    const auto quotient = [&](const Real& cycles, const Real& slope) {
        const Real by_paced = slope * (cycles * per_pace);
        by_pace += by_paced;
        return -by_paced * cycles;
    };
    if constexpr (has_schedulers<D>) {
        product(c.issue_cycles, by.issue_cycles);
        to.warp_schedulers = -by.issue_fraction * c.issue_fraction * c.issue_fraction;
    } else {
        to.issue_cycles = product(c.issue_cycles, by.issue_cycles);
    }
    if constexpr (has_cores<D>) to.cuda_cores = quotient(c.fp32_cycles, by.fp32_cycles);
    if constexpr (has_integers<D>) to.integer_units = quotient(c.integer_cycles, by.integer_cycles);
    if constexpr (has_double_precision<D>) {
        to.double_precision_units = quotient(c.fp64_cycles, by.fp64_cycles);
    }
    if constexpr (has_special_functions<D>) {
        to.special_function_units = quotient(c.special_cycles, by.special_cycles);
    }
    if constexpr (has_tensor<D>)
        to.tensor_fma_per_cycle = quotient(c.tensor_cycles, by.tensor_cycles);
    if constexpr (has_l1_bandwidth<D>) {
        to.l1_bytes_per_cycle = quotient(c.line_cycles, by.line_cycles) * Real(1 / line_bytes);
    }
    [[maybe_unused]] const Real by_pass = product(c.pass_cycles, by.pass_cycles);
    if constexpr (has_pipes<D>) {
        to.shared_pass_cycles = by_pass;
        to.memory_instruction_cycles = product(c.mem_inst_cycles, by.mem_inst_cycles);
        to.branch_cycles = product(c.branch_cycles, by.branch_cycles);
    }
    return by_pace;
}

/// From the slopes in the costs, those in the parameters of `d`; `to` has the groups of `d` that the model reads, all
/// 0.
template <std::floating_point Real, class D, class To>
[[gnu::always_inline]] constexpr void costs_on(const D& d, const saturation_constants& constants,
                                               const costs<Real, D>& c, const costs<Real, D>& by,
                                               To& to) {
    using way = traffic_direction;
    to.sm_count = by.sm_count;
    to.warp_size = by.warp_size;
    latencies(by, to);
    Real per_pace(1);
    if constexpr (has_sustained_clock<D>) {
        per_pace = static_cast<Real>(d.sustained_clock_hz) * c.cycle_s;
    }
    const Real pace = sustained_pace<Real>(d);
    [[maybe_unused]] const Real by_pace = paced(c, by, pace, per_pace, to);
    const Real by_cycle = by.cycle_s +
                          by.block_s * static_cast<Real>(constants.block_launch_cycles) +
                          by.broadcast_s * static_cast<Real>(constants.broadcast_cycles);
    to.clock_hz = -by_cycle * c.cycle_s * c.cycle_s;
    if constexpr (has_sustained_clock<D>) {
        to.clock_hz += by_pace * pace * c.cycle_s;
        to.sustained_clock_hz = -by_pace * pace * pace * c.cycle_s;
    }
    if constexpr (has_l2_cache<D>) {
        to.l2_bytes = -by.fill_per_byte * c.fill_per_byte * c.fill_per_byte *
                      static_cast<Real>(constants.l2_filling.width);
    }
    if constexpr (has_l1_cache<D>) to.l1_bytes_per_sm = by.l1_bytes;
    if constexpr (has_l2_bandwidth<D>) {
        to.l2_bytes_per_cycle = -by.l2_byte_cycles * c.l2_byte_cycles * c.l2_byte_cycles;
    }
    if constexpr (has_transaction_size<D>) to.dram_transaction_bytes = by.transaction_bytes;
    seconds_per_dram_byte<way::mixed>(d, c.dram_mixed_s, by.dram_mixed_s, to);
    if constexpr (has_dram_read<D>) {
        seconds_per_dram_byte<way::read>(d, c.dram_read_s, by.dram_read_s, to);
    }
    if constexpr (has_dram_write<D>) {
        seconds_per_dram_byte<way::write>(d, c.dram_write_s, by.dram_write_s, to);
    }
    if constexpr (has_board_power<D> && has_operation_energy<D>) {
        const Real per_watt = Real(1) / static_cast<Real>(d.board_power_w);
        const Real joule_s =
            Real(1e-12) / static_cast<Real>(constants.sustained_power_fraction) * per_watt;
        to.fp32_op_pj = by.fp32_energy_s * joule_s;
        to.l2_byte_pj = by.l2_byte_energy_s * joule_s;
        to.board_power_w =
            -(by.fp32_energy_s * c.fp32_energy_s + by.l2_byte_energy_s * c.l2_byte_energy_s) *
            per_watt;
    }
    if constexpr (has_launch_overhead<D>) to.launch_overhead_s = by.overhead_s;
}

}  // namespace WARPGAUGE_NAMESPACE::detail::saturation::backwards

#endif
