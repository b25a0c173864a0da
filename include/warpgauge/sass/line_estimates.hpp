// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef WARPGAUGE_SASS_LINE_ESTIMATES_HPP
#define WARPGAUGE_SASS_LINE_ESTIMATES_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include <warpgauge/core/when_used.hpp>
#include <warpgauge/ptx/text/module.hpp>
#include <warpgauge/ptx/trace/traced_kernel.hpp>
#include <warpgauge/sass/blocks.hpp>
#include <warpgauge/sass/flow_fit.hpp>
#include <warpgauge/sass/instruction.hpp>
#include <warpgauge/sass/line_copies.hpp>
#include <warpgauge/sass/loop_versions.hpp>
#include <warpgauge/sass/traced_lines.hpp>
#include <warpgauge/sass/ways_around.hpp>

/// \file How often each block of machine code is executed, as the lines of its instructions say.
///
/// A line of PTX such as a load, a store, a barrier or a multiplication becomes one machine instruction in each copy
/// of its code. A block where it stands k times executes k rounds of its loop at once; what does not fill such a
/// block goes to the block with fewer copies, as compilers that unroll loops do it. Instructions that a compiler moves
/// out of loops, merges or invents do not fit; `fit_flow` overrules them.

namespace WARPGAUGE_NAMESPACE::sass {

/// Estimates for a graph's blocks and loops.
/// \param text the PTX that was traced and compiled
template <class = core::when_used>
[[nodiscard]] flow_estimates estimate_blocks(const ptx::module& text,
                                             const ptx::traced_kernel& trace,
                                             std::span<const machine_instruction> code,
                                             const block_graph& graph);

namespace detail {

template <class Used = core::when_used>
class line_estimator {
public:
    line_estimator(const ptx::module& text, const ptx::traced_kernel& trace,
                   std::span<const machine_instruction> code, const block_graph& graph)
        : code_(code),
          graph_(graph),
          read_(text, trace),
          copies_(code, graph, read_),
          versions_(graph, read_, copies_) {
        around_ = reached_without_calls<Used>(
            graph_, [this](std::uint32_t b) { return is_invented_call(b); });
        count_places();
    }

    flow_estimates estimate() {
        estimates_.blocks.assign(graph_.blocks.size(), {});
        estimates_.repeats.assign(graph_.loops.size(), -1);
        for (const loop_version& v : versions_.all) {
            if (v.loop != none) estimates_.repeats[v.loop] = v.executions - v.entries;
        }
        for (std::uint32_t b = 0; b < graph_.blocks.size(); ++b) estimate_block(b);
        for (const loop_version& v : versions_.all) make_entered(v);
        return estimates_;
    }

private:
    static constexpr std::uint32_t none = 0xffff'ffff;
    // Of lines that agree: more than lanes that part and meet cost, less than what stands for one of PTX.
    static constexpr double agreed = 0.7;
    static constexpr double weak = 0.05;  // of instructions that stand for no single one of PTX

    // That PTX does not have.
    [[nodiscard]] bool is_invented_call(std::uint32_t b) const {
        const basic_block& block = graph_.blocks[b];
        if (!block.calls) return false;
        const std::uint32_t last = read_.find(code_[block.first + block.count - 1].line);
        return last == none || !lines_[last].calls;
    }

    // Control flow would rather have a loop repeat without entering it than execute a few blocks before it of which nothing
    // is known.
    void make_entered(const loop_version& v) {
        if (v.loop == none || !(v.executions > v.entries)) return;
        double& weight = estimates_.blocks[graph_.loops[v.loop].head].weight;
        if (weight > 0 && weight < agreed) weight = agreed;
    }

    struct vote {
        double executions{}, weight{};
    };

    void estimate_block(std::uint32_t b) {
        votes_.clear();
        vote_for_copies(b, false);
        for (const line_copy& c : copies_.never) {
            if (c.block == b) votes_.push_back({0, c.weight});
        }
        if (votes_.empty()) vote_for_copies(b, true);
        if (votes_.empty()) vote_weakly(b);
        if (votes_.empty()) return;
        std::sort(votes_.begin(), votes_.end(),
                  [](const vote& x, const vote& y) { return x.executions < y.executions; });
        double all = 0;
        for (const vote& v : votes_) all += v.weight;
        auto median = votes_.begin();  // at the last one `below` is `all`
        for (double below = median->weight; 2 * below < all; below += median->weight) ++median;
        estimates_.blocks[b] = {median->executions, all};
    }

    void vote_for_copies(std::uint32_t b, bool guarded) {
        for (const line_copy& c : copies_.all) {
            if (c.block != b || c.guarded != guarded) continue;
            vote_for(b, c.line, c.weight, guarded);
        }
    }

    // What a predicate guards is issued as often as its block, however often its line is executed.
    void vote_for(std::uint32_t b, std::uint32_t line, double weight, bool guarded = false) {
        const traced_line& i = lines_[line];
        if (guarded && i.loop == none) return;
        if (i.loop == none) {
            std::uint32_t blocks = 0;
            for (const line_copy& c : copies_.all) blocks += c.line == line ? 1 : 0;
            if (blocks <= 1) {
                votes_.push_back({i.executions, weight});
            } else {
                votes_.push_back({i.executions / blocks, weight * weak});
            }
            return;
        }
        const traced_loop& l = loops_[i.loop];
        bool any = false;
        for (const loop_version& v : versions_.all) {
            if (v.ptx_loop != i.loop) continue;
            any = true;
            const bool here = v.block == b || (v.loop != none && v.loop == graph_.blocks[b].loop);
            if (!here || l.rounds <= 0) continue;
            const double once_more = is_once_more(i, l.rounds, l.begun_below) ? l.begun_below : 0;
            const double of_round = v.leads_in ? 1
                                    : guarded  ? issued_of_round(b, line)
                                               : (i.executions - once_more) / l.rounds;
            votes_.push_back({of_round * v.executions, weight});
            return;
        }
        if (any) return;   // moved out of the loop
        double times = 0;  // the loop is gone: all its rounds stand there
        for (const line_copy& c : copies_.all) times += c.line == line ? c.times : 0;
        if (times > 0) votes_.push_back({i.executions / times, weight});
    }

    // The fraction of rounds in which a block is issued whose `line` is guarded: that of the line of it, or of the test that
    // the predicate stands for, which the most rounds execute.
    [[nodiscard]] double issued_of_round(std::uint32_t b, std::uint32_t line) const {
        const std::uint32_t loop = lines_[line].loop;
        const basic_block& block = graph_.blocks[b];
        double issued = 0;
        const auto see = [&](std::uint32_t n) {
            if (n != none && lines_[n].loop == loop && lines_[n].executions > issued) {
                issued = lines_[n].executions;
            }
        };
        see(read_.find(lines_[line].test));
        for (std::uint32_t n = block.first; n < block.first + block.count; ++n) {
            see(read_.find(code_[n].line));
        }
        return issued < loops_[loop].rounds ? issued / loops_[loop].rounds : 1;
    }

    // By all its instructions. A call that PTX does not have is a way around that is hardly taken.
    void vote_weakly(std::uint32_t b) {
        const basic_block& block = graph_.blocks[b];
        if (is_invented_call(b)) {
            votes_.push_back({0, 10 * weak});
            return;
        }
        if (!around_[b]) {
            votes_.push_back({0, weak});
            return;
        }
        for (std::uint32_t n = block.first; n < block.first + block.count; ++n) {
            const std::uint32_t line = read_.find(code_[n].line);
            if (line == none) continue;
            if (lines_[line].loop == none && block.loop == no_block) {
                votes_.push_back({lines_[line].executions, weak / block.count});
            } else if (lines_[line].loop != none) {
                vote_for(b, line, weak / block.count);
            }
        }
        if (agrees(b)) votes_.push_back({votes_.front().executions, agreed - weak});
    }

    // Whether several lines say the same of a block, and say it of no other one.
    [[nodiscard]] bool agrees(std::uint32_t b) const {
        const basic_block& block = graph_.blocks[b];
        std::uint32_t first = none;
        bool several = false;
        for (std::uint32_t n = block.first; n < block.first + block.count; ++n) {
            const std::uint32_t line = line_of_work(code_[n]);
            if (line == none) continue;
            if (places_[line] > 1) return false;
            if (first == none) first = line;
            several = several || line != first;
        }
        return several && !votes_.empty() &&
               std::all_of(votes_.begin(), votes_.end(), [&](const vote& v) {
                   const double off = v.executions - votes_.front().executions;
                   return off <= 1e-9 * v.executions && -off <= 1e-9 * v.executions;
               });
    }

    // Jumps and what makes lanes meet have the line of whatever is before them.
    [[nodiscard]] std::uint32_t line_of_work(const machine_instruction& i) const {
        return i.pipe == pipe::branch ? none : read_.find(i.line);
    }

    void count_places() {
        places_.assign(lines_.size(), 0);
        core::late<Used, std::vector<std::uint32_t>> last(lines_.size(), none);
        for (std::uint32_t b = 0; b < graph_.blocks.size(); ++b) {
            const basic_block& block = graph_.blocks[b];
            if (!block.reachable) continue;
            for (std::uint32_t n = block.first; n < block.first + block.count; ++n) {
                const std::uint32_t line = line_of_work(code_[n]);
                if (line == none || last[line] == b) continue;
                last[line] = b;
                places_[line] += 1;
            }
        }
    }

    std::span<const machine_instruction> code_;
    const block_graph& graph_;
    traced_lines<Used> read_;
    const core::late<Used, std::vector<traced_line>>& lines_ = read_.lines;
    const core::late<Used, std::vector<traced_loop>>& loops_ = read_.loops;
    line_copies<Used> copies_;
    loop_versions<Used> versions_;
    core::late<Used, std::vector<std::uint32_t>> places_;  // of each line: blocks that have it
    core::late<Used, std::vector<bool>> around_;           // of each block: no added call is needed
    core::late<Used, std::vector<vote>> votes_;
    core::late<Used, flow_estimates> estimates_;
};

}  // namespace detail

template <class Used>
flow_estimates estimate_blocks(const ptx::module& text, const ptx::traced_kernel& trace,
                               std::span<const machine_instruction> code,
                               const block_graph& graph) {
    return detail::line_estimator<Used>(text, trace, code, graph).estimate();
}

}  // namespace WARPGAUGE_NAMESPACE::sass

#endif
