// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TRACE_REPEATED_ROUNDS_HPP
#define WARPGAUGE_PTX_TRACE_REPEATED_ROUNDS_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

#include <warpgauge/core/when_used.hpp>

/// \file What rounds of a loop lead to that are not followed, since one that was stands for them.
///
/// Each round has the same steps, and may still do something else: a round may wait for what the last but one has loaded.
/// So the steps are repeated until a round ends as an earlier one did. The rounds between the two are a period.

namespace WARPGAUGE_NAMESPACE::ptx::detail::trace {

/// Follows the steps of rounds that stand for others. `Counter` has
///   take(step)            which counts a step,
///   add_state(values)     which appends where it stands, such that what comes next depends on nothing else,
///   count()               which grows from round to round,
///   pass(before, times)   which lets rounds pass that end in the same state, each of which adds what was added since `before`,
///   end_rounds(before, followed)  which is called when all have passed: the counts before and after the one that was followed.
template <class Step, class Value, class Used = core::when_used>
class repeated_rounds {
public:
    /// A warp begins.
    void clear() {
        times_ = 1;
        open_ = 0;
    }
    /// Is the step that comes next of a round that stands for others?
    [[nodiscard]] bool is_open() const { return open_ != 0; }
    /// How many rounds the one under way stands for.
    [[nodiscard]] std::uint64_t times() const { return times_; }

    /// A step of such a round.
    void add(const Step& s) {
        if (steps_.size() < max_steps) steps_.push_back(s);
    }

    /// The next step is of a round that stands for `times`, and those pass for which the one before stood. A round of a loop
    /// within another one stands for a multiple.
    template <class Counter>
    void change(std::uint64_t times, Counter& counter) {
        times_ = times;
        while (open_ != 0 && times != around() && (times % around() != 0 || open_ == max_open)) {
            end(counter);
        }
        if (times != around()) begin(times, counter);
    }

private:
    // Where the counter stood before a round.
    struct point {
        std::vector<Value> state{};
        Value count{};
    };
    struct round {
        std::size_t first{}, last{};  // steps
        std::uint64_t times{};
        std::uint64_t all_times{};  // those of the loop around it, too
    };
    // The points between rounds that have passed.
    struct passed_rounds {
        std::size_t count = 0;
        core::late<Used, std::vector<point>> points{};
    };

    static constexpr std::size_t max_open = 2;
    static constexpr std::size_t max_points = 64;
    static constexpr std::size_t max_steps = std::size_t{1} << 16;

    [[nodiscard]] std::uint64_t around() const {
        return open_ == 0 ? 1 : rounds_[open_ - 1].all_times;
    }

    template <class Counter>
    void see(passed_rounds& p, Counter& counter) {
        if (p.points.size() <= p.count) p.points.emplace_back();
        point& now = p.points[p.count++];
        now.state.clear();
        counter.add_state(now.state);
        now.count = counter.count();
    }

    template <class Counter>
    void begin(std::uint64_t times, Counter& counter) {
        if (open_ == 0) {
            steps_.clear();
            inner_.clear();
        }
        rounds_[open_] = {steps_.size(), 0, times / around(), times};
        passed_[open_].count = 0;
        see(passed_[open_], counter);
        ++open_;
    }

    template <class Counter>
    void end(Counter& counter) {
        round& r = rounds_[--open_];
        r.last = steps_.size();
        if (open_ != 0) inner_.push_back(r);
        const Value followed = counter.count();
        repeat(r, open_, counter);
        counter.end_rounds(passed_[open_].points[0].count, followed);
    }

    // All rounds but the first, which has been counted.
    template <class Counter>
    void repeat(const round& r, std::size_t level, Counter& counter) {
        passed_rounds& p = passed_[level];
        for (std::uint64_t left = r.times - 1; left != 0; --left) {
            see(p, counter);
            const std::size_t period = period_of(p);
            if (period == 0) {
                take(r, level, counter);
                continue;
            }
            counter.pass(p.points[p.count - 1 - period].count, left / period);
            for (left %= period; left != 0; --left) take(r, level, counter);
            return;
        }
    }

    // How many rounds ago the state was the one of now; 0: it is new. If none comes again, all rounds so far are taken for a
    // period, and so is a round of too many steps.
    [[nodiscard]] std::size_t period_of(const passed_rounds& p) const {
        const std::size_t now = p.count - 1;
        for (std::size_t before = now; before-- > 0;) {
            if (is_same(p.points[before].state, p.points[now].state)) return now - before;
        }
        return now == max_points || steps_.size() == max_steps ? now : 0;
    }

    // Values that a state does not have yet are the first ones.
    static bool is_same(const std::vector<Value>& a, const std::vector<Value>& b) {
        const std::vector<Value>& shorter = a.size() < b.size() ? a : b;
        const std::vector<Value>& longer = a.size() < b.size() ? b : a;
        for (std::size_t n = 0; n < longer.size(); ++n) {
            if (!(longer[n] == (n < shorter.size() ? shorter[n] : Value{}))) return false;
        }
        return true;
    }

    template <class Counter>
    void take(const round& r, std::size_t level, Counter& counter) {
        std::size_t inner = level == 0 ? 0 : inner_.size();
        for (std::size_t n = r.first; n < r.last;) {
            if (inner == inner_.size() || inner_[inner].first != n) {
                counter.take(steps_[n++]);
                continue;
            }
            const round& within = inner_[inner++];
            passed_[1].count = 0;
            see(passed_[1], counter);
            take(within, 1, counter);
            repeat(within, 1, counter);
            n = within.last;
        }
    }

    std::uint64_t times_ = 1;
    std::size_t open_ = 0;
    round rounds_[max_open];  // under way
    passed_rounds passed_[max_open]{};
    core::late<Used, std::vector<Step>> steps_;
    core::late<Used, std::vector<round>> inner_;  // of the loops within, in their order
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::trace

#endif
