// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SIMULATE_SM_BOUND_HPP
#define WARPGAUGE_SIMULATE_SM_BOUND_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include <warpgauge/core/result.hpp>
#include <warpgauge/core/scalar.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/kernel/instruction.hpp>
#include <warpgauge/kernel/stream.hpp>
#include <warpgauge/simulate/caps.hpp>
#include <warpgauge/simulate/sm_parameters.hpp>
#include <warpgauge/simulate/warp_chain.hpp>

/// \file A bound that no simulation of one SM exceeds, whichever warps its schedulers choose: `bound_sm`.
///
/// In the way of R. L. Graham, "Bounds for Certain Multiprocessing Anomalies", 1966: a warp that waits either waits
/// for itself, or some resource is fully used by the others. docs/makespan.md has the proof.

namespace WARPGAUGE_NAMESPACE {

/// Which units a scheduler's warps use.
enum class unit_sharing : std::uint8_t {
    any_scheduler,  ///< all of the SM, or of the sub-core where the SM has some: what `simulate_sm` does
    own_scheduler,  ///< the scheduler's equal part of the lanes of the SM, and its own warps; load/store units and DRAM
    ///< are the SM's. As if each scheduler were a sub-core
};

/// The rule in words: "units of the SM".
[[nodiscard]] constexpr std::string_view name(unit_sharing sharing) noexcept {
    switch (sharing) {
        case unit_sharing::any_scheduler: return "units of the SM";
        case unit_sharing::own_scheduler: return "units of a scheduler";
    }
    return "unknown";
}

/// The blocks that an SM executes.
struct sm_workload {
    std::uint64_t blocks{};           ///< in all
    std::uint64_t resident_blocks{};  ///< at a time; the next begins when one has ended, or later
    std::uint64_t warps_per_block{};  ///< warps of each block
    std::uint64_t start_cycle{};      ///< no warp is there before
};

/// Phases of a warp, from one barrier to the next, that take as much of its sub-core as each other.
struct sm_phases {
    double cycles{};  ///< of `sm_costs::scheduler_cycles`, of each
    double times{};   ///< in the executions of the stream
};

/// What one warp takes of an SM for the executions of a stream.
struct sm_costs {
    double own_cycles{};         ///< cycles that it takes at most where it is alone
    double scheduler_cycles{};   ///< cycles that it can take from a warp of its scheduler
    double shared_cycles{};      ///< further cycles that it can take from any warp
    double own_turns{};          ///< cycles of both in which it issues
    double turnaround_cycles{};  ///< from a block's end until the next one in its place begins
    double falling_cycles{};     ///< once, if the bandwidth falls: to move the bytes queued before
    double issue_cycles{};       ///< of the SM's schedulers
    std::array<double, sm_unit_count> unit_cycles{};  ///< of the SM's units, by `sm_unit`
    double dram_cycles{};                             ///< of the SM's part of the bandwidth
    double l2_cycles{};                               ///< of the SM's part of L2
    double sub_cores{};  ///< parts of the SM with schedulers, lanes and warps of their own
    double barriers{};   ///< that the warp executes
    /// Its phases from barrier to barrier, the longest first. Of more than eight lengths, all shorter phases count as
    /// long as the last.
    sm_phases phases[8]{};
    double left_cycles{};  ///< that a sub-core's units can have left to do when a phase begins
};

/// How long an SM takes at most, and what all warps together take of it.
struct sm_bound {
    std::uint64_t cycles{};  ///< never exceeded
    double own_cycles{};     ///< cycles that one warp takes at most where it is alone
    double issue_cycles{};   ///< of the schedulers
    std::array<double, sm_unit_count> unit_cycles{};  ///< of the units, by `sm_unit`
    double dram_cycles{};                             ///< of the bandwidth
    double l2_cycles{};                               ///< of the SM's part of L2
};

namespace detail::simulate {

constexpr double common_divisor(double a, double b) {
    while (b > 0) {
        const double rest = a - core::floor(a / b) * b;
        a = b;
        b = rest;
    }
    return a;
}

/// One of the resources that an instruction takes turns with.
struct unit_supply {
    double lanes{};   ///< whole; 0: none
    double starts{};  ///< at most so many warps in a cycle
    double slack{};   ///< cycles that it may have left to do when it takes the next; less than one
    bool of_scheduler{};
};

/// Adds a phase of so many cycles. What there is no place for makes another one longer.
template <std::size_t Count>
constexpr void add_phase(sm_phases (&phases)[Count], double cycles) {
    sm_phases added{cycles, 1};
    for (sm_phases& p : phases) {
        if (p.cycles == added.cycles) {
            p.times += added.times;
            return;
        }
        if (p.cycles > added.cycles) continue;
        const sm_phases shorter = p;
        p = added;
        added = shorter;
    }
    phases[Count - 1].times += added.times;
}

/// Counts what a checked stream takes on a checked SM.
template <class = core::when_used>
class cost_counter {
public:
    constexpr cost_counter(std::span<const instruction> stream, const sm_parameters& p,
                           unit_sharing sharing)
        : stream_(stream),
          parameters_(p),
          sub_cores_(sharing == unit_sharing::own_scheduler ? p.warp_schedulers : p.sub_cores),
          issue_part_(1 / core::floor(p.warp_schedulers / sub_cores_)),
          bytes_per_cycle_(falls(p) ? p.last_dram_bytes_per_cycle : p.dram_bytes_per_cycle) {
        for (std::size_t u = 0; u < sm_unit_count; ++u) {
            const bool split = sub_cores_ == 1 || is_split(u, p.lanes[u], sub_cores_);
            units_[u].lanes = split ? p.lanes[u] / sub_cores_ : p.lanes[u];
            units_[u].of_scheduler = split && u != index_of(sm_unit::load_store);
            if (!(p.lanes[u] > 0)) continue;
            const double lanes = units_[u].lanes;
            units_[u].starts =
                core::ceil(lanes * static_cast<double>(parts_of_thread) / least_work(u));
            units_[u].slack = slack_of(u, lanes * static_cast<double>(parts_of_thread));
        }
        mixed_ = units_[tensor].of_scheduler && sub_cores_ > 1 && mixes_products();
        if (!mixed_) return;
        units_[tensor].of_scheduler = false;
        units_[tensor].slack = 1;
    }

    [[nodiscard]] constexpr sm_costs count() const {
        sm_costs costs;
        costs.sub_cores = sub_cores_;
        costs.left_cycles = left_cycles();
        costs.turnaround_cycles = parameters_.turnaround_cycles;
        auto add = [&](const instruction& i, std::size_t, double times) {
            charge(costs, i, times);
        };
        for_each_entry(stream_, 0, stream_.size(), 1, add);
        warp_chain chain(parameters_.barriers_wait_for_results);
        const bool one_phase = !(costs.barriers > 0);
        double phase_cycles = one_phase ? costs.scheduler_cycles : 0;
        auto execute = [&](const instruction& i, std::size_t at) {
            chain.execute(i, at, latency(i) - own_work(i));
            if (one_phase) return true;
            phase_cycles += scheduler_cycles(i);
            if (i.unit == unit_kind::barrier) {
                add_phase(costs.phases, phase_cycles);
                phase_cycles = 0;
            }
            return true;
        };
        for_each_execution(stream_, 0, stream_.size(), execute);
        add_phase(costs.phases, phase_cycles);
        costs.own_cycles =
            chain.cycles() + costs.scheduler_cycles + costs.shared_cycles - costs.own_turns;
        if (falls(parameters_) && costs.dram_cycles > 0) {
            costs.falling_cycles = parameters_.dram_latency_cycles + 1;
        }
        return costs;
    }

private:
    static constexpr std::size_t tensor = index_of(sm_unit::tensor);

    [[nodiscard]] static constexpr bool is_spread(const instruction& i) {
        return i.async == async_step::block_product;
    }
    // Whether the tensor cores of a sub-core also do work that those of the others do not. Then the parts of a block's
    // product need not end at the same time: any product may delay any warp, and each part of one apart.
    [[nodiscard]] constexpr bool mixes_products() const {
        bool spread = false;
        bool own = false;
        for (const instruction& i : stream_) {
            if (i.unit != unit_kind::tensor) continue;
            spread = spread || is_spread(i);
            own = own || !is_spread(i);
        }
        return spread && own;
    }

    [[nodiscard]] static constexpr bool falls(const sm_parameters& p) {
        return p.last_dram_bytes_per_cycle > 0 &&
               p.last_dram_bytes_per_cycle < p.dram_bytes_per_cycle;
    }

    // What any instruction of the stream keeps a unit busy with, at least.
    [[nodiscard]] constexpr double least_work(std::size_t unit) const {
        double least = 0;
        for (const instruction& i : stream_) {
            if (i.unit == unit_kind::loop || unit_of(i, parameters_) != unit) continue;
            const double work = unit_work(i, unit, parameters_);
            least = least > 0 ? core::min(least, work) : work;
        }
        return least > 0 ? least : parameters_.warp_size * static_cast<double>(parts_of_thread);
    }

    // What the stream's instructions on a unit of so many parts of lanes can leave over is a multiple of what divides
    // the work of each.
    [[nodiscard]] constexpr double slack_of(std::size_t unit, double lanes) const {
        double divisor = lanes;
        for (const instruction& i : stream_) {
            if (i.unit == unit_kind::loop || unit_of(i, parameters_) != unit) continue;
            divisor = common_divisor(divisor, unit_work(i, unit, parameters_));
        }
        return (lanes - divisor) / lanes;
    }

    // Cycles that it keeps its unit, and the part of them that passes in the cycle of its issue.
    [[nodiscard]] constexpr double busy(const instruction& i, std::size_t unit) const {
        return unit_work(i, unit, parameters_) /
               (units_[unit].lanes * static_cast<double>(parts_of_thread));
    }
    [[nodiscard]] constexpr double turn(std::size_t unit) const { return 1 / units_[unit].starts; }
    // What serves an access, which is an entry of the stream.
    [[nodiscard]] constexpr entry_level level(const instruction& i) const {
        return level_of(static_cast<std::size_t>(&i - stream_.data()), parameters_);
    }
    // Cycles that a request takes the bandwidth of DRAM, and of this SM's part of L2.
    [[nodiscard]] constexpr double dram_passing(const instruction& i) const {
        return dram_bytes_of(i, parameters_, level(i)) / bytes_per_cycle_;
    }
    [[nodiscard]] constexpr double l2_passing(const instruction& i) const {
        const double bytes = l2_bytes_of(i, parameters_, level(i));
        return bytes > 0 ? bytes / parameters_.l2_bytes_per_cycle : 0;
    }
    // A request that takes longer than the latency leaves a part of its last cycle unused; the simulation
    // rounds the fractions of a cycle up.
    [[nodiscard]] static constexpr double kept(double passing, double latency) {
        if (!(passing > 0)) return 0;
        return passing + (passing > latency ? 1 : 0x1p-20);
    }

    [[nodiscard]] constexpr double dram_kept(const instruction& i) const {
        return kept(dram_passing(i), parameters_.dram_latency_cycles);
    }
    [[nodiscard]] constexpr double l2_kept(const instruction& i) const {
        return kept(l2_passing(i), parameters_.l2_latency_cycles);
    }
    // An access takes its unit, L2 and DRAM from its issue on, all at the same time.
    [[nodiscard]] constexpr double work(const instruction& i, std::size_t unit) const {
        return core::max(busy(i, unit), core::max(dram_kept(i), l2_kept(i)));
    }
    // An instruction that issues in a cycle in which all schedulers are taken has its turn of the unit in it.
    [[nodiscard]] constexpr double scheduler_cycles(const instruction& i) const {
        const std::size_t u = unit_of(i, parameters_);
        if (u == sm_unit_count || is_spread(i)) return issue_part_;
        return (units_[u].of_scheduler ? work(i, u) : 0) + core::max(issue_part_ - turn(u), 0.0);
    }

    constexpr void charge(sm_costs& costs, const instruction& i, double times) const {
        costs.issue_cycles += times / parameters_.warp_schedulers;
        costs.scheduler_cycles += times * scheduler_cycles(i);
        const std::size_t u = unit_of(i, parameters_);
        if (u == sm_unit_count) {
            costs.barriers += times;
            costs.own_turns += times * issue_part_;
            return;
        }
        const unit_supply& unit = units_[u];
        if (is_spread(i)) return charge_spread(costs, i, times);
        if (!unit.of_scheduler) costs.shared_cycles += times * work(i, u);
        costs.unit_cycles[u] += times * busy(i, u) * unit.lanes / parameters_.lanes[u];
        costs.own_turns += times * core::max(issue_part_, turn(u));
        costs.dram_cycles += times * dram_kept(i);
        costs.l2_cycles += times * l2_kept(i);
    }

    // A product of a block holds up nothing at its issue. All tensor cores of the SM work on it, at the same time or, where
    // they have other work too, perhaps not.
    constexpr void charge_spread(sm_costs& costs, const instruction& i, double times) const {
        costs.unit_cycles[tensor] += times * spread_cycles(i);
        costs.shared_cycles += times * (mixed_ ? busy(i, tensor) : spread_cycles(i));
        costs.own_turns += times * issue_part_;
    }
    // Cycles that all tensor cores of the SM take for it.
    [[nodiscard]] constexpr double spread_cycles(const instruction& i) const {
        return busy(i, tensor) * units_[tensor].lanes / parameters_.lanes[tensor];
    }

    // What the units of a sub-core have left to do, at most, when nothing issues to them any more.
    [[nodiscard]] constexpr double left_cycles() const {
        double left = 0;
        for (const instruction& i : stream_) {
            const std::size_t u = unit_of(i, parameters_);
            if (u == sm_unit_count || !units_[u].of_scheduler || is_spread(i)) continue;
            left = core::max(left, units_[u].slack + busy(i, u) - 1);
        }
        return left;
    }

    // Of its time until the result, in which its warp waits for nothing else: what it works itself after its turn.
    [[nodiscard]] constexpr double own_work(const instruction& i) const {
        const std::size_t u = unit_of(i, parameters_);
        if (is_spread(i)) return spread_cycles(i);
        return u == sm_unit_count ? 0 : work(i, u) - turn(u);
    }

    // Cycles from the issue to the result, with nothing before it.
    [[nodiscard]] constexpr double latency(const instruction& i) const {
        const std::size_t u = unit_of(i, parameters_);
        if (u == sm_unit_count) return 1;
        // Behind other work, a part of its last cycle is unused.
        if (is_spread(i)) return core::ceil(block_product_cycles(i, parameters_)) + 1;
        const double finished = core::ceil(units_[u].slack + busy(i, u));
        const double once = latency_of(i, parameters_, level(i));
        double there = 0;
        if (dram_passing(i) > 0 || l2_passing(i) > 0) {
            const double l2 = l2_passing(i) > 0 ? parameters_.l2_latency_cycles : 0;
            const double passed = core::max(dram_passing(i), l2_passing(i));
            // It may depart within a cycle.
            there = core::ceil(core::max(core::max(once, l2), passed)) + 1;
        } else {
            there = once + later_cycles(i, u, parameters_);
            // A fraction that the simulation adds up in another order may come out above a whole number.
            there =
                core::floor(once) == once ? core::ceil(there) : core::floor(there + 0x1p-20) + 1;
        }
        return core::max(there, finished);
    }

    std::span<const instruction> stream_;
    const sm_parameters& parameters_;
    double sub_cores_;
    double issue_part_;  // of a cycle of the schedulers of a sub-core that an issue takes, at most
    double bytes_per_cycle_;
    unit_supply units_[sm_unit_count]{};
    bool mixed_ = false;  // of products of warps and of blocks, on tensor cores of sub-cores
};

/// What `times` phases take at most, of each kind no more than `of_each` times as many as a warp has.
template <class Costs>
constexpr double longest_phases(const Costs& costs, double times, double of_each) {
    double cycles = 0;
    for (const sm_phases& p : costs.phases) {
        const double taken = core::min(times, of_each * p.times);
        cycles += taken * p.cycles;
        times -= taken;
    }
    return cycles;
}

/// What warps take at most of the sub-cores through which a path leads, for as long as it is there.
template <class Costs>
constexpr double sub_core_cycles(const Costs& costs, const sm_workload& w, double rounds) {
    const auto blocks = static_cast<double>(w.blocks);
    const auto of_block = static_cast<double>(w.warps_per_block);
    const double warps = blocks * of_block;
    // It stays in one until a barrier, or the begin of a block.
    const double stays = rounds * (costs.barriers + 1);
    const double visited =
        core::min(core::min(stays, costs.sub_cores), rounds > 1 ? warps : of_block);
    // All warps of those that it visits may pay for all that they do,
    const double block_part = core::ceil(of_block / costs.sub_cores);
    const double part = rounds > 1 ? blocks * block_part : core::ceil(warps / costs.sub_cores);
    const double of_all = core::min(warps, visited * part) * costs.scheduler_cycles;
    // or for each phase once, and again wherever a stay ends while another block is in it.
    const double others = static_cast<double>(core::min(w.blocks, w.resident_blocks)) - 1;
    const double again = longest_phases(costs, others * (stays - 1), (visited - 1) * (blocks - 1));
    const double of_phases = block_part * (blocks * costs.scheduler_cycles + again);
    return core::min(of_all, of_phases + (stays - 1) * costs.left_cycles);
}

}  // namespace detail::simulate

/// What `stream` takes of an SM, of one warp. O(executed instructions); does not allocate.
/// \errors as `bound_sm`
template <class Used = core::when_used>
[[nodiscard]] constexpr result<sm_costs> count_sm_costs(
    std::span<const instruction> stream, const sm_parameters& p,
    unit_sharing sharing = unit_sharing::any_scheduler) {
    const auto mix = mix_of(stream);
    if (!mix) return mix.error();
    if (const auto bad = detail::simulate::check_sm(p)) return bad;
    if (const auto bad = detail::simulate::check_units(stream, p)) return bad;
    if (mix->executed() > static_cast<double>(max_executed)) {
        return stream_error(errc::limit_reached);
    }
    return detail::simulate::cost_counter<Used>(stream, p, sharing).count();
}

/// Bounds the time of `w` on one SM: no choice of warps that leaves no scheduler idle while a warp can issue takes
/// longer. With c the cycles that a warp can take from another one and R rounds of resident blocks, that is
/// start + R own_cycles + (warps - R) c; with several rounds, own_turns more, and a cycle and the turnaround for the
/// begin of each later one. Where the SM has sub-cores, their part of c counts for the warps of one of them alone; behind
/// barriers, and in later rounds, for phases of other blocks again. docs/makespan.md has the formula.
/// \errors negative, outside_domain, not_whole, overflow  a parameter of `p`, as for `simulate_sm`
///         not_positive   `blocks`, `resident_blocks`, `warps_per_block`
///         malformed      `instructions`: an access to global memory moves no bytes
///         missing        as for `simulate_sm`: what the stream needs and `p` does not know
///         limit_reached  `instructions`: more than `max_executed`
///         overflow       `cycles`: past 2^53
///         besides, as `stream.hpp` for the stream
[[nodiscard]] constexpr result<sm_bound> bound_sm(const sm_costs& costs, const sm_workload& w) {
    if (w.blocks == 0) return model_error{errc::not_positive, "blocks"};
    if (w.resident_blocks == 0) return model_error{errc::not_positive, "resident_blocks"};
    if (w.warps_per_block == 0) return model_error{errc::not_positive, "warps_per_block"};
    const auto number = [](std::uint64_t n) { return static_cast<double>(n); };
    const double rounds = number((w.blocks - 1) / w.resident_blocks + 1);
    const double warps = number(w.blocks) * number(w.warps_per_block);
    const double later_rounds =
        rounds > 1 ? costs.own_turns + (rounds - 1) * (1 + costs.turnaround_cycles) : 0;
    const double cycles = number(w.start_cycle) + costs.falling_cycles + rounds * costs.own_cycles +
                          later_rounds + (warps - rounds) * costs.shared_cycles -
                          rounds * costs.scheduler_cycles +
                          detail::simulate::sub_core_cycles(costs, w, rounds);
    const double rounded = core::floor(cycles + cycles * 0x1p-40 + 0x1p-20);  // up, what sums lose
    if (!(rounded <= 0x1p53)) return model_error{errc::overflow, "cycles"};
    sm_bound b{.cycles = static_cast<std::uint64_t>(rounded),
               .own_cycles = costs.own_cycles,
               .issue_cycles = warps * costs.issue_cycles,
               .unit_cycles = {},
               .dram_cycles = warps * costs.dram_cycles,
               .l2_cycles = warps * costs.l2_cycles};
    for (std::size_t u = 0; u < sm_unit_count; ++u) {
        b.unit_cycles[u] = warps * costs.unit_cycles[u];
    }
    return b;
}

/// The same of a stream.
template <class = core::when_used>
[[nodiscard]] constexpr result<sm_bound> bound_sm(
    std::span<const instruction> stream, const sm_parameters& p, const sm_workload& w,
    unit_sharing sharing = unit_sharing::any_scheduler) {
    const auto costs = count_sm_costs(stream, p, sharing);
    if (!costs) return costs.error();
    return bound_sm(*costs, w);
}

}  // namespace WARPGAUGE_NAMESPACE

#endif
