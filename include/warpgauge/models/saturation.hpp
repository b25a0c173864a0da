// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_MODELS_SATURATION_HPP
#define WARPGAUGE_MODELS_SATURATION_HPP

#include <concepts>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

#include <warpgauge/core/min_and_sum.hpp>
#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/core/soft_maximum.hpp>
#include <warpgauge/device/device.hpp>
#include <warpgauge/kernel/assumptions.hpp>
#include <warpgauge/kernel/check.hpp>
#include <warpgauge/kernel/profile.hpp>
#include <warpgauge/models/model.hpp>
#include <warpgauge/sm/cache_misses.hpp>
#include <warpgauge/sm/hierarchy.hpp>
#include <warpgauge/sm/launch.hpp>
#include <warpgauge/sm/neutral_groups.hpp>

/// \file Saturation: run time from the waits of a warp, the busy time of every resource of an SM, and the floors
/// of the whole GPU. For GPUs with caches, from Pascal on.
///
/// Equation numbers are those of docs/saturation.md, which has the accuracy too. The form is ours. Its ancestors:
/// - S. Hong, H. Kim, ISCA 2009: warps that wait together, rounds of blocks; (18), (19), #Rep;
/// - J. Sim, A. Dasgupta, H. Kim, R. Vuduc, PPoPP 2012: count waits, not instructions (ILP and MLP);
/// - V. Volkov, "Understanding Latency Hiding on GPUs", 2016: a warp's latency against the throughput of the SM;
/// - S. Williams, A. Waterman, D. Patterson, CACM 2009: a roof for each resource.

namespace warpgauge {

/// What the model has to know of a device. What it reads besides, where a device has it: latency and bandwidth of
/// L1 and L2, size of L2, lanes by unit, sustained fractions of DRAM bandwidth, sustained clock, launch overhead,
/// power with energy by operation. What is absent bounds nothing; `assumed` of the estimate says what that means.
template <class D>
concept saturation_device = has_chip<D> && has_warp<D> && has_dram_latency<D> &&
    (has_schedulers<D> || has_issue<D>);

/// The constants of the model, the same for all GPUs and kernels: fitted together to streams, element-wise
/// operations, row reductions and products on eight GPUs, and to loop nests on an RTX 2070 SUPER. How sharp each
/// is: docs/saturation.md.
struct saturation_constants {
    /// How resources of an SM, and they and waits, queue for each other: 0 not at all, 1 one after the other. Matrix
    /// products, loop nests; 0.08 to 0.15 serve as well.
    double queueing_in_sm = 0.12;
    /// The same of the SMs and a floor of the GPU. Streams, softmax; 0.01 to 0.04.
    double queueing_at_floor = 0.03;
    /// Cycles until a block's place has its next block at work. Streams of stores in small blocks; 350 to 450.
    double turnaround_cycles = 400;
    /// Cycles of a store behind a load. Streams; 100 to 300.
    double store_cycles = 200;
    /// Cycles that a warp waits longer for each sector; the departure delay of (10) of Hong & Kim. Loop nests; 1.2
    /// serves as well, 0.3 orders launches worse.
    double sector_cycles = 1.6;
    /// Further sectors of L2 bandwidth that a partly written one costs. Loop nests; 0 to 2.
    double extra_sectors_per_partial = 2;
    /// Cycles in which one slice of L2 serves a request for a sector that the whole grid reads. Loop nests; 0.8 to 1.5.
    double broadcast_cycles = 0.92;
    /// Cycles in which the GPU launches a block. Loop nests; 1 to 2.
    double block_launch_cycles = 1.5;
    /// When a footprint begins to overflow L2.
    cache_filling l2_filling{};
    /// The fraction of the board's power that a long kernel can draw. V100 and T4 under products.
    double sustained_power_fraction = 0.8;
};

struct saturation_options {
    saturation_constants constants{};
};

/// What `seconds` consists of first of all.
enum class saturation_term : std::uint8_t {
    waits,         ///< the waits of a warp, with too few others to fill them
    issue,         ///< the schedulers of an SM
    lanes,         ///< its lanes of one unit
    l1,            ///< shared memory and L1
    l2,            ///< bytes between the SM and L2
    longest_warp,  ///< the waits of the warp with most steps
    dram,          ///< bytes of DRAM
    block_launch,  ///< the launch of blocks
    broadcast,     ///< one slice of L2 that all warps read
    energy,        ///< the board's power
    overhead,      ///< the launch of the kernel
};

/// The term in words: "L2 bandwidth".
[[nodiscard]] constexpr std::string_view name(saturation_term which) noexcept {
    switch (which) {
        case saturation_term::waits: return "waits";
        case saturation_term::issue: return "issue";
        case saturation_term::lanes: return "lanes";
        case saturation_term::l1: return "L1 and shared memory";
        case saturation_term::l2: return "L2 bandwidth";
        case saturation_term::longest_warp: return "longest warp";
        case saturation_term::dram: return "DRAM bandwidth";
        case saturation_term::block_launch: return "launch of blocks";
        case saturation_term::broadcast: return "one slice of L2";
        case saturation_term::energy: return "power";
        case saturation_term::overhead: return "launch overhead";
    }
    return "unknown";
}

/// How the blocks of a launch spread over an SM and its rounds.                                       (1)
template <scalar Real = double>
struct saturation_launch {
    Real warps_per_block{};  ///< warps                                                       w
    Real
        resident_blocks_per_sm{};  ///< blocks that fit on an SM; from occupancy or the profile     n
    Real blocks_per_sm{};         ///< blocks that an SM gets, mean                                y
    Real active_blocks_per_sm{};  ///< blocks side by side, no more than an SM gets                m
    Real full_rounds{};           ///< rounds of these, whole                                      R
    Real last_round_blocks{};     ///< blocks of an SM in a last, smaller round, mean              q
};

/// How long one warp waits.
template <scalar Real = double>
struct saturation_waits {
    Real
        l2_miss_fraction{};  ///< of what steps touch, what is not in L2; 1 where not known        (2)
    Real dram_waits{};  ///< waits of a warp for DRAM                                      D, (3)
    Real l2_waits{};    ///< waits of a warp for L2                                        E, (3)
    Real
        warp_issue_cycles{};  ///< cycles in which a warp alone issues its instructions          I, (4)
    Real wait_cycles{};   ///< cycles that a warp waits                                         (5)
    Real alone_cycles{};  ///< cycles of a block whose SM has nothing else                   s, (6)
    Real
        exposed_cycles{};  ///< of these, those of a change of blocks that no other block fills  (9)
};

/// How long one block keeps each resource of its SM busy.
template <scalar Real = double>
struct saturation_demands {
    Real
        issue_cycles{};  ///< cycles of the schedulers                                              (7)
    Real
        lane_cycles{};  ///< cycles of the unit that is busy longest                               (7)
    Real
        l1_cycles{};  ///< cycles of shared memory and L1                                        (7)
    Real
        l2_cycles{};  ///< cycles of the SM's part of L2 bandwidth                               (7)
    Real
        busy_cycles{};  ///< cycles, with all of them queueing for each other                   u, (8)
};

/// How long an SM takes.
template <scalar Real = double>
struct saturation_rounds {
    Real round_cycles{};  ///< cycles of a full round; 0 if none is                           (10)
    Real
        last_round_cycles{};  ///< cycles of the smaller last round; 0 if there is none           (11)
    Real
        longest_warp_cycles{};  ///< cycles that the longest warp takes; 0 if all are alike         (12)
    Real sm_cycles{};  ///< cycles of an SM                                                (13)
};

/// How long the whole GPU takes at least.                                                            (14)
template <scalar Real = double>
struct saturation_floors {
    Real dram_bytes{};            ///< B
    Real dram_seconds{};          ///< s of DRAM at its sustained bandwidth
    Real block_launch_seconds{};  ///< s in which all blocks are launched
    Real broadcast_seconds{};     ///< s of one slice of L2
    Real energy_seconds{};        ///< s at the board's power; 0 where energies are not known
    Real floor_seconds{};         ///< s, the longest of these
};

/// The time, and which term is first in it.
template <scalar Real = double>
struct saturation_time {
    choice_of<Real, saturation_term> which{};  ///< the term that leads
    Real cycles{};                             ///< cycles of an SM's clock, `seconds` x clock
    Real seconds{};  ///< s                                                (15)
};

/// Every intermediate value, in the order computed.
template <scalar Real = double>
struct saturation_estimate : saturation_launch<Real>,
                             saturation_waits<Real>,
                             saturation_demands<Real>,
                             saturation_rounds<Real>,
                             saturation_floors<Real>,
                             assumed_values<Real>,
                             saturation_time<Real> {};

/// Predicts the run time of kernels on `device`.
///
/// Reads of a profile the launch, the instruction counts (not `sync_insts`) and, where they are given, `ops`,
/// `shared_passes`, `accesses`, `waits` and `traffic`. Does not throw, allocate or keep state.
/// \errors not_positive    `blocks`, `threads_per_block`, `transactions_per_uncoalesced`, `bytes_per_access`, or a
///                         parameter of the device
///         negative        another number of the profile, or a constant
///         missing         `comp_insts`: the kernel has no instruction at all;
///                         `active_blocks_per_sm`: it is 0 and the device has no limits
///         exceeds_device  as `occupancy`, where the profile leaves `active_blocks_per_sm` open
///         outside_domain  a fraction above 1
///         overflow        an input that is above 1e20, or not 0 and below 1e-10; `seconds`
template <saturation_device D>
struct saturation_model {
    [[no_unique_address]] D device{};
    saturation_options options{};

    /// The same model of another device.
    template <saturation_device Other>
    [[nodiscard]] constexpr saturation_model<Other> on(const Other& other) const {
        return {other, options};
    }

    template <scalar Real>
    [[nodiscard]] constexpr result<saturation_estimate<Real>> predict(
        const kernel_profile<Real>& k) const noexcept;
};

template <class D>
saturation_model(D, saturation_options = {}) -> saturation_model<D>;

namespace detail::models {

/// Every group that the model reads where a device has it.
using saturation_groups =
    group_list<parameters::chip, parameters::warp, parameters::dram_latency, parameters::schedulers,
               parameters::issue, parameters::transaction_size, parameters::cores,
               parameters::integers, parameters::double_precision, parameters::special_functions,
               parameters::tensor, parameters::l1_latency, parameters::l2_latency,
               parameters::l2_cache, parameters::l1_bandwidth, parameters::l2_bandwidth,
               parameters::dram_read, parameters::dram_write, parameters::dram_mixed,
               parameters::sustained_clock, parameters::board_power, parameters::operation_energy,
               parameters::launch_overhead>;

/// The error of the first input that is out of range.
template <scalar Real, saturation_device D>
[[gnu::noinline]] constexpr model_error saturation_diagnose(const kernel_profile<Real>& k,
                                                            const saturation_model<D>& m) {
    if (const auto bad = check_hierarchy_inputs(k)) return bad;
    const Real insts = k.comp_insts + k.coalesced_mem_insts + k.uncoalesced_mem_insts;
    if (!scalar_traits<Real>::all(Real(0.0) < insts)) return {errc::missing, "comp_insts"};
    const saturation_constants& c = m.options.constants;
    for (const core::bounded_parameter& p :
         {core::bounded_parameter{c.queueing_in_sm, "queueing_in_sm", false, 0, 1},
          {c.queueing_at_floor, "queueing_at_floor", false, 0, 1},
          {c.turnaround_cycles, "turnaround_cycles", false, 0, core::max_input},
          {c.store_cycles, "store_cycles", false, 0, core::max_input},
          {c.sector_cycles, "sector_cycles", false, 0, core::max_input},
          {c.extra_sectors_per_partial, "extra_sectors_per_partial", false, 0, core::max_input},
          {c.broadcast_cycles, "broadcast_cycles", false, 0, core::max_input},
          {c.block_launch_cycles, "block_launch_cycles", false, 0, core::max_input},
          {c.l2_filling.knee, "knee", false, 0, core::max_input},
          {c.l2_filling.width, "width", false, core::min_input, core::max_input},
          {c.sustained_power_fraction, "sustained_power_fraction", false, core::min_input, 1}}) {
        if (const auto wrong = core::check_bounded(p)) return wrong;
    }
    return check_known_parameters<Real>(saturation_groups{}, m.device);
}

/// What a device's parameters are compared as: doubles, unless they are packs.
template <class Value>
[[gnu::always_inline]] constexpr auto parameter_value(const Value& x) {
    if constexpr (std::is_arithmetic_v<Value>) {
        return static_cast<double>(x);
    } else {
        return core::without_slopes(x);
    }
}

/// True if the device and the constants are well within range; known when compiled for a static device.
template <saturation_device D>
[[gnu::always_inline]] constexpr bool saturation_device_in_range(const saturation_model<D>& m) {
    using number = decltype(parameter_value(m.device.clock_hz));
    core::min_and_sum<number> all(number(1.0));
    number least_slack(0.0);  // of fractions, to 1
    const auto see = [&](device_parameter p, const auto& value) {
        const number x(parameter_value(value));
        all.add(x);
        if (info(p).range == parameter_range::fraction) {
            least_slack = core::min(least_slack, number(number(1.0) - x));
        }
    };
    for_each_known(saturation_groups{}, m.device, see);
    const saturation_constants& c = m.options.constants;
    core::min_and_sum<double> constants(1.0);
    constants.add(c.queueing_in_sm, c.queueing_at_floor, c.turnaround_cycles, c.store_cycles,
                  c.sector_cycles, c.extra_sectors_per_partial, c.broadcast_cycles,
                  c.block_launch_cycles, c.l2_filling.knee);
    return scalar_traits<number>::all(number(core::min_input) <= all.least &&
                                      all.sum <= number(core::max_input) &&
                                      number(0.0) <= least_slack) &&
           0 <= constants.least && constants.sum <= core::max_input && c.queueing_in_sm <= 1 &&
           c.queueing_at_floor <= 1 && core::min_input <= c.l2_filling.width &&
           c.l2_filling.width <= core::max_input && core::min_input <= c.sustained_power_fraction &&
           c.sustained_power_fraction <= 1;
}

/// True if all input is well within range; in few instructions, since this stands before every prediction.
template <scalar Real, saturation_device D>
[[gnu::always_inline]] constexpr bool saturation_in_range(const kernel_profile<Real>& k,
                                                          const saturation_model<D>& m) {
    using number = core::plain<Real>;
    const number insts =
        core::without_slopes(k.comp_insts) + (core::without_slopes(k.coalesced_mem_insts) +
                                              core::without_slopes(k.uncoalesced_mem_insts));
    const number fraction = core::max(core::without_slopes(k.traffic.in_l2_fraction),
                                      core::without_slopes(k.waits.reused_fraction));
    return saturation_device_in_range(m) && numbers_in_range(k) &&
           scalar_traits<number>::all(number(core::min_input) <= insts && fraction <= number(1.0));
}

template <scalar Real>
[[gnu::always_inline]] constexpr bool is_zero(const Real& x) {
    return scalar_traits<Real>::all(x <= Real(0.0));
}

/// `value` where `count` is above 0, else 0; of a count of which `is_zero` is false.
template <scalar Real>
[[gnu::always_inline]] constexpr Real where_counted(const Real& count, const Real& value) {
    if constexpr (std::same_as<mask_of<Real>, bool>) {
        return value;
    } else {
        return core::select(Real(0.0) < count, value, Real(0.0));
    }
}

/// (1)
template <scalar Real, class D>
[[gnu::always_inline]] constexpr saturation_launch<Real> saturation_spread(
    const kernel_profile<Real>& k, const D& d, const Real& resident) {
    saturation_launch<Real> l;
    l.warps_per_block = core::ceil(Real(k.threads_per_block / Real(d.warp_size)));
    l.resident_blocks_per_sm = resident;
    const Real sms = Real(d.sm_count);
    l.blocks_per_sm = k.blocks / sms;
    const Real most = core::ceil(l.blocks_per_sm);
    l.active_blocks_per_sm = core::min(resident, most);
    // Where all fit side by side, the one round is full if every SM has as many; no need to wait for `most`.
    const Real rounds = core::floor(Real(k.blocks / (sms * resident)));
    const Real one = core::select(most <= l.blocks_per_sm, Real(1.0), Real(0.0));
    l.full_rounds = core::select(most <= resident, one, rounds);
    l.last_round_blocks =
        core::max(Real(0.0), Real(l.blocks_per_sm - l.full_rounds * l.active_blocks_per_sm));
    return l;
}

/// (2): the fraction of the footprint that L2 does not hold.
template <scalar Real, class D>
[[gnu::always_inline]] constexpr Real l2_miss_fraction(const kernel_profile<Real>& k,
                                                       const saturation_model<D>& m) {
    if constexpr (has_l2_cache<D>) {
        if (is_zero(k.traffic.footprint_bytes)) return Real(1.0);
        const Real misses = cache_miss_fraction(k.traffic.footprint_bytes, Real(m.device.l2_bytes),
                                                m.options.constants.l2_filling);
        return core::select(Real(0.0) < k.traffic.footprint_bytes, misses, Real(1.0));
    } else {
        return Real(1.0);
    }
}

template <scalar Real>
[[gnu::always_inline]] constexpr Real sectors_of(const memory_accesses<Real>& a) {
    return a.load_sectors + a.full_store_sectors + a.partial_store_sectors;
}

/// (2) to (6), (9)
template <scalar Real, class D>
[[gnu::always_inline]] constexpr saturation_waits<Real> saturation_wait(
    const kernel_profile<Real>& k, const saturation_model<D>& m, const saturation_launch<Real>& l,
    assumptions<Real>& assumed) {
    const D& d = m.device;
    const saturation_constants& c = m.options.constants;
    const dependent_waits<Real>& v = k.waits;
    const Real mem_insts = k.coalesced_mem_insts + k.uncoalesced_mem_insts;
    const Real given =
        v.dram_waits + v.l2_waits + v.l1_waits + v.store_waits + v.arithmetic_wait_cycles + v.steps;
    const mask_of<Real> no_waits = given <= Real(0.0) && mask_of<Real>(!v.counted);
    assumed.add(assumption::waits_for_dram, no_waits);

    saturation_waits<Real> f;
    f.l2_miss_fraction = l2_miss_fraction(k, m);  // (2)
    const Real dram_steps = v.steps * f.l2_miss_fraction * (Real(1.0) - v.reused_fraction);
    f.dram_waits = v.dram_waits + dram_steps + core::select(no_waits, mem_insts, Real(0.0));  // (3)
    f.l2_waits = v.l2_waits + (v.steps - dram_steps);
    const auto issue = issue_rate_of<Real>(d);
    f.warp_issue_cycles =
        (k.comp_insts + mem_insts) * (issue.cycles_of_warp * sustained_pace<Real>(d));  // (4)
    f.wait_cycles = f.dram_waits * Real(d.dram_latency_cycles) +
                    f.l2_waits * l2_latency_of<Real>(d) + v.l1_waits * l1_latency_of<Real>(d) +
                    v.store_waits * Real(c.store_cycles) + v.arithmetic_wait_cycles +
                    sectors_of(k.accesses) * Real(c.sector_cycles);                    // (5)
    f.alone_cycles = Real(c.turnaround_cycles) + f.wait_cycles + f.warp_issue_cycles;  // (6)
    f.exposed_cycles = Real(c.turnaround_cycles) / l.resident_blocks_per_sm;           // (9)
    return f;
}

/// Cycles of the lanes of an SM for the operations of a warp, by the unit that takes longest.
template <scalar Real, class D>
[[gnu::always_inline]] constexpr Real lane_cycles_of_warp(const lane_operations<Real>& ops,
                                                          const D& d) {
    Real longest(0.0);
    if (is_zero(ops.fp32_ops + ops.fp64_ops + ops.integer_ops + ops.special_ops +
                ops.tensor_fmas)) {
        return longest;
    }
    const auto unit = [&](const Real& operations, const auto& lanes) {
        if constexpr (!std::same_as<core::plain<Real>, Real>) {  // slopes cost more than a test
            if (is_zero(operations)) return;
        }
        longest = core::max(longest, Real(operations * (Real(1.0) / Real(lanes))));
    };
    if constexpr (has_cores<D> && has_integers<D>) {
        unit(ops.fp32_ops, d.cuda_cores);
        unit(ops.integer_ops, d.integer_units);
    } else if constexpr (has_cores<D>) {
        unit(ops.fp32_ops + ops.integer_ops, d.cuda_cores);
    }
    if constexpr (has_double_precision<D>) unit(ops.fp64_ops, d.double_precision_units);
    if constexpr (has_special_functions<D>) unit(ops.special_ops, d.special_function_units);
    if constexpr (has_tensor<D>) unit(ops.tensor_fmas, d.tensor_fma_per_cycle);
    return longest;
}

/// Bytes of one warp that leave its SM, and what was taken for them.
template <scalar Real>
struct moved_bytes {
    Real by_accesses{};  ///< of sectors, or of memory instructions where no sectors are known
    Real l2{};           ///< between the SM and L2
};

template <scalar Real, class D>
[[gnu::always_inline]] constexpr moved_bytes<Real> bytes_of_warp(const kernel_profile<Real>& k,
                                                                 const D& d,
                                                                 assumptions<Real>& assumed) {
    const Real sectors = sectors_of(k.accesses);
    Real transaction(sector_bytes);
    if constexpr (has_transaction_size<D>) transaction = Real(d.dram_transaction_bytes);
    const Real counted = k.coalesced_mem_insts * (k.bytes_per_access * Real(d.warp_size)) +
                         k.uncoalesced_mem_insts * (k.transactions_per_uncoalesced * transaction);
    const mask_of<Real> no_sectors = sectors <= Real(0.0);
    const mask_of<Real> no_bytes = k.traffic.l2_bytes_per_warp <= Real(0.0);
    assumed.add(assumption::bytes_from_l2, no_sectors && no_bytes);
    moved_bytes<Real> b;
    b.by_accesses = core::select(no_sectors, counted, Real(sectors * Real(sector_bytes)));
    b.l2 = core::select(no_bytes, b.by_accesses, k.traffic.l2_bytes_per_warp);
    return b;
}

/// (7), (8)
template <scalar Real, class D>
[[gnu::always_inline]] constexpr saturation_demands<Real> saturation_demand(
    const kernel_profile<Real>& k, const saturation_model<D>& m, const saturation_launch<Real>& l,
    const saturation_waits<Real>& f, const moved_bytes<Real>& bytes) {
    const D& d = m.device;
    const saturation_constants& c = m.options.constants;
    const Real pace = sustained_pace<Real>(d);
    const Real& w = l.warps_per_block;
    const auto issue = issue_rate_of<Real>(d);
    saturation_demands<Real> u;
    u.issue_cycles = w * f.warp_issue_cycles * issue.fraction_of_sm;
    u.lane_cycles = w * pace * lane_cycles_of_warp(k.ops, d);
    Real passes = k.shared_passes;
    if constexpr (has_l1_bandwidth<D>) {
        passes = passes + k.accesses.lines * (Real(line_bytes) / Real(d.l1_bytes_per_cycle));
    }
    u.l1_cycles = w * pace * passes;
    u.l2_cycles = Real(0.0);
    if constexpr (has_l2_bandwidth<D>) {
        const Real partial =
            k.accesses.partial_store_sectors * Real(sector_bytes * c.extra_sectors_per_partial);
        u.l2_cycles = w * (bytes.l2 + partial) * (Real(1.0) / Real(d.l2_bytes_per_cycle));
    }
    u.busy_cycles = core::soft_maximum_if(core::max(u.issue_cycles, u.lane_cycles),
                                          core::max(u.l1_cycles, u.l2_cycles),
                                          Real(c.queueing_in_sm));  // (8)
    return u;
}

/// (10) to (13)
template <scalar Real, class D>
[[gnu::always_inline]] constexpr saturation_rounds<Real> saturation_round(
    const kernel_profile<Real>& k, const saturation_model<D>& m, const saturation_launch<Real>& l,
    const saturation_waits<Real>& f, const saturation_demands<Real>& u) {
    const Real queueing = Real(m.options.constants.queueing_in_sm);
    const Real hidden = f.alone_cycles - f.exposed_cycles;
    const Real busy = l.active_blocks_per_sm * u.busy_cycles;
    saturation_rounds<Real> r;
    r.round_cycles = r.last_round_cycles = r.longest_warp_cycles = Real(0.0);
    if (!is_zero(l.full_rounds)) {
        const Real round = f.exposed_cycles + core::soft_maximum(hidden, busy, queueing);
        r.round_cycles = where_counted(l.full_rounds, round);  // (10)
    }
    if (!is_zero(l.last_round_blocks)) {
        // L2 is shared, so it sees the mean SM; the rest sees the SM with a block more.
        const Real most = core::ceil(l.last_round_blocks);
        const Real units = most * core::max(u.issue_cycles, u.lane_cycles);
        const Real in_l1 = most * u.l1_cycles;
        const Real in_l2 = l.last_round_blocks * u.l2_cycles;
        Real rest_busy = most * u.busy_cycles;  // where L2 plays no part
        const mask_of<Real> without_l2 = u.l2_cycles <= u.l1_cycles;
        if (!scalar_traits<Real>::all(without_l2)) {
            rest_busy =
                core::select(without_l2, rest_busy,
                             core::soft_maximum_if(units, core::max(in_l1, in_l2), queueing));
        }
        const Real rest = f.exposed_cycles + core::soft_maximum(hidden, rest_busy, queueing);
        r.last_round_cycles = where_counted(l.last_round_blocks, rest);
    }
    if (!is_zero(k.waits.longest_steps)) {
        const mask_of<Real> longer = k.waits.steps < k.waits.longest_steps;
        const Real mean = core::select(Real(0.0) < k.waits.steps, k.waits.steps, Real(1.0));
        const Real times =
            core::select(Real(0.0) < k.waits.steps, Real(k.waits.longest_steps / mean), Real(1.0));
        const Real longest =
            f.exposed_cycles +
            core::soft_maximum(Real(times * f.alone_cycles - f.exposed_cycles), busy, queueing);
        r.longest_warp_cycles =
            core::select(longer && Real(0.0) < k.waits.steps, longest, Real(0.0));  // (12)
    }
    r.sm_cycles = core::max(Real(l.full_rounds * r.round_cycles + r.last_round_cycles),
                            r.longest_warp_cycles);  // (13)
    return r;
}

/// The bytes of DRAM at its sustained rate.
template <scalar Real, class D>
[[gnu::always_inline]] constexpr void dram_floor(const kernel_profile<Real>& k, const D& d,
                                                 const Real& warps, const Real& miss_fraction,
                                                 const moved_bytes<Real>& bytes,
                                                 saturation_floors<Real>& t,
                                                 assumptions<Real>& assumed) {
    using way = traffic_direction;
    const memory_traffic<Real>& moved = k.traffic;
    const Real given = moved.dram_read_bytes + moved.dram_write_bytes;
    const Real by_footprint =
        moved.footprint_bytes * (Real(1.0) - moved.in_l2_fraction * (Real(1.0) - miss_fraction));
    const mask_of<Real> is_given = Real(0.0) < given;
    const mask_of<Real> has_footprint = Real(0.0) < moved.footprint_bytes;
    assumed.add(assumption::bytes_from_dram, !is_given && !has_footprint);
    t.dram_bytes =
        core::select(is_given, given,
                     core::select(has_footprint, by_footprint, Real(warps * bytes.by_accesses)));
    Real pace = seconds_per_dram_byte<way::mixed, Real>(d);
    if constexpr (has_dram_read<D>) {
        pace = core::select(is_given && moved.dram_write_bytes <= Real(0.0),
                            seconds_per_dram_byte<way::read, Real>(d), pace);
    }
    if constexpr (has_dram_write<D>) {
        pace = core::select(is_given && moved.dram_read_bytes <= Real(0.0),
                            seconds_per_dram_byte<way::write, Real>(d), pace);
    }
    t.dram_seconds = t.dram_bytes * pace;
}

/// (14)
template <scalar Real, class D>
[[gnu::always_inline]] constexpr saturation_floors<Real> saturation_floor(
    const kernel_profile<Real>& k, const saturation_model<D>& m, const saturation_launch<Real>& l,
    const Real& miss_fraction, const moved_bytes<Real>& bytes, assumptions<Real>& assumed) {
    const D& d = m.device;
    const saturation_constants& c = m.options.constants;
    const Real warps = k.blocks * l.warps_per_block;
    const Real cycle = Real(1.0) / Real(d.clock_hz);
    saturation_floors<Real> t;
    dram_floor(k, d, warps, miss_fraction, bytes, t, assumed);
    t.block_launch_seconds = k.blocks * (Real(c.block_launch_cycles) * cycle);
    t.broadcast_seconds = warps * k.accesses.broadcast_loads * (Real(c.broadcast_cycles) * cycle);
    t.energy_seconds = Real(0.0);
    if constexpr (has_board_power<D> && has_operation_energy<D>) {
        t.energy_seconds =
            warps * (k.ops.fp32_ops * Real(d.fp32_op_pj) + bytes.l2 * Real(d.l2_byte_pj)) *
            (Real(1e-12) / (Real(c.sustained_power_fraction) * Real(d.board_power_w)));
    }
    t.floor_seconds = core::max(core::max(t.dram_seconds, t.block_launch_seconds),
                                core::max(t.broadcast_seconds, t.energy_seconds));
    return t;
}

/// The first of the terms in the time.
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
    const auto pipes = choose(u.l1_cycles < u.l2_cycles, is(term::l2), is(term::l1));
    const auto units = choose(u.issue_cycles < u.lane_cycles, is(term::lanes), is(term::issue));
    const auto resource =
        choose(core::max(u.issue_cycles, u.lane_cycles) < core::max(u.l1_cycles, u.l2_cycles),
               pipes, units);
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
template <scalar Real, class D>
[[gnu::always_inline]] constexpr saturation_time<Real> saturation_total(
    const saturation_model<D>& m, const saturation_launch<Real>& l, const saturation_waits<Real>& f,
    const saturation_demands<Real>& u, const saturation_rounds<Real>& r,
    const saturation_floors<Real>& t) {
    const D& d = m.device;
    const Real sm_seconds = r.sm_cycles * (Real(1.0) / Real(d.clock_hz));
    Real overhead(0.0);
    if constexpr (has_launch_overhead<D>) overhead = Real(d.launch_overhead_s);
    saturation_time<Real> all;
    all.seconds = overhead + core::soft_maximum(sm_seconds, t.floor_seconds,
                                                Real(m.options.constants.queueing_at_floor));
    all.cycles = all.seconds * Real(d.clock_hz);
    all.which = leading_term(l, f, u, r, t, sm_seconds, overhead);
    return all;
}

/// The equations, of input that is in range.
template <scalar Real, saturation_device D>
[[gnu::always_inline]] constexpr result<saturation_estimate<Real>> saturation_of(
    const kernel_profile<Real>& k, const saturation_model<D>& m) {
    result<Real> resident = resident_blocks(k, m.device);
    if (!resident) return resident.error();

    // Not const: GCC keeps a const aggregate in memory, with all that nobody reads of it.
    assumed_values<Real> a;
    auto& assumed = a.assumed;
    auto l = saturation_spread(k, m.device, *resident);
    auto f = saturation_wait(k, m, l, assumed);
    auto bytes = bytes_of_warp(k, m.device, assumed);
    auto u = saturation_demand(k, m, l, f, bytes);
    auto r = saturation_round(k, m, l, f, u);
    auto t = saturation_floor(k, m, l, f.l2_miss_fraction, bytes, assumed);
    auto all = saturation_total(m, l, f, u, r, t);
    if (!scalar_traits<Real>::all(all.seconds < Real(1e200))) {
        return model_error{errc::overflow, "seconds"};
    }
    return result<saturation_estimate<Real>>(std::in_place, l, f, u, r, t, a, all);
}

/// The checks and the equations.
template <scalar Real, saturation_device D>
[[gnu::always_inline]] constexpr result<saturation_estimate<Real>> saturation_on(
    const kernel_profile<Real>& k, const saturation_model<D>& m) {
    // Sums are for run time alone: a constant expression may neither overflow nor be NaN.
    if (std::is_constant_evaluated() || !saturation_in_range(k, m)) [[unlikely]] {
        // Copies, so that GCC may keep the originals in registers.
        const kernel_profile<Real> copy = k;
        const saturation_model<D> copy_of_model = m;
        if (const auto bad = saturation_diagnose(copy, copy_of_model)) return bad;
    }
    return saturation_of(k, m);
}

/// Of a device that is partly known: what it has to know, and the model on what it does.
template <scalar Real, saturation_device D>
constexpr result<saturation_estimate<Real>> saturation_of_known(const kernel_profile<Real>& k,
                                                                const saturation_model<D>& m) {
    const D& d = m.device;
    if (!knows<parameters::chip>(d)) return model_error{errc::missing, "sm_count"};
    if (!knows<parameters::warp>(d)) return model_error{errc::missing, "warp_size"};
    if (!knows<parameters::dram_latency>(d)) {
        return model_error{errc::missing, "dram_latency_cycles"};
    }
    if (!knows<parameters::schedulers>(d) && !knows<parameters::issue>(d)) {
        return model_error{errc::missing, "warp_schedulers"};
    }
    if (!knows<parameters::residency>(d) &&
        !scalar_traits<Real>::all(Real(0.0) < k.active_blocks_per_sm)) {
        return model_error{errc::missing, "active_blocks_per_sm"};
    }
    return with_neutral_groups(d, [&](const auto& whole) { return saturation_on(k, m.on(whole)); });
}

}  // namespace detail::models

template <saturation_device D>
template <scalar Real>
[[gnu::always_inline]] constexpr result<saturation_estimate<Real>> saturation_model<D>::predict(
    const kernel_profile<Real>& k) const noexcept {
    if constexpr (partly_known<D>) {
        return detail::models::saturation_of_known(k, *this);
    } else {
        return detail::models::saturation_on(k, *this);
    }
}

}  // namespace warpgauge

#endif
