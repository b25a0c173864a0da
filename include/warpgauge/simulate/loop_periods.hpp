// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SIMULATE_LOOP_PERIODS_HPP
#define WARPGAUGE_SIMULATE_LOOP_PERIODS_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <warpgauge/core/scalar.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/simulate/block_rounds.hpp>
#include <warpgauge/simulate/caps.hpp>
#include <warpgauge/simulate/sm_parameters.hpp>

/// \file When rounds of loops need not be simulated one by one.
///
/// When a warp begins another round of a loop, the state of the SM is compared with an earlier one, all but the rounds that
/// warps have left. If they are equal, and every warp has fewer rounds left of one loop at most, no warp has left that
/// loop in between: for it to come back, a loop around it would have a round less, too. So everything between happens
/// again, to the cycle, while all warps have rounds left. Earlier states are kept by how deep the loop is nested, each
/// of the last look whose number is a power of two, as in block_rounds.hpp.

namespace WARPGAUGE_NAMESPACE::detail::simulate {

/// What a simulation has counted, and what its memories have moved.
struct sm_totals {
    sm_progress progress{};
    std::array<std::uint64_t, sm_unit_count> work{};  ///< of units, in parts of threads
    double l2_bytes{};                                ///< moved
    double dram_bytes{};                              ///< moved
    bool last_rate{};                                 ///< DRAM's last rate holds
    std::uint64_t last_result{};                      ///< of all results so far
};

/// Rounds that need not be simulated: what happened since `from` happens `times` over.
struct skipped_rounds {
    std::uint64_t times = 0;
    sm_totals from{};
};

/// How often what happened between `from` and `to` may be counted again, at most: within the cycles that a simulation has,
/// and before `last_from_bytes`, from which on DRAM has another rate. Sums of bytes have to be exact.
template <class = core::when_used>
constexpr std::uint64_t max_repetitions(const sm_totals& from, const sm_totals& to,
                                        bool whole_bytes, double last_from_bytes) {
    constexpr double exact = 0x1p52;
    const std::uint64_t period = to.progress.cycle - from.progress.cycle;
    if (period == 0 || to.progress.cycle >= max_simulated_cycles) return 0;
    const std::uint64_t within_cycles = (max_simulated_cycles - to.progress.cycle) / period;
    auto times = static_cast<double>(within_cycles);
    const double l2 = to.l2_bytes - from.l2_bytes;
    const double dram = to.dram_bytes - from.dram_bytes;
    if (l2 > 0) times = core::min(times, (exact - to.l2_bytes) / l2);
    if (dram > 0) {
        const double until = to.last_rate ? exact : core::min(last_from_bytes, exact);
        times = core::min(times, (until - to.dram_bytes) / dram);
    }
    const bool rounds = !whole_bytes && l2 + dram > 0;
    return rounds || times < 0 ? 0 : static_cast<std::uint64_t>(times);
}

/// Counts in `e` what happened between `from` and `to` `times` again.
template <class = core::when_used>
constexpr void count_again(sm_estimate& e, const sm_progress& from, const sm_progress& to,
                           std::uint64_t times) {
    const auto more = [&](std::uint64_t before, std::uint64_t after) {
        return times * (after - before);
    };
    add_cycles(e, from, to, more);
    e.warp_instructions += more(from.warp_instructions, to.warp_instructions);
    e.issue_slots += more(from.issue_slots, to.issue_slots);
}

template <class = core::when_used>
class loop_periods {
public:
    void reset() {
        next_ = 0;
        for (saved_state& s : saved_) s.looks = s.power = 0;
    }

    /// Whether to look at the SM after so many warp instructions: a look takes no more than some instructions do.
    [[nodiscard]] bool is_due(std::uint64_t instructions) const { return instructions >= next_; }

    /// Looks at the SM, as a warp begins a round of a loop in `depth` others. `sm` visits its state in two parts, the first of
    /// which differs more often, as `for_each_common_word(visit)` and `for_each_warp_word(visit)`, times counted from
    /// now; and what each warp has left of the loops around it, as `for_each_round(visit)`, with the rounds and
    /// whether they are of another warp than those before. The result is to be applied at once.
    template <class Sm>
    skipped_rounds look(std::size_t depth, const sm_totals& now, const Sm& sm) {
        saved_state& s = saved_[core::min(depth, levels - 1)];
        if (s.power == 0 || s.at.progress.blocks != now.progress.blocks) s.looks = s.power = 0;
        next_ = now.progress.warp_instructions + min_instructions;
        ++s.looks;
        if (s.power > 0 && is_same(s, now, sm)) {
            if (const std::uint64_t times = repetitions(s, sm); times > 0) {
                s.looks = s.power = 0;
                return {times, s.at};
            }
        }
        if (s.looks >= s.power) save(s, now, sm);
        return {};
    }

    /// The rounds that the warps had left at the state that the last look found again, in order.
    [[nodiscard]] const std::uint32_t* rounds_before(std::size_t depth) const {
        return saved_[core::min(depth, levels - 1)].rounds.data();
    }

private:
    struct saved_state {
        std::uint64_t looks = 0;
        std::uint64_t power = 0;  // the look at which another state is saved; 0: there is none
        sm_totals at{};
        std::vector<std::uint64_t> words;
        std::vector<std::uint32_t> rounds;
    };

    // Warp instructions until the next look: a word takes a hundredth of the host instructions of one. The first looks
    // come sooner, since most that repeats does so soon; the later ones take a fiftieth of the time at most.
    static constexpr std::uint64_t min_instructions = 16;
    static constexpr std::size_t levels = 3;
    [[nodiscard]] static std::uint64_t instructions_for(const saved_state& s, std::uint64_t words) {
        return words * core::min(s.looks, std::uint64_t{8}) / 16;
    }

    template <class Sm>
    bool is_same(const saved_state& s, const sm_totals& now, const Sm& sm) {
        if (s.at.last_rate != now.last_rate || s.at.last_result == now.last_result) return false;
        word_comparison with_saved{s.words};
        sm.for_each_common_word(with_saved);
        if (!with_saved.equal) return false;
        sm.for_each_warp_word(with_saved);
        next_ += instructions_for(s, with_saved.seen);
        return with_saved.is_same();
    }

    // How often all warps can do again what they did since the state `s`; 0 if one has fewer rounds left of two loops.
    template <class Sm>
    static std::uint64_t repetitions(const saved_state& s, const Sm& sm) {
        constexpr std::uint64_t any = ~std::uint64_t{0};
        std::uint64_t times = any;
        std::size_t at = 0;
        std::size_t differing = 0;  // loops of the same warp
        sm.for_each_round([&](std::uint32_t left, bool of_next_warp) {
            if (of_next_warp) differing = 0;
            const std::uint32_t before = s.rounds[at++];
            if (before == left) return;
            const bool again = before > left && ++differing == 1;
            times = again ? core::min(times, std::uint64_t{(left - 1) / (before - left)}) : 0;
        });
        return times == any ? 0 : times;
    }

    template <class Sm>
    void save(saved_state& s, const sm_totals& now, const Sm& sm) {
        s.power = 2 * core::max(s.looks, std::uint64_t{1});
        s.at = now;
        s.words.clear();
        s.rounds.clear();
        const auto add = [&](std::uint64_t word) { s.words.push_back(word); };
        sm.for_each_common_word(add);
        sm.for_each_warp_word(add);
        sm.for_each_round([&](std::uint32_t left, bool) { s.rounds.push_back(left); });
        next_ += instructions_for(s, s.words.size());
    }

    std::uint64_t next_ = 0;  // warp instructions
    saved_state saved_[levels];
};

}  // namespace WARPGAUGE_NAMESPACE::detail::simulate

#endif
