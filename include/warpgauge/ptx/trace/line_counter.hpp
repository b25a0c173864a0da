// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_PTX_TRACE_LINE_COUNTER_HPP
#define WARPGAUGE_PTX_TRACE_LINE_COUNTER_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

#include <warpgauge/core/when_used.hpp>
#include <warpgauge/ptx/link/program.hpp>
#include <warpgauge/ptx/run/executed.hpp>
#include <warpgauge/ptx/trace/traced_kernel.hpp>

/// \file How often each line of a text is issued, how many rounds its loops take, and the order of its lines.

namespace WARPGAUGE_NAMESPACE::ptx::detail::trace {

/// Counts lines, and the rounds of each way through a loop, of warps that stand for several.
template <class Used = core::when_used>
class line_counter {
public:
    /// The program must outlive the counter.
    explicit line_counter(const ptx::link::program& p)
        : program_(p),
          issued_(p.steps.size()),
          loop_of_(p.steps.size(), ptx::link::nowhere),
          ended_by_(p.steps.size(), ptx::link::nowhere) {
        for (std::uint32_t n = 0; n < p.steps.size(); ++n) {
            const ptx::link::step& s = p.steps[n];
            if (s.what != ptx::text::action::branch || s.target > n) continue;
            std::uint32_t& loop = loop_of_[s.target];
            if (loop == ptx::link::nowhere) {
                loop = static_cast<std::uint32_t>(loops_.size());
                loops_.push_back({.first = s.target});
            }
            if (loops_[loop].last != 0) ended_by_[loops_[loop].last] = ptx::link::nowhere;
            ended_by_[n] = loops_[loop].last == 0 ? loop : ptx::link::nowhere;
            loops_[loop].last = n;
        }
    }

    void begin_warp() { before_ = {}; }

    /// One instruction of a warp that stands for `weight` warps.
    void count(const ptx::run::executed& e, double weight) {
        if (!e.continues) count({e.step, e.depth, true}, e.rounds, {e.active, e.jumping}, weight);
    }
    /// The same of a warp that calls nothing; of a branch, the lanes that are `active` and those that jump.
    void count(std::uint32_t step, std::uint64_t rounds, std::uint32_t active,
               std::uint32_t jumping, double weight) {
        count({step, 0, true}, rounds, {active, jumping}, weight);
    }

    void end_warp(double weight) {
        for (way& w : loops_) end_way(w, weight);
    }

    /// Adds means of one warp to a trace whose number of warps is known.
    void finish(core::late<Used, traced_kernel>& trace) const {
        for (std::uint32_t n = 0; n < issued_.size(); ++n) {
            if (issued_[n] > 0) trace.lines.push_back({line_of(n), issued_[n] / trace.warps});
        }
        for (const way& w : loops_) {
            for (const ended& e : w.done) {
                trace.loops.push_back({line_of(w.first), line_of(w.last), e.rounds,
                                       e.weight / trace.warps, e.leave_after});
            }
        }
    }

private:
    struct ended {
        double rounds{}, weight{};
        std::uint8_t leave_after{};
    };
    struct way {
        std::uint32_t first{}, last{};
        double rounds{};         // of the way that is under way
        std::uint64_t ways = 1;  // that it stands for
        std::uint32_t jumped{};  // lanes that jumped back last
        std::uint8_t leave_after{};
        std::vector<ended> done{};
    };
    struct place {
        std::uint32_t step{}, depth{};
        bool known{};
    };

    struct branching {
        std::uint32_t active{}, jumping{};
    };

    void count(const place& now, std::uint64_t rounds, const branching& lanes, double weight) {
        issued_[now.step] += weight * static_cast<double>(rounds);
        if (const std::uint32_t loop = loop_of_[now.step]; loop != ptx::link::nowhere) {
            way& w = loops_[loop];
            const bool inside =
                before_.known &&
                (before_.depth > now.depth ||
                 (before_.depth == now.depth && before_.step >= w.first && before_.step <= w.last));
            if (!inside) {
                end_way(w, weight);
                w.ways = rounds;
            }
            w.rounds += static_cast<double>(rounds / w.ways);
        }
        if (const std::uint32_t loop = ended_by_[now.step]; loop != ptx::link::nowhere) {
            end_round(loops_[loop], lanes);
        }
        before_ = now;
    }

    // Lanes that do not jump back leave, and those that a jump within the round has led out of it have left.
    static void end_round(way& w, const branching& lanes) {
        const std::uint32_t leaving = (lanes.active | w.jumped) & ~lanes.jumping;
        const auto rounds = static_cast<std::uint64_t>(w.rounds);
        if (leaving != 0) w.leave_after |= static_cast<std::uint8_t>(1U << rounds % 8);
        w.jumped = lanes.jumping;
    }

    [[nodiscard]] std::uint32_t line_of(std::uint32_t step) const {
        return program_.source->instructions[program_.steps[step].statement].at.line;
    }

    static void end_way(way& w, double weight) {
        if (w.rounds == 0) return;
        add(w, w.rounds, weight * static_cast<double>(w.ways));
        w.rounds = 0;
        w.jumped = 0;
        w.leave_after = 0;
    }

    // Beyond as many different numbers of rounds, the last entry takes the mean.
    static void add(way& w, double rounds, double weight) {
        constexpr std::size_t most = 64;
        for (ended& e : w.done) {
            if (e.rounds != rounds || e.leave_after != w.leave_after) continue;
            e.weight += weight;
            return;
        }
        if (w.done.size() < most) {
            w.done.push_back({rounds, weight, w.leave_after});
            return;
        }
        ended& mean = w.done.back();
        mean.rounds = (mean.rounds * mean.weight + rounds * weight) / (mean.weight + weight);
        mean.weight += weight;
        mean.leave_after = 0;
    }

    const ptx::link::program& program_;
    core::late<Used, std::vector<double>> issued_;          // by step
    core::late<Used, std::vector<std::uint32_t>> loop_of_;  // by step: the loop that it heads
    core::late<Used, std::vector<std::uint32_t>>
        ended_by_;  // by step: the loop that it alone jumps back in
    core::late<Used, std::vector<way>> loops_;
    place before_;
};

/// Writes down the lines of one warp in their order, as runs of lines that follow each other.
template <class Used = core::when_used>
class path_recorder {
public:
    path_recorder(const ptx::link::program& p, std::size_t max_entries)
        : program_(p), max_entries_(max_entries) {}

    void operator()(const ptx::run::executed& e) {
        if (!fits_ || e.continues) return;
        if (e.rounds != rounds_) change_rounds(e.rounds);
        if (open_ && e.step == last_ + 1 && e.depth == depth_ && !jumps(last_)) {
            last_ = e.step;
            return;
        }
        close();
        open_ = true;
        first_ = last_ = e.step;
        depth_ = e.depth;
    }

    /// The runs; none if there are more than allowed.
    core::late<Used, std::vector<line_run>> finish() {
        change_rounds(1);
        if (!fits_) runs_.clear();
        return runs_;
    }

private:
    [[nodiscard]] bool jumps(std::uint32_t step) const {
        const ptx::text::action what = program_.steps[step].what;
        return what == ptx::text::action::branch || what == ptx::text::action::branch_table;
    }
    [[nodiscard]] std::uint32_t line_of(std::uint32_t step) const {
        return program_.source->instructions[program_.steps[step].statement].at.line;
    }

    // A round of a loop within one that stands for others stands for a multiple of these.
    void change_rounds(std::uint64_t next) {
        close();
        if (rounds_ > 1 && next > rounds_ && outer_rounds_ == 1) {
            outer_rounds_ = rounds_;
            outer_run_ = first_run_;
            first_run_ = runs_.size();
        } else {
            repeat(rounds_ / outer_rounds_);
            first_run_ = runs_.size();
            if (outer_rounds_ > 1) {
                rounds_ = outer_rounds_;
                first_run_ = outer_run_;
                outer_rounds_ = 1;
                if (next != rounds_) return change_rounds(next);
            }
        }
        rounds_ = next;
    }

    // The rounds that have ended stand for others, which follow them in the same order.
    void repeat(std::uint64_t rounds) {
        const std::size_t length = runs_.size() - first_run_;
        if (length == 1) {
            runs_.back().times *= static_cast<decltype(line_run::times)>(rounds);
        } else if (rounds > 1 && length * (rounds - 1) > max_entries_ - runs_.size()) {
            fits_ = false;
        } else {
            for (std::size_t n = 0; n < length * (rounds - 1); ++n) {
                runs_.push_back(line_run(runs_[first_run_ + n]));
            }
        }
    }

    void close() {
        if (!open_) return;
        open_ = false;
        const line_run run{line_of(first_), line_of(last_), 1};
        if (runs_.size() > first_run_ && runs_.back().first_line == run.first_line &&
            runs_.back().last_line == run.last_line) {
            runs_.back().times += 1;
        } else if (runs_.size() < max_entries_) {
            runs_.push_back(run);
        } else {
            fits_ = false;
        }
    }

    const ptx::link::program& program_;
    std::size_t max_entries_;
    core::late<Used, std::vector<line_run>> runs_;
    std::uint64_t rounds_ = 1;        // that what is under way stands for
    std::size_t first_run_ = 0;       // of that
    std::uint64_t outer_rounds_ = 1;  // that the round around it stands for; 1: there is none
    std::size_t outer_run_ = 0;
    std::uint32_t first_{}, last_{}, depth_{};
    bool open_ = false;
    bool fits_ = true;
};

}  // namespace WARPGAUGE_NAMESPACE::ptx::detail::trace

#endif
