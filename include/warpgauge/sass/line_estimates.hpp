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

// Whether a loop of the code lies within another.
inline bool is_inside(const block_graph& graph, std::uint32_t inner, std::uint32_t outer) {
    if (outer == no_block || inner == outer) return false;
    const block_loop& a = graph.loops[inner];
    const block_loop& b = graph.loops[outer];
    return a.head >= b.head && a.last <= b.last;
}

// Whether a line is executed once more in each of `ways` than its loop has rounds.
constexpr bool is_once_more(const traced_line& i, double rounds, double ways) noexcept {
    const double off = i.executions - rounds - ways;
    return ways > 0 && off < 1e-9 * i.executions && -off < 1e-9 * i.executions;
}

template <class Used = core::when_used>
class line_estimator {
public:
    line_estimator(const ptx::module& text, const ptx::traced_kernel& trace,
                   std::span<const machine_instruction> code, const block_graph& graph)
        : code_(code), graph_(graph), read_(text, trace) {
        find_copies();
        around_ = reached_without_calls<Used>(
            graph_, [this](std::uint32_t b) { return is_invented_call(b); });
    }

    flow_estimates estimate() {
        estimates_.blocks.assign(graph_.blocks.size(), {});
        estimates_.repeats.assign(graph_.loops.size(), -1);
        share_out_rounds();
        for (const version& v : versions_) {
            if (v.loop != none) estimates_.repeats[v.loop] = v.executions - v.entries;
        }
        for (std::uint32_t b = 0; b < graph_.blocks.size(); ++b) estimate_block(b);
        return estimates_;
    }

private:
    static constexpr std::uint32_t none = 0xffff'ffff;
    static constexpr double weak = 0.05;  // of instructions that stand for no single one of PTX

    /// A line that stands in a block `times`.
    struct copies {
        std::uint32_t block{};
        std::uint32_t line{};  // index
        std::uint32_t times{};
        bool guarded{};  // by a predicate
        bool is_rest{};  // of a loop inside of the block's, which has the line too
    };
    /// A part of the code that executes rounds of a loop of PTX, `at_once` each time.
    struct version {
        std::uint32_t ptx_loop{};
        std::uint32_t block = none;  // one that is in no loop of its own
        std::uint32_t loop = none;   // or a loop
        std::uint32_t at_once{};
        double executions{};
        double entries{};
        bool leads_in = false;  // a way that begins below the top of the loop
    };

    // Machine instructions that stand for one of PTX. Those that a predicate guards may have been moved to where more is
    // executed, so they count only where nothing else stands for their line.
    void find_copies() {
        std::vector<bool> has_open(lines_.size(), false);
        for (const bool guarded : {false, true}) {
            for (std::uint32_t b = 0; b < graph_.blocks.size(); ++b) {
                if (graph_.blocks[b].reachable) find_copies(b, guarded, has_open);
            }
        }
        find_rests();
    }

    void find_rests() {
        struct place {
            std::uint32_t line{}, loop{};
        };
        core::late<Used, std::vector<place>> in_loops;
        for (const copies& c : copies_) {
            const std::uint32_t loop = graph_.blocks[c.block].loop;
            if (loop != none) in_loops.push_back({c.line, loop});
        }
        std::sort(in_loops.begin(), in_loops.end(), [](const place& a, const place& b) {
            return a.line != b.line ? a.line < b.line : a.loop < b.loop;
        });
        std::size_t kept = 0;
        for (const place& p : in_loops) {
            const bool again =
                kept > 0 && in_loops[kept - 1].line == p.line && in_loops[kept - 1].loop == p.loop;
            if (!again) in_loops[kept++] = p;
        }
        in_loops.resize(kept);
        for (copies& c : copies_) {
            auto p =
                std::lower_bound(in_loops.begin(), in_loops.end(), c.line,
                                 [](const place& a, std::uint32_t line) { return a.line < line; });
            for (; p != in_loops.end() && p->line == c.line; ++p) {
                c.is_rest = c.is_rest || is_inside(graph_, p->loop, graph_.blocks[c.block].loop);
            }
        }
    }

    void find_copies(std::uint32_t b, bool guarded, std::vector<bool>& has_open) {
        const basic_block& block = graph_.blocks[b];
        const std::size_t first = copies_.size();
        for (std::uint32_t n = block.first; n < block.first + block.count; ++n) {
            const machine_instruction& i = code_[n];
            const std::uint32_t line = i.conditional == guarded ? read_.find(i.line) : none;
            if (line == none || lines_[line].becomes.pipe != i.pipe) continue;
            if (guarded && has_open[line]) continue;
            if (!guarded) has_open[line] = true;
            if (lines_[line].executions <= 0) {  // whose loops the trace has not seen either
                if (!guarded) never_.push_back({b, line, 1, false});
                continue;
            }
            std::size_t at = first;
            while (at < copies_.size() && copies_[at].line != line) ++at;
            if (at == copies_.size()) copies_.push_back({b, line, 0, guarded});
            copies_[at].times += 1;
        }
    }

    // That PTX does not have.
    [[nodiscard]] bool is_invented_call(std::uint32_t b) const {
        const basic_block& block = graph_.blocks[b];
        if (!block.calls) return false;
        const std::uint32_t last = read_.find(code_[block.first + block.count - 1].line);
        return last == none || !lines_[last].calls;
    }

    // --- Rounds of the loops of PTX, given to the parts of the code that execute them

    void share_out_rounds() {
        for (std::uint32_t l = 0; l < loops_.size(); ++l) {
            const std::size_t first = versions_.size();
            find_versions(l);
            const auto from = versions_.begin() + static_cast<std::ptrdiff_t>(first);
            std::sort(from, versions_.end(), [](const version& a, const version& b) {
                if (a.at_once != b.at_once) return a.at_once > b.at_once;
                if ((a.loop == none) != (b.loop == none)) return a.loop == none;
                return a.loop != b.loop ? a.loop < b.loop : a.block < b.block;
            });
            lead_in(l, first);
            for (const traced_way& w : loops_[l].all) {
                double left = w.rounds;
                for (auto v = from; v != versions_.end(); ++v) {
                    if (v->leads_in) continue;
                    double times =
                        static_cast<double>(static_cast<std::uint64_t>(left / v->at_once + 1e-9));
                    if (v->loop == none && times > 1) times = 1;
                    v->executions += times * w.ways;
                    if (times > 0) v->entries += w.ways;
                    left -= times * v->at_once;
                }
            }
        }
    }

    // A loop that PTX enters below its top executes the lines from there on once more than it has rounds. A block before
    // the loop with only such lines executes them that one time, and no round.
    void lead_in(std::uint32_t l, std::size_t first) {
        double ways = 0;
        for (const traced_way& w : loops_[l].all) ways += w.ways;
        if (ways <= 0) return;
        for (std::size_t n = first; n < versions_.size(); ++n) {
            version& v = versions_[n];
            if (v.block == none || v.at_once != 1) continue;
            v.leads_in = std::all_of(copies_.begin(), copies_.end(), [&](const copies& c) {
                if (c.block != v.block || lines_[c.line].loop != l) return true;
                return is_once_more(lines_[c.line], loops_[l].rounds, ways);
            });
            if (!v.leads_in) continue;
            v.executions = ways;
            loops_[l].begun_below = ways;
        }
    }

    // Loops of the code first; blocks outside count where they repeat what stands in those.
    void find_versions(std::uint32_t l) {
        const std::size_t first = versions_.size();
        std::vector<bool> in_loops(lines_.size(), false);
        for (const copies& c : copies_) {
            const std::uint32_t loop = graph_.blocks[c.block].loop;
            if (lines_[c.line].loop != l || loop == none || !belongs(loop, l)) continue;
            in_loops[c.line] = true;
            if (find_version(first, loop, none) != nullptr) continue;
            version v{.ptx_loop = l};
            v.loop = loop;
            v.at_once = rounds_at_once(
                l, [&](const copies& o) { return graph_.blocks[o.block].loop == loop; });
            versions_.push_back(v);
        }
        if (versions_.size() == first) return;
        for (const copies& c : copies_) {
            const std::uint32_t loop = graph_.blocks[c.block].loop;
            if (lines_[c.line].loop != l || !in_loops[c.line]) continue;
            if (loop != none && belongs(loop, l)) continue;
            if (find_version(first, none, c.block) != nullptr) continue;
            version v{.ptx_loop = l};
            v.block = c.block;
            v.at_once = rounds_at_once(l, [&](const copies& o) { return o.block == c.block; });
            versions_.push_back(v);
        }
    }

    version* find_version(std::size_t first, std::uint32_t loop, std::uint32_t block) {
        for (std::size_t n = first; n < versions_.size(); ++n) {
            if (versions_[n].loop == loop && versions_[n].block == block) return &versions_[n];
        }
        return nullptr;
    }

    // Whether most of what stands directly in a loop of the code is directly in this loop of PTX, without what is left of
    // loops inside that were unrolled.
    [[nodiscard]] bool belongs(std::uint32_t loop, std::uint32_t l) const {
        double ours = 0;
        double all = 0;
        for (const copies& c : copies_) {
            if (graph_.blocks[c.block].loop != loop || c.is_rest) continue;
            const double weight = lines_[c.line].becomes.weight * c.times;
            all += weight;
            if (lines_[c.line].loop == l) ours += weight;
        }
        return ours * 2 > all;
    }

    // The median of how often its lines stand there, of which there is at least one.
    template <class Where>
    std::uint32_t rounds_at_once(std::uint32_t l, Where where) const {
        std::vector<std::uint32_t> times(lines_.size(), 0);
        for (const copies& c : copies_) {
            if (lines_[c.line].loop == l && where(c)) times[c.line] += c.times;
        }
        times.erase(std::remove(times.begin(), times.end(), 0U), times.end());
        const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
        std::nth_element(times.begin(), middle, times.end());
        return *middle;
    }

    // --- Blocks

    struct vote {
        double executions{}, weight{};
    };

    void estimate_block(std::uint32_t b) {
        votes_.clear();
        vote_for_copies(b, false);
        for (const copies& c : never_) {
            if (c.block == b) votes_.push_back({0, lines_[c.line].becomes.weight});
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
        for (const copies& c : copies_) {
            if (c.block != b || c.guarded != guarded) continue;
            vote_for(b, c.line, lines_[c.line].becomes.weight, guarded);
        }
    }

    // What a predicate guards is issued as often as its block, however often its line is executed.
    void vote_for(std::uint32_t b, std::uint32_t line, double weight, bool guarded = false) {
        const traced_line& i = lines_[line];
        if (guarded && i.loop == none) return;
        if (i.loop == none) {
            std::uint32_t blocks = 0;
            for (const copies& c : copies_) blocks += c.line == line ? 1 : 0;
            if (blocks <= 1) {
                votes_.push_back({i.executions, weight});
            } else {
                votes_.push_back({i.executions / blocks, weight * weak});
            }
            return;
        }
        const traced_loop& l = loops_[i.loop];
        bool any = false;
        for (const version& v : versions_) {
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
        for (const copies& c : copies_) times += c.line == line ? c.times : 0;
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
    }

    std::span<const machine_instruction> code_;
    const block_graph& graph_;
    traced_lines<Used> read_;
    const core::late<Used, std::vector<traced_line>>& lines_ = read_.lines;
    core::late<Used, std::vector<traced_loop>>& loops_ = read_.loops;
    core::late<Used, std::vector<copies>> copies_;
    core::late<Used, std::vector<copies>> never_;  // the same of lines that are not executed
    core::late<Used, std::vector<version>> versions_;
    core::late<Used, std::vector<bool>> around_;  // of each block: no added call is needed
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
