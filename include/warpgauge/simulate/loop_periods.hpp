// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SIMULATE_LOOP_PERIODS_HPP
#define WARPGAUGE_SIMULATE_LOOP_PERIODS_HPP

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <warpgauge/core/scalar.hpp>
#include <warpgauge/core/when_used.hpp>
#include <warpgauge/simulate/block_rounds.hpp>
#include <warpgauge/simulate/caps.hpp>
#include <warpgauge/simulate/memory_ports.hpp>
#include <warpgauge/simulate/memory_queue.hpp>
#include <warpgauge/simulate/sm_estimate.hpp>

/// \file When rounds of loops need not be simulated one by one.
///
/// When a warp begins another round of a loop, the state of the SM is looked up among earlier ones, all but the rounds that
/// warps have left of that loop and of those around it. From one look to the next is a step. A step happens again from the
/// same state, if no warp leaves a loop in it that it did not leave before, and if the queues to L2 and DRAM, whose
/// requests take fractions of a cycle, are as far beyond a whole cycle as before, or by so much more or less that every
/// request is answered in the same cycle: the phases for which that holds are noted with the step. So steps that are known
/// are followed from the state of the SM, with its phases, to the first that is not, and what they took is counted.

namespace WARPGAUGE_NAMESPACE::detail::simulate {

/// What a simulation has counted, and what its memories have moved.
struct sm_totals {
    sm_progress progress{};
    double l2_bytes{};            ///< moved
    double dram_bytes{};          ///< moved
    std::uint64_t unfinished{};   ///< warps
    bool last_rate{};             ///< DRAM's last rate holds
    std::uint64_t last_result{};  ///< of all results so far, as 2 x cycle + 1 if far
};

/// Rounds that need not be simulated: what took `took` happens `times` over. Then the SM is in a state of these words, with
/// these phases, and the latest of all results so far is there at `last_result`.
struct skipped_rounds {
    std::uint64_t times = 0;
    sm_totals took{};
    const std::uint64_t* words = nullptr;
    queue_phases phases{};
    std::uint64_t last_result{};
};

/// What bounds them: whether sums of bytes are exact, and from how many bytes on DRAM has another rate.
struct round_limits {
    bool whole_bytes = true;
    double last_from_bytes{};
};

/// How often what took `took` may happen from `now` on, at most: within the cycles that a simulation has, and before DRAM has
/// another rate. Sums of bytes have to be exact.
template <class = core::when_used>
constexpr std::uint64_t max_repetitions(const sm_totals& took, const sm_totals& now,
                                        const round_limits& limits) {
    constexpr double exact = 0x1p52;
    const std::uint64_t period = took.progress.cycle;
    if (period == 0 || now.progress.cycle >= max_simulated_cycles) return 0;
    const std::uint64_t within_cycles = (max_simulated_cycles - now.progress.cycle) / period;
    auto times = static_cast<double>(within_cycles);
    if (took.l2_bytes > 0) times = core::min(times, (exact - now.l2_bytes) / took.l2_bytes);
    if (took.dram_bytes > 0) {
        const double until = now.last_rate ? exact : core::min(limits.last_from_bytes, exact);
        times = core::min(times, (until - now.dram_bytes) / took.dram_bytes);
    }
    const bool rounds = !limits.whole_bytes && took.l2_bytes + took.dram_bytes > 0;
    return rounds || times < 0 ? 0 : static_cast<std::uint64_t>(times);
}

/// Counts in `e` what took `took` `times` over.
template <class = core::when_used>
constexpr void count_again(sm_estimate& e, const sm_progress& took, std::uint64_t times) {
    add_cycles(e, {}, took, [&](std::uint64_t, std::uint64_t more) { return times * more; });
    e.warp_instructions += times * took.warp_instructions;
    e.issue_slots += times * took.issue_slots;
}

/// Adds the differences `took` to totals, `times` over.
template <class = core::when_used>
constexpr void add_totals(sm_totals& sum, const sm_totals& took, std::uint64_t times) {
    sm_progress& p = sum.progress;
    const sm_progress& more = took.progress;
    p.cycle += times * more.cycle;
    p.warp_instructions += times * more.warp_instructions;
    p.issue_slots += times * more.issue_slots;
    p.issue_cycles += times * more.issue_cycles;
    p.stalls.memory_queue += times * more.stalls.memory_queue;
    p.stalls.unit_busy += times * more.stalls.unit_busy;
    p.stalls.memory_dependence += times * more.stalls.memory_dependence;
    p.stalls.dependence += times * more.stalls.dependence;
    p.stalls.barrier += times * more.stalls.barrier;
    p.stalls.nothing_resident += times * more.stalls.nothing_resident;
    // Wrapped around, a number is the one below it, as of a difference that is taken away.
    const auto signed_times = static_cast<double>(static_cast<std::int64_t>(times));
    sum.l2_bytes += signed_times * took.l2_bytes;
    sum.dram_bytes += signed_times * took.dram_bytes;
}

/// What a warp has left of a loop around it.
struct loop_left {
    std::uint32_t begin = 0;  ///< its first entry, which is never the stream's first
    std::uint32_t left = 0;   ///< rounds, this one too; 0 without a loop
};

constexpr bool is_same(const loop_left& a, const loop_left& b) {
    return a.begin == b.begin && a.left == b.left;
}
constexpr bool is_same(const queue_phases& a, const queue_phases& b) {
    return a.of[0] == b.of[0] && a.of[1] == b.of[1];
}

/// The last of all results, if that of the steps before they repeat is `skipped.last_result`, counted from `now` on. One from
/// before, of a store, may be later.
template <class = core::when_used>
constexpr std::uint64_t last_result_of(const skipped_rounds& skipped, const sm_totals& now) {
    const std::uint64_t repeated = (skipped.times - 1) * skipped.took.progress.cycle;
    return core::max(now.last_result, skipped.last_result + 2 * (now.progress.cycle + repeated));
}

template <class Used = core::when_used>
class loop_periods {
    template <class T>
    using list = core::late<Used, std::vector<T>>;

public:
    void reset() {
        for (level& l : levels_) l.clear();
    }

    /// Counts a round of a loop in `depth - 1` others that a warp begins. Whether to look at the SM.
    [[nodiscard]] bool is_due(std::size_t depth) {
        if (depth == 0 || depth > max_depth) return false;
        level& l = levels_[depth - 1];
        return ++l.round >= l.next;
    }

    /// Looks at the SM. `sm` visits its state but for phases and rounds, times counted from now, as `for_each_word(visit)`;
    /// the loops around each warp, as `for_each_round(visit)`, with the loop and whether it is of another warp than the one
    /// before; has a `summary()`, equal in equal states; has `phases()`, and the margins since it was asked for them, `take_margins()`. The result is to be applied
    /// at once.
    template <class Sm>
    skipped_rounds look(std::size_t depth, const sm_totals& now, Sm& sm,
                        const round_limits& limits) {
        level& l = levels_[depth - 1];
        narrow(sm.take_margins());
        if (l.words.size() > max_words) l.forget();
        if (l.looks_at_new >= many_new && !was_glanced_at(l, sm.summary())) return {};
        read(depth, sm, now.last_rate);
        ++l.looks;
        plan_next(l, now.progress.warp_instructions);
        const std::uint32_t at = find_or_add(l);
        const queue_phases phases = sm.phases();
        if (l.last != none) add_step(l, at, now, phases);
        l.begin(at, now, phases, rounds_);
        return skip(l, now, limits);
    }

    /// The rounds of the loop that each warp left in what the last look counts, once.
    [[nodiscard]] const list<std::uint32_t>& taken() const { return taken_; }

private:
    static constexpr std::uint32_t none = ~std::uint32_t{0};
    static constexpr std::size_t max_depth = 4;
    static constexpr std::uint64_t min_instructions = 16;
    static constexpr std::uint64_t many_new = 48;
    static constexpr std::size_t max_words = std::size_t{1} << 19;
    static constexpr std::uint64_t max_steps = std::uint64_t{1} << 14;

    struct known_state {
        std::uint64_t hash{};
        std::size_t begin{};  // of its words
        std::size_t end{};
        std::uint32_t first_step = none;
    };
    // What a step does to a queue's phase, of those that it is known for.
    struct phase_step {
        std::uint64_t least{};
        std::uint64_t most{};
        bool carried{};
        std::uint64_t change{};  // to the phase; if it is not carried, from 0
    };
    struct step {
        std::uint32_t to{};
        std::uint32_t next = none;  // of the same state
        phase_step phases[2]{};
        sm_totals took{};             // differences
        std::uint64_t last_result{};  // counted from its end
        std::size_t rounds{};         // where what each warp took begins
        std::uint32_t most_rounds{};  // of them
    };
    struct level {
        std::uint64_t round = 0;
        std::uint64_t next = 0;   // round to look at
        std::uint64_t apart = 1;  // rounds from look to look
        std::uint64_t first_round = 0;
        std::uint64_t instructions = 0;  // simulated since
        std::uint64_t looks = 0;
        std::uint64_t looks_at_new = 0;  // in a row, at states that were not known
        list<std::uint64_t> summaries;   // of states glanced at
        std::uint32_t last = none;       // the state of the last look, and what it was
        sm_totals from{};
        queue_phases phases{};
        queue_margins margins{};  // since then
        list<loop_left> rounds;
        list<known_state> states;
        list<std::uint64_t> words;
        list<step> steps;
        list<std::uint32_t> rounds_of_steps;

        void forget() {
            states.clear();
            words.clear();
            steps.clear();
            rounds_of_steps.clear();
            last = none;
        }
        void clear() {
            round = next = looks = looks_at_new = 0;
            summaries.clear();
            apart = 1;
            instructions = 0;
            forget();
        }
        void begin(std::uint32_t at, const sm_totals& now, const queue_phases& now_phases,
                   list<loop_left>& now_rounds) {
            last = at;
            from = now;
            phases = now_phases;
            margins = {{queue_margin::any(), queue_margin::any()}};
            rounds.swap(now_rounds);
        }
    };

    // A word takes a thirtieth of the host instructions of a warp instruction. The first looks come sooner, since most that
    // repeats does so soon; where all is new for long, they come seldom. A power of two, so that looks see the same states.
    void plan_next(level& l, std::uint64_t instructions) {
        if (l.looks == 1) {
            l.first_round = l.round;
        } else {
            l.instructions += instructions - l.from.progress.warp_instructions;
        }
        if (l.looks > 1 && (l.looks <= 16 || l.looks % 32 == 0)) {
            const std::uint64_t a_round =
                core::max(std::uint64_t{1}, l.instructions / (l.round - l.first_round));
            const std::uint64_t sixteenths = core::min(l.looks, std::uint64_t{4})
                                             << core::min(l.looks_at_new / 8, std::uint64_t{7});
            const std::uint64_t wanted = min_instructions + word_count_ * sixteenths / 16;
            l.apart = std::bit_floor(core::max(std::uint64_t{1}, wanted / a_round));
        }
        l.next = l.round + l.apart;
    }

    // Where all is new for long, a state is only read if one before had the same summary. Whether this one is to be.
    [[nodiscard]] static bool was_glanced_at(level& l, std::uint64_t summary) {
        for (const std::uint64_t s : l.summaries) {
            if (s == summary) return true;
        }
        if (l.summaries.size() == 256) l.summaries.clear();
        l.summaries.push_back(summary);
        l.last = none;
        l.next = l.round + l.apart;
        ++l.looks_at_new;
        return false;
    }

    void narrow(const queue_margins& since) {
        for (level& l : levels_) {
            for (std::size_t q = 0; q < 2; ++q) l.margins.of[q].narrow(since.of[q]);
        }
    }

    // The state into `words_`, with what is left of inner loops; of each warp, the loop in `depth - 1` others and those around
    // it into `rounds_`.
    template <class Sm>
    void read(std::size_t depth, const Sm& sm, bool last_rate) {
        depth_ = depth;
        rounds_.clear();
        std::size_t count = 0;
        std::size_t room = words_.size();
        std::uint64_t* words = words_.data();
        const auto add = [&](std::uint64_t word) __attribute__((always_inline)) {
            if (count == room) [[unlikely]] {
                words_.resize(2 * count + 256);
                room = words_.size();
                words = words_.data();
            }
            words[count++] = word;
        };
        sm.for_each_word(add);
        sm.for_each_position([&](const auto& position) {
            std::size_t at = 0;
            rounds_.resize(rounds_.size() + depth);
            const auto add_loop = [&](std::uint32_t begin, std::uint32_t left) {
                if (at < depth) {
                    rounds_[rounds_.size() - depth + at] = {begin, left};
                } else {
                    add(left);
                }
                ++at;
            };
            position.for_each_round(add_loop);
        });
        add(static_cast<std::uint64_t>(last_rate));
        word_count_ = count;
    }

    // Whether it is the state in `words_`.
    [[nodiscard]] bool is_read(const level& l, const known_state& s) const {
        if (s.end - s.begin != word_count_) return false;
        for (std::size_t i = 0; i < word_count_; ++i) {
            if (l.words[s.begin + i] != words_[i]) return false;
        }
        return true;
    }

    // The state in `words_`.
    std::uint32_t find_or_add(level& l) {
        std::uint64_t hash = word_count_;
        for (std::size_t i = 0; i < word_count_; ++i) hash = mix_word(hash, words_[i]);
        for (std::size_t i = 0; i < l.states.size(); ++i) {
            const known_state& s = l.states[i];
            if (s.hash == hash && is_read(l, s)) {
                l.looks_at_new = 0;
                return static_cast<std::uint32_t>(i);
            }
        }
        ++l.looks_at_new;
        const std::size_t begin = l.words.size();
        const std::uint64_t* const words = words_.data();
        l.words.insert(l.words.end(), words, words + word_count_);
        l.states.push_back({hash, begin, l.words.size()});
        return static_cast<std::uint32_t>(l.states.size() - 1);
    }

    // What happened since the last look, if it can happen again and is not known.
    void add_step(level& l, std::uint32_t at, const sm_totals& now, const queue_phases& phases) {
        known_state& from = l.states[l.last];
        if (l.from.unfinished != now.unfinished || l.from.last_rate != now.last_rate ||
            l.from.progress.blocks != now.progress.blocks ||
            l.from.last_result == now.last_result || find_step(l, l.last, l.phases) != none) {
            return;
        }
        step s{.to = at, .next = from.first_step, .rounds = l.rounds_of_steps.size()};
        for (std::size_t w = 0; w < rounds_.size(); w += depth_) {
            for (std::size_t i = 0; i + 1 < depth_; ++i) {
                if (!is_same(rounds_[w + i], l.rounds[w + i])) return drop_rounds(l, s);
            }
            const loop_left before = l.rounds[w + depth_ - 1];
            const loop_left after = rounds_[w + depth_ - 1];
            if (before.begin != after.begin || before.left < after.left) return drop_rounds(l, s);
            const std::uint32_t rounds = before.left - after.left;
            s.most_rounds = core::max(s.most_rounds, rounds);
            l.rounds_of_steps.push_back(rounds);
        }
        for (std::size_t q = 0; q < 2; ++q) {
            const queue_margin& m = l.margins.of[q];
            const std::uint64_t before = l.phases.of[q];
            s.phases[q] = {.least = before - core::min(before, m.less),
                           .most = before + core::min(~before, m.more),
                           .carried = m.carried,
                           .change = phases.of[q] - (m.carried ? before : 0)};
        }
        s.took = now;
        add_totals(s.took, l.from, ~std::uint64_t{0});
        s.last_result = now.last_result - 2 * now.progress.cycle;
        from.first_step = static_cast<std::uint32_t>(l.steps.size());
        l.steps.push_back(s);
    }
    static void drop_rounds(level& l, const step& s) { l.rounds_of_steps.resize(s.rounds); }

    [[nodiscard]] static std::uint32_t find_step(const level& l, std::uint32_t state,
                                                 const queue_phases& phases) {
        std::uint32_t i = l.states[state].first_step;
        for (; i != none; i = l.steps[i].next) {
            const step& s = l.steps[i];
            if (phases.of[0] >= s.phases[0].least && phases.of[0] <= s.phases[0].most &&
                phases.of[1] >= s.phases[1].least && phases.of[1] <= s.phases[1].most) {
                break;
            }
        }
        return i;
    }
    // What need not be simulated from the state of a look on: known steps, before a warp leaves its loop.
    skipped_rounds skip(level& l, const sm_totals& now, const round_limits& limits) {
        skipped_rounds skipped{.phases = l.phases};
        queue_margins margins{{queue_margin::any(), queue_margin::any()}};
        std::uint64_t rounds = rounds_left(l);
        std::uint32_t state = l.last;
        taken_.assign(l.rounds.size() / depth_, 0);
        for (std::uint64_t steps = 0; steps < max_steps; ++steps) {
            const std::uint32_t i = find_step(l, state, skipped.phases);
            if (i == none || l.steps[i].most_rounds > rounds) break;
            const step& s = l.steps[i];
            sm_totals took = skipped.took;
            add_totals(took, s.took, 1);
            if (max_repetitions(took, now, limits) == 0) break;
            rounds -= s.most_rounds;
            skipped.times = 1;
            skipped.took = took;
            const std::uint64_t its_last = s.last_result + 2 * took.progress.cycle;
            skipped.last_result = core::max(skipped.last_result, its_last);
            follow(l, s, skipped.phases, margins);
            state = s.to;
            if (state == l.last && is_same(skipped.phases, l.phases)) {
                skipped.times = repetitions(l, now, skipped.took, limits);
                break;
            }
        }
        if (skipped.times == 0) return skipped;
        skipped.last_result = last_result_of(skipped, now);
        narrow(margins);
        skipped.words = &l.words[l.states[state].begin];
        go_on(l, state, now, skipped);
        return skipped;
    }

    // Rounds that all warps can leave of their loops without leaving one.
    [[nodiscard]] std::uint64_t rounds_left(const level& l) const {
        std::uint64_t rounds = ~std::uint64_t{0};
        for (std::size_t w = depth_ - 1; w < l.rounds.size(); w += depth_) {
            const std::uint64_t left = l.rounds[w].left;
            if (left > 0) rounds = core::min(rounds, left - 1);
        }
        return rounds;
    }

    void follow(const level& l, const step& s, queue_phases& phases, queue_margins& margins) {
        for (std::size_t q = 0; q < 2; ++q) {
            const phase_step& p = s.phases[q];
            margins.of[q].narrow({phases.of[q] - p.least, p.most - phases.of[q], p.carried});
            phases.of[q] = p.change + (p.carried ? phases.of[q] : 0);
        }
        for (std::size_t w = 0; w < taken_.size(); ++w) {
            taken_[w] += l.rounds_of_steps[s.rounds + w];
        }
    }

    // How often steps that lead to the same state and phases can happen.
    [[nodiscard]] std::uint64_t repetitions(const level& l, const sm_totals& now,
                                            const sm_totals& took,
                                            const round_limits& limits) const {
        std::uint64_t times = max_repetitions(took, now, limits);
        for (std::size_t w = 0; w < taken_.size(); ++w) {
            const std::uint64_t left = l.rounds[w * depth_ + depth_ - 1].left;
            if (taken_[w] > 0) times = core::min(times, (left - 1) / taken_[w]);
        }
        return times;
    }

    // The next step begins after what is skipped.
    void go_on(level& l, std::uint32_t state, const sm_totals& now, const skipped_rounds& skipped) {
        l.last = state;
        l.phases = skipped.phases;
        l.margins = {{queue_margin::any(), queue_margin::any()}};
        l.from = now;
        add_totals(l.from, skipped.took, skipped.times);
        l.from.last_result = skipped.last_result;
        for (std::size_t w = 0; w < taken_.size(); ++w) {
            l.rounds[w * depth_ + depth_ - 1].left -=
                static_cast<std::uint32_t>(skipped.times) * taken_[w];
        }
    }

    std::size_t depth_ = 1;
    list<std::uint64_t> words_;  // of the state that was read, and room for more
    std::size_t word_count_ = 0;
    list<loop_left> rounds_;
    list<std::uint32_t> taken_;  // by warp
    level levels_[max_depth];
};

}  // namespace WARPGAUGE_NAMESPACE::detail::simulate

#endif
