// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SIMULATE_BLOCK_ROUNDS_HPP
#define WARPGAUGE_SIMULATE_BLOCK_ROUNDS_HPP

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <warpgauge/core/scalar.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/simulate/block_rate.hpp>
#include <warpgauge/simulate/caps.hpp>
#include <warpgauge/simulate/decoded_stream.hpp>
#include <warpgauge/simulate/execution_units.hpp>
#include <warpgauge/simulate/sm_estimate.hpp>
#include <warpgauge/simulate/sm_parameters.hpp>

/// \file When an SM that replaces its blocks need not be simulated further.
///
/// Once a round, which is as many new blocks as the SM holds, its whole state is compared with an earlier one. If
/// they are equal, everything between them happens again, to the cycle, until no block is left to begin. The earlier
/// state is that of the last round whose number is a power of two, so that any period is found within three times
/// its length and its start (R. P. Brent, "An Improved Monte Carlo Factorization Algorithm", BIT 20, 1980). Where
/// nothing repeats, the rate of the last half of the rounds is that of the blocks that are left, if it was even.

namespace WARPGAUGE_NAMESPACE::detail::simulate {

/// The hash of words with one more.
constexpr std::uint64_t mix_word(std::uint64_t hash, std::uint64_t word) {
    return std::rotl(hash ^ word, 23) * 0xD6E8FEB86659FD93;
}

/// What a simulation counts in the course of time.
struct sm_progress {
    std::uint64_t cycle{};
    std::uint64_t blocks{};  // begun
    std::uint64_t warp_instructions{};
    std::uint64_t issue_slots{};
    std::uint64_t issue_cycles{};
    sm_stalls stalls{};
};

/// Blocks that need not be simulated: what happened between `from` and `to` happens `times` over.
struct skipped_blocks {
    std::uint64_t count = 0;
    bool repeats = false;  ///< exactly, a whole number of times; if not, at the measured rate
    double times = 0;
    double error_cycles = 0;  ///< of all of them
    sm_progress from{};
    sm_progress to{};
};

/// Adds `more(from, to)` of every kind of cycle, issue and stalls, to `e`. Returns the sum.
template <class More>
constexpr std::uint64_t add_cycles(sm_estimate& e, const sm_progress& from, const sm_progress& to,
                                   const More& more) {
    std::uint64_t cycles = 0;
    const auto add = [&](std::uint64_t& counter, std::uint64_t before, std::uint64_t after) {
        const std::uint64_t added = more(before, after);
        counter += added;
        cycles += added;
    };
    const sm_stalls& before = from.stalls;
    const sm_stalls& after = to.stalls;
    add(e.issue_cycles, from.issue_cycles, to.issue_cycles);
    add(e.stalls.memory_queue, before.memory_queue, after.memory_queue);
    add(e.stalls.unit_busy, before.unit_busy, after.unit_busy);
    add(e.stalls.memory_dependence, before.memory_dependence, after.memory_dependence);
    add(e.stalls.dependence, before.dependence, after.dependence);
    add(e.stalls.barrier, before.barrier, after.barrier);
    add(e.stalls.nothing_resident, before.nothing_resident, after.nothing_resident);
    return cycles;
}

/// Counts what is skipped, but not the instructions. Returns the cycles that it takes, at least
/// `min_cycles`: while a rate is measured, more may be asked for than is worked off.
template <class = core::when_used>
constexpr std::uint64_t count_skipped(sm_estimate& e, const skipped_blocks& s, double min_cycles) {
    const auto times = static_cast<std::uint64_t>(s.times);
    const auto scaled = [&](std::uint64_t from, std::uint64_t to) {
        return s.repeats ? times * (to - from)
                         : static_cast<std::uint64_t>(
                               core::floor(s.times * static_cast<double>(to - from) + 0.5));
    };
    (s.repeats ? e.repeated_blocks : e.extrapolated_blocks) = s.count;
    const std::uint64_t cycles = add_cycles(e, s.from, s.to, scaled);
    e.issue_slots += scaled(s.from.issue_slots, s.to.issue_slots);
    const auto least = static_cast<std::uint64_t>(core::ceil(min_cycles));
    if (least <= cycles) return cycles;
    e.stalls.unit_busy += least - cycles;
    return least;
}

/// What was counted and not simulated.
struct counted_work {
    std::uint64_t cycles{};
    std::uint64_t warp_instructions{};
    double error_cycles{};
    double l2_bytes{};
    double dram_bytes{};
    std::array<double, sm_unit_count> work{};  // parts of threads
};

/// Counts what is skipped on an SM `p` of `units`, with blocks of `warps` that each do `per_warp`. False if it is
/// more than 64 bits count.
template <std::size_t SubCores>
constexpr bool count_skipped(sm_estimate& e, const skipped_blocks& s, const warp_work& per_warp,
                             std::size_t warps, const execution_units<SubCores>& units,
                             const sm_parameters& p, counted_work& counted) {
    const double all = static_cast<double>(s.count) * static_cast<double>(warps);
    const double instructions = all * per_warp.instructions;
    counted.l2_bytes = all * per_warp.l2_bytes;
    counted.dram_bytes = all * per_warp.dram_bytes;
    double least = core::max(instructions / (p.warp_schedulers * p.issues_per_scheduler),
                             counted.dram_bytes / p.dram_bytes_per_cycle);
    if (counted.l2_bytes > 0) least = core::max(least, counted.l2_bytes / p.l2_bytes_per_cycle);
    for (std::size_t u = 0; u < sm_unit_count; ++u) {
        counted.work[u] = all * static_cast<double>(per_warp.work[u]);
        least = core::max(least, units.cycles_of(u, counted.work[u]));
    }
    constexpr double most = 0x1p62;
    if (s.times * static_cast<double>(s.to.cycle) > most || least > most || instructions > most) {
        return false;
    }
    counted.cycles = count_skipped(e, s, s.repeats ? 0 : least);
    counted.warp_instructions = static_cast<std::uint64_t>(instructions);
    counted.error_cycles = s.error_cycles;
    e.warp_instructions += counted.warp_instructions;
    return true;
}

template <class Used = core::when_used>
class block_rounds {
public:
    static constexpr std::uint64_t never = ~std::uint64_t{0};

    /// For an SM that holds `blocks` of `total`, each with so many warp instructions.
    void reset(std::uint64_t blocks, std::uint64_t total, double instructions_per_block,
               const simulation_caps& caps) {
        caps_ = caps;
        blocks_ = blocks;
        instructions_per_block_ = instructions_per_block;
        total_ = total;
        round_ = 0;
        power_ = 1;
        next_ = total > 2 * blocks ? 2 * blocks : never;
        start_ = {};
        rate_.reset(0);
        hash_ = 0;
        state_.clear();
    }
    /// `now` is the first cycle.
    void begin(const sm_progress& now) {
        start_ = now;
        rate_.reset(now.cycle);
    }

    /// How many blocks have begun when the SM is to be looked at next.
    [[nodiscard]] std::uint64_t next() const { return next_; }

    /// Looks at the SM. `for_each_word(visit)` visits its state, as words. The result is to be applied at once.
    template <class State>
    skipped_blocks look(const sm_progress& now, const State& for_each_word) {
        ++round_;
        rate_.add_round(now.cycle, now.warp_instructions);
        next_ = (now.blocks / blocks_ + 1) * blocks_;
        if (next_ >= total_) next_ = never;
        const std::uint64_t hash = hash_of(for_each_word);
        if (!state_.empty() && hash == hash_ && same(for_each_word)) {
            next_ = never;
            return repeated(now);
        }
        if (round_ < power_) return {};
        power_ *= 2;
        if (is_enough(now)) {
            const skipped_blocks rest = at_measured_rate(now);
            if (rest.count == 0 || is_even(rest)) {
                next_ = never;
                return rest;
            }
        }
        start_ = now;
        hash_ = hash;
        state_.clear();
        for_each_word([&](std::uint64_t word) { state_.push_back(word); });
        return {};
    }

private:
    template <class State>
    static std::uint64_t hash_of(const State& for_each_word) {
        std::uint64_t hash = 0x9E3779B97F4A7C15;
        for_each_word([&](std::uint64_t word) { hash = mix_word(hash, word); });
        return hash;
    }

    template <class State>
    [[nodiscard]] bool same(const State& for_each_word) const {
        std::size_t at = 0;
        bool equal = true;
        for_each_word([&](std::uint64_t word) {
            equal = equal && at < state_.size() && state_[at] == word;
            ++at;
        });
        return equal && at == state_.size();
    }

    [[nodiscard]] skipped_blocks repeated(const sm_progress& now) const {
        const std::uint64_t period = now.blocks - start_.blocks;
        const std::uint64_t times = (total_ - now.blocks) / period;
        return {.count = times * period,
                .repeats = true,
                .times = static_cast<double>(times),
                .from = start_,
                .to = now};
    }

    [[nodiscard]] bool is_enough(const sm_progress& now) const {
        return round_ >= 2 && now.warp_instructions >= caps_.min_simulated;
    }

    // All whole rounds that are left, at the rate since `start_`.
    [[nodiscard]] skipped_blocks at_measured_rate(const sm_progress& now) const {
        skipped_blocks s{.from = start_, .to = now};
        s.count = (total_ - now.blocks) / blocks_ * blocks_;
        const double instructions = static_cast<double>(s.count) * instructions_per_block_;
        s.times =
            instructions / static_cast<double>(now.warp_instructions - start_.warp_instructions);
        // The last blocks, simulated from this state, can end as much earlier or later as a round.
        const double round = static_cast<double>(blocks_) * instructions_per_block_;
        s.error_cycles = (instructions + round) * rate_.error(instructions);
        return s;
    }

    // Whether a rate is to be extrapolated: it is even, or enough has been simulated.
    [[nodiscard]] bool is_even(const skipped_blocks& s) const {
        if (s.to.warp_instructions >= caps_.max_simulated) return true;
        const double cycles = static_cast<double>(s.to.cycle) +
                              s.times * static_cast<double>(s.to.cycle - s.from.cycle);
        return s.error_cycles <= caps_.even_within * cycles;
    }

    simulation_caps caps_{};
    std::uint64_t blocks_ = 1;
    std::uint64_t total_ = 1;
    double instructions_per_block_ = 1;
    std::uint64_t next_ = never;
    std::uint64_t round_ = 0;
    std::uint64_t power_ = 1;
    sm_progress start_{};  // at the last round whose number is a power of two
    block_rate<> rate_;
    std::uint64_t hash_ = 0;
    std::vector<std::uint64_t> state_;  // as `start_`
};

}  // namespace WARPGAUGE_NAMESPACE::detail::simulate

#endif
